/* SPDX-License-Identifier: GPL-2.0 */
/* How entries to the kernel are called. */
#ifndef ENTRIES_H
#define ENTRIES_H

#include "lib/types.h"

#define ENTRY_NAME_MAX	64	/* room for the name of an entry */

void entry_name(const char *machine, u32 kind, u32 number, char text[ENTRY_NAME_MAX]);

#endif
