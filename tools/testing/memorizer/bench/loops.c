// SPDX-License-Identifier: GPL-2.0
/*
 * Benchmark of Memorizer's core: loops of accesses, each in two versions, without and with
 * enabled sites.
 */
#include "bench.h"

/* Linked to addresses with bit 31 set, like those of kernel text. */
#define __sites	__section(".sites") noinline

/* A load, preceded by a site as the compiler plugin emits it if @on. */
static __always_inline void load(unsigned long addr, bool on)
{
	const unsigned long *p = (const unsigned long *)addr;

	if (on)
		asm volatile("call 771f\n"
			     "	.subsection 1\n"
			     "771:	lea %0, %%r11\n"
			     "	jmp memorizer_thunk_r8\n"
			     "	.previous\n" : : "m" (*p) : "cc", "r9", "r10", "r11");
	else
		asm volatile("" : : "m" (*p) : "cc", "r9", "r10", "r11");
	READ_ONCE(*p);
}

#define LOOP(name)							\
static __sites void name##_off(const struct walk *walk) { name(walk, false); }	\
static __sites void name##_on(const struct walk *walk) { name(walk, true); }

static __always_inline void turns(const struct walk *walk, bool on)
{
	unsigned long addr = walk->first, end = addr + walk->places * walk->stride, i;

	for (i = 0; i < walk->count; i++) {
		load(addr, on);
		addr += walk->stride;
		if (addr == end)
			addr = walk->first;
	}
}

LOOP(turns)

static __always_inline void visits(const struct walk *walk, bool on)
{
	unsigned long addr, i;

	for (i = 0; i < walk->count; i++) {
		addr = walk->first + walk->order[i] * walk->stride;
		load(addr, on);
		load(addr + 8, on);
		load(addr + 16, on);
		load(addr + 24, on);
		load(addr + 32, on);
		load(addr + 40, on);
		load(addr + 48, on);
		load(addr + 56, on);
	}
}

static_assert(VISIT_IPS == 8);
LOOP(visits)

/* Each task makes @count rounds per turn. */
static __always_inline void tasks(const struct walk *walk, bool on)
{
	chain_t *chain = (on ? chain_on : chain_off)[MAX_IPS - walk->ips];
	unsigned long again, pid, i;

	for (again = 0; again < walk->again; again++) {
		for (pid = 1; pid <= walk->tasks; pid++) {
			set_pid(pid);
			for (i = 0; i < walk->count; i++)
				chain(walk->first);
		}
	}
}

LOOP(tasks)

/**
 * in_turn() - set up a walk over all places in ascending order, repeatedly
 * @walk: the places
 * @count: number of accesses
 */
void in_turn(struct walk *walk, unsigned long count)
{
	walk->loop[0] = turns_off;
	walk->loop[1] = turns_on;
	walk->count = count;
	walk->accesses = count;
}

/**
 * in_visits() - set up a walk that visits places in their order
 * @walk: the places
 * @count: number of visits
 */
void in_visits(struct walk *walk, unsigned long count)
{
	walk->loop[0] = visits_off;
	walk->loop[1] = visits_on;
	walk->count = count;
	walk->accesses = count * VISIT_IPS;
}

/**
 * by_tasks() - set up a walk over one place by several tasks and ips
 * @walk: the place, and the numbers of tasks and ips
 * @rounds: number of rounds over all ips in a task's turn
 * @again: number of turns of each task
 */
void by_tasks(struct walk *walk, unsigned long rounds, unsigned long again)
{
	walk->loop[0] = tasks_off;
	walk->loop[1] = tasks_on;
	walk->count = rounds;
	walk->again = again;
	walk->accesses = again * walk->tasks * rounds * walk->ips;
}

/*
 * Straight-line code: a mix of loads and arithmetic, with a disabled site before each load. It
 * runs from the cache of decoded instructions, from the L2 cache, or from beyond.
 */
#define STRAIGHT(name, site, loads)					\
static noinline void name##_##loads(const struct walk *walk)		\
{									\
	unsigned long i;						\
									\
	for (i = 0; i < walk->count; i++)				\
		asm volatile(".rept %c1\n" site				\
			     "	movq 8(%0), %%rax\n"			\
			     "	leaq 1(%%rax), %%rcx\n"		\
			     "	addq %%rax, %%rdx\n"			\
			     "	xorl %%ecx, %%esi\n"			\
			     ".endr\n" : : "r" (walk->first), "i" (loads)	\
			     : "cc", "rax", "rcx", "rdx", "rsi");	\
}

#define STRAIGHT_CODE(loads)						\
	STRAIGHT(plain, "", loads)					\
	STRAIGHT(prefixes, "	ds\n	ds\n	ds\n	ds\n	ds\n", loads)	\
	STRAIGHT(test, "	testl $0x12345678, %%eax\n", loads)	\
	STRAIGHT(nop, "	.byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n", loads)

STRAIGHT_CODE(64)
STRAIGHT_CODE(12000)
STRAIGHT_CODE(60000)

#define STRAIGHT_LOOPS(loads)	\
	{ loads, { plain_##loads, prefixes_##loads, test_##loads, nop_##loads } }

static const struct {
	unsigned long loads;
	void (*loop[1 + BENCH_FORMS])(const struct walk *walk);
} straight[BENCH_TEXTS] = {
	[BENCH_HOT] = STRAIGHT_LOOPS(64),
	[BENCH_LARGE] = STRAIGHT_LOOPS(12000),
	[BENCH_HUGE] = STRAIGHT_LOOPS(60000),
};

/**
 * past_sites() - set up a walk over disabled sites
 * @walk: the place
 * @text: length of the code
 * @form: form of the sites
 */
void past_sites(struct walk *walk, enum bench_text text, enum bench_form form)
{
	walk->loop[0] = straight[text].loop[0];
	walk->loop[1] = straight[text].loop[1 + form];
	walk->count = max(8192 / straight[text].loads, 1UL);
	walk->accesses = walk->count * straight[text].loads;
	walk->warm = true;
}
