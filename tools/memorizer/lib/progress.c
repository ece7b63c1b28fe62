// SPDX-License-Identifier: GPL-2.0
/*
 * How far something is that takes its time: a line on the terminal that standard error is, which
 * appears after a second and overwrites itself. A thread draws it, so that what is being done needs
 * no clock, and something that only waits is seen, too.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/progress.h"

#define AFTER_MS	1000	/* when the line appears */
#define EVERY_MS	250	/* how often it is drawn */
#define BAR_WIDTH	40
#define NAME_MAX_SHOWN	24	/* characters of a name that are shown: the last ones */

/* What stands before the line, if a command runs others. */
const char *progress_label = "";

/* Guards what follows, but for @terminal and @done. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *doing;		/* what is being done, NULL: nothing */
static u64 all, since;			/* how much that is, 0: not known; since when, in ms */
static bool shown, drawing;		/* whether the line is there, and the thread */
static bool at_once;			/* whether it is drawn before a second has gone */
static int terminal = -1;		/* where to draw; -1: nowhere */
static atomic_ullong done;		/* how much of it is done */

static u64 now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/**
 * progress_init - draw progress from now on, if standard error is a terminal
 *
 * MEMORIZER_PROGRESS=no in the environment switches that off; with MEMORIZER_PROGRESS=at-once, the
 * line does not wait for a second.
 */
void progress_init(void)
{
	const char *wanted = getenv("MEMORIZER_PROGRESS");

	at_once = wanted && !strcmp(wanted, "at-once");
	if (isatty(STDERR_FILENO) && !(wanted && !strcmp(wanted, "no")))
		terminal = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
}

static void draw(void)
{
	size_t len = strlen(doing);
	const char *name = len > NAME_MAX_SHOWN ? doing + len - NAME_MAX_SHOWN : doing;
	u64 percent = all ? 100 * (done < all ? done : all) / all : 0;
	char bar[BAR_WIDTH + 1];

	memset(bar, ' ', BAR_WIDTH);
	memset(bar, '=', percent * BAR_WIDTH / 100);
	bar[BAR_WIDTH] = '\0';
	if (all)
		dprintf(terminal, "\r%s%s [%s] %3llu%%", progress_label, name, bar, percent);
	else
		dprintf(terminal, "\r%s%s ...", progress_label, name);
	shown = true;
}

static void *draw_now_and_then(void *unused)
{
	static const struct timespec every = { .tv_nsec = EVERY_MS * 1000000 };

	for (;;) {
		nanosleep(&every, NULL);
		pthread_mutex_lock(&lock);
		if (doing && now_ms() - since >= AFTER_MS)
			draw();
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

/**
 * progress_begin - begin to do something that may take its time
 * @what: what is shown; must outlive it
 * @total: how much there is to do, 0: not known
 */
void progress_begin(const char *what, u64 total)
{
	pthread_t thread;

	if (terminal < 0)
		return;
	progress_end();
	pthread_mutex_lock(&lock);
	doing = what;
	all = total;
	since = now_ms();
	done = 0;
	if (!drawing && !pthread_create(&thread, NULL, draw_now_and_then, NULL)) {
		pthread_detach(thread);
		drawing = true;
	}
	if (at_once)
		draw();
	pthread_mutex_unlock(&lock);
}

/**
 * progress_begin_if_idle - begin to do something, unless it is part of what is being done
 * @what: as progress_begin()
 * @total: as progress_begin()
 *
 * Return: whether it is something of its own; if not, progress_at() and progress_end() are for
 *	others to call.
 */
bool progress_begin_if_idle(const char *what, u64 total)
{
	bool idle;

	pthread_mutex_lock(&lock);
	idle = !doing;
	pthread_mutex_unlock(&lock);
	if (idle)
		progress_begin(what, total);
	return idle;
}

/**
 * progress_at - tell how much is done
 * @so_far: how much, of the total of progress_begin()
 */
void progress_at(u64 so_far)
{
	atomic_store_explicit(&done, so_far, memory_order_relaxed);
}

/**
 * progress_end - be done, or have something to print
 *
 * Takes the line away. Nothing happens if nothing is being done.
 */
void progress_end(void)
{
	if (terminal < 0)
		return;
	pthread_mutex_lock(&lock);
	if (shown)
		dprintf(terminal, "\r\033[K");
	shown = false;
	doing = NULL;
	pthread_mutex_unlock(&lock);
}

/**
 * progress_stop - draw nothing from now on
 *
 * The terminal is for something else, such as a pager or lines that are printed meanwhile.
 */
void progress_stop(void)
{
	progress_end();
	if (terminal >= 0)
		close(terminal);
	terminal = -1;
}
