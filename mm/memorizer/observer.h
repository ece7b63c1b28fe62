/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's seam: what the core tells while it happens, and to whom.
 *
 * The core needs no observer. One may be linked with it: it defines those of the
 * functions below that it wants to be called (observer.c has weak ones that do
 * nothing) and switches on what it wants to be told of. There are no pointers to
 * them, so that what the access hook can reach is seen in the code.
 *
 * An observer may also take closed objects out of the KMAP for good: retire them.
 */
#ifndef _MM_MEMORIZER_OBSERVER_H
#define _MM_MEMORIZER_OBSERVER_H

#include <linux/compiler.h>
#include <linux/memorizer.h>
#include <linux/types.h>

struct dentry;
struct seq_file;
struct task_struct;
struct memorizer_access;
struct memorizer_object;

/* What the observer defines; see observer.c. */
void memorizer_observer_init(void);
void memorizer_observer_files(struct dentry *dir);
void memorizer_observer_stats(struct seq_file *m);
void memorizer_observer_alloc(const void *ptr, size_t size, unsigned long ip,
			      enum memorizer_source source, gfp_t gfp);
void memorizer_observer_free(const void *ptr, unsigned long ip, enum memorizer_source source);
void memorizer_observer_task(struct task_struct *task);
void memorizer_observer_access(unsigned long addr, unsigned long size, unsigned int kind,
			       unsigned long ip);
void memorizer_observer_traffic(const struct memorizer_access *access, unsigned int kind,
				unsigned long line, int from);

/* What the observer calls: observer.c */
extern bool memorizer_accesses_observed, memorizer_traffic_observed;
void memorizer_observe_allocations(bool on);
void memorizer_observe_accesses(bool on);
void memorizer_observe_traffic(bool on);

/* Likewise, object.c */
bool memorizer_has_closed(void);
void memorizer_retire(struct memorizer_object *object);
void memorizer_let_go(struct memorizer_object *object);
void memorizer_give_back(void);

/* Is the observer to be told of accesses? */
static __always_inline bool memorizer_tells_accesses(void)
{
	return unlikely(READ_ONCE(memorizer_accesses_observed));
}

/* Is the observer to be told of cache lines that move? */
static __always_inline bool memorizer_tells_traffic(void)
{
	return unlikely(READ_ONCE(memorizer_traffic_observed));
}

#endif /* _MM_MEMORIZER_OBSERVER_H */
