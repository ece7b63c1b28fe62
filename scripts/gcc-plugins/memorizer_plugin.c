// SPDX-License-Identifier: GPL-2.0-only
/*
 * GCC plugin: put a Memorizer site before every load and store of memory.
 *
 * A site is five bytes, which the kernel turns into "call rel32", and back into what
 * it was: prefixes of the instruction behind it, which change nothing; or, where none
 * follows at once that may have them, "test $rel32, %eax", which does nothing. rel32
 * leads to the site's stub, which loads the address that is about to be accessed and
 * jumps to the thunk for this kind of access:
 *
 *	memorizer_thunk_<kind><size>	size 1, 2, 4, 8 or 16:
 *		address in r11; on the stack: return address; changes r9, r10 and r11
 *	memorizer_thunk_<kind>n		any other size:
 *		address in rdi, size in rsi;
 *		on the stack: rdx, rsi, rdi, return address
 *	memorizer_thunk_string		what a string function does:
 *		operands in rdi, rsi, rdx; on the stack: which function (see
 *		include/linux/memorizer-string.h), rdx, rsi, rdi, return address
 *
 * with kind r (read), w (write) or u (update: one read and one write). The
 * section memorizer_sites holds, for each site, two words: the distance to it; and
 * that from its end to its stub, plus, from bit 28 on, what it is: 0 a test, 1 prefixes
 * %ds, 2 prefixes %ss. The section
 * memorizer_files says which of these a file has: for each, the distances to the
 * first of them, behind the last, and to the file's name.
 *
 * Sites of a section whose stubs would be the same have one.
 *
 * Where code is straight, a site's stub also counts accesses that come later:
 * before it jumps to its thunk it calls, for each of them,
 *
 *	memorizer_joined_<kind><size>	address in r11, in r10 the one behind the site that
 *		there would be; changes r9, r10 and r11
 *
 * Accesses at known distances from each other make a group, which the stub counts at
 * once, by
 *
 *	memorizer_group			address of the first byte in r11, the group's in r10;
 *		changes r9, r10 and r11
 *
 * The section memorizer_groups says what groups are: see struct memorizer_group. If
 * accesses are of several kinds, their order matters: what the stub counts last, which it
 * jumps for, may be joined.
 *
 * Where the value in r9, r10 or r11 is still needed, the stub pushes it and those that stand
 * here before it, calls for its own access, too, and jumps to
 *
 *	memorizer_leave_r<last>		on the stack: those, the last one first; return address
 *
 * An access is what is left of the source's loads and stores when the GIMPLE
 * optimizers are done. Not seen are: the function's own frame and arguments,
 * registers, per-CPU and other %gs or %fs relative data, thread-local data,
 * string literals and tables that GCC made, and what inline assembly reads
 * without writing it.
 *
 * Arguments:
 *	unwind-hints	give objtool an unwind hint for each stub
 *	groups		make groups; they must be there for as long as their counts are
 *	skip=<function>	put no sites there; may come several times
 *	verbose		say for each function what was instrumented
 *	id=<anything>	ignored; makes the command line depend on the plugin
 */

#include "gcc-common.h"
#include "gimplify-me.h"
#include "insn-attr.h"
#include "df.h"
#include "insn-config.h"
#include "regs.h"
#include "recog.h"
#include "function-abi.h"
#include "rtl-iter.h"
#include "tree-dfa.h"
#include "ssa-iterators.h"
#include "memorizer_names.h"
#include "../../include/linux/memorizer-group.h"
#include "../../include/linux/memorizer-string.h"

__visible int plugin_is_GPL_compatible;

static struct plugin_info memorizer_plugin_info = {
	.version = PLUGIN_VERSION,
	.help = "unwind-hints\temit objtool unwind hints for the stubs\n"
		"groups\t\tcount accesses at known distances at once\n"
		"skip=function\tput no sites there\n"
		"verbose\t\tprint what was instrumented\n"
		"id=anything\tignored, for rebuilding what an older plugin built\n"
};

static bool unwind_hints;
static bool with_groups;
static bool verbose;
static auto_vec<const char *> skipped;	/* names of functions */
static unsigned int sites;		/* put into the current function */
static unsigned int joined_sites;	/* of these, those that another one's stub counts */
static bool any_sites;			/* put anywhere */

/* So many accesses can share a site. */
#define MAX_JOINED 12

/* And those of a group lie in so many bytes. */
#define MAX_EXTENT 4096

/*
 * The start of each site's text; the stub's instructions, its jump and .popsection follow,
 * until share_stub() makes something else of it.
 * The site is an instruction, not data, for GAS to give it a line number. The
 * stub goes to subsection 1 of the function's own section, so that it shares
 * the fate of init and module text; .popsection restores .previous as well.
 */
#define SITE_LABEL "771:\ttestl"
#define SITE_DISTANCE " - 771b - 5"
#define SITE_TABLE					\
	SITE_DISTANCE ", %%eax\n"			\
	"\t.pushsection memorizer_sites, \"a\"\n"	\
	"\t.balign 4\n"					\
	"\t.long 771b - .\n"				\
	"\t.long "
#define SITE_STUB					\
	SITE_DISTANCE "\n"				\
	"\t.previous\n"					\
	"\t.subsection 1\n"
#define SITE_BEGIN SITE_LABEL " $772f" SITE_TABLE "772f" SITE_STUB "772:\n"
#define SITE_END "\n\t.popsection"

/* UNWIND_HINT_FUNC: ORC_REG_SP, 8, UNWIND_HINT_TYPE_FUNC, no signal */
#define UNWIND_HINT					\
	"\t.pushsection .discard.unwind_hints\n"	\
	"\t.long 772b - .\n"				\
	"\t.short 8\n"					\
	"\t.byte 5, 5, 0\n"				\
	"\t.balign 4\n"					\
	"\t.popsection\n"

#define SAVE_1 "\tpushq %%rdi\n"
#define SAVE_3 SAVE_1 "\tpushq %%rsi\n\tpushq %%rdx\n"

/* Instructions of the stubs; the thunk restores what they save. */
#define STUB_FIXED "\tleaq %0, %%r11\n"
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

/* Beside the operands, which the thunk gets in registers, %3 says what they are. */
#define STUB_STRING STUB_SAVE				\
	"\tpushq %3\n"					\
	"\tpushq %q2\n"				\
	"\tpushq %q1\n"				\
	"\tpushq %q0\n"				\
	"\tpopq %%rdi\n"				\
	"\tpopq %%rsi\n"				\
	"\tpopq %%rdx\n"				\
	"\tjmp memorizer_thunk_string"

enum kind { READ = 'r', WRITE = 'w', UPDATE = 'u' };

struct site_operand {
	const char *constraint;
	tree value;
};

static tree string_list(const char *string)
{
	return build_tree_list(NULL_TREE, build_const_char_string(strlen(string) + 1, string));
}

/*
 * The location of the statement at @gsi. One that optimizers made has none, and passes for
 * a part of what stands before it, as in line numbers; or else of its function.
 */
static location_t location_at(gimple_stmt_iterator gsi)
{
	for (; !gsi_end_p(gsi); gsi_prev(&gsi))
		if (gimple_has_location(gsi_stmt(gsi)))
			return gimple_location(gsi_stmt(gsi));
	return DECL_SOURCE_LOCATION(current_function_decl);
}

/*
 * Put a site before the statement at @gsi, with the note @name. @operands ends with
 * a NULL constraint. @clobber, if not NULL, says what GCC must think it changes.
 */
static void insert_site(gimple_stmt_iterator *gsi, unsigned int name, const char *stub,
			const struct site_operand *operands, const char *clobber)
{
	char *text = xasprintf("%s%s%s" SITE_END, SITE_BEGIN, unwind_hints ? UNWIND_HINT : "", stub);
	auto inputs = make_tree_vector();
	auto clobbers = make_tree_vector();
	gasm *site;

	for (; operands->constraint; operands++)
		vec_safe_push(inputs, build_tree_list(string_list(operands->constraint),
						      operands->value));
	if (clobber)
		vec_safe_push(clobbers, string_list(clobber));

	site = gimple_build_asm_vec(text, inputs, NULL, clobbers, NULL);
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

/* A site whose stub jumps to the thunk for this kind and size */
static void insert_access_site(gimple_stmt_iterator *gsi, unsigned int name, const char *stub,
			       enum kind kind, const char *size,
			       const struct site_operand *operands)
{
	char *text = xasprintf("%s\tjmp memorizer_thunk_%c%s", stub, kind, size);

	insert_site(gsi, name, text, operands, NULL);
	free(text);
}

/* Make @value, of any integer type, a size_t that an instruction can use. */
static tree size_operand(gimple_stmt_iterator *gsi, tree value)
{
	return force_gimple_operand_gsi(gsi, fold_convert(size_type_node, value),
					true, NULL_TREE, true, GSI_SAME_STMT);
}

/* A site for an access of @size bytes to where @lvalue begins */
static void insert_access(gimple_stmt_iterator *gsi, unsigned int name, enum kind kind,
			  tree lvalue, tree size)
{
	struct site_operand operands[] = { { "m", lvalue }, { "i", size }, {} };
	char bytes[4];

	if (integer_zerop(size))
		return;
	if (!tree_fits_uhwi_p(size) || tree_to_uhwi(size) > INT_MAX) {
		operands[1] = { "re", size_operand(gsi, size) };
		insert_access_site(gsi, name, STUB_RANGE, kind, "n", operands);
	} else if (tree_to_uhwi(size) <= 16 && pow2p_hwi(tree_to_uhwi(size))) {
		operands[1] = {};
		snprintf(bytes, sizeof(bytes), "%d", (int)tree_to_uhwi(size));
		insert_access_site(gsi, name, STUB_FIXED, kind, bytes, operands);
	} else {
		insert_access_site(gsi, name, STUB_CONSTANT, kind, "n", operands);
	}
}

/* Make @value, an integer or a pointer, one that can be pushed. */
static tree word_operand(gimple_stmt_iterator *gsi, tree value)
{
	return POINTER_TYPE_P(TREE_TYPE(value)) ? value : size_operand(gsi, value);
}

/* A site for what a string function does to its @operands */
static void insert_string(gimple_stmt_iterator *gsi, unsigned int name, unsigned int how, tree a,
			  tree b, tree n)
{
	/* Not "r": the stack pointer is no longer what it was when the stub looks at it. */
	const struct site_operand operands[] = {
		{ "le", word_operand(gsi, a) }, { "le", word_operand(gsi, b) },
		{ "le", word_operand(gsi, n) }, { "i", size_int(how) }, {}
	};

	/* The thunk reads the strings: what was stored to them must be there. */
	insert_site(gsi, name, STUB_STRING, operands, "memory");
}

/* Is it a member of a va_list? Such a pointer leads to arguments. */
static bool is_in_va_list(tree ref)
{
	tree whole = TREE_CODE(ref) == COMPONENT_REF ? TREE_OPERAND(ref, 0) : get_base_address(ref);

	return whole && TYPE_MAIN_VARIANT(strip_array_types(TREE_TYPE(whole))) ==
			TYPE_MAIN_VARIANT(strip_array_types(va_list_type_node));
}

static bool is_untracked(tree base, bitmap seen);

/*
 * Does the pointer lead to untracked memory, whichever way it was computed?
 * @seen holds the SSA names that the answer was already asked for: they do not
 * change it.
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
		for (i = 0; i < gimple_phi_num_args(def); i++)
			if (!points_to_untracked(gimple_phi_arg_def(def, i), seen))
				return false;
		return true;
	}
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

/* Is the object, as get_base_address() returns it, none that counts? */
static bool is_untracked(tree base, bitmap seen)
{
	if (!base)
		return true;
	switch (TREE_CODE(base)) {
	case MEM_REF:
	case TARGET_MEM_REF:
		return points_to_untracked(TREE_OPERAND(base, 0), seen);
	case VAR_DECL:
		return !is_global_var(base) || DECL_HARD_REGISTER(base) ||
		       DECL_THREAD_LOCAL_P(base) || DECL_IN_CONSTANT_POOL(base) ||
		       (DECL_ARTIFICIAL(base) && TREE_READONLY(base));
	default:
		return true;	/* an argument, a string, a constant, ... */
	}
}

/* Is this memory whose accesses count: see the top of this file. */
static bool is_tracked(tree ref)
{
	auto_bitmap seen;
	tree t;

	for (t = ref; handled_component_p(t); t = TREE_OPERAND(t, 0))
		if (!ADDR_SPACE_GENERIC_P(TYPE_ADDR_SPACE(TREE_TYPE(t))))
			return false;
	if (!ADDR_SPACE_GENERIC_P(TYPE_ADDR_SPACE(TREE_TYPE(t))))
		return false;
	if (TREE_CODE(t) == MEM_REF &&
	    !ADDR_SPACE_GENERIC_P(TYPE_ADDR_SPACE(TREE_TYPE(TREE_TYPE(TREE_OPERAND(t, 0))))))
		return false;
	return !is_untracked(get_base_address(ref), seen);
}

/* GCC simplifies no volatile address, and a site does not access it. Changes @ref. */
static tree strip_volatile(tree ref)
{
	tree t;

	for (t = ref; handled_component_p(t); t = TREE_OPERAND(t, 0))
		TREE_THIS_VOLATILE(t) = 0;
	if (!DECL_P(t))
		TREE_THIS_VOLATILE(t) = 0;
	return ref;
}

/* The @size bytes at @offset bytes, and @more, which is not constant, from where @whole begins */
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

/* Does @ref name some bits only? */
static bool is_bit_ref(tree ref)
{
	return TREE_CODE(ref) == BIT_FIELD_REF ||
	       (TREE_CODE(ref) == COMPONENT_REF && DECL_BIT_FIELD(TREE_OPERAND(ref, 1)));
}

/* Where the bits of @ref begin in what it is a part of, but for what is not constant of it */
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

/* Are there no other bits in the bytes in which those of @ref lie? */
static bool fills_bytes(tree ref)
{
	return first_bit(ref) % BITS_PER_UNIT == 0 && nr_bits(ref) % BITS_PER_UNIT == 0;
}

/* The bytes in which the bits of @ref lie, as an lvalue that an "m" operand can name */
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
 * Has the statement's block read bits beside those of @ref, and nothing been
 * stored since? Then the store of @ref needs not read them again.
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

/* The size of a type, or as much as is known: inline assembly may name what is incomplete. */
static tree size_of_type(tree type)
{
	for (; TREE_CODE(type) == ARRAY_TYPE && !TYPE_SIZE_UNIT(type); type = TREE_TYPE(type))
		;
	return TYPE_SIZE_UNIT(type) ?: size_one_node;
}

static enum name_kind name_kind_of(enum kind kind)
{
	return kind == READ ? NAME_READ : kind == WRITE ? NAME_WRITE : NAME_UPDATE;
}

/* A size as the notes have it */
static HOST_WIDE_INT constant_bytes(tree size)
{
	return tree_fits_uhwi_p(size) && tree_to_uhwi(size) <= INT_MAX ? tree_to_uhwi(size) : 0;
}

/* A site for the access to @ref, an operand of the statement at @gsi */
static void instrument_ref(gimple_stmt_iterator *gsi, enum kind kind, tree ref)
{
	tree size = NULL_TREE, lvalue;

	if (!ref)
		return;
	if (TREE_CODE(ref) == WITH_SIZE_EXPR) {
		size = TREE_OPERAND(ref, 1);
		ref = TREE_OPERAND(ref, 0);
	}
	if (!is_tracked(ref))
		return;
	if (is_bit_ref(ref)) {
		/* To store some bits of a byte, the others have to be known. */
		if (kind == WRITE && !fills_bytes(ref) && !is_read_before(gsi_stmt(*gsi), ref))
			kind = UPDATE;
		lvalue = bytes_of_bits(gsi, ref);
	} else {
		lvalue = strip_volatile(unshare_expr(ref));
	}
	size = size ?: size_of_type(TREE_TYPE(lvalue));
	insert_access(gsi, name_access(name_kind_of(kind), ref, constant_bytes(size)), kind, lvalue,
		      size);
}

/*
 * What the memory and string functions do to their arguments. They are not
 * instrumented, or not C, or GCC expands them in place: so their callers count.
 * Arguments are numbered from 1. ptr is accessed for bound bytes.
 */
struct argument_use {
	enum kind kind;
	unsigned char ptr, bound;
};

/*
 * All of GCC's builtins that are given pointers were looked through: see
 * tools/testing/memorizer/plugin/builtins.txt for the others. Those that end in
 * _eq are what it makes of a comparison when only equality matters.
 */
static const struct function_info {
	const char *name;
	struct argument_use uses[2];
} functions[] = {
	{ "memcpy",		{ { READ, 2, 3 }, { WRITE, 1, 3 } } },
	{ "__memcpy",		{ { READ, 2, 3 }, { WRITE, 1, 3 } } },
	{ "__memcpy_flushcache", { { READ, 2, 3 }, { WRITE, 1, 3 } } },
	{ "memmove",		{ { READ, 2, 3 }, { WRITE, 1, 3 } } },
	{ "__memmove",		{ { READ, 2, 3 }, { WRITE, 1, 3 } } },
	/* Copies from user space among them, that are not announced in another way */
	{ "copy_to_nontemporal", { { READ, 2, 3 }, { WRITE, 1, 3 } } },
	{ "__copy_user_nocache", { { WRITE, 1, 3 } } },
	{ "mempcpy",		{ { READ, 2, 3 }, { WRITE, 1, 3 } } },
	{ "bcopy",		{ { READ, 1, 3 }, { WRITE, 2, 3 } } },
	{ "memset",		{ { WRITE, 1, 3 } } },
	{ "__memset",		{ { WRITE, 1, 3 } } },
	{ "bzero",		{ { WRITE, 1, 2 } } },
	{ "memcmp",		{ { READ, 1, 3 }, { READ, 2, 3 } } },
	{ "__builtin_memcmp_eq", { { READ, 1, 3 }, { READ, 2, 3 } } },
	{ "bcmp",		{ { READ, 1, 3 }, { READ, 2, 3 } } },
};

/*
 * Those that touch as much as they find: which arguments are their operands a, b
 * and n, 0 for a bound that they do not have; and which of them count, if they
 * lead to memory that does.
 */
static const struct string_function {
	const char *name;
	enum memorizer_string string;
	unsigned char a, b, n;
	unsigned int counts;
} string_functions[] = {
#define COUNT_A		MEMORIZER_STRING_A
#define COUNT_BOTH	(MEMORIZER_STRING_A | MEMORIZER_STRING_B)
	{ "strlen",		MEMORIZER_STRNLEN, 1, 0, 0, COUNT_A },
	{ "strnlen",		MEMORIZER_STRNLEN, 1, 0, 2, COUNT_A },
	{ "rindex",		MEMORIZER_STRNLEN, 1, 0, 0, COUNT_A },
	{ "strrchr",		MEMORIZER_STRNLEN, 1, 0, 0, COUNT_A },
	{ "strcmp",		MEMORIZER_STRNCMP, 1, 2, 0, COUNT_BOTH },
	{ "strncmp",		MEMORIZER_STRNCMP, 1, 2, 3, COUNT_BOTH },
	{ "__builtin_strcmp_eq", MEMORIZER_STRNCMP, 1, 2, 3, COUNT_BOTH },
	{ "__builtin_strncmp_eq", MEMORIZER_STRNCMP, 1, 2, 3, COUNT_BOTH },
	{ "strcasecmp",		MEMORIZER_STRNCASECMP, 1, 2, 0, COUNT_BOTH },
	{ "strncasecmp",	MEMORIZER_STRNCASECMP, 1, 2, 3, COUNT_BOTH },
	{ "strcpy",		MEMORIZER_STRCPY, 1, 2, 0, COUNT_BOTH },
	{ "stpcpy",		MEMORIZER_STRCPY, 1, 2, 0, COUNT_BOTH },
	{ "strncpy",		MEMORIZER_STRNCPY, 1, 2, 3, COUNT_BOTH },
	{ "stpncpy",		MEMORIZER_STRNCPY, 1, 2, 3, COUNT_BOTH },
	{ "sized_strscpy",	MEMORIZER_STRSCPY, 1, 2, 3, COUNT_BOTH },
	{ "strcat",		MEMORIZER_STRNCAT, 1, 2, 0, COUNT_BOTH },
	{ "strncat",		MEMORIZER_STRNCAT, 1, 2, 3, COUNT_BOTH },
	{ "strlcat",		MEMORIZER_STRLCAT, 1, 2, 3, COUNT_BOTH },
	{ "strchr",		MEMORIZER_STRNCHR, 1, 0, 2, COUNT_A },
	{ "index",		MEMORIZER_STRNCHR, 1, 0, 2, COUNT_A },
	{ "strchrnul",		MEMORIZER_STRNCHR, 1, 0, 2, COUNT_A },
	{ "strnchr",		MEMORIZER_STRNCHR, 1, 2, 3, COUNT_A },
	{ "strnchrnul",		MEMORIZER_STRNCHR, 1, 2, 3, COUNT_A },
	{ "memchr",		MEMORIZER_MEMCHR, 1, 3, 2, COUNT_A },
	{ "memscan",		MEMORIZER_MEMCHR, 1, 3, 2, COUNT_A },
	{ "memchr_inv",		MEMORIZER_MEMCHR_INV, 1, 3, 2, COUNT_A },
	{ "strstr",		MEMORIZER_STRSTR, 1, 2, 0, COUNT_BOTH },
	{ "strnstr",		MEMORIZER_STRNSTR, 1, 2, 3, COUNT_BOTH },
	{ "strspn",		MEMORIZER_STRSPN, 1, 2, 0, COUNT_BOTH },
	{ "strcspn",		MEMORIZER_STRCSPN, 1, 2, 0, COUNT_BOTH },
	{ "strpbrk",		MEMORIZER_STRCSPN, 1, 2, 0, COUNT_BOTH },
	{ "strsep",		MEMORIZER_STRSEP, 1, 2, 0, COUNT_BOTH },
};

/* NULL_TREE if the call does not have so many: programs may declare what they like. */
static tree argument(gcall *call, unsigned int number)
{
	return number <= gimple_call_num_args(call) ? gimple_call_arg(call, number - 1) : NULL_TREE;
}

/* The memory that @ptr points to, or NULL_TREE if it does not count */
static tree tracked_target(tree ptr)
{
	tree ref;

	if (!ptr || !POINTER_TYPE_P(TREE_TYPE(ptr)))
		return NULL_TREE;
	ref = fold_build2(MEM_REF, unsigned_char_type_node, ptr, build_int_cst(ptr_type_node, 0));
	return is_tracked(ref) ? ref : NULL_TREE;
}

/* A site for an access of @size bytes to where @ptr points, if that is memory that counts */
static void instrument_target(gimple_stmt_iterator *gsi, enum kind kind, tree ptr, tree size)
{
	tree ref = tracked_target(ptr);

	if (ref)
		insert_access(gsi, name_target(name_kind_of(kind), gsi_stmt(*gsi), ptr,
					       constant_bytes(size)),
			      kind, ref, size);
}

static void instrument_argument(gimple_stmt_iterator *gsi, gcall *call,
				const struct argument_use *use)
{
	tree bound = argument(call, use->bound);

	if (bound && INTEGRAL_TYPE_P(TREE_TYPE(bound)))
		instrument_target(gsi, use->kind, argument(call, use->ptr), bound);
}

/* An operand of a string function, or the bound that it does not have; NULL_TREE: it cannot be one */
static tree string_operand(gcall *call, unsigned int number)
{
	tree value = number ? argument(call, number) : integer_minus_one_node;

	return value && (POINTER_TYPE_P(TREE_TYPE(value)) || INTEGRAL_TYPE_P(TREE_TYPE(value))) ?
	       value : NULL_TREE;
}

static tree null_pointer_to_char(void)
{
	return build_zero_cst(build_pointer_type(char_type_node));
}

static void instrument_string_function(gimple_stmt_iterator *gsi, gcall *call,
				       const struct string_function *function)
{
	tree a = string_operand(call, function->a), b = string_operand(call, function->b);
	tree n = string_operand(call, function->n);
	unsigned int counts = function->counts, name = NO_NAME;

	if (!a || !b || !n)
		return;
	if ((counts & MEMORIZER_STRING_A) && !tracked_target(a))
		counts &= ~MEMORIZER_STRING_A;
	if ((counts & MEMORIZER_STRING_B) && !tracked_target(b))
		counts &= ~MEMORIZER_STRING_B;
	if (counts & MEMORIZER_STRING_B)
		name = name_target(NAME_STRING, call, b, 0);
	if (counts & MEMORIZER_STRING_A)
		name = name_both(name_target(NAME_STRING, call, a, 0), name);
	/* What strsep() cuts is not an operand, and counts in any case: characters somewhere. */
	if (function->string == MEMORIZER_STRSEP && !name)
		name = name_target(NAME_STRING, call, null_pointer_to_char(), 0);
	if (counts || function->string == MEMORIZER_STRSEP)
		insert_string(gsi, name, function->string | counts, a, b, n);
}

static void instrument_function(gimple_stmt_iterator *gsi, gcall *call, const char *name)
{
	size_t length = strlen(name);
	unsigned int i, j;

	/* __<name>_chk(): one more argument, which does not matter here */
	if (length > 6 && !strncmp(name, "__", 2) && !strcmp(name + length - 4, "_chk")) {
		name += 2;
		length -= 6;
	}
	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		if (strncmp(functions[i].name, name, length) || functions[i].name[length])
			continue;
		for (j = 0; j < ARRAY_SIZE(functions[i].uses); j++)
			if (functions[i].uses[j].kind)
				instrument_argument(gsi, call, &functions[i].uses[j]);
	}
	for (i = 0; i < ARRAY_SIZE(string_functions); i++)
		if (!strncmp(string_functions[i].name, name, length) &&
		    !string_functions[i].name[length])
			instrument_string_function(gsi, call, &string_functions[i]);
}

/* A site for __atomic_<op>[_<size>] or __sync_<op>[_<size>] */
static void instrument_atomic(gimple_stmt_iterator *gsi, gcall *call, const char *name)
{
	enum kind kind = UPDATE;
	int size = atoi(strrchr(name, '_') + 1);

	if (strstr(name, "_load_"))
		kind = READ;
	else if (strstr(name, "_store_") || strstr(name, "_clear") || strstr(name, "_release"))
		kind = WRITE;
	if (!strcmp(name, "__atomic_test_and_set") || !strcmp(name, "__atomic_clear"))
		size = 1;
	if (!size)
		return;		/* a fence, or a question about the type */
	instrument_target(gsi, kind, argument(call, 1), size_int(size));

	/* Reads what it expects there, and may write what it found instead. */
	if (strstr(name, "__atomic_compare_exchange_"))
		instrument_target(gsi, UPDATE, argument(call, 2), size_int(size));
}

/*
 * The atomic updates that GCC has turned into something that fits a machine. The
 * size of the object is that of a constant's type: other arguments are promoted.
 */
static void instrument_internal(gimple_stmt_iterator *gsi, gcall *call)
{
	unsigned int ptr;
	tree size;

	switch (gimple_call_internal_fn(call)) {
	case IFN_ATOMIC_BIT_TEST_AND_SET:
	case IFN_ATOMIC_BIT_TEST_AND_COMPLEMENT:
	case IFN_ATOMIC_BIT_TEST_AND_RESET:
		ptr = 1;
		size = TYPE_SIZE_UNIT(TREE_TYPE(argument(call, 3)));
		break;
	case IFN_ATOMIC_COMPARE_EXCHANGE:
		ptr = 1;	/* the size, plus 256 if it is a weak one */
		size = size_int(tree_to_uhwi(argument(call, 4)) & 255);
		break;
#if BUILDING_GCC_VERSION >= 12000
	case IFN_ATOMIC_ADD_FETCH_CMP_0:
	case IFN_ATOMIC_SUB_FETCH_CMP_0:
	case IFN_ATOMIC_AND_FETCH_CMP_0:
	case IFN_ATOMIC_OR_FETCH_CMP_0:
	case IFN_ATOMIC_XOR_FETCH_CMP_0:
		ptr = 2;
		size = TYPE_SIZE_UNIT(TREE_TYPE(argument(call, 1)));
		break;
#endif
	default:
		return;
	}
	instrument_target(gsi, UPDATE, argument(call, ptr), size);
}

static void instrument_call(gimple_stmt_iterator *gsi, gcall *call)
{
	tree decl = gimple_call_fndecl(call);
	unsigned int i, allocation;
	const char *name;

	for (i = 0; i < gimple_call_num_args(call); i++)
		instrument_ref(gsi, READ, gimple_call_arg(call, i));

	if (gimple_call_internal_p(call)) {
		instrument_internal(gsi, call);
	} else if (decl) {
		name = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(decl));
		name += *name == '*';
		if (fndecl_built_in_p(decl, BUILT_IN_NORMAL) &&
		    (!strncmp(name, "__atomic_", 9) || !strncmp(name, "__sync_", 7)))
			instrument_atomic(gsi, call, name);
		else if (TREE_PUBLIC(decl))
			instrument_function(gsi, call, name);
	}

	instrument_ref(gsi, WRITE, gimple_call_lhs(call));
	allocation = name_allocation(call);
	if (allocation)
		gimple_set_location(call, location_with_name(location_at(*gsi), allocation));
}

/* What the text of inline assembly tells, of which the compiler knows nothing. */
struct asm_text {
	bool accesses;		/* an instruction that may access its operands */
	bool has_names;		/* an instruction that has not been put into numbers */
	bool has_data;		/* an instruction that has */
	bool has_segment;	/* an operand relative to %gs or %fs */
	enum kind bitop;	/* the kind of a bit operation, 0 if there is none */
};

static bool is_one_of(const char *word, size_t length, const char * const *words)
{
	for (; *words; words++)
		if (strlen(*words) == length && !strncasecmp(*words, word, length))
			return true;
	return false;
}

/* Judge an instruction by its name, a word of @length characters. */
static void judge_instruction(struct asm_text *text, const char *name, size_t length)
{
	static const char * const cache[] = {
		"clflush", "clflushopt", "clwb", "cldemote", "prefetch", "prefetchw", "prefetchnta",
		"prefetcht0", "prefetcht1", "prefetcht2", "nop", "nopw", "nopl", NULL
	};
	static const char * const updates[] = {
		"bts", "btsw", "btsl", "btsq", "btr", "btrw", "btrl", "btrq",
		"btc", "btcw", "btcl", "btcq", NULL
	};
	static const char * const reads[] = { "bt", "btw", "btl", "btq", "testb", NULL };

	text->has_names = true;
	if (is_one_of(name, length, cache))
		return;
	text->accesses = true;
	if (is_one_of(name, length, updates))
		text->bitop = UPDATE;
	else if (!text->bitop && is_one_of(name, length, reads))
		text->bitop = READ;
}

/* Directives are no instructions, unless it is one that older assemblers do not know. */
static void judge_word(struct asm_text *text, bool *in_section, const char *word, size_t length)
{
	static const char * const data[] = { ".byte", ".insn", NULL };
	static const char * const begin[] = { ".pushsection", ".section", NULL };
	static const char * const end[] = { ".popsection", ".previous", NULL };

	if (*word != '.')
		judge_instruction(text, word, length);
	else if (is_one_of(word, length, begin))
		*in_section = true;
	else if (is_one_of(word, length, end))
		*in_section = false;
	else if (!*in_section && is_one_of(word, length, data))
		text->has_data = true;
}

/*
 * Find the instructions in assembly: behind labels and prefixes the first word
 * of what ends with a line or a semicolon.
 */
static struct asm_text judge_asm(const char *p)
{
	static const char * const prefixes[] = {
		"lock", "rep", "repe", "repz", "repne", "repnz", "data16", "notrack", "cs", "ds",
		NULL
	};
	const char *word_chars =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.$";
	struct asm_text text = {};
	bool named = false, in_section = false;
	size_t length;

	while (*p) {
		length = strspn(p, word_chars);
		if (*p == '#') {
			p += strcspn(p, "\n");
		} else if (*p == '"') {
			p += 1 + strcspn(p + 1, "\"");
			p += *p == '"';
		} else if (*p == '\n' || *p == ';') {
			named = false;
			p++;
		} else if (!strncmp(p, "%%gs:", 5) || !strncmp(p, "%%fs:", 5)) {
			text.has_segment = true;
			p += 5;
		} else if (!length) {
			p++;
		} else {
			if (!named && p[length] != ':' && !is_one_of(p, length, prefixes)) {
				named = true;
				judge_word(&text, &in_section, p, length);
			}
			p += length;
		}
	}
	text.accesses |= text.has_data && !text.has_names;
	return text;
}

/* Like operand_equal_p(), for which nothing that is volatile equals anything. */
static bool same_memory(tree a, tree b)
{
	if (TREE_CODE(a) != TREE_CODE(b))
		return false;
	switch (TREE_CODE(a)) {
	case VAR_DECL:
		return a == b;
	case COMPONENT_REF:
		return TREE_OPERAND(a, 1) == TREE_OPERAND(b, 1) &&
		       same_memory(TREE_OPERAND(a, 0), TREE_OPERAND(b, 0));
	case ARRAY_REF:
		return operand_equal_p(TREE_OPERAND(a, 1), TREE_OPERAND(b, 1), 0) &&
		       same_memory(TREE_OPERAND(a, 0), TREE_OPERAND(b, 0));
	case MEM_REF:
		return operand_equal_p(TREE_OPERAND(a, 0), TREE_OPERAND(b, 0), 0) &&
		       operand_equal_p(TREE_OPERAND(a, 1), TREE_OPERAND(b, 1), 0);
	default:
		return operand_equal_p(a, b, 0);
	}
}

/* Does an input of inline assembly name the same memory as this output? */
static bool is_also_input(gasm *stmt, tree output)
{
	unsigned int i;

	for (i = 0; i < gimple_asm_ninputs(stmt); i++)
		if (same_memory(TREE_VALUE(gimple_asm_input_op(stmt, i)), output))
			return true;
	return false;
}

/*
 * The optimizers do not know that they must keep the size of an output whose
 * type has a variable size. So before they run, inline assembly that does nothing
 * goes in front of the one with such outputs, with their sizes as inputs.
 */
#define SIZES_TEXT "# sizes of outputs"

static bool is_sizes_asm(gimple stmt)
{
	return gimple_code(stmt) == GIMPLE_ASM &&
	       !strcmp(gimple_asm_string(as_a_gasm(stmt)), SIZES_TEXT);
}

static bool has_variable_size(tree value)
{
	tree size = TYPE_SIZE_UNIT(TREE_TYPE(value));

	return size && !TREE_CONSTANT(size);
}

static void keep_sizes(gimple_stmt_iterator *gsi, gasm *stmt)
{
	auto inputs = make_tree_vector();
	unsigned int i;
	gasm *sizes;
	tree size;

	for (i = 0; i < gimple_asm_noutputs(stmt); i++) {
		if (!has_variable_size(TREE_VALUE(gimple_asm_output_op(stmt, i))))
			continue;
		size = TYPE_SIZE_UNIT(TREE_TYPE(TREE_VALUE(gimple_asm_output_op(stmt, i))));
		vec_safe_push(inputs, build_tree_list(string_list("X"), is_gimple_val(size) ?
								size : size_one_node));
	}
	if (!vec_safe_is_empty(inputs)) {
		sizes = gimple_build_asm_vec(SIZES_TEXT, inputs, NULL, NULL, NULL);
		gimple_asm_set_volatile(sizes, true);
		gimple_asm_set_inline(sizes, true);
		gsi_insert_before(gsi, sizes, GSI_SAME_STMT);
	}
	release_tree_vector(inputs);
}

/* The size of output @output, which is a variable one, of the inline assembly at @gsi */
static tree variable_size(gimple_stmt_iterator *gsi, unsigned int output)
{
	gasm *stmt = as_a_gasm(gsi_stmt(*gsi));
	gimple_stmt_iterator before = *gsi;
	unsigned int i, n = 0;

	for (i = 0; i < output; i++)
		n += has_variable_size(TREE_VALUE(gimple_asm_output_op(stmt, i)));
	for (gsi_prev(&before); !gsi_end_p(before); gsi_prev(&before)) {
		stmt = is_sizes_asm(gsi_stmt(before)) ? as_a_gasm(gsi_stmt(before)) : NULL;
		if (stmt && n < gimple_asm_ninputs(stmt))
			return TREE_VALUE(gimple_asm_input_op(stmt, n));
	}
	return size_one_node;
}

/*
 * What inline assembly does to its outputs. One that must be in a register, but
 * whose home is memory: GCC stores it. One in memory: the assembly writes it,
 * and reads it too if it is an input as well, which is how "+m" arrives here.
 */
static void instrument_asm_output(gimple_stmt_iterator *gsi, gasm *stmt, unsigned int i)
{
	tree output = gimple_asm_output_op(stmt, i), value = TREE_VALUE(output);
	const char *constraint = TREE_STRING_POINTER(TREE_VALUE(TREE_PURPOSE(output)));
	bool allows_mem, allows_reg, is_inout;

	/* GCC 16 will want to know more here, about hard registers in constraints. */
	if (!parse_output_constraint(&constraint, i, 0, 0, &allows_mem, &allows_reg, &is_inout))
		return;
	if (has_variable_size(value))
		value = build2(WITH_SIZE_EXPR, TREE_TYPE(value), value, variable_size(gsi, i));
	if (!allows_reg && (is_inout || is_also_input(stmt, value)))
		instrument_ref(gsi, UPDATE, value);
	else
		instrument_ref(gsi, WRITE, value);
}

/*
 * Memory inputs are mostly there to name an address, so they do not count. The
 * exception are the kernel's bit operations on a bit that is not known before
 * it runs: they count as an access to the bitmap's first word.
 */
static void instrument_bitop(gimple_stmt_iterator *gsi, gasm *stmt, enum kind kind)
{
	unsigned int i;

	for (i = 0; i < gimple_asm_ninputs(stmt); i++)
		if (!is_gimple_val(TREE_VALUE(gimple_asm_input_op(stmt, i))))
			instrument_ref(gsi, kind, TREE_VALUE(gimple_asm_input_op(stmt, i)));
}

static bool has_memory_output(gasm *stmt)
{
	unsigned int i;

	for (i = 0; i < gimple_asm_noutputs(stmt); i++)
		if (is_also_input(stmt, TREE_VALUE(gimple_asm_output_op(stmt, i))))
			return true;
	return false;
}

/* Give a site from asm/memorizer.h, which has a pointer and a size, the note that it lacks. */
static void name_site(gimple_stmt_iterator *gsi, gasm *site)
{
	const char *text = gimple_asm_string(site);
	const char *thunk = strstr(text, "memorizer_thunk_") ?: strstr(text, "memorizer_joined_");
	enum kind kind;

	if (gimple_asm_ninputs(site) < 2 || !thunk ||
	    name_of_location(gimple_location(site)) != NO_NAME)
		return;
	kind = (enum kind)strchr(thunk + strlen("memorizer_"), '_')[1];
	gimple_set_location(site, location_with_name(location_at(*gsi),
		name_target(name_kind_of(kind), site, TREE_VALUE(gimple_asm_input_op(site, 0)),
			    constant_bytes(TREE_VALUE(gimple_asm_input_op(site, 1))))));
}

/* Assembly that has no instruction, or only such as manage the cache, accesses nothing. */
static void instrument_asm(gimple_stmt_iterator *gsi, gasm *stmt)
{
	struct asm_text text = judge_asm(gimple_asm_string(stmt));
	unsigned int i;

	if (!strncmp(gimple_asm_string(stmt), SITE_LABEL, strlen(SITE_LABEL))) {
		name_site(gsi, stmt);
		any_sites = true;
		return;
	}
	if (!text.accesses || text.has_segment)
		return;
	for (i = 0; i < gimple_asm_noutputs(stmt); i++)
		instrument_asm_output(gsi, stmt, i);
	if (text.bitop && !has_memory_output(stmt))
		instrument_bitop(gsi, stmt, text.bitop);
}

static void instrument_stmt(gimple_stmt_iterator *gsi)
{
	gimple stmt = gsi_stmt(*gsi);

	switch (gimple_code(stmt)) {
	case GIMPLE_ASSIGN:
		if (!gimple_assign_single_p(stmt) || gimple_clobber_p(stmt))
			break;
		instrument_ref(gsi, READ, gimple_assign_rhs1(stmt));
		instrument_ref(gsi, WRITE, gimple_assign_lhs(stmt));
		break;
	case GIMPLE_CALL:
		instrument_call(gsi, as_a_gcall(stmt));
		break;
	case GIMPLE_ASM:
		instrument_asm(gsi, as_a_gasm(stmt));
		break;
	case GIMPLE_RETURN:
		instrument_ref(gsi, READ, gimple_return_retval(as_a_greturn(stmt)));
		break;
	default:
		break;		/* has no memory operands */
	}
}

static unsigned int memorizer_sites_execute(void)
{
	gimple_stmt_iterator gsi;
	basic_block bb;

	sites = 0;
	FOR_EACH_BB_FN(bb, cfun) {
		for (gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi))
			instrument_stmt(&gsi);
		for (gsi = gsi_start_bb(bb); !gsi_end_p(gsi);) {
			if (is_sizes_asm(gsi_stmt(gsi)))
				gsi_remove(&gsi, true);
			else
				gsi_next(&gsi);
		}
	}
	return 0;
}

static unsigned int memorizer_marks_execute(void)
{
	gimple_stmt_iterator gsi;
	basic_block bb;

	FOR_EACH_BB_FN(bb, cfun) {
		for (gsi = gsi_start_phis(bb); !gsi_end_p(gsi); gsi_next(&gsi))
			mark_references(gsi_stmt(gsi));
		for (gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi))
			mark_references(gsi_stmt(gsi));
	}
	return 0;
}

static unsigned int memorizer_sizes_execute(void)
{
	gimple_stmt_iterator gsi;
	basic_block bb;

	FOR_EACH_BB_FN(bb, cfun)
		for (gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi))
			if (gimple_code(gsi_stmt(gsi)) == GIMPLE_ASM)
				keep_sizes(&gsi, as_a_gasm(gsi_stmt(gsi)));
	return 0;
}

/* Code that runs where the kernel is not ready for a call into C is left out. */
static bool memorizer_sites_gate(void)
{
	static const char * const sections[] = {
		".noinstr.text", ".entry.text", ".head.text", ".cpuidle.text",
	};
	const char *section = get_decl_section_name(current_function_decl);
	unsigned int i;

	for (i = 0; section && i < ARRAY_SIZE(sections); i++)
		if (!strcmp(section, sections[i]))
			return false;
	for (i = 0; i < skipped.length(); i++)
		if (!strcmp(IDENTIFIER_POINTER(DECL_NAME(current_function_decl)), skipped[i]))
			return false;
	return !lookup_attribute("naked", DECL_ATTRIBUTES(current_function_decl));
}

static bool memorizer_sizes_gate(void)
{
	return memorizer_sites_gate();
}

static bool memorizer_marks_gate(void)
{
	return memorizer_sites_gate();
}

#define PASS_NAME memorizer_marks
#define PROPERTIES_REQUIRED (PROP_ssa | PROP_cfg)
#include "gcc-generate-gimple-pass.h"

#define PASS_NAME memorizer_sizes
#define PROPERTIES_REQUIRED PROP_cfg
#include "gcc-generate-gimple-pass.h"

#define PASS_NAME memorizer_sites
#define PROPERTIES_REQUIRED (PROP_ssa | PROP_cfg)
#define TODO_FLAGS_FINISH TODO_update_ssa_only_virtuals
#include "gcc-generate-gimple-pass.h"

/* How the labels begin that are left of joined sites, which are numbers */
#define LABEL_BEGIN "773"

/* Is the insn an inline assembly that starts like this? */
static bool starts_with(rtx_insn *insn, const char *text)
{
	rtx body = NONJUMP_INSN_P(insn) ? extract_asm_operands(PATTERN(insn)) : NULL;

	return body && !strncmp(ASM_OPERANDS_TEMPLATE(body), text, strlen(text));
}

/* The asm_operands of a site, NULL if the insn holds none */
static rtx site_of(rtx_insn *insn)
{
	return starts_with(insn, SITE_BEGIN) ? extract_asm_operands(PATTERN(insn)) : NULL;
}

/* Would the stub have to address the frame? The operand that it addresses is the first. */
static bool is_frame_site(rtx site)
{
	rtx operand = ASM_OPERANDS_INPUT(site, 0);

	return MEM_P(operand) &&
	       (reg_mentioned_p(stack_pointer_rtx, operand) ||
		(frame_pointer_needed && reg_mentioned_p(hard_frame_pointer_rtx, operand)));
}

/* Let the insn hold another inline assembly, with these operands. */
static void replace_asm(rtx_insn *insn, rtx site, const char *text, rtvec inputs, rtvec constraints)
{
	rtx body = gen_rtx_ASM_OPERANDS(VOIDmode, ggc_strdup(text), "", 0, inputs, constraints,
					rtvec_alloc(0), ASM_OPERANDS_SOURCE_LOCATION(site));

	MEM_VOLATILE_P(body) = 1;
	if (PATTERN(insn) == site)
		PATTERN(insn) = body;
	else
		XVECEXP(PATTERN(insn), 0, 0) = body;
	INSN_CODE(insn) = -1;
	df_insn_rescan(insn);
}

/* A stub for an access of fixed size to operand 0 */
#define FIXED_END STUB_FIXED "\tjmp memorizer_thunk_"

/* The registers that thunks for accesses of fixed size and for groups change */
static const unsigned int changed_registers[] = { R9_REG, R10_REG, R11_REG };

/* What a stub does that has to save so many of them, the first ones */
static const struct saving {
	const char *save;
	const char *load;	/* between two calls */
	const char *leave;	/* at its end */
} savings[] = {
	{ "", "", "" },
	{ "\tpushq %%r9\n",
	  "\tmovq (%%rsp), %%r9\n",
	  "\tjmp memorizer_leave_r9\n" },
	{ "\tpushq %%r9\n\tpushq %%r10\n",
	  "\tmovq (%%rsp), %%r10\n\tmovq 8(%%rsp), %%r9\n",
	  "\tjmp memorizer_leave_r10\n" },
	{ "\tpushq %%r9\n\tpushq %%r10\n\tpushq %%r11\n",
	  "\tmovq (%%rsp), %%r11\n\tmovq 8(%%rsp), %%r10\n\tmovq 16(%%rsp), %%r9\n",
	  "\tjmp memorizer_leave_r11\n" },
};

/* Does the pattern, or part of one, access the memory at @address? */
static bool mentions_memory(const_rtx pattern, rtx address)
{
	subrtx_iterator::array_type array;

	FOR_EACH_SUBRTX(iter, array, pattern, ALL)
		if (MEM_P(*iter) && rtx_equal_p(XEXP(*iter, 0), address))
			return true;
	return false;
}

static bool insn_accesses(rtx_insn *insn, rtx address, bool is_read)
{
	rtx set = single_set(insn);

	if (!set)
		return mentions_memory(PATTERN(insn), address);
	return mentions_memory(is_read ? SET_SRC(set) : SET_DEST(set), address);
}

/* Is it an inline assembly without an instruction, as that of barrier() is? */
static bool is_empty_asm(rtx_insn *insn)
{
	rtx body = NONJUMP_INSN_P(insn) ? extract_asm_operands(PATTERN(insn)) : NULL;

	return body && !*ASM_OPERANDS_TEMPLATE(body);
}

/* Does other code follow only sometimes, or much happen in this insn? */
static bool ends_straight_code(rtx_insn *insn)
{
	return LABEL_P(insn) || BARRIER_P(insn) || JUMP_P(insn) || CALL_P(insn) ||
	       (NONDEBUG_INSN_P(insn) && volatile_insn_p(PATTERN(insn)) && !is_empty_asm(insn) &&
		!starts_with(insn, SITE_BEGIN) && !starts_with(insn, LABEL_BEGIN));
}

/*
 * GCC may have put other insns between the place of @insn, which has become a
 * label, and the insn that accesses memory at @address: move it there.
 */
static void move_label(rtx_insn *insn, rtx address, bool is_read)
{
	rtx_insn *next;
	unsigned int n;

	for (next = NEXT_INSN(insn), n = 0; next && n < 8; next = NEXT_INSN(next)) {
		if (ends_straight_code(next))
			return;
		if (!NONDEBUG_INSN_P(next) || site_of(next))
			continue;
		if (insn_accesses(next, address, is_read)) {
			if (n)
				reorder_insns(insn, insn, PREV_INSN(next));
			return;
		}
		if (modified_in_p(address, next))
			return;
		n++;
	}
}

/* How many of these registers a site of the current function has to save; it is not there: none */
static hash_map<rtx_insn *, unsigned int> saved_by_sites;

static const struct saving *saving_of(rtx_insn *site)
{
	unsigned int *saved = saved_by_sites.get(site);

	return &savings[saved ? *saved : 0];
}

/* Let the site say which of them it changes: callers of a function may rely on what it does. */
static void add_clobbers(rtx_insn *insn)
{
	const unsigned int first = saving_of(insn) - savings;
	rtx old = PATTERN(insn);
	unsigned int n = GET_CODE(old) == PARALLEL ? XVECLEN(old, 0) : 1, i;
	rtvec all = rtvec_alloc(n + ARRAY_SIZE(changed_registers) - first);

	for (i = 0; i < n; i++)
		RTVEC_ELT(all, i) = GET_CODE(old) == PARALLEL ? XVECEXP(old, 0, i) : old;
	for (i = first; i < ARRAY_SIZE(changed_registers); i++)
		RTVEC_ELT(all, n + i - first) =
			gen_rtx_CLOBBER(VOIDmode, gen_rtx_REG(DImode, changed_registers[i]));
	PATTERN(insn) = gen_rtx_PARALLEL(VOIDmode, all);
	INSN_CODE(insn) = -1;
	df_insn_rescan(insn);
}

/* Are these any function's to change, and so not those of a caller of this one? */
static bool registers_are_callees(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(changed_registers); i++)
		if (fixed_regs[changed_registers[i]] ||
		    !crtl->abi->clobbers_full_reg_p(changed_registers[i]))
			return false;
	return !lookup_attribute("no_caller_saved_registers",
				 TYPE_ATTRIBUTES(TREE_TYPE(current_function_decl)));
}

/* Find out which of them have a value at each site that is needed there, or later. */
static void find_saved_registers(void)
{
	bool callees = registers_are_callees();
	unsigned int i, saved;
	auto_bitmap live;
	basic_block bb;
	rtx_insn *insn;

	saved_by_sites.empty();
	df_analyze();
	FOR_EACH_BB_REVERSE_FN(bb, cfun) {
		bitmap_copy(live, DF_LR_OUT(bb));
		df_simulate_initialize_backwards(bb, live);
		FOR_BB_INSNS_REVERSE(bb, insn) {
			if (!INSN_P(insn))
				continue;
			df_simulate_one_insn_backwards(bb, insn, live);
			if (!site_of(insn))
				continue;
			for (saved = 0, i = 0; i < ARRAY_SIZE(changed_registers); i++)
				if (!callees || bitmap_bit_p(live, changed_registers[i]))
					saved = i + 1;
			if (saved)
				saved_by_sites.put(insn, saved);
		}
	}
}

/* An access that a stub counts */
struct counted {
	rtx operand, constraint;
	char thunk[4];		/* its kind and size, as memorizer_thunk_... has them */
	char ip[16];		/* a label that stands there */
};

/* A site that others can be joined to, and the accesses that its stub counts, in their order */
struct lead {
	rtx_insn *insn;
	const struct saving *saving;	/* of the registers that thunks change */
	auto_vec<counted> accesses;
};

/* A part of a stub: one access, or several that are counted at once */
struct part {
	unsigned int members[MAX_JOINED], n;	/* which of the accesses */
	unsigned int first;	/* the one that begins at @start */
	char kind;		/* of all of them; 0: they differ */
	rtx base;		/* where they begin, but for bytes that are known: */
	HOST_WIDE_INT start, end;
};

static counted make_counted(rtx site, const char *ip)
{
	const char *thunk = strstr(ASM_OPERANDS_TEMPLATE(site), FIXED_END) + strlen(FIXED_END);
	counted made = { ASM_OPERANDS_INPUT(site, 0), ASM_OPERANDS_INPUT_CONSTRAINT_EXP(site, 0) };

	snprintf(made.thunk, sizeof(made.thunk), "%.*s", (int)strcspn(thunk, "\n"), thunk);
	snprintf(made.ip, sizeof(made.ip), "%s", ip);
	return made;
}

static lead *make_lead(rtx_insn *insn, rtx site)
{
	lead *made = new lead();

	made->insn = insn;
	made->saving = saving_of(insn);
	made->accesses.safe_push(make_counted(site, "771b + 5"));
	return made;
}

/* The part that has one access only, the @i-th of the lead */
static part make_part(const lead *lead, unsigned int i)
{
	const counted *access = &lead->accesses[i];
	part made = { { i }, 1, i, access->thunk[0] };
	poly_int64 known;

	made.base = strip_offset(XEXP(access->operand, 0), &known);
	made.start = known.to_constant();
	made.end = made.start + atoi(access->thunk + 1);
	return made;
}

/* Have the one access of @more counted with @part; false if they are not near each other. */
static bool merge_parts(part *part, const struct part *more)
{
	HOST_WIDE_INT start = MIN(part->start, more->start), end = MAX(part->end, more->end);

	if (end - start > MAX_EXTENT || !rtx_equal_p(part->base, more->base))
		return false;
	part->members[part->n++] = more->first;
	if (start < part->start)
		part->first = more->first;
	part->start = start;
	part->end = end;
	if (part->kind != more->kind)
		part->kind = 0;
	return true;
}

/* Count @more with the last of @parts that it can be counted with; false if there is none. */
static bool merge_into(auto_vec<part> *parts, const part *more)
{
	unsigned int i;

	for (i = parts->length(); i-- > 0;) {
		if (merge_parts(&(*parts)[i], more))
			return true;
		if ((*parts)[i].kind != more->kind)
			return false;
	}
	return false;
}

/*
 * Divide what a stub counts into parts, of which each one that has several accesses makes a
 * group; there are no more than @groups. Loads and stores are counted in their order: it
 * matters to who looks at cache lines. Returns the number of groups.
 */
static unsigned int divide(const lead *lead, unsigned int groups, auto_vec<part> *parts)
{
	unsigned int i, n = 0;

	for (i = 0; i < lead->accesses.length(); i++) {
		part more = make_part(lead, i);

		if (!groups || !merge_into(parts, &more))
			parts->safe_push(more);
	}
	for (i = 0; i < parts->length(); i++)
		n += (*parts)[i].n > 1;
	if (n <= groups)
		return n;
	parts->truncate(0);
	return divide(lead, 0, parts);
}

/* What the section of groups has, behind the label 775: a part, see struct memorizer_group */
static char *describe_group(const lead *lead, const part *part)
{
	unsigned int i, accesses = 0;
	char *all = xstrdup(""), *more;

	for (i = 0; i < part->n; i++) {
		const counted *access = &lead->accesses[part->members[i]];
		struct part one = make_part(lead, part->members[i]);

		accesses += one.kind == UPDATE ? 2 : 1;
		more = xasprintf("%s\t.long %s - .\n\t.short %d\n\t.byte %d, %d\n", all, access->ip,
				 (int)(one.start - part->start), (int)(one.end - one.start),
				 one.kind == READ ? 1 : one.kind == WRITE ? 2 : 3);
		free(all);
		all = more;
	}
	more = xasprintf("\t.pushsection memorizer_groups, \"a\"\n\t.balign 4\n"
			 "775:\t.short %d\n\t.byte %u, %u\n%s\t.popsection\n",
			 (int)(part->end - part->start), part->n, accesses, all);
	free(all);
	return more;
}

/* What a stub does for one of its parts: a call, or at its end a jump */
static char *count_part(const lead *lead, const part *part, bool is_last)
{
	const counted *access = &lead->accesses[part->first];
	bool is_group = part->n > 1;
	char *group, *text;

	if (is_last && !is_group && !part->first)
		return concat(FIXED_END, access->thunk, "\n", NULL);
	group = is_group ? describe_group(lead, part) : xstrdup("");
	text = xasprintf("\tleaq %%%u, %%%%r11\n\tleaq %s(%%%%rip), %%%%r10\n\t%s memorizer_%s%s\n%s",
			 part->first, is_group ? "775f" : access->ip, is_last ? "jmp" : "call",
			 is_group ? "group" : "joined_", is_group ? "" : access->thunk, group);
	free(group);
	return text;
}

/* Appends to a text. */
static void append(char **text, const char *more)
{
	char *all = concat(*text, more, NULL);

	free(*text);
	*text = all;
}

/*
 * Let the site of @lead have the stub that counts all of its accesses, in parts. If their
 * order does not matter, the part with the site's own access is the last: it costs least.
 * There are no more than @groups groups in it; returns their number.
 */
static unsigned int write_stub(const lead *lead, unsigned int groups)
{
	unsigned int n = lead->accesses.length(), i;
	rtvec inputs = rtvec_alloc(n), constraints = rtvec_alloc(n);
	rtx site = site_of(lead->insn);
	const char *text = ASM_OPERANDS_TEMPLATE(site), *end = strstr(text, FIXED_END);
	char *stub = xasprintf("%.*s", (int)(end - text), text), *part_text;
	auto_vec<part> parts;
	bool in_order = false;

	for (i = 0; i < n; i++) {
		RTVEC_ELT(inputs, i) = lead->accesses[i].operand;
		RTVEC_ELT(constraints, i) = lead->accesses[i].constraint;
		in_order |= lead->accesses[i].thunk[0] != lead->accesses[0].thunk[0];
	}
	groups = divide(lead, groups, &parts);
	append(&stub, lead->saving->save);
	for (i = 1; i <= parts.length(); i++) {
		if (i > 1)
			append(&stub, lead->saving->load);
		part_text = count_part(lead, &parts[in_order ? i - 1 : i % parts.length()],
				       lead->saving == savings && i == parts.length());
		append(&stub, part_text);
		free(part_text);
	}
	append(&stub, lead->saving->leave);
	/* SITE_END begins with the end of a line. */
	append(&stub, strchr(end + strlen(FIXED_END), '\n') + 1);
	replace_asm(lead->insn, site, stub, inputs, constraints);
	free(stub);
	return groups;
}

/*
 * Groups are there for as long as the kernel is: none in modules, nor in text that goes
 * when the kernel has started.
 */
static bool may_group(void)
{
	const char *section = get_decl_section_name(current_function_decl);

	return with_groups && (!section || (strncmp(section, ".init", strlen(".init")) &&
					    strncmp(section, ".exit", strlen(".exit"))));
}

/*
 * Let @lead count the access of @insn's site, too, which is behind it in straight code, and
 * whose operand already has its value there. Where @insn was there remains a label, which
 * tells the access's ip.
 */
static void join_site(lead *lead, rtx_insn *insn)
{
	static unsigned int last_label = 773000000;	/* begins with LABEL_BEGIN */
	unsigned int label = ++last_label;
	rtx site = site_of(insn);
	char ip[16], *text;

	snprintf(ip, sizeof(ip), "%uf", label);
	lead->accesses.safe_push(make_counted(site, ip));
	text = xasprintf("%u:", label);
	replace_asm(insn, site, text, rtvec_alloc(0), rtvec_alloc(0));
	free(text);
	move_label(insn, XEXP(lead->accesses.last().operand, 0),
		   lead->accesses.last().thunk[0] != WRITE);
	joined_sites++;
}

/* The last of @leads that can count the access of @insn's site too, NULL if none can */
static lead *find_lead(const auto_vec<lead *> &leads, rtx_insn *insn, rtx site)
{
	rtx address = XEXP(ASM_OPERANDS_INPUT(site, 0), 0);
	unsigned int i;

	for (i = leads.length(); i-- > 0;)
		if (leads[i]->accesses.length() < MAX_JOINED &&
		    !modified_between_p(address, leads[i]->insn, insn))
			return leads[i];
	return NULL;
}

/* Nothing more can be joined to these. */
static void write_stubs(auto_vec<lead *> &leads)
{
	unsigned int i, groups = may_group() ? MEMORIZER_GROUPS_AT_ONCE : 0;

	for (i = 0; i < leads.length(); i++) {
		if (leads[i]->accesses.length() > 1 || leads[i]->saving != savings)
			groups -= write_stub(leads[i], groups);
		add_clobbers(leads[i]->insn);
		delete leads[i];
	}
	leads.truncate(0);
}

/*
 * Join each site for an access of fixed size to an earlier one that is executed
 * if and only if it is, and from which on its operand's registers are the same.
 * Nothing else must happen in between: no call, nothing volatile.
 */
static void join_sites(void)
{
	auto_vec<lead *> leads;
	rtx_insn *insn, *next;
	lead *lead;
	rtx site;

	for (insn = get_insns(); insn; insn = next) {
		next = NEXT_INSN(insn);
		site = site_of(insn);
		if (site && strstr(ASM_OPERANDS_TEMPLATE(site), FIXED_END)) {
			lead = find_lead(leads, insn, site);
			if (lead)
				join_site(lead, insn);
			else
				leads.safe_push(make_lead(insn, site));
		} else if (ends_straight_code(insn)) {
			write_stubs(leads);
		}
	}
	write_stubs(leads);
}

/*
 * Adds to a label what tells an address from others; false if that takes more than
 * registers and numbers.
 */
static bool name_address(const_rtx address, char *label, size_t size)
{
	char *end = label + strlen(label);
	int left = label + size - end;

	switch (GET_CODE(address)) {
	case REG:
		return snprintf(end, left, "_r%u", REGNO(address)) < left;
	case CONST_INT:
		return snprintf(end, left, "_%llx", (unsigned long long)INTVAL(address)) < left;
	case PLUS:
	case MULT:
	case ASHIFT:
		return snprintf(end, left, "_%s", GET_RTX_NAME(GET_CODE(address))) < left &&
		       name_address(XEXP(address, 0), label, size) &&
		       name_address(XEXP(address, 1), label, size);
	default:
		return false;
	}
}

/*
 * Let a site for one access of fixed size have its stub in common with those in its
 * section that do the same: the first of them, to the assembler, makes it. Its label
 * says all that it does.
 */
static void share_stub(rtx_insn *insn, unsigned int section)
{
	rtx site = site_of(insn), operand;
	char label[256], *stub, *text;
	const char *thunk;

	thunk = site ? strstr(ASM_OPERANDS_TEMPLATE(site), FIXED_END) : NULL;
	if (!thunk || ASM_OPERANDS_INPUT_LENGTH(site) != 1)
		return;
	thunk += strlen(FIXED_END);
	operand = ASM_OPERANDS_INPUT(site, 0);
	if (!MEM_P(operand) ||
	    snprintf(label, sizeof(label), ".Lmemorizer%u_%.*s", section,
		     (int)strcspn(thunk, "\n"), thunk) >= (int)sizeof(label) ||
	    !name_address(XEXP(operand, 0), label, sizeof(label)))
		return;

	stub = xstrdup(ASM_OPERANDS_TEMPLATE(site) + strlen(SITE_BEGIN));
	stub[strlen(stub) - strlen(SITE_END)] = 0;
	text = concat(SITE_LABEL " $", label, SITE_TABLE, label, SITE_STUB, "\t.ifndef ", label, "\n",
		      label, ":\n772:\n", stub, "\n\t.endif", SITE_END, NULL);
	replace_asm(insn, site, text, ASM_OPERANDS_INPUT_VEC(site),
		    ASM_OPERANDS_INPUT_CONSTRAINT_VEC(site));
	free(text);
	free(stub);
}

/* Numbers of the sections that have stubs, by name: not every name can be part of a label. */
static hash_map<nofree_string_hash, unsigned int> stub_sections;

/* The section of the current function's code, or of its rarely executed part */
static unsigned int number_of_section(bool cold)
{
	unsigned int number = stub_sections.elements(), *known;
	const bool was_cold = in_cold_section_p;
	const section *to;
	const char *name;

	in_cold_section_p = cold;
	to = current_function_section();
	in_cold_section_p = was_cold;
	name = SECTION_STYLE(to) == SECTION_NAMED ? to->named.name : "";
	known = stub_sections.get(name);
	if (known)
		return *known;
	stub_sections.put(xstrdup(name), number);
	return number;
}

static void share_stubs(void)
{
	unsigned int hot = number_of_section(false), cold = number_of_section(true);
	basic_block bb;
	rtx_insn *insn;

	FOR_EACH_BB_FN(bb, cfun)
		FOR_BB_INSNS(bb, insn)
			share_stub(insn, BB_PARTITION(bb) == BB_COLD_PARTITION ? cold : hot);
}

/* Let the insn, an inline assembly that stands where @ip is, also write the note that it has. */
static void write_note(rtx_insn *insn, rtx assembly, const char *ip)
{
	char *records = name_records(ASM_OPERANDS_SOURCE_LOCATION(assembly), ip);
	char *text;

	if (*records) {
		text = concat(ASM_OPERANDS_TEMPLATE(assembly), records, NULL);
		replace_asm(insn, assembly, text, ASM_OPERANDS_INPUT_VEC(assembly),
			    ASM_OPERANDS_INPUT_CONSTRAINT_VEC(assembly));
		free(text);
	}
	free(records);
}

/* The note on a call goes into inline assembly behind it, where the call returns to. */
static void write_note_of_call(rtx_insn *call)
{
	char *records = name_records(INSN_LOCATION(call), "774b"), *text;
	rtx body;

	if (*records) {
		text = concat("774:", records, NULL);
		body = gen_rtx_ASM_OPERANDS(VOIDmode, ggc_strdup(text), "", 0, rtvec_alloc(0),
					    rtvec_alloc(0), rtvec_alloc(0), INSN_LOCATION(call));
		MEM_VOLATILE_P(body) = 1;
		emit_insn_after(body, call);
		free(text);
	}
	free(records);
}

static void write_notes(void)
{
	const char *label;
	rtx_insn *insn;
	rtx assembly;
	char *ip;

	for (insn = get_insns(); insn; insn = NEXT_INSN(insn)) {
		if (starts_with(insn, SITE_LABEL)) {
			assembly = extract_asm_operands(PATTERN(insn));
			write_note(insn, assembly, "771b + 5");
		} else if (starts_with(insn, LABEL_BEGIN)) {
			assembly = extract_asm_operands(PATTERN(insn));
			label = ASM_OPERANDS_TEMPLATE(assembly);
			ip = xasprintf("%.*sb", (int)strspn(label, "0123456789"), label);
			write_note(insn, assembly, ip);
			free(ip);
		} else if (CALL_P(insn) && !SIBLING_CALL_P(insn)) {
			write_note_of_call(insn);
		}
	}
}

/* What a site is when it is off, as its table says */
enum form { TEST, DS, SS };

/* No instruction is longer. */
#define MAX_INSN_LENGTH 15
#define SITE_LENGTH 5

/* In place of the test; as the assembler knows %ss: no more where it means nothing */
#define FIVE(prefix) prefix "\n\t" prefix "\n\t" prefix "\n\t" prefix "\n\t" prefix
#define PREFIXES_DS "771:\t" FIVE("ds")
#define PREFIXES_SS "771:\t.code32\n\t" FIVE("ss") "\n\t.code64"

/* Which segment an address refers to if the instruction does not say it; TEST: it is not clear */
static enum form segment_of(const_rtx address)
{
	const_rtx base = GET_CODE(address) == PLUS && CONST_INT_P(XEXP(address, 1)) ?
			 XEXP(address, 0) : address;

	if (!reg_mentioned_p(stack_pointer_rtx, address) &&
	    !reg_mentioned_p(hard_frame_pointer_rtx, address))
		return DS;
	return REG_P(base) ? SS : TEST;
}

/*
 * Which prefixes change nothing in an instruction: those of the segment that its operand in
 * memory is in; what the stack is used for beside that is not asked. TEST: it is not clear.
 */
static enum form form_of_operands(const_rtx pattern)
{
	subrtx_iterator::array_type array;
	enum form form = TEST, one;

	FOR_EACH_SUBRTX(iter, array, pattern, ALL) {
		if (GET_CODE(*iter) == UNSPEC || GET_CODE(*iter) == UNSPEC_VOLATILE)
			return TEST;
		if (!MEM_P(*iter) || GET_RTX_CLASS(GET_CODE(XEXP(*iter, 0))) == RTX_AUTOINC)
			continue;
		one = ADDR_SPACE_GENERIC_P(MEM_ADDR_SPACE(*iter)) ? segment_of(XEXP(*iter, 0)) : TEST;
		if (one == TEST || (form != TEST && form != one))
			return TEST;
		form = one;
	}
	return form == TEST ? DS : form;
}

/*
 * Which prefixes the insn can have, all of a site's, TEST if it can have none. It must be one
 * instruction, but none that changes where the code goes on: there they have a meaning. Nor one
 * of inline assembly, whose address may be in a table of those to be patched.
 */
static enum form form_before(rtx_insn *insn)
{
	if (starts_with(insn, SITE_LABEL))
		return DS;
	if (!NONJUMP_INSN_P(insn) || recog_memoized(insn) < 0 ||
	    get_attr_length(insn) > MAX_INSN_LENGTH - SITE_LENGTH)
		return TEST;
	switch (get_attr_type(insn)) {
	case TYPE_ALU:
	case TYPE_ALU1:
	case TYPE_NEGNOT:
	case TYPE_IMOV:
	case TYPE_IMOVX:
	case TYPE_LEA:
	case TYPE_INCDEC:
	case TYPE_ISHIFT:
	case TYPE_ISHIFT1:
	case TYPE_ROTATE:
	case TYPE_ROTATE1:
	case TYPE_IMUL:
	case TYPE_IDIV:
	case TYPE_ICMP:
	case TYPE_TEST:
	case TYPE_SETCC:
	case TYPE_ICMOV:
	case TYPE_PUSH:
	case TYPE_POP:
		return form_of_operands(PATTERN(insn));
	default:
		return TEST;
	}
}

/* Is it none, or one for which no byte is written where it stands, nor may any in front of it? */
static bool is_nothing(rtx_insn *insn)
{
	return NOTE_P(insn) || DEBUG_INSN_P(insn) || is_empty_asm(insn) || starts_with(insn, LABEL_BEGIN) ||
	       (NONJUMP_INSN_P(insn) && (GET_CODE(PATTERN(insn)) == USE ||
					 GET_CODE(PATTERN(insn)) == CLOBBER));
}

/*
 * Kprobes refuse sites. So put a NOP in front of a site that a function would begin with, or
 * its rarely executed part, which has a symbol of its own: both can be probed at their entry.
 */
static void keep_entries_free(void)
{
	/* The call of __fentry__ is not an insn yet. */
	bool is_entry = !(crtl->profile && flag_fentry);
	rtx_insn *insn;

	for (insn = get_insns(); insn; insn = NEXT_INSN(insn)) {
		if (NOTE_P(insn) && NOTE_KIND(insn) == NOTE_INSN_SWITCH_TEXT_SECTIONS)
			is_entry = true;
		if (!is_entry || is_nothing(insn) || LABEL_P(insn) || BARRIER_P(insn))
			continue;
		if (starts_with(insn, SITE_LABEL))
			emit_insn_before(gen_nop(), insn);
		is_entry = false;
	}
}

/* What the site, a test, becomes, so that when it is off it is no instruction of its own */
static void write_prefixes_of(rtx_insn *insn)
{
	rtx assembly = extract_asm_operands(PATTERN(insn));
	const char *test = ASM_OPERANDS_TEMPLATE(assembly), *table, *stub;
	enum form form = TEST;
	char *text, *entry;
	rtx_insn *next;

	for (next = NEXT_INSN(insn); next && is_nothing(next); next = NEXT_INSN(next))
		;
	if (next)
		form = form_before(next);
	if (form == TEST)
		return;
	table = strchr(test, '\n');
	stub = strstr(table, SITE_DISTANCE "\n") + strlen(SITE_DISTANCE);
	entry = xstrndup(table, stub - table);
	text = concat(form == DS ? PREFIXES_DS : PREFIXES_SS, entry,
		      form == DS ? " + (1 << 28)" : " + (2 << 28)", stub, NULL);
	replace_asm(insn, assembly, text, ASM_OPERANDS_INPUT_VEC(assembly),
		    ASM_OPERANDS_INPUT_CONSTRAINT_VEC(assembly));
	free(entry);
	free(text);
}

/* From the last site to the first: one that stays a test can have prefixes itself. */
static void write_prefixes(void)
{
	rtx_insn *insn;

	for (insn = get_last_insn(); insn; insn = PREV_INSN(insn))
		if (starts_with(insn, SITE_LABEL))
			write_prefixes_of(insn);
}

/*
 * Delete the sites whose operand turned out to lie in the frame after all: it
 * is a local object, and the stub has moved the stack pointer. Such an address
 * cannot leave the frame, or else the program is undefined. Then join what is left,
 * share stubs, write the notes, keep entries free, and put prefixes where they can stand.
 */
static unsigned int memorizer_join_execute(void)
{
	unsigned int deleted = 0;
	rtx_insn *insn, *next;
	rtx site;

	for (insn = get_insns(); insn; insn = next) {
		next = NEXT_INSN(insn);
		site = site_of(insn);
		if (site && is_frame_site(site)) {
			delete_insn(insn);
			deleted++;
		}
	}
	joined_sites = 0;
	find_saved_registers();
	join_sites();
	share_stubs();
	write_notes();
	keep_entries_free();
	write_prefixes();
	if (verbose && sites)
		inform(DECL_SOURCE_LOCATION(current_function_decl),
		       "memorizer: %u sites in %qD, %u deleted that access its frame, %u joined to others",
		       sites, current_function_decl, deleted, joined_sites);
	return 0;
}

#define PASS_NAME memorizer_join
#define NO_GATE
#include "gcc-generate-rtl-pass.h"

/* Which sites are of this file, if it has any */
static void write_file(FILE *file)
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

static void finish_unit(void *, void *)
{
	write_file(asm_out_file);
	write_names(asm_out_file);
}

__visible int plugin_init(struct plugin_name_args *plugin_info,
			  struct plugin_gcc_version *version)
{
	const char * const plugin_name = plugin_info->base_name;
	const struct plugin_argument * const argv = plugin_info->argv;
	int i;

	/* Before any optimizer, and before there is SSA */
	PASS_INFO(memorizer_sizes, "cfg", 1, PASS_POS_INSERT_AFTER);
	/* After what is inlined first, and before all else */
	PASS_INFO(memorizer_marks, "einline", 1, PASS_POS_INSERT_AFTER);
	/* After the GIMPLE optimizers and the warnings */
	PASS_INFO(memorizer_sites, "optimized", 1, PASS_POS_INSERT_BEFORE);
	/* After register allocation, prologues and the last copies of blocks */
	PASS_INFO(memorizer_join, "*free_cfg", 1, PASS_POS_INSERT_BEFORE);

	if (!plugin_default_version_check(version, &gcc_version)) {
		error(G_("incompatible gcc/plugin versions"));
		return 1;
	}

	for (i = 0; i < plugin_info->argc; i++) {
		if (!strcmp(argv[i].key, "unwind-hints")) {
			unwind_hints = true;
		} else if (!strcmp(argv[i].key, "groups")) {
			with_groups = true;
		} else if (!strcmp(argv[i].key, "verbose")) {
			verbose = true;
		} else if (!strcmp(argv[i].key, "skip") && argv[i].value) {
			skipped.safe_push(argv[i].value);
		} else if (strcmp(argv[i].key, "id")) {
			error(G_("unknown option '-fplugin-arg-%s-%s'"), plugin_name, argv[i].key);
			return 1;
		}
	}

	register_callback(plugin_name, PLUGIN_INFO, NULL, &memorizer_plugin_info);
	register_callback(plugin_name, PLUGIN_PASS_MANAGER_SETUP, NULL,
			  &memorizer_sizes_pass_info);
	register_callback(plugin_name, PLUGIN_PASS_MANAGER_SETUP, NULL,
			  &memorizer_marks_pass_info);
	register_callback(plugin_name, PLUGIN_PASS_MANAGER_SETUP, NULL,
			  &memorizer_sites_pass_info);
	register_callback(plugin_name, PLUGIN_PASS_MANAGER_SETUP, NULL,
			  &memorizer_join_pass_info);
	register_callback(plugin_name, PLUGIN_FINISH_UNIT, finish_unit, NULL);
	return 0;
}
