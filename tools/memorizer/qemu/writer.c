// SPDX-License-Identifier: GPL-2.0
/*
 * memorizer-qemu.so: the trace, in the vocabulary of the kernel's stream.
 *
 * Events that the kernel writes too have its numbers, names and fields (mm/memorizer/stream);
 * what is known here only has numbers from 64 on, and fields that the kernel does not
 * have stand behind its own. The clock counts events: it orders those of all vCPUs.
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

#define PACKED		__attribute__((packed))
#define MAGIC		0xc1fc1fc1

/* What memory an allocation is of: a guest does not tell kmalloc() of a cache from others. */
enum { KIND_KMALLOC, KIND_CACHE };

enum event {
	EVENT_TASK = 0,
	EVENT_CACHE = 1,
	EVENT_ALLOC = 2,
	EVENT_FREE = 3,
	EVENT_OBJECT = 4,
	EVENT_COUNTS = 5,
	EVENT_ACCESS = 6,
	EVENT_MARK = 7,
	EVENT_SWITCH = 8,
	EVENT_SNAPSHOT = 9,
	EVENT_ENTER = 12,
	EVENT_LEAVE = 13,
	EVENT_LOCK = 14,
	EVENT_RCU_FREE = 15,
	EVENT_TRAFFIC = 64,
	EVENT_FRAME = 65,
};

static const char metadata_head[] =
	"/* CTF 1.8 */\n\n"
	"typealias integer { size = 8; align = 8; signed = false; } := uint8;\n"
	"typealias integer { size = 32; align = 8; signed = false; } := uint32;\n"
	"typealias integer { size = 64; align = 8; signed = false; } := uint64;\n"
	"typealias integer { size = 64; align = 8; signed = false; base = 16; } := hex64;\n"
	"typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := text8;\n"
	"typealias integer { size = 32; align = 8; signed = true; } := int32;\n"
	"typealias integer { size = 16; align = 8; signed = true; } := int16;\n"
	"typealias integer { size = 32; align = 8; signed = false; base = 16; } := hex32;\n"
	"typealias integer { size = 8; align = 8; signed = false; base = 16; } := hex8;\n"
	"typealias enum : uint8 { kmalloc = 0, cache = 1, pages = 2 } := memory;\n"
	"typealias enum : uint8 { live = 1, freed = 2, buried = 3 } := life;\n"
	"typealias enum : uint8 { read = 1, write = 2, update = 3 } := direction;\n"
	"typealias enum : uint8 { syscall = 1, interrupt = 2, exception = 3, softirq = 4, nmi = 5 }"
	" := entry;\n"
	"typealias enum : uint8 { acquire = 1, acquired = 2, release = 3 } := lock_op;\n\n"
	"trace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"%s\";\n\tbyte_order = le;\n"
	"\tpacket.header := struct {\n\t\tuint32 magic;\n\t\tuint8 uuid[16];\n"
	"\t\tuint32 stream_id;\n\t};\n};\n\n"
	"env {\n\tdomain = \"kernel\";\n\ttracer_name = \"memorizer\";\n"
	"\ttracer_major = 1;\n\ttracer_minor = 0;\n\tabi_version = 1;\n"
	"\tmachine = \"x86_64\";\n\tpage_size = 4096;\n\tline_size = %u;\n};\n\n"
	"clock {\n\tname = memorizer;\n\tdescription = \"events so far, of all CPUs\";\n"
	"\tfreq = 1000000000;\n\toffset = 0;\n};\n\n"
	"typealias integer { size = 56; align = 8; signed = false; map = clock.memorizer.value; }"
	" := time56;\n"
	"typealias integer { size = 64; align = 8; signed = false; map = clock.memorizer.value; }"
	" := time64;\n\n"
	"stream {\n\tid = 0;\n"
	"\tevent.header := struct {\n\t\tuint8 id;\n\t\ttime56 timestamp;\n\t};\n"
	"\tpacket.context := struct {\n\t\ttime64 timestamp_begin;\n\t\ttime64 timestamp_end;\n"
	"\t\tuint64 content_size;\n\t\tuint64 packet_size;\n\t\tuint64 packet_seq_num;\n"
	"\t\tuint64 events_discarded;\n\t\tuint32 cpu_id;\n\t\tuint32 node_id;\n\t};\n};\n";

static const struct {
	enum event id;
	const char *name, *fields;
} described[] = {
	{ EVENT_TASK, "task",
	  "\t\tuint32 pid;\n\t\ttext8 comm[16];\n" },
	{ EVENT_CACHE, "cache",
	  "\t\thex64 cache;\n\t\tuint32 object_size;\n\t\tuint32 size;\n\t\tstring name;\n" },
	{ EVENT_ALLOC, "alloc",
	  "\t\tmemory kind;\n\t\thex64 call_site;\n\t\thex64 ptr;\n\t\tuint32 bytes_req;\n"
	  "\t\tuint32 bytes_alloc;\n\t\thex32 gfp_flags;\n\t\tint16 node;\n\t\tuint32 pid;\n"
	  "\t\thex64 cache;\n" },
	{ EVENT_FREE, "free",
	  "\t\tmemory kind;\n\t\thex64 call_site;\n\t\thex64 ptr;\n\t\tuint32 bytes;\n"
	  "\t\tuint32 pid;\n\t\thex64 cache;\n" },
	{ EVENT_OBJECT, "object",
	  "\t\tuint32 object;\n\t\tuint32 snapshot;\n\t\tlife state;\n\t\thex64 alloc_site;\n"
	  "\t\tuint32 pid;\n\t\thex64 ptr;\n\t\tuint32 bytes_req;\n\t\tuint64 alloc_jiffies;\n"
	  "\t\tuint64 free_jiffies;\n\t\thex64 free_site;\n\t\ttext8 comm[16];\n" },
	{ EVENT_COUNTS, "counts",
	  "\t\tuint32 object;\n\t\thex64 ip;\n\t\tuint32 pid;\n\t\tuint64 writes;\n"
	  "\t\tuint64 reads;\n" },
	{ EVENT_ACCESS, "access",
	  "\t\thex64 ip;\n\t\thex64 ptr;\n\t\tuint32 size;\n\t\tdirection kind;\n"
	  "\t\tuint32 pid;\n\t\tuint32 stack;\n" },
	{ EVENT_MARK, "mark",
	  "\t\tuint32 pid;\n\t\tstring text;\n" },
	{ EVENT_SWITCH, "switch",
	  "\t\tuint8 allocations;\n\t\tuint8 retirements;\n\t\tuint8 accesses;\n\t\tuint8 boot;\n" },
	{ EVENT_SNAPSHOT, "snapshot",
	  "\t\tuint32 snapshot;\n\t\tuint32 complete;\n\t\tuint64 objects;\n" },
	{ EVENT_ENTER, "enter",
	  "\t\tentry kind;\n\t\tuint32 number;\n\t\tuint32 pid;\n" },
	{ EVENT_LEAVE, "leave",
	  "\t\tentry kind;\n\t\tuint32 number;\n\t\tuint32 pid;\n" },
	{ EVENT_LOCK, "lock",
	  "\t\tlock_op op;\n\t\thex8 flags;\n\t\thex64 lock;\n\t\thex64 ip;\n\t\tuint32 pid;\n"
	  "\t\tstring name;\n" },
	{ EVENT_RCU_FREE, "rcu_free",
	  "\t\thex64 ptr;\n\t\thex64 ip;\n\t\tuint32 pid;\n" },
	{ EVENT_TRAFFIC, "traffic",
	  "\t\thex64 ip;\n\t\thex64 ptr;\n\t\tuint32 size;\n\t\tdirection kind;\n"
	  "\t\tuint32 pid;\n\t\tuint32 stack;\n\t\thex64 line;\n\t\tint32 from;\n" },
	{ EVENT_FRAME, "frame",
	  "\t\tuint32 stack;\n\t\tuint32 caller;\n\t\thex64 ip;\n" },
};

struct packet {
	u32 magic;
	u8 uuid[16];
	u32 stream_id;
	u64 begin, end, content_size, packet_size, seq, discarded;
	u32 cpu, node;
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
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		fprintf(stderr, "memorizer-qemu: %s: %s\n", path, strerror(errno));
	free(path);
	return fd;
}

/**
 * writer_init() - make the trace's directory and its metadata
 *
 * Return: false if that failed, which was told
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
	if (mkdir(options.out, 0700) && errno != EEXIST) {
		fprintf(stderr, "memorizer-qemu: %s: %s\n", options.out, strerror(errno));
		return false;
	}
	fd = create("metadata");
	f = fd < 0 ? NULL : fdopen(fd, "w");
	if (!f)
		return false;
	fprintf(f, metadata_head, text, options.line);
	for (i = 0; i < ARRAY_SIZE(described); i++)
		fprintf(f, "\nevent {\n\tid = %u;\n\tname = \"%s\";\n\tstream_id = 0;\n"
			"\tfields := struct {\n%s\t};\n};\n",
			described[i].id, described[i].name, described[i].fields);
	return !fclose(f);
}

/* Writes the packet that is open out. */
static void finish_packet(struct vcpu *v)
{
	struct packet *p = (struct packet *)v->packet;
	char name[16];

	if (!v->used)
		return;
	if (v->fd < 0) {
		snprintf(name, sizeof(name), "cpu%u", v->nr);
		v->fd = create(name);
	}
	*p = (struct packet) {
		.magic = MAGIC,
		.begin = v->begin,
		.end = v->time,
		.content_size = v->used * 8,
		.packet_size = v->used * 8,
		.seq = v->seq++,
		.discarded = v->drops[DROP_WRITE],
		.cpu = v->nr,
	};
	memcpy(p->uuid, uuid, sizeof(uuid));
	if (v->fd >= 0 && write_all(v->fd, v->packet, v->used)) {
		v->size += v->used;
	} else {
		fprintf(stderr, "memorizer-qemu: %s/cpu%u: %s\n", options.out, v->nr,
			strerror(errno));
		v->drops[DROP_WRITE] += v->in_packet;
		v->events -= v->in_packet;
	}
	v->used = 0;
	v->in_packet = 0;
}

/* Room for an event of so many bytes behind its header, NULL: it was counted as lost. */
static void *reserve(struct vcpu *v, enum event id, size_t size)
{
	u64 header;
	u8 *event;

	size += sizeof(header);
	if (v->used && v->used + size > options.packet)
		finish_packet(v);
	/* The last packet tells how many were lost, and holds nothing else. */
	if (options.limit && v->size + (v->used ?: sizeof(struct packet)) + size +
	    sizeof(struct packet) > options.limit) {
		v->drops[DROP_WRITE]++;
		return NULL;
	}
	v->time = __atomic_add_fetch(&clock_now, 1, __ATOMIC_RELAXED);
	if (!v->used) {
		v->used = sizeof(struct packet);
		v->begin = v->time;
	}
	event = v->packet + v->used;
	v->used += size;
	v->events++;
	v->in_packet++;
	header = v->time << 8 | id;
	memcpy(event, &header, sizeof(header));
	return event + sizeof(header);
}

/**
 * writer_open() - begin a vCPU's file
 * @v: it
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
 * writer_close() - end a vCPU's file
 * @v: it
 *
 * Context: at the end.
 */
void writer_close(struct vcpu *v)
{
	if (!v->packet)
		return;
	finish_packet(v);
	if (v->drops[DROP_WRITE]) {
		v->used = sizeof(struct packet);
		v->begin = v->time;
		finish_packet(v);
	}
	if (v->fd >= 0)
		close(v->fd);
}

/* What follows: one function for each event; see qemu.h for the arguments. */

void write_task(struct vcpu *v)
{
	struct { u32 pid; char comm[16]; } PACKED *e = reserve(v, EVENT_TASK, sizeof(*e));

	if (!e)
		return;
	e->pid = v->pid;
	memcpy(e->comm, v->comm, sizeof(e->comm));
}

void write_cache(struct vcpu *v, const u64 cache[CACHE_VALUES], const char *name)
{
	size_t length = strlen(name) + 1;
	struct {
		u64 cache;
		u32 object_size, size;
		char name[];
	} PACKED *e = reserve(v, EVENT_CACHE, sizeof(*e) + length);

	if (!e)
		return;
	e->cache = cache[0];
	e->object_size = cache[1];
	e->size = cache[2];
	memcpy(e->name, name, length);
}

void write_alloc(struct vcpu *v, const u64 alloc[OBJECT_VALUES], u32 bytes)
{
	struct {
		u8 kind;
		u64 call_site, ptr;
		u32 bytes_req, bytes_alloc, gfp_flags;
		int16_t node;
		u32 pid;
		u64 cache;
	} PACKED *e = reserve(v, EVENT_ALLOC, sizeof(*e));

	if (!e)
		return;
	e->kind = alloc[6] ? KIND_CACHE : KIND_KMALLOC;
	e->call_site = alloc[3];
	e->ptr = alloc[1];
	e->bytes_req = alloc[2];
	e->bytes_alloc = bytes;
	e->gfp_flags = 0;
	e->node = -1;
	e->pid = alloc[4];
	e->cache = alloc[6];
}

void write_free(struct vcpu *v, const u64 alloc[OBJECT_VALUES], u32 bytes, u64 free_ip)
{
	struct {
		u8 kind;
		u64 call_site, ptr;
		u32 bytes, pid;
		u64 cache;
	} PACKED *e = reserve(v, EVENT_FREE, sizeof(*e));

	if (!e)
		return;
	e->kind = alloc[6] ? KIND_CACHE : KIND_KMALLOC;
	e->call_site = free_ip;
	e->ptr = alloc[1];
	e->bytes = bytes;
	e->pid = v->pid;
	e->cache = alloc[6];
}

void write_access(struct vcpu *v, u64 ip, u64 addr, u32 size, bool store, u32 stack)
{
	struct {
		u64 ip, ptr;
		u32 size;
		u8 kind;
		u32 pid, stack;
	} PACKED *e = reserve(v, EVENT_ACCESS, sizeof(*e));

	if (!e)
		return;
	e->ip = ip;
	e->ptr = addr;
	e->size = size;
	e->kind = store ? ACCESS_WRITE : ACCESS_READ;
	e->pid = v->pid;
	e->stack = stack;
}

void write_traffic(struct vcpu *v, u64 ip, u64 addr, u32 size, bool store, u32 stack, u64 line,
		   s32 from)
{
	struct {
		u64 ip, ptr;
		u32 size;
		u8 kind;
		u32 pid, stack;
		u64 line;
		s32 from;
	} PACKED *e = reserve(v, EVENT_TRAFFIC, sizeof(*e));

	if (!e)
		return;
	e->ip = ip;
	e->ptr = addr;
	e->size = size;
	e->kind = store ? ACCESS_WRITE : ACCESS_READ;
	e->pid = v->pid;
	e->stack = stack;
	e->line = line;
	e->from = from;
}

void write_frame(struct vcpu *v, u32 stack, u32 caller, u64 ip)
{
	struct { u32 stack, caller; u64 ip; } PACKED *e = reserve(v, EVENT_FRAME, sizeof(*e));

	if (!e)
		return;
	e->stack = stack;
	e->caller = caller;
	e->ip = ip;
}

void write_mark(struct vcpu *v, const char *text)
{
	size_t length = strlen(text) + 1;
	struct { u32 pid; char text[]; } PACKED *e;

	e = reserve(v, EVENT_MARK, sizeof(*e) + length);
	if (!e)
		return;
	e->pid = v->pid;
	memcpy(e->text, text, length);
}

void write_entry(struct vcpu *v, bool leave, u32 kind, u32 number)
{
	struct { u8 kind; u32 number, pid; } PACKED *e;

	e = reserve(v, leave ? EVENT_LEAVE : EVENT_ENTER, sizeof(*e));
	if (!e)
		return;
	e->kind = kind;
	e->number = number;
	e->pid = v->pid;
}

void write_rcu_free(struct vcpu *v, u64 addr, u64 ip)
{
	struct { u64 ptr, ip; u32 pid; } PACKED *e = reserve(v, EVENT_RCU_FREE, sizeof(*e));

	if (!e)
		return;
	e->ptr = addr;
	e->ip = ip;
	e->pid = v->pid;
}

void write_lock(struct vcpu *v, u32 op, u32 flags, u64 lock, u64 ip, const char *name)
{
	size_t length = strlen(name) + 1;
	struct {
		u8 op, flags;
		u64 lock, ip;
		u32 pid;
		char name[];
	} PACKED *e = reserve(v, EVENT_LOCK, sizeof(*e) + length);

	if (!e)
		return;
	e->op = op;
	e->flags = flags;
	e->lock = lock;
	e->ip = ip;
	e->pid = v->pid;
	memcpy(e->name, name, length);
}

void write_switch(struct vcpu *v, bool on)
{
	struct { u8 allocations, retirements, accesses, boot; } *e;

	e = reserve(v, EVENT_SWITCH, sizeof(*e));
	if (!e)
		return;
	memset(e, 0, sizeof(*e));
	e->accesses = on;
}

void write_object(struct vcpu *v, u32 object, u32 snapshot, u32 state,
		  const u64 alloc[OBJECT_VALUES], const char comm[16], u64 free_ip,
		  u64 free_jiffies)
{
	struct {
		u32 object, snapshot;
		u8 state;
		u64 alloc_site;
		u32 pid;
		u64 ptr;
		u32 bytes_req;
		u64 alloc_jiffies, free_jiffies, free_site;
		char comm[16];
	} PACKED *e = reserve(v, EVENT_OBJECT, sizeof(*e));

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
}

void write_counts(struct vcpu *v, u32 object, u64 ip, u32 pid, u64 writes, u64 reads)
{
	struct {
		u32 object;
		u64 ip;
		u32 pid;
		u64 writes, reads;
	} PACKED *e = reserve(v, EVENT_COUNTS, sizeof(*e));

	if (!e)
		return;
	e->object = object;
	e->ip = ip;
	e->pid = pid;
	e->writes = writes;
	e->reads = reads;
}

void write_snapshot(struct vcpu *v, u32 snapshot, bool complete, u64 objects)
{
	struct { u32 snapshot, complete; u64 objects; } PACKED *e;

	e = reserve(v, EVENT_SNAPSHOT, sizeof(*e));
	if (!e)
		return;
	e->snapshot = snapshot;
	e->complete = complete;
	e->objects = objects;
}
