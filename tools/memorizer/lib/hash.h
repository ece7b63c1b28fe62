/* SPDX-License-Identifier: GPL-2.0 */
/* Open-addressing hash table that numbers its items in insertion order. */
#ifndef HASH_H
#define HASH_H

#include "lib/types.h"

/**
 * struct hash - hash table
 * @items: array of items, each of which begins with its key
 * @nr: number of items
 * @item_size: size of an item
 * @key_size: size of the key, a multiple of 8
 * @slots: private: hash of the key, and number of the item plus one; 0 for an empty slot
 * @mask: private: number of slots minus one
 * @room: private: max. number of @items before the table grows
 */
struct hash {
	char *items;
	u32 nr;
	size_t item_size, key_size;
	u64 *slots;
	u32 mask, room;
};

void hash_init(struct hash *h, size_t item_size, size_t key_size);
void hash_free(struct hash *h);
u32 hash_get(struct hash *h, const void *key, bool *new);
bool hash_find(const struct hash *h, const void *key, u32 *nr);
void hash_prefetch(const struct hash *h, const void *key);
void hash_seal(struct hash *h);

/**
 * hash_item - get an item by its number
 * @h: the table
 * @i: number of the item
 *
 * Return: the item; valid until the next hash_get().
 */
static inline void *hash_item(const struct hash *h, u32 i)
{
	return h->items + i * h->item_size;
}

#endif
