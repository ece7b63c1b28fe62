// SPDX-License-Identifier: GPL-2.0
/*
 * Sums by record and member, under all names of an access (see aliases.c), and the members
 * without named accesses.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/texts.h"
#include "report/sums.h"
#include "symbols/members.h"
#include "symbols/notes.h"

/**
 * struct targets - the items that accesses count for, by alias
 * @k: the sums
 * @source: streamed or counted accesses
 * @items: struct field or struct type, which begin alike
 * @once: an access counts for its outermost alias only
 * @first: index of an alias's first item in @item
 * @item: items, grouped by alias
 * @nr: number of items
 */
struct targets {
	struct sums *k;
	enum access_source source;
	struct hash *items;
	bool once;
	u32 *first, *item, nr;
};

static void init_targets(struct targets *t, struct sums *k, enum access_source source,
			 struct hash *items)
{
	*t = (struct targets){ .k = k, .source = source, .items = items };
	t->first = xreallocarray(NULL, k->aliases[source].nr + 1, sizeof(*t->first));
	memset(t->first, 0, (k->aliases[source].nr + 1) * sizeof(*t->first));
}

static void free_targets(struct targets *t)
{
	free(t->first);
	free(t->item);
}

/* Add an item to an alias. Aliases must come in ascending order. */
static void add_target(struct targets *t, u32 alias, u64 key, u32 offset)
{
	struct field *field;
	bool new;
	u32 i = hash_get(t->items, &key, &new);

	field = hash_item(t->items, i);
	if (new || field->sum[SUM_OFFSET] == NOTE_ANYWHERE)
		field->sum[SUM_OFFSET] = offset;
	/* The array is full at each power of two. */
	if (!(t->nr & (t->nr - 1)))
		t->item = xreallocarray(t->item, t->nr ? 2 * (size_t)t->nr : 1, sizeof(*t->item));
	t->item[t->nr++] = i;
	t->first[alias + 1] = t->nr;
}

/* Call a function for each item that the accesses of @noted count for. */
static void visit(struct targets *t, u32 noted,
		  void (*count)(struct targets *t, u32 item, const void *data), const void *data)
{
	const struct noted *n = hash_item(t->k->noted + t->source, noted);
	const struct aliases *a = t->k->aliases + t->source;
	u32 alias, nr = aliases_get(a, n->names, &alias), i;

	if (t->once) {
		alias = aliases_outermost(a, n->names);
		nr = 1;
	}
	for (i = t->first[alias]; i < t->first[alias + nr]; i++)
		count(t, t->item[i], data);
}

static void add_sums(struct targets *t, u32 item, const void *data)
{
	const struct noted *noted = data;
	struct field *field = hash_item(t->items, item);
	int m;

	for (m = SUM_READS; m <= SUM_MOVES; m++)
		sums_add(t->k, field->sum + m, noted->sum[m]);
}

/* A function, pid or CPU that accesses an item. */
struct party {
	struct hash seen;	/* pairs of item and party */
	enum metric metric;
	u32 nr;
};

static void add_party(struct targets *t, u32 item, const void *data)
{
	struct party *p = (void *)data;
	u64 key = (u64)item << 32 | p->nr;
	struct field *field = hash_item(t->items, item);
	bool new;

	hash_get(&p->seen, &key, &new);
	field->sum[p->metric] += new;
}

/* Count the parties that access each item. @pairs has pairs of struct noted and party. */
static void count_parties(struct targets *t, const struct hash *pairs, enum metric metric)
{
	struct party p = { .metric = metric };
	u64 key;
	u32 i;

	hash_init(&p.seen, sizeof(u64), sizeof(u64));
	for (i = 0; i < pairs->nr; i++) {
		key = *(const u64 *)hash_item(pairs, i);
		p.nr = key;
		visit(t, key >> 32, add_party, &p);
	}
	hash_free(&p.seen);
}

static void count_functions(struct targets *t)
{
	const struct hash *noted = t->k->noted + t->source;
	const struct access_ip *ip;
	struct hash pairs;
	bool new;
	u64 key;
	u32 i;

	hash_init(&pairs, sizeof(u64), sizeof(u64));
	for (i = 0; i < noted->nr; i++) {
		key = ((const struct noted *)hash_item(noted, i))->key;
		ip = hash_item(t->k->ips + t->source, key >> 32);
		key = (u64)i << 32 | ip->function;
		hash_get(&pairs, &key, &new);
	}
	count_parties(t, &pairs, SUM_FUNCTIONS);
	hash_free(&pairs);
}

/* Count accesses to members, and their functions, pids and CPUs. */
static void count_targets(struct targets *t)
{
	const struct hash *noted = t->k->noted + t->source;
	u32 i;

	for (i = 0; i < noted->nr; i++)
		visit(t, i, add_sums, hash_item(noted, i));
	count_functions(t);
	count_parties(t, t->k->noted_pids + t->source, SUM_PIDS);
	if (t->source == ACCESS_STREAMED)
		count_parties(t, &t->k->noted_cpus, SUM_CPUS);
}

static u64 key_of(const struct alias *alias)
{
	return (u64)alias->type << 32 | alias->path;
}

static void count_fields(struct sums *k, enum access_source source, struct hash *fields, bool once)
{
	const struct alias *alias;
	struct targets t;
	u32 i;

	init_targets(&t, k, source, fields);
	t.once = once;
	for (i = 0; i < k->aliases[source].nr; i++) {
		alias = k->aliases[source].all + i;
		add_target(&t, i, key_of(alias), alias->offset);
	}
	count_targets(&t);
	free_targets(&t);
}

static void count_types(struct sums *k, enum access_source source, struct hash *types)
{
	const struct hash *noted = k->noted + source;
	struct targets t;
	u32 i;

	init_targets(&t, k, source, types);
	for (i = 0; i < k->aliases[source].nr; i++)
		add_target(&t, i, k->aliases[source].all[i].type, 0);
	for (i = 0; i < noted->nr; i++)
		visit(&t, i, add_sums, hash_item(noted, i));
	if (source == ACCESS_STREAMED)
		count_parties(&t, &k->noted_cpus, SUM_CPUS);
	free_targets(&t);
}

static void count_users(struct sums *k, enum access_source source)
{
	const struct access_ip *ip;
	const struct noted *noted;
	u32 i, j, first, nr, field;
	struct touch *user;
	bool new;
	u64 key;
	int m;

	for (i = 0; i < k->noted[source].nr; i++) {
		noted = hash_item(k->noted + source, i);
		ip = hash_item(k->ips + source, noted->key >> 32);
		nr = aliases_get(k->aliases + source, noted->names, &first);
		for (j = first; j < first + nr; j++) {
			key = key_of(k->aliases[source].all + j);
			field = hash_get(k->fields + source, &key, &new);
			key = (u64)field << 32 | ip->function;
			user = hash_item(k->users + source,
					 hash_get(k->users + source, &key, &new));
			for (m = SUM_READS; m <= SUM_MOVES; m++)
				sums_add(k, user->sum + m, noted->sum[m]);
		}
	}
}

static void find_names(struct sums *k, enum access_source source)
{
	struct noted *noted;
	struct named named;
	u32 i;

	for (i = 0; i < k->noted[source].nr; i++) {
		noted = hash_item(k->noted + source, i);
		named = sums_named(k, source, noted);
		noted->names = sums_aliases(k, source, &named,
					    sums_object_type(k, source, noted->key));
	}
}

/* The table also has names that the filter excludes. */
static bool is_accessed(const struct field *field)
{
	return field->sum[SUM_ACCESSES] || field->sum[SUM_MOVES];
}

/* Mark the accessed members. */
static void mark_members(struct sums *k, enum access_source source, const struct record *record,
			 struct type *type, bool *named)
{
	const struct hash *fields = k->fields + source;
	const struct field *field;
	u32 i;

	for (i = 0; i < fields->nr; i++) {
		field = hash_item(fields, i);
		if (field->key >> 32 != type->name || !is_accessed(field))
			continue;
		if ((u32)field->key)
			members_mark(record, texts_get(&k->names, (u32)field->key), named);
		else
			sums_add(k, type->sum + SUM_UNNAMED, field->sum[SUM_ACCESSES]);
	}
}

/* Count the members of a type, and collect those without named accesses. */
static void count_members(struct sums *k, enum access_source source, struct type *type)
{
	struct record record;
	struct field *field;
	const char *name = texts_get(&k->names, type->name);
	bool new, *named;
	u64 key;
	u32 i;

	if (!type->name || !notes_record(kmap_symbols_notes(k->symbols), name, &record))
		return;
	named = xreallocarray(NULL, record.nr + 1, sizeof(*named));
	memset(named, 0, (record.nr + 1) * sizeof(*named));
	mark_members(k, source, &record, type, named);
	for (i = 0; i < record.nr; i++) {
		if (!members_is_leaf(&record, i))
			continue;
		type->sum[SUM_MEMBERS]++;
		if (named[i])
			continue;
		type->sum[SUM_UNTOUCHED]++;
		/* Of a type without accesses, the list would have all members. */
		if (!type->sum[SUM_ACCESSES])
			continue;
		key = type->name << 32 | sums_name(k, record.members[i].path);
		field = hash_item(k->untouched + source,
				  hash_get(k->untouched + source, &key, &new));
		field->sum[SUM_OFFSET] = record.members[i].offset / 8;
		field->sum[SUM_OBJECT_SIZE] = (record.members[i].size + 7) / 8;
	}
	free(named);
	notes_record_free(&record);
}

/* Let an alias count for its member and the members around it. */
static void add_containers(struct targets *t, u32 i)
{
	const struct alias *alias = t->k->aliases[t->source].all + i;
	char path[TEXTS_MAX], rest[TEXTS_MAX];
	struct record record;
	const struct member *m;
	u64 type = (u64)alias->type << 32;
	u32 j;

	add_target(t, i, key_of(alias), alias->offset);
	if (!alias->path || !notes_record(kmap_symbols_notes(t->k->symbols),
					  texts_get(&t->k->names, alias->type), &record))
		return;
	snprintf(path, sizeof(path), "%s", texts_get(&t->k->names, alias->path));
	for (j = 0; *path && j < record.nr; j++) {
		m = record.members + j;
		/* An empty rest is the member itself, which was added above. */
		if (members_rest(path, m->path, rest) && *rest)
			add_target(t, i, type | sums_name(t->k, m->path), m->offset / 8);
	}
	notes_record_free(&record);
}

static void count_within(struct sums *k, enum access_source source)
{
	struct targets t;
	u32 i;

	init_targets(&t, k, source, k->within + source);
	for (i = 0; i < k->aliases[source].nr; i++)
		add_containers(&t, i);
	count_targets(&t);
	free_targets(&t);
}

/**
 * sums_records - compute the sums by record and member
 * @k: the sums, complete except for these
 * @source: streamed or counted accesses
 */
void sums_records(struct sums *k, enum access_source source)
{
	struct hash *types = k->types + (source == ACCESS_COUNTED ? GROUP_KMAP : GROUP_SLAB);
	u32 i;

	find_names(k, source);
	count_fields(k, source, k->fields + source, false);
	count_fields(k, source, k->once + source, true);
	count_within(k, source);
	count_types(k, source, types);
	count_users(k, source);
	for (i = 0; i < types->nr; i++)
		count_members(k, source, hash_item(types, i));
}

/**
 * sums_hottest - find the most accessed members of a type
 * @k: the sums, after sums_end()
 * @source: streamed or counted accesses
 * @type: number of the type's name
 * @nr: size of @hottest
 * @hottest: set to items of fields, most accesses first; ties in order of appearance
 *
 * Return: the number of members found.
 */
u32 sums_hottest(const struct sums *k, enum access_source source, u32 type, u32 nr,
		 const struct field **hottest)
{
	const struct hash *fields = k->fields + source;
	const struct field *field;
	u32 i, j, found = 0;

	for (i = 0; i < fields->nr; i++) {
		field = hash_item(fields, i);
		/* Leave out unknown members and the whole record. */
		if (field->key >> 32 != type || !field->sum[SUM_ACCESSES] || !(u32)field->key ||
		    !*texts_get(&k->names, (u32)field->key))
			continue;
		for (j = found; j && hottest[j - 1]->sum[SUM_ACCESSES] <
		     field->sum[SUM_ACCESSES]; j--)
			if (j < nr)
				hottest[j] = hottest[j - 1];
		if (j < nr)
			hottest[j] = field;
		if (found < nr)
			found++;
	}
	return found;
}
