/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The thunks that the sites' stubs jump to: pass each access to log_access(),
 * or what a string function does to memorizer_access_string(), and return to the site with every register as it was. For what a thunk
 * finds in registers and on the stack see memorizer_plugin.c.
 */

	.text

/*
 * Stack: kind, rdx, rsi, rdi, return address; for a joined access, between rsi
 * and rdi, the return address into the stub, which still needs rdi, and where
 * an instruction leads to the ip.
 */
.macro common name, joined, hook=log_access
\name:
	push	%rbp
	mov	%rsp, %rbp
	push	%rax
	push	%rcx
	push	%r8
	push	%r9
	push	%r10
	push	%r11
	mov	8(%rbp), %rcx		/* kind */
	.if \joined
	mov	32(%rbp), %rax
	movslq	1(%rax), %r8
	lea	5(%rax, %r8), %r8
	.else
	mov	40(%rbp), %r8		/* return address */
	.endif
	and	$-16, %rsp
	call	\hook
	lea	-48(%rbp), %rsp
	pop	%r11
	pop	%r10
	pop	%r9
	pop	%r8
	pop	%rcx
	pop	%rax
	pop	%rbp
	add	$8, %rsp
	pop	%rdx
	pop	%rsi
	.if \joined
	mov	8(%rsp), %rdi
	.else
	pop	%rdi
	.endif
	ret
.endm

	common	common, 0
	common	common_joined, 1

	.globl	memorizer_leave
memorizer_leave:
	pop	%rdi
	ret

/*
 * Several accesses at once, see struct memorizer_group. Stack: the group, rdi, return address;
 * or the return address into the stub, where an instruction leads to it, in its place.
 */
.macro group name, joined
	.globl	\name
\name:
	push	%rbp
	mov	%rsp, %rbp
	push	%rax
	push	%rcx
	push	%rdx
	push	%rsi
	push	%r8
	push	%r9
	push	%r10
	push	%r11
	push	%rbx
	push	%r12
	push	%r13
	mov	8(%rbp), %rbx
	.if \joined
	movslq	1(%rbx), %rax
	lea	5(%rbx, %rax), %rbx
	.endif
	mov	%rdi, %r12
	movzbl	2(%rbx), %r13d
	add	$4, %rbx
	and	$-16, %rsp
1:	movzwl	4(%rbx), %edi
	add	%r12, %rdi
	movzbl	6(%rbx), %esi
	movzbl	7(%rbx), %ecx
	movzbl	kinds(%rcx), %ecx
	movslq	(%rbx), %r8
	add	%rbx, %r8
	call	log_access
	add	$8, %rbx
	dec	%r13d
	jnz	1b
	lea	-88(%rbp), %rsp
	pop	%r13
	pop	%r12
	pop	%rbx
	pop	%r11
	pop	%r10
	pop	%r9
	pop	%r8
	pop	%rsi
	pop	%rdx
	pop	%rcx
	pop	%rax
	pop	%rbp
	.if \joined
	mov	8(%rsp), %rdi
	.else
	add	$8, %rsp
	pop	%rdi
	.endif
	ret
.endm

	group	memorizer_group, 0
	group	memorizer_joined_group, 1

	/* How log_access() knows an enum memorizer_kind */
kinds:
	.ascii	"-rwu"

/* The stub has pushed the kind, here which string function it is. */
	.globl	memorizer_thunk_string
	common	memorizer_thunk_string, 0, memorizer_access_string

/* The thunks of a kind, which log_access() knows by its code, a letter */
.macro thunks kind, code
.irp size, 1, 2, 4, 8, 16
	.globl	memorizer_thunk_\kind\size
memorizer_thunk_\kind\size:
	push	%rsi
	push	%rdx
	mov	$\size, %esi
	push	$\code
	jmp	common

	.globl	memorizer_joined_\kind\size
memorizer_joined_\kind\size:
	push	%rsi
	push	%rdx
	mov	$\size, %esi
	push	$\code
	jmp	common_joined
.endr

	.globl	memorizer_thunk_\kind\()n
memorizer_thunk_\kind\()n:
	push	$\code
	jmp	common
.endm

	thunks	r, 'r'
	thunks	w, 'w'
	thunks	u, 'u'

	.section .note.GNU-stack, "", @progbits
