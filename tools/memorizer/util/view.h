/* SPDX-License-Identifier: GPL-2.0 */
/* A view of a damaged trace that libbabeltrace2 takes. */
#ifndef VIEW_H
#define VIEW_H

#include "packet.h"

char *view_make(void);
bool view_add_metadata(const char *view, const char *dir);
bool view_add_stream(const char *view, const char *path, const struct metadata *m);
void view_drop_stream(const char *view, const char *path);
void view_remove(char *view);

#endif
