/* SPDX-License-Identifier: GPL-2.0 */
/* The files of a trace, as bytes in their order: the only way in which they are read. */
#ifndef SOURCE_H
#define SOURCE_H

#include "kmap.h"

struct source;

struct source *source_open(const char *path, char error[KMAP_ERROR_MAX]);
u64 source_size(const struct source *s);
long long source_read(struct source *s, void *to, size_t size);
void source_close(struct source *s);

#endif
