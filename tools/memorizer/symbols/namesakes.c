// SPDX-License-Identifier: GPL-2.0
/*
 * Disambiguation of functions with the same name: static functions of several files, and at most
 * one global one. GCC's clones of a function, such as NAME.isra.0, count as the function.
 *
 * Source files are unknown without vmlinux, and for modules. Functions that cannot be distinguished
 * are summed up, and counted for a warning.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hash.h"
#include "lib/texts.h"
#include "symbols/namesakes.h"
#include "symbols/notes.h"
#include "symbols/symbols.h"

/**
 * struct namesakes - functions of a kernel, by name
 * @symbols: symbols of the kernel
 * @nr: number of @order
 * @order: indexes of symbols, ordered by name without GCC's suffix; NULL until it is needed
 * @named: struct namesake, by the name that was written
 * @merged: number of names that refer to several functions
 */
struct namesakes {
	const struct kmap_symbols *symbols;
	size_t nr;
	u32 *order;
	struct hash named;
	u32 merged;
};

/* A name that was written, and the first function to which it refers. */
struct namesake {
	char text[TEXTS_MAX];
	u64 start;
	u32 name;
	bool merged;
};

/**
 * namesakes_base - get the length of a function's name without GCC's suffix
 * @name: the name
 *
 * Return: the length in bytes.
 */
size_t namesakes_base(const char *name)
{
	/* A name may begin with a dot, which starts no suffix. */
	return *name ? 1 + strcspn(name + 1, ".") : 0;
}

static const char *name_of(const struct namesakes *n, const struct kmap_symbol *symbol)
{
	return kmap_symbols_string(n->symbols, symbol->name);
}

static int compare_names(const char *a, const char *b)
{
	size_t a_len = namesakes_base(a), b_len = namesakes_base(b);
	int order = memcmp(a, b, a_len < b_len ? a_len : b_len);

	return order ? order : (a_len > b_len) - (a_len < b_len);
}

static int compare(const void *left, const void *right, void *arg)
{
	const struct namesakes *n = arg;
	const struct kmap_symbol *a = n->symbols->sym + *(const u32 *)left;
	const struct kmap_symbol *b = n->symbols->sym + *(const u32 *)right;
	int order = compare_names(name_of(n, a), name_of(n, b));

	/* By address: qsort_r() is not stable. */
	return order ? order : (a > b) - (a < b);
}

/* Sort the functions by name on first use. */
static struct namesakes *get(const struct kmap_symbols *s)
{
	struct namesakes *n = s->namesakes;
	u32 i;

	if (n->order)
		return n;
	n->symbols = s;
	n->nr = s->nr;
	hash_init(&n->named, sizeof(struct namesake), TEXTS_MAX);
	n->order = xreallocarray(NULL, n->nr + 1, sizeof(*n->order));
	for (i = 0; i < n->nr; i++)
		n->order[i] = i;
	qsort_r(n->order, n->nr, sizeof(*n->order), compare, n);
	return n;
}

/**
 * namesakes_make - allocate an index of functions by name
 *
 * Return: the index, to be freed by namesakes_free().
 */
struct namesakes *namesakes_make(void)
{
	struct namesakes *n = xreallocarray(NULL, 1, sizeof(*n));

	*n = (struct namesakes){ .symbols = NULL };
	return n;
}

/**
 * namesakes_free - free an index
 * @n: the index
 */
void namesakes_free(struct namesakes *n)
{
	if (n->order)
		hash_free(&n->named);
	free(n->order);
	free(n);
}

/* Index in @order of the first function with a name. */
static size_t first_of(const struct namesakes *n, const char *name)
{
	size_t low = 0, high = n->nr, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (compare_names(name_of(n, n->symbols->sym + n->order[middle]), name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Iterate over the functions with a name in a module; @at is an index in @order. */
static const struct kmap_symbol *next_of(const struct namesakes *n, const char *name,
					 const char *module, size_t *at)
{
	const struct kmap_symbol *symbol;

	while (*at < n->nr) {
		symbol = n->symbols->sym + n->order[(*at)++];
		if (compare_names(name_of(n, symbol), name))
			return NULL;
		if (!strcmp(kmap_symbols_string(n->symbols, symbol->module), module))
			return symbol;
	}
	return NULL;
}

static bool is_clone(const struct namesakes *n, const struct kmap_symbol *symbol)
{
	const char *name = name_of(n, symbol);

	return name[namesakes_base(name)];
}

/*
 * Get the file of a function; empty for a global function and its clones. Clones are local symbols:
 * it is one of the global function if its file has no function of that name.
 */
static const char *file_of(const struct namesakes *n, const struct kmap_symbol *symbol)
{
	const char *file = kmap_symbols_string(n->symbols, symbol->file);
	const char *name = name_of(n, symbol);
	const char *module = kmap_symbols_string(n->symbols, symbol->module);
	const struct kmap_symbol *other;
	size_t at = first_of(n, name);
	bool global = false;

	if (!*file || !is_clone(n, symbol))
		return file;
	while ((other = next_of(n, name, module, &at))) {
		if (is_clone(n, other))
			continue;
		/* The clone is of the static function in its own file. */
		if (!strcmp(kmap_symbols_string(n->symbols, other->file), file))
			return file;
		global |= !other->file;
	}
	return global ? "" : file;
}

/**
 * namesakes_by - determine how to distinguish functions with the same name
 * @s: symbols of the kernel
 * @name: the name, with or without GCC's suffix
 * @module: name of the module; empty for the kernel
 *
 * Return: the weakest distinction that suffices.
 */
enum namesakes_by namesakes_by(const struct kmap_symbols *s, const char *name, const char *module)
{
	const struct namesakes *n = get(s);
	const struct kmap_symbol *symbol, *other;
	enum namesakes_by by = NAMESAKES_NONE;
	size_t at = first_of(n, name), next;
	bool same;

	while ((symbol = next_of(n, name, module, &at))) {
		for (next = at; (other = next_of(n, name, module, &next));) {
			same = !strcmp(file_of(n, symbol), file_of(n, other));
			/* Two files of the same name: only their directories differ. */
			if (same && symbol->file && !strcmp(name_of(n, symbol), name_of(n, other)))
				return NAMESAKES_PATH;
			if (!same)
				by = NAMESAKES_FILE;
		}
	}
	return by;
}

/**
 * namesakes_files - check whether source files of functions are known
 * @s: symbols of the kernel
 *
 * Return: true if they are, for functions of the kernel itself.
 */
bool namesakes_files(const struct kmap_symbols *s)
{
	size_t i;

	for (i = 0; i < s->nr; i++)
		if (s->sym[i].file)
			return true;
	return false;
}

/* Count a name that refers to several functions, which are not clones of each other. */
static void note(struct namesakes *n, const char *text, const struct kmap_symbol *symbol)
{
	char key[TEXTS_MAX] = "";
	struct namesake *named;
	bool new;

	/* Mapped modules may have the same function at several addresses over time. */
	if (symbol < n->symbols->sym || symbol >= n->symbols->sym + n->nr)
		return;
	memcpy(key, text, strnlen(text, sizeof(key) - 1));
	named = hash_item(&n->named, hash_get(&n->named, key, &new));
	if (new) {
		named->start = symbol->start;
		named->name = symbol->name;
	} else if (named->start != symbol->start && !named->merged &&
		   !strcmp(kmap_symbols_string(n->symbols, named->name), name_of(n, symbol))) {
		named->merged = true;
		n->merged++;
	}
}

/**
 * namesakes_name - format the name of a function, with its file if the name is not unique
 * @s: symbols of the kernel
 * @symbol: the function; without a name, it is a whole module
 * @base: strip GCC's suffix
 * @by: how to distinguish the function; paths are known from the compiler's notes only
 * @text: set to "name [module] (file)"
 * @size: size of @text in bytes
 */
void namesakes_name(const struct kmap_symbols *s, const struct kmap_symbol *symbol, bool base,
		    enum namesakes_by by, char *text, size_t size)
{
	struct namesakes *n = get(s);
	const char *module = kmap_symbols_string(s, symbol->module);
	const char *name = name_of(n, symbol), *file = by ? file_of(n, symbol) : "";

	/* vmlinux only has names of files, without directories. */
	if (*file && by == NAMESAKES_PATH)
		file = notes_file(s->notes, symbol->start, symbol->size, file) ?: file;
	snprintf(text, size, "%.*s%s%s%s%s%s%s", (int)(base ? namesakes_base(name) : strlen(name)),
		 name, *module ? *name ? " [" : "[" : "", module, *module ? "]" : "",
		 *file ? " (" : "", file, *file ? ")" : "");
	note(n, text, symbol);
}

/**
 * namesakes_write - format the name of a function, with its file if the name is not unique
 * @s: symbols of the kernel
 * @symbol: the function
 * @text: set to "name [module] (file)"
 */
void namesakes_write(const struct kmap_symbols *s, const struct kmap_symbol *symbol,
		     char text[KMAP_SYMBOL_MAX])
{
	enum namesakes_by by = namesakes_by(s, kmap_symbols_string(s, symbol->name),
					    kmap_symbols_string(s, symbol->module));

	namesakes_name(s, symbol, false, by, text, KMAP_SYMBOL_MAX);
}

/**
 * namesakes_warn - print a warning if names were written that refer to several functions
 * @s: symbols of the kernel
 * @command: name of the command
 *
 * Return: true if there are such names.
 */
bool namesakes_warn(const struct kmap_symbols *s, const char *command)
{
	u32 merged = s->namesakes->merged;

	if (merged)
		fprintf(stderr,
			"memorizer %s: %u ambiguous function name%s: functions summed up%s\n",
			command, merged, merged == 1 ? "" : "s",
			namesakes_files(s) ? "" : "; use --vmlinux to distinguish them by file");
	return merged;
}
