// SPDX-License-Identifier: GPL-2.0
/*
 * Sums by record: an access to a record that is part of an object which was allocated as another
 * is an access to both. And which members of a record no access names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "notes.h"
#include "sums.h"
#include "texts.h"

#define PLACES_MAX	8	/* places of a record in another that are told apart */

/* Where a record is in another: one name or several of members, 0: in none, or in too many. */
struct inside {
	u64 key;
	u32 names;
};

/**
 * struct records - what is being summed up
 * @k: the sums
 * @source: where the accesses come from
 * @types: the types of what was accessed
 * @insides: struct inside by the names of both
 * @functions: pairs of item of within and function that were counted
 * @within: for each of the noted accesses, items of within: the record, and what is around it
 * @type: the same of types
 */
struct records {
	struct sums *k;
	enum access_source source;
	struct hash *types, insides, functions;
	u32 *within[2], *type[2];
};

/* The places of records of a type in another, as texts_number() has them. */
static u32 find_places(struct sums *k, u32 outer, u32 inner)
{
	char type[TEXTS_MAX], places[TEXTS_MAX] = "";
	struct record record;
	size_t len = 0;
	u32 i, nr = 0;

	snprintf(type, sizeof(type), "%s", texts_get(&k->names, inner));
	if (!notes_record(kmap_symbols_noted(k->symbols), texts_get(&k->names, outer), &record))
		return 0;
	for (i = 0; i < record.nr && nr <= PLACES_MAX && len < sizeof(places); i++) {
		if (strcmp(record.members[i].type, type))
			continue;
		len += snprintf(places + len, sizeof(places) - len, "%s%s", nr++ ? "|" : "",
				record.members[i].path);
	}
	notes_record_free(&record);
	return nr && nr <= PLACES_MAX && len < sizeof(places) ? sums_name(k, places) : 0;
}

static u32 places_of(struct records *r, u32 outer, u32 inner)
{
	struct inside *inside;
	bool new;
	u64 key = (u64)outer << 32 | inner;
	u32 i = hash_get(&r->insides, &key, &new), names;

	if (new) {
		names = find_places(r->k, outer, inner);
		inside = hash_item(&r->insides, i);
		inside->names = names;
	}
	return ((struct inside *)hash_item(&r->insides, i))->names;
}

/* What an access counts for: a member of a record, which may be not known. */
static u32 count(struct records *r, u32 type, u32 path, const struct noted *noted, u32 function)
{
	struct hash *within = r->k->within + r->source;
	u64 key = (u64)type << 32 | path;
	struct field *field;
	bool new;
	u32 i = hash_get(within, &key, &new);
	int m;

	field = hash_item(within, i);
	for (m = SUM_READS; m <= SUM_MOVES; m++)
		if (__builtin_add_overflow(field->sum[m], noted->sum[m], field->sum + m))
			field->sum[m] = U64_MAX;
	key = (u64)i << 32 | function;
	hash_get(&r->functions, &key, &new);
	field->sum[SUM_FUNCTIONS] += new;
	return i;
}

static u32 count_type(struct records *r, u32 name, const struct noted *noted)
{
	struct type *type;
	u64 key = name;
	bool new;
	u32 i = hash_get(r->types, &key, &new);
	int m;

	type = hash_item(r->types, i);
	for (m = SUM_READS; m <= SUM_MOVES; m++)
		if (__builtin_add_overflow(type->sum[m], noted->sum[m], type->sum + m))
			type->sum[m] = U64_MAX;
	return i;
}

/* Counts accesses for the record that is noted, and for what it is in. */
static void count_both(struct records *r, u32 i)
{
	const struct noted *noted = hash_item(r->k->noted + r->source, i);
	struct named named = sums_named(r->k, r->source, noted);
	u32 type = sums_name(r->k, named.type), path = sums_name(r->k, named.path);
	char text[TEXTS_MAX];
	u32 outer, places;

	outer = sums_name(r->k, sums_object_type(r->k, r->source, noted->key));
	r->within[0][i] = count(r, type, path, noted, named.function);
	r->type[0][i] = count_type(r, type, noted);
	r->within[1][i] = SUMS_NO_ITEM;
	r->type[1][i] = SUMS_NO_ITEM;
	if (!outer || outer == type)
		return;
	places = places_of(r, outer, type);
	path = 0;
	if (places) {
		members_join(texts_get(&r->k->names, places), named.path, text);
		path = sums_name(r->k, text);
	}
	r->within[1][i] = count(r, outer, path, noted, named.function);
	r->type[1][i] = count_type(r, outer, noted);
}

/* Counts pids or CPUs of items of which each access counts for two at most. */
static void spread(const struct hash *pairs, struct hash *items, u32 * const of[2],
		   enum metric metric)
{
	struct hash seen;
	int i;

	hash_init(&seen, sizeof(u64), sizeof(u64));
	for (i = 0; i < 2; i++)
		sums_spread(pairs, of[i], items, metric, &seen);
	hash_free(&seen);
}

/* Marks the members that accesses name. */
static void mark_members(const struct records *r, const struct record *record, u32 type,
			 bool *named, u64 *unnamed)
{
	const struct hash *within = r->k->within + r->source;
	const struct field *field;
	u32 i;

	for (i = 0; i < within->nr; i++) {
		field = hash_item(within, i);
		if (field->key >> 32 != type)
			continue;
		if ((u32)field->key)
			members_mark(record, texts_get(&r->k->names, (u32)field->key), named);
		else
			*unnamed += field->sum[SUM_ACCESSES];
	}
}

/* Counts the members of a type, and notes those that no access names. */
static void count_members(struct records *r, struct type *type)
{
	struct record record;
	struct field *field;
	const char *name = texts_get(&r->k->names, type->name);
	bool new, *named;
	u64 key;
	u32 i;

	if (!type->name || !notes_record(kmap_symbols_noted(r->k->symbols), name, &record))
		return;
	named = kmap_array(NULL, record.nr + 1, sizeof(*named));
	memset(named, 0, (record.nr + 1) * sizeof(*named));
	mark_members(r, &record, type->name, named, type->sum + SUM_UNNAMED);
	for (i = 0; i < record.nr; i++) {
		if (!members_is_leaf(&record, i))
			continue;
		type->sum[SUM_MEMBERS]++;
		if (named[i])
			continue;
		type->sum[SUM_UNTOUCHED]++;
		if (!type->sum[SUM_ACCESSES])
			continue;
		key = type->name << 32 | sums_name(r->k, record.members[i].path);
		field = hash_item(r->k->untouched + r->source,
				  hash_get(r->k->untouched + r->source, &key, &new));
		field->sum[SUM_OFFSET] = record.members[i].offset / 8;
		field->sum[SUM_OBJECT_SIZE] = (record.members[i].size + 7) / 8;
	}
	free(named);
	notes_record_free(&record);
}

/**
 * sums_records - sum up by record
 * @k: the sums, of which all but this is complete
 * @source: where the accesses come from
 */
void sums_records(struct sums *k, enum access_source source)
{
	struct records r = {
		.k = k, .source = source,
		.types = k->types + (source == ACCESS_COUNTED ? GROUP_KMAP : GROUP_SLAB),
	};
	u32 i, nr = k->noted[source].nr;

	hash_init(&r.insides, sizeof(struct inside), sizeof(u64));
	hash_init(&r.functions, sizeof(u64), sizeof(u64));
	for (i = 0; i < 2; i++) {
		r.within[i] = kmap_array(NULL, nr + 1, sizeof(u32));
		r.type[i] = kmap_array(NULL, nr + 1, sizeof(u32));
	}
	for (i = 0; i < nr; i++)
		count_both(&r, i);
	spread(k->noted_pids + source, k->within + source, r.within, SUM_PIDS);
	if (source == ACCESS_STREAMED) {
		spread(&k->noted_cpus, k->within + source, r.within, SUM_CPUS);
		spread(&k->noted_cpus, r.types, r.type, SUM_CPUS);
	}
	for (i = 0; i < r.types->nr; i++)
		count_members(&r, hash_item(r.types, i));
	for (i = 0; i < 2; i++) {
		free(r.within[i]);
		free(r.type[i]);
	}
	hash_free(&r.insides);
	hash_free(&r.functions);
}

/**
 * sums_hottest - find the members of a type that are accessed most
 * @k: the sums, after sums_end()
 * @source: where the accesses come from
 * @type: the type, as the names have it
 * @nr: how many are wanted
 * @hottest: set to items of within, most accesses first; of as many, the first one seen
 *
 * Return: how many there are.
 */
u32 sums_hottest(const struct sums *k, enum access_source source, u32 type, u32 nr,
		 const struct field **hottest)
{
	const struct hash *within = k->within + source;
	const struct field *field;
	u32 i, j, found = 0;

	for (i = 0; i < within->nr; i++) {
		field = hash_item(within, i);
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
