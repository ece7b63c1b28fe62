/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TEST_LINUX_CONTAINER_OF_H
#define _TEST_LINUX_CONTAINER_OF_H

#include <stddef.h>

#define container_of(ptr, type, member)	((type *)((void *)(ptr) - offsetof(type, member)))

#endif /* _TEST_LINUX_CONTAINER_OF_H */
