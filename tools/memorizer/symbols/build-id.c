// SPDX-License-Identifier: GPL-2.0
/* Build IDs, which verify that a file matches the traced code. */
#include <elfutils/libdwelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/source.h"
#include "symbols/build-id.h"

#define GNU	"GNU"		/* owner of the ELF note, with its NUL */
#define HEAD	12		/* bytes of an ELF note's header */

/**
 * build_id_equal - compare build IDs
 * @a: a build ID
 * @b: another build ID
 *
 * Return: true if they are equal or both unknown. Trailing zeros are ignored: the kernel pads
 *	   short build IDs.
 */
bool build_id_equal(const struct build_id *a, const struct build_id *b)
{
	return !a->size == !b->size && !memcmp(a->id, b->id, BUILD_ID_MAX);
}

/**
 * build_id_text - format a build ID in hex
 * @id: the build ID
 * @text: set to the digits; "none" if @id is unknown
 *
 * Return: @text.
 */
const char *build_id_text(const struct build_id *id, char text[BUILD_ID_TEXT])
{
	size_t i;

	snprintf(text, BUILD_ID_TEXT, "none");
	for (i = 0; i < id->size; i++)
		sprintf(text + 2 * i, "%02x", id->id[i]);
	return text;
}

/**
 * build_id_parse - parse a build ID in hex
 * @text: hex digits
 * @len: number of digits
 *
 * Return: the build ID; unknown if @text has other characters.
 */
struct build_id build_id_parse(const char *text, size_t len)
{
	struct build_id id = { .size = 0 };
	unsigned int byte;
	size_t i;

	for (i = 0; i < BUILD_ID_MAX && 2 * i + 1 < len; i++) {
		if (sscanf(text + 2 * i, "%2x", &byte) != 1)
			return id;
		id.id[i] = byte;
	}
	id.size = i;
	return id;
}

static struct build_id make(const void *bytes, size_t size)
{
	struct build_id id = { .size = size < BUILD_ID_MAX ? size : BUILD_ID_MAX };

	memcpy(id.id, bytes, id.size);
	return id;
}

/**
 * build_id_elf - get the build ID of an ELF file
 * @elf: the file
 *
 * Return: the build ID; unknown if the file has none.
 */
struct build_id build_id_elf(Elf *elf)
{
	const void *bytes;
	ssize_t size = dwelf_elf_gnu_build_id(elf, &bytes);

	return size > 0 ? make(bytes, size) : (struct build_id){ .size = 0 };
}

static u32 number(const unsigned char *p, bool big_endian)
{
	int i, first = big_endian ? 0 : 3, step = big_endian ? 1 : -1;
	u32 value = 0;

	for (i = 0; i < 4; i++)
		value = value << 8 | p[first + step * i];
	return value;
}

/* Find the build ID in a sequence of ELF notes. */
static struct build_id find(const unsigned char *p, size_t left, bool big_endian)
{
	size_t name, size, at, room;

	for (room = 0; left >= HEAD + room; ) {
		p += room;
		left -= room;
		name = number(p, big_endian);
		size = number(p + 4, big_endian);
		at = HEAD + (name + 3) / 4 * 4;
		/* Name and contents are each padded to four bytes. */
		room = at + (size + 3) / 4 * 4;
		/* The wrong byte order gives absurd sizes, and ends here. */
		if (name > left || size > left || at + size > left)
			break;
		if (number(p + 8, big_endian) == NT_GNU_BUILD_ID && name == sizeof(GNU) &&
		    !memcmp(p + HEAD, GNU, name))
			return make(p + at, size);
	}
	return (struct build_id){ .size = 0 };
}

/**
 * build_id_kernel - get the build ID of the traced kernel
 * @path: copy of its /sys/kernel/notes, of any byte order; may be NULL
 *
 * Return: the build ID; unknown if the file does not exist.
 */
struct build_id build_id_kernel(const char *path)
{
	char error[ERROR_MAX];
	struct source *file = path ? source_open(path, error) : NULL;
	struct build_id id = { .size = 0 };
	unsigned char data[4096];
	long long got;

	if (!file)
		return id;
	got = source_read(file, data, sizeof(data));
	source_close(file);
	if (got > 0)
		id = find(data, got, false);
	/* The file does not tell its byte order: try both. */
	return got > 0 && !id.size ? find(data, got, true) : id;
}

/**
 * build_id_module - get the build ID of a module of the traced kernel
 * @path: file with lines "NAME BUILD-ID", saved by record; may be NULL
 * @name: name of the module
 *
 * Return: the build ID; unknown if the file does not exist or lacks the module.
 */
struct build_id build_id_module(const char *path, const char *name)
{
	char error[ERROR_MAX];
	int fd = path ? source_fd(path, error) : -1;
	struct build_id id = { .size = 0 };
	size_t len = strlen(name);
	struct lines in;

	if (fd < 0)
		return id;
	lines_init(&in, fd);
	while (lines_next(&in) == LINES_WHOLE)
		if (in.len > len && !memcmp(in.line, name, len) && in.line[len] == ' ')
			id = build_id_parse(in.line + len + 1, in.len - len - 1);
	lines_free(&in);
	close(fd);
	return id;
}

/**
 * build_id_loaded - get the build ID of a module of the running kernel
 * @name: name of the module
 *
 * Return: the build ID; unknown if the module has none.
 */
struct build_id build_id_loaded(const char *name)
{
	struct build_id id = { .size = 0 };
	unsigned char note[256];
	size_t got;
	char *path;
	FILE *from;

	if (asprintf(&path, "/sys/module/%s/notes/.note.gnu.build-id", name) < 0)
		return id;
	from = fopen(path, "rbe");
	free(path);
	if (!from)
		return id;
	got = fread(note, 1, sizeof(note), from);
	fclose(from);
	id = find(note, got, false);
	return id.size ? id : find(note, got, true);
}

/**
 * build_id_check - check whether a file matches the traced code
 * @path: name of the file
 * @id: build ID of the file
 * @ran: build ID of the traced code; if unknown, any file matches
 * @whose: owner of @ran, for the message
 * @error: set to a message on mismatch
 *
 * Return: true if it matches.
 */
bool build_id_check(const char *path, const struct build_id *id, const struct build_id *ran,
		    const char *whose, char error[ERROR_MAX])
{
	char ours[BUILD_ID_TEXT], theirs[BUILD_ID_TEXT];

	/* The kernel may have no build ID, or the trace may lack it. */
	if (!ran->size || build_id_equal(id, ran))
		return true;
	snprintf(error, ERROR_MAX,
		 "%.200s: stale: build ID is %s, that of the %s is %s: file ignored",
		 path, build_id_text(id, ours), whose, build_id_text(ran, theirs));
	return false;
}
