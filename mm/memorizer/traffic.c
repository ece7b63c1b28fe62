// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's cache lines: which accesses to objects move one between CPUs.
 *
 * Caches are taken to be of infinite size. At first all CPUs hold a line. A load
 * moves it to its CPU unless that holds it, which it does from then on. A store
 * moves it unless exactly its CPU holds it, which alone does so from then on. A
 * line is a place in memory, whatever objects come to lie there; accesses to no
 * object do not move it. A move is counted in the access entry of the first object
 * of the access in that line, see MEMORIZER_ACCESS_IP.
 *
 * Lines that were accessed since tracking was switched on are in a hash table of
 * fixed size, from which none is removed until it is switched off.
 *
 * Invariants:
 *
 * - A record's key goes from 0 to its line once, by cmpxchg; the rest of it was
 *   zeroed, which is a line that all hold. Who looks for a line looks at the same
 *   records in the same order, and takes the first one that is free: there is one
 *   for a line.
 *
 * - A line changes under its lock, which a CPU takes with interrupts off and
 *   one at a time. An NMI that comes into that must not wait for it, nor for another
 *   CPU that may wait for this one: what it accesses is not decided, and counted as
 *   such. All others wait, for as long as a line takes to change.
 *
 * - That nothing changes is seen without the lock, in one word each: a CPU's bit in
 *   @absent is 0 only while it holds the line, ALONE is set only while nobody but
 *   the CPU that stored last does. So what would make others' loads or stores stay
 *   is taken away first, and what makes one's own stay is given last.
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
#include <linux/smp.h>
#include <linux/types.h>
#include <linux/vmalloc.h>

#include "access.h"
#include "entry.h"
#include "index.h"
#include "memorizer.h"
#include "object.h"
#include "observer.h"
#include "pool.h"
#include "traffic.h"

#define LINE_SIZE_MIN	8
#define LINE_SIZE_MAX	PAGE_SIZE

/* Records that are looked at for a line, at most: what a full table may take. */
#define PROBES		64

/* In @storer: no CPU but that one holds the line. */
#define ALONE		BIT(31)

/**
 * struct cache_line - a line, and who holds it
 * @key: number of the line plus one; 0: the record is free
 * @lock: is 1 while somebody changes it
 * @storer: number plus one of the CPU that stored last, 0: nobody yet; ALONE
 * @absent: a bit for each CPU, set if it does not hold the line
 */
struct cache_line {
	unsigned long key;
	u32 lock;
	u32 storer;
	unsigned long absent[];
};

/**
 * struct memorizer_line_table - the lines that were accessed since tracking began
 * @shift: a line has 2^shift bytes
 * @bits: there are 2^bits records
 * @record: bytes of a record
 * @records: they
 */
struct memorizer_line_table {
	unsigned int shift;
	unsigned int bits;
	size_t record;
	u8 records[] __aligned(8);
};

/* NULL: lines are not tracked. Written under tracking_mutex. */
struct memorizer_line_table *memorizer_line_table __read_mostly;

/* Do moves reach the observer? */
bool memorizer_traffic_observed __read_mostly;

/* The table has room for at least so many lines. Such a table fits into memory. */
unsigned long memorizer_lines_wanted __ro_after_init = 1 << 16;

/* Of records: how many are in use, and how many there are. */
static atomic_long_t lines_used;
static unsigned long lines_room;

/* Serializes switching; guards the size of a line in bytes. */
static DEFINE_MUTEX(tracking_mutex);
static unsigned long line_size = SMP_CACHE_BYTES;

/* This CPU has a line's lock. */
static DEFINE_PER_CPU(bool, busy);

enum verdict { STAYS, MOVES, UNDECIDED };

/* The record of an address's line; NULL if there is no room for it. */
static __kprobes struct cache_line *find_line(struct memorizer_line_table *table,
					      unsigned long addr)
{
	unsigned long key = (addr >> table->shift) + 1, found;
	unsigned long first = hash_64(key, table->bits), i;
	struct cache_line *line;

	for (i = first; i < first + PROBES; i++) {
		line = (void *)table->records + (i & (BIT(table->bits) - 1)) * table->record;
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

/* False if this CPU was interrupted while it had a lock. */
static __always_inline bool lock_line(struct cache_line *line, unsigned long *flags)
{
	raw_local_irq_save(*flags);
	if (unlikely(this_cpu_read(busy))) {
		raw_local_irq_restore(*flags);
		return false;
	}
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
	this_cpu_write(busy, false);
	raw_local_irq_restore(flags);
}

/* Whether a load moves the line, to @cpu; @from is set to who stored last, -1: nobody. */
static __always_inline enum verdict load(struct cache_line *line, unsigned int cpu, int *from)
{
	unsigned long *absent = &line->absent[cpu / BITS_PER_LONG], bit = BIT(cpu % BITS_PER_LONG);
	enum verdict verdict = STAYS;
	unsigned long flags;

	if (likely(!(READ_ONCE(*absent) & bit)))
		return STAYS;
	if (!lock_line(line, &flags))
		return UNDECIDED;
	if (*absent & bit) {
		*from = (int)(line->storer & ~ALONE) - 1;
		WRITE_ONCE(line->storer, line->storer & ~ALONE);
		/* From here on the storer's next store waits for the lock. */
		smp_store_release(absent, *absent & ~bit);
		verdict = MOVES;
	}
	unlock_line(line, flags);
	return verdict;
}

/* The same for a store. */
static __always_inline enum verdict store(struct cache_line *line, unsigned int cpu, int *from)
{
	unsigned long bit = BIT(cpu % BITS_PER_LONG), flags;
	unsigned int own = cpu / BITS_PER_LONG, i;
	enum verdict verdict = STAYS;

	/* The only CPU that there is holds it alone. */
	if (likely(READ_ONCE(line->storer) == (ALONE | (cpu + 1))) || nr_cpu_ids == 1)
		return STAYS;
	if (!lock_line(line, &flags))
		return UNDECIDED;
	if (line->storer != (ALONE | (cpu + 1))) {
		*from = (int)(line->storer & ~ALONE) - 1;
		WRITE_ONCE(line->storer, cpu + 1);
		for (i = 0; i < BITS_TO_LONGS(nr_cpu_ids); i++)
			WRITE_ONCE(line->absent[i], i == own ? line->absent[i] | ~bit : ~0UL);
		/* From here on all others wait for the lock. */
		smp_store_release(&line->absent[own], ~bit);
		/* After @absent, for an NMI of this CPU. */
		smp_store_release(&line->storer, ALONE | (cpu + 1));
		verdict = MOVES;
	}
	unlock_line(line, flags);
	return verdict;
}

/* Has @cpu load from a line or store to it, and counts that for the object if it moves. */
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
		memorizer_count_traffic(object, kind, access->ip);
		if (memorizer_tells_traffic())
			memorizer_observer_traffic(access, kind, start, from);
	} else if (verdict == UNDECIDED) {
		this_cpu_inc(memorizer_counters.lost[MEMORIZER_LOST_NESTED]);
	}
}

/**
 * memorizer_traffic() - follow the cache lines of an access
 * @addr: its first address
 * @size: its size in bytes
 * @kind: an enum memorizer_kind; an update loads, then stores
 * @ip: the address right behind the site
 *
 * Each line in which it touches an object is accessed, once.
 *
 * Context: any, NMI included, with preemption disabled.
 */
void __kprobes memorizer_traffic(unsigned long addr, unsigned long size, unsigned int kind,
				 unsigned long ip)
{
	/* Not the caller's: it goes on here by a jump, and so takes no stack meanwhile. */
	const struct memorizer_access access = { addr, size, kind, ip };
	struct memorizer_line_table *table = READ_ONCE(memorizer_line_table);
	unsigned long at = addr, next, line_bytes;
	unsigned int cpu = smp_processor_id();
	struct cache_line *line;
	u32 id;

	/* Switched off just now? */
	if (!table)
		return;
	line_bytes = BIT(table->shift);
	do {
		id = memorizer_index_lookup(at, &next);
		if (!id)
			continue;
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

/* Bytes of a record, which has a bit for each CPU. */
static size_t record_size(void)
{
	return struct_size_t(struct cache_line, absent, BITS_TO_LONGS(nr_cpu_ids));
}

/**
 * memorizer_lines_init() - set how many cache lines the table has room for
 * @wanted: their number, rounded up to a power of two; 0: one for each KiB of RAM
 * @ram: bytes of RAM, of which the table takes a quarter at most
 *
 * Context: boot, one CPU, once.
 */
void memorizer_lines_init(unsigned long wanted, unsigned long long ram)
{
	unsigned long most = BIT(ilog2(ram / 4 / record_size()));

	memorizer_lines_wanted = min(wanted ?: (unsigned long)(ram >> 10), most);
	if (wanted > most)
		pr_warn("room for %lu cache lines cannot be had, taking %lu\n", wanted, most);
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
 * @on: whether they are to be tracked; all CPUs hold them then
 *
 * Context: process context, may sleep; or boot, one CPU.
 * Return: 0, or -ENOMEM if there is no pool, or no memory for the lines
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
			/* Pairs with the address dependency in memorizer_traffic(). */
			smp_store_release(&memorizer_line_table, table);
			memorizer_slow_path_begin();
		} else {
			err = -ENOMEM;
		}
	} else if (!on && table) {
		WRITE_ONCE(memorizer_line_table, NULL);
		memorizer_slow_path_end();
		WRITE_ONCE(lines_room, 0);
		/* No hook sees it any more. */
		vfree(table);
	}
	mutex_unlock(&tracking_mutex);
	return err;
}

/**
 * memorizer_observe_traffic() - switch the observer's events for moves of cache lines
 * @on: true to pass them to the observer, while lines are tracked
 *
 * Context: process context; or boot, one CPU.
 */
void memorizer_observe_traffic(bool on)
{
	WRITE_ONCE(memorizer_traffic_observed, on);
}

/**
 * memorizer_set_line_size() - say how large a cache line is to be
 * @bytes: its size, a power of two
 *
 * Context: process context, may sleep.
 * Return: 0, -EINVAL if it cannot be had, -EBUSY if lines are tracked
 */
int memorizer_set_line_size(u64 bytes)
{
	int err = 0;

	if (bytes < LINE_SIZE_MIN || bytes > LINE_SIZE_MAX || bytes & (bytes - 1))
		return -EINVAL;
	mutex_lock(&tracking_mutex);
	if (memorizer_line_table)
		err = -EBUSY;
	else
		WRITE_ONCE(line_size, bytes);
	mutex_unlock(&tracking_mutex);
	return err;
}

/**
 * memorizer_line_size() - size of a cache line as it is tracked
 *
 * Return: bytes
 */
unsigned long memorizer_line_size(void)
{
	return READ_ONCE(line_size);
}

/**
 * memorizer_lines_tracked() - number of cache lines that were accessed
 *
 * Return: so many since tracking was switched on last
 */
unsigned long memorizer_lines_tracked(void)
{
	return atomic_long_read(&lines_used);
}

/**
 * memorizer_lines_room() - number of cache lines that there is room for
 *
 * Return: the number, 0 if none are tracked
 */
unsigned long memorizer_lines_room(void)
{
	return READ_ONCE(lines_room);
}
