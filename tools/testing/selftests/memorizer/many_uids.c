// SPDX-License-Identifier: GPL-2.0
/* Calls setresuid() so that this program has each real uid of a range, one after the other. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	uid_t uid, last;

	if (argc != 3) {
		fprintf(stderr, "usage: many_uids FIRST LAST\n");
		return 1;
	}
	last = strtoul(argv[2], NULL, 10);
	for (uid = strtoul(argv[1], NULL, 10); uid <= last; uid++) {
		if (setresuid(uid, 0, 0)) {
			perror("many_uids");
			return 1;
		}
	}
	return 0;
}
