/* SPDX-License-Identifier: GPL-2.0 */
/* ZERO_OR_NULL_PTR(). */
#include <linux/kernel.h>
