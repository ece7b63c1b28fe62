// SPDX-License-Identifier: GPL-2.0
/* Records a trace: enables the kernel's stream and copies it to a directory. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/status.h"
#include "record/arrivals.h"
#include "record/streams.h"
#include "record/recorder.h"
#include "record/save.h"
#include "record/settings.h"
#include "record/yield.h"

#define TICK_MS		1000		/* interval of CPU scans and of the status line */
#define PRIORITY	-20		/* a recorder that waits for a CPU loses events */
#define BUFFER_SIZE	(64 << 20)	/* size of a CPU's buffer if not reported */

/* Signals that end the recording, unless ignored, as SIGHUP is under nohup. */
static const int end_signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

/**
 * struct recorder - a running recording
 * @what: the configuration
 * @kernel: the kernel's files
 * @trace: the directory of the trace
 * @streams: the CPUs' streams
 * @arrivals: the modules loaded so far
 * @signals: signalfd for the signals that end the recording, SIGCHLD and SIGUSR2
 * @mask: the signal mask before
 * @ends: signals that end the recording
 * @pipe: the handler of SIGPIPE before
 * @before: the kernel's switches before
 * @now: the kernel's switches now
 * @begin: start time, in ms
 * @end: end time, in ms; 0: none
 * @tick: time of the next tick, in ms
 * @show: time of the next update of the view, in ms; 0: none
 * @read_before: events read from the kernel before the recording
 * @buffer_size: bytes of a CPU's buffer
 * @shown: bytes copied at the last update of the status line
 * @shown_at: time of that update, in ms
 * @command: pid of the command; 0: none, or it exited
 * @command_status: its wait status
 * @snapshot: pid of the child that writes stream_snapshot; 0: none, or it exited
 * @yield: the kernel's counts before the recording
 * @interrupted: a signal to end the recording arrived
 * @stays_on: the stream could not be disabled
 * @over: end the current wait
 * @failed: an error occurred, after a message
 * @knows_read: @read_before is valid
 * @ended: the trace is complete
 */
struct recorder {
	struct recording *what;
	struct control kernel;
	struct save trace;
	struct streams streams;
	struct arrivals arrivals;
	int signals;
	sigset_t mask, ends;
	sighandler_t pipe;
	bool before[NR_STREAM_SWITCHES], now[NR_STREAM_SWITCHES];
	u64 begin, end, tick, show, read_before, buffer_size, shown, shown_at;
	pid_t command, snapshot;
	int command_status;
	struct yield yield;
	bool interrupted, stays_on, over, failed, knows_read, ended;
};

static u64 now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Called after an error message. */
static void fail(struct recorder *r)
{
	r->failed = true;
	r->over = true;
}

/* The status line, redrawn in place: seconds, rate, size and losses. */
static void show_live(struct recorder *r, u64 now)
{
	struct stream_totals sums = streams_total(&r->streams);
	u64 bytes = sums.read, ms = now - r->shown_at;
	u64 rate = ms ? (bytes - r->shown) / ms : 0;	/* bytes/ms are kB/s */

	fprintf(stderr, "\r%llu s  %llu.%03llu MB/s  %llu.%03llu MB  %llu lost \033[K",
		(now - r->begin) / 1000, rate / 1000, rate % 1000,
		bytes / 1000000, bytes / 1000 % 1000, sums.lost);
	r->shown = bytes;
	r->shown_at = now;
}

static bool shows_live(const struct recorder *r)
{
	return !r->what->view && isatty(STDERR_FILENO);
}

static void clear_live(const struct recorder *r)
{
	if (shows_live(r))
		fprintf(stderr, "\r\033[K");
}

/* Pass all packets read to the view. Returns the end of the last one, in ns. */
static u64 pass_packets(struct recorder *r)
{
	const struct recorder_view *view = r->what->view;
	const struct ring_packet *p;
	struct cpu_stream *s;
	u64 end = 0;
	u32 i;

	for (i = 0; i < r->streams.nr; i++) {
		s = r->streams.stream[i];
		if (s->stats.end > end)
			end = s->stats.end;
		for (; s->ring.nr; ring_take(&s->ring)) {
			p = ring_at(&s->ring, 0);
			view->packet(view->data, s->cpu, p->data, p->size);
		}
	}
	return end;
}

/* Update the view. The kernel buffers new events meanwhile. */
static void show(struct recorder *r)
{
	const struct recorder_view *view = r->what->view;
	u64 most = control_buffer_size(&r->kernel, BUFFER_SIZE), until, dropped;

	streams_stop(&r->streams);
	streams_flush(&r->streams, most);
	until = pass_packets(r);
	/*
	 * CPUs flushed early may have written packets up to @until since
	 * then: flush all again.
	 */
	streams_flush(&r->streams, most);
	pass_packets(r);
	dropped = streams_total(&r->streams).dropped;
	if (r->streams.failed || !streams_start(&r->streams))
		fail(r);
	else if (!view->show(view->data, until, until, dropped))
		r->over = true;
}

static u64 sooner(u64 time, u64 other)
{
	return other && other < time ? other : time;
}

/* Periodic work. Returns the timeout for poll(2), in ms. */
static int tick(struct recorder *r)
{
	u64 now = now_ms();

	if (now >= r->tick) {
		if (!streams_scan(&r->streams) || !streams_start(&r->streams) ||
		    !arrivals_look(&r->arrivals))
			fail(r);
		if (shows_live(r))
			show_live(r, now);
		r->tick = now + TICK_MS;
	}
	if (r->show && now >= r->show) {
		show(r);
		r->show = now + r->what->view->ms;
	}
	if (r->end && now >= r->end)
		r->over = true;
	/* Not negative: a deadline that has passed was renewed above, or has set @over. */
	return r->over ? 0 : sooner(sooner(r->tick, r->end), r->show) - now;
}

static void end_snapshot(struct recorder *r, int status)
{
	r->snapshot = 0;
	r->over = true;
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return;
	/*
	 * The child exits with an errno, see record_snapshot(); EINTR if
	 * a signal killed it.
	 */
	fprintf(stderr, "memorizer: %s/stream_snapshot: %s: the trace has no snapshot\n",
		r->kernel.path, strerror(WIFEXITED(status) ? WEXITSTATUS(status) : EINTR));
	fail(r);
}

/* Wait for children that exited. A snapshot in progress delays the end of the recording. */
static void reap(struct recorder *r)
{
	int status;

	if (r->snapshot && waitpid(r->snapshot, &status, WNOHANG) == r->snapshot)
		end_snapshot(r, status);
	if (r->command && waitpid(r->command, &status, WNOHANG) == r->command) {
		r->command = 0;
		r->command_status = status;
		/* The child that writes the snapshot blocks unless the streams are read. */
		r->over |= !r->snapshot;
	}
}

/* Write the packets in memory and those still in the kernel. */
static void write_flight(struct recorder *r)
{
	streams_stop(&r->streams);
	streams_flush(&r->streams, control_buffer_size(&r->kernel, BUFFER_SIZE));
	if (!streams_snapshot(&r->streams) || !streams_start(&r->streams))
		fail(r);
}

/* Handle one signal; blocks until there is one. */
static void take_signal(struct recorder *r)
{
	struct signalfd_siginfo signal;

	if (read(r->signals, &signal, sizeof(signal)) != sizeof(signal))
		return;
	if (signal.ssi_signo == SIGCHLD) {
		reap(r);
		return;
	}
	if (signal.ssi_signo == SIGUSR2) {
		write_flight(r);
		return;
	}
	/* Cancel only the snapshot: end_snapshot() then ends the wait. */
	if (r->snapshot)
		kill(r->snapshot, SIGKILL);
	else
		r->over = true;
	/* A second signal kills a command that ignores SIGTERM. */
	if (r->command)
		kill(r->command, r->interrupted ? SIGKILL : SIGTERM);
	r->interrupted = true;
}

/* Wait, while the workers copy, until @r->over is set. */
static void record_until_over(struct recorder *r)
{
	const struct recorder_view *view = r->what->view;
	/* poll(2) ignores a negative fd: no uevent socket, or no view. */
	struct pollfd polls[] = {
		{ .fd = r->signals, .events = POLLIN },
		{ .fd = r->streams.event, .events = POLLIN },
		{ .fd = r->arrivals.events, .events = POLLIN },
		{ .fd = view ? view->keys : -1, .events = POLLIN },
	};
	int n;

	if (!streams_start(&r->streams))
		fail(r);
	for (;;) {
		n = tick(r);
		if (r->over)
			break;
		n = poll(polls, ARRAY_SIZE(polls), n);
		if (n < 0 && errno != EINTR) {
			fprintf(stderr, "memorizer: poll: %s\n", strerror(errno));
			fail(r);
		}
		if (n > 0 && polls[0].revents)
			take_signal(r);
		if (n > 0 && polls[1].revents && !r->over && !streams_resume(&r->streams))
			r->over = true;
		if (n > 0 && polls[2].revents && !arrivals_event(&r->arrivals))
			fail(r);
		if (n > 0 && polls[3].revents && !view->key(view->data))
			r->over = true;
	}
	streams_stop(&r->streams);
}

/* A signal while the rest of the streams is read ends that. */
static atomic_bool enough;
static atomic_int reading = -1;

static void stop_reading(int signal)
{
	(void)signal;
	enough = true;
	/* If read(2) has not blocked yet, it would miss the signal. */
	if (reading >= 0)
		fcntl(reading, F_SETFL, O_NONBLOCK);
}

static void hear_signals(struct recorder *r, bool hear)
{
	struct sigaction action = { .sa_handler = hear ? stop_reading : SIG_DFL };
	size_t i;

	/* Block before SIG_DFL is back: a late signal must not kill the recorder. */
	if (!hear)
		sigprocmask(SIG_BLOCK, &r->ends, NULL);
	for (i = 0; i < ARRAY_SIZE(end_signals); i++)
		if (sigismember(&r->ends, end_signals[i]))
			sigaction(end_signals[i], &action, NULL);
	/* Unblock after the handlers are set: a pending signal is delivered at once. */
	if (hear)
		sigprocmask(SIG_UNBLOCK, &r->ends, NULL);
}

/*
 * Copy the rest of a stream up to its end. If the stream is still enabled, because disabling
 * it failed or somebody enabled it, there is no end: stop after the size of the buffer.
 */
static enum drain drain_stream(struct recorder *r, struct cpu_stream *s)
{
	enum drain got = s->failed ? DRAIN_FAILED : DRAIN_MORE;
	u64 before = s->read;

	/* Set before the loop checks @enough, so that no signal is missed in between. */
	reading = s->in.fd;
	/* A blocking read makes the kernel finish the last packet, and returns 0 after it. */
	fcntl(s->in.fd, F_SETFL, r->stays_on ? O_NONBLOCK : 0);
	while (got == DRAIN_MORE && !enough) {
		got = streams_drain(&r->streams, s);
		if (s->read - before < r->buffer_size)
			continue;
		/* More than the buffer held: somebody may have enabled the stream again. */
		if (!r->stays_on && !control_is_off(&r->kernel)) {
			fprintf(stderr,
				"memorizer: %s: the stream is on: the trace ends with what the buffers held\n",
				r->kernel.path);
			r->stays_on = true;
			r->failed = true;
		}
		if (r->stays_on)
			break;
		before = s->read;
	}
	reading = -1;
	return got;
}

/* Copy the rest of all streams; after an error, read and discard it. */
static void drain_rest(struct recorder *r)
{
	struct streams *c = &r->streams;
	u32 i;

	/* A CPU may have come online since the last tick. */
	if (!streams_scan(c))
		fail(r);
	r->buffer_size = control_buffer_size(&r->kernel, BUFFER_SIZE);
	hear_signals(r, true);
	for (i = 0; i < c->nr && !enough; i++) {
		if (drain_stream(r, c->stream[i]) != DRAIN_FAILED)
			continue;
		fail(r);
		/*
		 * The next recording must not contain these events. A stream
		 * that is on has no end.
		 */
		if (!r->stays_on)
			drain_discard(&c->stream[i]->in, &enough);
	}
	hear_signals(r, false);
	if (!enough)
		return;
	fprintf(stderr, "memorizer: %s: interrupted, events still in the kernel are left out\n",
		r->kernel.path);
	fail(r);
}

/* Write a snapshot. The write blocks until the snapshot was read, so a child does it. */
static void record_snapshot(struct recorder *r)
{
	r->snapshot = fork();
	if (!r->snapshot)
		_exit(control_write_quietly(&r->kernel, "stream_snapshot", "1\n"));
	if (r->snapshot < 0) {
		fprintf(stderr, "memorizer: fork: %s\n", strerror(errno));
		r->snapshot = 0;
		fail(r);
		return;
	}
	/* Copy until the child exits, for longer than --for if necessary. */
	r->over = false;
	r->end = 0;
	record_until_over(r);
	if (r->snapshot) {		/* copying failed: the child would block forever */
		kill(r->snapshot, SIGKILL);
		waitpid(r->snapshot, NULL, 0);
		r->snapshot = 0;
	}
}

/* In the child: restore the inherited settings and execute the command. */
static void run_command(const struct recorder *r, int priority, int wait)
{
	char **command = r->what->command, end;

	/* EOF: the parent has set the filter. It kills the child if that failed. */
	if (wait >= 0 && read(wait, &end, 1))
		_exit(126);
	setpriority(PRIO_PROCESS, 0, priority);
	setrlimit(RLIMIT_NOFILE, &r->streams.files);
	signal(SIGXFSZ, SIG_DFL);
	signal(SIGPIPE, r->pipe);
	sigprocmask(SIG_SETMASK, &r->mask, NULL);
	execvp(*command, command);
	fprintf(stderr, "memorizer: %s: %s\n", *command, strerror(errno));
	/* The exit statuses of a shell. */
	_exit(errno == ENOENT ? 127 : 126);
}

/* By hand: the callback of libsubcmd that runs before exec has no argument. */
static bool start_command(struct recorder *r, int priority)
{
	int wait[2] = { -1, -1 };
	bool fine = true;

	/* The child blocks on the pipe until its pid is in the filter. */
	if (kernel_filter_waits(&r->what->filter) && pipe2(wait, O_CLOEXEC)) {
		fprintf(stderr, "memorizer: pipe: %s\n", strerror(errno));
		return false;
	}
	r->command = fork();
	if (!r->command) {
		close(wait[1]);
		run_command(r, priority, wait[0]);
	}
	if (r->command < 0) {
		fprintf(stderr, "memorizer: fork: %s\n", strerror(errno));
		r->command = 0;
		fine = false;
	} else if (wait[1] >= 0) {
		fine = kernel_filter_command(&r->kernel, r->command);
		/* Kill it first: closing the pipe below lets it run. */
		if (!fine)
			kill(r->command, SIGKILL);
	}
	if (wait[1] >= 0) {
		close(wait[0]);
		close(wait[1]);
	}
	return fine;
}

/* Copy a file that not all kernels have. */
static bool save_if_there(const struct save *t, int dir, const char *from, const char *to)
{
	return faccessat(dir, from, F_OK, 0) ? errno == ENOENT : save_copy(t, dir, from, to);
}

/* Print a line unless the number is 0. */
static void add_line(FILE *to, const char *name, u64 number)
{
	if (number)
		fprintf(to, "%s: %llu\n", name, number);
}

/* Save the counts that explain how the trace differs from the kernel's statistics. */
static bool save_recorder(const struct recorder *r)
{
	struct stream_totals sums = streams_total(&r->streams);
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	bool fine;

	if (!f)
		abort();
	/* Stays in the trace if the recorder is killed before it saves the file again. */
	add_line(f, "unfinished", !r->ended);
	if (r->knows_read)
		fprintf(f, "events_read_before: %llu\n", r->read_before);
	if (packet_filter_is_needed(&r->what->options.select))
		fprintf(f, "events_not_chosen: %llu\n", sums.unwanted);
	add_line(f, "bytes_left_out", sums.left_out);
	if (sums.left_out)
		fprintf(f, "complete_until: %llu\n", sums.until);
	add_line(f, "packets_dropped", sums.dropped);
	fclose(f);
	fine = save_text(streams_base(&r->streams), text, "kernel/recorder");
	free(text);
	return fine;
}

/* Save the KMAP with accesses by offset, if --fields was given. */
static bool save_fields(const struct recorder *r)
{
	return !r->what->filter.lines[FILTER_FIELDS] ||
	       save_copy(streams_base(&r->streams), r->kernel.dir, "kmap_fields",
			 "kernel/kmap_fields");
}

/*
 * Save the files that reports need besides the stream: first before the recording, because the
 * disk may be full later, and again afterwards, with later modules and the final counts.
 */
static bool save_kernel(const struct recorder *r)
{
	const struct save *t = streams_base(&r->streams);
	struct utsname name;
	char *text;
	bool fine;

	uname(&name);
	if (asprintf(&text, "%s %s %s %s %s\n", name.sysname, name.nodename, name.release,
		     name.version, name.machine) < 0)
		abort();
	fine = save_text(t, text, "kernel/uname");
	free(text);
	fine &= save_if_there(t, AT_FDCWD, "/proc/cmdline", "kernel/cmdline");
	fine &= save_if_there(t, AT_FDCWD, "/proc/kallsyms", "kernel/kallsyms");
	fine &= save_if_there(t, AT_FDCWD, "/sys/kernel/notes", "kernel/notes");
	fine &= arrivals_save_ids(t);
	fine &= save_if_there(t, r->kernel.dir, "contexts", "kernel/contexts");
	fine &= save_if_there(t, r->kernel.dir, "show_stats", "kernel/show_stats");
	fine &= save_if_there(t, r->kernel.dir, "total_overruns", "kernel/total_overruns");
	fine &= save_recorder(r);
	return fine;
}

static bool block_signals(struct recorder *r)
{
	struct sigaction old;
	sigset_t set;
	size_t i;

	sigemptyset(&r->ends);
	for (i = 0; i < ARRAY_SIZE(end_signals); i++)
		if (!sigaction(end_signals[i], NULL, &old) &&
		    (end_signals[i] != SIGHUP || old.sa_handler != SIG_IGN))
			sigaddset(&r->ends, end_signals[i]);
	set = r->ends;
	sigaddset(&set, SIGCHLD);
	if (r->what->options.flight && !r->what->view)
		sigaddset(&set, SIGUSR2);
	signal(SIGXFSZ, SIG_IGN);	/* write(2) fails with EFBIG instead */
	/* A message to a closed pipe must not end the recorder with the stream on. */
	r->pipe = signal(SIGPIPE, SIG_IGN);
	sigprocmask(SIG_BLOCK, &set, &r->mask);
	r->signals = signalfd(-1, &set, SFD_CLOEXEC);
	if (r->signals < 0)
		fprintf(stderr, "memorizer: signalfd: %s\n", strerror(errno));
	return r->signals >= 0;
}

/* Returns false after a message if --max-size is smaller than a packet may be. */
static bool fits_a_packet(const struct recorder *r)
{
	u64 max = r->what->options.max_size, size;

	if (!max || !control_stat(&r->kernel, "stream_subbuf_size", &size) || max >= size)
		return true;
	fprintf(stderr,
		"memorizer record: --max-size %llu: packets have up to %llu bytes: want at least that\n",
		max, size);
	return false;
}

/* Warn now if kptr_restrict hides addresses: symbols cannot be added later. */
static void warn_hidden_symbols(void)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	unsigned long long address = 0;
	bool any = false;

	while (f && !address && fscanf(f, "%llx%*[^\n]", &address) == 1)
		any = true;
	if (f)
		fclose(f);
	if (any && !address)
		fprintf(stderr,
			"memorizer: /proc/kallsyms: addresses are hidden, the trace will have no symbols: want 0 or 1 in /proc/sys/kernel/kptr_restrict\n");
}

/* Open the kernel's files, create the trace and set the filters; the switches follow. */
static bool prepare(struct recorder *r)
{
	const struct recorder_view *view = r->what->view;
	struct streams *c = &r->streams;

	if (!control_open(&r->kernel, r->what->debugfs) || !fits_a_packet(r) ||
	    !control_get_switches(&r->kernel, r->before) ||
	    !kernel_filter_read(&r->what->filter, &r->kernel, r->what->on[STREAM_ACCESSES]))
		return false;
	/* With memorizer_pid, the kernel filters by task; then packets need not be. */
	r->what->options.select.pids_in_kernel = r->what->filter.before[FILTER_PIDS];
	/*
	 * Open the streams before the trace: if another recorder has them, no
	 * directory is created.
	 */
	if (!streams_open(c, &r->what->options, &r->kernel) ||
	    !save_open(&r->trace, r->what->output) || !streams_begin(c, &r->trace))
		return false;
	if (!settings_save(streams_base(c), &r->kernel, r->before, &r->what->filter) ||
	    !block_signals(r) ||
	    !save_copy(streams_base(c), r->kernel.dir, "metadata", "metadata"))
		return false;
	control_warn_on(&r->kernel, r->before);
	warn_hidden_symbols();
	r->knows_read = control_stat(&r->kernel, "stream_read", &r->read_before);
	/* Errors have printed a message; run() saves these files again and then fails. */
	save_kernel(r);
	arrivals_begin(&r->arrivals, streams_base(c));
	/* Change the kernel's filters last: --restore needs the settings and the metadata. */
	if (!arrivals_look(&r->arrivals) || !streams_first_part(c) ||
	    !kernel_filter_begin(&r->what->filter, &r->kernel))
		return false;
	r->yield = yield_now(&r->kernel);
	return !view || view->begin(view->data, streams_base(c)->path, r->kernel.path);
}

static void switch_on(struct recorder *r)
{
	int i, priority = getpriority(PRIO_PROCESS, 0);

	setpriority(PRIO_PROCESS, 0, PRIORITY);
	for (i = 0; i < NR_STREAM_SWITCHES; i++)
		r->now[i] = r->before[i] || r->what->on[i];
	r->begin = now_ms();
	r->shown_at = r->begin;
	r->tick = r->begin + TICK_MS;
	r->show = r->what->view ? r->begin + r->what->view->ms : 0;
	r->end = r->what->ms ? r->begin + r->what->ms : 0;
	if (!control_set_switches(&r->kernel, r->before, r->now)) {
		/* Some may be on by now: switch_off() has to disable those. */
		control_get_switches(&r->kernel, r->now);
		fail(r);
	} else if (!kernel_filter_log(&r->what->filter, &r->kernel, true) ||
		   (r->what->mark && !control_write(&r->kernel, "marker", r->what->mark)) ||
		   (r->what->command && !start_command(r, priority))) {
		fail(r);
	}
}

/*
 * End the recording. Disable the switches first, so that reading ends; if they were enabled
 * before, enable them again after the rest was read.
 */
static void switch_off(struct recorder *r)
{
	const bool off[NR_STREAM_SWITCHES] = { false };
	bool restored;

	if (!kernel_filter_log(&r->what->filter, &r->kernel, false))
		r->failed = true;
	if (!control_set_switches(&r->kernel, r->now, off)) {
		r->failed = true;
		/* If all are off anyway, the streams still have an end. */
		r->stays_on = !control_is_off(&r->kernel);
	}
	/* The snapshot comes through the streams, so before their rest is read. */
	if (r->what->snapshot && !r->failed)
		record_snapshot(r);
	drain_rest(r);
	if (r->what->options.flight && !r->what->view && !streams_snapshot(&r->streams))
		r->failed = true;
	/* If one of these fails, the others are still restored. */
	restored = kernel_filter_end(&r->what->filter, &r->kernel);
	restored &= control_set_switches(&r->kernel, off, r->before);
	/* On an error the settings stay in the trace, for --restore. */
	if (!restored)
		r->failed = true;
	else
		settings_forget(streams_base(&r->streams));
}

static void summarize(const struct recorder *r)
{
	struct stream_totals sums = streams_total(&r->streams);
	const struct streams *c = &r->streams;

	fprintf(stderr, "memorizer: %s: %llu packets, %llu bytes", r->trace.path, sums.packets,
		sums.bytes);
	if (c->options.compress)
		fprintf(stderr, " (%llu compressed)", sums.stored);
	if (c->nr_parts)
		fprintf(stderr, " in %u part%s", c->nr_parts, c->nr_parts > 1 ? "s" : "");
	fprintf(stderr, ", from %u CPUs; %llu events lost%s\n", c->nr, sums.lost,
		sums.lost ? ": want larger memorizer.subbufs or memorizer.subbuf_size" : "");
	if (sums.dropped)
		fprintf(stderr, "memorizer: %s: %llu packets were dropped for later ones\n",
			r->trace.path, sums.dropped);
	if (packet_filter_is_needed(&c->options.select))
		fprintf(stderr, "memorizer: %s: %llu events were filtered out\n", r->trace.path,
			sums.unwanted);
	if (sums.left_out)
		fprintf(stderr, "memorizer: %s: %llu bytes beyond --max-size are left out\n",
			r->trace.path, sums.left_out);
}

/* Restore the filters; true on success. */
static bool end_filters(struct recorder *r)
{
	return !r->kernel.path || kernel_filter_end(&r->what->filter, &r->kernel);
}

/* Free everything. Remove a trace that has not begun. */
static void release(struct recorder *r, bool begun)
{
	bool restored = end_filters(r);

	streams_close(&r->streams);
	arrivals_end(&r->arrivals);
	r->failed |= r->streams.failed || !restored;
	if (r->signals >= 0)
		close(r->signals);
	/* --restore needs the settings in the trace if the filters were not restored. */
	if (r->trace.path && !begun && restored)
		save_discard(&r->trace);
	if (r->trace.path)
		save_close(&r->trace);
	if (r->kernel.path)
		control_close(&r->kernel);
}

/* Record, then wait for the command if it still runs. */
static void run(struct recorder *r)
{
	const struct recorder_view *view = r->what->view;

	switch_on(r);
	if (!r->failed)
		yield_warn(r->what, &r->kernel);
	record_until_over(r);
	clear_live(r);
	switch_off(r);
	clear_live(r);
	r->ended = !r->streams.failed;
	if (!arrivals_look(&r->arrivals) || !save_kernel(r) || !save_fields(r))
		r->failed = true;
	if (view)
		view->show(view->data, U64_MAX, pass_packets(r),
			   streams_total(&r->streams).dropped);
	else
		summarize(r);
	if (!yield_check(r->what, &r->kernel, &r->yield, r->trace.path))
		r->failed = true;
	while (r->command)
		take_signal(r);
}

/**
 * record - make a recording
 * @what: what to record
 *
 * Return: the exit status: that of the command, if there was one and the recording succeeded.
 */
int record(struct recording *what)
{
	struct recorder r = { .what = what, .signals = -1, .arrivals.file = -1,
			      .arrivals.events = -1 };
	bool begun = prepare(&r);

	if (begun)
		run(&r);
	else
		r.failed = true;
	release(&r, begun);
	if (r.failed)
		return EXIT_UNABLE;
	/* The exit status of a shell. */
	if (WIFSIGNALED(r.command_status))
		return 128 + WTERMSIG(r.command_status);
	return WEXITSTATUS(r.command_status);
}
