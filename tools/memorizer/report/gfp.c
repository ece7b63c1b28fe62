// SPDX-License-Identifier: GPL-2.0
/*
 * Names of gfp flags in Linux 6.12. The bits after ZEROTAGS depend on the configuration of the
 * kernel and are printed as numbers.
 */
#include <stdio.h>
#include <string.h>

#include "report/gfp.h"

/* include/linux/gfp_types.h: the bits, from the lowest one. */
static const char * const bits[] = {
	"__GFP_DMA", "__GFP_HIGHMEM", "__GFP_DMA32", "__GFP_MOVABLE", "__GFP_RECLAIMABLE",
	"__GFP_HIGH", "__GFP_IO", "__GFP_FS", "__GFP_ZERO", NULL, "__GFP_DIRECT_RECLAIM",
	"__GFP_KSWAPD_RECLAIM", "__GFP_WRITE", "__GFP_NOWARN", "__GFP_RETRY_MAYFAIL",
	"__GFP_NOFAIL", "__GFP_NORETRY", "__GFP_MEMALLOC", "__GFP_COMP", "__GFP_NOMEMALLOC",
	"__GFP_HARDWALL", "__GFP_THISNODE", "__GFP_ACCOUNT", "__GFP_ZEROTAGS",
};

enum {
	DMA = 0x1, HIGHMEM = 0x2, DMA32 = 0x4, MOVABLE = 0x8, HIGH = 0x20, IO = 0x40, FS = 0x80,
	DIRECT = 0x400, KSWAPD = 0x800, NOWARN = 0x2000, COMP = 0x40000, NOMEMALLOC = 0x80000,
	HARDWALL = 0x100000, ACCOUNT = 0x400000,
};

#define RECLAIM	(DIRECT | KSWAPD)
#define KERNEL	(RECLAIM | IO | FS)
#define USER	(KERNEL | HARDWALL)
#define LIGHT	(((USER | HIGHMEM | MOVABLE | COMP | NOMEMALLOC | NOWARN)) & ~RECLAIM)

/* Common combinations; the first one that the flags contain is used. */
static const struct {
	const char *name;
	u32 flags;
} combinations[] = {
	{ "GFP_TRANSHUGE", LIGHT | DIRECT },
	{ "GFP_TRANSHUGE_LIGHT", LIGHT },
	{ "GFP_HIGHUSER_MOVABLE", USER | HIGHMEM | MOVABLE },
	{ "GFP_HIGHUSER", USER | HIGHMEM },
	{ "GFP_USER", USER },
	{ "GFP_KERNEL_ACCOUNT", KERNEL | ACCOUNT },
	{ "GFP_KERNEL", KERNEL },
	{ "GFP_NOFS", RECLAIM | IO },
	{ "GFP_ATOMIC", HIGH | KSWAPD },
	{ "GFP_NOIO", RECLAIM },
	{ "GFP_NOWAIT", KSWAPD | NOWARN },
};

/**
 * gfp_text - format gfp flags as the kernel's messages do
 * @flags: the flags
 * @text: set to their names, separated by |
 */
void gfp_text(u32 flags, char text[GFP_TEXT])
{
	char *end = text;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(combinations); i++) {
		if ((flags & combinations[i].flags) != combinations[i].flags)
			continue;
		end = stpcpy(end, combinations[i].name);
		flags &= ~combinations[i].flags;
		break;
	}
	for (i = 0; i < ARRAY_SIZE(bits); i++) {
		if (!bits[i] || !(flags & 1u << i))
			continue;
		end = stpcpy(stpcpy(end, end == text ? "" : "|"), bits[i]);
		flags &= ~(1u << i);
	}
	if (flags || end == text)
		sprintf(end, "%s%#x", end == text ? "" : "|", flags);
}

/**
 * gfp_zone - get the zone of gfp flags
 * @flags: the flags
 *
 * Return: the name of the highest zone that they allow.
 */
const char *gfp_zone(u32 flags)
{
	if (flags & DMA)
		return "DMA";
	if (flags & DMA32)
		return "DMA32";
	if ((flags & (HIGHMEM | MOVABLE)) == (HIGHMEM | MOVABLE))
		return "Movable";
	return "Normal";	/* so is HIGHMEM alone, without highmem */
}
