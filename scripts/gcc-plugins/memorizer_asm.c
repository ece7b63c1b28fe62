// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memorizer plugin: the accesses of inline assembly.
 *
 * GCC knows the operands, but not the instructions. Outputs in memory count, inputs do not:
 * mostly they only provide an address.
 */

#include "gcc-common.h"
#include "gimplify-me.h"
#include "memorizer_names.h"
#include "memorizer_site.h"
#include "memorizer_sites.h"
#include "memorizer_asm.h"

/* What a scan of the text of inline assembly found */
struct asm_scan {
	bool accesses;		/* an instruction that may access its operands */
	bool has_names;		/* an instruction with a mnemonic */
	bool has_data;		/* an instruction as data, for older assemblers */
	bool has_segment;	/* an operand relative to %gs or %fs */
	enum kind bitop;	/* kind of the bit operation, 0 if there is none */
};

static bool is_one_of(const char *word, size_t length, const char * const *words)
{
	for (; *words; words++)
		if (strlen(*words) == length && !strncasecmp(*words, word, length))
			return true;
	return false;
}

/* Scan a mnemonic of @length characters. */
static void scan_mnemonic(struct asm_scan *text, const char *name, size_t length)
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
	/* These have an address, but transfer no data. */
	if (is_one_of(name, length, cache))
		return;
	text->accesses = true;
	/* An update includes a read, so that later reads do not replace it. */
	if (is_one_of(name, length, updates))
		text->bitop = UPDATE;
	else if (!text->bitop && is_one_of(name, length, reads))
		text->bitop = READ;
}

/* Scan the first word of a statement: a mnemonic or a directive. */
static void scan_word(struct asm_scan *text, bool *in_section, const char *word, size_t length)
{
	static const char * const data[] = { ".byte", ".insn", NULL };
	static const char * const begin[] = { ".pushsection", ".section", NULL };
	static const char * const end[] = { ".popsection", ".previous", NULL };

	/* Data in other sections are tables, such as those of exceptions and alternatives. */
	if (*word != '.')
		scan_mnemonic(text, word, length);
	else if (is_one_of(word, length, begin))
		*in_section = true;
	else if (is_one_of(word, length, end))
		*in_section = false;
	else if (!*in_section && is_one_of(word, length, data))
		text->has_data = true;
}

/*
 * Scan assembly text. A statement ends with the line or a semicolon. Its mnemonic is the first
 * word after labels and prefixes.
 */
static struct asm_scan scan_asm(const char *p)
{
	static const char * const prefixes[] = {
		"lock", "rep", "repe", "repz", "repne", "repnz", "data16", "notrack", "cs", "ds",
		NULL
	};
	const char *word_chars =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.$";
	struct asm_scan text = {};
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
				scan_word(&text, &in_section, p, length);
			}
			p += length;
		}
	}
	/* Data alone are an instruction that older assemblers do not know. */
	text.accesses |= text.has_data && !text.has_names;
	return text;
}

/* Compare references as operand_equal_p() does, but ignore volatile. */
static bool same_memory(tree a, tree b)
{
	if (TREE_CODE(a) != TREE_CODE(b))
		return false;
	/* operand_equal_p() takes no two volatile references for equal. */
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

/* Check if an input of inline assembly refers to the same memory as this output. */
static bool is_also_input(gasm *stmt, tree output)
{
	unsigned int i;

	for (i = 0; i < gimple_asm_ninputs(stmt); i++)
		if (same_memory(TREE_VALUE(gimple_asm_input_op(stmt, i)), output))
			return true;
	return false;
}

/*
 * Text of an empty asm that keep_sizes() puts in front of inline assembly. Its inputs are the
 * sizes of outputs that have variable size: without a use, the optimizers would drop them.
 */
#define SIZES_TEXT "# sizes of outputs"

bool is_sizes_asm(gimple stmt)
{
	return gimple_code(stmt) == GIMPLE_ASM &&
	       !strcmp(gimple_asm_string(as_a_gasm(stmt)), SIZES_TEXT);
}

/* is_site_asm() - check for a site from asm/memorizer.h */
bool is_site_asm(gimple stmt)
{
	return gimple_code(stmt) == GIMPLE_ASM &&
	       !strncmp(gimple_asm_string(as_a_gasm(stmt)), SITE_LABEL, strlen(SITE_LABEL));
}

static bool has_variable_size(tree value)
{
	tree size = TYPE_SIZE_UNIT(TREE_TYPE(value));

	return size && !TREE_CONSTANT(size);
}

void keep_sizes(gimple_stmt_iterator *gsi, gasm *stmt)
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
		/* Volatile, so that it stays in front of its inline assembly. */
		gimple_asm_set_volatile(sizes, true);
		gimple_asm_set_inline(sizes, true);
		gsi_insert_before(gsi, sizes, GSI_SAME_STMT);
	}
	release_tree_vector(inputs);
}

/* Get the size of output @output, which is variable, of the inline assembly at @gsi. */
static tree variable_size(gimple_stmt_iterator *gsi, unsigned int output)
{
	gasm *stmt = as_a_gasm(gsi_stmt(*gsi));
	gimple_stmt_iterator before = *gsi;
	unsigned int i, n = 0;

	for (i = 0; i < output; i++)
		n += has_variable_size(TREE_VALUE(gimple_asm_output_op(stmt, i)));
	/* Sites of other outputs may be in between. */
	for (gsi_prev(&before); !gsi_end_p(before); gsi_prev(&before)) {
		stmt = is_sizes_asm(gsi_stmt(before)) ? as_a_gasm(gsi_stmt(before)) : NULL;
		if (stmt && n < gimple_asm_ninputs(stmt))
			return TREE_VALUE(gimple_asm_input_op(stmt, n));
	}
	return size_one_node;
}

/*
 * Insert a site for an output of inline assembly. If it must be in a register, but its home is
 * in memory, GCC stores it. If it is in memory, the assembly writes it. It reads it, too, if it
 * is also an input: this is what the gimplifier makes of "+m".
 */
static void instrument_asm_output(gimple_stmt_iterator *gsi, gasm *stmt, unsigned int i)
{
	tree output = gimple_asm_output_op(stmt, i), value = TREE_VALUE(output);
	const char *constraint = TREE_STRING_POINTER(TREE_VALUE(TREE_PURPOSE(output)));
	bool allows_mem, allows_reg, is_inout;

	/* GCC 16 needs more arguments, for hard registers in constraints. */
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
 * Insert a site for the memory input of a bit operation. With a variable bit number it counts as
 * an access to the first word of the bitmap.
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

/* Name a site from asm/memorizer.h, which has a pointer and a size as operands. */
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

/* instrument_asm() - insert sites for the outputs of inline assembly */
void instrument_asm(gimple_stmt_iterator *gsi, gasm *stmt)
{
	struct asm_scan text = scan_asm(gimple_asm_string(stmt));
	unsigned int i;

	if (is_site_asm(stmt)) {
		name_site(gsi, stmt);
		set_has_sites();
		return;
	}
	/* Empty assembly is a barrier. With a segment in the text, operands are offsets. */
	if (!text.accesses || text.has_segment)
		return;
	for (i = 0; i < gimple_asm_noutputs(stmt); i++)
		instrument_asm_output(gsi, stmt, i);
	/* Otherwise the output counts already. */
	if (text.bitop && !has_memory_output(stmt))
		instrument_bitop(gsi, stmt, text.bitop);
}
