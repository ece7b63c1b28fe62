/* SPDX-License-Identifier: GPL-2.0 */
/* Functions that spin until a lock or another CPU is ready. */
#ifndef WAITS_H
#define WAITS_H

#include <stdbool.h>

bool waits(const char *function);

#endif
