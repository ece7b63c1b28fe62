// SPDX-License-Identifier: GPL-2.0
/*
 * Makes pairs of system calls that commute: their results and the final state do not depend on
 * the order. By the scalable commutativity rule, such calls have an implementation in which
 * neither writes memory that the other accesses. The analysis of the trace shows whether the
 * kernel's implementation is like that.
 *
 * One call runs on CPU 0 in scope 0, the other one on CPU 1 in scope 1, in a phase named after
 * both. They run one after the other, since only the accessed memory is compared. Both are made
 * several times outside of scopes first, to exclude one-time initialization.
 *
 * Usage: commuter list [PATTERN]	list phases, and why the calls commute
 *        commuter run MARKER [PATTERN]	make the calls, and write phases to MARKER
 */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../tests/guest.h"
#include "commuter.h"

#define WARM	3	/* rounds outside of scopes */
#define ROUNDS	3	/* rounds in scopes */

static const char * const names[SITUATIONS] = {
	[ONE_DIRECTORY] = "one-directory",
	[OWN_DIRECTORIES] = "own-directories",
	[THREADS] = "threads",
	[ONE_FILE] = "one-file",
	[ONE_DESCRIPTION] = "one-description",
};

/* Why calls commute in situations where the reason is the same for all pairs. */
static const char * const reasons[SITUATIONS] = {
	[ONE_DIRECTORY] = "different names, descriptors, memory and sockets of two processes",
	[OWN_DIRECTORIES] = "different directories of two processes",
	[THREADS] = "different names, descriptors, memory and sockets, of which no number is the lowest free one",
};

/* Pairs that commute in situations where not all do. */
static const struct {
	enum situation situation;
	const char *first, *second, *why;
} pairs[] = {
	{ ONE_FILE, "open", "open", "each gets a description of its own" },
	{ ONE_FILE, "open", "stat", "opening changes nothing that stat tells" },
	{ ONE_FILE, "open", "read", "opening and reading change nothing that the other sees" },
	{ ONE_FILE, "stat", "stat", "neither changes anything" },
	{ ONE_FILE, "stat", "read", "reading leaves the times, as mounted" },
	{ ONE_FILE, "stat", "close", "closing changes nothing that stat tells" },
	{ ONE_FILE, "fstat", "fstat", "neither changes anything" },
	{ ONE_FILE, "read", "read", "different pages, different descriptions" },
	{ ONE_FILE, "read", "write", "different pages, different descriptions" },
	{ ONE_FILE, "write", "write", "different pages, different descriptions" },
	{ ONE_FILE, "link", "link", "two new names, two links more in any order" },
	{ ONE_FILE, "unlink", "unlink", "two of three names, two links less in any order" },
	{ ONE_FILE, "link", "unlink", "neither is told how many links there are" },
	{ ONE_FILE, "close", "close", "different descriptions" },
	{ ONE_DESCRIPTION, "fstat", "fstat", "neither changes anything" },
	{ ONE_DESCRIPTION, "close", "close", "neither descriptor is the last" },
	{ ONE_DESCRIPTION, "fstat", "close", "the descriptor is not the last" },
	{ ONE_DESCRIPTION, "read-pipe", "write-pipe", "the pipe is neither empty nor full" },
};

/* Requests to the second side, in shared memory. */
struct control {
	volatile long asked, done;	/* number of requests, and of completed ones */
	int call;
	enum { PREPARE, CALL, UNDO, END } what;
	bool counts;			/* the round is in scopes */
	bool failed;
};

static struct control *control;
static struct side sides[2];
static int marker;

/* Touch the page for messages in every round, so that a page fault is not in a scope. */
void scope_begin(int nr)
{
	((volatile char *)window)[0] = 1;
	if (control->counts)
		say_short(MEMORIZER_MSG_SCOPE, nr);
}

static void scope_end(int nr)
{
	if (control->counts)
		say_short(MEMORIZER_MSG_LEAVE, nr);
}

static bool run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return !sched_setaffinity(0, sizeof(set), &set);
}

/* exit runs in a child, which begins the scope itself. */
static bool make_call(struct side *s, const struct call *c)
{
	bool own = !strcmp(c->name, "exit"), made;

	if (!own)
		scope_begin(s->nr);
	made = c->call(s);
	if (!own)
		scope_end(s->nr);
	return made;
}

static bool act(struct side *s, const struct call *c)
{
	switch (control->what) {
	case PREPARE:
		return !c->prepare || c->prepare(s);
	case CALL:
		return make_call(s, c);
	case UNDO:
		return !c->undo || c->undo(s);
	default:
		return true;
	}
}

/* Main loop of the second side. */
static void *serve(void *side)
{
	struct side *s = side;
	long seen = 0;

	control->failed |= !run_on(1) || !side_setup(s);
	do {
		__atomic_store_n(&control->done, seen, __ATOMIC_RELEASE);
		while (__atomic_load_n(&control->asked, __ATOMIC_ACQUIRE) == seen)
			;
		seen++;
		control->failed |= !act(s, &calls[control->call]);
	} while (control->what != END);
	__atomic_store_n(&control->done, seen, __ATOMIC_RELEASE);
	return NULL;
}

/* Run a step on both sides, one after the other. */
static bool both(int what, int first, int second)
{
	control->what = what;
	if (!act(&sides[0], &calls[first]))
		return false;
	control->call = second;
	__atomic_add_fetch(&control->asked, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&control->done, __ATOMIC_ACQUIRE) != control->asked)
		;
	return !control->failed;
}

/* ENOSPC is harmless: the kernel's own stream is full, since it has no reader. */
static bool mark(const char *text)
{
	return write(marker, text, strlen(text)) == (ssize_t)strlen(text) || errno == ENOSPC;
}

static bool make_pair(const char *phase, int first, int second)
{
	char text[128];
	int round;

	snprintf(text, sizeof(text), "phase %s", phase);
	for (round = 0; round < WARM + ROUNDS; round++) {
		control->counts = round >= WARM;
		if (!both(PREPARE, first, second) || (control->counts && !mark(text)) ||
		    !both(CALL, first, second) || (control->counts && !mark("phase")) ||
		    !both(UNDO, first, second)) {
			fprintf(stderr, "commuter: %s: failed\n", phase);
			return false;
		}
	}
	return true;
}

/* Return why two calls commute in a situation; NULL if they do not, or are not tested. */
static const char *why(enum situation situation, const struct call *first,
		       const struct call *second)
{
	size_t i;

	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (pairs[i].situation == situation && !strcmp(pairs[i].first, first->name) &&
		    !strcmp(pairs[i].second, second->name))
			return pairs[i].why;
	if (situation == OWN_DIRECTORIES && !(first->about & second->about & NAMES))
		return NULL;
	if (situation == THREADS &&
	    ((first->about | second->about) & PROCESS ||
	     (first->about & (TAKES | GIVES) && second->about & (TAKES | GIVES) &&
	      (first->about | second->about) & TAKES)))
		return NULL;
	return reasons[situation];
}

/* Call a function for each phase of a situation, until it returns false. */
static bool each_phase(enum situation situation, const char *pattern,
		       bool (*visit)(const char *phase, int first, int second))
{
	char phase[96];
	int i, j;

	for (i = 0; i < nr_calls; i++) {
		for (j = i; j < nr_calls; j++) {
			snprintf(phase, sizeof(phase), "%s/%s/%s", names[situation], calls[i].name,
				 calls[j].name);
			if (why(situation, &calls[i], &calls[j]) &&
			    (!pattern || !fnmatch(pattern, phase, FNM_EXTMATCH)) &&
			    !visit(phase, i, j))
				return false;
		}
	}
	return true;
}

static bool is_one(const char *phase, int first, int second)
{
	(void)phase;
	(void)first;
	(void)second;
	return false;
}

static void init_sides(enum situation situation)
{
	int nr;

	for (nr = 0; nr < 2; nr++) {
		sides[nr] = (struct side) { .nr = nr, .situation = situation };
		snprintf(sides[nr].dir, PATH_SIZE, "/tmp/%s%d", names[situation],
			 situation == OWN_DIRECTORIES ? nr : 0);
	}
}

/* Open a file and a pipe with data, which both sides inherit. */
static bool open_common(void)
{
	int fd;

	if (mkdir(sides[0].dir, 0700))
		return false;
	snprintf(sides[0].file, sizeof(sides[0].file), "%s/file0", sides[0].dir);
	fd = open(sides[0].file, O_CREAT | O_RDWR, 0600);
	if (fd < 0 || pipe(sides[0].pipe) || write(sides[0].pipe[1], "12345678", 8) != 8)
		return false;
	sides[0].fd = fd;
	sides[1].fd = fd;
	memcpy(sides[1].pipe, sides[0].pipe, sizeof(sides[1].pipe));
	return true;
}

/* Run all phases of a situation, as the first side. */
static bool run_situation(enum situation situation, const char *pattern)
{
	pthread_t thread;
	pid_t child = 0;
	bool good;

	init_sides(situation);
	*control = (struct control) { .done = -1 };
	if (!run_on(0) || (situation == ONE_DESCRIPTION && !open_common()))
		return false;
	if (situation == THREADS) {
		good = !pthread_create(&thread, NULL, serve, &sides[1]);
	} else {
		child = fork();
		if (!child)
			_exit(!!serve(&sides[1]));
		good = child > 0;
	}
	if (!good || !side_setup(&sides[0]))
		return false;
	while (__atomic_load_n(&control->done, __ATOMIC_ACQUIRE))
		;
	good = !control->failed && each_phase(situation, pattern, make_pair);
	both(END, 0, 0);
	return good && (!child || waitpid(child, NULL, 0) == child);
}

static bool run(const char *pattern)
{
	int situation, status;
	pid_t child;

	control = mmap(NULL, sizeof(*control), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	if (control == MAP_FAILED)
		return false;
	for (situation = 0; situation < SITUATIONS; situation++) {
		if (each_phase(situation, pattern, is_one))
			continue;
		child = fork();
		if (!child)
			_exit(!run_situation(situation, pattern));
		if (child < 0 || waitpid(child, &status, 0) != child || status) {
			fprintf(stderr, "commuter: %s: failed\n", names[situation]);
			return false;
		}
	}
	return true;
}

static enum situation listed;

static bool list(const char *phase, int first, int second)
{
	printf("%s,%s\n", phase, why(listed, &calls[first], &calls[second]));
	return true;
}

int main(int argc, char **argv)
{
	if (argc >= 2 && !strcmp(argv[1], "list")) {
		for (listed = 0; listed < SITUATIONS; listed++)
			each_phase(listed, argc > 2 ? argv[2] : NULL, list);
		return 0;
	}
	if (argc < 3 || strcmp(argv[1], "run"))
		return 2;
	marker = open(argv[2], O_WRONLY);
	if (marker < 0) {
		perror(argv[2]);
		return 1;
	}
	if (!run(argc > 3 ? argv[3] : NULL))
		return 1;
	puts("commuter: done");
	return 0;
}
