// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's KUnit tests of accesses: each kind of access is counted once, in every context.
 */
#include <kunit/resource.h>
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/gfp.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/kallsyms.h>
#include <linux/kthread.h>
#include <linux/mman.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/uio.h>
#include <linux/unaligned.h>
#include <linux/vmalloc.h>

#include <asm/apic.h>
#include <asm/nmi.h>
#include <asm/word-at-a-time.h>

#include "index.h"
#include "tasks.h"
#include "test.h"

struct blob {
	u64 word[5];
};

/* An object with a member for each kind of access. */
struct victim {
	u8 byte;
	u16 half;
	u32 word;
	u64 quad;
	unsigned __int128 octo;
	volatile u32 shy;
	unsigned int low : 3;
	unsigned int high : 11;
	atomic_t atomic;
	atomic64_t atomic64;
	unsigned long bits[2];
	struct blob blob;
	struct blob other;
	char text[32];
	char copy[32];
	struct victim *next;
};

/* Destination of reads; not in an object. */
static volatile u64 sink;
static volatile long one = 1;
static void __user *user_page;

/* Each function makes exactly the accesses to the object that its row in kinds[] lists. */
#define ACCESS(name, statement)						\
static noinline void name(struct victim *v)				\
{									\
	statement;							\
}

ACCESS(read_1, sink = v->byte)
ACCESS(read_2, sink = v->half)
ACCESS(read_4, sink = v->word)
ACCESS(read_8, sink = v->quad)
ACCESS(read_16, unsigned __int128 x = v->octo; sink = x ^ x >> 64)
ACCESS(write_1, v->byte = one)
ACCESS(write_2, v->half = one)
ACCESS(write_4, v->word = one)
ACCESS(write_8, v->quad = one)
ACCESS(write_16, v->octo = one)
ACCESS(write_constant, v->quad = 5)
ACCESS(read_volatile, sink = v->shy + v->shy)
ACCESS(write_volatile, v->shy = 1; v->shy = 2)
ACCESS(read_once, sink = READ_ONCE(v->word))
ACCESS(write_once, WRITE_ONCE(v->word, 3))
ACCESS(acquire, sink = smp_load_acquire(&v->word))
ACCESS(release, smp_store_release(&v->word, 3))
ACCESS(read_bit_field, sink = v->high)
ACCESS(write_bit_field, v->high = one)
ACCESS(increment, v->quad++)
ACCESS(add_assign, v->word += one)
ACCESS(increment_bit_field, v->low++)
ACCESS(copy_aggregate, v->blob = v->other)
ACCESS(clear_aggregate, v->blob = (struct blob){ })
ACCESS(read_unaligned, sink = get_unaligned((u32 *)(v->text + 1)))
ACCESS(write_unaligned, put_unaligned((u32)one, (u32 *)(v->text + 1)))
ACCESS(read_zeropad, sink = load_unaligned_zeropad(v->text + 1))
ACCESS(loop, for (long i = 0; i < 5 * one; i++) sink = v->blob.word[i])
ACCESS(chase, sink = v->next->next->byte)

ACCESS(do_atomic_read, sink = atomic_read(&v->atomic))
ACCESS(do_atomic_set, atomic_set(&v->atomic, 1))
ACCESS(do_atomic_inc, atomic_inc(&v->atomic))
ACCESS(do_atomic_add_return, sink = atomic_add_return(2, &v->atomic))
ACCESS(do_atomic_dec_and_test, sink = atomic_dec_and_test(&v->atomic))
ACCESS(do_atomic64_add, atomic64_add(2, &v->atomic64))
ACCESS(do_atomic64_fetch_add, sink = atomic64_fetch_add(2, &v->atomic64))
ACCESS(do_xchg, sink = xchg(&v->word, 7))
ACCESS(do_cmpxchg_hit, v->word = 1; sink = cmpxchg(&v->word, 1, 2))
ACCESS(do_cmpxchg_miss, v->word = 1; sink = cmpxchg(&v->word, 5, 2))
ACCESS(do_try_cmpxchg, int old = 0; sink = atomic_try_cmpxchg(&v->atomic, &old, 3))
ACCESS(do_set_bit, set_bit(3, v->bits))
ACCESS(do_set_bit_variable, set_bit(70 * one, v->bits))
ACCESS(do_clear_bit, clear_bit(3, v->bits))
ACCESS(do_clear_bit_variable, clear_bit(70 * one, v->bits))
ACCESS(do_change_bit, change_bit(3, v->bits))
ACCESS(do___set_bit, __set_bit(3 * one, v->bits))
ACCESS(do___clear_bit, __clear_bit(3 * one, v->bits))
ACCESS(do_test_bit, sink = test_bit(3, v->bits))
ACCESS(do_test_bit_variable, sink = test_bit(70 * one, v->bits))
ACCESS(do_test_and_set_bit, sink = test_and_set_bit(3 * one, v->bits))
ACCESS(do___test_and_set_bit, sink = __test_and_set_bit(3 * one, v->bits))

ACCESS(do_memcpy, memcpy(v->copy, v->text, 7 * one))
ACCESS(do_memcpy_8, memcpy(v->copy, v->text, 8))
ACCESS(do_memcpy_31, memcpy(v->copy, v->text, 31))
ACCESS(do_memcpy_0, memcpy(v->copy, v->text, 0 * one))
ACCESS(do_memmove, memmove(v->text, v->text + 1, 7 * one))
ACCESS(do_memset, memset(v->text, 0, 32 * one))
ACCESS(do_memset_8, memset(v->text, 0, 8))
ACCESS(do_memcmp, sink = memcmp(v->text, v->copy, 8 * one))
ACCESS(do_memcmp_eq, sink = memcmp(v->text, v->copy, 8 * one) == 0)
ACCESS(do_memchr, sink = (long)memchr(v->text, 'x', 8 * one))
ACCESS(do_strlen, sink = strlen(v->text))
ACCESS(do_strnlen, sink = strnlen(v->text, 32 * one))
ACCESS(do_strcmp, sink = strcmp(v->text, v->copy))
ACCESS(do_strncmp, sink = strncmp(v->text, v->copy, 5 * one))
ACCESS(do_strscpy, strscpy(v->copy, v->text, 32))
ACCESS(do_strchr, sink = (long)strchr(v->text, 'x'))

ACCESS(do_copy_to_user, sink = copy_to_user(user_page, v->text, 20 * one))
ACCESS(do_copy_from_user, sink = copy_from_user(v->text, user_page, 20 * one))
ACCESS(do_copy_nocache, struct iov_iter iter;
	sink = import_ubuf(ITER_SOURCE, user_page, 20 * one, &iter);
	sink = copy_from_iter_nocache(v->text, 20 * one, &iter))
ACCESS(do_copy_flushcache, struct iov_iter iter;
	sink = import_ubuf(ITER_SOURCE, user_page, 20 * one, &iter);
	sink = _copy_from_iter_flushcache(v->text, 20 * one, &iter))
ACCESS(do_get_user, sink = get_user(v->word, (u32 __user *)user_page))
ACCESS(do_put_user, sink = put_user(v->word, (u32 __user *)user_page))

static const struct kind {
	void (*access)(struct victim *v);
	u64 reads;
	u64 writes;
	const char *name;
} kinds[] = {
#define KIND(name, reads, writes) { name, reads, writes, #name }
	KIND(read_1, 1, 0),
	KIND(read_2, 1, 0),
	KIND(read_4, 1, 0),
	KIND(read_8, 1, 0),
	KIND(read_16, 1, 0),
	KIND(write_1, 0, 1),
	KIND(write_2, 0, 1),
	KIND(write_4, 0, 1),
	KIND(write_8, 0, 1),
	KIND(write_16, 0, 1),
	KIND(write_constant, 0, 1),
	KIND(read_volatile, 2, 0),
	KIND(write_volatile, 0, 2),
	KIND(read_once, 1, 0),
	KIND(write_once, 0, 1),
	KIND(acquire, 1, 0),
	KIND(release, 0, 1),
	KIND(read_bit_field, 1, 0),
	KIND(write_bit_field, 1, 1),
	KIND(increment, 1, 1),
	KIND(add_assign, 1, 1),
	KIND(increment_bit_field, 1, 1),
	KIND(copy_aggregate, 1, 1),
	KIND(clear_aggregate, 0, 1),
	KIND(read_unaligned, 1, 0),
	KIND(write_unaligned, 0, 1),
	KIND(read_zeropad, 1, 0),
	KIND(loop, 5, 0),
	KIND(chase, 3, 0),
	KIND(do_atomic_read, 1, 0),
	KIND(do_atomic_set, 0, 1),
	KIND(do_atomic_inc, 1, 1),
	KIND(do_atomic_add_return, 1, 1),
	KIND(do_atomic_dec_and_test, 1, 1),
	KIND(do_atomic64_add, 1, 1),
	KIND(do_atomic64_fetch_add, 1, 1),
	KIND(do_xchg, 1, 1),
	KIND(do_cmpxchg_hit, 1, 2),
	KIND(do_cmpxchg_miss, 1, 2),
	KIND(do_try_cmpxchg, 1, 1),
	KIND(do_set_bit, 1, 1),
	KIND(do_set_bit_variable, 1, 1),
	KIND(do_clear_bit, 1, 1),
	KIND(do_clear_bit_variable, 1, 1),
	KIND(do_change_bit, 1, 1),
	KIND(do___set_bit, 1, 1),
	KIND(do___clear_bit, 1, 1),
	KIND(do_test_bit, 1, 0),
	KIND(do_test_bit_variable, 1, 0),
	KIND(do_test_and_set_bit, 1, 1),
	KIND(do___test_and_set_bit, 1, 1),
	KIND(do_memcpy, 1, 1),
	KIND(do_memcpy_8, 1, 1),
	KIND(do_memcpy_31, 1, 1),
	KIND(do_memcpy_0, 0, 0),
	KIND(do_memmove, 1, 1),
	KIND(do_memset, 0, 1),
	KIND(do_memset_8, 0, 1),
	KIND(do_memcmp, 2, 0),
	KIND(do_memcmp_eq, 2, 0),
	KIND(do_memchr, 1, 0),
	KIND(do_strlen, 1, 0),
	KIND(do_strnlen, 1, 0),
	KIND(do_strcmp, 2, 0),
	KIND(do_strncmp, 2, 0),
	KIND(do_strscpy, 1, 1),
	KIND(do_strchr, 1, 0),
	KIND(do_copy_to_user, 1, 0),
	KIND(do_copy_from_user, 0, 1),
	KIND(do_copy_nocache, 0, 1),
	KIND(do_copy_flushcache, 0, 1),
	KIND(do_get_user, 0, 1),
	KIND(do_put_user, 1, 0),
};

static void kind_desc(const struct kind *kind, char *desc)
{
	strscpy(desc, kind->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(kind, kinds, kind_desc);

static struct victim *make_victim(struct kunit *test)
{
	struct victim *v = kunit_kzalloc(test, sizeof(*v), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, v);
	memorizer_pause();
	v->next = v;
	strscpy(v->text, "memory access");
	memorizer_resume();
	return v;
}

/* Is the access made by a callee? */
static bool is_made_elsewhere(const struct kind *kind)
{
	return kind->access == do_copy_to_user || kind->access == do_copy_from_user ||
	       kind->access == do_copy_nocache || kind->access == do_copy_flushcache;
}

/* The row has the ip of the accessing function, and the task's pid. */
static void access_is_counted_once(struct kunit *test)
{
	const struct kind *kind = test->param_value;
	struct victim *v = make_victim(test);
	struct memorizer_row row[8];
	struct tally tally;
	unsigned int i, n;

	user_page = (void __user *)kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE,
						 MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_NE(test, (unsigned long)user_page, 0);

	/* The second and third access find the entry in the cache. */
	for (i = 1; i <= 3; i++) {
		kind->access(v);
		tally = tally_of(v, current->pid);
		KUNIT_EXPECT_EQ(test, tally.reads, i * kind->reads);
		KUNIT_EXPECT_EQ(test, tally.writes, i * kind->writes);
	}
	tally = tally_of(v, ANY);
	KUNIT_EXPECT_EQ(test, tally.reads, 3 * kind->reads);
	KUNIT_EXPECT_EQ(test, tally.writes, 3 * kind->writes);

	n = copy_rows(memorizer_ptr(object_at(v)), row, ARRAY_SIZE(row));
	KUNIT_ASSERT_LE(test, n, ARRAY_SIZE(row));
	for (i = 0; i < n; i++) {
		KUNIT_EXPECT_EQ(test, row[i].pid, current->pid);
		KUNIT_EXPECT_TRUE_MSG(test, ip_is_in(row[i].ip, kind->access) ||
				      is_made_elsewhere(kind), "%pS is not in %ps",
				      (void *)memorizer_unpack_ip(row[i].ip), kind->access);
	}
}

/* Carrying the thunks' counts loses nothing, even if an update carries both at once. */
static void counts_have_64_bits(struct kunit *test)
{
	struct victim *v = make_victim(test);
	struct memorizer_entry *entry;
	struct tally tally;
	u32 id;

	read_8(v);
	write_8(v);
	do_atomic_inc(v);
	id = ((struct memorizer_object *)memorizer_ptr(object_at(v)))->entries;
	KUNIT_ASSERT_NE(test, id, 0);
	for (; id; id = READ_ONCE(entry->link)) {
		entry = memorizer_ptr(id);
		WRITE_ONCE(entry->reads, entry->reads ? S16_MAX : 0);
		WRITE_ONCE(entry->writes, entry->writes ? S16_MAX : 0);
	}
	read_8(v);
	write_8(v);
	do_atomic_inc(v);
	tally = tally_of(v, current->pid);
	KUNIT_EXPECT_EQ(test, tally.reads, 2UL << 15);
	KUNIT_EXPECT_EQ(test, tally.writes, 2UL << 15);
}

/* Neighbouring objects of a slab. */
static void access_to_several_objects_counts_for_each(struct kunit *test)
{
	struct kmem_cache *cache;
	u8 *object[8], *low, *high;
	unsigned int i, j;
	struct tally tally;
	bool found = false;

	cache = kmem_cache_create("memorizer_test_span", 64, 64, SLAB_NO_MERGE, NULL);
	KUNIT_ASSERT_NOT_NULL(test, cache);
	for (i = 0; i < ARRAY_SIZE(object); i++)
		object[i] = kmem_cache_alloc(cache, GFP_KERNEL);

	for (i = 0; i < ARRAY_SIZE(object) && !found; i++) {
		for (j = 0; j < ARRAY_SIZE(object) && !found; j++) {
			low = object[i];
			high = object[j];
			found = high > low && high - low < 512;
		}
	}
	KUNIT_EXPECT_TRUE(test, found);
	if (found) {
		u8 *from = low;

		/* From the first byte of one object to the first byte of the other. */
		OPTIMIZER_HIDE_VAR(from);
		memmove(low, from, (high - low + 1) * one);
		for (i = 0; i < ARRAY_SIZE(object); i++) {
			u64 hit = object[i] >= low && object[i] <= high;

			tally = tally_of(object[i], ANY);
			KUNIT_EXPECT_EQ(test, tally.reads, hit);
			KUNIT_EXPECT_EQ(test, tally.writes, hit);
		}
		/* A scalar that starts in the last bytes of one object. */
		if (high - low == 64) {
			put_unaligned(get_unaligned((u64 *)(high - 4)) + one, (u64 *)(high - 4));
			tally = tally_of(low, ANY);
			KUNIT_EXPECT_EQ(test, tally.reads, 2);
			KUNIT_EXPECT_EQ(test, tally.writes, 2);
			tally = tally_of(high, ANY);
			KUNIT_EXPECT_EQ(test, tally.reads, 2);
			KUNIT_EXPECT_EQ(test, tally.writes, 2);
		}
	}
	for (i = 0; i < ARRAY_SIZE(object); i++)
		kmem_cache_free(cache, object[i]);
	kmem_cache_destroy(cache);
}

/* None of them reads past the 4 bytes at @p, which have no NUL and precede an unmapped page. */
static noinline void search_in_front_of_a_guard_page(const char *p)
{
	sink = strncmp(p, "xxxxxxxx", 8 * one);
	sink = strncasecmp(p, "ABCX", 8 * one);
	sink = strcmp(p, "abx");
	sink = strcasecmp(p, "abcx");
	sink = (long)strchr(p, 'd');
	sink = (long)strchrnul(p, 'd');
	sink = (long)strnchr(p, 8 * one, 'd');
	sink = (long)memchr(p, 'd', 8 * one);
	sink = (long)memscan((void *)p, 'd', 8 * one);
	sink = (long)memchr_inv(p, 'a', 8 * one);
	sink = (long)strnstr(p, "cd", 8 * one);
	sink = strnlen(p, 4 * one);
	sink = strspn(p, "abc");
	sink = strcspn(p, "d");
	sink = (long)strpbrk(p, "d");
}

static void strings_are_read_up_to_their_end(struct kunit *test)
{
	char *page = vmalloc(PAGE_SIZE);
	unsigned long addr;

	KUNIT_ASSERT_NOT_NULL(test, page);
	addr = (unsigned long)page + PAGE_SIZE;
	KUNIT_EXPECT_NULL(test, vmalloc_to_page((void *)addr));
	memorizer_pause();
	memcpy(page + PAGE_SIZE - 4, "abcd", 4);
	memorizer_resume();
	search_in_front_of_a_guard_page(page + PAGE_SIZE - 4);
	vfree(page);
}

/* A string function counts for the next object only if it reaches it. */
static void strings_count_for_the_objects_they_reach(struct kunit *test)
{
	struct kmem_cache *cache;
	char *object[8], *low = NULL, *high;
	unsigned int i, j;

	/* Without red zones, objects are adjacent. */
	cache = kmem_cache_create("memorizer_test_text", 64, 64,
				  SLAB_NO_MERGE | SLAB_NO_USER_FLAGS, NULL);
	KUNIT_ASSERT_NOT_NULL(test, cache);
	for (i = 0; i < ARRAY_SIZE(object); i++) {
		object[i] = kmem_cache_alloc(cache, GFP_KERNEL);
		memorizer_pause();
		memset(object[i], 'a', 64);
		memorizer_resume();
	}
	for (i = 0; i < ARRAY_SIZE(object); i++)
		for (j = 0; j < ARRAY_SIZE(object); j++)
			if (object[j] - object[i] == 64)
				low = object[i];
	high = low + 64;
	KUNIT_EXPECT_NOT_NULL(test, low);
	if (low) {
		sink = strncmp(low, "aaab", 100 * one);
		sink = (long)memchr(low, 'a', 128 * one);
		KUNIT_EXPECT_EQ(test, tally_of(low, ANY).reads, 2);
		KUNIT_EXPECT_EQ(test, tally_of(high, ANY).reads, 0);
		sink = strncmp(low + 61, "aaab", 100 * one);
		KUNIT_EXPECT_EQ(test, tally_of(low, ANY).reads, 3);
		KUNIT_EXPECT_EQ(test, tally_of(high, ANY).reads, 1);
		sink = strnlen(low + 61, 3 * one);
		KUNIT_EXPECT_EQ(test, tally_of(low, ANY).reads, 4);
		KUNIT_EXPECT_EQ(test, tally_of(high, ANY).reads, 1);
	}
	for (i = 0; i < ARRAY_SIZE(object); i++)
		kmem_cache_free(cache, object[i]);
	kmem_cache_destroy(cache);
}

/* The bytes of a slot past the requested size belong to no object. */
static void access_behind_the_object_is_not_counted(struct kunit *test)
{
	u8 *p = kmalloc(40, GFP_KERNEL);
	struct tally tally;

	KUNIT_ASSERT_NOT_NULL(test, p);
	sink = READ_ONCE(p[39 * one]);
	sink = READ_ONCE(*(p + 40 * one));
	tally = tally_of(p, ANY);
	KUNIT_EXPECT_EQ(test, tally.reads, 1);
	KUNIT_EXPECT_EQ(test, tally.writes, 0);
	kfree(p);
}

#define ROUNDS	1000

static noinline void hammer(struct victim *v)
{
	unsigned int i;

	for (i = 0; i < ROUNDS; i++)
		WRITE_ONCE(v->quad, READ_ONCE(v->quad) + 1);
}

static void expect_hammered(struct kunit *test, struct victim *v, u32 pid, u64 times)
{
	struct tally tally = tally_of(v, pid);

	KUNIT_EXPECT_EQ(test, tally.reads, times * ROUNDS);
	KUNIT_EXPECT_EQ(test, tally.writes, times * ROUNDS);
}

struct context {
	struct victim *v;
	struct tasklet_struct tasklet;
	struct irq_work irq_work;
	struct completion done;
	struct task_struct *task;
};

static void softirq_fn(struct tasklet_struct *tasklet)
{
	struct context *context = container_of(tasklet, struct context, tasklet);

	WARN_ON(!in_serving_softirq());
	hammer(context->v);
	complete(&context->done);
}

static void free_two_pages(void *pages)
{
	free_pages((unsigned long)pages, 1);
}

static noinline void read_at(void *ptr)
{
	sink = READ_ONCE(*(u64 *)ptr);
}

/* Allocate two adjacent pages that the index does not know. Returns 0 if there are none. */
static unsigned long pages_without_objects(struct kunit *test)
{
	unsigned long pages, place;
	unsigned int tries;

	for (tries = 0; tries < 1000; tries++) {
		pages = __get_free_pages(GFP_KERNEL, 1);
		if (!pages)
			return 0;
		for (place = pages; place < pages + 2 * PAGE_SIZE; place += PAGE_SIZE)
			if (memorizer_find_word(place) && *memorizer_find_word(place))
				break;
		if (place == pages + 2 * PAGE_SIZE)
			return pages;
		/* Keep it until the end of the test, or it would be allocated again. */
		kunit_add_action(test, free_two_pages, (void *)pages);
	}
	return 0;
}

/* Thunks cache that the index has no objects in a page, and notice when it gets some. */
static void page_without_objects_may_get_one(struct kunit *test)
{
	unsigned long pages = pages_without_objects(test);
	void *object = (void *)pages + PAGE_SIZE;
	struct tally tally;
	unsigned int i;

	KUNIT_ASSERT_NE(test, pages, 0);
	preempt_disable();
	for (i = 0; i < 3; i++) {
		read_at(object);
		read_at(object - 8);
	}
	memorizer_alloc(MEMORIZER_KMALLOC, object, PAGE_SIZE, GFP_KERNEL, _THIS_IP_);
	read_at(object);
	read_at(object - 4);
	read_at(object - 8);
	tally = tally_of(object, current->pid);
	memorizer_free(MEMORIZER_KMALLOC, object, _THIS_IP_);
	preempt_enable();
	free_pages(pages, 1);
	KUNIT_EXPECT_EQ(test, tally.reads, 2);
	KUNIT_EXPECT_EQ(test, tally.writes, 0);
}

static void access_in_softirq(struct kunit *test)
{
	struct context context = { .v = make_victim(test) };

	init_completion(&context.done);
	tasklet_setup(&context.tasklet, softirq_fn);
	tasklet_schedule(&context.tasklet);
	wait_for_completion(&context.done);
	tasklet_kill(&context.tasklet);
	expect_hammered(test, context.v, ANY, 1);
}

static void hardirq_fn(struct irq_work *work)
{
	struct context *context = container_of(work, struct context, irq_work);

	WARN_ON(!in_hardirq());
	hammer(context->v);
}

static void access_in_hardirq(struct kunit *test)
{
	struct context context = { .v = make_victim(test) };

	context.irq_work = IRQ_WORK_INIT_HARD(hardirq_fn);
	irq_work_queue(&context.irq_work);
	irq_work_sync(&context.irq_work);
	expect_hammered(test, context.v, ANY, 1);
}

static struct victim *nmi_victim;
static atomic_t nmis;

static int in_nmi_handler(unsigned int type, struct pt_regs *regs)
{
	struct victim *v = READ_ONCE(nmi_victim);

	if (!v)
		return NMI_DONE;
	WARN_ON(!in_nmi());
	hammer(v);
	atomic_inc(&nmis);
	return NMI_HANDLED;
}

static void send_nmi(void)
{
	int before = atomic_read(&nmis);

	preempt_disable();
	__apic_send_IPI_mask(cpumask_of(smp_processor_id()), NMI_VECTOR);
	preempt_enable();
	while (atomic_read(&nmis) == before)
		cpu_relax();
}

/* NMIs that interrupt accesses to the same object. */
static void access_in_nmi(struct kunit *test)
{
	struct victim *v = make_victim(test);
	unsigned int i;

	atomic_set(&nmis, 0);
	KUNIT_ASSERT_EQ(test, 0, register_nmi_handler(NMI_LOCAL, in_nmi_handler, 0,
						      "memorizer_test"));
	WRITE_ONCE(nmi_victim, v);
	for (i = 0; i < 10; i++) {
		hammer(v);
		send_nmi();
	}
	WRITE_ONCE(nmi_victim, NULL);
	unregister_nmi_handler(NMI_LOCAL, "memorizer_test");
	KUNIT_EXPECT_EQ(test, atomic_read(&nmis), 10);
	expect_hammered(test, v, ANY, 20);
}

static int hammer_thread(void *data)
{
	struct context *context = data;
	unsigned int i;

	for (i = 0; i < 100; i++)
		hammer(context->v);
	complete(&context->done);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

/* Two tasks, on different CPUs if possible, access one object concurrently. */
static void access_from_two_cpus_and_pids(struct kunit *test)
{
	struct victim *v = make_victim(test);
	struct context context[2];
	unsigned int i, cpu = cpumask_first(cpu_online_mask);

	for (i = 0; i < 2; i++) {
		context[i].v = v;
		init_completion(&context[i].done);
		context[i].task = kthread_create(hammer_thread, &context[i], "memorizer/%u", i);
		KUNIT_ASSERT_FALSE(test, IS_ERR(context[i].task));
		kthread_bind(context[i].task, cpu);
		cpu = cpumask_next_wrap(cpu, cpu_online_mask, -1, false);
		if (cpu >= nr_cpu_ids)
			cpu = cpumask_first(cpu_online_mask);
	}
	for (i = 0; i < 2; i++)
		wake_up_process(context[i].task);
	for (i = 0; i < 2; i++)
		wait_for_completion(&context[i].done);
	for (i = 0; i < 2; i++)
		expect_hammered(test, v, context[i].task->pid, 100);
	expect_hammered(test, v, ANY, 200);
	for (i = 0; i < 2; i++)
		kthread_stop(context[i].task);
}

/* Interrupts add entries for the same key as the interrupted task. */
static void access_interrupted_by_the_same_access(struct kunit *test)
{
	struct context context = { .v = make_victim(test) };
	unsigned int i;

	context.irq_work = IRQ_WORK_INIT_HARD(hardirq_fn);
	for (i = 0; i < 50; i++) {
		irq_work_queue(&context.irq_work);
		hammer(context.v);
		irq_work_sync(&context.irq_work);
	}
	expect_hammered(test, context.v, ANY, 100);
}

static void access_by_a_paused_task_is_not_counted(struct kunit *test)
{
	struct context context = { .v = make_victim(test) };

	context.irq_work = IRQ_WORK_INIT_HARD(hardirq_fn);
	memorizer_pause();
	hammer(context.v);
	/* Interrupts during a paused task are recorded. */
	irq_work_queue(&context.irq_work);
	irq_work_sync(&context.irq_work);
	memorizer_resume();
	expect_hammered(test, context.v, ANY, 1);
}

/* Interrupts during the task are not recorded either. All count as left out. */
static void access_by_a_task_that_is_left_out_is_not_counted(struct kunit *test)
{
	struct context context = { .v = make_victim(test) };
	unsigned long flags;
	char own[16];
	u64 left_out;

	context.irq_work = IRQ_WORK_INIT_HARD(hardirq_fn);
	snprintf(own, sizeof(own), "%d", current->pid);
	KUNIT_ASSERT_EQ(test, 0, memorizer_set_pids("1"));
	local_irq_save(flags);
	left_out = this_cpu_read(memorizer_counters.left_out);
	hammer(context.v);
	left_out = this_cpu_read(memorizer_counters.left_out) - left_out;
	local_irq_restore(flags);
	irq_work_queue(&context.irq_work);
	irq_work_sync(&context.irq_work);
	/* Pausing and resuming keeps the flag. */
	memorizer_pause();
	hammer(context.v);
	memorizer_resume();
	hammer(context.v);
	KUNIT_EXPECT_EQ(test, 0, memorizer_set_pids(own));
	expect_hammered(test, context.v, ANY, 0);
	hammer(context.v);
	expect_hammered(test, context.v, ANY, 1);
	KUNIT_EXPECT_EQ(test, left_out, tally_of(context.v, ANY).reads +
			tally_of(context.v, ANY).writes);
	KUNIT_EXPECT_EQ(test, 0, memorizer_set_pids(""));
	hammer(context.v);
	expect_hammered(test, context.v, ANY, 2);
}

struct spinner {
	struct victim *v;
	unsigned long rounds;
	bool stop;
};

/* Access the object in a loop, without a context switch. */
static int spin(void *data)
{
	struct spinner *spinner = data;

	preempt_disable();
	while (!READ_ONCE(spinner->stop)) {
		hammer(spinner->v);
		WRITE_ONCE(spinner->rounds, spinner->rounds + 1);
	}
	preempt_enable();
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

/* Wait for at least one complete round. */
static void wait_for_rounds(struct spinner *spinner)
{
	unsigned long begin = READ_ONCE(spinner->rounds);

	while (READ_ONCE(spinner->rounds) - begin < 2)
		cond_resched();
}

static u64 accesses_to(struct victim *v)
{
	return tally_of(v, ANY).reads + tally_of(v, ANY).writes;
}

/* The choice takes effect without a context switch. */
static void running_task_is_left_out_at_once(struct kunit *test)
{
	struct spinner spinner = { .v = make_victim(test) };
	unsigned int cpu = cpumask_last(cpu_online_mask);
	struct task_struct *task;
	u64 counted, under_way;

	if (num_online_cpus() < 2)
		kunit_skip(test, "there is one CPU only");
	task = kthread_create(spin, &spinner, "memorizer/spin");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	kthread_bind(task, cpu);
	set_cpus_allowed_ptr(current, cpumask_of(cpumask_first(cpu_online_mask)));
	wake_up_process(task);

	wait_for_rounds(&spinner);
	KUNIT_EXPECT_EQ(test, 0, memorizer_set_pids("1"));
	counted = accesses_to(spinner.v);
	KUNIT_EXPECT_GT(test, counted, 0);
	wait_for_rounds(&spinner);
	/* A load and a store that are counted as a group may have been in progress. */
	under_way = accesses_to(spinner.v) - counted;
	KUNIT_EXPECT_LE(test, under_way, 2);
	wait_for_rounds(&spinner);
	KUNIT_EXPECT_EQ(test, accesses_to(spinner.v), counted + under_way);

	KUNIT_EXPECT_EQ(test, 0, memorizer_set_pids(""));
	wait_for_rounds(&spinner);
	KUNIT_EXPECT_GT(test, accesses_to(spinner.v), counted + under_way);
	WRITE_ONCE(spinner.stop, true);
	kthread_stop(task);
	set_cpus_allowed_ptr(current, cpu_possible_mask);
}

static void bad_pids_change_nothing(struct kunit *test)
{
	static const char * const bad[] = { "x", "1x", "-1", "1 x", "4194305", "1 none", "none1" };
	struct victim *v = make_victim(test);
	unsigned int i;

	KUNIT_ASSERT_EQ(test, 0, memorizer_set_pids("none"));
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, memorizer_set_pids(bad[i]), "'%s'", bad[i]);
	KUNIT_EXPECT_EQ(test, -ESRCH, memorizer_set_pids("1 4194304"));
	hammer(v);
	expect_hammered(test, v, ANY, 0);
	KUNIT_EXPECT_EQ(test, 0, memorizer_set_pids(""));
	hammer(v);
	expect_hammered(test, v, ANY, 1);
}

static void access_while_logging_is_off_is_not_counted(struct kunit *test)
{
	struct victim *v = make_victim(test);

	hammer(v);
	KUNIT_EXPECT_EQ(test, 0, memorizer_set_log_access(false));
	hammer(v);
	KUNIT_EXPECT_EQ(test, 0, memorizer_set_log_access(true));
	hammer(v);
	expect_hammered(test, v, ANY, 2);
}

static void make_task_switch_due(void)
{
	set_tsk_need_resched(current);
	set_preempt_need_resched();
}

static noinline bool reschedules(struct victim *v)
{
	make_task_switch_due();
	WRITE_ONCE(v->quad, one);
	return !test_tsk_need_resched(current);
}

/* A thunk reschedules like preempt_enable(), also with preempt= on the command line. */
static void access_reschedules_if_needed(struct kunit *test)
{
	struct victim *v = make_victim(test);
	unsigned int i, times = 0;

	for (i = 0; i < ROUNDS; i++)
		times += reschedules(v);
	KUNIT_EXPECT_EQ(test, times, preempt_model_preemptible() ? ROUNDS : 0);
	KUNIT_EXPECT_EQ(test, tally_of(v, ANY).writes, ROUNDS);
}

/* Make an access in a user access section, with a reschedule pending. Returns true on a switch. */
static noinline bool reschedules_in_user_access(struct victim *v)
{
	bool due;

	make_task_switch_due();
	__uaccess_begin();
	WRITE_ONCE(v->quad, one);
	due = test_tsk_need_resched(current);
	__uaccess_end();
	return !due;
}

/*
 * Context switches do not save AC, so a switch would leak this task's permission to access
 * user memory to the next task. Interrupts may reschedule, because they restore flags.
 */
static void access_in_user_access_does_not_reschedule(struct kunit *test)
{
	struct victim *v = make_victim(test);
	unsigned int i, times = 0;

	for (i = 0; i < ROUNDS; i++)
		times += reschedules_in_user_access(v);
	KUNIT_EXPECT_LT(test, times, ROUNDS / 2);
	KUNIT_EXPECT_EQ(test, tally_of(v, ANY).writes, ROUNDS);
}

static struct kunit_case access_cases[] = {
	KUNIT_CASE_PARAM(access_is_counted_once, kind_gen_params),
	KUNIT_CASE(counts_have_64_bits),
	KUNIT_CASE(access_to_several_objects_counts_for_each),
	KUNIT_CASE(strings_are_read_up_to_their_end),
	KUNIT_CASE(strings_count_for_the_objects_they_reach),
	KUNIT_CASE(access_behind_the_object_is_not_counted),
	KUNIT_CASE(page_without_objects_may_get_one),
	KUNIT_CASE(access_in_softirq),
	KUNIT_CASE(access_in_hardirq),
	KUNIT_CASE(access_in_nmi),
	KUNIT_CASE(access_from_two_cpus_and_pids),
	KUNIT_CASE(access_interrupted_by_the_same_access),
	KUNIT_CASE(access_by_a_paused_task_is_not_counted),
	KUNIT_CASE(access_by_a_task_that_is_left_out_is_not_counted),
	KUNIT_CASE(running_task_is_left_out_at_once),
	KUNIT_CASE(bad_pids_change_nothing),
	KUNIT_CASE(access_while_logging_is_off_is_not_counted),
	KUNIT_CASE(access_reschedules_if_needed),
	KUNIT_CASE(access_in_user_access_does_not_reschedule),
	{ }
};

static struct kunit_suite access_suite = {
	.name = "memorizer_access",
	.suite_init = switch_on,
	.suite_exit = switch_off,
	.test_cases = access_cases,
};

kunit_test_suite(access_suite);

MODULE_DESCRIPTION("KUnit tests of Memorizer's accesses");
MODULE_LICENSE("GPL");
