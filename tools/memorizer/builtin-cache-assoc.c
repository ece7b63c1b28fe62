// SPDX-License-Identifier: GPL-2.0
/*
 * memorizer cache-assoc: simulates a set-associative cache for each CPU, and shows the sets with
 * conflict misses.
 */
#include <stdlib.h>
#include <string.h>

#include "report/analysis.h"

static const char * const usage[] = {
	"memorizer cache-assoc [OPTION...] DIR",
	"",
	"Runs all accesses in the trace through a set-associative cache with LRU replacement",
	"for each CPU. Prints misses by CPU, by set and by kind of object: compulsory misses,",
	"misses because another CPU wrote the line, conflict misses (a fully associative cache",
	"of the same size would hit), and capacity misses.",
	NULL
};

#define SETS	512
#define WAYS	8
#define MOST	(1u << 20)

enum sum { ACCESSES, MISSES, COLD, SHARED, CONFLICT, CAPACITY, LINES, CPU, SET, SUMS };

/*
 * A line that a CPU has accessed: whether it is cached, and its place in the LRU order of its set
 * and of a fully associative cache of the same size.
 */
struct line {
	u64 key;
	bool cached, kept, taken;
	u32 newer, older;	/* fully associative: neighbours in LRU order, number plus one */
};

/**
 * struct cache - the cache of a CPU
 * @cpu: the CPU
 * @lines: struct line by number
 * @ways: for each set, numbers of its lines plus one, most recently used first
 * @newest: fully associative: most recently used line, number plus one
 * @oldest: fully associative: least recently used line, number plus one
 * @kept: fully associative: number of lines in the cache
 * @sets: struct group by set
 * @sum: totals of the CPU
 */
struct cache {
	u64 cpu;
	struct hash lines, sets;
	u32 *ways, newest, oldest, kept;
	u64 sum[SUMS];
};

/* Sums of a set or of a kind of object. */
struct group {
	u64 key;
	u64 sum[SUMS];
};

/**
 * struct assoc - state of the analysis
 * @a: the analysis
 * @sets: number of sets of a cache
 * @ways: lines of a set
 * @caches: struct cache by CPU
 * @kinds: struct group by kind of object
 * @total: totals
 */
struct assoc {
	struct analysis a;
	u32 sets, ways;
	struct hash caches, kinds;
	u64 total[SUMS];
};

static void init(struct analysis *a)
{
	struct assoc *c = (struct assoc *)a;

	hash_init(&c->caches, sizeof(struct cache), sizeof(u64));
	hash_init(&c->kinds, sizeof(struct group), sizeof(u64));
}

static void release(struct analysis *a)
{
	struct assoc *c = (struct assoc *)a;
	struct cache *cache;
	u32 i;

	for (i = 0; i < c->caches.nr; i++) {
		cache = hash_item(&c->caches, i);
		hash_free(&cache->lines);
		hash_free(&cache->sets);
		free(cache->ways);
	}
	hash_free(&c->caches);
	hash_free(&c->kinds);
}

static struct cache *get_cache(struct assoc *c, u64 cpu)
{
	size_t ways = (size_t)c->sets * c->ways;
	struct cache *cache;
	bool new;

	cache = hash_item(&c->caches, hash_get(&c->caches, &cpu, &new));
	if (!new)
		return cache;
	hash_init(&cache->lines, sizeof(struct line), sizeof(u64));
	hash_init(&cache->sets, sizeof(struct group), sizeof(u64));
	cache->ways = xreallocarray(NULL, ways, sizeof(*cache->ways));
	memset(cache->ways, 0, ways * sizeof(*cache->ways));
	cache->sum[CPU] = cpu;
	return cache;
}

static struct line *line_at(const struct cache *cache, u32 nr)
{
	return hash_item(&cache->lines, nr - 1);
}

/* The fully associative cache: a list of lines in LRU order. */

static void unlink_line(struct cache *cache, struct line *line)
{
	if (line->newer)
		line_at(cache, line->newer)->older = line->older;
	else
		cache->newest = line->older;
	if (line->older)
		line_at(cache, line->older)->newer = line->newer;
	else
		cache->oldest = line->newer;
	line->kept = false;
	cache->kept--;
}

static void keep_line(struct cache *cache, u32 nr, u32 most)
{
	struct line *line = line_at(cache, nr);

	if (line->kept)
		unlink_line(cache, line);
	line->kept = true;
	line->newer = 0;
	line->older = cache->newest;
	if (cache->newest)
		line_at(cache, cache->newest)->newer = nr;
	else
		cache->oldest = nr;
	cache->newest = nr;
	if (++cache->kept > most)
		unlink_line(cache, line_at(cache, cache->oldest));
}

/* Make a line the most recently used of its set. */
static void cache_line(const struct assoc *c, struct cache *cache, u32 nr)
{
	struct line *line = line_at(cache, nr);
	u32 *set = cache->ways + (line->key & (c->sets - 1)) * c->ways, i;

	/*
	 * Stop at the line, at a free way, or at the least recently used
	 * line, which is replaced.
	 */
	for (i = 0; i < c->ways - 1 && set[i] && set[i] != nr; i++)
		;
	if (set[i] && set[i] != nr)
		line_at(cache, set[i])->cached = false;
	memmove(set + 1, set, i * sizeof(*set));
	*set = nr;
	line->cached = true;
}

/* Invalidate the line in the other caches after a store. */
static void take_line(const struct assoc *c, struct cache *cache, u64 key)
{
	struct line *line;
	u32 nr, *set, i;

	if (!hash_find(&cache->lines, &key, &nr))
		return;
	line = hash_item(&cache->lines, nr);
	line->taken = true;
	if (line->kept)
		unlink_line(cache, line);
	if (!line->cached)
		return;
	line->cached = false;
	set = cache->ways + (key & (c->sets - 1)) * c->ways;
	for (i = 0; set[i] != nr + 1; i++)
		;
	memmove(set + i, set + i + 1, (c->ways - 1 - i) * sizeof(*set));
	set[c->ways - 1] = 0;
}

static u64 *sums_of(struct hash *groups, u64 key)
{
	bool new;

	return ((struct group *)hash_item(groups, hash_get(groups, &key, &new)))->sum;
}

static void count(u64 *sum, enum sum why)
{
	sum[ACCESSES]++;
	if (why == ACCESSES)
		return;
	sum[MISSES]++;
	sum[why]++;
}

/* Classify an access to a line: the sum that counts it, ACCESSES for a hit. */
static enum sum judge(const struct line *line, bool new)
{
	if (new)
		return COLD;
	if (line->cached)
		return ACCESSES;
	if (line->taken)
		return SHARED;
	return line->kept ? CONFLICT : CAPACITY;
}

static void use_line(struct assoc *c, const struct touch *t, u64 key)
{
	struct cache *cache = get_cache(c, t->event->cpu), *other;
	u64 *set = sums_of(&cache->sets, key & (c->sets - 1));
	struct line *line;
	enum sum why;
	bool new;
	u32 nr, i;

	nr = hash_get(&cache->lines, &key, &new);
	line = hash_item(&cache->lines, nr);
	/* Before the access changes the caches. */
	why = judge(line, new);
	/* Accesses that the filter excludes are not counted, but use the caches, too. */
	if (t->chosen) {
		set[LINES] += new;
		count(set, why);
		count(cache->sum, why);
		count(sums_of(&c->kinds, t->place.kind), why);
		count(c->total, why);
	}
	line->taken = false;
	cache_line(c, cache, nr + 1);
	keep_line(cache, nr + 1, c->sets * c->ways);
	for (i = 0; t->writes && i < c->caches.nr; i++) {
		other = hash_item(&c->caches, i);
		if (other->cpu != t->event->cpu)
			take_line(c, other, key);
	}
}

static void touch(struct analysis *a, const struct touch *t)
{
	struct assoc *c = (struct assoc *)a;
	u64 line = t->ptr / a->line_size, last = (t->ptr + t->size - 1) / a->line_size;

	for (; line <= last; line++)
		use_line(c, t, line);
}

#define COUNTS							\
	{ "Misses", "misses", MISSES, CELL_NUMBER, 0 },		\
	{ "Conflict", "conflict", CONFLICT, CELL_NUMBER, 0 },	\
	{ "Capacity", "capacity", CAPACITY, CELL_NUMBER, 0 },	\
	{ "Shared", "shared", SHARED, CELL_NUMBER, 0 },		\
	{ "Cold", "cold", COLD, CELL_NUMBER, 0 },		\
	{ "Accesses", "accesses", ACCESSES, CELL_NUMBER, 0 }

static void print_caches(struct assoc *c)
{
	struct table t = {
		.title = "CPUS", .key = "cpus", .name_title = "CPU", .id_key = "cpu",
		.id_decimal = true, .then = { CONFLICT, ACCESSES }, .columns = { COUNTS },
	};
	struct cache *cache;
	u32 i;

	t.rows = xreallocarray(NULL, c->caches.nr + 1, sizeof(*t.rows));
	for (i = 0; i < c->caches.nr; i++) {
		cache = hash_item(&c->caches, i);
		if (cache->sum[ACCESSES])
			t.rows[t.nr++] = (struct row){ .id = cache->cpu, .sum = cache->sum };
	}
	analysis_table(&c->a, &t, MISSES);
}

static void print_sets(struct assoc *c)
{
	struct table t = {
		.title = "SETS", .key = "sets", .name_title = "Set", .id_key = "set",
		.id_decimal = true, .then = { CONFLICT, ACCESSES },
		.columns = {
			{ "CPU", "cpu", CPU, CELL_NUMBER, 0 }, COUNTS,
			{ "Lines", "lines", LINES, CELL_NUMBER, 0 },
		},
	};
	struct cache *cache;
	struct group *group;
	u32 i, j, room = 1;

	for (i = 0; i < c->caches.nr; i++)
		room += ((struct cache *)hash_item(&c->caches, i))->sets.nr;
	t.rows = xreallocarray(NULL, room, sizeof(*t.rows));
	for (i = 0; i < c->caches.nr; i++) {
		cache = hash_item(&c->caches, i);
		for (j = 0; j < cache->sets.nr; j++) {
			group = hash_item(&cache->sets, j);
			group->sum[CPU] = cache->cpu;
			if (group->sum[MISSES])
				t.rows[t.nr++] = (struct row){ .id = group->key,
							       .sum = group->sum };
		}
	}
	analysis_table(&c->a, &t, MISSES);
}

static void print_kinds(struct assoc *c)
{
	struct table t = {
		.title = "OBJECTS", .key = "objects", .name_title = "Object",
		.name_key = "object", .texts = { { "Allocated by", "site" }, NAMED_TYPE },
		.then = { MISSES, ACCESSES }, .columns = { COUNTS },
	};
	const struct group *group;
	struct row *row;
	u32 i;

	t.rows = xreallocarray(NULL, c->kinds.nr + 1, sizeof(*t.rows));
	for (i = 0; i < c->kinds.nr; i++) {
		group = hash_item(&c->kinds, i);
		if (!group->sum[MISSES])
			continue;
		row = t.rows + t.nr++;
		*row = (struct row){ .name = analysis_object(&c->a, group->key),
				     .sum = group->sum };
		row->texts[0] = analysis_allocated(&c->a, group->key);
		row->texts[1] = analysis_type(&c->a, group->key);
	}
	analysis_table(&c->a, &t, CONFLICT);
}

static void print(struct analysis *a)
{
	struct assoc *c = (struct assoc *)a;

	analysis_sum(a, "Accesses to lines", "accesses", c->total[ACCESSES]);
	analysis_sum(a, "  misses", "misses", c->total[MISSES]);
	analysis_sum(a, "    conflicts in a set", "conflict", c->total[CONFLICT]);
	analysis_sum(a, "    for want of room", "capacity", c->total[CAPACITY]);
	analysis_sum(a, "    stored to by another CPU", "shared", c->total[SHARED]);
	analysis_sum(a, "    never had", "cold", c->total[COLD]);
	print_caches(c);
	print_sets(c);
	print_kinds(c);
}

/* A cache has at most MOST lines. */
static int option_sets(const struct option *o, const char *arg, int unset)
{
	struct assoc *c = o->value;
	const struct option number = OPT_NUMBER('s', "sets", &c->sets, "N", 1, MOST / c->ways, "");

	option_number(&number, arg, unset);
	return c->sets & (c->sets - 1) ? option_refuse(o, arg, "a power of two") : 0;
}

static int option_ways(const struct option *o, const char *arg, int unset)
{
	struct assoc *c = o->value;
	const struct option number = OPT_NUMBER('w', "ways", &c->ways, "N", 1, MOST / c->sets, "");

	return option_number(&number, arg, unset);
}

static int run(int argc, char **argv)
{
	static const struct analysis_ops ops = {
		.command = &command_cache_assoc, .sort = "misses", .init = init, .release = release,
		.touch = touch, .wanted = { WANTED(ACCESS) },
		.print = print,
	};
	struct assoc c = {
		.a = { .ops = &ops, .touches = TOUCH_ACCESSES }, .sets = SETS, .ways = WAYS,
	};
	const struct option options[] = {
		OPT_TAKE('s', "sets", &c, "N", "number of sets, a power of two (default: 512)",
			 option_sets),
		OPT_TAKE('w', "ways", &c, "N", "lines of a set (default: 8)", option_ways),
		OPT_LINE(&c.a),
		OPTS_ANALYSIS(&c.a)
	};

	return analysis_run(&c.a, argc, argv, options);
}

const struct command command_cache_assoc = {
	.name = "cache-assoc",
	.summary = "simulate a set-associative cache for each CPU",
	.usage = usage,
	.run = run,
};
