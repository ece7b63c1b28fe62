// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's core under a deterministic scheduler: operations that run concurrently.
 *
 * They start from the same state: objects X, with entries of each CPU, Y and H, all in one slab; G,
 * which is counted by granule; L, which has pages of its own; and F, which was freed. Two pages are
 * recorded together as P, and one, in which slab objects will lie, as Q. S is a struct page, not
 * accessed yet. An operation that runs in several contexts uses other free slots in each.
 */
#include "sched.h"

/* Pages of the map: a slab, one that is still free, and those of L, P and Q. */
enum { SLAB, NEW_SLAB, LARGE, LARGE_END, LOWER, UPPER, UNDER_SLAB, PAGES };

#define Y	(X + 64)
#define G	(X + 2 * 64)
#define H	(X + 3 * 64)
#define F	(X + 40 * 64)
#define OWN(n)	(X + (4 + (n)) * 64)
#define L	PAGE(LARGE)
#define L_SIZE	6000
#define P	PAGE(LOWER)
#define Q	PAGE(UNDER_SLAB)

/* In a part of the map without a leaf. */
#define FAR	(MAP_BASE + (1UL << 30))

#define BY_GRANULE	IP(0x40)

/* Becomes an object when it is accessed. */
#define S		(STRUCT_PAGES + 5 * 64)

static struct {
	unsigned int stride;	/* 0: no slab */
} pages[PAGES] __state;

static const struct memorizer_group *group, *other_group;
struct done done __state;

/* See access_in_bucket(). */
static unsigned long bucket_ip[TEST_CPUS];

unsigned long x_begun __state, x_ended __state;

/* See access_lower_page(). */
static unsigned long lower_reads __state;

/* See access_struct_page(). */
static unsigned long struct_page_reads __state;

static const struct operation *operation_of[CONTEXTS];

void memorizer_geometry(const void *ptr, size_t size, struct memorizer_geometry *geo)
{
	unsigned long addr = (unsigned long)ptr, page = (addr - PAGE(0)) >> PAGE_SHIFT;

	geo->start = addr & PAGE_MASK;
	geo->pages = DIV_ROUND_UP((addr & ~PAGE_MASK) + size, PAGE_SIZE);
	geo->slots = 0;
	if (page >= PAGES || !pages[page].stride)
		return;
	geo->base = geo->start;
	geo->stride = pages[page].stride;
	geo->slots = PAGE_SIZE / geo->stride;
	geo->pages = 1;
}

unsigned int memorizer_choose_object(const void *ptr, enum memorizer_object_kind kind,
				     unsigned long ip)
{
	return BIT(MEMORIZER_RECORDED) | (ip == BY_GRANULE ? BIT(MEMORIZER_FIELDS) : 0);
}

static void alloc(unsigned long addr, size_t size, unsigned long ip)
{
	done.allocs++;
	hook_alloc(addr, size, ip);
}

static void free_object(unsigned long addr)
{
	done.frees++;
	hook_free(addr, IP(1));
}

static void access(unsigned long addr, unsigned int kind, unsigned long ip)
{
	bool x = addr >= X && addr < Y;

	done.accesses += memorizer_kind_count(kind);
	x_begun += x * memorizer_kind_count(kind);
	site(addr, 8, kind, ip);
	x_ended += x * memorizer_kind_count(kind);
}

static void access_group(const struct memorizer_group *which)
{
	done.accesses += which->accesses;
	x_begun += which->accesses;
	group_site(X, which);
	x_ended += which->accesses;
}

/* Check the accesses of an ip to the object that another ip has allocated. */
static void check_own(unsigned long alloc_ip, unsigned long ip, unsigned long reads)
{
	struct memorizer_object *object, *found = NULL;
	unsigned long pos = 0, sum = 0;
	unsigned int cpu;

	while ((object = next_shown(&pos)))
		if (object->alloc_ip == memorizer_pack_ip(alloc_ip))
			found = object;
	/* Perhaps nothing was recorded. */
	if (scenario_any(SWITCHES) && !found)
		return;
	CHECK(found);
	for_each_possible_cpu(cpu)
		sum += counts_of(found, ip, cpu + 1).reads;
	CHECK_EQ(sum, reads);
}

/*
 * The operations.
 */

static void access_first(unsigned int n)
{
	access(X, SCHED_UPDATE, IP(0x100));
}

static void access_twice(unsigned int n)
{
	access(X, SCHED_READ, IP(0x110));
	access(X, SCHED_READ, IP(0x110));
}

static void access_again(unsigned int n)
{
	access(X, SCHED_UPDATE, IP(0x200));
}

static void access_and_carry(unsigned int n)
{
	access(X, SCHED_READ, IP(0x300));
	access(X, SCHED_READ, IP(0x300));
}

static void access_and_carry_again(unsigned int n)
{
	access(X, SCHED_UPDATE, IP(0x400));
}

static void access_group_first(unsigned int n)
{
	access_group(other_group);
}

static void access_group_again(unsigned int n)
{
	access_group(group);
}

static void access_two_objects(unsigned int n)
{
	bool two;

	/* Counted once for each object that is live. */
	x_begun += 1;
	two = !scenario_any(ENDS_X);
	done.accesses += 1 + two;
	if (!two)
		range_site(Y - 8, 8, SCHED_READ, IP(0x500));
	else
		range_site(Y - 8, 16, SCHED_READ, IP(0x500));
	x_ended += 1;
}

static void access_granule(unsigned int n)
{
	access(G, SCHED_READ, IP(0x600));
	access(G + 8, SCHED_READ, IP(0x600));
}

static void access_no_object(unsigned int n)
{
	access(OWN(30), SCHED_READ, IP(0x700));
	access(FAR, SCHED_READ, IP(0x700));
}

static void check_alloc_and_access(unsigned int n)
{
	check_own(IP(0x1000 + n), IP(0x1100), 2);
}

static void alloc_and_access(unsigned int n)
{
	alloc(OWN(n), 64, IP(0x1000 + n));
	access(OWN(n), SCHED_READ, IP(0x1100));
	access(OWN(n), SCHED_READ, IP(0x1100));
}

static void alloc_and_free(unsigned int n)
{
	alloc(OWN(n), 64, IP(0x1200 + n));
	access(OWN(n), SCHED_READ, IP(0x1210));
	free_object(OWN(n));
}

static void check_alloc_in_new_slab(unsigned int n)
{
	check_own(IP(0x1300 + n), IP(0x1310), 1);
}

static void alloc_in_new_slab(unsigned int n)
{
	alloc(PAGE(NEW_SLAB) + n * 64, 64, IP(0x1300 + n));
	access(PAGE(NEW_SLAB) + n * 64, SCHED_READ, IP(0x1310));
}

static void check_alloc_in_new_leaf(unsigned int n)
{
	check_own(IP(0x1400 + n), IP(0x1410), 1);
}

static void alloc_in_new_leaf(unsigned int n)
{
	alloc(FAR + n * PAGE_SIZE, PAGE_SIZE, IP(0x1400 + n));
	access(FAR + n * PAGE_SIZE, SCHED_READ, IP(0x1410));
}

static void free_x(unsigned int n)
{
	free_object(X);
}

static void bury_x(unsigned int n)
{
	alloc(X, 64, IP(0x1500 + n));
}

static void free_and_alloc_x(unsigned int n)
{
	free_object(X);
	alloc(X, 32, IP(0x1600 + n));
	access(X, SCHED_READ, IP(0x1610));
	access(X, SCHED_READ, IP(0x200));
}

static void free_and_alloc_g(unsigned int n)
{
	free_object(G);
	alloc(G, 64, BY_GRANULE);
	access(G, SCHED_READ, IP(0x1710));
}

static void free_and_alloc_large(unsigned int n)
{
	free_object(L);
	alloc(L, L_SIZE, IP(0x1800 + n));
	access(L, SCHED_READ, IP(0x1810));
	access(L + PAGE_SIZE, SCHED_READ, IP(0x1810));
}

/* The free of L was missed. */
static void check_alloc_slab_over_large(unsigned int n)
{
	check_own(IP(0x1900 + n), IP(0x1910), 1);
}

static void alloc_slab_over_large(unsigned int n)
{
	unsigned long addr = PAGE(LARGE_END) + n * 128;

	pages[LARGE_END].stride = 128;
	alloc(addr, 128, IP(0x1900 + n));
	access(addr, SCHED_READ, IP(0x1910));
}

static void set_ip_and_free_x(unsigned int n)
{
	memorizer_set_free_ip((void *)X, IP(2));
	free_object(X);
}

/* The slab is freed, and its page becomes one of another geometry. */
static void check_renew_slab(unsigned int n)
{
	check_own(IP(0x1a00 + n), IP(0x1a10), 1);
}

static void renew_slab(unsigned int n)
{
	free_object(X);
	free_object(Y);
	free_object(G);
	free_object(H);
	memorizer_slab_free((void *)X);
	pages[SLAB].stride = 128;
	alloc(X, 128, IP(0x1a00 + n));
	access(X, SCHED_READ, IP(0x1a10));
}

static void check_alloc_in_reused_slab(unsigned int n)
{
	check_own(IP(0x1c00 + n), IP(0x1c10), 1);
}

/* As renew_slab(), but all frees were missed. Each access is where X or H was. */
static void alloc_in_reused_slab(unsigned int n)
{
	alloc(X + n * 128, 128, IP(0x1c00 + n));
	access(n == 1 ? H : X + n * 128, SCHED_READ, IP(0x1c10));
}

static void free_pages_at(unsigned long addr)
{
	done.frees++;
	hook_free_pages(addr, 0, IP(7));
}

/* The first of two frees makes an object of the other page. */
static void free_lower_page(unsigned int n)
{
	done.allocs++;
	free_pages_at(PAGE(LOWER));
}

static void free_upper_page(unsigned int n)
{
	done.allocs += !scenario_any(FREES_LOWER);
	free_pages_at(PAGE(UPPER));
}

static void access_pages(unsigned int n)
{
	access(PAGE(LOWER) + 64, SCHED_READ, IP(0x1d00));
	access(PAGE(UPPER), SCHED_READ, IP(0x1d00));
}

/* The page stays allocated: all accesses are those to P, or to its part. */
static void check_access_lower_page(unsigned int n)
{
	struct memorizer_object *object;
	unsigned long pos = 0, sum = 0;
	unsigned int cpu;

	while ((object = next_shown(&pos)))
		for_each_possible_cpu(cpu)
			sum += counts_of(object, IP(0x1d10), cpu + 1).reads;
	/* P may be cleared once its upper page was freed. */
	if (!memorizer_cleared.objects && !memorizer_retired.objects)
		CHECK_EQ(sum, lower_reads);
}

static void access_lower_page(unsigned int n)
{
	lower_reads += 2;
	access(PAGE(LOWER) + 64, SCHED_READ, IP(0x1d10));
	access(PAGE(LOWER), SCHED_READ, IP(0x1d10));
}

static void check_alloc_in_pages(unsigned int n)
{
	check_own(IP(0x1e00 + n), IP(0x1e10), 1);
}

/* Q's first bytes belong to no slab object. */
static void alloc_in_pages(unsigned int n)
{
	alloc(Q + (1 + n) * 64, 64, IP(0x1e00 + n));
	access(Q + (1 + n) * 64, SCHED_READ, IP(0x1e10));
	access(Q, SCHED_READ, IP(0x1e20));
}

/* One object has all accesses, whoever makes it. */
static void check_access_struct_page(unsigned int n)
{
	unsigned long reads = 0;
	unsigned int cpu;

	/* While recording is off, no object is made. */
	if (scenario_any(SWITCHES))
		return;
	for_each_possible_cpu(cpu)
		reads += counts_of(shown_at(S, MEMORIZER_LIVE), IP(0x1f00), cpu + 1).reads;
	CHECK_EQ(reads, struct_page_reads);
}

static void access_struct_page(unsigned int n)
{
	done.allocs += !struct_page_reads;
	struct_page_reads += 2;
	access(S + 8, SCHED_READ, IP(0x1f00));
	access(S, SCHED_READ, IP(0x1f00));
}

/* Ends P and Q. */
static void end_pages(unsigned int n)
{
	memorizer_set_kinds(BIT(MEMORIZER_KIND_SLAB));
	done.frees += 2;
}

/* The new entry is in the bucket of an entry that will be collected. */
static void access_in_bucket(unsigned int n)
{
	access(Y, SCHED_READ, bucket_ip[smp_processor_id()]);
}

static void clear(unsigned int n)
{
	memorizer_clear();
}

static void retire(unsigned int n)
{
	reader_retire();
}

static void read_all(unsigned int n)
{
	reader_read(n, false);
}

static void read_in_steps(unsigned int n)
{
	reader_read(n, true);
}

static void switch_off_and_on(unsigned int n)
{
	CHECK_EQ(memorizer_set_enabled(false), 0);
	CHECK_EQ(memorizer_set_enabled(true), 0);
}

static void track_lines(unsigned int n)
{
	CHECK_EQ(memorizer_set_track_lines(true), 0);
	access(X, SCHED_WRITE, IP(0x1b00));
	CHECK_EQ(memorizer_set_track_lines(false), 0);
}

static void start_tracking(unsigned int n)
{
	CHECK_EQ(memorizer_set_track_lines(true), 0);
}

static void check_store_and_load_line(unsigned int n)
{
	lines_check();
}

static void store_and_load_line(unsigned int n)
{
	lines_access(n, SCHED_WRITE);
	lines_access(n, SCHED_READ);
	lines_access(n, SCHED_WRITE);
}

static void check_store_line(unsigned int n)
{
	lines_check();
}

static void store_line(unsigned int n)
{
	lines_access(n, SCHED_WRITE);
	lines_access(n, SCHED_WRITE);
}

static void check_load_line(unsigned int n)
{
	lines_check();
}

static void load_line(unsigned int n)
{
	lines_access(n, SCHED_READ);
	lines_access(n, SCHED_READ);
}

#define OP(name, needs, takes, flags)		{ #name, name, NULL, needs, takes, flags }
#define CHECKED(name, needs, takes, flags)	{ #name, name, check_##name, needs, takes, flags }

const struct operation operations[] = {
	OP(access_first, 0, 0, IN_NMI),
	OP(access_twice, 0, 0, IN_NMI),
	OP(access_again, 0, 0, IN_NMI),
	OP(access_and_carry, 0, 0, IN_NMI),
	OP(access_and_carry_again, 0, 0, IN_NMI),
	OP(access_group_first, 0, 0, IN_NMI),
	OP(access_group_again, 0, 0, IN_NMI),
	OP(access_two_objects, 0, 0, IN_NMI),
	OP(access_granule, 0, 0, IN_NMI),
	OP(access_no_object, 0, 0, IN_NMI),
	OP(access_in_bucket, 0, 0, IN_NMI),
	CHECKED(alloc_and_access, THE_SLAB, 0, 0),
	OP(alloc_and_free, THE_SLAB, 0, 0),
	CHECKED(alloc_in_new_slab, 0, 0, 0),
	CHECKED(alloc_in_new_leaf, 0, 0, 0),
	OP(free_x, THE_SLAB | THE_X, 0, ENDS_X),
	OP(set_ip_and_free_x, THE_SLAB | THE_X, 0, ENDS_X),
	OP(bury_x, THE_SLAB, THE_X, ENDS_X),
	OP(free_and_alloc_x, THE_SLAB, THE_X, ENDS_X),
	OP(free_and_alloc_g, THE_SLAB, THE_G, MAKES_G),
	OP(free_and_alloc_large, 0, THE_LARGE, 0),
	CHECKED(alloc_slab_over_large, THE_LARGE, 0, 0),
	CHECKED(renew_slab, 0, THE_SLAB | THE_X | THE_G, ENDS_X),
	OP(free_lower_page, 0, THE_LOWER, FREES_LOWER),
	OP(free_upper_page, 0, THE_UPPER, 0),
	OP(access_pages, 0, 0, IN_NMI),
	CHECKED(access_lower_page, THE_LOWER, 0, IN_NMI),
	CHECKED(alloc_in_pages, 0, 0, 0),
	CHECKED(access_struct_page, THE_STRUCT_PAGE, 0, IN_NMI),
	OP(end_pages, 0, THE_LOWER | THE_UPPER | THE_STRUCT_PAGE, SLEEPS),
	CHECKED(alloc_in_reused_slab, 0, THE_SLAB | THE_X | THE_G,
		ENDS_X | REUSES_SLAB | WITH_ITSELF),
	OP(clear, 0, 0, SLEEPS),
	OP(retire, 0, 0, SLEEPS),
	OP(read_all, 0, 0, SLEEPS),
	OP(read_in_steps, 0, 0, SLEEPS),
	OP(switch_off_and_on, 0, 0, SLEEPS | SWITCHES),
	OP(track_lines, 0, THE_LINES, SLEEPS | WITH_ITSELF),
	OP(start_tracking, 0, THE_LINES, SLEEPS | WITH_ITSELF),
	CHECKED(store_and_load_line, THE_LINES, 0, TRACKS),
	CHECKED(store_line, THE_LINES, 0, TRACKS),
	CHECKED(load_line, THE_LINES, 0, TRACKS),
};

const unsigned int operations_count = ARRAY_SIZE(operations);

static void bring_near_carry(unsigned long ip, bool wide)
{
	struct memorizer_object *object = shown_at(X, MEMORIZER_LIVE);
	struct memorizer_entry *entry;
	unsigned int more;
	u32 id;

	access(X, SCHED_UPDATE, ip);
	for (id = object->entries; id; id = entry->link) {
		entry = memorizer_ptr(id);
		if (memorizer_entry_ip(entry) != memorizer_pack_ip(ip) ||
		    memorizer_entry_pid(entry) != current->pid || memorizer_is_wide(entry))
			continue;
		more = S16_MAX - entry->reads;
		entry->reads += more;
		done.accesses += more;
		x_begun += more;
		x_ended += more;
		break;
	}
	CHECK(id);
	if (!wide)
		return;
	access(X, SCHED_READ, ip);
	bring_near_carry(ip, false);
}

/* Find an ip whose entry for Y is in the bucket of F's entry for IP(0x200). */
static void find_bucket_ip(const struct memorizer_object *f)
{
	u32 pid = current->pid, ip = memorizer_pack_ip(IP(0x200)), other = ip + 0x20000;
	struct memorizer_object *y = shown_at(Y, MEMORIZER_LIVE);
	u32 *bucket = memorizer_bucket((unsigned long)f, memorizer_key(ip, pid));

	while (memorizer_bucket((unsigned long)y, memorizer_key(other, pid)) != bucket)
		other++;
	bucket_ip[smp_processor_id()] = memorizer_unpack_ip(other);
}

static void prepare_cpu(unsigned int cpu)
{
	become(cpu, cpu + 1);
	access(X, SCHED_UPDATE, IP(0x200));
	access(X, SCHED_UPDATE, IP(0x200));
	bring_near_carry(IP(0x300), false);
	bring_near_carry(IP(0x400), true);
	access_group(group);
	access(X, SCHED_READ, IP(0x1c10));
	access(H, SCHED_READ, IP(0x1c10));
	access(Y, SCHED_READ, IP(0x200));
	access(L, SCHED_READ, IP(0x200));
	access(F, SCHED_READ, IP(0x200));
	find_bucket_ip(shown_at(F, MEMORIZER_LIVE));
	/* The CPU found X last. */
	access(X, SCHED_READ, IP(0x210));
}

/**
 * scenario_prepare() - make the objects that all operations start from
 */
void scenario_prepare(void)
{
	static const struct memorizer_member members[] = {
		{ .ip = (s32)IP(0x5000), .offset = 0, .size = 8, .kind = SCHED_READ },
		{ .ip = (s32)IP(0x5010), .offset = 8, .size = 8, .kind = SCHED_UPDATE },
	};
	unsigned int cpu;

	pages[SLAB].stride = 64;
	pages[NEW_SLAB].stride = 64;
	pages[UNDER_SLAB].stride = 64;
	memorizer_set_kinds(OBJECT_KINDS);
	done.allocs += 2;
	hook_alloc_pages(P, 1, IP(6));
	hook_alloc_pages(Q, 0, IP(6));
	group = make_group(members, ARRAY_SIZE(members));
	other_group = make_group(members, ARRAY_SIZE(members));
	memorizer_switch_hooks(MEMORIZER_DO_CHOOSE, true);
	alloc(G, 64, BY_GRANULE);
	memorizer_switch_hooks(MEMORIZER_DO_CHOOSE, scenario_any(MAKES_G));
	alloc(X, 64, IP(1));
	alloc(Y, 64, IP(2));
	alloc(H, 64, IP(5));
	alloc(L, L_SIZE, IP(3));
	alloc(F, 64, IP(4));
	for_each_possible_cpu(cpu)
		prepare_cpu(cpu);
	become(0, 1);
	free_object(F);
}

static struct done done_before;
unsigned long x_before;

/**
 * scenario_reset() - forget what the operations have done
 */
void scenario_reset(void)
{
	if (!done_before.accesses) {
		done_before = done;
		x_before = x_ended;
	}
	done = done_before;
	x_begun = x_before;
	x_ended = x_before;
	pages[SLAB].stride = 64;
	pages[LARGE_END].stride = 0;
	lower_reads = 0;
	struct_page_reads = 0;
	lines_reset();
	if (scenario_any(TRACKS))
		CHECK_EQ(memorizer_set_track_lines(true), 0);
	if (scenario_any(REUSES_SLAB)) {
		memorizer_slab_free((void *)X);
		pages[SLAB].stride = 128;
	}
}

/**
 * scenario_set() - choose what a context does
 * @n: number of the context
 * @operation: what it does, NULL for nothing
 */
void scenario_set(unsigned int n, const struct operation *operation)
{
	operation_of[n] = operation;
}

/**
 * scenario_run() - run the operation of a context
 * @n: number of the context
 */
void scenario_run(unsigned int n)
{
	operation_of[n]->run(n);
}

/**
 * scenario_check() - check what the operation of a context promises
 * @n: number of the context
 */
void scenario_check(unsigned int n)
{
	if (operation_of[n] && operation_of[n]->check)
		operation_of[n]->check(n);
}

/**
 * scenario_any() - test whether any operation has a flag
 * @flags: the flags
 *
 * Return: true if it has one of them
 */
bool scenario_any(unsigned int flags)
{
	unsigned int i;

	for (i = 0; i < CONTEXTS; i++)
		if (operation_of[i] && operation_of[i]->flags & flags)
			return true;
	return false;
}

/**
 * scenario_all() - test whether all operations have some flags
 * @flags: the flags
 *
 * Return: true if they have
 */
bool scenario_all(unsigned int flags)
{
	unsigned int i;

	for (i = 0; i < CONTEXTS; i++)
		if (operation_of[i] && (operation_of[i]->flags & flags) != flags)
			return false;
	return true;
}
