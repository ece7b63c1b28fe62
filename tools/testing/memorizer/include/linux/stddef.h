/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TEST_LINUX_STDDEF_H
#define _TEST_LINUX_STDDEF_H

#include <stddef.h>

#define sizeof_field(type, member)	sizeof(((type *)0)->member)

#endif /* _TEST_LINUX_STDDEF_H */
