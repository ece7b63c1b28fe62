// SPDX-License-Identifier: GPL-2.0
/*
 * Writes uses of objects in the CPM interchange format. Domains are in the order of their names
 * and ids, so that the order of the input does not matter.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/cpm-write.h"
#include "symbols/notes.h"

/* Names in order: the numbers of texts, and the position of each number. */
struct order {
	u32 *numbers, *positions;
};

/* What a subject domain does to an object domain, as positions. */
struct access {
	u64 key;
	u64 counts[PRIVILEGE_OPS];
};

/**
 * struct writer - state of writing
 * @d: the compartments
 * @ids: ids of objects by number
 * @id_of: number of the id of each target; several call sites in a line have one id
 * @sizes: size by number
 * @objects: order of ids
 * @subjects: order of names of compartments
 * @accesses: struct access
 * @function_ids: ids of functions that were written
 */
struct writer {
	const struct domains *d;
	struct hash ids;
	u32 *id_of;
	u64 *sizes;
	struct order objects, subjects;
	struct hash accesses;
	struct hash function_ids;
};

/* A text in single quotes: they are the only ones that are escaped. */
static void write_quoted(const char *text)
{
	putchar('\'');
	for (; *text; text++)
		printf(*text == '\'' ? "''" : "%c", *text);
	putchar('\'');
}

/* Names of domains have letters, digits, _ and dots. A number makes them unique. */
static void write_name(char kind, u32 position, const char *text)
{
	printf("%c%u%s", kind, position + 1, text ? "." : "");
	for (; text && *text; text++)
		putchar(isalnum((unsigned char)*text) || *text == '.' ? *text : '_');
}

static const char *subject_text(const struct writer *w, u32 position)
{
	return texts_get(&w->d->names, w->subjects.numbers[position]);
}

static void write_subject_name(const struct writer *w, u32 position)
{
	write_name('S', position, subject_text(w, position));
}

/* Order */

static int compare_texts(const void *left, const void *right, void *texts)
{
	return strcmp(texts_get(texts, *(const u32 *)left), texts_get(texts, *(const u32 *)right));
}

static struct order order_texts(const struct hash *texts)
{
	struct order o = { xreallocarray(NULL, texts->nr + 1ull, sizeof(u32)),
			   xreallocarray(NULL, texts->nr + 1ull, sizeof(u32)) };
	u32 i;

	for (i = 0; i < texts->nr; i++)
		o.numbers[i] = i;
	qsort_r(o.numbers, texts->nr, sizeof(u32), compare_texts, (void *)texts);
	for (i = 0; i < texts->nr; i++)
		o.positions[o.numbers[i]] = i;
	return o;
}

static int compare_accesses(const void *left, const void *right)
{
	const struct access *a = left, *b = right;

	return (a->key > b->key) - (a->key < b->key);
}

/* Objects */

/*
 * Id of the objects of a call site: by its line, if that is known from the compiler's notes. A
 * variable has its name; else the address in a function is all that is known.
 */
static void make_id(const struct privilege *p, const struct target *t, char id[TEXTS_MAX])
{
	const struct kmap_symbol *symbol = kmap_symbols_find(p->symbols, t->site, KMAP_IP_RETURN);
	const struct note *note = kmap_symbols_note(p->symbols, t->site, KMAP_IP_RETURN);
	char text[KMAP_SYMBOL_MAX];

	if (t->kind == KMAP_STRUCT_PAGE) {
		snprintf(id, TEXTS_MAX, "OTHER|||%s", kmap_kinds[t->kind]);
	} else if (symbol && symbol->start == t->site) {
		snprintf(id, TEXTS_MAX, "GLOBAL|||%s",
			 kmap_symbols_string(p->symbols, symbol->name));
	} else if (note && *note->file) {
		snprintf(id, TEXTS_MAX, "%s|%s|%u|",
			 t->kind == KMAP_STACK ? "STACK_REGION" : "HEAP", note->file, note->line);
	} else {
		kmap_symbols_format(p->symbols, t->site, KMAP_IP_RETURN, text);
		snprintf(id, TEXTS_MAX, "OTHER|||%.400s%s%s", text, t->kind ? " " : "",
			 t->kind ? kmap_kinds[t->kind] : "");
	}
}

static void add_objects(struct writer *w)
{
	const struct privilege *p = w->d->p;
	const struct target *target;
	char id[TEXTS_MAX];
	u32 i;

	w->id_of = xreallocarray(NULL, p->targets.nr + 1ull, sizeof(*w->id_of));
	w->sizes = xreallocarray(NULL, p->targets.nr + 1ull, sizeof(*w->sizes));
	memset(w->sizes, 0, p->targets.nr * sizeof(*w->sizes));
	for (i = 0; i < p->targets.nr; i++) {
		target = hash_item(&p->targets, i);
		make_id(p, target, id);
		w->id_of[i] = texts_number(&w->ids, id);
		/* domains_sum() has checked that the sum of all sizes fits. */
		w->sizes[w->id_of[i]] += target->size;
	}
	w->objects = order_texts(&w->ids);
}

static void write_objects(const struct writer *w)
{
	u32 i, number;

	printf("object_map:%s\n", w->ids.nr ? "" : " []");
	for (i = 0; i < w->ids.nr; i++) {
		number = w->objects.numbers[i];
		printf("- name: ");
		write_name('O', i, NULL);
		printf("\n  objects: [");
		write_quoted(texts_get(&w->ids, number));
		printf("]\n  sizes: [%llu]\n", w->sizes[number]);
	}
}

/* Subjects */

/* Id of a function: file and name; if another function has the same, with all of its name. */
static void write_function(struct writer *w, const struct actor *actor)
{
	const struct privilege *p = w->d->p;
	const char *file = actor->file == TEXTS_NONE ? "" : texts_get(&p->texts, actor->file);
	const char *name = texts_get(&p->texts, *file ? actor->symbol : actor->name);
	u32 nr = w->function_ids.nr;
	char id[2 * TEXTS_MAX + 2];

	snprintf(id, sizeof(id), "%s|%s", file, name);
	texts_number(&w->function_ids, id);
	if (w->function_ids.nr == nr)
		snprintf(id, sizeof(id), "%s|%s", file, texts_get(&p->texts, actor->name));
	write_quoted(id);
}

/* Position of a compartment by name. */
static u32 position_of(const struct writer *w, u32 domain)
{
	return w->subjects.positions[((const struct domain *)hash_item(&w->d->all, domain))->name];
}

/* Functions in the order of their names. */
static int compare_actors(const void *left, const void *right, void *data)
{
	const struct writer *w = data;
	const struct actor *a = privilege_actor(w->d->p, *(const u32 *)left);
	const struct actor *b = privilege_actor(w->d->p, *(const u32 *)right);

	if (a->domain != b->domain)
		return position_of(w, a->domain) < position_of(w, b->domain) ? -1 : 1;
	return strcmp(texts_get(&w->d->p->texts, a->name), texts_get(&w->d->p->texts, b->name));
}

/* Write a domain, whose functions are @actors. */
static void write_subject(struct writer *w, const u32 *actors, u32 nr)
{
	const struct privilege *p = w->d->p;
	bool known = true;
	u32 i;

	printf("- name: ");
	write_subject_name(w, position_of(w, privilege_actor(p, actors[0])->domain));
	printf("\n  subjects: [");
	for (i = 0; i < nr; i++) {
		printf(i ? ", " : "");
		write_function(w, privilege_actor(p, actors[i]));
		known &= !!privilege_actor(p, actors[i])->size;
	}
	printf("]\n");
	if (!known)
		return;
	printf("  sizes: [");
	for (i = 0; i < nr; i++)
		printf("%s%llu", i ? ", " : "", privilege_actor(p, actors[i])->size);
	printf("]\n");
}

static u32 domain_of(const struct writer *w, u32 actor)
{
	return privilege_actor(w->d->p, actor)->domain;
}

static void write_subjects(struct writer *w)
{
	u32 nr = w->d->p->actors.nr, *actors = xreallocarray(NULL, nr + 1ull, sizeof(u32));
	u32 first, end;

	for (first = 0; first < nr; first++)
		actors[first] = first;
	qsort_r(actors, nr, sizeof(u32), compare_actors, w);
	printf("subject_map:%s\n", nr ? "" : " []");
	for (first = 0; first < nr; first = end) {
		for (end = first + 1; end < nr; end++)
			if (domain_of(w, actors[end]) != domain_of(w, actors[first]))
				break;
		write_subject(w, actors + first, end - first);
	}
	free(actors);
}

/* Privileges */

/* Collect accesses by positions of domains. */
static void add_accesses(struct writer *w)
{
	const struct grant *grant;
	struct access *access;
	u64 key;
	u32 i;
	int op;
	bool new;

	for (i = 0; i < w->d->grants.nr; i++) {
		grant = hash_item(&w->d->grants, i);
		key = (u64)position_of(w, grant->key >> 32) << 32 |
		      w->objects.positions[w->id_of[(u32)grant->key]];
		access = hash_item(&w->accesses, hash_get(&w->accesses, &key, &new));
		for (op = 0; op < PRIVILEGE_OPS; op++)
			privilege_count(access->counts + op, grant->counts[op]);
	}
	hash_seal(&w->accesses);
	if (w->accesses.nr)
		qsort(w->accesses.items, w->accesses.nr, sizeof(struct access), compare_accesses);
}

/* Write the accesses from @first to @end for an operation: objects, then counts. */
static void write_accesses(const struct writer *w, const char *key, enum privilege_op op,
			   u32 first, u32 end)
{
	const struct access *access;
	const char *separator = "";
	u32 i;

	printf("  %s:\n  - objects: [", key);
	for (i = first; i < end; i++) {
		access = hash_item(&w->accesses, i);
		if (!access->counts[op])
			continue;
		printf("%s", separator);
		write_name('O', access->key, NULL);
		separator = ", ";
	}
	printf("]\n    counts: [");
	separator = "";
	for (i = first; i < end; i++) {
		access = hash_item(&w->accesses, i);
		if (!access->counts[op])
			continue;
		printf("%s%llu", separator, access->counts[op]);
		separator = ", ";
	}
	printf("]\n");
}

static u32 subject_at(const struct writer *w, u32 i)
{
	return ((const struct access *)hash_item(&w->accesses, i))->key >> 32;
}

static void write_privileges(const struct writer *w)
{
	u32 first, end;

	printf("privileges:%s\n", w->accesses.nr ? "" : " []");
	for (first = 0; first < w->accesses.nr; first = end) {
		for (end = first + 1; end < w->accesses.nr; end++)
			if (subject_at(w, end) != subject_at(w, first))
				break;
		printf("- principal:\n    subject: ");
		write_subject_name(w, subject_at(w, first));
		printf("\n");
		write_accesses(w, "can_read", PRIVILEGE_READ, first, end);
		write_accesses(w, "can_write", PRIVILEGE_WRITE, first, end);
	}
}

/**
 * cpm_write - write uses of objects to standard output
 * @d: the compartments
 *
 * Calls and returns are not recorded: their keys are missing, which allows all. Frees are no
 * operation of the format.
 */
void cpm_write(const struct domains *d)
{
	struct writer w = { .d = d };

	texts_init(&w.ids);
	texts_init(&w.function_ids);
	hash_init(&w.accesses, sizeof(struct access), sizeof(u64));
	add_objects(&w);
	w.subjects = order_texts(&d->names);
	add_accesses(&w);
	printf("# CPM interchange format 1.4, with counts and sizes\n");
	write_objects(&w);
	write_subjects(&w);
	write_privileges(&w);
	hash_free(&w.ids);
	hash_free(&w.function_ids);
	hash_free(&w.accesses);
	free(w.id_of);
	free(w.sizes);
	free(w.objects.numbers);
	free(w.objects.positions);
	free(w.subjects.numbers);
	free(w.subjects.positions);
}
