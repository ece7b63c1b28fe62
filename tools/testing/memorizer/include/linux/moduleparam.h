/* SPDX-License-Identifier: GPL-2.0 */
/* Boot parameters, which the tests set. */
#ifndef _TEST_LINUX_MODULEPARAM_H
#define _TEST_LINUX_MODULEPARAM_H

#include <linux/types.h>

#define __initconst
#define __initdata

struct kernel_param;

struct kernel_param_ops {
	int (*set)(const char *text, const struct kernel_param *param);
};

struct kernel_param {
	const struct kernel_param_ops *ops;
	void *arg;
};

#define bint int

#define module_param_named(name, variable, type, mode) \
	type *const param_##name = &(variable)
#define module_param_cb(name, its_ops, its_arg, mode) \
	const struct kernel_param param_##name = { .ops = its_ops, .arg = its_arg }

extern bool *const param_enabled, *const param_log_access;
extern const struct kernel_param param_pool;

#endif /* _TEST_LINUX_MODULEPARAM_H */
