/* SPDX-License-Identifier: GPL-2.0 */
/* A bar on the terminal that shows how much of a trace has been read. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include "trace.h"

extern int progress_fd;
extern const char *progress_label;

void progress_show(const struct trace *t, const struct trace_event *e);
void progress_end(void);

#endif
