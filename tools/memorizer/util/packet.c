// SPDX-License-Identifier: GPL-2.0
/*
 * The frame of a trace. libbabeltrace2 refuses a trace as a whole when one packet of one
 * file is cut off, and aborts or takes all memory for some metadata; looking at the
 * frame first tells what is wrong, and how far the trace is sound.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "packet.h"

#define MAGIC		0xc1fc1fc1u
#define METADATA_MAX	(256 * 1024)	/* bytes */
#define NESTING_MAX	16		/* of braces in the metadata */
#define TIME_MAX	(U64_MAX / 2)	/* ns; libbabeltrace2 refuses more */
#define ARRAY_MAX	4096		/* elements of an array in the metadata */

__printf(2, 3)
static bool fail(char error[KMAP_ERROR_MAX], const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error, KMAP_ERROR_MAX, format, args);
	va_end(args);
	return false;
}

/* Reads up to @size bytes from @offset on; returns how many, negative on error. */
static ssize_t read_at(int fd, void *buf, size_t size, u64 offset)
{
	size_t done = 0;
	ssize_t got;

	while (done < size) {
		got = pread(fd, (char *)buf + done, size - done, offset + done);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (!got)
			break;
		done += got;
	}
	return done;
}

/* The value that follows "@name =" in the metadata, or NULL. */
static const char *find_value(const char *text, const char *name)
{
	size_t len = strlen(name);
	const char *p;

	for (p = strstr(text, name); p; p = strstr(p + 1, name)) {
		if (p > text && (isalnum((unsigned char)p[-1]) || p[-1] == '_'))
			continue;
		p += len;
		p += strspn(p, " \t\n");
		if (*p == '=')
			return p + 1 + strspn(p + 1, " \t\n\"");
	}
	return NULL;
}

static bool parse_uuid(const char *text, unsigned char uuid[16])
{
	char byte[3] = "";
	int i;

	for (i = 0; i < 16; i++) {
		text += *text == '-';
		if (!isxdigit((unsigned char)text[0]) || !isxdigit((unsigned char)text[1]))
			return false;
		memcpy(byte, text, 2);
		uuid[i] = strtoul(byte, NULL, 16);
		text += 2;
	}
	return true;
}

/* Bounds what makes libbabeltrace2 recurse, and what it makes arrays of. */
static bool check_bounds(const char *text, const char *path, char error[KMAP_ERROR_MAX])
{
	int nesting = 0;
	const char *p;

	for (p = text; *p; p++) {
		nesting += (*p == '{' || *p == '(') - (*p == '}' || *p == ')');
		if (nesting > NESTING_MAX)
			return fail(error, "%s: braces are nested more than %d deep", path,
				    NESTING_MAX);
		if (*p == '[' && strtoull(p + 1, NULL, 0) > ARRAY_MAX)
			return fail(error, "%s: an array of more than %d elements", path,
				    ARRAY_MAX);
	}
	return true;
}

static bool check_metadata(struct metadata *m, const char *text, const char *path,
			   char error[KMAP_ERROR_MAX])
{
	const char *value;

	if (strncmp(text, "/* CTF 1.8", 10))
		return fail(error, "%s: begins with no \"/* CTF 1.8 */\": not CTF metadata as text",
			    path);
	if (!check_bounds(text, path, error))
		return false;
	value = find_value(text, "uuid");
	if (!value || !parse_uuid(value, m->uuid))
		return fail(error, "%s: no uuid of the trace in it", path);
	value = find_value(text, "byte_order");
	if (!value || (strncmp(value, "le;", 3) && strncmp(value, "be;", 3)))
		return fail(error, "%s: no byte_order in it: want le or be", path);
	m->big_endian = *value == 'b';
	value = find_value(text, "freq");
	if (!value || strncmp(value, "1000000000;", 11))
		return fail(error, "%s: no clock with freq = 1000000000 in it", path);
	return true;
}

/**
 * metadata_load - read a trace's metadata
 * @m: set to what is in it
 * @dir: the trace
 * @error: set to a message when it cannot be used
 *
 * Return: whether libbabeltrace2 may see it.
 */
bool metadata_load(struct metadata *m, const char *dir, char error[KMAP_ERROR_MAX])
{
	char path[PATH_MAX], *text;
	bool good = false;
	ssize_t size;
	int fd;

	snprintf(path, sizeof(path), "%s/metadata", dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fail(error, "%s: %s: a trace is a directory with metadata, cpu0, ...", path,
			    strerror(errno));
	text = kmap_array(NULL, METADATA_MAX + 1, 1);
	size = read_at(fd, text, METADATA_MAX + 1, 0);
	if (size < 0)
		fail(error, "%s: %s", path, strerror(errno));
	else if (size > METADATA_MAX)
		fail(error, "%s: larger than %d bytes: not the metadata of Memorizer", path,
		     METADATA_MAX);
	else if (memchr(text, '\0', size))
		fail(error, "%s: a NUL byte in it: not CTF metadata as text", path);
	else
		good = true;
	if (good) {
		text[size] = '\0';
		good = check_metadata(m, text, path, error);
	}
	free(text);
	close(fd);
	return good;
}

/**
 * packets_open - begin with the packets of a file
 * @p: the packets
 * @path: the file; stays the caller's
 * @m: the trace's metadata
 *
 * Return: whether that worked; if not, p->error tells why.
 */
bool packets_open(struct packets *p, const char *path, const struct metadata *m)
{
	struct stat st;

	*p = (struct packets){ .path = path, .metadata = m };
	p->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (p->fd < 0)
		return fail(p->error, "%s: %s", path, strerror(errno));
	if (fstat(p->fd, &st)) {
		close(p->fd);
		return fail(p->error, "%s: %s", path, strerror(errno));
	}
	p->file_size = st.st_size;
	return true;
}

/**
 * packets_close - end with the packets of a file
 * @p: the packets, which packets_open() opened
 */
void packets_close(struct packets *p)
{
	close(p->fd);
}

static u64 get(const struct packets *p, const unsigned char *bytes, int size)
{
	u64 value = 0;
	int i;

	for (i = 0; i < size; i++)
		value |= (u64)bytes[p->metadata->big_endian ? size - 1 - i : i] << 8 * i;
	return value;
}

__printf(2, 3)
static enum packet_next damaged(struct packets *p, const char *format, ...)
{
	size_t len;
	va_list args;

	len = snprintf(p->error, sizeof(p->error), "%s: packet %llu, at byte %llu: ", p->path,
		       p->nr, p->offset);
	if (len < sizeof(p->error)) {
		va_start(args, format);
		vsnprintf(p->error + len, sizeof(p->error) - len, format, args);
		va_end(args);
	}
	return PACKET_DAMAGED;
}

/**
 * packet_next - go to the next packet
 * @p: the packets
 *
 * Return: what was found. At the first damage there is no way to go on.
 */
enum packet_next packet_next(struct packets *p)
{
	unsigned char h[PACKET_HEADER];
	u64 content, left, begin, end;
	ssize_t got;

	p->offset += p->size;
	p->nr++;
	left = p->file_size - p->offset;
	if (!left)
		return PACKET_END;
	got = read_at(p->fd, h, sizeof(h), p->offset);
	if (got < 0)
		return damaged(p, "%s", strerror(errno));
	if (got < PACKET_HEADER)
		return damaged(p, "cut off: %zd bytes are left, its header alone has %d", got,
			       PACKET_HEADER);
	if (get(p, h, 4) != MAGIC)
		return damaged(p, "no packet: magic is %08llx, want %08x", get(p, h, 4), MAGIC);
	if (memcmp(h + 4, p->metadata->uuid, 16))
		return damaged(p, "its uuid is not that of the metadata: they are not of one boot");
	if (get(p, h + 20, 4))
		return damaged(p, "stream_id is %llu, want 0", get(p, h + 20, 4));
	content = get(p, h + 40, 8);
	p->size = get(p, h + 48, 8) / 8;
	if (get(p, h + 48, 8) % 8 || p->size < PACKET_HEADER)
		return damaged(p, "packet_size is %llu bits, want whole bytes and %d at least",
			       get(p, h + 48, 8), 8 * PACKET_HEADER);
	if (content % 8 || content > 8 * p->size || content < 8 * PACKET_HEADER)
		return damaged(p, "content_size is %llu bits, want whole bytes, %d to %llu",
			       content, 8 * PACKET_HEADER, 8 * p->size);
	p->content = content / 8;
	begin = get(p, h + 24, 8);
	end = get(p, h + 32, 8);
	if (begin > TIME_MAX || end > TIME_MAX)
		return damaged(p, "timestamps %llu to %llu: at most %llu", begin, end, TIME_MAX);
	p->begin = begin;
	p->end = end;
	p->seq = get(p, h + 56, 8);
	p->discarded = get(p, h + 64, 8);
	if (p->seq == U64_MAX || p->discarded == U64_MAX)
		return damaged(p, "packet_seq_num %llu, events_discarded %llu: want less", p->seq,
			       p->discarded);
	p->cpu = get(p, h + 72, 4);
	p->node = get(p, h + 76, 4);
	p->cut = p->size > left;
	if (p->cut)
		return damaged(p, "cut off: %llu bytes are left of %llu", left, p->size);
	return PACKET_FOUND;
}
