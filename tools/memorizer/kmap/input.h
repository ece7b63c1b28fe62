/* SPDX-License-Identifier: GPL-2.0 */
/* Input of commands that read a KMAP. */
#ifndef INPUT_H
#define INPUT_H

#include "kmap/kmap.h"

/**
 * struct input - an open KMAP
 * @name: name for messages
 * @fd: file descriptor
 * @reader: parser
 */
struct input {
	const char *name;
	int fd;
	struct kmap_reader reader;
};

bool input_is_trace(const char *path);
const char *input_name(int argc, char **argv);
bool input_open(struct input *in, int argc, char **argv);
enum kmap_event input_next(struct input *in);
int input_close(struct input *in, enum kmap_event last);
void input_unresolved(u32 missing, u32 all, bool kallsyms);

#endif
