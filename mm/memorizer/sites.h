/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's sites: switch access logging.
 */
#ifndef _MM_MEMORIZER_SITES_H
#define _MM_MEMORIZER_SITES_H

#include <linux/types.h>

int memorizer_choose_form(int prefixes);
int memorizer_set_log_access(bool on);
bool memorizer_is_logging(void);
unsigned long memorizer_count_sites(unsigned long *on, unsigned long *prefixes);
#if defined(CONFIG_KUNIT) || defined(CONFIG_KUNIT_MODULE)
bool memorizer_sites_fail_alloc(void);
extern void (*memorizer_sites_patch_hook)(void);
#endif

#endif /* _MM_MEMORIZER_SITES_H */
