/* SPDX-License-Identifier: GPL-2.0 */
/* Nothing here can be probed. */
#define __kprobes
