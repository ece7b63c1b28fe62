/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names accesses and allocations by type and member, from the compiler's notes. Tables have
 * the names in their last columns of text; without notes, these columns are omitted.
 */
#ifndef NAMED_H
#define NAMED_H

#include "kmap/kmap.h"
#include "report/filter.h"
#include "report/table.h"
#include "symbols/aliases.h"
#include "symbols/notes.h"

#define NAMED_TYPE	{ "Type", "type" }
#define NAMED_FIELD	{ "Field", "field" }

/**
 * struct named - the name of an access
 * @type: the type; NULL if unknown
 * @path: the member; empty for the whole type, NULL if unknown
 * @file: source file of the code; NULL if unknown
 * @offset: offset of the member in the type in bytes, or NOTE_ANYWHERE
 * @function: the caller's number of the function
 */
struct named {
	const char *type, *path, *file;
	u32 offset, function;
};

/**
 * struct named_filter - selects accesses and allocations by all their names
 * @choice: state of the filter
 * @texts: private: names by number
 * @aliases: private: sets of names
 */
struct named_filter {
	struct kmem_choice *choice;
	struct hash texts;
	struct aliases aliases;
};

/**
 * struct named_member - a member of an allocated record
 * @path: its path, without indexes; a member of an array's elements is the array
 * @bytes: its size; that of all elements of an array
 */
struct named_member {
	char path[TEXTS_MAX];
	u64 bytes;
};

struct named named_access(const struct kmap_symbols *s, u64 ip, u64 alloc_ip, u64 part);
u64 named_part(const struct kmap_symbols *s, u64 ip, u64 alloc_ip, u64 place, u64 size);
u64 named_record_part(const struct kmap_symbols *s, u64 alloc_ip, u64 place, u64 size);
bool named_member(const struct kmap_symbols *s, u64 ip, u64 alloc_ip, u64 part,
		  struct named_member *member);
u32 named_element(const struct kmap_symbols *s, u64 alloc_ip);
u64 named_place(u64 offset, u64 bytes, u64 size);
const char *named_allocation(const struct kmap_symbols *s, u64 alloc_ip);
u64 named_site(const struct kmap_symbols *s, u64 site, u64 alloc_ip);
u64 named_event_site(u32 kind, u64 alloc_ip);
const char *named_path(const char *path);
bool named_matches(const struct kmem_filter *f, const char *type, const char *path);
void named_filter_init(struct named_filter *n, struct kmem_choice *choice);
void named_filter_free(struct named_filter *n);
bool named_filter_access(struct named_filter *n, const struct named *named, const char *allocated);
bool named_filter_code(struct named_filter *n, u64 ip, u64 alloc_ip, u64 place, u64 size);
bool named_filter_allocation(const struct named_filter *n, u64 alloc_ip);
bool named_chosen(const struct kmem_filter *f, const struct aliases *a, u32 set);
bool named_usable(const struct kmem_filter *f, const struct kmap_symbols *s,
		  const char *command);
void named_drop(struct table *t, const struct kmap_symbols *s);

#endif
