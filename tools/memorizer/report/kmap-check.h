/* SPDX-License-Identifier: GPL-2.0 */
/* Checks a KMAP for violations. */
#ifndef KMAP_CHECK_H
#define KMAP_CHECK_H

#include "lib/types.h"

int kmap_check(char **argv, bool all, bool json);

#endif
