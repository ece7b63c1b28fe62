/* SPDX-License-Identifier: GPL-2.0 */
/* Saves the symbols of modules that are loaded during a recording. */
#ifndef ARRIVALS_H
#define ARRIVALS_H

#include "record/save.h"

/**
 * struct arrivals - modules seen so far
 * @to: the trace
 * @file: file descriptor that symbols are written to; -1: none
 * @events: uevent socket; -1: none, modules are noticed later
 * @module: private: modules at the last scan
 * @nr: private: number of modules
 * @last: private: the last module saved, by name
 * @nr_last: private: number of them
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
