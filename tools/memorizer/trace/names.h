/* SPDX-License-Identifier: GPL-2.0 */
/* Names of tasks and caches at the current event of a trace. */
#ifndef NAMES_H
#define NAMES_H

#include "kmap/kmap.h"
#include "lib/hash.h"
#include "trace/trace.h"

#define NAMES_LARGE	"[large kmalloc]"
#define NAMES_PAGES	"[pages]"
#define NAMES_STACK	"[stack]"
#define NAMES_UNKNOWN	"[unknown]"

/**
 * struct names - names of tasks and caches
 * @tasks: names of tasks, by PID
 * @caches: names of caches, by address
 */
struct names {
	struct hash tasks, caches;
};

void names_init(struct names *n);
void names_free(struct names *n);
void names_set_task(struct names *n, u32 pid, const char *comm);
void names_event(struct names *n, const struct trace_event *e);
void names_escape(char *to, const char *text);
const char *names_task(const struct names *n, u32 pid);
const char *names_cache(const struct names *n, enum trace_kind kind, u64 cache);

#endif
