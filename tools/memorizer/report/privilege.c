// SPDX-License-Identifier: GPL-2.0
/* Collects which function used which objects, and how many bytes of these were live at once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kmap/input.h"
#include "report/named.h"
#include "report/privilege.h"
#include "symbols/notes.h"

/* The function of an address. */
struct code {
	u64 ip, kind;
	u32 actor;
};

/* The target of an instruction's accesses to a part of a record; the rest is the key. */
struct accessed {
	u64 whole, ip, part;
	u32 target;
};

/* The objects at an address in the current jiffy. */
struct occupied {
	u64 target, addr;
	u64 nr;
	u64 size;		/* of the largest one */
	u64 last, to;		/* size and last jiffy of the one that lives longest */
};

/**
 * privilege_init - initialize the uses
 * @p: the uses
 * @symbols: the symbols
 */
void privilege_init(struct privilege *p, const struct kmap_symbols *symbols)
{
	*p = (struct privilege){ .symbols = symbols };
	texts_init(&p->texts);
	hash_init(&p->actors, sizeof(struct actor), sizeof(u64));
	hash_init(&p->targets, sizeof(struct target), 3 * sizeof(u64));
	hash_init(&p->uses, sizeof(struct use), sizeof(u64));
	hash_init(&p->task_uses, sizeof(struct task_use), 2 * sizeof(u64));
	hash_init(&p->accessed, sizeof(struct accessed), 3 * sizeof(u64));
	hash_init(&p->codes, sizeof(struct code), 2 * sizeof(u64));
}

/**
 * privilege_free - free the uses
 * @p: the uses
 */
void privilege_free(struct privilege *p)
{
	hash_free(&p->texts);
	hash_free(&p->actors);
	hash_free(&p->targets);
	hash_free(&p->uses);
	hash_free(&p->task_uses);
	hash_free(&p->accessed);
	hash_free(&p->codes);
	free(p->lives);
}

/**
 * privilege_is_vmlinux - check whether an address is in the kernel itself
 * @p: the uses
 * @ip: the address
 * @kind: kind of @ip
 *
 * Return: false for modules, and for addresses without a symbol.
 */
bool privilege_is_vmlinux(const struct privilege *p, u64 ip, enum kmap_ip kind)
{
	const struct kmap_symbol *symbol = kmap_symbols_find(p->symbols, ip, kind);

	return symbol && !*kmap_symbols_string(p->symbols, symbol->module);
}

/**
 * privilege_target - look up or add a target
 * @p: the uses
 * @site: call site that allocated, or address of a variable
 * @kind: kind of memory
 *
 * Return: its item number.
 */
u32 privilege_target(struct privilege *p, u64 site, enum kmap_kind kind)
{
	u64 key[3] = { site, kind, TEXTS_NONE };
	struct target *target;
	bool new;
	u32 nr;

	p->kinds |= kind;
	nr = hash_get(&p->targets, key, &new);
	target = hash_item(&p->targets, nr);
	if (new && p->members && kmap_kind_is_typed(kind))
		target->element = named_element(p->symbols, site);
	return nr;
}

/* Look up or add a member of the objects of a call site. */
static u32 member_of(struct privilege *p, u32 whole, const struct named_member *named)
{
	const struct target *of = hash_item(&p->targets, whole);
	u64 key[3] = { of->site, of->kind, texts_number(&p->texts, named->path) };
	struct target *member;
	bool new;
	u32 nr;

	nr = hash_get(&p->targets, key, &new);
	member = hash_item(&p->targets, nr);
	member->bytes = named->bytes;
	member->whole = whole;
	return nr;
}

/**
 * privilege_accessed - find what an access to an object is to
 * @p: the uses
 * @whole: target of the object
 * @ip: the accessing instruction
 * @place: accessed part of the object, see kmap_place(); 0: unknown
 * @size: requested size of the object in bytes
 *
 * Return: the target of a member, if members are targets and the member is known, else @whole.
 */
u32 privilege_accessed(struct privilege *p, u32 whole, u64 ip, u64 place, u64 size)
{
	const struct target *target = hash_item(&p->targets, whole);
	struct named_member member;
	struct accessed *found;
	u64 key[3] = { whole, ip };
	bool new;

	if (!p->members || !kmap_kind_is_typed(target->kind) || target->kind == KMAP_STRUCT_PAGE)
		return whole;
	key[2] = named_record_part(p->symbols, target->site, place, size);
	found = hash_item(&p->accessed, hash_get(&p->accessed, key, &new));
	if (!new)
		return found->target;
	found->target = whole;
	if (named_member(p->symbols, ip, target->site, key[2], &member))
		found->target = member_of(p, whole, &member);
	return found->target;
}

/* Source file of a function, by the compiler's notes; NULL if unknown. */
static const char *file_of(const struct kmap_symbols *s, const struct kmap_symbol *symbol)
{
	const char *name = kmap_symbols_string(s, symbol->file);

	return notes_file(kmap_symbols_notes(s), symbol->start, symbol->size, *name ? name : NULL);
}

static void describe(struct privilege *p, struct actor *actor, u64 ip, enum kmap_ip kind)
{
	const struct kmap_symbol *symbol = kmap_symbols_find(p->symbols, ip, kind);
	const char *file = symbol ? file_of(p->symbols, symbol) : NULL;

	actor->symbol = actor->name;
	actor->module = texts_number(&p->texts, "");
	actor->file = file ? texts_number(&p->texts, file) : TEXTS_NONE;
	if (!symbol)
		return;
	actor->size = symbol->size;
	actor->symbol = texts_number(&p->texts, kmap_symbols_string(p->symbols, symbol->name));
	actor->module = texts_number(&p->texts, kmap_symbols_string(p->symbols, symbol->module));
}

static u32 actor_of(struct privilege *p, u64 ip, enum kmap_ip kind)
{
	struct code *code, key = { .ip = ip, .kind = kind };
	char text[KMAP_SYMBOL_MAX];
	u32 nr;
	u64 name;
	bool new;

	nr = hash_get(&p->codes, &key, &new);
	code = hash_item(&p->codes, nr);
	if (!new)
		return code->actor;
	*text = '\0';
	if (!p->by_address)
		kmap_symbols_function(p->symbols, ip, kind, text);
	else if (privilege_is_vmlinux(p, ip, kind))
		sprintf(text, "%llx", kmap_symbols_link(p->symbols, ip));
	name = texts_number(&p->texts, text);
	code->actor = hash_get(&p->actors, &name, &new);
	if (new)
		describe(p, privilege_actor(p, code->actor), ip, kind);
	return code->actor;
}

static void add_use(struct privilege *p, u32 actor, u32 target, enum privilege_op op, u64 pid,
		    u64 count)
{
	u64 key[2] = { (u64)actor << 32 | target, pid };
	struct task_use *of_task;
	struct use *use;
	bool new;

	use = hash_item(&p->uses, hash_get(&p->uses, key, &new));
	privilege_count(use->counts + op, count);
	if (!p->by_task || op == PRIVILEGE_FREE)
		return;
	of_task = hash_item(&p->task_uses, hash_get(&p->task_uses, key, &new));
	privilege_count(of_task->counts + op, count);
}

/* The code of a function. A function without a symbol has an unknown size, at least one byte. */
static u32 code_of(struct privilege *p, u32 actor)
{
	u64 key[3] = { actor, PRIVILEGE_CODE, TEXTS_NONE };
	struct target *target;
	bool new;
	u32 nr = hash_get(&p->targets, key, &new);

	target = hash_item(&p->targets, nr);
	if (new)
		target->size = privilege_actor(p, actor)->size ?: 1;
	p->nr_code += new;
	return nr;
}

/**
 * privilege_call - add calls, and the returns from them, see calls_visit
 * @privilege: the uses
 * @from: return address of the call
 * @to: address of the called function
 * @pid: the task
 * @calls: number of calls
 *
 * Return: true.
 */
bool privilege_call(void *privilege, u64 from, u64 to, u64 pid, u64 calls)
{
	struct privilege *p = privilege;
	u32 caller = actor_of(p, from, KMAP_IP_RETURN), callee = actor_of(p, to, KMAP_IP_EXACT);

	add_use(p, caller, code_of(p, callee), PRIVILEGE_CALL, pid, calls);
	add_use(p, callee, code_of(p, caller), PRIVILEGE_RETURN, pid, calls);
	return true;
}

/**
 * privilege_use - add uses of a target
 * @p: the uses
 * @ip: address of the code
 * @kind: kind of @ip
 * @target: item of targets
 * @op: the operation
 * @pid: the task; not used for frees
 * @count: how often; nothing is added for 0
 */
void privilege_use(struct privilege *p, u64 ip, enum kmap_ip kind, u32 target,
		   enum privilege_op op, u64 pid, u64 count)
{
	if (count)
		add_use(p, actor_of(p, ip, kind), target, op, pid, count);
}

/* Records in an object: an array has several. */
static u64 records_in(const struct target *t, u64 bytes)
{
	if (t->element && !(bytes % t->element))
		return bytes / t->element;
	return !!bytes;
}

/**
 * privilege_resize - change the number of live bytes of an object
 * @p: the uses
 * @target: item of targets
 * @from: bytes that are live; 0: the object is new
 * @to: bytes that are live from now on; 0: the object is freed
 */
void privilege_resize(struct privilege *p, u32 target, u64 from, u64 to)
{
	struct target *t = hash_item(&p->targets, target);

	t->live -= from;
	p->overflow |= __builtin_add_overflow(t->live, to, &t->live);
	if (t->size < t->live)
		t->size = t->live;
	t->live_records += records_in(t, to) - records_in(t, from);
	if (t->records < t->live_records)
		t->records = t->live_records;
}

/**
 * privilege_life - add the life of an object of a KMAP
 * @p: the uses
 * @life: the life; U64_MAX is the last jiffy of a live object
 */
void privilege_life(struct privilege *p, const struct life *life)
{
	if (p->nr_lives == p->room) {
		p->room = 2 * p->room + 1024;
		p->lives = xreallocarray(p->lives, p->room, sizeof(*p->lives));
	}
	p->lives[p->nr_lives++] = *life;
}

static int compare_starts(const void *left, const void *right)
{
	const struct life *a = left, *b = right;

	return (a->from > b->from) - (a->from < b->from);
}

static int compare_ends(const void *left, const void *right)
{
	const struct life *a = *(const struct life * const *)left;
	const struct life *b = *(const struct life * const *)right;

	return (a->to > b->to) - (a->to < b->to);
}

static struct occupied *occupied_by(struct hash *all, const struct life *life)
{
	u64 key[2] = { life->target, life->addr };
	bool new;

	return hash_item(all, hash_get(all, key, &new));
}

/*
 * Two objects at the same address were not live at once, even if they share a jiffy: only the
 * larger one counts there.
 */
static void begin_life(struct privilege *p, struct hash *all, const struct life *life)
{
	struct occupied *o = occupied_by(all, life);

	if (!o->nr++ || o->to <= life->to) {
		o->to = life->to;
		o->last = life->size;
	}
	if (o->size < life->size) {
		privilege_resize(p, life->target, o->size, life->size);
		o->size = life->size;
	}
}

/* Lives end in order, so that the one that is left is the longest one. */
static void end_life(struct privilege *p, struct hash *all, const struct life *life)
{
	struct occupied *o = occupied_by(all, life);
	u64 size = o->size;

	o->nr--;
	if (o->nr <= 1)
		size = o->nr ? o->last : 0;
	privilege_resize(p, life->target, o->size, size);
	o->size = size;
}

/* A member is in each record. */
static void size_members(struct privilege *p)
{
	const struct target *whole;
	struct target *member;
	u32 i;

	for (i = 0; i < p->targets.nr; i++) {
		member = hash_item(&p->targets, i);
		if (member->kind == PRIVILEGE_CODE || member->member == TEXTS_NONE)
			continue;
		whole = hash_item(&p->targets, member->whole);
		p->overflow |= __builtin_mul_overflow(whole->records, member->bytes,
						      &member->size);
	}
}

/**
 * privilege_end - derive sizes from the lives of objects, which are forgotten
 * @p: the uses
 */
void privilege_end(struct privilege *p)
{
	struct life **ends = xreallocarray(NULL, p->nr_lives + 1, sizeof(*ends));
	struct hash all;
	u64 i, ended = 0;

	hash_init(&all, sizeof(struct occupied), 2 * sizeof(u64));
	if (p->nr_lives)
		qsort(p->lives, p->nr_lives, sizeof(*p->lives), compare_starts);
	for (i = 0; i < p->nr_lives; i++)
		ends[i] = p->lives + i;
	qsort(ends, p->nr_lives, sizeof(*ends), compare_ends);
	for (i = 0; i < p->nr_lives; i++) {
		/* A life includes its last jiffy. No life ends before it begins. */
		while (ends[ended]->to < p->lives[i].from)
			end_life(p, &all, ends[ended++]);
		begin_life(p, &all, p->lives + i);
	}
	size_members(p);
	hash_free(&all);
	free(ends);
	free(p->lives);
	p->lives = NULL;
	p->nr_lives = 0;
	p->room = 0;
}

/**
 * privilege_warn - warn about addresses without symbol, although symbols were given
 * @p: the uses
 * @kallsyms: the symbols are from kallsyms
 */
void privilege_warn(const struct privilege *p, bool kallsyms)
{
	const struct target *target;
	const struct code *code;
	u32 missing = 0, sites = 0, i;

	for (i = 0; i < p->codes.nr; i++) {
		code = hash_item(&p->codes, i);
		missing += !kmap_symbols_find(p->symbols, code->ip, code->kind);
	}
	for (i = 0; i < p->targets.nr; i++) {
		target = hash_item(&p->targets, i);
		if (target->kind == PRIVILEGE_CODE || target->member != TEXTS_NONE)
			continue;
		missing += !kmap_symbols_find(p->symbols, target->site, KMAP_IP_RETURN);
		sites++;
	}
	input_unresolved(missing, p->codes.nr + sites, kallsyms);
}
