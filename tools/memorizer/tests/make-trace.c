// SPDX-License-Identifier: GPL-2.0
/*
 * Write traces for tests, in either byte order: from a script, or many events of
 * a simulated load.
 *
 * Usage: make-trace [-e le|be] [-d] [-f|-q] DIR <SCRIPT
 *        make-trace [-e le|be] [-d] [-c CPUS] [-l LIVE] [-s SEED] [-a] -b EVENTS DIR
 *
 * -e  byte order (default: little-endian)
 * -d  packets have events_discarded_before, like those of newer kernels
 * -f  from the future: the metadata has an event "future" and a last field "later" of
 *     alloc, which the reader does not know
 * -q  like the QEMU plugin: accesses and traffic have a stack, there are call events,
 *     and switches lack the fields that only the kernel knows
 * -b  number of events of a simulated load; at most LIVE objects are live at a time
 * -a  three in four events are accesses to a few words of each object, and each CPU makes
 *     system calls
 *
 * A script has a line for each event: its name and fields as NAME=VALUE, in any order.
 * A field left out keeps its value from the previous line of the event, initially 0.
 * Addresses and flags are hex; text ends at the next space, with \xNN for any byte.
 * Numbers out of range of their field are truncated. Other lines:
 *
 * cpu N [NODE]		the next lines are for this CPU, on this node (0)
 * time N		the next event's timestamp; each event adds 10
 * lost N		N events are discarded here
 * skip N		N whole packets are missing here
 * packet		end the packet; the next event starts a new one
 * set FIELD N		override a field of the current packet's header or context;
 *			"set uuid N" sets its first byte
 * garbage N		N bytes 0xaa here
 * # ...		a comment
 *
 * Packets also end at PACKET_MAX bytes.
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/types.h"

#define PACKET_MAX	65536
#define EVENT_MAX	1024
#define HEADER_SIZE	(lost_before ? 88 : 80)	/* of a packet, with its context */
#define CPUS		256
#define TEXT_MAX	256
#define ID_SIZE		20		/* of a build id */

enum type { U8, U16, U32, S32, U64, X8, X32, X64, COMM, ID, STRING };

struct field {
	const char *name;
	enum type type;
	u64 value;
	char text[TEXT_MAX];
};

#define FIELDS	14	/* the last is empty */
#define F(n, t)	{ .name = n, .type = t }

static struct event {
	const char *name;
	struct field fields[FIELDS];
	unsigned int id;
} events[] = {
	{ "task", { F("pid", U32), F("comm", COMM) }, 0 },
	{ "cache", { F("cache", X64), F("object_size", U32), F("size", U32),
		     F("name", STRING) }, 1 },
	{ "alloc", { F("kind", U8), F("call_site", X64), F("ptr", X64), F("bytes_req", U32),
		     F("bytes_alloc", U32), F("gfp_flags", X32), F("node", U16),
		     F("pid", U32), F("cache", X64) }, 2 },
	{ "free", { F("kind", U8), F("call_site", X64), F("ptr", X64), F("bytes", U32),
		    F("pid", U32), F("cache", X64) }, 3 },
	{ "object", { F("object", U32), F("snapshot", U32), F("state", U8),
		      F("alloc_site", X64), F("pid", U32), F("ptr", X64),
		      F("bytes_req", U32), F("alloc_jiffies", U64), F("free_jiffies", U64),
		      F("free_site", X64), F("comm", COMM), F("kind", U8), F("stack", X32) }, 4 },
	{ "counts", { F("object", U32), F("ip", X64), F("pid", U32), F("writes", U64),
		      F("reads", U64), F("write_moves", U64), F("read_moves", U64) }, 5 },
	{ "access", { F("ip", X64), F("ptr", X64), F("size", U32), F("kind", U8),
		      F("pid", U32) }, 6 },
	{ "mark", { F("pid", U32), F("text", STRING) }, 7 },
	{ "switch", { F("allocations", U8), F("retirements", U8), F("accesses", U8),
		      F("boot", U8), F("traffic", U8), F("scoped", U8), F("entries", U8),
		      F("locks", U8) }, 8 },
	{ "snapshot", { F("snapshot", U32), F("complete", U32), F("objects", U64) }, 9 },
	{ "module", { F("loaded", U8), F("base", X64), F("size", U32), F("init_base", X64),
		      F("init_size", U32), F("jiffies", U64), F("build_id", ID),
		      F("name", STRING) }, 10 },
	{ "traffic", { F("ip", X64), F("ptr", X64), F("size", U32), F("kind", U8),
		       F("pid", U32), F("line", X64), F("from", S32) }, 11 },
	{ "enter", { F("kind", U8), F("number", U32), F("pid", U32) }, 12 },
	{ "leave", { F("kind", U8), F("number", U32), F("pid", U32) }, 13 },
	{ "lock", { F("op", U8), F("flags", X8), F("lock", X64), F("ip", X64), F("pid", U32),
		    F("name", STRING) }, 14 },
	{ "rcu_free", { F("ptr", X64), F("ip", X64), F("pid", U32) }, 15 },
	{ "frame", { F("stack", X32), F("depth", U8), F("ip", X64) }, 16 },
	{ "call", { F("stack", U32), F("caller", U32), F("ip", X64) }, 65 },
	{ "future", { F("pid", U32), F("hope", U8) }, 77 },
};

enum { TASK, CACHE, ALLOC, FREE, COUNTS = 5, ACCESS, SWITCH = 8, TRAFFIC = 11, ENTER, LEAVE,
	CALL = 17 };	/* indices */

static const char metadata[] =
	"/* CTF 1.8 */\n"
	"typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
	"typealias integer { size = 16; align = 8; signed = true; } := int16_t;\n"
	"typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
	"typealias integer { size = 32; align = 8; signed = true; } := int32_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
	"typealias integer { size = 8; align = 8; signed = false; base = 16; } := xint8_t;\n"
	"typealias integer { size = 32; align = 8; signed = false; base = 16; } := xint32_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; base = 16; } := xint64_t;\n"
	"typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := text_t;\n"
	"trace {\n"
	"\tmajor = 1;\n"
	"\tminor = 8;\n"
	"\tuuid = \"6d656d6f-7269-7a65-7200-000000000001\";\n"
	"\tbyte_order = %s;\n"
	"\tpacket.header := struct { uint32_t magic; uint8_t uuid[16]; uint32_t stream_id; };\n"
	"};\n"
	"env {\n"
	"\tdomain = \"kernel\";\n"
	"\ttracer_name = \"memorizer\";\n"
	"\ttracer_major = 1;\n"
	"\ttracer_minor = 0;\n"
	"\tabi_version = 1;\n"
	"\tkernel_release = \"6.12.0-test\";\n"
	"\tmachine = \"x86_64\";\n"
	"\tpage_size = 4096;\n"
	"\thz = 1000;\n"
	"};\n"
	"clock {\n"
	"\tname = memorizer;\n"
	"\tdescription = \"nanoseconds of the kernel's sched_clock since boot\";\n"
	"\tfreq = 1000000000;\n"
	"\toffset = 0;\n"
	"};\n"
	"typealias integer {\n"
	"\tsize = 56; align = 8; signed = false; map = clock.memorizer.value;\n"
	"} := stamp_t;\n"
	"typealias integer {\n"
	"\tsize = 64; align = 8; signed = false; map = clock.memorizer.value;\n"
	"} := clock_t;\n"
	"stream {\n"
	"\tid = 0;\n"
	"\tpacket.context := struct { clock_t timestamp_begin; clock_t timestamp_end;\n"
	"\t\tuint64_t content_size; uint64_t packet_size; uint64_t packet_seq_num;\n"
	"\t\tuint64_t events_discarded; uint32_t cpu_id; uint32_t node_id;%s };\n"
	"\tevent.header := struct { uint8_t id; stamp_t timestamp; };\n"
	"};\n";

static const char *tsdl_type(const struct event *e, const struct field *f)
{
	static const char * const types[] = {
		[U8] = "uint8_t", [U16] = "int16_t", [U32] = "uint32_t", [U64] = "uint64_t",
		[S32] = "int32_t", [X8] = "xint8_t", [X32] = "xint32_t", [X64] = "xint64_t",
		[COMM] = "text_t", [ID] = "xint8_t", [STRING] = "string",
	};

	if (!strcmp(f->name, "kind") && (e->id == 2 || e->id == 3))
		return "enum : uint8_t { kmalloc = 0, cache = 1, pages = 2, vmalloc = 3, vmap = 4, ioremap = 5, modules = 6, stack = 7, percpu = 8 }";
	if (!strcmp(f->name, "kind") && (e->id == 12 || e->id == 13))
		return "enum : uint8_t { syscall = 1, interrupt = 2, exception = 3, softirq = 4, nmi = 5 }";
	if (!strcmp(f->name, "kind") && e->id == 4)
		return "enum : uint8_t { slab = 1, pages = 2, vmalloc = 3, vmap = 4, ioremap = 5, modules = 6, stack = 7, struct_page = 8, static = 9, percpu = 10, memblock = 11, user = 12 }";
	if (!strcmp(f->name, "kind"))
		return "enum : uint8_t { read = 1, write = 2, update = 3 }";
	if (!strcmp(f->name, "op"))
		return "enum : uint8_t { acquire = 1, acquired = 2, release = 3 }";
	if (!strcmp(f->name, "state"))
		return "enum : uint8_t { live = 1, freed = 2, buried = 3 }";
	return types[f->type];
}

/* Return the place in a packet that "set" overrides. */
static const struct place {
	const char *name;
	int offset, size;
} places[] = {
	{ "magic", 0, 4 }, { "uuid", 4, 1 }, { "stream_id", 20, 4 },
	{ "timestamp_begin", 24, 8 }, { "timestamp_end", 32, 8 }, { "content_size", 40, 8 },
	{ "packet_size", 48, 8 }, { "packet_seq_num", 56, 8 }, { "events_discarded", 64, 8 },
	{ "cpu_id", 72, 4 }, { "node_id", 76, 4 },
};

struct set {
	u64 value;
	bool given;
};

static struct cpu {
	FILE *file;
	unsigned char *packet;
	size_t size;			/* of the packet so far, 0: none is open */
	u64 begin, end, seq, lost, reported;
	u32 node;
	struct set set[ARRAY_SIZE(places)];
} cpus[CPUS];

static const char *dir;
static bool big_endian, lost_before, from_future, from_qemu, with_accesses;
static u64 now = 1000, events_written, line_nr;
static u32 current;

__printf(1, 2)
static void die(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "make-trace: ");
	if (line_nr)
		fprintf(stderr, "line %llu: ", line_nr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(EXIT_FAILURE);
}

static FILE *create(const char *name)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "w");
	if (!file)
		die("%s: %s", path, strerror(errno));
	return file;
}

static void finish(FILE *file)
{
	if (ferror(file) || fclose(file))
		die("%s: %s", dir, strerror(errno));
}

static unsigned char *put(unsigned char *p, u64 value, int size)
{
	int i;

	for (i = 0; i < size; i++)
		p[i] = value >> 8 * (big_endian ? size - 1 - i : i);
	return p + size;
}

static void open_cpu(struct cpu *c)
{
	char name[32];

	if (c->file)
		return;
	snprintf(name, sizeof(name), "cpu%u", (u32)(c - cpus));
	c->file = create(name);
	c->packet = malloc(PACKET_MAX);
	if (!c->packet)
		die("no memory for a packet");
}

static void end_packet(struct cpu *c)
{
	static const unsigned char uuid[16] = "memorizer\0\0\0\0\0\0\1";
	unsigned char *p;
	size_t i;

	if (!c->size)
		return;
	p = put(c->packet, 0xc1fc1fc1, 4);
	memcpy(p, uuid, sizeof(uuid));
	p = put(p + sizeof(uuid), 0, 4);
	p = put(p, c->begin, 8);
	p = put(p, c->end, 8);
	p = put(p, c->size * 8, 8);
	p = put(p, c->size * 8, 8);
	p = put(p, c->seq++, 8);
	p = put(p, c->lost, 8);
	p = put(p, c - cpus, 4);
	p = put(p, c->node, 4);
	if (lost_before)
		put(p, c->reported, 8);
	c->reported = c->lost;
	for (i = 0; i < ARRAY_SIZE(places); i++)
		if (c->set[i].given)
			put(c->packet + places[i].offset, c->set[i].value, places[i].size);
	memset(c->set, 0, sizeof(c->set));
	fwrite(c->packet, 1, c->size, c->file);
	c->size = 0;
}

static void begin_packet(struct cpu *c)
{
	open_cpu(c);
	if (c->size > PACKET_MAX - EVENT_MAX)
		end_packet(c);
	if (!c->size) {
		c->size = HEADER_SIZE;
		c->begin = now;
		c->end = now;
	}
}

static unsigned char *put_field(unsigned char *p, const struct field *f)
{
	static const int sizes[] = {
		[U8] = 1, [U16] = 2, [U32] = 4, [S32] = 4, [U64] = 8, [X8] = 1, [X32] = 4,
		[X64] = 8,
	};

	if (f->type == COMM) {
		memcpy(p, f->text, 16);
		return p + 16;
	}
	if (f->type == ID) {
		memcpy(p, f->text, ID_SIZE);
		return p + ID_SIZE;
	}
	if (f->type == STRING)
		return (unsigned char *)stpcpy((char *)p, f->text) + 1;
	return put(p, f->value, sizes[f->type]);
}

static void put_event(const struct event *e)
{
	struct cpu *c = cpus + current;
	const struct field *f;
	unsigned char *p;

	begin_packet(c);
	p = put(c->packet + c->size, e->id, 1);
	p = put(p, now, 7);
	for (f = e->fields; f->name; f++)
		p = put_field(p, f);
	c->size = p - c->packet;
	c->end = now;
	now += 10;
	events_written++;
}

/* Parse text with \xNN; truncate it to its field. */
static void parse_text(struct field *f, const char *p)
{
	size_t len = 0, max = f->type == COMM ? 16 : f->type == ID ? ID_SIZE : TEXT_MAX - 1;
	char hex[3] = "";

	memset(f->text, 0, sizeof(f->text));
	while (*p && len < max) {
		if (p[0] == '\\' && p[1] == 'x' && isxdigit(p[2]) && isxdigit(p[3])) {
			memcpy(hex, p + 2, 2);
			f->text[len++] = strtoul(hex, NULL, 16);
			p += 4;
		} else {
			f->text[len++] = *p++;
		}
	}
}

static u64 parse_number(const char *text, int base)
{
	char *end;
	u64 value;

	errno = 0;
	value = strtoull(text, &end, base);
	if (errno || end == text || *end)
		die("'%s' is not a number", text);
	return value;
}

static void parse_field(struct event *e, char *word)
{
	char *value = strchr(word, '=');
	struct field *f;

	if (!value)
		die("'%s': want NAME=VALUE", word);
	*value++ = '\0';
	for (f = e->fields; f->name && strcmp(f->name, word); f++)
		;
	if (!f->name)
		die("%s has no field '%s'", e->name, word);
	if (f->type == COMM || f->type == ID || f->type == STRING)
		parse_text(f, value);
	else
		f->value = parse_number(value, f->type == X8 || f->type == X32 || f->type == X64 ?
					16 : 10);
}

static u64 argument(int base)
{
	const char *word = strtok(NULL, " \t\n");

	if (!word)
		die("a number is missing");
	return parse_number(word, base);
}

static void set_place(void)
{
	const char *name = strtok(NULL, " \t\n");
	struct set *set;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		if (name && !strcmp(name, places[i].name)) {
			begin_packet(cpus + current);
			set = cpus[current].set + i;
			set->value = argument(0);
			set->given = true;
			return;
		}
	}
	die("'%s' is not a field of a packet", name ? name : "");
}

static void put_garbage(u64 size)
{
	struct cpu *c = cpus + current;

	open_cpu(c);
	if (c->size) {
		if (size > PACKET_MAX - c->size)
			die("no room for %llu bytes in a packet", size);
		memset(c->packet + c->size, 0xaa, size);
		c->size += size;
		return;
	}
	while (size--)
		putc(0xaa, c->file);
}

static void select_cpu(void)
{
	u64 nr = argument(10);
	const char *node;

	if (nr >= CPUS)
		die("CPU %llu: at most %d", nr, CPUS - 1);
	current = nr;
	open_cpu(cpus + current);
	node = strtok(NULL, " \t\n");
	if (node)
		cpus[current].node = parse_number(node, 10);
}

static struct event *find_event(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(events); i++)
		if (!strcmp(events[i].name, name))
			return events + i;
	die("no event or command '%s'", name);
	return NULL;
}

static void run_line(char *line)
{
	char *word = strtok(line, " \t\n");
	struct event *e;

	if (!word || *word == '#')
		return;
	if (!strcmp(word, "cpu")) {
		select_cpu();
	} else if (!strcmp(word, "time")) {
		now = argument(10);
	} else if (!strcmp(word, "lost")) {
		begin_packet(cpus + current);
		cpus[current].lost += argument(10);
	} else if (!strcmp(word, "skip")) {
		cpus[current].seq += argument(10);
	} else if (!strcmp(word, "packet")) {
		end_packet(cpus + current);
	} else if (!strcmp(word, "set")) {
		set_place();
	} else if (!strcmp(word, "garbage")) {
		put_garbage(argument(10));
	} else {
		e = find_event(word);
		while ((word = strtok(NULL, " \t\n")))
			parse_field(e, word);
		put_event(e);
	}
}

static void run_script(void)
{
	char line[4096];

	while (fgets(line, sizeof(line), stdin)) {
		line_nr++;
		run_line(line);
	}
	line_nr = 0;
}

/*
 * The load: objects of three kinds, each at its own address. An event allocates an object
 * in a free slot, or frees the object in a slot, perhaps on another CPU.
 */
#define CACHES	5
#define TASKS	20
#define SITES	100

static u64 random_state;

static u32 below(u32 n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (random_state >> 32) % n;
}

static void put_values(u32 nr, const u64 *values)
{
	struct event *e = events + nr;
	struct field *f;

	for (f = e->fields; f->name; f++)
		if (f->type != COMM && f->type != ID && f->type != STRING)
			f->value = *values++;
	put_event(e);
}

static void alloc_or_free(u32 place, bool *live, u32 nr_cpus)
{
	u32 kind = place % 3, slot = kind == 2 ? 8192 : 64 << place % 5;
	u64 cache = kind == 2 ? 0 : 0xffff888000100000ull + 0x100 * (place % CACHES);
	u32 req = kind == 0 ? slot - place * 7ull % (slot / 2) : slot;
	u64 ptr = (kind == 2 ? 0xffff888800000000ull : 0xffff888100000000ull) + place * 8192ull;
	u64 site = 0xffffffff81000000ull + 0x100 * (place % SITES);
	u32 pid = 1 + below(TASKS), node;

	current = below(8) ? place % nr_cpus : below(nr_cpus);
	node = cpus[current].node;
	if (*live)
		put_values(FREE, (u64[]){ kind, site + 85, ptr, slot, pid, cache });
	else
		put_values(ALLOC,
			   (u64[]){ kind, site + 5, ptr, req, slot, 0xcc0, node, pid, cache });
	*live = !*live;
}

/* Access one of four words of an object by one of two instructions, perhaps in a system call. */
static void access_object(u32 place, u32 nr_cpus)
{
	u64 ptr = (place % 3 == 2 ? 0xffff888800000000ull : 0xffff888100000000ull) +
		place * 8192ull;
	u64 word = below(4), ip = 0xffffffff81000000ull + 16 * word + 8 * below(2), pid;

	current = below(nr_cpus);
	pid = 1 + current;
	if (!below(8))
		put_values(ENTER, (u64[]){ 1, below(4), pid });
	put_values(ACCESS, (u64[]){ ip, ptr + 8 * word, 8, 1 + below(3), pid });
}

static void run_load(u64 nr, u32 nr_cpus, u32 nr_live, u64 seed)
{
	bool *live = calloc(nr_live, sizeof(*live));
	u64 cache;
	u32 i;

	if (!live)
		die("no memory for %u objects", nr_live);
	random_state = seed * 2654435761u + 88172645463325252u;
	for (i = 0; i < nr_cpus; i++)
		cpus[i].node = i % 2;
	put_values(SWITCH, (u64[]){ 1, 0, 0, 1, 0, 0, 0, 0 });
	for (i = 1; i <= TASKS; i++) {
		snprintf(events[TASK].fields[1].text, TEXT_MAX, "task-%u", i);
		put_values(TASK, (u64[]){ i });
	}
	for (i = 0; i < CACHES; i++) {
		snprintf(events[CACHE].fields[3].text, TEXT_MAX, "cache-%u", i);
		cache = 0xffff888000100000ull + 0x100 * i;
		put_values(CACHE, (u64[]){ cache, 64 << i, 64 << i });
	}
	while (events_written < nr) {
		i = below(nr_live);
		if (with_accesses && below(4))
			access_object(i, nr_cpus);
		else
			alloc_or_free(i, live + i, nr_cpus);
	}
	free(live);
}

static void put_metadata(void)
{
	FILE *file = create("metadata");
	const struct field *f;
	size_t i;

	fprintf(file, metadata, big_endian ? "be" : "le",
		lost_before ? " uint64_t events_discarded_before;" : "");
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		if ((events[i].id == 77 && !from_future) || (i == CALL && !from_qemu))
			continue;
		fprintf(file, "event {\n\tname = \"%s\";\n\tid = %u;\n\tstream_id = 0;\n"
			"\tfields := struct {\n", events[i].name, events[i].id);
		for (f = events[i].fields; f->name; f++)
			fprintf(file, "\t\t%s %s%s;\n", tsdl_type(events + i, f), f->name,
				f->type == COMM ? "[16]" : f->type == ID ? "[20]" : "");
		fprintf(file, "\t};\n};\n");
	}
	finish(file);
}

/* Change events to the QEMU plugin's fields. */
static void become_qemu(void)
{
	from_qemu = true;
	events[ACCESS].fields[5] = (struct field)F("stack", U32);
	memmove(events[TRAFFIC].fields + 6, events[TRAFFIC].fields + 5, 2 * sizeof(struct field));
	events[TRAFFIC].fields[5] = (struct field)F("stack", U32);
	memset(events[SWITCH].fields + 4, 0, 4 * sizeof(struct field));
	memset(events[COUNTS].fields + 5, 0, 2 * sizeof(struct field));
}

static void usage(void)
{
	die("want [-e le|be] [-f|-q] [-c CPUS] [-l LIVE] [-s SEED] [-b EVENTS] DIR");
}

int main(int argc, char **argv)
{
	u64 nr = 0, nr_cpus = 2, live = 10000, seed = 1;
	int option;
	u32 i;

	while ((option = getopt(argc, argv, "ade:fqb:c:l:s:")) != -1) {
		switch (option) {
		case 'a':
			with_accesses = true;
			break;
		case 'd':
			lost_before = true;
			break;
		case 'e':
			big_endian = !strcmp(optarg, "be");
			break;
		case 'f':
			from_future = true;
			events[ALLOC].fields[9] = (struct field)F("later", U32);
			break;
		case 'q':
			become_qemu();
			break;
		case 'b':
			nr = parse_number(optarg, 10);
			break;
		case 'c':
			nr_cpus = parse_number(optarg, 10);
			break;
		case 'l':
			live = parse_number(optarg, 10);
			break;
		case 's':
			seed = parse_number(optarg, 10);
			break;
		default:
			usage();
		}
	}
	if (optind != argc - 1 || !nr_cpus || nr_cpus > CPUS || !live || live > U32_MAX)
		usage();
	dir = argv[optind];
	if (mkdir(dir, 0777) && errno != EEXIST)
		die("%s: %s", dir, strerror(errno));
	put_metadata();
	if (nr)
		run_load(nr, nr_cpus, live, seed);
	else
		run_script();
	for (i = 0; i < CPUS; i++) {
		if (!cpus[i].file)
			continue;
		end_packet(cpus + i);
		free(cpus[i].packet);
		finish(cpus[i].file);
	}
	return EXIT_SUCCESS;
}
