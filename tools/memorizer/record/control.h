/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's control files in debugfs. */
#ifndef CONTROL_H
#define CONTROL_H

#include <stdio.h>

#include "lib/types.h"

/* The switches of the stream, in the order in which they are enabled. */
enum {
	STREAM_SCOPED,		/* restricts the others, so it is enabled first */
	STREAM_ALLOCATIONS,
	STREAM_RETIREMENTS,
	STREAM_ACCESSES,
	STREAM_TRAFFIC,
	STREAM_ENTRIES,
	STREAM_LOCKS,
	NR_STREAM_SWITCHES
};

/**
 * struct control - the directory memorizer/ in debugfs
 * @path: its name, for messages
 * @dir: file descriptor
 */
struct control {
	char *path;
	int dir;
};

bool control_open(struct control *c, const char *debugfs);
void control_close(struct control *c);
bool control_write(const struct control *c, const char *file, const char *text);
int control_write_quietly(const struct control *c, const char *file, const char *text);
char *control_read(const struct control *c, const char *file);
int control_write_lines(const struct control *c, const char *file, const char *text);
bool control_get_switches(const struct control *c, bool on[NR_STREAM_SWITCHES]);
bool control_set_switches(const struct control *c, const bool from[NR_STREAM_SWITCHES],
			  const bool to[NR_STREAM_SWITCHES]);
void control_print_switches(FILE *to, const bool on[NR_STREAM_SWITCHES]);
void control_parse_switches(const char *text, bool on[NR_STREAM_SWITCHES]);
void control_warn_on(const struct control *c, const bool on[NR_STREAM_SWITCHES]);
bool control_is_off(const struct control *c);
bool control_stat(const struct control *c, const char *name, u64 *value);
u64 control_buffer_size(const struct control *c, u64 otherwise);
int control_open_stream(const struct control *c, const char *file);

#endif
