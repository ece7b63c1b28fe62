// SPDX-License-Identifier: GPL-2.0
/* The head of JSON and CSV output: command, input, filters, completeness. */
#include <stdio.h>
#include <string.h>

#include "report/head.h"
#include "report/table.h"

#define LINE_MAX_TEXT	78	/* characters in a line of text */

/* Prints members of a JSON object, or lines of CSV. */
struct members {
	enum report_format format;
	const char *table, *separator, *next;
};

static void begin_member(struct members *m, const char *key)
{
	if (m->format == REPORT_JSON)
		printf("%s\"%s\": ", m->separator, key);
	else
		printf("%s,%s,", m->table, key);
	m->separator = m->next;
}

static void end_member(const struct members *m)
{
	if (m->format == REPORT_CSV)
		putchar('\n');
}

static void put_number(struct members *m, const char *key, u64 n)
{
	begin_member(m, key);
	printf("%llu", n);
	end_member(m);
}

static void put_bool(struct members *m, const char *key, bool value)
{
	begin_member(m, key);
	printf(value ? "true" : "false");
	end_member(m);
}

static void put_text(struct members *m, const char *key, const char *text)
{
	begin_member(m, key);
	if (m->format == REPORT_JSON)
		json_string(text);
	else
		csv_string(text);
	end_member(m);
}

/* A time in ns, or the text of a mark. */
static void put_point(struct members *m, const char *key, u64 time, const char *mark)
{
	if (mark)
		put_text(m, key, mark);
	else
		put_number(m, key, time);
}

static void put_filter(struct members *m, const struct kmem_filter *f, bool stacks)
{
	char kinds[KMEM_KINDS_TEXT];

	if (!f)
		return;
	if (kmem_filter_kinds(f, kinds))
		put_text(m, "kind", kinds);
	if (f->cache)
		put_text(m, "cache", f->cache);
	if (f->site)
		put_text(m, "site", f->site);
	if (f->comm)
		put_text(m, "comm", f->comm);
	if (f->type)
		put_text(m, "type", f->type);
	if (f->field)
		put_text(m, "field", f->field);
	if (f->no_wait)
		put_bool(m, "no_wait", true);
	if (f->pid != U64_MAX)
		put_number(m, "pid", f->pid);
	if (stacks)
		put_text(m, "skip", f->skip ?: "");
	if (f->cpu != U64_MAX)
		put_number(m, "cpu", f->cpu);
	if (f->from || f->from_mark)
		put_point(m, "from", f->from, f->from_mark);
	if (f->to != U64_MAX || f->to_mark)
		put_point(m, "to", f->to, f->to_mark);
}

/* Print the functions that are skipped, several to a line. */
static void print_skipped(const char *glob)
{
	size_t len, column = printf("Callsites are the first callers except");

	for (; *glob; glob += len + (glob[len] == ',')) {
		len = strcspn(glob, ",");
		if (column + len > LINE_MAX_TEXT)
			column = printf("\n ") - 1;
		column += printf(" %.*s%s", (int)len, glob, glob[len] ? "," : ".\n\n");
	}
}

/**
 * head_print - print the head of a report
 * @h: the head
 * @format: JSON or CSV; for text, only the functions that are skipped are printed
 */
void head_print(const struct head *h, enum report_format format)
{
	struct members m = { format, "report", "\n\t", ",\n\t" };

	if (format == REPORT_TEXT) {
		if (h->stacks && h->filter->skip && *h->filter->skip)
			print_skipped(h->filter->skip);
		return;
	}
	printf(format == REPORT_JSON ? "{" : "table,key,value\n");
	put_number(&m, "version", FORMAT_VERSION);
	put_text(&m, "command", h->command);
	put_text(&m, "input", h->input);
	if (h->what)
		put_text(&m, "of", h->what);
	if (h->before) {
		put_text(&m, "before", h->before);
		put_text(&m, "after", h->after);
	}
	put_bool(&m, "incomplete", h->incomplete);
	put_text(&m, "sort", h->sort);
	put_number(&m, "top", h->top);
	if (format == REPORT_JSON)
		printf(",\n\t\"filters\": {");
	m = (struct members){ format, "filter", "", ", " };
	put_filter(&m, h->filter, h->stacks);
	if (format == REPORT_JSON)
		printf("}");
}
