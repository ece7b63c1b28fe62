// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memorizer plugin: sites as insns.
 */

#include "gcc-common.h"
#include "df.h"
#include "memorizer_site.h"
#include "memorizer_insns.h"

/* starts_with() - check for inline assembly whose text starts with @text */
bool starts_with(rtx_insn *insn, const char *text)
{
	rtx body = NONJUMP_INSN_P(insn) ? extract_asm_operands(PATTERN(insn)) : NULL;

	return body && !strncmp(ASM_OPERANDS_TEMPLATE(body), text, strlen(text));
}

/* site_of() - get the asm_operands of a complete site, or NULL for other insns */
rtx site_of(rtx_insn *insn)
{
	return starts_with(insn, SITE_BEGIN) ? extract_asm_operands(PATTERN(insn)) : NULL;
}

/* Check if the site's address is relative to the frame. It is the first operand. */
static bool is_frame_site(rtx site)
{
	rtx operand = ASM_OPERANDS_INPUT(site, 0);

	/* Without a frame pointer, its register is an ordinary one. */
	return MEM_P(operand) &&
	       (reg_mentioned_p(stack_pointer_rtx, operand) ||
		(frame_pointer_needed && reg_mentioned_p(hard_frame_pointer_rtx, operand)));
}

/*
 * replace_asm() - replace the text and the operands of inline assembly
 * @insn: the insn
 * @site: its asm_operands
 * @text: new text, which is copied
 * @inputs: new operands
 * @constraints: of these
 */
void replace_asm(rtx_insn *insn, rtx site, const char *text, rtvec inputs, rtvec constraints)
{
	rtx body = gen_rtx_ASM_OPERANDS(VOIDmode, ggc_strdup(text), "", 0, inputs, constraints,
					rtvec_alloc(0), ASM_OPERANDS_SOURCE_LOCATION(site));

	/* Sites and labels must stay where they are. */
	MEM_VOLATILE_P(body) = 1;
	/* With clobbers, the pattern is a PARALLEL that begins with the asm_operands. */
	if (PATTERN(insn) == site)
		PATTERN(insn) = body;
	else
		XVECEXP(PATTERN(insn), 0, 0) = body;
	/* The pattern has changed: let GCC recognize the insn again. */
	INSN_CODE(insn) = -1;
	df_insn_rescan(insn);
}

/* is_empty_asm() - check for inline assembly without text, such as barrier() */
bool is_empty_asm(rtx_insn *insn)
{
	rtx body = NONJUMP_INSN_P(insn) ? extract_asm_operands(PATTERN(insn)) : NULL;

	return body && !*ASM_OPERANDS_TEMPLATE(body);
}

/*
 * delete_frame_sites() - delete sites whose operand turned out to be in the frame
 *
 * Its address would be wrong: the call and the stub move the stack pointer. The object is
 * local, and its address does not leave the frame, or the program's behaviour is undefined.
 *
 * Return: the number of sites deleted
 */
unsigned int delete_frame_sites(void)
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
	return deleted;
}
