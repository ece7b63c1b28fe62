/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sequential access to the input of commands: a text, or the files of a trace. A trace is a
 * directory or a tar archive; "-" is standard input. Any file may be compressed by zstd, gzip or
 * xz. Files of a trace are named as if the trace were a directory, without .zst. A trace may
 * be split into parts: its subdirectories 0, 1, ..., or several traces joined by source_join().
 */
#ifndef SOURCE_H
#define SOURCE_H

#include "lib/lines.h"

struct source;

bool source_is_trace(const char *path);
const char *source_join(char **paths, u32 nr);
bool source_mount(const char *path, char error[ERROR_MAX]);
bool source_list(const char *path, char ***names, u32 *nr, char error[ERROR_MAX]);
u32 source_parts(const char *path);
const char *source_part(const char *path, u32 i);
int source_fd(const char *path, char error[ERROR_MAX]);

struct source *source_open(const char *path, char error[ERROR_MAX]);
u64 source_size(const struct source *s);
char *source_text(const char *dir, const char *name);
long long source_read(struct source *s, void *to, size_t size);
const char *source_damage(const struct source *s);
void source_close(struct source *s);

#endif
