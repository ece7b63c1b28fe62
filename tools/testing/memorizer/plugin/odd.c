// SPDX-License-Identifier: GPL-2.0
/*
 * Functions that the plugin knows by name, with other prototypes and too few arguments.
 * This is only compiled, not executed.
 */
void *memcpy();
void *memmove();
unsigned long strlen();
int strncmp(int a, int b, int c);
void *memset(void *p, int c, ...);
int memcmp(void *a, void *b, char *n);

static char a[8], b[8];
volatile int never;

long call_with_too_few(void)
{
	long total = 0;

	if (!never)
		return 0;
	total += (long)memcpy(a);
	total += (long)memcpy();
	total += (long)memmove(a, b);
	total += strlen();
	total += strncmp(1, 2, 3);
	total += (long)memset(a, 1);
	total += memcmp(a, b, a);
	return total;
}
