/* SPDX-License-Identifier: GPL-2.0 */
/* Unaligned accesses. */
#ifndef _TEST_LINUX_UNALIGNED_H
#define _TEST_LINUX_UNALIGNED_H

#include <string.h>

#define put_unaligned_le64(value, to) \
	({ unsigned long long __value = (value); memcpy(to, &__value, sizeof(__value)); })

#endif /* _TEST_LINUX_UNALIGNED_H */
