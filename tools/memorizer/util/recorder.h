/* SPDX-License-Identifier: GPL-2.0 */
/* A recording: what memorizer record was asked for, and the way it goes. */
#ifndef RECORDER_H
#define RECORDER_H

#include "copies.h"
#include "narrow.h"

/**
 * struct recording - what to record
 * @debugfs: where debugfs is mounted
 * @output: directory to record to, NULL for the first free one of memorizer-trace, ...
 * @mark: text of a mark to begin with, or NULL
 * @on: which switches to have on
 * @narrow: which accesses the kernel is to log
 * @snapshot: whether to end with a snapshot of the KMAP
 * @form: how to write it
 * @ms: how long to record, in ms, 0 for until a signal or the end of @command
 * @command: arguments of a command to run, ended by NULL, or NULL
 */
struct recording {
	const char *debugfs, *output, *mark;
	bool on[NR_STREAM_SWITCHES];
	struct narrow narrow;
	bool snapshot;
	struct copies_form form;
	u64 ms;
	char **command;
};

int record(struct recording *what);

#endif
