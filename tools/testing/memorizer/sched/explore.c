// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's core under a deterministic scheduler: enumerate schedules.
 *
 * A schedule is the list of choices that differ from the default, which is to continue the same
 * context and to delay no store. Each such choice costs one, unless the context has ended or
 * waits. All schedules up to a bound of costs are run, depth first: each goes on from the last
 * choice of the previous one that has another option.
 *
 * Choices are printed with the number of the access before which they were made, so that they can
 * be repeated without knowing which bytes are shared.
 */
#include <unistd.h>

#include "sched.h"

#define CHOICES		BIT(16)

/* Pseudo contexts: delay the store, make the delayed stores visible. */
#define DELAY		CONTEXTS
#define DRAIN		(CONTEXTS + 1)

struct choice {
	unsigned long event;
	u8 option[CONTEXTS + 1];
	u8 cost[CONTEXTS + 1];
	u8 options;
	u8 chosen;
	u8 spent;	/* by earlier choices */
	size_t snapshot;
};

static struct choice choices[CHOICES];
static unsigned int made;	/* in this schedule */
static unsigned int spent, budget;

/* Number of accesses so far. */
unsigned long explore_event;

/* An endless loop takes more accesses. */
#define MOST_EVENTS	3000000

/* Schedules that reach the state of an earlier one end. */
bool explore_merges = true;

/* A schedule to repeat, NULL while exploring. */
static const char *replayed;

/**
 * explore_replays() - test whether a schedule is repeated
 *
 * Return: true if any access may be preceded by a choice
 */
bool explore_replays(void)
{
	return replayed;
}

/**
 * explore_print() - print the schedule so far
 */
void explore_print(void)
{
	const char *separator = "";
	unsigned int i;

	if (replayed) {
		printf("%s\n", replayed);
		return;
	}
	for (i = 0; i < made; i++) {
		if (!choices[i].chosen)
			continue;
		printf("%s%lu:%u", separator, choices[i].event,
		       choices[i].option[choices[i].chosen]);
		separator = ",";
	}
	printf("%s\n", *separator ? "" : "-");
}

/* Look up the choice before an access in the schedule that is repeated. */
static unsigned int look_up(const struct choice *choice)
{
	const char *at = replayed;
	unsigned int option, i;
	unsigned long event;

	while (sscanf(at, "%lu:%u", &event, &option) == 2) {
		for (i = 0; i < choice->options; i++)
			if (event == explore_event && choice->option[i] == option)
				return i;
		at = strchr(at, ',');
		if (!at)
			break;
		at++;
	}
	return 0;
}

static void add_option(struct choice *choice, unsigned int option, unsigned int cost)
{
	choice->option[choice->options] = option;
	choice->cost[choice->options] = cost;
	choice->options++;
}

/* Find the next option that the budget allows. Returns 0 if there is none. */
static unsigned int next_option(const struct choice *choice)
{
	unsigned int i;

	for (i = choice->chosen + 1; i < choice->options; i++)
		if (choice->spent + choice->cost[i] <= budget)
			return i;
	return 0;
}

/* Choose the first option. Later schedules go on from here with the others. */
static unsigned int choose(struct choice *choice)
{
	if (explore_event > MOST_EVENTS)
		explore_fail("endless loop");
	context_hash();
	if (explore_merges && !replayed && state_is_known(spent))
		contexts_abandon();
	if (choice->options == 1)
		return choice->option[0];
	if (replayed)
		return choice->option[look_up(choice)];
	CHECK(made < CHOICES);
	choice->event = explore_event;
	choice->spent = spent;
	choice->snapshot = snapshot_next();
	choices[made++] = *choice;
	if (next_option(choice))
		contexts_save();
	*choice = choices[made - 1];
	spent = choice->spent + choice->cost[choice->chosen];
	return choice->option[choice->chosen];
}

/**
 * explore_point() - perhaps continue another context, before an access
 */
void explore_point(void)
{
	struct choice choice = { };
	unsigned int n;

	add_option(&choice, context_current, 0);
	for (n = 0; n < CONTEXTS; n++)
		if (n != context_current && context_is_enabled(n))
			add_option(&choice, n, 1);
	context_switch(choose(&choice));
	context_clear_stack();
}

/**
 * explore_delay() - perhaps delay a store
 *
 * Return: true to delay it
 */
bool explore_delay(void)
{
	struct choice choice = { };
	unsigned int chosen;

	add_option(&choice, context_current, 0);
	add_option(&choice, DELAY, 1);
	chosen = choose(&choice);
	context_clear_stack();
	return chosen == DELAY;
}

/**
 * explore_drain() - perhaps make delayed stores visible at the end of a context
 *
 * Return: true to do so
 */
bool explore_drain(void)
{
	struct choice choice = { };
	unsigned int chosen;

	add_option(&choice, context_current, 0);
	add_option(&choice, DRAIN, 0);
	chosen = choose(&choice);
	context_clear_stack();
	return chosen == DRAIN;
}

static void add_enabled(struct choice *choice)
{
	unsigned int host = context_host(), i, n;
	bool goes_back = host < CONTEXTS && !context_is_enabled(context_current) &&
		context_is_enabled(host);

	if (goes_back)
		add_option(choice, host, 0);
	for (i = 0; i < CONTEXTS; i++) {
		n = (context_current + i) % CONTEXTS;
		if (context_is_enabled(n) && !(goes_back && n == host))
			add_option(choice, n, goes_back);
	}
}

/**
 * explore_forced() - continue a context that can, because this one has ended or waits
 */
void explore_forced(void)
{
	struct choice choice = { };

	explore_event++;
	add_enabled(&choice);
	/* Each store becomes visible in the end. */
	if (!choice.options && memory_drain_all())
		add_enabled(&choice);
	if (!choice.options)
		explore_fail("deadlock");
	context_switch(choose(&choice));
	context_clear_stack();
}

static void start(void)
{
	states_begin_schedule();
	made = 0;
	spent = 0;
	explore_event = 0;
}

/* Find the last choice with another option. Returns false if there is none. */
static bool next_schedule(void)
{
	struct choice *last;

	for (; made; made--) {
		last = &choices[made - 1];
		last->chosen = next_option(last);
		if (last->chosen)
			return true;
	}
	return false;
}

static void go_back(void)
{
	states_begin_schedule();
	explore_event = choices[made - 1].event;
	snapshot_restore(choices[made - 1].snapshot);
}

/**
 * explore() - run all schedules up to a bound
 * @run: runs one schedule from the start, or from the snapshot that was restored
 * @bound: maximum cost of a schedule
 * @most: maximum number of schedules
 *
 * Return: what was done
 */
struct exploration explore(void (*run)(bool resumes), unsigned int bound, unsigned long most)
{
	struct exploration done = { };
	bool resumes;

	budget = bound;
	do {
		memory_freeze();
		states_forget();
		snapshots_forget();
		done.points = 0;
		start();
		resumes = false;
		do {
			if (resumes)
				go_back();
			run(resumes);
			done.schedules++;
			done.points = max(done.points, made);
			done.states = states_reached();
			done.ended = states_ended();
			resumes = next_schedule();
		} while (resumes && !sched_grown && done.schedules < most);
		memory_undo();
		/* Other places to switch at: begin again. */
	} while (sched_grown && done.schedules < most);
	done.complete = !resumes && !sched_grown;
	return done;
}

/**
 * explore_replay() - run one schedule
 * @run: runs it
 * @schedule: what explore_print() printed
 */
void explore_replay(void (*run)(bool resumes), const char *schedule)
{
	replayed = schedule;
	start();
	run(false);
	replayed = NULL;
}

/**
 * explore_fail() - print the schedule and fail
 * @why: the reason
 */
void explore_fail(const char *why)
{
	static bool failed;

	sched_active = false;
	if (!failed) {
		failed = true;
		printf("# %s; access %lu of schedule ", why, explore_event);
		explore_print();
		fflush(stdout);
	}
	_exit(1);
}

/**
 * check_fail() - fail the scenario
 * @a: first value compared
 * @b: second value compared
 * @what: the check's text
 * @file: the check's file
 * @line: the check's line
 */
void check_fail(unsigned long a, unsigned long b, const char *what, const char *file, int line)
{
	char why[300];

	snprintf(why, sizeof(why), "%s:%d: %s: %#lx is not %#lx", file, line, what, a, b);
	explore_fail(why);
}
