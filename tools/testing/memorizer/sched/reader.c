// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's core under a deterministic scheduler: readers of the KMAP, as in mm/memorizer/kmap.c,
 * and of the stream.
 */
#include "sched.h"

static struct memorizer_rows readers[CONTEXTS];

static void release_locks(const struct memorizer_object *object)
{
	memorizer_unlock_entries(object);
	up_read(&memorizer_rwsem);
}

static void take_locks(const struct memorizer_object *object)
{
	down_read(&memorizer_rwsem);
	memorizer_lock_entries(object);
}

/* Add up the rows of an object, which must be in order. */
static unsigned long read_rows(struct memorizer_rows *rows, struct memorizer_object *object,
			       bool in_steps)
{
	struct memorizer_row row;
	unsigned long sum = 0;
	u64 last = 0, rank;

	memorizer_rows_begin(rows, object, false);
	while (memorizer_rows_next(rows, &row)) {
		rank = (u64)row.ip << 32 | row.pid;
		CHECK(rank > last);
		last = rank;
		sum += row.reads + row.writes;
		if (in_steps) {
			release_locks(object);
			take_locks(object);
		}
	}
	memorizer_rows_end(rows);
	return sum;
}

/**
 * reader_read() - read the rows of all objects
 * @n: number of the context
 * @in_steps: release all locks between two rows
 *
 * Checks that the rows of X count its accesses, at least those that ended before the reading.
 */
void reader_read(unsigned int n, bool in_steps)
{
	struct memorizer_object *object;
	unsigned long pos = 0, sum, least;

	down_read(&memorizer_rwsem);
	while ((object = next_shown(&pos))) {
		memorizer_lock_entries(object);
		/* A count's store may be delayed beyond the end of its access. */
		least = sched_weak ? x_before : x_ended;
		sum = read_rows(&readers[n], object, in_steps);
		memorizer_unlock_entries(object);
		if (memorizer_object_va(object) != X)
			continue;
		CHECK(sum <= x_begun);
		if (!scenario_any(ENDS_X))
			CHECK(sum >= least);
	}
	up_read(&memorizer_rwsem);
}

/**
 * reader_retire() - retire the objects that are closed now, as the stream does
 */
void reader_retire(void)
{
	static struct memorizer_object *batch[64];
	struct memorizer_object *object;
	unsigned long pos = 0;
	unsigned int n = 0;

	down_write(&memorizer_rwsem);
	while ((object = next_shown(&pos)))
		if (object->state != MEMORIZER_LIVE && n < ARRAY_SIZE(batch))
			batch[n++] = object;
	/* Hooks that found one of these objects live may still be counting. */
	memorizer_grace_period();
	while (n--) {
		object = batch[n];
		if (memorizer_is_pinned(object))
			continue;
		memorizer_retire(object);
		memorizer_retire_done(object);
	}
	up_write(&memorizer_rwsem);
	memorizer_give_back();
}
