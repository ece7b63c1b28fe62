/* SPDX-License-Identifier: GPL-2.0 */
/* A thread's context: CPU, task or interrupt, and preemption. */
#ifndef _TEST_LINUX_PREEMPT_H
#define _TEST_LINUX_PREEMPT_H

#include <linux/types.h>

unsigned int smp_processor_id(void);
bool in_task(void);
void preempt_disable_notrace(void);
void preempt_enable_notrace(void);

#endif /* _TEST_LINUX_PREEMPT_H */
