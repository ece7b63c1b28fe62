/* SPDX-License-Identifier: GPL-2.0 */
/* Writes uses of objects as a CAPMAP, in the merged form that uSCOPE's analysis caches. */
#ifndef CMAP_WRITE_H
#define CMAP_WRITE_H

#include "report/privilege.h"

bool cmap_write(const struct privilege *p);

#endif
