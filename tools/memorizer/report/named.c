// SPDX-License-Identifier: GPL-2.0
/* What is accessed or allocated, by the compiler's notes: as type and member. */
#include <stdio.h>
#include <string.h>

#include "report/named.h"

/**
 * named_allocation - tell what a call site allocates
 * @s: the symbols, with notes or without
 * @alloc_ip: return address of the call; 0: not known
 *
 * Return: the type, or NULL if it is not known.
 */
const char *named_allocation(const struct kmap_symbols *s, u64 alloc_ip)
{
	const struct note *note = kmap_symbols_note(s, alloc_ip, KMAP_IP_RETURN);

	return note && *note->type ? note->type : NULL;
}

/* What is no record, but a member of one points to it; nothing is known of it but that. */
static bool is_pointed_to(const struct note *note, const struct note *allocation)
{
	return note && note->flags & NOTE_SCALAR && *note->path == '*' &&
	       (!allocation || !*allocation->type || allocation->flags & NOTE_SCALAR);
}

/* Whether the code that accesses has a record before it, not but bytes. */
static bool is_known(const struct note *note)
{
	return note && *note->type && !(note->flags & NOTE_SCALAR);
}

/* The bytes of each of several records that are an object; 0: it is one, with what is behind it. */
static u32 element_size(const struct kmap_symbols *s, const struct note *allocation, u64 size)
{
	u32 one = allocation->type_size;

	if (!(allocation->flags & NOTE_SEVERAL) || !one || size % one ||
	    notes_flexible(kmap_symbols_notes(s), allocation->type))
		return 0;
	return one;
}

/**
 * named_part - tell which part of what was allocated names an access to it
 * @s: the symbols, with notes or without
 * @ip: the instruction that accesses
 * @alloc_ip: the call site that allocated the object; 0: not known
 * @place: which part of the object is accessed, see kmap_place(); 0: not known
 * @size: bytes that were asked for
 *
 * Return: the part of the type that was allocated, of several of any one; 0 if there is no name
 * by that: the code has more than bytes before it, there was no record allocated, or it is parts of
 * several.
 */
u64 named_part(const struct kmap_symbols *s, u64 ip, u64 alloc_ip, u64 place, u64 size)
{
	const struct note *allocation;
	u32 offset = place >> 32, bytes = place, one;

	if (!place || is_known(kmap_symbols_note(s, ip, KMAP_IP_EXACT)))
		return 0;
	allocation = kmap_symbols_note(s, alloc_ip, KMAP_IP_RETURN);
	if (!is_known(allocation))
		return 0;
	one = element_size(s, allocation, size);
	if (!one)
		return place;
	return bytes <= one - offset % one ? kmap_place(offset % one, bytes) : 0;
}

/**
 * named_place - tell which part of an object is accessed
 * @offset: where the access begins in it, in bytes
 * @bytes: its size
 * @size: bytes of the object that were asked for
 *
 * Return: the part of the access that is to the object, see kmap_place(); 0 if there is none.
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
 * named_access - tell what an instruction accesses
 * @s: the symbols, with notes or without
 * @ip: its address
 * @alloc_ip: the call site that allocated what is accessed; 0: not known
 * @part: which part of it that names, see named_part(); 0: none
 *
 * Where the code has but bytes before it, the type is the one that was allocated, and the member
 * what lies in that part of it. If that is no record, either, but the pointer was read from a
 * member, the path is that with * in front.
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
	} else if (is_pointed_to(note, kmap_symbols_note(s, alloc_ip, KMAP_IP_RETURN))) {
		named.type = *note->type ? note->type : NULL;
		named.path = note->path;
	} else {
		named.type = named_allocation(s, alloc_ip);
		if (named.type && part)
			name_part(&named, s, part);
	}
	return named;
}

/**
 * named_path - tell how a member is shown
 * @path: the member, or NULL
 *
 * Return: @path, or [whole] for all of a record.
 */
const char *named_path(const char *path)
{
	return path && !*path ? "[whole]" : path;
}

/* Whether a member, or one of those that it may be, matches. */
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
 * named_matches - find out whether a filter chooses a type and a member
 * @f: the filter
 * @type: the type, NULL if it is not known
 * @path: the member, NULL if it is not known, or if there is none, as of an allocation
 *
 * Return: whether it does; what is not known is chosen by no pattern.
 */
bool named_matches(const struct kmem_filter *f, const char *type, const char *path)
{
	return kmem_filter_matches(f->type, type) && path_matches(f->field, path);
}

/**
 * named_chosen - find out whether a filter chooses one of the names of an access
 * @f: the filter
 * @a: names of accesses
 * @set: those of this one, from aliases_find()
 *
 * Return: whether it does.
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
 * named_filter_init - begin to choose by name
 * @n: the filter
 * @choice: what else is chosen, of the same filter; must outlive @n
 */
void named_filter_init(struct named_filter *n, struct kmem_choice *choice)
{
	n->choice = choice;
	texts_init(&n->texts);
	texts_number(&n->texts, "\n");	/* no name: it stands for an unknown one */
	aliases_init(&n->aliases, &n->texts);
}

/**
 * named_filter_free - release memory
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
 * named_filter_access - find out whether an access is chosen under one of its names
 * @n: the filter
 * @named: the name that its code knows
 * @allocated: type of the object that is accessed, NULL if it is not known
 *
 * Return: whether it is.
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
 * named_filter_code - find out whether an access is chosen by type and member
 * @n: the filter, which notes that something matched
 * @ip: the instruction
 * @alloc_ip: the call site that allocated what it accesses; 0: not known, or pages
 * @place: the part of that, see named_place()
 * @size: bytes of it that were asked for
 *
 * Return: whether it is.
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
 * named_filter_allocation - find out whether an allocation is chosen by type; none is by member
 * @n: the filter, which notes that something matched
 * @alloc_ip: its call site
 *
 * Return: whether it is.
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
 * named_usable - find out whether a filter can be used
 * @f: the filter
 * @s: the symbols
 * @command: the command, for a message
 *
 * Return: whether it can; if not, because it is by names that are not known, there was a message.
 */
bool named_usable(const struct kmem_filter *f, const struct kmap_symbols *s,
		  const char *command)
{
	if (!(f->type || f->field) || kmap_symbols_notes(s))
		return true;
	fprintf(stderr,
		"memorizer %s: --%s %s: no types are known: want --vmlinux with the compiler's notes\n",
		command, f->type ? "type" : "field", f->type ? f->type : f->field);
	return false;
}

/**
 * named_drop - leave out a table's columns of names, if there can be none in them
 * @t: the table, whose columns from Type on are of names
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
