// SPDX-License-Identifier: GPL-2.0
/*
 * Properties of table columns, by their keys in JSON: which ones have sums, and which ones
 * --sort accepts.
 *
 * Amounts and numbers of events have sums, so that the sum over the rows that --top omits is
 * meaningful. Positions, extremes, means and rates have none, and neither do numbers of
 * distinct things, such as functions, that several rows may share.
 */
#include <string.h>

#include "report/columns.h"

/*
 * A column: its key, the keys of its shares and rates, whether it has a sum, and other names that
 * --sort accepts. If several columns of a table match a name, the first one here is used. A
 * level, such as live bytes, has a sum but no rate.
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
	SUM("allowed"),
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
	OTHER("callers"),
	SUM("call_over"),
	SUM("calls"),
	SUM("capacity"),
	SUM("cold"),
	OTHER("children_bytes", "bytes", "req"),
	OTHER("children_live", "live"),
	OTHER("children_live_bytes"),
	OTHER("children_objects", "objects", "hit"),
	OTHER("compartments"),
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
	OTHER("factor"),
	SUM("false_sharing"),
	OTHER("first"),
	OTHER("frag"),
	SUM("free_over"),
	SUM("frees", "freed"),
	OTHER("functions"),
	SUM("held"),
	OTHER("held_most"),
	SUM("hit", "objects"),
	SUM("hitm"),
	OTHER("hitm_share"),
	OTHER("index"),
	SUM("least"),
	OTHER("least_psr"),
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
	SUM("monolithic"),
	OTHER("most_pids", "pids"),
	SUM("moves"),
	OTHER("object_size"),
	SUM("objects", "hit"),
	SUM("of_others"),
	OTHER("offset"),
	OTHER("oldest", "age"),
	SUM("over"),
	SUM("page_hit"),
	OTHER("pid"),
	OTHER("pids"),
	SUM("pingpong", "cross"),
	OTHER("psr"),
	SUM("read_over"),
	SUM("reads"),
	SUM("records"),
	SUM("remote_hitm"),
	SUM("return_over"),
	SUM("reused"),
	OTHER("saved"),
	SUM("self_bytes"),
	LEVEL("self_live"),
	LEVEL("self_live_bytes"),
	SUM("self_objects"),
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
	SUM("write_over"),
	SUM("writes"),
	OTHER("youngest"),
#undef SUM
#undef LEVEL
#undef OTHER
};

/* Suffixes of keys: the first two in diff, the others for shares and rates. */
static const char * const suffixes[] = { "_before", "_change", "_percent", "_rate" };

static const struct known_column *find_base(const char *key, size_t len)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(columns); i++)
		if (!strncmp(columns[i].key, key, len) && !columns[i].key[len])
			return columns + i;
	return NULL;
}

/* Look up the column of a key. @relative: the key is that of its shares or rates. */
static const struct known_column *find(const char *key, bool *relative)
{
	size_t len = strlen(key), i, suffix;
	const struct known_column *c;

	*relative = false;
	/* diff appends its suffix to that of a share or a rate, so it is removed first. */
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
 * columns_add_up - check whether a column has a sum
 * @key: the key of the column
 *
 * Return: true if it has.
 */
bool columns_add_up(const char *key)
{
	bool relative;
	const struct known_column *c = find(key, &relative);

	return c && c->adds_up && !relative;
}

/**
 * columns_percent - get the key of a column's shares
 * @key: the key of the column, which has a sum
 *
 * Return: the key of the shares.
 */
const char *columns_percent(const char *key)
{
	return find_base(key, strlen(key))->percent;
}

/**
 * columns_rate - get the key of a column's rates
 * @key: the key of the column, which has a sum
 *
 * Return: the key of the rates; NULL if the column is a level.
 */
const char *columns_rate(const char *key)
{
	return find_base(key, strlen(key))->rate;
}

/**
 * columns_known - check the argument of --sort
 * @key: the argument
 *
 * Return: true if it is the key or another name of a column; not every table has it.
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
 * columns_sort - find the column of a table to sort by
 * @t: the table
 * @key: the argument of --sort
 * @plus: set to a column to add, as writes to reads for accesses; or NULL
 *
 * Return: the column; NULL if the table does not have it.
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
