/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memorizer plugin: the accesses of calls.
 */
#ifndef MEMORIZER_CALLS_H
#define MEMORIZER_CALLS_H

#pragma GCC visibility push(hidden)

void instrument_call(gimple_stmt_iterator *gsi, gcall *call);

#pragma GCC visibility pop

#endif /* MEMORIZER_CALLS_H */
