/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's sites: switch access logging.
 */
#ifndef _MM_MEMORIZER_SITES_H
#define _MM_MEMORIZER_SITES_H

#include <linux/types.h>

/**
 * struct memorizer_site_counts - numbers of sites, of the kernel and of all modules
 * @all: all sites
 * @user: those of accesses to user memory
 * @percpu: those of accesses to per-CPU data relative to %gs
 * @on: enabled sites
 * @prefixes: sites that are prefixes now
 */
struct memorizer_site_counts {
	unsigned long all;
	unsigned long user;
	unsigned long percpu;
	unsigned long on;
	unsigned long prefixes;
};

int memorizer_choose_form(int prefixes);
int memorizer_set_log_access(bool on);
int memorizer_select_sites(bool user, bool percpu);
bool memorizer_is_logging(void);
void memorizer_count_sites(struct memorizer_site_counts *counts);
#if defined(CONFIG_KUNIT) || defined(CONFIG_KUNIT_MODULE)
bool memorizer_sites_fail_alloc(void);
extern void (*memorizer_sites_patch_hook)(void);
#endif

#endif /* _MM_MEMORIZER_SITES_H */
