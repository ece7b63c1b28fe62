/* SPDX-License-Identifier: GPL-2.0 */
/* Errors as pointers. */
#ifndef _TEST_LINUX_ERR_H
#define _TEST_LINUX_ERR_H

#include <errno.h>
#include <linux/kernel.h>

#define ERR_PTR(err)	((void *)(long)(err))
#define PTR_ERR(ptr)	((long)(ptr))
#define IS_ERR(ptr)	((unsigned long)(ptr) >= (unsigned long)-4095)

#endif /* _TEST_LINUX_ERR_H */
