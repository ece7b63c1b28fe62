/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Thunks, to which stubs jump: pass each access to log_access(), or string functions
 * to memorizer_access_string(), and return to the site. They overwrite the registers
 * that they may clobber, and preserve all others. For their arguments see
 * scripts/gcc-plugins/memorizer_site.h.
 */

	.text

.macro save
	push	%rbp
	mov	%rsp, %rbp
	push	%rax
	push	%rcx
	push	%rdx
	push	%rsi
	push	%rdi
	push	%r8
	push	%rbx
	push	%r12
	push	%r13
	and	$-16, %rsp
.endm

.macro restore
	lea	-72(%rbp), %rsp
	pop	%r13
	pop	%r12
	pop	%rbx
	pop	%r8
	pop	%rdi
	pop	%rsi
	pop	%rdx
	pop	%rcx
	pop	%rax
	pop	%rbp
	mov	$0x9999, %r9
	mov	$0x1010, %r10
	mov	$0x1111, %r11
.endm

/* Accesses of fixed size. r11: address; r10, or the return address: ip */
.macro fixed kind, code
.irp size, 1, 2, 4, 8, 16
	.globl	memorizer_thunk_\kind\size, memorizer_joined_\kind\size
memorizer_thunk_\kind\size:
	mov	(%rsp), %r10
memorizer_joined_\kind\size:
	save
	mov	%r11, %rdi
	mov	$\size, %esi
	mov	$\code, %ecx
	mov	%r10, %r8
	call	log_access
	restore
	ret

	/* Per-CPU data. r11: offset; stack: r11, ip */
	.globl	memorizer_percpu_\kind\size
memorizer_percpu_\kind\size:
	push	%r9
	push	%r10
	mov	24(%rsp), %r10
	add	%gs:this_cpu_off(%rip), %r11
	call	memorizer_joined_\kind\size
	pop	%r10
	pop	%r9
	pop	%r11
	ret
.endr
.endm

	fixed	r, 'r'
	fixed	w, 'w'
	fixed	u, 'u'

/* Groups. r11: address of the first byte; r10: struct memorizer_group */
	.globl	memorizer_group
memorizer_group:
	save
	mov	%r10, %rbx
	mov	%r11, %r12
	movzbl	2(%rbx), %r13d
	add	$4, %rbx
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
	restore
	ret

	/* Maps enum memorizer_kind to the kinds of log_access() */
kinds:
	.ascii	"-rwu"

/* End of a stub that has pushed r9, up to r10 or r11 */
	.globl	memorizer_leave_r9, memorizer_leave_r10, memorizer_leave_r11
memorizer_leave_r11:
	pop	%r11
memorizer_leave_r10:
	pop	%r10
memorizer_leave_r9:
	pop	%r9
	ret

/* Other accesses. Stack: kind, rdx, rsi, rdi, return address. */
.macro other name, hook=log_access
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
	mov	40(%rbp), %r8		/* return address */
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
	pop	%rdi
	ret
.endm

	other	other

.macro of_any_size kind, code
	.globl	memorizer_thunk_\kind\()n
memorizer_thunk_\kind\()n:
	push	$\code
	jmp	other
.endm

	of_any_size r, 'r'
	of_any_size w, 'w'
	of_any_size u, 'u'

/* The stub has pushed the kind: the string function. */
	.globl	memorizer_thunk_string
	other	memorizer_thunk_string, memorizer_access_string

	.section .note.GNU-stack, "", @progbits
