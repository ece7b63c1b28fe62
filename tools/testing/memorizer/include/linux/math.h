/* SPDX-License-Identifier: GPL-2.0 */
/* Arithmetic. */
#include <linux/kernel.h>
