/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's accesses to user memory: counted by ip and task, without an object.
 */
#ifndef _MM_MEMORIZER_USER_H
#define _MM_MEMORIZER_USER_H

#include <linux/types.h>

struct memorizer_object;

#ifdef CONFIG_MEMORIZER_PAGES
void memorizer_user_access(unsigned long addr, unsigned long size, unsigned int kind,
			   unsigned long ip);
int memorizer_switch_optional(bool of_user, bool percpu);
struct memorizer_object *memorizer_user_counts(void);
struct memorizer_object *memorizer_renew_user(void);
void memorizer_clear_user(void);
void memorizer_refill_user(void);
#else
static inline int memorizer_switch_optional(bool of_user, bool percpu) { return 0; }
static inline struct memorizer_object *memorizer_user_counts(void) { return NULL; }
static inline struct memorizer_object *memorizer_renew_user(void) { return NULL; }
static inline void memorizer_clear_user(void) { }
static inline void memorizer_refill_user(void) { }
#endif

#endif /* _MM_MEMORIZER_USER_H */
