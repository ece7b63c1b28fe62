/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TEST_LINUX_STDDEF_H
#define _TEST_LINUX_STDDEF_H

#include <stddef.h>

#endif /* _TEST_LINUX_STDDEF_H */
