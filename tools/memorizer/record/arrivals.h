/* SPDX-License-Identifier: GPL-2.0 */
/* Saves the symbols of modules as they appear, while a trace is recorded. */
#ifndef ARRIVALS_H
#define ARRIVALS_H

#include "record/save.h"

/**
 * struct arrivals - the modules that have appeared
 * @to: the trace
 * @file: what the symbols are written to; -1: there are none
 * @events: socket that says when a module appears; -1: none, which only makes it later
 * @module: private: the modules that were there the last time
 * @nr: private: how many
 * @last: private: what was saved last of each name
 * @nr_last: private: how many
 */
struct arrivals {
	const struct save *to;
	int file, events;
	struct arrival *module, *last;
	u32 nr, nr_last;
};

void arrivals_begin(struct arrivals *a, const struct save *to);
bool arrivals_look(struct arrivals *a);
bool arrivals_event(struct arrivals *a);
bool arrivals_save_ids(const struct save *to);
void arrivals_end(struct arrivals *a);

#endif
