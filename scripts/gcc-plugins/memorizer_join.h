/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memorizer plugin: joined sites, groups, shared stubs.
 */
#ifndef MEMORIZER_JOIN_H
#define MEMORIZER_JOIN_H

#pragma GCC visibility push(hidden)

extern bool with_groups;

unsigned int join_sites(void);
void share_stubs(void);

#pragma GCC visibility pop

#endif /* MEMORIZER_JOIN_H */
