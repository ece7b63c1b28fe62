// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of Memorizer's core: CPUs that work concurrently, and checks of the resulting KMAP.
 */
#include <pthread.h>
#include <sched.h>

#include "workers.h"

#define IPS		3
#define OWN		40
#define SHARED		20
#define IN_INTERRUPT	3

/**
 * struct life - an object and all operations on it
 * @addr: address
 * @size: bytes
 * @pid: the task that allocated it
 * @refs: number of users; the last one frees the object
 * @over: the object was freed, reported or not
 * @reported: the free was reported to Memorizer
 * @dump: each CPU's last dump that showed the object
 * @done: accesses by CPU and ip
 *
 * An object's name is its index in the array of lives, see name_of().
 */
struct life {
	unsigned long addr;
	size_t size;
	int pid;
	int refs;
	bool over;
	bool reported;
	unsigned int dump[TEST_CPUS];
	struct counts done[TEST_CPUS][IPS];
};

/* The tasks and the interrupts of each CPU have a range of names of their own. */
static struct life *lives;
static unsigned int lives_per_cpu;
static struct {
	unsigned int used[2];
	struct life *own[OWN];
	struct life *in_interrupt[IN_INTERRUPT];
	u64 seed[2];
} __aligned(64) cpus[TEST_CPUS];

static struct {
	pthread_mutex_t lock;
	struct life *life;
} shared[SHARED];

static unsigned int rounds, workers_left;
static bool frees_are_missed, events_are_lost, interrupts_are_wanted;
static unsigned int interrupts;

/* Number of dumps per CPU. */
static unsigned int dumps[TEST_CPUS];

/* Guarded by memorizer_rwsem. */
static unsigned long objects_gone, accesses_gone;

static struct life *life_of(const struct memorizer_object *object)
{
	return &lives[memorizer_unpack_ip(object->alloc_ip) - IP(0)];
}

static u32 pick(u32 below)
{
	return random_u32(&cpus[smp_processor_id()].seed[!in_task()]) % below;
}

/* Allocate an object on this CPU and in this context. NULL if the heap is full. */
static struct life *begin_life(unsigned long addr)
{
	unsigned int cpu = smp_processor_id(), irq = !in_task();
	struct life *life = &lives[(2 * cpu + irq) * lives_per_cpu + cpus[cpu].used[irq]];

	if (!addr)
		return NULL;
	CHECK(cpus[cpu].used[irq] < lives_per_cpu);
	cpus[cpu].used[irq]++;
	life->addr = addr;
	life->size = heap_size(addr);
	life->pid = current->pid;
	life->refs = 1;
	hook_alloc(addr, life->size, IP(life - lives));
	return life;
}

static struct life *begin_any_life(void)
{
	unsigned int n = pick(HEAP_CACHES + 2);

	if (n < HEAP_CACHES)
		return begin_life(heap_alloc(n));
	return begin_life(n == HEAP_CACHES ? heap_alloc_large(1 + pick(3 * PAGE_SIZE)) :
			  heap_alloc_guarded(1 + pick(PAGE_SIZE)));
}

static void end_life(struct life *life)
{
	life->over = true;
	life->reported = !frees_are_missed || pick(4);
	if (life->reported)
		hook_free(life->addr, IP(life - lives));
}

static void put(struct life *life)
{
	if (!life || __atomic_sub_fetch(&life->refs, 1, __ATOMIC_ACQ_REL))
		return;
	end_life(life);
	heap_free(life->addr);
}

/* Atomic, because interrupts on this CPU do the same. */
static void touch(struct life *life)
{
	unsigned int kind = 1 + pick(3), ip = pick(IPS);
	unsigned long size = min(1UL << pick(4), life->size);
	struct counts *done = &life->done[smp_processor_id()][ip];

	if (kind & MEMORIZER_READ)
		percpu_add(&done->reads, 1);
	if (kind & MEMORIZER_WRITE)
		percpu_add(&done->writes, 1);
	if (pick(8))
		site(life->addr + pick(2) * pick(life->size - size + 1), size, kind, IP(ip));
	else
		range_site(life->addr, life->size, kind, IP(ip));
}

static struct life *get_shared(unsigned int n)
{
	struct life *life;

	disable_interrupts();
	pthread_mutex_lock(&shared[n].lock);
	life = shared[n].life;
	if (life)
		__atomic_add_fetch(&life->refs, 1, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&shared[n].lock);
	enable_interrupts();
	return life;
}

static struct life *swap_shared(unsigned int n, struct life *life)
{
	struct life *old;

	disable_interrupts();
	pthread_mutex_lock(&shared[n].lock);
	old = shared[n].life;
	shared[n].life = life;
	pthread_mutex_unlock(&shared[n].lock);
	enable_interrupts();
	return old;
}

/**
 * start_workers() - prepare the workers
 * @n: number of steps of each worker
 */
void start_workers(unsigned int n)
{
	unsigned int i;

	rounds = n;
	workers_left = WORKERS;
	lives_per_cpu = n;
	lives = calloc(2 * TEST_CPUS * n, sizeof(*lives));
	CHECK(lives);
	for (i = 0; i < SHARED; i++)
		pthread_mutex_init(&shared[i].lock, NULL);
	for (i = 0; i < TEST_CPUS; i++) {
		cpus[i].seed[0] = 2 * i;
		cpus[i].seed[1] = 2 * i + 1;
	}
}

/**
 * miss_frees() - let workers leave some frees unreported
 */
void miss_frees(void)
{
	frees_are_missed = true;
}

/**
 * lose_events() - let the checks accept lost objects and accesses
 */
void lose_events(void)
{
	events_are_lost = true;
}

/**
 * want_interrupts() - let workers wait for work_in_interrupt() now and then
 */
void want_interrupts(void)
{
	interrupts_are_wanted = true;
}

/* Check whether much of the pool is in use. */
static bool pool_is_low(void)
{
	return memorizer_pool_bytes(0, MEMORIZER_CLASSES - 1) > memorizer_pool_size() / 4;
}

/**
 * wait_for_cleaner() - wait while much of the pool is in use
 */
void wait_for_cleaner(void)
{
	while (pool_is_low())
		sched_yield();
}

/**
 * work() - allocate, access and free objects
 * @cpu: the worker
 */
void work(unsigned int cpu)
{
	struct life **own = cpus[cpu].own, *life;
	unsigned int i, n;

	for (i = 0; i < rounds; i++) {
		if (i % 64 == 0 && !events_are_lost)
			wait_for_cleaner();
		while (interrupts_are_wanted && READ_ONCE(interrupts) < i / 20)
			sched_yield();
		n = pick(OWN);
		if (!own[n]) {
			own[n] = begin_any_life();
		} else if (pick(4)) {
			touch(own[n]);
		} else {
			put(own[n]);
			own[n] = NULL;
		}
		life = get_shared(n % SHARED);
		if (life) {
			touch(life);
			touch(life);
			put(life);
		}
		if (!pick(10))
			put(swap_shared(n % SHARED, begin_any_life()));
	}
	for (n = 0; n < OWN; n++)
		put(own[n]);
	__atomic_sub_fetch(&workers_left, 1, __ATOMIC_RELEASE);
}

/**
 * working() - check whether any worker is still running
 *
 * Return: true if one is
 */
bool working(void)
{
	/* Pairs with the release at the end of work(): its results are visible. */
	return smp_load_acquire(&workers_left);
}

/**
 * start_interrupt_work() - allocate the objects of this CPU's interrupts
 */
void start_interrupt_work(void)
{
	unsigned int n;

	for (n = 0; n < IN_INTERRUPT; n++)
		cpus[smp_processor_id()].in_interrupt[n] = begin_life(heap_alloc(n));
}

/**
 * work_in_interrupt() - do one step of work in an interrupt on this CPU
 *
 * Interrupts access the objects of their CPU's task, and objects of their own. They reuse the
 * memory of the latter, because they cannot take the heap's lock.
 */
void work_in_interrupt(void)
{
	unsigned int cpu = smp_processor_id(), n = pick(IN_INTERRUPT);
	struct life **life = &cpus[cpu].in_interrupt[n], *own;

	if (*life) {
		touch(*life);
		/*
		 * A loaded host may deliver more interrupts than the workers take steps, and fill
		 * the pool while the clearing thread is preempted. Interrupts cannot wait for it.
		 */
		if (cpus[cpu].used[true] < lives_per_cpu && !pool_is_low()) {
			end_life(*life);
			*life = begin_life((*life)->addr);
			touch(*life);
		}
	}
	own = cpus[cpu].own[pick(OWN)];
	if (own && !own->over)
		touch(own);
	__atomic_add_fetch(&interrupts, 1, __ATOMIC_RELAXED);
}

/* Check an object's record; with @closed, that its counts are complete. */
static void check_object(const struct memorizer_object *object, bool closed)
{
	const struct life *life = life_of(object);
	struct counts sum = { }, all;
	unsigned int cpu, ip;

	CHECK_EQ(memorizer_object_va(object), life->addr);
	CHECK_EQ(object->size, life->size);
	CHECK_EQ(memorizer_object_pid(object), life->pid);
	if (!closed)
		return;
	CHECK(life->over);
	if (life->reported)
		CHECK_EQ(object->free_ip, object->alloc_ip);
	for (cpu = 0; cpu < TEST_CPUS && !events_are_lost; cpu++) {
		for (ip = 0; ip < IPS; ip++) {
			const struct counts *done = &life->done[cpu][ip];

			CHECK_COUNTS(object, IP(ip), cpu + 1, done->reads, done->writes);
			sum.reads += done->reads;
			sum.writes += done->writes;
		}
	}
	all = all_counts_of(object);
	if (!events_are_lost) {
		CHECK_EQ(all.reads, sum.reads);
		CHECK_EQ(all.writes, sum.writes);
	}
}

/* Check that each ip, pid and granule range has one row, and that all rows have all counts. */
static void check_rows(struct memorizer_object *object, bool closed)
{
	struct memorizer_rows rows;
	struct memorizer_row row;
	struct counts sum = { }, all;
	u64 last = 0, now;

	memorizer_rows_begin(&rows, object, false);
	while (memorizer_rows_next(&rows, &row)) {
		now = (u64)row.ip << 32 | row.pid;
		CHECK(now > last);
		last = now;
		sum.reads += row.reads;
		sum.writes += row.writes;
	}
	memorizer_rows_end(&rows);
	if (!closed)
		return;
	all = all_counts_of(object);
	CHECK_EQ(sum.reads, all.reads);
	CHECK_EQ(sum.writes, all.writes);
}

/**
 * check_kmap() - check all objects
 *
 * Several CPUs may call this at once.
 */
void check_kmap(void)
{
	unsigned int cpu = smp_processor_id();
	struct memorizer_object *object;
	unsigned long pos = 0;
	struct life *life;
	bool closed;

	down_read(&memorizer_rwsem);
	dumps[cpu]++;
	while ((object = next_shown(&pos))) {
		/* Pairs with the cmpxchg that closed it: no accesses follow. */
		closed = smp_load_acquire(&object->state) != MEMORIZER_LIVE;
		memorizer_lock_entries(object);
		check_object(object, closed);
		check_rows(object, closed);
		memorizer_unlock_entries(object);
		life = life_of(object);
		CHECK(life->dump[cpu] != dumps[cpu]);
		life->dump[cpu] = dumps[cpu];
	}
	up_read(&memorizer_rwsem);
}

void (*before_collecting)(void);

/* Check and count the objects that are about to be cleared. */
void __wrap_memorizer_collect_entries(void)
{
	struct memorizer_object *object;
	unsigned long pos = 0;
	struct counts all;

	if (before_collecting)
		before_collecting();
	while (lives && (object = memorizer_object_from(&pos))) {
		if (READ_ONCE(object->state) != MEMORIZER_CLEARED)
			continue;
		check_object(object, true);
		all = all_counts_of(object);
		accesses_gone += all.reads + all.writes;
		objects_gone++;
	}
	__real_memorizer_collect_entries();
}

/**
 * free_all() - free the remaining objects of workers and interrupts
 */
void free_all(void)
{
	unsigned int cpu, n;

	for (n = 0; n < SHARED; n++)
		put(swap_shared(n, NULL));
	for (cpu = 0; cpu < TEST_CPUS; cpu++)
		for (n = 0; n < IN_INTERRUPT; n++)
			put(cpus[cpu].in_interrupt[n]);
}

/**
 * allocations() - count the allocated objects
 *
 * Return: the number
 */
unsigned long allocations(void)
{
	unsigned long sum = 0;
	unsigned int cpu;

	for (cpu = 0; cpu < TEST_CPUS; cpu++)
		sum += cpus[cpu].used[0] + cpus[cpu].used[1];
	return sum;
}

/**
 * accesses() - count the loads and stores
 *
 * Return: the number
 */
unsigned long accesses(void)
{
	const struct life *life;
	unsigned int i, cpu, ip;
	unsigned long sum = 0;

	for (i = 0; i < 2 * TEST_CPUS * lives_per_cpu; i++) {
		life = &lives[i];
		for (cpu = 0; cpu < TEST_CPUS && life->addr; cpu++)
			for (ip = 0; ip < IPS; ip++)
				sum += life->done[cpu][ip].reads + life->done[cpu][ip].writes;
	}
	return sum;
}

/**
 * cleared_objects() - count the cleared objects
 *
 * Return: the number
 */
unsigned long cleared_objects(void)
{
	return objects_gone;
}

/**
 * cleared_accesses() - count the accesses to cleared objects
 *
 * Return: the number
 */
unsigned long cleared_accesses(void)
{
	return accesses_gone;
}
