// SPDX-License-Identifier: GPL-2.0
/*
 * Send a message to the plugin of this machine's QEMU: qemu-say record 0|1, or point N, a mark.
 * Without a plugin it has no effect.
 */
#include <stdlib.h>
#include <string.h>

#include "../../../mm/memorizer/message.h"

static char window[4096] __attribute__((aligned(4096)));

static void say(unsigned int type, unsigned int argument)
{
	unsigned char unused;

	/* Fault the page in before the message. */
	window[0] = 1;
	__asm__ volatile(MEMORIZER_ANNOUNCE_LOAD : "=a" (unused)
			 : "D" (&window[type << MEMORIZER_TYPE_SHIFT | argument]) : "memory");
}

int main(int argc, char **argv)
{
	unsigned long number = argc == 3 ? strtoul(argv[2], NULL, 0) : -1UL;

	if (argc == 3 && !strcmp(argv[1], "record") && number <= 1)
		say(MEMORIZER_MSG_RECORD, number);
	else if (argc == 3 && !strcmp(argv[1], "point") && number <= MEMORIZER_ARGUMENT_MASK)
		say(MEMORIZER_MSG_POINT, number);
	else
		return 2;
	return 0;
}
