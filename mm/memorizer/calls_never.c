// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's only function that ftrace can trace: what a selection of no functions consists of.
 */
#include "calls.h"

/**
 * memorizer_is_never_called() - do nothing
 *
 * ftrace takes a filter without functions for one that selects all.
 */
void memorizer_is_never_called(void)
{
}
