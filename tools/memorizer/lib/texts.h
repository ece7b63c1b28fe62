/* SPDX-License-Identifier: GPL-2.0 */
/* Texts that are numbered in the order they came. */
#ifndef TEXTS_H
#define TEXTS_H

#include "lib/hash.h"

#define TEXTS_MAX	512	/* room for a text, which is cut to that; a multiple of 8 */

/**
 * texts_init - begin with no texts
 * @texts: the texts
 */
static inline void texts_init(struct hash *texts)
{
	hash_init(texts, TEXTS_MAX, TEXTS_MAX);
}

#define TEXTS_NONE	U32_MAX	/* of a text that has no number */

u32 texts_number(struct hash *texts, const char *text);
u32 texts_find(const struct hash *texts, const char *text);

/**
 * texts_get - tell a text
 * @texts: the texts
 * @number: its number
 *
 * Return: the text, valid until the next texts_number().
 */
static inline const char *texts_get(const struct hash *texts, u32 number)
{
	return hash_item(texts, number);
}

#endif
