/* SPDX-License-Identifier: GPL-2.0 */
/* Checks whether a recording gets the events it was asked for. */
#ifndef YIELD_H
#define YIELD_H

#include "record/recorder.h"

/**
 * struct yield - the kernel's counts since boot
 * @known: the kernel reports them
 * @accesses: recorded accesses
 * @left_out: accesses by excluded tasks
 * @objects: recorded objects
 * @objects_left_out: excluded objects
 */
struct yield {
	bool known;
	u64 accesses, left_out, objects, objects_left_out;
};

struct yield yield_now(const struct control *c);
void yield_warn(const struct recording *what, const struct control *c);
bool yield_check(const struct recording *what, const struct control *c,
		 const struct yield *before, const char *trace);

#endif
