// SPDX-License-Identifier: GPL-2.0
/*
 * Reader of the compiler's notes in sections of vmlinux and modules. See memorizer-formats(5) for
 * their layout.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/hash.h"
#include "lib/source.h"
#include "symbols/members.h"
#include "symbols/notes.h"

#define NOTE_VERSION	1

/**
 * struct notes - notes of a vmlinux or module
 * @next: notes of the next file, or NULL
 * @fd: file descriptor; -1 for a module, whose file is owned by struct modules
 * @elf: libelf handle, which owns @strings and @types
 * @big_endian: byte order of the file
 * @strings: strings to which notes refer
 * @types: layouts of records, as text
 * @all: the notes, ordered by address in the traced kernel
 * @nr: number of notes
 * @records: start of each record in @types, ordered by name
 * @nr_records: number of @records
 * @placed: cache of struct placed
 * @extents: cache of struct extent
 */
struct notes {
	struct notes *next;
	int fd;
	Elf *elf;
	bool big_endian;
	struct section_bytes strings, types;
	struct note *all;
	size_t nr;
	const char **records;
	size_t nr_records;
	struct hash *placed, *extents;
};

static u64 get(bool big_endian, const unsigned char *p, int size)
{
	u64 value = 0;
	int i;

	for (i = 0; i < size; i++)
		value |= (u64)p[i] << 8 * (big_endian ? size - 1 - i : i);
	return value;
}

/* Get the string at an offset. Invalid offsets, and sections without final NUL, yield "". */
static const char *text_at(const struct section_bytes *texts, u64 offset)
{
	/* Without a NUL at the end, the last string would be read beyond the section. */
	if (offset >= texts->size || texts->data[texts->size - 1])
		return "";
	return (const char *)texts->data + offset;
}

static bool read_notes(struct notes *n, const struct section_bytes *b, u64 offset)
{
	size_t nr = b->size / NOTE_SIZE, i;
	const unsigned char *p;
	u64 ip;

	n->all = xreallocarray(NULL, nr + 1, sizeof(*n->all));
	for (i = 0; i < nr; i++) {
		p = b->data + i * NOTE_SIZE;
		ip = get(n->big_endian, p, 8);
		/* Another version may have another layout: ignore all notes. */
		if (p[36] != NOTE_VERSION)
			return false;
		/* No symbol of its section is in kallsyms, see apply() in notes-module.c. */
		if (ip == NOTE_NOWHERE)
			continue;
		n->all[n->nr++] = (struct note){
			/* Per-CPU variables are at offsets, which KASLR does not change. */
			.ip = ip > U32_MAX ? ip + offset : ip,
			.type = text_at(&n->strings, get(n->big_endian, p + 8, 4)),
			.path = text_at(&n->strings, get(n->big_endian, p + 12, 4)),
			.file = text_at(&n->strings, get(n->big_endian, p + 16, 4)),
			.line = get(n->big_endian, p + 20, 4),
			.offset = get(n->big_endian, p + 24, 4),
			.type_size = get(n->big_endian, p + 32, 4),
			.kind = p[37],
			.flags = get(n->big_endian, p + 38, 2),
		};
	}
	return true;
}

/* Order by address. Notes with a known type come first. */
static int compare(const void *left, const void *right)
{
	const struct note *a = left, *b = right;

	if (a->ip != b->ip)
		return a->ip < b->ip ? -1 : 1;
	return !*a->type - !*b->type;
}

/* Get the name of a record, whose first line is KIND NAME SIZE. */
static const char *record_name(const char *text, size_t *len)
{
	text += strcspn(text, " \n");
	text += *text == ' ';
	*len = strcspn(text, " \n");
	return text;
}

static int compare_names(const char *a, size_t len_a, const char *b, size_t len_b)
{
	int order = strncmp(a, b, len_a < len_b ? len_a : len_b);

	if (order)
		return order;
	return len_a < len_b ? -1 : len_a > len_b;
}

/* Order by name, then by position, since qsort() is not stable. */
static int compare_records(const void *left, const void *right)
{
	const char *a = *(const char * const *)left, *b = *(const char * const *)right;
	size_t len_a, len_b;
	const char *name_a = record_name(a, &len_a), *name_b = record_name(b, &len_b);
	int order = compare_names(name_a, len_a, name_b, len_b);

	if (order)
		return order;
	return a < b ? -1 : a > b;
}

static void index_records(struct notes *n)
{
	size_t at, room = 0;

	for (at = 0; at < n->types.size; at += strlen(text_at(&n->types, at)) + 1) {
		/* The linker pads between the sections of object files. */
		if (!*text_at(&n->types, at))
			continue;
		if (n->nr_records == room) {
			room = room ? 2 * room : 1024;
			n->records = xreallocarray(n->records, room, sizeof(*n->records));
		}
		n->records[n->nr_records++] = text_at(&n->types, at);
	}
	if (n->nr_records)
		qsort(n->records, n->nr_records, sizeof(*n->records), compare_records);
}

/* Find the sections. Returns false if there are no notes; sets @section to their index. */
static bool read_sections(struct notes *n, struct section_bytes *names, size_t *section)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr head;
	const char *name;
	size_t strings;
	bool fine = true;

	if (elf_getshdrstrndx(n->elf, &strings))
		return false;
	while (fine && (scn = elf_nextscn(n->elf, scn)) && gelf_getshdr(scn, &head)) {
		name = elf_strptr(n->elf, strings, head.sh_name) ?: "";
		if (!strcmp(name, ".debug_memorizer_names")) {
			fine = sections_take(scn, names);
			*section = elf_ndxscn(scn);
		} else if (!strcmp(name, ".debug_memorizer_str")) {
			fine = sections_take(scn, &n->strings);
		} else if (!strcmp(name, ".debug_memorizer_types")) {
			fine = sections_take(scn, &n->types);
		}
	}
	return fine && names->size;
}

/* Parse the notes. Fails if their version is unknown. */
static bool take_notes(struct notes *n, const struct section_bytes *names, u64 offset)
{
	if (!read_notes(n, names, offset))
		return false;
	/* All sections are in memory: libelf no longer needs the file descriptor. */
	if (n->fd >= 0)
		elf_cntl(n->elf, ELF_C_FDDONE);
	qsort(n->all, n->nr, sizeof(*n->all), compare);
	index_records(n);
	return true;
}

static struct notes *make_notes(int fd, Elf *elf)
{
	struct notes *n = xreallocarray(NULL, 1, sizeof(*n));
	char *ident = elf ? elf_getident(elf, NULL) : NULL;

	*n = (struct notes){ .fd = fd, .elf = elf };
	n->placed = xreallocarray(NULL, 1, sizeof(*n->placed));
	hash_init(n->placed, sizeof(struct placed), 2 * sizeof(u64));
	n->extents = xreallocarray(NULL, 1, sizeof(*n->extents));
	hash_init(n->extents, sizeof(struct extent), sizeof(u64));
	n->big_endian = ident && ident[EI_DATA] == ELFDATA2MSB;
	return n;
}

/**
 * notes_load - read the notes of vmlinux
 * @vmlinux: the file
 * @offset: KASLR's offset of the traced kernel
 * @error: set to a message on failure; empty if @vmlinux has no notes
 *
 * Return: the notes; NULL if there are none, or on failure.
 */
struct notes *notes_load(const char *vmlinux, u64 offset, char error[ERROR_MAX])
{
	int fd = open(vmlinux, O_RDONLY | O_CLOEXEC);
	struct section_bytes names = { 0 };
	struct notes *n;
	size_t section;

	*error = '\0';
	elf_version(EV_CURRENT);
	n = make_notes(fd, fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL));
	if (n->elf && sections_check(n->elf, vmlinux, error) &&
	    read_sections(n, &names, &section) && take_notes(n, &names, offset))
		return n;
	notes_free(n);
	return NULL;
}

/**
 * notes_load_module - read the notes of a module
 * @m: the module
 * @error: set to a message on failure; empty if the module has no notes
 *
 * Return: the notes; NULL if there are none, or on failure.
 */
struct notes *notes_load_module(const struct module_notes *m, char error[ERROR_MAX])
{
	struct section_bytes names = { 0 };
	struct notes *n = make_notes(-1, m->elf);
	size_t section;

	*error = '\0';
	if (read_sections(n, &names, &section) &&
	    notes_relocate(m, section, &names, n->big_endian, error) &&
	    take_notes(n, &names, 0))
		return n;
	notes_free(n);
	return NULL;
}

/**
 * notes_join - concatenate lists of notes
 * @first: notes that take precedence, or NULL
 * @others: notes to append, or NULL
 *
 * Return: the concatenated list.
 */
struct notes *notes_join(struct notes *first, struct notes *others)
{
	struct notes *last = first;

	while (last && last->next)
		last = last->next;
	if (!last)
		return others;
	last->next = others;
	return first;
}

/**
 * notes_free - free a list of notes
 * @n: the notes, or NULL
 */
void notes_free(struct notes *n)
{
	struct notes *next;
	u32 i;

	for (; n; n = next) {
		next = n->next;
		for (i = 0; i < n->placed->nr; i++)
			free(((struct placed *)hash_item(n->placed, i))->path);
		hash_free(n->placed);
		free(n->placed);
		hash_free(n->extents);
		free(n->extents);
		free(n->all);
		free(n->records);
		if (n->elf && n->fd >= 0)
			elf_end(n->elf);
		if (n->fd >= 0)
			close(n->fd);
		free(n);
	}
}

/* Index of the first note at or after an address. */
static size_t first_from(const struct notes *n, u64 ip)
{
	size_t low = 0, high = n->nr, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (n->all[middle].ip < ip)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static const struct note *find(const struct notes *n, u64 ip, bool allocation)
{
	size_t low = first_from(n, ip);

	/* Both kinds may share an address: alloc_ip is the one after the call. */
	for (; low < n->nr && n->all[low].ip == ip; low++)
		if (allocation == (n->all[low].kind == NOTE_ALLOCATION))
			return n->all + low;
	return NULL;
}

/**
 * notes_find - look up a note
 * @n: the notes
 * @ip: access_ip or alloc_ip in the traced kernel
 * @allocation: @ip is an alloc_ip
 *
 * Return: the note; NULL if there is none.
 */
const struct note *notes_find(const struct notes *n, u64 ip, bool allocation)
{
	const struct note *note = NULL;

	/* Skip files whose code is elsewhere: there is one list per module. */
	for (; n && !note; n = n->next)
		if (n->nr && n->all[0].ip <= ip && ip <= n->all[n->nr - 1].ip)
			note = find(n, ip, allocation);
	return note;
}

static const char *base_of(const char *file)
{
	const char *slash = strrchr(file, '/');

	return slash ? slash + 1 : file;
}

/* Functions in headers are inlined into those of other files. */
static bool is_header(const char *file)
{
	size_t len = strlen(file);

	return !len || (len > 2 && !strcmp(file + len - 2, ".h"));
}

/**
 * notes_file - look up the path of a function's source file
 * @n: the notes
 * @start: address of the function in the traced kernel
 * @size: size of the function in bytes
 * @name: name of the file without directory; NULL if unknown: it is no header then
 *
 * Return: path relative to the root of the tree; NULL if no note in the function has it.
 */
const char *notes_file(const struct notes *n, u64 start, u64 size, const char *name)
{
	const char *file;
	size_t i;

	for (; n; n = n->next)
		for (i = first_from(n, start); i < n->nr && n->all[i].ip - start < size; i++) {
			file = n->all[i].file;
			/* The return address of a call at the end of the function before. */
			if (n->all[i].kind == NOTE_ALLOCATION && n->all[i].ip == start)
				continue;
			if (name ? !strcmp(base_of(file), name) : !is_header(file))
				return file;
		}
	return NULL;
}

/* Parse BYTES or BYTES.BITS to a number of bits. */
static bool read_bits(const char **p, u64 *bits)
{
	char *end;

	*bits = 8 * strtoull(*p, &end, 10);
	if (end == *p)
		return false;
	if (*end == '.') {
		*p = end + 1;
		*bits += strtoull(*p, &end, 10);
	}
	*p = end + (*end == ' ');
	return true;
}

/* Parse a line "OFFSET SIZE PATH TYPE". */
static bool read_member(struct record *r, const char *line, size_t len)
{
	const char *p = line, *end = line + len, *space;
	struct member m = { .element = 0 };

	if (!read_bits(&p, &m.offset) || !read_bits(&p, &m.size))
		return false;
	space = memchr(p, ' ', end - p);
	if (!space)
		return false;
	m.path = strndup(p, space - p);
	m.type = strndup(space + 1, end - space - 1);
	r->members = xreallocarray(r->members, r->nr + 1, sizeof(m));
	r->members[r->nr++] = m;
	return true;
}

static bool read_record(struct record *r, const char *text)
{
	size_t len = strcspn(text, "\n");
	char kind[8], name[256];

	if (sscanf(text, "%7s %255s %llu", kind, name, &r->size) != 3)
		return false;
	r->kind = xstrdup(kind);
	r->name = xstrdup(name);
	while (text[len] && text[len + 1]) {
		text += len + 1;
		len = strcspn(text, "\n");
		if (!read_member(r, text, len))
			return false;
	}
	return true;
}

/* Look up a record. If several have the name, use the first that can be parsed. */
static bool find_record(const struct notes *n, const char *name, struct record *r)
{
	size_t low = 0, high = n->nr_records, middle, len = strlen(name), found;
	const char *other;

	while (low < high) {
		middle = low + (high - low) / 2;
		other = record_name(n->records[middle], &found);
		if (compare_names(other, found, name, len) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < n->nr_records; low++) {
		other = record_name(n->records[low], &found);
		if (compare_names(other, found, name, len))
			return false;
		*r = (struct record){ .nr = 0 };
		/* A damaged record must not hide another one of the same name. */
		if (read_record(r, n->records[low]))
			return true;
		notes_record_free(r);
	}
	return false;
}

/**
 * notes_record - look up the layout of a record
 * @n: the notes
 * @name: name of the record
 * @r: set to the record, to be freed by notes_record_free()
 *
 * Return: true if the record is known.
 */
bool notes_record(const struct notes *n, const char *name, struct record *r)
{
	for (; n; n = n->next)
		if (find_record(n, name, r))
			return true;
	return false;
}

/**
 * notes_record_free - free the memory of a record
 * @r: the record
 */
void notes_record_free(struct record *r)
{
	u32 i;

	for (i = 0; i < r->nr; i++) {
		free(r->members[i].path);
		free(r->members[i].type);
	}
	free(r->members);
	free(r->kind);
	free(r->name);
}

/**
 * notes_flexible - check whether a record ends in a flexible array
 * @n: the notes
 * @name: name of the record; its address is a key, and must stay valid
 *
 * Return: true if it does; false if not, or if the record is unknown.
 */
bool notes_flexible(const struct notes *n, const char *name)
{
	u64 key = (unsigned long)name;
	struct extent *extent;
	struct record record;
	bool new;

	extent = hash_item(n->extents, hash_get(n->extents, &key, &new));
	/*
	 * Parsing a record is slow, and reports ask per access: cache it, also if it is
	 * unknown.
	 */
	if (new && notes_record(n, name, &record)) {
		extent->flexible = members_flexible(&record) != U64_MAX;
		notes_record_free(&record);
	}
	return extent->flexible;
}

/* Set the element sizes of arrays of records. Untagged records cannot be looked up. */
static void find_elements(const struct notes *n, struct record *r)
{
	struct record element;
	u32 i;

	for (i = 0; i < r->nr; i++) {
		if (!members_is_array(r->members + i) || members_is_leaf(r, i) ||
		    *r->members[i].type == '(' ||
		    !notes_record(n, r->members[i].type, &element))
			continue;
		members_set_element(r, i, 8 * element.size);
		notes_record_free(&element);
	}
}

/**
 * notes_placed - look up the member at a part of a record
 * @n: the notes
 * @name: name of the record; its address is a key, and must stay valid
 * @place: the part, see kmap_place()
 *
 * Return: the member, valid until the next call.
 */
const struct placed *notes_placed(const struct notes *n, const char *name, u64 place)
{
	struct placed key = { .name = (unsigned long)name, .place = place }, *placed;
	struct record record;
	bool new;

	placed = hash_item(n->placed, hash_get(n->placed, &key, &new));
	if (new && notes_record(n, name, &record)) {
		find_elements(n, &record);
		placed->path = members_placed(&record, place >> 32, (u32)place, &placed->offset);
		notes_record_free(&record);
	}
	return placed;
}
