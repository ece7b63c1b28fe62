// SPDX-License-Identifier: GPL-2.0
/* Texts with a line for each number: "name: value", as show_stats. */
#include <stdlib.h>
#include <string.h>

#include "lib/stats.h"

/**
 * find_stat - look up a number
 * @text: the text
 * @name: the number's name
 * @value: set to it
 *
 * Return: whether it is there.
 */
bool find_stat(const char *text, const char *name, u64 *value)
{
	size_t len = strlen(name);
	const char *p;

	for (p = strstr(text, name); p; p = strstr(p + len, name)) {
		if ((p == text || p[-1] == '\n') && p[len] == ':') {
			*value = strtoull(p + len + 1, NULL, 10);
			return true;
		}
	}
	return false;
}
