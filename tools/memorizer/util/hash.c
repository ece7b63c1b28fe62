// SPDX-License-Identifier: GPL-2.0
/* An open-addressing hash table whose items are numbered in the order they came. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "kmap.h"

#define FIRST_ROOM	64u

static u32 hash_key(const struct hash *h, const char *key)
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
	u64 a, b;
	size_t i;

	for (i = 0; i < h->key_size; i += sizeof(a)) {
		memcpy(&a, item + i, sizeof(a));
		memcpy(&b, key + i, sizeof(b));
		if (a != b)
			return false;
	}
	return true;
}

/* The slot that holds @key, or the empty one where it belongs. */
static u32 *hash_slot(const struct hash *h, const void *key)
{
	u32 i = hash_key(h, key) & h->mask;

	while (h->slots[i] && !is_key(h, hash_item(h, h->slots[i] - 1), key))
		i = (i + 1) & h->mask;
	return h->slots + i;
}

/* Doubles the room; at most half of the slots are ever full. */
static void hash_grow(struct hash *h)
{
	size_t room = h->room ? 2 * (size_t)h->room : FIRST_ROOM;
	u32 i;

	if (room > U32_MAX / 2)
		room = SIZE_MAX;	/* too many to number: there is no memory either */
	h->items = kmap_array(h->items, room, h->item_size);
	h->room = room;
	h->mask = 2 * h->room - 1;
	free(h->slots);
	h->slots = kmap_array(NULL, (size_t)h->mask + 1, sizeof(*h->slots));
	memset(h->slots, 0, ((size_t)h->mask + 1) * sizeof(*h->slots));
	for (i = 0; i < h->nr; i++)
		*hash_slot(h, hash_item(h, i)) = i + 1;
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
	hash_grow(h);
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
	u32 *slot = hash_slot(h, key);
	char *item;

	*new = !*slot;
	if (*slot)
		return *slot - 1;
	if (h->nr == h->room) {
		hash_grow(h);
		slot = hash_slot(h, key);
	}
	item = hash_item(h, h->nr);
	memset(item, 0, h->item_size);
	memcpy(item, key, h->key_size);
	*slot = ++h->nr;
	return h->nr - 1;
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
	const u32 *slot = hash_slot(h, key);

	if (*slot)
		*nr = *slot - 1;
	return *slot;
}
