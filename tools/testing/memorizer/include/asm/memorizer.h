/* SPDX-License-Identifier: GPL-2.0 */
/* No access sites: the tests call the hook, see site() in test.h. */
#ifndef _TEST_ASM_MEMORIZER_H
#define _TEST_ASM_MEMORIZER_H

#include <linux/types.h>

/* Where the address of the array of struct page would be. */
#define memorizer_struct_page_ip	0xffffffff82000000UL

/* The tests simulate the memory of strings. */
bool memorizer_load_byte(const char *ptr, u8 *byte);

#endif /* _TEST_ASM_MEMORIZER_H */
