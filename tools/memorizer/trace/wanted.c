// SPDX-License-Identifier: GPL-2.0
/* Events that a command cannot do without, and what has a trace have them. */
#include <stdio.h>

#include "trace/wanted.h"

/* What events of a type are, and how a trace gets them. */
static const struct {
	const char *what, *how;
} events[TRACE_TYPES] = {
	[TRACE_TASK] = { "names of tasks", "record" },
	[TRACE_CACHE] = { "names of caches", "record without --kind pages" },
	[TRACE_ALLOC] = { "allocations", "record" },
	[TRACE_FREE] = { "frees", "record" },
	[TRACE_OBJECT] = { "objects", "record --retirements or record --snapshot" },
	[TRACE_COUNTS] = { "counts of accesses",
		"record --retirements or record --snapshot with memorizer_log_access on" },
	[TRACE_ACCESS] = { "accesses", "record --accesses with memorizer_log_access on" },
	[TRACE_MARK] = { "marks", "record --mark, or a task that writes to marker" },
	[TRACE_SWITCH] = { "switches", "record" },
	[TRACE_SNAPSHOT] = { "snapshots", "record --snapshot" },
	[TRACE_MODULE] = { "modules", "record while modules come or go" },
	[TRACE_TRAFFIC] = { "moves of cache lines",
		"record --traffic with memorizer_log_access and memorizer_track_lines on" },
	[TRACE_ENTER] = { "entries to the kernel", "record --entries" },
	[TRACE_LEAVE] = { "ends of entries to the kernel", "record --entries" },
	[TRACE_LOCK] = { "locks", "record --locks" },
	[TRACE_RCU_FREE] = { "memory that is handed to RCU", "record" },
	[TRACE_FRAME] = { "calls", "qemu --stacks" },
	[TRACE_DISCARDED] = { "losses", NULL },
};

/* Prints a member of @events for each type of a mask. */
static void list(u32 types, bool how)
{
	const char *text, *or = "";
	int i;

	for (i = 0; i < TRACE_TYPES; i++) {
		text = how ? events[i].how : events[i].what;
		if (!(types & 1u << i) || !text)
			continue;
		fprintf(stderr, "%s%s", or, text);
		or = how ? ", or " : " or ";
	}
}

/**
 * wanted_lines - complain about a KMAP that lacks the lines that a command is about
 * @name: name of the KMAP
 * @accesses: whether these are of accesses, else of objects
 * @any: whether it has one
 *
 * Return: @any; if not there was a message.
 */
bool wanted_lines(const char *name, bool accesses, bool any)
{
	if (!any)
		fprintf(stderr, "memorizer: %s: it has no %s: want a KMAP that is read with %s on\n",
			name, accesses ? "accesses" : "objects",
			accesses ? "memorizer_log_access" : "memorizer_enabled");
	return any;
}

/**
 * wanted_check - complain about a trace that lacks the events that a command is about
 * @dir: name of the trace
 * @seen: mask of the types of events in it, see WANTED()
 * @wanted: mask of the types of which there must be one; 0: none
 *
 * Return: whether it has such events; if not there was a message.
 */
bool wanted_check(const char *dir, u32 seen, u32 wanted)
{
	if (!wanted || seen & wanted)
		return true;
	fprintf(stderr, "memorizer: %s: it has no ", dir);
	list(wanted, false);
	if (wanted != WANTED(DISCARDED)) {
		fprintf(stderr, ": want ");
		list(wanted, true);
	}
	fprintf(stderr, "\n");
	return false;
}
