/* SPDX-License-Identifier: GPL-2.0 */
/* The size of a symbol's name. */
#define KSYM_NAME_LEN	512
