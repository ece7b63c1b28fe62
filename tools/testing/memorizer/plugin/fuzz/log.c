// SPDX-License-Identifier: GPL-2.0
/*
 * Linked with each program of the fuzz test: enables its sites, and writes the accesses to its
 * data to the file named by the environment variable FUZZ_LOG. Without it, sites stay disabled.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../sites.h"
#include "tally.h"

#define MAX_EVENTS	200000

extern char __start_subject_text[], __stop_subject_text[];
extern char __start_subject_data[], __stop_subject_data[];

/* For the thunks of per-CPU data, which random programs have none of */
unsigned long this_cpu_off;

static struct tally tally;

/* Called by the thunks, which do not save vector registers */
__attribute__((target("general-regs-only")))
void log_access(const char *address, unsigned long size, const char *string, char kind,
		const void *ip)
{
	static unsigned long events;

	(void)string;
	if (kind < 'a' || ++events > MAX_EVENTS)
		abort();	/* a string function, or a program that runs for too long */
	if (size && address >= __start_subject_data && address < __stop_subject_data)
		tally_add(&tally, (uint64_t)ip, (uint64_t)address, size, kind);
}

/* Random programs do not call string functions. */
void memorizer_access_string(void)
{
	abort();
}

static void write_log(void)
{
	tally_write(&tally, getenv("FUZZ_LOG"));
}

__attribute__((constructor)) static void switch_on(void)
{
	char *text = (char *)((unsigned long)__start_subject_text & -4096UL);
	const struct site *site;

	if (!getenv("FUZZ_LOG"))
		return;
	tally.line = calloc(TALLY_SIZE, sizeof(*tally.line));
	if (!tally.line || atexit(write_log) ||
	    mprotect(text, __stop_subject_text - text, PROT_READ | PROT_WRITE | PROT_EXEC))
		abort();
	for (site = __start_memorizer_sites; site < __stop_memorizer_sites; site++)
		switch_site(site, true);
}
