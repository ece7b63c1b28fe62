/* SPDX-License-Identifier: GPL-2.0 */
/* min() and max(). */
#include <linux/kernel.h>
