// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's core under a deterministic scheduler: cache lines.
 *
 * Each context accesses one line. Whether an access moved the line is compared with the model of
 * mm/memorizer/traffic.c: for some order of all accesses, the model must have the same answers.
 */
#include "sched.h"

#define LINE_ACCESSES	8

struct line_access {
	unsigned int kind;
	bool moved;
};

static struct {
	struct line_access access[LINE_ACCESSES];
	unsigned int count;
	unsigned int cpu;
} seen[CONTEXTS] __state;

/**
 * lines_reset() - forget all accesses
 */
void lines_reset(void)
{
	memset(seen, 0, sizeof(seen));
}

/**
 * lines_access() - access the line
 * @n: number of the context
 * @kind: SCHED_READ or SCHED_WRITE
 */
void lines_access(unsigned int n, unsigned int kind)
{
	unsigned int cpu = smp_processor_id();
	u64 before = per_cpu(memorizer_counters, cpu).traffic;

	done.accesses++;
	x_begun++;
	site(X, 8, kind, IP(0x2000));
	x_ended++;
	CHECK(seen[n].count < LINE_ACCESSES);
	seen[n].cpu = cpu;
	seen[n].access[seen[n].count++] = (struct line_access){
		kind, per_cpu(memorizer_counters, cpu).traffic != before
	};
}

/* Access the line in the model, whose @holders are CPUs. Returns true if that moves it. */
static bool access_model(unsigned int *holders, unsigned int cpu, unsigned int kind)
{
	unsigned int before = *holders;

	if (kind == SCHED_READ) {
		*holders |= BIT(cpu);
		return !(before & BIT(cpu));
	}
	*holders = BIT(cpu);
	return before != BIT(cpu);
}

/* Is there an order of the remaining accesses with the moves that were seen? */
static bool has_order(unsigned int holders, const unsigned int *at)
{
	unsigned int next[CONTEXTS], then, n;
	const struct line_access *access;
	bool all_done = true;

	for (n = 0; n < CONTEXTS; n++) {
		if (at[n] == seen[n].count)
			continue;
		all_done = false;
		access = &seen[n].access[at[n]];
		then = holders;
		if (access_model(&then, seen[n].cpu, access->kind) != access->moved)
			continue;
		memcpy(next, at, sizeof(next));
		next[n]++;
		if (has_order(then, next))
			return true;
	}
	return all_done;
}

/**
 * lines_check() - check the moves that were seen
 */
void lines_check(void)
{
	static const unsigned int start[CONTEXTS];

	/* Only these operations say what each access moved, and not if they are interrupted. */
	if (!scenario_all(TRACKS) || contexts_interrupts)
		return;
	/* At first all CPUs hold the line. */
	CHECK(has_order(UINT_MAX, start));
}
