// SPDX-License-Identifier: GPL-2.0
/*
 * Writes uses of objects as a CAPMAP, in the form whose files end in .cmap.comp: one line for the
 * objects of a call site, with a line for each instruction that used them, and a line for each
 * call. Addresses are link-time ones. The reader looks them up in vmlinux, so those of modules are
 * left out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/cmap-write.h"

/* Allocators in the format; it has none for the slab allocator as such. */
static const char * const allocators[KMAP_KINDS] = {
	[KMAP_UNKNOWN] = "KMALLOC", [KMAP_SLAB] = "KMALLOC", [KMAP_PAGES] = "ALLOC_PAGES",
	[KMAP_VMALLOC] = "VMALLOC", [KMAP_VMAP] = "VMALLOC", [KMAP_IOREMAP] = "VMALLOC",
	[KMAP_MODULES] = "VMALLOC", [KMAP_STACK] = "STACK_PAGE", [KMAP_STRUCT_PAGE] = "UFO_NONE",
	[KMAP_STATIC] = "GLOBAL", [KMAP_PERCPU] = "GLOBAL", [KMAP_MEMBLOCK] = "MEMBLOCK",
};

/* A line with its counts; @place is the number of its object, or 0 for calls. */
struct line {
	u64 place, actor, callee;
	u64 counts[PRIVILEGE_OPS];
};

/* Objects that are one for the reader; @kind is the first of their kinds. */
struct merged {
	enum kmap_kind kind;
	u64 size;
};

/**
 * struct writer - state of writing
 * @p: the uses
 * @keys: first fields of the lines of objects, by number
 * @objects: struct merged by number
 * @object_of: number of the key of each target; TEXTS_NONE if it is left out
 * @lines: struct line
 * @objects_left: number of targets that are left out
 * @accesses_left: number of reads, writes and frees that are left out
 * @calls_left: number of calls that are left out
 * @overflow: sizes exceed 64 bits
 */
struct writer {
	const struct privilege *p;
	struct hash keys;
	struct merged *objects;
	u32 *object_of;
	struct hash lines;
	u64 objects_left, accesses_left, calls_left;
	bool overflow;
};

/* Link-time address of code; empty if it is not in vmlinux. */
static const char *address(const struct writer *w, u32 actor)
{
	return texts_get(&w->p->texts, privilege_actor(w->p, actor)->name);
}

/* Objects */

/* Kind of the objects; without kinds in the input, a variable is known by its symbol. */
static enum kmap_kind kind_of(const struct privilege *p, const struct target *t)
{
	const struct kmap_symbol *symbol = kmap_symbols_find(p->symbols, t->site, KMAP_IP_RETURN);

	return !t->kind && symbol && symbol->start == t->site ? KMAP_STATIC : t->kind;
}

/* Write the fields by which the reader distinguishes objects; returns false if it knows no name. */
static bool make_key(const struct privilege *p, const struct target *t, enum kmap_kind kind,
		     char key[TEXTS_MAX])
{
	u64 site = kmap_symbols_link(p->symbols, t->site);

	/* The format has no user memory. */
	if (kind == KMAP_USER)
		return false;
	if (kind == KMAP_STACK) {
		snprintf(key, TEXTS_MAX, "THREAD_STACK,0,0");
		return true;
	}
	if (kind == KMAP_STRUCT_PAGE) {
		snprintf(key, TEXTS_MAX, "VMEMMAP,0,ffffea0000000000");
		return true;
	}
	if (kind == KMAP_MEMBLOCK) {
		snprintf(key, TEXTS_MAX, "MEMBLOCK,0,0");
		return true;
	}
	/*
	 * The reader tells variables apart by their address, others by their call site and whether
	 * they are of vmalloc; of the latter, the address is one in their area.
	 */
	if (kind == KMAP_STATIC || kind == KMAP_PERCPU)
		snprintf(key, TEXTS_MAX, "(null),0,%llx", kind == KMAP_STATIC ? site : t->site);
	else
		snprintf(key, TEXTS_MAX, "%llx,0,%s", site,
			 !strcmp(allocators[kind], "VMALLOC") ? "ffffc90000000000" : "0");
	return privilege_is_vmlinux(p, t->site, KMAP_IP_RETURN);
}

static void add_object(struct writer *w, u32 nr)
{
	const struct target *t = hash_item(&w->p->targets, nr);
	enum kmap_kind kind = kind_of(w->p, t);
	struct merged *object;
	char key[TEXTS_MAX];
	u32 known = w->keys.nr;

	w->object_of[nr] = TEXTS_NONE;
	if (!make_key(w->p, t, kind, key)) {
		w->objects_left++;
		return;
	}
	w->object_of[nr] = texts_number(&w->keys, key);
	object = w->objects + w->object_of[nr];
	if (w->keys.nr > known)
		*object = (struct merged){ .kind = kind };
	if (kind < object->kind)
		object->kind = kind;
	w->overflow |= __builtin_add_overflow(object->size, t->size, &object->size);
}

static void add_objects(struct writer *w)
{
	const struct target *target;
	u32 i;

	w->object_of = xreallocarray(NULL, w->p->targets.nr + 1ull, sizeof(*w->object_of));
	w->objects = xreallocarray(NULL, w->p->targets.nr + 1ull, sizeof(*w->objects));
	for (i = 0; i < w->p->targets.nr; i++) {
		target = hash_item(&w->p->targets, i);
		if (target->kind != PRIVILEGE_CODE)
			add_object(w, i);
	}
}

/* Uses */

static void add_line(struct writer *w, u64 place, u64 actor, u64 callee, const struct use *use)
{
	u64 key[3] = { place, actor, callee };
	struct line *line;
	bool new;
	int op;

	line = hash_item(&w->lines, hash_get(&w->lines, key, &new));
	for (op = 0; op < PRIVILEGE_OPS; op++)
		privilege_count(line->counts + op, use->counts[op]);
}

static void add_call(struct writer *w, u32 caller, u32 callee, const struct use *use)
{
	/* The reader derives returns from calls. */
	if (!use->counts[PRIVILEGE_CALL])
		return;
	if (*address(w, caller) && *address(w, callee))
		add_line(w, 0, caller, callee, use);
	else
		privilege_count(&w->calls_left, use->counts[PRIVILEGE_CALL]);
}

static void add_access(struct writer *w, u32 actor, u32 target, const struct use *use)
{
	int op;

	if (*address(w, actor) && w->object_of[target] != TEXTS_NONE) {
		add_line(w, w->object_of[target] + 1ull, actor, 0, use);
		return;
	}
	for (op = 0; op < PRIVILEGE_CALL; op++)
		privilege_count(&w->accesses_left, use->counts[op]);
}

static void add_uses(struct writer *w)
{
	const struct target *target;
	const struct use *use;
	u32 i;

	for (i = 0; i < w->p->uses.nr; i++) {
		use = hash_item(&w->p->uses, i);
		target = hash_item(&w->p->targets, (u32)use->key);
		if (target->kind == PRIVILEGE_CODE)
			add_call(w, use->key >> 32, target->site, use);
		else
			add_access(w, use->key >> 32, use->key, use);
	}
}

/* Output */

/* Calls come first, then the lines of each object; all addresses have the same length. */
static int compare_lines(const void *left, const void *right, void *data)
{
	const struct writer *w = data;
	const struct line *a = left, *b = right;
	int order;

	if (!a->place != !b->place)
		return a->place ? 1 : -1;
	order = a->place ? strcmp(texts_get(&w->keys, a->place - 1),
				  texts_get(&w->keys, b->place - 1)) : 0;
	order = order ?: strcmp(address(w, a->actor), address(w, b->actor));
	return order ?: strcmp(address(w, a->callee), address(w, b->callee));
}

static int compare_keys(const void *left, const void *right, void *keys)
{
	return strcmp(texts_get(keys, *(const u32 *)left), texts_get(keys, *(const u32 *)right));
}

static void write_object(const struct writer *w, u32 nr)
{
	const struct merged *object = w->objects + nr;

	/* Merged objects have no times, process and cache. */
	printf("%s,%llu,0,0,(null),%s,(null),(null)\n", texts_get(&w->keys, nr), object->size,
	       allocators[object->kind]);
}

static void write_all(struct writer *w)
{
	u32 *order = xreallocarray(NULL, w->keys.nr + 1ull, sizeof(*order)), nr, at = 0;
	const struct line *line;

	for (nr = 0; nr < w->keys.nr; nr++)
		order[nr] = nr;
	qsort_r(order, w->keys.nr, sizeof(*order), compare_keys, &w->keys);
	hash_seal(&w->lines);
	if (w->lines.nr)
		qsort_r(w->lines.items, w->lines.nr, sizeof(struct line), compare_lines, w);
	printf("# CAPMAP, merged: FROM TO CALLS; ALLOC_IP,0,VA,SIZE,0,0,(null),ALLOCATOR,(null),(null)\n");
	printf("# and below it, IP,WRITES,READS,FREES\n");
	for (; at < w->lines.nr; at++) {
		line = hash_item(&w->lines, at);
		if (line->place)
			break;
		printf("%s %s %llu\n", address(w, line->actor), address(w, line->callee),
		       line->counts[PRIVILEGE_CALL]);
	}
	for (nr = 0; nr < w->keys.nr; nr++) {
		write_object(w, order[nr]);
		for (; at < w->lines.nr; at++) {
			line = hash_item(&w->lines, at);
			if (line->place != order[nr] + 1ull)
				break;
			printf("  %s,%llu,%llu,%llu\n", address(w, line->actor),
			       line->counts[PRIVILEGE_WRITE], line->counts[PRIVILEGE_READ],
			       line->counts[PRIVILEGE_FREE]);
		}
	}
	free(order);
}

/**
 * cmap_write - write uses of objects to standard output
 * @p: the uses, by address, after privilege_end()
 *
 * Return: true on success; false if the sizes exceed 64 bits.
 */
bool cmap_write(const struct privilege *p)
{
	struct writer w = { .p = p, .overflow = p->overflow };

	texts_init(&w.keys);
	hash_init(&w.lines, sizeof(struct line), 3 * sizeof(u64));
	add_objects(&w);
	add_uses(&w);
	if (!w.overflow)
		write_all(&w);
	if (!w.overflow && (w.objects_left || w.accesses_left || w.calls_left))
		fprintf(stderr,
			"memorizer export: left out %llu call sites, %llu accesses and %llu calls: not of vmlinux\n",
			w.objects_left, w.accesses_left, w.calls_left);
	hash_free(&w.keys);
	hash_free(&w.lines);
	free(w.objects);
	free(w.object_of);
	return !w.overflow;
}
