// SPDX-License-Identifier: GPL-2.0
/*
 * Finds memory that several parties access in a time window and at least one of them writes.
 *
 * Equal accesses of a window are kept once. The end of the window compares them line by line.
 * Two parties conflict where one writes a byte that the other accesses; adjacent bytes are one
 * conflict, unless an access begins or ends between them. If a line that one of them writes
 * has no conflict, it is falsely shared.
 */
#include <stdlib.h>
#include <string.h>

#include "kmap/kmap.h"
#include "report/clashes.h"

/* A party: a task in a scope on a CPU. */
struct party {
	u64 scope, pid, cpu;
};

/* The part of an access in a line. */
struct part {
	u64 line;
	u32 access;
};

/**
 * struct bytes - how a party accesses the bytes of a line
 * @how: per byte, the mask of all accesses
 * @cut: an access begins at this byte or ends before it
 * @any: union of @how
 */
struct bytes {
	unsigned char *how, *cut;
	u32 any;
};

/* The comparison of two parties in a line. */
struct look {
	struct clashes *c;
	u64 phase, line;
	const struct part *parts;
	u32 nr;
	u32 party[2];
	struct bytes bytes[2];
	bool conflicts, lines;
	u32 new_conflicts, new_lines;
};

/**
 * clashes_init - initialize
 * @c: the clashes
 * @line: size of a cache line in bytes
 */
void clashes_init(struct clashes *c, u32 line)
{
	*c = (struct clashes){ .line = line };
	hash_init(&c->clashes, sizeof(struct clash), offsetof(struct clash, windows));
	hash_init(&c->users, sizeof(struct clash_user), sizeof(struct clash_user));
	hash_init(&c->phases, sizeof(struct clash_phase), sizeof(u64));
	hash_init(&c->parties, sizeof(struct party), sizeof(struct party));
	hash_init(&c->accesses, sizeof(struct clash_access), sizeof(struct clash_access));
}

/**
 * clashes_free - free everything
 * @c: the clashes
 */
void clashes_free(struct clashes *c)
{
	hash_free(&c->clashes);
	hash_free(&c->users);
	hash_free(&c->phases);
	hash_free(&c->parties);
	hash_free(&c->accesses);
}

/**
 * clashes_party - look up or add a party
 * @c: the clashes
 * @scope: number of the scope
 * @pid: pid of the task; 0: unknown
 * @cpu: the CPU
 *
 * Return: its number.
 */
u32 clashes_party(struct clashes *c, u64 scope, u32 pid, u32 cpu)
{
	struct party key = { scope, pid, cpu };
	bool new;

	return hash_get(&c->parties, &key, &new);
}

/**
 * clashes_access - add an access to the current window
 * @c: the clashes
 * @access: the access, of at least one byte
 */
void clashes_access(struct clashes *c, const struct clash_access *access)
{
	bool new;

	hash_get(&c->accesses, access, &new);
}

static const struct clash_access *access_of(const struct look *l, u32 part)
{
	return hash_item(&l->c->accesses, l->parts[part].access);
}

static const struct party *party_of(const struct clashes *c, u32 nr)
{
	return hash_item(&c->parties, nr);
}

static bool overlaps(const struct look *l, const struct clash_access *a, u32 first, u32 last)
{
	return a->ptr <= l->line + last && a->ptr + a->size - 1 >= l->line + first;
}

/* Add the bytes of an access in the line. */
static void lay_out(const struct look *l, struct bytes *b, const struct clash_access *a)
{
	u32 first = a->ptr > l->line ? a->ptr - l->line : 0, i;
	u64 end = a->ptr + a->size - l->line;

	b->any |= a->how;
	b->cut[first] = 1;
	for (i = first; i < end && i < l->c->line; i++)
		b->how[i] |= a->how;
	if (i < l->c->line)
		b->cut[i] = 1;
}

static bool is_conflict(u32 one, u32 other)
{
	return one && other && (one | other) & CLASH_WRITES;
}

/* The first access of the first party, else of the second, that overlaps the bytes. */
static const struct clash_access *first_access(const struct look *l, u32 first, u32 last)
{
	const struct clash_access *a, *found = NULL;
	u32 side, i;

	for (side = 0; side < 2; side++) {
		for (i = 0; i < l->nr; i++) {
			a = access_of(l, i);
			if (a->party == l->party[side] && overlaps(l, a, first, last) &&
			    (!found || a->ptr < found->ptr))
				found = a;
		}
		if (found)
			break;
	}
	return found;
}

/* Add the instructions that take part in a clash. */
static void add_users(const struct look *l, u32 clash, u32 first, u32 last)
{
	struct clash_user user = { .clash = clash };
	const struct clash_access *a;
	bool new;
	u32 i;

	for (i = 0; i < l->nr; i++) {
		a = access_of(l, i);
		if ((a->party != l->party[0] && a->party != l->party[1]) ||
		    !overlaps(l, a, first, last))
			continue;
		user.ip = a->ip;
		user.what = a->what;
		user.offset = a->offset;
		user.size = a->size;
		user.how = a->how;
		user.name = a->name;
		user.second = a->party == l->party[1];
		hash_get(&l->c->users, &user, &new);
	}
}

/* Record a clash of the two parties in these bytes of the line. */
static void add_clash(struct look *l, u32 first, u32 last, bool only_line)
{
	const struct clash_access *a = first_access(l, first, last);
	u64 start = only_line ? a->ptr : l->line + first;
	struct clash key = {
		.phase = l->phase,
		.first = party_of(l->c, l->party[0])->scope,
		.second = party_of(l->c, l->party[1])->scope,
		.what = a->what, .offset = a->offset + (start - a->ptr),
		.bytes = only_line ? l->c->line : last - first + 1, .only_line = only_line,
	}, *clash;
	bool new;
	u32 i = hash_get(&l->c->clashes, &key, &new);

	clash = hash_item(&l->c->clashes, i);
	l->new_conflicts += new && !only_line;
	l->new_lines += new && only_line;
	/* Several pairs of parties may clash here in one window: count it once. */
	if (new || clash->last != l->c->windows)
		clash->windows++;
	clash->last = l->c->windows;
	add_users(l, i, first, last);
}

/* Compare the accesses of two parties to a line. */
static void compare(struct look *l)
{
	const struct bytes *one = &l->bytes[0], *other = &l->bytes[1];
	u32 i, first = 0;
	bool any = false, in = false, here;

	/* One step beyond the line, to end a conflict at its last byte. */
	for (i = 0; i <= l->c->line; i++) {
		here = i < l->c->line && is_conflict(one->how[i], other->how[i]);
		if (in && (!here || one->cut[i] || other->cut[i])) {
			add_clash(l, first, i - 1, false);
			in = false;
		}
		if (here && !in)
			first = i;
		in = here;
		any |= here;
	}
	if (!any && is_conflict(one->any, other->any)) {
		add_clash(l, 0, l->c->line - 1, true);
		l->lines = true;
	}
	l->conflicts |= any;
}

/* Returns true if the two can run concurrently, and sorts them by scope. */
static bool are_apart(const struct clashes *c, u32 *one, u32 *other)
{
	const struct party *a = party_of(c, *one), *b = party_of(c, *other);
	u32 swap = *one;

	/* On one CPU, or as one task that migrated, they run one after the other. */
	if (a->cpu == b->cpu || (a->pid && a->pid == b->pid))
		return false;
	/* Both orders of a pair must result in the same key. */
	if (a->scope > b->scope || (a->scope == b->scope && a->pid > b->pid)) {
		*one = *other;
		*other = swap;
	}
	return true;
}

static void lay_out_party(const struct look *l, struct bytes *b, u32 party)
{
	u32 i;

	memset(b->how, 0, l->c->line);
	memset(b->cut, 0, l->c->line);
	b->any = 0;
	for (i = 0; i < l->nr; i++)
		if (access_of(l, i)->party == party)
			lay_out(l, b, access_of(l, i));
}

static int compare_numbers(const void *left, const void *right)
{
	const u32 *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* Compare all pairs of parties that access a line. */
static void compare_parties(struct look *l, u32 *parties)
{
	u32 i, j, nr = 0;

	for (i = 0; i < l->nr; i++)
		parties[nr++] = access_of(l, i)->party;
	qsort(parties, nr, sizeof(*parties), compare_numbers);
	for (i = j = 0; i < nr; i++)
		if (!i || parties[i] != parties[i - 1])
			parties[j++] = parties[i];
	nr = j;
	for (i = 0; i < nr; i++) {
		for (j = i + 1; j < nr; j++) {
			l->party[0] = parties[i];
			l->party[1] = parties[j];
			if (!are_apart(l->c, &l->party[0], &l->party[1]))
				continue;
			lay_out_party(l, &l->bytes[0], l->party[0]);
			lay_out_party(l, &l->bytes[1], l->party[1]);
			compare(l);
		}
	}
}

static int compare_parts(const void *left, const void *right)
{
	const struct part *a = left, *b = right;

	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return (a->access > b->access) - (a->access < b->access);
}

/* The parts of all accesses, sorted by line. */
static struct part *make_parts(const struct clashes *c, size_t *nr)
{
	const struct clash_access *a;
	struct part *parts = NULL;
	size_t room = 0;
	u64 line;
	u32 i;

	for (*nr = 0, i = 0; i < c->accesses.nr; i++) {
		a = hash_item(&c->accesses, i);
		for (line = a->ptr & -(u64)c->line;; line += c->line) {
			if (*nr == room) {
				room = room ? 2 * room : 1024;
				parts = xreallocarray(parts, room, sizeof(*parts));
			}
			parts[(*nr)++] = (struct part){ line, i };
			/*
			 * Not in the loop's head: at the end of the address space,
			 * @line would wrap.
			 */
			if (a->ptr + a->size - 1 - line < c->line)
				break;
		}
	}
	if (*nr)
		qsort(parts, *nr, sizeof(*parts), compare_parts);
	return parts;
}

static void compare_lines(struct look *l, const struct part *parts, size_t nr)
{
	unsigned char *bytes = xreallocarray(NULL, l->c->line, 4);
	u32 *parties = xreallocarray(NULL, nr + 1, sizeof(*parties));
	size_t i, next;

	l->bytes[0] = (struct bytes){ bytes, bytes + l->c->line, 0 };
	l->bytes[1] = (struct bytes){ bytes + 2 * l->c->line, bytes + 3 * l->c->line, 0 };
	for (i = 0; i < nr; i = next) {
		for (next = i + 1; next < nr && parts[next].line == parts[i].line; next++)
			;
		l->line = parts[i].line;
		l->parts = parts + i;
		l->nr = next - i;
		compare_parties(l, parties);
	}
	free(parties);
	free(bytes);
}

static bool has_two(const struct clashes *c)
{
	u32 *parties = xreallocarray(NULL, c->parties.nr + 1, sizeof(*parties));
	u32 nr = 0, i, j, one, other;
	bool two = false;

	for (i = 0; i < c->accesses.nr && !two; i++) {
		other = ((const struct clash_access *)hash_item(&c->accesses, i))->party;
		for (j = 0; j < nr && !two && parties[j] != other; j++) {
			one = parties[j];
			two = are_apart(c, &one, &other);
		}
		if (j == nr)
			parties[nr++] = other;
	}
	free(parties);
	return two;
}

/* Compare the accesses of the window that ends. */
static void end_window(struct clashes *c, u64 phase)
{
	struct look l = { .c = c, .phase = phase };
	struct clash_phase *sums;
	struct part *parts;
	size_t nr;
	bool new;

	c->windows++;
	parts = make_parts(c, &nr);
	compare_lines(&l, parts, nr);
	free(parts);
	sums = hash_item(&c->phases, hash_get(&c->phases, &phase, &new));
	sums->windows++;
	sums->conflicts += l.conflicts;
	sums->lines += l.lines && !l.conflicts;
	sums->nr_conflicts += l.new_conflicts;
	sums->nr_lines += l.new_lines;
}

/**
 * clashes_window - end a window, and start the next one
 * @c: the clashes
 * @phase: the caller's number of the phase that the ending window belongs to
 *
 * Windows without two parties that can run concurrently do not count.
 */
void clashes_window(struct clashes *c, u64 phase)
{
	if (has_two(c))
		end_window(c, phase);
	hash_free(&c->accesses);
	hash_init(&c->accesses, sizeof(struct clash_access), sizeof(struct clash_access));
}
