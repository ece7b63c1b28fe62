// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's core under a deterministic scheduler: memory.
 *
 * The compiler calls a hook before each access. The hook learns which bytes several contexts
 * access, one of them for writing. Only an access to such shared bytes is worth a switch before
 * it: a switch elsewhere has the same effect as one before the next shared access.
 *
 * Weak order: a store to shared bytes may be delayed until its CPU's next barrier or release, in
 * any order with other delayed stores. Memory always shows the view of the running CPU, with its
 * delayed stores in place, so that plain loads need no help. When another CPU continues, they are
 * taken back.
 *
 * Each store is logged. Undoing the log restores the state before the first one, which is much
 * faster than a process for each schedule.
 */
#include "sched.h"
#include "tsan.h"

/* Contexts run: accesses may be preceded by a switch. */
bool sched_active;

/* Stores are logged. */
bool sched_logs;

/* Some bytes were found to be shared since memory_freeze(). */
bool sched_grown;

/* Stores may be delayed. */
bool sched_weak;

/*
 * Eight bytes: which contexts load and store each, and which are shared, in bits. @hash is that of
 * their value if they were stored since the start numbered @start.
 */
struct word {
	unsigned long at;
	u8 loaded[CONTEXTS];
	u8 stored[CONTEXTS];
	u8 shared;
	u8 frozen;
	unsigned int start;
	u64 hash;
};

#define WORD_BITS	18
#define WORDS		BIT(WORD_BITS)

static struct word words[WORDS];
static unsigned int words_used;

struct old {
	void *at;
	u64 value;
	unsigned int size;
};

static struct old log[1 << 20];
static unsigned int logged;

/* A delayed store. @value while its CPU does not run, @under while it does. */
struct delayed {
	void *at;
	unsigned int size;
	u64 value;
	u64 under;
};

#define DELAYED	64

static struct {
	struct delayed store[DELAYED];
	unsigned int count;
} buffers[TEST_CPUS];

static u64 load(const void *at, unsigned int size)
{
	u64 value = 0;

	memcpy(&value, at, size);
	return value;
}

static void store(void *at, unsigned int size, u64 value)
{
	memcpy(at, &value, size);
}

static struct word *find_word(unsigned long at)
{
	/* Neighbours stay neighbours: the caches of a CPU are large. */
	unsigned long i = (at / 8 + (at >> 20) * GOLDEN_RATIO_64 / WORDS) % WORDS;

	while (words[i].at != at && words[i].at)
		i = (i + 1) % WORDS;
	if (!words[i].at) {
		words[i].at = at;
		CHECK(++words_used < WORDS / 2);
	}
	return &words[i];
}

/*
 * The hash of memory is the sum of the hashes of all words that were stored, less those of their
 * first values. The hook of a store precedes it: for a copy, another hook, of the load, comes
 * between. So a word's value is hashed again until the context that stores has called two hooks.
 */
static u64 stored_hash;
static unsigned int start = 1;
static unsigned long hooks[CONTEXTS];
static struct {
	struct word *word;
	unsigned int by;
	unsigned long hook;
} unsettled[1 << 14];
static unsigned int unsettled_count;

static u64 hash_word(const struct word *word)
{
	u64 pair[2] = { word->at, load((const void *)word->at, 8) };

	return state_hash(pair, sizeof(pair));
}

static void hash_again(struct word *word)
{
	if (word->start != start)
		return;
	stored_hash -= word->hash;
	word->hash = hash_word(word);
	stored_hash += word->hash;
}

static void settle(void)
{
	unsigned int i, left = 0;

	for (i = 0; i < unsettled_count; i++) {
		hash_again(unsettled[i].word);
		if (hooks[unsettled[i].by] < unsettled[i].hook + 2)
			unsettled[left++] = unsettled[i];
	}
	unsettled_count = left;
}

/* Bytes will be stored. */
static void hash_store(const void *ptr, unsigned int size)
{
	unsigned long at = (unsigned long)ptr & ~7UL, end = (unsigned long)ptr + size;
	struct word *word;

	for (; at < end; at += 8) {
		word = find_word(at);
		if (word->start != start) {
			word->start = start;
			word->hash = hash_word(word);
		}
		if (unsettled_count == ARRAY_SIZE(unsettled))
			settle();
		CHECK(unsettled_count < ARRAY_SIZE(unsettled));
		unsettled[unsettled_count].word = word;
		unsettled[unsettled_count].by = context_current;
		unsettled[unsettled_count++].hook = hooks[context_current];
	}
}

static u8 shared_bytes(const struct word *word)
{
	unsigned int i, j;
	u8 shared = 0;

	for (i = 0; i < CONTEXTS; i++)
		for (j = 0; j < CONTEXTS; j++)
			if (i != j)
				shared |= word->stored[i] & (word->loaded[j] | word->stored[j]);
	return shared;
}

/* So many loads of the same word in a row are worth a switch: a loop may have thousands. */
#define REPEATS		4

static struct {
	const struct word *word;
	unsigned int by, times;
} loaded_last __state;

/* Is this another load of a word that the context has loaded over and over? */
static bool is_repeated(const struct word *word, unsigned int kind)
{
	if (word != loaded_last.word || loaded_last.by != context_current || kind != SCHED_READ)
		loaded_last.times = 0;
	loaded_last.word = word;
	loaded_last.by = context_current;
	if (loaded_last.times < REPEATS) {
		loaded_last.times++;
		return false;
	}
	return true;
}

/* Learn an access to bytes of a word. Returns true if a switch before it is worth it. */
static bool learn_word(struct word *word, u8 bytes, unsigned int kind)
{
	unsigned int me = context_current;
	u8 loaded = kind & SCHED_READ ? bytes : 0, stored = kind & SCHED_WRITE ? bytes : 0;

	if (loaded & ~word->loaded[me] || stored & ~word->stored[me]) {
		word->loaded[me] |= loaded;
		word->stored[me] |= stored;
		word->shared = shared_bytes(word);
		if (word->shared & ~word->frozen)
			sched_grown = true;
	}
	return word->frozen & bytes && !is_repeated(word, kind);
}

static bool learn(unsigned long at, unsigned int size, unsigned int kind)
{
	unsigned long end = at + size, word, first, last;
	bool shared = false;

	for (word = at & ~7UL; word < end; word += 8) {
		first = max(at, word) - word;
		last = min(end, word + 8) - word;
		shared |= learn_word(find_word(word), (BIT(last) - 1) & ~(BIT(first) - 1), kind);
	}
	return shared;
}

/**
 * memory_freeze() - use what was learned about shared bytes from now on
 */
void memory_freeze(void)
{
	unsigned int i;

	for (i = 0; i < WORDS; i++)
		words[i].frozen = words[i].shared;
	sched_grown = false;
}

/* Memory of sched_vmalloc(), and what is still allocated of it. */
static u8 arena[1 << 16] __aligned(8);
static size_t arena_used __state;
static struct {
	u8 *ptr;
	size_t size;
	bool freed;
} areas[16] __state;
static unsigned int areas_used __state;

/**
 * sched_vmalloc() - allocate zeroed memory until the end of the schedule
 * @size: bytes
 *
 * Return: the memory
 */
void *sched_vmalloc(size_t size)
{
	u8 *ptr = arena + arena_used;

	CHECK(size <= sizeof(arena) - arena_used && areas_used < ARRAY_SIZE(areas));
	arena_used += round_up(size, 8);
	areas[areas_used].ptr = ptr;
	areas[areas_used].size = size;
	areas[areas_used++].freed = false;
	return memset(ptr, 0, size);
}

/**
 * sched_vfree() - free memory: later accesses fail
 * @ptr: the memory
 */
void sched_vfree(void *ptr)
{
	unsigned int i;

	for (i = 0; i < areas_used; i++)
		if (areas[i].ptr == ptr) {
			CHECK(!areas[i].freed);
			areas[i].freed = true;
		}
}

static void check_allocated(const void *ptr)
{
	unsigned int i;

	for (i = 0; i < areas_used; i++)
		if (areas[i].freed && (const u8 *)ptr - areas[i].ptr < areas[i].size)
			explore_fail("access to freed memory");
}

/**
 * sched_access() - see an access, and let another context run first
 * @ptr: its first byte
 * @size: its size in bytes
 * @kind: SCHED_READ, SCHED_WRITE or both
 */
void sched_access(const void *ptr, unsigned int size, unsigned int kind)
{
	if (!sched_active || context_is_stack(ptr))
		return;
	explore_event++;
	hooks[context_current]++;
	if (learn((unsigned long)ptr, size, kind) || explore_replays())
		explore_point();
	if ((const u8 *)ptr - arena < sizeof(arena))
		check_allocated(ptr);
	if (kind & SCHED_READ)
		context_saw((const void *)ptr, size);
}

static void take_out(unsigned int cpu, unsigned int n)
{
	unsigned int i;

	buffers[cpu].count--;
	for (i = n; i < buffers[cpu].count; i++)
		buffers[cpu].store[i] = buffers[cpu].store[i + 1];
}

/* Make the running CPU's delayed stores to some bytes visible. */
static void drain_bytes(const void *ptr, unsigned int size)
{
	unsigned int cpu = smp_processor_id(), i = 0;
	struct delayed *d;

	while (i < buffers[cpu].count) {
		d = &buffers[cpu].store[i];
		if ((const char *)d->at < (const char *)ptr + size &&
		    (const char *)ptr < (const char *)d->at + d->size)
			take_out(cpu, i);
		else
			i++;
	}
}

static void log_store(void *ptr, unsigned int size)
{
	unsigned int part;

	for (; size; ptr += part, size -= part) {
		part = min(size, 8U);
		CHECK(logged < ARRAY_SIZE(log));
		log[logged++] = (struct old){ ptr, load(ptr, part), part };
	}
}

static bool delays(const void *ptr, unsigned int size, bool may_delay)
{
	explore_event++;
	/* Stores to one location stay in order. */
	drain_bytes(ptr, size);
	return may_delay && size <= 8 && buffers[smp_processor_id()].count < DELAYED &&
		(learn((unsigned long)ptr, size, SCHED_WRITE) || explore_replays()) &&
		explore_delay();
}

/**
 * sched_before_write() - log a store, and perhaps delay it
 * @ptr: its first byte
 * @size: its size in bytes
 * @may_delay: false if it is part of an atomic operation, which is visible at once
 */
void sched_before_write(const void *ptr, unsigned int size, bool may_delay)
{
	unsigned int cpu = smp_processor_id();
	void *at = (void *)ptr;
	bool delay;

	if (!sched_logs || context_is_stack(ptr))
		return;
	/* Comes first: what was logged before a snapshot is not undone. */
	delay = sched_weak && sched_active && delays(ptr, size, may_delay);
	log_store(at, size);
	context_stored();
	if (delay)
		buffers[cpu].store[buffers[cpu].count++] =
			(struct delayed){ at, size, .under = load(at, size) };
	/* All schedules begin with the same stores. */
	if (sched_active)
		hash_store(ptr, size);
}

/**
 * memory_leave_cpu() - take a CPU's delayed stores back, because another one continues
 * @cpu: the CPU
 */
void memory_leave_cpu(unsigned int cpu)
{
	unsigned int i = buffers[cpu].count;
	struct delayed *d;

	while (i--) {
		d = &buffers[cpu].store[i];
		d->value = load(d->at, d->size);
		log_store(d->at, d->size);
		hash_store(d->at, d->size);
		store(d->at, d->size, d->under);
	}
}

/**
 * memory_enter_cpu() - show a CPU its delayed stores
 * @cpu: the CPU
 */
void memory_enter_cpu(unsigned int cpu)
{
	unsigned int i;
	struct delayed *d;

	for (i = 0; i < buffers[cpu].count; i++) {
		d = &buffers[cpu].store[i];
		d->under = load(d->at, d->size);
		log_store(d->at, d->size);
		hash_store(d->at, d->size);
		store(d->at, d->size, d->value);
	}
}

/**
 * memory_global() - load what all CPUs see
 * @ptr: the location
 * @size: its size in bytes
 *
 * Return: the value without delayed stores
 */
u64 memory_global(const void *ptr, unsigned int size)
{
	unsigned int cpu = smp_processor_id(), i;

	for (i = 0; i < buffers[cpu].count; i++)
		if (buffers[cpu].store[i].at == ptr)
			return buffers[cpu].store[i].under;
	return load(ptr, size);
}

/**
 * memory_drain() - make a CPU's delayed stores visible
 * @cpu: the CPU
 */
void memory_drain(unsigned int cpu)
{
	unsigned int running = smp_processor_id();

	if (cpu != running) {
		memory_leave_cpu(running);
		memory_enter_cpu(cpu);
	}
	buffers[cpu].count = 0;
	if (cpu != running)
		memory_enter_cpu(running);
}

/**
 * memory_drain_all() - make all delayed stores visible
 *
 * Return: false if there were none
 */
bool memory_drain_all(void)
{
	bool any = false;
	unsigned int cpu;

	for (cpu = 0; cpu < TEST_CPUS; cpu++) {
		if (!buffers[cpu].count)
			continue;
		any = true;
		memory_drain(cpu);
	}
	return any;
}

/**
 * memory_end() - a context has ended: perhaps make its delayed stores visible
 */
void memory_end(void)
{
	if (!sched_weak)
		return;
	explore_event++;
	if (buffers[smp_processor_id()].count && explore_drain())
		memory_drain(smp_processor_id());
}

/**
 * sched_barrier() - make this CPU's delayed stores visible
 */
void sched_barrier(void)
{
	if (sched_active)
		memory_drain(smp_processor_id());
}

static void undo_to(unsigned int mark)
{
	unsigned int i;

	for (i = logged; i-- > mark;)
		store(log[i].at, log[i].size, log[i].value);
	for (i = mark; i < logged; i++) {
		hash_again(find_word((unsigned long)log[i].at & ~7UL));
		hash_again(find_word(((unsigned long)log[i].at + log[i].size - 1) & ~7UL));
	}
	logged = mark;
}

/**
 * memory_undo() - restore the state before the first store that was logged
 */
void memory_undo(void)
{
	undo_to(0);
	stored_hash = 0;
	unsettled_count = 0;
	start++;
	loaded_last.times = 0;
	arena_used = 0;
	areas_used = 0;
}

/**
 * memory_copy() - copy to a snapshot, or restore memory from it
 */
void memory_copy(void)
{
	unsigned int mark = logged, i;

	settle();
	snapshot_copy(&mark, sizeof(mark));
	/* That of a new snapshot is the end of the log. */
	undo_to(mark);
	snapshot_copy(hooks, sizeof(hooks));
	snapshot_copy(buffers, possible_cpus * sizeof(buffers[0]));
	snapshot_copy(&unsettled_count, sizeof(unsettled_count));
	snapshot_copy(unsettled, unsettled_count * sizeof(unsettled[0]));
	/* They were logged, but perhaps not stored yet. */
	for (i = 0; i < unsettled_count; i++)
		snapshot_copy((void *)unsettled[i].word->at, 8);
}

/**
 * memory_hash() - hash all memory but stacks
 *
 * Return: the hash, also of delayed stores
 */
u64 memory_hash(void)
{
	unsigned int running = smp_processor_id(), cpu, i;
	const struct delayed *d;
	u64 hash, store[4];

	settle();
	hash = stored_hash;
	for (cpu = 0; cpu < TEST_CPUS; cpu++)
		for (i = 0; i < buffers[cpu].count; i++) {
			d = &buffers[cpu].store[i];
			store[0] = (unsigned long)d->at;
			store[1] = d->size;
			store[2] = cpu == running ? d->under : d->value;
			store[3] = cpu;
			hash += state_hash(store, sizeof(store));
		}
	return hash;
}

static u64 load_local(void *ptr, unsigned int size)
{
	u64 value;

	sched_access(ptr, size, SCHED_READ);
	value = load(ptr, size);
	if (sched_active) {
		context_begin_instruction();
		sched_access(ptr, size, SCHED_WRITE);
		context_end_instruction();
	}
	return value;
}

/**
 * sched_local_add() - add to a per-CPU variable with one instruction
 * @ptr: the variable
 * @size: its size in bytes
 * @value: what to add
 *
 * Interrupts come before or after it. Other CPUs may access the variable between its load and its
 * store, because the instruction has no lock prefix.
 */
void sched_local_add(void *ptr, unsigned int size, u64 value)
{
	u64 old = load_local(ptr, size);

	sched_before_write(ptr, size, true);
	store(ptr, size, old + value);
}

/**
 * sched_local_cmpxchg() - compare and exchange a per-CPU variable with one instruction
 * @ptr: the variable
 * @size: its size in bytes
 * @old: the expected value
 * @new: the new value
 *
 * Return: the value found
 */
u64 sched_local_cmpxchg(void *ptr, unsigned int size, u64 old, u64 new)
{
	u64 found = load_local(ptr, size);

	if (found == old) {
		sched_before_write(ptr, size, true);
		store(ptr, size, new);
	}
	return found;
}

void *__wrap_memset(void *to, int byte, size_t size)
{
	sched_before_write(to, size, false);
	return __real_memset(to, byte, size);
}

/*
 * What the compiler calls.
 */

void __tsan_init(void)
{
}

void __tsan_func_entry(void *pc)
{
}

void __tsan_func_exit(void)
{
}

void __tsan_read_range(void *ptr, unsigned long size)
{
	sched_access(ptr, size, SCHED_READ);
}

void __tsan_write_range(void *ptr, unsigned long size)
{
	sched_access(ptr, size, SCHED_WRITE);
	sched_before_write(ptr, size, true);
}

#define PLAIN(prefix, bytes)						\
	void __tsan_##prefix##read##bytes(void *ptr)			\
	{								\
		__tsan_read_range(ptr, bytes);				\
	}								\
									\
	void __tsan_##prefix##write##bytes(void *ptr)			\
	{								\
		__tsan_write_range(ptr, bytes);				\
	}

PLAIN(, 1)
PLAIN(, 2)
PLAIN(, 4)
PLAIN(, 8)
PLAIN(, 16)
PLAIN(unaligned_, 2)
PLAIN(unaligned_, 4)
PLAIN(unaligned_, 8)
PLAIN(unaligned_, 16)

/* Ordered after all earlier stores? */
static bool releases(int order)
{
	return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

/*
 * An operation that changes nothing is a load to others: emptying the caches does not make each of
 * their slots worth a switch.
 */

static void before_store(void *ptr, unsigned int size, u64 value, int order)
{
	u64 found = load(ptr, size);
	bool changes;

	if (!sched_active) {
		sched_before_write(ptr, size, false);
		return;
	}
	sched_access(ptr, size, found == value ? SCHED_READ : SCHED_WRITE);
	changes = load(ptr, size) != value;
	if (changes)
		learn((unsigned long)ptr, size, SCHED_WRITE);
	if (releases(order))
		sched_barrier();
	sched_before_write(ptr, size, changes && order != __ATOMIC_SEQ_CST);
}

/* Atomic operations find the last value: no other CPU may delay its store to their location. */
static void drain_others(const void *ptr)
{
	unsigned int cpu, i;

	for (cpu = 0; cpu < TEST_CPUS; cpu++)
		for (i = 0; cpu != smp_processor_id() && i < buffers[cpu].count; i++)
			if (buffers[cpu].store[i].at == ptr)
				memory_drain(cpu);
}

static void before_update(void *ptr, unsigned int size, int order)
{
	sched_access(ptr, size, SCHED_UPDATE);
	if (releases(order))
		sched_barrier();
	drain_others(ptr);
	sched_before_write(ptr, size, order == __ATOMIC_RELAXED);
}

static void before_cmpxchg(void *ptr, unsigned int size, u64 old, int order)
{
	u64 found = load(ptr, size);

	sched_access(ptr, size, found == old ? SCHED_UPDATE : SCHED_READ);
	if (load(ptr, size) == old && sched_active)
		learn((unsigned long)ptr, size, SCHED_UPDATE);
	if (releases(order))
		sched_barrier();
	drain_others(ptr);
	if (load(ptr, size) == old)
		sched_before_write(ptr, size, order == __ATOMIC_RELAXED);
}

#define UPDATE(bits, type, operation, new)						\
	type __tsan_atomic##bits##_##operation(type *ptr, type value, int order)	\
	{										\
		type old;								\
											\
		before_update(ptr, sizeof(type), order);				\
		old = *ptr;								\
		*ptr = new;								\
		return old;								\
	}

#define ATOMIC(bits, type)								\
	type __tsan_atomic##bits##_load(type *ptr, int order)				\
	{										\
		sched_access(ptr, sizeof(type), SCHED_READ);				\
		return *ptr;								\
	}										\
											\
	void __tsan_atomic##bits##_store(type *ptr, type value, int order)		\
	{										\
		before_store(ptr, sizeof(type), value, order);				\
		*ptr = value;								\
	}										\
											\
	UPDATE(bits, type, exchange, value)						\
	UPDATE(bits, type, fetch_add, old + value)					\
	UPDATE(bits, type, fetch_sub, old - value)					\
											\
	int __tsan_atomic##bits##_compare_exchange_strong(type *ptr, type *old,		\
							  type value, int order, int failure) \
	{										\
		type found;								\
											\
		before_cmpxchg(ptr, sizeof(type), *old, order);				\
		found = *ptr;								\
		if (found == *old) {							\
			*ptr = value;							\
			return true;							\
		}									\
		*old = found;								\
		return false;								\
	}

ATOMIC(8, u8)
ATOMIC(16, u16)
ATOMIC(32, u32)
ATOMIC(64, u64)
