/* SPDX-License-Identifier: GPL-2.0 */
/* Allocation that cannot fail: the command exits if memory runs out. */
#ifndef ALLOC_H
#define ALLOC_H

#include "lib/types.h"

void *xreallocarray(void *array, size_t nr, size_t size);
char *xstrdup(const char *text);

#endif
