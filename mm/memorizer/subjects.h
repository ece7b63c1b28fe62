/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's subjects: what counts are kept for. By default, a subject is the pid of a task; else
 * the number of a context, which consists of what memorizer_context selects of a task's user,
 * group and kernel entry. Numbers of contexts are above all pids.
 */
#ifndef _MM_MEMORIZER_SUBJECTS_H
#define _MM_MEMORIZER_SUBJECTS_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/memorizer-context.h>
#include <linux/threads.h>
#include <linux/types.h>

struct dentry;
struct task_struct;

/* What a context consists of. 0: subjects are pids. */
#define MEMORIZER_BY_UID	BIT(0)
#define MEMORIZER_BY_GID	BIT(1)
#define MEMORIZER_BY_ENTRY	BIT(2)

/*
 * struct task_struct.memorizer_entry: the kind in the upper half, an enum memorizer_context or one
 * of these, and the number in the lower half.
 */
#define MEMORIZER_NO_ENTRY	0
#define MEMORIZER_KTHREAD	0xff

#define MEMORIZER_ENTRY_KIND(entry)	((entry) >> 16)
#define MEMORIZER_ENTRY_NUMBER(entry)	((entry) & U16_MAX)

/**
 * struct memorizer_subject - a context
 * @uid: real user id in the initial namespace; 0 if contexts do not have it
 * @gid: real group id, likewise
 * @entry: kernel entry, likewise
 * @state: FREE, CLAIMED or READY
 *
 * The other members are complete before @state is READY, and then constant.
 */
struct memorizer_subject {
	u32 uid;
	u32 gid;
	u32 entry;
	u32 state;
};

#define MEMORIZER_SUBJECTS	16384
/* The number of the first one, which is that of all contexts that have no room. */
#define MEMORIZER_OTHERS	((u32)PID_MAX_LIMIT)

/* MEMORIZER_BY_UID and others, or 0. Written under a mutex of subjects_set.c. */
extern unsigned int memorizer_subject_mode;

/* subjects.c */
u32 memorizer_find_subject(const struct task_struct *task);
void memorizer_update_subject(struct task_struct *task);
void memorizer_reset_entry(struct task_struct *task);
void __memorizer_subject_entry(bool leave, enum memorizer_context kind, unsigned int number);
const struct memorizer_subject *memorizer_subject_at(u32 number);
int memorizer_make_subjects(void);

/* subjects_set.c */
int memorizer_set_subject_mode(unsigned int mode);
void memorizer_subject_files(struct dentry *dir);

/* The kernel is entered or left: update the current task's subject, if that depends on it. */
static __always_inline void memorizer_subject_entry(bool leave, enum memorizer_context kind,
						    unsigned int number)
{
	if (READ_ONCE(memorizer_subject_mode) & MEMORIZER_BY_ENTRY)
		__memorizer_subject_entry(leave, kind, number);
}

#endif /* _MM_MEMORIZER_SUBJECTS_H */
