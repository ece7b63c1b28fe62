// SPDX-License-Identifier: GPL-2.0
/*
 * memorizer sharing: cache lines that one CPU writes and another accesses, as in perf c2c report,
 * with their objects and the code on both sides.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/pairs.h"

static const char * const usage[] = {
	"memorizer sharing [OPTION...] DIR",
	"",
	"Prints the cache lines in the trace that move between CPUs: lines that one CPU writes",
	"and another one touches, the code that touches them and where, and for each object",
	"which CPU pulled the line away and the access that pulled it back. Moves are taken",
	"from traffic events; if the trace has none, they are derived from its accesses.",
	NULL
};

/* Sums of a line, of code that accesses it, and of an address, as in the tables. */
enum sum {
	/* Counts of accesses. */
	RECORDS, LOADS, STORES, MOVES, LOCAL_HITM, REMOTE_HITM, L1_MISS,
	COUNTS,
	/* Derived sums. */
	HITM = COUNTS, L1_HIT, CPUS,
	SHARE,			/* of all HITM, in thousandths of a percent */
	OFFSET, CPU, INDEX,
	RANK,			/* descending when INDEX ascends */
	SUMS
};

/* Set of CPUs: a bit for each of the first 64, and the number of CPUs. */
struct cpus {
	u64 first;
	u64 nr;
};

/* A line. The first kind of object is counted here, others in line_kinds. */
struct line {
	u64 addr, counts[COUNTS];
	struct cpus cpus;
	u64 of_first, most;	/* accesses to the first and to the most accessed kind */
	u32 first, kind, kinds;	/* first kind, most accessed kind, number of kinds */
	u32 index;
};

/* Code that accesses a kind of object, by name, at an offset in a line. */
struct code {
	u64 ip;
	u32 kind, name, offset, unused;
};

/*
 * An instruction that accesses a spot at an offset in a line on a CPU. When the counts of a struct
 * use are full, the next accesses go to another part.
 */
struct toucher_at {
	u64 ip;
	u32 spot, cpu, offset, part;
};

/*
 * Type of the counts in struct use: small, as nearly all counts are. A test makes it smaller so
 * that they overflow.
 */
#ifndef USE_COUNT
#define USE_COUNT uint16_t
#endif

/* Accesses to a line by a toucher, both as items. Compact, as there may be millions of them. */
struct use {
	u32 line, by;
	USE_COUNT counts[COUNTS];
};

/* Counts of an item of uses in its other parts. */
struct overflow {
	u64 use;
	u64 counts[COUNTS];
};

/* Accesses to a line by code, both as items: a chain of uses, each is the item plus one. */
struct user {
	u32 line, code, first;
};

/* A pair of something and a CPU; in line_kinds, of a line and a kind of object, with accesses. */
struct touched {
	u64 what, by;
	u64 records;
};

/**
 * struct sharing - state of the analysis
 * @a: the analysis
 * @addresses: print addresses
 * @all: print code that moves no line
 * @lines: the lines by number, zeroed if no selected access was to them
 * @nr_lines: length of @lines
 * @codes: struct code
 * @line_cpus: struct touched: lines by CPUs that have no bit in struct cpus
 * @line_kinds: struct touched: lines by kinds of objects other than the first
 * @touchers: struct toucher_at
 * @uses: struct use; @users are built from these after the last event
 * @users: struct user
 * @overflows: struct overflow
 * @code_of: item of @codes for each of @touchers
 * @next: next item in the chain of each of @uses
 * @pairs: see pairs.h
 * @total: totals
 * @pair_total: totals of all pairs
 * @shared: items of @lines that are shared, in the order of the table
 * @nr_shared: number of shared lines
 */
struct sharing {
	struct analysis a;
	bool addresses, all;
	struct line *lines;
	u32 nr_lines;
	struct hash codes, line_cpus, line_kinds, touchers, uses, users, overflows, pairs;
	u64 total[COUNTS], pair_total[PAIR_SUMS];
	u32 *code_of, *next, *shared, nr_shared;
};

static void init(struct analysis *a)
{
	struct sharing *s = (struct sharing *)a;

	s->lines = NULL;
	s->nr_lines = 0;
	hash_init(&s->codes, sizeof(struct code), sizeof(struct code));
	hash_init(&s->line_cpus, sizeof(struct touched), 2 * sizeof(u64));
	hash_init(&s->line_kinds, sizeof(struct touched), 2 * sizeof(u64));
	hash_init(&s->touchers, sizeof(struct toucher_at), sizeof(struct toucher_at));
	hash_init(&s->uses, sizeof(struct use), offsetof(struct use, counts));
	hash_init(&s->users, sizeof(struct user), offsetof(struct user, first));
	hash_init(&s->overflows, sizeof(struct overflow), offsetof(struct overflow, counts));
	pairs_init(&s->pairs);
	memset(s->total, 0, sizeof(s->total));
	memset(s->pair_total, 0, sizeof(s->pair_total));
}

static void release(struct analysis *a)
{
	struct sharing *s = (struct sharing *)a;

	free(s->lines);
	hash_free(&s->codes);
	hash_free(&s->line_cpus);
	hash_free(&s->line_kinds);
	hash_free(&s->touchers);
	hash_free(&s->uses);
	hash_free(&s->users);
	hash_free(&s->overflows);
	hash_free(&s->pairs);
	free(s->code_of);
	free(s->next);
	free(s->shared);
}

/* Count @by for @what; returns true if the pair is new. */
static bool count_touched(struct hash *h, u64 what, u64 by)
{
	u64 key[2] = { what, by };
	bool new;

	((struct touched *)hash_item(h, hash_get(h, key, &new)))->records++;
	return new;
}

static void count_cpu(struct sharing *s, u32 nr, u32 cpu)
{
	u64 bit = cpu < 64 ? 1ull << cpu : 0;
	struct line *line = s->lines + nr;
	bool new = bit ? !(line->cpus.first & bit) : count_touched(&s->line_cpus, nr, cpu);

	line->cpus.first |= bit;
	line->cpus.nr += new;
}

/* Counts that an access increments. */
static void set_counts(const struct sharing *s, const struct touch *t, bool counts[COUNTS])
{
	bool remote = t->moved.from >= 0 && analysis_node(&s->a, t->moved.from) !=
		      analysis_node(&s->a, t->event->cpu);

	counts[RECORDS] = true;
	counts[LOADS] = t->reads;
	counts[STORES] = t->writes;
	counts[MOVES] = t->moved.moves;
	counts[LOCAL_HITM] = t->moved.hitm && !remote;
	counts[REMOTE_HITM] = t->moved.hitm && remote;
	counts[L1_MISS] = t->writes && t->moved.moves;
}

static void set_sums(u64 *sum, const u64 counts[COUNTS])
{
	memcpy(sum, counts, COUNTS * sizeof(*sum));
	sum[HITM] = counts[LOCAL_HITM] + counts[REMOTE_HITM];
	sum[L1_HIT] = counts[STORES] - counts[L1_MISS];
}

/* Make the key of a use, and prefetch its slot. */
static struct use use_of(struct sharing *s, const struct toucher_at *by, u32 line)
{
	struct use key = { .line = line };
	bool new;

	key.by = hash_get(&s->touchers, by, &new);
	hash_prefetch(&s->uses, &key);
	return key;
}

/* Find the use for an access, with room for one more: RECORDS is the largest count. */
static struct use *get_use(struct sharing *s, struct use key, struct toucher_at by)
{
	struct use *use;
	bool new;

	for (;;) {
		use = hash_item(&s->uses, hash_get(&s->uses, &key, &new));
		if (use->counts[RECORDS] != (USE_COUNT)-1)
			return use;
		by.part++;
		key.by = hash_get(&s->touchers, &by, &new);
	}
}

static void count_kind(struct sharing *s, u32 nr, u32 kind)
{
	struct line *line = s->lines + nr;

	if (!line->kinds) {
		line->first = kind;
		line->kinds = 1;
	}
	if (line->first == kind)
		line->of_first++;
	else
		line->kinds += count_touched(&s->line_kinds, nr, kind);
}

static struct line *get_line(struct sharing *s, const struct touch *t)
{
	u32 room;

	if (t->line_nr >= s->nr_lines) {
		room = 2 * t->line_nr + 1024;
		s->lines = xreallocarray(s->lines, room, sizeof(*s->lines));
		memset(s->lines + s->nr_lines, 0, (room - s->nr_lines) * sizeof(*s->lines));
		s->nr_lines = room;
	}
	s->lines[t->line_nr].addr = t->line;
	return s->lines + t->line_nr;
}

static void touch(struct analysis *a, const struct touch *t)
{
	struct sharing *s = (struct sharing *)a;
	struct toucher_at by = {
		.ip = t->ip, .spot = t->spot, .cpu = t->event->cpu, .offset = t->first,
	};
	bool counts[COUNTS];
	struct line *line;
	struct use key, *use;
	u32 c;

	if (!t->chosen)
		return;
	/* The use is rarely cached: prefetch it while the rest is counted. */
	key = use_of(s, &by, t->line_nr);
	line = get_line(s, t);
	set_counts(s, t, counts);
	count_cpu(s, t->line_nr, t->event->cpu);
	count_kind(s, t->line_nr, t->place.kind);
	pairs_count(&s->pairs, t, s->pair_total);
	use = get_use(s, key, by);
	for (c = 0; c < COUNTS; c++) {
		line->counts[c] += counts[c];
		use->counts[c] += counts[c];
		s->total[c] += counts[c];
	}
}

static bool is_shared(const struct line *line)
{
	return line->counts[STORES] && line->cpus.nr > 1;
}

/* Find the most accessed kind of object of each line. */
static void find_kinds(struct sharing *s)
{
	const struct touched *touched;
	struct line *line;
	u32 i;

	for (i = 0; i < s->nr_lines; i++) {
		line = s->lines + i;
		line->most = line->of_first;
		line->kind = line->first;
	}
	for (i = 0; i < s->line_kinds.nr; i++) {
		touched = hash_item(&s->line_kinds, i);
		line = s->lines + touched->what;
		if (touched->records <= line->most)
			continue;
		line->most = touched->records;
		line->kind = touched->by;
	}
}

/* Most accessed kind of object of a line, and the number of others. */
static char *line_object(const struct sharing *s, const struct line *line)
{
	char text[KMAP_SYMBOL_MAX];

	if (line->kinds == 1)
		return analysis_object(&s->a, line->kind);
	snprintf(text, sizeof(text), "%s and %u more", analysis_kind_name(&s->a, line->kind),
		 line->kinds - 1);
	return table_text(text);
}

static char *address_text(u64 addr)
{
	char text[24];

	snprintf(text, sizeof(text), "%llx", addr);
	return table_text(text);
}

/* Compare addresses as hexadecimal texts: by the first digits, then the shorter one first. */
static int compare_as_texts(u64 a, u64 b)
{
	int zeros_a = __builtin_clzll(a | 1) & ~3, zeros_b = __builtin_clzll(b | 1) & ~3;
	u64 digits_a = a << zeros_a, digits_b = b << zeros_b;

	if (digits_a != digits_b)
		return digits_a < digits_b ? -1 : 1;
	return zeros_b - zeros_a;
}

/* Sort by moves, descending, then by other sums; equal lines by address, as a text. */
static int compare_lines(const void *left, const void *right, void *data)
{
	const struct line *lines = data;
	const struct line *a = lines + *(const u32 *)left;
	const struct line *b = lines + *(const u32 *)right;
	u64 hitm_a = a->counts[LOCAL_HITM] + a->counts[REMOTE_HITM];
	u64 hitm_b = b->counts[LOCAL_HITM] + b->counts[REMOTE_HITM];

	if (a->counts[MOVES] != b->counts[MOVES])
		return a->counts[MOVES] > b->counts[MOVES] ? -1 : 1;
	if (hitm_a != hitm_b)
		return hitm_a > hitm_b ? -1 : 1;
	if (a->counts[RECORDS] != b->counts[RECORDS])
		return a->counts[RECORDS] > b->counts[RECORDS] ? -1 : 1;
	return compare_as_texts(a->addr, b->addr);
}

/* Number the shared lines. */
static void number_lines(struct sharing *s)
{
	u32 i;

	s->shared = xreallocarray(NULL, s->nr_lines + 1ull, sizeof(*s->shared));
	s->nr_shared = 0;
	for (i = 0; i < s->nr_lines; i++)
		if (is_shared(s->lines + i))
			s->shared[s->nr_shared++] = i;
	qsort_r(s->shared, s->nr_shared, sizeof(*s->shared), compare_lines, s->lines);
	for (i = 0; i < s->nr_shared; i++)
		s->lines[s->shared[i]].index = i;
}

static void set_index(const struct sharing *s, u64 *sum, const struct line *line)
{
	sum[INDEX] = line->index;
	sum[RANK] = s->nr_shared - line->index;
}

static bool sum_line(void *data, u32 item, u64 *sum)
{
	const struct sharing *s = data;
	const struct line *line = s->lines + s->shared[item];
	u64 hitm = s->total[LOCAL_HITM] + s->total[REMOTE_HITM];

	set_sums(sum, line->counts);
	set_index(s, sum, line);
	sum[CPUS] = line->cpus.nr;
	if (hitm)
		sum[SHARE] = sum[HITM] * 100000 / hitm;
	return true;
}

static void name_line(void *data, u32 item, struct row *row)
{
	const struct sharing *s = data;
	const struct line *line = s->lines + s->shared[item];

	row->id = line->addr;
	row->name = address_text(line->addr);
	row->texts[0] = line_object(s, line);
	row->texts[1] = analysis_allocated(&s->a, line->kind);
	row->texts[2] = analysis_type(&s->a, line->kind);
}

/* Item of the code of a toucher. */
static u32 code_of(struct sharing *s, const struct toucher_at *by)
{
	const struct spot *spot = analysis_spot(&s->a, by->spot);
	struct code code = {
		.ip = by->ip, .kind = spot->kind, .name = spot->name, .offset = by->offset,
	};
	bool new;

	return hash_get(&s->codes, &code, &new);
}

static const struct use *get_chained(const struct sharing *s, u32 at)
{
	return hash_item(&s->uses, at - 1);
}

static const struct toucher_at *get_toucher(const struct sharing *s, const struct use *use)
{
	return hash_item(&s->touchers, use->by);
}

/* Add a use that is another part to the first one, which is further on in its chain. */
static void add_overflow(struct sharing *s, u32 at)
{
	const struct use *use = get_chained(s, at);
	struct toucher_at first = *get_toucher(s, use);
	struct overflow *overflow;
	u64 key;
	bool new;
	u32 c;

	first.part = 0;
	do
		at = s->next[at - 1];
	while (memcmp(get_toucher(s, get_chained(s, at)), &first, sizeof(first)));
	key = at - 1;
	overflow = hash_item(&s->overflows, hash_get(&s->overflows, &key, &new));
	for (c = 0; c < COUNTS; c++)
		overflow->counts[c] += use->counts[c];
}

/* Build the chain of uses of each user. */
static void make_users(struct sharing *s)
{
	struct user key = { .line = 0 }, *user;
	const struct use *use;
	bool new;
	u32 i;

	s->code_of = xreallocarray(NULL, s->touchers.nr + 1ull, sizeof(*s->code_of));
	for (i = 0; i < s->touchers.nr; i++)
		s->code_of[i] = code_of(s, hash_item(&s->touchers, i));
	/* No more lookups: free the slots before the arrays below are allocated. */
	hash_seal(&s->uses);
	s->next = xreallocarray(NULL, s->uses.nr + 1ull, sizeof(*s->next));
	for (i = 0; i < s->uses.nr; i++) {
		use = hash_item(&s->uses, i);
		key.line = use->line;
		key.code = s->code_of[use->by];
		user = hash_item(&s->users, hash_get(&s->users, &key, &new));
		s->next[i] = user->first;
		user->first = i + 1;
		if (get_toucher(s, use)->part)
			add_overflow(s, i + 1);
	}
}

static u32 use_cpu(const struct sharing *s, const struct use *use)
{
	return get_toucher(s, use)->cpu;
}

/* Is a later use in the chain by the same CPU? */
static bool comes_again(const struct sharing *s, u32 at)
{
	u32 cpu = use_cpu(s, get_chained(s, at));

	while ((at = s->next[at - 1]))
		if (use_cpu(s, get_chained(s, at)) == cpu)
			return true;
	return false;
}

static bool sum_user(void *data, u32 item, u64 *sum)
{
	const struct sharing *s = data;
	const struct user *user = hash_item(&s->users, item);
	const struct code *code = hash_item(&s->codes, user->code);
	const struct line *line = s->lines + user->line;
	u64 counts[COUNTS] = { 0 };
	u32 at, c;

	if (!is_shared(line))
		return false;
	for (at = user->first; at; at = s->next[at - 1]) {
		for (c = 0; c < COUNTS; c++)
			counts[c] += get_chained(s, at)->counts[c];
		sum[CPUS] += !comes_again(s, at);
	}
	set_sums(sum, counts);
	set_index(s, sum, line);
	sum[OFFSET] = code->offset;
	return s->all || counts[MOVES];
}

static void name_user(void *data, u32 item, struct row *row)
{
	const struct sharing *s = data;
	const struct user *user = hash_item(&s->users, item);
	const struct code *code = hash_item(&s->codes, user->code);

	row->name = address_text(s->lines[user->line].addr);
	analysis_code_source(&s->a, code->ip, row->texts, row->texts + 2);
	row->texts[1] = analysis_object(&s->a, code->kind);
	row->texts[3] = analysis_allocated(&s->a, code->kind);
	analysis_name(&s->a, row->texts + 4, code->name);
}

static bool sum_address(void *data, u32 item, u64 *sum)
{
	const struct sharing *s = data;
	const struct use *use = hash_item(&s->uses, item);
	const struct toucher_at *by = get_toucher(s, use);
	const struct line *line = s->lines + use->line;
	const struct overflow *overflow = NULL;
	u64 key = item;
	u32 c, i;

	if (!is_shared(line) || by->part)
		return false;
	if (use->counts[RECORDS] == (USE_COUNT)-1 && hash_find(&s->overflows, &key, &i))
		overflow = hash_item(&s->overflows, i);
	set_index(s, sum, line);
	for (c = RECORDS; c <= MOVES; c++)
		sum[c] = use->counts[c] + (overflow ? overflow->counts[c] : 0);
	sum[CPU] = by->cpu;
	return true;
}

static void name_address(void *data, u32 item, struct row *row)
{
	const struct sharing *s = data;
	const struct use *use = hash_item(&s->uses, item);
	const struct toucher_at *by = get_toucher(s, use);
	const struct spot *spot = analysis_spot(&s->a, by->spot);
	const struct line *line = s->lines + use->line;

	row->name = address_text(line->addr + by->offset);
	row->texts[0] = analysis_where(&s->a, by->spot);
	row->texts[1] = analysis_allocated(&s->a, spot->kind);
	analysis_code_source(&s->a, by->ip, row->texts + 2, row->texts + 3);
	analysis_name(&s->a, row->texts + 4, spot->name);
}

#define C2C_COUNTS							\
	{ "Total records", "records", RECORDS, CELL_NUMBER, 0 },	\
	{ "Total Loads", "loads", LOADS, CELL_NUMBER, 0 },		\
	{ "Total Stores", "stores", STORES, CELL_NUMBER, 0 },		\
	{ "L1Hit", "stores_hit", L1_HIT, CELL_NUMBER, 0 },			\
	{ "L1Miss", "stores_missed", L1_MISS, CELL_NUMBER, 0 },		\
	{ "cpu cnt", "cpus", CPUS, CELL_NUMBER, 0 }
#define C2C_HITM							\
	{ "LclHitm", "local_hitm", LOCAL_HITM, CELL_NUMBER, 0 },	\
	{ "RmtHitm", "remote_hitm", REMOTE_HITM, CELL_NUMBER, 0 }

static void print_lines(struct sharing *s)
{
	struct table t = {
		.title = "Shared Data Cache Line Table", .key = "lines",
		.name_title = "Cacheline", .name_key = "line",
		.texts = { { "Object", "object" }, { "Allocated by", "site" }, NAMED_TYPE },
		.then = { HITM, RECORDS },
		.columns = {
			{ "Index", "index", INDEX, CELL_NUMBER, 0 },
			{ "Moves", "moves", MOVES, CELL_NUMBER, 0 },
			{ "Tot Hitm", "hitm_share", SHARE, CELL_PERCENT, 0 },
			{ "Hitm", "hitm", HITM, CELL_NUMBER, 0 }, C2C_HITM, C2C_COUNTS,
		},
	};
	struct row_items items = {
		.nr = s->nr_shared, .metrics = SUMS, .sum = sum_line, .name = name_line, .data = s,
	};

	analysis_sum(&s->a, "Lines that are shared", "shared_lines", s->nr_shared);
	analysis_rows(&s->a, &t, &items, MOVES);
}

static void print_users(struct sharing *s)
{
	struct table t = {
		.title = "Shared Cache Line Distribution Pareto", .key = "pareto",
		.name_title = "Cacheline", .name_key = "line",
		.texts = { { "Symbol", "code" }, { "Object", "object" }, { "Source", "source" },
			   { "Allocated by", "site" }, NAMED_TYPE, NAMED_FIELD },
		.then = { MOVES, RECORDS },
		.columns = {
			{ "Num", "index", INDEX, CELL_NUMBER, 0 },
			{ "Off", "offset", OFFSET, CELL_HEX, 0 },
			{ "Moves", "moves", MOVES, CELL_NUMBER, 0 }, C2C_HITM, C2C_COUNTS,
		},
	};
	struct row_items items = {
		.nr = s->users.nr, .metrics = SUMS, .sum = sum_user, .name = name_user, .data = s,
	};

	analysis_rows(&s->a, &t, &items, RANK);
}

static void print_addresses(struct sharing *s)
{
	struct table t = {
		.title = "ADDRESSES IN SHARED LINES", .key = "addresses",
		.name_title = "Address", .name_key = "ptr",
		.texts = { { "Object", "object" }, { "Allocated by", "site" },
			   { "Code", "code" }, { "Source", "source" }, NAMED_TYPE, NAMED_FIELD },
		.then = { MOVES, RECORDS },
		.columns = {
			{ "CPU", "cpu", CPU, CELL_NUMBER, 0 },
			{ "Reads", "loads", LOADS, CELL_NUMBER, 0 },
			{ "Writes", "stores", STORES, CELL_NUMBER, 0 },
			{ "Moves", "moves", MOVES, CELL_NUMBER, 0 },
		},
	};
	struct row_items items = {
		.nr = s->uses.nr, .metrics = SUMS, .sum = sum_address, .name = name_address,
		.data = s,
	};

	analysis_rows(&s->a, &t, &items, RANK);
}

static u32 count_accessed(const struct sharing *s)
{
	u32 i, nr = 0;

	for (i = 0; i < s->nr_lines; i++)
		nr += !!s->lines[i].counts[RECORDS];
	return nr;
}

static void print(struct analysis *a)
{
	struct sharing *s = (struct sharing *)a;

	find_kinds(s);
	number_lines(s);
	make_users(s);
	analysis_sum(a, "Accesses to lines", "records", s->total[RECORDS]);
	analysis_sum(a, "  loads", "loads", s->total[LOADS]);
	analysis_sum(a, "  stores", "stores", s->total[STORES]);
	analysis_sum(a, "Lines moved", "moves", s->total[MOVES]);
	analysis_sum(a, "  loads of what another CPU changed", "hitm",
		     s->total[LOCAL_HITM] + s->total[REMOTE_HITM]);
	analysis_sum(a, "  because of a known access", "known", s->pair_total[PAIR_MOVES]);
	analysis_sum(a, "    to the same bytes", "true_sharing", s->pair_total[PAIR_TRUE]);
	analysis_sum(a, "    to others", "false_sharing", s->pair_total[PAIR_FALSE]);
	analysis_sum(a, "    to the same bytes of what was freed", "reused",
		     s->pair_total[PAIR_REUSED]);
	analysis_sum(a, "Lines accessed", "lines_accessed", count_accessed(s));
	print_lines(s);
	print_users(s);
	pairs_print(a, &s->pairs, "CACHE LINE MOVES, BY PAIR OF ACCESSES", "pairs", PAIR_MOVES);
	if (s->addresses)
		print_addresses(s);
}

static int run(int argc, char **argv)
{
	static const struct analysis_ops ops = {
		.command = &command_sharing, .sort = "moves", .init = init, .release = release,
		.touch = touch, .wanted = { WANTED_TOUCHES },
		.print = print,
	};
	struct sharing s = { .a = { .ops = &ops, .touches = TOUCH_LINES } };
	const struct option options[] = {
		OPT_BOOLEAN('a', "addresses", &s.addresses,
			    "also print each address in these lines, by instruction and CPU"),
		OPT_BOOLEAN('A', "all", &s.all,
			    "also print code that accesses these lines but never moves one"),
		OPT_LINE(&s.a),
		OPTS_ANALYSIS(&s.a)
	};

	return analysis_run(&s.a, argc, argv, options);
}

const struct command command_sharing = {
	.name = "sharing",
	.summary = "show which cache lines move between CPUs, and why",
	.usage = usage,
	.run = run,
};
