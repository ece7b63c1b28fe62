/* SPDX-License-Identifier: GPL-2.0 */
/* Interface between commuter.c and calls.c. */
#ifndef COMMUTER_H
#define COMMUTER_H

#include <stdbool.h>
#include <sys/types.h>

/* Who makes the two calls, and what they share. */
enum situation {
	ONE_DIRECTORY,		/* two processes, different files of one directory */
	OWN_DIRECTORIES,	/* two processes, a directory each */
	THREADS,		/* two threads of one process, different files of one directory */
	ONE_FILE,		/* two processes, one file, opened by each of them */
	ONE_DESCRIPTION,	/* two processes, the same open file and pipe, inherited */
	SITUATIONS
};

#define PATH_SIZE	64

/**
 * struct side - one of the two callers
 * @nr: 0 on CPU 0, 1 on CPU 1
 * @situation: what it shares with the other side
 * @dir: directory of its files
 * @file: a file of two pages
 * @temporary: name that the call creates or removes
 * @other: new name for a rename
 * @fd: descriptor of @file
 * @made: descriptors that the call created
 * @pipe: a pipe
 * @pair: two connected sockets
 * @listener: a listening socket
 * @client: a socket to connect
 * @at: memory that the call maps, unmaps or touches
 * @child: process that the call forked
 * @wake: pipe; a byte lets @child continue
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

/* Properties that keep calls from commuting in some situations. */
enum {
	NAMES = 1,		/* operates on names in a directory */
	TAKES = 2,		/* allocates the lowest free descriptor */
	GIVES = 4,		/* frees a descriptor */
	PROCESS = 8,		/* creates or ends a process */
};

/**
 * struct call - a system call
 * @name: name of the call
 * @about: flags, see above
 * @prepare: called before the call, outside of the scope; may be NULL
 * @call: makes the call; returns false on failure
 * @undo: called after the call, outside of the scope; may be NULL
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
