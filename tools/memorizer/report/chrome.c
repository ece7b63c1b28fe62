// SPDX-License-Identifier: GPL-2.0
/*
 * How an event of a trace looks in Chrome's trace event format. What begins and ends becomes a
 * slice: entries to the kernel, scopes, locks. All else is an instant.
 */
#include <stdio.h>
#include <string.h>

#include "report/chrome.h"
#include "report/filter.h"
#include "trace/entries.h"

/* Entries to the kernel nest in their task, or on their CPU if they are none of a task. */
static void enter(struct chrome_event *c, const struct trace_event *e, const char *machine)
{
	u32 kind = e->u.entry.kind;

	c->phase = e->type == TRACE_ENTER ? 'B' : 'E';
	entry_name(machine, kind, e->u.entry.number, c->text);
	c->name = c->text;
	if (kind == TRACE_SYSCALL || kind == TRACE_EXCEPTION)
		return;
	c->process = CHROME_CPUS;
	c->thread = e->cpu;
}

/* Locks do not nest: each is a slice that @id connects. */
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
	if (*c->name)
		return;
	snprintf(c->text, sizeof(c->text), "%llx", e->u.lock.lock);
	c->name = c->text;
}

/* A scope is a slice of its task; any other mark is shown across all threads. */
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
 * chrome_event - describe an event as Chrome's format has it
 * @c: set to what it is
 * @e: the event
 * @name: its name, for one that is an instant
 * @machine: machine of the traced kernel, which system calls have their names from; or NULL
 */
void chrome_event(struct chrome_event *c, const struct trace_event *e, const char *name,
		  const char *machine)
{
	u32 pid = event_pid(e);
	bool task = pid && pid != U32_MAX;	/* each CPU has an idle task, and all have pid 0 */

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
