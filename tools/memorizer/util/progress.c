// SPDX-License-Identifier: GPL-2.0
/* A bar on the terminal that shows how much of a trace has been read. It overwrites itself. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "progress.h"

#define BAR_WIDTH	50
#define BAR_EVENTS	(1u << 16)	/* between two looks at how far it is */

/* Where the bar goes, if that is a terminal. html redirects standard error, so it sets this. */
int progress_fd = STDERR_FILENO;

/* What stands before the bar, if a command runs others. */
const char *progress_label = "";

static bool shown;

/**
 * progress_show - show how much of a trace has been read
 * @t: the trace
 * @e: the current event; most do not change the bar
 */
void progress_show(const struct trace *t, const struct trace_event *e)
{
	u64 total, done;
	u32 percent;
	char bar[BAR_WIDTH + 1];

	if (e->nr % BAR_EVENTS || !isatty(progress_fd))
		return;
	total = trace_bytes_total(t);
	done = trace_bytes_done(t);
	percent = total >= 100 ? done / (total / 100) : 100;
	percent = percent < 100 ? percent : 100;
	memset(bar, ' ', BAR_WIDTH);
	memset(bar, '=', percent * BAR_WIDTH / 100);
	bar[BAR_WIDTH] = '\0';
	shown = dprintf(progress_fd, "\r%s[%s] %3u%%", progress_label, bar, percent) > 0;
}

/**
 * progress_end - take the bar away, before something else is printed
 */
void progress_end(void)
{
	if (shown)
		dprintf(progress_fd, "\r\033[K");
	shown = false;
}
