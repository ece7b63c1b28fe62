/* SPDX-License-Identifier: GPL-2.0 */
/* Disambiguation of functions with the same name, by their source files. */
#ifndef NAMESAKES_H
#define NAMESAKES_H

#include "symbols/kmap-symbols.h"

struct namesakes;

/* How to distinguish functions with the same name. */
enum namesakes_by {
	NAMESAKES_NONE,		/* the name is unique, or no files are known */
	NAMESAKES_FILE,		/* by the name of the source file */
	NAMESAKES_PATH,		/* by its path, since several files have the same name */
};

struct namesakes *namesakes_make(void);
void namesakes_free(struct namesakes *n);
size_t namesakes_base(const char *name);
enum namesakes_by namesakes_by(const struct kmap_symbols *s, const char *name,
			       const char *module);
bool namesakes_files(const struct kmap_symbols *s);
void namesakes_name(const struct kmap_symbols *s, const struct kmap_symbol *symbol, bool base,
		    enum namesakes_by by, char *text, size_t size);
void namesakes_write(const struct kmap_symbols *s, const struct kmap_symbol *symbol,
		     char text[KMAP_SYMBOL_MAX]);
bool namesakes_warn(const struct kmap_symbols *s, const char *command);

#endif
