// SPDX-License-Identifier: GPL-2.0
/*
 * The core's bench: loops that make accesses, each in two versions that differ in
 * nothing but the sites, which are switched on.
 */
#include "bench.h"

/* An address there has bit 31 set, as ips of the kernel have. */
#define __sites	__section(".sites") noinline

/* A load, and before it, if @on, its site, as the compiler's plugin makes it. */
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

/* Each task makes @count rounds before it is the next one's turn. */
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
 * in_turn() - have places be accessed one after the other, again and again
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
 * in_visits() - have places be visited in their order
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
 * by_tasks() - have one place be accessed by tasks and ips, each in turn
 * @walk: the place, the number of tasks and of ips
 * @rounds: so often by all ips for one task before it is the next one's turn
 * @again: so often is it each task's turn
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
 * Straight code: a mix of loads and arithmetic, with what a site is in front of each load when it
 * is off. It is executed from the decoded instructions, from the L2 cache, or from behind it.
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
 * past_sites() - have loads be made whose sites are off
 * @walk: what is loaded
 * @text: how much code
 * @form: what the sites are
 */
void past_sites(struct walk *walk, enum bench_text text, enum bench_form form)
{
	walk->loop[0] = straight[text].loop[0];
	walk->loop[1] = straight[text].loop[1 + form];
	walk->count = max(8192 / straight[text].loads, 1UL);
	walk->accesses = walk->count * straight[text].loads;
	walk->warm = true;
}
