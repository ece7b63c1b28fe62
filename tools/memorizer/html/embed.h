/* SPDX-License-Identifier: GPL-2.0 */
/* The files in this directory, embedded in the command. */
#ifndef EMBED_H
#define EMBED_H

extern const char page_html[], page_css[], page_js[], record_js[], overview_js[];

#endif
