// SPDX-License-Identifier: GPL-2.0
/* Texts that are numbered in the order they came. */
#include <string.h>

#include "lib/texts.h"

/**
 * texts_number - number a text
 * @texts: the texts
 * @text: the text
 *
 * Return: its number, from 0; the same for the same text.
 */
u32 texts_number(struct hash *texts, const char *text)
{
	char key[TEXTS_MAX] = "";
	bool new;

	memcpy(key, text, strnlen(text, sizeof(key) - 1));
	return hash_get(texts, key, &new);
}

/**
 * texts_find - look up a text
 * @texts: the texts
 * @text: the text
 *
 * Return: its number, TEXTS_NONE if it has none.
 */
u32 texts_find(const struct hash *texts, const char *text)
{
	char key[TEXTS_MAX] = "";
	u32 nr;

	memcpy(key, text, strnlen(text, sizeof(key) - 1));
	return hash_find(texts, key, &nr) ? nr : TEXTS_NONE;
}
