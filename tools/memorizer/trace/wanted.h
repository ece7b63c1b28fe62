/* SPDX-License-Identifier: GPL-2.0 */
/* Checks that the input has the events that a command needs. */
#ifndef WANTED_H
#define WANTED_H

#include "trace/trace.h"

/* Mask of an event type. */
#define WANTED(type)	(1u << TRACE_##type)
#define WANTED_TOUCHES	(WANTED(ACCESS) | WANTED(TRAFFIC))

bool wanted_lines(const char *name, bool accesses, bool any);
bool wanted_stacks(const char *name, bool any);
bool wanted_check(const char *dir, u32 seen, u32 wanted);

#endif
