// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's core under a deterministic scheduler: enumerate schedules.
 *
 * A schedule is the list of choices that differ from the default, which is to continue the same
 * context and to delay no store. Each such choice costs one, unless the context has ended or
 * waits. All schedules up to a bound of costs are run, depth first; each one repeats the choices
 * of the previous one up to the last choice that has another option.
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
};

static struct choice choices[CHOICES];
static unsigned int made;	/* in this schedule */
static unsigned int known;	/* to be repeated from the previous one */
static unsigned int spent, budget;

/* Number of accesses so far. */
unsigned long explore_event;

/* An endless loop takes more accesses. */
#define MOST_EVENTS	3000000

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

static unsigned int choose(struct choice *choice)
{
	unsigned int chosen = 0;

	if (explore_event > MOST_EVENTS)
		explore_fail("endless loop");
	if (choice->options == 1)
		return choice->option[0];
	if (replayed)
		return choice->option[look_up(choice)];
	CHECK(made < CHOICES);
	if (made < known) {
		/* The same choices lead to the same state. */
		CHECK_EQ(choices[made].event, explore_event);
		CHECK_EQ(choices[made].options, choice->options);
		chosen = choices[made].chosen;
	}
	choice->event = explore_event;
	choice->chosen = chosen;
	choice->spent = spent;
	spent += choice->cost[chosen];
	choices[made++] = *choice;
	return choice->option[chosen];
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
}

/**
 * explore_delay() - perhaps delay a store
 *
 * Return: true to delay it
 */
bool explore_delay(void)
{
	struct choice choice = { };

	add_option(&choice, context_current, 0);
	add_option(&choice, DELAY, 1);
	return choose(&choice) == DELAY;
}

/**
 * explore_drain() - perhaps make delayed stores visible at the end of a context
 *
 * Return: true to do so
 */
bool explore_drain(void)
{
	struct choice choice = { };

	add_option(&choice, context_current, 0);
	add_option(&choice, DRAIN, 0);
	return choose(&choice) == DRAIN;
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
}

static void start(void)
{
	made = 0;
	spent = 0;
	explore_event = 0;
}

/* Go on to the next schedule. Returns false if there is none. */
static bool next_schedule(void)
{
	struct choice *last;

	while (made) {
		last = &choices[made - 1];
		while (++last->chosen < last->options)
			if (last->spent + last->cost[last->chosen] <= budget)
				break;
		if (last->chosen < last->options) {
			known = made;
			return true;
		}
		made--;
	}
	return false;
}

/**
 * explore() - run all schedules up to a bound
 * @run: runs one schedule
 * @bound: maximum cost of a schedule
 * @most: maximum number of schedules
 *
 * Return: what was done
 */
struct exploration explore(void (*run)(void), unsigned int bound, unsigned long most)
{
	struct exploration done = { };

	budget = bound;
restart:
	memory_freeze();
	known = 0;
	done.complete = false;
	done.points = 0;
	for (;;) {
		start();
		run();
		done.schedules++;
		done.points = max(done.points, made);
		/* Other places to switch at: begin again. */
		if (sched_grown && done.schedules < most)
			goto restart;
		if (!next_schedule()) {
			done.complete = !sched_grown;
			break;
		}
		if (done.schedules >= most)
			break;
	}
	return done;
}

/**
 * explore_replay() - run one schedule
 * @run: runs it
 * @schedule: what explore_print() printed
 */
void explore_replay(void (*run)(void), const char *schedule)
{
	replayed = schedule;
	start();
	run();
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
