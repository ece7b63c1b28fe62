// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's core under a deterministic scheduler: snapshots.
 *
 * Each choice with another option has a snapshot, from which a later schedule goes on: the earlier
 * part does not run again. Memory itself is restored by undoing stores, see memory_copy().
 */
#include <sys/mman.h>

#include "sched.h"

/* Only as much as is used has memory. */
#define MOST_BYTES	(1UL << 30)

static char *kept;
static size_t used;
static bool restores;

/**
 * snapshot_copy() - copy to a snapshot, or back from it
 * @ptr: the original
 * @size: its size in bytes
 */
void snapshot_copy(void *ptr, size_t size)
{
	CHECK(size <= MOST_BYTES - used);
	if (restores)
		memcpy(ptr, kept + used, size);
	else
		memcpy(kept + used, ptr, size);
	used += size;
}

static void copy_all(void)
{
	snapshot_copy(__start_sched_state, __stop_sched_state - __start_sched_state);
	memory_copy();
	contexts_copy();
}

/**
 * snapshot_next() - find where the next snapshot will be
 *
 * Return: its number for snapshot_restore()
 */
size_t snapshot_next(void)
{
	return used;
}

/**
 * snapshot_take() - take a snapshot
 */
void snapshot_take(void)
{
	copy_all();
}

/**
 * snapshot_restore() - restore a snapshot, and forget all later ones
 * @number: its number
 */
void snapshot_restore(size_t number)
{
	used = number;
	restores = true;
	copy_all();
	restores = false;
}

/**
 * snapshots_forget() - forget all snapshots
 */
void snapshots_forget(void)
{
	if (!kept)
		kept = mmap(NULL, MOST_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	CHECK(kept != MAP_FAILED);
	used = 0;
}
