/* SPDX-License-Identifier: GPL-2.0 */
/* An open-addressing hash table whose items are numbered in the order they came. */
#ifndef HASH_H
#define HASH_H

#include "lib/types.h"

/**
 * struct hash - the table
 * @items: array of items, each of which begins with its key
 * @nr: number of items
 * @item_size: size of an item
 * @key_size: size of the key, a multiple of 8
 * @slots: private: a hash of the key, and the item's number plus one; 0 for an empty slot
 * @mask: private: number of slots minus one
 * @room: number of items that @items has room for
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
 * hash_item - an item by its number
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
