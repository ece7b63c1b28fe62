/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's groups: what the compiler plugin emits for accesses that it joins.
 */
#ifndef _MM_MEMORIZER_GROUP_H
#define _MM_MEMORIZER_GROUP_H

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/stddef.h>
#include <linux/types.h>

/**
 * struct memorizer_member - an access of a group
 * @ip: distance from this field to the address right after the access's site
 * @offset: bytes from the group's first byte to the access's first byte
 * @size: size of the access in bytes
 * @kind: an enum memorizer_kind
 */
struct memorizer_member {
	s32 ip;
	u16 offset;
	u8 size;
	u8 kind;
};

static_assert(sizeof(struct memorizer_member) == 8);

/**
 * struct memorizer_group - accesses that the code makes all or none of, at fixed distances
 * @extent: bytes from the first byte of the accesses to the end of the last one, below 2^15: the
 *	plugin joins accesses within one page only
 * @members: number of elements of @member
 * @accesses: number of their loads and stores
 * @member: the accesses, in the order in which they are counted one by one
 *
 * The plugin makes groups for built-in code only, so that they never go away. One entry counts a
 * group if one object contains all of its accesses.
 */
struct memorizer_group {
	u16 extent;
	u8 members;
	u8 accesses;
	struct memorizer_member member[];
};

static_assert(sizeof(struct memorizer_group) == 4);
static_assert(offsetof(struct memorizer_group, member) == 4);

extern const char __start_memorizer_groups[], __stop_memorizer_groups[];

#endif /* _MM_MEMORIZER_GROUP_H */
