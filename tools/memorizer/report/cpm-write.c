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
#include "symbols/build-id.h"
#include "symbols/notes.h"

/* Names in order: the numbers of texts, and the position of each number. */
struct order {
	u32 *numbers, *positions;
};

#define ANY_TASK	U64_MAX

/*
 * What a subject domain does in a task to an object domain, or to another subject domain. Domains
 * are positions.
 */
struct access {
	u64 subject, pid, target;
	u64 counts[PRIVILEGE_OPS];
};

/**
 * struct writer - state of writing
 * @d: the compartments
 * @contexts: what numbers of contexts mean; NULL without privileges by task
 * @ids: ids of objects by number
 * @id_of: number of the id of each target; several call sites in a line have one id
 * @sizes: size by number
 * @objects: order of ids
 * @subjects: order of names of compartments
 * @accesses: struct access to objects
 * @calls: struct access to code
 * @function_ids: ids of functions that were written
 */
struct writer {
	const struct domains *d;
	const struct contexts *contexts;
	struct hash ids;
	u32 *id_of;
	u64 *sizes;
	struct order objects, subjects;
	struct hash accesses, calls;
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

	if (a->subject != b->subject)
		return a->subject < b->subject ? -1 : 1;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return (a->target > b->target) - (a->target < b->target);
}

/* Build IDs */

static void add_modules(const struct privilege *p, struct hash *modules)
{
	const struct kmap_symbol *symbol;
	const struct target *target;
	u32 i;

	for (i = 0; i < p->actors.nr; i++)
		texts_number(modules, texts_get(&p->texts, privilege_actor(p, i)->module));
	for (i = 0; i < p->targets.nr; i++) {
		target = hash_item(&p->targets, i);
		symbol = target->kind == PRIVILEGE_CODE ? NULL :
			 kmap_symbols_find(p->symbols, target->site, KMAP_IP_RETURN);
		if (symbol)
			texts_number(modules, kmap_symbols_string(p->symbols, symbol->module));
	}
}

/* Write the known build IDs of the kernel and its modules, in which ids are offsets. */
static void write_build_ids(const struct privilege *p)
{
	const char *name, *heading = "build_ids:\n";
	char text[BUILD_ID_TEXT];
	struct build_id id;
	struct order order;
	struct hash modules;
	u32 i;

	texts_init(&modules);
	add_modules(p, &modules);
	order = order_texts(&modules);
	for (i = 0; i < modules.nr; i++) {
		name = texts_get(&modules, order.numbers[i]);
		id = kmap_symbols_build_id(p->symbols, name);
		if (!id.size)
			continue;
		printf("%s- name: %s\n  id: '%s'\n", heading, *name ? name : "vmlinux",
		       build_id_text(&id, text));
		heading = "";
	}
	hash_free(&modules);
	free(order.numbers);
	free(order.positions);
}

/* Objects */

/*
 * Id of the objects of a call site: by its line, if that is known from the compiler's notes. A
 * variable has its name; else the address in a function is all that is known. A member is separated
 * by a dot.
 */
static void make_id(const struct privilege *p, const struct target *t, char id[TEXTS_MAX])
{
	const struct kmap_symbol *symbol = kmap_symbols_find(p->symbols, t->site, KMAP_IP_RETURN);
	const struct note *note = kmap_symbols_note(p->symbols, t->site, KMAP_IP_RETURN);
	const char *member = t->member == TEXTS_NONE ? "" : texts_get(&p->texts, t->member);
	const char *dot = *member ? "." : "";
	char text[KMAP_SYMBOL_MAX];

	if (t->kind == KMAP_STRUCT_PAGE) {
		snprintf(id, TEXTS_MAX, "OTHER|||%s", kmap_kinds[t->kind]);
	} else if (symbol && symbol->start == t->site) {
		snprintf(id, TEXTS_MAX, "GLOBAL|||%s%s%s",
			 kmap_symbols_string(p->symbols, symbol->name), dot, member);
	} else if (note && *note->file) {
		snprintf(id, TEXTS_MAX, "%s|%s|%u%s%s|",
			 t->kind == KMAP_STACK ? "STACK_REGION" : "HEAP", note->file, note->line,
			 dot, member);
	} else {
		kmap_symbols_format(p->symbols, t->site, KMAP_IP_RETURN, text);
		snprintf(id, TEXTS_MAX, "OTHER|||%.200s%s%.200s%s%s", text, dot, member,
			 t->kind ? " " : "", t->kind ? kmap_kinds[t->kind] : "");
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
		if (target->kind == PRIVILEGE_CODE)
			continue;
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

static void sort_accesses(struct hash *accesses)
{
	hash_seal(accesses);
	if (accesses->nr)
		qsort(accesses->items, accesses->nr, sizeof(struct access), compare_accesses);
}

/* Position of an object's id, or of the compartment that a function belongs to. */
static u32 target_position(const struct writer *w, u32 target)
{
	const struct target *t = hash_item(&w->d->p->targets, target);

	return t->kind == PRIVILEGE_CODE ? position_of(w, domain_of(w, t->site)) :
					   w->objects.positions[w->id_of[target]];
}

/* The task; of several numbers for the same context the first one. */
static u64 task_of(const struct writer *w, u64 pid)
{
	const struct count_context *context = w->contexts ? contexts_find(w->contexts, pid) : NULL;

	return context ? context->first : pid;
}

/* Add to the accesses of the domains of an actor and a target. */
static void add_access(struct writer *w, u64 use, u64 pid, const u64 counts[PRIVILEGE_OPS])
{
	u64 key[3] = { position_of(w, domain_of(w, use >> 32)), pid, target_position(w, use) };
	struct hash *all = domains_is_code(w->d, use) ? &w->calls : &w->accesses;
	struct access *access;
	bool new;
	int op;

	access = hash_item(all, hash_get(all, key, &new));
	for (op = 0; op < PRIVILEGE_OPS; op++)
		privilege_count(access->counts + op, counts[op]);
}

static void add_accesses(struct writer *w)
{
	const struct privilege *p = w->d->p;
	const struct task_use *of_task;
	const struct use *use;
	u32 i;

	for (i = 0; !p->by_task && i < p->uses.nr; i++) {
		use = hash_item(&p->uses, i);
		add_access(w, use->key, ANY_TASK, use->counts);
	}
	for (i = 0; i < p->task_uses.nr; i++) {
		of_task = hash_item(&p->task_uses, i);
		add_access(w, of_task->key, task_of(w, of_task->pid), of_task->counts);
	}
	sort_accesses(&w->accesses);
	sort_accesses(&w->calls);
}

/* Accesses of a subject domain in a task, from @first to @end. */
struct part {
	const struct hash *of;
	u32 first, end;
};

/* The task of the first access of a subject domain in the rest of them; ANY_TASK if it has none. */
static u64 next_task(const struct part *part, u32 subject)
{
	const struct access *access;

	if (part->end == part->of->nr)
		return ANY_TASK;
	access = hash_item(part->of, part->end);
	return access->subject == subject ? access->pid : ANY_TASK;
}

/* Take the accesses of a subject domain in a task from the rest of them. */
static void take_part(struct part *part, u32 subject, u64 pid)
{
	const struct access *access;

	part->first = part->end;
	for (; part->end < part->of->nr; part->end++) {
		access = hash_item(part->of, part->end);
		if (access->subject != subject || access->pid != pid)
			break;
	}
}

/* Write a list, in order, of those that an operation was done to, or how often it was. */
static void write_list(const struct writer *w, const char *key, const struct part *part,
		       enum privilege_op op, bool counts)
{
	const struct access *access;
	const char *separator = "";
	u32 i;

	printf("%s: [", key);
	for (i = part->first; i < part->end; i++) {
		access = hash_item(part->of, i);
		if (!access->counts[op])
			continue;
		printf("%s", separator);
		if (counts)
			printf("%llu", access->counts[op]);
		else if (privilege_is_code(op))
			write_subject_name(w, access->target);
		else
			write_name('O', access->target, NULL);
		separator = ", ";
	}
	printf("]\n");
}

/* Write a pid, or what is known of a context. */
static void write_task(const struct writer *w, u64 pid)
{
	const struct count_context *context = contexts_find(w->contexts, pid);
	char text[CONTEXT_NAME_MAX];

	printf("    execution_context: {");
	if (context) {
		printf("entry: %s", contexts_entry(context, text) ?: "none");
		if (w->contexts->uids)
			printf(", uid: %llu", context->uid);
		if (w->contexts->gids)
			printf(", gid: %llu", context->gid);
	} else {
		printf(contexts_is(pid) ? "context: %llu" : "pid: %llu", pid);
	}
	printf("}\n");
}

/* Write what a subject domain does in a task. */
static void write_privilege(const struct writer *w, u32 subject, u64 pid, struct part *accesses,
			    struct part *calls)
{
	take_part(accesses, subject, pid);
	take_part(calls, subject, pid);
	printf("- principal:\n    subject: ");
	write_subject_name(w, subject);
	printf("\n");
	if (pid != ANY_TASK)
		write_task(w, pid);
	write_list(w, "  can_read:\n  - objects", accesses, PRIVILEGE_READ, false);
	write_list(w, "    counts", accesses, PRIVILEGE_READ, true);
	write_list(w, "  can_write:\n  - objects", accesses, PRIVILEGE_WRITE, false);
	write_list(w, "    counts", accesses, PRIVILEGE_WRITE, true);
	/* Without calls in the input, the keys are missing, which allows all. */
	if (!w->calls.nr)
		return;
	write_list(w, "  can_call", calls, PRIVILEGE_CALL, false);
	write_list(w, "  call_counts", calls, PRIVILEGE_CALL, true);
	write_list(w, "  can_return", calls, PRIVILEGE_RETURN, false);
	write_list(w, "  return_counts", calls, PRIVILEGE_RETURN, true);
}

static void write_privileges(const struct writer *w)
{
	struct part accesses = { &w->accesses, 0, 0 }, calls = { &w->calls, 0, 0 };
	u64 pid, calling;
	u32 subject;

	printf("privileges:%s\n", w->d->names.nr ? "" : " []");
	for (subject = 0; subject < w->d->names.nr; subject++) {
		/* A domain that only frees is in no task, but may call itself as any other. */
		do {
			pid = next_task(&accesses, subject);
			calling = next_task(&calls, subject);
			write_privilege(w, subject, pid < calling ? pid : calling, &accesses,
					&calls);
		} while (next_task(&accesses, subject) != ANY_TASK ||
			 next_task(&calls, subject) != ANY_TASK);
	}
}

/**
 * cpm_write - write uses of objects to standard output
 * @d: the compartments
 * @contexts: what numbers of contexts mean; NULL without privileges by task
 *
 * Frees are no operation of the format.
 */
void cpm_write(const struct domains *d, const struct contexts *contexts)
{
	struct writer w = { .d = d, .contexts = contexts };

	texts_init(&w.ids);
	texts_init(&w.function_ids);
	hash_init(&w.accesses, sizeof(struct access), 3 * sizeof(u64));
	hash_init(&w.calls, sizeof(struct access), 3 * sizeof(u64));
	add_objects(&w);
	w.subjects = order_texts(&d->names);
	add_accesses(&w);
	printf("# CPM interchange format 1.4, with counts and sizes\n");
	write_build_ids(d->p);
	write_objects(&w);
	write_subjects(&w);
	write_privileges(&w);
	hash_free(&w.ids);
	hash_free(&w.function_ids);
	hash_free(&w.accesses);
	hash_free(&w.calls);
	free(w.id_of);
	free(w.sizes);
	free(w.objects.numbers);
	free(w.objects.positions);
	free(w.subjects.numbers);
	free(w.subjects.positions);
}
