/* SPDX-License-Identifier: GPL-2.0 */
/* Filters of allocations and other events. */
#ifndef FILTER_H
#define FILTER_H

#include "lib/hash.h"
#include "options.h"
#include "symbols/kmap-symbols.h"
#include "trace/names.h"
#include "trace/trace.h"

#define KMEM_KINDS_TEXT	128	/* room for the names of all kinds */

/* Functions that are no call site: they allocate for their caller. Also in memorizer-report(1). */
#define SKIP_DEFAULT									\
	"kmemdup*,kvmemdup*,kstrdup*,kstrndup*,kasprintf*,kvasprintf*,memdup_user*,"	\
	"vmemdup_user*,strndup_user*,krealloc*,kvrealloc*,kvmalloc*,__kvmalloc*,"	\
	"vmalloc*,__vmalloc*,vzalloc*,vcalloc*,__vcalloc*,devm_k*,mempool_*,"		\
	"alloc_skb*,__alloc_skb*,__netdev_alloc*,napi_alloc*,__napi_alloc*,"		\
	"kmalloc_reserve*,sock_alloc_send*,sock_wmalloc*,seq_open*,__seq_open*,"	\
	"single_open*,alloc_pages*,__alloc_pages*,get_free_pages*,get_zeroed_page*,"	\
	"folio_alloc*,__folio_alloc*,vma_alloc_folio*,filemap_alloc_folio*,"		\
	"page_frag_alloc*,__page_frag_alloc*"

/* Selects everything. */
#define KMEM_FILTER_ALL	{ .skip = SKIP_DEFAULT,							\
			  .kinds = (1u << TRACE_KINDS) - 1, .memory = (1u << KMAP_KINDS) - 1,	\
			  .cpu = U64_MAX, .pid = U64_MAX, .to = U64_MAX }

/**
 * struct kmem_filter - a filter; it selects a free if it selects the allocation or, if that is
 *			unknown, by the free itself
 * @kinds: mask of enum trace_kind, for streamed allocations
 * @memory: mask of enum kmap_kind, for objects of a KMAP
 * @cache: pattern for names of caches, or NULL
 * @site: pattern for names of allocating functions, or NULL
 * @comm: pattern for comms, or NULL
 * @type: pattern for allocated or accessed types, or NULL; see named.h
 * @field: pattern for accessed members, or NULL
 * @cpu: CPU of the allocation; U64_MAX: all
 * @pid: task of the allocation; U64_MAX: all
 * @from: start of the time range, in ns
 * @to: end of the time range, in ns
 * @from_mark: text of the mark that starts the time range, or NULL
 * @to_mark: text of the mark that ends the time range, or NULL
 * @no_wait: exclude accesses by functions that spin
 * @skip: patterns of functions that are no call sites, separated by commas; NULL: none
 */
struct kmem_filter {
	u32 kinds, memory;
	const char *cache, *site, *comm, *type, *field;
	u64 cpu, pid, from, to;
	const char *from_mark, *to_mark;
	bool no_wait;
	const char *skip;
};

/**
 * struct window - state of a filter's time range
 * @begun: it has begun
 * @ended: it has ended
 */
struct window {
	bool begun, ended;
};

/* Options of a filter. */
#define OPTS_SELECT(f)									\
	OPT_STRING('m', "comm", &(f)->comm, "COMM", "tasks with this name; * and ? match"),	\
	OPT_TAKE('p', "pid", &(f)->pid, "PID", "this task", option_id),			\
	OPT_TAKE('P', "cpu", &(f)->cpu, "CPU", "this CPU", option_id),			\
	OPT_STRING('C', "cache", &(f)->cache, "NAME", "objects of this cache; * and ? match"), \
	OPT_STRING('S', "site", &(f)->site, "NAME",					\
		   "objects that this function or call site allocated; * and ? match")
#define OPTS_FILTER(f)									\
	OPTS_SELECT(f),									\
	OPT_TAKE('f', "from", (f), "TIME", "from this time on: seconds, or the text of a mark", \
		 option_from),								\
	OPT_TAKE('T', "to", (f), "TIME", "before this time: seconds, or the text of a mark", \
		 option_to)
#define OPT_KIND(f)	OPT_KIND_AS('t', f)
#define OPT_KIND_AS(short, f)								\
	OPT_TAKE(short, "kind", (f), "KIND",						\
		 "kinds of memory, separated by commas: slab, pages, vmalloc, vmap, ioremap,\n" \
		 "                          modules, stack, struct_page, static, percpu, memblock,\n" \
		 "                          user; of streamed ones: kmalloc, cache, pages",	\
		 option_kind)
#define OPT_SKIP(f)									\
	OPT_STRING(0, "skip", &(f)->skip, "NAME",					\
		   "functions that are no call site of an object with a stack, separated by\n"	\
		   "                          commas; * and ? match (default: wrappers)")
#define OPT_TYPE(f)									\
	OPT_STRING(0, "type", &(f)->type, "TYPE",					\
		   "accesses to this type, by the compiler's notes; * and ? match")
#define OPTS_NAMED(f)									\
	OPT_TYPE(f),									\
	OPT_STRING(0, "field", &(f)->field, "FIELD", "accesses to this member; * and ? match")

/* Filter options that matched something, regardless of the other options. */
enum kmem_seen {
	KMEM_SEEN_SITE = 1, KMEM_SEEN_NAMED = 2, KMEM_SEEN_CACHE = 4, KMEM_SEEN_COMM = 8,
	KMEM_SEEN_PID = 16, KMEM_SEEN_CPU = 32, KMEM_SEEN_KIND = 64,
};

/**
 * struct kmem_choice - state of a filter while a trace is read
 * @filter: the filter
 * @symbols: symbols
 * @names: names of tasks and caches at the current event
 * @window: state of the time range
 * @seen: mask of enum kmem_seen
 * @within: the current event is in the time range
 * @by_whom: --cpu, --pid and --comm select the current event
 * @chosen: all of these select it
 * @sites: private: struct kmem_site by address
 */
struct kmem_choice {
	const struct kmem_filter *filter;
	const struct kmap_symbols *symbols;
	const struct names *names;
	struct window window;
	u32 seen;
	bool within, by_whom, chosen;
	struct hash sites;
};

u32 event_pid(const struct trace_event *e);

void kmem_choice_init(struct kmem_choice *c, const struct kmem_filter *f,
		      const struct kmap_symbols *symbols, const struct names *names);
void kmem_choice_free(struct kmem_choice *c);
bool kmem_choice_task(struct kmem_choice *c, u64 pid, const char *comm);
bool kmem_choice_event(struct kmem_choice *c, const struct trace_event *e);
bool kmem_choice_allocator(struct kmem_choice *c, u32 kind);
bool kmem_choice_kind(struct kmem_choice *c, enum kmap_kind kind);
bool kmem_choice_object(struct kmem_choice *c, const char *cache, u64 site);
bool kmem_choice_check(const struct kmem_choice *c, const char *dir);

int option_id(const struct option *o, const char *arg, int unset);
int option_from(const struct option *o, const char *arg, int unset);
int option_kind(const struct option *o, const char *arg, int unset);
int option_to(const struct option *o, const char *arg, int unset);

void kmem_filter_init(struct kmem_filter *f);
const char *kmem_filter_trace_only(const struct kmem_filter *f);
const char *kmem_filter_unmatched(const struct kmem_filter *f, u32 seen,
				  const struct kmap_symbols *symbols,
				  char text[ERROR_MAX]);
bool kmem_filter_kinds(const struct kmem_filter *f, char text[KMEM_KINDS_TEXT]);
bool kmem_filter_matches(const char *pattern, const char *name);
bool kmem_filter_code(const char *pattern, const struct kmap_symbols *symbols, u64 ip,
		      enum kmap_ip kind);
bool kmem_filter_within(const struct kmem_filter *f, struct window *w,
			const struct trace_event *e);
bool kmem_filter_check_window(const struct kmem_filter *f, const struct window *w,
			      const char *name);
bool kmem_filter_check(const struct kmem_filter *f, const struct window *w, u32 seen,
		       const struct kmap_symbols *symbols, const char *name);

#endif
