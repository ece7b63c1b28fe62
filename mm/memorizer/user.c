// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's accesses to user memory.
 *
 * Sites in copy_to_user(), get_user() and others call the hook here. User memory has no objects:
 * accesses are counted by ip and task, in the entries of one record. The record is never live, so
 * that neither the KMAP nor the index has it. To clear or retire the counts, it is replaced by a
 * new one, and goes back to the pool with its entries as a closed object does, see clear.c.
 *
 * The sites are enabled only while the kind is selected.
 */
#include <linux/compiler.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rwsem.h>
#include <linux/string.h>

#include "access.h"
#include "entry.h"
#include "entry_table.h"
#include "hooks.h"
#include "memorizer.h"
#include "object.h"
#include "observer.h"
#include "pool.h"
#include "rows.h"
#include "sites.h"
#include "tasks.h"
#include "user.h"

/* Id of the record, 0 if there is none. Changed under memorizer_rwsem. */
static u32 user __read_mostly;

/* The kind was selected at least once. Guarded by memorizer_rwsem. */
static bool wanted;

static __kprobes bool count_user(unsigned int kind, unsigned long ip)
{
	u64 key = memorizer_key(memorizer_pack_ip(ip), memorizer_current_subject());
	u32 id = READ_ONCE(user);
	struct memorizer_entry *entry;

	if (!id)
		return false;
	entry = memorizer_count(memorizer_ptr(id), key, memorizer_kind_counts(kind), 0);
	if (!entry)
		return false;
	memorizer_settle(entry);
	return true;
}

/**
 * memorizer_user_access() - count an access to user memory
 * @addr: address of its first byte
 * @size: its size in bytes; nothing is counted for 0
 * @kind: MEMORIZER_READ or MEMORIZER_WRITE
 * @ip: address of the instruction after the site
 *
 * Ignores kernel addresses: copy_to_kernel_nofault() shares put_user()'s sites, and access_ok()
 * refuses others.
 *
 * Context: any, NMI included, with preemption disabled.
 */
void __kprobes memorizer_user_access(unsigned long addr, unsigned long size, unsigned int kind,
				     unsigned long ip)
{
	if (!size || (long)addr < 0)
		return;
	if (memorizer_is_left_out()) {
		this_cpu_inc(memorizer_counters.left_out);
		return;
	}
	if (memorizer_is_paused()) {
		this_cpu_inc(memorizer_counters.paused);
		return;
	}
	if (memorizer_observes_accesses())
		memorizer_observer_access(addr, size, kind, ip);
	if (!count_user(kind, ip))
		this_cpu_inc(memorizer_counters.lost[MEMORIZER_LOST_ENTRY]);
}

/* Make a record. Without room in the pool, there is none. */
static void make_user(void)
{
	u32 who = memorizer_who(MEMORIZER_KIND_USER, false), id;
	struct memorizer_object *object;

	preempt_disable_notrace();
	id = memorizer_object_make(0, 0, who, 0);
	if (id) {
		/* It has no caller, and was made by no task. */
		object = memorizer_ptr(id);
		WRITE_ONCE(object->who, who);
		memorizer_set_alloc_jiffies(object, 0);
		memset(object->comm, 0, sizeof(object->comm));
	}
	/* Hooks see a complete record: the dependency on the id orders their reads. */
	smp_store_release(&user, id);
	preempt_enable_notrace();
}

/**
 * memorizer_refill_user() - make the record if there is none and the kind was ever selected
 *
 * Context: process context, under memorizer_rwsem, for writing.
 */
void memorizer_refill_user(void)
{
	if (wanted && !user)
		make_user();
}

/**
 * memorizer_switch_optional() - count the accesses whose sites are enabled only on request, or not
 * @of_user: true to count those to user memory
 * @percpu: true to count those to per-CPU data relative to %gs
 *
 * What was counted stays until it is cleared.
 *
 * Context: process context, may sleep; or boot, one CPU.
 * Return: 0, or -ENOMEM, which changes nothing
 */
int memorizer_switch_optional(bool of_user, bool percpu)
{
	down_write(&memorizer_rwsem);
	wanted |= of_user;
	memorizer_refill_user();
	up_write(&memorizer_rwsem);
	return memorizer_select_sites(of_user, percpu);
}

/**
 * memorizer_user_counts() - get the record that has the counts of user memory as its rows
 *
 * Context: process context, under memorizer_rwsem.
 * Return: the record, NULL if there is none
 */
struct memorizer_object *memorizer_user_counts(void)
{
	return user ? memorizer_ptr(user) : NULL;
}

/**
 * memorizer_renew_user() - have accesses to user memory counted in a new record
 *
 * The counts of the old record are final after a grace period.
 *
 * Context: process context, under memorizer_rwsem, for writing.
 * Return: the old record, which is the caller's; NULL if there is none, or if a reader pins it
 */
struct memorizer_object *memorizer_renew_user(void)
{
	struct memorizer_object *old = memorizer_user_counts();

	if (!old || memorizer_is_pinned(old))
		return NULL;
	make_user();
	return old;
}

/**
 * memorizer_clear_user() - forget the accesses to user memory
 *
 * The caller gives the old record back to the pool, and then calls memorizer_refill_user().
 *
 * Context: process context, under memorizer_rwsem, for writing.
 */
void memorizer_clear_user(void)
{
	struct memorizer_object *old = memorizer_renew_user();

	if (old)
		WRITE_ONCE(old->state, MEMORIZER_CLEARED);
}
