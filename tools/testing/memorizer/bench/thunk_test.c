// SPDX-License-Identifier: GPL-2.0
/*
 * Test of the kernel's thunks while another CPU frees the accessed object.
 *
 * A signal acts as the other CPU. It arrives after each instruction in turn.
 */
#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>

#include "bench.h"

#define TRAP_FLAG	0x100	/* in EFLAGS: trap after each instruction */

/* Objects whose entries of one ip share a cache slot. */
#define A		0UL
#define B		((MEMORIZER_CACHE_SLOTS << MEMORIZER_CACHE_ADDR) / OBJECT_SIZE)

static unsigned long victim, instructions_left;
static bool stepping, was_freed;

static unsigned long address(unsigned long object)
{
	return OBJECTS + object * OBJECT_SIZE;
}

static void handle_trap(int sig, siginfo_t *info, void *context)
{
	greg_t *flags = &((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL];

	*flags &= ~TRAP_FLAG;
	if (!stepping)
		return;
	if (--instructions_left) {
		*flags |= TRAP_FLAG;
		return;
	}
	free_objects(victim, 1);
	was_freed = true;
}

static void access_object(unsigned long object)
{
	struct walk walk = { .first = address(object), .stride = 8, .places = 1 };

	in_turn(&walk, 1);
	walk.loop[1](&walk);
}

/* Access an object, and free the victim after @instructions. */
static void access_while_freed(unsigned long object, unsigned long instructions)
{
	was_freed = false;
	instructions_left = instructions;
	stepping = true;
	asm volatile("pushfq; orq %0, (%%rsp); popfq" : : "i" (TRAP_FLAG) : "memory", "cc");
	access_object(object);
	stepping = false;
	asm volatile("" : : : "memory");
}

static unsigned long reads_of(unsigned long object, bool freed)
{
	return all_counts_of(shown_at(address(object),
				      freed ? MEMORIZER_FREED : MEMORIZER_LIVE)).reads;
}

/*
 * A's entry is cached when an object is accessed. The access counts once, for the object, or as
 * unattributed if the object is freed meanwhile.
 */
static void count_once(unsigned long object, unsigned long freed)
{
	unsigned long n = 0, unattributed, reads, nobodys;

	victim = freed;
	do {
		make_objects(A, 1);
		make_objects(B, 1);
		access_object(A);
		unattributed = sum_counters().unattributed;
		access_while_freed(object, ++n);
		if (!was_freed)
			free_objects(victim, 1);
		reads = reads_of(object, object == victim) - (object == A);
		nobodys = sum_counters().unattributed - unattributed;
		CHECK_EQ(reads + nobodys, 1);
		if (object != victim)
			CHECK_EQ(reads, 1);
		if (object != A)
			CHECK_EQ(reads_of(A, victim == A), 1);
		free_objects(victim == A ? B : A, 1);
		memorizer_clear();
	} while (was_freed);
	/* All instructions of a miss, without those of the signal handler. */
	CHECK(n > 20 && n < 1000);
}

static void hit_counts_once_while_its_object_is_freed(void)
{
	count_once(A, A);
}

static void miss_counts_once_while_the_object_in_its_slot_is_freed(void)
{
	count_once(B, A);
}

static void miss_counts_once_while_its_object_is_freed(void)
{
	count_once(B, B);
}

static const struct test_case cases[] = {
	CASE(hit_counts_once_while_its_object_is_freed),
	CASE(miss_counts_once_while_the_object_in_its_slot_is_freed),
	CASE(miss_counts_once_while_its_object_is_freed),
	{ }
};

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_sigaction = handle_trap, .sa_flags = SA_SIGINFO };
	const char *wanted = argc > 1 ? argv[1] : "";
	const struct test_case *test;
	unsigned int passed = 0;

	sigaction(SIGTRAP, &action, NULL);
	bench_map();
	bench_boot(64UL << 20);
	for (test = cases; test->name; test++) {
		if (!strstr(test->name, wanted) && !strstr("thunk", wanted))
			continue;
		test->run();
		printf("ok thunk: %s\n", test->name);
		passed++;
	}
	printf("%u passed, 0 failed\n", passed);
	return 0;
}
