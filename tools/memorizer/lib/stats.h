/* SPDX-License-Identifier: GPL-2.0 */
/* Texts with a line for each number: "name: value", as show_stats. */
#ifndef STATS_H
#define STATS_H

#include "lib/types.h"

bool find_stat(const char *text, const char *name, u64 *value);

#endif
