// SPDX-License-Identifier: GPL-2.0
/*
 * The members of a tar archive, as POSIX and GNU tar write it. By hand, because what is wanted
 * is where in the archive a member's bytes are; libarchive only gives the bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/tar.h"

#define EXTENDED_MAX	65536		/* bytes of what pax and GNU put before a header */

struct header {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type;
	char link[100], magic[8], user[32], group[32], major[8], minor[8], prefix[155], pad[12];
};

static_assert(sizeof(struct header) == TAR_BLOCK, "a header is a block");

/* A number: octal, or binary if the first bit is set. */
static u64 number(const char *field, size_t len)
{
	u64 n = 0;
	size_t i;

	if (*field & 0x80) {
		for (i = 1; i < len; i++)
			n = n << 8 | (unsigned char)field[i];
		return n;
	}
	for (i = 0; i < len && field[i] == ' '; i++)
		;
	for (; i < len && field[i] >= '0' && field[i] <= '7'; i++)
		n = n << 3 | (field[i] - '0');
	return n;
}

/* Whether the sum is right, which counts its own field as spaces. */
static bool is_header(const struct header *h)
{
	const unsigned char *bytes = (const void *)h;
	u64 sum = 8 * ' ';
	size_t i;

	for (i = 0; i < sizeof(*h); i++)
		if (i < offsetof(struct header, sum) || i >= offsetof(struct header, type))
			sum += bytes[i];
	return number(h->sum, sizeof(h->sum)) == sum;
}

static enum tar_next damaged(struct tar *t, const char *what)
{
	snprintf(t->error, sizeof(t->error), "%s, at byte %llu of the archive", what, t->next);
	return TAR_DAMAGED;
}

/**
 * tar_is_archive - tell whether something is a tar archive
 * @range: where it is
 *
 * Return: whether it begins with a header.
 */
bool tar_is_archive(const struct range *range)
{
	struct header h;

	return range_read(range, 0, &h, sizeof(h)) == sizeof(h) && !memcmp(h.magic, "ustar", 5) &&
	       is_header(&h);
}

/* Takes name and size from pax's lines "LENGTH KEY=VALUE\n", which are @len bytes. */
static void take_pax(struct tar *t, char *text, size_t len, u64 *size)
{
	char *end, *value;
	u64 line;

	while (len) {
		line = strtoull(text, &end, 10);
		if (line > len || line < 5 || *end != ' ' || text[line - 1] != '\n')
			return;
		text[line - 1] = '\0';
		value = strchr(++end, '=');
		if (value && !strncmp(end, "path=", 5))
			snprintf(t->name, sizeof(t->name), "%.*s", PATH_MAX - 1, value + 1);
		else if (value && !strncmp(end, "size=", 5))
			*size = strtoull(value + 1, NULL, 10);
		text += line;
		len -= line;
	}
}

/* Takes what stands before a header: a long name, or what pax writes. */
static bool take_extended(struct tar *t, char type, u64 len, u64 *size)
{
	static char text[EXTENDED_MAX + 1];

	if (len > EXTENDED_MAX ||
	    range_read(&t->range, t->next + TAR_BLOCK, text, len) != len)
		return false;
	text[len] = '\0';
	if (type == 'x')
		take_pax(t, text, len, size);
	else if (type == 'L')
		snprintf(t->name, sizeof(t->name), "%.*s", PATH_MAX - 1, text);
	return true;
}

static void take_name(struct tar *t, const struct header *h)
{
	int prefix = memcmp(h->magic, "ustar", 6) ? 0 : (int)sizeof(h->prefix);

	if (*t->name)
		return;
	snprintf(t->name, sizeof(t->name), "%.*s%s%.*s", prefix, h->prefix,
		 prefix && *h->prefix ? "/" : "", (int)sizeof(h->name), h->name);
}

/**
 * tar_next - go to the next member
 * @t: the archive, with only @range set before the first call
 *
 * Return: what was found.
 */
enum tar_next tar_next(struct tar *t)
{
	u64 len, size = U64_MAX;
	struct header h;
	bool extended;

	*t->name = '\0';
	do {
		if (t->next == t->range.size)
			return TAR_END;
		if (range_read(&t->range, t->next, &h, sizeof(h)) != sizeof(h))
			return damaged(t, "cut off in a header");
		if (!*h.name)
			return TAR_END;
		if (!is_header(&h))
			return damaged(t, "no header where one should be");
		len = number(h.size, sizeof(h.size));
		extended = h.type == 'x' || h.type == 'L' || h.type == 'g' || h.type == 'K';
		if (extended && !take_extended(t, h.type, len, &size))
			return damaged(t, "an extended header that is cut off or too long");
		if (!extended && size != U64_MAX)
			len = size;
		t->offset = t->next + TAR_BLOCK;
		t->size = len;
		if (len > U64_MAX / 2)
			return damaged(t, "a member's size is none");
		t->next = t->offset + (len + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
		if (t->next > t->range.size)
			t->next = t->range.size;
	} while (extended);
	take_name(t, &h);
	t->regular = h.type == '0' || !h.type;
	return TAR_MEMBER;
}
