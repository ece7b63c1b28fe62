// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's settings before a recording, saved in the trace until they are restored. If the
 * recorder is killed, --restore finds them there.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/source.h"
#include "lib/status.h"
#include "record/settings.h"

#define SETTINGS	"kernel/settings"

/**
 * settings_save - save the settings before a recording
 * @to: the trace
 * @c: the kernel's files
 * @before: the switches
 * @n: the filters, after kernel_filter_read()
 *
 * Return: true on success, false after a message.
 */
bool settings_save(const struct save *to, const struct control *c,
		   const bool before[NR_STREAM_SWITCHES], const struct kernel_filter *n)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	bool fine;

	if (!f)
		abort();
	control_print_switches(f, before);
	kernel_filter_print(n, c, f);
	fclose(f);
	fine = save_text(to, text, SETTINGS);
	free(text);
	return fine;
}

/**
 * settings_forget - remove settings that were restored
 * @to: the trace
 */
void settings_forget(const struct save *to)
{
	unlinkat(to->dir, SETTINGS, 0);
}

/* Remove the settings from a trace; in a trace in parts, from the shared directory. */
static void forget(const char *dir)
{
	static const char * const where[] = { "", "common/" };
	char *path;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(where); i++) {
		if (asprintf(&path, "%s/%s" SETTINGS, dir, where[i]) < 0)
			abort();
		unlink(path);
		free(path);
	}
}

/* Returns false after a message if the trace was recorded before the last boot. */
static bool is_of_boot(const struct control *c, const char *dir)
{
	char *metadata = source_text(dir, "metadata"), *now = control_read(c, "metadata");
	bool same = metadata && now && !strcmp(metadata, now);

	if (now && !same)
		fprintf(stderr,
			"memorizer: %s: %s: want one recorded since boot\n", dir,
			metadata ? "recorded before the last boot" :
			"no trace");
	free(metadata);
	free(now);
	return same;
}

/* Returns false after a message if a recording is in progress. */
static bool is_free(const struct control *c)
{
	int fd = control_open_stream(c, "cpu0");

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Restore the settings in @text. */
static bool put_back(const struct control *c, const char *text)
{
	static const struct number_list none;
	bool now[NR_STREAM_SWITCHES], before[NR_STREAM_SWITCHES];
	struct kernel_filter n = { .pids = &none };

	if (!control_get_switches(c, now))
		return false;
	/* Switches that the text does not have stay as they are. */
	memcpy(before, now, sizeof(before));
	control_parse_switches(text, before);
	kernel_filter_parse(&n, text);
	/* No &&: restore the switches even if a filter cannot be restored. */
	return kernel_filter_end(&n, c) & control_set_switches(c, now, before);
}

/**
 * settings_restore - restore the settings that a killed recorder left
 * @debugfs: mount point of debugfs
 * @dir: its trace
 *
 * Return: EXIT_FINE, or another exit status after a message.
 */
int settings_restore(const char *debugfs, const char *dir)
{
	char error[ERROR_MAX], *text = NULL;
	int status = EXIT_UNABLE;
	struct control c;

	if (!control_open(&c, debugfs))
		return EXIT_UNABLE;
	if (!source_mount(dir, error)) {
		fprintf(stderr, "memorizer: %s\n", error);
	} else if (is_of_boot(&c, dir) && is_free(&c)) {
		text = source_text(dir, SETTINGS);
		if (!text) {
			fprintf(stderr,
				"memorizer: %s: no settings in it: already restored\n",
				dir);
		} else if (put_back(&c, text)) {
			forget(dir);
			status = EXIT_FINE;
		}
	}
	free(text);
	control_close(&c);
	return status;
}
