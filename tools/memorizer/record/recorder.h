/* SPDX-License-Identifier: GPL-2.0 */
/* Configuration of a recording. */
#ifndef RECORDER_H
#define RECORDER_H

#include "record/streams.h"
#include "record/kernel-filter.h"

/**
 * struct recorder_view - shows a recording in progress, which then writes no files
 * @ms: interval of the updates, in ms
 * @keys: file descriptor, readable when a key was pressed; -1: none
 * @data: the caller's argument to the functions
 * @begin: start; @dir has metadata and symbols, @name is for titles. Returns false after a message
 * @packet: handle a packet; those of a CPU come in order
 * @show: show events up to @until, in ns; the last packet ended at @end, and @dropped packets were
 *	discarded for lack of room. @until is U64_MAX for the last update. Returns false to end
 *	the recording
 * @key: handle keys; returns false to end the recording
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
 * @debugfs: mount point of debugfs
 * @output: directory of the trace; NULL: memorizer-trace, or memorizer-trace.1, ...
 * @restore: trace of a killed recorder whose settings to restore; NULL: record
 * @mark: text of a mark to write at the start, or NULL
 * @on: switches to enable
 * @filter: filters to set in the kernel
 * @snapshot: write a snapshot of the KMAP at the end
 * @options: how to copy the streams
 * @ms: duration in ms; 0: until a signal or the end of @command
 * @view: shows the recording, with @options.flight set to the bytes that it may lag behind; or NULL
 * @command: command to run and its arguments, terminated by NULL; or NULL
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
