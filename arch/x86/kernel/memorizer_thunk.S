/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's thunks: from a site's stub to the hook and back.
 *
 * A stub jumps to the thunk for its access, which returns to the site. If other
 * accesses were joined to the site, the stub calls a thunk for each of them
 * first. Behind such a call there is an instruction that does nothing, `test
 * $distance, %eax`: the distance from its end to what follows the access's ip. A
 * stub may call for its own access, too, and jump to memorizer_leave at last. It
 * counts accesses at known distances from each other by one call or jump.
 *
 * A thunk preserves all registers but the flags. It counts an address behind the
 * index's at once, and looks for other accesses' entries in the CPU's cache,
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

/* The group, when so many bytes were pushed. */
.macro GET_GROUP joined group scratch pushed
	.if \joined
	movq	\pushed(%rsp), \scratch
	movslq	1(\scratch), \group
	leaq	5(\scratch, \group), \group
	.else
	movq	\pushed(%rsp), \group
	.endif
.endm

.macro LEAVE_GROUP joined
	.if !\joined
	leaq	8(%rsp), %rsp
	.endif
	LEAVE	\joined
.endm

/* Its memorizer_key() in rcx, when rax and rcx were pushed. Clobbers rax. */
.macro GET_KEY joined at=24
	.if \joined
	movq	16(%rsp), %rax
	movslq	1(%rax), %rcx
	leaq	5(%rax, %rcx), %rcx
	movq	PER_CPU_VAR(pcpu_hot + X86_current_task), %rax
	xorq	TASK_memorizer_key(%rax), %rcx
	.else
	movq	PER_CPU_VAR(pcpu_hot + X86_current_task), %rax
	movq	TASK_memorizer_key(%rax), %rcx
	xorq	\at(%rsp), %rcx
	.endif
.endm

/* What it adds to an entry's counts: memorizer_kind_counts(), in rdx. */
.macro COUNTS kind
	.if \kind == READ
	movl	$1, %edx
	.else
	movabsq	$(((\kind) & READ) | (\kind) / WRITE << 32), %rdx
	.endif
.endm

/*
 * Accesses of fixed size.
 */
.macro THUNK name kind size joined
SYM_CODE_START(memorizer_\name)
	ENTRY	\joined
	cmpq	memorizer_thunk_end(%rip), %rdi
	jae	.Lno_object\@
	push	%rax
	push	%rcx
	PREEMPT_OFF

	GET_KEY	\joined
	movq	%rdi, %rax
	shrq	$MEMORIZER_CACHE_ADDR, %rax
	xorl	%ecx, %eax
	andl	$(MEMORIZER_CACHE_SLOTS - 1), %eax
	movq	__percpu(memorizer_cache)(, %rax, 8), %rax
	cmpq	%rcx, MEMORIZER_ENTRY_KEY(%rax)
	jne	.Lmiss\@

	/* The object's bound is 0 when it is not live. */
	movq	MEMORIZER_ENTRY_OBJECT(%rax), %rcx
	subq	MEMORIZER_OBJECT_VA(%rcx), %rdi
	movl	MEMORIZER_OBJECT_BOUND(%rcx), %ecx
	.if \size > 1
	addq	$(\size - 1), %rdi
	jc	.Loutside\@
	.endif
	cmpq	%rcx, %rdi
	jae	.Loutside\@

	.if (\kind) & READ
	incl	MEMORIZER_ENTRY_READS(%rax)
	js	.Lcarry_reads\@
.Lread\@:
	.endif
	.if (\kind) & WRITE
	incl	MEMORIZER_ENTRY_WRITES(%rax)
	js	.Lcarry_writes\@
.Lwritten\@:
	.endif
	PREEMPT_ON
	pop	%rcx
	pop	%rax
	LEAVE	\joined

.Lno_object\@:
	addq	$(((\kind) & READ) + (\kind) / WRITE), \
		PER_CPU_VAR(memorizer_counters + MEMORIZER_UNATTRIBUTED)
	LEAVE	\joined

	.if (\kind) & READ
.Lcarry_reads\@:
	call	memorizer_carry
	jmp	.Lread\@
	.endif
	.if (\kind) & WRITE
.Lcarry_writes\@:
	call	memorizer_carry
	jmp	.Lwritten\@
	.endif

.Loutside\@:
	movq	MEMORIZER_ENTRY_OBJECT(%rax), %rcx
	addq	MEMORIZER_OBJECT_VA(%rcx), %rdi
	subq	$(\size - 1), %rdi
	movq	MEMORIZER_ENTRY_KEY(%rax), %rcx
.Lmiss\@:
	push	%rdx
	push	%rsi
	leaq	(\size - 1)(%rdi), %rsi
	COUNTS	\kind
	.if \joined
	jmp	memorizer_miss_joined
	.else
	jmp	memorizer_miss
	.endif
SYM_CODE_END(memorizer_\name)
.endm

/*
 * Accesses that are counted at once: see struct memorizer_group. rdi: the first byte. The
 * group is in the place of an access's ip; or on the stack, before all else, for a stub that
 * ends with it.
 */
.macro GROUP name joined
SYM_CODE_START(memorizer_\name)
	ENTRY	\joined 8-8*\joined
	cmpq	memorizer_thunk_end(%rip), %rdi
	jae	.Lno_object\@
	push	%rax
	push	%rcx
	PREEMPT_OFF

	.if \joined
	GET_KEY	1
	.else
	GET_KEY	0 16
	.endif
	movq	%rdi, %rax
	shrq	$MEMORIZER_CACHE_ADDR, %rax
	xorl	%ecx, %eax
	andl	$(MEMORIZER_CACHE_SLOTS - 1), %eax
	movq	__percpu(memorizer_cache)(, %rax, 8), %rax
	cmpq	%rcx, MEMORIZER_ENTRY_KEY(%rax)
	jne	.Lmiss\@

	/* All of them within the object? Its bound is 0 when it is not live. */
	movq	MEMORIZER_ENTRY_OBJECT(%rax), %rcx
	subq	MEMORIZER_OBJECT_VA(%rcx), %rdi
	movl	MEMORIZER_OBJECT_BOUND(%rcx), %ecx
	subl	MEMORIZER_ENTRY_EXTENT(%rax), %ecx
	jb	.Loutside\@
	cmpq	%rcx, %rdi
	ja	.Loutside\@

	incl	MEMORIZER_ENTRY_TIMES(%rax)
	js	.Lcarry\@
.Lcounted\@:
	PREEMPT_ON
	pop	%rcx
	pop	%rax
	LEAVE_GROUP \joined

.Lcarry\@:
	call	memorizer_carry
	jmp	.Lcounted\@

.Lno_object\@:
	push	%rax
	GET_GROUP \joined %rax %rdi 8
	movzbl	MEMORIZER_GROUP_ACCESSES(%rax), %eax
	addq	%rax, PER_CPU_VAR(memorizer_counters + MEMORIZER_UNATTRIBUTED)
	pop	%rax
	LEAVE_GROUP \joined

.Loutside\@:
	movq	MEMORIZER_ENTRY_OBJECT(%rax), %rcx
	addq	MEMORIZER_OBJECT_VA(%rcx), %rdi
	movq	MEMORIZER_ENTRY_KEY(%rax), %rcx
.Lmiss\@:
	push	%rdx
	SAVE_ARGS
	GET_GROUP \joined %rsi %rdx 64
	movq	%rcx, %rdx
	call	memorizer_access_group
	RESTORE_ARGS
	pop	%rdx
	PREEMPT_ON
	pop	%rcx
	pop	%rax
	LEAVE_GROUP \joined
SYM_CODE_END(memorizer_\name)
.endm

/*
 * Not in the cache. rdi, rsi, rdx, rcx: what memorizer_access_miss() is given; but for rdi,
 * and rax before them, they were pushed.
 */
.macro MISS name joined
SYM_CODE_START_LOCAL(\name)
	ENTRY	\joined 32
	push	%r8
	movq	%rdi, %rax
	shrq	$MEMORIZER_FOUND_ADDR, %rax
	andl	$(MEMORIZER_FOUND_SLOTS - 1), %eax
	movq	__percpu(memorizer_found)(, %rax, 8), %r8
	cmpq	$memorizer_nobody, %r8
	je	.Lnobody\@
.Lcall\@:
	push	%r9
	push	%r10
	push	%r11
	call	memorizer_access_miss
	pop	%r11
	pop	%r10
	pop	%r9
.Lleave\@:
	pop	%r8
	pop	%rsi
	pop	%rdx
	PREEMPT_ON
	pop	%rcx
	pop	%rax
	LEAVE	\joined

	/* Does the index still know no page there, nor any that the access ends in? */
.Lnobody\@:
	testq	%rcx, %rcx
	jns	.Lcall\@
	movq	%rdi, %rax
	xorq	%rsi, %rax
	shrq	$PAGE_SHIFT, %rax
	jnz	.Lcall\@
	movq	%rdi, %rax
	subq	memorizer_index_base(%rip), %rax
	cmpq	memorizer_index_bytes(%rip), %rax
	jae	.Lcall\@
	movq	%rax, %r8
	shrq	$MEMORIZER_LEAF_SHIFT, %r8
	shlq	$2, %r8
	addq	memorizer_index_root(%rip), %r8
	movl	(%r8), %r8d
	testl	%r8d, %r8d
	jz	.Lcount\@
	shlq	$MEMORIZER_ID_SHIFT, %r8
	addq	memorizer_pool_origin(%rip), %r8
	shrq	$PAGE_SHIFT, %rax
	andl	$(MEMORIZER_LEAF_WORDS - 1), %eax
	cmpl	$0, (%r8, %rax, 4)
	movq	$memorizer_nobody, %r8
	jne	.Lcall\@
.Lcount\@:
	movl	%edx, %eax
	shrq	$32, %rdx
	addq	%rdx, %rax
	addq	%rax, PER_CPU_VAR(memorizer_counters + MEMORIZER_UNATTRIBUTED)
	jmp	.Lleave\@
SYM_CODE_END(\name)
.endm

/* Ends a stub that has called for all of its accesses. */
.macro LEAVE_THUNK name
SYM_CODE_START(memorizer_\name)
	ENTRY	0
	LEAVE	0
SYM_CODE_END(memorizer_\name)
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

/* A count of the entry in rax has reached 2^31. Clobbers rcx. */
SYM_FUNC_START_LOCAL(memorizer_carry)
	push	%rax
	push	%rdx
	push	%rdi
	SAVE_ARGS
	movq	%rax, %rdi
	call	memorizer_access_carry
	RESTORE_ARGS
	pop	%rdi
	pop	%rdx
	pop	%rax
	RET
SYM_FUNC_END(memorizer_carry)

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

	GROUP	group, 0
	GROUP	joined_group, 1

	LEAVE_THUNK leave

	RANGE_THUNK rn, READ
	RANGE_THUNK wn, WRITE
	RANGE_THUNK un, UPDATE

	STRING_THUNK string
