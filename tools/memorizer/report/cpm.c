// SPDX-License-Identifier: GPL-2.0
/*
 * Computes the privileges of a compartmentalization in the CPM interchange format.
 *
 * An omitted privilege, or the word all, allows everything; a key without a value, nothing. A
 * subject domain may always call itself and return to itself. Contexts are ignored: a subject
 * domain may do what it may in any of them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/alloc.h"
#include "lib/error.h"
#include "lib/texts.h"
#include "lib/tree.h"
#include "report/cpm.h"

#define SIZE_LIMIT	1e15	/* sums of products stay finite, and integers exact */

const char * const cpm_ops[CPM_OPS] = {
	[CPM_READ] = "read", [CPM_WRITE] = "write", [CPM_CALL] = "call", [CPM_RETURN] = "return",
};

/* A line of a weight file: a factor, or a size in place of the one in the file. */
struct weight {
	double value[CPM_OPS];
	bool given[CPM_OPS], is_size[CPM_OPS];
	u64 line;
	bool used;
};

/* Bytes of an object domain, by operation. */
struct bytes {
	double of[CPM_OPS];
};

/* A name, and what it stands for: a domain, an object, a subject or a weight. */
struct named_item {
	char name[TEXTS_MAX];
	u32 item;
};

/**
 * struct calculation - state of the calculation
 * @cpm: the result
 * @path: name of the file
 * @weights_path: name of the weight file
 * @weights: the weights
 * @weight_names: struct named_item: weights by id
 * @subjects: subject domains by name
 * @objects: object domains by name
 * @subject_ids: ids of subjects that are in a domain
 * @object_ids: ids of objects that are in a domain
 * @bytes: sizes of object domains
 * @all: operations that a subject domain may do to everything, a mask by subject domain
 * @code: size of all code, by operation
 * @data: size of all objects, by operation
 * @granted: pairs of subject domain and other domain, by operation, that were allowed
 * @error: set to a message on failure
 */
struct calculation {
	struct cpm *cpm;
	const char *path, *weights_path;
	struct weight *weights;
	struct hash weight_names, subjects, objects, subject_ids, object_ids;
	struct bytes *bytes;
	u32 *all;
	double code[CPM_OPS], data[CPM_OPS];
	struct hash granted;
	char *error;
};

static bool refuse(struct calculation *c, const struct tree *node, const char *why,
		   const char *what)
{
	return set_error(c->error, "%s:%llu: %s%s%s", c->path, node->line, what ?: "",
			 what ? ": " : "", why);
}

/* Returns the item of a name, U32_MAX if unknown. */
static u32 find(const struct hash *names, const char *name)
{
	char key[TEXTS_MAX] = "";
	u32 i;

	snprintf(key, sizeof(key), "%s", name);
	return hash_find(names, key, &i) ? ((struct named_item *)hash_item(names, i))->item :
					   U32_MAX;
}

/* Returns false if there is such a name. */
static bool add_name(struct hash *names, const char *name, u32 item)
{
	char key[TEXTS_MAX] = "";
	bool new;
	u32 i;

	snprintf(key, sizeof(key), "%s", name);
	i = hash_get(names, key, &new);
	((struct named_item *)hash_item(names, i))->item = item;
	return new;
}

/* Checks of nodes */

static bool is_known(const char *key, const char * const *keys)
{
	for (; *keys; keys++)
		if (!strcmp(key, *keys))
			return true;
	return false;
}

/* Check that a node is a map that has no unknown keys: a misspelled privilege allows everything. */
static bool check_map(struct calculation *c, const struct tree *node, const char * const *keys)
{
	u32 i;

	if (node->kind != TREE_MAP)
		return refuse(c, node, "want a map", NULL);
	for (i = 0; i < node->nr; i++)
		if (!is_known(node->items[i].key, keys))
			return refuse(c, node->items + i, "an unknown key", node->items[i].key);
	return true;
}

/* Get the list of a key; NULL after a message. A list of no items may be null. */
static const struct tree *get_list(struct calculation *c, const struct tree *map, const char *key)
{
	const struct tree *list = tree_get(map, key);

	if (list && (list->kind == TREE_LIST || list->kind == TREE_NULL))
		return list;
	refuse(c, list ?: map, "want a list", key);
	return NULL;
}

static const char *get_text(struct calculation *c, const struct tree *map, const char *key)
{
	const struct tree *text = tree_get(map, key);

	if (text && text->kind == TREE_TEXT && strlen(text->text) < TEXTS_MAX)
		return text->text;
	refuse(c, text ?: map, "want a text of less than 512 bytes", key);
	return NULL;
}

static bool read_number(const char *text, double *number)
{
	char *end;

	*number = strspn(text, "0123456789.") ? strtod(text, &end) : -1;
	return *number >= 0 && *number <= SIZE_LIMIT && !*end && !strpbrk(text, "xX");
}

static bool get_number(struct calculation *c, const struct tree *node, double *number)
{
	if (node->kind == TREE_TEXT && read_number(node->text, number) &&
	    !strpbrk(node->text, ".eE"))
		return true;
	return refuse(c, node, "want a whole number from 0 to 10^15", node->key);
}

/* Weights */

/* Strip blanks on both sides. */
static char *strip(char *text)
{
	char *end = text + strlen(text);

	while (end > text && strchr(" \t\r\n", end[-1]))
		*--end = '\0';
	return text + strspn(text, " \t");
}

/* Read one of the fields of a weight: empty, a factor, or = and a size. */
static bool read_weight(struct weight *w, int op, char *text)
{
	text = strip(text);
	if (!*text)
		return true;
	w->given[op] = true;
	w->is_size[op] = *text == '=';
	return read_number(text + w->is_size[op], w->value + op);
}

/* Returns the reason if a line is malformed, else NULL. */
static const char *add_weight(struct calculation *c, u32 nr, char *line)
{
	struct weight w = { .line = nr };
	char *name, *field;
	int op;

	name = strip(strsep(&line, ","));
	for (op = 0; op < CPM_OPS; op++) {
		field = strsep(&line, ",");
		if (!field)
			return "too few fields: want ID,READ,WRITE,CALL,RETURN";
		if (!read_weight(&w, op, field))
			return "not a weight: want nothing, a factor, or = and a size, up to 10^15";
	}
	if (line)
		return "too many fields: want ID,READ,WRITE,CALL,RETURN";
	nr = c->weight_names.nr;
	if (!*name || strlen(name) >= TEXTS_MAX || !add_name(&c->weight_names, name, nr))
		return "an id that is empty, too long or not the first: want each id once";
	c->weights = xreallocarray(c->weights, nr + 1ull, sizeof(*c->weights));
	c->weights[nr] = w;
	return NULL;
}

static bool read_weights(struct calculation *c)
{
	FILE *file = fopen(c->weights_path, "r");
	const char *wrong = NULL;
	char *line = NULL;
	size_t room = 0;
	u32 nr = 0;

	if (!file)
		return set_path_error(c->error, c->weights_path, strerror(errno));
	while (!wrong && getline(&line, &room, file) > 0) {
		nr++;
		if (line[strspn(line, " \t\r\n")] && line[strspn(line, " \t")] != '#')
			wrong = add_weight(c, nr, line);
	}
	free(line);
	if (!wrong && ferror(file))
		set_path_error(c->error, c->weights_path, strerror(errno));
	else if (wrong)
		set_error(c->error, "%s:%u: %s", c->weights_path, nr, wrong);
	wrong = wrong ?: ferror(file) ? "" : NULL;
	fclose(file);
	return !wrong;
}

/* Each weight must be of a subject or an object: another one would be without effect. */
static bool check_weights(struct calculation *c)
{
	const struct named_item *name;
	u32 i;

	for (i = 0; i < c->weight_names.nr; i++) {
		name = hash_item(&c->weight_names, i);
		if (!c->weights[i].used)
			return set_error(c->error, "%s:%llu: %s: no such subject or object in %s",
					 c->weights_path, c->weights[i].line, name->name, c->path);
	}
	return true;
}

static void add_weighted(struct calculation *c, const char *id, double size, double bytes[CPM_OPS])
{
	u32 nr = find(&c->weight_names, id);
	struct weight *w = nr == U32_MAX ? NULL : c->weights + nr;
	int op;

	if (w)
		w->used = true;
	for (op = 0; op < CPM_OPS; op++) {
		if (!w || !w->given[op])
			bytes[op] += size;
		else
			bytes[op] += w->is_size[op] ? w->value[op] : size * w->value[op];
	}
}

/* Maps */

/* Sum up the ids of a domain, each with its size, or 1. */
static bool sum_ids(struct calculation *c, const struct tree *domain, const char *key,
		    struct hash *known, double bytes[CPM_OPS], u32 *nr)
{
	const struct tree *ids = get_list(c, domain, key), *id;
	const struct tree *sizes = tree_get(domain, "sizes");
	double size = 1;
	u32 i;

	if (!ids)
		return false;
	if (sizes && (sizes->kind != TREE_LIST || sizes->nr != ids->nr))
		return refuse(c, sizes, "want a list with the size of each id", "sizes");
	for (i = 0; i < ids->nr; i++) {
		id = ids->items + i;
		if (id->kind != TREE_TEXT || strlen(id->text) >= TEXTS_MAX)
			return refuse(c, id, "want an id of less than 512 bytes", key);
		if (!add_name(known, id->text, 0))
			return refuse(c, id, "is in a domain already", id->text);
		if (sizes && !get_number(c, sizes->items + i, &size))
			return false;
		add_weighted(c, id->text, size, bytes);
	}
	*nr = ids->nr;
	return true;
}

/* Add the name of a domain, which no other domain may have. */
static bool name_domain(struct calculation *c, const struct tree *domain, struct hash *names,
			u32 nr)
{
	const char *name = get_text(c, domain, "name");

	if (!name)
		return false;
	if (find(&c->subjects, name) != U32_MAX || !add_name(names, name, nr) ||
	    (names == &c->subjects && find(&c->objects, name) != U32_MAX))
		return refuse(c, domain, "another domain has this name", name);
	return true;
}

static bool read_object(struct calculation *c, const struct tree *domain, u32 nr)
{
	static const char * const keys[] = { "name", "objects", "sizes", NULL };
	u32 ids;

	return check_map(c, domain, keys) && name_domain(c, domain, &c->objects, nr) &&
	       sum_ids(c, domain, "objects", &c->object_ids, c->bytes[nr].of, &ids);
}

static bool read_subject(struct calculation *c, const struct tree *domain, u32 nr)
{
	static const char * const keys[] = {
		"name", "subjects", "sizes", "read_instructions", "write_instructions",
		"call_instructions", "return_instructions", NULL
	};
	struct cpm_subject *subject = c->cpm->subjects + nr;
	const struct tree *number;
	char key[32];
	int op;

	if (!check_map(c, domain, keys) || !name_domain(c, domain, &c->subjects, nr) ||
	    !sum_ids(c, domain, "subjects", &c->subject_ids, subject->bytes,
		     &subject->functions))
		return false;
	subject->name = get_text(c, domain, "name");
	for (op = 0; op < CPM_OPS; op++) {
		snprintf(key, sizeof(key), "%s_instructions", cpm_ops[op]);
		number = tree_get(domain, key);
		subject->instructions[op] = subject->functions;
		if (number && !get_number(c, number, subject->instructions + op))
			return false;
	}
	return true;
}

static void sum_sizes(struct calculation *c)
{
	u32 i;
	int op;

	for (op = 0; op < CPM_OPS; op++) {
		for (i = 0; i < c->cpm->nr; i++)
			c->code[op] += c->cpm->subjects[i].bytes[op];
		for (i = 0; i < c->objects.nr; i++)
			c->data[op] += c->bytes[i].of[op];
	}
}

static bool read_maps(struct calculation *c, const struct tree *root)
{
	const struct tree *objects = get_list(c, root, "object_map");
	const struct tree *subjects = objects ? get_list(c, root, "subject_map") : NULL;
	u32 i;

	if (!subjects)
		return false;
	c->bytes = xreallocarray(NULL, objects->nr + 1ull, sizeof(*c->bytes));
	memset(c->bytes, 0, objects->nr * sizeof(*c->bytes));
	c->cpm->subjects = xreallocarray(NULL, subjects->nr + 1ull, sizeof(*c->cpm->subjects));
	memset(c->cpm->subjects, 0, subjects->nr * sizeof(*c->cpm->subjects));
	c->cpm->nr = subjects->nr;
	c->all = xreallocarray(NULL, subjects->nr + 1ull, sizeof(*c->all));
	memset(c->all, 0, subjects->nr * sizeof(*c->all));
	for (i = 0; i < objects->nr; i++)
		if (!read_object(c, objects->items + i, i))
			return false;
	for (i = 0; i < subjects->nr; i++)
		if (!read_subject(c, subjects->items + i, i))
			return false;
	sum_sizes(c);
	return true;
}

/* Privileges */

static bool is_code(int op)
{
	return op == CPM_CALL || op == CPM_RETURN;
}

/* Allow a subject domain an operation on another domain, or on its own code. */
static void allow(struct calculation *c, u32 subject, int op, u32 domain)
{
	u64 key[2] = { (u64)subject << 32 | domain, op };
	struct cpm_subject *s = c->cpm->subjects + subject;
	double bytes;
	bool new;

	if (c->all[subject] & 1u << op)
		return;
	hash_get(&c->granted, key, &new);
	if (!new)
		return;
	bytes = is_code(op) ? c->cpm->subjects[domain].bytes[op] : c->bytes[domain].of[op];
	s->allowed[op] += s->instructions[op] * bytes;
}

/* Allow a subject domain an operation on everything, instead of what was allowed before. */
static void allow_all(struct calculation *c, u32 subject, int op)
{
	struct cpm_subject *s = c->cpm->subjects + subject;

	c->all[subject] |= 1u << op;
	s->allowed[op] = s->instructions[op] * (is_code(op) ? c->code[op] : c->data[op]);
}

static bool is_all(const struct tree *node)
{
	return !node || (node->kind == TREE_TEXT && !strcmp(node->text, "all"));
}

/* Allow an operation on the domains of a list; on all if there is no list. */
static bool allow_list(struct calculation *c, u32 subject, int op, const struct tree *list)
{
	const struct hash *names = is_code(op) ? &c->subjects : &c->objects;
	const struct tree *name;
	u32 i, domain;

	if (is_all(list)) {
		allow_all(c, subject, op);
		return true;
	}
	if (list->kind != TREE_LIST && list->kind != TREE_NULL)
		return refuse(c, list, "want a list of domains, or all", list->key);
	for (i = 0; i < list->nr; i++) {
		name = list->items + i;
		domain = name->kind == TREE_TEXT ? find(names, name->text) : U32_MAX;
		if (domain == U32_MAX)
			return refuse(c, name, is_code(op) ? "no such subject domain" :
							     "no such object domain",
				      name->text);
		allow(c, subject, op, domain);
	}
	return true;
}

/* Counts of a trace must have the length of their list. */
static bool check_counts(struct calculation *c, const struct tree *map, const char *key,
			 const struct tree *list)
{
	const struct tree *counts = tree_get(map, key);

	if (!counts || counts->nr == (list ? list->nr : 0))
		return true;
	return refuse(c, counts, "want a number for each item of the list", key);
}

static bool allow_objects(struct calculation *c, u32 subject, int op, const struct tree *accesses)
{
	static const char * const keys[] = { "objects", "object_context", "counts", NULL };
	const struct tree *access, *objects;
	u32 i;

	if (is_all(accesses))
		return allow_list(c, subject, op, NULL);
	if (accesses->kind != TREE_LIST && accesses->kind != TREE_NULL)
		return refuse(c, accesses, "want a list of maps with objects, or all",
			      accesses->key);
	for (i = 0; i < accesses->nr; i++) {
		access = accesses->items + i;
		objects = tree_get(access, "objects");
		if (!check_map(c, access, keys) || !check_counts(c, access, "counts", objects) ||
		    !allow_list(c, subject, op, objects))
			return false;
	}
	return true;
}

/* Get the subject domain of a privilege; U32_MAX after a message. */
static u32 get_principal(struct calculation *c, const struct tree *privilege)
{
	static const char * const keys[] = { "subject", "execution_context", NULL };
	const struct tree *principal = tree_get(privilege, "principal");
	const char *name;
	u32 subject;

	if (!principal) {
		refuse(c, privilege, "want a map with subject", "principal");
		return U32_MAX;
	}
	if (!check_map(c, principal, keys))
		return U32_MAX;
	name = get_text(c, principal, "subject");
	subject = name ? find(&c->subjects, name) : U32_MAX;
	if (name && subject == U32_MAX)
		refuse(c, principal, "no such subject domain", name);
	return subject;
}

static bool read_privilege(struct calculation *c, const struct tree *privilege)
{
	static const char * const keys[] = {
		"principal", "can_read", "can_write", "can_call", "can_return", "call_counts",
		"return_counts", NULL
	};
	const struct tree *calls = tree_get(privilege, "can_call");
	const struct tree *returns = tree_get(privilege, "can_return");
	u32 subject;

	if (!check_map(c, privilege, keys))
		return false;
	subject = get_principal(c, privilege);
	if (subject == U32_MAX)
		return false;
	allow(c, subject, CPM_CALL, subject);
	allow(c, subject, CPM_RETURN, subject);
	return check_counts(c, privilege, "call_counts", calls) &&
	       check_counts(c, privilege, "return_counts", returns) &&
	       allow_list(c, subject, CPM_CALL, calls) &&
	       allow_list(c, subject, CPM_RETURN, returns) &&
	       allow_objects(c, subject, CPM_READ, tree_get(privilege, "can_read")) &&
	       allow_objects(c, subject, CPM_WRITE, tree_get(privilege, "can_write"));
}

static bool read_privileges(struct calculation *c, const struct tree *root)
{
	const struct tree *privileges = get_list(c, root, "privileges");
	u32 i;

	if (!privileges)
		return false;
	for (i = 0; i < privileges->nr; i++)
		if (!read_privilege(c, privileges->items + i))
			return false;
	return true;
}

/* Without W^X, all code may also read and write code, and call and return to data. */
static void sum_up(struct calculation *c, bool wxorx)
{
	double instructions;
	u32 i;
	int op;

	for (op = 0; op < CPM_OPS; op++) {
		instructions = 0;
		for (i = 0; i < c->cpm->nr; i++) {
			instructions += c->cpm->subjects[i].instructions[op];
			c->cpm->allowed[op] += c->cpm->subjects[i].allowed[op];
		}
		if (!wxorx)
			c->cpm->monolithic[op] = instructions * (c->code[op] + c->data[op]);
		else
			c->cpm->monolithic[op] = instructions *
				(is_code(op) ? c->code[op] : c->data[op]);
	}
}

static bool calculate(struct calculation *c, const struct tree *root, bool wxorx)
{
	if (root->kind != TREE_MAP)
		return refuse(c, root, "want a map with object_map, subject_map and privileges",
			      NULL);
	if (!read_maps(c, root) || !read_privileges(c, root) || !check_weights(c))
		return false;
	sum_up(c, wxorx);
	return true;
}

/**
 * cpm_read - compute the privileges of a file
 * @cpm: set to the privileges, to be freed by cpm_free() in any case
 * @path: the file
 * @weights: a file of weights, or NULL
 * @wxorx: memory is either writable or executable
 * @error: set to a message on failure
 *
 * Return: true on success.
 */
bool cpm_read(struct cpm *cpm, const char *path, const char *weights, bool wxorx,
	      char error[ERROR_MAX])
{
	struct calculation c = {
		.cpm = cpm, .path = path, .weights_path = weights, .error = error,
	};
	bool fine;

	*cpm = (struct cpm){ .tree = xreallocarray(NULL, 1, sizeof(*cpm->tree)) };
	hash_init(&c.weight_names, sizeof(struct named_item), TEXTS_MAX);
	hash_init(&c.subjects, sizeof(struct named_item), TEXTS_MAX);
	hash_init(&c.objects, sizeof(struct named_item), TEXTS_MAX);
	hash_init(&c.subject_ids, sizeof(struct named_item), TEXTS_MAX);
	hash_init(&c.object_ids, sizeof(struct named_item), TEXTS_MAX);
	hash_init(&c.granted, 2 * sizeof(u64), 2 * sizeof(u64));
	fine = tree_read(cpm->tree, path, error) && (!weights || read_weights(&c)) &&
	       calculate(&c, cpm->tree, wxorx);
	hash_free(&c.weight_names);
	hash_free(&c.subjects);
	hash_free(&c.objects);
	hash_free(&c.subject_ids);
	hash_free(&c.object_ids);
	hash_free(&c.granted);
	free(c.weights);
	free(c.all);
	free(c.bytes);
	return fine;
}

/**
 * cpm_free - free the privileges
 * @cpm: the privileges
 */
void cpm_free(struct cpm *cpm)
{
	free(cpm->subjects);
	tree_free(cpm->tree);
	free(cpm->tree);
}
