// SPDX-License-Identifier: GPL-2.0
/* The system calls that commuter.c combines. Each side has its own resources. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commuter.h"

#define PAGE		4096
/* Distance of the sides' memory: they must not share a page table. */
#define MEMORY		((char *)(1ULL << 40))
#define APART		(1ULL << 30)

static char buffers[2][PAGE] __attribute__((aligned(PAGE)));

/* If both sides use one file, each accesses its own page. */
static off_t offset_of(const struct side *s)
{
	return s->situation == ONE_FILE ? s->nr * PAGE : 0;
}

static bool make(const char *path)
{
	int fd = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);

	return fd >= 0 && !close(fd);
}

static bool close_made(struct side *s)
{
	return !close(s->made[0]);
}

static bool rewind_file(struct side *s)
{
	return lseek(s->fd, offset_of(s), SEEK_SET) == offset_of(s);
}

static bool open_file(struct side *s)
{
	s->made[0] = open(s->file, O_RDONLY);
	return s->made[0] >= 0;
}

static bool creat_file(struct side *s)
{
	s->made[0] = open(s->temporary, O_CREAT | O_EXCL | O_WRONLY, 0600);
	return s->made[0] >= 0;
}

static bool creat_undo(struct side *s)
{
	return close_made(s) && !unlink(s->temporary);
}

static bool link_file(struct side *s)
{
	return !link(s->file, s->temporary);
}

static bool remove_temporary(struct side *s)
{
	return !unlink(s->temporary);
}

/* If both sides use one file, each removes its own link to it. */
static bool make_temporary(struct side *s)
{
	return s->situation == ONE_FILE ? link_file(s) : make(s->temporary);
}

static bool rename_file(struct side *s)
{
	return !rename(s->temporary, s->other);
}

static bool remove_other(struct side *s)
{
	return !unlink(s->other);
}

static bool stat_file(struct side *s)
{
	struct stat st;

	return !stat(s->file, &st);
}

static bool read_file(struct side *s)
{
	return read(s->fd, buffers[s->nr], 512) == 512;
}

static bool write_file(struct side *s)
{
	return write(s->fd, buffers[s->nr], 512) == 512;
}

/* If both sides use one open file, each closes its own descriptor of it. */
static bool close_prepare(struct side *s)
{
	s->made[0] = s->situation == ONE_DESCRIPTION ? dup(s->fd) : open(s->file, O_RDONLY);
	return s->made[0] >= 0;
}

static bool fstat_file(struct side *s)
{
	struct stat st;

	return !fstat(s->fd, &st);
}

static bool pipe_make(struct side *s)
{
	return !pipe(s->made);
}

static bool pipe_undo(struct side *s)
{
	return !close(s->made[0]) && !close(s->made[1]);
}

static bool pipe_write(struct side *s)
{
	return write(s->pipe[1], buffers[s->nr], 8) == 8;
}

static bool pipe_read(struct side *s)
{
	return read(s->pipe[0], buffers[s->nr], 8) == 8;
}

static bool map(struct side *s)
{
	s->at = mmap(MEMORY + s->nr * APART, PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	return s->at != MAP_FAILED;
}

static bool touch(struct side *s)
{
	*(volatile char *)s->at = 1;
	return true;
}

static bool map_and_touch(struct side *s)
{
	return map(s) && touch(s);
}

static bool unmap(struct side *s)
{
	return !munmap(s->at, PAGE);
}

static bool fork_child(struct side *s)
{
	s->child = fork();
	if (!s->child)
		_exit(0);
	return s->child > 0;
}

static bool reap(struct side *s)
{
	return waitpid(s->child, NULL, 0) == s->child;
}

/* The child begins the scope, and exits in it. */
static bool exit_prepare(struct side *s)
{
	char byte;

	s->child = fork();
	if (s->child)
		return s->child > 0;
	if (read(s->wake[0], &byte, 1) != 1)
		_exit(1);
	scope_begin(s->nr);
	_exit(0);
}

static bool exit_child(struct side *s)
{
	return write(s->wake[1], "", 1) == 1 && reap(s);
}

static bool socket_make(struct side *s)
{
	s->made[0] = socket(AF_UNIX, SOCK_DGRAM, 0);
	return s->made[0] >= 0;
}

/* Format an abstract socket address of the side. */
static socklen_t address(const struct side *s, const char *what, struct sockaddr_un *to)
{
	memset(to, 0, sizeof(*to));
	to->sun_family = AF_UNIX;
	return offsetof(struct sockaddr_un, sun_path) + 1 +
	       snprintf(to->sun_path + 1, sizeof(to->sun_path) - 1, "commuter-%s-%d-%d", what,
			s->situation, s->nr);
}

static bool bind_socket(struct side *s)
{
	struct sockaddr_un to;
	socklen_t length = address(s, "bind", &to);

	return !bind(s->made[0], (struct sockaddr *)&to, length);
}

static bool make_client(struct side *s)
{
	s->client = socket(AF_UNIX, SOCK_STREAM, 0);
	return s->client >= 0;
}

static bool connect_client(struct side *s)
{
	struct sockaddr_un to;
	socklen_t length = address(s, "listen", &to);

	return !connect(s->client, (struct sockaddr *)&to, length);
}

static bool accept_client(struct side *s)
{
	s->made[0] = accept(s->listener, NULL, NULL);
	return s->made[0] >= 0;
}

static bool close_client(struct side *s)
{
	return close_made(s) && !close(s->client);
}

static bool connect_undo(struct side *s)
{
	return accept_client(s) && close_client(s);
}

static bool accept_prepare(struct side *s)
{
	return make_client(s) && connect_client(s);
}

static bool send_datagram(struct side *s)
{
	return send(s->pair[0], buffers[s->nr], 16, 0) == 16;
}

static bool recv_datagram(struct side *s)
{
	return recv(s->pair[1], buffers[s->nr], 16, 0) == 16;
}

static bool get_pid(struct side *s)
{
	(void)s;
	return getppid() >= 0;
}

const struct call calls[] = {
	{ "open", NAMES | TAKES, NULL, open_file, close_made },
	{ "creat", NAMES | TAKES, NULL, creat_file, creat_undo },
	{ "link", NAMES, NULL, link_file, remove_temporary },
	{ "unlink", NAMES, make_temporary, remove_temporary, NULL },
	{ "rename", NAMES, make_temporary, rename_file, remove_other },
	{ "stat", NAMES, NULL, stat_file, NULL },
	{ "fstat", 0, NULL, fstat_file, NULL },
	{ "read", 0, rewind_file, read_file, NULL },
	{ "write", 0, rewind_file, write_file, NULL },
	{ "close", GIVES, close_prepare, close_made, NULL },
	{ "pipe", TAKES, NULL, pipe_make, pipe_undo },
	{ "read-pipe", 0, pipe_write, pipe_read, NULL },
	{ "write-pipe", 0, NULL, pipe_write, pipe_read },
	{ "mmap", 0, NULL, map, unmap },
	{ "munmap", 0, map_and_touch, unmap, NULL },
	{ "fault", 0, map, touch, unmap },
	{ "fork", PROCESS, NULL, fork_child, reap },
	{ "exit", PROCESS, exit_prepare, exit_child, NULL },
	{ "socket", TAKES, NULL, socket_make, close_made },
	{ "bind", 0, socket_make, bind_socket, close_made },
	{ "connect", 0, make_client, connect_client, connect_undo },
	{ "accept", TAKES, accept_prepare, accept_client, close_client },
	{ "send", 0, NULL, send_datagram, recv_datagram },
	{ "recv", 0, send_datagram, recv_datagram, NULL },
	{ "getppid", 0, NULL, get_pid, NULL },
};

const int nr_calls = sizeof(calls) / sizeof(calls[0]);

/* Create a file of two pages, unless it exists, and fill it. */
static bool fill(const char *path)
{
	int fd = open(path, O_CREAT | O_WRONLY, 0600);

	return fd >= 0 && write(fd, buffers[0], PAGE) == PAGE &&
	       write(fd, buffers[1], PAGE) == PAGE && !close(fd);
}

static bool listen_for_clients(struct side *s)
{
	struct sockaddr_un to;
	socklen_t length = address(s, "listen", &to);

	s->listener = socket(AF_UNIX, SOCK_STREAM, 0);
	return s->listener >= 0 && !bind(s->listener, (struct sockaddr *)&to, length) &&
	       !listen(s->listener, 1);
}

/* Open the file and a pipe, unless they are inherited. */
static bool open_resources(struct side *s)
{
	if (s->situation == ONE_DESCRIPTION)
		return true;
	s->fd = open(s->file, O_RDWR);
	return s->fd >= 0 && !pipe(s->pipe);
}

/**
 * side_setup() - create the resources of a side
 * @s: the side
 *
 * Context: on the CPU of the side.
 * Return: true on success
 */
bool side_setup(struct side *s)
{
	int shared = s->situation == ONE_FILE || s->situation == ONE_DESCRIPTION ? 0 : s->nr;

	snprintf(s->file, sizeof(s->file), "%s/file%d", s->dir, shared);
	snprintf(s->temporary, sizeof(s->temporary), "%s/temporary%d", s->dir, s->nr);
	snprintf(s->other, sizeof(s->other), "%s/other%d", s->dir, s->nr);
	memset(buffers[s->nr], 1, PAGE);
	return (!mkdir(s->dir, 0700) || errno == EEXIST) && fill(s->file) && open_resources(s) &&
	       !pipe(s->wake) && !socketpair(AF_UNIX, SOCK_DGRAM, 0, s->pair) &&
	       listen_for_clients(s);
}
