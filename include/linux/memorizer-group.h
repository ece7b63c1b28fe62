/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer: what the compiler plugin and the kernel share about groups of accesses. The
 * plugin includes this header: keep it free of other includes.
 */
#ifndef _LINUX_MEMORIZER_GROUP_H
#define _LINUX_MEMORIZER_GROUP_H

/* Maximum number of groups in one piece of straight-line code, which may share an ip */
#define MEMORIZER_GROUPS_AT_ONCE	8

#endif /* _LINUX_MEMORIZER_GROUP_H */
