// SPDX-License-Identifier: GPL-2.0
/* Pairs of accesses by two CPUs: the later one moved a line because of the earlier one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/pairs.h"

/*
 * Spots and instructions of both accesses. Bits of @how: the later one stores, the earlier one
 * did.
 */
struct pair {
	u64 spots, ip, before, how;
	u64 sum[PAIR_SUMS];
};

/**
 * pairs_init - initialize the pairs
 * @pairs: the pairs
 */
void pairs_init(struct hash *pairs)
{
	hash_init(pairs, sizeof(struct pair), offsetof(struct pair, sum));
}

/**
 * pairs_count - count an access if it moved a line
 * @pairs: the pairs
 * @t: the access
 * @total: sums over all pairs
 *
 * Return: whether it moved a line because of a known access of another CPU.
 */
bool pairs_count(struct hash *pairs, const struct touch *t, u64 total[PAIR_SUMS])
{
	const struct toucher *before = &t->moved.before;
	struct pair key = {
		.spots = (u64)t->spot << 32 | before->data, .ip = t->ip, .before = before->ip,
		.how = 2 * t->writes + before->writes,
	};
	/* The same bytes of another object: the memory was freed and allocated in between. */
	enum pair_sum how = !t->moved.same ? PAIR_FALSE :
		before->object == t->place.object ? PAIR_TRUE : PAIR_REUSED;
	struct pair *pair;
	bool new;

	if (!t->moved.moves || !t->moved.by_other)
		return false;
	pair = hash_item(pairs, hash_get(pairs, &key, &new));
	pair->sum[PAIR_MOVES]++;
	pair->sum[PAIR_HITM] += t->moved.hitm;
	pair->sum[how]++;
	total[PAIR_MOVES]++;
	total[PAIR_HITM] += t->moved.hitm;
	total[how]++;
	return true;
}

/* Describe an access of the pair: code, direction, bytes of the object, source line. */
static void describe(const struct analysis *a, u64 ip, bool writes, char **texts)
{
	char *code;

	analysis_code_source(a, ip, &code, texts + 1);
	if (asprintf(texts, "%s %c", code, writes ? 'W' : 'R') < 0)
		abort();
	free(code);
}

/* The pairs to show: those with a sum that is not 0. */
struct shown {
	const struct analysis *a;
	const struct hash *pairs;
	enum pair_sum sum;
};

static bool sum_pair(void *data, u32 item, u64 *sum)
{
	const struct shown *shown = data;
	const struct pair *pair = hash_item(shown->pairs, item);

	memcpy(sum, pair->sum, sizeof(pair->sum));
	return sum[shown->sum];
}

static void name_pair(void *data, u32 item, struct row *row)
{
	const struct shown *shown = data;
	const struct analysis *a = shown->a;
	const struct pair *pair = hash_item(shown->pairs, item);
	u32 spot = pair->spots >> 32, before = pair->spots;

	row->name = analysis_where(a, spot);
	row->texts[0] = analysis_allocated(a, analysis_spot(a, spot)->kind);
	describe(a, pair->ip, pair->how & 2, row->texts + 1);
	row->texts[3] = analysis_where(a, before);
	describe(a, pair->before, pair->how & 1, row->texts + 4);
	analysis_name(a, row->texts + 6, analysis_spot(a, spot)->name);
	analysis_name(a, row->texts + 8, analysis_spot(a, before)->name);
}

/**
 * pairs_print - print a table of pairs
 * @a: the analysis
 * @pairs: the pairs
 * @title: title of the table
 * @key: key of the table
 * @sum: the sum to sort by; pairs without it are omitted
 */
void pairs_print(struct analysis *a, const struct hash *pairs, const char *title,
		 const char *key, enum pair_sum sum)
{
	struct table t = {
		.title = title, .key = key, .name_title = "Object", .name_key = "object",
		.texts = {
			{ "Allocated by", "site" }, { "Moved by", "code" }, { "Source", "source" },
			{ "Before", "before_object" }, { "Before by", "before_code" },
			{ "Before source", "before_source" }, NAMED_TYPE,
			NAMED_FIELD, { "Before type", "before_type" },
			{ "Before field", "before_field" },
		},
		.then = { PAIR_MOVES, PAIR_HITM },
		.columns = {
			{ "Moves", "moves", PAIR_MOVES, CELL_NUMBER, 0 },
			{ "Hitm", "hitm", PAIR_HITM, CELL_NUMBER, 0 },
			{ "True", "true_sharing", PAIR_TRUE, CELL_NUMBER, 0 },
			{ "False", "false_sharing", PAIR_FALSE, CELL_NUMBER, 0 },
			{ "Reused", "reused", PAIR_REUSED, CELL_NUMBER, 0 },
		},
	};
	struct shown shown = { a, pairs, sum };
	struct row_items items = {
		.nr = pairs->nr, .metrics = PAIR_SUMS, .sum = sum_pair, .name = name_pair,
		.data = &shown,
	};

	analysis_rows(a, &t, &items, sum);
}
