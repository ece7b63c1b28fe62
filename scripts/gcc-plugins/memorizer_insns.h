/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memorizer plugin: sites as insns.
 */
#ifndef MEMORIZER_INSNS_H
#define MEMORIZER_INSNS_H

#pragma GCC visibility push(hidden)

bool starts_with(rtx_insn *insn, const char *text);
rtx site_of(rtx_insn *insn);
void replace_asm(rtx_insn *insn, rtx site, const char *text, rtvec inputs, rtvec constraints);
bool is_empty_asm(rtx_insn *insn);
unsigned int delete_frame_sites(void);

#pragma GCC visibility pop

#endif /* MEMORIZER_INSNS_H */
