/* SPDX-License-Identifier: GPL-2.0 */
/* What is left out of a trace while it is recorded. */
#ifndef SIEVE_H
#define SIEVE_H

#include "trace/metadata.h"

/* Numbers to choose by; none of them chooses all. */
struct sieve_list {
	u32 *number;
	u32 nr;
};

/**
 * struct sieve_choice - which events to keep
 * @pids: tasks whose accesses are kept
 * @chosen: whether the kernel chooses them already, and perhaps their children
 * @cpus: CPUs whose accesses are kept
 * @slab: whether allocations and frees of the slab allocator are
 * @pages: whether those of pages are
 */
struct sieve_choice {
	struct sieve_list pids, cpus;
	bool chosen, slab, pages;
};

bool sieve_parse_list(struct sieve_list *list, const char *text);
void sieve_free_choice(struct sieve_choice *choice);

/**
 * struct sieve_event - what is to be known of an event
 * @known: whether its size can be told
 * @text: whether a string is at its end
 * @size: its size in bytes, with the header, without that string
 * @what: whether it is to be chosen, and how; or what it announces
 * @at: where the field is that tells which
 */
struct sieve_event {
	bool known, text;
	u32 size;
	enum { SIEVE_KEEP, SIEVE_ACCESS, SIEVE_MEMORY, SIEVE_TASK, SIEVE_CACHE,
	       SIEVE_MODULE } what;
	u32 at;
};

/**
 * struct sieve - leaves out what was not chosen
 * @choice: what was
 * @head: bytes of a packet before its events
 * @content: where in it content_size is
 * @events: by id
 */
struct sieve {
	const struct sieve_choice *choice;
	u32 head, content;
	struct sieve_event events[256];
};

bool sieve_is_needed(const struct sieve_choice *choice);
bool sieve_init(struct sieve *s, const struct sieve_choice *choice, const char *dir);
size_t sieve_event_size(const struct sieve_event *e, const char *p, size_t left);
size_t sieve_packets(const struct sieve *s, u32 cpu, char *data, size_t len, u64 *left_out);

#endif
