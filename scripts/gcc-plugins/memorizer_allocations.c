// SPDX-License-Identifier: GPL-2.0-only
/*
 * The Memorizer plugin's notes: what a call allocates, by what becomes of the
 * pointer.
 */

#include "gcc-common.h"
#include "ssa-iterators.h"
#include "memorizer_places.h"

/*
 * struct assigned - what becomes of an allocated object
 * @type: what the pointer points to, NULL_TREE if nothing is known
 * @rank: how much that tells
 * @path: the member that it is assigned to, or ""
 */
struct assigned {
	tree type;
	unsigned int rank;
	const char *path;
};

static void assign_type(struct assigned *assigned, tree type, unsigned int rank)
{
	if (!type || !POINTER_TYPE_P(type))
		return;
	type = main_variant(TREE_TYPE(type));
	if (VOID_TYPE_P(type) || TREE_CODE(type) == FUNCTION_TYPE)
		return;
	/* What is a record tells most. */
	if (RECORD_OR_UNION_TYPE_P(type))
		rank += 10;
	if (rank > assigned->rank) {
		assigned->type = type;
		assigned->rank = rank;
	}
}

static void assign_path(struct assigned *assigned, tree lhs)
{
	struct place place;
	auto_bitmap seen;
	struct question q = { seen };

	if (*assigned->path || !handled_component_p(lhs))
		return;
	if (place_of_ref(lhs, &q, 0, &place) && record_of(place.type))
		assigned->path = concat(type_name(place.type), ".", place.path, NULL);
}

static tree parameter_type(gcall *call, tree value)
{
	tree type = gimple_call_fntype(call);
	tree parameter = type ? TYPE_ARG_TYPES(type) : NULL_TREE;
	unsigned int i;

	for (i = 0; i < gimple_call_num_args(call) && parameter; i++) {
		if (gimple_call_arg(call, i) == value)
			return TREE_VALUE(parameter);
		parameter = TREE_CHAIN(parameter);
	}
	return NULL_TREE;
}

/* The memory that a statement's operand accesses through @value, and nothing else */
static tree dereferenced(tree op, tree value)
{
	if (op && TREE_CODE(op) == ADDR_EXPR)
		op = TREE_OPERAND(op, 0);
	while (op && handled_component_p(op))
		op = TREE_OPERAND(op, 0);
	if (!op || TREE_CODE(op) != MEM_REF || TREE_OPERAND(op, 0) != value ||
	    !integer_zerop(TREE_OPERAND(op, 1)))
		return NULL_TREE;
	return record_of(TREE_TYPE(op));
}

/* Look where a pointer goes: which type it has there. */
static void follow(tree value, struct assigned *assigned, bitmap seen, unsigned int depth)
{
	imm_use_iterator iter;
	use_operand_p use;
	gimple stmt;
	tree lhs, type;
	unsigned int i;

	if (depth > MAX_DEPTH || !bitmap_set_bit(seen, SSA_NAME_VERSION(value)))
		return;
	assign_type(assigned, TREE_TYPE(value), 9);
	FOR_EACH_IMM_USE_FAST(use, iter, value) {
		stmt = USE_STMT(use);
		switch (gimple_code(stmt)) {
		case GIMPLE_PHI:
			follow(gimple_phi_result(stmt), assigned, seen, depth + 1);
			break;
		case GIMPLE_RETURN:
			assign_type(assigned, TREE_TYPE(DECL_RESULT(current_function_decl)), 5);
			break;
		case GIMPLE_CALL:
			assign_type(assigned, parameter_type(as_a_gcall(stmt), value), 2);
			break;
		case GIMPLE_ASSIGN:
			lhs = gimple_assign_lhs(stmt);
			for (i = 0; i < gimple_num_ops(stmt); i++) {
				type = dereferenced(gimple_op(stmt, i), value);
				if (type)
					assign_type(assigned, build_pointer_type(type), 8);
			}
			if (!gimple_assign_single_p(stmt) && !gimple_assign_cast_p(stmt))
				break;
			if (gimple_assign_rhs1(stmt) != value)
				break;
			if (TREE_CODE(lhs) == SSA_NAME) {
				if (POINTER_TYPE_P(TREE_TYPE(lhs)) ||
				    TYPE_PRECISION(TREE_TYPE(lhs)) == POINTER_SIZE)
					follow(lhs, assigned, seen, depth + 1);
			} else {
				assign_type(assigned, TREE_TYPE(lhs), 6);
				assign_path(assigned, lhs);
			}
			break;
		default:
			break;
		}
	}
}

/* The bytes that a function with attribute alloc_size is asked for, 0: not constant, -1: none */
static HOST_WIDE_INT bytes_asked(gcall *call)
{
	tree type = gimple_call_fntype(call), attribute, arg;
	HOST_WIDE_INT bytes = 1, n;

	attribute = type ? lookup_attribute("alloc_size", TYPE_ATTRIBUTES(type)) : NULL_TREE;
	if (!attribute)
		return -1;
	for (arg = TREE_VALUE(attribute); arg; arg = TREE_CHAIN(arg)) {
		n = tree_to_shwi(TREE_VALUE(arg));
		if (n > gimple_call_num_args(call) ||
		    !tree_fits_shwi_p(gimple_call_arg(call, n - 1)))
			return 0;
		bytes *= tree_to_shwi(gimple_call_arg(call, n - 1));
	}
	return bytes;
}

/* The argument of a function that stores pointers there to what it allocates, or NULL_TREE */
static tree pointers_argument(gcall *call)
{
	tree decl = gimple_call_fndecl(call);

	return decl && gimple_call_num_args(call) == 4 &&
	       !strncmp(IDENTIFIER_POINTER(DECL_NAME(decl)), "kmem_cache_alloc_bulk", 21) ?
	       gimple_call_arg(call, 3) : NULL_TREE;
}

/* The array that the argument is declared as says what is allocated. */
static void assign_pointers(struct assigned *assigned, tree pointers)
{
	gimple def;

	while (TREE_CODE(pointers) == SSA_NAME) {
		def = SSA_NAME_DEF_STMT(pointers);
		if (!is_gimple_assign(def) || !gimple_assign_single_p(def))
			return;
		pointers = gimple_assign_rhs1(def);
	}
	if (TREE_CODE(pointers) != ADDR_EXPR)
		return;
	pointers = TREE_OPERAND(pointers, 0);
	assign_type(assigned, strip_array_types(TREE_TYPE(pointers)), 6);
	assign_path(assigned, pointers);
}

/* What a call that returns a pointer, or stores some, allocates, if it does */
bool place_of_allocation(gcall *call, struct place *place)
{
	tree lhs = gimple_call_lhs(call), pointers = pointers_argument(call);
	struct assigned assigned = { NULL_TREE, 0, "" };
	auto_bitmap seen;
	HOST_WIDE_INT asked, size;

	if (gimple_call_internal_p(call) ||
	    !(pointers || (lhs && POINTER_TYPE_P(TREE_TYPE(lhs)))))
		return false;
	if (pointers) {
		assign_pointers(&assigned, pointers);
	} else if (TREE_CODE(lhs) == SSA_NAME) {
		follow(lhs, &assigned, seen, 0);
	} else {
		assign_type(&assigned, TREE_TYPE(lhs), 6);
		assign_path(&assigned, lhs);
	}
	*place = { assigned.type ?: void_type_node, assigned.path, 0, 0 };
	if (!RECORD_OR_UNION_TYPE_P(place->type))
		place->flags |= NAME_SCALAR;
	asked = bytes_asked(call);
	size = VOID_TYPE_P(place->type) ? 0 : bytes_of_type(place->type);
	if (asked == 0 || (asked > 0 && size && asked != size))
		place->flags |= NAME_ARRAY;
	return true;
}
