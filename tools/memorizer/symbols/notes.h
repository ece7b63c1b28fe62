/* SPDX-License-Identifier: GPL-2.0 */
/* The compiler's notes on types and members of accesses and allocations. */
#ifndef NOTES_H
#define NOTES_H

#include <gelf.h>

#include "symbols/build-id.h"
#include "symbols/kmap-symbols.h"
#include "symbols/sections.h"

#define NOTE_SIZE	48		/* size of a note in the file, in bytes */
#define NOTE_NOWHERE	U64_MAX		/* unknown ip */

enum note_kind {
	NOTE_READ = 1,
	NOTE_WRITE,
	NOTE_UPDATE,
	NOTE_STRING,		/* call of a string function */
	NOTE_ALLOCATION,
};

/* Flags of a note. */
#define NOTE_SCALAR	0x4	/* the type is not a record */
#define NOTE_SEVERAL	0x20	/* allocation of an array, or of a record with trailing data */

#define NOTE_ANYWHERE	U32_MAX	/* unknown offset */

/**
 * struct note - a note on an access or allocation
 * @ip: access_ip or alloc_ip
 * @type: name of the record or scalar; empty if unknown
 * @path: path of the accessed member; empty for the whole record
 * @file: source file, relative to the root of the tree
 * @line: line in it
 * @offset: offset of the member in the record in bytes, or NOTE_ANYWHERE
 * @type_size: size of the record in bytes
 * @kind: enum note_kind
 * @flags: NOTE_* flags
 */
struct note {
	u64 ip;
	const char *type, *path, *file;
	u32 line, offset, type_size;
	unsigned char kind;
	unsigned short flags;
};

/**
 * struct member - a member of a record, or of a record within it
 * @path: names of the enclosing members and of the member itself, separated by dots
 * @type: type of the member
 * @offset: offset in bits
 * @size: size in bits; of an array, that of all elements; 0 for a flexible array
 * @element: size of an element of an array of records in bits; 0 if unknown, or for other types
 */
struct member {
	char *path, *type;
	u64 offset, size, element;
};

/**
 * struct record - a struct or union
 * @kind: "struct" or "union"
 * @name: name of the record
 * @size: size in bytes
 * @members: members; a member of a record type is followed by the members of that record
 * @nr: number of @members
 */
struct record {
	char *kind, *name;
	u64 size;
	struct member *members;
	u32 nr;
};

/**
 * struct placed - member at a part of a record
 * @name: pointer to the name of the record; part of the key
 * @place: the part, see kmap_place(); part of the key
 * @path: path of the member, or alternative paths separated by |; NULL if there is none
 * @offset: offset of the first alternative in bytes
 */
struct placed {
	u64 name, place;
	char *path;
	u32 offset;
};

/**
 * struct extent - extensibility of a record
 * @name: pointer to the name of the record; the key
 * @flexible: the record ends in a flexible array
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

/* Private to notes.c and notes-module.c. */

/**
 * struct module_notes - a module whose notes are read
 * @name: name of the module
 * @path: name of the file
 * @elf: libelf handle of the file
 * @loaded: symbols of modules in the traced kernel
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
