/* SPDX-License-Identifier: GPL-2.0 */
/* The copies of the kernel's streams: who makes them, and in which files they come to be. */
#ifndef COPIES_H
#define COPIES_H

#include <dirent.h>
#include <pthread.h>
#include <sys/resource.h>

#include "record/carry.h"
#include "record/control.h"
#include "record/drain.h"
#include "record/ring.h"
#include "record/save.h"
#include "record/sieve.h"
#include "record/store.h"

/**
 * struct copies_form - what the copies are like
 * @max_size: bytes that the files of a part may have together, 0 for no limit
 * @parts: how many parts to keep, 0 for one that ends when it has @max_size
 * @flight: bytes to keep of each CPU, in memory, 0 for files of all
 * @choice: which events to keep
 * @compress: whether files are compressed
 */
struct copies_form {
	u64 max_size, flight;
	u32 parts;
	struct sieve_choice choice;
	bool compress;
};

/**
 * struct copy - a CPU's stream, and what becomes of it
 * @cpu: number of the CPU
 * @in: the stream
 * @out: its file, while there is one
 * @ring: what is kept of it in memory
 * @carry: announcements in packets that were left to earlier parts, or forgotten
 * @carried: packet_seq_num of the last packet before this part; U64_MAX: there was none
 * @held: packets that there was no room for in this part
 * @held_len: how many bytes they have
 * @noted: what is known of its packets, but for those that are left out
 * @read: bytes of packets that were read
 * @left_out: bytes of those for which there was no room any more
 * @unwanted: events that were not chosen
 * @ended: the kernel's file was at its end, which the crew does not expect
 * @failed: nothing more can be copied
 */
struct copy {
	u32 cpu;
	struct drain_stream in;
	struct store out;
	struct ring ring;
	struct carry carry;
	u64 carried;
	char *held;
	size_t held_len;
	struct drain_noted noted;
	atomic_ullong read;
	u64 left_out, unwanted;
	bool ended, failed;
};

/**
 * struct copies_sums - what was copied
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
struct copies_sums {
	u64 read, packets, bytes, stored, left_out, unwanted, dropped, lost, until;
};

/**
 * struct copies - all of them
 * @event: file descriptor that is readable when copies_settle() has something to do
 * @nr: how many streams
 * @copy: the streams, ordered by CPU
 * @sums: of parts that are complete; of all after copies_close()
 * @failed: whether something went wrong, of which there was a message
 * @full: there was no room for what was read
 * @over: there will be no room any more: what is read now is left out
 * @begun: private: there is a part
 * @lost_before: private: packets have events_discarded_before
 * @form: private: what they are like
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
 * @crew: private: threads that copy
 * @nr_crew: private: how many
 * @sieve: private: what leaves out events, NULL if all are kept
 * @stop: private: file descriptor that is readable when they shall end
 * @buffer: private: of the thread that is not one of them
 */
struct copies {
	int event;
	u32 nr;
	struct copy **copy;
	struct copies_sums sums;
	atomic_bool failed, full;
	bool over, begun, lost_before;
	struct copies_form form;
	const struct control *kernel;
	const struct save *top;
	struct save base, part;
	u32 nr_parts;
	u64 *part_packets;
	u64 since;
	struct store_limit limit;
	DIR *cpus;
	struct rlimit files;
	struct crew_member *crew;
	u32 nr_crew;
	struct sieve *sieve;
	int stop;
	struct drain_buffer buffer;
};

bool copies_open(struct copies *c, const struct copies_form *form, const struct control *kernel);
bool copies_begin(struct copies *c, const struct save *top);
const struct save *copies_base(const struct copies *c);
bool copies_first_part(struct copies *c);
bool copies_find(struct copies *c);
bool copies_start(struct copies *c);
void copies_stop(struct copies *c);
bool copies_settle(struct copies *c);
enum drain copies_drain(struct copies *c, struct copy *s);
void copies_flush(struct copies *c, u64 most);
bool copies_snapshot(struct copies *c);
struct copies_sums copies_sum(const struct copies *c);
void copies_close(struct copies *c);

#endif
