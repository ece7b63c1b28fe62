/* SPDX-License-Identifier: GPL-2.0 */
/* A recording: what memorizer record was asked for, and the way it goes. */
#ifndef RECORDER_H
#define RECORDER_H

#include "record/streams.h"
#include "record/kernel-filter.h"

/**
 * struct recorder_view - what shows a recording while it goes on; no packet is in a file then
 * @ms: how often it shows that, in ms
 * @keys: file descriptor that is readable when a key was pressed, -1: there are none
 * @data: argument of the functions, the caller's
 * @begin: begins; @dir has the metadata and the symbols, @name is where they are from. Returns
 *	   false after a message
 * @packet: takes a packet, the next one of its CPU
 * @show: shows what came up to the time @until, in ns; the last packet ended at @end, and so many
 *	  were @dropped, as there was no room for them. @until is U64_MAX for all, the last time.
 *	  Returns false to end the recording
 * @key: takes keys; returns false to end the recording
 */
struct recorder_view {
	u64 ms;
	int keys;
	void *data;
	bool (*begin)(void *data, const char *dir, const char *name);
	void (*packet)(void *data, u32 cpu, const char *packet, size_t size);
	bool (*show)(void *data, u64 until, u64 end, u64 dropped);
	bool (*key)(void *data);
};

/**
 * struct recording - what to record
 * @debugfs: where debugfs is mounted
 * @output: directory to record to, NULL for the first free one of memorizer-trace, ...
 * @restore: trace of a recorder that was killed, whose settings are to be put back; NULL: record
 * @mark: text of a mark to begin with, or NULL
 * @on: which switches to have on
 * @filter: which accesses the kernel is to log
 * @snapshot: whether to end with a snapshot of the KMAP
 * @options: how to write it
 * @ms: how long to record, in ms, 0 for until a signal or the end of @command
 * @view: what shows it, with @options.flight set to how much may wait for that; or NULL
 * @command: arguments of a command to run, ended by NULL, or NULL
 */
struct recording {
	const char *debugfs, *output, *restore, *mark;
	bool on[NR_STREAM_SWITCHES];
	struct kernel_filter filter;
	bool snapshot;
	struct stream_options options;
	u64 ms;
	const struct recorder_view *view;
	char **command;
};

int record(struct recording *what);

#endif
