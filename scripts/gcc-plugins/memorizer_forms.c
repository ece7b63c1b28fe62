// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memorizer plugin: the form of disabled sites.
 *
 * Sites are emitted as TEST, an instruction of their own. Where the next instruction allows,
 * five redundant segment prefixes replace it, which cost no instruction.
 */

#include "gcc-common.h"
#include "insn-attr.h"
#include "insn-config.h"
#include "recog.h"
#include "rtl-iter.h"
#include "memorizer_site.h"
#include "memorizer_insns.h"
#include "memorizer_forms.h"

/* The form of a disabled site, as in memorizer_sites */
enum form { TEST, DS, SS, GS };

#define MAX_INSN_LENGTH 15	/* of the architecture, in bytes */
#define SITE_LENGTH 5

/* They replace the test. GAS rejects "ss" in 64-bit code. */
#define FIVE(prefix) prefix "\n\t" prefix "\n\t" prefix "\n\t" prefix "\n\t" prefix
#define PREFIXES_DS "771:\t" FIVE("ds")
#define PREFIXES_SS "771:\t.code32\n\t" FIVE("ss") "\n\t.code64"
#define PREFIXES_GS "771:\t" FIVE("gs")

/* Get the segment of an operand in memory, TEST if it is ambiguous or %fs. */
static enum form segment_of(const_rtx mem)
{
	const_rtx address = XEXP(mem, 0);
	/* With two registers, either one may become the base. */
	const_rtx base = GET_CODE(address) == PLUS && CONST_INT_P(XEXP(address, 1)) ?
			 XEXP(address, 0) : address;

	if (!ADDR_SPACE_GENERIC_P(MEM_ADDR_SPACE(mem)))
		return MEM_ADDR_SPACE(mem) == ADDR_SPACE_SEG_GS ? GS : TEST;
	if (!reg_mentioned_p(stack_pointer_rtx, address) &&
	    !reg_mentioned_p(hard_frame_pointer_rtx, address))
		return DS;
	return REG_P(base) ? SS : TEST;
}

/*
 * Get the prefixes that do not change an instruction: those of the segment of its memory
 * operands, or TEST if that is ambiguous.
 */
static enum form form_for_operands(const_rtx pattern)
{
	subrtx_iterator::array_type array;
	enum form form = TEST, one;

	FOR_EACH_SUBRTX(iter, array, pattern, ALL) {
		/* What the insn does is not visible in its pattern. */
		if (GET_CODE(*iter) == UNSPEC || GET_CODE(*iter) == UNSPEC_VOLATILE)
			return TEST;
		/* Push and pop access the stack through %ss whatever the prefixes. */
		if (!MEM_P(*iter) || GET_RTX_CLASS(GET_CODE(XEXP(*iter, 0))) == RTX_AUTOINC)
			continue;
		one = segment_of(*iter);
		if (one == TEST || (form != TEST && form != one))
			return TEST;
		form = one;
	}
	/* No operand in memory: the prefixes have no effect. */
	return form == TEST ? DS : form;
}

/* Get the prefixes that the insn can take, TEST if none. */
static enum form form_for(rtx_insn *insn)
{
	/* A site that stays a test takes the prefixes of the site in front of it. */
	if (starts_with(insn, SITE_LABEL))
		return DS;
	/* Inline assembly is not recognized: a table may hold its address for patching. */
	if (!NONJUMP_INSN_P(insn) || recog_memoized(insn) < 0 ||
	    get_attr_length(insn) > MAX_INSN_LENGTH - SITE_LENGTH)
		return TEST;
	/* Single instructions only, and no branches, for which these prefixes are hints. */
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
		return form_for_operands(PATTERN(insn));
	default:
		return TEST;
	}
}

/* Check if no bytes are emitted for the insn. Jumps do not lead to it: that needs a code label. */
static bool emits_no_code(rtx_insn *insn)
{
	return NOTE_P(insn) || DEBUG_INSN_P(insn) || is_empty_asm(insn) ||
	       starts_with(insn, LABEL_BEGIN) ||
	       (NONJUMP_INSN_P(insn) && (GET_CODE(PATTERN(insn)) == USE ||
					 GET_CODE(PATTERN(insn)) == CLOBBER));
}

/*
 * pad_entries() - put a NOP in front of a site at the entry of the function
 *
 * Kprobes reject sites. With the NOP, the function can be probed at its entry, and so can its
 * cold part, which has a symbol of its own.
 */
void pad_entries(void)
{
	/* With -mfentry, the call of __fentry__ comes first, but is not an insn yet. */
	bool is_entry = !(crtl->profile && flag_fentry);
	rtx_insn *insn;

	for (insn = get_insns(); insn; insn = NEXT_INSN(insn)) {
		/* Here the cold part begins. */
		if (NOTE_P(insn) && NOTE_KIND(insn) == NOTE_INSN_SWITCH_TEXT_SECTIONS)
			is_entry = true;
		if (!is_entry || emits_no_code(insn) || LABEL_P(insn) || BARRIER_P(insn))
			continue;
		if (starts_with(insn, SITE_LABEL))
			emit_insn_before(gen_nop(), insn);
		is_entry = false;
	}
}

/* Replace the test by prefixes of the next instruction, if that can take them. */
static void write_prefix(rtx_insn *insn)
{
	/* Indexed by enum form */
	static const struct {
		const char *prefixes;
		const char *flag;	/* for the table */
	} forms[] = {
		{ NULL, NULL },
		{ PREFIXES_DS, " + (1 << 28)" },
		{ PREFIXES_SS, " + (2 << 28)" },
		{ PREFIXES_GS, " + (3 << 28)" },
	};
	rtx assembly = extract_asm_operands(PATTERN(insn));
	const char *test = ASM_OPERANDS_TEMPLATE(assembly), *table, *stub;
	enum form form = TEST;
	char *text, *entry;
	rtx_insn *next;

	for (next = NEXT_INSN(insn); next && emits_no_code(next); next = NEXT_INSN(next))
		;
	if (next)
		form = form_for(next);
	if (form == TEST)
		return;
	/* Keep all of the text but the instruction, and add the form to the table. */
	table = strchr(test, '\n');
	stub = strstr(table, SITE_DISTANCE) + strlen(SITE_DISTANCE);
	entry = xstrndup(table, stub - table);
	text = concat(forms[form].prefixes, entry, forms[form].flag, stub, NULL);
	replace_asm(insn, assembly, text, ASM_OPERANDS_INPUT_VEC(assembly),
		    ASM_OPERANDS_INPUT_CONSTRAINT_VEC(assembly));
	free(entry);
	free(text);
}

/*
 * write_prefixes() - determine the disabled form of each site
 *
 * Backwards: if a site is followed by another, it depends on what that one became.
 */
void write_prefixes(void)
{
	rtx_insn *insn;

	for (insn = get_last_insn(); insn; insn = PREV_INSN(insn))
		if (starts_with(insn, SITE_LABEL))
			write_prefix(insn);
}
