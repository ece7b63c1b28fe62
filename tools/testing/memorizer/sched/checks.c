// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's core under a deterministic scheduler: what holds after each schedule.
 */
#include "sched.h"

/* What the records have. */
struct found {
	unsigned long live;
	unsigned long closed;
	unsigned long entries;
	unsigned long wide;
	unsigned long accesses;
	unsigned long moves;
};

static void find_entries(const struct memorizer_object *object, struct found *found)
{
	const struct memorizer_entry *entry;
	u32 id;

	for (id = object->entries; id; id = entry->link) {
		entry = memorizer_ptr(id);
		CHECK(memorizer_entry_object(entry) == object);
		if (memorizer_is_wide(entry))
			found->wide++;
		else
			found->entries++;
		/* A cycle would never end. */
		CHECK(found->entries + found->wide <= 10000);
		found->accesses += memorizer_entry_accesses(entry);
		if (memorizer_is_traffic(entry) && !memorizer_entry_group(entry))
			found->moves += memorizer_entry_reads(entry) +
				memorizer_entry_writes(entry);
	}
}

/* The number of entries in the CPUs' hash chains. */
static unsigned long chained(void)
{
	const struct memorizer_entry *entry;
	unsigned long count = 0, bucket;
	unsigned int cpu;
	u32 id;

	for_each_possible_cpu(cpu)
		for (bucket = 0; bucket <= memorizer_bucket_mask; bucket++)
			for (id = per_cpu(memorizer_buckets, cpu)[bucket]; id; id = entry->chain) {
				entry = memorizer_ptr(id);
				CHECK(memorizer_entry_object(entry)->state != MEMORIZER_UNUSED);
				CHECK(++count <= 10000);
			}
	return count;
}

/* A live object is at its address in the index, and no other one is. */
static void check_index(const struct memorizer_object *object)
{
	unsigned long va = memorizer_object_va(object), next;
	u32 id = memorizer_is_area(object) ? memorizer_index_area(va) :
		memorizer_index_lookup(va, &next);

	CHECK(memorizer_ptr(id) == object);
}

static struct found find_records(void)
{
	struct memorizer_object *object;
	struct found found = { };
	unsigned long pos = 0;

	while ((object = memorizer_object_from(&pos))) {
		if (object->state == MEMORIZER_UNUSED)
			continue;
		CHECK(is_shown(object));
		find_entries(object, &found);
		if (object->state == MEMORIZER_LIVE) {
			check_index(object);
			found.live++;
		} else {
			found.closed++;
		}
	}
	return found;
}

static unsigned long lost_objects(const struct memorizer_counters *sum)
{
	return sum->lost[MEMORIZER_LOST_OBJECT] + sum->lost[MEMORIZER_LOST_INDEX] +
		sum->lost[MEMORIZER_LOST_RANGE];
}

/* Every event is in exactly one place, and so is every record. */
static struct found check_sums(void)
{
	struct memorizer_counters sum = sum_counters();
	struct found found = find_records();
	unsigned long gone = memorizer_cleared.objects + memorizer_retired.objects;

	CHECK_EQ(sum.allocs, sum.frees + sum.buried + found.live);
	CHECK_EQ(sum.frees + sum.buried, found.closed + gone);
	CHECK_EQ(sum.frees + sum.unknown_frees, done.frees);
	if (!scenario_any(SWITCHES))
		CHECK_EQ(sum.allocs + lost_objects(&sum), done.allocs);
	CHECK_EQ(found.accesses + memorizer_cleared.accesses + memorizer_retired.accesses +
		 sum.unattributed + sum.paused + sum.left_out + sum.lost[MEMORIZER_LOST_ENTRY],
		 done.accesses);
	if (!gone)
		CHECK_EQ(found.moves, sum.traffic);
	CHECK_EQ(memorizer_class_used(MEMORIZER_OBJECT), found.live + found.closed);
	CHECK_EQ(memorizer_class_used(MEMORIZER_ENTRY), found.entries);
	CHECK_EQ(memorizer_class_used(MEMORIZER_WIDE_ENTRY), found.wide);
	CHECK_EQ(chained(), found.entries + found.wide);
	return found;
}

/* Accesses by each CPU are counted for the live objects: no cache is stale. */
static void check_caches(void)
{
	static const unsigned long ips[] = { IP(0x200), IP(0x110), IP(0x9000) };
	const unsigned int reads = 2 * ARRAY_SIZE(ips) * possible_cpus;
	struct memorizer_object *object;
	unsigned int cpu, i;
	struct counts before;
	unsigned long pos = 0;

	while ((object = next_shown(&pos))) {
		if (object->state != MEMORIZER_LIVE)
			continue;
		before = all_counts_of(object);
		for_each_possible_cpu(cpu) {
			become(cpu, cpu + 1);
			for (i = 0; i < 2 * ARRAY_SIZE(ips); i++)
				site(memorizer_object_va(object), 8, SCHED_READ, ips[i / 2]);
		}
		done.accesses += reads;
		CHECK_EQ(all_counts_of(object).reads, before.reads + reads);
		CHECK_EQ(all_counts_of(object).writes, before.writes);
	}
	become(0, 1);
}

/* The caches have no entries and objects of the pool. */
static void check_empty_caches(void)
{
	unsigned long size = memorizer_pool_size();
	unsigned int cpu, i;

	for_each_possible_cpu(cpu) {
		for (i = 0; i < MEMORIZER_CACHE_SLOTS; i++)
			CHECK((void *)per_cpu(memorizer_cache, cpu)[i] - memorizer_pool_origin >=
			      size);
		for (i = 0; i < MEMORIZER_FOUND_SLOTS; i++)
			CHECK((void *)per_cpu(memorizer_found, cpu)[i] - memorizer_pool_origin >=
			      size);
	}
}

/* Free all live objects, of pages or not. */
static void free_all(bool pages)
{
	struct memorizer_object *object;
	unsigned long pos = 0, va;

	while ((object = next_shown(&pos))) {
		if (object->state != MEMORIZER_LIVE || memorizer_is_area(object) != pages)
			continue;
		done.frees++;
		va = memorizer_object_va(object);
		if (pages)
			hook_free_pages(va, ilog2(object->size) - PAGE_SHIFT, IP(1));
		else
			hook_free(va, IP(1));
	}
}

/* All live objects end, and their records go back to the pool. */
static void check_clearing(void)
{
	struct found found;

	free_all(false);
	free_all(true);
	memorizer_clear();
	found = check_sums();
	CHECK_EQ(found.live + found.closed + found.entries + found.wide, 0);
	/* Those of a slab that was freed stay until another one claims its page. */
	CHECK(slab_records() <= 3);
	check_empty_caches();
}

/* No record is free twice: each CPU gets other ones. */
static void check_pool(void)
{
	static const unsigned int classes[] = {
		MEMORIZER_OBJECT, MEMORIZER_ENTRY, MEMORIZER_WIDE_ENTRY
	};
	u32 taken[ARRAY_SIZE(classes)][TEST_CPUS * 16], *list;
	unsigned int i, j, n, cpu;

	for (i = 0; i < ARRAY_SIZE(classes); i++) {
		list = taken[i];
		n = 0;
		for_each_possible_cpu(cpu) {
			become(cpu, cpu + 1);
			for (j = 0; j < 16; j++)
				list[n++] = memorizer_pool_alloc(classes[i]);
		}
		while (n--) {
			CHECK(list[n]);
			for (j = 0; j < n; j++)
				CHECK(list[j] != list[n]);
		}
	}
	become(0, 1);
}

/**
 * check_step() - check what holds at any time
 *
 * Accesses to X match at most one object.
 */
void check_step(void)
{
	/* Hashes of memory that was checked: most switches are between loads. */
	static u64 checked[1 << 16];
	u64 hash = memory_hash(), *slot = &checked[hash % ARRAY_SIZE(checked)];
	struct memorizer_object *object;
	unsigned int found = 0;
	unsigned long pos = 0;

	/* This CPU's view may be inconsistent. */
	if (sched_weak || *slot == hash)
		return;
	*slot = hash;
	sched_active = false;
	while ((object = memorizer_object_from(&pos)))
		found += object->at == X;
	CHECK(found <= 1);
	sched_active = true;
}

/**
 * check_end() - check the state after a schedule
 */
void check_end(void)
{
	static unsigned int number;
	unsigned int n;

	for (n = 0; n < CONTEXTS; n++)
		scenario_check(n);
	check_sums();
	if (memorizer_slow_path_users)
		check_empty_caches();
	check_caches();
	/* Takes long. */
	if (!explore_replays() && number++ % 8)
		return;
	check_clearing();
	check_pool();
}
