/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TEST_LINUX_ALIGN_H
#define _TEST_LINUX_ALIGN_H

#define ALIGN(x, to)		(((x) + (to) - 1) / (to) * (to))
#define ALIGN_DOWN(x, to)	((x) / (to) * (to))

#endif /* _TEST_LINUX_ALIGN_H */
