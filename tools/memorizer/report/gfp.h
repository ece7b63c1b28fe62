/* SPDX-License-Identifier: GPL-2.0 */
/* Names of gfp flags. */
#ifndef GFP_H
#define GFP_H

#include "lib/types.h"

#define GFP_TEXT	512	/* room for the names of all bits */

void gfp_text(u32 flags, char text[GFP_TEXT]);
const char *gfp_zone(u32 flags);

#endif
