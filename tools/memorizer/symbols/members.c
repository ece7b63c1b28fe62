// SPDX-License-Identifier: GPL-2.0
/* Members of records by their paths, of which there may be alternatives. */
#include <stdio.h>
#include <string.h>

#include "symbols/members.h"

/* How long the first of the alternatives is. */
static size_t first_of(const char *paths)
{
	return strcspn(paths, "|");
}

/* The alternatives behind the first, or NULL. */
static const char *next_of(const char *paths)
{
	paths += first_of(paths);
	return *paths ? paths + 1 : NULL;
}

/* Elements of elements are elements: leaves out all but the first index of several. */
static const char *skip_indexes(const char *p, const char *path)
{
	while (p - path >= 2 && !strncmp(p - 2, "[][]", 4))
		p += 2;
	return p;
}

/* What follows a member's path in the path of one within it, or NULL if it is not within it. */
static const char *behind(const char *path, const char *outer)
{
	const char *p = path, *o = outer;

	while (*o && *o != '|' && *p == *o) {
		p = skip_indexes(p + 1, path);
		o = skip_indexes(o + 1, outer);
	}
	return (!*o || *o == '|') && strchr(".[|", *p) ? p : NULL;
}

/**
 * members_is_in - tell whether a member is another one, or in it
 * @path: its path; of alternatives, the first
 * @outer: that of the other one; not empty
 *
 * Return: whether it is.
 */
bool members_is_in(const char *path, const char *outer)
{
	return behind(path, outer);
}

/**
 * members_rest - name members as seen from a member that contains them
 * @paths: their paths, with | in between
 * @outer: path of the member that contains them; not empty
 * @text: set to their paths within @outer, likewise; empty if one of them is @outer itself
 *
 * Return: whether @outer contains all of them.
 */
bool members_rest(const char *paths, const char *outer, char text[TEXTS_MAX])
{
	const char *rest;
	bool whole = false;
	size_t len = 0;

	*text = '\0';
	for (; paths; paths = next_of(paths)) {
		rest = behind(paths, outer);
		if (!rest || len >= TEXTS_MAX)
			return false;
		if (!strncmp(rest, "[]", 2))
			rest += 2;
		rest += *rest == '.';
		whole |= !first_of(rest);
		len += snprintf(text + len, TEXTS_MAX - len, "%s%.*s", len ? "|" : "",
				(int)first_of(rest), rest);
	}
	if (whole)
		*text = '\0';
	return len < TEXTS_MAX;
}

/**
 * members_match - tell whether one of several members is another one, or in it
 * @paths: their paths
 * @outer: that of the other one; not empty
 *
 * Return: whether one is.
 */
bool members_match(const char *paths, const char *outer)
{
	for (; paths; paths = next_of(paths))
		if (members_is_in(paths, outer))
			return true;
	return false;
}

/**
 * members_is_leaf - tell whether a member has none in it
 * @record: the record
 * @member: its number
 *
 * Return: whether it has none. Those in it come right behind it.
 */
bool members_is_leaf(const struct record *record, u32 member)
{
	return member + 1 >= record->nr ||
	       !members_is_in(record->members[member + 1].path, record->members[member].path);
}

/**
 * members_is_array - tell whether a member is an array
 * @member: the member
 *
 * Return: whether it is.
 */
bool members_is_array(const struct member *member)
{
	size_t len = strlen(member->path);

	return len >= 2 && !strcmp(member->path + len - 2, "[]");
}

/**
 * members_flexible - tell where the array of any length is that a record ends in
 * @record: the record
 *
 * Return: where it begins, in bits; all bits set if there is none.
 */
u64 members_flexible(const struct record *record)
{
	const struct member *m, *array = NULL;
	u64 end = 0, begin = U64_MAX;
	u32 i;

	for (i = 0; i < record->nr; i++) {
		m = record->members + i;
		if (array && members_is_in(m->path, array->path))
			continue;
		array = !m->size && members_is_array(m) ? m : NULL;
		if (array && (begin == U64_MAX || begin < m->offset))
			begin = m->offset;
		if (m->offset + m->size > end)
			end = m->offset + m->size;
	}
	return begin >= end ? begin : U64_MAX;
}

/**
 * members_set_element - say how large the elements of an array are
 * @record: the record
 * @member: number of its member that is the array
 * @bits: size of an element; ignored if what is in the array does not go with it
 */
void members_set_element(struct record *record, u32 member, u64 bits)
{
	struct member *array = record->members + member, *m;
	u32 i;

	if (!bits || array->size % bits)
		return;
	for (i = member + 1; i < record->nr; i++) {
		m = record->members + i;
		if (!members_is_in(m->path, array->path))
			break;
		if (m->offset + m->size > array->offset + bits)
			return;
	}
	array->element = bits;
}

/* A part of a record, in bits; as it is for a member, see struct seeker. */
struct part {
	u64 first, end;
};

#define INDEXES_MAX	16	/* arrays in arrays */

/**
 * struct seeker - goes through the members of a record for those that have a part of it
 * @record: the record
 * @part: the part
 * @flexible: where its array of any length begins, in bits
 * @arrays: the arrays of records around the current member, outer ones first
 * @parts: the part as it would be in the first element of each
 * @nr: how many of these arrays there are
 */
struct seeker {
	const struct record *record;
	struct part part;
	u64 flexible;
	const struct member *arrays[INDEXES_MAX];
	struct part parts[INDEXES_MAX];
	u32 nr;
};

/* Whether an array goes on to any length. */
static bool is_flexible(const struct seeker *s, const struct member *m)
{
	return !m->size && m->offset == s->flexible && members_is_array(m);
}

/*
 * Where a part would be in the first element of an array, of which members are known. What is in
 * several elements has all bits, so that no member has all of it; what is in none has none.
 */
static struct part in_first(const struct seeker *s, const struct member *array, struct part part)
{
	u64 index;

	if (part.end <= array->offset ||
	    (!is_flexible(s, array) && part.first >= array->offset + array->size))
		return (struct part){ U64_MAX, U64_MAX };
	if (part.first < array->offset)
		return (struct part){ 0, U64_MAX };
	index = (part.first - array->offset) / array->element;
	part.first -= index * array->element;
	part.end -= index * array->element;
	if (part.end > array->offset + array->element)
		return (struct part){ 0, U64_MAX };
	return part;
}

/* The part as it is for a member; they come in their order. */
static struct part part_for(struct seeker *s, u32 member)
{
	const struct member *m = s->record->members + member;
	struct part part;

	while (s->nr && !members_is_in(m->path, s->arrays[s->nr - 1]->path))
		s->nr--;
	part = s->nr ? s->parts[s->nr - 1] : s->part;
	if (m->element && s->nr < INDEXES_MAX && part.end != U64_MAX) {
		s->arrays[s->nr] = m;
		s->parts[s->nr++] = in_first(s, m, part);
	}
	return part;
}

/* Whether a member has all of a part. */
static bool has_part(const struct seeker *s, const struct member *m, struct part part)
{
	if (is_flexible(s, m))
		return m->offset <= part.first && part.end != U64_MAX;
	return m->offset <= part.first && part.end <= m->offset + m->size;
}

/* Of the members that have others in them and all of the part, the smallest; NULL: none. */
static const struct member *innermost(struct seeker *s)
{
	const struct member *inner = NULL, *m;
	u32 i;

	s->nr = 0;
	for (i = 0; i < s->record->nr; i++) {
		m = s->record->members + i;
		if (has_part(s, m, part_for(s, i)) && (!inner || m->size <= inner->size))
			inner = m;
	}
	return inner;
}

/*
 * The only member without others in it that has some of the part; NULL: none, or several do, or
 * it goes on behind the record, but for what granules of four bytes have behind it.
 */
static const struct member *only(struct seeker *s)
{
	const struct member *found = NULL, *m;
	struct part part;
	u32 i;

	if (s->part.end > 8 * ((s->record->size + 3) / 4 * 4))
		return NULL;
	s->nr = 0;
	for (i = 0; i < s->record->nr; i++) {
		m = s->record->members + i;
		part = part_for(s, i);
		if (!members_is_leaf(s->record, i) || m->offset >= part.end ||
		    m->offset + m->size <= part.first)
			continue;
		if (found)
			return NULL;
		found = m;
	}
	return found;
}

/**
 * members_placed - tell what lies in a part of a record
 * @record: the record
 * @offset: where the part begins, in bytes
 * @bytes: its size
 * @at: set to where what lies there begins, in bytes; in arrays, of the first element
 *
 * That is the member that has all of the part and no others in it; in unions there may be several.
 * Or else the innermost one that has all of it; or the only one that has any of it, where the
 * part has padding.
 *
 * Return: the path, or several with | in between, to be freed; NULL if it cannot be told.
 */
char *members_placed(const struct record *record, u32 offset, u32 bytes, u32 *at)
{
	struct seeker s = {
		.record = record, .part = { 8ULL * offset, 8ULL * offset + 8ULL * bytes },
		.flexible = members_flexible(record),
	};
	const struct member *m = NULL;
	char text[TEXTS_MAX] = "";
	struct part part;
	size_t len = 0;
	u32 i;

	for (i = 0; i < record->nr && len < TEXTS_MAX; i++) {
		part = part_for(&s, i);
		if (!members_is_leaf(record, i) || !has_part(&s, record->members + i, part))
			continue;
		if (!m)
			m = record->members + i;
		len += snprintf(text + len, TEXTS_MAX - len, "%s%s", len ? "|" : "",
				record->members[i].path);
	}
	if (len >= TEXTS_MAX)
		return NULL;
	if (!m) {
		m = innermost(&s) ?: only(&s);
		if (!m)
			return NULL;
		snprintf(text, sizeof(text), "%s", m->path);
	}
	*at = m->offset / 8;
	return xstrdup(text);
}

/**
 * members_mark - mark what one of several members is, or is in, or has in it
 * @record: the record
 * @paths: the members' paths; an empty one is the record as a whole, which marks nothing
 * @marks: by number of the member; set where that is so
 */
void members_mark(const struct record *record, const char *paths, bool *marks)
{
	const char *path;
	u32 i;

	for (i = 0; i < record->nr; i++)
		for (path = paths; path; path = next_of(path))
			marks[i] |= first_of(path) &&
				    (members_is_in(record->members[i].path, path) ||
				     members_is_in(path, record->members[i].path));
}

/**
 * members_join - write the paths of members of records that are members themselves
 * @outer: paths of these
 * @inner: paths in them
 * @text: where to write each of the first with each of the second behind it, cut to its size
 */
void members_join(const char *outer, const char *inner, char text[TEXTS_MAX])
{
	const char *in;
	size_t len = 0;

	*text = '\0';
	for (; outer; outer = next_of(outer))
		for (in = inner; in && len < TEXTS_MAX; in = next_of(in))
			len += snprintf(text + len, TEXTS_MAX - len, "%s%.*s%s%.*s", len ? "|" : "",
					(int)first_of(outer), outer,
					first_of(in) && *in != '[' ? "." : "",
					(int)first_of(in), in);
}
