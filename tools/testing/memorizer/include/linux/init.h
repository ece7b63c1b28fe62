/* SPDX-License-Identifier: GPL-2.0 */
/* Section attributes and initcalls. */
#ifndef _TEST_LINUX_INIT_H
#define _TEST_LINUX_INIT_H

#define __init

#define early_initcall(call)						\
static void __attribute__((constructor)) call##_early(void)		\
{									\
	call();								\
}

#endif /* _TEST_LINUX_INIT_H */
