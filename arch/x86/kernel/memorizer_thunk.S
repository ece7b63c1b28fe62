/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's thunks: count accesses, or call the hook.
 *
 * A stub jumps to the thunk for its access, which returns to the site. If other accesses are
 * joined to the site, the stub first calls a thunk for each of them, or for a group of them at
 * once.
 *
 * The address is in r11. A thunk clobbers r9, r10, r11 and the flags. A stub saves those of the
 * three registers that are live, calls the thunks, and jumps to memorizer_leave_*.
 *
 * A thunk counts an address outside of the index as unattributed. For others it looks up the
 * entry in the per-CPU cache, which mm/memorizer/access.c describes. If that fails, it calls
 * the hook.
 *
 * Invariants:
 *
 * - Preemption is disabled from the lookup to the increment, so that the entry is this CPU's
 *   and in use. An increment is one instruction, so interrupts and NMIs may come anywhere.
 *
 * - Thunks and the hook cannot be probed, because handlers of breakpoints and probes have sites.
 *
 * - preempt_schedule_notrace() has no sites, because thunks call it: its sites would recurse.
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

/* The count becomes 0 when preemption is enabled and a reschedule is pending. */
.macro PREEMPT_ON
	decl	PER_CPU_VAR(pcpu_hot + X86_preempt_count)
	jnz	.Lstay\@
	call	memorizer_preempt
.Lstay\@:
.endm

/*
 * Do not schedule with AC set, within a user access: a context switch does not save AC. The next
 * preemption point reschedules instead.
 */
	.section .kprobes.text, "ax"

SYM_FUNC_START_LOCAL(memorizer_preempt)
	pushfq
	testl	$X86_EFLAGS_AC, (%rsp)
	leaq	8(%rsp), %rsp
	jnz	.Lreturn
#ifdef CONFIG_PREEMPT_DYNAMIC
	/* A no-op with preempt=none. */
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

/* Entry point with @pushed bytes on the stack above the return address. */
.macro ENTRY pushed=0
	UNWIND_HINT sp_reg=ORC_REG_SP sp_offset=8+\pushed type=UNWIND_HINT_TYPE_CALL
	ANNOTATE_NOENDBR
.endm

/* Look up the memorizer_key() in r9 at address r11: entry in r10. ZF is clear on a miss. */
.macro FIND
	movq	%r11, %r10
	shrq	$MEMORIZER_CACHE_ADDR, %r10
	xorl	%r9d, %r10d
	andl	$(MEMORIZER_CACHE_SLOTS - 1), %r10d
	movq	__percpu(memorizer_cache)(, %r10, 8), %r10
	cmpq	%r9, MEMORIZER_ENTRY_KEY(%r10)
.endm

/* Load the distance from the entry in r10 to its object to r9. */
.macro OBJECT
	movslq	MEMORIZER_ENTRY_OBJECT(%r10), %r9
.endm
#define OBJECT_AT	%r10, %r9, (1 << MEMORIZER_ID_SHIFT)

/*
 * Restore the address in r11, which is relative to the object of the entry in r10. The object
 * may have been hidden in between, which only flips bit 63, see memorizer_hide(): sign-extend
 * both from bit 62. This changes non-canonical addresses, whose access faults anyway. Clobbers
 * r9.
 */
.macro ADDRESS
	OBJECT
	movq	MEMORIZER_OBJECT_AT(OBJECT_AT), %r9
	shlq	%r9
	sarq	%r9
	shlq	%r11
	sarq	%r11
	addq	%r9, %r11
.endm

/* Load the result of the last lookup at the address in r11 to r10. */
.macro FOUND
	movq	%r11, %r10
	shrq	$MEMORIZER_FOUND_ADDR, %r10
	andl	$(MEMORIZER_FOUND_SLOTS - 1), %r10d
	movq	__percpu(memorizer_found)(, %r10, 8), %r10
.endm

.macro PUSH_ARGS
	push	%rdx
	push	%rsi
	push	%rdi
	push	%rcx
	push	%r8
	push	%rax
.endm

.macro POP_ARGS
	pop	%rax
	pop	%r8
	pop	%rcx
	pop	%rdi
	pop	%rsi
	pop	%rdx
.endm

/* Load memorizer_kind_counts() to rdx. */
.macro COUNTS kind
	movl	$(((\kind) & READ) | (\kind) / WRITE << 16), %edx
.endm

/*
 * Jump to @yes if the index has no objects in the page at r11, else to @no or fall through.
 * Clobbers r10.
 */
.macro NOBODY yes no
	movq	%r11, %r10
	subq	memorizer_index_base(%rip), %r10
	cmpq	memorizer_index_bytes(%rip), %r10
	jae	\no
	shrq	$MEMORIZER_LEAF_SHIFT, %r10
	shlq	$2, %r10
	addq	memorizer_index_root(%rip), %r10
	movl	(%r10), %r10d
	testl	%r10d, %r10d
	jz	\yes
	shlq	$MEMORIZER_ID_SHIFT, %r10
	addq	memorizer_pool_origin(%rip), %r10
	push	%r9
	movq	%r11, %r9
	subq	memorizer_index_base(%rip), %r9
	shrq	$PAGE_SHIFT, %r9
	andl	$(MEMORIZER_LEAF_WORDS - 1), %r9d
	cmpl	$0, (%r10, %r9, 4)
	pop	%r9
	je	\yes
.endm

/* Accesses of fixed size. The ip is the return address, or in r10 if @joined. */
.macro THUNK name kind size joined
SYM_CODE_START(memorizer_\name)
	ENTRY
	cmpq	memorizer_thunk_end(%rip), %r11
	jae	.Lno_object\@
	PREEMPT_OFF

	movq	PER_CPU_VAR(memorizer_current_key), %r9
	.if \joined
	xorq	%r10, %r9
	.else
	xorq	(%rsp), %r9
	.endif
	FIND
	jne	.Lmiss\@

	/*
	 * A closed object is far from any address, so the bounds check also checks that it is
	 * live.
	 */
	OBJECT
	subq	MEMORIZER_OBJECT_AT(OBJECT_AT), %r11
	movl	MEMORIZER_OBJECT_SIZE(OBJECT_AT), %r9d
	.if \size > 1
	addq	$(\size - 1), %r11
	jc	.Loutside\@
	.endif
	cmpq	%r9, %r11
	jae	.Loutside\@

	.if (\kind) & READ
	incw	MEMORIZER_ENTRY_READS(%r10)
	js	.Lcarry_reads\@
.Lread\@:
	.endif
	.if (\kind) & WRITE
	incw	MEMORIZER_ENTRY_WRITES(%r10)
	js	.Lcarry_writes\@
.Lwritten\@:
	.endif
	PREEMPT_ON
	RET

.Lno_object\@:
	addq	$(((\kind) & READ) + (\kind) / WRITE), \
		PER_CPU_VAR(memorizer_counters + MEMORIZER_UNATTRIBUTED)
	RET

	.if (\kind) & READ
.Lcarry_reads\@:
	call	memorizer_thunk_carry
	jmp	.Lread\@
	.endif
	.if (\kind) & WRITE
.Lcarry_writes\@:
	call	memorizer_thunk_carry
	jmp	.Lwritten\@
	.endif

.Loutside\@:
	ADDRESS
	subq	$(\size - 1), %r11
	movq	MEMORIZER_ENTRY_KEY(%r10), %r9
.Lmiss\@:
	FOUND
	cmpq	$memorizer_no_object, %r10
	je	.Lempty_page\@
.Lcall\@:
	PUSH_ARGS
	leaq	(\size - 1)(%r11), %rsi
	COUNTS	\kind
	jmp	memorizer_miss

	/* Call the hook if the task is not recorded, or if the access may cross a page. */
.Lempty_page\@:
	testq	%r9, %r9
	jns	.Lcall\@
	.if \size > 1
	testl	$(\size - 1), %r11d
	jnz	.Lcall\@
	.endif
	NOBODY	.Lcount\@, .Lsomebody\@
.Lsomebody\@:
	movq	$memorizer_no_object, %r10
	jmp	.Lcall\@
.Lcount\@:
	addq	$(((\kind) & READ) + (\kind) / WRITE), \
		PER_CPU_VAR(memorizer_counters + MEMORIZER_UNATTRIBUTED)
	PREEMPT_ON
	RET
SYM_CODE_END(memorizer_\name)
.endm

/* A group of accesses, which are counted at once. r10 points to the struct memorizer_group. */
.macro GROUP name
SYM_CODE_START(memorizer_\name)
	ENTRY
	cmpq	memorizer_thunk_end(%rip), %r11
	jae	.Lno_object\@
	PREEMPT_OFF

	movq	PER_CPU_VAR(memorizer_current_key), %r9
	xorq	%r10, %r9
	FIND
	jne	.Lmiss\@

	/* A closed object is far from any address, so this also checks that it is live. */
	OBJECT
	subq	MEMORIZER_OBJECT_AT(OBJECT_AT), %r11
	movl	MEMORIZER_OBJECT_SIZE(OBJECT_AT), %r9d
	subw	MEMORIZER_ENTRY_EXTENT(%r10), %r9w
	jb	.Lborrow\@
.Lcompare\@:
	cmpq	%r9, %r11
	ja	.Loutside\@

	incw	MEMORIZER_ENTRY_TIMES(%r10)
	js	.Lcarry\@
.Lcounted\@:
	PREEMPT_ON
	RET

.Lcarry\@:
	call	memorizer_thunk_carry
	jmp	.Lcounted\@

	/*
	 * The 16-bit subtraction of the extent borrowed: propagate it to the upper half of the
	 * size.
	 */
.Lborrow\@:
	subl	$(1 << 16), %r9d
	jae	.Lcompare\@
	jmp	.Loutside\@

.Lno_object\@:
	movzbl	MEMORIZER_GROUP_ACCESSES(%r10), %r9d
	addq	%r9, PER_CPU_VAR(memorizer_counters + MEMORIZER_UNATTRIBUTED)
	RET

.Loutside\@:
	ADDRESS
	movq	MEMORIZER_ENTRY_KEY(%r10), %r9
.Lmiss\@:
	FOUND
	cmpq	$memorizer_no_object, %r10
	je	.Lempty_page\@
.Lcall\@:
	PUSH_ARGS
	movq	%r11, %rdi
	movslq	%r9d, %rsi
	movq	%r9, %rdx
	movq	%r10, %rcx
	call	memorizer_access_group
	POP_ARGS
	PREEMPT_ON
	RET

	/* Call the hook if the task is not recorded, or if the group crosses a page. */
.Lempty_page\@:
	testq	%r9, %r9
	jns	.Lcall\@
	movslq	%r9d, %r10
	movzwl	MEMORIZER_GROUP_EXTENT(%r10), %r10d
	leaq	-1(%r11, %r10), %r10
	xorq	%r11, %r10
	shrq	$PAGE_SHIFT, %r10
	jnz	.Lsomebody\@
	NOBODY	.Lcount\@, .Lsomebody\@
.Lsomebody\@:
	movq	$memorizer_no_object, %r10
	jmp	.Lcall\@
.Lcount\@:
	movslq	%r9d, %r9
	movzbl	MEMORIZER_GROUP_ACCESSES(%r9), %r9d
	addq	%r9, PER_CPU_VAR(memorizer_counters + MEMORIZER_UNATTRIBUTED)
	PREEMPT_ON
	RET
SYM_CODE_END(memorizer_\name)
.endm

/* Call a hook for the size in rsi. Stack: rdx, rsi, rdi, return address. */
.macro RANGE_THUNK name kind hook
SYM_CODE_START(memorizer_thunk_\name)
	UNWIND_HINT sp_reg=ORC_REG_SP sp_offset=32 type=UNWIND_HINT_TYPE_CALL
	ANNOTATE_NOENDBR
	push	%rax
	push	%rcx
	PREEMPT_OFF
	movq	40(%rsp), %rcx
	SAVE_ARGS
	movl	$\kind, %edx
	call	\hook
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
 * An access to per-CPU data at the offset in r11. Stack: r11, return address. It counts for this
 * CPU, even if the task migrates before the access.
 */
.macro PERCPU_THUNK name
SYM_CODE_START(memorizer_percpu_\name)
	ENTRY	8
	push	%r9
	push	%r10
	movq	24(%rsp), %r10
	addq	PER_CPU_VAR(this_cpu_off), %r11
	call	memorizer_joined_\name
	pop	%r10
	pop	%r9
	pop	%r11
	RET
SYM_CODE_END(memorizer_percpu_\name)
.endm

/*
 * Accesses of a string function to its operands in rdi, rsi and rdx. Stack: enum
 * memorizer_string, rdx, rsi, rdi, return address.
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

/*
 * The thunks for an access of a kind and size: jumped to from a stub, and called for a joined
 * one.
 */
.macro THUNKS name kind size
	THUNK	thunk_\name, \kind, \size, 0
	THUNK	joined_\name, \kind, \size, 1
.endm

	.section .kprobes.text, "ax"

/* Slow path: a count of the entry in r10 has reached 2^15. */
SYM_FUNC_START_LOCAL(memorizer_thunk_carry)
	PUSH_ARGS
	push	%r10
	movq	%r10, %rdi
	call	memorizer_carry
	pop	%r10
	POP_ARGS
	RET
SYM_FUNC_END(memorizer_thunk_carry)

/*
 * Slow path: call memorizer_access_miss() with r10, rsi, rdx, r11 and r9, after PUSH_ARGS has
 * saved the argument registers.
 */
SYM_CODE_START_LOCAL(memorizer_miss)
	ENTRY	48
	movq	%r10, %rdi
	movq	%r11, %rcx
	movq	%r9, %r8
	call	memorizer_access_miss
	POP_ARGS
	PREEMPT_ON
	RET
SYM_CODE_END(memorizer_miss)

/* End of a stub: pop the registers that it has pushed, r9 first, and return to the site. */
SYM_CODE_START(memorizer_leave_r11)
	ENTRY	24
	pop	%r11
SYM_CODE_START_NOALIGN(memorizer_leave_r10)
	ENTRY	16
	pop	%r10
SYM_CODE_START_NOALIGN(memorizer_leave_r9)
	ENTRY	8
	pop	%r9
	RET
SYM_CODE_END(memorizer_leave_r9)
SYM_CODE_END(memorizer_leave_r10)
SYM_CODE_END(memorizer_leave_r11)

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

	GROUP	group

	RANGE_THUNK rn, READ, memorizer_access
	RANGE_THUNK wn, WRITE, memorizer_access
	RANGE_THUNK un, UPDATE, memorizer_access
#ifdef CONFIG_MEMORIZER_PAGES
	RANGE_THUNK rn_user, READ, memorizer_user_access
	RANGE_THUNK wn_user, WRITE, memorizer_user_access

.irp name, r1, r2, r4, r8, r16, w1, w2, w4, w8, w16, u1, u2, u4, u8, u16
	PERCPU_THUNK \name
.endr
#endif

	STRING_THUNK string
