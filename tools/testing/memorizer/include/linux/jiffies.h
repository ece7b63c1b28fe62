/* SPDX-License-Identifier: GPL-2.0 */
/* Advanced only by the tests. */
#ifndef _TEST_LINUX_JIFFIES_H
#define _TEST_LINUX_JIFFIES_H

#include <linux/compiler.h>

extern unsigned long test_jiffies;
#define jiffies	READ_ONCE(test_jiffies)

#endif /* _TEST_LINUX_JIFFIES_H */
