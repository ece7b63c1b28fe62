// SPDX-License-Identifier: GPL-2.0-only
/*
 * The Memorizer plugin's notes: places that are carried through the optimizers.
 *
 * Optimizers do not keep the types of pointers: one void pointer may become two
 * to different records. So before most of them run, references are marked with
 * their place: the type of the offset of a MEM_REF, and that of the function in
 * a call, become copies of themselves, which is no difference to anyone else.
 */

#include "gcc-common.h"
#include "memorizer_names.h"
#include "memorizer_places.h"

/* By the uid of the type */
static hash_map<int_hash<unsigned int, 0>, struct mark> marks;

/* mark_of() - what a type stands for, or NULL if it is not marked */
const struct mark *mark_of(tree type)
{
	return marks.get(TYPE_UID(type));
}

/* Marked types, by what they are copies of and what they stand for */
static hash_map<nofree_string_hash, tree> marked_types;

/* The copy of a type that has this mark */
static tree marked_type(tree type, const struct mark *mark)
{
	char *key = xasprintf("%u %u %u %lld %x %s %u %u %lld %x %s", TYPE_UID(main_variant(type)),
			      TYPE_UID(mark->object), TYPE_UID(mark->place.type),
			      (long long)mark->place.offset, mark->place.flags, mark->place.path,
			      TYPE_UID(mark->member_type), TYPE_UID(mark->member.type),
			      (long long)mark->member.offset, mark->member.flags,
			      mark->member.path);
	tree *known = marked_types.get(key), copy;

	if (known) {
		free(key);
		return *known;
	}
	copy = build_variant_type_copy(type);
	marks.put(TYPE_UID(copy), *mark);
	marked_types.put(key, copy);
	return copy;
}

/* Mark the memory that a reference begins with. */
static void mark_reference(tree ref)
{
	struct mark mark = {};
	auto_bitmap seen;
	struct question q = { seen };
	tree memory, offset;

	for (memory = ref; handled_component_p(memory);)
		memory = TREE_OPERAND(memory, 0);
	if (TREE_CODE(memory) != MEM_REF || !place_of_memory(memory, &q, 0, &mark.place) ||
	    !place_of_ref(ref, &q, 0, &mark.member) || !record_of(mark.place.type))
		return;
	mark.object = main_variant(TREE_TYPE(memory));
	mark.member_type = main_variant(TREE_TYPE(ref));
	offset = TREE_OPERAND(memory, 1);
	TREE_OPERAND(memory, 1) = wide_int_to_tree(marked_type(TREE_TYPE(offset), &mark),
						   wi::to_wide(offset));
}

static void mark_operand(tree op)
{
	if (!op)
		return;
	if (TREE_CODE(op) == TREE_LIST)
		op = TREE_VALUE(op);
	if (TREE_CODE(op) == WITH_SIZE_EXPR || TREE_CODE(op) == ADDR_EXPR)
		op = TREE_OPERAND(op, 0);
	mark_reference(op);
}

/* Mark a call with what it allocates, and what its first arguments point to. */
static void mark_call(gcall *call)
{
	struct mark mark = {};
	struct place place;
	bool marked = false;
	unsigned int i;
	tree type;

	if (place_of_allocation(call, &place) && !VOID_TYPE_P(place.type)) {
		mark.place = place;
		marked = true;
	}
	for (i = 0; i < MIN(gimple_call_num_args(call), MAX_ARGUMENTS); i++) {
		type = TREE_TYPE(gimple_call_arg(call, i));
		if (!POINTER_TYPE_P(type) || !place_of_target(gimple_call_arg(call, i), 0, &place))
			continue;
		mark.arguments[i] = add_note(NAME_READ, &place, 0);
		marked = true;
	}
	if (!marked)
		return;
	type = build_variant_type_copy(gimple_call_fntype(call));
	marks.put(TYPE_UID(type), mark);
	gimple_call_set_fntype(call, type);
}

/*
 * mark_references() - mark what a statement accesses, or allocates, with its name
 * @stmt: the statement
 *
 * To be called when what is inlined early is inlined, and nothing else has been done.
 */
void mark_references(gimple stmt)
{
	unsigned int i;

	if (is_gimple_debug(stmt))
		return;
	if (gimple_code(stmt) == GIMPLE_PHI) {
		for (i = 0; i < gimple_phi_num_args(stmt); i++)
			mark_operand(gimple_phi_arg_def(stmt, i));
		return;
	}
	for (i = 0; i < gimple_num_ops(stmt); i++)
		mark_operand(gimple_op(stmt, i));
	if (is_gimple_call(stmt) && gimple_call_fntype(stmt))
		mark_call(as_a_gcall(stmt));
}
