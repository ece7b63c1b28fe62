// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memorizer plugin: the place that an access refers to, or that a call allocates.
 *
 * A reference such as p->a.b often shows only part of the record: if an inline function gets
 * &p->a, the record is the one that p points to. So this follows the pointer back through its
 * definitions. Of all records found, the largest one wins that has, at the offset of the access,
 * what the reference names.
 *
 * Optimizers do not preserve the types of pointers: they may merge two void pointers to different
 * records. So an early pass marks references and calls with their places. The mark of a reference
 * is the type of the offset of its MEM_REF, that of a call its function type. Each is a variant
 * copy, which nothing else distinguishes from the original.
 */

#include "gcc-common.h"
#include "ssa-iterators.h"
#include "memorizer_names.h"
#include "memorizer_places.h"

/* Limits of following a pointer: number of pointers, and depth */
#define MAX_STEPS 200
#define MAX_DEPTH 12

/* Number of arguments of a call that are marked with what they point to */
#define MAX_ARGUMENTS 2

/* State of following a pointer: the SSA names on the way, and the number of pointers */
struct walk {
	bitmap seen;
	unsigned int steps;
};

/*
 * struct mark - what the type that marks a reference or call stands for
 * @place: of the memory that the reference is based on; what the call allocates
 * @object: main variant of the type of that memory
 * @member: of the whole reference: optimizers may fold it into a MEM_REF
 * @member_type: main variant of its type
 * @arguments: what the arguments of the call point to; no type: unknown
 */
struct mark {
	struct place place, member;
	tree object, member_type;
	struct place arguments[MAX_ARGUMENTS];
};

/* By the uid of the marking type */
static hash_map<int_hash<unsigned int, 0>, struct mark> marks;

/* Get the mark that a type stands for, or NULL. */
static const struct mark *mark_of(tree type)
{
	return marks.get(TYPE_UID(type));
}

/* Marking types, by the original type and the mark */
static hash_map<nofree_string_hash, tree> marked_types;

/* Get the copy of a type that stands for this mark. */
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

/* Result of following a pointer. CYCLE: not found, but the pointer is being followed already. */
enum lookup { NOT_FOUND, FOUND, CYCLE };

static enum lookup place_of_pointer(tree ptr, HOST_WIDE_INT offset, const struct wanted *wanted,
				    struct walk *walk, unsigned int depth, struct place *found);
static bool place_of_ref(tree ref, struct walk *walk, unsigned int depth, struct place *place);

/* Check if place @a is in a larger record than place @b. */
static bool is_larger(const struct place *a, const struct place *b)
{
	if (!b->type || !record_of(b->type))
		return true;
	return record_of(a->type) && bytes_of_type(a->type) > bytes_of_type(b->type);
}

/* Get a constant of an index. Subtracting from an unsigned index adds a large constant. */
static HOST_WIDE_INT signed_value(tree constant)
{
	return sext_hwi(TREE_INT_CST_LOW(constant), TYPE_PRECISION(TREE_TYPE(constant)));
}

/*
 * Get the constant part of an index: the initial value of a loop counter, and constants added to
 * variables. This finds constants that optimizers moved into the index.
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
		/* The constant argument is the initial value, the others come from the loop. */
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
		/* A product of two variables has no constant part. */
		return TREE_CODE(gimple_assign_rhs2(def)) == INTEGER_CST ?
		       first * signed_value(gimple_assign_rhs2(def)) : 0;
	default:
		return 0;
	}
}

/* Add another place that a pointer may have. Returns false if it is in another record. */
static bool add_alternative(struct place *place, const struct place *other)
{
	size_t length = strlen(other->path);
	const char *one;

	if (place->type != other->type)
		return false;
	/* The members differ: the record is known, the offset is not. */
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

static enum lookup place_of_phi(gimple phi, HOST_WIDE_INT offset, const struct wanted *wanted,
				struct walk *walk, unsigned int depth, struct place *found)
{
	enum lookup lookup, all = CYCLE;
	struct wanted inside = *wanted;
	bool loops = false;
	unsigned int i;
	tree arg;
	struct place one;

	/* A pointer that a loop advances points into an array. */
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
		/* NULL is not dereferenced. */
		if (integer_zerop(arg))
			continue;
		lookup = place_of_pointer(arg, offset, &inside, walk, depth, &one);
		if (lookup == CYCLE)
			continue;
		/* One unknown pointer makes the whole unknown. */
		if (lookup == NOT_FOUND)
			return NOT_FOUND;
		if (all != FOUND)
			*found = one;
		else if (!add_alternative(found, &one))
			return NOT_FOUND;
		all = FOUND;
	}
	return all;
}

/* Follow a pointer to its definition. */
static enum lookup place_by_definition(tree ptr, HOST_WIDE_INT offset, const struct wanted *wanted,
				       struct walk *walk, unsigned int depth, struct place *found)
{
	gimple def = SSA_NAME_DEF_STMT(ptr);
	struct wanted inside = *wanted;
	tree rhs, more;

	if (gimple_code(def) == GIMPLE_PHI)
		return place_of_phi(def, offset, wanted, walk, depth, found);
	if (!is_gimple_assign(def))
		return NOT_FOUND;
	rhs = gimple_assign_rhs1(def);
	switch (gimple_assign_rhs_code(def)) {
	case SSA_NAME:
	case ADDR_EXPR:
	case NOP_EXPR:
	case CONVERT_EXPR:
		return place_of_pointer(rhs, offset, wanted, walk, depth, found);
	case POINTER_PLUS_EXPR:
		more = gimple_assign_rhs2(def);
		offset += first_value(more, 0);
		/* A variable offset is an index into an array. */
		if (TREE_CODE(more) != INTEGER_CST)
			inside.indexed = true;
		return place_of_pointer(rhs, offset, &inside, walk, depth, found);
	default:
		return NOT_FOUND;
	}
}

/* Get the record that a pointer is declared to point to, or that is allocated there. */
static tree record_at(tree ptr)
{
	gimple def = SSA_NAME_DEF_STMT(ptr);
	const struct mark *mark;

	if (!POINTER_TYPE_P(TREE_TYPE(ptr)))
		return NULL_TREE;
	/* Allocators return void pointers: take what the call was marked with. */
	if (VOID_TYPE_P(TREE_TYPE(TREE_TYPE(ptr))) && is_gimple_call(def) &&
	    gimple_call_fntype(def)) {
		mark = mark_of(gimple_call_fntype(def));
		return mark && mark->place.type ? record_of(mark->place.type) : NULL_TREE;
	}
	return record_of(TREE_TYPE(TREE_TYPE(ptr)));
}

/* Find the place that is @offset bytes from where @ptr points to. */
static enum lookup place_of_pointer(tree ptr, HOST_WIDE_INT offset, const struct wanted *wanted,
				    struct walk *walk, unsigned int depth, struct place *found)
{
	struct place declared = {}, defined;
	enum lookup lookup;
	tree record;

	/* PHIs branch: without a limit, the time grows exponentially. */
	if (depth > MAX_DEPTH || ++walk->steps > MAX_STEPS)
		return NOT_FOUND;
	if (TREE_CODE(ptr) == ADDR_EXPR) {
		ptr = TREE_OPERAND(ptr, 0);
		if (!place_of_ref(ptr, walk, depth + 1, &defined))
			return NOT_FOUND;
		return find_around(&defined, TREE_TYPE(ptr), offset, wanted, found) ? FOUND :
										      NOT_FOUND;
	}
	if (TREE_CODE(ptr) != SSA_NAME)
		return NOT_FOUND;
	if (!bitmap_set_bit(walk->seen, SSA_NAME_VERSION(ptr)))
		return CYCLE;

	record = record_at(ptr);
	if (record && !(wanted->indexed && record == wanted->record)) {
		const struct place whole = { record, "", 0, 0 };

		if (!find_in(&whole, record, offset, wanted, &declared))
			declared = {};
	}
	lookup = place_by_definition(ptr, offset, wanted, walk, depth + 1, &defined);
	/* Only pointers on the way are a cycle: another path may follow this one again. */
	bitmap_clear_bit(walk->seen, SSA_NAME_VERSION(ptr));
	if (lookup == FOUND && is_larger(&defined, &declared)) {
		*found = defined;
		return FOUND;
	}
	if (!declared.type)
		return lookup == CYCLE ? CYCLE : NOT_FOUND;
	*found = declared;
	return FOUND;
}

/* Get the constant offset of a MEM_REF or TARGET_MEM_REF. @indexed: it also has a variable one. */
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

/* Append the path of @inner to that of @outer. */
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

/* Find the place of the memory that a MEM_REF or TARGET_MEM_REF refers to. */
static bool place_of_memory(tree ref, struct walk *walk, unsigned int depth, struct place *place)
{
	const struct mark *mark = mark_of(TREE_TYPE(TREE_OPERAND(ref, 1)));
	tree type = TREE_TYPE(ref), ptr = TREE_OPERAND(ref, 0);
	struct wanted wanted = { record_of(type), bytes_of_type(type), false };
	struct place inner = {}, outer;
	HOST_WIDE_INT offset = reference_offset(ref, &wanted.indexed);

	/* Optimizers may have changed the type of the reference: then it is the member's. */
	if (mark && is_same_object(type, mark->object))
		inner = mark->place;
	else if (mark && is_same_object(type, mark->member_type))
		inner = mark->member;
	else if (wanted.record)
		inner = { wanted.record, "", 0, 0 };

	if (inner.type) {
		/* Without the offset, the record that contains this one cannot be searched. */
		if (inner.offset == UNKNOWN_OFFSET) {
			*place = inner;
			return true;
		}
		wanted.record = inner.type;
		offset -= inner.offset;
	}
	if (place_of_pointer(ptr, offset, &wanted, walk, depth + 1, &outer) == FOUND &&
	    (!inner.type || is_larger(&outer, &inner))) {
		*place = inner.type ? join_places(&outer, &inner) : outer;
		return true;
	}
	if (inner.type) {
		*place = inner;
		return true;
	}
	if (mark) {
		/* Neither the marked object nor the member: the offset in there is unknown. */
		*place = mark->member;
		place->offset = UNKNOWN_OFFSET;
		place->flags |= NAME_WIDE;
		return true;
	}
	return false;
}

/* Add the member that a COMPONENT_REF refers to. */
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

/* Find the place of a reference. */
static bool place_of_ref(tree ref, struct walk *walk, unsigned int depth, struct place *place)
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
		if (!place_of_ref(inside, walk, depth, place)) {
			if (!record_of(TREE_TYPE(inside)))
				return false;
			*place = { record_of(TREE_TYPE(inside)), "", 0, 0 };
		}
		break;
	case MEM_REF:
	case TARGET_MEM_REF:
		return place_of_memory(ref, walk, depth, place);
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
		/* In a variable that is an array of records, paths start in the record. */
		if (*place->path || !DECL_P(inside) || !record_of(place->type))
			add_element(ref, place);
	} else if (TREE_CODE(ref) == BIT_FIELD_REF) {
		place->flags |= NAME_WIDE;
		if (place->offset != UNKNOWN_OFFSET)
			place->offset += tree_to_shwi(TREE_OPERAND(ref, 2)) / BITS_PER_UNIT;
	}
	return true;
}

/* Find the place of the @size bytes at @ptr. @size is 0 if unknown. */
static bool place_of_target(tree ptr, HOST_WIDE_INT size, struct place *place)
{
	const struct wanted wanted = { NULL_TREE, size, false };
	auto_bitmap seen;
	struct walk walk = { seen };

	return place_of_pointer(ptr, 0, &wanted, &walk, 0, place) == FOUND;
}

/* Check if @ptr is @value plus offsets. */
static bool is_advanced_from(tree ptr, tree value, unsigned int depth)
{
	gimple def;

	if (ptr == value)
		return true;
	if (TREE_CODE(ptr) != SSA_NAME || depth > MAX_DEPTH)
		return false;
	def = SSA_NAME_DEF_STMT(ptr);
	return is_gimple_assign(def) && gimple_assign_rhs_code(def) == POINTER_PLUS_EXPR &&
	       is_advanced_from(gimple_assign_rhs1(def), value, depth + 1);
}

static bool path_of_source(tree ptr, bitmap seen, unsigned int depth, const char **path);

/* Add one of several sources that a pointer may have to @path. */
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
 * Find the member from which a pointer, or the pointer that it is an offset from, was loaded.
 * @path is its path with a "*" and the record's name in front; alternatives are separated by "|".
 */
static bool path_of_source(tree ptr, bitmap seen, unsigned int depth, const char **path)
{
	struct place place;
	auto_bitmap visited;
	struct walk walk = { visited };
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
			/* Skip the arguments of a loop that advance this pointer. */
			if (!is_advanced_from(arg, ptr, 0) &&
			    !add_source(arg, seen, depth + 1, path))
				return false;
		}
		return **path;
	}
	if (!is_gimple_assign(def))
		return false;
	if (gimple_assign_load_p(def)) {
		if (!place_of_ref(gimple_assign_rhs1(def), &walk, 0, &place) ||
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
 * struct inferred - type of an allocated object, as inferred from the uses of the pointer
 * @type: NULL_TREE if there is none
 * @rank: how reliable it is
 * @path: member that the pointer is stored to, or ""
 */
struct inferred {
	tree type;
	unsigned int rank;
	const char *path;
};

static void infer_type(struct inferred *inferred, tree type, unsigned int rank)
{
	if (!type || !POINTER_TYPE_P(type))
		return;
	type = main_variant(TREE_TYPE(type));
	if (VOID_TYPE_P(type) || TREE_CODE(type) == FUNCTION_TYPE)
		return;
	/* A record is more specific than anything else. */
	if (RECORD_OR_UNION_TYPE_P(type))
		rank += 10;
	if (rank > inferred->rank) {
		inferred->type = type;
		inferred->rank = rank;
	}
}

static void infer_path(struct inferred *inferred, tree lhs)
{
	struct place place;
	auto_bitmap seen;
	struct walk walk = { seen };

	/* The first member that the pointer is stored to names the object. */
	if (*inferred->path || !handled_component_p(lhs))
		return;
	if (place_of_ref(lhs, &walk, 0, &place) && record_of(place.type))
		inferred->path = concat(type_name(place.type), ".", place.path, NULL);
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

/* Get the record that a statement's operand accesses through @value at offset 0, or NULL_TREE. */
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

/* Follow the uses of a pointer to see which types it is given. */
static void follow_uses(tree value, struct inferred *inferred, bitmap seen, unsigned int depth)
{
	imm_use_iterator iter;
	use_operand_p use;
	gimple stmt;
	tree lhs, type;
	unsigned int i;

	if (depth > MAX_DEPTH || !bitmap_set_bit(seen, SSA_NAME_VERSION(value)))
		return;
	/* Ranks fall from its own type to a dereference, a store, a return and a call. */
	infer_type(inferred, TREE_TYPE(value), 9);
	FOR_EACH_IMM_USE_FAST(use, iter, value) {
		stmt = USE_STMT(use);
		switch (gimple_code(stmt)) {
		case GIMPLE_PHI:
			follow_uses(gimple_phi_result(stmt), inferred, seen, depth + 1);
			break;
		case GIMPLE_RETURN:
			infer_type(inferred, TREE_TYPE(DECL_RESULT(current_function_decl)), 5);
			break;
		case GIMPLE_CALL:
			infer_type(inferred, parameter_type(as_a_gcall(stmt), value), 2);
			break;
		case GIMPLE_ASSIGN:
			lhs = gimple_assign_lhs(stmt);
			for (i = 0; i < gimple_num_ops(stmt); i++) {
				type = dereferenced(gimple_op(stmt, i), value);
				if (type)
					infer_type(inferred, build_pointer_type(type), 8);
			}
			if (!gimple_assign_single_p(stmt) && !gimple_assign_cast_p(stmt))
				break;
			if (gimple_assign_rhs1(stmt) != value)
				break;
			if (TREE_CODE(lhs) == SSA_NAME) {
				if (POINTER_TYPE_P(TREE_TYPE(lhs)) ||
				    TYPE_PRECISION(TREE_TYPE(lhs)) == POINTER_SIZE)
					follow_uses(lhs, inferred, seen, depth + 1);
			} else {
				infer_type(inferred, TREE_TYPE(lhs), 6);
				infer_path(inferred, lhs);
			}
			break;
		default:
			break;
		}
	}
}

/* Get the size requested, by attribute alloc_size. 0: not constant, -1: no such attribute */
static HOST_WIDE_INT requested_bytes(gcall *call)
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

/* Get the array to which a bulk allocation stores its pointers, or NULL_TREE. */
static tree bulk_array(gcall *call)
{
	tree decl = gimple_call_fndecl(call);

	return decl && gimple_call_num_args(call) == 4 &&
	       !strncmp(IDENTIFIER_POINTER(DECL_NAME(decl)), "kmem_cache_alloc_bulk", 21) ?
	       gimple_call_arg(call, 3) : NULL_TREE;
}

/* Infer the type from the declaration of the array that pointers are stored to. */
static void infer_from_array(struct inferred *inferred, tree pointers)
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
	infer_type(inferred, strip_array_types(TREE_TYPE(pointers)), 6);
	infer_path(inferred, pointers);
}

/* Find what a call allocates. Returns false if it does not return or store pointers. */
static bool allocated_place(gcall *call, struct place *place)
{
	tree lhs = gimple_call_lhs(call), pointers = bulk_array(call);
	struct inferred inferred = { NULL_TREE, 0, "" };
	auto_bitmap seen;
	HOST_WIDE_INT requested, size;

	if (gimple_call_internal_p(call) ||
	    !(pointers || (lhs && POINTER_TYPE_P(TREE_TYPE(lhs)))))
		return false;
	if (pointers) {
		infer_from_array(&inferred, pointers);
	} else if (TREE_CODE(lhs) == SSA_NAME) {
		follow_uses(lhs, &inferred, seen, 0);
	} else {
		infer_type(&inferred, TREE_TYPE(lhs), 6);
		infer_path(&inferred, lhs);
	}
	*place = { inferred.type ?: void_type_node, inferred.path, 0, 0 };
	if (!RECORD_OR_UNION_TYPE_P(place->type))
		place->flags |= NAME_SCALAR;
	requested = requested_bytes(call);
	size = VOID_TYPE_P(place->type) ? 0 : bytes_of_type(place->type);
	if (requested == 0 || (requested > 0 && size && requested != size))
		place->flags |= NAME_ARRAY;
	return true;
}

/* Mark the memory that a reference is based on. */
static void mark_reference(tree ref)
{
	struct mark mark = {};
	auto_bitmap seen;
	struct walk walk = { seen };
	tree memory, offset;

	for (memory = ref; handled_component_p(memory);)
		memory = TREE_OPERAND(memory, 0);
	if (TREE_CODE(memory) != MEM_REF || !place_of_memory(memory, &walk, 0, &mark.place) ||
	    !place_of_ref(ref, &walk, 0, &mark.member) || !record_of(mark.place.type))
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
	/* A copy for each call: what it allocates is known for this call only. */
	type = build_variant_type_copy(gimple_call_fntype(call));
	marks.put(TYPE_UID(type), mark);
	gimple_call_set_fntype(call, type);
}

/*
 * mark_references() - mark the references of a statement with their places
 * @stmt: the statement
 *
 * Context: after early inlining, before the other optimizers
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
 * Complete the place of an access that is in no record: without any place, it is @type. The path
 * is the member that the pointer was loaded from.
 */
static void default_place(struct place *place, tree type, tree ptr)
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

/* Get the pointer that a reference dereferences, or NULL_TREE. */
static tree pointer_of(tree ref)
{
	while (handled_component_p(ref))
		ref = TREE_OPERAND(ref, 0);
	return TREE_CODE(ref) == MEM_REF || TREE_CODE(ref) == TARGET_MEM_REF ?
	       TREE_OPERAND(ref, 0) : NULL_TREE;
}

/* place_of_access() - find the place of an access to @ref */
void place_of_access(tree ref, struct place *place)
{
	auto_bitmap seen;
	struct walk walk = { seen };

	if (!place_of_ref(ref, &walk, 0, place))
		*place = {};
	default_place(place, TREE_TYPE(ref), pointer_of(ref));
	add_whole(place, TREE_TYPE(ref));
}

/*
 * place_of_argument() - find the place of an access through a pointer
 * @stmt: the call or inline assembly that makes the access
 * @ptr: the pointer
 * @size: bytes, 0 if unknown
 * @place: the result
 */
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
	default_place(place, POINTER_TYPE_P(TREE_TYPE(ptr)) ? TREE_TYPE(TREE_TYPE(ptr)) :
							     void_type_node, ptr);
}

/*
 * place_of_allocation() - find the type of the object that a call allocates
 *
 * Return: false if the call returns or stores no pointers
 */
bool place_of_allocation(gcall *call, struct place *place)
{
	tree type = gimple_call_fntype(call);
	const struct mark *mark = type ? mark_of(type) : NULL;

	if (!allocated_place(call, place))
		return false;
	/* Prefer what the early pass found, unless only this pass knows a record. */
	if (mark && mark->place.type &&
	    ((place->flags & NAME_SCALAR) || !(mark->place.flags & NAME_SCALAR)))
		*place = mark->place;
	return true;
}
