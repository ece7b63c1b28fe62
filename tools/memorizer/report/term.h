/* SPDX-License-Identifier: GPL-2.0 */
/* Terminal output: width, colors and pager. */
#ifndef TERM_H
#define TERM_H

#include "lib/types.h"

/* Styles of a piece of text. */
enum style {
	STYLE_NONE,
	STYLE_TITLE,
	STYLE_HEAD,
	STYLE_RULE,
	STYLE_MORE,		/* increased or new */
	STYLE_LESS,		/* decreased or gone */
	STYLE_BAD,
};

bool term_set_color(const char *when);
void term_pager(void);
void term_stream(void);
u32 term_width(void);
u32 term_height(void);
const char *term_style(enum style style);
const char *term_plain(void);

#endif
