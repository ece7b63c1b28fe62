/* SPDX-License-Identifier: GPL-2.0 */
/* Pointers that are no objects. */
#include <linux/kernel.h>
