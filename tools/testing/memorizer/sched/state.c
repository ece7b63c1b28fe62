// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's core under a deterministic scheduler: states that were reached.
 *
 * A state is all that the rest of a schedule depends on: memory, the stacks and registers of all
 * contexts, and variables of the tests. A schedule that reaches a state that an earlier one has
 * reached at no higher cost ends there: what may follow is run after the other one. The contexts'
 * steps mostly do not depend on each other, so that few of their orders have different states.
 *
 * States are compared by hashes of 64 bits (hash compaction, Wolper and Leroy, 1993). With a
 * million states, the chance that two of them have the same hash is 1 in 40 million.
 */
#include "sched.h"

struct state {
	u64 hash;
	unsigned int schedule;
	unsigned int spent;
};

/* A hash table, with linear probing. */
struct states {
	struct state *slots;
	unsigned long size;
	unsigned long count;
};

static struct states reached, ended;

/* Of all states in which schedules ended. */
static u64 ended_hash;

static unsigned int schedule;

static u64 mix(u64 a, u64 b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return product ^ product >> 64;
}

/**
 * state_hash() - hash memory
 * @ptr: its first byte
 * @size: its size in bytes
 *
 * Two words are multiplied, and both halves of the product are used, as wyhash does.
 *
 * Return: the hash
 */
u64 state_hash(const void *ptr, size_t size)
{
	u64 hash = size, word;
	size_t part;

	for (; size; ptr += part, size -= part) {
		part = min(size, 8UL);
		word = 0;
		memcpy(&word, ptr, part);
		hash = mix(hash ^ 0xa0761d6478bd642f, word ^ 0xe7037ed1a0b428db);
	}
	return hash;
}

static struct state *find(struct states *states, u64 hash)
{
	unsigned long i = hash & (states->size - 1);

	while (states->slots[i].hash && states->slots[i].hash != hash)
		i = (i + 1) & (states->size - 1);
	return &states->slots[i];
}

static void grow(struct states *states)
{
	struct state *old = states->slots;
	unsigned long n = states->size, i;

	states->size = n ? 2 * n : 1 << 12;
	states->slots = calloc(states->size, sizeof(*old));
	CHECK(states->slots);
	for (i = 0; i < n; i++)
		if (old[i].hash)
			*find(states, old[i].hash) = old[i];
	free(old);
}

/* Find a state, or make it: its @hash is 0. */
static struct state *get(struct states *states, u64 hash)
{
	struct state *state;

	if (2 * states->count >= states->size)
		grow(states);
	state = find(states, hash);
	states->count += !state->hash;
	return state;
}

/**
 * state_is_known() - test whether an earlier schedule has reached the present state
 * @spent: costs so far
 *
 * The state that the same schedule has reached before is not known: a loop is to go on.
 *
 * Return: true if one has, at no higher cost
 */
bool state_is_known(unsigned int spent)
{
	u64 parts[2] = {
		memory_hash(),
		state_hash(__start_sched_state, __stop_sched_state - __start_sched_state),
	};
	/* 0 is an empty slot. */
	u64 hash = state_hash(parts, sizeof(parts)) ?: 1;
	struct state *state = get(&reached, hash);

	if (state->hash && state->spent <= spent)
		return state->schedule != schedule;
	state->hash = hash;
	state->schedule = schedule;
	state->spent = spent;
	return false;
}

/**
 * state_ended() - learn that a schedule has ended in the present state
 */
void state_ended(void)
{
	u64 hash = memory_hash() ?: 1;
	struct state *state = get(&ended, hash);

	if (state->hash)
		return;
	state->hash = hash;
	ended_hash += hash;
}

/**
 * states_begin_schedule() - begin another schedule
 */
void states_begin_schedule(void)
{
	schedule++;
}

/**
 * states_forget() - forget all states
 */
void states_forget(void)
{
	free(reached.slots);
	free(ended.slots);
	reached = (struct states){ };
	ended = (struct states){ };
	ended_hash = 0;
}

/**
 * states_reached() - count the states that were reached
 *
 * Return: their number
 */
unsigned long states_reached(void)
{
	return reached.count;
}

/**
 * states_ended() - hash the set of states in which schedules ended
 *
 * Return: the hash
 */
u64 states_ended(void)
{
	return ended_hash;
}
