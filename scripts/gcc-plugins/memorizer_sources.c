// SPDX-License-Identifier: GPL-2.0-only
/*
 * The Memorizer plugin's notes: which member a pointer was read from, where
 * nothing else is known of what it points to.
 */

#include "gcc-common.h"
#include "memorizer_places.h"

/* Is @value what something was added to, to make it @ptr? */
static bool comes_from(tree ptr, tree value, unsigned int depth)
{
	gimple def;

	if (ptr == value)
		return true;
	if (TREE_CODE(ptr) != SSA_NAME || depth > MAX_DEPTH)
		return false;
	def = SSA_NAME_DEF_STMT(ptr);
	return is_gimple_assign(def) && gimple_assign_rhs_code(def) == POINTER_PLUS_EXPR &&
	       comes_from(gimple_assign_rhs1(def), value, depth + 1);
}

/* The same of one of several values that a pointer may have, after others that are in @path */
static bool add_source(tree ptr, bitmap seen, unsigned int depth, const char **path)
{
	const char *other;
	size_t length;

	if (integer_zerop(ptr))
		return true;
	if (!path_of_source(ptr, seen, depth, &other))
		return false;
	length = strlen(*path);
	if (!length)
		*path = other;
	else if (!strstr(*path, other))
		*path = concat(*path, "|", other, NULL);
	return true;
}

/*
 * The member of a record that a pointer was read from, before anything was added to it, with the
 * record in front and * before that; of several that it may have been, all
 */
bool path_of_source(tree ptr, bitmap seen, unsigned int depth, const char **path)
{
	struct place place;
	auto_bitmap visited;
	struct question q = { visited };
	unsigned int i;
	gimple def;
	tree arg;

	*path = "";
	if (TREE_CODE(ptr) != SSA_NAME || depth > MAX_DEPTH)
		return false;
	def = SSA_NAME_DEF_STMT(ptr);
	if (gimple_code(def) == GIMPLE_PHI) {
		if (!bitmap_set_bit(seen, SSA_NAME_VERSION(ptr)))
			return false;
		for (i = 0; i < gimple_phi_num_args(def); i++) {
			arg = gimple_phi_arg_def(def, i);
			/* Where it is moved on in a loop, it was read before that. */
			if (!comes_from(arg, ptr, 0) && !add_source(arg, seen, depth + 1, path))
				return false;
		}
		return **path;
	}
	if (!is_gimple_assign(def))
		return false;
	if (gimple_assign_load_p(def)) {
		if (!place_of_ref(gimple_assign_rhs1(def), &q, 0, &place) ||
		    !record_of(place.type) || !*place.path || strchr(place.path, '|'))
			return false;
		*path = concat("*", type_name(place.type), ".", place.path, NULL);
		return true;
	}
	switch (gimple_assign_rhs_code(def)) {
	case SSA_NAME:
	case NOP_EXPR:
	case CONVERT_EXPR:
	case POINTER_PLUS_EXPR:
	case BIT_AND_EXPR:
		return path_of_source(gimple_assign_rhs1(def), seen, depth + 1, path);
	case COND_EXPR:
		return add_source(gimple_assign_rhs2(def), seen, depth + 1, path) &&
		       add_source(gimple_assign_rhs3(def), seen, depth + 1, path) && **path;
	default:
		return false;
	}
}
