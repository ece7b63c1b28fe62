/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of the Memorizer plugin's notes tell each other: see memorizer_names.c.
 */
#ifndef MEMORIZER_PLACES_H
#define MEMORIZER_PLACES_H

#include "memorizer_names.h"

/* As in the records, too */
enum {
	NAME_BITS = 1 << 0,
	NAME_INDEXED = 1 << 1,
	NAME_SCALAR = 1 << 2,
	NAME_VARIABLE = 1 << 3,
	NAME_WIDE = 1 << 4,
	NAME_ARRAY = 1 << 5,
};

/* How far a pointer is followed back */
#define MAX_DEPTH 12

/* Of so many arguments of a call it is noted where they point to. */
#define MAX_ARGUMENTS 2

#define UNKNOWN_OFFSET HOST_WIDE_INT_MIN

/*
 * struct place - where something is in a record
 * @type: the record's main variant; of what is in none, its own type; NULL: not known
 * @path: from there, member by member
 * @offset: in bytes, or UNKNOWN_OFFSET
 * @flags: NAME_*
 */
struct place {
	tree type;
	const char *path;
	HOST_WIDE_INT offset;
	unsigned int flags;
};

/* What is looked for in memory: a @record, or @size bytes, 0 if not known */
struct wanted {
	tree record;
	HOST_WIDE_INT size;
	bool indexed;		/* in an array, at an index that is not constant */
};

/* What was asked already, on the way back from a pointer */
struct question {
	bitmap seen;
	unsigned int steps;
};

/*
 * struct note - what goes into a record
 * @place: what is accessed; of an allocation, the type of what is allocated
 * @size: accessed bytes, 0 if not known
 * @kind: what happens
 * @next: another note on the same instruction, or NO_NAME
 */
struct note {
	struct place place;
	HOST_WIDE_INT size;
	enum name_kind kind;
	unsigned int next;
};

/*
 * struct mark - what a marked type stands for
 * @place: of the memory that a reference begins with; what a call allocates
 * @object: main variant of the type of that memory
 * @member: of what the whole reference names: it may become a MEM_REF itself
 * @member_type: main variant of its type
 * @arguments: of a call: notes on where they point to
 */
struct mark {
	struct place place, member;
	tree object, member_type;
	unsigned int arguments[MAX_ARGUMENTS];
};

static inline tree main_variant(tree type)
{
	return TYPE_MAIN_VARIANT(type);
}

/* GCC's own functions may have the same names. */
#pragma GCC visibility push(hidden)

/* memorizer_records.c */
const char *concat_path(const char *path, const char *member);
tree record_of(tree type);
HOST_WIDE_INT bytes_of_type(tree type);
const char *type_name(tree type);
HOST_WIDE_INT member_offset(tree field);
const char *member_name(tree field);
void add_whole(struct place *place, tree type);
bool find_in(const struct place *place, tree type, HOST_WIDE_INT offset,
	     const struct wanted *wanted, struct place *found);
bool find_around(const struct place *place, tree type, HOST_WIDE_INT offset,
		 const struct wanted *wanted, struct place *found);

/* memorizer_places.c */
bool is_larger(const struct place *a, const struct place *b);
bool place_of_memory(tree ref, struct question *q, unsigned int depth, struct place *place);
bool place_of_ref(tree ref, struct question *q, unsigned int depth, struct place *place);
bool place_of_target(tree ptr, HOST_WIDE_INT size, struct place *place);

/* memorizer_sources.c */
bool path_of_source(tree ptr, bitmap seen, unsigned int depth, const char **path);

/* memorizer_allocations.c */
bool place_of_allocation(gcall *call, struct place *place);

/* memorizer_marks.c */
const struct mark *mark_of(tree type);

/* memorizer_names.c */
unsigned int add_note(enum name_kind kind, const struct place *place, HOST_WIDE_INT size);
const struct note *note_of(unsigned int name);

#pragma GCC visibility pop

#endif /* MEMORIZER_PLACES_H */
