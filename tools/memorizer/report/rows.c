// SPDX-License-Identifier: GPL-2.0
/*
 * Makes only those rows of a table that are printed. A table may have millions of items; a row
 * with its texts needs several hundred bytes, an item less than a hundred. So a first pass
 * over the sums of all items finds the last row to be printed. Items after it get no row;
 * their sums are added up.
 */
#include <stdlib.h>
#include <string.h>

#include "report/rows.h"

#define ORDERS	3	/* sort keys: the first metric of table_sort(), and two of @then */

/* The sort keys of a row, in descending order. */
struct rank {
	u64 by[ORDERS];
};

/**
 * struct choice - the selection of items that get a row
 * @t: the table
 * @items: the items
 * @first: metric to sort by first
 * @top: number of rows to print, 0: all
 * @heap: the first @top ranks so far, with the last of them at the root
 * @nr: number of ranks in @heap
 * @seen: number of items that have a row
 * @sum: sums of the current item
 */
struct choice {
	struct table *t;
	const struct row_items *items;
	u32 first, top;
	struct rank *heap;
	u32 nr;
	u64 seen;
	u64 *sum;
};

/* Returns whether @a sorts before @b. */
static bool is_before(const struct rank *a, const struct rank *b)
{
	int i;

	for (i = 0; i < ORDERS; i++)
		if (a->by[i] != b->by[i])
			return a->by[i] > b->by[i];
	return false;
}

static struct rank rank_of(const struct choice *c)
{
	return (struct rank){ { c->sum[c->first], c->sum[c->t->then[0]],
				c->sum[c->t->then[1]] } };
}

/* Get the sums of an item. Returns whether it has a row. */
static bool get_sum(struct choice *c, u32 item)
{
	memset(c->sum, 0, c->items->metrics * sizeof(*c->sum));
	return c->items->sum(c->items->data, item, c->sum);
}

static void sift_down(struct choice *c, u32 at)
{
	struct rank *heap = c->heap, moved = heap[at];
	u32 child;

	for (; (child = 2 * at + 1) < c->nr; at = child) {
		if (child + 1 < c->nr && is_before(heap + child, heap + child + 1))
			child++;
		if (!is_before(&moved, heap + child))
			break;
		heap[at] = heap[child];
	}
	heap[at] = moved;
}

/* Add a rank to the heap if it is among the first @top. */
static void note_rank(struct choice *c, const struct rank *rank)
{
	u32 i;

	if (c->nr < c->top) {
		c->heap[c->nr++] = *rank;
		/* Make it a heap once it is full. */
		for (i = c->nr == c->top ? c->nr / 2 : 0; i--;)
			sift_down(c, i);
	} else if (is_before(rank, c->heap)) {
		c->heap[0] = *rank;
		sift_down(c, 0);
	}
}

/* Find the rank of the last row to print: the root of the heap. */
static void find_last(struct choice *c)
{
	struct rank rank;
	u32 i;

	for (i = 0; i < c->items->nr; i++) {
		if (!get_sum(c, i))
			continue;
		c->seen++;
		rank = rank_of(c);
		note_rank(c, &rank);
	}
}

/*
 * Returns whether the current item may be printed. Texts decide among rows of equal rank, so
 * all of them are made.
 */
static bool is_chosen(const struct choice *c)
{
	struct rank rank = rank_of(c);

	return !c->top || c->seen <= c->top || !is_before(c->heap, &rank);
}

static void leave_out(const struct choice *c, u64 *left_sum)
{
	u32 i;

	for (i = 0; i < c->items->metrics; i++)
		if (__builtin_add_overflow(left_sum[i], c->sum[i], left_sum + i))
			left_sum[i] = U64_MAX;
	c->t->left_out++;
}

static u32 count_chosen(struct choice *c)
{
	u32 i, nr = 0;

	for (i = 0; i < c->items->nr; i++)
		nr += get_sum(c, i) && is_chosen(c);
	return nr;
}

/**
 * rows_fill - make the rows of a table
 * @t: the table, without rows
 * @items: the items
 * @first: metric to sort by first, followed by @t->then; see table_sort()
 * @top: number of rows to print, 0: all; also 0 if a text decides the order
 *
 * Items without a row are counted in @t->left_out and @t->left_sum.
 */
void rows_fill(struct table *t, const struct row_items *items, u32 first, u32 top)
{
	struct choice c = {
		.t = t, .items = items, .first = first, .top = top < items->nr ? top : 0,
	};
	size_t size = items->metrics * sizeof(u64);
	u32 i, rows;
	u64 *sums;

	c.heap = xreallocarray(NULL, c.top + 1ull, sizeof(*c.heap));
	c.sum = xreallocarray(NULL, items->metrics, sizeof(u64));
	if (c.top)
		find_last(&c);
	rows = count_chosen(&c);
	/* the sums of the omitted rows, then those of each row */
	sums = xreallocarray(NULL, rows + 1ull, size);
	memset(sums, 0, size);
	t->sums = sums;
	t->left_sum = sums;
	t->rows = xreallocarray(NULL, rows + 1ull, sizeof(*t->rows));
	for (i = 0; i < items->nr; i++) {
		if (!get_sum(&c, i))
			continue;
		if (!is_chosen(&c)) {
			leave_out(&c, t->sums);
			continue;
		}
		sums += items->metrics;
		memcpy(sums, c.sum, size);
		t->rows[t->nr] = (struct row){ .sum = sums };
		items->name(items->data, i, t->rows + t->nr++);
	}
	free(c.heap);
	free(c.sum);
}
