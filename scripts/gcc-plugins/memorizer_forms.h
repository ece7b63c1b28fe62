/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memorizer plugin: the form of disabled sites.
 */
#ifndef MEMORIZER_FORMS_H
#define MEMORIZER_FORMS_H

#pragma GCC visibility push(hidden)

void pad_entries(void);
void write_prefixes(void);

#pragma GCC visibility pop

#endif /* MEMORIZER_FORMS_H */
