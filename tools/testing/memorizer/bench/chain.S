/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Benchmark of Memorizer's core: loads of one address by many ips, 24 bytes apart on average,
 * as in the kernel. Chain n starts at the n-th load and makes all that follow.
 */
#define MAX_IPS	10000	/* also in bench.h */

.macro CHAIN name on
	.section .sites, "ax"
	.set	random, 1
	.rept	MAX_IPS
	.pushsection .rodata
	.quad	772f
	.popsection
772:
	.if	\on
	call	771f
	.subsection 1
771:	lea	(%rdi), %r11
	jmp	memorizer_thunk_r8
	.previous
	.endif
	movq	(%rdi), %rax
	.set	random, (random * 1103515245 + 12345) & 0x7fffffff
	.nops	(random >> 16) & 31
	.endr
	ret
.endm

	.section .rodata
	.balign	8
	.globl	chain_off
chain_off:
	CHAIN	off, 0

	.section .rodata
	.globl	chain_on
chain_on:
	CHAIN	on, 1

	.section .note.GNU-stack, "", @progbits
