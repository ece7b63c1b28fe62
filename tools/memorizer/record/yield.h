/* SPDX-License-Identifier: GPL-2.0 */
/* Whether a recording gets what was asked for. */
#ifndef YIELD_H
#define YIELD_H

#include "record/recorder.h"

/**
 * struct yield - what the kernel counts of what a recording asks for
 * @known: whether it counts that
 * @accesses: accesses that it recorded since boot
 * @left_out: accesses since boot by tasks that were not chosen
 * @objects: objects that it recorded since boot
 * @objects_left_out: objects since boot that were not chosen
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
