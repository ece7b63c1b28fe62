// SPDX-License-Identifier: GPL-2.0
/*
 * Columns of tables, by their keys in JSON: which of them add up, and by which --sort orders rows.
 *
 * What adds up is an amount or a number of events, so that the sum over the rows that --top
 * leaves out means something. A position, an extreme, a mean or a rate does not add up; nor does
 * a number of distinct things, such as functions, that several rows may have in common.
 */
#include <string.h>

#include "report/columns.h"

/*
 * A column: its key, those of its shares and rates, whether it adds up, and other names that
 * --sort has for it. If several columns of a table have such a name, the first of them here counts.
 * A level, such as what is live, adds up and has no rate.
 */
static const struct known_column {
	const char *key, *percent, *rate;
	bool adds_up;
	const char *names[3];
} columns[] = {
#define SUM(key, ...)	{ key, key "_percent", key "_rate", true, { __VA_ARGS__ } }
#define LEVEL(key, ...)	{ key, key "_percent", NULL, true, { __VA_ARGS__ } }
#define OTHER(key, ...)	{ key, NULL, NULL, false, { __VA_ARGS__ } }
	SUM("accesses"),
	OTHER("after"),
	SUM("allocs"),
	OTHER("average"),
	OTHER("before"),
	SUM("best"),
	OTHER("best_offset"),
	SUM("bytes_alloc", "bytes"),
	SUM("bytes", "req"),
	SUM("bytes_req", "req", "bytes"),
	LEVEL("live_bytes", "live", "bytes"),
	SUM("bytes_freed", "freed", "bytes"),
	SUM("page_bytes", "bytes"),
	SUM("calls"),
	SUM("capacity"),
	SUM("cold"),
	SUM("conflict"),
	SUM("conflicts"),
	SUM("contended"),
	OTHER("cpu"),
	OTHER("cpus"),
	SUM("cross_cpu", "cross", "pingpong"),
	SUM("cross_node", "node"),
	OTHER("distinct"),
	SUM("entries"),
	SUM("events"),
	SUM("false_sharing"),
	OTHER("first"),
	OTHER("frag"),
	SUM("frees", "freed"),
	OTHER("functions"),
	SUM("held"),
	OTHER("held_most"),
	SUM("hit", "objects"),
	SUM("hitm"),
	OTHER("hitm_share"),
	OTHER("index"),
	OTHER("life"),
	OTHER("line"),
	OTHER("lines"),
	LEVEL("live"),
	LEVEL("live_uncertain"),
	SUM("loads"),
	SUM("local_hitm"),
	SUM("locks"),
	SUM("longer"),
	SUM("lost"),
	LEVEL("members"),
	SUM("misses"),
	OTHER("most_pids", "pids"),
	SUM("moves"),
	OTHER("object_size"),
	SUM("objects", "hit"),
	SUM("of_others"),
	OTHER("offset"),
	OTHER("oldest", "age"),
	SUM("page_hit"),
	OTHER("pid"),
	OTHER("pids"),
	SUM("pingpong", "cross"),
	SUM("reads"),
	SUM("records"),
	SUM("remote_hitm"),
	SUM("reused"),
	OTHER("share"),
	SUM("shared"),
	SUM("shared_held"),
	OTHER("sites"),
	OTHER("size"),
	SUM("stores"),
	SUM("stores_hit"),
	SUM("stores_missed"),
	SUM("taken"),
	OTHER("touched"),
	SUM("traffic"),
	SUM("true_sharing"),
	SUM("unknown"),
	LEVEL("unnamed"),
	LEVEL("untouched"),
	SUM("waited"),
	OTHER("waited_most"),
	SUM("windows"),
	SUM("with_conflicts"),
	SUM("with_lines"),
	SUM("worst"),
	OTHER("worst_offset"),
	SUM("writes"),
	OTHER("youngest"),
#undef SUM
#undef LEVEL
#undef OTHER
};

/* What may be behind the key of a column: of diff the first two, and for what is relative. */
static const char * const suffixes[] = { "_before", "_change", "_percent", "_rate" };

static const struct known_column *find_base(const char *key, size_t len)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(columns); i++)
		if (!strncmp(columns[i].key, key, len) && !columns[i].key[len])
			return columns + i;
	return NULL;
}

/* The column of a key; @relative is set if that is of its shares or rates. */
static const struct known_column *find(const char *key, bool *relative)
{
	size_t len = strlen(key), i, suffix;
	const struct known_column *c;

	*relative = false;
	for (i = 0; i < ARRAY_SIZE(suffixes); i++) {
		c = find_base(key, len);
		if (c)
			return c;
		suffix = strlen(suffixes[i]);
		if (len <= suffix || strncmp(key + len - suffix, suffixes[i], suffix))
			continue;
		*relative |= i > 1;
		len -= suffix;
	}
	return find_base(key, len);
}

static bool has_name(const struct known_column *c, const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(c->names) && c->names[i]; i++)
		if (!strcmp(c->names[i], name))
			return true;
	return false;
}

/**
 * columns_add_up - find out whether the numbers of a column can be added up
 * @key: the column's key
 *
 * Return: whether they can.
 */
bool columns_add_up(const char *key)
{
	bool relative;
	const struct known_column *c = find(key, &relative);

	return c && c->adds_up && !relative;
}

/**
 * columns_percent - name the column of the shares of another one
 * @key: key of that, which adds up
 *
 * Return: its key.
 */
const char *columns_percent(const char *key)
{
	return find_base(key, strlen(key))->percent;
}

/**
 * columns_rate - name the column of the rates of another one
 * @key: key of that, which adds up
 *
 * Return: its key, NULL if it makes no sense.
 */
const char *columns_rate(const char *key)
{
	return find_base(key, strlen(key))->rate;
}

/**
 * columns_known - find out whether --sort takes a key
 * @key: the key of a column, or another name for it
 *
 * Return: whether it does; a table need not have such a column.
 */
bool columns_known(const char *key)
{
	bool relative;
	size_t i;

	if (find(key, &relative))
		return true;
	for (i = 0; i < ARRAY_SIZE(columns); i++)
		if (has_name(columns + i, key))
			return true;
	return false;
}

static const struct column *column_of(const struct table *t, const char *key)
{
	const struct column *c;

	for (c = t->columns; c->title; c++)
		if (!strcmp(c->key, key))
			return c;
	return NULL;
}

/**
 * columns_sort - find the column of a table that --sort asks for
 * @t: the table
 * @key: the argument of --sort
 * @plus: set to a column that is to be added to it, or NULL: accesses are reads and writes
 *
 * Return: the column, or NULL if the table has none.
 */
const struct column *columns_sort(const struct table *t, const char *key,
				  const struct column **plus)
{
	const struct column *c = column_of(t, key);
	size_t i;

	*plus = NULL;
	for (i = 0; !c && i < ARRAY_SIZE(columns); i++)
		if (has_name(columns + i, key))
			c = column_of(t, columns[i].key);
	if (c || strcmp(key, "accesses"))
		return c;
	*plus = column_of(t, "writes");
	return *plus ? column_of(t, "reads") : NULL;
}
