// SPDX-License-Identifier: GPL-2.0
/*
 * Benchmark of Memorizer's core: the figures, and their table.
 *
 * usage: core-bench [-r RUNS] [-o CSV] [part of a figure's name]
 */
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define MAX_RUNS	25

/**
 * struct figure - a figure, measured in a process of its own
 * @group: group of figures; the first figure of a group is the base of the others
 * @name: name of the figure
 * @run: function that measures it
 * @arg: argument of @run
 */
struct figure {
	const char *group;
	const char *name;
	void (*run)(unsigned long arg, struct cost *cost);
	unsigned long arg;
};

#define MIB		(1UL << 20)
#define WINDOWS		200
#define WINDOW		8192UL
#define COUNTED		16

/* Count instructions in addition to measuring time. */
static bool counting;

/* Check that the KMAP and the unattributed accesses add up to the accesses made. */
static void check_counts(void)
{
	struct memorizer_counters sum = sum_counters();
	struct memorizer_object *object;
	unsigned long pos = 0, counted = sum.unattributed, i;

	for (i = 0; i < MEMORIZER_LOSSES; i++)
		CHECK_EQ(sum.lost[i], 0);
	while ((object = next_shown(&pos))) {
		struct counts counts = all_counts_of(object);

		counted += counts.reads + counts.writes;
	}
	CHECK_EQ(counted + memorizer_cleared.accesses, accesses_made);
}

static void start(unsigned long pool)
{
	bench_map();
	bench_boot(pool);
	measure_init();
}

static void warm_up(struct walk *walk)
{
	walk->loop[1](walk);
	accesses_made += walk->accesses;
}

static void finish(struct walk *walk, struct cost *cost)
{
	measure(walk, WINDOWS, cost);
	if (counting) {
		/* Part of a window: single-stepping takes about a hundred times as long. */
		walk->count /= COUNTED;
		walk->accesses /= COUNTED;
		count_instructions(walk, cost);
	}
	check_counts();
}

/* Access places whose lookups are cached. */
static void turns_over(unsigned long first, unsigned long stride, unsigned long places,
		       struct cost *cost)
{
	struct walk walk = { .first = first, .stride = stride, .places = places };

	in_turn(&walk, WINDOW);
	warm_up(&walk);
	finish(&walk, cost);
}

static void hit(unsigned long objects, struct cost *cost)
{
	start(64 * MIB);
	make_objects(0, objects);
	turns_over(OBJECTS, OBJECT_SIZE, objects, cost);
}

/* Entries of two tasks that share a cache slot. */
static void miss_found(unsigned long tasks, struct cost *cost)
{
	struct walk walk = { .first = OBJECTS, .tasks = tasks, .ips = 1 };

	start(64 * MIB);
	make_objects(0, 1);
	by_tasks(&walk, 1, WINDOW / tasks);
	warm_up(&walk);
	measure(&walk, WINDOWS, cost);
	if (counting) {
		by_tasks(&walk, 1, WINDOW / tasks / COUNTED);
		count_instructions(&walk, cost);
	}
	check_counts();
}

/* Objects that share a slot in both caches, of entries and of lookups. */
static void miss(unsigned long objects, struct cost *cost)
{
	unsigned long stride = MEMORIZER_CACHE_SLOTS << MEMORIZER_CACHE_ADDR;

	start(64 * MIB);
	make_objects(0, objects * stride / OBJECT_SIZE);
	turns_over(OBJECTS, stride, objects, cost);
}

static void nowhere(unsigned long addr, struct cost *cost)
{
	start(64 * MIB);
	make_objects(0, 16);
	turns_over(addr, OBJECT_SIZE, 16, cost);
}

static void freed(unsigned long objects, struct cost *cost)
{
	start(64 * MIB);
	make_objects(0, objects);
	free_objects(0, objects);
	turns_over(OBJECTS, OBJECT_SIZE, objects, cost);
}

static void beyond(unsigned long arg, struct cost *cost)
{
	unsigned long somewhere[2];

	start(64 * MIB);
	turns_over((unsigned long)somewhere, 8, 2, cost);
}

/* Disabled sites, which count nothing. */
static void off(unsigned long how, struct cost *cost)
{
	struct walk walk = { .first = OBJECTS };

	start(64 * MIB);
	make_objects(0, 1);
	past_sites(&walk, how / BENCH_FORMS, how % BENCH_FORMS);
	measure(&walk, WINDOWS, cost);
	if (counting)
		count_instructions(&walk, cost);
	accesses_made = 0;
	check_counts();
}

static u32 *make_order(unsigned long count)
{
	u32 *order = malloc(count * sizeof(*order));

	CHECK(order);
	return order;
}

static u32 *numbers(unsigned long count)
{
	u32 *order = make_order(count);
	unsigned long i;

	for (i = 0; i < count; i++)
		order[i] = i;
	return order;
}

/* Visits in all windows, with and without sites, and for counting instructions. */
#define ALL_VISITS	(2 * (WINDOWS + 1) * (WINDOW / VISIT_IPS))

/* Each access is the first of its ip to its object, so that it creates an entry. */
static void fresh_entries(unsigned long clear, struct cost *cost)
{
	struct walk walk = { .first = OBJECTS, .stride = OBJECT_SIZE };

	start(512 * MIB);
	make_objects(0, ALL_VISITS);
	if (clear) {
		walk.order = numbers(ALL_VISITS);
		in_visits(&walk, ALL_VISITS);
		warm_up(&walk);
		free_objects(0, ALL_VISITS);
		memorizer_clear();
		make_objects(0, ALL_VISITS);
	}
	walk.order = numbers(ALL_VISITS);
	in_visits(&walk, WINDOW / VISIT_IPS);
	finish(&walk, cost);
}

/* Number of objects that are visited in turn. */
#define SET	100

static u64 seed = 1;

static unsigned long any(unsigned long below)
{
	return (u64)random_u32(&seed) * below >> 31;
}

static void visit(unsigned long objects, u32 *order, struct cost *cost)
{
	struct walk walk = { .first = OBJECTS, .stride = OBJECT_SIZE };

	start(1024 * MIB);
	make_objects(0, objects);
	walk.order = numbers(objects);
	in_visits(&walk, objects);
	warm_up(&walk);

	walk.order = order;
	in_visits(&walk, WINDOW / VISIT_IPS);
	finish(&walk, cost);
}

static void same_objects(unsigned long objects, struct cost *cost)
{
	u32 *order = make_order(ALL_VISITS);
	unsigned long set[SET], i;

	for (i = 0; i < SET; i++)
		set[i] = any(objects);
	for (i = 0; i < ALL_VISITS; i++)
		order[i] = set[any(SET)];
	visit(objects, order, cost);
}

/* Visit sets of objects, each object ten times on average before the next set. */
static void some_objects(unsigned long objects, struct cost *cost)
{
	u32 *order = make_order(ALL_VISITS);
	unsigned long i;

	for (i = 0; i < ALL_VISITS; i++)
		order[i] = (i / (10 * SET) * SET + any(SET)) % objects;
	visit(objects, order, cost);
}

static void all_objects(unsigned long objects, struct cost *cost)
{
	u32 *order = make_order(ALL_VISITS);
	unsigned long i;

	for (i = 0; i < ALL_VISITS; i++)
		order[i] = any(objects);
	visit(objects, order, cost);
}

static void entries(unsigned long tasks, unsigned long ips, unsigned long rounds,
		    struct cost *cost)
{
	struct walk walk = { .first = OBJECTS, .tasks = tasks, .ips = ips };

	start(64 * MIB);
	make_objects(0, 1);
	by_tasks(&walk, rounds, 1);
	warm_up(&walk);
	measure(&walk, WINDOWS, cost);
	if (counting) {
		/* Three tasks are enough: their entries are as cold as those of others. */
		walk.tasks = min(tasks, 3UL);
		by_tasks(&walk, min(rounds, 10UL), 1);
		count_instructions(&walk, cost);
	}
	check_counts();
}

static void entries_in_turn(unsigned long count, struct cost *cost)
{
	entries(1, count, max(WINDOW / count, 1UL), cost);
}

static void entries_by_tasks(unsigned long count, struct cost *cost)
{
	unsigned long ips = min(count, 100UL);

	entries(count / ips, ips, ips == count ? WINDOW / count : 10, cost);
}

#define OWN	BIT(31)

static void together(unsigned long arg, struct cost *cost)
{
	unsigned int cpus = arg & ~OWN, i;
	struct walk walks[BENCH_CPUS] = { };

	start(64 * MIB);
	make_objects(0, 64 * BENCH_CPUS);
	for (i = 0; i < cpus; i++) {
		walks[i].first = OBJECTS + (arg & OWN ? i * 64 * OBJECT_SIZE : 0);
		walks[i].stride = OBJECT_SIZE / 4;
		walks[i].places = 4;
		in_turn(&walks[i], WINDOW);
	}
	measure_together(cpus, walks, cost);
	check_counts();
}

#define K	1000UL

#define OFF_SITES(group, text)								\
	{ group, "prefixes of the load", off, (text) * BENCH_FORMS + BENCH_PREFIXES },	\
	{ group, "a test before it", off, (text) * BENCH_FORMS + BENCH_TEST },		\
	{ group, "a NOP before it", off, (text) * BENCH_FORMS + BENCH_NOP }

static const struct figure figures[] = {
	{ "one access", "hit, 64 objects in turn", hit, 64 },
	{ "one access", "hit, one object", hit, 1 },
	{ "one access", "miss, object found before", miss_found, 2 },
	{ "one access", "miss, object from the index", miss, 4 },
	{ "one access", "new entry, fresh pool", fresh_entries, 0 },
	{ "one access", "new entry, cleared pool", fresh_entries, 1 },
	{ "one access", "nobody's, page without objects", nowhere, NO_OBJECTS },
	{ "one access", "nobody's, freed slot of a slab", freed, 16 },
	{ "one access", "nobody's, beyond the direct map", beyond, 0 },

	OFF_SITES("off, hot code", BENCH_HOT),
	OFF_SITES("off, 12000 accesses in a row", BENCH_LARGE),
	OFF_SITES("off, 60000 accesses in a row", BENCH_HUGE),

	{ "the same 100 of live objects", "1000", same_objects, K },
	{ "the same 100 of live objects", "10000", same_objects, 10 * K },
	{ "the same 100 of live objects", "100000", same_objects, 100 * K },
	{ "the same 100 of live objects", "1000000", same_objects, 1000 * K },
	{ "100 at a time of live objects", "1000", some_objects, K },
	{ "100 at a time of live objects", "10000", some_objects, 10 * K },
	{ "100 at a time of live objects", "100000", some_objects, 100 * K },
	{ "100 at a time of live objects", "1000000", some_objects, 1000 * K },
	{ "any of live objects", "1000", all_objects, K },
	{ "any of live objects", "10000", all_objects, 10 * K },
	{ "any of live objects", "100000", all_objects, 100 * K },
	{ "any of live objects", "1000000", all_objects, 1000 * K },

	{ "entries of one object, 100 ips a task", "10", entries_by_tasks, 10 },
	{ "entries of one object, 100 ips a task", "1", entries_by_tasks, 1 },
	{ "entries of one object, 100 ips a task", "100", entries_by_tasks, 100 },
	{ "entries of one object, 100 ips a task", "1000", entries_by_tasks, K },
	{ "entries of one object, 100 ips a task", "10000", entries_by_tasks, 10 * K },
	{ "entries of one object, ips in turn", "10", entries_in_turn, 10 },
	{ "entries of one object, ips in turn", "1", entries_in_turn, 1 },
	{ "entries of one object, ips in turn", "100", entries_in_turn, 100 },
	{ "entries of one object, ips in turn", "1000", entries_in_turn, K },
	{ "entries of one object, ips in turn", "10000", entries_in_turn, 10 * K },

	{ "CPUs, all on one object", "1", together, 1 },
	{ "CPUs, all on one object", "2", together, 2 },
	{ "CPUs, all on one object", "2, each on its own", together, 2 | OWN },
	{ "CPUs, all on one object", "4", together, 4 },
};

/* Results of the measuring processes, in shared memory. */
static struct cost *costs;

/* Wait for a child. Exits if it failed. */
static void wait_for(pid_t pid, const char *what)
{
	int status;

	CHECK(pid > 0);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	if (status)
		check_fail(status, 0, what, __FILE__, __LINE__);
}

static void run_figure(const struct figure *figure, struct cost *cost)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		figure->run(figure->arg, cost);
		_exit(0);
	}
	wait_for(pid, figure->name);
}

static void in_child(void (*show)(size_t arg, FILE *csv), size_t arg, FILE *csv)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		show(arg, csv);
		exit(0);
	}
	wait_for(pid, "memory");
}

/* A figure over all runs: median and spread. */
struct scattered {
	double low;
	double middle;
	double high;
};

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static struct scattered scattered(double *values, unsigned int count)
{
	qsort(values, count, sizeof(*values), by_value);
	return (struct scattered){ values[0], values[count / 2], values[count - 1] };
}

static void show_figure(const struct figure *figure, unsigned int runs, FILE *csv)
{
	static const char *group;
	static double base;
	struct scattered without, cost;
	double ns[2][MAX_RUNS];
	unsigned int i, n = 0;
	double instructions, ratio;

	for (i = 0; i < runs; i++) {
		counting = !i;
		run_figure(figure, &costs[i]);
		if (!costs[i].ns[0] || !costs[i].ns[1])
			continue;
		ns[0][n] = costs[i].ns[0];
		ns[1][n] = costs[i].ns[1] - costs[i].ns[0];
		n++;
	}
	if (!group || strcmp(group, figure->group)) {
		group = figure->group;
		base = 0;
		printf("\n%-40s %8s %8s %8s %8s %8s %8s\n", group, "ns", "from", "to",
		       "ratio", "without", "instr.");
	}
	if (!n) {
		printf("  %-38s never at once\n", figure->name);
		return;
	}
	without = scattered(ns[0], n);
	cost = scattered(ns[1], n);
	instructions = costs[0].instructions[1] - costs[0].instructions[0];
	if (!base)
		base = cost.middle;
	/* In hot code, a disabled site may take no measurable time: there is no ratio. */
	ratio = base ? cost.middle / base : 0;
	printf("  %-38s %8.2f %8.2f %8.2f %8.2f %8.2f", figure->name, cost.middle, cost.low,
	       cost.high, ratio, without.middle);
	if (costs[0].instructions[1])
		printf(" %8.1f", instructions);
	putchar('\n');
	fprintf(csv, "\"%s\",\"%s\",%.3f,%.3f,%.3f,%.3f,%.3f,%.2f,%.0f\n", figure->group,
		figure->name, cost.middle, cost.low, cost.high, ratio, without.middle,
		instructions, 100 * cost.middle / without.middle);
}

static void show_bytes(FILE *csv, const char *what, double bytes)
{
	printf("  %-38s %8.2f\n", what, bytes);
	fprintf(csv, "\"bytes\",\"%s\",%.3f,,,,,,\n", what, bytes);
}

static double bytes_of(unsigned int first, unsigned int last, unsigned long count)
{
	return (double)memorizer_pool_bytes(first, last) / count;
}

static void show_entry_bytes(size_t unused, FILE *csv)
{
	static const unsigned long pool = 512 * MIB, count = 100 * K;
	static const double share = (double)sizeof(struct memorizer_entry) / pool;
	struct walk walk = { .first = OBJECTS, .stride = OBJECT_SIZE };

	start(pool);
	make_objects(0, count);
	walk.order = numbers(count);
	in_visits(&walk, count);
	warm_up(&walk);
	check_counts();
	CHECK_EQ(memorizer_class_used(MEMORIZER_ENTRY), count * VISIT_IPS);
	show_bytes(csv, "an entry", bytes_of(MEMORIZER_ENTRY, MEMORIZER_ENTRY, walk.accesses));
	show_bytes(csv, "its share of hash tables, pool full", bench_tables() * share);
	show_bytes(csv, "its share of the pool's tables, likewise",
		   (pool - memorizer_pool_size()) * share);
	show_bytes(csv, "an object", bytes_of(MEMORIZER_OBJECT, MEMORIZER_OBJECT, count));
}

static void show_index_bytes(size_t size, FILE *csv)
{
	static const unsigned long pages = 10 * K;
	unsigned long count = pages * (PAGE_SIZE / size);
	char what[64];

	start(512 * MIB);
	set_object_size(size);
	make_objects(0, count);
	CHECK_EQ(memorizer_class_used(MEMORIZER_OBJECT), count);
	snprintf(what, sizeof(what), "its share of the index, %zu a slab", PAGE_SIZE / size);
	show_bytes(csv, what, bytes_of(MEMORIZER_LEAF, MEMORIZER_CLASSES - 1, count));
}

static void show_memory(FILE *csv)
{
	static const size_t sizes[] = { 32, 64, 192, 256, 1024 };
	unsigned int i;

	printf("\n%-40s %8s\n", "memory", "bytes");
	in_child(show_entry_bytes, 0, csv);
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		in_child(show_index_bytes, sizes[i], csv);
}

int main(int argc, char **argv)
{
	const char *wanted = "", *path = "/dev/null";
	unsigned int runs = 5, i;
	FILE *csv;
	int option;

	while ((option = getopt(argc, argv, "r:o:")) != -1) {
		if (option == 'r')
			runs = atoi(optarg);
		else if (option == 'o')
			path = optarg;
		else
			return 2;
	}
	CHECK(runs && runs <= MAX_RUNS);
	if (optind < argc)
		wanted = argv[optind];
	csv = fopen(path, "w");
	CHECK(csv);
	fprintf(csv, "group,figure,ns,from,to,ratio,ns_without,instructions,percent\n");
	costs = mmap(NULL, MAX_RUNS * sizeof(*costs), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(costs != MAP_FAILED);
	for (i = 0; i < ARRAY_SIZE(figures); i++) {
		if (!strstr(figures[i].name, wanted) && !strstr(figures[i].group, wanted))
			continue;
		memset(costs, 0, MAX_RUNS * sizeof(*costs));
		show_figure(&figures[i], runs, csv);
	}
	if (strstr("memory", wanted))
		show_memory(csv);
	return 0;
}
