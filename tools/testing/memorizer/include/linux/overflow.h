/* SPDX-License-Identifier: GPL-2.0 */
/* Sizes of structs with flexible arrays. */
#ifndef _TEST_LINUX_OVERFLOW_H
#define _TEST_LINUX_OVERFLOW_H

#define struct_size_t(type, member, count) \
	(sizeof(type) + (count) * sizeof(((type *)0)->member[0]))

#define check_shl_overflow(value, by, result) \
	({ __auto_type __value = (value); \
	   *(result) = __value << (by); \
	   *(result) >> (by) != __value; })

#endif /* _TEST_LINUX_OVERFLOW_H */
