// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's hook: count an access in the access entry of (object, ip, pid).
 *
 * Each CPU has entries of its own, so that counting one more is an increment
 * that no other CPU takes part in: a single instruction, which an interrupt
 * cannot split. The way to the entry, fastest first:
 *
 * - cache: an array of pointers to entries, hashed by ip and address. The
 *   thunks look there themselves; a hit needs neither index nor object.
 * - found: the objects that the index told last, hashed by address, for those that are not
 *   in the cache. There is memorizer_nobody in the place of one where the index knew no page:
 *   then the thunks ask the index by themselves whether it still knows none.
 * - buckets: a hash table of all the CPU's entries by (object, ip, pid), asked
 *   when the index has told the object.
 * - a new entry from the pool.
 *
 * So it is with the accesses of a group, which take one entry together, with the group in
 * the place of an ip. They are counted there if one object contains them all; if that is
 * not so, or not so easy, each is counted by itself. Who reads counts tells them one by one
 * in any case.
 *
 * Accesses to an object that is counted by granule never get that far: it is hidden, so
 * that neither the thunks nor any of the fast ways here take it for theirs, at no cost to
 * other objects. memorizer_access() counts them one by one, and what it finds has a wide entry
 * for (granules, ip, pid), which no cache has. There is no other entry for them: whoever adds up
 * an object's entries has the same sums as if it had not been chosen.
 *
 * Invariants:
 *
 * - entry->object stays the same object until the entry is taken out of the
 *   caches and a grace period has passed. Until then its address is the same, too,
 *   and it is hidden but while it is live; a cache hit relies on these
 *   alone; an entry of granules relies on the first. So who closes an object has all
 *   its entries stop to match with one store, however many there are.
 *
 * - A bucket's head is changed by cmpxchg: its own CPU, in any context, puts
 *   entries before it, memorizer_access_collect() on any CPU takes entries out.
 *   There is one collector at a time, and only it changes a link in a chain.
 *   Chains are walked without a lock: an entry that was taken out keeps its link
 *   until a grace period later. An interrupt may add an entry for the same key
 *   between our search and our addition: there are two then, and readers of the
 *   counts add them up.
 *
 * - cache slots are written by their own CPU, and by the collector with cmpxchg
 *   against the entry that it takes out; while all accesses take the slow path,
 *   nobody stores an entry there. A hook cannot store that entry again:
 *   its object left the index a grace period ago. So it is with the objects that
 *   were found; that they are live, their addresses say.
 *
 * - An entry's counts have 16 bits, of which the highest says that it is time to
 *   carry 2^15. Who finds it after counting does; if it is an interrupt's hook, the
 *   one that it came into finds that it is done. So a count is above 2^15 by no more than
 *   there are hooks one inside the other, and none reaches its neighbour, although both
 *   are counted up by one addition. A group's entry has its extent in the
 *   place of the second count, which never gets there.
 *
 * - Carries go to a wide entry, of which the key is the same but for one bit. Its counts have 64
 *   bits, in which nobody counts so far that they overflow. What is carried is in neither entry
 *   for a moment, or a reader meets it in both, or in none: who adds up entries that may be
 *   counted in asks before and after whether any was carried, see memorizer_carries_done().
 */
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/cache.h>
#include <linux/errno.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rwsem.h>
#include <linux/sched.h>

#include "access.h"
#include "entry.h"
#include "index.h"
#include "memorizer.h"
#include "object.h"
#include "observer.h"
#include "pool.h"
#include "tasks.h"
#include "traffic.h"

/* What crosses a multiple of it may be of two objects that the index knows; 0: so is all. */
static unsigned long miss_bytes __read_mostly = PAGE_SIZE;

/* Of an entry's counts: the highest bit of each. */
#define CARRIES		(BIT(31) | BIT(15))

/*
 * How often counts of the objects that go there were carried. All CPUs write here, each at most
 * once in 2^15 accesses by one ip.
 */
static struct carries {
	atomic_t begun;
	atomic_t done;
} carries_of[64];

/* Match no access. They are together as an entry knows where its object is from there. */
static struct {
	struct memorizer_entry entry;
	struct memorizer_object object;
} nothing __ro_after_init = {
	.entry.object = sizeof(struct memorizer_entry) >> MEMORIZER_ID_SHIFT,
};

struct memorizer_object memorizer_nobody __ro_after_init;

/* The thunks read them, hence not static. */
DEFINE_PER_CPU(struct memorizer_entry *[MEMORIZER_CACHE_SLOTS], memorizer_cache);
DEFINE_PER_CPU(struct memorizer_object *[MEMORIZER_FOUND_SLOTS], memorizer_found);
DEFINE_PER_CPU(u64, memorizer_current_key);

static DEFINE_PER_CPU_READ_MOSTLY(u32 *, buckets);
static u32 bucket_mask __ro_after_init;		/* their number, less one */

/* Do accesses reach the observer? */
bool memorizer_accesses_observed __read_mostly;

/* For so many reasons all accesses take the slow path. Written under memorizer_rwsem. */
static unsigned int slow_path_users __read_mostly;

/**
 * memorizer_access_init() - make the CPUs' hash tables
 * @reserve: gives zeroed memory, NULL if there is none
 * @pool_size: size of the pool in bytes
 *
 * Context: boot, once.
 * Return: 0 or -ENOMEM
 */
int memorizer_access_init(void *(*reserve)(size_t size), unsigned long pool_size)
{
	/* Half a bucket per entry, were the whole pool entries of evenly busy CPUs. */
	unsigned long entries = pool_size / sizeof(struct memorizer_entry) / num_possible_cpus();
	unsigned int cpu, i;

	bucket_mask = (1U << (clamp(ilog2(entries | 1), 8, 24) - 1)) - 1;
	for_each_possible_cpu(cpu) {
		u32 *table = reserve(sizeof(u32) * (bucket_mask + 1UL));

		if (!table)
			return -ENOMEM;
		per_cpu(buckets, cpu) = table;
		for (i = 0; i < MEMORIZER_CACHE_SLOTS; i++)
			per_cpu(memorizer_cache, cpu)[i] = &nothing.entry;
		for (i = 0; i < MEMORIZER_FOUND_SLOTS; i++)
			per_cpu(memorizer_found, cpu)[i] = &nothing.object;
	}
	return 0;
}

/*
 * Ips that are near each other have buckets that are, one for 8 bytes of code, so that those
 * of an object and task share cache lines. Low bits of a factor scatter pids; and objects,
 * which are made one after the other, by one with which they do not meet.
 */
#define BUCKET_OF_KEY		(BIT_ULL(29) + 0x9e377)
#define BETWEEN_OBJECTS		(GOLDEN_RATIO_64 * GOLDEN_RATIO_64 * 64)
#define BUCKET_OF_TARGET	(BETWEEN_OBJECTS / 8 * 0x6db6db6db6db6db7)

/* Modulo 2^64: the last number above is the inverse of 7. */
static_assert(sizeof(struct memorizer_object) * BUCKET_OF_TARGET == BETWEEN_OBJECTS);

static __always_inline u32 *find_bucket(u64 target, u64 key)
{
	u32 hash = (key * BUCKET_OF_KEY + target * BUCKET_OF_TARGET) >> 32;

	return &this_cpu_read(buckets)[hash & bucket_mask];
}

/* Does the entry count what that key does to that object? */
static __always_inline bool is_for(const struct memorizer_entry *entry,
				   const struct memorizer_object *object, u64 key)
{
	return entry->key == key && memorizer_entry_object(entry) == object;
}

/* The bucket of what counts accesses to an object, wherever in it. */
static __always_inline u32 *find_whole(const struct memorizer_object *object, u64 key)
{
	return find_bucket((unsigned long)object, key);
}

/*
 * Says whether there is an entry besides telling which, for the kernel's compiler takes no sum for
 * a pointer that is not NULL. Most that are looked for by the fast paths are new.
 */
static __always_inline bool find_entry(const u32 *bucket, const struct memorizer_object *object,
				       u64 key, struct memorizer_entry **entry)
{
	u32 id;

	for (id = READ_ONCE(*bucket); unlikely(id); id = READ_ONCE((*entry)->chain)) {
		*entry = memorizer_ptr(id);
		if (is_for(*entry, object, key))
			return true;
	}
	return false;
}

/* Makes an entry of the object, with its first counts or its granules, known to all. */
static __always_inline void add_entry(struct memorizer_entry *entry, u32 id, u32 *bucket,
				      struct memorizer_object *object, u64 key, u64 counts)
{
	u64 distance = (void *)object - (void *)entry;
	u32 head;

	entry->key = key;
	/* A multiple of the unit: all below is 0. */
	local_set(&entry->word, distance << (32 - MEMORIZER_ID_SHIFT) | counts);

	head = READ_ONCE(object->entries);
	do {
		WRITE_ONCE(entry->link, head);
	} while (unlikely(!try_cmpxchg(&object->entries, &head, id)));

	head = READ_ONCE(*bucket);
	do {
		WRITE_ONCE(entry->chain, head);
	} while (unlikely(!try_cmpxchg(bucket, &head, id)));
}

/*
 * Adds @counts to an entry, or gives a new one those and @more. Returns the entry, for settle(),
 * or NULL if there is no room for one.
 */
static __kprobes struct memorizer_entry *count(struct memorizer_object *object, u64 key,
					       u64 counts, u64 more)
{
	u32 *bucket = find_whole(object, key), id;
	struct memorizer_entry *entry;

	if (find_entry(bucket, object, key, &entry)) {
		local_add(counts, &entry->word);
		return entry;
	}
	id = memorizer_pool_alloc(MEMORIZER_ENTRY);
	if (!id)
		return NULL;
	entry = memorizer_ptr(id);
	add_entry(entry, id, bucket, object, key, counts + more);
	return entry;
}

/* Carries what was counted, if it is time to. Not in count(): its stack would be kept meanwhile. */
static __always_inline void settle(struct memorizer_entry *entry)
{
	if (unlikely(local_read(&entry->word) & CARRIES))
		memorizer_access_carry(entry);
}

static __always_inline struct memorizer_wide_entry *
find_wide(const u32 *bucket, const struct memorizer_object *object, u64 key, u32 granules)
{
	struct memorizer_entry *entry;
	u32 id;

	for (id = READ_ONCE(*bucket); id; id = READ_ONCE(entry->chain)) {
		entry = memorizer_ptr(id);
		if (is_for(entry, object, key) && entry->granules == granules)
			return memorizer_wide(entry);
	}
	return NULL;
}

/* The same for a wide entry, as the key is; false if there is no room for one. */
static __kprobes bool count_wide(struct memorizer_object *object, u64 key, u32 granules,
				 u32 reads, u32 writes)
{
	u32 *bucket = find_bucket((unsigned long)object + granules * GOLDEN_RATIO_64, key), id;
	struct memorizer_wide_entry *wide = find_wide(bucket, object, key, granules);

	if (wide) {
		local_add(reads, &wide->reads);
		local_add(writes, &wide->writes);
		return true;
	}
	id = memorizer_pool_alloc(MEMORIZER_WIDE_ENTRY);
	if (!id)
		return false;
	wide = memorizer_ptr(id);
	local_set(&wide->reads, reads);
	local_set(&wide->writes, writes);
	add_entry(&wide->entry, id, bucket, object, key, granules);
	return true;
}

/* What a group's entry has beside how often it was made. */
static __always_inline u64 extent_of(const struct memorizer_group *group)
{
	return (u64)group->extent << 16;
}

static __always_inline void remember(struct memorizer_entry *entry, unsigned long addr)
{
	u32 slot = memorizer_cache_slot(memorizer_entry_ip(entry), addr);

	this_cpu_write(memorizer_cache[slot], entry);
}

/* Here, where nothing has sites: it is Memorizer's own access. */
void __kprobes memorizer_switch_to(const struct task_struct *next)
{
	this_cpu_write(memorizer_current_key, READ_ONCE(next->memorizer_key));
}

/* Counts an access of which the object has @size bytes from @addr on, or up to its end. */
static __kprobes bool count_by_granule(struct memorizer_object *object, unsigned long addr,
				       unsigned long size, unsigned int kind, unsigned long ip)
{
	u64 key = memorizer_key(memorizer_pack_ip(ip), current->pid | MEMORIZER_BY_GRANULE);
	unsigned long first = addr - memorizer_object_va(object);
	unsigned long last = first + min(size, object->size - first) - 1;

	return count_wide(object, key, memorizer_granules(first, last), kind & MEMORIZER_READ,
			  kind / MEMORIZER_WRITE);
}

/* The same, wherever in it. Thunks look for none but accesses of fixed size in the cache. */
static __kprobes bool count_in_whole(struct memorizer_object *object, unsigned long addr,
				     unsigned long size, unsigned int kind, unsigned long ip)
{
	u64 key = memorizer_key(memorizer_pack_ip(ip), current->pid);
	struct memorizer_entry *entry;

	entry = count(object, key, memorizer_kind_counts(kind), 0);
	if (entry && !READ_ONCE(slow_path_users)) {
		if (size <= MEMORIZER_FIXED_MAX)
			remember(entry, addr);
		this_cpu_write(memorizer_found[memorizer_found_slot(addr)], object);
	}
	if (entry)
		settle(entry);
	return entry;
}

static __kprobes void count_access(u32 id, unsigned long addr, unsigned long size,
				   unsigned int kind, unsigned long ip)
{
	struct memorizer_object *object = memorizer_ptr(id);
	bool counted;

	if (unlikely(memorizer_counts_granules(object)))
		counted = count_by_granule(object, addr, size, kind, ip);
	else
		counted = count_in_whole(object, addr, size, kind, ip);
	if (!counted)
		this_cpu_add(memorizer_counters.lost[MEMORIZER_LOST_ENTRY],
			     memorizer_kind_count(kind));
}

/**
 * memorizer_count_traffic() - count an access that moves a cache line
 * @id: the object's
 * @kind: MEMORIZER_READ or MEMORIZER_WRITE
 * @ip: the address right behind the site
 *
 * Context: any, NMI included, with preemption disabled.
 */
void __kprobes memorizer_count_traffic(u32 id, unsigned int kind, unsigned long ip)
{
	struct memorizer_object *object = memorizer_ptr(id);
	u64 key = memorizer_key(memorizer_pack_ip(ip) & ~MEMORIZER_ACCESS_IP, current->pid);
	struct memorizer_entry *entry = count(object, key, memorizer_kind_counts(kind), 0);

	if (!entry) {
		this_cpu_inc(memorizer_counters.lost[MEMORIZER_LOST_TRAFFIC]);
		return;
	}
	this_cpu_inc(memorizer_counters.traffic);
	settle(entry);
}

static __always_inline struct carries *find_carries(const struct memorizer_object *object)
{
	return &carries_of[(unsigned long)object / sizeof(*object) % ARRAY_SIZE(carries_of)];
}

static __always_inline void carry(struct memorizer_entry *entry, struct memorizer_object *object)
{
	const struct memorizer_group *group = memorizer_entry_group(entry);
	long old = local_read(&entry->word);
	u32 bits, reads, writes;

	do {
		bits = old & CARRIES;
		if (!bits)
			return;
	} while (!local_try_cmpxchg(&entry->word, &old, old - bits));
	/* They are what they stand for. */
	reads = (u16)bits;
	writes = bits >> 16;
	if (!count_wide(object, memorizer_carry_key(entry->key), MEMORIZER_NO_GRANULES, reads,
			writes))
		this_cpu_add(memorizer_counters.lost[memorizer_is_traffic(entry) ?
						     MEMORIZER_LOST_TRAFFIC : MEMORIZER_LOST_ENTRY],
			     group ? reads * group->accesses : reads + writes);
}

/**
 * memorizer_access_carry() - carry 2^15 of an entry's counts that have reached it
 * @entry: the entry
 *
 * Context: any, NMI included, with preemption disabled.
 */
void __kprobes memorizer_access_carry(struct memorizer_entry *entry)
{
	struct memorizer_object *object = memorizer_entry_object(entry);
	struct carries *carries = find_carries(object);

	atomic_inc(&carries->begun);
	/* Pairs with that in memorizer_carries_begun(): who read a part of it sees it begun. */
	smp_mb__after_atomic();
	carry(entry, object);
	/* Pairs with that in memorizer_carries_done(): who sees it done reads all of it. */
	smp_mb__before_atomic();
	atomic_inc(&carries->done);
}

/**
 * memorizer_carries_done() - how many carries of an object's counts are done
 * @object: the object, and some others
 *
 * If so many are begun, no more, after an object's entries were read, no carry came between.
 *
 * Context: any.
 * Return: a number to compare with others
 */
u32 memorizer_carries_done(const struct memorizer_object *object)
{
	u32 done = atomic_read(&find_carries(object)->done);

	/* Before the entries; pairs with the second barrier in memorizer_access_carry(). */
	smp_rmb();
	return done;
}

/**
 * memorizer_carries_begun() - how many carries of an object's counts are begun
 * @object: the object, and some others
 *
 * Context: any.
 * Return: a number to compare with memorizer_carries_done()
 */
u32 memorizer_carries_begun(const struct memorizer_object *object)
{
	/* After the entries; pairs with the first barrier in memorizer_access_carry(). */
	smp_rmb();
	return atomic_read(&find_carries(object)->begun);
}

/*
 * The same, but calls nobody, so as to need few registers. Tells the entry; false if it is not
 * so easy.
 */
static __always_inline bool add_counts(struct memorizer_object *object, u64 key, u64 counts,
				       u64 more, struct memorizer_entry **entry)
{
	u32 *bucket = find_whole(object, key), id;
	void *new;

	if (find_entry(bucket, object, key, entry)) {
		if (unlikely(local_read(&(*entry)->word) & CARRIES))
			return false;
		local_add(counts, &(*entry)->word);
		return true;
	}
	id = memorizer_pool_take(MEMORIZER_ENTRY, sizeof(**entry), &new);
	if (unlikely(!id))
		return false;
	*entry = new;
	add_entry(*entry, id, bucket, object, key, counts + more);
	return true;
}

/* The same for what a thunk looks for in the cache. */
static __always_inline bool count_and_remember(struct memorizer_object *object, u64 key,
					       u64 counts, u64 more, unsigned long addr)
{
	struct memorizer_entry *entry;

	if (unlikely(!add_counts(object, key, counts, more, &entry)))
		return false;
	remember(entry, addr);
	return true;
}

/* Counts an access of a task that is left out or paused; false if it is none. */
static __always_inline bool is_unrecorded(unsigned long addr, unsigned int kind)
{
	if (!memorizer_is_left_out() && !memorizer_is_paused())
		return false;
	if (addr - memorizer_index_base >= memorizer_index_bytes)
		this_cpu_add(memorizer_counters.unattributed, memorizer_kind_count(kind));
	else if (memorizer_is_left_out())
		this_cpu_add(memorizer_counters.left_out, memorizer_kind_count(kind));
	else
		this_cpu_add(memorizer_counters.paused, memorizer_kind_count(kind));
	return true;
}

/* What is not so easy: the same for an object that contains all of an access. */
static noinline __kprobes void access_object(unsigned long addr, struct memorizer_object *object,
					     u64 key, u64 counts)
{
	struct memorizer_entry *entry = count(object, key, counts, 0);

	if (!entry) {
		this_cpu_add(memorizer_counters.lost[MEMORIZER_LOST_ENTRY],
			     memorizer_counts_sum(counts));
		return;
	}
	remember(entry, addr);
	settle(entry);
}

/* The same by memorizer_access(). */
static __kprobes void access_anywhere(unsigned long addr, unsigned long last, u64 counts, u64 key)
{
	memorizer_access(addr, last - addr + 1, memorizer_counts_kind(counts),
			 memorizer_unpack_ip(key));
}

/* One of a task that is left out or paused, or of an interrupt that came in there. */
static noinline __kprobes void access_unrecorded(unsigned long addr, unsigned long last,
						 u64 counts, u64 key)
{
	if (!is_unrecorded(addr, memorizer_counts_kind(counts)))
		access_anywhere(addr, last, counts, key);
}

/*
 * An access, or a group's, that is to no object that was found before, where one object contains
 * it all, or it lies in one slot that is free. False if it is not so easy.
 */
static __always_inline bool count_in_page(unsigned long addr, unsigned long last, u64 key,
					  u64 counts, u64 more, unsigned int accesses)
{
	struct memorizer_object *object;
	const u32 *place;
	u32 word, id;
	u64 slot;

	/* In two pages? Or, while accesses are observed, anywhere? */
	if (unlikely((addr ^ last) >= READ_ONCE(miss_bytes)))
		return false;
	place = memorizer_find_word(addr);
	word = place ? READ_ONCE(*place) : 0;
	id = memorizer_object_at(word, addr, &slot);
	if (likely(id)) {
		object = memorizer_ptr(id);
		if (unlikely(!memorizer_object_has(object, addr, last) ||
			     !count_and_remember(object, key, counts, more, addr)))
			return false;
		this_cpu_write(memorizer_found[memorizer_found_slot(addr)], object);
		return true;
	}
	/* A page that never held an object, or what allocators access. */
	if (!word)
		this_cpu_write(memorizer_found[memorizer_found_slot(addr)], &memorizer_nobody);
	else if (unlikely(!memorizer_in_slot(word, slot, last)))
		return false;
	this_cpu_add(memorizer_counters.unattributed, accesses);
	return true;
}

static noinline __kprobes void access_in_page(unsigned long addr, unsigned long last, u64 counts,
					      u64 key)
{
	if (!count_in_page(addr, last, key, counts, 0, memorizer_counts_sum(counts)))
		access_anywhere(addr, last, counts, key);
}

/**
 * memorizer_access_miss() - count an access whose entry is not in the cache
 * @object: what was found at @addr before
 * @last: its last address; it has 1 to 16 bytes
 * @counts: memorizer_kind_counts() of its kind
 * @addr: its first address
 * @key: memorizer_key() of its ip and of the task, or of one that is paused
 *
 * The same as memorizer_access(), but faster.
 *
 * Context: any, NMI included, with preemption disabled.
 */
void __kprobes memorizer_access_miss(struct memorizer_object *object, unsigned long last,
				     u64 counts, unsigned long addr, u64 key)
{
	if (unlikely(!(key >> 63)))
		access_unrecorded(addr, last, counts, key);
	else if (!memorizer_object_has(object, addr, last))
		access_in_page(addr, last, counts, key);
	else if (unlikely(!count_and_remember(object, key, counts, 0, addr)))
		access_object(addr, object, key, counts);
}

/**
 * memorizer_access() - count an access
 * @addr: its first address
 * @size: its size in bytes; nothing is counted for 0
 * @kind: an enum memorizer_kind
 * @ip: the address right behind the site
 *
 * Every live object in that range gets the access once.
 *
 * Context: any, NMI included, with preemption disabled.
 */
void __kprobes memorizer_access(unsigned long addr, unsigned long size, unsigned int kind,
				unsigned long ip)
{
	struct memorizer_object *object;
	unsigned long start = addr, next;
	struct memorizer_entry *entry;
	bool attributed = false;
	u32 id;

	if (!size)
		return;
	if (is_unrecorded(addr, kind))
		return;
	/* There are none while accesses are observed. */
	object = this_cpu_read(memorizer_found[memorizer_found_slot(addr)]);
	if (memorizer_object_contains(object, addr, size) &&
	    add_counts(object, memorizer_key(memorizer_pack_ip(ip), current->pid),
		       memorizer_kind_counts(kind), 0, &entry))
		return;
	if (memorizer_tells_accesses())
		memorizer_observer_access(addr, size, kind, ip);
	do {
		id = memorizer_index_lookup(addr, &next);
		if (id) {
			attributed = true;
			count_access(id, addr, size - (addr - start), kind, ip);
		}
		addr = next;
	} while (addr - start < size);
	if (!attributed)
		this_cpu_add(memorizer_counters.unattributed, memorizer_kind_count(kind));
	else if (memorizer_tracks_lines())
		memorizer_traffic(start, size, kind, ip);
}

/* What is not so easy: each member by itself. */
static noinline __kprobes void access_members(unsigned long addr,
					      const struct memorizer_group *group)
{
	const struct memorizer_member *member;
	unsigned int i;

	for (i = 0; i < group->members; i++) {
		member = &group->member[i];
		memorizer_access(addr + member->offset, member->size, member->kind,
				 memorizer_unpack_ip(memorizer_member_ip(member)));
	}
}

/* What is not so easy: the same for a group. */
static noinline __kprobes void access_group_anywhere(unsigned long addr,
						     const struct memorizer_group *group, u64 key)
{
	struct memorizer_object *object;
	struct memorizer_entry *entry;
	unsigned long next;
	u32 id;

	if (addr % PAGE_SIZE + group->extent > READ_ONCE(miss_bytes))
		goto members;
	id = memorizer_index_lookup(addr, &next);
	object = memorizer_ptr(id);
	if (!id || !memorizer_object_contains(object, addr, group->extent))
		goto members;
	/* Members may have entries where there is no room for the group's. */
	entry = count(object, key, 1, extent_of(group));
	if (entry) {
		remember(entry, addr);
		this_cpu_write(memorizer_found[memorizer_found_slot(addr)], object);
		settle(entry);
		return;
	}
members:
	access_members(addr, group);
}

static noinline __kprobes void access_group_in_page(unsigned long addr,
						    const struct memorizer_group *group, u64 key)
{
	if (!count_in_page(addr, addr + group->extent - 1, key, 1, extent_of(group),
			   group->accesses))
		access_group_anywhere(addr, group, key);
}

/**
 * memorizer_access_group() - count the accesses of a group
 * @addr: the first byte of them
 * @group: the group
 * @key: memorizer_key() of its address, in place of an ip, and of the task
 * @object: what was found at @addr before
 *
 * The same as memorizer_access() for each member, but at once where one object contains
 * them all, or nothing else is there.
 *
 * Context: any, NMI included, with preemption disabled.
 */
void __kprobes memorizer_access_group(unsigned long addr, const struct memorizer_group *group,
				      u64 key, struct memorizer_object *object)
{
	if (unlikely(!(key >> 63)))
		access_members(addr, group);
	else if (!memorizer_object_contains(object, addr, group->extent) ||
		 unlikely(!count_and_remember(object, key, 1, extent_of(group), addr)))
		access_group_in_page(addr, group, key);
}

/* Takes the entries of objects that are out of sight out of one chain, for the pool. */
static void collect_chain(u32 *bucket)
{
	struct memorizer_entry *entry, *before;
	u32 id, next, state;

again:
	before = NULL;
	for (id = READ_ONCE(*bucket); id; id = next) {
		entry = memorizer_ptr(id);
		next = READ_ONCE(entry->chain);
		state = READ_ONCE(memorizer_entry_object(entry)->state);
		if (state < MEMORIZER_CLEARED) {
			before = entry;
			continue;
		}
		if (before)
			WRITE_ONCE(before->chain, next);
		else if (cmpxchg(bucket, id, next) != id)
			goto again;
		if (state == MEMORIZER_CLEARED)
			memorizer_cleared.accesses += memorizer_entry_accesses(entry);
		/* Its object's list is not walked any more: the link is the pool's. */
		memorizer_pool_give(memorizer_is_wide(entry) ? MEMORIZER_WIDE_ENTRY :
				    MEMORIZER_ENTRY, id);
		memorizer_may_schedule();
	}
}

/**
 * memorizer_access_collect() - take out the entries of all objects out of sight
 *
 * The pool has got them, but must not give them out before a grace period.
 *
 * Context: process context, under memorizer_rwsem, for writing, a grace period after the
 *	objects were made CLEARED or RETIRED.
 */
void memorizer_access_collect(void)
{
	struct memorizer_object **found, *object;
	struct memorizer_entry **cache, *entry;
	unsigned long i;
	int cpu;

	for_each_possible_cpu(cpu) {
		for (i = 0; i <= bucket_mask; i++) {
			collect_chain(&per_cpu(buckets, cpu)[i]);
			memorizer_may_schedule();
		}
		cache = per_cpu(memorizer_cache, cpu);
		for (i = 0; i < MEMORIZER_CACHE_SLOTS; i++) {
			entry = READ_ONCE(cache[i]);
			if (READ_ONCE(memorizer_entry_object(entry)->state) >= MEMORIZER_CLEARED)
				cmpxchg(&cache[i], entry, &nothing.entry);
		}
		found = per_cpu(memorizer_found, cpu);
		for (i = 0; i < MEMORIZER_FOUND_SLOTS; i++) {
			object = READ_ONCE(found[i]);
			if (READ_ONCE(object->state) >= MEMORIZER_CLEARED)
				cmpxchg(&found[i], object, &nothing.object);
		}
	}
}

static void empty_found(void)
{
	unsigned int i;
	int cpu;

	for_each_possible_cpu(cpu)
		for (i = 0; i < MEMORIZER_FOUND_SLOTS; i++)
			WRITE_ONCE(per_cpu(memorizer_found, cpu)[i], &nothing.object);
}

static void empty_caches(void)
{
	unsigned int i;
	int cpu;

	for_each_possible_cpu(cpu)
		for (i = 0; i < MEMORIZER_CACHE_SLOTS; i++)
			WRITE_ONCE(per_cpu(memorizer_cache, cpu)[i], &nothing.entry);
}

/* All hooks and thunks that run now are done. */
static void wait_for_hooks(void)
{
	/* Workqueues are not up yet, nor are other CPUs. */
	if (system_state != SYSTEM_BOOTING)
		memorizer_grace_period();
}

/**
 * memorizer_slow_path_begin() - have each access call memorizer_access()
 *
 * The thunks count most accesses by themselves, and must not become slower by
 * asking whether they may. While somebody wants to see each access, all addresses
 * seem to be in the index, and the caches are and stay empty: each access is a miss.
 * There are no objects that were found before, either. Each miss seems to be of two pages,
 * and so calls memorizer_access(). They are made so in turn, with a grace period in between:
 * once nobody goes to the index any more, nobody finds objects; then nobody finds entries,
 * and nothing fills the caches again.
 *
 * Context: process context, may sleep; or boot, one CPU.
 */
void memorizer_slow_path_begin(void)
{
	down_write(&memorizer_rwsem);
	WRITE_ONCE(slow_path_users, slow_path_users + 1);
	if (slow_path_users == 1) {
		WRITE_ONCE(miss_bytes, 0);
		wait_for_hooks();
		empty_found();
		wait_for_hooks();
		WRITE_ONCE(memorizer_thunk_end, ULONG_MAX);
		empty_caches();
	}
	up_write(&memorizer_rwsem);
}

/**
 * memorizer_slow_path_end() - end what memorizer_slow_path_begin() began
 *
 * Hooks that ran when it was called are done when it returns.
 *
 * Context: process context, may sleep; or boot, one CPU.
 */
void memorizer_slow_path_end(void)
{
	bool last;

	down_write(&memorizer_rwsem);
	last = slow_path_users == 1;
	if (last)
		WRITE_ONCE(memorizer_thunk_end, memorizer_index_base + memorizer_index_bytes);
	wait_for_hooks();
	if (last)
		WRITE_ONCE(miss_bytes, PAGE_SIZE);
	WRITE_ONCE(slow_path_users, slow_path_users - 1);
	up_write(&memorizer_rwsem);
}

/**
 * memorizer_observe_accesses() - switch the observer's access events
 * @on: true to pass accesses to the observer
 *
 * Context: process context, may sleep; or boot, one CPU.
 */
void memorizer_observe_accesses(bool on)
{
	if (on) {
		WRITE_ONCE(memorizer_accesses_observed, true);
		memorizer_slow_path_begin();
	} else {
		memorizer_slow_path_end();
		WRITE_ONCE(memorizer_accesses_observed, false);
	}
}
