/* SPDX-License-Identifier: GPL-2.0 */
/* String table that numbers strings in insertion order. */
#ifndef TEXTS_H
#define TEXTS_H

#include "lib/hash.h"

#define TEXTS_MAX	512	/* longer strings are truncated; a multiple of 8 */

/**
 * texts_init - initialize an empty string table
 * @texts: the table
 */
static inline void texts_init(struct hash *texts)
{
	hash_init(texts, TEXTS_MAX, TEXTS_MAX);
}

#define TEXTS_NONE	U32_MAX	/* number of no string */

u32 texts_number(struct hash *texts, const char *text);
u32 texts_find(const struct hash *texts, const char *text);

/**
 * texts_get - get a string by its number
 * @texts: the table
 * @number: number of the string
 *
 * Return: the string, valid until the next texts_number().
 */
static inline const char *texts_get(const struct hash *texts, u32 number)
{
	return hash_item(texts, number);
}

#endif
