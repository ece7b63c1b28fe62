/* SPDX-License-Identifier: GPL-2.0 */
/* 64-bit arithmetic. */
#include <linux/kernel.h>
