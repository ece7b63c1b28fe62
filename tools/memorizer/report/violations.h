/* SPDX-License-Identifier: GPL-2.0 */
/* Lists and counts the violations that a check finds. */
#ifndef VIOLATIONS_H
#define VIOLATIONS_H

#include <stdarg.h>
#include <stdbool.h>

#include "lib/types.h"

#define VIOLATION_KINDS		11

/**
 * struct violations - the violations found so far
 * @kinds: names of the kinds, NULL at the end
 * @all: list all violations, not only the first ones of each kind
 * @json: print JSON
 * @nr: violations by kind
 * @listed: listed violations
 */
struct violations {
	const char * const *kinds;
	bool all, json;
	u64 nr[VIOLATION_KINDS], listed;
};

/**
 * struct violation_place - where a violation is
 * @text: with ": " at its end, or empty
 * @json: members of a JSON object, each with ", " before it, or empty
 */
struct violation_place {
	char text[80], json[100];
};

void violations_begin(const struct violations *v);
__printf(4, 0)
void violations_add(struct violations *v, unsigned int kind, const struct violation_place *place,
		    const char *format, va_list args);
u64 violations_sum(const struct violations *v);
void violations_print_unlisted(const struct violations *v);
void violations_print_sum(const struct violations *v);
void violations_end_list(const struct violations *v, bool incomplete);
void violations_end(const struct violations *v);

#endif
