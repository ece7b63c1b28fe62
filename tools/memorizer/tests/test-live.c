// SPDX-License-Identifier: GPL-2.0
/* Test the map of live memory against an array with an element for each byte. */
#include "tap.h"
#include "trace/live.h"

#define BYTES	(100 * 1024u)	/* several regions, and not a whole number of them */
#define ROUNDS	3000
#define EDGE	4096u

/* The array: the event that set a byte, or 0. */
static u32 byte_nr[BYTES];
static bool byte_live[BYTES];
static u32 first_of[ROUNDS + 1];	/* the first byte that each event set */

static u64 random_state = 88172645463325252u;

static u32 below(u32 n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (random_state >> 32) % n;
}

/* Output of live_visit() so far; all but @base are relative to @base. */
struct told {
	u64 base;
	u32 next, last;
	const char *wrong;
};

/* Check that each range agrees with the array, without gaps. */
static void compare(void *data, const struct live_range *range)
{
	struct told *told = data;
	u64 start = range->start, end = live_end(range);
	u32 i, from = start - told->base, to = end - told->base;

	if (start > end || to < told->next || from > told->last)
		told->wrong = "ranges come in order, those that overlap";
	for (i = told->next; i < from; i++)
		if (byte_nr[i])
			told->wrong = "no range is left out";
	for (i = from > told->next ? from : told->next; i <= to && i <= told->last; i++)
		if (byte_nr[i] != range->nr || byte_live[i] != range->live)
			told->wrong = "a range is what was set last";
	if (range->first != (from == first_of[range->nr]))
		told->wrong = "a range begins what was set, or goes on";
	told->next = to + 1;
}

static const char *visit(const struct live *l, u64 base, u32 first, u32 last)
{
	struct told told = { base, first, last, NULL };
	u32 i;

	live_visit(l, base + first, base + last, compare, &told);
	for (i = told.next; i <= told.last; i++)
		if (byte_nr[i])
			told.wrong = "no range is left out at the end";
	return told.wrong;
}

/* Return the end of the bytes that were set together and are still set. */
static const char *find(const struct live *l, u64 base, u32 at)
{
	const struct live_range *range;
	u32 last = at;

	range = live_find(l, base + at);
	if (!range != !byte_nr[at])
		return "something is found where something is known";
	if (!range)
		return NULL;
	while (last + 1 < BYTES && byte_nr[last + 1] == byte_nr[at])
		last++;
	if (range->nr != byte_nr[at] || range->live != byte_live[at] ||
	    range->start > base + at)
		return "what is found is what was set last";
	return live_end(range) == base + last ? NULL : "it is found to its end";
}

static const char *play(u64 base)
{
	const char *wrong = NULL;
	u32 nr, i, first, last;
	struct live l;

	memset(byte_nr, 0, sizeof(byte_nr));
	live_init(&l);
	for (nr = 1; nr <= ROUNDS && !wrong; nr++) {
		first = below(BYTES);
		last = first + below(below(20) ? 300 : BYTES);
		if (!below(4))
			last |= EDGE - 1;	/* sometimes the end of a region */
		if (last >= BYTES)
			last = BYTES - 1;
		first_of[nr] = first;
		live_set(&l, base + first, base + last, nr % 2, 0, nr);
		for (i = first; i <= last; i++) {
			byte_nr[i] = nr;
			byte_live[i] = nr % 2;
		}
		wrong = find(&l, base, below(BYTES));
		first = below(BYTES);
		if (!wrong)
			wrong = visit(&l, base, first, first + below(BYTES - first));
	}
	live_free(&l);
	return wrong;
}

static void check(u64 base, const char *name)
{
	const char *wrong = play(base);

	if (!tap_ok(!wrong, name))
		printf("# not true: %s\n", wrong);
}

int main(void)
{
	check(0xffff888000000000, "ranges equal the byte map");
	check(0, "ranges at the first byte of the address space");
	check(0 - (u64)BYTES, "ranges at the last byte of the address space");
	return tap_end();
}
