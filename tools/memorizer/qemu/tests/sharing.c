// SPDX-License-Identifier: GPL-2.0
/*
 * Test program for cache lines: threads access watched[] in known patterns. They take turns,
 * synchronized by a variable in another line.
 *
 * Usage: sharing PATTERN ROUNDS
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE	64

/* The test evaluates accesses to this array only. */
volatile char watched[4096] __attribute__((aligned(4096)));

static volatile long turn __attribute__((aligned(4096)));
static long rounds;

struct part {
	int nr, of;			/* number of the thread, and number of threads */
	void (*act)(int nr);		/* called in each turn */
	pthread_t thread;
};

static void load(volatile void *at)
{
	unsigned long unused;

	__asm__ volatile("movq (%1), %0" : "=r" (unused) : "r" (at) : "memory");
}

static void store(volatile void *at)
{
	__asm__ volatile("movq %0, (%1)" : : "r" (1UL), "r" (at) : "memory");
}

/* Both increment a variable. */
static void ping_pong(int nr)
{
	(void)nr;
	__asm__ volatile("incq (%0)" : : "r" (watched) : "memory");
}

/* Atomic variants of ping_pong(). */
static void locked(int nr)
{
	(void)nr;
	__asm__ volatile("lock incq (%0)" : : "r" (watched) : "memory");
}

static void exchange(int nr)
{
	__asm__ volatile("xchgq %0, (%1)" : : "r" ((long)nr), "r" (watched) : "memory");
}

static void exchange_16(int nr)
{
	__asm__ volatile("lock cmpxchg16b (%0)" : : "r" (watched), "a" (0L), "b" ((long)nr),
			 "c" (1L), "d" (0L) : "memory", "cc");
}

/* The first stores in its first turn only, the others load. */
static void read_mostly(int nr)
{
	static int stored;

	if (nr)
		load(watched);
	else if (!stored++)
		store(watched);
}

/* Each stores to its own variable, in the same line. */
static void false_sharing(int nr)
{
	store(watched + 8 * nr);
}

/* The first stores, the others load twice. */
static void one_writer(int nr)
{
	if (!nr) {
		store(watched);
	} else {
		load(watched);
		load(watched);
	}
}

/* One stores across two lines, the other loads across them. */
static void crossing(int nr)
{
	if (nr)
		load(watched + LINE - 4);
	else
		store(watched + LINE - 4);
}

static void *run(void *argument)
{
	struct part *p = argument;
	long round;

	for (round = 0; round < rounds; round++) {
		while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) % p->of != p->nr)
			sched_yield();
		p->act(p->nr);
		__atomic_add_fetch(&turn, 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

static const struct {
	const char *name;
	void (*act)(int nr);
	int threads;
} patterns[] = {
	{ "ping-pong", ping_pong, 2 },
	{ "locked", locked, 2 },
	{ "exchange", exchange, 2 },
	{ "exchange-16", exchange_16, 2 },
	{ "read-mostly", read_mostly, 4 },
	{ "false-sharing", false_sharing, 2 },
	{ "one-writer", one_writer, 16 },
	{ "many-readers", one_writer, 80 },
	{ "crossing", crossing, 2 },
};

int main(int argc, char **argv)
{
	static struct part parts[80];
	size_t i;
	int nr;

	if (argc != 3)
		return 2;
	rounds = atol(argv[2]);
	for (i = 0; i < sizeof(patterns) / sizeof(*patterns); i++) {
		if (strcmp(argv[1], patterns[i].name))
			continue;
		/* The main thread is the first one. */
		for (nr = 0; nr < patterns[i].threads; nr++) {
			parts[nr] = (struct part) { nr, patterns[i].threads, patterns[i].act, 0 };
			if (nr && pthread_create(&parts[nr].thread, NULL, run, &parts[nr]))
				return 1;
		}
		run(&parts[0]);
		for (nr = 1; nr < patterns[i].threads; nr++)
			pthread_join(parts[nr].thread, NULL);
		return 0;
	}
	return 2;
}
