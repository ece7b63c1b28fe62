/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer: what the compiler's plugin and the kernel both know of groups of accesses.
 */
#ifndef _LINUX_MEMORIZER_GROUP_H
#define _LINUX_MEMORIZER_GROUP_H

/* So many groups, at most, are of one straight piece of code, and may have an ip in common. */
#define MEMORIZER_GROUPS_AT_ONCE	8

#endif /* _LINUX_MEMORIZER_GROUP_H */
