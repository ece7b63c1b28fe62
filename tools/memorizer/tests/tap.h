/* SPDX-License-Identifier: GPL-2.0 */
/* Helpers of the tests in C: TAP output, and files with given text. */
#ifndef TAP_H
#define TAP_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kmap/kmap.h"
#include "symbols/kmap-symbols.h"

static int tap_nr, tap_failed;

static inline bool tap_ok(bool fine, const char *name)
{
	printf("%sok %d - %s\n", fine ? "" : "not ", ++tap_nr, name);
	tap_failed += !fine;
	return fine;
}

static inline void tap_number(u64 got, u64 want, const char *name)
{
	if (!tap_ok(got == want, name))
		printf("# got %llu, want %llu\n", got, want);
}

static inline void tap_text(const char *got, const char *want, const char *name)
{
	if (!tap_ok(!strcmp(got, want), name))
		printf("# got  %s\n# want %s\n", got, want);
}

/* Return the exit status of a test. */
static inline int tap_end(void)
{
	printf("1..%d\n", tap_nr);
	return tap_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Return an unnamed file with @text. */
static inline FILE *text_file(const void *text, size_t len)
{
	FILE *file = tmpfile();

	if (!file || fwrite(text, 1, len, file) != len || fflush(file)) {
		perror("tmpfile");
		exit(EXIT_FAILURE);
	}
	lseek(fileno(file), 0, SEEK_SET);
	return file;
}

/* Load symbols from @text as from /proc/kallsyms. */
static inline struct kmap_symbols *text_kallsyms(const char *text, size_t len,
						 char error[ERROR_MAX])
{
	FILE *file = text_file(text, len);
	struct kmap_symbols *s;
	char path[32];

	snprintf(path, sizeof(path), "/dev/fd/%d", fileno(file));
	s = kmap_symbols_load(NULL, path, false, error);
	fclose(file);
	return s;
}

#endif
