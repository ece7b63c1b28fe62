/* SPDX-License-Identifier: GPL-2.0 */
/* Lookup of subsystems in MAINTAINERS. */
#ifndef MAINTAINERS_H
#define MAINTAINERS_H

#include "symbols/kmap-symbols.h"

struct maintainers;

struct maintainers *maintainers_read(const char *path, char error[ERROR_MAX]);
void maintainers_free(struct maintainers *m);
const char *maintainers_find(const struct maintainers *m, const char *file);

#endif
