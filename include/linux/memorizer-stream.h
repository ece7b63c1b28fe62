/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's stream: a hook for RCU.
 *
 * A static branch until something is recorded or streamed, and nothing without
 * CONFIG_MEMORIZER_STREAM.
 */
#ifndef _LINUX_MEMORIZER_STREAM_H
#define _LINUX_MEMORIZER_STREAM_H

#include <linux/compiler.h>
#include <linux/memorizer.h>
#include <linux/types.h>

#ifdef CONFIG_MEMORIZER_STREAM

void __memorizer_rcu_free(const void *ptr, unsigned long ip);

/**
 * memorizer_rcu_free() - stream that memory is handed to RCU, which frees it later
 * @ptr: the memory
 * @ip: return address into the caller of RCU
 *
 * Context: any. Takes no lock, allocates nothing.
 */
static __always_inline void memorizer_rcu_free(const void *ptr, unsigned long ip)
{
	if (static_branch_unlikely(&memorizer_tracking))
		__memorizer_rcu_free(ptr, ip);
}

#else /* !CONFIG_MEMORIZER_STREAM */

static inline void memorizer_rcu_free(const void *ptr, unsigned long ip) { }

#endif /* CONFIG_MEMORIZER_STREAM */

#endif /* _LINUX_MEMORIZER_STREAM_H */
