// SPDX-License-Identifier: GPL-2.0
/* Lists and counts the violations that a check finds. */
#include <stdio.h>

#include "lib/progress.h"
#include "lib/status.h"
#include "report/head.h"
#include "report/table.h"
#include "report/term.h"
#include "report/violations.h"

#define SHOWN	20		/* violations listed per kind, without --all */

/**
 * violations_begin - begin the list
 * @v: no violations
 */
void violations_begin(const struct violations *v)
{
	if (v->json)
		printf("{\n\t\"version\": %u,\n\t\"list\": [", FORMAT_VERSION);
	else
		term_pager();
}

/**
 * violations_add - count a violation, and list it unless there are many of its kind
 * @v: the violations
 * @kind: its kind
 * @place: where it is
 * @format: text
 * @args: of the text
 */
void violations_add(struct violations *v, unsigned int kind, const struct violation_place *place,
		    const char *format, va_list args)
{
	char text[ERROR_MAX];

	if (v->nr[kind]++ >= SHOWN && !v->all)
		return;
	vsnprintf(text, sizeof(text), format, args);
	progress_end();
	if (!v->json) {
		printf("%s%s: %s\n", place->text, v->kinds[kind], text);
		return;
	}
	printf("%s\n\t\t{\"kind\": \"%s\"%s, \"text\": ", v->listed++ ? "," : "", v->kinds[kind],
	       place->json);
	json_string(text);
	printf("}");
}

/**
 * violations_sum - count all violations
 * @v: the violations
 *
 * Return: their number.
 */
u64 violations_sum(const struct violations *v)
{
	u64 sum = 0;
	int i;

	for (i = 0; v->kinds[i]; i++)
		sum += v->nr[i];
	return sum;
}

/**
 * violations_print_unlisted - print how many violations of each kind are not listed
 * @v: the violations
 */
void violations_print_unlisted(const struct violations *v)
{
	int i;

	for (i = 0; v->kinds[i]; i++)
		if (v->nr[i] > SHOWN && !v->all)
			printf("%s: %llu more, --all lists them\n", v->kinds[i],
			       v->nr[i] - SHOWN);
}

/**
 * violations_print_sum - print the number of violations, in all and by kind
 * @v: the violations
 */
void violations_print_sum(const struct violations *v)
{
	const char *separator = " (";
	int i;

	printf("%llu violations", violations_sum(v));
	for (i = 0; v->kinds[i]; i++) {
		if (!v->nr[i])
			continue;
		printf("%s%s %llu", separator, v->kinds[i], v->nr[i]);
		separator = ", ";
	}
	printf("%s", violations_sum(v) ? ")" : "");
}

/**
 * violations_end_list - end the JSON list
 * @v: the violations
 * @incomplete: the input is
 */
void violations_end_list(const struct violations *v, bool incomplete)
{
	printf("%s],\n\t\"incomplete\": %s,\n", v->listed ? "\n\t" : "",
	       incomplete ? "true" : "false");
}

/**
 * violations_end - print the numbers of violations by kind, and end the JSON object
 * @v: the violations
 */
void violations_end(const struct violations *v)
{
	int i;

	printf("\t\"violations\": {");
	for (i = 0; v->kinds[i]; i++)
		printf("%s\"%s\": %llu", i ? ", " : "", v->kinds[i], v->nr[i]);
	printf("}\n}\n");
}
