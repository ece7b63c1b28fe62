/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's core under a deterministic scheduler: what the compiler calls with -fsanitize=thread,
 * and functions that the linker wraps.
 */
#ifndef _MEMORIZER_SCHED_TSAN_H
#define _MEMORIZER_SCHED_TSAN_H

#include <linux/types.h>

struct memorizer_object;

bool __real_memorizer_read_carries_retry(const struct memorizer_object *object, u32 begin);
bool __wrap_memorizer_read_carries_retry(const struct memorizer_object *object, u32 begin);
void *__real_memset(void *to, int byte, size_t size);
void *__wrap_memset(void *to, int byte, size_t size);

void __tsan_init(void);
void __tsan_func_entry(void *pc);
void __tsan_func_exit(void);
void __tsan_read_range(void *ptr, unsigned long size);
void __tsan_write_range(void *ptr, unsigned long size);

#define TSAN_PLAIN(prefix, bytes)					\
	void __tsan_##prefix##read##bytes(void *ptr);			\
	void __tsan_##prefix##write##bytes(void *ptr)

TSAN_PLAIN(, 1);
TSAN_PLAIN(, 2);
TSAN_PLAIN(, 4);
TSAN_PLAIN(, 8);
TSAN_PLAIN(, 16);
TSAN_PLAIN(unaligned_, 2);
TSAN_PLAIN(unaligned_, 4);
TSAN_PLAIN(unaligned_, 8);
TSAN_PLAIN(unaligned_, 16);

#define TSAN_ATOMIC(bits, type)							\
	type __tsan_atomic##bits##_load(type *ptr, int order);			\
	void __tsan_atomic##bits##_store(type *ptr, type value, int order);	\
	type __tsan_atomic##bits##_exchange(type *ptr, type value, int order);	\
	type __tsan_atomic##bits##_fetch_add(type *ptr, type value, int order);	\
	type __tsan_atomic##bits##_fetch_sub(type *ptr, type value, int order);	\
	int __tsan_atomic##bits##_compare_exchange_strong(type *ptr, type *old,	\
							  type value, int order, int failure)

TSAN_ATOMIC(8, u8);
TSAN_ATOMIC(16, u16);
TSAN_ATOMIC(32, u32);
TSAN_ATOMIC(64, u64);

#endif /* _MEMORIZER_SCHED_TSAN_H */
