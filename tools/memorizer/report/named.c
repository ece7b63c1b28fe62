// SPDX-License-Identifier: GPL-2.0
/* Names accesses and allocations by type and member, from the compiler's notes. */
#include <stdio.h>
#include <string.h>

#include "report/named.h"

/*
 * The note of a call site; NULL if there is none. A per-CPU variable may have the address 0, which
 * stands for an unknown call site: it has no type.
 */
static const struct note *allocation_note(const struct kmap_symbols *s, u64 alloc_ip)
{
	return alloc_ip ? kmap_symbols_note(s, alloc_ip, KMAP_IP_RETURN) : NULL;
}

/**
 * named_allocation - get the type that a call site allocates
 * @s: the symbols, possibly without notes
 * @alloc_ip: return address of the call; 0: unknown
 *
 * Return: the type; NULL if unknown.
 */
const char *named_allocation(const struct kmap_symbols *s, u64 alloc_ip)
{
	const struct note *note = allocation_note(s, alloc_ip);

	return note && *note->type ? note->type : NULL;
}

/**
 * named_site - find the note with the type of an object
 * @s: the symbols, possibly without notes
 * @site: return address of its call site, possibly that of a caller of @alloc_ip's function
 * @alloc_ip: return address into the allocator's caller
 *
 * Return: the address that the note belongs to: @site, or @alloc_ip if only that has one.
 */
u64 named_site(const struct kmap_symbols *s, u64 site, u64 alloc_ip)
{
	if (site == alloc_ip || named_allocation(s, site) || !named_allocation(s, alloc_ip))
		return site;
	return alloc_ip;
}

/**
 * named_event_site - find the note with the type of an allocation event
 * @kind: the allocator, enum trace_kind
 * @alloc_ip: the call site
 *
 * Return: the address that the note belongs to; 0 if memory of this kind has none.
 */
u64 named_event_site(u32 kind, u64 alloc_ip)
{
	return kmap_kind_is_typed(trace_kind_memory(kind)) ? alloc_ip : 0;
}

/*
 * The accessed memory is no record; all that is known is that a member of a record points to
 * it.
 */
static bool is_pointed_to(const struct note *note, const struct note *allocation)
{
	return note && note->flags & NOTE_SCALAR && *note->path == '*' &&
	       (!allocation || !*allocation->type || allocation->flags & NOTE_SCALAR);
}

/* The code accesses a record, not plain bytes. */
static bool is_known(const struct note *note)
{
	return note && *note->type && !(note->flags & NOTE_SCALAR);
}

/**
 * named_element - get the size of the records that a call site allocates as arrays
 * @s: the symbols, possibly without notes
 * @alloc_ip: return address of the call
 *
 * Return: the size in bytes; 0 for a single record, possibly with a flexible array. An object
 *	   whose size is no multiple of it is a single record, too.
 */
u32 named_element(const struct kmap_symbols *s, u64 alloc_ip)
{
	const struct note *allocation = allocation_note(s, alloc_ip);

	if (!is_known(allocation) || !(allocation->flags & NOTE_SEVERAL) ||
	    notes_flexible(kmap_symbols_notes(s), allocation->type))
		return 0;
	return allocation->type_size;
}

/**
 * named_record_part - get the part of an allocated record
 * @s: the symbols, possibly without notes
 * @alloc_ip: call site that allocated the object; 0: unknown
 * @place: part of the object, see kmap_place(); 0: unknown
 * @size: requested size of the object in bytes
 *
 * Return: the part; in an array, of any element. 0 if unknown: no record was allocated, or the
 *	   part extends over several elements.
 */
u64 named_record_part(const struct kmap_symbols *s, u64 alloc_ip, u64 place, u64 size)
{
	u32 offset = place >> 32, bytes = place, one = named_element(s, alloc_ip);

	if (!place || !is_known(allocation_note(s, alloc_ip)))
		return 0;
	if (!one || size % one)
		return place;
	return bytes <= one - offset % one ? kmap_place(offset % one, bytes) : 0;
}

/**
 * named_part - get the part of an object that determines the name of an access
 * @s: the symbols, possibly without notes
 * @ip: the accessing instruction
 * @alloc_ip: call site that allocated the object; 0: unknown
 * @place: accessed part of the object, see kmap_place(); 0: unknown
 * @size: requested size in bytes
 *
 * Return: the part of the allocated type; in an array, of any element. 0 if the name does not
 * depend on it: the code does not access plain bytes, no record was allocated, or the access
 * extends over several elements.
 */
u64 named_part(const struct kmap_symbols *s, u64 ip, u64 alloc_ip, u64 place, u64 size)
{
	if (is_known(kmap_symbols_note(s, ip, KMAP_IP_EXACT)))
		return 0;
	return named_record_part(s, alloc_ip, place, size);
}

/**
 * named_place - get the accessed part of an object
 * @offset: offset of the access in the object, in bytes
 * @bytes: size of the access
 * @size: requested size of the object in bytes
 *
 * Return: the part of the access within the object, see kmap_place(); 0 if there is none.
 */
u64 named_place(u64 offset, u64 bytes, u64 size)
{
	if (!bytes || offset >= size || size > U32_MAX)
		return 0;
	return kmap_place(offset, bytes < size - offset ? bytes : size - offset);
}

static void name_part(struct named *named, const struct kmap_symbols *s, u64 part)
{
	const struct placed *placed = notes_placed(kmap_symbols_notes(s), named->type, part);

	named->path = placed->path;
	named->offset = placed->path ? placed->offset : NOTE_ANYWHERE;
}

/**
 * named_access - name what an instruction accesses
 * @s: the symbols, possibly without notes
 * @ip: address of the instruction
 * @alloc_ip: call site that allocated the object; 0: unknown
 * @part: part of the object that determines the name, see named_part(); 0: none
 *
 * If the code accesses plain bytes, the type is the allocated one, and the member that at @part.
 * If the memory is no record but the pointer was read from a member, the path is that member
 * with a leading *.
 *
 * Return: the names.
 */
struct named named_access(const struct kmap_symbols *s, u64 ip, u64 alloc_ip, u64 part)
{
	const struct note *note = kmap_symbols_note(s, ip, KMAP_IP_EXACT);
	struct named named = {
		.offset = NOTE_ANYWHERE, .file = note && *note->file ? note->file : NULL,
	};

	if (is_known(note)) {
		named.type = note->type;
		named.path = note->path;
		named.offset = note->offset;
	} else if (is_pointed_to(note, allocation_note(s, alloc_ip))) {
		named.type = *note->type ? note->type : NULL;
		named.path = note->path;
	} else {
		named.type = named_allocation(s, alloc_ip);
		if (named.type && part)
			name_part(&named, s, part);
	}
	return named;
}

/* Size of the member at a path, with all of its bytes if it is a bit-field; 0 if unknown. */
static u64 member_bytes(const struct notes *n, const char *type, const char *path)
{
	size_t len = strlen(path);
	struct record record;
	const char *rest;
	u64 bytes = 0;
	u32 i;

	if (!notes_record(n, type, &record))
		return 0;
	for (i = 0; i < record.nr && !bytes; i++) {
		rest = record.members[i].path + len;
		if (!strncmp(record.members[i].path, path, len) && !rest[strspn(rest, "[]")])
			bytes = (record.members[i].offset % 8 + record.members[i].size + 7) / 8;
	}
	notes_record_free(&record);
	return bytes;
}

/**
 * named_member - name the member of an allocated record that an instruction accesses
 * @s: the symbols, possibly without notes
 * @ip: address of the instruction
 * @alloc_ip: call site that allocated the object
 * @part: accessed part of the record, see named_record_part(); 0: unknown
 * @member: set to the member
 *
 * Return: false if the access is to all of the record, to one of several members of a union, to a
 *	   flexible array, or if the member is unknown.
 */
bool named_member(const struct kmap_symbols *s, u64 ip, u64 alloc_ip, u64 part,
		  struct named_member *member)
{
	const struct note *allocation = allocation_note(s, alloc_ip);
	const struct note *note = kmap_symbols_note(s, ip, KMAP_IP_EXACT);
	const struct notes *n = kmap_symbols_notes(s);
	const char *path = NULL;

	if (!is_known(allocation))
		return false;
	/* Code that accesses an embedded record is at a member of the allocated one. */
	if (is_known(note) && !strcmp(note->type, allocation->type))
		path = note->path;
	else if (part)
		path = notes_placed(n, allocation->type, part)->path;
	if (!path || strchr(path, '|'))
		return false;
	snprintf(member->path, sizeof(member->path), "%.*s", (int)strcspn(path, "["), path);
	member->bytes = *member->path ? member_bytes(n, allocation->type, member->path) : 0;
	return member->bytes;
}

/**
 * named_path - get a member for display
 * @path: the member, or NULL
 *
 * Return: @path; [whole] for the whole record.
 */
const char *named_path(const char *path)
{
	return path && !*path ? "[whole]" : path;
}

/* Match a member, or one of several alternatives. */
static bool path_matches(const char *pattern, const char *path)
{
	char one[KMAP_SYMBOL_MAX];
	size_t len;

	if (kmem_filter_matches(pattern, named_path(path)))
		return true;
	for (; path && *path; path += len + !!path[len]) {
		len = strcspn(path, "|");
		snprintf(one, sizeof(one), "%.*s", (int)len, path);
		if (kmem_filter_matches(pattern, one))
			return true;
	}
	return false;
}

/**
 * named_matches - match a type and a member
 * @f: the filter
 * @type: the type; NULL if unknown
 * @path: the member; NULL if unknown or, for an allocation, if there is none
 *
 * Return: whether both match; an unknown one matches no pattern.
 */
bool named_matches(const struct kmem_filter *f, const char *type, const char *path)
{
	return kmem_filter_matches(f->type, type) && path_matches(f->field, path);
}

/**
 * named_chosen - match all names of an access
 * @f: the filter
 * @a: sets of names
 * @set: the set of this access, from aliases_find()
 *
 * Return: whether one of them matches.
 */
bool named_chosen(const struct kmem_filter *f, const struct aliases *a, u32 set)
{
	u32 first, nr = aliases_get(a, set, &first);
	const struct alias *alias;

	for (alias = a->all + first; nr; alias++, nr--)
		if (named_matches(f, alias->type ? texts_get(a->texts, alias->type) : NULL,
				  alias->path ? texts_get(a->texts, alias->path) : NULL))
			return true;
	return false;
}

/**
 * named_filter_init - initialize a filter by name
 * @n: the filter
 * @choice: state of the filter; must outlive @n
 */
void named_filter_init(struct named_filter *n, struct kmem_choice *choice)
{
	n->choice = choice;
	texts_init(&n->texts);
	texts_number(&n->texts, "\n");	/* not a valid name: number 0 is the unknown name */
	aliases_init(&n->aliases, &n->texts);
}

/**
 * named_filter_free - free a filter by name
 * @n: the filter
 */
void named_filter_free(struct named_filter *n)
{
	hash_free(&n->texts);
	aliases_free(&n->aliases);
}

static u32 number_of(struct named_filter *n, const char *text)
{
	return text ? texts_number(&n->texts, text) : 0;
}

/**
 * named_filter_access - match an access by all its names
 * @n: the filter
 * @named: the name in the code
 * @allocated: type of the object; NULL if unknown
 *
 * Return: whether one of the names matches.
 */
bool named_filter_access(struct named_filter *n, const struct named *named, const char *allocated)
{
	struct alias own = { number_of(n, named->type), number_of(n, named->path), named->offset };
	u32 set = aliases_find(&n->aliases, kmap_symbols_notes(n->choice->symbols), &own,
			       number_of(n, allocated));

	return named_chosen(n->choice->filter, &n->aliases, set);
}

static bool is_given(const struct named_filter *n)
{
	return n->choice->filter->type || n->choice->filter->field;
}

/**
 * named_filter_code - match an access by instruction and object
 * @n: the filter; notes that something matched
 * @ip: the instruction
 * @alloc_ip: call site that allocated the object; 0: unknown, or pages
 * @place: accessed part of the object, see named_place()
 * @size: requested size of the object in bytes
 *
 * Return: whether one of the names matches.
 */
bool named_filter_code(struct named_filter *n, u64 ip, u64 alloc_ip, u64 place, u64 size)
{
	const struct kmap_symbols *s = n->choice->symbols;
	struct named named;

	if (!is_given(n))
		return true;
	named = named_access(s, ip, alloc_ip, named_part(s, ip, alloc_ip, place, size));
	if (!named_filter_access(n, &named, named_allocation(s, alloc_ip)))
		return false;
	n->choice->seen |= KMEM_SEEN_NAMED;
	return true;
}

/**
 * named_filter_allocation - match an allocation; --field matches none
 * @n: the filter; notes that something matched
 * @alloc_ip: the call site
 *
 * Return: whether the type matches.
 */
bool named_filter_allocation(const struct named_filter *n, u64 alloc_ip)
{
	if (!is_given(n))
		return true;
	if (!named_matches(n->choice->filter, named_allocation(n->choice->symbols, alloc_ip), NULL))
		return false;
	n->choice->seen |= KMEM_SEEN_NAMED;
	return true;
}

/**
 * named_usable - check whether the symbols have names, if the filter needs them
 * @f: the filter
 * @s: the symbols
 * @command: the command, for the message
 *
 * Return: true if they have, false after a message.
 */
bool named_usable(const struct kmem_filter *f, const struct kmap_symbols *s,
		  const char *command)
{
	if (!(f->type || f->field) || kmap_symbols_notes(s))
		return true;
	fprintf(stderr,
		"memorizer %s: --%s %s: types are unknown: want --vmlinux with compiler notes\n",
		command, f->type ? "type" : "field", f->type ? f->type : f->field);
	return false;
}

/**
 * named_drop - remove a table's columns of names if there are no notes
 * @t: the table; the columns from Type on are of names
 * @s: the symbols
 */
void named_drop(struct table *t, const struct kmap_symbols *s)
{
	int i = 0;

	if (kmap_symbols_notes(s))
		return;
	while (i < TABLE_TEXTS && t->texts[i].key && strcmp(t->texts[i].key, "type"))
		i++;
	memset(t->texts + i, 0, (TABLE_TEXTS - i) * sizeof(*t->texts));
}
