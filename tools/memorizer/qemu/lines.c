// SPDX-License-Identifier: GPL-2.0
/* memorizer-qemu.so: tracks which CPUs hold each cache line. */
#include <stdlib.h>
#include <string.h>

#include "lib/line-moves.h"
#include "qemu.h"

#define SHARDS	256

struct line_state {
	u64 key;		/* number of the line plus 1; 0 marks a free slot */
	bool all;		/* all CPUs hold the line, @holders is ignored */
	s32 writer;		/* CPU that last stored to the line; -1 if none did */
	u64 holders[];		/* bitmap of CPUs */
};

/* An open-addressing hash table of a share of the lines, with its own lock. */
struct shard {
	pthread_mutex_t lock;
	u8 *table;
	u64 room, nr;
};

static struct shard shards[SHARDS] = {
	[0 ... SHARDS - 1] = { .lock = PTHREAD_MUTEX_INITIALIZER },
};

static u64 hash(u64 line)
{
	line *= 0x9e3779b97f4a7c15;
	return line ^ line >> 32;
}

static u32 words(void)
{
	return (options.cpus + 63) / 64;
}

static struct line_state *state_at(u8 *table, u64 i)
{
	return (struct line_state *)(table + i * (sizeof(struct line_state) + words() * 8));
}

/* Find the slot of a line, or a free one. The table is never full. */
static struct line_state *find(u8 *table, u64 room, u64 line)
{
	struct line_state *s;
	/* The low bits selected the shard: all lines of it have them in common. */
	u64 i = hash(line) / SHARDS;

	for (;; i++) {
		s = state_at(table, i & (room - 1));
		if (!s->key || s->key == line + 1)
			return s;
	}
}

static bool grow(struct shard *shard)
{
	u64 room = shard->room ? 2 * shard->room : 64, i;
	u32 size = sizeof(struct line_state) + words() * 8;
	struct line_state *s;
	u8 *table;

	/* The table is at most half full: twice as many slots as lines. */
	if (room > options.lines / SHARDS * 2)
		return false;
	table = calloc(room, size);
	if (!table)
		return false;
	for (i = 0; i < shard->room; i++) {
		s = state_at(shard->table, i);
		if (s->key)
			memcpy(find(table, room, s->key - 1), s, size);
	}
	free(shard->table);
	shard->table = table;
	shard->room = room;
	return true;
}

static bool others_hold(const struct line_state *s, u32 cpu)
{
	u32 i;

	if (s->all)
		return options.cpus > 1;
	/* Ignore the CPU's own bit. */
	for (i = 0; i < words(); i++)
		if (s->holders[i] & ~(i == cpu / 64 ? 1ULL << cpu % 64 : 0))
			return true;
	return false;
}

/* Check whether an access moves the line, and update the holders. */
static bool moves(struct line_state *s, u32 cpu, bool store)
{
	u64 bit = 1ULL << cpu % 64, *word = &s->holders[cpu / 64];
	bool holds = s->all || *word & bit;

	if (store)
		s->writer = cpu;
	/* A line that stays needs no update: the CPU holds it. */
	if (!line_moves(holds, store && others_hold(s, cpu), store))
		return false;
	/* A store invalidates all other copies. */
	if (store) {
		memset(s->holders, 0, words() * 8);
		s->all = false;
	}
	*word |= bit;
	return true;
}

/**
 * line_access() - account for an access to a line
 * @line: number of the line
 * @cpu: accessing CPU
 * @store: the access is a store
 * @from: set to the CPU that last stored to the line, before this access; -1 if none did
 *
 * Context: any thread.
 * Return: LINE_MOVES or LINE_STAYS; LINE_NO_ROOM if the line cannot be tracked
 */
enum line line_access(u64 line, u32 cpu, bool store, s32 *from)
{
	struct shard *shard = &shards[hash(line) % SHARDS];
	struct line_state *s;
	enum line verdict = LINE_NO_ROOM;

	pthread_mutex_lock(&shard->lock);
	s = shard->room ? find(shard->table, shard->room, line) : NULL;
	if (!s || !s->key) {
		/* find() needs a free slot to end. */
		if (shard->nr * 2 >= shard->room && !grow(shard))
			goto out;
		s = find(shard->table, shard->room, line);
		s->key = line + 1;
		/*
		 * What happened before is unknown: a first load does not move the line, a
		 * first store does.
		 */
		s->all = true;
		s->writer = -1;
		shard->nr++;
	}
	*from = s->writer;
	verdict = moves(s, cpu, store) ? LINE_MOVES : LINE_STAYS;
out:
	pthread_mutex_unlock(&shard->lock);
	return verdict;
}
