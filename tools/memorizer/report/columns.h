/* SPDX-License-Identifier: GPL-2.0 */
/* Properties of table columns: which ones have sums, and which ones --sort accepts. */
#ifndef COLUMNS_H
#define COLUMNS_H

#include "report/table.h"

bool columns_add_up(const char *key);
const char *columns_percent(const char *key);
const char *columns_rate(const char *key);
bool columns_known(const char *key);
const struct column *columns_sort(const struct table *t, const char *key,
				  const struct column **plus);

#endif
