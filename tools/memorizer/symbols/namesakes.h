/* SPDX-License-Identifier: GPL-2.0 */
/* Functions of one name, which their source files tell apart. */
#ifndef NAMESAKES_H
#define NAMESAKES_H

#include "symbols/kmap-symbols.h"

struct namesakes;

/* What tells functions of one name apart. */
enum namesakes_by {
	NAMESAKES_NONE,		/* there is one, or no file is known */
	NAMESAKES_FILE,		/* the name of their file */
	NAMESAKES_PATH,		/* or where that is, as several have files of one name */
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
