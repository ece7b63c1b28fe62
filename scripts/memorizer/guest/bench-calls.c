// SPDX-License-Identifier: GPL-2.0
/*
 * The bench's calls: ten system calls, one by one or as a load on several CPUs,
 * and the time of reads and writes of Memorizer's own files.
 *
 * Cycles are those of the time stamp counter, which counts guest instructions
 * under QEMU's -icount shift=0. There, the run time of a process and its children
 * in ns is their guest instructions, without those of other tasks.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#define PAGES 16

static char path[64], victim[64], buffer[4096];
static int file, pipe_fd[2], socket_fd[2];

static void check(int ok, const char *what)
{
	if (!ok) {
		perror(what);
		exit(1);
	}
}

static void call_empty(void)
{
	asm volatile("" ::: "memory");
}

static void call_getppid(void)
{
	syscall(SYS_getppid);
}

static void call_stat(void)
{
	struct stat st;

	check(!stat(path, &st), "stat");
}

static void call_open_close(void)
{
	int fd = open(path, O_RDONLY);

	check(fd >= 0 && !close(fd), "open+close");
}

static void call_pread(void)
{
	check(pread(file, buffer, 4096, 0) == 4096, "pread");
}

static void call_pwrite(void)
{
	check(pwrite(file, buffer, 4096, 0) == 4096, "pwrite");
}

static void call_pipe(void)
{
	check(write(pipe_fd[1], buffer, 64) == 64, "write to the pipe");
	check(read(pipe_fd[0], buffer, 64) == 64, "read from the pipe");
}

static void call_socket(void)
{
	check(write(socket_fd[1], buffer, 64) == 64, "write to the socket");
	check(read(socket_fd[0], buffer, 64) == 64, "read from the socket");
}

static void call_mmap(void)
{
	char *p = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int i;

	check(p != MAP_FAILED, "mmap");
	for (i = 0; i < PAGES; i++)
		((volatile char *)p)[i * 4096] = 1;
	check(!munmap(p, PAGES * 4096), "munmap");
}

static void call_fork(void)
{
	pid_t child = fork();
	int status;

	check(child >= 0, "fork");
	if (!child)
		_exit(0);
	check(waitpid(child, &status, 0) == child && !status, "wait");
}

static void call_create(void)
{
	int fd = open(victim, O_CREAT | O_EXCL | O_WRONLY, 0600);

	check(fd >= 0 && !close(fd) && !unlink(victim), "create+unlink");
}

static const struct {
	const char *name;
	void (*call)(void);
	int count;
} calls[] = {
	{ "getppid",		call_getppid,	 40000 },
	{ "stat",		call_stat,	 10000 },
	{ "open+close",		call_open_close, 5000 },
	{ "pread-4k",		call_pread,	 10000 },
	{ "pwrite-4k",		call_pwrite,	 10000 },
	{ "pipe",		call_pipe,	 5000 },
	{ "unix-socket",	call_socket,	 4000 },
	{ "mmap+fault",		call_mmap,	 500 },
	{ "fork+exit+wait",	call_fork,	 1000 },
	{ "create+unlink",	call_create,	 2000 },
};

#define CALLS (sizeof(calls) / sizeof(calls[0]))

static void prepare(int id)
{
	snprintf(path, sizeof(path), "/tmp/bench.%d", id);
	snprintf(victim, sizeof(victim), "/tmp/victim.%d", id);
	file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	check(file >= 0, path);
	check(write(file, buffer, 4096) == 4096, path);
	check(!pipe(pipe_fd), "pipe");
	check(!socketpair(AF_UNIX, SOCK_STREAM, 0, socket_fd), "socketpair");
}

static double cycles(void)
{
	return __rdtsc();
}

/* Return the run time of this process and its children in ns. */
static double run_time(void)
{
	struct rusage children;
	struct timespec self;

	check(!clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &self) &&
	      !getrusage(RUSAGE_CHILDREN, &children), "times");
	return self.tv_sec * 1e9 + self.tv_nsec +
		(children.ru_utime.tv_sec + children.ru_stime.tv_sec) * 1e9 +
		(children.ru_utime.tv_usec + children.ru_stime.tv_usec) * 1e3;
}

static double (*clock_read)(void) = cycles;

/* Return the average cycles of @count calls. */
static double measure(void (*call)(void), int count)
{
	double start;
	int i;

	start = clock_read();
	for (i = 0; i < count; i++)
		call();
	return (clock_read() - start) / count;
}

/* Return the number of events streamed so far, from @stats; 0 without it. */
static double events(const char *stats)
{
	unsigned long long n = 0;
	char line[256];
	FILE *in;

	if (!stats)
		return 0;
	in = fopen(stats, "r");
	check(!!in, stats);
	while (fgets(line, sizeof(line), in) && sscanf(line, "stream_produced: %llu", &n) != 1)
		;
	fclose(in);
	return n;
}

/* Print the cost of a call and, with @stats, the number of its events. */
static void print_call(size_t which, double loop, const char *stats)
{
	int count = calls[which].count;
	double cost, first, before, own;

	measure(calls[which].call, count / 4);
	/* Reading the number of events adds some. */
	first = events(stats);
	before = events(stats);
	own = before - first;
	cost = measure(calls[which].call, count) - loop;
	printf("%s %.2f", calls[which].name, cost);
	if (stats)
		printf(" %.3f", (events(stats) - before - own) / count);
	printf("\n");
	fflush(stdout);
}

/* Measure the ten calls, each after a warm-up. */
static int suite(const char *stats)
{
	double loop;
	size_t i;

	prepare(0);
	loop = measure(call_empty, 10000);
	for (i = 0; i < CALLS; i++)
		print_call(i, loop, stats);
	return 0;
}

/* Likewise, without the instructions of other tasks. */
static int suite_alone(void)
{
	clock_read = run_time;
	return suite(NULL);
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	check(!sched_setaffinity(0, sizeof(set), &set), "sched_setaffinity");
}

/* Work for several CPUs at once */
struct task {
	const char *name;
	void (*warm_up)(int cpu, const struct task *task);
	void (*run)(const struct task *task);
	const char *file;
	int rounds;
};

static void work(int rounds)
{
	size_t i;

	while (rounds--)
		for (i = 0; i < CALLS; i++)
			measure(calls[i].call, calls[i].count / 200);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void warm_up_work(int cpu, const struct task *task)
{
	prepare(cpu);
	work(1);
}

static void run_work(const struct task *task)
{
	work(task->rounds);
}

/* A worker reports in @ready when it is warm, and starts when the write end of @go is closed. */
static void worker(int cpu, const struct task *task, int ready, int go)
{
	pin(cpu);
	if (task->warm_up)
		task->warm_up(cpu, task);
	check(write(ready, "", 1) == 1, "be ready");
	check(!read(go, buffer, 1), "wait for the start");
	task->run(task);
	_exit(0);
}

/* Run the same work on each of @cpus CPUs at once, and print the time until all are done. */
static int run_at_once(int cpus, const struct task *task)
{
	int ready[2], go[2], cpu, status;
	double start;

	check(!pipe(ready) && !pipe(go), "pipe");
	for (cpu = 0; cpu < cpus; cpu++) {
		pid_t child = fork();

		check(child >= 0, "fork");
		if (!child) {
			close(go[1]);
			worker(cpu, task, ready[1], go[0]);
		}
	}
	for (cpu = 0; cpu < cpus; cpu++)
		check(read(ready[0], buffer, 1) == 1, "wait for the workers");
	start = now();
	close(go[1]);
	for (cpu = 0; cpu < cpus; cpu++)
		check(wait(&status) > 0 && !status, "a worker");
	printf("%s-%d %.6f\n", task->name, cpus, now() - start);
	return 0;
}

static int run_load(int cpus, int rounds)
{
	const struct task task = {
		.name = "load", .warm_up = warm_up_work, .run = run_work, .rounds = rounds,
	};

	return run_at_once(cpus, &task);
}

/* Print the time to write @value to @name. */
static int time_write(const char *name, const char *value)
{
	int fd = open(name, O_WRONLY);
	double start;

	check(fd >= 0, name);
	start = now();
	check(write(fd, value, strlen(value)) == (ssize_t)strlen(value), name);
	printf("write %.6f\n", now() - start);
	return 0;
}

/* Print the time to read @name, without counting its lines, and the number of lines. */
static int time_read(const char *name)
{
	static char chunk[1 << 17];
	int fd = open(name, O_RDONLY);
	unsigned long lines = 0, bytes = 0;
	double start, took = 0;
	ssize_t n, i;

	check(fd >= 0, name);
	do {
		start = now();
		n = read(fd, chunk, sizeof(chunk));
		took += now() - start;
		check(n >= 0, name);
		bytes += n;
		for (i = 0; i < n; i++)
			lines += chunk[i] == '\n';
	} while (n);
	printf("lines %lu\nbytes %lu\nread %.6f\n", lines, bytes, took);
	return 0;
}

static void read_file(const struct task *task)
{
	static char chunk[1 << 17];
	int fd = open(task->file, O_RDONLY);
	ssize_t n;

	check(fd >= 0, task->file);
	do {
		n = read(fd, chunk, sizeof(chunk));
		check(n >= 0, task->file);
	} while (n);
}

/* Print the time until @readers, each on its own CPU, have read all of @name. */
static int time_readers(int readers, const char *name)
{
	const struct task task = { .name = "readers", .run = read_file, .file = name };

	return run_at_once(readers, &task);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "suite"))
		return suite(NULL);
	if (argc == 2 && !strcmp(argv[1], "suite-alone"))
		return suite_alone();
	if (argc == 3 && !strcmp(argv[1], "events"))
		return suite(argv[2]);
	if (argc == 4 && !strcmp(argv[1], "load"))
		return run_load(atoi(argv[2]), atoi(argv[3]));
	if (argc == 4 && !strcmp(argv[1], "write"))
		return time_write(argv[2], argv[3]);
	if (argc == 3 && !strcmp(argv[1], "read"))
		return time_read(argv[2]);
	if (argc == 4 && !strcmp(argv[1], "readers"))
		return time_readers(atoi(argv[2]), argv[3]);
	fputs("usage: bench-calls suite | suite-alone | events STATS | load CPUS ROUNDS | write FILE VALUE | read FILE | readers READERS FILE\n",
	      stderr);
	return 2;
}
