/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memorizer plugin: names of source files.
 */
#ifndef MEMORIZER_FILES_H
#define MEMORIZER_FILES_H

#pragma GCC visibility push(hidden)

const char *source_name(const char *file);
const char *name_of_file(void);

#pragma GCC visibility pop

#endif /* MEMORIZER_FILES_H */
