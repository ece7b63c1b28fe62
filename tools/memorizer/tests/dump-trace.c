// SPDX-License-Identifier: GPL-2.0
/*
 * Print the events of a trace like "babeltrace2 --clock-cycles --no-delta"; for unknown events,
 * only the name. With -p, also print packets, losses and errors in packets. With -f, feed the
 * trace's packets, in this machine's byte order, to the reader, several at a time. With -q, the
 * trace is one of the QEMU plugin.
 *
 * Usage: dump-trace [-f|-p|-q] DIR
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/trace.h"

#define FED_CPUS	16
#define FED_MAX		(16 << 20)	/* bytes of a CPU's file */
#define PACKET_BEGIN	24		/* where timestamp_begin is in a packet, ... */
#define PACKET_SIZE	48		/* ... and packet_size, in bits */

static bool stacks;

static const char *name_of(const char *const *names, u32 first, u32 nr, u32 i)
{
	static char text[32];

	if (i < first || i - first >= nr)
		return "<unknown>";
	snprintf(text, sizeof(text), "\"%s\"", names[i - first]);
	return text;
}

static const char *kind(u32 i)
{
	return name_of((const char * const[]){ "kmalloc", "cache", "pages", "vmalloc", "vmap",
					       "ioremap", "modules", "stack", "percpu" }, 0, 9, i);
}

static const char *access_kind(u32 i)
{
	return name_of((const char * const[]){ "read", "write", "update" }, 1, 3, i);
}

static const char *memory(u32 i)
{
	return name_of(kmap_kinds, KMAP_UNKNOWN, KMAP_KINDS, i ? i : KMAP_KINDS);
}

static const char *state(u32 i)
{
	return name_of((const char * const[]){ "live", "freed", "buried" }, 1, 3, i);
}

static const char *entry(u32 i)
{
	return name_of((const char * const[]){ "syscall", "interrupt", "exception", "softirq",
					       "nmi" }, 1, 5, i);
}

static const char *lock_op(u32 i)
{
	return name_of((const char * const[]){ "acquire", "acquired", "release" }, 1, 3, i);
}

static void print_text(const char *name, const char *text)
{
	printf("%s = \"", name);
	for (; *text; text++) {
		if (*text == '\n')
			printf("\\n");
		else if (*text == '"' || *text == '\\')
			printf("\\%c", *text);
		else
			putchar(*text);
	}
	putchar('"');
}

static void print_object(const struct trace_event *e)
{
	printf("object = %u, snapshot = %u, state = ( %s : container = %u ), ",
	       e->u.object.object, e->u.object.snapshot, state(e->u.object.state),
	       e->u.object.state);
	printf("alloc_site = 0x%llX, pid = %u, ptr = 0x%llX, bytes_req = %u, ",
	       e->u.object.alloc_site, e->u.object.pid, e->u.object.ptr, e->u.object.bytes_req);
	printf("alloc_jiffies = %llu, free_jiffies = %llu, free_site = 0x%llX, ",
	       e->u.object.alloc_jiffies, e->u.object.free_jiffies, e->u.object.free_site);
	print_text("comm", e->u.object.comm);
	printf(", kind = ( %s : container = %u ), stack = 0x%X", memory(e->u.object.kind),
	       e->u.object.kind, e->u.object.stack);
}

static void print_alloc(const struct trace_event *e)
{
	printf("kind = ( %s : container = %u ), call_site = 0x%llX, ptr = 0x%llX, ",
	       kind(e->u.alloc.kind), e->u.alloc.kind, e->u.alloc.call_site, e->u.alloc.ptr);
	printf("bytes_req = %u, bytes_alloc = %u, gfp_flags = 0x%X, node = %d, ",
	       e->u.alloc.bytes_req, e->u.alloc.bytes_alloc, e->u.alloc.gfp_flags,
	       e->u.alloc.node);
	printf("pid = %u, cache = 0x%llX", e->u.alloc.pid, e->u.alloc.cache);
}

/* Traces of the QEMU plugin have stacks. */
static void print_stack(u32 stack)
{
	if (stacks)
		printf(", stack = %u", stack);
}

/* Print events about context. */
static void print_context(const struct trace_event *e)
{
	int i;

	switch (e->type) {
	case TRACE_MODULE:
		printf("loaded = %u, base = 0x%llX, size = %u, init_base = 0x%llX, ",
		       e->u.module.loaded, e->u.module.base, e->u.module.size,
		       e->u.module.init_base);
		printf("init_size = %u, jiffies = %llu, build_id = [ ", e->u.module.init_size,
		       e->u.module.jiffies);
		for (i = 0; i < TRACE_BUILD_ID; i++)
			printf("[%d] = 0x%X%s", i, e->u.module.build_id[i],
			       i < TRACE_BUILD_ID - 1 ? ", " : " ], ");
		print_text("name", e->u.module.name);
		break;
	case TRACE_TRAFFIC:
		printf("ip = 0x%llX, ptr = 0x%llX, size = %u, kind = ( %s : container = %u ), ",
		       e->u.traffic.ip, e->u.traffic.ptr, e->u.traffic.size,
		       access_kind(e->u.traffic.kind), e->u.traffic.kind);
		printf("pid = %u", e->u.traffic.pid);
		print_stack(e->u.traffic.stack);
		printf(", line = 0x%llX, from = %d", e->u.traffic.line, e->u.traffic.from);
		break;
	case TRACE_ENTER:
	case TRACE_LEAVE:
		printf("kind = ( %s : container = %u ), number = %u, pid = %u",
		       entry(e->u.entry.kind), e->u.entry.kind, e->u.entry.number,
		       e->u.entry.pid);
		break;
	case TRACE_LOCK:
		printf("op = ( %s : container = %u ), flags = 0x%X, lock = 0x%llX, ip = 0x%llX, ",
		       lock_op(e->u.lock.op), e->u.lock.op, e->u.lock.flags, e->u.lock.lock,
		       e->u.lock.ip);
		printf("pid = %u, ", e->u.lock.pid);
		print_text("name", e->u.lock.name);
		break;
	case TRACE_RCU_FREE:
		printf("ptr = 0x%llX, ip = 0x%llX, pid = %u", e->u.rcu_free.ptr,
		       e->u.rcu_free.ip, e->u.rcu_free.pid);
		break;
	case TRACE_FRAME:
		printf("stack = 0x%X, depth = %u, ip = 0x%llX", e->u.frame.stack,
		       e->u.frame.depth, e->u.frame.ip);
		break;
	case TRACE_CALL:
		printf("stack = %u, caller = %u, ip = 0x%llX", e->u.call.stack,
		       e->u.call.caller, e->u.call.ip);
		break;
	default:
		break;
	}
}

static void print_fields(const struct trace_event *e)
{
	switch (e->type) {
	case TRACE_TASK:
		printf("pid = %u, ", e->u.task.pid);
		print_text("comm", e->u.task.comm);
		break;
	case TRACE_CACHE:
		printf("cache = 0x%llX, object_size = %u, size = %u, ", e->u.cache.cache,
		       e->u.cache.object_size, e->u.cache.size);
		print_text("name", e->u.cache.name);
		break;
	case TRACE_ALLOC:
		print_alloc(e);
		break;
	case TRACE_FREE:
		printf("kind = ( %s : container = %u ), call_site = 0x%llX, ptr = 0x%llX, ",
		       kind(e->u.free.kind), e->u.free.kind, e->u.free.call_site,
		       e->u.free.ptr);
		printf("bytes = %u, pid = %u, cache = 0x%llX", e->u.free.bytes, e->u.free.pid,
		       e->u.free.cache);
		break;
	case TRACE_OBJECT:
		print_object(e);
		break;
	case TRACE_COUNTS:
		printf("object = %u, ip = 0x%llX, pid = %u, writes = %llu, reads = %llu, ",
		       e->u.counts.object, e->u.counts.ip, e->u.counts.pid, e->u.counts.writes,
		       e->u.counts.reads);
		printf("write_moves = %llu, read_moves = %llu", e->u.counts.write_moves,
		       e->u.counts.read_moves);
		break;
	case TRACE_ACCESS:
		printf("ip = 0x%llX, ptr = 0x%llX, size = %u, kind = ( %s : container = %u ), ",
		       e->u.access.ip, e->u.access.ptr, e->u.access.size,
		       access_kind(e->u.access.kind), e->u.access.kind);
		printf("pid = %u", e->u.access.pid);
		print_stack(e->u.access.stack);
		break;
	case TRACE_MARK:
		printf("pid = %u, ", e->u.mark.pid);
		print_text("text", e->u.mark.text);
		break;
	case TRACE_SWITCH:
		printf("allocations = %u, retirements = %u, accesses = %u, boot = %u",
		       e->u.switches.allocations, e->u.switches.retirements,
		       e->u.switches.accesses, e->u.switches.boot);
		if (stacks)
			break;
		printf(", traffic = %u, scoped = %u, entries = %u, locks = %u",
		       e->u.switches.traffic, e->u.switches.scoped, e->u.switches.entries,
		       e->u.switches.locks);
		break;
	case TRACE_SNAPSHOT:
		printf("snapshot = %u, complete = %u, objects = %llu", e->u.snapshot.snapshot,
		       e->u.snapshot.complete, e->u.snapshot.objects);
		break;
	default:
		print_context(e);
	}
}

static void print_event(const struct trace_event *e, bool packets)
{
	if (e->type == TRACE_DISCARDED) {
		if (packets && e->u.discarded.early)
			printf("before %llu: cpu %u may have lost events\n", e->nr, e->cpu);
		else if (packets)
			printf("before %llu: cpu %u lost %llu events, %llu packets\n", e->nr,
			       e->cpu, e->u.discarded.events, e->u.discarded.packets);
		return;
	}
	if (e->type == TRACE_RESUMED) {
		if (packets)
			printf("before %llu: cpu %u resumes\n", e->nr, e->cpu);
		return;
	}
	if (e->type == TRACE_FAULT) {
		if (packets)
			printf("before %llu: %s\n", e->nr, e->u.fault.text);
		return;
	}
	if (e->type == TRACE_PACKET) {
		printf("before %llu: cpu %u packet from %llu to %llu\n", e->nr, e->cpu,
		       e->u.packet.begin, e->u.packet.end);
		return;
	}
	printf("[%020llu] ", e->time);
	if (e->type == TRACE_UNKNOWN) {
		printf("%s:\n", e->u.unknown.name);
		return;
	}
	printf("%s: { cpu_id = %u, node_id = %u }, { ", trace_type_name(e->type), e->cpu, e->node);
	print_fields(e);
	printf(" }\n");
}

/* A CPU's file to feed */
struct fed {
	char *data;
	u64 size, at;
};

static u64 load(const struct fed *f, u32 offset)
{
	u64 value;

	memcpy(&value, f->data + f->at + offset, sizeof(value));
	return value;
}

static bool read_fed(struct fed *f, const char *dir, u32 cpu)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/cpu%u", dir, cpu);
	file = fopen(path, "r");
	if (!file)
		return false;
	f->data = malloc(FED_MAX);
	f->size = f->data ? fread(f->data, 1, FED_MAX, file) : 0;
	f->at = 0;
	return !fclose(file);
}

/* Feed the packets of valid files, several of each CPU at a time, and print the events. */
static void feed(struct trace *t, const char *dir)
{
	struct fed fed[FED_CPUS];
	u32 nr = 0, cpu, n;
	struct trace_event e;
	u64 until, size;

	while (nr < FED_CPUS && read_fed(fed + nr, dir, nr))
		nr++;
	do {
		until = U64_MAX;
		for (cpu = 0; cpu < nr; cpu++) {
			for (n = rand() % 3; n && fed[cpu].at < fed[cpu].size; n--) {
				size = load(fed + cpu, PACKET_SIZE) / 8;
				trace_feed(t, cpu, fed[cpu].data + fed[cpu].at, size);
				fed[cpu].at += size;
			}
			if (fed[cpu].at < fed[cpu].size && load(fed + cpu, PACKET_BEGIN) <= until)
				until = load(fed + cpu, PACKET_BEGIN) - 1;
		}
		trace_read_until(t, until);
		while (trace_next(t, &e))
			print_event(&e, false);
	} while (until != U64_MAX);
	while (nr)
		free(fed[--nr].data);
}

int main(int argc, char **argv)
{
	bool fed = argc == 3 && !strcmp(argv[1], "-f");
	bool packets = argc == 3 && !strcmp(argv[1], "-p");
	char error[ERROR_MAX];
	struct trace_event e;
	struct trace *t;

	stacks = argc == 3 && !strcmp(argv[1], "-q");
	if (argc != 2 && !fed && !packets && !stacks) {
		fprintf(stderr, "Usage: dump-trace [-f|-p|-q] DIR\n");
		return EXIT_FAILURE;
	}
	t = fed ? trace_open_fed(argv[2], argv[2], error) : trace_open(argv[argc - 1], error);
	if (!t) {
		printf("not opened: %s\n", error);
		return EXIT_FAILURE;
	}
	if (packets)
		trace_show_packets(t);
	if (fed)
		feed(t, argv[2]);
	while (trace_next(t, &e))
		print_event(&e, packets);
	if (trace_next(t, &e) || (!fed && trace_bytes_done(t) >
	    trace_bytes_total(t))) {
		printf("not consistent\n");
		return EXIT_FAILURE;
	}
	trace_close(t);
	return EXIT_SUCCESS;
}
