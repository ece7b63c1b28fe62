// SPDX-License-Identifier: GPL-2.0
/* Source lines and inlined functions of addresses, from DWARF. */
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
 * struct writer - output buffer
 * @text: the buffer
 * @size: size of @text in bytes
 * @len: length of the output so far, which may exceed @size
 * @root: prefix to strip from paths; may be NULL
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

	/* Truncated: @len is larger than the text, and must not be used as an offset. */
	if (w->len >= w->size)
		return;
	va_start(args, format);
	len = vsnprintf(w->text + w->len, w->size - w->len, format, args);
	va_end(args);
	w->len += len;
}

/* Names and paths must not contain separators or control characters. */
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
 * frames_line - look up the source line of an address
 * @dwarf: debug information
 * @addr: the address
 * @number: set to the line number
 *
 * Return: name of the file, owned by libdw; NULL if it is unknown.
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

/* Get the file and line that an inlined function was called from. */
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

/* Get the chain of scopes that contain an address, with inlining resolved, innermost first. */
static int find_scopes(Dwarf_Die *unit, u64 addr, Dwarf_Die **scopes)
{
	Dwarf_Die *near;
	int nr = dwarf_getscopes(unit, addr, &near);

	*scopes = NULL;
	if (nr <= 0)
		return 0;
	/* dwarf_getscopes() continues from where the inlined function is defined, not called. */
	nr = dwarf_getscopes_die(near, scopes);
	free(near);
	return nr < 0 ? 0 : nr;
}

/* Write the inlined functions; sets @path and @number to the line in the function itself. */
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
		/* The next scope outwards contains the line of the call. */
		*path = call_line(&unit, scopes + i, number);
	}
	free(scopes);
}

/**
 * frames_write - format the source line of an address as " (file:line)"
 * @dwarf: debug information
 * @addr: the address
 * @root: prefix to strip from paths; may be NULL
 * @inlines: include inlined functions, innermost first:
 *	     " (function file:line < ... < file:line)"
 * @text: set to the line; empty if it is unknown
 * @size: size of @text in bytes
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
