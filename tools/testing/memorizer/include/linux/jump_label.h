/* SPDX-License-Identifier: GPL-2.0 */
/* Static keys: plain variables here. */
#ifndef _TEST_LINUX_JUMP_LABEL_H
#define _TEST_LINUX_JUMP_LABEL_H

#include <linux/compiler.h>

struct static_key_false {
	bool on;
};

#define DECLARE_STATIC_KEY_FALSE(name)	extern struct static_key_false name
#define DEFINE_STATIC_KEY_FALSE(name)	struct static_key_false name
#define static_branch_unlikely(key)	unlikely(READ_ONCE((key)->on))

/* Called before a static branch is switched, unless NULL. */
extern void (*before_branch)(void);

#define static_branch_enable(key) do {					\
	if (before_branch)						\
		before_branch();					\
	WRITE_ONCE((key)->on, true);					\
} while (0)

#endif /* _TEST_LINUX_JUMP_LABEL_H */
