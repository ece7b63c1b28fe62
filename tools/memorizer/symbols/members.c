// SPDX-License-Identifier: GPL-2.0
/*
 * Members of records, by their paths. Where several members share an address, as in unions,
 * "a|b" lists alternative paths. "a[].b" is a member of the elements of an array.
 */
#include <stdio.h>
#include <string.h>

#include "symbols/members.h"

/* Length of the first path in a list of alternatives. */
static size_t first_of(const char *paths)
{
	return strcspn(paths, "|");
}

/* The list without its first path, or NULL. */
static const char *next_of(const char *paths)
{
	paths += first_of(paths);
	return *paths ? paths + 1 : NULL;
}

/* "a[][]" and "a[]" are the same member: skip all but the first of several indexes. */
static const char *skip_indexes(const char *p, const char *path)
{
	while (p - path >= 2 && !strncmp(p - 2, "[][]", 4))
		p += 2;
	return p;
}

/* Strip the prefix @outer from a path. Returns NULL if @path is not @outer or within it. */
static const char *strip_prefix(const char *path, const char *outer)
{
	const char *p = path, *o = outer;

	while (*o && *o != '|' && *p == *o) {
		p = skip_indexes(p + 1, path);
		o = skip_indexes(o + 1, outer);
	}
	return (!*o || *o == '|') && strchr(".[|", *p) ? p : NULL;
}

/**
 * members_is_in - check whether a member is another one, or within it
 * @path: path of the member; only the first of alternatives counts
 * @outer: path of the other member, not empty
 *
 * Return: true if it is.
 */
bool members_is_in(const char *path, const char *outer)
{
	return strip_prefix(path, outer);
}

/**
 * members_rest - make paths relative to an enclosing member
 * @paths: alternative paths
 * @outer: path of the enclosing member, not empty
 * @text: set to the relative paths; empty if one of @paths is @outer itself
 *
 * Return: true if all of @paths are within @outer.
 */
bool members_rest(const char *paths, const char *outer, char text[TEXTS_MAX])
{
	const char *rest;
	bool whole = false;
	size_t len = 0;

	*text = '\0';
	for (; paths; paths = next_of(paths)) {
		rest = strip_prefix(paths, outer);
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
 * members_match - check whether one of several members is another one, or within it
 * @paths: alternative paths
 * @outer: path of the other member, not empty
 *
 * Return: true if one is.
 */
bool members_match(const char *paths, const char *outer)
{
	for (; paths; paths = next_of(paths))
		if (members_is_in(paths, outer))
			return true;
	return false;
}

/**
 * members_is_leaf - check whether a member has no members itself
 * @record: the record
 * @member: index of the member; its own members follow it directly
 *
 * Return: true if it has none.
 */
bool members_is_leaf(const struct record *record, u32 member)
{
	return member + 1 >= record->nr ||
	       !members_is_in(record->members[member + 1].path, record->members[member].path);
}

/**
 * members_is_array - check whether a member is an array
 * @member: the member
 *
 * Return: true if it is.
 */
bool members_is_array(const struct member *member)
{
	size_t len = strlen(member->path);

	return len >= 2 && !strcmp(member->path + len - 2, "[]");
}

/**
 * members_flexible - find the flexible array at the end of a record
 * @record: the record
 *
 * Return: offset of the array in bits; U64_MAX if there is none.
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
	/* An empty array before other members is not flexible. */
	return begin >= end ? begin : U64_MAX;
}

/**
 * members_set_element - set the element size of an array
 * @record: the record
 * @member: index of the array
 * @bits: size of an element in bits; ignored if it does not match the size of the array or the
 *	  members of the elements
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
		/* The members do not fit: another record has the name of the elements' type. */
		if (m->offset + m->size > array->offset + bits)
			return;
	}
	array->element = bits;
}

/* A part of a record, as offsets in bits; @end is exclusive. */
struct part {
	u64 first, end;
};

#define INDEXES_MAX	16	/* max. nested arrays */

/**
 * struct seeker - iterates over the members of a record, to find those at a part of it
 * @record: the record
 * @part: the part
 * @flexible: offset of the flexible array in bits, or U64_MAX
 * @arrays: the arrays that enclose the current member, outermost first
 * @parts: @part mapped to the first element of each of @arrays
 * @nr: number of @arrays
 *
 * A record describes the first element of an array only: an access to another element is looked up
 * as if it were to the first.
 */
struct seeker {
	const struct record *record;
	struct part part;
	u64 flexible;
	const struct member *arrays[INDEXES_MAX];
	struct part parts[INDEXES_MAX];
	u32 nr;
};

static bool is_flexible(const struct seeker *s, const struct member *m)
{
	return !m->size && m->offset == s->flexible && members_is_array(m);
}

/*
 * Map a part to the first element of an array. A part that spans several elements maps to
 * everything, which no member contains; one outside the array maps to an empty part at the end.
 */
static struct part in_first(const struct seeker *s, const struct member *array, struct part part)
{
	u64 index;

	if (part.end <= array->offset ||
	    (!is_flexible(s, array) && part.first >= array->offset + array->size))
		return (struct part){ U64_MAX, U64_MAX };
	if (part.first < array->offset)
		return (struct part){ 0, U64_MAX };
	/* Subtracting whole elements maps the part to the first one. */
	index = (part.first - array->offset) / array->element;
	part.first -= index * array->element;
	part.end -= index * array->element;
	if (part.end > array->offset + array->element)
		return (struct part){ 0, U64_MAX };
	return part;
}

/* Map the part for a member. Must be called for the members in order. */
static struct part part_for(struct seeker *s, u32 member)
{
	const struct member *m = s->record->members + member;
	struct part part;

	/* Leave the arrays that do not enclose this member. */
	while (s->nr && !members_is_in(m->path, s->arrays[s->nr - 1]->path))
		s->nr--;
	/*
	 * The outer arrays apply to the array itself; its own index only to what is
	 * within it.
	 */
	part = s->nr ? s->parts[s->nr - 1] : s->part;
	if (m->element && s->nr < INDEXES_MAX && part.end != U64_MAX) {
		s->arrays[s->nr] = m;
		s->parts[s->nr++] = in_first(s, m, part);
	}
	return part;
}

/* A member contains the whole part. */
static bool has_part(const struct seeker *s, const struct member *m, struct part part)
{
	if (is_flexible(s, m))
		return m->offset <= part.first && part.end != U64_MAX;
	return m->offset <= part.first && part.end <= m->offset + m->size;
}

/* Find the smallest member that contains the whole part. */
static const struct member *innermost(struct seeker *s)
{
	const struct member *inner = NULL, *m;
	u32 i;

	/* part_for() is called for all members again. */
	s->nr = 0;
	for (i = 0; i < s->record->nr; i++) {
		m = s->record->members + i;
		/* "<=": of equal members, the later one is within the earlier one. */
		if (has_part(s, m, part_for(s, i)) && (!inner || m->size <= inner->size))
			inner = m;
	}
	return inner;
}

/*
 * Find the leaf that overlaps the part, if there is exactly one. The part may only extend beyond
 * the record within the record's last granule of four bytes.
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
 * members_placed - find the member at a part of a record
 * @record: the record
 * @offset: offset of the part in bytes
 * @bytes: size of the part in bytes
 * @at: set to the offset of the member in bytes; in arrays, to that of the first element
 *
 * Prefers the leaf that contains the whole part, or several leaves in unions; then the innermost
 * member that contains it; then the only leaf that overlaps it, if the rest is padding.
 *
 * Return: path of the member, or alternative paths, to be freed; NULL if no member matches.
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
 * members_mark - mark members that are, enclose or are within one of several members
 * @record: the record
 * @paths: alternative paths; an empty path is the whole record, and marks nothing
 * @marks: a flag for each member of @record; set if it matches
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
 * members_join - prefix the paths of members by those of an enclosing member
 * @outer: alternative paths of the enclosing member
 * @inner: alternative paths relative to it
 * @text: set to all combinations, truncated to TEXTS_MAX
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
