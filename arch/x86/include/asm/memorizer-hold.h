/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer on x86-64: what a CPU does that is held while sites are patched; see
 * mm/memorizer/sites.c.
 */
#ifndef _ASM_X86_MEMORIZER_HOLD_H
#define _ASM_X86_MEMORIZER_HOLD_H

#include <asm/debugreg.h>
#include <asm/special_insns.h>

/**
 * memorizer_serialize() - discard what this CPU has fetched
 *
 * sync_core() may unmask NMIs, and CPUID raises an exception in SEV and TDX guests. A move to
 * CR2 does neither.
 *
 * Context: interrupts disabled; NMI.
 */
static __always_inline void memorizer_serialize(void)
{
	native_write_cr2(native_read_cr2());
}

/**
 * memorizer_disable_breakpoints() - disable this CPU's hardware breakpoints
 *
 * Context: interrupts disabled.
 * Return: what memorizer_enable_breakpoints() needs
 */
static __always_inline unsigned long memorizer_disable_breakpoints(void)
{
	return local_db_save();
}

/**
 * memorizer_enable_breakpoints() - enable them again
 * @breakpoints: what memorizer_disable_breakpoints() returned
 *
 * Context: interrupts disabled.
 */
static __always_inline void memorizer_enable_breakpoints(unsigned long breakpoints)
{
	local_db_restore(breakpoints);
}

#endif /* _ASM_X86_MEMORIZER_HOLD_H */
