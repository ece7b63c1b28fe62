// SPDX-License-Identifier: GPL-2.0-only
/*
 * The Memorizer plugin's sites: what they are when they are off.
 */

#include "gcc-common.h"
#include "insn-attr.h"
#include "insn-config.h"
#include "recog.h"
#include "rtl-iter.h"
#include "memorizer_site.h"
#include "memorizer_insns.h"
#include "memorizer_forms.h"

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
void keep_entries_free(void)
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
void write_prefixes(void)
{
	rtx_insn *insn;

	for (insn = get_last_insn(); insn; insn = PREV_INSN(insn))
		if (starts_with(insn, SITE_LABEL))
			write_prefixes_of(insn);
}
