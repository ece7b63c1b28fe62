/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memorizer plugin: the place that an access refers to, or that a call allocates.
 */
#ifndef MEMORIZER_PLACES_H
#define MEMORIZER_PLACES_H

#include "memorizer_types.h"

#pragma GCC visibility push(hidden)

void place_of_access(tree ref, struct place *place);
void place_of_argument(gimple stmt, tree ptr, HOST_WIDE_INT size, struct place *place);
bool place_of_allocation(gcall *call, struct place *place);

#pragma GCC visibility pop

#endif /* MEMORIZER_PLACES_H */
