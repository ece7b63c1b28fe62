/* SPDX-License-Identifier: GPL-2.0 */
/* Writes uses of objects in the CPM interchange format, version 1.4. */
#ifndef CPM_WRITE_H
#define CPM_WRITE_H

#include "report/contexts.h"
#include "report/domains.h"

void cpm_write(const struct domains *d, const struct contexts *contexts);

#endif
