/* SPDX-License-Identifier: GPL-2.0 */
/* Build IDs, which verify that a file matches the traced code. */
#ifndef BUILD_ID_H
#define BUILD_ID_H

#include <gelf.h>

#include "symbols/kmap-symbols.h"

#define BUILD_ID_MAX	32			/* longer build IDs are truncated */
#define BUILD_ID_TEXT	(2 * BUILD_ID_MAX + 1)	/* bytes in hex, with a NUL */

/* A build ID; @size in bytes, 0 if unknown. */
struct build_id {
	unsigned char id[BUILD_ID_MAX];
	size_t size;
};

bool build_id_equal(const struct build_id *a, const struct build_id *b);
const char *build_id_text(const struct build_id *id, char text[BUILD_ID_TEXT]);
struct build_id build_id_parse(const char *text, size_t len);
struct build_id build_id_elf(Elf *elf);
struct build_id build_id_kernel(const char *path);
struct build_id build_id_module(const char *path, const char *name);
struct build_id build_id_loaded(const char *name);
bool build_id_check(const char *path, const struct build_id *id, const struct build_id *ran,
		    const char *whose, char error[ERROR_MAX]);

#endif
