/* SPDX-License-Identifier: GPL-2.0 */
/* Parser of "name: value" lines, as in the kernel's file show_stats. */
#ifndef STATS_H
#define STATS_H

#include "lib/types.h"

bool find_stat(const char *text, const char *name, u64 *value);

#endif
