/* SPDX-License-Identifier: GPL-2.0 */
/* Flags of allocations, which ask for what they get here anyway. */
#define GFP_KERNEL	0
#define __GFP_ZERO	0
#define __GFP_NOWARN	0
