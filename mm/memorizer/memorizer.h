/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's own declarations: the records and who passes them to whom.
 *
 * An access site (sites.c) calls the hook (access.c), which asks the index
 * (index.c) for the object at the address and counts in that object's access
 * entry for (ip, pid), and follows the cache line (traffic.c). Objects come and go
 * through the allocator's hooks (object.c). All records live in the pool (pool.c) and
 * are named by 32-bit ids. lines.c, rows.c, kmap.c and stats.c read them, debugfs.c
 * is the way in for the user.
 * observer.h says who is told of all this while it happens.
 *
 * These files also compile in user space, see tools/testing/memorizer.
 */
#ifndef _MM_MEMORIZER_H
#define _MM_MEMORIZER_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/irqflags.h>
#include <linux/memorizer.h>
#include <linux/memorizer-group.h>
#include <linux/memorizer-string.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "access.h"
#include "entry.h"
#include "pool.h"

/* Why an event is not in the KMAP. */
enum memorizer_loss {
	MEMORIZER_LOST_OBJECT,	/* allocation: no room for the object */
	MEMORIZER_LOST_INDEX,	/* allocation: no room in the index */
	MEMORIZER_LOST_RANGE,	/* allocation: outside of the memory known at boot, or too large */
	MEMORIZER_LOST_ENTRY,	/* access: no room for the entry */
	MEMORIZER_LOST_TRAFFIC,	/* move of a cache line: no room for the entry */
	MEMORIZER_LOST_LINE,	/* access to a cache line: no room for the line */
	MEMORIZER_LOST_NESTED,	/* access to a cache line: an NMI's, amid another's */
	MEMORIZER_LOSSES,
};

/**
 * struct memorizer_counters - what one CPU has seen
 * @allocs: objects recorded
 * @frees: recorded objects that were freed
 * @buried: recorded objects whose free was missed
 * @unknown_frees: frees of objects that are not recorded
 * @unattributed: accesses to memory that belongs to no recorded object
 * @paused: accesses to memory where objects may be, and allocations, by tasks
 *	that read the KMAP
 * @left_out: accesses to memory where objects may be, by tasks that were not chosen
 * @allocs_left_out: allocations of objects that were not chosen
 * @traffic: moves of cache lines that were counted in access entries
 * @lost: events that should have been recorded and are not
 */
struct memorizer_counters {
	u64 allocs;
	u64 frees;
	u64 buried;
	u64 unknown_frees;
	u64 unattributed;
	u64 paused;
	u64 left_out;
	u64 allocs_left_out;
	u64 traffic;
	u64 lost[MEMORIZER_LOSSES];
};

DECLARE_PER_CPU(struct memorizer_counters, memorizer_counters);

#include "object.h"

/* main.c */
struct kernel_param_ops;
extern const struct kernel_param_ops memorizer_size_ops;

/* grace.c */
void memorizer_grace_period(void);

/* choose.c */

/* What an object may be chosen for. */
enum memorizer_choice {
	MEMORIZER_RECORDED,
	MEMORIZER_FIELDS,	/* its accesses are counted by granule */
	MEMORIZER_CHOICES,
};

unsigned int memorizer_choose_object(const void *ptr, unsigned long ip);

/* object.c */
extern struct rw_semaphore memorizer_rwsem;

/* What memorizer_clear() has taken away so far, how often. Guarded by memorizer_rwsem. */
struct memorizer_cleared {
	u64 objects;
	u64 accesses;
	u64 clearings;
};

extern struct memorizer_cleared memorizer_cleared;

/* What memorizer_retire() has taken away so far. Guarded by memorizer_rwsem. */
struct memorizer_retired {
	u64 objects;
	u64 accesses;
};

extern struct memorizer_retired memorizer_retired;
void memorizer_switch_hooks(unsigned int what, bool on);

/* hooks.c */
int memorizer_set_enabled(bool on);
bool memorizer_is_enabled(void);

/* clear.c */
void memorizer_clear(void);

/* traffic.c */

/**
 * struct memorizer_access - an access
 * @addr: its first address
 * @size: its size in bytes
 * @kind: an enum memorizer_kind
 * @ip: the address right behind the site
 */
struct memorizer_access {
	unsigned long addr;
	unsigned long size;
	unsigned int kind;
	unsigned long ip;
};

extern struct memorizer_line_table *memorizer_line_table;
extern unsigned long memorizer_lines_wanted;
void memorizer_lines_init(unsigned long wanted, unsigned long long ram);
void memorizer_traffic(unsigned long addr, unsigned long size, unsigned int kind,
		       unsigned long ip);
int memorizer_set_track_lines(bool on);
int memorizer_set_line_size(u64 bytes);
unsigned long memorizer_line_size(void);
unsigned long memorizer_lines_tracked(void);
unsigned long memorizer_lines_room(void);

/* Are cache lines tracked? */
static __always_inline bool memorizer_tracks_lines(void)
{
	return unlikely(READ_ONCE(memorizer_line_table));
}

/*
 * The upper half of a task's memorizer_key, of which the lower one is 0: its pid, as
 * memorizer_key() has it; how often it is paused; LEFT_OUT if it was not chosen (tasks.c), and
 * OUTSIDE if it is in no chosen group (cgroups.c), which others set and clear; and PAUSED if it
 * is any of these. That of the task that runs is the CPU's memorizer_current_key.
 */
#define MEMORIZER_PIDS		(BIT(24) - 1)
#define MEMORIZER_ONE_PAUSE	BIT(24)
#define MEMORIZER_PAUSES	(BIT(29) - BIT(24))
#define MEMORIZER_OUTSIDE	BIT(29)
#define MEMORIZER_LEFT_OUT	BIT(30)
#define MEMORIZER_PAUSED	BIT(31)

static inline void memorizer_change_task(struct task_struct *task, int add,
					 unsigned int clear, unsigned int set)
{
	u64 old = READ_ONCE(task->memorizer_key);
	u32 new;

	do {
		new = ((old >> 32 & ~(MEMORIZER_PAUSED | clear)) | set) + add;
		if (new & (MEMORIZER_PAUSES | MEMORIZER_OUTSIDE | MEMORIZER_LEFT_OUT))
			new |= MEMORIZER_PAUSED;
	} while (!try_cmpxchg(&task->memorizer_key, &old, (u64)new << 32));
}

DECLARE_PER_CPU(u64, memorizer_current_key);

/*
 * Takes over what has changed in the running task's. With interrupts off: after others
 * changed it they interrupt its CPU to do this, see memorizer_set_pids().
 */
static inline void memorizer_load_key(void)
{
	unsigned long flags;

	raw_local_irq_save(flags);
	this_cpu_write(memorizer_current_key, READ_ONCE(current->memorizer_key));
	raw_local_irq_restore(flags);
}

/**
 * memorizer_pause() - keep what this task does out of the KMAP
 *
 * Nests, 31 deep; interrupts that come in between are recorded all the same.
 *
 * Context: process context.
 */
static inline void memorizer_pause(void)
{
	memorizer_change_task(current, MEMORIZER_ONE_PAUSE, 0, 0);
	memorizer_load_key();
	barrier();
}

/**
 * memorizer_resume() - end what memorizer_pause() began
 *
 * Context: process context.
 */
static inline void memorizer_resume(void)
{
	barrier();
	memorizer_change_task(current, -(int)MEMORIZER_ONE_PAUSE, 0, 0);
	memorizer_load_key();
}

/**
 * memorizer_may_schedule() - let others run, from within a loop over records
 *
 * cond_resched() for each record would take a tenth of the time, and with lockdep,
 * which looks each time what is held, most of it.
 *
 * Context: process context, may sleep.
 */
static inline void memorizer_may_schedule(void)
{
	if (need_resched())
		cond_resched();
}

/* True in a paused task, but not in an interrupt that came in there. */
static __always_inline bool memorizer_is_paused(void)
{
	return unlikely(READ_ONCE(current->memorizer_key) >> 32 & MEMORIZER_PAUSES) && in_task();
}

/* True in a task that was not chosen, and in an interrupt that came in there. */
static __always_inline bool memorizer_is_left_out(void)
{
	return unlikely(READ_ONCE(current->memorizer_key) >> 32 &
			(MEMORIZER_OUTSIDE | MEMORIZER_LEFT_OUT));
}

/* sites.c; the linker makes the table */
extern const struct memorizer_site __start_memorizer_sites[], __stop_memorizer_sites[];
int memorizer_choose_form(int prefixes);
int memorizer_set_log_access(bool on);
bool memorizer_is_logging(void);
unsigned long memorizer_count_sites(unsigned long *on, unsigned long *prefixes);
#if defined(CONFIG_KUNIT) || defined(CONFIG_KUNIT_MODULE)
bool memorizer_sites_lack_memory(void);
extern void (*memorizer_sites_amid)(void);
#endif

/* stats.c */
struct seq_file;
int memorizer_stats_show(struct seq_file *m, void *unused);

/* debugfs.c */

/**
 * struct memorizer_switch - a file that is a boolean: private data of memorizer_switch_fops
 * @is_on: its value
 * @set: takes a new one; 0 or a negative error code
 * @id: what these two are given
 */
struct memorizer_switch {
	bool (*is_on)(unsigned int id);
	int (*set)(unsigned int id, bool on);
	unsigned int id;
};

extern const struct file_operations memorizer_switch_fops;

/* lines.c */

/**
 * struct memorizer_line - what one ip did to an object for one pid
 * @ip: access ip, see memorizer_pack_ip()
 * @pid: the task on whose behalf
 * @reads: loads, on all CPUs
 * @writes: stores, on all CPUs
 * @granules: which part of the object, see memorizer_granules(); or MEMORIZER_NO_GRANULES
 * @read_moves: cache lines that its loads moved
 * @write_moves: cache lines that its stores moved
 */
struct memorizer_line {
	u32 ip;
	u32 pid;
	u32 granules;
	unsigned long reads;
	unsigned long writes;
	unsigned long read_moves;
	unsigned long write_moves;
};

/**
 * struct memorizer_place - which lines of an object come next
 * @ip: of the lines that were last
 * @runs: how many runs of entries have this ip: its own, and those of groups
 * @at: id of the next entry of each, 0 behind its last
 */
struct memorizer_place {
	u32 ip;
	u32 runs;
	u32 at[1 + MEMORIZER_GROUPS_AT_ONCE];
};

/**
 * struct memorizer_lines - where a reader of an object's lines is
 * @object: the object, NULL if it is at none
 * @by_granule: granules have lines of their own
 * @place: where it is
 * @before: where it was before the line that it takes
 * @next: id of the first entry that may have a later ip, 0 if there is none
 * @behind: id of the first entry behind its run, 0 if that is not known
 * @first: id of the object's first entry when they were sorted, 0 if there was none
 * @carried: memorizer_carries_done() when it was last looked for new entries of carries
 * @others: another reader
 */
struct memorizer_lines {
	struct memorizer_object *object;
	bool by_granule;
	struct memorizer_place place;
	struct memorizer_place before;
	u32 next;
	u32 behind;
	u32 first;
	u32 carried;
	struct memorizer_lines *others;
};

void memorizer_hold(const struct memorizer_object *object);
void memorizer_release(const struct memorizer_object *object);
void memorizer_lines_begin(struct memorizer_lines *lines, struct memorizer_object *object,
			   bool by_granule);
bool memorizer_lines_next(struct memorizer_lines *lines, struct memorizer_line *line);
void memorizer_lines_end(struct memorizer_lines *lines);
bool memorizer_is_pinned(const struct memorizer_object *object);

/* rows.c */

/* Bytes that a row takes at most, and its functions may write. */
#define MEMORIZER_ROW_MAX	192

char *memorizer_row_object(char *to, const struct memorizer_object *object);
char *memorizer_row_line(char *to, const struct memorizer_line *line);
char *memorizer_row_field(char *to, const struct memorizer_object *object,
			  const struct memorizer_line *line);
char *memorizer_row_traffic(char *to, const struct memorizer_line *line);

/* kmap.c */
struct memorizer_object *memorizer_kmap_next(unsigned long *pos);
extern const struct file_operations memorizer_kmap_fops, memorizer_fields_kmap_fops;
extern const struct file_operations memorizer_traffic_fops;

#endif /* _MM_MEMORIZER_H */
