// SPDX-License-Identifier: GPL-2.0
/* Parser of "name: value" lines, as in the kernel's file show_stats. */
#include <stdlib.h>
#include <string.h>

#include "lib/stats.h"

/**
 * find_stat - look up a number
 * @text: the lines
 * @name: name of the number
 * @value: set to the number; unchanged if it is missing
 *
 * Return: true if the number exists.
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
