/* SPDX-License-Identifier: GPL-2.0 */
/* A file that a command writes: complete, or as it was before. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include "lib/types.h"

/**
 * struct output - a file that is being written
 * @fd: where to write
 * @path: private: the file that output_end() replaces
 * @name: private: name of the new file until then; NULL while it has none
 * @direct: private: whether @fd is @path itself, which is no regular file
 */
struct output {
	int fd;
	char *path, *name;
	bool direct;
};

bool output_begin(struct output *o, const char *path, const char *const *inputs, u32 nr);
bool output_end(struct output *o);
void output_drop(struct output *o);

#endif
