// SPDX-License-Identifier: GPL-2.0
/*
 * Progress bar on the terminal, if standard error is one. It appears after a second. A thread draws
 * it, so that progress_at() does not read the clock, and blocked commands show it, too.
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

#define AFTER_MS	1000	/* delay before the bar appears */
#define EVERY_MS	250	/* interval between updates */
#define BAR_WIDTH	40
#define NAME_MAX_SHOWN	24	/* a longer name loses its beginning */

/* Prefix of the line, set if a command runs other ones. */
const char *progress_label = "";

/* Guards the following variables, except for @terminal and @done. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *doing;		/* name of the current operation; NULL if idle */
static u64 all;				/* its total amount of work; 0 if unknown */
static u64 since;			/* its start time in ms */
static bool shown;			/* the bar is on the terminal */
static bool drawing;			/* the thread was started */
static bool at_once;			/* skip the delay */
static int terminal = -1;		/* file descriptor of the terminal; -1 disables the bar */
static atomic_ullong done;		/* amount of work done */

static u64 now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/**
 * progress_init - enable the progress bar, if standard error is a terminal
 *
 * MEMORIZER_PROGRESS=no in the environment disables it, MEMORIZER_PROGRESS=at-once skips its delay.
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
	/* The amount is an estimate: more than all may be done. */
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
		/* Poll, so that progress_at() need not wake the thread. */
		nanosleep(&every, NULL);
		pthread_mutex_lock(&lock);
		if (doing && now_ms() - since >= AFTER_MS)
			draw();
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

/**
 * progress_begin - start a potentially long operation
 * @what: name to show; must be valid until progress_end()
 * @total: amount of work, in any unit; 0 if unknown
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
		/* The thread is never joined: exit() ends it. */
		pthread_detach(thread);
		drawing = true;
	}
	if (at_once)
		draw();
	pthread_mutex_unlock(&lock);
}

/**
 * progress_begin_if_idle - start an operation, unless it is part of another one
 * @what: see progress_begin()
 * @total: see progress_begin()
 *
 * Return: true if it was started; otherwise the caller must not call progress_at() and
 *	   progress_end().
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
 * progress_at - update the progress of the current operation
 * @so_far: amount of work done, in the unit of progress_begin()
 */
void progress_at(u64 so_far)
{
	/* Relaxed: the value is only drawn. */
	atomic_store_explicit(&done, so_far, memory_order_relaxed);
}

/**
 * progress_end - end the current operation, if any, and erase the bar
 *
 * Must also be called before a message is printed.
 */
void progress_end(void)
{
	if (terminal < 0)
		return;
	pthread_mutex_lock(&lock);
	/* Erase the line, so that a message does not follow the bar. */
	if (shown)
		dprintf(terminal, "\r\033[K");
	shown = false;
	doing = NULL;
	pthread_mutex_unlock(&lock);
}

/**
 * progress_stop - disable the progress bar
 *
 * To be called when the terminal has another use, such as a pager.
 */
void progress_stop(void)
{
	progress_end();
	if (terminal >= 0)
		close(terminal);
	terminal = -1;
}
