/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer on x86-64: hold all CPUs but one, which patches sites; see kernel/memorizer_hold.c.
 */
#ifndef _ASM_X86_MEMORIZER_HOLD_H
#define _ASM_X86_MEMORIZER_HOLD_H

#include <linux/atomic.h>

#include <asm/special_insns.h>

extern atomic_t memorizer_hold_nmis;

int memorizer_hold_cpus(void (*patch)(void *data), void *data);
void memorizer_hold_pause(void);

/**
 * memorizer_hold_poll() - let NMIs and machine checks run on held CPUs
 *
 * Context: within @patch of memorizer_hold_cpus(), before each store.
 */
static __always_inline void memorizer_hold_poll(void)
{
	if (raw_atomic_read(&memorizer_hold_nmis))
		memorizer_hold_pause();
}

/**
 * memorizer_serialize() - discard prefetched instructions on this CPU
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

#endif /* _ASM_X86_MEMORIZER_HOLD_H */
