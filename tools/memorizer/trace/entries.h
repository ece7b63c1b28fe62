/* SPDX-License-Identifier: GPL-2.0 */
/* Names of kernel entries. */
#ifndef ENTRIES_H
#define ENTRIES_H

#include "lib/types.h"

#define ENTRY_NAME_MAX	64	/* bytes of a name, with its NUL */

void entry_name(const char *machine, u32 kind, u32 number, char text[ENTRY_NAME_MAX]);

#endif
