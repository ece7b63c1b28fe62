/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Regions of the kernel's addresses on x86-64, see Documentation/arch/x86/x86_64/mm.rst
 */
#ifndef _ASM_X86_MEMORIZER_REGIONS_H
#define _ASM_X86_MEMORIZER_REGIONS_H

#include <linux/mm_types.h>
#include <linux/pgtable.h>

/* Regions of the kernel's addresses */
enum memorizer_region {
	MEMORIZER_REGION_DIRECT_MAP,
	MEMORIZER_REGION_VMALLOC,
	MEMORIZER_REGION_VMEMMAP,
	MEMORIZER_REGION_KERNEL,	/* the kernel's image, and modules */
	MEMORIZER_REGION_OTHER,		/* fixmap, cpu_entry_area and others */
	MEMORIZER_REGIONS
};

/* Get the region of an address. */
static __always_inline enum memorizer_region memorizer_region(unsigned long addr)
{
	if (addr >= __START_KERNEL_map)
		return addr < MODULES_END ? MEMORIZER_REGION_KERNEL : MEMORIZER_REGION_OTHER;
	if (addr - VMEMMAP_START < (1UL << (MAX_PHYSMEM_BITS - PAGE_SHIFT)) * sizeof(struct page))
		return MEMORIZER_REGION_VMEMMAP;
	if (addr >= VMALLOC_START && addr <= VMALLOC_END)
		return MEMORIZER_REGION_VMALLOC;
	return addr >= PAGE_OFFSET && addr < VMALLOC_START ? MEMORIZER_REGION_DIRECT_MAP :
							     MEMORIZER_REGION_OTHER;
}

#endif /* _ASM_X86_MEMORIZER_REGIONS_H */
