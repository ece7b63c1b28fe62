// SPDX-License-Identifier: GPL-2.0
/*
 * memorizer sharing: cache lines that one CPU writes and another one touches, as perf c2c report
 * shows them, beside the objects that they belong to and the code on both sides.
 */
#include <stdio.h>
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

/* What is counted of a line, of code that touches it, and of an address. */
enum sum {
	RECORDS, LOADS, STORES, MOVES, HITM, LOCAL_HITM, REMOTE_HITM, L1_HIT, L1_MISS, CPUS,
	SHARE,			/* of all HITM, in thousandths of a percent */
	OFFSET, CPU, INDEX,
	RANK,			/* the larger, the smaller INDEX */
	SUMS
};

/* A line. */
struct line {
	u64 addr;
	u64 sum[SUMS];
	u64 most;		/* accesses to the kind of object that has most of them */
	u32 kind, kinds;	/* which that is, and how many there are */
};

/* Accesses to a line by an instruction at an offset, to a kind of object, under a name. */
struct user {
	u64 line, ip, offset, kind, name;
	u64 sum[SUMS];
};

/* Accesses to an address. */
struct address {
	u64 addr, ip, cpu, line, spot;
	u64 sum[SUMS];
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
 * @users: struct user
 * @line_cpus: struct touched: lines by CPUs
 * @user_cpus: likewise, numbers of users by CPUs
 * @line_kinds: likewise, lines by kinds of objects
 * @places: struct address
 * @pairs: see pairs.h
 * @total: sums over all
 * @pair_total: likewise
 */
struct sharing {
	struct analysis a;
	bool addresses, all;
	struct hash lines, users, line_cpus, user_cpus, line_kinds, places, pairs;
	u64 total[SUMS], pair_total[PAIR_SUMS];
};

static void init(struct analysis *a)
{
	struct sharing *s = (struct sharing *)a;

	hash_init(&s->lines, sizeof(struct line), sizeof(u64));
	hash_init(&s->users, sizeof(struct user), offsetof(struct user, sum));
	hash_init(&s->line_cpus, sizeof(struct touched), 2 * sizeof(u64));
	hash_init(&s->user_cpus, sizeof(struct touched), 2 * sizeof(u64));
	hash_init(&s->line_kinds, sizeof(struct touched), 2 * sizeof(u64));
	hash_init(&s->places, sizeof(struct address), offsetof(struct address, sum));
	pairs_init(&s->pairs);
	memset(s->total, 0, sizeof(s->total));
	memset(s->pair_total, 0, sizeof(s->pair_total));
}

static void release(struct analysis *a)
{
	struct sharing *s = (struct sharing *)a;

	hash_free(&s->lines);
	hash_free(&s->users);
	hash_free(&s->line_cpus);
	hash_free(&s->user_cpus);
	hash_free(&s->line_kinds);
	hash_free(&s->places);
	hash_free(&s->pairs);
}

/* Counts @by for @what; returns whether it is new. */
static bool count_touched(struct hash *h, u64 what, u64 by)
{
	u64 key[2] = { what, by };
	bool new;

	((struct touched *)hash_item(h, hash_get(h, key, &new)))->records++;
	return new;
}

static void count(const struct sharing *s, u64 *sum, const struct touch *t)
{
	u32 node = analysis_node(&s->a, t->event->cpu);
	bool remote = t->moved.from >= 0 && analysis_node(&s->a, t->moved.from) != node;

	sum[RECORDS]++;
	sum[LOADS] += t->reads;
	sum[STORES] += t->writes;
	sum[MOVES] += t->moved.moves;
	sum[HITM] += t->moved.hitm;
	sum[REMOTE_HITM] += t->moved.hitm && remote;
	sum[LOCAL_HITM] += t->moved.hitm && !remote;
	sum[L1_MISS] += t->writes && t->moved.moves;
	sum[L1_HIT] += t->writes && !t->moved.moves;
}

static void count_user(struct sharing *s, const struct touch *t)
{
	struct user key = {
		.line = t->line, .ip = t->ip, .offset = t->first, .kind = t->place.kind,
		.name = analysis_called(&s->a, t),
	}, *user;
	bool new;
	u32 i = hash_get(&s->users, &key, &new);

	user = hash_item(&s->users, i);
	count(s, user->sum, t);
	user->sum[CPUS] += count_touched(&s->user_cpus, i, t->event->cpu);
}

static void count_address(struct sharing *s, const struct touch *t)
{
	struct address key = {
		.addr = t->line + t->first, .ip = t->ip, .cpu = t->event->cpu, .line = t->line,
		.spot = t->spot,
	};
	bool new;

	count(s, ((struct address *)hash_item(&s->places,
					      hash_get(&s->places, &key, &new)))->sum, t);
}

static void touch(struct analysis *a, const struct touch *t)
{
	struct sharing *s = (struct sharing *)a;
	struct line *line;
	bool new;

	if (!t->chosen)
		return;
	line = hash_item(&s->lines, hash_get(&s->lines, &t->line, &new));
	count(s, line->sum, t);
	line->sum[CPUS] += count_touched(&s->line_cpus, t->line, t->event->cpu);
	line->kinds += count_touched(&s->line_kinds, t->line, t->place.kind);
	count(s, s->total, t);
	count_user(s, t);
	if (s->addresses)
		count_address(s, t);
	pairs_count(&s->pairs, t, s->pair_total);
}

static bool is_shared(const struct line *line)
{
	return line->sum[STORES] && line->sum[CPUS] > 1;
}

static const struct line *find_line(const struct sharing *s, u64 addr)
{
	u32 i = 0;

	hash_find(&s->lines, &addr, &i);
	return hash_item(&s->lines, i);
}

/* Finds what kind of object has most accesses to each line. */
static void find_kinds(struct sharing *s)
{
	const struct touched *touched;
	struct line *line;
	u32 i, nr;

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

/* Lines are numbered in the order of this table. */
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
	struct line *line;
	struct row *row;
	u32 i;

	t.rows = kmap_array(NULL, s->lines.nr + 1, sizeof(*t.rows));
	for (i = 0; i < s->lines.nr; i++) {
		line = hash_item(&s->lines, i);
		if (!is_shared(line))
			continue;
		if (s->total[HITM])
			line->sum[SHARE] = line->sum[HITM] * 100000 / s->total[HITM];
		row = t.rows + t.nr++;
		*row = (struct row){ .id = line->addr, .name = address_text(line->addr),
				     .sum = line->sum };
		row->texts[0] = line_object(s, line);
		row->texts[1] = analysis_allocated(&s->a, line->kind);
		row->texts[2] = analysis_type(&s->a, line->kind);
	}
	table_sort(&t, &(struct table_order){ .key = NULL }, MOVES);
	for (i = 0; i < t.nr; i++) {
		line = (struct line *)find_line(s, t.rows[i].id);
		line->sum[INDEX] = i;
		line->sum[RANK] = t.nr - i;
	}
	analysis_sum(&s->a, "Lines that are shared", "shared_lines", t.nr);
	analysis_table(&s->a, &t, MOVES);
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
	const struct line *line;
	struct user *user;
	struct row *row;
	u32 i;

	t.rows = kmap_array(NULL, s->users.nr + 1, sizeof(*t.rows));
	for (i = 0; i < s->users.nr; i++) {
		user = hash_item(&s->users, i);
		line = find_line(s, user->line);
		if (!is_shared(line) || !(s->all || user->sum[MOVES]))
			continue;
		user->sum[INDEX] = line->sum[INDEX];
		user->sum[RANK] = line->sum[RANK];
		user->sum[OFFSET] = user->offset;
		row = t.rows + t.nr++;
		*row = (struct row){ .name = address_text(user->line), .sum = user->sum };
		analysis_code_source(&s->a, user->ip, row->texts, row->texts + 2);
		row->texts[1] = analysis_object(&s->a, user->kind);
		row->texts[3] = analysis_allocated(&s->a, user->kind);
		analysis_name(&s->a, row->texts + 4, user->name);
	}
	analysis_table(&s->a, &t, RANK);
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
	const struct line *line;
	struct address *address;
	struct row *row;
	u32 i, kind;

	t.rows = kmap_array(NULL, s->places.nr + 1, sizeof(*t.rows));
	for (i = 0; i < s->places.nr; i++) {
		address = hash_item(&s->places, i);
		line = find_line(s, address->line);
		if (!is_shared(line))
			continue;
		address->sum[CPU] = address->cpu;
		address->sum[RANK] = line->sum[RANK];
		row = t.rows + t.nr++;
		*row = (struct row){ .name = address_text(address->addr), .sum = address->sum };
		row->texts[0] = analysis_where(&s->a, address->spot);
		kind = analysis_spot(&s->a, address->spot)->kind;
		row->texts[1] = analysis_allocated(&s->a, kind);
		analysis_code_source(&s->a, address->ip, row->texts + 2, row->texts + 3);
		analysis_name(&s->a, row->texts + 4, analysis_spot(&s->a, address->spot)->name);
	}
	analysis_table(&s->a, &t, RANK);
}

static void print(struct analysis *a)
{
	struct sharing *s = (struct sharing *)a;

	find_kinds(s);
	analysis_sum(a, "Accesses to lines", "records", s->total[RECORDS]);
	analysis_sum(a, "  loads", "loads", s->total[LOADS]);
	analysis_sum(a, "  stores", "stores", s->total[STORES]);
	analysis_sum(a, "Lines moved", "moves", s->total[MOVES]);
	analysis_sum(a, "  loads of what another CPU changed", "hitm", s->total[HITM]);
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
