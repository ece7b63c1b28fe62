/* SPDX-License-Identifier: GPL-2.0 */
/* Events that a command cannot do without, and what has a trace have them. */
#ifndef WANTED_H
#define WANTED_H

#include "trace/trace.h"

/* The bit of a type of events in a mask. */
#define WANTED(type)	(1u << TRACE_##type)
#define WANTED_TOUCHES	(WANTED(ACCESS) | WANTED(TRAFFIC))

bool wanted_lines(const char *name, bool accesses, bool any);
bool wanted_check(const char *dir, u32 seen, u32 wanted);

#endif
