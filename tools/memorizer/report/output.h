/* SPDX-License-Identifier: GPL-2.0 */
/* Atomic replacement of an output file. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include "lib/types.h"

/**
 * struct output - a file that is being written
 * @fd: file descriptor to write to
 * @path: private: the file that output_end() replaces
 * @name: private: temporary name of the new file; NULL while it is unnamed
 * @direct: private: @fd is @path itself, which is no regular file
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
