/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's clearing, and the observer's retiring, of closed objects.
 */
#ifndef _MM_MEMORIZER_CLEAR_H
#define _MM_MEMORIZER_CLEAR_H

#include <linux/types.h>

struct memorizer_object;

void memorizer_clear(void);
bool memorizer_has_closed(void);
void memorizer_retire(struct memorizer_object *object);
void memorizer_retire_done(struct memorizer_object *object);
void memorizer_give_back(void);

#endif /* _MM_MEMORIZER_CLEAR_H */
