/* SPDX-License-Identifier: GPL-2.0 */
/* The files beside this one, as they are, in the command. */
#ifndef EMBED_H
#define EMBED_H

extern const char page_html[], page_css[], page_js[], record_js[], overview_js[];

#endif
