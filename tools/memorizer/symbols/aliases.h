/* SPDX-License-Identifier: GPL-2.0 */
/* All names of an access: a member of each record that contains what is accessed. */
#ifndef ALIASES_H
#define ALIASES_H

#include "lib/texts.h"
#include "symbols/notes.h"

/**
 * struct alias - a name of an access
 * @type: number of the record's name
 * @path: number of the member's path; 0: not known
 * @offset: of the member in the record in bytes, or NOTE_ANYWHERE
 */
struct alias {
	u32 type, path, offset;
};

/**
 * struct aliases - the names of accesses, by what the code and the allocation say
 * @texts: numbered names, the first of which stands for an unknown one; the caller's
 * @all: the names of all sets, one set after the other
 * @nr: how many
 * @sets: private: struct alias_set
 * @places: private: where records are in others
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
