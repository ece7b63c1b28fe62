// SPDX-License-Identifier: GPL-2.0
/*
 * memorizer-qemu.so: writes a trace in the format of the kernel's stream.
 *
 * Events that the kernel writes, too, have the same ID, name and fields: both include
 * event-fields.h. Events of the plugin only have IDs from 64 on, and its additional fields follow
 * the kernel's. The clock counts the events of all vCPUs: timestamps are unique, and give a total
 * order.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "qemu.h"
#include "stream/event-fields.h"

#define PACKED		__attribute__((packed))
#define MAGIC		0xc1fc1fc1

#define EVENT_ID(event, EVENT, string)	EVENT_##EVENT,
enum event {
	MEMORIZER_EVENTS(EVENT_ID)
	EVENT_CALL = 65,
};

/* Define the payloads of events, struct task_event etc. */
#define C_EVENT(event, EVENT, string)					\
struct event##_event {							\
	MEMORIZER_##EVENT##_FIELDS(MEMORIZER_C_FIELD, MEMORIZER_C_ARRAY)	\
} PACKED;

MEMORIZER_EVENTS(C_EVENT)

/* Additional field of accesses: node of the innermost call. */
#define STACK		"\t\tuint32 stack;\n"

struct stacked_access {
	struct access_event access;
	u32 stack;
} PACKED;

struct stacked_traffic {
	struct traffic_event traffic;
	u32 stack;
} PACKED;

/* A node of the call tree, see stack.c. */
#define CALL_FIELDS(F)		\
	F(u32, uint32, stack)	\
	F(u32, uint32, caller)	\
	F(u64, hex64, ip)

struct call_event {
	CALL_FIELDS(MEMORIZER_C_FIELD)
} PACKED;

static const struct {
	const char *name, *fields, *string;
} events[] = {
#define TSDL_EVENT(event, EVENT, text)							\
	[EVENT_##EVENT] = { #event, MEMORIZER_##EVENT##_FIELDS(MEMORIZER_TSDL_FIELD,	\
							       MEMORIZER_TSDL_ARRAY), text },
	MEMORIZER_EVENTS(TSDL_EVENT)
	[EVENT_CALL] = { "call", CALL_FIELDS(MEMORIZER_TSDL_FIELD), NULL },
};

static const char trace_head[] =
	"\ntrace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"%s\";\n\tbyte_order = le;\n"
	"\tpacket.header := struct {\n\t\tuint32 magic;\n\t\tuint8 uuid[16];\n"
	"\t\tuint32 stream_id;\n\t};\n};\n\n"
	"env {\n\tdomain = \"kernel\";\n\ttracer_name = \"memorizer\";\n"
	"\ttracer_major = 1;\n\ttracer_minor = 0;\n\tabi_version = 1;\n"
	"\tmachine = \"x86_64\";\n\tpage_size = 4096;\n\tline_size = %u;\n};\n\n"
	"clock {\n\tname = memorizer;\n\tdescription = \"events so far, of all CPUs\";\n"
	"\tfreq = 1000000000;\n\toffset = 0;\n};\n\n"
	"%s\n"
	"stream {\n\tid = 0;\n"
	"\tevent.header := struct {\n\t\tuint8 id;\n\t\ttime56 timestamp;\n\t};\n"
	"\tpacket.context := struct {\n"
	MEMORIZER_PACKET_CONTEXT(MEMORIZER_TSDL_FIELD, MEMORIZER_TSDL_ARRAY) "\t};\n};\n";

struct packet {
	u32 magic;
	u8 uuid[16];
	u32 stream_id;
	MEMORIZER_PACKET_CONTEXT(MEMORIZER_C_FIELD, MEMORIZER_C_ARRAY)
} PACKED;

static u8 uuid[16];
static u64 clock_now;

static bool write_all(int fd, const void *data, size_t size)
{
	const char *p = data;
	ssize_t done;

	while (size) {
		done = write(fd, p, size);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		p += done;
		size -= done;
	}
	return true;
}

static int create(const char *name)
{
	char *path;
	int fd;

	if (asprintf(&path, "%s/%s", options.out, name) < 0)
		return -1;
	/* Never overwrite another trace. The contents are only the user's business. */
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		fprintf(stderr, "memorizer-qemu: %s: %s\n", path, strerror(errno));
	free(path);
	return fd;
}

static void describe_event(FILE *f, enum event id)
{
	fprintf(f, "\nevent {\n\tid = %u;\n\tname = \"%s\";\n\tstream_id = 0;\n"
		"\tfields := struct {\n%s", id, events[id].name, events[id].fields);
	if (id == EVENT_ACCESS || id == EVENT_TRAFFIC)
		fprintf(f, "%s", STACK);
	if (events[id].string)
		fprintf(f, "\t\tstring %s;\n", events[id].string);
	fprintf(f, "\t};\n};\n");
}

/**
 * writer_init() - create the directory of the trace and its metadata
 *
 * Return: false on failure, after an error message
 */
bool writer_init(void)
{
	char text[37];
	size_t i;
	FILE *f;
	int fd;

	if (getrandom(uuid, sizeof(uuid), 0) != sizeof(uuid))
		return false;
	for (i = 0; i < sizeof(uuid); i++)
		sprintf(text + 2 * i + (i > 3) + (i > 5) + (i > 7) + (i > 9), "%02x%s", uuid[i],
			i == 3 || i == 5 || i == 7 || i == 9 ? "-" : "");
	/* The directory may exist, but create() fails if it has a trace. */
	if (mkdir(options.out, 0700) && errno != EEXIST) {
		fprintf(stderr, "memorizer-qemu: %s: %s\n", options.out, strerror(errno));
		return false;
	}
	fd = create("metadata");
	f = fd < 0 ? NULL : fdopen(fd, "w");
	if (!f)
		return false;
	fprintf(f, "/* CTF 1.8 */\n\n%s", MEMORIZER_TYPES);
	fprintf(f, trace_head, text, options.line, MEMORIZER_TIME_TYPES);
	for (i = 0; i < ARRAY_SIZE(events); i++)
		if (events[i].name)
			describe_event(f, i);
	return !fclose(f);
}

static void create_stream(struct vcpu *v)
{
	char name[16];

	snprintf(name, sizeof(name), "cpu%u", v->nr);
	v->fd = create(name);
}

/* Write the current packet, if any, to the file. */
static void finish_packet(struct vcpu *v)
{
	struct packet *p = (struct packet *)v->packet;

	if (!v->used)
		return;
	/* Created with the first packet: vCPUs without events leave no file. */
	if (v->fd < 0)
		create_stream(v);
	*p = (struct packet) {
		.magic = MAGIC,
		.timestamp_begin = v->begin,
		.timestamp_end = v->time,
		.content_size = v->used * 8,
		.packet_size = v->used * 8,
		.packet_seq_num = v->seq++,
		.events_discarded = v->drops[DROP_WRITE],
		.cpu_id = v->nr,
	};
	memcpy(p->uuid, uuid, sizeof(uuid));
	if (v->fd >= 0 && write_all(v->fd, v->packet, v->used)) {
		v->size += v->used;
	} else {
		fprintf(stderr, "memorizer-qemu: %s/cpu%u: %s\n", options.out, v->nr,
			strerror(errno));
		/* The next packet, if it can be written, reports the loss. */
		v->drops[DROP_WRITE] += v->in_packet;
		v->events -= v->in_packet;
	}
	v->used = 0;
	v->in_packet = 0;
}

/* Reserve an event with @size bytes of payload. On a full file, counts a loss and returns NULL. */
static void *reserve(struct vcpu *v, enum event id, size_t size)
{
	u64 header;
	u8 *event;

	size += sizeof(header);
	/* Events do not span packets. */
	if (v->used && v->used + size > options.packet)
		finish_packet(v);
	/* Keep room for the last packet, which reports the losses and has no events. */
	if (options.limit && v->size + (v->used ?: sizeof(struct packet)) + size +
	    sizeof(struct packet) > options.limit) {
		v->drops[DROP_WRITE]++;
		return NULL;
	}
	/* Relaxed: timestamps need only be unique, and in order on each vCPU. */
	v->time = __atomic_add_fetch(&clock_now, 1, __ATOMIC_RELAXED);
	if (!v->used) {
		v->used = sizeof(struct packet);
		v->begin = v->time;
	}
	event = v->packet + v->used;
	v->used += size;
	v->events++;
	v->in_packet++;
	/* uint8 id and time56 timestamp, see trace_head. */
	header = v->time << 8 | id;
	memcpy(event, &header, sizeof(header));
	return event + sizeof(header);
}

/**
 * writer_open() - initialize the output of a vCPU
 * @v: the vCPU
 *
 * Context: the vCPU's thread.
 */
void writer_open(struct vcpu *v)
{
	v->fd = -1;
	v->packet = malloc(options.packet);
	if (!v->packet)
		abort();
}

/**
 * writer_close() - finish the file of a vCPU
 * @v: the vCPU
 *
 * Context: exit of QEMU, no other callbacks are running.
 */
void writer_close(struct vcpu *v)
{
	if (!v->packet)
		return;
	finish_packet(v);
	/* A packet without events, whose events_discarded has the last losses. */
	if (v->drops[DROP_WRITE]) {
		v->used = sizeof(struct packet);
		v->begin = v->time;
		finish_packet(v);
	}
	/* A trace without any stream looks incomplete, so the first vCPU always has a file. */
	if (v->fd < 0 && !v->nr)
		create_stream(v);
	if (v->fd >= 0)
		close(v->fd);
}

/* One function per event. */

void write_task(struct vcpu *v)
{
	struct task_event *e = reserve(v, EVENT_TASK, sizeof(*e));

	if (!e)
		return;
	e->pid = v->pid;
	memcpy(e->comm, v->comm, sizeof(e->comm));
	e->started = 0;		/* not announced by the guest */
}

void write_cache(struct vcpu *v, const u64 cache[CACHE_VALUES], const char *name)
{
	size_t length = strlen(name) + 1;
	struct cache_event *e = reserve(v, EVENT_CACHE, sizeof(*e) + length);

	if (!e)
		return;
	e->cache = cache[0];
	e->object_size = cache[1];
	e->size = cache[2];
	memcpy(e + 1, name, length);
}

/* The fields have 32 bits, as in the kernel's stream. */
static u32 field_bytes(u64 bytes)
{
	return bytes < UINT32_MAX ? bytes : UINT32_MAX;
}

void write_alloc(struct vcpu *v, const u64 alloc[OBJECT_VALUES], int kind, u64 bytes)
{
	struct alloc_event *e = reserve(v, EVENT_ALLOC, sizeof(*e));

	if (!e)
		return;
	e->kind = kind;
	e->call_site = alloc[3];
	e->ptr = alloc[1];
	e->bytes_req = field_bytes(alloc[2]);
	e->bytes_alloc = field_bytes(bytes);
	/* The guest announces neither flags nor node. */
	e->gfp_flags = 0;
	e->node = -1;
	e->pid = alloc[4];
	e->cache = alloc[6];
}

void write_free(struct vcpu *v, const u64 alloc[OBJECT_VALUES], int kind, u64 ptr, u64 bytes,
		u64 free_ip)
{
	struct free_event *e = reserve(v, EVENT_FREE, sizeof(*e));

	if (!e)
		return;
	e->kind = kind;
	e->call_site = free_ip;
	e->ptr = ptr;
	e->bytes = field_bytes(bytes);
	e->pid = v->pid;
	e->cache = alloc[6];
}

void write_access(struct vcpu *v, u64 ip, u64 addr, u32 size, bool store, u32 stack)
{
	struct stacked_access *e = reserve(v, EVENT_ACCESS, sizeof(*e));

	if (!e)
		return;
	e->access.ip = ip;
	e->access.ptr = addr;
	e->access.size = size;
	e->access.kind = store ? ACCESS_WRITE : ACCESS_READ;
	e->access.pid = v->pid;
	e->stack = stack;
}

void write_traffic(struct vcpu *v, u64 ip, u64 addr, u32 size, bool store, u32 stack, u64 line,
		   s32 from)
{
	struct stacked_traffic *e = reserve(v, EVENT_TRAFFIC, sizeof(*e));

	if (!e)
		return;
	e->traffic.ip = ip;
	e->traffic.ptr = addr;
	e->traffic.size = size;
	e->traffic.kind = store ? ACCESS_WRITE : ACCESS_READ;
	e->traffic.pid = v->pid;
	e->stack = stack;
	e->traffic.line = line;
	e->traffic.from = from;
}

void write_call(struct vcpu *v, u32 stack, u32 caller, u64 ip)
{
	struct call_event *e = reserve(v, EVENT_CALL, sizeof(*e));

	if (!e)
		return;
	e->stack = stack;
	e->caller = caller;
	e->ip = ip;
}

void write_mark(struct vcpu *v, const char *text)
{
	size_t length = strlen(text) + 1;
	struct mark_event *e;

	e = reserve(v, EVENT_MARK, sizeof(*e) + length);
	if (!e)
		return;
	e->pid = v->pid;
	memcpy(e + 1, text, length);
}

void write_entry(struct vcpu *v, bool leave, u32 kind, u32 number)
{
	struct enter_event *e;

	e = reserve(v, leave ? EVENT_LEAVE : EVENT_ENTER, sizeof(*e));
	if (!e)
		return;
	e->kind = kind;
	e->number = number;
	e->pid = v->pid;
}

void write_rcu_free(struct vcpu *v, u64 addr, u64 ip)
{
	struct rcu_free_event *e = reserve(v, EVENT_RCU_FREE, sizeof(*e));

	if (!e)
		return;
	e->ptr = addr;
	e->ip = ip;
	e->pid = v->pid;
}

void write_lock(struct vcpu *v, u32 op, u32 flags, u64 lock, u64 ip, const char *name)
{
	size_t length = strlen(name) + 1;
	struct lock_event *e = reserve(v, EVENT_LOCK, sizeof(*e) + length);

	if (!e)
		return;
	e->op = op;
	e->flags = flags;
	e->lock = lock;
	e->ip = ip;
	e->pid = v->pid;
	memcpy(e + 1, name, length);
}

void write_switch(struct vcpu *v, bool on)
{
	struct switch_event *e;

	e = reserve(v, EVENT_SWITCH, sizeof(*e));
	if (!e)
		return;
	/* The plugin has none of the kernel's other switches. */
	memset(e, 0, sizeof(*e));
	e->accesses = on && options.mode != MODE_TRAFFIC;
	e->traffic = on && options.mode == MODE_TRAFFIC;
}

void write_object(struct vcpu *v, u32 object, u32 snapshot, u32 state,
		  const u64 alloc[OBJECT_VALUES], const char comm[16], u64 free_ip,
		  u64 free_jiffies)
{
	struct object_event *e = reserve(v, EVENT_OBJECT, sizeof(*e));

	if (!e)
		return;
	e->object = object;
	e->snapshot = snapshot;
	e->state = state;
	e->alloc_site = alloc[3];
	e->pid = alloc[4];
	e->ptr = alloc[1];
	e->bytes_req = alloc[2];
	e->alloc_jiffies = alloc[5];
	e->free_jiffies = free_jiffies;
	e->free_site = free_ip;
	memcpy(e->comm, comm, sizeof(e->comm));
	e->kind = alloc[7] + 1;	/* as in the kernel's stream */
	e->stack = 0;		/* the kernel announces no stacks */
}

void write_counts(struct vcpu *v, u32 object, u64 ip, u32 pid, u64 writes, u64 reads)
{
	struct counts_event *e = reserve(v, EVENT_COUNTS, sizeof(*e));

	if (!e)
		return;
	e->object = object;
	e->ip = ip;
	e->pid = pid;
	e->writes = writes;
	e->reads = reads;
	e->write_moves = 0;	/* mode objects does not track cache lines */
	e->read_moves = 0;
}

void write_snapshot(struct vcpu *v, u32 snapshot, bool complete, u64 objects)
{
	struct snapshot_event *e;

	e = reserve(v, EVENT_SNAPSHOT, sizeof(*e));
	if (!e)
		return;
	e->snapshot = snapshot;
	e->complete = complete;
	e->objects = objects;
}
