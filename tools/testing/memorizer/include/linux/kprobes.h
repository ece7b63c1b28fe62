/* SPDX-License-Identifier: GPL-2.0 */
/* No kprobes here. */
#define __kprobes
