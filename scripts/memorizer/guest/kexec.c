// SPDX-License-Identifier: GPL-2.0
/*
 * Replace this kernel by another one: immediately, or, with -p, when this one panics.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/kexec.h>
#include <linux/reboot.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void check(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "kexec: %s: %s\n", what, strerror(errno));
	exit(1);
}

int main(int argc, char **argv)
{
	unsigned long flags = argc > 1 && !strcmp(argv[1], "-p") ? KEXEC_FILE_ON_CRASH : 0;
	char **arg = argv + (flags ? 2 : 1);
	int kernel, initrd;

	if (argv + argc - arg != 3) {
		fputs("usage: kexec [-p] KERNEL INITRD COMMAND-LINE\n", stderr);
		return 2;
	}
	kernel = open(arg[0], O_RDONLY);
	check(kernel >= 0, arg[0]);
	initrd = open(arg[1], O_RDONLY);
	check(initrd >= 0, arg[1]);
	check(!syscall(SYS_kexec_file_load, kernel, initrd, strlen(arg[2]) + 1, arg[2], flags),
	      "load the kernel");
	if (flags)
		return 0;
	sync();
	check(!syscall(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2,
		       LINUX_REBOOT_CMD_KEXEC, NULL), "start it");
	return 1;
}
