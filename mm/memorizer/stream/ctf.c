// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's stream: the metadata, which describes the stream to readers of CTF 1.8. Generated
 * from event-fields.h.
 */
#include <linux/mm.h>
#include <linux/seq_file.h>
#include <linux/stringify.h>
#include <linux/utsname.h>
#include <linux/uuid.h>

#include "../access.h"
#include "../object.h"
#include "../traffic.h"
#include "stream.h"

/* Incremented with every incompatible change of the format. */
#define ABI_VERSION	1

static_assert(MEMORIZER_KMALLOC == 0 && MEMORIZER_CACHE == 1 && MEMORIZER_PAGES == 2);
static_assert(MEMORIZER_LIVE == 1 && MEMORIZER_FREED == 2 && MEMORIZER_BURIED == 3);
static_assert(MEMORIZER_SYSCALL == 1 && MEMORIZER_INTERRUPT == 2 && MEMORIZER_EXCEPTION == 3 &&
	      MEMORIZER_SOFTIRQ == 4 && MEMORIZER_NMI == 5);
static_assert(MEMORIZER_LOCK_ACQUIRE == 1 && MEMORIZER_LOCK_ACQUIRED == 2 &&
	      MEMORIZER_LOCK_RELEASE == 3);
static_assert(MEMORIZER_READ == 1 && MEMORIZER_WRITE == 2 && MEMORIZER_UPDATE == 3);

static const char packet_context[] =
	MEMORIZER_PACKET_CONTEXT(MEMORIZER_TSDL_FIELD, MEMORIZER_TSDL_ARRAY);

/* An event: its name, its fields, and the name of the string that follows them, or NULL. */
struct event_text {
	const char *name;
	const char *fields;
	const char *string;
};

#define EVENT_TEXT(event, EVENT, text)				\
	[MEMORIZER_##EVENT##_EVENT] = {				\
		.name = #event,					\
		.fields = MEMORIZER_##EVENT##_FIELDS(MEMORIZER_TSDL_FIELD, MEMORIZER_TSDL_ARRAY), \
		.string = text,					\
	},

static const struct event_text events[] = { MEMORIZER_EVENTS(EVENT_TEXT) };

static void show_trace(struct seq_file *m)
{
	seq_puts(m, "/* CTF 1.8 */\n\n");
	seq_puts(m, MEMORIZER_TYPES);
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
	/* Readers convert the jiffies of objects and modules with hz. */
	seq_printf(m, "\tpage_size = %lu;\n\thz = %d;\n", PAGE_SIZE, HZ);
	seq_printf(m, "\tline_size = %lu;\n};\n\n", memorizer_line_size());
	seq_puts(m, "clock {\n\tname = memorizer;\n");
	seq_puts(m, "\tdescription = \"ns of the kernel's sched_clock since boot\";\n");
	seq_puts(m, "\tfreq = 1000000000;\n\toffset = 0;\n};\n\n");
	seq_printf(m, "%s\n", MEMORIZER_TIME_TYPES);
}

/**
 * memorizer_ctf_show() - show debugfs memorizer/metadata
 * @m: the output
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
