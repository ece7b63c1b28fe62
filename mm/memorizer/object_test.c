// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's KUnit tests of objects: the objects of each allocator are recorded and shown in
 * the KMAP, with the call sites of allocation and free.
 */
#include <linux/kallsyms.h>
#include <linux/memorizer.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../slab.h"
#include "test.h"

static volatile size_t one = 1;

struct item {
	struct rcu_head rcu;
	char data[100];
};

/* A pair of functions that allocate and free, as callers use them. */
#define ALLOCATOR(name, alloc, free)						\
static noinline void *new_##name(struct kmem_cache *cache, size_t size)	\
{										\
	void *p = alloc;							\
										\
	barrier();								\
	return p;								\
}										\
										\
static noinline void end_##name(struct kmem_cache *cache, void *p)		\
{										\
	free;									\
	barrier();								\
}

static void *bulk_alloc(struct kmem_cache *cache, void **all)
{
	return all[0];
}

ALLOCATOR(kmalloc, kmalloc(size, GFP_KERNEL), kfree(p))
ALLOCATOR(kmalloc_constant, kmalloc(sizeof(struct item), GFP_KERNEL), kfree(p))
ALLOCATOR(kzalloc, kzalloc(size, GFP_KERNEL), kfree_sensitive(p))
ALLOCATOR(kcalloc, kcalloc(one, size, GFP_KERNEL), kfree(p))
ALLOCATOR(kmalloc_node, kmalloc_node(size, GFP_KERNEL, 0), kfree(p))
ALLOCATOR(kvmalloc, kvmalloc(size, GFP_KERNEL), kvfree(p))
ALLOCATOR(krealloc_null, krealloc(NULL, size, GFP_KERNEL), krealloc(p, 0, GFP_KERNEL))
ALLOCATOR(krealloc_in_place, krealloc(kmalloc(size - 1, GFP_KERNEL), size, GFP_KERNEL), kfree(p))
ALLOCATOR(krealloc_moved, krealloc(kmalloc(8, GFP_KERNEL), size, GFP_KERNEL), kfree(p))
ALLOCATOR(kmemdup, kmemdup("", 1, GFP_KERNEL), kfree(p))
ALLOCATOR(kmalloc_bulk_free, kmalloc(size, GFP_KERNEL), kfree_bulk(1, &p))
ALLOCATOR(kmem_cache, kmem_cache_alloc(cache, GFP_KERNEL), kmem_cache_free(cache, p))
ALLOCATOR(kmem_cache_node, kmem_cache_alloc_node(cache, GFP_KERNEL, 0), kfree(p))
ALLOCATOR(kmem_cache_lru, kmem_cache_alloc_lru(cache, NULL, GFP_KERNEL),
	  kmem_cache_free_bulk(cache, 1, &p))
ALLOCATOR(kmem_cache_bulk,
	  bulk_alloc(cache, ({ static void *all[1];
			       kmem_cache_alloc_bulk(cache, GFP_KERNEL, 1, all); all; })),
	  kmem_cache_free(cache, p))

static const struct allocator {
	void *(*alloc)(struct kmem_cache *cache, size_t size);
	void (*free)(struct kmem_cache *cache, void *p);
	size_t size;		/* requested and recorded */
	const char *name;
} allocators[] = {
#define ENTRY(name, size) { new_##name, end_##name, size, #name }
#define SIZED(name, size) { new_##name, end_##name, size, #name "_" #size }
	ENTRY(kmalloc, 100),
	SIZED(kmalloc, 5000),
	SIZED(kmalloc, 8192),
	SIZED(kmalloc, 8193),
	SIZED(kmalloc, 1000000),
	ENTRY(kmalloc_constant, sizeof(struct item)),
	ENTRY(kzalloc, 33),
	SIZED(kzalloc, 20000),
	ENTRY(kcalloc, 60),
	ENTRY(kmalloc_node, 200),
	SIZED(kmalloc_node, 10000),
	ENTRY(kvmalloc, 300),
	SIZED(kvmalloc, 5000),
	ENTRY(krealloc_null, 50),
	ENTRY(krealloc_in_place, 64),
	ENTRY(krealloc_moved, 500),
	SIZED(krealloc_moved, 50000),
	ENTRY(kmemdup, 1),
	ENTRY(kmalloc_bulk_free, 80),
	ENTRY(kmem_cache, 120),
	ENTRY(kmem_cache_node, 120),
	ENTRY(kmem_cache_lru, 120),
	ENTRY(kmem_cache_bulk, 120),
};

static void allocator_desc(const struct allocator *allocator, char *desc)
{
	strscpy(desc, allocator->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(allocator, allocators, allocator_desc);

static struct kmem_cache *make_cache(struct kunit *test, slab_flags_t flags, void (*ctor)(void *))
{
	struct kmem_cache *cache = kmem_cache_create("memorizer_test", 120, 0, flags, ctor);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	return cache;
}

/* Start of the test case in jiffies. */
static unsigned long case_start;

static int start_case(struct kunit *test)
{
	case_start = jiffies;
	return 0;
}

static void expect_live(struct kunit *test, const struct memorizer_object *object, void *p,
			size_t size)
{
	KUNIT_EXPECT_EQ(test, object->state, MEMORIZER_LIVE);
	KUNIT_EXPECT_EQ(test, memorizer_object_va(object), (unsigned long)p);
	KUNIT_EXPECT_EQ(test, object->size, size);
	KUNIT_EXPECT_EQ(test, memorizer_object_pid(object), current->pid);
	KUNIT_EXPECT_EQ(test, memcmp(object->comm, current->comm, sizeof(object->comm)), 0);
	KUNIT_EXPECT_TRUE(test, time_in_range(memorizer_alloc_jiffies(object), case_start,
					      jiffies));
}

static void object_is_recorded(struct kunit *test)
{
	const struct allocator *allocator = test->param_value;
	struct kmem_cache *cache = make_cache(test, SLAB_NO_MERGE, NULL);
	const struct memorizer_object *object;
	void *p = allocator->alloc(cache, allocator->size);
	u32 id;

	KUNIT_ASSERT_NOT_NULL(test, p);
	id = object_at(p);
	KUNIT_EXPECT_NE(test, id, 0);
	/* From the first byte to the last, and no further. */
	KUNIT_EXPECT_EQ(test, object_at(p + allocator->size - 1), id);
	KUNIT_EXPECT_NE(test, object_at(p + allocator->size), id);
	KUNIT_EXPECT_NE(test, object_at(p - 1), id);
	if (id) {
		object = memorizer_ptr(id);
		expect_live(test, object, p, allocator->size);
		KUNIT_EXPECT_TRUE_MSG(test, ip_is_in(object->alloc_ip, allocator->alloc),
				      "allocated by %pS",
				      (void *)memorizer_unpack_ip(object->alloc_ip));

		allocator->free(cache, p);
		KUNIT_EXPECT_EQ(test, object_at(p), 0);
		KUNIT_EXPECT_EQ(test, object->state, MEMORIZER_FREED);
		KUNIT_EXPECT_TRUE(test, time_in_range(memorizer_free_jiffies(object),
						      memorizer_alloc_jiffies(object), jiffies));
		KUNIT_EXPECT_TRUE_MSG(test, ip_is_in(object->free_ip, allocator->free),
				      "freed by %pS",
				      (void *)memorizer_unpack_ip(object->free_ip));
	} else {
		allocator->free(cache, p);
	}
	kmem_cache_destroy(cache);
}

static void bulk_records_each_object(struct kunit *test)
{
	struct kmem_cache *cache = make_cache(test, SLAB_NO_MERGE, NULL);
	void *p[50];
	u32 id[50];
	int i;

	KUNIT_ASSERT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_KERNEL, 50, p), 50);
	for (i = 0; i < 50; i++) {
		id[i] = object_at(p[i]);
		KUNIT_ASSERT_NE(test, id[i], 0);
		expect_live(test, memorizer_ptr(id[i]), p[i], 120);
	}
	kmem_cache_free_bulk(cache, 50, p);
	for (i = 0; i < 50; i++) {
		struct memorizer_object *object = memorizer_ptr(id[i]);

		KUNIT_EXPECT_EQ(test, object->state, MEMORIZER_FREED);
		KUNIT_EXPECT_TRUE(test, ip_is_in(object->free_ip, bulk_records_each_object));
	}
	kmem_cache_destroy(cache);
}

static void kfree_rcu_frees_after_the_grace_period(struct kunit *test)
{
	struct item *item = kmalloc(sizeof(*item), GFP_KERNEL);
	struct memorizer_object *object;
	u32 id;

	KUNIT_ASSERT_NOT_NULL(test, item);
	id = object_at(item);
	KUNIT_ASSERT_NE(test, id, 0);
	object = memorizer_ptr(id);
	rcu_read_lock();
	kfree_rcu(item, rcu);
	KUNIT_EXPECT_EQ(test, READ_ONCE(object->state), MEMORIZER_LIVE);
	rcu_read_unlock();
	kvfree_rcu_barrier();
	KUNIT_EXPECT_EQ(test, READ_ONCE(object->state), MEMORIZER_FREED);
}

static void test_ctor(void *p)
{
	memset(p, 0x5a, 120 * one);
}

/* Constructors run before the object is recorded. */
static void constructor_is_no_access(struct kunit *test)
{
	struct kmem_cache *cache = make_cache(test, SLAB_NO_MERGE, test_ctor);
	void *p = kmem_cache_alloc(cache, GFP_KERNEL);
	struct tally tally = tally_of(p, ANY);

	expect_live(test, memorizer_ptr(object_at(p)), p, 120);
	KUNIT_EXPECT_EQ(test, tally.reads + tally.writes, 0);
	kmem_cache_free(cache, p);
	kmem_cache_destroy(cache);
}

/* The object ends with its free, although RCU readers may still access it. */
static void typesafe_by_rcu_object_ends_with_its_free(struct kunit *test)
{
	struct kmem_cache *cache = make_cache(test, SLAB_TYPESAFE_BY_RCU | SLAB_NO_MERGE, NULL);
	unsigned long *p = kmem_cache_alloc(cache, GFP_KERNEL);
	u32 id = object_at(p);
	struct tally tally;

	KUNIT_ASSERT_NE(test, id, 0);
	WRITE_ONCE(p[one], 1);
	rcu_read_lock();
	kmem_cache_free(cache, p);
	(void)READ_ONCE(p[one]);
	rcu_read_unlock();
	tally = tally_id(id, ANY);
	KUNIT_EXPECT_EQ(test, tally.writes, 1);
	KUNIT_EXPECT_EQ(test, tally.reads, 0);
	kmem_cache_destroy(cache);
}

/* SLUB must not merge caches with slots of the same size. */
static void cache_keeps_its_size_and_name(struct kunit *test)
{
	struct kmem_cache *a = kmem_cache_create("memorizer_test_192", 192, 0,
						 SLAB_HWCACHE_ALIGN, NULL);
	struct kmem_cache *b = kmem_cache_create("memorizer_test_136", 136, 0,
						 SLAB_HWCACHE_ALIGN, NULL);
	void *p = kmem_cache_alloc(a, GFP_KERNEL), *q = kmem_cache_alloc(b, GFP_KERNEL);

	expect_live(test, memorizer_ptr(object_at(p)), p, 192);
	expect_live(test, memorizer_ptr(object_at(q)), q, 136);
	KUNIT_EXPECT_STREQ(test, a->name, "memorizer_test_192");
	KUNIT_EXPECT_STREQ(test, b->name, "memorizer_test_136");
	kmem_cache_free(a, p);
	kmem_cache_free(b, q);
	kmem_cache_destroy(a);
	kmem_cache_destroy(b);
}

static void address_used_again_is_another_object(struct kunit *test)
{
	struct kmem_cache *cache = make_cache(test, SLAB_NO_MERGE, NULL);
	unsigned long *p = kmem_cache_alloc(cache, GFP_KERNEL), *q;
	u32 id = object_at(p), again;
	unsigned int i;

	KUNIT_ASSERT_NE(test, id, 0);
	for (i = 0; i < 3; i++)
		WRITE_ONCE(p[one], i);
	kmem_cache_free(cache, p);
	/* The allocator may reuse other slots first. */
	for (i = 0; i < 1000; i++) {
		q = kmem_cache_alloc(cache, GFP_KERNEL);
		if (q == p)
			break;
		kmem_cache_free(cache, q);
	}
	KUNIT_ASSERT_PTR_EQ(test, p, q);
	again = object_at(q);
	KUNIT_EXPECT_NE(test, again, 0);
	KUNIT_EXPECT_NE(test, again, id);
	for (i = 0; i < 5; i++)
		WRITE_ONCE(q[one], i);
	KUNIT_EXPECT_EQ(test, tally_id(id, ANY).writes, 3);
	KUNIT_EXPECT_EQ(test, tally_id(again, ANY).writes, 5);
	kmem_cache_free(cache, q);
	kmem_cache_destroy(cache);
}

/* The index forgets a slab's layout when the slab is freed. */
static void pages_may_go_to_another_cache(struct kunit *test)
{
	static unsigned long pages[2][100];
	unsigned int round, i, j, again = 0;
	struct kmem_cache *cache;
	void *p[100];
	size_t size;
	u32 id;

	for (round = 0; round < 20; round++) {
		/*
		 * Both sizes use slabs of one page, even if SLUB sizes slabs for hundreds of
		 * CPUs.
		 */
		size = round % 2 ? 88 : 72;
		cache = kmem_cache_create("memorizer_test", size, 0, SLAB_NO_MERGE, NULL);
		KUNIT_ASSERT_NOT_NULL(test, cache);
		for (i = 0; i < 100; i++) {
			p[i] = kmem_cache_alloc(cache, GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(test, p[i]);
			pages[round % 2][i] = (unsigned long)p[i] & PAGE_MASK;
		}
		for (i = 0; i < 100; i++) {
			id = object_at(p[i]);
			KUNIT_EXPECT_NE(test, id, 0);
			KUNIT_EXPECT_EQ(test, object_at(p[i] + size - 1), id);
			expect_live(test, memorizer_ptr(id), p[i], size);
			for (j = 0; j < 100 && round; j++)
				again += pages[round % 2][i] == pages[!(round % 2)][j];
			kmem_cache_free(cache, p[i]);
		}
		kmem_cache_destroy(cache);
	}
	/* Otherwise the test has tested nothing. */
	KUNIT_EXPECT_NE(test, again, 0);
}

/* Format an object and its rows. */
static void render(struct kunit *test, u32 id, char *buf, size_t size)
{
	struct memorizer_rows rows;
	struct memorizer_row row;
	char *to;

	down_write(&memorizer_rwsem);
	to = memorizer_format_object(buf, memorizer_ptr(id));
	memorizer_rows_begin(&rows, memorizer_ptr(id), false);
	while (to - buf + MEMORIZER_ROW_MAX <= size && memorizer_rows_next(&rows, &row))
		to = memorizer_format_row(to, &row);
	memorizer_rows_end(&rows);
	up_write(&memorizer_rwsem);
	KUNIT_ASSERT_LE(test, to - buf + MEMORIZER_ROW_MAX, size);
	*to = '\0';
}

static void allocation_over_a_live_object_is_deadbeef(struct kunit *test)
{
	struct memorizer_object *old, *new;
	char *buf = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);
	void *p = kmalloc(100, GFP_KERNEL);
	u32 id = object_at(p);

	KUNIT_ASSERT_NE(test, id, 0);
	old = memorizer_ptr(id);
	/* As if its free had been missed. */
	memorizer_alloc(MEMORIZER_KMALLOC, p, 90, GFP_KERNEL, _THIS_IP_);
	KUNIT_EXPECT_EQ(test, old->state, MEMORIZER_BURIED);
	new = memorizer_ptr(object_at(p));
	KUNIT_EXPECT_PTR_NE(test, old, new);
	expect_live(test, new, p, 90);
	render(test, id, buf, PAGE_SIZE);
	KUNIT_EXPECT_NOT_NULL(test, strstr(buf, ",deadbeef,"));
	kfree(p);
	KUNIT_EXPECT_EQ(test, old->state, MEMORIZER_BURIED);
	KUNIT_EXPECT_EQ(test, new->state, MEMORIZER_FREED);
}

static void kmap_rows_are_as_documented(struct kunit *test)
{
	char *buf = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);
	char *expected = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);
	struct memorizer_object *object;
	struct memorizer_entry *entry;
	unsigned long *p;
	u32 id;

	p = kmalloc(72, GFP_KERNEL);
	id = object_at(p);
	KUNIT_ASSERT_NE(test, id, 0);
	object = memorizer_ptr(id);
	WRITE_ONCE(p[one], READ_ONCE(p[0]) | 1);
	WRITE_ONCE(p[one], 2);
	/* The newest entry: the list is not sorted yet. */
	entry = memorizer_ptr(object->entries);
	render(test, id, buf, PAGE_SIZE);
	snprintf(expected, PAGE_SIZE, "%lx,%u,%lx,72,%lu,0,0,%s\n",
		 memorizer_unpack_ip(object->alloc_ip), current->pid, (unsigned long)p,
		 memorizer_alloc_jiffies(object), current->comm);
	KUNIT_EXPECT_EQ(test, strncmp(buf, expected, strlen(expected)), 0);

	/* Three rows in ascending order of ip, with writes before reads. */
	KUNIT_EXPECT_NOT_NULL(test, strstr(buf, ",0,1\n"));
	KUNIT_EXPECT_NOT_NULL(test, strstr(buf, ",1,0\n"));
	snprintf(expected, PAGE_SIZE, "  %lx,%u,1,0\n",
		 memorizer_unpack_ip(memorizer_entry_ip(entry)), current->pid);
	KUNIT_EXPECT_STREQ(test, buf + strlen(buf) - strlen(expected), expected);
	kfree(p);

	render(test, id, buf, PAGE_SIZE);
	snprintf(expected, PAGE_SIZE, ",72,%lu,%lu,%lx,%s\n", memorizer_alloc_jiffies(object),
		 memorizer_free_jiffies(object), memorizer_unpack_ip(object->free_ip),
		 current->comm);
	KUNIT_EXPECT_NOT_NULL(test, strstr(buf, expected));
}

static void comm_is_escaped(struct kunit *test)
{
	char *buf = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);
	char comm[TASK_COMM_LEN];
	void *p;

	get_task_comm(comm, current);
	set_task_comm(current, "a,b\nc\\d\xe4 \x7f");
	p = kmalloc(72, GFP_KERNEL);
	set_task_comm(current, comm);
	render(test, object_at(p), buf, PAGE_SIZE);
	KUNIT_EXPECT_NOT_NULL(test, strstr(buf, ",0,0,a,b\\x0ac\\\\d\\xe4 \\x7f\n"));
	kfree(p);
}

static void object_of_a_paused_task_is_not_recorded(struct kunit *test)
{
	void *p;

	memorizer_pause();
	p = kmalloc(72, GFP_KERNEL);
	memorizer_resume();
	KUNIT_EXPECT_EQ(test, object_at(p), 0);
	kfree(p);
}

static void free_is_followed_while_disabled(struct kunit *test)
{
	struct kmem_cache *cache = make_cache(test, SLAB_NO_MERGE, NULL);
	void *p = kmem_cache_alloc(cache, GFP_KERNEL), *q;
	u32 id = object_at(p);

	KUNIT_ASSERT_NE(test, id, 0);
	KUNIT_EXPECT_EQ(test, 0, memorizer_set_enabled(false));
	kmem_cache_free(cache, p);
	KUNIT_EXPECT_EQ(test, ((struct memorizer_object *)memorizer_ptr(id))->state,
			MEMORIZER_FREED);
	q = kmem_cache_alloc(cache, GFP_KERNEL);
	KUNIT_EXPECT_EQ(test, object_at(q), 0);
	KUNIT_EXPECT_EQ(test, 0, memorizer_set_enabled(true));
	kmem_cache_free(cache, q);
	kmem_cache_destroy(cache);
}

static void clear_forgets_freed_objects_only(struct kunit *test)
{
	struct memorizer_object *live, *freed;
	unsigned long *p = kmalloc(72, GFP_KERNEL), *q = kmalloc(72, GFP_KERNEL);

	KUNIT_ASSERT_NE(test, object_at(p), 0);
	KUNIT_ASSERT_NE(test, object_at(q), 0);
	live = memorizer_ptr(object_at(p));
	freed = memorizer_ptr(object_at(q));
	WRITE_ONCE(p[one], 1);
	WRITE_ONCE(q[one], 1);
	kfree(q);
	memorizer_clear();
	KUNIT_EXPECT_TRUE(test, freed->state == MEMORIZER_UNUSED ||
			  freed->state == MEMORIZER_LIVE ||
			  memorizer_object_va(freed) != (unsigned long)q);
	expect_live(test, live, p, 72);
	KUNIT_EXPECT_EQ(test, tally_of(p, ANY).writes, 1);
	/* Its cached entry is still valid. */
	WRITE_ONCE(p[one], 2);
	KUNIT_EXPECT_EQ(test, tally_of(p, ANY).writes, 2);
	kfree(p);
}

static struct kunit_case object_cases[] = {
	KUNIT_CASE_PARAM(object_is_recorded, allocator_gen_params),
	KUNIT_CASE(bulk_records_each_object),
	KUNIT_CASE(kfree_rcu_frees_after_the_grace_period),
	KUNIT_CASE(constructor_is_no_access),
	KUNIT_CASE(typesafe_by_rcu_object_ends_with_its_free),
	KUNIT_CASE(cache_keeps_its_size_and_name),
	KUNIT_CASE(address_used_again_is_another_object),
	KUNIT_CASE(pages_may_go_to_another_cache),
	KUNIT_CASE(allocation_over_a_live_object_is_deadbeef),
	KUNIT_CASE(kmap_rows_are_as_documented),
	KUNIT_CASE(comm_is_escaped),
	KUNIT_CASE(object_of_a_paused_task_is_not_recorded),
	KUNIT_CASE(free_is_followed_while_disabled),
	KUNIT_CASE(clear_forgets_freed_objects_only),
	{ }
};

static struct kunit_suite object_suite = {
	.name = "memorizer_object",
	.suite_init = switch_on,
	.suite_exit = switch_off,
	.init = start_case,
	.test_cases = object_cases,
};

kunit_test_suite(object_suite);

MODULE_DESCRIPTION("KUnit tests of Memorizer's objects");
MODULE_LICENSE("GPL");
