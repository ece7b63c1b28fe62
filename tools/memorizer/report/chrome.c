// SPDX-License-Identifier: GPL-2.0
/*
 * Converts events of a trace to Chrome's trace event format. Kernel entries, scopes and locks
 * become slices, all other events instants.
 */
#include <stdio.h>
#include <string.h>

#include "report/chrome.h"
#include "report/filter.h"
#include "trace/entries.h"

/* Kernel entries nest in their task; without task, on their CPU. */
static void enter(struct chrome_event *c, const struct trace_event *e, const char *machine)
{
	u32 kind = e->u.entry.kind;

	c->phase = e->type == TRACE_ENTER ? 'B' : 'E';
	entry_name(machine, kind, e->u.entry.number, c->text);
	c->name = c->text;
	/* Both belong to a task, which may migrate before they end. */
	if (kind == TRACE_SYSCALL || kind == TRACE_EXCEPTION)
		return;
	c->process = CHROME_CPUS;
	c->thread = e->cpu;
}

/* Lock sections do not nest: each is an async slice with an @id. */
static void lock(struct chrome_event *c, const struct trace_event *e)
{
	static const char phases[] = {
		[TRACE_ACQUIRE] = 'b', [TRACE_ACQUIRED] = 'n', [TRACE_RELEASE] = 'e',
	};
	u32 op = e->u.lock.op;

	if (op < TRACE_ACQUIRE || op > TRACE_RELEASE)
		return;
	c->phase = phases[op];
	c->id = e->u.lock.lock;
	c->name = e->u.lock.name;
	/* Only lockdep knows names: use the address instead. */
	if (*c->name)
		return;
	snprintf(c->text, sizeof(c->text), "%llx", e->u.lock.lock);
	c->name = c->text;
}

/* A scope is a slice of its task. Other marks are shown across all threads. */
static void mark(struct chrome_event *c, const struct trace_event *e)
{
	static const char begin[] = "scope ", end[] = "leave ";
	const char *text = e->u.mark.text;

	c->name = text;
	if (!strncmp(text, begin, strlen(begin)) || !strncmp(text, end, strlen(end))) {
		c->phase = *text == *begin ? 'B' : 'E';
		c->name = text + strlen(begin);
	} else {
		c->global = true;
	}
}

/**
 * chrome_event - convert an event to Chrome's format
 * @c: set to the converted event
 * @e: the event
 * @name: its name, for instants
 * @machine: machine of the traced kernel, for names of system calls; or NULL
 */
void chrome_event(struct chrome_event *c, const struct trace_event *e, const char *name,
		  const char *machine)
{
	u32 pid = event_pid(e);
	bool task = pid && pid != U32_MAX;	/* pid 0 is the idle task of every CPU */

	c->phase = 'i';
	c->process = task ? CHROME_TASKS : CHROME_CPUS;
	c->thread = task ? pid : e->cpu;
	c->global = false;
	c->id = 0;
	c->name = name;
	if (e->type == TRACE_ENTER || e->type == TRACE_LEAVE)
		enter(c, e, machine);
	else if (e->type == TRACE_LOCK)
		lock(c, e);
	else if (e->type == TRACE_MARK)
		mark(c, e);
}
