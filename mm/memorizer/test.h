/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Helpers of Memorizer's KUnit tests.
 */
#ifndef _MM_MEMORIZER_TEST_H
#define _MM_MEMORIZER_TEST_H

#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/kallsyms.h>
#include <linux/string.h>

#include <asm/processor.h>

#include "access.h"
#include "caches.h"
#include "clear.h"
#include "entry.h"
#include "group.h"
#include "hooks.h"
#include "index.h"
#include "kmap.h"
#include "memorizer.h"
#include "object.h"
#include "pool.h"
#include "rows.h"
#include "site_table.h"
#include "sites.h"
#include "tasks.h"
#include "traffic.h"

#define ANY	U32_MAX

/* Sums over some of an object's entries. */
struct tally {
	u64 reads;
	u64 writes;
};

static inline u32 object_at(const void *ptr)
{
	unsigned long unused;
	u32 id;

	preempt_disable();
	id = memorizer_index_lookup((unsigned long)ptr, &unused);
	preempt_enable();
	return id;
}

/* Add the counts of an entry. */
static inline void add_to_tally(struct tally *tally, const struct memorizer_entry *entry)
{
	const struct memorizer_group *group = memorizer_entry_group(entry);
	unsigned int i;

	if (!group) {
		tally->reads += memorizer_entry_reads(entry);
		tally->writes += memorizer_entry_writes(entry);
		return;
	}
	for (i = 0; i < group->members; i++) {
		if (group->member[i].kind & MEMORIZER_READ)
			tally->reads += memorizer_entry_times(entry);
		if (group->member[i].kind & MEMORIZER_WRITE)
			tally->writes += memorizer_entry_times(entry);
	}
}

/* Add up the entries of one pid, or of ANY. */
static inline struct tally tally_id(u32 id, u32 pid)
{
	const struct memorizer_object *object = memorizer_ptr(id);
	const struct memorizer_entry *entry;
	struct tally tally = { };
	u32 next;

	if (!id)
		return tally;
	for (next = READ_ONCE(object->entries); next; next = READ_ONCE(entry->link)) {
		entry = memorizer_ptr(next);
		if (memorizer_is_traffic(entry) ||
		    (pid != ANY && memorizer_entry_pid(entry) != pid))
			continue;
		add_to_tally(&tally, entry);
	}
	return tally;
}

static inline struct tally tally_of(const void *ptr, u32 pid)
{
	return tally_id(object_at(ptr), pid);
}

#define STACK_WORDS	400
#define STACK_PATTERN	0x5741434b57414b53UL

/*
 * Measure a call's stack use in bytes: fill the stack below the stack pointer with a pattern,
 * and check afterwards how far it was overwritten. Interrupts are disabled meanwhile.
 */
static noinline __maybe_unused unsigned int stack_used(void (*call)(void *ptr), void *ptr)
{
	unsigned long flags, left = STACK_WORDS, *bottom, *at;

	local_irq_save(flags);
	bottom = (unsigned long *)current_stack_pointer - STACK_WORDS;
	at = bottom;
	asm volatile("rep stosq" : "+D" (at), "+c" (left) : "a" (STACK_PATTERN) : "memory");
	call(ptr);
	at = bottom;
	left = STACK_WORDS;
	asm volatile("repe scasq" : "+D" (at), "+c" (left) : "a" (STACK_PATTERN) : "cc", "memory");
	local_irq_restore(flags);
	return (bottom + STACK_WORDS - (at - 1)) * sizeof(*at);
}

/* Copy at most @size rows of an object. Returns the number of all rows. */
static inline unsigned int copy_rows(struct memorizer_object *object, struct memorizer_row *row,
				     unsigned int size)
{
	struct memorizer_rows rows;
	struct memorizer_row more;
	unsigned int n = 0;

	memorizer_pause();
	down_write(&memorizer_rwsem);
	memorizer_rows_begin(&rows, object, false);
	while (memorizer_rows_next(&rows, &more))
		if (n++ < size)
			row[n - 1] = more;
	memorizer_rows_end(&rows);
	up_write(&memorizer_rwsem);
	memorizer_resume();
	return n;
}

/* Start to record objects and accesses, after clearing freed objects of earlier tests. */
static inline int switch_on(struct kunit_suite *suite)
{
	memorizer_clear();
	return memorizer_set_enabled(true) ?: memorizer_set_log_access(true);
}

static inline void switch_off(struct kunit_suite *suite)
{
	memorizer_set_log_access(false);
}

/*
 * For tests that switch tracepoints and static branches. QEMU's TCG may execute stale text that
 * another CPU has patched, see text_may_be_patched in the selftests' functions.sh.
 */
static inline void skip_unless_text_may_be_patched(struct kunit *test)
{
#ifdef CONFIG_X86
	if (num_possible_cpus() > 1 && strstr(boot_cpu_data.x86_model_id, "QEMU TCG"))
		kunit_skip(test, "TCG may execute text that another CPU has patched");
#endif
}

/* Is a packed ip in the function that starts at @start? */
static inline bool ip_is_in(u32 ip, void *start)
{
	unsigned long size, offset;

	return kallsyms_lookup_size_offset((unsigned long)start, &size, &offset) &&
		memorizer_unpack_ip(ip) - (unsigned long)start <= size;
}

#endif /* _MM_MEMORIZER_TEST_H */
