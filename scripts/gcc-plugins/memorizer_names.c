// SPDX-License-Identifier: GPL-2.0-only
/*
 * The Memorizer plugin's notes: what the source calls what is accessed, and what
 * is allocated; and how instructions carry them.
 *
 * A place is a record and a path of members in it. What records have in them
 * memorizer_records.c knows, where an access is memorizer_places.c, which member
 * a pointer was read from memorizer_sources.c, what a call allocates
 * memorizer_allocations.c. memorizer_marks.c brings it through the optimizers,
 * memorizer_written.c to the assembly.
 *
 * From the last GIMPLE pass on a note is on its way in a location, whose range
 * then is none: only one who asks for it, and diagnostics, would see that. So
 * insns are still found to be equal that only differ in their notes.
 */

#include "gcc-common.h"
#include "memorizer_names.h"
#include "memorizer_places.h"

static auto_vec<struct note> notes;

/* add_note() - note what is accessed or allocated; returns what stands for it */
unsigned int add_note(enum name_kind kind, const struct place *place, HOST_WIDE_INT size)
{
	struct note note = { *place, size, kind, NO_NAME };

	notes.safe_push(note);
	return notes.length();
}

/* note_of() - the note that something stands for, which is not NO_NAME */
const struct note *note_of(unsigned int name)
{
	return &notes[name - 1];
}

/*
 * Where nothing else is known, what is accessed is what its @type says, and the member that @ptr
 * was read from points to it.
 */
static void settle_place(struct place *place, tree type, tree ptr)
{
	const char *source;
	auto_bitmap seen;

	if (!place->type)
		*place = { main_variant(strip_array_types(type)), "", 0, 0 };
	if (record_of(place->type))
		return;
	place->flags |= NAME_SCALAR;
	if (!(place->flags & NAME_VARIABLE) && ptr && path_of_source(ptr, seen, 0, &source))
		place->path = source;
}

/* The pointer that a reference goes through, or NULL_TREE */
static tree pointer_of(tree ref)
{
	while (handled_component_p(ref))
		ref = TREE_OPERAND(ref, 0);
	return TREE_CODE(ref) == MEM_REF || TREE_CODE(ref) == TARGET_MEM_REF ?
	       TREE_OPERAND(ref, 0) : NULL_TREE;
}

/*
 * name_access() - note what an access is to
 * @kind: what it does
 * @ref: the lvalue
 * @size: bytes, 0 if not known
 */
unsigned int name_access(enum name_kind kind, tree ref, HOST_WIDE_INT size)
{
	struct place place = {};
	auto_bitmap seen;
	struct question q = { seen };

	if (!place_of_ref(ref, &q, 0, &place))
		place = {};
	settle_place(&place, TREE_TYPE(ref), pointer_of(ref));
	add_whole(&place, TREE_TYPE(ref));
	return add_note(kind, &place, size);
}

/*
 * name_target() - note what an access through a pointer is to
 * @kind: what it does
 * @stmt: the call or inline assembly that does it
 * @ptr: the pointer, which says nothing about the size
 * @size: bytes, 0 if not known
 */
unsigned int name_target(enum name_kind kind, gimple stmt, tree ptr, HOST_WIDE_INT size)
{
	const struct mark *mark = NULL;
	struct place place = {}, marked;
	unsigned int i;

	if (!place_of_target(ptr, size, &place))
		place = {};
	if (is_gimple_call(stmt) && gimple_call_fntype(stmt))
		mark = mark_of(gimple_call_fntype(stmt));
	for (i = 0; mark && i < MIN(gimple_call_num_args(stmt), MAX_ARGUMENTS); i++) {
		if (gimple_call_arg(stmt, i) != ptr || !mark->arguments[i])
			continue;
		marked = note_of(mark->arguments[i])->place;
		if (!place.type || is_larger(&marked, &place))
			place = marked;
	}
	settle_place(&place, POINTER_TYPE_P(TREE_TYPE(ptr)) ? TREE_TYPE(TREE_TYPE(ptr)) :
							      void_type_node, ptr);
	return add_note(kind, &place, size);
}

/* name_both() - let one instruction have two notes */
unsigned int name_both(unsigned int first, unsigned int second)
{
	if (!first)
		return second;
	notes[first - 1].next = second;
	return first;
}

/* name_allocation() - note what a call allocates; NO_NAME if it returns no pointer */
unsigned int name_allocation(gcall *call)
{
	tree type = gimple_call_fntype(call);
	const struct mark *mark = type ? mark_of(type) : NULL;
	struct place place;

	if (!place_of_allocation(call, &place))
		return NO_NAME;
	if (mark && mark->place.type &&
	    ((place.flags & NAME_SCALAR) || !(mark->place.flags & NAME_SCALAR)))
		place = mark->place;
	return add_note(NAME_ALLOCATION, &place, 0);
}

/*
 * A range from a location that no token has to the number of the note, beyond what is reserved
 */
#define RANGE_START BUILTINS_LOCATION

/* location_with_name() - let a location carry a note */
location_t location_with_name(location_t location, unsigned int name)
{
	const source_range range = { RANGE_START, name + RESERVED_LOCATION_COUNT };
	tree block = LOCATION_BLOCK(location);

	if (!name)
		return location;
	location = LOCATION_LOCUS(location);
#if BUILDING_GCC_VERSION >= 15000
	return line_table->get_or_create_combined_loc(location, range, block, 0);
#elif BUILDING_GCC_VERSION >= 13000
	return COMBINE_LOCATION_DATA(line_table, location, range, block, 0);
#else
	return COMBINE_LOCATION_DATA(line_table, location, range, block);
#endif
}

/* name_of_location() - the note that a location carries, or NO_NAME */
unsigned int name_of_location(location_t location)
{
	source_range range;

	if (!IS_ADHOC_LOC(location))
		return NO_NAME;
#if BUILDING_GCC_VERSION >= 15000
	range = line_table->get_range_from_loc(location);
#else
	range = get_range_from_loc(line_table, location);
#endif
	if (range.m_start != RANGE_START || range.m_finish <= RESERVED_LOCATION_COUNT)
		return NO_NAME;
	return range.m_finish - RESERVED_LOCATION_COUNT;
}
