/* SPDX-License-Identifier: GPL-2.0 */
/* For lib/glob.c, which can be a module. */
#define MODULE_DESCRIPTION(text)
#define MODULE_LICENSE(text)
#define EXPORT_SYMBOL(name)
