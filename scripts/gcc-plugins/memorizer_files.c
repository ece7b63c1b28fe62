// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memorizer plugin: names of source files.
 */

#include "gcc-common.h"
#include "memorizer_files.h"

/* The command line includes this header first: what precedes it is the path of the source tree. */
#define FIRST_HEADER "include/linux/kconfig.h"

static const char *skip_dot(const char *file)
{
	return strncmp(file, "./", 2) ? file : file + 2;
}

static const char *top_of_tree(void)
{
	static const char *top;
	const char *file;
	size_t length;
	unsigned int i;

	for (i = 0; !top && i < LINEMAPS_ORDINARY_USED(line_table); i++) {
		file = ORDINARY_MAP_FILE_NAME(LINEMAPS_ORDINARY_MAP_AT(line_table, i));
		file = file ? skip_dot(file) : "";
		length = strlen(file);
		if (length >= strlen(FIRST_HEADER) &&
		    !strcmp(file + length - strlen(FIRST_HEADER), FIRST_HEADER))
			top = xstrndup(file, length - strlen(FIRST_HEADER));
	}
	/* Not a file of the kernel: names stay as they are. */
	if (!top)
		top = "";
	return top;
}

/* source_name() - make a file name relative to the top of the source or object tree */
const char *source_name(const char *file)
{
	const char *top = top_of_tree();

	file = file ? skip_dot(file) : "";
	return strncmp(file, top, strlen(top)) ? file : file + strlen(top);
}

/* name_of_file() - get the compiled file's name, relative to the top of the tree */
const char *name_of_file(void)
{
	return source_name(main_input_filename);
}
