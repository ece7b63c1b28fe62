/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's access sites on x86-64.
 *
 * asm/memorizer-sites.h describes the format of a site and how it is switched.
 *
 * Each site has a stub, placed after the code of its section. The stub saves the registers that it
 * needs, loads the operands and jumps to the thunk for the kind of access (memorizer_thunk.S),
 * which returns to the site.
 *
 * The GCC plugin (scripts/gcc-plugins/memorizer_plugin.c) emits most sites. The macros here are for
 * accesses that it cannot see: user copies and words of path names.
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

/* In the table: MEMORIZER_FORM_USER of asm/memorizer-sites.h */
#define MEMORIZER_SITE_IS_USER	" + (4 << 28)"

#define MEMORIZER_SITE(flag, stub)					\
	"771:	testl $772f - 771b - 5, %%eax\n"			\
	"	.pushsection memorizer_sites, \"a\"\n"			\
	"	.balign 4\n"						\
	"	.long 771b - .\n"					\
	"	.long 772f - 771b - 5" flag "\n"			\
	"	.popsection\n"						\
	"	.subsection 1\n"					\
	"772:\n"							\
	MEMORIZER_STUB_HINT						\
	stub								\
	"	.previous\n"

/*
 * A site for an access of @size bytes at @ptr. The stub itself does not use @size; the plugin reads
 * it. It saves three registers, because unlike the plugin it does not know which are free.
 */
#define MEMORIZER_SITE_FIXED(kind, ptr, size)				\
	asm_inline volatile(MEMORIZER_SITE("",				\
		"	push %%r9\n"					\
		"	push %%r10\n"					\
		"	push %%r11\n"					\
		"	mov %0, %%r11\n"				\
		"	lea 771b + 5(%%rip), %%r10\n"			\
		"	call memorizer_joined_" kind "\n"		\
		"	jmp memorizer_leave_r11\n")				\
		: : "r" (ptr), "i" (size))

#define MEMORIZER_SITE_OF_SIZE(flag, thunk, ptr, size)			\
	asm_inline volatile(MEMORIZER_SITE(flag,			\
		"	push %%rdi\n"					\
		"	push %%rsi\n"					\
		"	push %%rdx\n"					\
		"	push %1\n"					\
		"	push %0\n"					\
		"	pop %%rdi\n"					\
		"	pop %%rsi\n"					\
		"	jmp " thunk "\n")				\
		: : "r" (ptr), "re" ((unsigned long)(size)))

/* A site for an access of variable @size at @ptr. */
#define MEMORIZER_SITE_RANGE(thunk, ptr, size)				\
	MEMORIZER_SITE_OF_SIZE("", thunk, ptr, size)

/* A site for an access of @size bytes of user memory at @ptr. */
#define MEMORIZER_SITE_USER(thunk, ptr, size)				\
	MEMORIZER_SITE_OF_SIZE(MEMORIZER_SITE_IS_USER, thunk, ptr, size)

/*
 * virt_to_page() for the direct map only, where all pages and slab objects lie. Saves the test for
 * the kernel's image.
 */
#define memorizer_page(ptr)						\
	pfn_to_page(((unsigned long)(ptr) - PAGE_OFFSET) >> PAGE_SHIFT)

/* What objects that are struct pages have in place of a caller: the array's address is here. */
#ifdef CONFIG_DYNAMIC_MEMORY_LAYOUT
#define memorizer_struct_page_ip	((unsigned long)&vmemmap_base)
#else
#define memorizer_struct_page_ip	((unsigned long)&mem_section)
#endif

/**
 * memorizer_load_byte() - load a byte that may be unmapped
 * @ptr: address of the byte
 * @byte: set to the byte
 *
 * Context: any, NMI included.
 * Return: false if the address is not a kernel address, or is unmapped
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
