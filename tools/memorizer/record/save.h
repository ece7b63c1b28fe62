/* SPDX-License-Identifier: GPL-2.0 */
/* Directory of a trace that is being recorded. */
#ifndef SAVE_H
#define SAVE_H

#include "lib/types.h"

/**
 * struct save - a directory
 * @path: its name, for messages
 * @dir: file descriptor
 * @made: created by save_open()
 */
struct save {
	char *path;
	int dir;
	bool made;
};

bool save_open(struct save *s, const char *path);
bool save_begin(const struct save *s);
bool save_part(const struct save *s, const char *name, struct save *part);
bool save_remove(const struct save *s, const char *name);
void save_discard(const struct save *s);
bool save_link(const struct save *from, const struct save *to, const char *name);
void save_close(struct save *s);
bool save_copy(const struct save *s, int dir, const char *from, const char *to);
bool save_text(const struct save *s, const char *text, const char *to);
int save_create(const struct save *s, const char *name);

#endif
