// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's cache lines: detect accesses that move a line between CPUs.
 *
 * The model is a cache of infinite size per CPU. At first all CPUs hold each line. A load moves
 * the line unless its CPU holds it; afterwards that CPU holds it, too. A store moves the line
 * unless its CPU is the only holder; afterwards it is. Only accesses to objects count. A move
 * is counted in the entry of the first object of the access in that line, see
 * MEMORIZER_ACCESS_IP.
 *
 * Lines that were accessed are in a hash table of fixed size, which is freed when tracking ends.
 *
 * Invariants:
 *
 * - Each line has at most one record. A record's key changes once, by cmpxchg, from 0 to its
 *   line. All CPUs probe the same records in the same order and claim the first free one.
 *
 * - A line changes under its lock. A CPU holds at most one lock, with interrupts disabled. An NMI
 *   that interrupts a holder must not spin: its access is counted as MEMORIZER_LOST_NESTED.
 *
 * - Accesses that do not move the line are recognized by reading one word, without the lock: a
 *   CPU's bit in @absent is 0 only while it holds the line, and ALONE is set only while the
 *   last storer is the only holder. So a move first revokes what others may rely on, then
 *   grants what its own CPU may rely on.
 */
#define pr_fmt(fmt) "memorizer: " fmt

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/errno.h>
#include <linux/gfp.h>
#include <linux/hash.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/processor.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/types.h>
#include <linux/vmalloc.h>

#include "access.h"
#include "caches.h"
#include "entry.h"
#include "entry_table.h"
#include "index.h"
#include "memorizer.h"
#include "object.h"
#include "observer.h"
#include "pool.h"
#include "tasks.h"
#include "traffic.h"

#define LINE_SIZE_MIN	8
#define LINE_SIZE_MAX	PAGE_SIZE

/* Maximum number of records to probe for a line: bounds the time when the table is full. */
#define PROBES		64

/* Set in cache_line.storer while that CPU is the only holder. */
#define ALONE		BIT(31)

/**
 * struct cache_line - a cache line and its holders
 * @key: number of the line plus one, 0 if the record is free
 * @lock: 1 while a CPU changes the record
 * @storer: number plus one of the last CPU that stored to the line, 0 if none did; and ALONE
 * @absent: bitmap of the CPUs that do not hold the line
 */
struct cache_line {
	unsigned long key;
	u32 lock;
	u32 storer;
	unsigned long absent[];
};

/**
 * struct memorizer_line_table - hash table of the lines that were accessed
 * @shift: log2 of the size of a line in bytes
 * @bits: log2 of the number of records
 * @record: bytes per record, which depends on the number of CPUs
 * @records: the records
 */
struct memorizer_line_table {
	unsigned int shift;
	unsigned int bits;
	size_t record;
	u8 records[] __aligned(8);
};

/* NULL while lines are not tracked. Written under tracking_mutex. */
struct memorizer_line_table *memorizer_line_table __read_mostly;

/* Moves are passed to the observer. */
static bool observed __read_mostly;

/* Minimum capacity of the table, in lines. */
unsigned long memorizer_lines_wanted __ro_after_init = 1 << 16;

/* Lines in the table, and its capacity. */
static atomic_long_t lines_used;
static unsigned long lines_room;

/* Serializes switching; guards line_size. */
static DEFINE_MUTEX(tracking_mutex);
static unsigned long line_size = SMP_CACHE_BYTES;

/* This CPU holds a line's lock. */
static DEFINE_PER_CPU(bool, busy);

enum verdict { STAYS, MOVES, UNDECIDED };

/* Look up or claim the record of an address's line. Returns NULL if the table is full there. */
static __kprobes struct cache_line *find_line(struct memorizer_line_table *table,
					      unsigned long addr)
{
	unsigned long key = (addr >> table->shift) + 1, found;
	unsigned long first = hash_64(key, table->bits), i;
	struct cache_line *line;

	for (i = first; i < first + PROBES; i++) {
		line = (void *)table->records + (i & (BIT(table->bits) - 1)) * table->record;
		/* Records are never removed: a free one ends the search. */
		found = READ_ONCE(line->key);
		if (!found) {
			found = cmpxchg(&line->key, 0, key);
			if (!found)
				atomic_long_inc(&lines_used);
		}
		if (!found || found == key)
			return line;
	}
	return NULL;
}

/* Lock a line. Returns false in an NMI that interrupted a lock holder. */
static __always_inline bool lock_line(struct cache_line *line, unsigned long *flags)
{
	raw_local_irq_save(*flags);
	if (unlikely(this_cpu_read(busy))) {
		raw_local_irq_restore(*flags);
		return false;
	}
	/* Before the lock: an NMI must never spin for a lock that its own CPU holds. */
	this_cpu_write(busy, true);
	barrier();
	/* Pairs with the release in unlock_line(). */
	while (unlikely(cmpxchg(&line->lock, 0, 1)))
		cpu_relax();
	return true;
}

static __always_inline void unlock_line(struct cache_line *line, unsigned long flags)
{
	/* Pairs with the cmpxchg in lock_line(). */
	smp_store_release(&line->lock, 0);
	barrier();
	/* After the release, see lock_line(). */
	this_cpu_write(busy, false);
	raw_local_irq_restore(flags);
}

/* Load from a line on @cpu. If that moves it, @from is set to its last storer, -1 if none. */
static __always_inline enum verdict load(struct cache_line *line, unsigned int cpu, int *from)
{
	unsigned long *absent = &line->absent[cpu / BITS_PER_LONG], bit = BIT(cpu % BITS_PER_LONG);
	enum verdict verdict = STAYS;
	unsigned long flags;

	/* No lock: the bit is 0 only while this CPU holds the line. */
	if (likely(!(READ_ONCE(*absent) & bit)))
		return STAYS;
	if (!lock_line(line, &flags))
		return UNDECIDED;
	/* An interrupt may have loaded from the line since the check above. */
	if (*absent & bit) {
		*from = (int)(line->storer & ~ALONE) - 1;
		WRITE_ONCE(line->storer, line->storer & ~ALONE);
		/* After ALONE is cleared: the storer's next store takes the lock. */
		smp_store_release(absent, *absent & ~bit);
		verdict = MOVES;
	}
	unlock_line(line, flags);
	return verdict;
}

/* Store to a line on @cpu. Sets @from as load() does. */
static __always_inline enum verdict store(struct cache_line *line, unsigned int cpu, int *from)
{
	unsigned long bit = BIT(cpu % BITS_PER_LONG), flags;
	unsigned int own = cpu / BITS_PER_LONG, i;
	enum verdict verdict = STAYS;

	/* On a single CPU, no line ever moves. */
	if (likely(READ_ONCE(line->storer) == (ALONE | (cpu + 1))) || nr_cpu_ids == 1)
		return STAYS;
	if (!lock_line(line, &flags))
		return UNDECIDED;
	/* An interrupt may have stored to the line since the check above. */
	if (line->storer != (ALONE | (cpu + 1))) {
		*from = (int)(line->storer & ~ALONE) - 1;
		/* Revoke first: the previous storer must not find ALONE any more. */
		WRITE_ONCE(line->storer, cpu + 1);
		for (i = 0; i < BITS_TO_LONGS(nr_cpu_ids); i++)
			WRITE_ONCE(line->absent[i], i == own ? line->absent[i] | ~bit : ~0UL);
		/* After the others' bits are set: their next loads take the lock. */
		smp_store_release(&line->absent[own], ~bit);
		/* Last: an NMI on this CPU that sees ALONE must see its bit cleared, too. */
		smp_store_release(&line->storer, ALONE | (cpu + 1));
		verdict = MOVES;
	}
	unlock_line(line, flags);
	return verdict;
}

/* Count a move in the object's entry for traffic. Not inlined: a carry must not keep its stack. */
static noinline __kprobes void count_move(struct memorizer_object *object, unsigned int kind,
					  unsigned long ip)
{
	/* Without MEMORIZER_ACCESS_IP, the key is that of moves. */
	u64 key = memorizer_key(memorizer_pack_ip(ip) & ~MEMORIZER_ACCESS_IP,
				memorizer_current_subject());
	struct memorizer_entry *entry;

	entry = memorizer_count(object, key, memorizer_kind_counts(kind), 0);
	if (!entry) {
		this_cpu_inc(memorizer_counters.lost[MEMORIZER_LOST_TRAFFIC]);
		return;
	}
	this_cpu_inc(memorizer_counters.traffic);
	memorizer_settle(entry);
}

/* Access a line on @cpu. If that moves it, count the move for the object. */
static __kprobes void access_line(struct cache_line *line, unsigned int cpu, u32 object,
				  const struct memorizer_access *access, unsigned int kind,
				  unsigned long start)
{
	enum verdict verdict;
	int from;

	if (kind == MEMORIZER_READ)
		verdict = load(line, cpu, &from);
	else
		verdict = store(line, cpu, &from);
	if (verdict == MOVES) {
		count_move(memorizer_ptr(object), kind, access->ip);
		if (unlikely(READ_ONCE(observed)))
			memorizer_observer_traffic(access, kind, start, from);
	} else if (verdict == UNDECIDED) {
		/* An NMI interrupted a holder of a lock: whether the line moves is unknown. */
		this_cpu_inc(memorizer_counters.lost[MEMORIZER_LOST_NESTED]);
	}
}

/**
 * memorizer_traffic() - track the cache lines of an access
 * @addr: its first address
 * @size: its size in bytes
 * @kind: an enum memorizer_kind; an update loads, then stores
 * @ip: address of the instruction after the site
 *
 * Accesses each line once in which the access touches an object.
 *
 * Context: any, NMI included, with preemption disabled.
 */
void __kprobes memorizer_traffic(unsigned long addr, unsigned long size, unsigned int kind,
				 unsigned long ip)
{
	/* Built here, so that the caller needs no stack: it tail-calls this function. */
	const struct memorizer_access access = { addr, size, kind, ip };
	struct memorizer_line_table *table = READ_ONCE(memorizer_line_table);
	unsigned long at = addr, next, line_bytes;
	unsigned int cpu = smp_processor_id();
	struct cache_line *line;
	u32 id;

	/* Tracking may have been switched off since the caller's check. */
	if (!table)
		return;
	line_bytes = BIT(table->shift);
	do {
		id = memorizer_index_lookup(at, &next);
		if (!id)
			continue;
		/* Other objects in the same line would not move it again. */
		next = (at | (line_bytes - 1)) + 1;
		line = find_line(table, at);
		if (!line) {
			this_cpu_add(memorizer_counters.lost[MEMORIZER_LOST_LINE],
				     memorizer_kind_count(kind));
			continue;
		}
		if (kind & MEMORIZER_READ)
			access_line(line, cpu, id, &access, MEMORIZER_READ, at & -line_bytes);
		if (kind & MEMORIZER_WRITE)
			access_line(line, cpu, id, &access, MEMORIZER_WRITE, at & -line_bytes);
	} while (at = next, at - addr < size);
}

/* Bytes per record, for a bit per CPU. */
static size_t record_size(void)
{
	return struct_size_t(struct cache_line, absent, BITS_TO_LONGS(nr_cpu_ids));
}

/**
 * memorizer_lines_init() - set the capacity of the table of cache lines
 * @wanted: number of lines, rounded up to a power of two; 0 for one per KiB of RAM
 * @ram: bytes of RAM; the table takes at most a quarter of it
 *
 * Context: boot, one CPU, once.
 */
void memorizer_lines_init(unsigned long wanted, unsigned long long ram)
{
	/* Round down, because make_table() rounds up to a power of two. */
	unsigned long most = BIT(ilog2(ram / 4 / record_size()));

	memorizer_lines_wanted = min(wanted ?: (unsigned long)(ram >> 10), most);
	if (wanted > most)
		pr_warn("table for %lu cache lines is not available, using %lu\n", wanted, most);
}

static struct memorizer_line_table *make_table(void)
{
	size_t record = record_size();
	unsigned int bits = ilog2(max(memorizer_lines_wanted, 2UL) - 1) + 1;
	size_t size = sizeof(struct memorizer_line_table) + (record << bits);
	struct memorizer_line_table *table;

	table = __vmalloc(size, GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN);
	if (!table)
		return NULL;
	table->shift = ilog2(line_size);
	table->bits = bits;
	table->record = record;
	return table;
}

/**
 * memorizer_set_track_lines() - switch the tracking of cache lines
 * @on: true to track them; all CPUs hold all lines at first
 *
 * Context: process context, may sleep; or boot, one CPU.
 * Return: 0, or -ENOMEM if there is no pool or no memory for the table
 */
int memorizer_set_track_lines(bool on)
{
	struct memorizer_line_table *table;
	int err = 0;

	if (on && !memorizer_pool_size())
		return -ENOMEM;
	mutex_lock(&tracking_mutex);
	table = memorizer_line_table;
	if (on && !table) {
		table = make_table();
		if (table) {
			atomic_long_set(&lines_used, 0);
			WRITE_ONCE(lines_room, BIT(table->bits));
			/*
			 * Publish the complete table: pairs with the dependency in
			 * memorizer_traffic().
			 */
			smp_store_release(&memorizer_line_table, table);
			/* The fast paths do not call memorizer_traffic(). */
			memorizer_slow_path_begin();
		} else {
			err = -ENOMEM;
		}
	} else if (!on && table) {
		/* First: hooks that begin now do not use the table. */
		WRITE_ONCE(memorizer_line_table, NULL);
		memorizer_slow_path_end();
		WRITE_ONCE(lines_room, 0);
		/* memorizer_slow_path_end() has waited for all hooks that may use the table. */
		vfree(table);
	}
	mutex_unlock(&tracking_mutex);
	return err;
}

/**
 * memorizer_observe_traffic() - switch the observer's events for moves of cache lines
 * @on: true to pass moves to the observer while lines are tracked
 *
 * Context: process context; or boot, one CPU.
 * Return: 0; without CONFIG_MEMORIZER_LINES, -EOPNOTSUPP
 */
int memorizer_observe_traffic(bool on)
{
	WRITE_ONCE(observed, on);
	return 0;
}

/**
 * memorizer_set_line_size() - set the size of a cache line
 * @bytes: the size, a power of two between 8 and the page size
 *
 * Context: process context, may sleep.
 * Return: 0, -EINVAL if the size is invalid, -EBUSY while lines are tracked
 */
int memorizer_set_line_size(u64 bytes)
{
	int err = 0;

	if (bytes < LINE_SIZE_MIN || bytes > LINE_SIZE_MAX || bytes & (bytes - 1))
		return -EINVAL;
	mutex_lock(&tracking_mutex);
	/* The table holds numbers of lines of the current size. */
	if (memorizer_line_table)
		err = -EBUSY;
	else
		WRITE_ONCE(line_size, bytes);
	mutex_unlock(&tracking_mutex);
	return err;
}

/**
 * memorizer_line_size() - size of a cache line
 *
 * Return: the size in bytes
 */
unsigned long memorizer_line_size(void)
{
	return READ_ONCE(line_size);
}

/**
 * memorizer_lines_tracked() - number of cache lines in the table
 *
 * Return: the number, which stays after tracking is switched off
 */
unsigned long memorizer_lines_tracked(void)
{
	return atomic_long_read(&lines_used);
}

/**
 * memorizer_lines_room() - capacity of the table
 *
 * Return: the number of cache lines, 0 while lines are not tracked
 */
unsigned long memorizer_lines_room(void)
{
	return READ_ONCE(lines_room);
}
