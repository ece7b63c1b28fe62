/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's allocator hooks: which objects they record.
 */
#ifndef _MM_MEMORIZER_HOOKS_H
#define _MM_MEMORIZER_HOOKS_H

#include <linux/bits.h>
#include <linux/types.h>

struct dentry;

/* The common case: all new slab objects are recorded, and there is no observer. */
#define MEMORIZER_RECORD_ALL	(MEMORIZER_DO_RECORD | MEMORIZER_DO_FOLLOW)

/* Kinds of objects. */
enum memorizer_object_kind {
	MEMORIZER_KIND_SLAB,	/* of the slab allocator, large kmalloc()s included */
	MEMORIZER_KIND_PAGES,	/* of the page allocator */
	MEMORIZER_KIND_VMALLOC,	/* vmalloc() and its variants */
	MEMORIZER_KIND_VMAP,	/* vmap(), vm_map_ram() and their variants */
	MEMORIZER_KIND_IOREMAP,	/* ioremap() */
	MEMORIZER_KIND_MODULES,	/* memory of modules, and of other code made at run time */
	MEMORIZER_KIND_STACK,	/* stacks of tasks */
	MEMORIZER_KIND_STRUCT_PAGE, /* each struct page */
	MEMORIZER_KIND_STATIC,	/* variables of the kernel and of modules */
	MEMORIZER_KIND_PERCPU,	/* per-CPU variables and allocations, on each CPU */
	MEMORIZER_KIND_MEMBLOCK, /* of memblock, at boot */
	MEMORIZER_KIND_USER,	/* user memory: accesses without objects */
	MEMORIZER_KINDS,
};

/* Of the areas of vmalloc(). */
#define MEMORIZER_VMALLOC_KINDS	(BIT(MEMORIZER_KIND_VMALLOC) | BIT(MEMORIZER_KIND_VMAP) | \
				 BIT(MEMORIZER_KIND_IOREMAP) | BIT(MEMORIZER_KIND_MODULES))
/* Objects in which others may lie. */
#define MEMORIZER_AREA_KINDS	(BIT(MEMORIZER_KIND_PAGES) | MEMORIZER_VMALLOC_KINDS)
/* Made when they are first accessed: from the first kind to before the end. */
#define MEMORIZER_LAZY_FIRST	MEMORIZER_KIND_STRUCT_PAGE
#define MEMORIZER_LAZY_END	MEMORIZER_KIND_USER
#define MEMORIZER_LAZY_KINDS	(BIT(MEMORIZER_LAZY_END) - BIT(MEMORIZER_LAZY_FIRST))
/* Those of them that are in tables, see variable_table.c. */
#define MEMORIZER_VARIABLE_KINDS (BIT(MEMORIZER_KIND_STATIC) | BIT(MEMORIZER_KIND_PERCPU) | \
				 BIT(MEMORIZER_KIND_MEMBLOCK))
/* Objects above the direct map. */
#define MEMORIZER_FAR_KINDS	(MEMORIZER_VMALLOC_KINDS | BIT(MEMORIZER_KIND_STACK) | \
				 BIT(MEMORIZER_KIND_STRUCT_PAGE) | BIT(MEMORIZER_KIND_STATIC) | \
				 BIT(MEMORIZER_KIND_PERCPU))

/* object.c */
extern const char * const memorizer_kind_names[MEMORIZER_KINDS];

#ifdef CONFIG_MEMORIZER_PAGES
/* Kinds that there are only with other options. */
#ifdef CONFIG_SPARSEMEM_VMEMMAP
#define MEMORIZER_NO_VMEMMAP	0
#else
#define MEMORIZER_NO_VMEMMAP	BIT(MEMORIZER_KIND_STRUCT_PAGE)
#endif
#ifdef CONFIG_SMP
#define MEMORIZER_NO_SMP	0
#else
#define MEMORIZER_NO_SMP	BIT(MEMORIZER_KIND_PERCPU)
#endif
#define MEMORIZER_KINDS_BUILT_IN \
	(BIT(MEMORIZER_KINDS) - 1 - MEMORIZER_NO_VMEMMAP - MEMORIZER_NO_SMP)

/* callers.c */
unsigned long memorizer_caller(unsigned long ip);
void memorizer_want_callers(void);

/* pages.c */
void memorizer_switch_pages(unsigned int what, bool on);

/* area.c */
void memorizer_switch_kinds(unsigned int kinds);
void memorizer_clear_kinds(unsigned int kinds, unsigned int flags);
void memorizer_observe_kinds(bool on);

/* kinds_set.c */
void memorizer_kinds_files(struct dentry *dir);
void memorizer_kinds_init(void);
#else
#define MEMORIZER_KINDS_BUILT_IN	BIT(MEMORIZER_KIND_SLAB)

static inline void memorizer_switch_pages(unsigned int what, bool on) { }
static inline void memorizer_switch_kinds(unsigned int kinds) { }
static inline void memorizer_clear_kinds(unsigned int kinds, unsigned int flags) { }
static inline void memorizer_observe_kinds(bool on) { }
static inline void memorizer_kinds_files(struct dentry *dir) { }
static inline void memorizer_kinds_init(void) { }
#endif

/* What an object may be chosen for. */
enum memorizer_choice {
	MEMORIZER_RECORDED,
	MEMORIZER_FIELDS,	/* its accesses are counted by granule */
	MEMORIZER_CHOICES,
};

#ifdef CONFIG_MEMORIZER_FILTER
/* choose.c */
unsigned int memorizer_choose_object(const void *ptr, enum memorizer_object_kind kind,
				     unsigned long ip);
#else
static inline unsigned int memorizer_choose_object(const void *ptr,
						   enum memorizer_object_kind kind,
						   unsigned long ip)
{
	return BIT(MEMORIZER_RECORDED);
}
#endif

/* kinds.c */
int memorizer_set_enabled(bool on);
bool memorizer_is_enabled(void);
int memorizer_set_kinds(unsigned int new);
unsigned int memorizer_get_kinds(void);

#endif /* _MM_MEMORIZER_HOOKS_H */
