/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's settings before a recording, saved in the trace until they are restored. */
#ifndef SETTINGS_H
#define SETTINGS_H

#include "record/kernel-filter.h"
#include "record/save.h"

bool settings_save(const struct save *to, const struct control *c,
		   const bool before[NR_STREAM_SWITCHES], const struct kernel_filter *n);
void settings_forget(const struct save *to);
int settings_restore(const char *debugfs, const char *dir);

#endif
