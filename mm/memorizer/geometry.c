// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's view of SLUB's layout of objects.
 */
#include <linux/kfence.h>
#include <linux/mm.h>

#include "../slab.h"
#include "index.h"
#include "memorizer.h"

/**
 * memorizer_geometry() - get the layout of the objects in an object's pages
 * @ptr: the object
 * @size: bytes requested
 * @geo: the result
 *
 * Context: any, NMI included; the object must be allocated.
 */
void memorizer_geometry(const void *ptr, size_t size, struct memorizer_geometry *geo)
{
	unsigned long addr = (unsigned long)ptr;
	const struct kmem_cache *s;
	const struct slab *slab;

	/* KFENCE gives its page a struct slab, but the object may be anywhere in it. */
	slab = is_kfence_address(ptr) ? NULL : virt_to_slab(ptr);
	if (!slab) {
		/* A large kmalloc(), or an object of KFENCE: it has its pages for itself. */
		geo->start = addr & PAGE_MASK;
		geo->pages = ((addr & ~PAGE_MASK) + size + PAGE_SIZE - 1) >> PAGE_SHIFT;
		geo->slots = 0;
		return;
	}
	s = slab->slab_cache;
	geo->start = (unsigned long)slab_address(slab);
	/* With red zoning, an object follows its left red zone. */
	geo->base = geo->start + s->red_left_pad;
	geo->stride = s->size;
	geo->slots = slab->objects;
	geo->pages = 1UL << slab_order(slab);
}
