/* SPDX-License-Identifier: GPL-2.0 */
/* Progress bar on the terminal. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include "lib/types.h"

extern const char *progress_label;

void progress_init(void);
void progress_begin(const char *what, u64 total);
bool progress_begin_if_idle(const char *what, u64 total);
void progress_at(u64 done);
void progress_end(void);
void progress_stop(void);

#endif
