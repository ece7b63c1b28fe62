/* SPDX-License-Identifier: GPL-2.0 */
/* Names of an access: a member of each record that contains the accessed memory. */
#ifndef ALIASES_H
#define ALIASES_H

#include "lib/texts.h"
#include "symbols/notes.h"

/**
 * struct alias - a name of an access
 * @type: number of the record's name
 * @path: number of the member's path; 0 if unknown
 * @offset: offset of the member in the record in bytes, or NOTE_ANYWHERE
 */
struct alias {
	u32 type, path, offset;
};

/**
 * struct aliases - sets of names, by the name that the code knows and the type of the object
 * @texts: string table; owned by the caller, the first string is that of unknown names
 * @all: names of all sets, each set being consecutive
 * @nr: number of @all
 * @sets: private: struct alias_set
 * @places: private: cache of the offsets of records in other records
 */
struct aliases {
	struct hash *texts;
	struct alias *all;
	u32 nr;
	struct hash sets, places;
};

void aliases_init(struct aliases *a, struct hash *texts);
void aliases_free(struct aliases *a);
u32 aliases_find(struct aliases *a, const struct notes *notes, const struct alias *own, u32 outer);
u32 aliases_get(const struct aliases *a, u32 set, u32 *first);
u32 aliases_outermost(const struct aliases *a, u32 set);

#endif
