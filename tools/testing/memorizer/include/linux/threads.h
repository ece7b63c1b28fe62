/* SPDX-License-Identifier: GPL-2.0 */
/* The largest pid. */
#ifndef _TEST_LINUX_THREADS_H
#define _TEST_LINUX_THREADS_H

#define PID_MAX_LIMIT	(4 * 1024 * 1024)

#endif /* _TEST_LINUX_THREADS_H */
