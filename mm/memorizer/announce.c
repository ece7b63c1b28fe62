// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer under QEMU: announce objects, tasks, switches, marks and contexts to a QEMU plugin.
 *
 * A message is a sequence of loads, see message.h. It is sent with interrupts disabled, so that
 * its words are adjacent in the CPU's accesses. A message from an NMI that interrupts another
 * message is lost; the next message is preceded by the number of lost ones.
 */
#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/memblock.h>
#include <linux/memorizer.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/string.h>

#include <asm/sections.h>

#include <trace/events/sched.h>

#include "../slab.h"
#include "alloc_stack.h"
#include "announce.h"
#include "entry.h"
#include "hooks.h"
#include "memorizer.h"
#include "message.h"
#include "object.h"
#include "pool.h"

#undef MODULE_PARAM_PREFIX
#define MODULE_PARAM_PREFIX "memorizer."

/* Maximum length of a cache's or lock's name. */
#define NAME_MAX_LENGTH	64

bool memorizer_announces __ro_after_init;
module_param_named(qemu, memorizer_announces, bool, 0);

/* The first message was sent. */
static bool said_hello;

/**
 * struct announcer - state of a CPU
 * @busy: a message is being sent
 * @lost: messages lost since the last one that was sent
 * @known: @pid and @comm are valid
 * @pid: pid of the task that was announced last
 * @comm: comm of that task
 * @left_out: the CPU's task was announced to be left out
 */
struct announcer {
	bool busy;
	u32 lost;
	bool known;
	u32 pid;
	u64 comm[2];
	bool left_out;
};

static DEFINE_PER_CPU(struct announcer, announcer);

static __kprobes void send_word(unsigned int word)
{
	/* The plugin sees addresses only: the offset in the page is the word. */
	const char *at = (const char *)empty_zero_page + word;
	u8 unused;

	asm volatile(MEMORIZER_ANNOUNCE_LOAD : "=a" (unused) : "D" (at) : "memory");
}

static __kprobes void send_value(u64 value)
{
	/* Zigzag: small negative values have few words, too. */
	value = value << 1 ^ -(value >> 63);
	for (; value >> MEMORIZER_WORD_BITS; value >>= MEMORIZER_WORD_BITS)
		send_word((value & MEMORIZER_WORD_MASK) | MEMORIZER_WORD_MORE);
	send_word(value);
}

static __kprobes void send(unsigned int type, const u64 *values, unsigned int count)
{
	unsigned int i;

	send_word(type << MEMORIZER_TYPE_SHIFT | count);
	for (i = 0; i < count; i++)
		send_value(values[i]);
}

/* Begin a message on this CPU. Returns false in an NMI that interrupts another message. */
static __kprobes bool begin(unsigned long *flags)
{
	u64 value;

	raw_local_irq_save(*flags);
	if (this_cpu_read(announcer.busy)) {
		this_cpu_inc(announcer.lost);
		raw_local_irq_restore(*flags);
		return false;
	}
	/* Interrupts are off: from here on, only an NMI can come in between. */
	this_cpu_write(announcer.busy, true);
	barrier();
	if (unlikely(!said_hello)) {
		said_hello = true;
		value = MEMORIZER_ANNOUNCE_VERSION;
		send(MEMORIZER_MSG_HELLO, &value, 1);
	}
	if (unlikely(this_cpu_read(announcer.lost))) {
		/* An NMI may count another loss meanwhile; the next message reports it. */
		value = this_cpu_xchg(announcer.lost, 0);
		send(MEMORIZER_MSG_LOST, &value, 1);
	}
	return true;
}

static __kprobes void end(unsigned long flags)
{
	barrier();
	this_cpu_write(announcer.busy, false);
	raw_local_irq_restore(flags);
}

/* Announce the task that this CPU runs, unless it was the last one announced. */
static __kprobes void send_task(struct task_struct *task)
{
	struct announcer *own = this_cpu_ptr(&announcer);
	u64 values[3] = { task->pid };

	/* Racy but benign: a new name that is read in part is announced again. */
	memcpy(&values[1], task->comm, sizeof(task->comm));
	if (own->known && own->pid == task->pid && own->comm[0] == values[1] &&
	    own->comm[1] == values[2])
		return;
	own->known = true;
	own->pid = task->pid;
	own->comm[0] = values[1];
	own->comm[1] = values[2];
	send(MEMORIZER_MSG_TASK, values, ARRAY_SIZE(values));
}

/* Send text as values of 8 characters. */
static void send_text(const char *text, size_t length)
{
	u64 value;

	while (length) {
		size_t some = min(length, sizeof(value));

		value = 0;
		memcpy(&value, text, some);
		send_value(value);
		text += some;
		length -= some;
	}
}

/* Send a message that ends with text. */
static void send_with_text(unsigned int type, const u64 *values, unsigned int count,
			   const char *text, size_t length)
{
	unsigned int i;

	send_word(type << MEMORIZER_TYPE_SHIFT | (count + DIV_ROUND_UP(length, sizeof(u64))));
	for (i = 0; i < count; i++)
		send_value(values[i]);
	send_text(text, length);
}

/* Announce a cache once. */
static void send_cache(struct kmem_cache *cache)
{
	size_t length = cache->name ? strnlen(cache->name, NAME_MAX_LENGTH) : 0;
	/* The last one as slot_bytes() in stream/events.c. */
	u64 values[] = {
		(unsigned long)cache,
		cache->object_size,
		cache->size,
		cache->size - cache->red_left_pad,
	};

	/* Pairs with the release below. Two CPUs may both announce the cache. */
	if (smp_load_acquire(&cache->memorizer_announced) == cache)
		return;
	send_with_text(MEMORIZER_MSG_CACHE, values, ARRAY_SIZE(values), cache->name, length);
	/* After the message: other CPUs may refer to the cache from now on. */
	smp_store_release(&cache->memorizer_announced, cache);
}

static __always_inline void send_object(u32 id, unsigned long ip, struct kmem_cache *cache)
{
	const struct memorizer_object *object = memorizer_ptr(id);
	u64 values[] = {
		id,
		memorizer_object_va(object),
		object->size,
		ip,
		memorizer_object_pid(object),
		memorizer_alloc_jiffies(object),
		(unsigned long)cache,
		memorizer_object_kind(object),
	};

	send(MEMORIZER_MSG_OBJECT, values, ARRAY_SIZE(values));
}

void __memorizer_announce_object(u32 id)
{
	const struct memorizer_object *object = memorizer_ptr(id);
	const struct slab *slab = NULL;
	unsigned long flags;

	/* Large kmalloc()s are in no slab. */
	if (memorizer_object_kind(object) == MEMORIZER_KIND_SLAB)
		slab = virt_to_slab((void *)memorizer_object_va(object));
	if (!begin(&flags))
		return;
	send_task(current);
	/* The plugin must know the cache before an object refers to it. */
	if (slab)
		send_cache(slab->slab_cache);
	send_object(id, memorizer_alloc_ip(object), slab ? slab->slab_cache : NULL);
	end(flags);
}

void __kprobes __memorizer_announce_lazy(u32 id)
{
	const struct memorizer_object *object = memorizer_ptr(id);
	unsigned long flags;

	if (!begin(&flags))
		return;
	send_task(current);
	send_object(id, memorizer_unpack_ip(object->alloc_ip), NULL);
	end(flags);
}

void __memorizer_announce_end(u32 id)
{
	const struct memorizer_object *object = memorizer_ptr(id);
	u64 values[] = {
		id,
		object->state,
		memorizer_unpack_ip(object->free_ip),
		memorizer_free_jiffies(object),
	};
	unsigned long flags;

	if (!begin(&flags))
		return;
	send(MEMORIZER_MSG_END, values, ARRAY_SIZE(values));
	end(flags);
}

static void send_logging(u64 what, bool on)
{
	u64 values[] = { what, on };
	unsigned long flags;

	if (!begin(&flags))
		return;
	send(MEMORIZER_MSG_LOGGING, values, ARRAY_SIZE(values));
	end(flags);
}

void __memorizer_announce_logging(bool on)
{
	send_logging(MEMORIZER_LOGS_ACCESSES, on);
}

void __memorizer_announce_choice(bool chosen)
{
	if (this_cpu_read(announcer.left_out) != chosen)
		return;
	this_cpu_write(announcer.left_out, !chosen);
	send_logging(MEMORIZER_LOGS_CALLS, chosen);
}

void __memorizer_announce_mark(const char *text, size_t length)
{
	/* The first word has 8 bits for the number of values. */
	size_t left = min_t(size_t, length, (MEMORIZER_ARGUMENT_MASK - 1) * sizeof(u64));
	unsigned long flags;
	u64 pid = current->pid;

	if (!begin(&flags))
		return;
	send_task(current);
	send_with_text(MEMORIZER_MSG_MARK, &pid, 1, text, left);
	end(flags);
}

void __memorizer_announce_context(bool leave, unsigned int kind, unsigned int number)
{
	u64 values[] = { kind, number };
	unsigned long flags;

	if (!begin(&flags))
		return;
	send_task(current);
	send(leave ? MEMORIZER_MSG_LEFT : MEMORIZER_MSG_ENTER, values, ARRAY_SIZE(values));
	end(flags);
}

void __memorizer_announce_rcu_free(const void *ptr, unsigned long ip)
{
	u64 values[] = { (unsigned long)ptr, ip };
	unsigned long flags;

	if (!begin(&flags))
		return;
	send_task(current);
	send(MEMORIZER_MSG_RCU_FREE, values, ARRAY_SIZE(values));
	end(flags);
}

void __memorizer_announce_lock(unsigned int op, unsigned int how, const void *lock,
			       const char *name, unsigned long ip)
{
	u64 values[] = { op | how << 8, (unsigned long)lock, ip };
	unsigned long flags;

	if (!begin(&flags))
		return;
	send_task(current);
	send_with_text(MEMORIZER_MSG_LOCK, values, ARRAY_SIZE(values), name,
		       name ? strnlen(name, NAME_MAX_LENGTH) : 0);
	end(flags);
}

static void announce_switch(void *unused, bool preempt, struct task_struct *before,
			    struct task_struct *task, unsigned int state)
{
	unsigned long flags;

	if (!begin(&flags))
		return;
	send_task(task);
	end(flags);
}

/* Announce memory without objects by a mark, "region NAME FIRST LAST". */
static void __init announce_region(const char *name, unsigned long first, unsigned long size)
{
	char text[80];
	int length = scnprintf(text, sizeof(text), "region %s %lx %lx", name, first,
			       first + size - 1);

	__memorizer_announce_mark(text, length);
}

static void __init announce_regions(void)
{
	char name[32];
	const char *start;
	int cpu;

	for_each_possible_cpu(cpu) {
		snprintf(name, sizeof(name), "percpu%d", cpu);
		start = per_cpu_ptr((__force char __percpu *)__per_cpu_start, cpu);
		announce_region(name, (unsigned long)start, __per_cpu_end - __per_cpu_start);
	}
	announce_region("vmemmap", (unsigned long)pfn_to_page(0), max_pfn * sizeof(struct page));
}

static int __init announce_rest(void)
{
	if (!memorizer_announces)
		return 0;
	announce_regions();
	return register_trace_sched_switch(announce_switch, NULL);
}
core_initcall(announce_rest);
