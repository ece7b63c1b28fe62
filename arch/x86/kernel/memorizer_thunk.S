/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's thunks: from a site's stub to the hook and back.
 *
 * A stub jumps to the thunk for its access, which returns to the site. If other
 * accesses were joined to the site, the stub calls a thunk for each of them
 * first. Behind such a call there is an instruction that does nothing, `test
 * $distance, %eax`: the distance from its end to what follows the access's ip.
 *
 * A thunk preserves all registers but the flags. It counts an address outside of
 * the index at once, and looks for other accesses' entries in the CPU's cache,
 * where most find theirs; mm/memorizer/access.c says of the cache what this
 * relies on. Otherwise it calls the hook.
 *
 * Preemption is off from the look into the cache to the increment, so that the
 * entry is the CPU's own, and in use, for as long as it is looked at. NMIs and
 * interrupts may come at any point: an increment is one instruction.
 *
 * Nothing here may be probed, nor what the hook calls: the handlers of
 * breakpoints and of probes have sites, too.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>

#include <asm/asm.h>
#include <asm/asm-offsets.h>
#include <asm/nospec-branch.h>
#include <asm/page_types.h>
#include <asm/percpu.h>
#include <asm/processor-flags.h>
#include <asm/unwind_hints.h>

#include "memorizer-offsets.h"

#define READ	1
#define WRITE	2
#define UPDATE	(READ | WRITE)

#ifdef CONFIG_PREEMPTION
.macro PREEMPT_OFF
	incl	PER_CPU_VAR(pcpu_hot + X86_preempt_count)
.endm

/* The count is 0 when preemption is both possible and wanted. */
.macro PREEMPT_ON
	decl	PER_CPU_VAR(pcpu_hot + X86_preempt_count)
	jnz	.Lstay\@
	call	memorizer_preempt
.Lstay\@:
.endm

/*
 * Not while user memory may be accessed: AC belongs to the task, and a switch
 * does not save it. Whoever comes next and may switch finds that it is due.
 */
	.section .kprobes.text, "ax"

SYM_FUNC_START_LOCAL(memorizer_preempt)
	pushfq
	testl	$X86_EFLAGS_AC, (%rsp)
	leaq	8(%rsp), %rsp
	jnz	.Lreturn
#ifdef CONFIG_PREEMPT_DYNAMIC
	/* Nothing, if it was booted with preempt=none. */
	jmp	__SCT__preempt_schedule_notrace
#else
	jmp	preempt_schedule_notrace_thunk
#endif
.Lreturn:
	RET
SYM_FUNC_END(memorizer_preempt)

#ifdef CONFIG_PREEMPT_DYNAMIC
	/* objtool looks for the static call's key here. */
	.pushsection .discard.addressable, "aw"
	.quad	__SCK__preempt_schedule_notrace
	.popsection
#endif
#else
.macro PREEMPT_OFF
.endm
.macro PREEMPT_ON
.endm
#endif

.macro SAVE_ARGS
	push	%rsi
	push	%r8
	push	%r9
	push	%r10
	push	%r11
.endm

.macro RESTORE_ARGS
	pop	%r11
	pop	%r10
	pop	%r9
	pop	%r8
	pop	%rsi
.endm

/*
 * A thunk's stack: the site's rdi, return address into the site; below that, for
 * a joined access, the return address into the stub. The stub needs rdi again.
 */
.macro ENTRY joined pushed=0
	UNWIND_HINT sp_reg=ORC_REG_SP sp_offset=16-8*\joined+\pushed type=UNWIND_HINT_TYPE_CALL
	ANNOTATE_NOENDBR
.endm

.macro LEAVE joined
	.if \joined
	movq	8(%rsp), %rdi
	.else
	pop	%rdi
	.endif
	RET
.endm

/* The access's ip, when so many bytes were pushed. */
.macro GET_IP joined ip scratch pushed
	.if \joined
	movq	\pushed(%rsp), \scratch
	movslq	1(\scratch), \ip
	leaq	5(\scratch, \ip), \ip
	.else
	movq	8 + \pushed(%rsp), \ip
	.endif
.endm

/*
 * Accesses of fixed size.
 */
.macro THUNK name kind size joined
SYM_CODE_START(memorizer_\name)
	ENTRY	\joined
	push	%rax
	movq	%rdi, %rax
	subq	memorizer_index_base(%rip), %rax
	cmpq	memorizer_thunk_bytes(%rip), %rax
	jae	.Lno_object\@
	push	%rcx
	PREEMPT_OFF

	GET_IP	\joined %rax %rcx 16
	movq	%rdi, %rcx
	shrq	$MEMORIZER_CACHE_ADDR, %rcx
	xorl	%eax, %ecx
	andl	$(MEMORIZER_CACHE_SLOTS - 1), %ecx
	movq	__percpu(memorizer_cache)(, %rcx, 8), %rcx

	cmpl	%eax, MEMORIZER_ENTRY_IP(%rcx)
	jne	.Lmiss\@
	movq	PER_CPU_VAR(pcpu_hot + X86_current_task), %rax
	cmpl	$0, TASK_memorizer_paused(%rax)
	jne	.Lmiss\@
	movl	TASK_pid(%rax), %eax
	cmpl	%eax, MEMORIZER_ENTRY_PID(%rcx)
	jne	.Lmiss\@

	/* The object's bound is 0 when it is not live. */
	movq	MEMORIZER_ENTRY_OBJECT(%rcx), %rax
	movl	MEMORIZER_OBJECT_BOUND(%rax), %eax
	subq	MEMORIZER_ENTRY_START(%rcx), %rdi
	.if \size > 1
	addq	$(\size - 1), %rdi
	jc	.Loutside\@
	.endif
	cmpq	%rax, %rdi
	jae	.Loutside\@

	.if (\kind) & READ
	incq	MEMORIZER_ENTRY_READS(%rcx)
	.endif
	.if (\kind) & WRITE
	incq	MEMORIZER_ENTRY_WRITES(%rcx)
	.endif
	PREEMPT_ON
	pop	%rcx
	pop	%rax
	LEAVE	\joined

.Lno_object\@:
	addq	$(((\kind) & READ) + ((\kind) & WRITE) / WRITE), \
		PER_CPU_VAR(memorizer_counters + MEMORIZER_UNATTRIBUTED)
	pop	%rax
	LEAVE	\joined

.Loutside\@:
	addq	MEMORIZER_ENTRY_START(%rcx), %rdi
	subq	$(\size - 1), %rdi
.Lmiss\@:
	movl	$((\kind) << 8 | \size), %eax
	.if \joined
	jmp	memorizer_miss_joined
	.else
	jmp	memorizer_miss
	.endif
SYM_CODE_END(memorizer_\name)
.endm

/* Wherever it is. eax: kind << 8 | size; rcx and rax were pushed. */
.macro ANY name joined
SYM_CODE_START_LOCAL(\name)
	ENTRY	\joined 16
	push	%rdx
	SAVE_ARGS
	movzbl	%al, %esi
	movzbl	%ah, %edx
	GET_IP	\joined %rcx %r9 64
	call	memorizer_access
	RESTORE_ARGS
	pop	%rdx
	PREEMPT_ON
	pop	%rcx
	pop	%rax
	LEAVE	\joined
SYM_CODE_END(\name)
.endm

/* Not in the cache. eax: kind << 8 | size; rcx and rax were pushed. */
.macro MISS name joined
SYM_CODE_START_LOCAL(\name)
	ENTRY	\joined 16
	push	%rdx

	/* In two pages? Or, while accesses are observed, anywhere? */
	leaq	15(%rdi), %rcx
	xorq	%rdi, %rcx
	cmpq	memorizer_miss_bytes(%rip), %rcx
	jae	.Lany\@

	movq	%rdi, %rcx
	subq	memorizer_index_base(%rip), %rcx
	movq	%rcx, %rdx
	shrq	$MEMORIZER_LEAF_SHIFT, %rdx
	shlq	$2, %rdx
	addq	memorizer_index_root(%rip), %rdx
	movl	(%rdx), %edx
	testl	%edx, %edx
	jz	.Lnobody\@
	shlq	$MEMORIZER_ID_SHIFT, %rdx
	addq	memorizer_pool_origin(%rip), %rdx
	shrq	$PAGE_SHIFT, %rcx
	andl	$(MEMORIZER_LEAF_WORDS - 1), %ecx
	movl	(%rdx, %rcx, 4), %edx
	/* A page that never held an object? */
	testl	%edx, %edx
	jz	.Lnobody\@

	SAVE_ARGS
	movl	%eax, %esi
	GET_IP	\joined %rcx %r9 64
	call	memorizer_access_in_page
	RESTORE_ARGS
	pop	%rdx
	PREEMPT_ON
	pop	%rcx
	pop	%rax
	LEAVE	\joined

.Lany\@:
	pop	%rdx
	.if \joined
	jmp	memorizer_any_joined
	.else
	jmp	memorizer_any
	.endif

.Lnobody\@:
	pop	%rdx
	incq	PER_CPU_VAR(memorizer_counters + MEMORIZER_UNATTRIBUTED)
	cmpl	$(UPDATE << 8), %eax
	jb	.Lonce\@
	incq	PER_CPU_VAR(memorizer_counters + MEMORIZER_UNATTRIBUTED)
.Lonce\@:
	PREEMPT_ON
	pop	%rcx
	pop	%rax
	LEAVE	\joined
SYM_CODE_END(\name)
.endm

/* Accesses of a size in rsi. Stack: rdx, rsi, rdi, return address. */
.macro RANGE_THUNK name kind
SYM_CODE_START(memorizer_thunk_\name)
	UNWIND_HINT sp_reg=ORC_REG_SP sp_offset=32 type=UNWIND_HINT_TYPE_CALL
	ANNOTATE_NOENDBR
	push	%rax
	push	%rcx
	PREEMPT_OFF
	movq	40(%rsp), %rcx
	SAVE_ARGS
	movl	$\kind, %edx
	call	memorizer_access
	RESTORE_ARGS
	PREEMPT_ON
	pop	%rcx
	pop	%rax
	pop	%rdx
	pop	%rsi
	pop	%rdi
	RET
SYM_CODE_END(memorizer_thunk_\name)
.endm

/*
 * What a string function does to its operands in rdi, rsi and rdx. Stack: which
 * function, rdx, rsi, rdi, return address.
 */
.macro STRING_THUNK name
SYM_CODE_START(memorizer_thunk_\name)
	UNWIND_HINT sp_reg=ORC_REG_SP sp_offset=40 type=UNWIND_HINT_TYPE_CALL
	ANNOTATE_NOENDBR
	push	%rax
	push	%rcx
	PREEMPT_OFF
	movl	16(%rsp), %ecx
	movq	48(%rsp), %rax
	SAVE_ARGS
	movq	%rax, %r8
	call	memorizer_access_string
	RESTORE_ARGS
	PREEMPT_ON
	pop	%rcx
	pop	%rax
	leaq	8(%rsp), %rsp
	pop	%rdx
	pop	%rsi
	pop	%rdi
	RET
SYM_CODE_END(memorizer_thunk_\name)
.endm

/* Both ways to come by an access of a kind and size. */
.macro THUNKS name kind size
	THUNK	thunk_\name, \kind, \size, 0
	THUNK	joined_\name, \kind, \size, 1
.endm

	.section .kprobes.text, "ax"

	ANY	memorizer_any, 0
	ANY	memorizer_any_joined, 1

	MISS	memorizer_miss, 0
	MISS	memorizer_miss_joined, 1

	THUNKS	r1,  READ, 1
	THUNKS	r2,  READ, 2
	THUNKS	r4,  READ, 4
	THUNKS	r8,  READ, 8
	THUNKS	r16, READ, 16
	THUNKS	w1,  WRITE, 1
	THUNKS	w2,  WRITE, 2
	THUNKS	w4,  WRITE, 4
	THUNKS	w8,  WRITE, 8
	THUNKS	w16, WRITE, 16
	THUNKS	u1,  UPDATE, 1
	THUNKS	u2,  UPDATE, 2
	THUNKS	u4,  UPDATE, 4
	THUNKS	u8,  UPDATE, 8
	THUNKS	u16, UPDATE, 16

	RANGE_THUNK rn, READ
	RANGE_THUNK wn, WRITE
	RANGE_THUNK un, UPDATE

	STRING_THUNK string
