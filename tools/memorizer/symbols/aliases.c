// SPDX-License-Identifier: GPL-2.0
/*
 * Names of an access. The accessing code knows a record and one of its members. That record may
 * be embedded in a larger object, and the member may be within embedded records: an access to
 * dentry.d_lockref.count is also one to lockref.count, and _raw_spin_lock() of a dentry's spinlock
 * also accesses dentry.d_lockref.lock.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/aliases.h"
#include "symbols/kmap-symbols.h"
#include "symbols/members.h"

#define PLACES_MAX	8	/* a record embedded more often in another one gets no name */

/* Names of accesses by code that knows @own, to objects of type @outer. */
struct alias_set {
	u64 own, outer;		/* type and path; type and offset */
	u32 first, nr;		/* index in aliases.all, and number of names */
};

/* Members of a record that are another record. */
struct alias_place {
	u64 key;		/* both types */
	u32 paths;		/* alternative paths; 0 for none or too many */
	u32 offset;		/* offset in bytes, or NOTE_ANYWHERE if there are several */
};

/**
 * aliases_init - initialize an empty collection of names
 * @a: the names
 * @texts: string table, in which the first string is that of unknown names; must outlive @a
 */
void aliases_init(struct aliases *a, struct hash *texts)
{
	*a = (struct aliases){ .texts = texts };
	hash_init(&a->sets, sizeof(struct alias_set), 2 * sizeof(u64));
	hash_init(&a->places, sizeof(struct alias_place), sizeof(u64));
}

/**
 * aliases_free - free the memory of names
 * @a: the names
 */
void aliases_free(struct aliases *a)
{
	free(a->all);
	hash_free(&a->sets);
	hash_free(&a->places);
}

/* Untagged records all share the same name, and cannot be looked up. */
static bool is_tagged(const char *type)
{
	return *type != '(';
}

/* Find the members of a record that are records of type @inner. */
static void find_places(struct aliases *a, const struct notes *notes, u32 outer, u32 inner,
			struct alias_place *place)
{
	char type[TEXTS_MAX], paths[TEXTS_MAX] = "";
	struct record record;
	size_t len = 0;
	u32 i, nr = 0;

	snprintf(type, sizeof(type), "%s", texts_get(a->texts, inner));
	if (!is_tagged(type) || !notes_record(notes, texts_get(a->texts, outer), &record))
		return;
	for (i = 0; i < record.nr && nr <= PLACES_MAX && len < sizeof(paths); i++) {
		if (strcmp(record.members[i].type, type))
			continue;
		len += snprintf(paths + len, sizeof(paths) - len, "%s%s", nr++ ? "|" : "",
				record.members[i].path);
		/* With several places, only the path is known, not which one was accessed. */
		place->offset = nr == 1 ? record.members[i].offset / 8 : NOTE_ANYWHERE;
	}
	notes_record_free(&record);
	if (nr && nr <= PLACES_MAX && len < sizeof(paths))
		place->paths = texts_number(a->texts, paths);
}

static struct alias_place place_of(struct aliases *a, const struct notes *notes, u32 outer,
				   u32 inner)
{
	u64 key = (u64)outer << 32 | inner;
	bool new;
	u32 i = hash_get(&a->places, &key, &new);

	if (new)
		find_places(a, notes, outer, inner, hash_item(&a->places, i));
	return *(const struct alias_place *)hash_item(&a->places, i);
}

/* Add a name to the last set, unless the set has one of this type. */
static void add(struct aliases *a, u32 first, const struct alias *alias)
{
	u32 i;

	/* A name that came first is closer to what the code says. */
	for (i = first; i < a->nr; i++)
		if (a->all[i].type == alias->type)
			return;
	if (!(a->nr & (a->nr - 1)))
		a->all = xreallocarray(a->all, a->nr ? 2 * (size_t)a->nr : 1, sizeof(*a->all));
	a->all[a->nr++] = *alias;
}

/* Translate a name to the enclosing object. Returns false if the place in it is unknown. */
static bool in_outer(struct aliases *a, const struct notes *notes, const struct alias *own,
		     u32 outer, struct alias *alias)
{
	struct alias_place place = place_of(a, notes, outer, own->type);
	char text[TEXTS_MAX];

	*alias = (struct alias){ .type = outer, .offset = NOTE_ANYWHERE };
	if (!place.paths || !own->path)
		return false;
	members_join(texts_get(a->texts, place.paths), texts_get(a->texts, own->path), text);
	alias->path = texts_number(a->texts, text);
	if (place.offset != NOTE_ANYWHERE && own->offset != NOTE_ANYWHERE)
		alias->offset = place.offset + own->offset;
	return true;
}

/* Add names relative to the embedded records that contain a member. */
static void add_inner(struct aliases *a, const struct notes *notes, u32 first,
		      const struct alias *outer)
{
	char path[TEXTS_MAX], rest[TEXTS_MAX];
	struct record record, inner;
	const struct member *m;
	u32 i;

	if (!outer->path || !notes_record(notes, texts_get(a->texts, outer->type), &record))
		return;
	/* Copy it: texts_number() below may move the strings of the table. */
	snprintf(path, sizeof(path), "%s", texts_get(a->texts, outer->path));
	for (i = 0; *path && i < record.nr; i++) {
		m = record.members + i;
		/* An access to a whole array is not one to the record that is its element. */
		if (!members_rest(path, m->path, rest) || (!*rest && members_is_array(m)) ||
		    !is_tagged(m->type) || !notes_record(notes, m->type, &inner))
			continue;
		/* Only looked up to skip members that are no records. */
		notes_record_free(&inner);
		add(a, first, &(struct alias){
			.type = texts_number(a->texts, m->type),
			.path = texts_number(a->texts, rest),
			.offset = outer->offset == NOTE_ANYWHERE ? NOTE_ANYWHERE :
				  outer->offset - m->offset / 8,
		});
	}
	notes_record_free(&record);
}

/**
 * aliases_find - find all names of an access
 * @a: the names
 * @notes: layouts of records
 * @own: name that the code knows; its type is 0 if there is none
 * @outer: number of the type of the accessed object; 0 if unknown
 *
 * Return: number of the set of names.
 */
u32 aliases_find(struct aliases *a, const struct notes *notes, const struct alias *own, u32 outer)
{
	u64 key[2] = { (u64)own->type << 32 | own->path, (u64)outer << 32 | own->offset };
	u32 first = a->nr, i;
	struct alias_set *set;
	struct alias alias;
	bool new;

	i = hash_get(&a->sets, key, &new);
	if (!new)
		return i;
	add(a, first, own);
	if (outer && outer != own->type) {
		if (in_outer(a, notes, own, outer, &alias)) {
			add(a, first, &alias);
			add_inner(a, notes, first, &alias);
		} else {
			add(a, first, &alias);
		}
	}
	if (own->type)
		add_inner(a, notes, first, own);
	set = hash_item(&a->sets, i);
	set->first = first;
	set->nr = a->nr - first;
	return i;
}

/**
 * aliases_get - get the names of a set
 * @a: the names
 * @set: number of the set, from aliases_find()
 * @first: set to the index of the first name in @a->all, which is the one that the code knows
 *
 * Return: number of names, each of a different type.
 */
u32 aliases_get(const struct aliases *a, u32 set, u32 *first)
{
	const struct alias_set *s = hash_item(&a->sets, set);

	*first = s->first;
	return s->nr;
}

/**
 * aliases_outermost - get the name of an access relative to its object
 * @a: the names
 * @set: number of the set, from aliases_find()
 *
 * Return: index in @a->all of the name whose type is the object's, or of the name that the code
 *	   knows if the type of the object is unknown.
 */
u32 aliases_outermost(const struct aliases *a, u32 set)
{
	const struct alias_set *s = hash_item(&a->sets, set);
	u32 i;

	for (i = s->first; i < s->first + s->nr; i++)
		if (a->all[i].type == s->outer >> 32)
			return i;
	return s->first;
}
