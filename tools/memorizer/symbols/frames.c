// SPDX-License-Identifier: GPL-2.0
/* Source lines of addresses, and the inlined functions that they are in, from DWARF. */
#if !__has_include("elfutils/libdw.h") || !__has_include("elfutils/libdwfl.h")
#error "libdw is missing: install libdw-dev"
#endif

#include <dwarf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/frames.h"
#include "symbols/symbols.h"

/**
 * struct writer - text in the making
 * @text: where to write
 * @size: room there
 * @len: how much is written
 * @root: what is left out where a path begins with it, or NULL
 */
struct writer {
	char *text;
	size_t size, len;
	const char *root;
};

__printf(2, 3)
static void put(struct writer *w, const char *format, ...)
{
	va_list args;
	int len;

	if (w->len >= w->size)
		return;
	va_start(args, format);
	len = vsnprintf(w->text + w->len, w->size - w->len, format, args);
	va_end(args);
	w->len += len;
}

/* Names and paths must not break the line that they stand in. */
static void put_printable(struct writer *w, const char *text)
{
	size_t len = w->len;

	put(w, "%s", text);
	if (len < w->size)
		symbols_printable(w->text + len);
}

static void put_line(struct writer *w, const char *path, int number)
{
	size_t len = w->root ? strlen(w->root) : 0;

	if (len && path && !strncmp(path, w->root, len))
		path += len;
	put_printable(w, path ? path : "??");
	put(w, ":%d", number);
}

/**
 * frames_line - find the source line of an address
 * @dwarf: the debug information
 * @addr: the address
 * @number: set to the number of the line
 *
 * Return: the file, whose name stays libdw's; NULL if it is not known.
 */
const char *frames_line(Dwarf *dwarf, u64 addr, int *number)
{
	Dwarf_Line *line;
	Dwarf_Die unit;

	if (!dwarf_addrdie(dwarf, addr, &unit))
		return NULL;
	line = dwarf_getsrc_die(&unit, addr);
	if (!line || dwarf_lineno(line, number))
		return NULL;
	return dwarf_linesrc(line, NULL, NULL);
}

/* Where an inlined function was called; returns the file, or NULL. */
static const char *call_line(Dwarf_Die *unit, Dwarf_Die *inlined, int *number)
{
	Dwarf_Attribute attribute;
	Dwarf_Word file, line;
	Dwarf_Files *files;

	*number = 0;
	if (dwarf_getsrcfiles(unit, &files, NULL) ||
	    dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &file) ||
	    dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &line))
		return NULL;
	*number = line;
	return dwarf_filesrc(files, file, NULL, NULL);
}

/* The scopes that an address is in, as they were put into each other, innermost first. */
static int find_scopes(Dwarf_Die *unit, u64 addr, Dwarf_Die **scopes)
{
	Dwarf_Die *near;
	int nr = dwarf_getscopes(unit, addr, &near);

	*scopes = NULL;
	if (nr <= 0)
		return 0;
	nr = dwarf_getscopes_die(near, scopes);
	free(near);
	return nr < 0 ? 0 : nr;
}

/* Each inlined function and its line; leaves in @path and @number the line that called it. */
static void put_inlined(struct writer *w, Dwarf *dwarf, u64 addr, const char **path, int *number)
{
	Dwarf_Die unit, *scopes;
	const char *name;
	int nr, i;

	if (!dwarf_addrdie(dwarf, addr, &unit))
		return;
	nr = find_scopes(&unit, addr, &scopes);
	for (i = 0; i < nr && dwarf_tag(scopes + i) != DW_TAG_subprogram; i++) {
		if (dwarf_tag(scopes + i) != DW_TAG_inlined_subroutine)
			continue;
		name = dwarf_diename(scopes + i);
		put_printable(w, name ? name : "??");
		put(w, " ");
		put_line(w, *path, *number);
		put(w, " < ");
		*path = call_line(&unit, scopes + i, number);
	}
	free(scopes);
}

/**
 * frames_write - write the source line of an address as " (file:line)"
 * @dwarf: the debug information
 * @addr: the address
 * @root: directory of the source, which paths are shortened by, or NULL
 * @inlines: whether to write inlined functions, too, the innermost first:
 *	     " (function file:line < ... < file:line)"
 * @text: where to write it; nothing when the line is not known
 * @size: room in @text
 */
void frames_write(Dwarf *dwarf, u64 addr, const char *root, bool inlines, char *text, size_t size)
{
	struct writer w = { text, size, 0, root };
	const char *path;
	int number;

	*text = '\0';
	path = frames_line(dwarf, addr, &number);
	if (!path)
		return;
	put(&w, " (");
	if (inlines)
		put_inlined(&w, dwarf, addr, &path, &number);
	put_line(&w, path, number);
	put(&w, ")");
}
