// SPDX-License-Identifier: GPL-2.0
/* Members of records by their paths, of which there may be alternatives. */
#include <stdio.h>
#include <string.h>

#include "members.h"

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

/**
 * members_is_in - tell whether a member is another one, or in it
 * @path: its path; of alternatives, the first
 * @outer: that of the other one; not empty
 *
 * Return: whether it is.
 */
bool members_is_in(const char *path, const char *outer)
{
	const char *p = path, *o = outer;

	while (*o && *o != '|' && *p == *o) {
		p = skip_indexes(p + 1, path);
		o = skip_indexes(o + 1, outer);
	}
	return (!*o || *o == '|') && strchr(".[|", *p);
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

/* Whether a member has all of some bits; one at the end may be an array of any length. */
static bool has_bits(const struct record *record, const struct member *m, u64 first, u64 end)
{
	if (!m->size && m->offset == 8 * record->size)
		return m->offset <= first;
	return m->offset <= first && end <= m->offset + m->size;
}

/* Of the members that have others in them and all of some bits, the smallest; NULL: none. */
static const struct member *innermost(const struct record *record, u64 first, u64 end)
{
	const struct member *inner = NULL, *m;
	u32 i;

	for (i = 0; i < record->nr; i++) {
		m = record->members + i;
		if (has_bits(record, m, first, end) && (!inner || m->size <= inner->size))
			inner = m;
	}
	return inner;
}

/* The only member without others in it that has one of some bits; NULL: none, or several do. */
static const struct member *only(const struct record *record, u64 first, u64 end)
{
	const struct member *found = NULL, *m;
	u32 i;

	for (i = 0; i < record->nr; i++) {
		m = record->members + i;
		if (!members_is_leaf(record, i) || m->offset >= end || m->offset + m->size <= first)
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
 * @at: set to where what lies there begins, in bytes
 *
 * That is the member that has all of the part and no others in it; in unions there may be several.
 * Or else the innermost one that has all of it; or the only one that has any of it, where the
 * part has padding.
 *
 * Return: the path, or several with | in between, to be freed; NULL if it cannot be told.
 */
char *members_placed(const struct record *record, u32 offset, u32 bytes, u32 *at)
{
	u64 first = 8ULL * offset, end = first + 8ULL * bytes;
	const struct member *m = NULL;
	char text[TEXTS_MAX] = "";
	size_t len = 0;
	u32 i;

	for (i = 0; i < record->nr && len < TEXTS_MAX; i++) {
		if (!members_is_leaf(record, i) || !has_bits(record, record->members + i, first, end))
			continue;
		if (!m)
			m = record->members + i;
		len += snprintf(text + len, TEXTS_MAX - len, "%s%s", len ? "|" : "",
				record->members[i].path);
	}
	if (len >= TEXTS_MAX)
		return NULL;
	if (!m) {
		m = innermost(record, first, end) ?: only(record, first, end);
		if (!m)
			return NULL;
		snprintf(text, sizeof(text), "%s", m->path);
	}
	*at = m->offset / 8;
	return strdup(text);
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
