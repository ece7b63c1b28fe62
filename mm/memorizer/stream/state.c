// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's stream: switches, session and reader.
 *
 * switch.c and files.c change this state; all code that writes events reads it.
 */
#include <linux/compiler.h>
#include <linux/types.h>
#include <linux/uuid.h>

#include "stream.h"

/* Counts up when a switch is turned on: tasks and caches are described again. */
u32 memorizer_session;

/* Number of times that the stream began: the first switch was turned on. */
u32 memorizer_beginnings;

/* The process (tgid) that last opened a CPU's file and has one open; 0 if none has. */
pid_t memorizer_stream_reader;

/* Identifies the trace in its packets and in its metadata. */
uuid_t memorizer_stream_uuid;

/* Accesses are streamed in scopes only: switch "scoped", from its switch event on. */
bool memorizer_stream_is_scoped;

/* Written under switch_mutex. */
bool memorizer_stream_switches[MEMORIZER_STREAM_SWITCHES];

const char *const memorizer_stream_names[MEMORIZER_STREAM_SWITCHES] = {
	"allocations", "retirements", "accesses", "traffic", "entries", "locks", "scoped",
};

/**
 * memorizer_stream_is_on() - test a switch
 * @which: an enum memorizer_stream_switch
 *
 * Return: true if it is on
 */
bool memorizer_stream_is_on(unsigned int which)
{
	return READ_ONCE(memorizer_stream_switches[which]);
}

/**
 * memorizer_stream_any_is_on() - test all switches that make events
 *
 * Return: true if one of them is on
 */
bool memorizer_stream_any_is_on(void)
{
	unsigned int which;

	for (which = 0; which < MEMORIZER_STREAM_SCOPED; which++)
		if (memorizer_stream_is_on(which))
			return true;
	return false;
}
