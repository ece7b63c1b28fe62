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
#include "ssa-iterators.h"
#include "memorizer_places.h"

/* How many ways a pointer is followed back */
#define MAX_STEPS 200

/*
 * The Memorizer plugin's notes: places that are carried through the optimizers.
 *
 * Optimizers do not keep the types of pointers: one void pointer may become two
 * to different records. So before most of them run, references are marked with
 * their place: the type of the offset of a MEM_REF, and that of the function in
 * a call, become copies of themselves, which is no difference to anyone else.
 */

/* How far a pointer is followed back */
#define MAX_DEPTH 12

/* Of so many arguments of a call it is noted where they point to. */
#define MAX_ARGUMENTS 2

/* What was asked already, on the way back from a pointer */
struct question {
	bitmap seen;
	unsigned int steps;
};

/*
 * struct mark - what a marked type stands for
 * @place: of the memory that a reference begins with; what a call allocates
 * @object: main variant of the type of that memory
 * @member: of what the whole reference names: it may become a MEM_REF itself
 * @member_type: main variant of its type
 * @arguments: of a call: where they point to; no type: it is not known
 */
struct mark {
	struct place place, member;
	tree object, member_type;
	struct place arguments[MAX_ARGUMENTS];
};

/* By the uid of the type */
static hash_map<int_hash<unsigned int, 0>, struct mark> marks;

/* mark_of() - what a type stands for, or NULL if it is not marked */
static const struct mark *mark_of(tree type)
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

/* What asking a pointer comes to: nothing; a place; nothing, but for what it was asked already */
enum answer { NOTHING, FOUND, ASKED };

static enum answer place_of_pointer(tree ptr, HOST_WIDE_INT offset, const struct wanted *wanted,
				    struct question *q, unsigned int depth, struct place *found);
static bool place_of_ref(tree ref, struct question *q, unsigned int depth, struct place *place);

/* Is the record around @a larger than that around @b? */
static bool is_larger(const struct place *a, const struct place *b)
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
static bool place_of_memory(tree ref, struct question *q, unsigned int depth, struct place *place)
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
static bool place_of_ref(tree ref, struct question *q, unsigned int depth, struct place *place)
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
static bool place_of_target(tree ptr, HOST_WIDE_INT size, struct place *place)
{
	const struct wanted wanted = { NULL_TREE, size, false };
	auto_bitmap seen;
	struct question q = { seen };

	return place_of_pointer(ptr, 0, &wanted, &q, 0, place) == FOUND;
}

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

static bool path_of_source(tree ptr, bitmap seen, unsigned int depth, const char **path);

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
static bool path_of_source(tree ptr, bitmap seen, unsigned int depth, const char **path)
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

/*
 * The Memorizer plugin's notes: what a call allocates, by what becomes of the
 * pointer.
 */

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
static bool allocated_place(gcall *call, struct place *place)
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

	if (allocated_place(call, &place) && !VOID_TYPE_P(place.type)) {
		mark.place = place;
		marked = true;
	}
	for (i = 0; i < MIN(gimple_call_num_args(call), MAX_ARGUMENTS); i++) {
		type = TREE_TYPE(gimple_call_arg(call, i));
		if (!POINTER_TYPE_P(type) || !place_of_target(gimple_call_arg(call, i), 0, &place))
			continue;
		mark.arguments[i] = place;
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
 * The Memorizer plugin's notes: which member a pointer was read from, where
 * nothing else is known of what it points to.
 */

/* What an access to @ref is to */
void place_of_access(tree ref, struct place *place)
{
	auto_bitmap seen;
	struct question q = { seen };

	if (!place_of_ref(ref, &q, 0, place))
		*place = {};
	settle_place(place, TREE_TYPE(ref), pointer_of(ref));
	add_whole(place, TREE_TYPE(ref));
}

void place_of_argument(gimple stmt, tree ptr, HOST_WIDE_INT size, struct place *place)
{
	const struct mark *mark = NULL;
	const struct place *marked;
	unsigned int i;

	if (!place_of_target(ptr, size, place))
		*place = {};
	if (is_gimple_call(stmt) && gimple_call_fntype(stmt))
		mark = mark_of(gimple_call_fntype(stmt));
	for (i = 0; mark && i < MIN(gimple_call_num_args(stmt), MAX_ARGUMENTS); i++) {
		marked = &mark->arguments[i];
		if (gimple_call_arg(stmt, i) != ptr || !marked->type)
			continue;
		if (!place->type || is_larger(marked, place))
			*place = *marked;
	}
	settle_place(place, POINTER_TYPE_P(TREE_TYPE(ptr)) ? TREE_TYPE(TREE_TYPE(ptr)) :
							     void_type_node, ptr);
}

/* What a call allocates */
bool place_of_allocation(gcall *call, struct place *place)
{
	tree type = gimple_call_fntype(call);
	const struct mark *mark = type ? mark_of(type) : NULL;

	if (!allocated_place(call, place))
		return false;
	if (mark && mark->place.type &&
	    ((place->flags & NAME_SCALAR) || !(mark->place.flags & NAME_SCALAR)))
		*place = mark->place;
	return true;
}
