// SPDX-License-Identifier: GPL-2.0
/*
 * Map from addresses to their last allocation or free.
 *
 * Fast path: memory is usually allocated, freed and reallocated in the same pieces, so that the
 * hash table finds the range by its start. Other lookups use a B+ tree of the starts, which only
 * changes when ranges are added or removed.
 */
#include <stdlib.h>
#include <string.h>

#include "kmap/kmap.h"
#include "trace/live.h"

#define FANOUT		32
#define FIRST_SLOTS	512u

/**
 * struct live_node - a node of the B+ tree
 * @nr: number of keys
 * @leaf: the node is a leaf
 * @key: in a leaf, starts of ranges; otherwise a lower bound of the starts in the child of the
 *	 same index and in those after it. The first key of an inner node is not used as a bound.
 * @child: children of an inner node
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

/* Number of keys that are less than or equal to @key. */
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

/* Index of the child that may contain @key. */
static u32 child_of(const struct live_node *node, u64 key)
{
	u32 i = count_up_to(node, key);

	return i ? i - 1 : 0;
}

/* Find the last start that is less than or equal to @key. */
static bool find_before(const struct live_node *node, u64 key, u64 *found)
{
	u32 i;

	if (node->leaf) {
		i = count_up_to(node, key);
		if (i)
			*found = node->key[i - 1];
		return i;
	}
	/* The child's bound may be below all its starts: take_out() does not raise it. */
	i = child_of(node, key);
	return find_before(node->child[i], key, found) ||
	       (i && find_before(node->child[i - 1], key, found));
}

/* Find the first start that is greater than @key. */
static bool find_behind(const struct live_node *node, u64 key, u64 *found)
{
	u32 i;

	if (node->leaf) {
		i = count_up_to(node, key);
		if (i < node->nr)
			*found = node->key[i];
		return i < node->nr;
	}
	/* All starts of the child may be less: the next one is then in its right neighbour. */
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

/* Move the second half of a full node to a new one. */
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

/* Insert a start. Returns the new right sibling if the node was split, otherwise NULL. */
static struct live_node *insert(struct live_node *node, u64 key)
{
	struct live_node *right = NULL, *below;
	u32 i;

	/* Split full nodes on the way down, so that there is room if the child is split. */
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

/* Remove a start. Frees nodes that become empty; nodes are not merged. */
static void take_out(struct live_node *node, u64 key)
{
	u32 i = child_of(node, key);

	/* In a leaf, child_of() is the index of the start itself. */
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
 * live_init - initialize an empty map
 * @l: the ranges
 */
void live_init(struct live *l)
{
	l->nr = 0;
	make_slots(l, FIRST_SLOTS);
	/* The root always exists, so that lookups need no check. */
	l->root = new_node(true);
}

/**
 * live_free - free the memory of a map
 * @l: the ranges
 */
void live_free(struct live *l)
{
	free(l->slots);
	free_node(l->root);
}

/* Find the slot of the range that starts at @start, or the empty one where it belongs. */
static struct live_range *find_slot(const struct live *l, u64 start)
{
	u32 i = live_home(l, start);

	while (l->slots[i].used && l->slots[i].start != start)
		i = (i + 1) & l->mask;
	return l->slots + i;
}

/* Double the slots, for a load factor of at most one half. */
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

/* Add a range that does not overlap with others. */
static void add(struct live *l, const struct live_range *range)
{
	struct live_node *below, *root;

	/*
	 * Linear probing becomes slow in full tables, and find_slot() needs a free slot
	 * to end.
	 */
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

/* Empty a slot. Moves up later ranges that probe past it. */
static void empty_slot(struct live *l, u32 hole)
{
	u32 i = hole, home;

	for (;;) {
		i = (i + 1) & l->mask;
		if (!l->slots[i].used)
			break;
		home = live_home(l, l->slots[i].start);
		/* Its probe sequence begins after the hole: a lookup does not pass the hole. */
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
	/* A root with one child adds a level to each lookup. */
	while (!root->leaf && root->nr == 1) {
		l->root = root->child[0];
		free(root);
		root = l->root;
	}
}

/* Find a range with exactly these bounds. */
static struct live_range *find_exact(const struct live *l, u64 start, u64 end)
{
	struct live_range *range = find_slot(l, start);

	return range->used && live_end(range) == end ? range : NULL;
}

/* Find the range that contains an address. */
static struct live_range *find(const struct live *l, u64 addr)
{
	struct live_range *range = find_slot(l, addr);
	u64 start;

	/* Fast path: @addr is the start of a range, as in most frees. */
	if (range->used)
		return range;
	if (!find_before(l->root, addr, &start))
		return NULL;
	/* Each start in the tree has a slot. */
	range = find_slot(l, start);
	return live_end(range) >= addr ? range : NULL;
}

/* Find the first range that starts after @addr, and not after @end. */
static struct live_range *next_up_to(const struct live *l, u64 addr, u64 end)
{
	u64 start;

	return find_behind(l->root, addr, &start) && start <= end ? find_slot(l, start) : NULL;
}

/* Find the first range that overlaps with @start to @end. */
static struct live_range *first_overlap(const struct live *l, u64 start, u64 end)
{
	struct live_range *range = find(l, start);

	return range ? range : next_up_to(l, start, end);
}

/**
 * live_find - look up the range that contains an address
 * @l: the ranges
 * @addr: the address
 *
 * Return: the range, valid until the next live_set(); NULL if there is none.
 */
const struct live_range *live_find(const struct live *l, u64 addr)
{
	return find(l, addr);
}

/**
 * live_visit - iterate over the ranges that overlap with another one
 * @l: the ranges
 * @start: first byte
 * @end: last byte
 * @visit: called for each range, ordered by address; must not call live_set()
 * @data: argument of @visit
 */
void live_visit(const struct live *l, u64 start, u64 end, live_visitor *visit, void *data)
{
	const struct live_range *range = find_exact(l, start, end);

	/* Fast path: memory is usually freed in the same pieces as it was allocated. */
	if (range) {
		visit(data, range);
		return;
	}
	for (range = first_overlap(l, start, end); range;
	     range = next_up_to(l, range->start, end))
		visit(data, range);
}

/* Remove @start to @end from all ranges, splitting them where necessary. */
static void cut_out(struct live *l, u64 start, u64 end)
{
	struct live_range old, *range;

	while ((range = first_overlap(l, start, end))) {
		old = *range;
		/* The slot stays: its start, which is the key, does not change. */
		if (old.start < start)
			range->size = start - 1 - old.start;
		else
			drop(l, range);
		if (live_end(&old) <= end)
			continue;
		/*
		 * The rest behind the cut gets a slot of its own. @range is invalid after
		 * add().
		 */
		old.size = live_end(&old) - end - 1;
		old.start = end + 1;
		old.first = false;
		add(l, &old);
	}
}

/**
 * live_set - mark a range as allocated or freed
 * @l: the ranges
 * @start: first byte
 * @end: last byte, at least @start, and less than 2^32 bytes after it
 * @live: the range is allocated; otherwise it is freed
 * @period: period of the event, for the caller
 * @nr: number of the event, or another one, for the caller
 *
 * Overwrites these addresses in all existing ranges.
 */
void live_set(struct live *l, u64 start, u64 end, bool live, u32 period, u64 nr)
{
	struct live_range new = { start, nr, end - start, period, live, true, true };
	struct live_range *range = find_exact(l, start, end);

	/* Fast path: the allocator reuses the same pieces, and the tree does not change. */
	if (range) {
		*range = new;
		return;
	}
	cut_out(l, start, end);
	add(l, &new);
}
