/* SPDX-License-Identifier: GPL-2.0 */
/* Assertions at compile time. */
#include <linux/kernel.h>
