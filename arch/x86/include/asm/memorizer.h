/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's access sites on x86-64.
 *
 * asm/memorizer-sites.h says what a site is, and how it is switched.
 *
 * The stub lies behind the code of its section. It saves the registers that it
 * needs, loads the operands, and jumps to the thunk for the kind of access
 * (memorizer_thunk.S), which returns to the site.
 *
 * The plugin (scripts/gcc-plugins/memorizer_plugin.c) emits most sites. Those
 * for accesses that it cannot see, user copies and words of names, come from here.
 */
#ifndef _ASM_X86_MEMORIZER_H
#define _ASM_X86_MEMORIZER_H

#ifndef __ASSEMBLY__

#include <linux/stringify.h>
#include <linux/types.h>

#include <asm/asm.h>
#include <asm/unwind_hints.h>

#ifdef CONFIG_OBJTOOL
#define MEMORIZER_STUB_HINT	UNWIND_HINT_FUNC
#else
#define MEMORIZER_STUB_HINT	""
#endif

#define MEMORIZER_SITE(stub)						\
	"771:	testl $772f - 771b - 5, %%eax\n"			\
	"	.pushsection memorizer_sites, \"a\"\n"			\
	"	.balign 4\n"						\
	"	.long 771b - .\n"					\
	"	.long 772f - 771b - 5\n"				\
	"	.popsection\n"						\
	"	.subsection 1\n"					\
	"772:\n"							\
	MEMORIZER_STUB_HINT						\
	stub								\
	"	.previous\n"

/*
 * An access of that kind and @size bytes at @ptr. It is the plugin that reads @size, and knows
 * which registers are free; here it may be none.
 */
#define MEMORIZER_SITE_FIXED(kind, ptr, size)				\
	asm_inline volatile(MEMORIZER_SITE(				\
		"	push %%r9\n"					\
		"	push %%r10\n"					\
		"	push %%r11\n"					\
		"	mov %0, %%r11\n"				\
		"	lea 771b + 5(%%rip), %%r10\n"			\
		"	call memorizer_joined_" kind "\n"		\
		"	jmp memorizer_leave_r11\n")				\
		: : "r" (ptr), "i" (size))

/* An access to @size bytes at @ptr. */
#define MEMORIZER_SITE_RANGE(thunk, ptr, size)				\
	asm_inline volatile(MEMORIZER_SITE(				\
		"	push %%rdi\n"					\
		"	push %%rsi\n"					\
		"	push %%rdx\n"					\
		"	push %1\n"					\
		"	push %0\n"					\
		"	pop %%rdi\n"					\
		"	pop %%rsi\n"					\
		"	jmp " thunk "\n")				\
		: : "r" (ptr), "re" ((unsigned long)(size)))

/*
 * The page of memory in the direct map, where all is that the page and slab allocators hand
 * out. virt_to_page() asks whether it is the kernel's image.
 */
#define memorizer_page(ptr)						\
	pfn_to_page(((unsigned long)(ptr) - PAGE_OFFSET) >> PAGE_SHIFT)

/**
 * memorizer_load_byte() - load a byte that may not be there
 * @ptr: its address
 * @byte: where it goes
 *
 * Context: any, NMI included.
 * Return: false if it is no memory of the kernel's, or cannot be read
 */
static __always_inline bool memorizer_load_byte(const char *ptr, u8 *byte)
{
	int err = 0, value;

	if ((long)ptr >= 0)
		return false;
	asm volatile("1:	movzbl %2, %1\n"
		     "2:\n"
		     _ASM_EXTABLE_TYPE_REG(1b, 2b, EX_TYPE_EFAULT_REG, %0)
		     : "+r" (err), "=r" (value) : "m" (*ptr));
	*byte = value;
	return !err;
}

#endif /* __ASSEMBLY__ */
#endif /* _ASM_X86_MEMORIZER_H */
