// SPDX-License-Identifier: GPL-2.0
/*
 * Add up or check the KMAP on standard input, many times as fast as BusyBox's awk:
 *
 * kmap_sums			prints the numbers of objects and of accesses
 * kmap_sums pid PID		the numbers of accesses by others, and by that task
 * kmap_sums ip FIRST END	the numbers of accesses by others, and by code from FIRST up to END
 * kmap_sums at ADDRESS SIZE	the numbers of objects of that address and size, of writes to them,
 *				and of reads
 * kmap_sums kinds		the number of accesses in kmap_kinds to each kind that has some
 * kmap_sums parts		prints kmap_fields as kmap: without the parts of objects
 * kmap_sums sorted		checks the order of kmap_fields, and that parts are granules
 *
 * Addresses are hexadecimal.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OTHERS, CHOSEN };

/* What is added up. */
static unsigned long long objects, chosen_objects, writes[2], reads[2];

static int show_usage(void)
{
	fputs("usage: kmap_sums [pid PID | ip FIRST END | at ADDRESS SIZE | kinds | parts | sorted]\n",
	      stderr);
	return 2;
}

/* Parse the number at @p, which ends with a comma or the line, and move @p behind it. */
static unsigned long long parse(char **p, int base)
{
	char *end;
	unsigned long long n = strtoull(*p, &end, base);

	if (end == *p || !strchr(",\n", *end)) {
		fprintf(stderr, "kmap_sums: no number: %s", *p);
		exit(1);
	}
	*p = end + 1;
	return n;
}

/* Print the row of @key, the text of ip and pid, unless it is empty. */
static void flush(char *key)
{
	if (*key)
		printf("%s,%llu,%llu\n", key, writes[0], reads[0]);
	*key = 0;
	writes[0] = 0;
	reads[0] = 0;
}

/* Rows of one ip and pid follow each other. */
static void join_parts(void)
{
	char line[256], key[256] = "", *p;

	while (fgets(line, sizeof(line), stdin)) {
		if (*line != ' ') {
			flush(key);
			fputs(line, stdout);
			continue;
		}
		p = line;
		parse(&p, 16);
		parse(&p, 10);
		p[-1] = 0;
		if (strcmp(line, key))
			flush(key);
		memcpy(key, line, p - line);
		writes[0] += parse(&p, 10);
		reads[0] += parse(&p, 10);
	}
	flush(key);
}

/* A row, as it sorts. Without a part, offset and size are 0. */
struct row {
	unsigned long long ip, pid, offset, size;
};

static bool comes_after(const struct row *a, const struct row *b)
{
	if (a->ip != b->ip)
		return a->ip > b->ip;
	if (a->pid != b->pid)
		return a->pid > b->pid;
	if (a->offset != b->offset)
		return a->offset > b->offset;
	return a->size > b->size;
}

/* A part consists of whole granules, but for the end of the object. */
static bool is_part(const struct row *row, unsigned long long bytes)
{
	unsigned long long end = row->offset + row->size;

	return row->size && row->offset % 4 == 0 && end <= bytes &&
	       (row->size % 4 == 0 || end == bytes);
}

/* Returns the exit status, 1 after printing the first line that is wrong. */
static int check_order(void)
{
	unsigned long long bytes = 0;
	struct row last = { 0 }, row;
	bool first = true, fine;
	char line[256], *p;

	while (fgets(line, sizeof(line), stdin)) {
		p = line;
		if (*p != ' ') {
			parse(&p, 16);
			parse(&p, 10);
			parse(&p, 16);
			bytes = parse(&p, 10);
			first = true;
			continue;
		}
		row = (struct row){ .ip = parse(&p, 16) };
		row.pid = parse(&p, 10);
		parse(&p, 10);
		parse(&p, 10);
		fine = p[-1] == '\n' ||
		       (sscanf(p, "%llu+%llu", &row.offset, &row.size) == 2 &&
			is_part(&row, bytes));
		if (!fine || (!first && !comes_after(&row, &last))) {
			printf("# wrong: %s", line);
			return 1;
		}
		first = false;
		last = row;
	}
	return ferror(stdin) != 0;
}

#define MAX_KINDS 32

/* Returns the exit status, 1 if there are too many kinds. */
static int add_up_kinds(void)
{
	static struct {
		char name[256];
		unsigned long long accesses;
	} kinds[MAX_KINDS];
	unsigned int kind = 0, i;
	char line[256], *p;

	while (fgets(line, sizeof(line), stdin)) {
		p = line;
		if (*p != ' ') {
			line[strcspn(line, ",")] = 0;
			for (kind = 0; *kinds[kind].name && strcmp(kinds[kind].name, line); kind++)
				if (kind == MAX_KINDS - 2)
					return 1;
			memcpy(kinds[kind].name, line, sizeof(line));
			continue;
		}
		parse(&p, 16);
		parse(&p, 10);
		kinds[kind].accesses += parse(&p, 10);
		kinds[kind].accesses += parse(&p, 10);
	}
	for (i = 0; *kinds[i].name; i++)
		if (kinds[i].accesses)
			printf("%s %llu\n", kinds[i].name, kinds[i].accesses);
	return ferror(stdin) != 0;
}

int main(int argc, char **argv)
{
	const char *by = argc > 1 ? argv[1] : "";
	bool by_pid = argc == 3 && !strcmp(by, "pid"), by_ip = argc == 4 && !strcmp(by, "ip");
	bool by_object = argc == 4 && !strcmp(by, "at"), mine = false, chosen;
	unsigned long long first, end, ip, pid;
	char line[256], *p;

	setvbuf(stdin, NULL, _IOFBF, 1 << 16);
	if (argc == 2 && !strcmp(by, "parts")) {
		join_parts();
		return ferror(stdin) != 0;
	}
	if (argc == 2 && !strcmp(by, "kinds"))
		return add_up_kinds();
	if (argc == 2 && !strcmp(by, "sorted"))
		return check_order();
	if (argc > 1 && !by_pid && !by_ip && !by_object)
		return show_usage();
	first = argc > 2 ? strtoull(argv[2], NULL, by_pid ? 10 : 16) : 0;
	end = argc > 3 ? strtoull(argv[3], NULL, by_ip ? 16 : 10) : 0;
	while (fgets(line, sizeof(line), stdin)) {
		p = line;
		if (*p != ' ') {
			objects++;
			if (!by_object)
				continue;
			parse(&p, 16);
			parse(&p, 10);
			mine = parse(&p, 16) == first && parse(&p, 10) == end;
			chosen_objects += mine;
			continue;
		}
		ip = parse(&p, 16);
		pid = parse(&p, 10);
		chosen = by_pid ? pid == first : by_ip ? ip >= first && ip < end : mine;
		writes[chosen] += parse(&p, 10);
		reads[chosen] += parse(&p, 10);
	}
	if (by_object)
		printf("%llu %llu %llu\n", chosen_objects, writes[CHOSEN], reads[CHOSEN]);
	else if (by_pid || by_ip)
		printf("%llu %llu\n", writes[OTHERS] + reads[OTHERS],
		       writes[CHOSEN] + reads[CHOSEN]);
	else
		printf("%llu %llu\n", objects, writes[OTHERS] + reads[OTHERS]);
	return ferror(stdin) != 0;
}
