/* SPDX-License-Identifier: GPL-2.0 */
/* Copies the kernel's per-CPU streams to files or to memory. */
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
 * struct stream_options - how to copy the streams
 * @max_size: maximum size of the files of a part in bytes; 0: unlimited
 * @parts: number of parts to keep; 0: a single one, which ends at @max_size
 * @flight: bytes to keep of each CPU in memory; 0: write files
 * @select: events to keep
 * @compress: compress the files
 */
struct stream_options {
	u64 max_size, flight;
	u32 parts;
	struct packet_selection select;
	bool compress;
};

/**
 * struct cpu_stream - the stream of a CPU
 * @cpu: number of the CPU
 * @in: the kernel's file
 * @out: the file in the trace, if any
 * @ring: packets in memory
 * @state: state dump: announcements in packets before this part
 * @carried: packet_seq_num of the last packet before this part; U64_MAX: none
 * @held: packets that did not fit into the part
 * @held_len: their size in bytes
 * @stats: losses and end time of its packets, except for those left out
 * @read: bytes of packets read
 * @left_out: bytes of packets read after the size limit was reached
 * @unwanted: events removed by the filter
 * @ended: unexpected end of the kernel's file
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
 * @read: bytes of packets read
 * @packets: packets in files
 * @bytes: their size in bytes
 * @stored: size of the files in bytes, compressed or not
 * @left_out: bytes read after the size limit was reached
 * @unwanted: events removed by the filter
 * @dropped: packets discarded for later ones, in memory or with a part
 * @lost: events lost in the kernel
 * @until: end of the first stream with packets left out, in ns; U64_MAX: none
 */
struct stream_totals {
	u64 read, packets, bytes, stored, left_out, unwanted, dropped, lost, until;
};

/**
 * struct streams - all streams
 * @event: eventfd, readable when streams_resume() has to be called
 * @nr: number of streams
 * @stream: the streams, ordered by CPU
 * @sums: totals of the complete parts; of all parts after streams_close()
 * @failed: an error occurred, after a message
 * @full: packets did not fit into the part
 * @over: the size limit was reached: leave out what is read
 * @begun: private: a part exists
 * @lost_before: private: packets have events_discarded_before
 * @options: private: how to copy
 * @kernel: private: the kernel's files
 * @top: private: the directory of the trace
 * @base: private: the directory for files that all parts share; @top if there is only one part
 * @part: private: the directory of the current part
 * @nr_parts: number of parts so far
 * @part_packets: private: packets in each of them
 * @since: private: latest end of the packets before this part, over all CPUs, in ns
 * @limit: private: size limit of the files of a part
 * @cpus: private: the directory memorizer/, to scan for new CPUs
 * @files: private: RLIMIT_NOFILE before
 * @workers: private: the threads
 * @nr_workers: private: number of threads
 * @filter: private: filters and describes events; NULL if not needed
 * @stop: private: eventfd that stops the workers
 * @buffer: private: read buffer of the recorder's thread
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
