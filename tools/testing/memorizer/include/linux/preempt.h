/* SPDX-License-Identifier: GPL-2.0 */
/* Where a thread is: on which CPU, in a task or an interrupt, preemptible or not. */
#ifndef _TEST_LINUX_PREEMPT_H
#define _TEST_LINUX_PREEMPT_H

#include <linux/types.h>

unsigned int smp_processor_id(void);
bool in_task(void);
void preempt_disable_notrace(void);
void preempt_enable_notrace(void);

#endif /* _TEST_LINUX_PREEMPT_H */
