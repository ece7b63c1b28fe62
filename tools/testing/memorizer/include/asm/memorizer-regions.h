/* SPDX-License-Identifier: GPL-2.0 */
/* Regions of the addresses of the tests */
#ifndef _TEST_ASM_MEMORIZER_REGIONS_H
#define _TEST_ASM_MEMORIZER_REGIONS_H

enum memorizer_region { MEMORIZER_REGION_DIRECT_MAP, MEMORIZER_REGION_OTHER, MEMORIZER_REGIONS };

static inline enum memorizer_region memorizer_region(unsigned long addr)
{
	return addr < 0xffff900000000000 ? MEMORIZER_REGION_DIRECT_MAP : MEMORIZER_REGION_OTHER;
}

#endif /* _TEST_ASM_MEMORIZER_REGIONS_H */
