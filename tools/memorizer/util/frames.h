/* SPDX-License-Identifier: GPL-2.0 */
/* Source lines of addresses, and the inlined functions that they are in. */
#ifndef FRAMES_H
#define FRAMES_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include "kmap.h"

struct modules;

const char *frames_line(Dwarf *dwarf, u64 addr, int *number);
void frames_write(Dwarf *dwarf, u64 addr, const char *root, bool inlines, char *text, size_t size);

struct modules *modules_open(const char *dir, char error[KMAP_ERROR_MAX]);
void modules_close(struct modules *m);
bool modules_file(const struct modules *m, size_t nr, const char **name, const char **path);
Dwarf *modules_find(struct modules *m, const char *module, const char *function, u64 offset,
		    u64 *addr);

#endif
