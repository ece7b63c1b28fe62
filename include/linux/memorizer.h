/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer: hooks for the rest of the kernel.
 *
 * Memorizer records which kernel code accesses which kernel object. The allocators report objects
 * here: a static branch until the first object is recorded, and nothing without CONFIG_MEMORIZER.
 * memorizer-checks.h has access sites for what the compiler cannot see.
 *
 * See Documentation/dev-tools/memorizer.rst.
 */
#ifndef _LINUX_MEMORIZER_H
#define _LINUX_MEMORIZER_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/types.h>

/* Kinds of functions that allocate or free. */
enum memorizer_source {
	MEMORIZER_KMALLOC,	/* kmalloc(), kfree() and their like */
	MEMORIZER_CACHE,	/* kmem_cache_alloc(), kmem_cache_free() and their like */
	MEMORIZER_PAGES,	/* alloc_pages(), free_pages() and their like */
	MEMORIZER_VMALLOC,	/* vmalloc(), vfree() and their like */
	MEMORIZER_VMAP,		/* vmap(), vm_map_ram() and their like */
	MEMORIZER_IOREMAP,	/* ioremap() */
	MEMORIZER_MODULES,	/* of memory for modules, and for other code made at run time */
	MEMORIZER_STACK,	/* of stacks of tasks */
	MEMORIZER_PERCPU,	/* alloc_percpu(), free_percpu() and their like, on each CPU */
};

struct task_struct;

/**
 * struct memorizer_site - an access site
 * @addr: distance from here to the site
 * @stub: distance from the site's end to its stub, and the site's form when it is off; see
 *	asm/memorizer-sites.h
 *
 * Emitted by the GCC plugin.
 */
struct memorizer_site {
	s32 addr;
	s32 stub;
};

/**
 * struct memorizer_file - the access sites of a source file
 * @first: distance from here to the first site in the table of sites
 * @end: distance from here to the end of the last one
 * @name: distance from here to the file's name, relative to the top of the kernel tree
 *
 * Emitted by the GCC plugin.
 */
struct memorizer_file {
	s32 first;
	s32 end;
	s32 name;
};

#ifdef CONFIG_MEMORIZER_PAGES
/**
 * struct memorizer_variable - a variable of the kernel, or of a module
 * @addr: distance from here to the variable
 * @size: its size in bytes
 *
 * Emitted by the GCC plugin.
 */
struct memorizer_variable {
	s32 addr;
	u32 size;
};
#endif

#ifdef CONFIG_MEMORIZER

#include <linux/jump_label.h>
#include <linux/percpu.h>

/* Objects are or were recorded, or the observer receives allocations. */
DECLARE_STATIC_KEY_FALSE(memorizer_tracking);

/* What the allocator's hooks do, in bits; see mm/memorizer/hooks.c. */
extern u8 memorizer_hooks;

#define MEMORIZER_DO_RECORD	BIT(0)	/* record new objects */
#define MEMORIZER_DO_FOLLOW	BIT(1)	/* close recorded ones: there are or were some */
#define MEMORIZER_DO_CHOOSE	BIT(2)	/* apply the filters */
#define MEMORIZER_DO_OBSERVE	BIT(3)	/* call the observer */
#define MEMORIZER_DO_ANNOUNCE	BIT(4)	/* announce them to QEMU */
#define MEMORIZER_DO_STACK	BIT(5)	/* save the stacks of allocations */

/* Does the observer receive allocations? */
static __always_inline bool memorizer_observes_allocations(void)
{
	return unlikely(READ_ONCE(memorizer_hooks) & MEMORIZER_DO_OBSERVE);
}

/* Common parameters come first, so that they stay in their registers when passed on. */
void __memorizer_alloc(const void *ptr, size_t size, unsigned long ip,
		       enum memorizer_source source, gfp_t gfp);
void __memorizer_free(const void *ptr, unsigned long ip, enum memorizer_source source);
void __memorizer_set_free_ip(const void *ptr, unsigned long ip);
void __memorizer_slab_free(const void *start);

/**
 * memorizer_init_pool() - reserve the memory for all records
 *
 * Also starts to record objects, if the command line or the configuration says so.
 *
 * Context: boot, one CPU, once: memblock is up, the page allocator is not.
 */
void memorizer_init_pool(void);

/**
 * memorizer_init() - switch on what the command line asks for
 *
 * Context: boot, one CPU, once: vmalloc is up.
 */
void memorizer_init(void);

/**
 * memorizer_text_reserved() - test whether text contains an access site or a site's stub
 * @start: first byte
 * @end: last byte
 *
 * Sites are patched at run time, so no other code may patch them. Stubs must not contain
 * breakpoints, because handlers of breakpoints have sites.
 *
 * Context: any but NMI.
 * Return: true if it does, or if its module is being removed
 */
bool memorizer_text_reserved(const void *start, const void *end);

/**
 * memorizer_switch_to() - context-switch hook
 * @next: the task that this CPU runs next
 *
 * Context: interrupts disabled, while tasks are switched.
 */
void memorizer_switch_to(const struct task_struct *next);

/**
 * memorizer_set_pid() - update the cached pid of a task
 * @task: the task, with its pid and start time set; if it runs on another CPU, its accesses
 *	are counted for the old pid until the next context switch
 *
 * Context: any in which the pid is stable.
 */
void memorizer_set_pid(struct task_struct *task);

/**
 * memorizer_set_comm() - have the stream describe a task again
 * @task: the task, whose comm is set
 *
 * Context: any.
 */
void memorizer_set_comm(struct task_struct *task);

/**
 * memorizer_set_creds() - update the current task after its credentials have changed
 *
 * Context: process context.
 */
void memorizer_set_creds(void);

/**
 * memorizer_fork() - set up a new task
 * @child: the task, a copy of the current one
 *
 * Context: under tasklist_lock, for writing, before the task is visible.
 */
void memorizer_fork(struct task_struct *child);

/**
 * memorizer_cgroup_task() - update a task that was attached to a cgroup
 * @task: the task
 *
 * Context: under css_set_lock, after the task joined the cgroup.
 */
void memorizer_cgroup_task(struct task_struct *task);

/**
 * memorizer_cgroup_moved() - have migrated tasks that are running use their updated keys
 *
 * Context: process context, interrupts enabled.
 */
void memorizer_cgroup_moved(void);

DECLARE_PER_CPU(bool, memorizer_held);
void __memorizer_nmi_enter(void);
void __memorizer_nmi_exit(void);

/**
 * memorizer_nmi_enter() - begin an NMI or a machine check, which may execute sites
 *
 * Waits until no site is being patched.
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
 * Context: as memorizer_nmi_enter(), after all code that has sites.
 */
static __always_inline void memorizer_nmi_exit(void)
{
	if (unlikely(this_cpu_read(memorizer_held)))
		__memorizer_nmi_exit();
}

/**
 * memorizer_alloc() - record an allocation
 * @source: kind of the allocator's function
 * @ptr: the object; NULL and ZERO_SIZE_PTR are ignored
 * @size: bytes requested
 * @gfp: the caller's flags
 * @ip: return address into the caller of the allocator
 *
 * Call this just before the allocator returns the object.
 *
 * Context: any, NMI included. Takes no lock, allocates nothing; except while stacks are saved,
 *	see mm/memorizer/alloc_stack.c.
 */
static __always_inline void memorizer_alloc(enum memorizer_source source, const void *ptr,
					    size_t size, gfp_t gfp, unsigned long ip)
{
	if (static_branch_unlikely(&memorizer_tracking))
		__memorizer_alloc(ptr, size, ip, source, gfp);
}

/**
 * memorizer_free() - record a free
 * @source: kind of the allocator's function
 * @ptr: the object; NULL and ZERO_SIZE_PTR are ignored
 * @ip: return address into the caller of the allocator, 0 if it is unknown
 *
 * Call this before the allocator can reuse the memory.
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
 * memorizer_set_free_ip() - set the call site of the free that follows
 * @ptr: the object, still allocated
 * @ip: return address into the caller
 *
 * For functions of the allocator that free through another of its functions. This @ip takes
 * precedence over that of memorizer_free().
 *
 * Context: any, NMI included. Takes no lock, allocates nothing.
 */
static __always_inline void memorizer_set_free_ip(const void *ptr, unsigned long ip)
{
	if (static_branch_unlikely(&memorizer_tracking))
		__memorizer_set_free_ip(ptr, ip);
}

/**
 * memorizer_slab_free() - handle the free of an empty slab
 * @start: its first address
 *
 * Call this before its pages are freed.
 *
 * Context: any. Takes no lock, allocates nothing.
 */
static __always_inline void memorizer_slab_free(const void *start)
{
	if (static_branch_unlikely(&memorizer_tracking))
		__memorizer_slab_free(start);
}

/**
 * memorizer_realloc() - record that krealloc() resized an object in place
 * @ptr: the object
 * @size: bytes requested now
 * @gfp: the caller's flags
 * @ip: return address into the caller of the allocator
 *
 * Recorded as a free and an allocation, as if krealloc() had moved it.
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
static inline void memorizer_set_creds(void) { }
static inline void memorizer_fork(struct task_struct *child) { }
static inline void memorizer_cgroup_task(struct task_struct *task) { }
static inline void memorizer_cgroup_moved(void) { }
static inline void memorizer_init_pool(void) { }
static inline void memorizer_init(void) { }
static inline void memorizer_alloc(enum memorizer_source source, const void *ptr, size_t size,
				   gfp_t gfp, unsigned long ip) { }
static inline void memorizer_free(enum memorizer_source source, const void *ptr,
				  unsigned long ip) { }
static inline void memorizer_set_free_ip(const void *ptr, unsigned long ip) { }
static inline void memorizer_slab_free(const void *start) { }
static inline void memorizer_realloc(const void *ptr, size_t size, gfp_t gfp,
				     unsigned long ip) { }
static inline bool memorizer_text_reserved(const void *start, const void *end) { return false; }

#endif /* CONFIG_MEMORIZER */

#endif /* _LINUX_MEMORIZER_H */
