/* SPDX-License-Identifier: GPL-2.0 */
/* Files of modules: debug information, compiler notes and functions. */
#ifndef MODULES_H
#define MODULES_H

#include <elfutils/libdw.h>

#include "symbols/build-id.h"

struct modules;
struct module_file;

struct modules *modules_open(const char *dir, const char *ids, char error[ERROR_MAX]);
void modules_close(struct modules *m);
bool modules_check(struct modules *m, const char *name, char error[ERROR_MAX]);
const struct module_file *modules_next(struct modules *m, const struct module_file *last,
				       const char *name, const struct build_id *id);
const char *modules_path(const struct module_file *file);
Elf *modules_elf(const struct module_file *file);
Dwarf *modules_find(struct modules *m, const char *name, const struct build_id *id,
		    const char *function, u64 offset, u64 *addr);

#endif
