// SPDX-License-Identifier: GPL-2.0
/* The files of the page as texts, relative to tools/memorizer, where the compiler runs. */
#include "embed.h"

#define EMBED(name, path)			\
	__asm__(".pushsection .rodata\n"	\
		".globl " #name "\n"		\
		#name ":\n"			\
		".incbin \"" path "\"\n"	\
		".byte 0\n"			\
		".popsection")

EMBED(page_html, "html/page.html");
EMBED(page_css, "html/page.css");
EMBED(page_js, "html/page.js");
EMBED(record_js, "html/record.js");
EMBED(overview_js, "html/overview.js");
