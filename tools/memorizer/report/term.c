// SPDX-License-Identifier: GPL-2.0
/*
 * Terminal output: width, colors and pager. If standard output is no terminal, text is plain
 * and has unlimited width, so that it is the same on all machines.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <subcmd/pager.h>

#include "lib/progress.h"
#include "report/term.h"

/* Modes of --color. */
enum when { WHEN_TERMINAL, WHEN_ALWAYS, WHEN_NEVER };

static enum when colors;
static bool paged;		/* standard output goes through a pager to a terminal */
static u32 width;		/* of the terminal behind the pager */

/**
 * term_set_color - set the mode of --color
 * @when: auto, always or never
 *
 * Return: false for any other argument.
 */
bool term_set_color(const char *when)
{
	static const char * const words[] = {
		[WHEN_TERMINAL] = "auto", [WHEN_ALWAYS] = "always", [WHEN_NEVER] = "never",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (!strcmp(when, words[i])) {
			colors = i;
			return true;
		}
	}
	return false;
}

static bool terminal_has_colors(void)
{
	const char *none = getenv("NO_COLOR"), *term = getenv("TERM");

	/* See https://no-color.org. */
	if ((none && *none) || !term || !strcmp(term, "dumb"))
		return false;
	return paged || isatty(STDOUT_FILENO);
}

/* Cached, because each piece of text calls this. */
static bool has_colors(void)
{
	if (colors == WHEN_TERMINAL)
		colors = terminal_has_colors() ? WHEN_ALWAYS : WHEN_NEVER;
	return colors == WHEN_ALWAYS;
}

/**
 * term_style - start a style
 * @style: the style
 *
 * Return: an escape sequence; the empty string without colors.
 */
const char *term_style(enum style style)
{
	static const char * const sequences[] = {
		[STYLE_NONE] = "",
		[STYLE_TITLE] = "\033[1m", [STYLE_HEAD] = "\033[36m", [STYLE_RULE] = "\033[2m",
		[STYLE_MORE] = "\033[31m", [STYLE_LESS] = "\033[32m", [STYLE_BAD] = "\033[1;31m",
	};

	return has_colors() ? sequences[style] : "";
}

/**
 * term_plain - end a style
 *
 * Return: an escape sequence; the empty string without colors.
 */
const char *term_plain(void)
{
	return has_colors() ? "\033[m" : "";
}

static u32 terminal_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;

	if (columns && atoi(columns) > 0)
		return atoi(columns);
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col)
		return size.ws_col;
	return 80;
}

/**
 * term_width - get the width of the terminal
 *
 * Return: the width in characters; 0 if the output is no terminal.
 */
u32 term_width(void)
{
	if (paged)
		return width;
	return isatty(STDOUT_FILENO) ? terminal_width() : 0;
}

/**
 * term_height - get the height of the terminal
 *
 * Return: the height in lines; 0 if the output is no terminal.
 */
u32 term_height(void)
{
	const char *lines = getenv("LINES");
	struct winsize size;

	if (!isatty(STDOUT_FILENO))
		return 0;
	if (lines && atoi(lines) > 0)
		return atoi(lines);
	return !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row ? size.ws_row : 24;
}

/**
 * term_pager - send output through a pager if standard output is a terminal
 *
 * Messages follow if standard error is a terminal.
 */
void term_pager(void)
{
	if (!isatty(STDOUT_FILENO) || paged)
		return;
	progress_end();
	width = terminal_width();
	fflush(stdout);
	/* By default, libsubcmd lets less chop long lines. */
	setenv("LESS", "FRX", false);
	setenv("LV", "-c", false);
	setup_pager();
	paged = pager_in_use();
	if (paged)
		progress_stop();
}

/**
 * term_stream - announce that lines are printed while input is read
 *
 * Disables the progress indicator if standard output is a terminal.
 */
void term_stream(void)
{
	if (isatty(STDOUT_FILENO))
		progress_stop();
}
