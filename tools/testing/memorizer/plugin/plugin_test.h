/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by the plugin's test and its cases */
#ifndef PLUGIN_TEST_H
#define PLUGIN_TEST_H

#include "subject.h"

/* Callbacks of the hook for string functions, mm/memorizer/string.c */
void memorizer_access(unsigned long addr, unsigned long size, unsigned int kind, unsigned long ip);
bool memorizer_load_byte(const char *ptr, unsigned char *byte);

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* As in the kernel: the distance of the CPU's copies of per-CPU data from the offsets */
extern unsigned long this_cpu_off;

/* A case calls its subjects, states the accesses to expect, and returns a result. */
struct test_case {
	const char *name;
	long (*run)(const void *data);
	const void *data;
	const char *only;	/* enable the sites of this function only, all if NULL */
};

/* Terminated by an entry without a name */
extern const struct test_case access_cases[], function_cases[];

/* Expect one access of the function: r, w, or u for both. */
void expect(const char *function, char kind, const void *address, unsigned long size);

#define READ(function, object)		expect(#function, 'r', (void *)&(object), sizeof(object))
#define WRITE(function, object)		expect(#function, 'w', (void *)&(object), sizeof(object))
#define UPDATE(function, object)	expect(#function, 'u', (void *)&(object), sizeof(object))

#endif
