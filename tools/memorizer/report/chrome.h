/* SPDX-License-Identifier: GPL-2.0 */
/* Converts events of a trace to Chrome's trace event format, which Perfetto reads. */
#ifndef CHROME_H
#define CHROME_H

#include "kmap/kmap.h"
#include "symbols/kmap-symbols.h"
#include "trace/trace.h"

#define CHROME_NAME_MAX	KMAP_SYMBOL_MAX

/* Processes of the format; their threads are tasks or CPUs. */
enum { CHROME_TASKS = 1, CHROME_CPUS };

/**
 * struct chrome_event - an event in Chrome's format
 * @phase: its type, "ph"
 * @process: CHROME_TASKS or CHROME_CPUS
 * @thread: the pid or CPU
 * @global: show it across all threads
 * @id: connects the phases b, n and e of a lock
 * @name: its name
 * @text: buffer for @name
 */
struct chrome_event {
	char phase;
	u32 process, thread;
	bool global;
	u64 id;
	const char *name;
	char text[CHROME_NAME_MAX];
};

void chrome_event(struct chrome_event *c, const struct trace_event *e, const char *name,
		  const char *machine);

#endif
