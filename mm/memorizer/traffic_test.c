// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's KUnit tests of cache lines: each move is counted once, for the instruction that
 * causes it.
 *
 * CPUs take turns, by cross calls. A test starts with all lines of its object held by the CPU
 * that stored to all of the object last.
 */
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/unaligned.h>

#include <asm/apic.h>
#include <asm/nmi.h>

#include "test.h"

#define LINE	64
#define ROUNDS	20

/* An object of four cache lines. */
struct shared {
	u64 word[32];
};

static volatile u64 sink;
static struct kmem_cache *cache;

static noinline void begin(void *data)
{
	struct shared *s = data;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(s->word); i++)
		WRITE_ONCE(s->word[i], 0);
}

static noinline void load(void *data)
{
	sink = READ_ONCE(((struct shared *)data)->word[0]);
}

static noinline void load_beside(void *data)
{
	sink = READ_ONCE(((struct shared *)data)->word[1]);
}

static noinline void store(void *data)
{
	WRITE_ONCE(((struct shared *)data)->word[0], 1);
}

static noinline void store_beside(void *data)
{
	WRITE_ONCE(((struct shared *)data)->word[1], 1);
}

static noinline void increment(void *data)
{
	u64 *word = ((struct shared *)data)->word, value = READ_ONCE(*word);

	/* Keep two sites. */
	barrier();
	WRITE_ONCE(*word, value + 1);
}

/* A load and a store that share a site, and are counted in order. */
static noinline void increment_at_once(void *data)
{
	u64 *word = ((struct shared *)data)->word;

	WRITE_ONCE(*word, READ_ONCE(*word) + 1);
}

static noinline void increment_atomically(void *data)
{
	atomic64_inc((atomic64_t *)data);
}

static noinline void load_across(void *data)
{
	sink = get_unaligned((u64 *)(data + LINE - 4));
}

static noinline void store_across(void *data)
{
	put_unaligned(1ULL, (u64 *)(data + LINE - 4));
}

static noinline void clear(void *data)
{
	memset(data, 0, sizeof(struct shared));
}

/* Add up the moves by a function's accesses to an object. */
static struct tally moved_by(const void *object, void *function)
{
	const struct memorizer_object *record = memorizer_ptr(object_at(object));
	const struct memorizer_entry *entry;
	struct tally tally = { };
	u32 id;

	for (id = READ_ONCE(record->entries); id; id = READ_ONCE(entry->link)) {
		entry = memorizer_ptr(id);
		if (!memorizer_is_traffic(entry) ||
		    !ip_is_in(memorizer_entry_ip(entry) | MEMORIZER_ACCESS_IP, function))
			continue;
		tally.reads += memorizer_entry_reads(entry);
		tally.writes += memorizer_entry_writes(entry);
	}
	return tally;
}

#define EXPECT_MOVES(test, object, function, r, w) do {			\
	struct tally __moves = moved_by(object, function);		\
									\
	KUNIT_EXPECT_EQ(test, __moves.reads, r);			\
	KUNIT_EXPECT_EQ(test, __moves.writes, w);			\
} while (0)

/* Call a function on the n-th CPU and wait for it. */
static void on(unsigned int n, smp_call_func_t function, struct shared *s)
{
	smp_call_function_single(cpumask_nth(n, cpu_online_mask), function, s, true);
}

static struct shared *make_shared(struct kunit *test)
{
	struct shared *s;

	if (num_online_cpus() < 2)
		kunit_skip(test, "one CPU");
	s = kmem_cache_alloc(cache, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, s);
	KUNIT_ASSERT_EQ(test, (unsigned long)s % LINE, 0);
	on(0, begin, s);
	return s;
}

static void ping_pong_moves_the_line_each_time(struct kunit *test)
{
	struct shared *s = make_shared(test);
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		on(1, increment, s);
		on(0, increment, s);
	}
	EXPECT_MOVES(test, s, increment, 2 * ROUNDS, 2 * ROUNDS);
	KUNIT_EXPECT_EQ(test, READ_ONCE(s->word[0]), 2 * ROUNDS);
	kmem_cache_free(cache, s);
}

static void load_of_a_joined_site_comes_before_its_store(struct kunit *test)
{
	struct shared *s = make_shared(test);
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		on(1, increment_at_once, s);
		on(0, increment_at_once, s);
	}
	EXPECT_MOVES(test, s, increment_at_once, 2 * ROUNDS, 2 * ROUNDS);
	kmem_cache_free(cache, s);
}

static void update_loads_and_stores(struct kunit *test)
{
	struct shared *s = make_shared(test);
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		on(1, increment_atomically, s);
		on(0, increment_atomically, s);
	}
	EXPECT_MOVES(test, s, increment_atomically, 2 * ROUNDS, 2 * ROUNDS);
	kmem_cache_free(cache, s);
}

static void reading_moves_the_line_once(struct kunit *test)
{
	struct shared *s = make_shared(test);
	unsigned int i, n, cpus = num_online_cpus();

	for (i = 0; i < ROUNDS; i++)
		for (n = 0; n < cpus; n++)
			on(n, load, s);
	EXPECT_MOVES(test, s, load, cpus - 1, 0);
	kmem_cache_free(cache, s);
}

static void each_reader_moves_what_one_writer_stored(struct kunit *test)
{
	struct shared *s = make_shared(test);
	unsigned int i, n, cpus = num_online_cpus();

	for (i = 0; i < ROUNDS; i++) {
		on(0, store, s);
		for (n = 1; n < cpus; n++) {
			on(n, load, s);
			on(n, load_beside, s);
		}
	}
	/* The first store does not move the line. */
	EXPECT_MOVES(test, s, store, 0, ROUNDS - 1);
	EXPECT_MOVES(test, s, load, ROUNDS * (cpus - 1), 0);
	EXPECT_MOVES(test, s, load_beside, 0, 0);
	kmem_cache_free(cache, s);
}

static void false_sharing_moves_the_line_each_time(struct kunit *test)
{
	struct shared *s = make_shared(test);
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		on(1, store_beside, s);
		on(0, store, s);
	}
	EXPECT_MOVES(test, s, store, 0, ROUNDS);
	EXPECT_MOVES(test, s, store_beside, 0, ROUNDS);
	kmem_cache_free(cache, s);
}

/* With lines of 8 bytes, CPUs that store to different words do not share lines. */
static void small_lines_have_no_false_sharing(struct kunit *test)
{
	unsigned long size = memorizer_line_size();
	struct shared *s;
	unsigned int i;

	KUNIT_EXPECT_EQ(test, memorizer_set_line_size(8), -EBUSY);
	KUNIT_ASSERT_EQ(test, memorizer_set_track_lines(false), 0);
	KUNIT_EXPECT_EQ(test, memorizer_set_line_size(8), 0);
	KUNIT_ASSERT_EQ(test, memorizer_set_track_lines(true), 0);
	s = make_shared(test);
	for (i = 0; i < ROUNDS; i++) {
		on(1, store_beside, s);
		on(0, store, s);
	}
	EXPECT_MOVES(test, s, store, 0, 0);
	EXPECT_MOVES(test, s, store_beside, 0, 1);
	kmem_cache_free(cache, s);
	KUNIT_ASSERT_EQ(test, memorizer_set_track_lines(false), 0);
	KUNIT_EXPECT_EQ(test, memorizer_set_line_size(size), 0);
	KUNIT_ASSERT_EQ(test, memorizer_set_track_lines(true), 0);
}

static void access_across_two_lines_moves_both(struct kunit *test)
{
	struct shared *s = make_shared(test);
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		on(1, load_across, s);
		on(0, store_across, s);
	}
	EXPECT_MOVES(test, s, load_across, 2 * ROUNDS, 0);
	EXPECT_MOVES(test, s, store_across, 0, 2 * ROUNDS);
	on(1, clear, s);
	EXPECT_MOVES(test, s, clear, 0, sizeof(*s) / LINE);
	kmem_cache_free(cache, s);
}

/* A line keeps its holders when its object is freed and another one is allocated there. */
static void line_keeps_its_holders_when_its_object_is_freed(struct kunit *test)
{
	struct shared *s = make_shared(test), *again;

	on(1, store, s);
	memorizer_pause();
	kmem_cache_free(cache, s);
	again = kmem_cache_alloc(cache, GFP_KERNEL);
	memorizer_resume();
	KUNIT_ASSERT_NOT_NULL(test, again);
	/* The object is not recorded. */
	on(1, store, again);
	on(0, load, again);
	KUNIT_EXPECT_EQ(test, object_at(again), 0);
	memorizer_alloc(MEMORIZER_CACHE, again, sizeof(*again), 0, _RET_IP_);
	on(1, store, again);
	on(0, load, again);
	if (again == s) {
		EXPECT_MOVES(test, again, store, 0, 0);
		EXPECT_MOVES(test, again, load, 1, 0);
	}
	kmem_cache_free(cache, again);
}

static void reader_of_the_kmap_moves_nothing(struct kunit *test)
{
	struct shared *s = make_shared(test);

	on(0, store, s);
	memorizer_pause();
	begin(s);
	memorizer_resume();
	on(0, store, s);
	on(0, load, s);
	EXPECT_MOVES(test, s, store, 0, 0);
	EXPECT_MOVES(test, s, load, 0, 0);
	kmem_cache_free(cache, s);
}

static struct shared *nmi_object;
static atomic_t nmis;

static int in_nmi_handler(unsigned int type, struct pt_regs *regs)
{
	struct shared *s = READ_ONCE(nmi_object);

	if (!s)
		return NMI_DONE;
	WARN_ON(!in_nmi());
	load(s);
	atomic_inc(&nmis);
	return NMI_HANDLED;
}

static void send_nmi(void *unused)
{
	int before = atomic_read(&nmis);

	__apic_send_IPI_mask(cpumask_of(smp_processor_id()), NMI_VECTOR);
	while (atomic_read(&nmis) == before)
		cpu_relax();
}

static void nmi_moves_the_line(struct kunit *test)
{
	struct shared *s = make_shared(test);
	unsigned int i;

	atomic_set(&nmis, 0);
	KUNIT_ASSERT_EQ(test, 0, register_nmi_handler(NMI_LOCAL, in_nmi_handler, 0,
						      "memorizer_traffic"));
	WRITE_ONCE(nmi_object, s);
	for (i = 0; i < ROUNDS; i++) {
		on(0, store, s);
		on(1, send_nmi, NULL);
	}
	WRITE_ONCE(nmi_object, NULL);
	unregister_nmi_handler(NMI_LOCAL, "memorizer_traffic");
	EXPECT_MOVES(test, s, load, ROUNDS, 0);
	EXPECT_MOVES(test, s, store, 0, ROUNDS - 1);
	kmem_cache_free(cache, s);
}

/* Access one line on all CPUs concurrently, with interrupts that access it, too. */
static void hammer(void *data)
{
	unsigned int i;

	for (i = 0; i < 1000; i++)
		increment(data);
}

static void accesses_are_counted_beside_traffic(struct kunit *test)
{
	struct shared *s = make_shared(test);
	struct tally moves, all = tally_of(s, ANY);

	on_each_cpu(hammer, s, true);
	on_each_cpu(hammer, s, true);
	moves = moved_by(s, increment);
	KUNIT_EXPECT_EQ(test, tally_of(s, ANY).reads, all.reads + 2000 * num_online_cpus());
	KUNIT_EXPECT_EQ(test, tally_of(s, ANY).writes, all.writes + 2000 * num_online_cpus());
	KUNIT_EXPECT_GE(test, moves.writes, num_online_cpus());
	KUNIT_EXPECT_LE(test, moves.writes, 2000 * num_online_cpus());
	kmem_cache_free(cache, s);
}

static void hook_access(void *ptr)
{
	memorizer_access((unsigned long)ptr, 8, MEMORIZER_UPDATE, _THIS_IP_);
}

/* The first access creates two entries, for its counts and for its moves. */
static void access_takes_little_stack(struct kunit *test)
{
	void *ptr = kunit_kzalloc(test, 64, GFP_KERNEL);
	unsigned int used;

	KUNIT_ASSERT_NOT_NULL(test, ptr);
	used = stack_used(hook_access, ptr);
	kunit_info(test, "%u bytes", used);
	KUNIT_EXPECT_NE(test, tally_of(ptr, ANY).writes, 0);
	KUNIT_EXPECT_LE(test, used, 550);
}

static int track_lines(struct kunit_suite *suite)
{
	cache = kmem_cache_create("memorizer_test_lines", sizeof(struct shared), LINE,
				  SLAB_NO_MERGE, NULL);
	if (!cache)
		return -ENOMEM;
	return switch_on(suite) ?: memorizer_set_track_lines(true);
}

static void do_not_track_lines(struct kunit_suite *suite)
{
	memorizer_set_track_lines(false);
	switch_off(suite);
	kmem_cache_destroy(cache);
}

static struct kunit_case traffic_cases[] = {
	KUNIT_CASE(ping_pong_moves_the_line_each_time),
	KUNIT_CASE(load_of_a_joined_site_comes_before_its_store),
	KUNIT_CASE(update_loads_and_stores),
	KUNIT_CASE(reading_moves_the_line_once),
	KUNIT_CASE(each_reader_moves_what_one_writer_stored),
	KUNIT_CASE(false_sharing_moves_the_line_each_time),
	KUNIT_CASE(small_lines_have_no_false_sharing),
	KUNIT_CASE(access_across_two_lines_moves_both),
	KUNIT_CASE(line_keeps_its_holders_when_its_object_is_freed),
	KUNIT_CASE(reader_of_the_kmap_moves_nothing),
	KUNIT_CASE(nmi_moves_the_line),
	KUNIT_CASE(accesses_are_counted_beside_traffic),
	KUNIT_CASE(access_takes_little_stack),
	{ }
};

static struct kunit_suite traffic_suite = {
	.name = "memorizer_traffic",
	.suite_init = track_lines,
	.suite_exit = do_not_track_lines,
	.test_cases = traffic_cases,
};

kunit_test_suite(traffic_suite);

MODULE_DESCRIPTION("KUnit tests of Memorizer's cache lines");
MODULE_LICENSE("GPL");
