// SPDX-License-Identifier: GPL-2.0
/* Filters of allocations and other events. */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/filter.h"
#include "trace/trace.h"

/* Words of --kind that select an allocator of a trace. The others select a kind of memory. */
static const char * const words[] = {
	[TRACE_KMALLOC] = "kmalloc", [TRACE_KMEM_CACHE] = "cache",
};

/**
 * kmem_filter_init - initialize a filter that selects everything
 * @f: the filter
 */
void kmem_filter_init(struct kmem_filter *f)
{
	*f = (struct kmem_filter)KMEM_FILTER_ALL;
}

/* Select a kind; returns false if there is none of this name. */
static bool add_kind(struct kmem_filter *f, const char *name, size_t len)
{
	enum kmap_kind memory = kmap_kind_find(name, len);
	u32 kind, kinds = 0;

	for (kind = 0; kind < TRACE_KINDS; kind++)
		if (memory ? trace_kind_memory(kind) == memory :
		    kind < ARRAY_SIZE(words) && strlen(words[kind]) == len &&
		    !strncmp(words[kind], name, len))
			kinds |= 1u << kind;
	f->kinds |= kinds;
	f->memory |= memory ? 1u << memory : 0;
	return memory || kinds;
}

/**
 * option_kind - handle --kind
 * @o: the option; its value is the filter
 * @arg: its argument
 * @unset: unused
 *
 * Return: 0; exits if a kind is unknown.
 */
int option_kind(const struct option *o, const char *arg, int unset)
{
	struct kmem_filter *f = o->value;
	const char *word = arg;
	size_t len;

	(void)unset;
	f->kinds = 0;
	f->memory = 0;
	for (; ; word += len + 1) {
		len = strcspn(word, ",");
		if (!add_kind(f, word, len))
			return option_refuse(o, arg,
					     "kinds separated by commas: slab, pages, vmalloc, vmap, ioremap, modules, stack, struct_page, static, percpu, memblock, user, kmalloc or cache");
		if (!word[len])
			return 0;
	}
}

/**
 * kmem_filter_kinds - format the argument of --kind
 * @f: the filter
 * @text: set to the argument
 *
 * Return: whether the filter excludes any kind.
 */
bool kmem_filter_kinds(const struct kmem_filter *f, char text[KMEM_KINDS_TEXT])
{
	bool slab = f->memory & 1u << KMAP_SLAB;
	enum kmap_kind kind;
	size_t len = 0;

	*text = '\0';
	if (!slab && f->kinds & 1u << TRACE_KMALLOC)
		len += sprintf(text, "kmalloc");
	if (!slab && f->kinds & 1u << TRACE_KMEM_CACHE)
		len += sprintf(text + len, "%scache", len ? "," : "");
	for (kind = KMAP_SLAB; kind < KMAP_KINDS; kind++)
		if (f->memory & 1u << kind)
			len += sprintf(text + len, "%s%s", len ? "," : "", kmap_kinds[kind]);
	return f->memory != (1u << KMAP_KINDS) - 1;
}

/**
 * kmem_filter_matches - match a name as shown in a report
 * @pattern: the name, or a pattern for glob(7) without escapes, because names may contain
 *	     backslashes; NULL matches everything
 * @name: the name; NULL if unknown
 *
 * Return: whether the name matches; an unknown one matches only NULL.
 */
bool kmem_filter_matches(const char *pattern, const char *name)
{
	if (!pattern)
		return true;
	/* A name such as [unknown] matches itself, although it is a pattern, too. */
	return name && (!strcmp(pattern, name) || !fnmatch(pattern, name, FNM_NOESCAPE));
}

/**
 * kmem_filter_code - match an instruction
 * @pattern: as for kmem_filter_matches()
 * @symbols: symbols
 * @ip: address of the instruction
 * @kind: kind of address
 *
 * Return: whether the address, the function, or function and offset, with or without size, match.
 */
bool kmem_filter_code(const char *pattern, const struct kmap_symbols *symbols, u64 ip,
		      enum kmap_ip kind)
{
	const struct kmap_symbol *symbol = kmap_symbols_find(symbols, ip, kind);
	char text[KMAP_SYMBOL_MAX];

	if (!pattern)
		return true;
	snprintf(text, sizeof(text), "%llx", kmap_symbols_address(symbols, ip));
	if (kmem_filter_matches(pattern, text))
		return true;
	if (!symbol)
		return false;
	if (kmem_filter_matches(pattern, kmap_symbols_string(symbols, symbol->name)))
		return true;
	kmap_symbols_format(symbols, ip, kind, text);
	if (kmem_filter_matches(pattern, text))
		return true;
	/* Without the size of the function. */
	text[strcspn(text, "/")] = '\0';
	return kmem_filter_matches(pattern, text);
}

/**
 * kmem_filter_within - check the time of an event
 * @f: the filter
 * @w: state of the time range, initially all false
 * @e: the next event
 *
 * Return: whether the event is in the range, which includes the mark that starts it, but not the
 *	   one that ends it.
 */
bool kmem_filter_within(const struct kmem_filter *f, struct window *w,
			const struct trace_event *e)
{
	if (e->time >= f->to)
		w->ended = true;
	if (!f->from_mark && e->time >= f->from)
		w->begun = true;
	if (e->type == TRACE_MARK) {
		/*
		 * Before --from, so that the mark that starts the range
		 * does not end it, too.
		 */
		if (f->to_mark && w->begun && !strcmp(e->u.mark.text, f->to_mark))
			w->ended = true;
		if (f->from_mark && !strcmp(e->u.mark.text, f->from_mark))
			w->begun = true;
	}
	return w->begun && !w->ended;
}

/**
 * kmem_filter_check_window - check that the time range was found
 * @f: the filter
 * @w: state of the time range after all events
 * @name: name of the trace
 *
 * Return: true if it was, false after a message.
 */
bool kmem_filter_check_window(const struct kmem_filter *f, const struct window *w,
			      const char *name)
{
	const char *from = f->from_mark, *to = f->to_mark;

	if (from && !w->begun)
		fprintf(stderr, "memorizer: %s: no mark '%s'\n", name, from);
	else if (to && !w->ended)
		fprintf(stderr, "memorizer: %s: no mark '%s'%s%s%s\n", name, to,
			from ? " after '" : "", from ? from : "", from ? "'" : "");
	else if (!from && !to && f->from >= f->to)
		fprintf(stderr, "memorizer: %s: --to is not after --from: want a later time\n",
			name);
	else if (f->from && !w->begun)
		fprintf(stderr, "memorizer: %s: ends before --from %llu.%09llu\n", name,
			f->from / 1000000000, f->from % 1000000000);
	else
		return true;
	return false;
}

/**
 * kmem_filter_unmatched - find an option without any match
 * @f: the filter
 * @seen: mask of enum kmem_seen: the options that matched
 * @symbols: symbols; --site also matches functions that allocate nothing
 * @text: set to the option's argument
 *
 * Return: the name of the option; NULL if all matched.
 */
const char *kmem_filter_unmatched(const struct kmem_filter *f, u32 seen,
				  const struct kmap_symbols *symbols,
				  char text[ERROR_MAX])
{
	char kinds[KMEM_KINDS_TEXT];

	if (f->site && !(seen & KMEM_SEEN_SITE) && !kmap_symbols_have(symbols, f->site)) {
		snprintf(text, ERROR_MAX, "%s", f->site);
		return "site";
	}
	if ((f->type || f->field) && !(seen & KMEM_SEEN_NAMED)) {
		snprintf(text, ERROR_MAX, "%s%s%s", f->type ? f->type : f->field,
			 f->type && f->field ? " --field " : "",
			 f->type && f->field ? f->field : "");
		return f->type ? "type" : "field";
	}
	if (kmem_filter_kinds(f, kinds) && !(seen & KMEM_SEEN_KIND)) {
		snprintf(text, ERROR_MAX, "%s", kinds);
		return "kind";
	}
	if (f->cache && !(seen & KMEM_SEEN_CACHE)) {
		snprintf(text, ERROR_MAX, "%s", f->cache);
		return "cache";
	}
	if (f->comm && !(seen & KMEM_SEEN_COMM)) {
		snprintf(text, ERROR_MAX, "%s", f->comm);
		return "comm";
	}
	if (f->pid != U64_MAX && !(seen & KMEM_SEEN_PID)) {
		snprintf(text, ERROR_MAX, "%llu", f->pid);
		return "pid";
	}
	if (f->cpu != U64_MAX && !(seen & KMEM_SEEN_CPU)) {
		snprintf(text, ERROR_MAX, "%llu", f->cpu);
		return "cpu";
	}
	return NULL;
}

/**
 * kmem_filter_check - check that the time range was found and all options matched
 * @f: the filter
 * @w: state of the time range after all events
 * @seen: mask of enum kmem_seen: the options that matched
 * @symbols: symbols
 * @name: name of the trace or KMAP
 *
 * Return: true if so, false after a message.
 */
bool kmem_filter_check(const struct kmem_filter *f, const struct window *w, u32 seen,
		       const struct kmap_symbols *symbols, const char *name)
{
	char text[ERROR_MAX];
	const char *option;

	if (!kmem_filter_check_window(f, w, name))
		return false;
	option = kmem_filter_unmatched(f, seen, symbols, text);
	if (option)
		fprintf(stderr, "memorizer: %s: nothing matches --%s %s\n", name, option,
			text);
	return !option;
}

/* Parse the number of a CPU or task. */
static bool parse_id(u64 *number, const char *text)
{
	unsigned long long n;
	char *end;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (errno || *text < '0' || *text > '9' || *end || n > U32_MAX)
		return false;
	*number = n;
	return true;
}

/**
 * option_id - handle the number of a CPU or task
 * @o: the option; its value is a u64
 * @arg: its argument
 * @unset: unused
 *
 * Return: 0; exits if @arg is no number.
 */
int option_id(const struct option *o, const char *arg, int unset)
{
	(void)unset;
	return parse_id(o->value, arg) ? 0 : option_refuse(o, arg, "a number");
}

/* Parse seconds with up to nine decimals. Returns false on a syntax error. */
static bool parse_seconds(const char *text, u64 *ns)
{
	u64 seconds = 0, fraction = 0, unit = 1000000000;
	const char *p;

	for (p = text; *p >= '0' && *p <= '9'; p++) {
		seconds = 10 * seconds + (*p - '0');
		/* The result in ns must fit into 64 bits. */
		if (seconds > U64_MAX / 2000000000)
			return false;
	}
	if (p == text)
		return false;
	if (*p == '.')
		for (p++; *p >= '0' && *p <= '9' && unit > 1; p++)
			fraction += (*p - '0') * (unit /= 10);
	*ns = seconds * 1000000000 + fraction;
	return !*p;
}

/* Parse a time: seconds, or else the text of a mark. */
static void parse_point(u64 *time, const char **mark, const char *text)
{
	*mark = NULL;
	if (!parse_seconds(text, time))
		*mark = text;
}

/**
 * option_from - handle --from
 * @o: the option; its value is the filter
 * @arg: its argument, which must outlive the filter
 * @unset: unused
 *
 * Return: 0.
 */
int option_from(const struct option *o, const char *arg, int unset)
{
	struct kmem_filter *f = o->value;

	(void)unset;
	parse_point(&f->from, &f->from_mark, arg);
	return 0;
}

/**
 * option_to - handle --to
 * @o: the option; its value is the filter
 * @arg: its argument, which must outlive the filter
 * @unset: unused
 *
 * Return: 0.
 */
int option_to(const struct option *o, const char *arg, int unset)
{
	struct kmem_filter *f = o->value;

	(void)unset;
	parse_point(&f->to, &f->to_mark, arg);
	return 0;
}

/**
 * kmem_filter_trace_only - find an option for properties that a KMAP does not have
 * @f: the filter
 *
 * Return: the name of the option; NULL if there is none.
 */
const char *kmem_filter_trace_only(const struct kmem_filter *f)
{
	return f->cache ? "cache" :
	       f->cpu != U64_MAX ? "cpu" : f->from || f->from_mark ? "from" :
	       f->to != U64_MAX || f->to_mark ? "to" : NULL;
}

/* A call site, and whether --site matches it. */
struct kmem_site {
	u64 ip;
	bool chosen;
};

/**
 * kmem_choice_init - start to filter a trace
 * @c: the state
 * @f: the filter
 * @symbols: symbols
 * @names: names of tasks and caches; the caller updates them before each event
 */
void kmem_choice_init(struct kmem_choice *c, const struct kmem_filter *f,
		      const struct kmap_symbols *symbols, const struct names *names)
{
	*c = (struct kmem_choice){ .filter = f, .symbols = symbols, .names = names };
	hash_init(&c->sites, sizeof(struct kmem_site), sizeof(u64));
}

/**
 * kmem_choice_free - free the state
 * @c: the state
 */
void kmem_choice_free(struct kmem_choice *c)
{
	hash_free(&c->sites);
}

/**
 * event_pid - get the task of an event
 * @e: the event
 *
 * Return: the pid; U32_MAX if the event has none.
 */
u32 event_pid(const struct trace_event *e)
{
	switch (e->type) {
	case TRACE_TASK:
		return e->u.task.pid;
	case TRACE_ALLOC:
		return e->u.alloc.pid;
	case TRACE_FREE:
		return e->u.free.pid;
	case TRACE_OBJECT:
		return e->u.object.pid;
	case TRACE_COUNTS:
		return e->u.counts.pid;
	case TRACE_ACCESS:
		return e->u.access.pid;
	case TRACE_TRAFFIC:
		return e->u.traffic.pid;
	case TRACE_MARK:
		return e->u.mark.pid;
	case TRACE_ENTER:
	case TRACE_LEAVE:
		return e->u.entry.pid;
	case TRACE_LOCK:
		return e->u.lock.pid;
	case TRACE_RCU_FREE:
		return e->u.rcu_free.pid;
	default:
		return U32_MAX;
	}
}

/**
 * kmem_choice_task - apply the filter to a task
 * @c: the state
 * @pid: its pid
 * @comm: its name
 *
 * Return: whether --pid and --comm match.
 */
bool kmem_choice_task(struct kmem_choice *c, u64 pid, const char *comm)
{
	const struct kmem_filter *f = c->filter;
	bool by_pid = f->pid == U64_MAX || f->pid == pid;
	bool by_comm = kmem_filter_matches(f->comm, comm);

	c->seen |= (by_pid ? KMEM_SEEN_PID : 0) | (by_comm ? KMEM_SEEN_COMM : 0);
	return by_pid && by_comm;
}

/* Events without a task do not match --pid or --comm. */
static bool choose_task(struct kmem_choice *c, const struct trace_event *e)
{
	u32 pid = event_pid(e);

	if (c->filter->pid == U64_MAX && !c->filter->comm)
		return true;
	return pid != U32_MAX && kmem_choice_task(c, pid, names_task(c->names, pid));
}

/**
 * kmem_choice_event - apply the filter to the next event
 * @c: the state; @within, @by_whom and @chosen are set
 * @e: the event; @c->names must be up to date
 *
 * Return: whether time, CPU, pid and comm match.
 */
bool kmem_choice_event(struct kmem_choice *c, const struct trace_event *e)
{
	const struct kmem_filter *f = c->filter;
	bool by_cpu = f->cpu == U64_MAX || f->cpu == e->cpu;

	if (by_cpu)
		c->seen |= KMEM_SEEN_CPU;
	/* A cache that allocates nothing is no reason to report that nothing matches. */
	if (f->cache && e->type == TRACE_CACHE &&
	    kmem_filter_matches(f->cache,
				names_cache(c->names, TRACE_KMEM_CACHE, e->u.cache.cache)))
		c->seen |= KMEM_SEEN_CACHE;
	c->within = kmem_filter_within(f, &c->window, e);
	c->by_whom = choose_task(c, e) && by_cpu;
	c->chosen = c->within && c->by_whom;
	return c->chosen;
}

static bool choose_site(struct kmem_choice *c, u64 ip)
{
	struct kmem_site *site;
	bool new;

	if (!c->filter->site)
		return true;
	site = hash_item(&c->sites, hash_get(&c->sites, &ip, &new));
	if (new)
		site->chosen = kmem_filter_code(c->filter->site, c->symbols, ip, KMAP_IP_RETURN);
	return site->chosen;
}

/**
 * kmem_choice_allocator - apply the filter to the allocator of memory in a trace
 * @c: the state
 * @kind: an enum trace_kind
 *
 * Return: whether --kind matches.
 */
bool kmem_choice_allocator(struct kmem_choice *c, u32 kind)
{
	bool chosen = kind < TRACE_KINDS && c->filter->kinds & 1u << kind;

	c->seen |= chosen ? KMEM_SEEN_KIND : 0;
	return chosen;
}

/**
 * kmem_choice_kind - apply the filter to the kind of an object
 * @c: the state
 * @kind: its kind of memory
 *
 * Return: whether --kind matches.
 */
bool kmem_choice_kind(struct kmem_choice *c, enum kmap_kind kind)
{
	bool chosen = c->filter->memory & 1u << kind;

	c->seen |= chosen ? KMEM_SEEN_KIND : 0;
	return chosen;
}

/**
 * kmem_choice_object - apply the filter to an object
 * @c: the state
 * @cache: name of its cache, or of the kind of memory
 * @site: return address of the allocating call; 0: unknown
 *
 * Return: whether --cache and --site match.
 */
bool kmem_choice_object(struct kmem_choice *c, const char *cache, u64 site)
{
	bool by_cache = kmem_filter_matches(c->filter->cache, cache);
	bool by_site = choose_site(c, site);

	c->seen |= (by_cache ? KMEM_SEEN_CACHE : 0) | (by_site ? KMEM_SEEN_SITE : 0);
	return by_cache && by_site;
}

/**
 * kmem_choice_check - check that the time range was found and all options matched
 * @c: the state after all events
 * @dir: name of the trace
 *
 * Return: true if so, false after a message.
 */
bool kmem_choice_check(const struct kmem_choice *c, const char *dir)
{
	return kmem_filter_check(c->filter, &c->window, c->seen, c->symbols, dir);
}
