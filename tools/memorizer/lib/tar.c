// SPDX-License-Identifier: GPL-2.0
/*
 * Reader of tar archives in the formats of POSIX and GNU tar. libarchive would have to
 * copy each member: it does not return offsets, by which members are read in place here.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/tar.h"

#define EXTENDED_MAX	65536		/* max. bytes of a pax or GNU extended header */

struct header {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type;
	char link[100], magic[8], user[32], group[32], major[8], minor[8], prefix[155], pad[12];
};

static_assert(sizeof(struct header) == TAR_BLOCK, "a header is a block");

/* Numbers are octal text, or binary if the top bit is set. */
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

/* The checksum counts its own field as spaces. */
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
	snprintf(t->error, sizeof(t->error), "%s at byte %llu of the archive", what, t->next);
	return TAR_DAMAGED;
}

/**
 * tar_is_archive - detect a tar archive
 * @range: location of the bytes
 *
 * Return: true if the bytes begin with a valid header.
 */
bool tar_is_archive(const struct range *range)
{
	struct header h;

	return range_read(range, 0, &h, sizeof(h)) == sizeof(h) && !memcmp(h.magic, "ustar", 5) &&
	       is_header(&h);
}

/* Parse pax records "LENGTH KEY=VALUE\n" for name and size. */
static void take_pax(struct tar *t, char *text, size_t len, u64 *size)
{
	char *end, *value;
	u64 line;

	while (len) {
		line = strtoull(text, &end, 10);
		/* A malformed record ends the header: the length of the next one is unknown. */
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

/* Parse an extended header: a long name of GNU tar, or pax records. */
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
	/* GNU tar has "ustar " here, and uses the prefix for other fields. */
	int prefix = memcmp(h->magic, "ustar", 6) ? 0 : (int)sizeof(h->prefix);

	/* An extended header has the full name: that in the header is truncated. */
	if (*t->name)
		return;
	snprintf(t->name, sizeof(t->name), "%.*s%s%.*s", prefix, h->prefix,
		 prefix && *h->prefix ? "/" : "", (int)sizeof(h->name), h->name);
}

/**
 * tar_next - advance to the next member
 * @t: the archive, zeroed except for @range before the first call
 *
 * Return: TAR_MEMBER with the member's fields set in @t, TAR_END or TAR_DAMAGED.
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
			return damaged(t, "truncated header");
		/* Blocks of zeros end the archive. */
		if (!*h.name)
			return TAR_END;
		if (!is_header(&h))
			return damaged(t, "invalid header");
		len = number(h.size, sizeof(h.size));
		/*
		 * Global headers and long link names are skipped: no member of a trace
		 * depends on them.
		 */
		extended = h.type == 'x' || h.type == 'L' || h.type == 'g' || h.type == 'K';
		if (extended && !take_extended(t, h.type, len, &size))
			return damaged(t, "truncated or oversized extended header");
		/* The size in the header is wrong if it does not fit there. */
		if (!extended && size != U64_MAX)
			len = size;
		t->offset = t->next + TAR_BLOCK;
		t->size = len;
		/* Rounding up to blocks must not overflow. */
		if (len > U64_MAX / 2)
			return damaged(t, "invalid size of a member");
		t->next = t->offset + (len + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
		/* Return the truncated last member: add_member() shortens it. */
		if (t->next > t->range.size)
			t->next = t->range.size;
	} while (extended);
	take_name(t, &h);
	/* Old tar writes NUL for a regular file. */
	t->regular = h.type == '0' || !h.type;
	return TAR_MEMBER;
}
