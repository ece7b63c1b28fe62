// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memorizer plugin: stand-ins for memorizer_names.c and memorizer_places.c, weak functions that
 * name nothing.
 */

#include "gcc-common.h"
#include "memorizer_names.h"

__attribute__((weak)) void mark_references(gimple)
{
}

__attribute__((weak)) unsigned int name_access(enum name_kind, tree, HOST_WIDE_INT)
{
	return NO_NAME;
}

__attribute__((weak)) unsigned int name_target(enum name_kind, gimple, tree, HOST_WIDE_INT)
{
	return NO_NAME;
}

__attribute__((weak)) unsigned int name_both(unsigned int, unsigned int)
{
	return NO_NAME;
}

__attribute__((weak)) unsigned int name_allocation(gcall *)
{
	return NO_NAME;
}

__attribute__((weak)) location_t location_with_name(location_t location, unsigned int)
{
	return location;
}

__attribute__((weak)) unsigned int name_of_location(location_t)
{
	return NO_NAME;
}

__attribute__((weak)) void write_site_names(void)
{
}

__attribute__((weak)) void write_variable_type(FILE *, tree, const char *)
{
}

__attribute__((weak)) void write_name_strings(FILE *)
{
}
