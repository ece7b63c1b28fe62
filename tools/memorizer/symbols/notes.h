/* SPDX-License-Identifier: GPL-2.0 */
/* What the compiler noted of accesses and allocations, by address: types and members. */
#ifndef NOTES_H
#define NOTES_H

#include <gelf.h>

#include "symbols/build-id.h"
#include "symbols/kmap-symbols.h"
#include "symbols/sections.h"

#define NOTE_SIZE	48		/* bytes of a note in a file */
#define NOTE_NOWHERE	U64_MAX		/* an ip that is not known */

enum note_kind {
	NOTE_READ = 1,
	NOTE_WRITE,
	NOTE_UPDATE,
	NOTE_STRING,		/* a string function */
	NOTE_ALLOCATION,
};

/* In the flags. */
#define NOTE_SCALAR	0x4	/* the type is no record */
#define NOTE_SEVERAL	0x20	/* several are allocated, or one with more behind it */
#define NOTE_ANYWHERE	U32_MAX	/* an offset that is not known */

/**
 * struct note - what was noted of an access or allocation
 * @ip: access_ip or alloc_ip
 * @type: name of the record, or of a scalar; empty if it is not known
 * @path: member that is accessed, empty: all
 * @file: source file, as the tree has it
 * @offset: where in the record that is, in bytes, or NOTE_ANYWHERE
 * @type_size: bytes of the record
 * @kind: an enum note_kind
 * @flags: NOTE_ and others
 */
struct note {
	u64 ip;
	const char *type, *path, *file;
	u32 offset, type_size;
	unsigned char kind;
	unsigned short flags;
};

/**
 * struct member - a member of a record, or of one that it contains
 * @path: its name, with those of the records that it is in
 * @type: its type
 * @offset: where it begins, in bits
 * @size: its size, in bits; of an array that of all elements, 0 if it is flexible
 * @element: that of one element of an array of records, in bits; 0: none, or not known
 */
struct member {
	char *path, *type;
	u64 offset, size, element;
};

/**
 * struct record - a struct or union
 * @kind: struct or union
 * @name: its name
 * @size: its size in bytes
 * @members: its members, those of records in it after these
 * @nr: how many
 */
struct record {
	char *kind, *name;
	u64 size;
	struct member *members;
	u32 nr;
};

/**
 * struct placed - what lies in a part of a record
 * @name: where the name of the record is, and ...
 * @place: ... the part, see kmap_place(): the key
 * @path: its member, or several of which each may be that, with | in between; NULL: none
 * @offset: where the first of these is, in bytes
 */
struct placed {
	u64 name, place;
	char *path;
	u32 offset;
};

/**
 * struct extent - whether there may be more behind a record
 * @name: where the name of the record is: the key
 * @flexible: whether it ends in an array of any length
 */
struct extent {
	u64 name;
	bool flexible;
};

struct notes;

struct notes *notes_load(const char *vmlinux, u64 offset, char error[ERROR_MAX]);
struct notes *notes_load_modules(struct kmap_symbols *s, char error[ERROR_MAX]);
struct notes *notes_load_mapped(struct kmap_symbols *s, const struct kmap_symbol *sym, size_t nr,
				const char *name, const struct build_id *id);
struct notes *notes_join(struct notes *first, struct notes *others);
void notes_free(struct notes *n);
const struct note *notes_find(const struct notes *n, u64 ip, bool allocation);
const char *notes_file(const struct notes *n, u64 start, u64 size, const char *name);
bool notes_record(const struct notes *n, const char *name, struct record *r);
bool notes_flexible(const struct notes *n, const char *name);
const struct placed *notes_placed(const struct notes *n, const char *name, u64 place);
void notes_record_free(struct record *r);

/* Private: between the readers of notes. */

/**
 * struct module_notes - a module of which notes are read
 * @name: its name
 * @path: its file
 * @elf: the file's handle in libelf
 * @loaded: the functions of the traced kernel's modules
 */
struct module_notes {
	const char *name, *path;
	Elf *elf;
	const struct loaded *loaded;
};

struct notes *notes_load_module(const struct module_notes *m, char error[ERROR_MAX]);
bool notes_relocate(const struct module_notes *m, size_t section, struct section_bytes *b,
		    bool big_endian, char error[ERROR_MAX]);

#endif
