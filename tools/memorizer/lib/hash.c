// SPDX-License-Identifier: GPL-2.0
/*
 * Open-addressing hash table that numbers its items in insertion order. linux/hashtable.h of
 * tools/include has a fixed number of buckets, and no order.
 */
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

	/* Fast path for addresses and numbers. The upper half of a product is mixed best. */
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

/* A slot holds the hash of the key, so that growing and most mismatches need not read the item. */
static u64 make_slot(u32 sum, u32 nr)
{
	/* 0 marks an empty slot. */
	return (u64)sum << 32 | (nr + 1);
}

/* Look up the slot of a key, or the empty slot where it belongs. */
static inline u64 *hash_slot(const struct hash *h, const void *key, u32 sum)
{
	u32 i;

	for (i = sum & h->mask; h->slots[i]; i = (i + 1) & h->mask)
		if (h->slots[i] >> 32 == sum &&
		    is_key(h, hash_item(h, (u32)h->slots[i] - 1), key))
			break;
	return h->slots + i;
}

/* Allocate slots, for a load factor of at most three quarters. */
static void make_slots(struct hash *h, size_t nr)
{
	if (nr > U32_MAX)
		nr = SIZE_MAX;	/* overflows u32 numbers: let the allocation fail */
	h->room = nr / 4 * 3;
	h->mask = nr - 1;
	h->items = xreallocarray(h->items, h->room, h->item_size);
	h->slots = xreallocarray(NULL, nr, sizeof(*h->slots));
	memset(h->slots, 0, nr * sizeof(*h->slots));
}

/* Double the number of slots, without reading the items. */
static void hash_grow(struct hash *h)
{
	u64 *old = h->slots;
	size_t nr = h->mask + 1ul, i;
	u32 to;

	make_slots(h, 2 * nr);
	for (i = 0; i < nr; i++) {
		if (!old[i])
			continue;
		/* All keys are different: any empty slot will do. */
		for (to = (old[i] >> 32) & h->mask; h->slots[to]; to = (to + 1) & h->mask)
			;
		h->slots[to] = old[i];
	}
	free(old);
}

/**
 * hash_init - initialize an empty table
 * @h: the table
 * @item_size: size of an item in bytes; it begins with the key
 * @key_size: size of the key in bytes, a multiple of 8
 */
void hash_init(struct hash *h, size_t item_size, size_t key_size)
{
	*h = (struct hash){ .item_size = item_size, .key_size = key_size };
	make_slots(h, FIRST_SLOTS);
}

/**
 * hash_free - free the memory of a table
 * @h: the table
 */
void hash_free(struct hash *h)
{
	free(h->items);
	free(h->slots);
}

/**
 * hash_get - look up an item, or insert it
 * @h: the table
 * @key: key of the item
 * @new: set to true if the item was inserted; its bytes after the key are zero
 *
 * Return: number of the item.
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
		/* The slots have moved. */
		slot = hash_slot(h, key, sum);
	}
	item = hash_item(h, h->nr);
	memset(item, 0, h->item_size);
	memcpy(item, key, h->key_size);
	*slot = make_slot(sum, h->nr);
	return h->nr++;
}

/**
 * hash_find - look up an item
 * @h: the table
 * @key: key of the item
 * @nr: set to the number of the item
 *
 * Return: true if the item exists.
 */
bool hash_find(const struct hash *h, const void *key, u32 *nr)
{
	const u64 *slot = hash_slot(h, key, hash_key(h, key));

	if (*slot)
		*nr = (u32)*slot - 1;
	return *slot;
}

/**
 * hash_prefetch - prefetch the slot of an item
 * @h: the table
 * @key: key of the item
 */
void hash_prefetch(const struct hash *h, const void *key)
{
	__builtin_prefetch(h->slots + (hash_key(h, key) & h->mask));
}

/**
 * hash_seal - free the slots of a table, and keep the items
 * @h: the table; hash_get() and hash_find() must not be called any more
 */
void hash_seal(struct hash *h)
{
	free(h->slots);
	h->slots = NULL;
}
