// SPDX-License-Identifier: GPL-2.0
/*
 * Which memory is allocated and which has been freed. Ranges are found in two ways: by
 * their very start, in a hash table, which is all that is needed where memory is
 * allocated, freed and allocated again in the same pieces, as is usual; and in the order
 * of addresses, in a B+ tree, which is touched only when ranges come or go.
 */
#include <stdlib.h>
#include <string.h>

#include "kmap/kmap.h"
#include "trace/live.h"

#define FANOUT		32
#define FIRST_SLOTS	512u

/**
 * struct live_node - a node of the tree
 * @nr: how many keys it has
 * @leaf: whether it has ranges below it, else nodes
 * @key: start of each range; or a start that all below the node of this index, and of
 *	 those behind it, are not before; the first key of a node is no bound
 * @child: the nodes below it; a leaf has none
 */
struct live_node {
	u32 nr;
	bool leaf;
	u64 key[FANOUT];
	struct live_node *child[];
};

static struct live_node *new_node(bool leaf)
{
	size_t children = leaf ? 0 : FANOUT * sizeof(struct live_node *);
	struct live_node *node = xreallocarray(NULL, 1, sizeof(*node) + children);

	node->nr = 0;
	node->leaf = leaf;
	return node;
}

static void free_node(struct live_node *node)
{
	u32 i;

	for (i = 0; !node->leaf && i < node->nr; i++)
		free_node(node->child[i]);
	free(node);
}

/* How many keys are not behind @key. */
static u32 count_up_to(const struct live_node *node, u64 key)
{
	u32 low = 0, high = node->nr, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (node->key[middle] <= key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Index of the node below that @key belongs to. */
static u32 child_of(const struct live_node *node, u64 key)
{
	u32 i = count_up_to(node, key);

	return i ? i - 1 : 0;
}

/* Sets @found to the last start that is not behind @key; false if there is none. */
static bool find_before(const struct live_node *node, u64 key, u64 *found)
{
	u32 i;

	if (node->leaf) {
		i = count_up_to(node, key);
		if (i)
			*found = node->key[i - 1];
		return i;
	}
	i = child_of(node, key);
	return find_before(node->child[i], key, found) ||
	       (i && find_before(node->child[i - 1], key, found));
}

/* Sets @found to the first start behind @key; false if there is none. */
static bool find_behind(const struct live_node *node, u64 key, u64 *found)
{
	u32 i;

	if (node->leaf) {
		i = count_up_to(node, key);
		if (i < node->nr)
			*found = node->key[i];
		return i < node->nr;
	}
	i = child_of(node, key);
	return find_behind(node->child[i], key, found) ||
	       (i + 1 < node->nr && find_behind(node->child[i + 1], key, found));
}

static void insert_key(struct live_node *node, u32 i, u64 key)
{
	memmove(node->key + i + 1, node->key + i, (node->nr - i) * sizeof(*node->key));
	if (!node->leaf)
		memmove(node->child + i + 1, node->child + i,
			(node->nr - i) * sizeof(*node->child));
	node->key[i] = key;
	node->nr++;
}

static void remove_key(struct live_node *node, u32 i)
{
	node->nr--;
	memmove(node->key + i, node->key + i + 1, (node->nr - i) * sizeof(*node->key));
	if (!node->leaf)
		memmove(node->child + i, node->child + i + 1,
			(node->nr - i) * sizeof(*node->child));
}

/* Moves the second half of a node that is full to a new one. */
static struct live_node *split(struct live_node *node)
{
	struct live_node *right = new_node(node->leaf);
	u32 half = node->nr / 2;

	right->nr = node->nr - half;
	node->nr = half;
	memcpy(right->key, node->key + half, right->nr * sizeof(*right->key));
	if (!node->leaf)
		memcpy(right->child, node->child + half, right->nr * sizeof(*right->child));
	return right;
}

/* Adds a start below a node. Returns a node that is to stand behind it, or NULL. */
static struct live_node *insert(struct live_node *node, u64 key)
{
	struct live_node *right = NULL, *below;
	u32 i;

	if (node->nr == FANOUT) {
		right = split(node);
		if (key >= right->key[0])
			node = right;
	}
	if (node->leaf) {
		insert_key(node, count_up_to(node, key), key);
		return right;
	}
	i = child_of(node, key);
	below = insert(node->child[i], key);
	if (below) {
		insert_key(node, i + 1, below->key[0]);
		node->child[i + 1] = below;
	}
	return right;
}

/* Takes out the start @key; no node without keys is left below. */
static void take_out(struct live_node *node, u64 key)
{
	u32 i = child_of(node, key);

	if (node->leaf) {
		remove_key(node, i);
		return;
	}
	take_out(node->child[i], key);
	if (!node->child[i]->nr) {
		free(node->child[i]);
		remove_key(node, i);
	}
}

static void make_slots(struct live *l, size_t nr)
{
	l->mask = nr - 1;
	l->slots = xreallocarray(NULL, nr, sizeof(*l->slots));
	memset(l->slots, 0, nr * sizeof(*l->slots));
}

/**
 * live_init - begin with nothing known
 * @l: the ranges
 */
void live_init(struct live *l)
{
	l->nr = 0;
	make_slots(l, FIRST_SLOTS);
	l->root = new_node(true);
}

/**
 * live_free - release memory
 * @l: the ranges
 */
void live_free(struct live *l)
{
	free(l->slots);
	free_node(l->root);
}

/* The slot of the range that starts at @start, or the empty one where it belongs. */
static struct live_range *find_slot(const struct live *l, u64 start)
{
	u32 i = live_home(l, start);

	while (l->slots[i].used && l->slots[i].start != start)
		i = (i + 1) & l->mask;
	return l->slots + i;
}

/* Twice the slots; at most half of them are ever used. */
static void grow(struct live *l)
{
	u32 old_nr = l->mask + 1, i;
	struct live_range *old = l->slots;

	make_slots(l, 2 * (size_t)old_nr);
	for (i = 0; i < old_nr; i++)
		if (old[i].used)
			*find_slot(l, old[i].start) = old[i];
	free(old);
}

/* Adds a range, which overlaps none. */
static void add(struct live *l, const struct live_range *range)
{
	struct live_node *below, *root;

	if (2 * (u64)l->nr > l->mask)
		grow(l);
	l->nr++;
	*find_slot(l, range->start) = *range;
	below = insert(l->root, range->start);
	if (!below)
		return;
	root = new_node(false);
	root->nr = 2;
	root->key[0] = l->root->key[0];
	root->key[1] = below->key[0];
	root->child[0] = l->root;
	root->child[1] = below;
	l->root = root;
}

/* Empties a slot; those behind it that belong before it move up. */
static void empty_slot(struct live *l, u32 hole)
{
	u32 i = hole, home;

	for (;;) {
		i = (i + 1) & l->mask;
		if (!l->slots[i].used)
			break;
		home = live_home(l, l->slots[i].start);
		if (((i - home) & l->mask) < ((i - hole) & l->mask))
			continue;
		l->slots[hole] = l->slots[i];
		hole = i;
	}
	l->slots[hole].used = false;
}

static void drop(struct live *l, struct live_range *range)
{
	struct live_node *root = l->root;

	take_out(root, range->start);
	empty_slot(l, range - l->slots);
	l->nr--;
	while (!root->leaf && root->nr == 1) {
		l->root = root->child[0];
		free(root);
		root = l->root;
	}
}

/* The range that is exactly this one, NULL if there is none. */
static struct live_range *find_exact(const struct live *l, u64 start, u64 end)
{
	struct live_range *range = find_slot(l, start);

	return range->used && live_end(range) == end ? range : NULL;
}

/* The range that an address is in, NULL if there is none. */
static struct live_range *find(const struct live *l, u64 addr)
{
	struct live_range *range = find_slot(l, addr);
	u64 start;

	if (range->used)
		return range;
	if (!find_before(l->root, addr, &start))
		return NULL;
	range = find_slot(l, start);
	return live_end(range) >= addr ? range : NULL;
}

/* The first range that starts behind @addr and not behind @end, NULL if there is none. */
static struct live_range *next_up_to(const struct live *l, u64 addr, u64 end)
{
	u64 start;

	return find_behind(l->root, addr, &start) && start <= end ? find_slot(l, start) : NULL;
}

/* The first range that overlaps, NULL if there is none. */
static struct live_range *first_overlap(const struct live *l, u64 start, u64 end)
{
	struct live_range *range = find(l, start);

	return range ? range : next_up_to(l, start, end);
}

/**
 * live_find - find what is known about an address
 * @l: the ranges
 * @addr: the address
 *
 * Return: the range that it is in, valid until the next change; NULL if nothing is known.
 */
const struct live_range *live_find(const struct live *l, u64 addr)
{
	return find(l, addr);
}

/**
 * live_visit - look at all that overlaps a range
 * @l: the ranges
 * @start: first byte
 * @end: last byte
 * @visit: is called for each, in order; it must not change anything
 * @data: for @visit
 */
void live_visit(const struct live *l, u64 start, u64 end, live_visitor *visit, void *data)
{
	const struct live_range *range = find_exact(l, start, end);

	if (range) {
		visit(data, range);
		return;
	}
	for (range = first_overlap(l, start, end); range;
	     range = next_up_to(l, range->start, end))
		visit(data, range);
}

/* Takes out of all ranges what is between @start and @end; the rest of them is left. */
static void cut_out(struct live *l, u64 start, u64 end)
{
	struct live_range old, *range;

	while ((range = first_overlap(l, start, end))) {
		old = *range;
		if (old.start < start)
			range->size = start - 1 - old.start;
		else
			drop(l, range);
		if (live_end(&old) <= end)
			continue;
		old.size = live_end(&old) - end - 1;
		old.start = end + 1;
		old.first = false;
		add(l, &old);
	}
}

/**
 * live_set - note that a range has been allocated or freed
 * @l: the ranges
 * @start: first byte
 * @end: last byte, not before @start, and less than 2^32 bytes behind it
 * @live: whether it is allocated
 * @period: when
 * @nr: in which event
 *
 * Whatever was known about these addresses is replaced.
 */
void live_set(struct live *l, u64 start, u64 end, bool live, u32 period, u64 nr)
{
	struct live_range new = { start, nr, end - start, period, live, true, true };
	struct live_range *range = find_exact(l, start, end);

	if (range) {
		*range = new;
		return;
	}
	cut_out(l, start, end);
	add(l, &new);
}
