/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memorizer plugin: names on sites and on calls of allocators, for .debug_memorizer_*.
 */
#ifndef MEMORIZER_NAMES_H
#define MEMORIZER_NAMES_H

#pragma GCC visibility push(hidden)

/* In the records, too: see tools/memorizer/Documentation/memorizer-formats.5 */
enum name_kind {
	NAME_READ = 1,
	NAME_WRITE = 2,
	NAME_UPDATE = 3,
	NAME_STRING = 4,
	NAME_ALLOCATION = 5,
};

/* The number of a location without a name */
#define NO_NAME 0

void mark_references(gimple stmt);
unsigned int name_access(enum name_kind kind, tree ref, HOST_WIDE_INT size);
unsigned int name_target(enum name_kind kind, gimple stmt, tree ptr, HOST_WIDE_INT size);
unsigned int name_both(unsigned int first, unsigned int second);
unsigned int name_allocation(gcall *call);

location_t location_with_name(location_t location, unsigned int name);
unsigned int name_of_location(location_t location);

void write_site_names(void);
void write_variable_type(FILE *file, tree variable, const char *symbol);
void write_name_strings(FILE *file);

#pragma GCC visibility pop

#endif /* MEMORIZER_NAMES_H */
