/* SPDX-License-Identifier: GPL-2.0 */
/* Commuter's question in a guest: what calls.c and commuter.c know of each other. */
#ifndef COMMUTER_H
#define COMMUTER_H

#include <stdbool.h>
#include <sys/types.h>

/* Who runs the two calls, and what they have in common. */
enum situation {
	ONE_DIRECTORY,		/* two processes, different files of one directory */
	OWN_DIRECTORIES,	/* two processes, a directory each */
	THREADS,		/* two threads of one process, different files of one directory */
	ONE_FILE,		/* two processes, one file, opened by each for itself */
	ONE_DESCRIPTION,	/* two processes, one open file and one pipe, inherited by both */
	SITUATIONS
};

#define PATH_SIZE	64

/**
 * struct side - one of the two that call
 * @nr: which: 0 on CPU 0, 1 on CPU 1
 * @situation: what it has in common with the other
 * @dir: directory of its files
 * @file: a file of two pages
 * @temporary: where the call makes or removes a name
 * @other: the name that a rename gives
 * @fd: @file, opened once
 * @made: descriptors that the call made
 * @pipe: a pipe
 * @pair: two sockets that are connected
 * @listener: a socket that listens
 * @client: a socket that is to be connected
 * @at: memory that the call maps, unmaps or touches
 * @child: what the call forked
 * @wake: a byte here lets @child go on
 */
struct side {
	int nr;
	enum situation situation;
	char dir[PATH_SIZE], file[2 * PATH_SIZE], temporary[2 * PATH_SIZE], other[2 * PATH_SIZE];
	int fd, made[2], pipe[2], pair[2], listener, client;
	void *at;
	pid_t child;
	int wake[2];
};

/* What keeps a call from commuting with another in some situation. */
enum {
	NAMES = 1,		/* works on names in a directory */
	TAKES = 2,		/* takes the lowest descriptor that is free */
	GIVES = 4,		/* makes a descriptor free */
	PROCESS = 8,		/* makes or ends a process */
};

/**
 * struct call - a system call, with its resources
 * @name: its name
 * @about: flags
 * @prepare: is done before it, or NULL
 * @call: it, in a scope; false: it failed
 * @undo: is done behind it, or NULL
 */
struct call {
	const char *name;
	unsigned int about;
	bool (*prepare)(struct side *s);
	bool (*call)(struct side *s);
	bool (*undo)(struct side *s);
};

extern const struct call calls[];
extern const int nr_calls;

/* calls.c */
bool side_setup(struct side *s);

/* commuter.c */
void scope_begin(int nr);

#endif
