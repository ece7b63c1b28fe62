/* SPDX-License-Identifier: GPL-2.0 */
/* Limits the size of tables in JSON after they were printed. */
#ifndef CUT_H
#define CUT_H

#include <stdio.h>

#include "report/table.h"

struct cut;

struct cut *cut_begin(const struct table *t);
bool cut_row(struct cut *cut);
void cut_end(struct cut *cut, const struct table *t, u32 rows);
void cut_print_rest(const struct table *t, u32 printed);
bool cut_copy(FILE *from, FILE *to, u64 room);
void cut_free(void);

#endif
