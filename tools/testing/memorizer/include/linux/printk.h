/* SPDX-License-Identifier: GPL-2.0 */
/* Messages: the compiler checks their arguments, but nothing is printed. */
#ifndef _TEST_LINUX_PRINTK_H
#define _TEST_LINUX_PRINTK_H

#include <stdio.h>

#define pr_info(...)	((void)(0 && printf(__VA_ARGS__)))
#define pr_warn		pr_info
#define pr_err		pr_info

#endif /* _TEST_LINUX_PRINTK_H */
