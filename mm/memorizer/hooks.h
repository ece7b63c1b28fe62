/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's allocator hooks: switch the recording of objects, and choose them.
 */
#ifndef _MM_MEMORIZER_HOOKS_H
#define _MM_MEMORIZER_HOOKS_H

#include <linux/bits.h>
#include <linux/types.h>

/* What an object may be chosen for. */
enum memorizer_choice {
	MEMORIZER_RECORDED,
	MEMORIZER_FIELDS,	/* its accesses are counted by granule */
	MEMORIZER_CHOICES,
};

#ifdef CONFIG_MEMORIZER_FILTER
/* choose.c */
unsigned int memorizer_choose_object(const void *ptr, unsigned long ip);
#else
static inline unsigned int memorizer_choose_object(const void *ptr, unsigned long ip)
{
	return BIT(MEMORIZER_RECORDED);
}
#endif

/* hooks.c */
int memorizer_set_enabled(bool on);
bool memorizer_is_enabled(void);

#endif /* _MM_MEMORIZER_HOOKS_H */
