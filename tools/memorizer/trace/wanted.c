// SPDX-License-Identifier: GPL-2.0
/* Checks that the input has the events that a command needs, and suggests how to record them. */
#include <stdio.h>

#include "trace/wanted.h"

/* What events of a type are called, and how to record them. */
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
	[TRACE_FRAME] = { "stacks",
		"record --retirements or record --snapshot after echo 16 > memorizer_stacks" },
	[TRACE_CALL] = { "calls", "qemu --stacks" },
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
 * wanted_lines - report a KMAP that lacks the lines that a command needs
 * @name: name of the KMAP
 * @accesses: the command needs accesses; otherwise objects
 * @any: the KMAP has such lines
 *
 * Return: @any; false after an error message.
 */
bool wanted_lines(const char *name, bool accesses, bool any)
{
	if (!any)
		fprintf(stderr, "memorizer: %s: no %s: enable %s before reading the KMAP\n",
			name, accesses ? "accesses" : "objects",
			accesses ? "memorizer_log_access" : "memorizer_enabled");
	return any;
}

/**
 * wanted_stacks - report an input whose objects have no stacks, although a command needs them
 * @name: name of the KMAP or trace
 * @any: an object has a stack
 *
 * Return: @any; false after an error message.
 */
bool wanted_stacks(const char *name, bool any)
{
	if (!any)
		fprintf(stderr,
			"memorizer: %s: no stacks: use echo 16 > memorizer_stacks, and then a copy of kmap_stacks, or record --snapshot or record --retirements\n",
			name);
	return any;
}

/**
 * wanted_check - report a trace that lacks the events that a command needs
 * @dir: name of the trace
 * @seen: mask of the event types in the trace, see WANTED()
 * @wanted: mask of the event types of which at least one is needed; 0 if none is
 *
 * Return: true if the trace has such events; false after an error message.
 */
bool wanted_check(const char *dir, u32 seen, u32 wanted)
{
	if (!wanted || seen & wanted)
		return true;
	fprintf(stderr, "memorizer: %s: no ", dir);
	list(wanted, false);
	/* Losses cannot be asked for. */
	if (wanted != WANTED(DISCARDED)) {
		fprintf(stderr, ": use ");
		list(wanted, true);
	}
	fprintf(stderr, "\n");
	return false;
}
