/* SPDX-License-Identifier: GPL-2.0 */
/* Set by the tests. */
#ifndef _TEST_LINUX_CRASH_DUMP_H
#define _TEST_LINUX_CRASH_DUMP_H

#include <linux/types.h>

bool is_kdump_kernel(void);

#endif /* _TEST_LINUX_CRASH_DUMP_H */
