// SPDX-License-Identifier: GPL-2.0
/*
 * Compare the accesses that a program's sites reported with those that an observer saw: how often
 * each function read and wrote each byte of data.
 *
 *	compare exact|optimized <nm's output> <sites' file> <observer's file> <csmith's option>
 *
 * "exact" is for code compiled without the late passes that change accesses: all counts must
 * be equal, except for bit-fields, and for values that are read only in part. "optimized" is for
 * code compiled as usual: each difference must be of one of the kinds below. Unexplained
 * differences are printed, and the exit status is 1. The last line has the number of byte
 * accesses, and the differences by kind.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FUNCTIONS	4096
#define MAX_CELLS	(1UL << 18)
#define MAX_ACCESSES	(1UL << 17)

/* How the code differs from the source: see Documentation/dev-tools/memorizer.rst. */
enum difference {
	NONE,
	BIT_FIELD,	/* accesses the unit of a bit-field, or keeps it in a register */
	NARROWED,	/* accesses only the bytes of a value that matter */
	REMOVED,	/* omits an access to a byte that the function has accessed before */
	REPEATED,	/* reads a byte again that the function reads or writes */
	UNEXPLAINED,
	NR_DIFFERENCES
};

static bool exact, has_bit_fields;

static const char * const names[] = {
	"none", "bit-field", "narrowed", "removed", "repeated", "unexplained",
};

struct function {
	uint64_t address;
	const char *name;	/* without suffixes such as .cold */
};

struct counts {
	uint64_t reads, writes;
};

/* Accesses of one function to one byte */
struct cell {
	const char *function;
	uint64_t address;
	struct counts site, machine;
	bool is_used;
	bool bit_field;		/* as reported by a site */
};

struct access {
	const char *function;
	uint64_t address, size;
	char kind;
};

static struct function functions[MAX_FUNCTIONS];
static size_t nr_functions;
static struct cell cells[MAX_CELLS];
static struct accesses {
	struct access list[MAX_ACCESSES];
	size_t n;
} reported, made;

static void fail(const char *what)
{
	fprintf(stderr, "compare: %s\n", what);
	exit(2);
}

static FILE *open_file(const char *path)
{
	FILE *file = fopen(path, "r");

	if (!file)
		fail(path);
	return file;
}

/* Intern names, so that they can be compared as pointers. */
static const char *unique(char *name)
{
	size_t i;

	name[strcspn(name, ".")] = '\0';
	for (i = 0; i < nr_functions; i++)
		if (!strcmp(functions[i].name, name))
			return functions[i].name;
	return strdup(name);
}

/* nm -n sorts by address. */
static void read_functions(const char *path)
{
	FILE *file = open_file(path);
	char type, name[256];
	uint64_t address;

	while (fscanf(file, "%" SCNx64 " %c %255s", &address, &type, name) == 3) {
		if (type != 't' && type != 'T')
			continue;
		if (nr_functions == MAX_FUNCTIONS)
			fail("too many functions");
		functions[nr_functions].name = unique(name);
		functions[nr_functions++].address = address;
	}
	fclose(file);
}

static const char *function_at(uint64_t ip)
{
	size_t low = 0, high = nr_functions, middle;

	while (high - low > 1) {
		middle = (low + high) / 2;
		if (functions[middle].address <= ip)
			low = middle;
		else
			high = middle;
	}
	return functions[low].name;
}

static struct cell *find_cell(const char *function, uint64_t address)
{
	uint64_t hash = (address * 31 + (uint64_t)function) * 0x9e3779b97f4a7c15;
	size_t tries;

	for (tries = 0; tries < MAX_CELLS; tries++, hash += 1UL << 46) {
		struct cell *cell = &cells[hash >> 46];

		if (!cell->is_used || (cell->function == function && cell->address == address))
			return cell;
	}
	fail("too many bytes");
	return NULL;
}

static struct cell *get_cell(const char *function, uint64_t address)
{
	struct cell *cell = find_cell(function, address);

	cell->function = function;
	cell->address = address;
	cell->is_used = true;
	return cell;
}

static void add(struct counts *counts, char kind, uint64_t n)
{
	counts->reads += kind != 'w' ? n : 0;
	counts->writes += kind != 'r' ? n : 0;
}

static void note_access(struct accesses *accesses, const char *function, uint64_t address,
			uint64_t size, char kind)
{
	if (accesses->n == MAX_ACCESSES)
		fail("too many accesses");
	accesses->list[accesses->n++] = (struct access){ function, address, size, kind };
}

static void read_accesses(const char *path, bool are_sites)
{
	uint64_t ip, address, size, n, i;
	FILE *file = open_file(path);
	struct cell *cell;
	char kind;

	while (fscanf(file, "%" SCNx64 " %" SCNx64 " %" SCNu64 " %c %" SCNu64, &ip, &address,
		      &size, &kind, &n) == 5) {
		for (i = 0; i < size; i++) {
			cell = get_cell(function_at(ip), address + i);
			add(are_sites ? &cell->site : &cell->machine, kind, n);
			cell->bit_field |= kind == 'u';
		}
		note_access(are_sites ? &reported : &made, function_at(ip), address, size, kind);
	}
	if (!feof(file))
		fail(path);
	fclose(file);
}

/* Check for a bit-field of the function that may be in the same unit. */
static bool is_near_bit_field(const struct cell *cell)
{
	int64_t i;

	for (i = -7; i <= 7; i++)
		if (find_cell(cell->function, cell->address + i)->bit_field)
			return true;
	return false;
}

static uint64_t count_of(const struct counts *counts, bool is_read)
{
	return is_read ? counts->reads : counts->writes;
}

/* Check if the sites reported an access to this byte that the code made only in part. */
static bool is_narrowed(const struct cell *cell, bool is_read)
{
	uint64_t n = count_of(&cell->machine, is_read), i;
	const struct access *access;

	for (access = reported.list; access < reported.list + reported.n; access++) {
		if (access->function != cell->function ||
		    (is_read ? access->kind == 'w' : access->kind == 'r') ||
		    cell->address - access->address >= access->size)
			continue;
		for (i = 0; i < access->size; i++)
			if (count_of(&find_cell(cell->function, access->address + i)->machine,
				     is_read) > n)
				return true;
	}
	return false;
}

/* Check if the code accessed this byte together with one that the function's sites report. */
static bool is_unit(const struct cell *cell, bool is_read)
{
	const struct access *access;
	uint64_t i;

	for (access = made.list; access < made.list + made.n; access++) {
		if (access->function != cell->function ||
		    access->kind != (is_read ? 'r' : 'w') ||
		    cell->address - access->address >= access->size)
			continue;
		for (i = 0; i < access->size; i++)
			if (count_of(&find_cell(cell->function, access->address + i)->site,
				     is_read))
				return true;
	}
	return false;
}

/*
 * Check if the sites reported a read of a value with this byte, of which the code left out
 * another byte. If the register allocator finds no register for a value, the code reads the bytes
 * it needs at each use, as in "b = (u8)s; c = (s8)s".
 */
static bool is_read_in_parts(const struct cell *cell)
{
	const struct access *access;
	const struct cell *other;
	uint64_t i;

	for (access = reported.list; access < reported.list + reported.n; access++) {
		if (access->function != cell->function || access->kind == 'w' ||
		    cell->address - access->address >= access->size)
			continue;
		for (i = 0; i < access->size; i++) {
			other = find_cell(cell->function, access->address + i);
			if (other->machine.reads < other->site.reads)
				return true;
		}
	}
	return false;
}

/* Classify the difference between the reads, or writes, of the sites and of the machine. */
static enum difference classify(const struct cell *cell, bool is_read)
{
	uint64_t site = count_of(&cell->site, is_read);
	uint64_t machine = count_of(&cell->machine, is_read);

	if (site == machine)
		return NONE;
	if (has_bit_fields &&
	    (is_near_bit_field(cell) || (machine > site && is_unit(cell, is_read))))
		return BIT_FIELD;
	if (machine < site && is_narrowed(cell, is_read))
		return NARROWED;
	if (machine > site && is_read && is_read_in_parts(cell))
		return REPEATED;
	if (exact)
		return UNEXPLAINED;
	if (machine < site && (cell->machine.reads || cell->machine.writes))
		return REMOVED;
	if (machine > site && is_read && (cell->site.reads || cell->site.writes))
		return REPEATED;
	return UNEXPLAINED;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

int main(int argc, char **argv)
{
	uint64_t sum[NR_DIFFERENCES] = {}, total = 0;
	const struct cell *cell;
	enum difference why;
	unsigned int i;
	bool is_read;

	if (argc != 6)
		fail("five arguments are needed");
	exact = !strcmp(argv[1], "exact");
	has_bit_fields = !strcmp(argv[5], "--bitfields");
	read_functions(argv[2]);
	read_accesses(argv[3], true);
	read_accesses(argv[4], false);

	for (i = 0; i < 2 * MAX_CELLS; i++) {
		cell = &cells[i / 2];
		if (!cell->is_used)
			continue;
		is_read = i % 2;
		why = classify(cell, is_read);
		total += count_of(&cell->machine, is_read);
		sum[why] += distance(count_of(&cell->site, is_read),
				     count_of(&cell->machine, is_read));
		if (why == UNEXPLAINED)
			printf("#   %s, byte %" PRIx64 ": reported %" PRIu64 " reads %" PRIu64
			       " writes, made %" PRIu64 " reads %" PRIu64 " writes\n",
			       cell->function, cell->address, cell->site.reads, cell->site.writes,
			       cell->machine.reads, cell->machine.writes);
	}
	printf("bytes %" PRIu64, total);
	for (i = BIT_FIELD; i < NR_DIFFERENCES; i++)
		printf(" %s %" PRIu64, names[i], sum[i]);
	printf("\n");
	return sum[UNEXPLAINED] != 0;
}
