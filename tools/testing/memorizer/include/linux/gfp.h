/* SPDX-License-Identifier: GPL-2.0 */
/* Allocation flags, which have no effect here. */
#define GFP_KERNEL	0
#define __GFP_ZERO	0
#define __GFP_NOWARN	0
