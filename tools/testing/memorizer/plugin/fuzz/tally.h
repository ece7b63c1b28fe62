/* SPDX-License-Identifier: GPL-2.0 */
/* Count accesses by instruction, address, size and kind, and write the counts to a file. */
#ifndef TALLY_H
#define TALLY_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define TALLY_SIZE	(1UL << 18)	/* maximum number of combinations, a power of two */

struct tally {
	struct tally_line {
		uint64_t ip, address, size, kind, count;
	} *line;
	size_t used;
};

static inline void tally_add(struct tally *tally, uint64_t ip, uint64_t address, uint64_t size,
			     char kind)
{
	uint64_t hash = (ip * 31 + address) * 31 + size * 7 + kind;
	struct tally_line *line;

	if (!tally->line)
		tally->line = calloc(TALLY_SIZE, sizeof(*tally->line));
	for (hash *= 0x9e3779b97f4a7c15; ; hash += 1UL << 46) {
		line = &tally->line[hash >> 46];
		if (!line->count) {
			if (++tally->used > TALLY_SIZE / 2)
				abort();
			*line = (struct tally_line){ ip, address, size, kind, 0 };
		}
		if (line->ip == ip && line->address == address && line->size == size &&
		    line->kind == (uint64_t)kind)
			break;
	}
	line->count++;
}

static inline void tally_write(const struct tally *tally, const char *path)
{
	FILE *file = fopen(path, "w");
	size_t i;

	for (i = 0; file && tally->line && i < TALLY_SIZE; i++)
		if (tally->line[i].count)
			fprintf(file, "%" PRIx64 " %" PRIx64 " %" PRIu64 " %c %" PRIu64 "\n",
				tally->line[i].ip, tally->line[i].address, tally->line[i].size,
				(char)tally->line[i].kind, tally->line[i].count);
	if (!file || fclose(file)) {
		perror(path);
		abort();
	}
}

#endif
