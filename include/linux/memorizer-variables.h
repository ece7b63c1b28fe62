/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer: hook for the end of variables, which are objects.
 */
#ifndef _LINUX_MEMORIZER_VARIABLES_H
#define _LINUX_MEMORIZER_VARIABLES_H

#include <linux/memorizer.h>

#ifdef CONFIG_MEMORIZER_PAGES
/**
 * memorizer_free_image() - end the variables in a part of the kernel image
 * @begin: first address of the part, page aligned
 * @end: its end, page aligned
 * @ip: return address into the caller
 *
 * Call this before the part is freed.
 *
 * Context: process context, may sleep.
 */
void memorizer_free_image(const void *begin, const void *end, unsigned long ip);
#else
static inline void memorizer_free_image(const void *begin, const void *end, unsigned long ip) { }
#endif

#endif /* _LINUX_MEMORIZER_VARIABLES_H */
