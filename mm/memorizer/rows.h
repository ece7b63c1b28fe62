/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's rows: an object's access entries in order, added up over all CPUs.
 */
#ifndef _MM_MEMORIZER_ROWS_H
#define _MM_MEMORIZER_ROWS_H

#include <linux/memorizer-group.h>
#include <linux/types.h>

struct memorizer_object;

/**
 * struct memorizer_row - the accesses of one ip to an object for one pid
 * @ip: access ip, see memorizer_pack_ip()
 * @pid: the accessing task
 * @granules: the accessed part of the object, see memorizer_granules(); or MEMORIZER_NO_GRANULES
 * @reads: loads, on all CPUs
 * @writes: stores, on all CPUs
 * @read_moves: cache lines moved by loads
 * @write_moves: cache lines moved by stores
 */
struct memorizer_row {
	u32 ip;
	u32 pid;
	u32 granules;
	unsigned long reads;
	unsigned long writes;
	unsigned long read_moves;
	unsigned long write_moves;
};

/**
 * struct memorizer_place - which rows of an object come next
 * @ip: ip of the previous row
 * @runs: number of runs of entries with this ip: its own, and those of groups
 * @at: id of the next entry of each run, 0 after its last
 */
struct memorizer_place {
	u32 ip;
	u32 runs;
	u32 at[1 + MEMORIZER_GROUPS_AT_ONCE];
};

/**
 * struct memorizer_rows - a reader of an object's rows
 * @object: the object, NULL between objects
 * @by_granule: granules have rows of their own
 * @place: the reader's position
 * @before: its position before the row that it is adding up
 * @next: id of the first entry that may have a later ip, 0 if there is none
 * @behind: id of the first entry after the run of @next, 0 if unknown
 * @first: id of the object's first entry when the entries were sorted, 0 if there was none
 * @carried: memorizer_read_carries_begin() when the reader last looked for new entries of carries
 * @others: next reader in the list of all readers
 */
struct memorizer_rows {
	struct memorizer_object *object;
	bool by_granule;
	struct memorizer_place place;
	struct memorizer_place before;
	u32 next;
	u32 behind;
	u32 first;
	u32 carried;
	struct memorizer_rows *others;
};

void memorizer_lock_entries(const struct memorizer_object *object);
void memorizer_unlock_entries(const struct memorizer_object *object);
void memorizer_rows_begin(struct memorizer_rows *rows, struct memorizer_object *object,
			  bool by_granule);
bool memorizer_rows_next(struct memorizer_rows *rows, struct memorizer_row *row);
void memorizer_rows_end(struct memorizer_rows *rows);
bool memorizer_is_pinned(const struct memorizer_object *object);

#endif /* _MM_MEMORIZER_ROWS_H */
