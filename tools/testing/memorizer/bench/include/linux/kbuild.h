/* SPDX-License-Identifier: GPL-2.0 */
/* Constants for assembly, as the kernel's header of that name makes them. */
#define DEFINE(name, value) \
	asm volatile("\n.ascii \"->" #name " %0\"" : : "i" (value))
#define OFFSET(name, structure, member)	DEFINE(name, offsetof(struct structure, member))
#define BLANK()
#define __used	__attribute__((used))
