// SPDX-License-Identifier: GPL-2.0
/*
 * memorizer-qemu.so: counts entries of functions, to be compared with the calls that the guest's
 * kernel counts.
 *
 * The argument calls= names a file of addresses. Each time the instruction at one of them is
 * executed, its function is entered: by a call, or by a jump from a function that ends in one. In
 * both cases, the innermost call that has not returned has the return address. A call has entered
 * no function yet, and a jump follows a call that has.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "qemu.h"

/* How often a function was entered with a return address. */
struct pair {
	u64 back, to;
	u64 calls, jumps;	/* a free slot has neither */
};

static u64 *entries;	/* ascending */
static u64 nr_entries;

/* Guards all below. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pair *pairs;	/* an open-addressing hash table */
static u64 nr_pairs, room_pairs;

static int compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/**
 * calls_init() - read the addresses of functions
 *
 * Context: start of QEMU.
 * Return: false if the file cannot be read, or has none
 */
bool calls_init(void)
{
	FILE *f = fopen(options.calls, "r");
	u64 room = 0, *more;
	u64 entry;

	if (!f) {
		perror(options.calls);
		return false;
	}
	while (fscanf(f, "%" SCNx64, &entry) == 1) {
		if (nr_entries == room) {
			room = room ? 2 * room : 1024;
			more = realloc(entries, room * sizeof(*entries));
			if (!more)
				abort();
			entries = more;
		}
		entries[nr_entries++] = entry;
	}
	if (!nr_entries || !feof(f)) {
		fprintf(stderr, "memorizer-qemu: %s: not a list of addresses\n", options.calls);
		nr_entries = 0;
	}
	fclose(f);
	if (nr_entries)
		qsort(entries, nr_entries, sizeof(*entries), compare);
	return nr_entries;
}

/**
 * calls_is_entry() - test whether an address is that of a function
 * @ip: the address
 *
 * Context: any thread.
 * Return: true if it is in the file
 */
bool calls_is_entry(u64 ip)
{
	return nr_entries && bsearch(&ip, entries, nr_entries, sizeof(*entries), compare);
}

static struct pair *find_pair(struct pair *table, u64 room, u64 back, u64 to)
{
	u64 i = (back * 31 + to) * 0x9e3779b97f4a7c15;
	struct pair *p;

	for (i ^= i >> 32; ; i++) {
		p = &table[i & (room - 1)];
		if ((!p->calls && !p->jumps) || (p->back == back && p->to == to))
			return p;
	}
}

static void grow(void)
{
	u64 room = room_pairs ? 2 * room_pairs : 1024, i;
	struct pair *more = calloc(room, sizeof(*more)), *p;

	if (!more)
		abort();
	for (i = 0; i < room_pairs; i++)
		if (pairs[i].calls || pairs[i].jumps) {
			p = find_pair(more, room, pairs[i].back, pairs[i].to);
			*p = pairs[i];
		}
	free(pairs);
	pairs = more;
	room_pairs = room;
}

/**
 * calls_enter() - a function is entered
 * @v: the vCPU
 * @to: the address of its first instruction
 * @sp: the address of its return address, or 0 if that is not known
 *
 * Context: the vCPU's thread.
 */
void calls_enter(struct vcpu *v, u64 to, u64 sp)
{
	struct frame *f = stack_top(v, !is_kernel(to), sp);
	bool jumped = !f || f->entered;
	u64 back = f ? f->back : 0;
	struct pair *p;

	if (f)
		f->entered = true;
	if (!v->calls_count)
		return;
	pthread_mutex_lock(&lock);
	if (2 * nr_pairs >= room_pairs)
		grow();
	p = find_pair(pairs, room_pairs, back, to);
	if (!p->calls && !p->jumps) {
		nr_pairs++;
		p->back = back;
		p->to = to;
	}
	if (jumped)
		p->jumps++;
	else
		p->calls++;
	pthread_mutex_unlock(&lock);
}

/**
 * calls_finish() - write the counts
 *
 * Context: exit of QEMU, no other callbacks are running.
 */
void calls_finish(void)
{
	char *path;
	FILE *f;
	u64 i;

	if (asprintf(&path, "%s/qemu/calls", options.out) < 0)
		return;
	f = fopen(path, "wx");
	if (!f)
		perror(path);
	for (i = 0; f && i < room_pairs; i++)
		if (pairs[i].calls || pairs[i].jumps)
			fprintf(f, "%016" PRIx64 ",%016" PRIx64 ",%" PRIu64 ",%" PRIu64 "\n",
				pairs[i].back, pairs[i].to, pairs[i].calls, pairs[i].jumps);
	if (f)
		fclose(f);
	free(path);
}
