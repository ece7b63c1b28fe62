// SPDX-License-Identifier: GPL-2.0
/*
 * Sums by type and member, from the compiler's notes. An access is to the member that the note
 * of its instruction has; if the note has only bytes, to the type that was allocated.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/texts.h"
#include "report/sums.h"
#include "symbols/notes.h"

#define UNKNOWN		"\n"		/* not a valid name */

/**
 * sums_types_init - initialize the sums by type
 * @k: the sums
 */
void sums_types_init(struct sums *k)
{
	int i;

	texts_init(&k->names);
	texts_number(&k->names, UNKNOWN);
	hash_init(&k->noted_cpus, sizeof(u64), sizeof(u64));
	for (i = 0; i < GROUPS; i++)
		hash_init(k->types + i, sizeof(struct type), sizeof(u64));
	for (i = 0; i < ACCESS_SOURCES; i++) {
		aliases_init(k->aliases + i, &k->names);
		hash_init(k->noted + i, sizeof(struct noted), 2 * sizeof(u64));
		hash_init(k->noted_pids + i, sizeof(u64), sizeof(u64));
		hash_init(k->once + i, sizeof(struct field), sizeof(u64));
		hash_init(k->within + i, sizeof(struct field), sizeof(u64));
		hash_init(k->untouched + i, sizeof(struct field), sizeof(u64));
		hash_init(k->fields + i, sizeof(struct field), sizeof(u64));
		hash_init(k->users + i, sizeof(struct touch), sizeof(u64));
		hash_init(k->choices + i, sizeof(struct named_choice), 3 * sizeof(u64));
	}
}

/**
 * sums_types_free - free the sums by type
 * @k: the sums
 */
void sums_types_free(struct sums *k)
{
	int i;

	hash_free(&k->names);
	hash_free(&k->noted_cpus);
	for (i = 0; i < GROUPS; i++)
		hash_free(k->types + i);
	for (i = 0; i < ACCESS_SOURCES; i++) {
		aliases_free(k->aliases + i);
		hash_free(k->noted + i);
		hash_free(k->noted_pids + i);
		hash_free(k->once + i);
		hash_free(k->within + i);
		hash_free(k->untouched + i);
		hash_free(k->fields + i);
		hash_free(k->users + i);
		hash_free(k->choices + i);
	}
}

/**
 * sums_note - count accesses by instruction, if there are notes
 * @k: the sums
 * @source: streamed or counted accesses
 * @ip: the instruction, known to sums_function()
 * @origin: item of the group's sites, or SUMS_NO_SITE, as for sums_touch(); for slab objects of
 *	a trace, item of origins
 * @counts: the accesses
 */
void sums_note(struct sums *k, enum access_source source, u64 ip, u32 origin,
	       const struct counts *counts)
{
	struct noted of = { .part = counts->part }, *noted;
	bool new;
	u64 key;
	u32 i, nr;

	if (!kmap_symbols_notes(k->symbols) || !hash_find(k->ips + source, &ip, &i))
		return;
	of.key = (u64)i << 32 | origin;
	nr = hash_get(k->noted + source, &of, &new);
	noted = hash_item(k->noted + source, nr);
	sums_add(k, noted->sum + SUM_READS, counts->reads);
	sums_add(k, noted->sum + SUM_WRITES, counts->writes);
	sums_add(k, noted->sum + SUM_ACCESSES, counts->reads);
	sums_add(k, noted->sum + SUM_ACCESSES, counts->writes);
	sums_add(k, noted->sum + SUM_MOVES, counts->moves);
	k->moved[source] |= counts->moves;
	key = (u64)nr << 32 | (u32)counts->pid;
	hash_get(k->noted_pids + source, &key, &new);
	if (counts->cpu == SUMS_NO_CPU)
		return;
	key = (u64)nr << 32 | counts->cpu;
	hash_get(&k->noted_cpus, &key, &new);
}

/*
 * Does the note of a call site have the type of this memory? The area of a stack has the call site
 * of the stack, whose note has the type of the task.
 */
static bool is_typed(const struct sums *k, u64 alloc_ip, enum kmap_kind kind)
{
	u64 stack[] = { alloc_ip, KMAP_STACK, alloc_ip };
	u32 i;

	if (kind == KMAP_VMALLOC && (hash_find(k->sites + GROUP_LOCAL, stack, &i) ||
				     hash_find(k->sites + GROUP_KMAP, stack, &i)))
		return false;
	return kmap_kind_is_typed(kind);
}

/**
 * sums_type - get the type that a call site allocates
 * @k: the sums
 * @alloc_ip: the call site whose note has it
 * @kind: the kind of memory
 *
 * Return: the type; NULL if unknown.
 */
const char *sums_type(const struct sums *k, u64 alloc_ip, enum kmap_kind kind)
{
	if (kind == KMAP_STRUCT_PAGE && kmap_symbols_notes(k->symbols))
		return "page";
	return is_typed(k, alloc_ip, kind) ? named_allocation(k->symbols, alloc_ip) : NULL;
}

/* The origin of slab objects of a trace; NULL for other memory. */
static const struct origin *origin_of(const struct sums *k, enum access_source source, u32 origin)
{
	return sums_is_slab(source, origin) ? hash_item(&k->origins, origin) : NULL;
}

/* The call site of an origin; NULL if unknown. */
static const struct site *site_of(const struct sums *k, enum access_source source, u32 origin)
{
	const struct origin *from = origin_of(k, source, origin);

	return from ? hash_item(k->sites + GROUP_SLAB, from->key >> 32) :
		      sums_site_of(k, source, origin);
}

/* The call site whose note has the type of an origin; 0 if there is none. */
static u64 allocated_at(const struct sums *k, enum access_source source, u32 origin)
{
	const struct site *site = site_of(k, source, origin);

	return site && is_typed(k, site->typed, site->kind) ? site->typed : 0;
}

static const char *site_type(const struct sums *k, const struct site *site)
{
	return site ? sums_type(k, site->typed, site->kind) : NULL;
}

/* The type of a cache's objects; NULL unless all call sites with a type agree. */
static const char *cache_type(const struct sums *k, const struct origin *from)
{
	const struct cache *cache = hash_item(&k->caches, (u32)from->key);

	return cache->types ? NULL : cache->type;
}

/**
 * sums_object_type - get the type of an accessed object
 * @k: the sums, in or after sums_types_end()
 * @source: streamed or counted accesses
 * @origin: origin of the object, as in struct noted
 *
 * Return: the type of the call site, else of the cache; NULL if unknown.
 */
const char *sums_object_type(const struct sums *k, enum access_source source, u32 origin)
{
	const struct origin *from = origin_of(k, source, origin);
	const char *type = site_type(k, site_of(k, source, origin));

	return type || !from ? type : cache_type(k, from);
}

/**
 * sums_part - get the part of an object that determines the name of an access
 * @k: the sums
 * @source: streamed or counted accesses
 * @ip: the instruction
 * @origin: origin of the object, as for sums_note()
 * @place: accessed part of the object, see kmap_place(); 0: unknown
 * @size: size of the object in bytes
 *
 * Return: the part; 0 if the name does not depend on it.
 */
u64 sums_part(const struct sums *k, enum access_source source, u64 ip, u32 origin, u64 place,
	      u64 size)
{
	if (!place || !kmap_symbols_notes(k->symbols))
		return 0;
	return named_part(k->symbols, ip, allocated_at(k, source, origin), place, size);
}

/**
 * sums_named - name accesses
 * @k: the sums
 * @source: streamed or counted accesses
 * @noted: the accesses
 *
 * Return: the names; the function is an item of functions.
 */
struct named sums_named(const struct sums *k, enum access_source source,
			const struct noted *noted)
{
	const struct access_ip *ip = hash_item(k->ips + source, noted->key >> 32);
	struct named named = named_access(k->symbols, ip->ip,
					  allocated_at(k, source, noted->key), noted->part);

	if (!named.type)
		named.type = sums_object_type(k, source, noted->key);
	named.function = ip->function;
	return named;
}

/**
 * sums_aliases - find all names of an access
 * @k: the sums
 * @source: streamed or counted accesses
 * @named: type and member according to the code
 * @object: type of the accessed object; NULL if unknown
 *
 * Return: number of the set of names in the source's aliases.
 */
u32 sums_aliases(struct sums *k, enum access_source source, const struct named *named,
		 const char *object)
{
	struct alias own = { sums_name(k, named->type), sums_name(k, named->path), named->offset };

	return aliases_find(k->aliases + source, kmap_symbols_notes(k->symbols), &own,
			    sums_name(k, object));
}

/**
 * sums_choose - apply --type and --field to an access
 * @k: the sums
 * @source: streamed or counted accesses
 * @ip: the instruction
 * @origin: origin of the object, as for sums_note()
 * @part: part of the object that determines the name, see sums_part()
 *
 * Types that are known only from the cache are not considered: they are found later.
 *
 * Return: whether the access is selected.
 */
bool sums_choose(struct sums *k, enum access_source source, u64 ip, u32 origin, u64 part)
{
	u64 key[3] = { ip, origin, part };
	struct named_choice *choice;
	struct named named;
	bool new;
	u32 set;

	if (!k->filter->type && !k->filter->field)
		return true;
	choice = hash_item(k->choices + source, hash_get(k->choices + source, key, &new));
	if (new) {
		named = named_access(k->symbols, ip, allocated_at(k, source, origin), part);
		set = sums_aliases(k, source, &named, site_type(k, site_of(k, source, origin)));
		choice->chosen = named_chosen(k->filter, k->aliases + source, set);
		k->named_seen |= choice->chosen;
	}
	return choice->chosen;
}

/**
 * sums_name - look up or add the number of a name
 * @k: the sums
 * @name: a type or member; NULL if unknown
 *
 * Return: its number; 0 for an unknown name.
 */
u32 sums_name(struct sums *k, const char *name)
{
	return texts_number(&k->names, name ? name : UNKNOWN);
}

/* KMEM_CACHE() names a cache after the struct of its objects. */
static bool is_named_as_type(const struct sums *k, const struct cache *cache)
{
	struct record record;
	bool is;

	if (!cache->name || !notes_record(kmap_symbols_notes(k->symbols), cache->name, &record))
		return false;
	is = record.size == cache->sum[SUM_OBJECT_SIZE];
	notes_record_free(&record);
	return is;
}

/* Determine the types of caches, from their call sites or their names. */
static void find_cache_types(struct sums *k)
{
	const struct origin *from;
	const struct site *site;
	struct cache *cache;
	const char *type;
	u32 i;

	for (i = 0; i < k->origins.nr; i++) {
		from = hash_item(&k->origins, i);
		site = hash_item(k->sites + GROUP_SLAB, from->key >> 32);
		type = site_type(k, site);
		/* Caches of kmalloc() have objects of all types, see get_origin(). */
		if (!type || !(u32)from->key)
			continue;
		cache = hash_item(&k->caches, (u32)from->key);
		cache->types |= cache->type && strcmp(cache->type, type);
		cache->type = type;
	}
	for (i = 0; i < k->caches.nr; i++) {
		cache = hash_item(&k->caches, i);
		if (!cache->type && is_named_as_type(k, cache))
			cache->type = cache->name;
	}
}

/* Add allocations to their type. */
static void count_type(struct sums *k, enum group g, const char *name, const u64 *sum)
{
	u64 key = sums_name(k, name);
	struct type *type;
	bool new;
	int m;

	type = hash_item(k->types + g, hash_get(k->types + g, &key, &new));
	for (m = OBJECT_METRICS; m < SUM_METRICS; m++)
		sums_add(k, type->sum + m, sum[m]);
}

static void count_types(struct sums *k)
{
	const struct origin *from;
	const struct site *site;
	u32 i;
	int g;

	for (i = 0; i < k->origins.nr; i++) {
		from = hash_item(&k->origins, i);
		count_type(k, GROUP_SLAB, sums_object_type(k, ACCESS_STREAMED, i), from->sum);
	}
	for (g = GROUP_AREAS; g <= GROUP_LOCAL; g++) {
		for (i = 0; i < k->sites[g].nr; i++) {
			site = hash_item(k->sites + g, i);
			count_type(k, GROUP_SLAB, site_type(k, site), site->sum);
		}
	}
	for (i = 0; i < k->sites[GROUP_KMAP].nr; i++) {
		site = hash_item(k->sites + GROUP_KMAP, i);
		count_type(k, GROUP_KMAP, site_type(k, site), site->sum);
	}
}

/**
 * sums_types_end - compute the sums by type and member, if there are notes
 * @k: the sums
 */
void sums_types_end(struct sums *k)
{
	int i;

	if (!kmap_symbols_notes(k->symbols))
		return;
	find_cache_types(k);
	count_types(k);
	for (i = 0; i < ACCESS_SOURCES; i++)
		sums_records(k, i);
}
