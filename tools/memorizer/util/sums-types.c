// SPDX-License-Identifier: GPL-2.0
/*
 * Sums by type and member, as the compiler noted them. An access is of the member that its
 * instruction is noted for; if only bytes are noted, of the type that was allocated.
 */
#include <stdlib.h>
#include <string.h>

#include "notes.h"
#include "sums.h"
#include "texts.h"

#define UNKNOWN		"\n"		/* no name is that */

/* Two numbers of items of other tables. */
struct pair {
	u64 key;
};

/**
 * sums_types_init - begin without types
 * @k: the sums
 */
void sums_types_init(struct sums *k)
{
	int i;

	texts_init(&k->names);
	texts_number(&k->names, UNKNOWN);
	hash_init(&k->noted_pids, sizeof(struct pair), sizeof(u64));
	for (i = 0; i < GROUPS; i++)
		hash_init(k->types + i, sizeof(struct type), sizeof(u64));
	for (i = 0; i < ACCESS_SOURCES; i++) {
		hash_init(k->noted + i, sizeof(struct noted), sizeof(u64));
		hash_init(k->fields + i, sizeof(struct field), sizeof(u64));
		hash_init(k->users + i, sizeof(struct touch), sizeof(u64));
		hash_init(k->choices + i, sizeof(struct named_choice), 2 * sizeof(u64));
	}
}

/**
 * sums_types_free - release memory
 * @k: the sums
 */
void sums_types_free(struct sums *k)
{
	int i;

	hash_free(&k->names);
	hash_free(&k->noted_pids);
	for (i = 0; i < GROUPS; i++)
		hash_free(k->types + i);
	for (i = 0; i < ACCESS_SOURCES; i++) {
		hash_free(k->noted + i);
		hash_free(k->fields + i);
		hash_free(k->users + i);
		hash_free(k->choices + i);
	}
}

static void add(struct sums *k, u64 *sum, u64 n)
{
	if (__builtin_add_overflow(*sum, n, sum)) {
		*sum = U64_MAX;
		k->overflow = true;
	}
}

/**
 * sums_note - count accesses by instruction, if there are notes of what instructions access
 * @k: the sums
 * @source: where the accesses come from
 * @ip: the instruction, which sums_function() knows
 * @site: item of the group's sites, or SUMS_NO_SITE, as for sums_touch()
 * @reads: how many
 * @writes: how many
 * @pid: on whose behalf, or NULL
 */
void sums_note(struct sums *k, enum access_source source, u64 ip, u32 site, u64 reads,
	       u64 writes, const u64 *pid)
{
	struct noted *noted;
	bool new;
	u64 key;
	u32 i, nr, p;

	if (!kmap_symbols_noted(k->symbols) || !hash_find(k->ips + source, &ip, &i))
		return;
	key = (u64)i << 32 | site;
	nr = hash_get(k->noted + source, &key, &new);
	noted = hash_item(k->noted + source, nr);
	add(k, noted->sum + SUM_READS, reads);
	add(k, noted->sum + SUM_WRITES, writes);
	add(k, noted->sum + SUM_ACCESSES, reads);
	add(k, noted->sum + SUM_ACCESSES, writes);
	if (!pid || !hash_find(&k->pids, pid, &p))
		return;
	key = (u64)nr << 32 | p;
	hash_get(&k->noted_pids, &key, &new);
}

/**
 * sums_type - tell what is allocated
 * @k: the sums
 * @alloc_ip: the call site
 *
 * Return: the type, or NULL if it is not known.
 */
const char *sums_type(const struct sums *k, u64 alloc_ip)
{
	return named_allocation(k->symbols, alloc_ip);
}

/* Names what an instruction accesses in what a call site allocated. */
static struct named name_access(const struct sums *k, enum access_source source, u64 ip, u32 site)
{
	const struct site *allocated = sums_is_page(source, site) ? NULL :
		sums_site_of(k, source, site);

	return named_access(k->symbols, ip, allocated ? allocated->ip : 0);
}

/**
 * sums_named - name what is accessed
 * @k: the sums
 * @source: where the accesses come from
 * @noted: the accesses
 *
 * Return: the names; the function is an item of functions.
 */
struct named sums_named(const struct sums *k, enum access_source source,
			const struct noted *noted)
{
	const struct access_ip *ip = hash_item(k->ips + source, noted->key >> 32);
	struct named named = name_access(k, source, ip->ip, noted->key);

	named.function = ip->function;
	return named;
}

/**
 * sums_choose - find out whether the filter chooses accesses by name
 * @k: the sums
 * @source: where the accesses come from
 * @ip: the instruction
 * @site: item of the group's sites, or SUMS_NO_SITE, as for sums_touch()
 *
 * Return: whether it does.
 */
bool sums_choose(struct sums *k, enum access_source source, u64 ip, u32 site)
{
	u64 key[2] = { ip, site };
	struct named_choice *choice;
	struct named named;
	bool new;

	if (!k->filter->type && !k->filter->field)
		return true;
	choice = hash_item(k->choices + source, hash_get(k->choices + source, key, &new));
	if (new) {
		named = name_access(k, source, ip, site);
		choice->chosen = named_matches(k->filter, named.type, named.path);
		k->named_seen |= choice->chosen;
	}
	return choice->chosen;
}

static u32 name_number(struct sums *k, const char *name)
{
	return texts_number(&k->names, name ? name : UNKNOWN);
}

static void count_types(struct sums *k, enum group g)
{
	const struct site *site;
	struct type *type;
	bool new;
	u64 key;
	u32 i;
	int m;

	for (i = 0; i < k->sites[g].nr; i++) {
		site = hash_item(k->sites + g, i);
		key = name_number(k, sums_type(k, site->ip));
		type = hash_item(k->types + g, hash_get(k->types + g, &key, &new));
		for (m = 0; m < SUM_METRICS; m++)
			add(k, type->sum + m, site->sum[m]);
	}
}

/* Whether two numbers have not been together yet. */
static bool new_pair(struct hash *h, u32 first, u32 second)
{
	u64 key = (u64)first << 32 | second;
	bool new;

	hash_get(h, &key, &new);
	return new;
}

/* The item of a member; sets where it is when it is new. */
static u32 get_field(struct sums *k, enum access_source source, const struct named *named)
{
	struct field *field;
	bool new;
	u64 key;
	u32 i;

	key = (u64)name_number(k, named->type) << 32 | name_number(k, named->path);
	i = hash_get(k->fields + source, &key, &new);
	field = hash_item(k->fields + source, i);
	if (new)
		field->sum[SUM_OFFSET] = named->offset;
	return i;
}

/* How many pids accessed each member, of a KMAP. */
static void count_pids(struct sums *k, const u32 *field_of, struct hash *seen)
{
	const struct pair *pair;
	struct field *field;
	u32 i, nr;

	for (i = 0; i < k->noted_pids.nr; i++) {
		pair = hash_item(&k->noted_pids, i);
		nr = field_of[pair->key >> 32];
		field = hash_item(k->fields + ACCESS_COUNTED, nr);
		field->sum[SUM_PIDS] += new_pair(seen, nr, pair->key);
	}
}

static void count_fields(struct sums *k, enum access_source source)
{
	u32 *field_of = kmap_array(NULL, k->noted[source].nr + 1, sizeof(*field_of));
	const struct noted *noted;
	struct touch *user;
	struct field *field;
	struct named named;
	struct hash pids;
	bool new;
	u64 key;
	u32 i, nr;
	int m;

	hash_init(&pids, sizeof(struct pair), sizeof(u64));
	for (i = 0; i < k->noted[source].nr; i++) {
		noted = hash_item(k->noted + source, i);
		named = sums_named(k, source, noted);
		nr = get_field(k, source, &named);
		field_of[i] = nr;
		field = hash_item(k->fields + source, nr);
		key = (u64)nr << 32 | named.function;
		user = hash_item(k->users + source, hash_get(k->users + source, &key, &new));
		field->sum[SUM_FUNCTIONS] += new;
		for (m = SUM_READS; m <= SUM_ACCESSES; m++) {
			add(k, field->sum + m, noted->sum[m]);
			add(k, user->sum + m, noted->sum[m]);
		}
	}
	if (source == ACCESS_COUNTED)
		count_pids(k, field_of, &pids);
	hash_free(&pids);
	free(field_of);
}

/**
 * sums_types_end - sum up by type and member, if there are notes
 * @k: the sums
 */
void sums_types_end(struct sums *k)
{
	int i;

	if (!kmap_symbols_noted(k->symbols))
		return;
	for (i = 0; i < GROUPS; i++)
		count_types(k, i);
	for (i = 0; i < ACCESS_SOURCES; i++)
		count_fields(k, i);
}
