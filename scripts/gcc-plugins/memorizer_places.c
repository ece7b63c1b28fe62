// SPDX-License-Identifier: GPL-2.0-only
/*
 * The Memorizer plugin's notes: which place what is accessed has.
 *
 * What the statement itself says, a reference like p->a.b, is often not all:
 * where an inline function is given &p->a, the record is the one that p points
 * to. So whatever a pointer was computed from is asked, too, and the largest
 * record wins that has, where the access is, what the statement says.
 */

#include "gcc-common.h"
#include "memorizer_places.h"

/* How many ways a pointer is followed back */
#define MAX_STEPS 200

/* What asking a pointer comes to: nothing; a place; nothing, but for what it was asked already */
enum answer { NOTHING, FOUND, ASKED };

static enum answer place_of_pointer(tree ptr, HOST_WIDE_INT offset, const struct wanted *wanted,
				    struct question *q, unsigned int depth, struct place *found);

/* Is the record around @a larger than that around @b? */
bool is_larger(const struct place *a, const struct place *b)
{
	if (!b->type || !record_of(b->type))
		return true;
	return record_of(a->type) && bytes_of_type(a->type) > bytes_of_type(b->type);
}

/* A constant of an index. In an unsigned type, what is subtracted is a large number. */
static HOST_WIDE_INT signed_value(tree constant)
{
	return sext_hwi(TREE_INT_CST_LOW(constant), TYPE_PRECISION(TREE_TYPE(constant)));
}

/*
 * The first value of an index, as far as it is constant: where a loop begins, and
 * what is added to what varies. So constants count that optimizers moved into it.
 */
static HOST_WIDE_INT first_value(tree value, unsigned int depth)
{
	HOST_WIDE_INT first = 0;
	unsigned int i;
	gimple def;
	tree arg;

	if (TREE_CODE(value) == INTEGER_CST)
		return signed_value(value);
	if (TREE_CODE(value) != SSA_NAME || depth > MAX_DEPTH)
		return 0;
	def = SSA_NAME_DEF_STMT(value);
	if (gimple_code(def) == GIMPLE_PHI) {
		for (i = 0; i < gimple_phi_num_args(def); i++) {
			arg = gimple_phi_arg_def(def, i);
			if (TREE_CODE(arg) == INTEGER_CST)
				first = signed_value(arg);
		}
		return first;
	}
	if (!is_gimple_assign(def))
		return 0;
	first = first_value(gimple_assign_rhs1(def), depth + 1);
	switch (gimple_assign_rhs_code(def)) {
	case SSA_NAME:
	case NOP_EXPR:
	case CONVERT_EXPR:
		return first;
	case PLUS_EXPR:
		return first + first_value(gimple_assign_rhs2(def), depth + 1);
	case MULT_EXPR:
		return TREE_CODE(gimple_assign_rhs2(def)) == INTEGER_CST ?
		       first * signed_value(gimple_assign_rhs2(def)) : 0;
	default:
		return 0;
	}
}

/* The pointer leads to the one or to the other: say both, if they are in one record. */
static bool add_alternative(struct place *place, const struct place *other)
{
	size_t length = strlen(other->path);
	const char *one;

	if (place->type != other->type)
		return false;
	if (place->offset != other->offset)
		place->offset = UNKNOWN_OFFSET;
	place->flags |= other->flags;
	for (one = place->path; one; one = strchr(one, '|') ? strchr(one, '|') + 1 : NULL)
		if (strcspn(one, "|") == length && !strncmp(one, other->path, length))
			return true;
	if (!*place->path || !length)
		return false;
	place->path = concat(place->path, "|", other->path, NULL);
	return true;
}

static enum answer place_of_phi(gimple phi, HOST_WIDE_INT offset, const struct wanted *wanted,
				struct question *q, unsigned int depth, struct place *found)
{
	enum answer answer, all = ASKED;
	struct wanted inside = *wanted;
	bool loops = false;
	unsigned int i;
	tree arg;
	struct place one;

	/* A pointer that is moved on in a loop is one into an array. */
	for (i = 0; i < gimple_phi_num_args(phi); i++) {
		arg = gimple_phi_arg_def(phi, i);
		if (TREE_CODE(arg) == SSA_NAME && is_gimple_assign(SSA_NAME_DEF_STMT(arg)) &&
		    gimple_assign_rhs_code(SSA_NAME_DEF_STMT(arg)) == POINTER_PLUS_EXPR &&
		    gimple_assign_rhs1(SSA_NAME_DEF_STMT(arg)) == gimple_phi_result(phi))
			loops = true;
	}
	inside.indexed |= loops;
	for (i = 0; i < gimple_phi_num_args(phi); i++) {
		arg = gimple_phi_arg_def(phi, i);
		if (integer_zerop(arg))
			continue;
		answer = place_of_pointer(arg, offset, &inside, q, depth, &one);
		if (answer == ASKED)
			continue;
		if (answer == NOTHING)
			return NOTHING;
		if (all != FOUND)
			*found = one;
		else if (!add_alternative(found, &one))
			return NOTHING;
		all = FOUND;
	}
	return all;
}

/* What the pointer was computed from says about where it leads. */
static enum answer place_by_definition(tree ptr, HOST_WIDE_INT offset, const struct wanted *wanted,
				       struct question *q, unsigned int depth, struct place *found)
{
	gimple def = SSA_NAME_DEF_STMT(ptr);
	struct wanted inside = *wanted;
	tree rhs, more;

	if (gimple_code(def) == GIMPLE_PHI)
		return place_of_phi(def, offset, wanted, q, depth, found);
	if (!is_gimple_assign(def))
		return NOTHING;
	rhs = gimple_assign_rhs1(def);
	switch (gimple_assign_rhs_code(def)) {
	case SSA_NAME:
	case ADDR_EXPR:
	case NOP_EXPR:
	case CONVERT_EXPR:
		return place_of_pointer(rhs, offset, wanted, q, depth, found);
	case POINTER_PLUS_EXPR:
		more = gimple_assign_rhs2(def);
		offset += first_value(more, 0);
		if (TREE_CODE(more) != INTEGER_CST)
			inside.indexed = true;
		return place_of_pointer(rhs, offset, &inside, q, depth, found);
	default:
		return NOTHING;
	}
}

/* The record that a pointer is declared to point to, or that is allocated there */
static tree record_at(tree ptr)
{
	gimple def = SSA_NAME_DEF_STMT(ptr);
	const struct mark *mark;

	if (!POINTER_TYPE_P(TREE_TYPE(ptr)))
		return NULL_TREE;
	if (VOID_TYPE_P(TREE_TYPE(TREE_TYPE(ptr))) && is_gimple_call(def) &&
	    gimple_call_fntype(def)) {
		mark = mark_of(gimple_call_fntype(def));
		return mark && mark->place.type ? record_of(mark->place.type) : NULL_TREE;
	}
	return record_of(TREE_TYPE(TREE_TYPE(ptr)));
}

/* Where is the memory @offset bytes from where @ptr points to? */
static enum answer place_of_pointer(tree ptr, HOST_WIDE_INT offset, const struct wanted *wanted,
				    struct question *q, unsigned int depth, struct place *found)
{
	struct place declared = {}, defined;
	enum answer answer;
	tree record;

	if (depth > MAX_DEPTH || ++q->steps > MAX_STEPS)
		return NOTHING;
	if (TREE_CODE(ptr) == ADDR_EXPR) {
		ptr = TREE_OPERAND(ptr, 0);
		if (!place_of_ref(ptr, q, depth + 1, &defined))
			return NOTHING;
		return find_around(&defined, TREE_TYPE(ptr), offset, wanted, found) ? FOUND :
										      NOTHING;
	}
	if (TREE_CODE(ptr) != SSA_NAME)
		return NOTHING;
	if (!bitmap_set_bit(q->seen, SSA_NAME_VERSION(ptr)))
		return ASKED;

	record = record_at(ptr);
	if (record && !(wanted->indexed && record == wanted->record)) {
		const struct place whole = { record, "", 0, 0 };

		if (!find_in(&whole, record, offset, wanted, &declared))
			declared = {};
	}
	answer = place_by_definition(ptr, offset, wanted, q, depth + 1, &defined);
	bitmap_clear_bit(q->seen, SSA_NAME_VERSION(ptr));
	if (answer == FOUND && is_larger(&defined, &declared)) {
		*found = defined;
		return FOUND;
	}
	if (!declared.type)
		return answer == ASKED ? ASKED : NOTHING;
	*found = declared;
	return FOUND;
}

/* The constant part of the offset of a MEM_REF or TARGET_MEM_REF; is there another one? */
static HOST_WIDE_INT reference_offset(tree ref, bool *indexed)
{
	HOST_WIDE_INT offset = TREE_INT_CST_LOW(TREE_OPERAND(ref, 1));

	*indexed = TREE_CODE(ref) == TARGET_MEM_REF && (TMR_INDEX(ref) || TMR_INDEX2(ref));
	if (!*indexed)
		return offset;
	if (TMR_INDEX2(ref))
		offset += first_value(TMR_INDEX2(ref), 0);
	if (TMR_INDEX(ref))
		offset += first_value(TMR_INDEX(ref), 0) *
			  (TMR_STEP(ref) ? (HOST_WIDE_INT)TREE_INT_CST_LOW(TMR_STEP(ref)) : 1);
	return offset;
}

/* Add @inner's path, which begins where @outer ends. */
static struct place join_places(const struct place *outer, const struct place *inner)
{
	struct place place = *outer;

	place.path = concat_path(outer->path, inner->path);
	if (outer->offset == UNKNOWN_OFFSET || inner->offset == UNKNOWN_OFFSET)
		place.offset = UNKNOWN_OFFSET;
	else
		place.offset += inner->offset;
	place.flags |= inner->flags;
	return place;
}

static bool is_same_object(tree a, tree b)
{
	if (main_variant(a) == main_variant(b))
		return true;
	return !record_of(a) && !record_of(b) && bytes_of_type(a) &&
	       bytes_of_type(a) == bytes_of_type(b);
}

/* Where is the object that a MEM_REF or TARGET_MEM_REF names? */
bool place_of_memory(tree ref, struct question *q, unsigned int depth, struct place *place)
{
	const struct mark *mark = mark_of(TREE_TYPE(TREE_OPERAND(ref, 1)));
	tree type = TREE_TYPE(ref), ptr = TREE_OPERAND(ref, 0);
	struct wanted wanted = { record_of(type), bytes_of_type(type), false };
	struct place inner = {}, outer;
	HOST_WIDE_INT offset = reference_offset(ref, &wanted.indexed);

	if (mark && is_same_object(type, mark->object))
		inner = mark->place;
	else if (mark && is_same_object(type, mark->member_type))
		inner = mark->member;
	else if (wanted.record)
		inner = { wanted.record, "", 0, 0 };

	if (inner.type) {
		if (inner.offset == UNKNOWN_OFFSET) {
			*place = inner;
			return true;
		}
		wanted.record = inner.type;
		offset -= inner.offset;
	}
	if (place_of_pointer(ptr, offset, &wanted, q, depth + 1, &outer) == FOUND &&
	    (!inner.type || is_larger(&outer, &inner))) {
		*place = inner.type ? join_places(&outer, &inner) : outer;
		return true;
	}
	if (inner.type) {
		*place = inner;
		return true;
	}
	if (mark) {
		/* A part of what was marked, or more than that: nobody knows where in it. */
		*place = mark->member;
		place->offset = UNKNOWN_OFFSET;
		place->flags |= NAME_WIDE;
		return true;
	}
	return false;
}

/* The part of an object that a COMPONENT_REF names */
static void add_member(tree ref, struct place *place)
{
	tree field = TREE_OPERAND(ref, 1);
	HOST_WIDE_INT start = member_offset(field);

	place->path = concat_path(place->path, member_name(field));
	if (start == UNKNOWN_OFFSET || place->offset == UNKNOWN_OFFSET)
		place->offset = UNKNOWN_OFFSET;
	else
		place->offset += start;
	if (DECL_BIT_FIELD(field))
		place->flags |= NAME_BITS;
}

static void add_element(tree ref, struct place *place)
{
	HOST_WIDE_INT size = bytes_of_type(TREE_TYPE(ref));
	tree index = TREE_OPERAND(ref, 1);

	place->path = concat_path(place->path, "[]");
	if (!tree_fits_shwi_p(index))
		place->flags |= NAME_INDEXED;
	else if (!size)
		place->offset = UNKNOWN_OFFSET;
	else if (place->offset != UNKNOWN_OFFSET)
		place->offset += tree_to_shwi(index) * size;
}

/* Where is what a reference names? */
bool place_of_ref(tree ref, struct question *q, unsigned int depth, struct place *place)
{
	tree inside;

	switch (TREE_CODE(ref)) {
	case COMPONENT_REF:
	case ARRAY_REF:
	case ARRAY_RANGE_REF:
	case BIT_FIELD_REF:
	case VIEW_CONVERT_EXPR:
	case REALPART_EXPR:
	case IMAGPART_EXPR:
		inside = TREE_OPERAND(ref, 0);
		if (!place_of_ref(inside, q, depth, place)) {
			if (!record_of(TREE_TYPE(inside)))
				return false;
			*place = { record_of(TREE_TYPE(inside)), "", 0, 0 };
		}
		break;
	case MEM_REF:
	case TARGET_MEM_REF:
		return place_of_memory(ref, q, depth, place);
	case VAR_DECL:
	case PARM_DECL:
	case RESULT_DECL:
		inside = strip_array_types(TREE_TYPE(ref));
		*place = { main_variant(inside), "", 0, NAME_VARIABLE };
		if (!record_of(inside)) {
			place->flags |= NAME_SCALAR;
			place->path = DECL_NAME(ref) ? IDENTIFIER_POINTER(DECL_NAME(ref)) : "";
		}
		return true;
	default:
		return false;
	}

	if (TREE_CODE(ref) == COMPONENT_REF) {
		add_member(ref, place);
	} else if (TREE_CODE(ref) == ARRAY_REF || TREE_CODE(ref) == ARRAY_RANGE_REF) {
		/* An array of records that is a variable: the path begins in one of them. */
		if (*place->path || !DECL_P(inside) || !record_of(place->type))
			add_element(ref, place);
	} else if (TREE_CODE(ref) == BIT_FIELD_REF) {
		place->flags |= NAME_WIDE;
		if (place->offset != UNKNOWN_OFFSET)
			place->offset += tree_to_shwi(TREE_OPERAND(ref, 2)) / BITS_PER_UNIT;
	}
	return true;
}

/* Where is the memory of @size bytes, 0 if not known, that @ptr points to? */
bool place_of_target(tree ptr, HOST_WIDE_INT size, struct place *place)
{
	const struct wanted wanted = { NULL_TREE, size, false };
	auto_bitmap seen;
	struct question q = { seen };

	return place_of_pointer(ptr, 0, &wanted, &q, 0, place) == FOUND;
}
