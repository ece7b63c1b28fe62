// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's stream: the metadata, which tell a reader of CTF 1.8 what the
 * stream looks like. stream.h lists the fields that are described here.
 */
#include <linux/mm.h>
#include <linux/seq_file.h>
#include <linux/stringify.h>
#include <linux/utsname.h>
#include <linux/uuid.h>

#include "stream.h"

/* Counts up with every change of the format that a reader must know of. */
#define ABI_VERSION	1

/* Of this boot; made before the first packet. */
uuid_t memorizer_stream_uuid;

#define INTEGER(size, more)	\
	"integer { size = " #size "; align = 8; signed = false; " more "}"

static const char types[] =
	"typealias " INTEGER(8, "") " := uint8;\n"
	"typealias " INTEGER(32, "") " := uint32;\n"
	"typealias " INTEGER(64, "") " := uint64;\n"
	"typealias " INTEGER(8, "base = 16; ") " := hex8;\n"
	"typealias " INTEGER(32, "base = 16; ") " := hex32;\n"
	"typealias " INTEGER(64, "base = 16; ") " := hex64;\n"
	"typealias " INTEGER(8, "encoding = UTF8; ") " := text8;\n"
	"typealias integer { size = 16; align = 8; signed = true; } := int16;\n"
	"typealias integer { size = 32; align = 8; signed = true; } := int32;\n"
	"typealias enum : uint8 { kmalloc = 0, cache = 1, pages = 2 } := source;\n"
	"typealias enum : uint8 { live = 1, freed = 2, buried = 3 } := life;\n"
	"typealias enum : uint8 { read = 1, write = 2, update = 3 } := direction;\n"
	"typealias enum : uint8 { syscall = 1, interrupt = 2, exception = 3, softirq = 4, nmi = 5 } := entry;\n"
	"typealias enum : uint8 { acquire = 1, acquired = 2, release = 3 } := lock_op;\n";

static_assert(MEMORIZER_KMALLOC == 0 && MEMORIZER_CACHE == 1 && MEMORIZER_PAGES == 2);
static_assert(MEMORIZER_LIVE == 1 && MEMORIZER_FREED == 2 && MEMORIZER_BURIED == 3);
static_assert(MEMORIZER_SYSCALL == 1 && MEMORIZER_INTERRUPT == 2 && MEMORIZER_EXCEPTION == 3 &&
	      MEMORIZER_SOFTIRQ == 4 && MEMORIZER_NMI == 5);
static_assert(MEMORIZER_LOCK_ACQUIRE == 1 && MEMORIZER_LOCK_ACQUIRED == 2 &&
	      MEMORIZER_LOCK_RELEASE == 3);
static_assert(MEMORIZER_READ == 1 && MEMORIZER_WRITE == 2 && MEMORIZER_UPDATE == 3);

#define TSDL_FIELD(type, tsdl, name)	"\t\t" #tsdl " " #name ";\n"
#define TSDL_ARRAY(type, tsdl, name, length)	"\t\t" #tsdl " " #name "[" #length "];\n"

static const char packet_context[] = MEMORIZER_PACKET_CONTEXT(TSDL_FIELD, TSDL_ARRAY);

/* An event: its name, its fields, and the name of the string behind them. */
struct event_text {
	const char *name;
	const char *fields;
	const char *string;
};

#define EVENT_TEXT(event, EVENT, text)				\
	[MEMORIZER_##EVENT##_EVENT] = {				\
		.name = #event,					\
		.fields = MEMORIZER_##EVENT##_FIELDS(TSDL_FIELD, TSDL_ARRAY), \
		.string = text,					\
	}

static const struct event_text events[] = {
	EVENT_TEXT(task, TASK, NULL),
	EVENT_TEXT(cache, CACHE, "name"),
	EVENT_TEXT(alloc, ALLOC, NULL),
	EVENT_TEXT(free, FREE, NULL),
	EVENT_TEXT(object, OBJECT, NULL),
	EVENT_TEXT(counts, COUNTS, NULL),
	EVENT_TEXT(access, ACCESS, NULL),
	EVENT_TEXT(mark, MARK, "text"),
	EVENT_TEXT(switch, SWITCH, NULL),
	EVENT_TEXT(snapshot, SNAPSHOT, NULL),
	EVENT_TEXT(module, MODULE, "name"),
	EVENT_TEXT(traffic, TRAFFIC, NULL),
	EVENT_TEXT(enter, ENTER, NULL),
	EVENT_TEXT(leave, LEAVE, NULL),
	EVENT_TEXT(lock, LOCK, "name"),
	EVENT_TEXT(rcu_free, RCU_FREE, NULL),
};

static void show_trace(struct seq_file *m)
{
	seq_puts(m, "/* CTF 1.8 */\n\n");
	seq_puts(m, types);
	seq_printf(m, "\ntrace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"%pUb\";\n\tbyte_order = %s;\n",
		   &memorizer_stream_uuid, IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) ? "be" : "le");
	seq_puts(m, "\tpacket.header := struct {\n\t\tuint32 magic;\n\t\tuint8 uuid[16];\n\t\tuint32 stream_id;\n\t};\n};\n\n");
}

static void show_environment(struct seq_file *m)
{
	seq_puts(m, "env {\n\tdomain = \"kernel\";\n\ttracer_name = \"memorizer\";\n");
	seq_puts(m, "\ttracer_major = 1;\n\ttracer_minor = 0;\n");
	seq_printf(m, "\tabi_version = %d;\n", ABI_VERSION);
	seq_printf(m, "\tkernel_release = \"%s\";\n", init_utsname()->release);
	seq_printf(m, "\tmachine = \"%s\";\n", init_utsname()->machine);
	seq_printf(m, "\tpage_size = %lu;\n\thz = %d;\n", PAGE_SIZE, HZ);
	seq_printf(m, "\tline_size = %lu;\n};\n\n", memorizer_line_size());
	seq_puts(m, "clock {\n\tname = memorizer;\n");
	seq_puts(m, "\tdescription = \"ns of the kernel's sched_clock since boot\";\n");
	seq_puts(m, "\tfreq = 1000000000;\n\toffset = 0;\n};\n\n");
	seq_puts(m, "typealias " INTEGER(56, "map = clock.memorizer.value; ") " := time56;\n");
	seq_puts(m, "typealias " INTEGER(64, "map = clock.memorizer.value; ") " := time64;\n\n");
}

/**
 * memorizer_ctf_show() - show debugfs memorizer/metadata
 * @m: where to
 * @unused: not used
 *
 * Context: process context, may sleep.
 * Return: 0
 */
int memorizer_ctf_show(struct seq_file *m, void *unused)
{
	unsigned int id;

	show_trace(m);
	show_environment(m);
	seq_puts(m, "stream {\n\tid = 0;\n");
	seq_puts(m, "\tevent.header := struct {\n\t\tuint8 id;\n\t\ttime56 timestamp;\n\t};\n");
	seq_printf(m, "\tpacket.context := struct {\n%s\t};\n};\n", packet_context);
	for (id = 0; id < ARRAY_SIZE(events); id++) {
		seq_printf(m, "\nevent {\n\tid = %u;\n\tname = \"%s\";\n\tstream_id = 0;\n",
			   id, events[id].name);
		seq_printf(m, "\tfields := struct {\n%s", events[id].fields);
		if (events[id].string)
			seq_printf(m, "\t\tstring %s;\n", events[id].string);
		seq_puts(m, "\t};\n};\n");
	}
	return 0;
}
