// SPDX-License-Identifier: GPL-2.0
/*
 * memorizer sharing: cache lines that one CPU writes and another one touches, as perf c2c report
 * shows them, beside the objects that they belong to and the code on both sides.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pairs.h"

static const char usage[] =
	"Usage: memorizer sharing [OPTION...] DIR\n"
	"\n"
	"Prints which cache lines of the trace in DIR move between CPUs: the lines that one CPU\n"
	"writes and another one touches, what code touches them where, and which object's bytes\n"
	"are moved by whom because of whom. Of a trace with traffic events these say what moves;\n"
	"of one with accesses only, that is followed.\n"
	"\n"
	"  -a, --addresses      print each address in these lines, by instruction and CPU, too\n"
	"  -A, --all            print code that accesses these lines but never moves one, too\n"
	"  -l, --line BYTES     the size of a line (what the trace says, or 64)\n"
	ANALYSIS_USAGE;

static const struct option options[] = {
	{ "addresses", no_argument, NULL, 'a' },
	{ "all", no_argument, NULL, 'A' },
	{ "line", required_argument, NULL, 'l' },
	ANALYSIS_OPTIONS
};

/* The sums of a line, of code that touches it, and of an address, as tables show them. */
enum sum {
	RECORDS, LOADS, STORES, MOVES, HITM, LOCAL_HITM, REMOTE_HITM, L1_HIT, L1_MISS, CPUS,
	SHARE,			/* of all HITM, in thousandths of a percent */
	OFFSET, CPU, INDEX,
	RANK,			/* the larger, the smaller INDEX */
	SUMS
};

/* What is counted; the other sums follow from it. */
struct counts {
	u64 records, loads, stores, moves, local_hitm, remote_hitm, missed;
};

/* CPUs: a bit for each of the first 64, and how many there are. */
struct cpus {
	u64 first;
	u64 nr;
};

/* A line. The first kind of object in it is counted here, others in line_kinds. */
struct line {
	u64 addr;
	struct counts counts;
	struct cpus cpus;
	u64 of_first, most;	/* accesses to the first kind, and to the one that has most */
	u32 first, kind, kinds;	/* the first kind, the one that has most, how many there are */
	u32 index;
};

/* Code that touches a kind of object, under a name, at an offset in a line. */
struct code {
	u64 ip;
	u32 kind, name, offset, unused;
};

/* Accesses to a line by code, as items of both. There may be millions of these: they are small. */
struct user {
	u32 line, code;
	struct counts counts;
	struct cpus cpus;
};

/* An instruction that touches a spot, at an offset in a line, on a CPU. */
struct toucher_at {
	u64 ip;
	u32 spot, cpu, offset, unused;
};

/* Accesses to an address: to a line by such an instruction, as items of both. */
struct address {
	u32 line, by;
	u64 records, loads, stores, moves;
};

/* Something that a CPU touches; of a kind of object in a line, by no CPU but counted. */
struct touched {
	u64 what, by;
	u64 records;
};

/**
 * struct sharing - what is counted
 * @a: the analysis
 * @addresses: whether to tell of addresses
 * @all: whether to tell of code that moves no line
 * @lines: struct line by address
 * @codes: struct code
 * @users: struct user
 * @line_cpus: struct touched: lines by those CPUs that have no bit in struct cpus
 * @user_cpus: likewise, numbers of users by CPUs
 * @line_kinds: likewise, lines by kinds of objects but the first
 * @touchers: struct toucher_at
 * @places: struct address
 * @pairs: see pairs.h
 * @total: counts over all
 * @pair_total: sums over all pairs
 * @shared: the lines that are shared, as items of @lines, in the order of their table
 * @nr_shared: how many there are
 */
struct sharing {
	struct analysis a;
	bool addresses, all;
	struct hash lines, codes, users, line_cpus, user_cpus, line_kinds, touchers, places, pairs;
	struct counts total;
	u64 pair_total[PAIR_SUMS];
	u32 *shared, nr_shared;
};

static void init(struct analysis *a)
{
	struct sharing *s = (struct sharing *)a;

	hash_init(&s->lines, sizeof(struct line), sizeof(u64));
	hash_init(&s->codes, sizeof(struct code), sizeof(struct code));
	hash_init(&s->users, sizeof(struct user), offsetof(struct user, counts));
	hash_init(&s->line_cpus, sizeof(struct touched), 2 * sizeof(u64));
	hash_init(&s->user_cpus, sizeof(struct touched), 2 * sizeof(u64));
	hash_init(&s->line_kinds, sizeof(struct touched), 2 * sizeof(u64));
	hash_init(&s->touchers, sizeof(struct toucher_at), sizeof(struct toucher_at));
	hash_init(&s->places, sizeof(struct address), offsetof(struct address, records));
	pairs_init(&s->pairs);
	s->total = (struct counts){ 0 };
	memset(s->pair_total, 0, sizeof(s->pair_total));
}

static void release(struct analysis *a)
{
	struct sharing *s = (struct sharing *)a;

	hash_free(&s->lines);
	hash_free(&s->codes);
	hash_free(&s->users);
	hash_free(&s->line_cpus);
	hash_free(&s->user_cpus);
	hash_free(&s->line_kinds);
	hash_free(&s->touchers);
	hash_free(&s->places);
	hash_free(&s->pairs);
	free(s->shared);
}

/* Counts @by for @what; returns whether it is new. */
static bool count_touched(struct hash *h, u64 what, u64 by)
{
	u64 key[2] = { what, by };
	bool new;

	((struct touched *)hash_item(h, hash_get(h, key, &new)))->records++;
	return new;
}

static void count_cpu(struct cpus *cpus, struct hash *others, u64 what, u32 cpu)
{
	u64 bit = cpu < 64 ? 1ull << cpu : 0;
	bool new = bit ? !(cpus->first & bit) : count_touched(others, what, cpu);

	cpus->first |= bit;
	cpus->nr += new;
}

static void count(const struct sharing *s, struct counts *c, const struct touch *t)
{
	u32 node = analysis_node(&s->a, t->event->cpu);
	bool remote = t->moved.from >= 0 && analysis_node(&s->a, t->moved.from) != node;

	c->records++;
	c->loads += t->reads;
	c->stores += t->writes;
	c->moves += t->moved.moves;
	c->remote_hitm += t->moved.hitm && remote;
	c->local_hitm += t->moved.hitm && !remote;
	c->missed += t->writes && t->moved.moves;
}

static void set_sums(u64 *sum, const struct counts *c)
{
	sum[RECORDS] = c->records;
	sum[LOADS] = c->loads;
	sum[STORES] = c->stores;
	sum[MOVES] = c->moves;
	sum[HITM] = c->local_hitm + c->remote_hitm;
	sum[LOCAL_HITM] = c->local_hitm;
	sum[REMOTE_HITM] = c->remote_hitm;
	sum[L1_HIT] = c->stores - c->missed;
	sum[L1_MISS] = c->missed;
}

static void count_user(struct sharing *s, u32 line, const struct touch *t)
{
	struct code code = {
		.ip = t->ip, .kind = t->place.kind, .name = analysis_called(&s->a, t),
		.offset = t->first,
	};
	struct user key = { .line = line }, *user;
	bool new;
	u32 i;

	key.code = hash_get(&s->codes, &code, &new);
	i = hash_get(&s->users, &key, &new);
	user = hash_item(&s->users, i);
	count(s, &user->counts, t);
	count_cpu(&user->cpus, &s->user_cpus, i, t->event->cpu);
}

static void count_address(struct sharing *s, u32 line, const struct touch *t)
{
	struct toucher_at by = {
		.ip = t->ip, .spot = t->spot, .cpu = t->event->cpu, .offset = t->first,
	};
	struct address key = { .line = line }, *address;
	bool new;

	key.by = hash_get(&s->touchers, &by, &new);
	address = hash_item(&s->places, hash_get(&s->places, &key, &new));
	address->records++;
	address->loads += t->reads;
	address->stores += t->writes;
	address->moves += t->moved.moves;
}

static void count_kind(struct sharing *s, struct line *line, u32 kind)
{
	if (!line->kinds) {
		line->first = kind;
		line->kinds = 1;
	}
	if (line->first == kind)
		line->of_first++;
	else
		line->kinds += count_touched(&s->line_kinds, line->addr, kind);
}

static void touch(struct analysis *a, const struct touch *t)
{
	struct sharing *s = (struct sharing *)a;
	struct line *line;
	bool new;
	u32 i;

	if (!t->chosen)
		return;
	i = hash_get(&s->lines, &t->line, &new);
	line = hash_item(&s->lines, i);
	count(s, &line->counts, t);
	count_cpu(&line->cpus, &s->line_cpus, t->line, t->event->cpu);
	count_kind(s, line, t->place.kind);
	count(s, &s->total, t);
	count_user(s, i, t);
	if (s->addresses)
		count_address(s, i, t);
	pairs_count(&s->pairs, t, s->pair_total);
}

static bool is_shared(const struct line *line)
{
	return line->counts.stores && line->cpus.nr > 1;
}

/* Finds what kind of object has most accesses to each line. */
static void find_kinds(struct sharing *s)
{
	const struct touched *touched;
	struct line *line;
	u32 i, nr = 0;

	for (i = 0; i < s->lines.nr; i++) {
		line = hash_item(&s->lines, i);
		line->most = line->of_first;
		line->kind = line->first;
	}
	for (i = 0; i < s->line_kinds.nr; i++) {
		touched = hash_item(&s->line_kinds, i);
		hash_find(&s->lines, &touched->what, &nr);
		line = hash_item(&s->lines, nr);
		if (touched->records <= line->most)
			continue;
		line->most = touched->records;
		line->kind = touched->by;
	}
}

/* The kind of object that a line is most, and how many others there are. */
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

/*
 * Order of two addresses as texts in hex: that of their first digits, then the shorter one.
 */
static int compare_as_texts(u64 a, u64 b)
{
	int zeros_a = __builtin_clzll(a | 1) & ~3, zeros_b = __builtin_clzll(b | 1) & ~3;
	u64 digits_a = a << zeros_a, digits_b = b << zeros_b;

	if (digits_a != digits_b)
		return digits_a < digits_b ? -1 : 1;
	return zeros_b - zeros_a;
}

/* Most moves first; lines that are equal otherwise are ordered by address, as a text. */
static int compare_lines(const void *left, const void *right, void *data)
{
	const struct hash *lines = data;
	const struct line *a = hash_item(lines, *(const u32 *)left);
	const struct line *b = hash_item(lines, *(const u32 *)right);
	u64 hitm_a = a->counts.local_hitm + a->counts.remote_hitm;
	u64 hitm_b = b->counts.local_hitm + b->counts.remote_hitm;

	if (a->counts.moves != b->counts.moves)
		return a->counts.moves > b->counts.moves ? -1 : 1;
	if (hitm_a != hitm_b)
		return hitm_a > hitm_b ? -1 : 1;
	if (a->counts.records != b->counts.records)
		return a->counts.records > b->counts.records ? -1 : 1;
	return compare_as_texts(a->addr, b->addr);
}

/* Numbers the lines that are shared. */
static void number_lines(struct sharing *s)
{
	u32 i;

	s->shared = kmap_array(NULL, s->lines.nr + 1, sizeof(*s->shared));
	s->nr_shared = 0;
	for (i = 0; i < s->lines.nr; i++)
		if (is_shared(hash_item(&s->lines, i)))
			s->shared[s->nr_shared++] = i;
	qsort_r(s->shared, s->nr_shared, sizeof(*s->shared), compare_lines, &s->lines);
	for (i = 0; i < s->nr_shared; i++)
		((struct line *)hash_item(&s->lines, s->shared[i]))->index = i;
}

static void set_index(const struct sharing *s, u64 *sum, const struct line *line)
{
	sum[INDEX] = line->index;
	sum[RANK] = s->nr_shared - line->index;
}

static bool sum_line(void *data, u32 item, u64 *sum)
{
	const struct sharing *s = data;
	const struct line *line = hash_item(&s->lines, s->shared[item]);
	u64 hitm = s->total.local_hitm + s->total.remote_hitm;

	set_sums(sum, &line->counts);
	set_index(s, sum, line);
	sum[CPUS] = line->cpus.nr;
	if (hitm)
		sum[SHARE] = sum[HITM] * 100000 / hitm;
	return true;
}

static void name_line(void *data, u32 item, struct row *row)
{
	const struct sharing *s = data;
	const struct line *line = hash_item(&s->lines, s->shared[item]);

	row->id = line->addr;
	row->name = address_text(line->addr);
	row->texts[0] = line_object(s, line);
	row->texts[1] = analysis_allocated(&s->a, line->kind);
	row->texts[2] = analysis_type(&s->a, line->kind);
}

static bool sum_user(void *data, u32 item, u64 *sum)
{
	const struct sharing *s = data;
	const struct user *user = hash_item(&s->users, item);
	const struct code *code = hash_item(&s->codes, user->code);
	const struct line *line = hash_item(&s->lines, user->line);

	if (!is_shared(line) || !(s->all || user->counts.moves))
		return false;
	set_sums(sum, &user->counts);
	set_index(s, sum, line);
	sum[CPUS] = user->cpus.nr;
	sum[OFFSET] = code->offset;
	return true;
}

static void name_user(void *data, u32 item, struct row *row)
{
	const struct sharing *s = data;
	const struct user *user = hash_item(&s->users, item);
	const struct code *code = hash_item(&s->codes, user->code);

	row->name = address_text(((const struct line *)hash_item(&s->lines, user->line))->addr);
	analysis_code_source(&s->a, code->ip, row->texts, row->texts + 2);
	row->texts[1] = analysis_object(&s->a, code->kind);
	row->texts[3] = analysis_allocated(&s->a, code->kind);
	analysis_name(&s->a, row->texts + 4, code->name);
}

static bool sum_address(void *data, u32 item, u64 *sum)
{
	const struct sharing *s = data;
	const struct address *address = hash_item(&s->places, item);
	const struct toucher_at *by = hash_item(&s->touchers, address->by);
	const struct line *line = hash_item(&s->lines, address->line);

	if (!is_shared(line))
		return false;
	set_index(s, sum, line);
	sum[RECORDS] = address->records;
	sum[LOADS] = address->loads;
	sum[STORES] = address->stores;
	sum[MOVES] = address->moves;
	sum[CPU] = by->cpu;
	return true;
}

static void name_address(void *data, u32 item, struct row *row)
{
	const struct sharing *s = data;
	const struct address *address = hash_item(&s->places, item);
	const struct toucher_at *by = hash_item(&s->touchers, address->by);
	const struct spot *spot = analysis_spot(&s->a, by->spot);
	const struct line *line = hash_item(&s->lines, address->line);

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
		.nr = s->places.nr, .metrics = SUMS, .sum = sum_address, .name = name_address,
		.data = s,
	};

	analysis_rows(&s->a, &t, &items, RANK);
}

static void print(struct analysis *a)
{
	struct sharing *s = (struct sharing *)a;

	find_kinds(s);
	number_lines(s);
	analysis_sum(a, "Accesses to lines", "records", s->total.records);
	analysis_sum(a, "  loads", "loads", s->total.loads);
	analysis_sum(a, "  stores", "stores", s->total.stores);
	analysis_sum(a, "Lines moved", "moves", s->total.moves);
	analysis_sum(a, "  loads of what another CPU changed", "hitm",
		     s->total.local_hitm + s->total.remote_hitm);
	analysis_sum(a, "  because of a known access", "known", s->pair_total[PAIR_MOVES]);
	analysis_sum(a, "    to the same bytes", "true_sharing", s->pair_total[PAIR_TRUE]);
	analysis_sum(a, "    to others", "false_sharing", s->pair_total[PAIR_FALSE]);
	analysis_sum(a, "    to the same bytes of what was freed", "reused",
		     s->pair_total[PAIR_REUSED]);
	analysis_sum(a, "Lines accessed", "lines_accessed", s->lines.nr);
	print_lines(s);
	print_users(s);
	pairs_print(a, &s->pairs, "WHO MOVES WHAT, BECAUSE OF WHOM", "pairs", PAIR_MOVES);
	if (s->addresses)
		print_addresses(s);
}

static bool set_option(struct analysis *a, int option, const char *arg)
{
	struct sharing *s = (struct sharing *)a;

	if (option == 'l')
		return analysis_number(a, "--line", arg, 1, 4096, &a->line_size);
	s->addresses |= option == 'a';
	s->all |= option == 'A';
	return true;
}

static int run(int argc, char **argv)
{
	static const struct analysis_ops ops = {
		.command = &command_sharing, .shorts = "aAl:", .options = options,
		.sort = "moves", .option = set_option, .init = init, .release = release,
		.touch = touch, .wanted = { WANTED_TOUCHES },
		.print = print,
	};
	struct sharing s = { .a = { .ops = &ops, .touches = TOUCH_LINES } };

	return analysis_run(&s.a, argc, argv);
}

const struct command command_sharing = {
	.name = "sharing",
	.summary = "tell which cache lines move between CPUs, of which objects, by whom",
	.usage = usage,
	.run = run,
};
