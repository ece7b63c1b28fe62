/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's observer: the interface between the core and an optional listener.
 *
 * An observer is linked with the core. It defines those of the memorizer_observer_*() functions
 * that it handles, and switches its events with memorizer_observe_*(). observer.c has weak
 * stubs for the others. Direct calls keep everything that the access hook can reach visible in
 * the code.
 *
 * The switches are variables, not static keys. They change often and under load, and a key would
 * save one instruction per hook. Moreover, SMP guests of QEMU 7.2 may execute a breakpoint that
 * text_poke_bp() has already removed.
 */
#ifndef _MM_MEMORIZER_OBSERVER_H
#define _MM_MEMORIZER_OBSERVER_H

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/memorizer.h>
#include <linux/types.h>

struct dentry;
struct page;
struct seq_file;
struct task_struct;
struct memorizer_access;

/* Defined by the observer, or by observer.c. */
void memorizer_observer_init(void);
void memorizer_observer_files(struct dentry *dir);
void memorizer_observer_stats(struct seq_file *m);
void memorizer_observer_alloc(const void *ptr, size_t size, unsigned long ip,
			      enum memorizer_source source, gfp_t gfp);
void memorizer_observer_free(const void *ptr, unsigned long ip, enum memorizer_source source);
void memorizer_observer_alloc_pages(const struct page *page, unsigned int order, gfp_t gfp,
				    unsigned long ip);
void memorizer_observer_free_pages(const struct page *page, unsigned int order, unsigned long ip);
void memorizer_observer_alloc_area(const void *addr, size_t size, size_t bytes, unsigned long ip,
				   enum memorizer_source source);
void memorizer_observer_free_area(const void *addr, size_t bytes, unsigned long ip,
				  enum memorizer_source source);
void memorizer_observer_task(struct task_struct *task);
int memorizer_observe_entries(bool on);
void memorizer_observer_access(unsigned long addr, unsigned long size, unsigned int kind,
			       unsigned long ip);
void memorizer_observer_traffic(const struct memorizer_access *access, unsigned int kind,
				unsigned long line, int from);

/* kinds.c */
void memorizer_observe_allocations(bool on);

/* access.c */
extern bool memorizer_accesses_observed;
void memorizer_observe_accesses(bool on);

#ifdef CONFIG_MEMORIZER_LINES
/* traffic.c */
int memorizer_observe_traffic(bool on);
#else
static inline int memorizer_observe_traffic(bool on)
{
	return on ? -EOPNOTSUPP : 0;
}
#endif

/* Does the observer receive accesses? */
static __always_inline bool memorizer_observes_accesses(void)
{
	return unlikely(READ_ONCE(memorizer_accesses_observed));
}

#endif /* _MM_MEMORIZER_OBSERVER_H */
