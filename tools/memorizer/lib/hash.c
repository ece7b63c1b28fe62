// SPDX-License-Identifier: GPL-2.0
/* An open-addressing hash table whose items are numbered in the order they came. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hash.h"
#include "lib/lines.h"

#define FIRST_SLOTS	64u

static inline u32 hash_key(const struct hash *h, const char *key)
{
	u64 sum = 0, word;
	size_t i;

	if (h->key_size == sizeof(word)) {
		memcpy(&word, key, sizeof(word));
		return word * 0x9e3779b97f4a7c15u >> 32;
	}
	for (i = 0; i < h->key_size; i += sizeof(word)) {
		memcpy(&word, key + i, sizeof(word));
		sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
		sum ^= sum >> 32;
	}
	return sum;
}

static inline bool is_key(const struct hash *h, const char *item, const char *key)
{
	size_t i = 0;
	u64 a, b;

	do {
		memcpy(&a, item + i, sizeof(a));
		memcpy(&b, key + i, sizeof(b));
		i += sizeof(a);
	} while (a == b && i < h->key_size);
	return a == b;
}

/* What a slot holds: the sum of an item's key, and the item's number plus one. */
static u64 make_slot(u32 sum, u32 nr)
{
	return (u64)sum << 32 | (nr + 1);
}

/* The slot that holds @key, whose sum is @sum, or the empty one where it belongs. */
static inline u64 *hash_slot(const struct hash *h, const void *key, u32 sum)
{
	u32 i;

	for (i = sum & h->mask; h->slots[i]; i = (i + 1) & h->mask)
		if (h->slots[i] >> 32 == sum &&
		    is_key(h, hash_item(h, (u32)h->slots[i] - 1), key))
			break;
	return h->slots + i;
}

/* Makes so many empty slots, of which at most three quarters are ever full. */
static void make_slots(struct hash *h, size_t nr)
{
	if (nr > U32_MAX)
		nr = SIZE_MAX;	/* too many to number: there is no memory either */
	h->room = nr / 4 * 3;
	h->mask = nr - 1;
	h->items = xreallocarray(h->items, h->room, h->item_size);
	h->slots = xreallocarray(NULL, nr, sizeof(*h->slots));
	memset(h->slots, 0, nr * sizeof(*h->slots));
}

/* Doubles the room. The items, which are all over memory, are not looked at. */
static void hash_grow(struct hash *h)
{
	u64 *old = h->slots;
	size_t nr = h->mask + 1ul, i;
	u32 to;

	make_slots(h, 2 * nr);
	for (i = 0; i < nr; i++) {
		if (!old[i])
			continue;
		for (to = (old[i] >> 32) & h->mask; h->slots[to]; to = (to + 1) & h->mask)
			;
		h->slots[to] = old[i];
	}
	free(old);
}

/**
 * hash_init - make an empty table
 * @h: the table
 * @item_size: size of an item, which begins with its key
 * @key_size: size of the key, a multiple of 8
 */
void hash_init(struct hash *h, size_t item_size, size_t key_size)
{
	*h = (struct hash){ .item_size = item_size, .key_size = key_size };
	make_slots(h, FIRST_SLOTS);
}

/**
 * hash_free - release a table's memory
 * @h: the table
 */
void hash_free(struct hash *h)
{
	free(h->items);
	free(h->slots);
}

/**
 * hash_get - find an item or add it
 * @h: the table
 * @key: its key
 * @new: set to whether it was added; such an item is all zero but for its key
 *
 * Return: the number of the item.
 */
u32 hash_get(struct hash *h, const void *key, bool *new)
{
	u32 sum = hash_key(h, key);
	u64 *slot = hash_slot(h, key, sum);
	char *item;

	*new = !*slot;
	if (*slot)
		return (u32)*slot - 1;
	if (h->nr == h->room) {
		hash_grow(h);
		slot = hash_slot(h, key, sum);
	}
	item = hash_item(h, h->nr);
	memset(item, 0, h->item_size);
	memcpy(item, key, h->key_size);
	*slot = make_slot(sum, h->nr);
	return h->nr++;
}

/**
 * hash_find - find an item
 * @h: the table
 * @key: its key
 * @nr: set to the number of the item
 *
 * Return: whether there is one.
 */
bool hash_find(const struct hash *h, const void *key, u32 *nr)
{
	const u64 *slot = hash_slot(h, key, hash_key(h, key));

	if (*slot)
		*nr = (u32)*slot - 1;
	return *slot;
}

/**
 * hash_prefetch - let the processor fetch what finding an item needs first
 * @h: the table
 * @key: the key of the item
 */
void hash_prefetch(const struct hash *h, const void *key)
{
	__builtin_prefetch(h->slots + (hash_key(h, key) & h->mask));
}

/**
 * hash_seal - release what is needed to find and add items
 * @h: the table, of which no item is looked up by its key any more
 */
void hash_seal(struct hash *h)
{
	free(h->slots);
	h->slots = NULL;
}
