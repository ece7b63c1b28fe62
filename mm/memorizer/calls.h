/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's calls: count calls of functions. Stubs without CONFIG_MEMORIZER_CALLS.
 */
#ifndef _MM_MEMORIZER_CALLS_H
#define _MM_MEMORIZER_CALLS_H

#include <linux/types.h>

#include <asm/local.h>

struct dentry;
struct file_operations;
struct ftrace_ops;
struct memorizer_counters;
struct memorizer_filter;
struct mutex;
struct seq_file;

/**
 * struct memorizer_call - how often a function was called from one place for one pid
 * @chain: id of the next record in the hash bucket; used by the pool while the record is free
 * @from: packed return address
 * @to: packed address at which the function calls ftrace
 * @pid: the task's pid
 * @count: number of calls
 *
 * A record belongs to one CPU, and no other CPU counts in it.
 */
struct memorizer_call {
	u32 chain;
	u32 from;
	u32 to;
	u32 pid;
	local_t count;
};

#ifdef CONFIG_MEMORIZER_CALLS

/* Returns 0 to go on. */
typedef int memorizer_call_visitor(const struct memorizer_call *call, void *arg);

/* calls.c */
int memorizer_set_log_calls(bool on);
bool memorizer_is_logging_calls(void);
int memorizer_visit_calls(memorizer_call_visitor *visit, void *arg);
void memorizer_clear_calls(void);

/* calls_file.c */
extern const struct file_operations memorizer_calls_fops;
void memorizer_calls_stats(struct seq_file *m, const struct memorizer_counters *sum);

/* calls_set.c */
void memorizer_calls_files(struct dentry *dir);

#else

static inline void memorizer_clear_calls(void) { }
static inline void memorizer_calls_files(struct dentry *dir) { }
static inline void memorizer_calls_stats(struct seq_file *m,
					 const struct memorizer_counters *sum) { }

#endif

#if defined(CONFIG_MEMORIZER_CALLS) && defined(CONFIG_MEMORIZER_FILTER)

/* calls_filter.c */
int memorizer_filter_calls(const struct memorizer_filter *new);
int memorizer_calls_begin(struct ftrace_ops *ops);
void memorizer_calls_end(void);
#if IS_ENABLED(CONFIG_KUNIT)
bool memorizer_calls_fail_alloc(void);
#endif

/* calls_never.c */
void memorizer_is_never_called(void);

#else

static inline int memorizer_filter_calls(const struct memorizer_filter *new) { return 0; }
static inline int memorizer_calls_begin(struct ftrace_ops *ops) { return 0; }
static inline void memorizer_calls_end(void) { }

#endif

#endif /* _MM_MEMORIZER_CALLS_H */
