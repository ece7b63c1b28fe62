// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of Memorizer's core: accesses are counted by object, ip and pid.
 */
#include "test.h"

/* Of heap_caches. */
enum { SMALL = 1, GAPS = 2, RED_ZONES = 3, STRADDLING = 4, LARGE_SLAB = 6 };

static void start(void)
{
	boot(POOL_BLOCKS(256));
	heap_init(64);
}

/* Allocate an object and report it. */
static unsigned long alloc(unsigned int cache)
{
	unsigned long addr = heap_alloc(cache);

	hook_alloc(addr, heap_size(addr), IP(1));
	return addr;
}

static unsigned long hits(void)
{
	unsigned long sum = 0;
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu(site_hits, cpu);
	return sum;
}

static struct memorizer_object *live(unsigned long addr)
{
	return shown_at(addr, MEMORIZER_LIVE);
}

static void each_kind_is_counted_once(void)
{
	unsigned long addr;

	start();
	addr = alloc(SMALL);
	site(addr, 8, MEMORIZER_READ, IP(2));
	CHECK_COUNTS(live(addr), IP(2), 1, 1, 0);
	site(addr, 8, MEMORIZER_WRITE, IP(3));
	CHECK_COUNTS(live(addr), IP(3), 1, 0, 1);
	site(addr, 8, MEMORIZER_UPDATE, IP(4));
	CHECK_COUNTS(live(addr), IP(4), 1, 1, 1);
	CHECK_ALL_COUNTS(live(addr), 2, 2);
	CHECK_EQ(hits(), 0);

	/* The cache is hit. */
	site(addr, 8, MEMORIZER_READ, IP(2));
	site(addr, 8, MEMORIZER_WRITE, IP(3));
	site(addr, 8, MEMORIZER_UPDATE, IP(4));
	CHECK_EQ(hits(), 3);
	CHECK_ALL_COUNTS(live(addr), 4, 4);
	CHECK_COUNTS(live(addr), IP(4), 1, 2, 2);
	CHECK_EQ(memorizer_class_used(MEMORIZER_ENTRY), 3);
}

/* Also after the slow path has counted an access of this size by the same site. */
static void each_fixed_size_hits_the_cache(void)
{
	unsigned int size, count = 0;
	unsigned long addr;

	start();
	for (size = 1; size <= MEMORIZER_FIXED_MAX; size *= 2) {
		addr = alloc(SMALL);
		range_site(addr, size, MEMORIZER_READ, IP(2));
		site(addr, size, MEMORIZER_READ, IP(2));
		CHECK_EQ(hits(), ++count);
		site(addr, size, MEMORIZER_READ, IP(3));
		site(addr, size, MEMORIZER_READ, IP(3));
		CHECK_EQ(hits(), ++count);
	}
}

static void accesses_of_any_size_are_carried(void)
{
	unsigned long addr;
	unsigned int i;

	start();
	addr = alloc(SMALL);
	for (i = 0; i < 100000; i++)
		range_site(addr, 8, i % 4 ? MEMORIZER_READ : MEMORIZER_WRITE, IP(2));
	CHECK_COUNTS(live(addr), IP(2), 1, 75000, 25000);
}

static void each_byte_of_the_object_counts(void)
{
	unsigned int size, offset, count = 0;
	unsigned long addr;

	start();
	addr = alloc(GAPS);
	for (size = 1; size <= 16; size *= 2)
		for (offset = 0; offset + size <= 100; offset++, count++)
			site(addr + offset, size, MEMORIZER_READ, IP(2));
	CHECK_COUNTS(live(addr), IP(2), 1, count, 0);
	CHECK_EQ(sum_counters().unattributed, 0);
	site(addr - 1, 1, MEMORIZER_READ, IP(2));
	site(addr + 100, 1, MEMORIZER_READ, IP(2));
	CHECK_COUNTS(live(addr), IP(2), 1, count, 0);
	CHECK_EQ(sum_counters().unattributed, 2);
}

/* Part of the access is outside of the cached entry's object. */
static void access_across_objects_counts_for_both(void)
{
	unsigned long a, b, low, high;

	start();
	a = alloc(SMALL);
	b = alloc(SMALL);
	low = min(a, b);
	high = max(a, b);
	CHECK_EQ(high - low, 64);
	for (a = 0; a < 5; a++) {
		site(low + 60, 4, MEMORIZER_WRITE, IP(2));
		site(high, 4, MEMORIZER_WRITE, IP(2));
		site(low + 60, 8, MEMORIZER_WRITE, IP(2));
		site(low - 4, 8, MEMORIZER_WRITE, IP(2));
		site(high + 60, 8, MEMORIZER_WRITE, IP(2));
	}
	CHECK_COUNTS(live(low), IP(2), 1, 0, 15);
	CHECK_COUNTS(live(high), IP(2), 1, 0, 15);
	CHECK(hits());
	CHECK_EQ(sum_counters().unattributed, 0);
}

static void access_to_a_free_slot_is_unattributed(void)
{
	unsigned long addr[3], i;

	start();
	for (i = 0; i < 3; i++)
		addr[i] = alloc(SMALL);
	CHECK_EQ(addr[1] - addr[0], 64);
	CHECK_EQ(addr[2] - addr[1], 64);
	hook_free(addr[1], IP(1));
	for (i = 0; i < 5; i++) {
		site(addr[1], 8, MEMORIZER_WRITE, IP(2));
		site(addr[1] + 56, 8, MEMORIZER_UPDATE, IP(2));
		site(addr[1] + 57, 8, MEMORIZER_READ, IP(2));
		site(addr[1] - 1, 8, MEMORIZER_READ, IP(2));
	}
	CHECK_EQ(sum_counters().unattributed, 15);
	CHECK_COUNTS(live(addr[0]), IP(2), 1, 5, 0);
	CHECK_COUNTS(live(addr[2]), IP(2), 1, 5, 0);
}

/* Enough objects, ips and pids for any two of each to share a hash chain. */
static void counts_are_by_object_ip_and_pid(void)
{
	enum { MANY = 30 };
	unsigned int i, ip, pid, n;
	unsigned long addr[MANY];

	start();
	for (i = 0; i < MANY; i++)
		addr[i] = alloc(SMALL);
	for (i = 0; i < MANY; i++) {
		for (ip = 0; ip < MANY; ip++) {
			for (pid = 1; pid <= MANY; pid++) {
				set_pid(pid * 100003);
				for (n = 0; n <= (i + ip + pid) % 5; n++)
					site(addr[i], 4, MEMORIZER_UPDATE, IP(ip * 1009));
			}
		}
	}
	for (i = 0; i < MANY; i++) {
		for (ip = 0; ip < MANY; ip++) {
			for (pid = 1; pid <= MANY; pid++) {
				n = 1 + (i + ip + pid) % 5;
				CHECK_COUNTS(live(addr[i]), IP(ip * 1009), pid * 100003, n, n);
			}
		}
	}
	CHECK_EQ(memorizer_class_used(MEMORIZER_ENTRY), MANY * MANY * MANY);
}

static void each_cpu_has_its_own_entry(void)
{
	unsigned long addr;
	unsigned int i;

	start();
	addr = alloc(SMALL);
	for (i = 0; i < 10 * TEST_CPUS; i++) {
		become(i % TEST_CPUS, 1);
		site(addr, 8, MEMORIZER_READ, IP(2));
	}
	CHECK_COUNTS(live(addr), IP(2), 1, 10 * TEST_CPUS, 0);
	CHECK_EQ(memorizer_class_used(MEMORIZER_ENTRY), TEST_CPUS);
	CHECK_EQ(hits(), 9 * TEST_CPUS);
}

static void range_counts_once_for_each_object(void)
{
	unsigned long addr[64], first = ULONG_MAX;
	unsigned int i;

	start();
	for (i = 0; i < 64; i++) {
		addr[i] = alloc(SMALL);
		first = min(first, addr[i]);
	}
	CHECK_EQ(first & ~PAGE_MASK, 0);
	range_site(first, PAGE_SIZE, MEMORIZER_WRITE, IP(2));
	for (i = 0; i < 64; i++)
		CHECK_COUNTS(live(first + i * 64), IP(2), 1, 0, 1);
	range_site(first + 63, 2, MEMORIZER_WRITE, IP(2));
	range_site(first + 127, 66, MEMORIZER_READ, IP(2));
	CHECK_COUNTS(live(first), IP(2), 1, 0, 2);
	CHECK_COUNTS(live(first + 64), IP(2), 1, 1, 2);
	CHECK_COUNTS(live(first + 128), IP(2), 1, 1, 1);
	CHECK_COUNTS(live(first + 192), IP(2), 1, 1, 1);
	CHECK_COUNTS(live(first + 256), IP(2), 1, 0, 1);
	CHECK_EQ(sum_counters().unattributed, 0);
}

static void range_skips_gaps_and_freed_objects(void)
{
	unsigned long a, b, c;

	start();
	a = alloc(RED_ZONES);
	b = alloc(RED_ZONES);
	c = alloc(RED_ZONES);
	CHECK_EQ(b - a, 48);
	hook_free(b, IP(1));
	range_site(a - 8, 3 * 48, MEMORIZER_READ, IP(2));
	CHECK_COUNTS(live(a), IP(2), 1, 1, 0);
	CHECK_COUNTS(live(c), IP(2), 1, 1, 0);
	CHECK_ALL_COUNTS(shown_at(b, MEMORIZER_FREED), 0, 0);
	range_site(a + 24, 72, MEMORIZER_UPDATE, IP(2));
	CHECK_EQ(sum_counters().unattributed, 2);
	CHECK_ALL_COUNTS(live(c), 1, 0);
}

static void range_across_pages_counts_once(void)
{
	unsigned long large, addr[22];
	unsigned int i;

	start();
	large = heap_alloc_large(5 * PAGE_SIZE + 7);
	hook_alloc(large, 5 * PAGE_SIZE + 7, IP(1));
	range_site(large, 5 * PAGE_SIZE + 7, MEMORIZER_WRITE, IP(2));
	site(large + PAGE_SIZE - 4, 8, MEMORIZER_WRITE, IP(2));
	range_site(large + 100, PAGE_SIZE, MEMORIZER_WRITE, IP(2));
	CHECK_COUNTS(live(large), IP(2), 1, 0, 3);

	for (i = 0; i < 22; i++)
		addr[i] = alloc(STRADDLING);
	for (i = 0; i < 22; i++) {
		range_site(addr[i], 700, MEMORIZER_READ, IP(2));
		CHECK_COUNTS(live(addr[i]), IP(2), 1, 1, 0);
	}
	CHECK_EQ(sum_counters().unattributed, 0);
}

static void access_of_0_bytes_is_not_counted(void)
{
	unsigned long addr;

	start();
	addr = alloc(SMALL);
	range_site(addr, 0, MEMORIZER_WRITE, IP(2));
	range_site(0, 0, MEMORIZER_WRITE, IP(2));
	memorizer_pause();
	range_site(addr, 0, MEMORIZER_WRITE, IP(2));
	memorizer_resume();
	CHECK_ALL_COUNTS(live(addr), 0, 0);
	CHECK_EQ(sum_counters().unattributed, 0);
	CHECK_EQ(sum_counters().paused, 0);
}

static void accesses_elsewhere_are_unattributed(void)
{
	start();
	site(0, 8, MEMORIZER_READ, IP(2));
	site(MAP_BASE - 8, 8, MEMORIZER_WRITE, IP(2));
	site(MAP_BASE, 8, MEMORIZER_UPDATE, IP(2));
	site(ULONG_MAX, 1, MEMORIZER_READ, IP(2));
	range_site(-16UL, 16, MEMORIZER_READ, IP(2));
	range_site(0x7fff00000000, 100000, MEMORIZER_UPDATE, IP(2));
	range_site(MAP_BASE + MAP_BYTES - 8, 5 * PAGE_SIZE, MEMORIZER_READ, IP(2));
	CHECK_EQ(sum_counters().unattributed, 9);
	CHECK_EQ(memorizer_class_used(MEMORIZER_ENTRY), 0);
}

/* A page that is not in the index may get an object, or be next to one. */
static void page_without_objects_may_get_one(void)
{
	unsigned long first, small, large;
	unsigned int i;

	start();
	first = heap_alloc_large(PAGE_SIZE);
	small = heap_alloc(SMALL);
	large = heap_alloc_large(2 * PAGE_SIZE);
	for (i = 0; i < 3; i++) {
		site(small, 8, MEMORIZER_UPDATE, IP(2));
		site(first + 8, 8, MEMORIZER_READ, IP(2));
		site(large - 8, 8, MEMORIZER_WRITE, IP(2));
	}
	CHECK_EQ(sum_counters().unattributed, 12);
	hook_alloc(small, 64, IP(1));
	site(small, 8, MEMORIZER_UPDATE, IP(2));
	CHECK_COUNTS(live(small), IP(2), 1, 1, 1);
	CHECK_EQ(sum_counters().unattributed, 12);

	/* The page's cached state does not apply to an access that ends in the next page. */
	hook_alloc(large, 2 * PAGE_SIZE, IP(1));
	site(large - 4, 8, MEMORIZER_WRITE, IP(3));
	CHECK_COUNTS(live(large), IP(3), 1, 0, 1);
	site(first + 8, 8, MEMORIZER_READ, IP(2));
	CHECK_EQ(sum_counters().unattributed, 13);

	/* Nor does it apply to a task that is left out. */
	memorizer_change_task(current, 0, 0, MEMORIZER_LEFT_OUT);
	site(first + 8, 8, MEMORIZER_READ, IP(2));
	CHECK_EQ(sum_counters().left_out, 1);
	CHECK_EQ(sum_counters().unattributed, 13);
}

/* The object's only entry. */
static struct memorizer_entry *only_entry(unsigned long addr)
{
	struct memorizer_entry *entry = memorizer_ptr(live(addr)->entries);

	CHECK_EQ(entry->link, 0);
	return entry;
}

/* On each path: by the cache, by the hash table, and as a range. */
static void counts_have_64_bits(void)
{
	static const u64 carry = 1ULL << 15;
	struct memorizer_entry *entry;
	struct memorizer_rows rows;
	struct memorizer_row row;
	unsigned long addr;
	unsigned int way;

	start();
	for (way = 0; way < 3; way++) {
		addr = alloc(SMALL);
		site(addr, 8, MEMORIZER_READ, IP(2));
		entry = only_entry(addr);
		entry->reads = carry - 1;
		entry->writes = carry - 2;
		if (way == 0)
			site(addr, 8, MEMORIZER_UPDATE, IP(2));
		else if (way == 1)
			site(addr + 63, 1, MEMORIZER_UPDATE, IP(2) ^ 4096);
		if (way)
			range_site(addr, 64, MEMORIZER_UPDATE, IP(2));
		CHECK_COUNTS(live(addr), IP(2), 1, carry, carry - 1);
		site(addr, 8, MEMORIZER_UPDATE, IP(2));
		CHECK_COUNTS(live(addr), IP(2), 1, carry + 1, carry);
		entry->reads = carry - 1;
		site(addr, 8, MEMORIZER_READ, IP(2));
		CHECK_COUNTS(live(addr), IP(2), 1, 2 * carry, carry);

		down_write(&memorizer_rwsem);
		memorizer_rows_begin(&rows, live(addr), false);
		CHECK(memorizer_rows_next(&rows, &row));
		CHECK_EQ(memorizer_unpack_ip(row.ip), IP(2));
		CHECK_EQ(row.pid, 1);
		CHECK_EQ(row.reads, 2 * carry);
		CHECK_EQ(row.writes, carry);
		CHECK_EQ(memorizer_rows_next(&rows, &row), way == 1);
		memorizer_rows_end(&rows);
		up_write(&memorizer_rwsem);
		hook_free(addr, IP(1));
	}
	memorizer_clear();
	CHECK_EQ(memorizer_cleared.accesses, 3 * (2 * carry + carry) + 2);
}

/* Without room for the wide entry, the accesses of the carry are lost. */
static void carry_in_an_exhausted_pool_is_lost(void)
{
	struct memorizer_entry *entry;
	unsigned long addr;

	start();
	addr = alloc(SMALL);
	site(addr, 8, MEMORIZER_UPDATE, IP(2));
	entry = only_entry(addr);
	entry->reads = S16_MAX;
	while (memorizer_pool_alloc(MEMORIZER_ENTRY))
		;
	site(addr, 8, MEMORIZER_UPDATE, IP(2));
	CHECK_COUNTS(live(addr), IP(2), 1, 0, 2);
	CHECK_EQ(sum_counters().lost[MEMORIZER_LOST_ENTRY], 1UL << 15);
}

/* Nor are accesses by its interrupts. Its allocations are recorded. */
static void left_out_task_is_not_counted(void)
{
	unsigned long addr;

	start();
	addr = alloc(SMALL);
	site(addr, 8, MEMORIZER_UPDATE, IP(2));
	memorizer_change_task(current, 0, 0, MEMORIZER_LEFT_OUT);
	site(addr, 8, MEMORIZER_UPDATE, IP(2));
	range_site(addr, 8, MEMORIZER_WRITE, IP(2));
	enter_interrupt();
	site(addr, 8, MEMORIZER_READ, IP(2));
	leave_interrupt();
	CHECK_COUNTS(live(addr), IP(2), 1, 1, 1);
	CHECK_EQ(sum_counters().left_out, 4);
	CHECK_EQ(sum_counters().paused, 0);
	site(0, 8, MEMORIZER_READ, IP(2));
	CHECK_EQ(sum_counters().unattributed, 1);
	CHECK_EQ(sum_counters().left_out, 4);

	/* The task may be chosen and left out while it is paused. */
	memorizer_pause();
	memorizer_change_task(current, 0, MEMORIZER_LEFT_OUT, 0);
	site(addr, 8, MEMORIZER_READ, IP(2));
	CHECK_EQ(sum_counters().paused, 1);
	memorizer_change_task(current, 0, 0, MEMORIZER_LEFT_OUT);
	memorizer_resume();
	site(addr, 8, MEMORIZER_READ, IP(2));
	CHECK_EQ(sum_counters().left_out, 5);
	CHECK(live(alloc(SMALL)));
	memorizer_change_task(current, 0, MEMORIZER_LEFT_OUT, 0);
	CHECK_EQ(current->memorizer_key >> 32, current->pid);
	site(addr, 8, MEMORIZER_UPDATE, IP(2));
	CHECK_COUNTS(live(addr), IP(2), 1, 2, 2);
}

static void paused_task_is_not_counted(void)
{
	unsigned long addr;

	start();
	addr = alloc(SMALL);
	site(addr, 8, MEMORIZER_UPDATE, IP(2));
	memorizer_pause();
	site(addr, 8, MEMORIZER_UPDATE, IP(2));
	range_site(addr, 8, MEMORIZER_WRITE, IP(2));
	CHECK_COUNTS(live(addr), IP(2), 1, 1, 1);
	CHECK_EQ(sum_counters().paused, 3);
	site(0, 8, MEMORIZER_READ, IP(2));
	CHECK_EQ(sum_counters().unattributed, 1);
	/* Counted as paused without looking for an object. */
	range_site(addr + 64, 8, MEMORIZER_UPDATE, IP(2));
	CHECK_EQ(sum_counters().unattributed, 1);
	CHECK_EQ(sum_counters().paused, 5);

	enter_interrupt();
	site(addr, 8, MEMORIZER_UPDATE, IP(2));
	leave_interrupt();
	CHECK_COUNTS(live(addr), IP(2), 1, 2, 2);

	memorizer_resume();
	site(addr, 8, MEMORIZER_UPDATE, IP(2));
	CHECK_COUNTS(live(addr), IP(2), 1, 3, 3);
	CHECK_EQ(sum_counters().paused, 5);
}

/* Freeing an object invalidates its cached entries on all CPUs. */
static void freed_object_is_not_counted(void)
{
	unsigned long addr;
	unsigned int cpu;

	start();
	addr = alloc(SMALL);
	for (cpu = 0; cpu < TEST_CPUS; cpu++) {
		become(cpu, 1);
		site(addr, 8, MEMORIZER_READ, IP(2));
	}
	hook_free(addr, IP(1));
	for (cpu = 0; cpu < TEST_CPUS; cpu++) {
		become(cpu, 1);
		site(addr, 8, MEMORIZER_READ, IP(2));
	}
	CHECK_COUNTS(shown_at(addr, MEMORIZER_FREED), IP(2), 1, TEST_CPUS, 0);
	CHECK_EQ(sum_counters().unattributed, TEST_CPUS);
	CHECK_EQ(hits(), 0);
}

static void new_object_at_a_cached_address_gets_new_counts(void)
{
	unsigned long addr;
	unsigned int i;

	start();
	addr = alloc(SMALL);
	for (i = 0; i < 5; i++)
		site(addr, 8, MEMORIZER_READ, IP(2));
	/* The first free is missed. */
	hook_alloc(addr, 64, IP(3));
	for (i = 0; i < 7; i++)
		site(addr, 8, MEMORIZER_READ, IP(2));
	hook_free(addr, IP(3));
	hook_alloc(addr, 64, IP(4));
	for (i = 0; i < 9; i++)
		site(addr, 8, MEMORIZER_READ, IP(2));
	CHECK_COUNTS(shown_at(addr, MEMORIZER_BURIED), IP(2), 1, 5, 0);
	CHECK_COUNTS(shown_at(addr, MEMORIZER_FREED), IP(2), 1, 7, 0);
	CHECK_COUNTS(live(addr), IP(2), 1, 9, 0);
	CHECK_EQ(hits(), 4 + 6 + 8);
}

/* A page moved to another slab, and the free of the old slab's object was missed. */
static void cached_object_of_an_older_slab_is_not_counted(void)
{
	unsigned long first, addr;
	unsigned int i;

	start();
	heap_init(8);
	first = alloc(LARGE_SLAB);
	for (i = 1; i < 10; i++)
		CHECK_EQ(alloc(LARGE_SLAB), first + i * 3072);
	addr = first + 4 * 3072;
	CHECK_EQ(addr & ~PAGE_MASK, 0);
	site(addr, 8, MEMORIZER_READ, IP(2));
	site(addr, 8, MEMORIZER_READ, IP(2));

	heap_init(8);
	while (heap_alloc(SMALL) != addr)
		;
	hook_alloc(addr, 64, IP(3));
	site(addr, 8, MEMORIZER_READ, IP(2));
	CHECK_COUNTS(shown_at(addr, MEMORIZER_BURIED), IP(2), 1, 2, 0);
	CHECK_COUNTS(live(addr), IP(2), 1, 1, 0);
}

static void exhausted_pool_loses_accesses_until_cleared(void)
{
	unsigned long a, b;

	start();
	a = alloc(SMALL);
	b = alloc(SMALL);
	site(a, 8, MEMORIZER_READ, IP(2));
	while (memorizer_pool_alloc(MEMORIZER_ENTRY))
		;
	site(a, 8, MEMORIZER_READ, IP(2));
	site(a, 8, MEMORIZER_READ, IP(3));
	site(b, 8, MEMORIZER_UPDATE, IP(2));
	range_site(b, 8, MEMORIZER_UPDATE, IP(2));
	CHECK_COUNTS(live(a), IP(2), 1, 2, 0);
	CHECK_ALL_COUNTS(live(a), 2, 0);
	CHECK_ALL_COUNTS(live(b), 0, 0);
	CHECK_EQ(sum_counters().lost[MEMORIZER_LOST_ENTRY], 5);
	CHECK_EQ(sum_counters().unattributed, 0);

	hook_free(a, IP(1));
	memorizer_clear();
	site(b, 8, MEMORIZER_UPDATE, IP(2));
	CHECK_COUNTS(live(b), IP(2), 1, 1, 1);
	CHECK_EQ(sum_counters().lost[MEMORIZER_LOST_ENTRY], 5);
}

/* Number of slots, on all CPUs, that cache the object. */
static unsigned int times_found(const struct memorizer_object *object)
{
	unsigned int cpu, i, found = 0;

	for_each_possible_cpu(cpu)
		for (i = 0; i < MEMORIZER_FOUND_SLOTS; i++)
			found += per_cpu(memorizer_found, cpu)[i] == object;
	return found;
}

/* No CPU's cache has stale entries of a reused record. */
static void clearing_empties_the_caches(void)
{
	const struct memorizer_object *object;
	unsigned long addr;
	unsigned int cpu;

	start();
	/* Fill this CPU's batch: the next entry is allocated on the fast path. */
	addr = alloc(SMALL);
	site(addr, 8, MEMORIZER_READ, IP(2));
	hook_free(addr, IP(1));
	memorizer_clear();

	addr = alloc(SMALL);
	site(addr, 8, MEMORIZER_READ, IP(2));
	object = live(addr);
	CHECK_EQ(times_found(object), 1);
	hook_free(addr, IP(1));
	memorizer_clear();
	CHECK_EQ(times_found(object), 0);

	hook_alloc(addr, 64, IP(1));
	for (cpu = TEST_CPUS; cpu--; ) {
		become(cpu, 1);
		site(addr, 8, MEMORIZER_READ, IP(2));
	}
	CHECK_EQ(hits(), 0);
	CHECK_EQ(memorizer_class_used(MEMORIZER_ENTRY), TEST_CPUS);
	CHECK_COUNTS(live(addr), IP(2), 1, TEST_CPUS, 0);
}

/* Clearing removes entries from any position of chains and caches. */
static void clearing_leaves_the_entries_of_live_objects(void)
{
	enum { OBJECTS = 200, IPS = 30 };
	unsigned long addr[OBJECTS], live_entries = 0;
	unsigned int i, ip, round;
	u64 seed = 3;

	start();
	test_jiffies = 0;
	for (i = 0; i < OBJECTS; i++)
		addr[i] = alloc(SMALL);
	for (round = 0; round < 10; round++) {
		for (i = 0; i < OBJECTS; i++)
			for (ip = 0; ip < IPS; ip++) {
				become((i + ip) % TEST_CPUS, 1);
				site(addr[i], 8, MEMORIZER_READ, IP(ip));
				range_site(addr[i], 8, MEMORIZER_WRITE, IP(ip));
			}
		for (i = 0; i < OBJECTS; i++) {
			struct memorizer_object *object = live(addr[i]);
			unsigned long since = memorizer_alloc_jiffies(object);

			CHECK_ALL_COUNTS(object, (round + 1 - since) * IPS,
					 (round + 1 - since) * IPS);
		}
		test_jiffies = round + 1;
		for (i = 0, live_entries = 0; i < OBJECTS; i++) {
			if (random_u32(&seed) % 2) {
				hook_free(addr[i], IP(1));
				hook_alloc(addr[i], 64, IP(1));
			} else {
				live_entries += IPS;
			}
		}
		memorizer_clear();
		CHECK_EQ(memorizer_class_used(MEMORIZER_ENTRY), live_entries);
		CHECK_EQ(shown_objects(), OBJECTS);
	}
}

/* Random calls, compared with a model. The alloc ip identifies the object. */
enum { PLACES = 300, OBJECTS = 200000, IPS = 6, PIDS = 3 };

struct model {
	unsigned long addr;	/* 0 if it is cleared, or was never recorded */
	size_t size;
	bool freed;
	struct counts count[IPS][PIDS];
};

static struct model *model;
static unsigned int model_objects;
static struct model *place[PLACES];
static u64 model_random = 4;
static unsigned long model_unattributed, model_paused, model_cleared;

static u32 pick(u32 below)
{
	return random_u32(&model_random) % below;
}

static unsigned long pick_address(unsigned int n)
{
	if (n < 8)
		return heap_alloc(n);
	return n < 10 ? heap_alloc_large(1 + pick(4 * PAGE_SIZE)) :
		heap_alloc_guarded(1 + pick(PAGE_SIZE));
}

static void model_alloc(struct model **p)
{
	unsigned long addr = pick_address(pick(11));
	struct model *m;

	if (!addr)
		return;
	m = &model[model_objects];
	m->addr = addr;
	m->size = heap_size(addr);
	hook_alloc(addr, m->size, IP(model_objects++));
	*p = m;
}

/* Without @report, the free is missed. */
static void model_free(struct model **p, bool report)
{
	(*p)->freed = true;
	if (report)
		hook_free((*p)->addr, IP(0));
	heap_free((*p)->addr);
	*p = NULL;
}

/* Count an access in the model. */
static void expect_access(unsigned long addr, unsigned long size, unsigned int kind,
			  unsigned int ip, unsigned int pid)
{
	bool attributed = false;
	unsigned int i;

	for (i = 0; i < PLACES; i++) {
		struct model *m = place[i];

		if (!m || m->addr >= addr + size || addr >= m->addr + m->size)
			continue;
		m->count[ip][pid].reads += kind & MEMORIZER_READ ? 1 : 0;
		m->count[ip][pid].writes += kind & MEMORIZER_WRITE ? 1 : 0;
		attributed = true;
	}
	if (!attributed)
		model_unattributed += hweight32(kind);
}

/*
 * Make a few accesses within the object, or to a range around it that may include other objects
 * and free memory.
 */
static void model_access(const struct model *m, bool within)
{
	unsigned int kind = 1 + pick(3), ip = pick(IPS), pid = pick(PIDS), times = 1 + pick(3);
	unsigned long addr = m->addr, size = pick(8) ? 1UL << pick(5) : m->size;

	if (!within) {
		addr += pick(2 * PAGE_SIZE) - PAGE_SIZE;
		size = 1 + pick(3 * PAGE_SIZE);
	}
	if (within && size <= m->size)
		addr += pick(2) * pick(m->size - size + 1);
	else if (within)
		size = m->size;
	set_pid(1 + pid);
	while (times--) {
		expect_access(addr, size, kind, ip, pid);
		if (size <= 16)
			site(addr, size, kind, IP(ip));
		else
			range_site(addr, size, kind, IP(ip));
	}
}

static void model_pause(const struct model *m)
{
	memorizer_pause();
	site(m->addr, 1, MEMORIZER_UPDATE, IP(0));
	model_paused += 2;
	memorizer_resume();
}

static void model_clear(void)
{
	unsigned int i;

	memorizer_clear();
	for (i = 0; i < model_objects; i++) {
		if (model[i].freed && model[i].addr) {
			model[i].addr = 0;
			model_cleared++;
		}
	}
}

/* Check that the KMAP shows each object of the model once, with the model's counts. */
static void check_model(void)
{
	struct memorizer_object *object;
	unsigned long pos = 0, shown = 0, expected = 0;
	unsigned int i, ip, pid;

	for (i = 0; i < model_objects; i++)
		expected += model[i].addr != 0;
	while ((object = next_shown(&pos))) {
		const struct model *m = &model[memorizer_unpack_ip(object->alloc_ip) - IP(0)];
		struct counts sum = { };

		CHECK_EQ(memorizer_object_va(object), m->addr);
		CHECK_EQ(object->size, m->size);
		CHECK_EQ(object->state, m->freed ? MEMORIZER_FREED : MEMORIZER_LIVE);
		for (ip = 0; ip < IPS; ip++) {
			for (pid = 0; pid < PIDS; pid++) {
				CHECK_COUNTS(object, IP(ip), pid + 1, m->count[ip][pid].reads,
					     m->count[ip][pid].writes);
				sum.reads += m->count[ip][pid].reads;
				sum.writes += m->count[ip][pid].writes;
			}
		}
		CHECK_ALL_COUNTS(object, sum.reads, sum.writes);
		shown++;
	}
	CHECK_EQ(shown, expected);
}

static void start_model(void)
{
	start();
	heap_init(128);
	model = reserve(OBJECTS * sizeof(*model));
}

static void random_calls_match_the_model(void)
{
	struct memorizer_counters sum;
	struct model **p;
	unsigned int i;

	start_model();
	for (i = 1; i < ROUNDS(1000000); i++) {
		become(pick(3), 1);
		p = &place[pick(PLACES)];
		if (!*p && pick(4))
			continue;
		if (!*p)
			model_alloc(p);
		else if (!pick(10))
			model_free(p, true);
		else if (!pick(50))
			model_pause(*p);
		else
			model_access(*p, pick(4));
		if (i % 20000 == 0)
			check_model();
		if (i % 30000 == 0)
			model_clear();
	}
	check_model();

	sum = sum_counters();
	CHECK_EQ(sum.allocs, model_objects);
	CHECK_EQ(sum.unattributed, model_unattributed);
	CHECK_EQ(sum.paused, model_paused);
	CHECK_EQ(sum.buried + sum.unknown_frees, 0);
	for (i = 0; i < MEMORIZER_LOSSES; i++)
		CHECK_EQ(sum.lost[i], 0);
	CHECK_EQ(memorizer_cleared.objects, model_cleared);
	/* The cache was in use. */
	CHECK(hits() > i / 4);
}

/* Check all objects against the model, where some frees are missed. */
static void check_missed(void)
{
	struct memorizer_object *object;
	unsigned long pos = 0, buried = 0;

	while ((object = next_shown(&pos))) {
		const struct model *m = &model[memorizer_unpack_ip(object->alloc_ip) - IP(0)];
		unsigned int ip, pid;

		CHECK_EQ(memorizer_object_va(object), m->addr);
		CHECK(m->freed || object->state == MEMORIZER_LIVE);
		for (ip = 0; ip < IPS; ip++)
			for (pid = 0; pid < PIDS; pid++)
				CHECK_COUNTS(object, IP(ip), pid + 1, m->count[ip][pid].reads,
					     m->count[ip][pid].writes);
		buried += object->state == MEMORIZER_BURIED;
	}
	CHECK_EQ(sum_counters().buried, buried);
}

/* Every second free is missed. Only live objects are accessed. */
static void missed_frees_do_not_change_counts(void)
{
	struct memorizer_counters sum;
	struct model **p;
	unsigned int i;

	start_model();
	for (i = 1; i < ROUNDS(300000); i++) {
		become(pick(3), 1);
		p = &place[pick(PLACES)];
		if (!*p)
			model_alloc(p);
		else if (!pick(5))
			model_free(p, pick(2));
		else
			model_access(*p, true);
		if (i % 10000 == 0)
			check_missed();
	}
	check_missed();

	sum = sum_counters();
	CHECK_EQ(sum.allocs, model_objects);
	CHECK(sum.buried > model_objects / 10);
	CHECK_EQ(sum.unattributed + sum.unknown_frees, 0);
	for (i = 0; i < MEMORIZER_LOSSES; i++)
		CHECK_EQ(sum.lost[i], 0);
}

/* The core's memory, without hash tables, and the CPU that wrote to each cache line, plus one. */
static struct region {
	const u64 *start;
	size_t lines;
	u64 *before;
	u8 *writer;
} regions[3];

#define LINE_WORDS	(SMP_CACHE_BYTES / sizeof(u64))

static void add_region(struct region *region, const void *start, const void *end)
{
	region->start = (const u64 *)round_up((unsigned long)start, SMP_CACHE_BYTES);
	region->lines = ((const u64 *)end - region->start) / LINE_WORDS;
	region->before = reserve(region->lines * SMP_CACHE_BYTES);
	region->writer = reserve(region->lines);
}

/* Sanitizers poison the memory between variables. */
__attribute__((no_sanitize("address"))) static void take_picture(struct region *region)
{
	size_t i;

	for (i = 0; i < region->lines * LINE_WORDS; i++)
		region->before[i] = READ_ONCE(region->start[i]);
}

/* Record @cpu as the writer of all lines that have changed. Returns their number. */
__attribute__((no_sanitize("address")))
static size_t note_writer(struct region *region, unsigned int cpu)
{
	size_t changed = 0, i, j;

	for (i = 0; i < region->lines; i++) {
		for (j = i * LINE_WORDS; j < (i + 1) * LINE_WORDS; j++)
			if (READ_ONCE(region->start[j]) != region->before[j])
				break;
		if (j == (i + 1) * LINE_WORDS)
			continue;
		/* gcov's counts of executions are common to all CPUs. */
		CHECK(!region->writer[i] || region->writer[i] == cpu + 1 || TEST_COVER);
		region->writer[i] = cpu + 1;
		changed++;
	}
	return changed;
}

/* Hits, misses, ranges of several objects, and unattributed accesses. */
static void access_in_all_ways(unsigned int cpu, unsigned int i)
{
	unsigned int pid;

	for (pid = 1; pid <= 2; pid++) {
		become(cpu, pid);
		site(PAGE(0) + i % 16 * 64, 8, i % 2 + 1, IP(i % 3));
		site(PAGE(0) + i % 16 * 64, 8, MEMORIZER_UPDATE, IP(3));
		range_site(PAGE(0) + 32, 512, MEMORIZER_WRITE, IP(4));
		range_site(PAGE(1), 512, MEMORIZER_READ, IP(5));
		site(PAGE(2), 8, MEMORIZER_READ, IP(6));
		site(MAP_BASE + MAP_BYTES, 8, MEMORIZER_READ, IP(7));
	}
}

static void cpus_write_to_no_common_cache_line(void)
{
	struct memorizer_geometry geo = {
		.start = PAGE(0), .base = PAGE(0), .stride = 64, .slots = 64, .pages = 1,
	};
	unsigned int cpu, round, i;
	size_t changed;

	boot(POOL_BLOCKS(20));
	add_region(&regions[0], __data_start, _end);
	add_region(&regions[1], memorizer_ptr(1), memorizer_ptr(1) + memorizer_pool_size());
	add_region(&regions[2], percpu_areas, (void *)percpu_offset(TEST_CPUS) +
		   (unsigned long)__start_percpu);
	for (i = 0; i < 16; i++)
		insert_object(&geo, PAGE(0) + i * 64, 64);
	/* Allocate the entries of all CPUs in turn. */
	for (i = 0; i < 96; i++)
		for (cpu = 0; cpu < TEST_CPUS; cpu++)
			access_in_all_ways(cpu, i);

	for (round = 0; round < 2; round++) {
		for (cpu = 0; cpu < TEST_CPUS; cpu++) {
			for (i = 0; i < ARRAY_SIZE(regions); i++)
				take_picture(&regions[i]);
			for (i = 0; i < 96; i++)
				access_in_all_ways(cpu, i);
			for (changed = 0, i = 0; i < ARRAY_SIZE(regions); i++)
				changed += note_writer(&regions[i], cpu);
			CHECK(changed);
		}
	}
}

const struct test_case access_cases[] = {
	CASE(cpus_write_to_no_common_cache_line),
	CASE(each_kind_is_counted_once),
	CASE(each_fixed_size_hits_the_cache),
	CASE(accesses_of_any_size_are_carried),
	CASE(each_byte_of_the_object_counts),
	CASE(access_across_objects_counts_for_both),
	CASE(access_to_a_free_slot_is_unattributed),
	CASE(counts_are_by_object_ip_and_pid),
	CASE(each_cpu_has_its_own_entry),
	CASE(range_counts_once_for_each_object),
	CASE(range_skips_gaps_and_freed_objects),
	CASE(range_across_pages_counts_once),
	CASE(access_of_0_bytes_is_not_counted),
	CASE(accesses_elsewhere_are_unattributed),
	CASE(page_without_objects_may_get_one),
	CASE(counts_have_64_bits),
	CASE(carry_in_an_exhausted_pool_is_lost),
	CASE(left_out_task_is_not_counted),
	CASE(paused_task_is_not_counted),
	CASE(freed_object_is_not_counted),
	CASE(new_object_at_a_cached_address_gets_new_counts),
	CASE(cached_object_of_an_older_slab_is_not_counted),
	CASE(exhausted_pool_loses_accesses_until_cleared),
	CASE(clearing_empties_the_caches),
	CASE(clearing_leaves_the_entries_of_live_objects),
	CASE(random_calls_match_the_model),
	CASE(missed_frees_do_not_change_counts),
	{ }
};
