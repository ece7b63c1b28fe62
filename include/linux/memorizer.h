/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer: what the rest of the kernel calls.
 *
 * Memorizer records which kernel code touches which kernel object. This is its
 * front door, where the allocators report objects: one static branch until the
 * first object is recorded, and nothing at all without CONFIG_MEMORIZER.
 * Accesses that the compiler cannot see are announced in memorizer-checks.h.
 *
 * See Documentation/dev-tools/memorizer.rst.
 */
#ifndef _LINUX_MEMORIZER_H
#define _LINUX_MEMORIZER_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/types.h>

/**
 * enum memorizer_source - what kind of function hands memory out or takes it back
 * @MEMORIZER_KMALLOC: kmalloc(), kfree() and their like
 * @MEMORIZER_CACHE: kmem_cache_alloc(), kmem_cache_free() and their like
 * @MEMORIZER_PAGES: alloc_pages(), free_pages() and their like
 */
enum memorizer_source {
	MEMORIZER_KMALLOC,
	MEMORIZER_CACHE,
	MEMORIZER_PAGES,
};

struct task_struct;

/**
 * struct memorizer_site - an access site
 * @addr: distance from here to the site
 * @stub: distance from behind the site to its stub, and what the site is when it is off; see
 *	asm/memorizer.h
 *
 * The compiler's plugin makes them.
 */
struct memorizer_site {
	s32 addr;
	s32 stub;
};

/**
 * struct memorizer_file - which access sites are of a source file
 * @first: distance from here to the first of them in the table of sites
 * @end: distance from here to behind the last one there
 * @name: distance from here to the file's name, from the top of the kernel's tree on
 *
 * The compiler's plugin makes them.
 */
struct memorizer_file {
	s32 first;
	s32 end;
	s32 name;
};

#ifdef CONFIG_MEMORIZER

#include <linux/jump_label.h>
#include <linux/percpu.h>

/* Objects are or have been recorded, or allocations are observed; see hooks.c. */
DECLARE_STATIC_KEY_FALSE(memorizer_tracking);

/* What the allocator's hooks have to do, in bits; see mm/memorizer/hooks.c. */
extern u8 memorizer_hooks;

#define MEMORIZER_DO_RECORD	BIT(0)	/* record new objects */
#define MEMORIZER_DO_FOLLOW	BIT(1)	/* follow recorded ones: there are or were some */
#define MEMORIZER_DO_CHOOSE	BIT(2)	/* record some only, or in another way */
#define MEMORIZER_DO_TELL	BIT(3)	/* tell the observer */
#define MEMORIZER_DO_ANNOUNCE	BIT(4)	/* announce them to QEMU */

/* Is the observer to be told of allocations? */
static __always_inline bool memorizer_tells_allocations(void)
{
	return unlikely(READ_ONCE(memorizer_hooks) & MEMORIZER_DO_TELL);
}

/* What all need comes first, so that nothing is to be moved when it is passed on. */
void __memorizer_alloc(const void *ptr, size_t size, unsigned long ip,
		       enum memorizer_source source, gfp_t gfp);
void __memorizer_free(const void *ptr, unsigned long ip, enum memorizer_source source);
void __memorizer_freeing(const void *ptr, unsigned long ip);
void __memorizer_slab_free(const void *start);

/**
 * memorizer_init_pool() - reserve the memory for all that Memorizer records
 *
 * Also starts to record objects, when the command line or the configuration
 * asks for it.
 *
 * Context: boot, one CPU, once: memblock is up, the page allocator is not.
 */
void memorizer_init_pool(void);

/**
 * memorizer_init() - switch on what is to be on from boot
 *
 * Context: boot, one CPU, once: vmalloc is up.
 */
void memorizer_init(void);

/**
 * memorizer_text_reserved() - does text hold an access site, or a site's stub?
 * @start: first byte
 * @end: last byte
 *
 * Sites are patched at run time; nobody else may patch there. A breakpoint's
 * handler has sites, too, so that none may be in a stub.
 *
 * Context: any but NMI.
 * Return: true if a byte of the text is a site's or a stub's, or its module is being removed
 */
bool memorizer_text_reserved(const void *start, const void *end);

/**
 * memorizer_switch_to() - say which task a CPU goes on as
 * @next: the task
 *
 * Context: interrupts disabled, while tasks are switched.
 */
void memorizer_switch_to(const struct task_struct *next);

/**
 * memorizer_set_pid() - say that a task has got its pid, or another one
 * @task: the task, whose start time is set, too; one that runs on another CPU goes on under
 *	the old pid until it is switched
 *
 * Context: any in which the task keeps that pid.
 */
void memorizer_set_pid(struct task_struct *task);

/**
 * memorizer_set_comm() - have the stream announce a task's new comm
 * @task: the task, whose comm is set
 *
 * Context: any.
 */
void memorizer_set_comm(struct task_struct *task);

/**
 * memorizer_fork() - say whether a new task's accesses are recorded, and as whose
 * @child: the task, a copy of the one that runs
 *
 * Context: under tasklist_lock, for writing; nobody else sees the task yet.
 */
void memorizer_fork(struct task_struct *child);

/**
 * memorizer_cgroup_task() - say that a task was put into a control group
 * @task: the task
 *
 * Context: under css_set_lock, the task is in the group already.
 */
void memorizer_cgroup_task(struct task_struct *task);

/**
 * memorizer_cgroup_moved() - say that tasks were moved from group to group, which may run
 *
 * What they do from now on, they do as members of the new one.
 *
 * Context: process context, interrupts enabled.
 */
void memorizer_cgroup_moved(void);

DECLARE_PER_CPU(bool, memorizer_held);
void __memorizer_nmi_enter(void);
void __memorizer_nmi_exit(void);

/**
 * memorizer_nmi_enter() - keep an NMI or a machine check away from sites while they are patched
 *
 * Context: NMI or machine check in kernel mode, before any code that has sites.
 */
static __always_inline void memorizer_nmi_enter(void)
{
	if (unlikely(this_cpu_read(memorizer_held)))
		__memorizer_nmi_enter();
}

/**
 * memorizer_nmi_exit() - allow patching after memorizer_nmi_enter()
 *
 * Context: as there, behind all code that has sites.
 */
static __always_inline void memorizer_nmi_exit(void)
{
	if (unlikely(this_cpu_read(memorizer_held)))
		__memorizer_nmi_exit();
}

/**
 * memorizer_alloc() - record that an object came to life
 * @source: by which kind of function
 * @ptr: the object, NULL and ZERO_SIZE_PTR are ignored
 * @size: bytes that the caller asked for
 * @gfp: the flags that it gave
 * @ip: return address into the caller of the allocator
 *
 * Call it once the allocator is done with the object's memory, just before its
 * caller gets it.
 *
 * Context: any, NMI included. Takes no lock, allocates nothing.
 */
static __always_inline void memorizer_alloc(enum memorizer_source source, const void *ptr,
					    size_t size, gfp_t gfp, unsigned long ip)
{
	if (static_branch_unlikely(&memorizer_tracking))
		__memorizer_alloc(ptr, size, ip, source, gfp);
}

/**
 * memorizer_free() - record that an object's life ends
 * @source: by which kind of function
 * @ptr: the object, NULL and ZERO_SIZE_PTR are ignored
 * @ip: return address into the caller of the allocator, 0 if it is not known
 *
 * Call it before the allocator can hand the memory out again.
 *
 * Context: any, NMI included. Takes no lock, allocates nothing.
 */
static __always_inline void memorizer_free(enum memorizer_source source, const void *ptr,
					   unsigned long ip)
{
	if (static_branch_unlikely(&memorizer_tracking))
		__memorizer_free(ptr, ip, source);
}

/**
 * memorizer_freeing() - say on whose behalf an object is about to be freed
 * @ptr: the object, still allocated
 * @ip: return address into that caller
 *
 * For functions of the allocator that free through another of its functions:
 * this @ip is then recorded rather than the one memorizer_free() is given.
 *
 * Context: any, NMI included. Takes no lock, allocates nothing.
 */
static __always_inline void memorizer_freeing(const void *ptr, unsigned long ip)
{
	if (static_branch_unlikely(&memorizer_tracking))
		__memorizer_freeing(ptr, ip);
}

/**
 * memorizer_slab_free() - say that a slab is given back, in which no object is left
 * @start: its first address
 *
 * Call it while its pages are still its own.
 *
 * Context: any. Takes no lock, allocates nothing.
 */
static __always_inline void memorizer_slab_free(const void *start)
{
	if (static_branch_unlikely(&memorizer_tracking))
		__memorizer_slab_free(start);
}

/**
 * memorizer_realloc() - record that krealloc() resized an object where it is
 * @ptr: the object
 * @size: bytes that the caller asked for now
 * @gfp: the flags that it gave
 * @ip: return address into the caller of the allocator
 *
 * It counts as a new object in the place of the old one, as it would had it
 * been moved.
 *
 * Context: any, NMI included. Takes no lock, allocates nothing.
 */
static __always_inline void memorizer_realloc(const void *ptr, size_t size, gfp_t gfp,
					      unsigned long ip)
{
	if (static_branch_unlikely(&memorizer_tracking)) {
		__memorizer_free(ptr, ip, MEMORIZER_KMALLOC);
		__memorizer_alloc(ptr, size, ip, MEMORIZER_KMALLOC, gfp);
	}
}

#else /* !CONFIG_MEMORIZER */

static __always_inline void memorizer_nmi_enter(void) { }
static __always_inline void memorizer_nmi_exit(void) { }
static inline void memorizer_switch_to(const struct task_struct *next) { }
static inline void memorizer_set_pid(struct task_struct *task) { }
static inline void memorizer_set_comm(struct task_struct *task) { }
static inline void memorizer_fork(struct task_struct *child) { }
static inline void memorizer_cgroup_task(struct task_struct *task) { }
static inline void memorizer_cgroup_moved(void) { }
static inline void memorizer_init_pool(void) { }
static inline void memorizer_init(void) { }
static inline void memorizer_alloc(enum memorizer_source source, const void *ptr, size_t size,
				   gfp_t gfp, unsigned long ip) { }
static inline void memorizer_free(enum memorizer_source source, const void *ptr,
				  unsigned long ip) { }
static inline void memorizer_freeing(const void *ptr, unsigned long ip) { }
static inline void memorizer_slab_free(const void *start) { }
static inline void memorizer_realloc(const void *ptr, size_t size, gfp_t gfp,
				     unsigned long ip) { }
static inline bool memorizer_text_reserved(const void *start, const void *end) { return false; }

#endif /* CONFIG_MEMORIZER */

#endif /* _LINUX_MEMORIZER_H */
