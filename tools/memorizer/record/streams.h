/* SPDX-License-Identifier: GPL-2.0 */
/* The copies of the kernel's streams: who makes them, and in which files they come to be. */
#ifndef STREAMS_H
#define STREAMS_H

#include <dirent.h>
#include <pthread.h>
#include <sys/resource.h>

#include "record/statedump.h"
#include "record/control.h"
#include "record/drain.h"
#include "record/ring.h"
#include "record/save.h"
#include "record/packet-filter.h"
#include "record/store.h"

/**
 * struct stream_options - what the copies are like
 * @max_size: bytes that the files of a part may have together, 0 for no limit
 * @parts: how many parts to keep, 0 for one that ends when it has @max_size
 * @flight: bytes to keep of each CPU, in memory, 0 for files of all
 * @select: which events to keep
 * @compress: whether files are compressed
 */
struct stream_options {
	u64 max_size, flight;
	u32 parts;
	struct packet_selection select;
	bool compress;
};

/**
 * struct cpu_stream - a CPU's stream, and what becomes of it
 * @cpu: number of the CPU
 * @in: the stream
 * @out: its file, while there is one
 * @ring: what is kept of it in memory
 * @state: announcements in packets that were left to earlier parts, or forgotten
 * @carried: packet_seq_num of the last packet before this part; U64_MAX: there was none
 * @held: packets that there was no room for in this part
 * @held_len: how many bytes they have
 * @stats: what is known of its packets, but for those that are left out
 * @read: bytes of packets that were read
 * @left_out: bytes of those for which there was no room any more
 * @unwanted: events that were not chosen
 * @ended: the kernel's file was at its end, which the workers does not expect
 * @failed: nothing more can be copied
 */
struct cpu_stream {
	u32 cpu;
	struct drain_stream in;
	struct store out;
	struct ring ring;
	struct statedump state;
	u64 carried;
	char *held;
	size_t held_len;
	struct drain_stats stats;
	atomic_ullong read;
	u64 left_out, unwanted;
	bool ended, failed;
};

/**
 * struct stream_totals - what was copied
 * @read: bytes of all packets that were read
 * @packets: packets in files
 * @bytes: bytes of these
 * @stored: bytes that they take in files
 * @left_out: bytes that came when there was no room any more
 * @unwanted: events that were not chosen
 * @dropped: packets that were forgotten to make room, in memory or with a part
 * @lost: events that the kernel had no room for
 * @until: when the first CPU begins to lack packets that are left out, in ns; U64_MAX: none does
 */
struct stream_totals {
	u64 read, packets, bytes, stored, left_out, unwanted, dropped, lost, until;
};

/**
 * struct streams - all of them
 * @event: file descriptor that is readable when streams_resume() has something to do
 * @nr: how many streams
 * @stream: the streams, ordered by CPU
 * @sums: of parts that are complete; of all after streams_close()
 * @failed: whether something went wrong, of which there was a message
 * @full: there was no room for what was read
 * @over: there will be no room any more: what is read now is left out
 * @begun: private: there is a part
 * @lost_before: private: packets have events_discarded_before
 * @options: private: what they are like
 * @kernel: private: the kernel's files
 * @top: private: the directory that was asked for
 * @base: private: the directory with what belongs to all parts; @top if there is but one
 * @part: private: the part that is being written
 * @nr_parts: how many have been begun
 * @part_packets: private: how many packets each of them has
 * @since: private: when all CPUs' packets of earlier parts had ended, in ns
 * @limit: private: of the files of this part
 * @cpus: private: directory memorizer/, to look for new CPUs in
 * @files: private: how many files a process might open before
 * @workers: private: threads that copy
 * @nr_workers: private: how many
 * @filter: private: what leaves out events, NULL if all are kept
 * @stop: private: file descriptor that is readable when they shall end
 * @buffer: private: of the thread that is not one of them
 */
struct streams {
	int event;
	u32 nr;
	struct cpu_stream **stream;
	struct stream_totals sums;
	atomic_bool failed, full;
	bool over, begun, lost_before;
	struct stream_options options;
	const struct control *kernel;
	const struct save *top;
	struct save base, part;
	u32 nr_parts;
	u64 *part_packets;
	u64 since;
	struct store_limit limit;
	DIR *cpus;
	struct rlimit files;
	struct stream_worker *workers;
	u32 nr_workers;
	struct packet_filter *filter;
	int stop;
	struct drain_buffer buffer;
};

bool streams_open(struct streams *c, const struct stream_options *options,
		  const struct control *kernel);
bool streams_begin(struct streams *c, const struct save *top);
const struct save *streams_base(const struct streams *c);
bool streams_first_part(struct streams *c);
bool streams_scan(struct streams *c);
bool streams_start(struct streams *c);
void streams_stop(struct streams *c);
bool streams_resume(struct streams *c);
enum drain streams_drain(struct streams *c, struct cpu_stream *s);
void streams_flush(struct streams *c, u64 most);
bool streams_snapshot(struct streams *c);
struct stream_totals streams_total(const struct streams *c);
void streams_close(struct streams *c);

#endif
