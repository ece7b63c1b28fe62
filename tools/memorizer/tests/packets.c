// SPDX-License-Identifier: GPL-2.0
/* Write packets like the kernel's files, with arbitrary contents. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/types.h"

#define HEAD	80		/* header and context */
#define SIZE	48		/* where packet_size is */
#define LOST	64		/* events_discarded */

int main(int argc, char **argv)
{
	static char packet[1 << 20];
	u32 magic = 0xc1fc1fc1;
	u64 bits;
	size_t size;
	int i, nr;
	u64 lost;

	nr = argc >= 3 ? atoi(argv[1]) : 0;
	size = argc >= 3 ? strtoul(argv[2], NULL, 10) : 0;
	lost = argc == 4 ? strtoul(argv[3], NULL, 10) : 0;
	if (nr <= 0 || size < HEAD || size > sizeof(packet) || argc > 4) {
		fprintf(stderr, "usage: packets NUMBER BYTES [LOST]\n");
		return EXIT_FAILURE;
	}
	for (i = 0; i < nr; i++) {
		memset(packet, 'a' + i % 26, size);
		memset(packet, 0, HEAD);
		memcpy(packet, &magic, sizeof(magic));
		memcpy(packet + LOST, &lost, sizeof(lost));
		bits = 8 * size;
		memcpy(packet + SIZE, &bits, sizeof(bits));
		if (fwrite(packet, size, 1, stdout) != 1)
			return EXIT_FAILURE;
	}
	return fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}
