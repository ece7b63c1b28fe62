// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memorizer plugin: emit sites for references and pointers to tracked memory.
 *
 * A site is a volatile asm in front of the accessing statement, with the lvalue as "m" input:
 * GCC spends no register on it, and the stub gets the address with a single lea.
 */

#include "gcc-common.h"
#include "gimplify-me.h"
#include "tree-dfa.h"
#include "ssa-iterators.h"
#include "memorizer_files.h"
#include "memorizer_names.h"
#include "memorizer_site.h"
#include "memorizer_sites.h"

bool unwind_hints;			/* option: emit unwind hints */
bool with_percpu;			/* option: emit sites for per-CPU data */
unsigned int sites;			/* emitted into the current function */
static bool any_sites;			/* in the current file */

/* UNWIND_HINT_FUNC: ORC_REG_SP, 8, UNWIND_HINT_TYPE_FUNC, no signal */
#define UNWIND_HINT					\
	"\t.pushsection .discard.unwind_hints\n"	\
	"\t.long 772b - .\n"				\
	"\t.short 8\n"					\
	"\t.byte 5, 5, 0\n"				\
	"\t.balign 4\n"					\
	"\t.popsection\n"

/* Instructions of stubs. The thunk restores the registers that they save. */
#define STUB_SAVE					\
	"\tpushq %%rdi\n"				\
	"\tpushq %%rsi\n"				\
	"\tpushq %%rdx\n"
#define STUB_CONSTANT STUB_SAVE				\
	"\tleaq %0, %%rdi\n"				\
	"\tmovl %1, %%esi\n"
#define STUB_RANGE STUB_SAVE				\
	"\tpushq %q1\n"					\
	"\tleaq %0, %%rdi\n"				\
	"\tpopq %%rsi\n"

/* Per-CPU data: the operand is the offset, to which the thunk or the stub adds the CPU's base. */
#define STUB_PERCPU_FIXED(offset)			\
	"\tpushq %%r11\n"				\
	"\tleaq " offset ", %%r11\n"
#define STUB_PERCPU_BASE "\taddq %%gs:this_cpu_off(%%rip), %%rdi\n"

/* The operands are for the thunk. %3 is the kind of function, see memorizer-string.h. */
#define STUB_STRING STUB_SAVE				\
	"\tpushq %3\n"					\
	"\tpushq %q2\n"				\
	"\tpushq %q1\n"				\
	"\tpushq %q0\n"				\
	"\tpopq %%rdi\n"				\
	"\tpopq %%rsi\n"				\
	"\tpopq %%rdx\n"				\
	"\tjmp memorizer_thunk_string"

struct site_operand {
	const char *constraint;
	tree value;
};

tree string_list(const char *string)
{
	return build_tree_list(NULL_TREE, build_const_char_string(strlen(string) + 1, string));
}

/*
 * location_at() - get a location for the statement at @gsi
 *
 * Statements made by optimizers have none. As in line tables, they belong to the statement in
 * front of them, or else to the function.
 */
location_t location_at(gimple_stmt_iterator gsi)
{
	for (; !gsi_end_p(gsi); gsi_prev(&gsi))
		if (gimple_has_location(gsi_stmt(gsi)))
			return gimple_location(gsi_stmt(gsi));
	return DECL_SOURCE_LOCATION(current_function_decl);
}

/*
 * Put a site with number @name in front of the statement at @gsi. @begin is SITE_BEGIN or
 * SITE_BEGIN_PERCPU. @operands end with a NULL constraint. @clobber is one that GCC must assume,
 * or NULL.
 */
static void insert_site(gimple_stmt_iterator *gsi, unsigned int name, const char *begin,
			const char *stub, const struct site_operand *operands, const char *clobber)
{
	char *text = xasprintf("%s%s%s" SITE_END, begin, unwind_hints ? UNWIND_HINT : "", stub);
	auto inputs = make_tree_vector();
	auto clobbers = make_tree_vector();
	gasm *site;

	for (; operands->constraint; operands++)
		vec_safe_push(inputs, build_tree_list(string_list(operands->constraint),
						      operands->value));
	if (clobber)
		vec_safe_push(clobbers, string_list(clobber));

	site = gimple_build_asm_vec(text, inputs, NULL, clobbers, NULL);
	/* It has no outputs: only volatile keeps it from being deleted. */
	gimple_asm_set_volatile(site, true);
	gimple_asm_set_inline(site, true);
	gimple_set_location(site, location_with_name(location_at(*gsi), name));
	gsi_insert_before(gsi, site, GSI_SAME_STMT);
	sites++;
	any_sites = true;

	release_tree_vector(inputs);
	release_tree_vector(clobbers);
	free(text);
}

/* Convert an integer to a size_t that can be an operand of inline assembly. */
static tree size_operand(gimple_stmt_iterator *gsi, tree value)
{
	return force_gimple_operand_gsi(gsi, fold_convert(size_type_node, value),
					true, NULL_TREE, true, GSI_SAME_STMT);
}

/*
 * Insert a site for an access of @size bytes at @lvalue. If @percpu, the address of @lvalue is the
 * offset of per-CPU data.
 */
static void insert_access(gimple_stmt_iterator *gsi, unsigned int name, enum kind kind,
			  tree lvalue, tree size, bool percpu)
{
	struct site_operand operands[] = { { "m", lvalue }, { "i", size }, {} };
	const char *begin = percpu ? SITE_BEGIN_PERCPU : SITE_BEGIN;
	const char *stub = STUB_FIXED, *base = percpu ? STUB_PERCPU_BASE : "";
	char *text;

	/* An empty structure, or a copy of no bytes. */
	if (integer_zerop(size))
		return;
	if (tree_fits_uhwi_p(size) && tree_to_uhwi(size) <= 16 && pow2p_hwi(tree_to_uhwi(size))) {
		operands[1] = {};
		if (percpu)
			stub = STUB_PERCPU_FIXED("%0");
		/* A constant: GCC would load the address that several sites have to a register. */
		if (percpu && TREE_CODE(TREE_OPERAND(lvalue, 0)) == ADDR_EXPR) {
			stub = STUB_PERCPU_FIXED("%a0");
			operands[0] = { "i", build_fold_addr_expr(lvalue) };
		}
		text = xasprintf("%s\tjmp memorizer_%s_%c%d", stub, percpu ? "percpu" : "thunk",
				 kind, (int)tree_to_uhwi(size));
	} else {
		stub = STUB_CONSTANT;
		if (!constant_bytes(size)) {
			operands[1] = { "re", size_operand(gsi, size) };
			stub = STUB_RANGE;
		}
		text = xasprintf("%s%s\tjmp memorizer_thunk_%cn", stub, base, kind);
	}
	insert_site(gsi, name, begin, text, operands, NULL);
	free(text);
}

/* Convert an integer or pointer to an operand that can be pushed. */
static tree word_operand(gimple_stmt_iterator *gsi, tree value)
{
	return POINTER_TYPE_P(TREE_TYPE(value)) ? value : size_operand(gsi, value);
}

/*
 * insert_string() - insert a site for a string function
 * @gsi: the call
 * @name: of the access
 * @how: enum memorizer_string and MEMORIZER_STRING_* flags
 * @a: operands, integers or pointers
 * @b: likewise
 * @n: likewise
 */
void insert_string(gimple_stmt_iterator *gsi, unsigned int name, unsigned int how, tree a,
		   tree b, tree n)
{
	/* Not "r", which could be relative to the stack pointer: the stub moves that. */
	const struct site_operand operands[] = {
		{ "le", word_operand(gsi, a) }, { "le", word_operand(gsi, b) },
		{ "le", word_operand(gsi, n) }, { "i", size_int(how) }, {}
	};

	/* The thunk reads the strings: pending stores must be done. */
	insert_site(gsi, name, SITE_BEGIN, STUB_STRING, operands, "memory");
}

/* Check for a member of a va_list: a pointer in there points to arguments. */
static bool is_in_va_list(tree ref)
{
	tree whole = TREE_CODE(ref) == COMPONENT_REF ? TREE_OPERAND(ref, 0) : get_base_address(ref);

	return whole && TYPE_MAIN_VARIANT(strip_array_types(TREE_TYPE(whole))) ==
			TYPE_MAIN_VARIANT(strip_array_types(va_list_type_node));
}

static bool is_untracked(tree base, bitmap seen);

/*
 * Check if the pointer points to untracked memory, however it was computed. @seen holds the SSA
 * names that are being checked already: cycles do not change the result.
 */
static bool points_to_untracked(tree ptr, bitmap seen)
{
	gimple def;
	unsigned int i;

	if (TREE_CODE(ptr) == ADDR_EXPR)
		return is_untracked(get_base_address(TREE_OPERAND(ptr, 0)), seen);
	if (TREE_CODE(ptr) != SSA_NAME)
		return false;
	if (!bitmap_set_bit(seen, SSA_NAME_VERSION(ptr)))
		return true;

	def = SSA_NAME_DEF_STMT(ptr);
	if (gimple_code(def) == GIMPLE_PHI) {
		/* One tracked value suffices to count. */
		for (i = 0; i < gimple_phi_num_args(def); i++)
			if (!points_to_untracked(gimple_phi_arg_def(def, i), seen))
				return false;
		return true;
	}
	/* alloca() returns memory of the stack. */
	if (is_gimple_call(def))
		return gimple_call_flags(def) & ECF_MAY_BE_ALLOCA;
	if (!is_gimple_assign(def))
		return false;

	switch (gimple_assign_rhs_code(def)) {
	case SSA_NAME:
	case ADDR_EXPR:
	case NOP_EXPR:
	case CONVERT_EXPR:
	case POINTER_PLUS_EXPR:
		return points_to_untracked(gimple_assign_rhs1(def), seen);
	case COMPONENT_REF:
	case MEM_REF:
		return is_in_va_list(gimple_assign_rhs1(def));
	default:
		return false;
	}
}

/* Check if memory is untracked. @base is from get_base_address(). */
static bool is_untracked(tree base, bitmap seen)
{
	if (!base)
		return true;
	switch (TREE_CODE(base)) {
	case MEM_REF:
	case TARGET_MEM_REF:
		return points_to_untracked(TREE_OPERAND(base, 0), seen);
	case VAR_DECL:
		/* The last condition matches tables of switch conversion. */
		return !is_global_var(base) || DECL_HARD_REGISTER(base) ||
		       DECL_THREAD_LOCAL_P(base) || DECL_IN_CONSTANT_POOL(base) ||
		       (DECL_ARTIFICIAL(base) && TREE_READONLY(base));
	default:
		return true;	/* an argument, a string, a constant... */
	}
}

/* Get the address space of a reference. Named ones are relative to %gs or %fs. */
static addr_space_t space_of(tree ref)
{
	addr_space_t space = TYPE_ADDR_SPACE(TREE_TYPE(ref));
	tree t;

	for (t = ref; ADDR_SPACE_GENERIC_P(space) && handled_component_p(t);) {
		t = TREE_OPERAND(t, 0);
		space = TYPE_ADDR_SPACE(TREE_TYPE(t));
	}
	if (ADDR_SPACE_GENERIC_P(space) && TREE_CODE(t) == MEM_REF)
		space = TYPE_ADDR_SPACE(TREE_TYPE(TREE_TYPE(TREE_OPERAND(t, 0))));
	return space;
}

/* Check if @ref is relative to %gs, as per-CPU data are, and counts. */
static bool is_percpu(tree ref)
{
	return with_percpu && space_of(ref) == ADDR_SPACE_SEG_GS;
}

/* Check if accesses to @ref count. memorizer_site.h lists those that do not. */
static bool is_tracked(tree ref)
{
	auto_bitmap seen;

	return ADDR_SPACE_GENERIC_P(space_of(ref)) && !is_untracked(get_base_address(ref), seen);
}

/*
 * Make the reference non-volatile, in place: the site does not access it, and GCC does not
 * simplify volatile addresses.
 */
static tree strip_volatile(tree ref)
{
	tree t;

	for (t = ref; handled_component_p(t); t = TREE_OPERAND(t, 0))
		TREE_THIS_VOLATILE(t) = 0;
	/* All references to a variable share its declaration: leave that alone. */
	if (!DECL_P(t))
		TREE_THIS_VOLATILE(t) = 0;
	return ref;
}

/* Build a reference to @size bytes at @whole + @more + @offset. @more is not constant, or NULL. */
static tree bytes_of(gimple_stmt_iterator *gsi, tree whole, tree more, poly_int64 offset,
		     HOST_WIDE_INT size)
{
	tree type = build_array_type_nelts(unsigned_char_type_node, size);
	poly_int64 start = 0;
	tree base = more ? NULL_TREE : get_addr_base_and_unit_offset(whole, &start);
	tree addr;

	offset += start;
	if (base && TREE_CODE(base) == MEM_REF) {
		addr = TREE_OPERAND(base, 0);
		offset += mem_ref_offset(base).force_shwi();
	} else if (base && DECL_P(base)) {
		addr = build_fold_addr_expr(base);
	} else {
		addr = build_fold_addr_expr(whole);
		if (more)
			addr = fold_build_pointer_plus(addr, more);
		addr = force_gimple_operand_gsi(gsi, addr, true, NULL_TREE, true, GSI_SAME_STMT);
		offset -= start;
	}
	return fold_build2(MEM_REF, type, addr, build_int_cst(ptr_type_node, offset));
}

/*
 * Follow a pointer back through casts: what they convert is alive, too, and the address of a
 * variable is constant.
 */
static tree without_casts(tree ptr)
{
	gimple def;
	tree from;

	while (TREE_CODE(ptr) == SSA_NAME && is_gimple_assign(SSA_NAME_DEF_STMT(ptr))) {
		def = SSA_NAME_DEF_STMT(ptr);
		from = gimple_assign_rhs1(def);
		if (!(CONVERT_EXPR_CODE_P(gimple_assign_rhs_code(def)) &&
		      TYPE_PRECISION(TREE_TYPE(from)) == POINTER_SIZE) &&
		    !(gimple_assign_rhs_code(def) == ADDR_EXPR && is_gimple_min_invariant(from)))
			break;
		ptr = from;
	}
	return ptr;
}

/* Build a generic reference whose address is the offset of @ref, which is relative to %gs. */
static tree offset_of_percpu(gimple_stmt_iterator *gsi, tree ref)
{
	tree bytes = bytes_of(gsi, ref, NULL_TREE, 0, 1);
	tree ptr = without_casts(TREE_OPERAND(bytes, 0));
	poly_int64 offset = 0;

	/* The base of a MEM_REF is a variable, not its member. */
	if (TREE_CODE(ptr) == ADDR_EXPR)
		ptr = build_fold_addr_expr(get_addr_base_and_unit_offset(TREE_OPERAND(ptr, 0),
									 &offset));
	/* By way of an integer: a cast between the pointers would convert the address. */
	if (!POINTER_TYPE_P(TREE_TYPE(ptr)) ||
	    !ADDR_SPACE_GENERIC_P(TYPE_ADDR_SPACE(TREE_TYPE(TREE_TYPE(ptr)))))
		ptr = force_gimple_operand_gsi(gsi, fold_convert(ptr_type_node,
								 size_operand(gsi, ptr)),
					       true, NULL_TREE, true, GSI_SAME_STMT);
	return fold_build2(MEM_REF, TREE_TYPE(bytes), ptr,
			   build_int_cst(ptr_type_node,
					 offset + mem_ref_offset(bytes).force_shwi()));
}

/* Check if @ref refers to single bits. */
static bool is_bit_ref(tree ref)
{
	return TREE_CODE(ref) == BIT_FIELD_REF ||
	       (TREE_CODE(ref) == COMPONENT_REF && DECL_BIT_FIELD(TREE_OPERAND(ref, 1)));
}

/* Get the offset of the first bit of @ref in its container, without its variable part. */
static HOST_WIDE_INT first_bit(tree ref)
{
	tree start;

	if (TREE_CODE(ref) == BIT_FIELD_REF)
		return tree_to_shwi(TREE_OPERAND(ref, 2));
	start = component_ref_field_offset(ref);
	return tree_to_shwi(DECL_FIELD_BIT_OFFSET(TREE_OPERAND(ref, 1))) +
	       (tree_fits_shwi_p(start) ? tree_to_shwi(start) * BITS_PER_UNIT : 0);
}

static HOST_WIDE_INT nr_bits(tree ref)
{
	return tree_to_shwi(TREE_CODE(ref) == BIT_FIELD_REF ? TREE_OPERAND(ref, 1) :
			    DECL_SIZE(TREE_OPERAND(ref, 1)));
}

/* Check if no other bits share bytes with those of @ref. */
static bool fills_bytes(tree ref)
{
	return first_bit(ref) % BITS_PER_UNIT == 0 && nr_bits(ref) % BITS_PER_UNIT == 0;
}

/* Build a reference to the bytes that hold the bits of @ref, suitable for an "m" operand. */
static tree bytes_of_bits(gimple_stmt_iterator *gsi, tree ref)
{
	tree whole = strip_volatile(unshare_expr(TREE_OPERAND(ref, 0)));
	HOST_WIDE_INT end = first_bit(ref) + nr_bits(ref);
	HOST_WIDE_INT first = first_bit(ref) / BITS_PER_UNIT;
	tree more = NULL_TREE;

	if (TREE_CODE(ref) == COMPONENT_REF &&
	    !tree_fits_shwi_p(component_ref_field_offset(ref)))
		more = unshare_expr(component_ref_field_offset(ref));
	return bytes_of(gsi, whole, more, first, CEIL(end, BITS_PER_UNIT) - first);
}

/*
 * Check if the basic block has read the unit of bit-field @ref, with no store in between. Then
 * GCC does not read the unit again to store @ref.
 */
static bool is_read_before(gimple stmt, tree ref)
{
	use_operand_p use;
	imm_use_iterator iter;
	gimple load;
	tree bits, unit;

	if (TREE_CODE(ref) != COMPONENT_REF || TREE_THIS_VOLATILE(ref) || !gimple_vuse(stmt))
		return false;
	unit = DECL_BIT_FIELD_REPRESENTATIVE(TREE_OPERAND(ref, 1));
	/* Loads with the same virtual operand: no store lies in between. */
	FOR_EACH_IMM_USE_FAST(use, iter, gimple_vuse(stmt)) {
		load = USE_STMT(use);
		if (gimple_bb(load) != gimple_bb(stmt) || !gimple_assign_load_p(load))
			continue;
		bits = gimple_assign_rhs1(load);
		if (unit && TREE_CODE(bits) == COMPONENT_REF &&
		    DECL_BIT_FIELD_REPRESENTATIVE(TREE_OPERAND(bits, 1)) == unit &&
		    operand_equal_p(TREE_OPERAND(bits, 0), TREE_OPERAND(ref, 0), 0))
			return true;
	}
	return false;
}

/* Get the size of a type, of one element if incomplete: inline assembly may use such types. */
static tree size_of_type(tree type)
{
	for (; TREE_CODE(type) == ARRAY_TYPE && !TYPE_SIZE_UNIT(type); type = TREE_TYPE(type))
		;
	return TYPE_SIZE_UNIT(type) ?: size_one_node;
}

enum name_kind name_kind_of(enum kind kind)
{
	return kind == READ ? NAME_READ : kind == WRITE ? NAME_WRITE : NAME_UPDATE;
}

/* constant_bytes() - get a size as names have it: 0 if it is not constant */
HOST_WIDE_INT constant_bytes(tree size)
{
	return tree_fits_uhwi_p(size) && tree_to_uhwi(size) <= INT_MAX ? tree_to_uhwi(size) : 0;
}

/* instrument_ref() - insert a site for an access to @ref by the statement at @gsi, if tracked */
void instrument_ref(gimple_stmt_iterator *gsi, enum kind kind, tree ref)
{
	tree size = NULL_TREE, lvalue;
	unsigned int name;
	bool percpu;

	if (!ref)
		return;
	if (TREE_CODE(ref) == WITH_SIZE_EXPR) {
		size = TREE_OPERAND(ref, 1);
		ref = TREE_OPERAND(ref, 0);
	}
	percpu = is_percpu(ref);
	if (!percpu && !is_tracked(ref))
		return;
	if (is_bit_ref(ref)) {
		/* Storing part of a byte reads the other bits first. */
		if (kind == WRITE && !fills_bytes(ref) && !is_read_before(gsi_stmt(*gsi), ref))
			kind = UPDATE;
		lvalue = bytes_of_bits(gsi, ref);
	} else {
		lvalue = strip_volatile(unshare_expr(ref));
	}
	size = size ?: size_of_type(TREE_TYPE(lvalue));
	name = name_access(name_kind_of(kind), ref, constant_bytes(size));
	if (percpu)
		lvalue = offset_of_percpu(gsi, lvalue);
	insert_access(gsi, name, kind, lvalue, size, percpu);
}

/* Build a reference to what @ptr points to, NULL_TREE if it is untracked. */
static tree tracked_target(tree ptr)
{
	tree ref;

	if (!ptr || !POINTER_TYPE_P(TREE_TYPE(ptr)))
		return NULL_TREE;
	ref = fold_build2(MEM_REF, unsigned_char_type_node, ptr, build_int_cst(ptr_type_node, 0));
	return is_tracked(ref) ? ref : NULL_TREE;
}

/* is_tracked_pointer() - check if accesses through @ptr count */
bool is_tracked_pointer(tree ptr)
{
	return tracked_target(ptr);
}

/* instrument_target() - insert a site for an access to @size bytes at @ptr, if tracked */
void instrument_target(gimple_stmt_iterator *gsi, enum kind kind, tree ptr, tree size)
{
	tree ref = tracked_target(ptr);

	if (ref)
		insert_access(gsi, name_target(name_kind_of(kind), gsi_stmt(*gsi), ptr,
					       constant_bytes(size)),
			      kind, ref, size, false);
}

/* set_has_sites() - record that the file has a site that was not emitted here */
void set_has_sites(void)
{
	any_sites = true;
}

/* write_file_entry() - write the entry of memorizer_files, if the file has sites */
void write_file_entry(FILE *file)
{
	if (!any_sites)
		return;
	fprintf(file, "\t.pushsection memorizer_sites, \"a\"\n"
		".Lmemorizer_sites_end:\n"
		"\t.popsection\n"
		"\t.pushsection .rodata.str1.1, \"aMS\", @progbits, 1\n"
		".Lmemorizer_file:\n"
		"\t.asciz \"%s\"\n"
		"\t.popsection\n"
		"\t.pushsection memorizer_files, \"a\"\n"
		"\t.balign 4\n"
		"\t.long memorizer_sites - ., .Lmemorizer_sites_end - ., .Lmemorizer_file - .\n"
		"\t.popsection\n", name_of_file());
}
