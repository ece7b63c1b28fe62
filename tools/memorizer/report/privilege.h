/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which function used which objects, and how. Objects of a kind of memory that a call site
 * allocated, and each variable, are one target; so is the code of each function that calls or is
 * called. report/domains.h derives privileges from the uses.
 */
#ifndef PRIVILEGE_H
#define PRIVILEGE_H

#include "kmap/kmap.h"
#include "lib/texts.h"
#include "symbols/kmap-symbols.h"

enum privilege_op {
	PRIVILEGE_READ,
	PRIVILEGE_WRITE,
	PRIVILEGE_FREE,
	PRIVILEGE_CALL,		/* this and the following ones are of code */
	PRIVILEGE_RETURN,
	PRIVILEGE_OPS
};

/* Kind of a target that is the code of a function, besides the kinds of memory. */
#define PRIVILEGE_CODE	KMAP_KINDS

/**
 * struct actor - a function that uses objects; an address without symbol is a function
 * @name: number of its name, with module and file as far as needed; the key
 * @symbol: number of its name alone
 * @module: number of its module's name; the empty string for the kernel itself
 * @file: number of its source file, relative to the root of the tree; TEXTS_NONE if unknown
 * @size: size of its code in bytes; 0 if unknown
 * @domain: its compartment, set by domains_sum()
 */
struct actor {
	u64 name, size;
	u32 symbol, module, file, domain;
};

/**
 * struct target - the objects of a call site, a member of these, or the code of a function
 * @site: return address of the allocating call, or address of a variable, or the item number of
 *	  a function; the key, with @kind and @member
 * @kind: kind of memory, enum kmap_kind, or PRIVILEGE_CODE
 * @member: number of the member's path; TEXTS_NONE: the whole
 * @size: maximum number of requested bytes live at once
 * @live: bytes live now
 * @element: size of the records in an object that is an array, see named_element()
 * @records: maximum number of records live at once
 * @live_records: records live now
 * @bytes: size of the member
 * @whole: target that the member is in
 */
struct target {
	u64 site, kind, member, size, live, element, records, live_records, bytes;
	u32 whole;
};

/**
 * struct use - what a function does to a target
 * @key: actor and target, as item numbers
 * @counts: number of operations, saturated
 */
struct use {
	u64 key;
	u64 counts[PRIVILEGE_OPS];
};

/**
 * struct task_use - what a task does to a target in a function
 * @key: actor and target, as item numbers
 * @pid: the task; part of the key
 * @counts: number of operations, saturated
 */
struct task_use {
	u64 key, pid;
	u64 counts[PRIVILEGE_OPS];
};

/**
 * struct life - the life of an object in a KMAP
 * @target: item of targets
 * @addr: address
 * @size: requested size in bytes
 * @from: first jiffy
 * @to: last jiffy
 */
struct life {
	u32 target;
	u64 addr, size, from, to;
};

/**
 * struct privilege - the uses of objects
 * @symbols: the symbols
 * @texts: names by number
 * @actors: struct actor
 * @targets: struct target
 * @uses: struct use
 * @task_uses: struct task_use, if @by_task; frees are of no task
 * @codes: private: actor by address
 * @accessed: private: target by instruction and part
 * @lives: private: lives of the objects of a KMAP
 * @nr_lives: private: number of @lives
 * @room: private: size of @lives
 * @nr_code: number of targets that are code
 * @by_address: each address in vmlinux is a function whose name is its link-time address, and
 *		all other code is one without a name; set by the caller
 * @by_task: keep @task_uses; set by the caller
 * @members: members of objects are targets; set by the caller
 * @kinds: the kinds of memory are known
 * @overflow: the sizes exceed 64 bits
 */
struct privilege {
	const struct kmap_symbols *symbols;
	struct hash texts, actors, targets, uses, task_uses, codes, accessed;
	struct life *lives;
	u64 nr_lives, room;
	u32 nr_code;
	bool by_address, by_task, members, kinds, overflow;
};

void privilege_init(struct privilege *p, const struct kmap_symbols *symbols);
void privilege_free(struct privilege *p);
bool privilege_is_vmlinux(const struct privilege *p, u64 ip, enum kmap_ip kind);
u32 privilege_target(struct privilege *p, u64 site, enum kmap_kind kind);
u32 privilege_accessed(struct privilege *p, u32 whole, u64 ip, u64 place, u64 size);
void privilege_use(struct privilege *p, u64 ip, enum kmap_ip kind, u32 target,
		   enum privilege_op op, u64 pid, u64 count);
bool privilege_call(void *privilege, u64 from, u64 to, u64 pid, u64 calls);
void privilege_resize(struct privilege *p, u32 target, u64 from, u64 to);
void privilege_life(struct privilege *p, const struct life *life);
void privilege_end(struct privilege *p);
void privilege_warn(const struct privilege *p, bool kallsyms);

/**
 * privilege_actor - get a function by its number
 * @p: the uses
 * @actor: its item number
 *
 * Return: the function.
 */
static inline struct actor *privilege_actor(const struct privilege *p, u32 actor)
{
	return hash_item(&p->actors, actor);
}

/**
 * privilege_is_code - check whether an operation is of code
 * @op: the operation
 *
 * Return: true for calls and returns.
 */
static inline bool privilege_is_code(enum privilege_op op)
{
	return op >= PRIVILEGE_CALL;
}

/**
 * privilege_size - get the size of a target
 * @p: the uses, after privilege_end()
 * @target: its item number
 *
 * Return: maximum number of bytes live at once.
 */
static inline u64 privilege_size(const struct privilege *p, u32 target)
{
	return ((const struct target *)hash_item(&p->targets, target))->size;
}

/**
 * privilege_count - add to a number of operations, saturated
 * @sum: the number
 * @count: the addend
 */
static inline void privilege_count(u64 *sum, u64 count)
{
	if (__builtin_add_overflow(*sum, count, sum))
		*sum = U64_MAX;
}

#endif
