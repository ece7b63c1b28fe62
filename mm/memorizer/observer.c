// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's stand-in for an absent observer: weak functions that do nothing.
 */
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/kprobes.h>

#include "memorizer.h"
#include "observer.h"
#include "traffic.h"

/**
 * memorizer_observer_init() - start the observer
 *
 * Context: boot, one CPU, once: slab and vmalloc are up.
 */
void __weak __init memorizer_observer_init(void) { }

/**
 * memorizer_observer_files() - create the observer's files
 * @dir: Memorizer's directory in debugfs
 *
 * Context: boot, process context.
 */
void __weak __init memorizer_observer_files(struct dentry *dir) { }

/**
 * memorizer_observer_stats() - show the observer's part of debugfs memorizer/show_stats
 * @m: the output
 *
 * Context: process context, may sleep, under memorizer_rwsem.
 */
void __weak memorizer_observer_stats(struct seq_file *m) { }

/**
 * memorizer_observer_alloc() - handle an allocation
 * @ptr: the object
 * @size: bytes requested
 * @ip: return address into the caller of the allocator
 * @source: kind of the allocator's function
 * @gfp: its flags
 *
 * Context: any, NMI included.
 */
void __weak memorizer_observer_alloc(const void *ptr, size_t size, unsigned long ip,
				     enum memorizer_source source, gfp_t gfp)
{
}

/**
 * memorizer_observer_free() - handle a free
 * @ptr: the object
 * @ip: return address into the caller of the allocator, 0 if it is unknown
 * @source: kind of the allocator's function
 *
 * Context: any, NMI included.
 */
void __weak memorizer_observer_free(const void *ptr, unsigned long ip,
				    enum memorizer_source source)
{
}

/**
 * memorizer_observer_alloc_pages() - handle an allocation of pages
 * @page: the first page
 * @order: log2 of the number of pages
 * @gfp: the caller's flags
 * @ip: return address into the caller of the allocator
 *
 * Context: any.
 */
void __weak memorizer_observer_alloc_pages(const struct page *page, unsigned int order, gfp_t gfp,
					   unsigned long ip)
{
}

/**
 * memorizer_observer_free_pages() - handle a free of pages
 * @page: the first page
 * @order: log2 of the number of pages
 * @ip: return address into the caller of the allocator
 *
 * Context: any.
 */
void __weak memorizer_observer_free_pages(const struct page *page, unsigned int order,
					  unsigned long ip)
{
}

/**
 * memorizer_observer_alloc_area() - handle an allocation of an area, a stack or per-CPU memory
 * @addr: its address
 * @size: bytes requested
 * @bytes: bytes allocated
 * @ip: return address into the caller of the allocator
 * @source: kind of the allocator's function
 *
 * Context: any but NMI.
 */
void __weak memorizer_observer_alloc_area(const void *addr, size_t size, size_t bytes,
					  unsigned long ip, enum memorizer_source source)
{
}

/**
 * memorizer_observer_free_area() - handle a free of an area, a stack or per-CPU memory
 * @addr: its address
 * @bytes: bytes freed
 * @ip: return address into the caller of the allocator
 * @source: kind of the allocator's function
 *
 * Context: any but NMI.
 */
void __weak memorizer_observer_free_area(const void *addr, size_t bytes, unsigned long ip,
					 enum memorizer_source source)
{
}

/**
 * memorizer_observer_task() - handle a new task, or a task's new pid or comm
 * @task: the task, whose pid, comm and start time are set
 *
 * Context: any in which the pid is stable.
 */
void __weak memorizer_observer_task(struct task_struct *task) { }

/**
 * memorizer_observe_entries() - have kernel entries update the subjects of tasks, or no longer
 * @on: true to have them call memorizer_subject_entry()
 *
 * Context: process context, may sleep.
 * Return: 0, or a negative error code; -EOPNOTSUPP without an observer
 */
int __weak memorizer_observe_entries(bool on)
{
	return on ? -EOPNOTSUPP : 0;
}

/**
 * memorizer_observer_access() - handle an access
 * @addr: its first address
 * @size: its size in bytes
 * @kind: an enum memorizer_kind
 * @ip: address of the instruction after the site
 *
 * Context: any, NMI included, with preemption disabled.
 */
void __weak __kprobes memorizer_observer_access(unsigned long addr, unsigned long size,
						unsigned int kind, unsigned long ip)
{
}

/**
 * memorizer_observer_traffic() - handle an access that moves a cache line to this CPU
 * @access: the access
 * @kind: MEMORIZER_READ or MEMORIZER_WRITE, whichever moves the line
 * @line: first address of the line
 * @from: CPU that stored to it last, -1 if none did
 *
 * Context: any, NMI included, with preemption disabled.
 */
void __weak __kprobes memorizer_observer_traffic(const struct memorizer_access *access,
						 unsigned int kind, unsigned long line, int from)
{
}
