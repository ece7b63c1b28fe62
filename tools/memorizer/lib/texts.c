// SPDX-License-Identifier: GPL-2.0
/* String table that numbers strings in insertion order. */
#include <string.h>

#include "lib/texts.h"

/**
 * texts_number - look up a string, or insert it
 * @texts: the table
 * @text: the string
 *
 * Return: number of the string, from 0.
 */
u32 texts_number(struct hash *texts, const char *text)
{
	char key[TEXTS_MAX] = "";
	bool new;

	/*
	 * The key has a fixed size: longer strings are truncated, shorter ones padded
	 * with zeros.
	 */
	memcpy(key, text, strnlen(text, sizeof(key) - 1));
	return hash_get(texts, key, &new);
}

/**
 * texts_find - look up a string
 * @texts: the table
 * @text: the string
 *
 * Return: number of the string; TEXTS_NONE if the table lacks it.
 */
u32 texts_find(const struct hash *texts, const char *text)
{
	char key[TEXTS_MAX] = "";
	u32 nr;

	memcpy(key, text, strnlen(text, sizeof(key) - 1));
	return hash_find(texts, key, &nr) ? nr : TEXTS_NONE;
}
