/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memorizer plugin: the table of variables, with their sizes.
 */
#ifndef MEMORIZER_VARIABLES_H
#define MEMORIZER_VARIABLES_H

#pragma GCC visibility push(hidden)

void write_variables(FILE *file);

#pragma GCC visibility pop

#endif /* MEMORIZER_VARIABLES_H */
