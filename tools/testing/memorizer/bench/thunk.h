/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Replacement of the kernel headers that the thunks use, as in a kernel without preemption and
 * speculation mitigations.
 */
#define PAGE_SHIFT		12

#define __percpu(variable)	%gs:variable
#define PER_CPU_VAR(variable)	__percpu(variable)(%rip)
#define RET			ret

#define SYM_CODE_START_LOCAL(name)	.balign 16; name:
#define SYM_CODE_START(name)		.globl name; SYM_CODE_START_LOCAL(name)
#define SYM_CODE_START_NOALIGN(name)	.globl name; name:
#define SYM_CODE_END(name)
#define SYM_FUNC_START_LOCAL(name)	SYM_CODE_START_LOCAL(name)
#define SYM_FUNC_END(name)

/* For objtool. */
#define ANNOTATE_NOENDBR
.macro UNWIND_HINT type sp_reg sp_offset
.endm
