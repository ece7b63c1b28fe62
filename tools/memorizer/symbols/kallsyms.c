// SPDX-License-Identifier: GPL-2.0
/* Reader of functions or data symbols from a copy of /proc/kallsyms. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "lib/source.h"
#include "symbols/symbols.h"

/* A line "<hex address> <type letter> <name>[\t[<module>]]". */
struct entry {
	u64 addr;
	char type;
	const char *name, *module;
	size_t name_len, module_len;
};

static bool parse_entry(const char *line, size_t len, struct entry *e)
{
	static const char digits[] = "0123456789abcdef";
	const char *end = line + len, *p = line, *digit, *tab;

	e->addr = 0;
	/* strchr() finds the NUL, too, which a damaged file may contain. */
	while (p < end && *p && (digit = strchr(digits, *p))) {
		e->addr = e->addr << 4 | (digit - digits);
		p++;
	}
	if (p == line || p - line > 16 || end - p < 4 || p[0] != ' ' || p[2] != ' ')
		return false;
	e->type = p[1];
	e->name = p + 3;
	tab = memchr(e->name, '\t', end - e->name);
	e->name_len = (tab ? tab : end) - e->name;
	e->module = tab ? tab + 2 : end;
	e->module_len = tab ? end - e->module - 1 : 0;
	if (tab && (end - tab < 4 || tab[1] != '[' || end[-1] != ']'))
		return false;
	return e->name_len;
}

static enum rank data_rank(const struct entry *e)
{
	switch (e->type) {
	case 'A':
	case 'B':
	case 'D':
	case 'R':
		return RANK_GLOBAL;
	case 'V':
	case 'v':
		return RANK_WEAK;
	case 'a':
	case 'b':
	case 'd':
	case 'r':
		return RANK_LOCAL;
	default:
		/* Functions end the data before them. */
		return RANK_BOUNDARY;
	}
}

static enum rank function_rank(const struct entry *e)
{
	/* Symbols of the linker script that share their address with the first function. */
	static const char * const marks[] = { "_text", "_stext", "_etext", "_sinittext",
					      "_einittext" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(marks); i++)
		if (e->name_len == strlen(marks[i]) && !memcmp(e->name, marks[i], e->name_len))
			return RANK_BOUNDARY;
	switch (e->type) {
	case 'T':
		return RANK_GLOBAL;
	case 'W':
	case 'w':
		return RANK_WEAK;
	case 't':
		return RANK_LOCAL;
	default:
		return data_rank(e) == RANK_BOUNDARY ? RANK_BOUNDARY : RANK_DATA;
	}
}

/* Get the string of an entry's module. Reuses @last, that of the previous entry, if equal. */
static u32 module_string(struct kmap_symbols *s, const struct entry *e, u32 last)
{
	const char *name = kmap_symbols_string(s, last);

	if (strlen(name) == e->module_len && !memcmp(name, e->module, e->module_len))
		return last;
	return symbols_string(s, e->module, e->module_len);
}

static bool read_entries(struct kmap_symbols *s, const char *path, struct lines *in,
			 struct anchors *anchors, enum rank (*rank)(const struct entry *e))
{
	enum lines_status state;
	u32 module = 0;
	u64 any = 0;
	struct entry e;

	while ((state = lines_next(in)) == LINES_WHOLE) {
		if (!parse_entry(in->line, in->len, &e))
			break;
		/* The kernel shows zeros to unprivileged readers. */
		any |= e.addr;
		/* A module may have symbols of the same names. */
		if (!e.module_len)
			anchors_note(anchors, e.name, e.name_len, e.addr);
		module = module_string(s, &e, module);
		symbols_add(s, e.addr, 0, symbols_string(s, e.name, e.name_len), module, 0,
			    rank(&e));
	}
	if (state == LINES_FAILED)
		return symbols_fail(s, "%s: %s", path, strerror(errno));
	if (state != LINES_END)
		return symbols_fail(s,
				    "%s:%llu: not a line of kallsyms: expected ADDRESS TYPE NAME, with a tab and [MODULE] for a module",
				    path, in->nr);
	if (!in->nr)
		return symbols_fail(s, "%s: empty: expected a copy of /proc/kallsyms", path);
	if (!any)
		return symbols_fail(s,
				    "%s: all addresses are 0: copy /proc/kallsyms as root, with kptr_restrict below 2",
				    path);
	return true;
}

/**
 * kallsyms_add - add the function of a line of /proc/kallsyms to the symbols
 * @s: the symbols
 * @line: the line; ignored if it is malformed
 * @len: length of @line in bytes
 */
void kallsyms_add(struct kmap_symbols *s, const char *line, size_t len)
{
	struct entry e;

	if (parse_entry(line, len, &e))
		symbols_add(s, e.addr, 0, symbols_string(s, e.name, e.name_len),
			    symbols_string(s, e.module, e.module_len), 0, function_rank(&e));
}

/**
 * kallsyms_read - add the symbols of a copy of /proc/kallsyms
 * @s: the symbols
 * @path: the copy
 * @data: add data symbols; otherwise functions
 * @anchors: set to the addresses of the anchors
 *
 * Return: true on success; false with a message in @s->error.
 */
bool kallsyms_read(struct kmap_symbols *s, const char *path, bool data, struct anchors *anchors)
{
	struct lines in;
	char error[ERROR_MAX];
	int fd = source_fd(path, error);
	bool ok;

	if (fd < 0)
		return symbols_fail(s, "%s", error);
	lines_init(&in, fd);
	ok = read_entries(s, path, &in, anchors, data ? data_rank : function_rank);
	lines_free(&in);
	close(fd);
	return ok;
}
