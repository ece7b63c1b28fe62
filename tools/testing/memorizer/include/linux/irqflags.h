/* SPDX-License-Identifier: GPL-2.0 */
/* Interrupts are signals. Signals that act as NMIs ignore these functions. */
#ifndef _TEST_LINUX_IRQFLAGS_H
#define _TEST_LINUX_IRQFLAGS_H

#include <linux/types.h>

void disable_interrupts(void);
void enable_interrupts(void);
bool interrupts_disabled(void);

#define raw_local_irq_save(flags) do {					\
	(flags) = interrupts_disabled();				\
	disable_interrupts();						\
} while (0)

#define raw_local_irq_restore(flags) do {				\
	if (!(flags))							\
		enable_interrupts();					\
} while (0)

#endif /* _TEST_LINUX_IRQFLAGS_H */
