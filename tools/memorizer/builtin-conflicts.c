// SPDX-License-Identifier: GPL-2.0
/*
 * memorizer conflicts: finds marked scopes that share memory. Two scopes on different CPUs conflict
 * if one writes a byte that the other accesses in the same phase; falsely shared lines are listed
 * separately.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/analysis.h"
#include "report/clashes.h"

static const char * const usage[] = {
	"memorizer conflicts [OPTION...] DIR",
	"",
	"Prints marked scopes that share memory. A scope lasts from the mark \"scope NAME\" of a",
	"task to its \"leave NAME\"; a window lasts from a mark \"phase NAME\" to the next. Two",
	"scopes of tasks on different CPUs conflict if one writes a byte that the other",
	"accesses in the same window. If they only access different bytes of a line, the line",
	"is falsely shared. The trace needs all accesses within scopes.",
	NULL
};

#define WITHOUT	64	/* maximum number of --without */
#define PAGE	4096
#define ACCESS_MAX	(16u << 20)	/* larger accesses are taken for damage of the trace */

/* Interrupt entry code, and Memorizer's hooks, which access Memorizer's own records. */
static const char * const always[] = {
	"asm_sysvec_*", "asm_common_interrupt", "asm_exc_nmi", "*memorizer_*",
};

/* Sums of a clash and of a phase. */
enum sum { BYTES, WINDOWS, CONFLICTS, LINES, NR_CONFLICTS, NR_LINES, RANK, SUMS };

/* Is an instruction, or a call with its callees, left out? */
struct left_out {
	u64 key;
	bool out;
};

/**
 * struct conflicts - state of the analysis
 * @a: the analysis
 * @without: patterns of functions to leave out
 * @nr_without: number of patterns
 * @all: leave out nothing
 * @ips: struct left_out by address
 * @stacks: struct left_out by frame number
 * @clashes: the clashes
 * @phase: phase of the current window
 * @left: number of accesses that were left out
 * @taken: number of other accesses
 */
struct conflicts {
	struct analysis a;
	const char *without[WITHOUT];
	u32 nr_without;
	bool all;
	struct hash ips, stacks;
	struct clashes clashes;
	u32 phase;
	u64 left, taken;
};

static void init(struct analysis *a)
{
	struct conflicts *c = (struct conflicts *)a;

	hash_init(&c->ips, sizeof(struct left_out), sizeof(u64));
	hash_init(&c->stacks, sizeof(struct left_out), sizeof(u64));
	clashes_init(&c->clashes, a->line_size);
}

static void release(struct analysis *a)
{
	struct conflicts *c = (struct conflicts *)a;

	hash_free(&c->ips);
	hash_free(&c->stacks);
	clashes_free(&c->clashes);
}

static bool function_left_out(const struct conflicts *c, u64 ip)
{
	const struct kmap_symbol *symbol = kmap_symbols_find(c->a.symbols, ip, KMAP_IP_EXACT);
	const char *name;
	u32 i;

	if (!symbol)
		return false;
	name = kmap_symbols_string(c->a.symbols, symbol->name);
	for (i = 0; i < ARRAY_SIZE(always); i++)
		if (kmem_filter_matches(always[i], name))
			return true;
	for (i = 0; i < c->nr_without; i++)
		if (kmem_filter_matches(c->without[i], name))
			return true;
	return false;
}

static bool ip_left_out(struct conflicts *c, u64 ip)
{
	struct left_out *known;
	bool new;

	known = hash_item(&c->ips, hash_get(&c->ips, &ip, &new));
	if (new)
		known->out = function_left_out(c, ip);
	return known->out;
}

static bool known_left_out(const struct conflicts *c, u64 stack, bool *out)
{
	u32 i;

	if (!hash_find(&c->stacks, &stack, &i))
		return false;
	*out = ((const struct left_out *)hash_item(&c->stacks, i))->out;
	return true;
}

/* Is one of the calls left out? */
static bool stack_left_out(struct conflicts *c, u32 stack)
{
	u64 key = stack, ip;
	u32 at = stack, caller;
	bool out = false, new;

	while (at && !out && !known_left_out(c, at, &out)) {
		caller = context_frame(&c->a.context, at, &ip);
		if (caller == U32_MAX)
			break;
		out = ip_left_out(c, ip);
		/* Callers have lower numbers. In a damaged trace, the loop must end, too. */
		at = caller < at ? caller : 0;
	}
	if (stack)
		((struct left_out *)hash_item(&c->stacks,
					      hash_get(&c->stacks, &key, &new)))->out = out;
	return out;
}

static bool is_left_out(struct conflicts *c, const struct touch *t)
{
	return !c->all && (ip_left_out(c, t->ip) || stack_left_out(c, t->stack));
}

/* Accesses to user space on behalf of a task do not count. */
static bool is_kernel(u64 addr)
{
	return addr >> 63;
}

static void touch(struct analysis *a, const struct touch *t)
{
	struct conflicts *c = (struct conflicts *)a;
	const struct opened *scope = context_scope(&a->context, t->event->cpu, t->pid);
	struct clash_access access = { .ptr = t->ptr, .ip = t->ip, .size = t->size };

	if (!t->chosen || !scope || !is_kernel(t->ptr))
		return;
	if (t->size > ACCESS_MAX || is_left_out(c, t)) {
		c->left++;
		return;
	}
	c->taken++;
	access.how = (t->reads ? CLASH_READS : 0) | (t->writes ? CLASH_WRITES : 0);
	access.what = t->place.kind;
	access.offset = t->place.kind ? t->place.offset : t->ptr % PAGE;
	access.name = analysis_called(a, t);
	access.party = clashes_party(&c->clashes, scope->number, t->pid, t->event->cpu);
	clashes_access(&c->clashes, &access);
}

/* Does the mark end a phase, and possibly start another? */
static bool ends_phase(const char *text)
{
	return !strncmp(text, "phase", strlen("phase")) &&
	       (!text[strlen("phase")] || text[strlen("phase")] == ' ');
}

static void event(struct analysis *a, const struct trace_event *e)
{
	struct conflicts *c = (struct conflicts *)a;

	if (e->type != TRACE_MARK || !ends_phase(e->u.mark.text))
		return;
	clashes_window(&c->clashes, c->phase);
	/* The context has already begun the next phase. */
	c->phase = a->context.phase;
}

/* Output */

static char *phase_name(const struct conflicts *c, u32 phase)
{
	return table_text(phase ? context_text(&c->a.context, phase) : "[none]");
}

/* Name of the memory with the offset; for unknown memory, the offset in its page. */
static char *where(const struct conflicts *c, const struct clash *clash)
{
	char text[KMAP_SYMBOL_MAX];

	snprintf(text, sizeof(text), "%.900s+0x%llx", analysis_kind_name(&c->a, clash->what),
		 clash->offset);
	return table_text(text);
}

static char *scopes(const struct conflicts *c, const struct clash *clash)
{
	char text[KMAP_SYMBOL_MAX];

	snprintf(text, sizeof(text), "%.400s, %.400s", context_text(&c->a.context, clash->first),
		 context_text(&c->a.context, clash->second));
	return table_text(text);
}

static int compare_users(const void *left, const void *right)
{
	const struct clash_user *a = left, *b = right;

	if (a->clash != b->clash)
		return a->clash < b->clash ? -1 : 1;
	if (a->second != b->second)
		return a->second ? 1 : -1;
	if (a->ip != b->ip)
		return a->ip < b->ip ? -1 : 1;
	return (a->how > b->how) - (a->how < b->how);
}

/* Code of both sides with its scope in front; each instruction once, with its kind of access. */
static char *code(const struct conflicts *c, const struct clash *clash, u64 nr, u32 *at)
{
	static const char * const how[] = {
		[CLASH_READS] = "reads", [CLASH_WRITES] = "writes",
		[CLASH_READS | CLASH_WRITES] = "updates",
	};
	const struct clash_user *user, *before = NULL;
	char name[KMAP_SYMBOL_MAX], *text = NULL, *end;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		abort();
	for (; *at < c->clashes.users.nr; before = user, ++*at) {
		user = hash_item(&c->clashes.users, *at);
		if (user->clash != nr)
			break;
		if (before && before->second == user->second && before->ip == user->ip &&
		    before->how == user->how)
			continue;
		if (!before || before->second != user->second)
			fprintf(f, "%s%s: ", before ? "; " : "",
				context_text(&c->a.context,
					     user->second ? clash->second : clash->first));
		else
			fputs(", ", f);
		analysis_ip(&c->a, user->ip, KMAP_IP_EXACT, name);
		end = strchr(name, '/');
		fprintf(f, "%s %.*s", how[user->how], end ? (int)(end - name) : (int)strlen(name),
			name);
	}
	fclose(f);
	return text;
}

/* Append a name to a comma-separated list if it is known and not in the list. */
static char *add_once(char *list, const char *name)
{
	size_t len = name ? strlen(name) : 0;
	char *at = list, *longer;

	for (; name && at; at = strstr(at, ", ") ? strstr(at, ", ") + 2 : NULL)
		if (!strncmp(at, name, len) && (!at[len] || !strncmp(at + len, ", ", 2)))
			return list;
	if (!name || asprintf(&longer, "%s%s%s", list ? list : "", list ? ", " : "", name) < 0)
		return list;
	free(list);
	return longer;
}

/* All types and members that the code of both sides accesses, from @at on. */
static void name_clash(const struct conflicts *c, u64 nr, u32 at, char *texts[2])
{
	const struct clash_user *user;
	struct named named;

	for (; at < c->clashes.users.nr; at++) {
		user = hash_item(&c->clashes.users, at);
		if (user->clash != nr)
			break;
		named = analysis_named(&c->a, user->name);
		texts[0] = add_once(texts[0], named.type);
		texts[1] = add_once(texts[1], named_path(named.path));
	}
}

/* Table of conflicts, or with @only_line of falsely shared lines. */
static void print_clashes(struct conflicts *c, bool only_line)
{
	struct table t = {
		.title = only_line ? "FALSELY SHARED LINES" : "CONFLICTS",
		.key = only_line ? "lines" : "conflicts",
		.name_title = "Memory", .name_key = "memory",
		.texts = { { "Phase", "phase" }, { "Scopes", "scopes" },
			   { "Allocated by", "site" }, { "Code", "code" }, NAMED_TYPE,
			   NAMED_FIELD },
		.then = { WINDOWS, BYTES },
		.columns = {
			{ "Bytes", "bytes", BYTES, CELL_NUMBER, 0 },
			{ "Windows", "windows", WINDOWS, CELL_NUMBER, 0 },
		},
	};
	u64 (*sums)[SUMS] = xreallocarray(NULL, c->clashes.clashes.nr + 1, sizeof(*sums));
	const struct clash *clash;
	struct row *row;
	u32 i, at = 0, first;
	char *text;

	t.rows = xreallocarray(NULL, c->clashes.clashes.nr + 1, sizeof(*t.rows));
	for (i = 0; i < c->clashes.clashes.nr; i++) {
		clash = hash_item(&c->clashes.clashes, i);
		first = at;
		/* Always, because this advances @at past the users of the clash. */
		text = code(c, clash, i, &at);
		if (!clash->only_line != !only_line) {
			free(text);
			continue;
		}
		memset(sums[i], 0, sizeof(sums[i]));
		sums[i][BYTES] = clash->bytes;
		sums[i][WINDOWS] = clash->windows;
		/* In the order of phases. */
		sums[i][RANK] = U64_MAX - clash->phase;
		row = t.rows + t.nr++;
		*row = (struct row){ .name = where(c, clash), .sum = sums[i] };
		row->texts[0] = phase_name(c, clash->phase);
		row->texts[1] = scopes(c, clash);
		row->texts[2] = analysis_allocated(&c->a, clash->what);
		row->texts[3] = text;
		name_clash(c, i, first, row->texts + 4);
	}
	analysis_table(&c->a, &t, RANK);
	free(sums);
}

static void print_phases(struct conflicts *c)
{
	struct table t = {
		.title = "PHASES", .key = "phases", .name_title = "Phase", .name_key = "phase",
		.then = { RANK, RANK },
		.columns = {
			{ "Windows", "windows", WINDOWS, CELL_NUMBER, 0 },
			{ "With conflicts", "with_conflicts", CONFLICTS, CELL_NUMBER, 0 },
			{ "Conflicts", "conflicts", NR_CONFLICTS, CELL_NUMBER, 0 },
			{ "With lines", "with_lines", LINES, CELL_NUMBER, 0 },
			{ "Lines", "lines", NR_LINES, CELL_NUMBER, 0 },
		},
	};
	const struct hash *phases = &c->clashes.phases;
	u64 (*sums)[SUMS] = xreallocarray(NULL, phases->nr + 1, sizeof(*sums));
	const struct clash_phase *phase;
	struct row *row;
	u32 i;

	t.rows = xreallocarray(NULL, phases->nr + 1, sizeof(*t.rows));
	for (i = 0; i < phases->nr; i++) {
		phase = hash_item(phases, i);
		memset(sums[i], 0, sizeof(sums[i]));
		sums[i][WINDOWS] = phase->windows;
		sums[i][CONFLICTS] = phase->conflicts;
		sums[i][LINES] = phase->lines;
		sums[i][NR_CONFLICTS] = phase->nr_conflicts;
		sums[i][NR_LINES] = phase->nr_lines;
		sums[i][RANK] = phases->nr - i;
		row = t.rows + t.nr++;
		*row = (struct row){ .name = phase_name(c, phase->phase), .sum = sums[i] };
	}
	analysis_table(&c->a, &t, RANK);
	free(sums);
}

static void print(struct analysis *a)
{
	struct conflicts *c = (struct conflicts *)a;
	const struct clash_phase *phase;
	u64 windows = 0, free_phases = 0, sometimes = 0;
	struct hash *users = &c->clashes.users;
	u32 i;

	/* The last window ends with the trace. */
	clashes_window(&c->clashes, c->phase);
	for (i = 0; i < c->clashes.phases.nr; i++) {
		phase = hash_item(&c->clashes.phases, i);
		windows += phase->windows;
		free_phases += !phase->conflicts;
		sometimes += phase->conflicts && phase->conflicts < phase->windows;
	}
	if (users->nr)
		/* From here on, the hash cannot be searched, only its items are used. */
		qsort(hash_item(users, 0), users->nr, sizeof(struct clash_user), compare_users);
	analysis_sum(a, "Accesses in scopes", "accesses", c->taken);
	analysis_sum(a, "  left out", "left_out", c->left);
	analysis_sum(a, "Windows", "windows", windows);
	analysis_sum(a, "Phases", "nr_phases", c->clashes.phases.nr);
	analysis_sum(a, "  free of conflicts", "free", free_phases);
	analysis_sum(a, "  with conflicts in some windows", "sometimes", sometimes);
	analysis_sum(a, "  with conflicts in every window", "never_free",
		     c->clashes.phases.nr - free_phases - sometimes);
	print_phases(c);
	print_clashes(c, false);
	print_clashes(c, true);
}

static int option_without(const struct option *o, const char *arg, int unset)
{
	struct conflicts *c = o->value;

	(void)unset;
	if (c->nr_without == WITHOUT)
		return option_refuse(o, arg, "at most %d of them", WITHOUT);
	c->without[c->nr_without++] = arg;
	return 0;
}

static int run(int argc, char **argv)
{
	static const struct analysis_ops ops = {
		.command = &command_conflicts, .sort = "phase", .init = init, .release = release,
		.event = event, .touch = touch, .wanted = { WANTED(ACCESS), WANTED(MARK) },
		.print = print,
	};
	struct conflicts c = { .a = { .ops = &ops, .touches = TOUCH_ACCESSES } };
	const struct option options[] = {
		OPT_TAKE('w', "without", &c, "NAME",
			 "leave out these functions, and their callees if the trace has stacks",
			 option_without),
		OPT_BOOLEAN('a', "all", &c.all, "leave out nothing, not even Memorizer itself"),
		OPT_LINE(&c.a),
		OPTS_ANALYSIS(&c.a)
	};

	return analysis_run(&c.a, argc, argv, options);
}

const struct command command_conflicts = {
	.name = "conflicts",
	.summary = "find marked scopes that share memory",
	.usage = usage,
	.run = run,
};
