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
#include <linux/container_of.h>
#include <linux/irqflags.h>
#include <linux/limits.h>
#include <linux/memorizer.h>
#include <linux/memorizer-group.h>
#include <linux/memorizer-string.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/types.h>

#include <asm/local.h>

/* Ids count units of 8 bytes of the pool. */
#define MEMORIZER_ID_SHIFT	3

/* The index: a leaf has a word for each of this many pages, see index.c. */
#define MEMORIZER_LEAF_SHIFT	22
#define MEMORIZER_LEAF_WORDS	1024

/* Sizes of index records for a slab, see memorizer_slab_room(). */
#define MEMORIZER_SLAB_SIZES	24

/* The per-CPU cache in front of the general path, see memorizer_cache_slot(). */
#define MEMORIZER_CACHE_SLOTS	16384
#define MEMORIZER_CACHE_ADDR	6

/* The objects found last, each in the slot of so many bytes of address. */
#define MEMORIZER_FOUND_SLOTS	512
#define MEMORIZER_FOUND_ADDR	8

/**
 * struct memorizer_entry - how often one ip, or group of them, touched one object for one pid
 * @link: id of the object's next entry; the pool's when it is free
 * @chain: id of the next entry in its CPU's hash bucket
 * @key: which ip and pid, see memorizer_key(); without MEMORIZER_ACCESS_IP it counts
 *	loads and stores of that ip that moved a cache line; in place of the ip may be
 *	the address of a group
 * @reads: loads
 * @writes: stores
 * @times: how often all accesses of a group were made
 * @extent: of that group, see struct memorizer_group
 * @granules: a wide entry has them in place of these, see memorizer_granules()
 * @object: distance from here to the object, in units of ids
 * @word: what is in place of the counts, and @object
 *
 * Belongs to one CPU, which alone counts in it; the sum over all CPUs is what
 * the KMAP shows. @key, @object and @granules never change while it is in use.
 *
 * Of counts that have reached 2^15, whoever sees it first takes that much away,
 * and adds it to another entry: that of the carries, see memorizer_carry_key().
 */
struct memorizer_entry {
	u32 link;
	u32 chain;
	u64 key;
	union {
		struct {
			union {
				struct {
					u16 reads;
					u16 writes;
				};
				struct {
					u16 times;
					u16 extent;
				};
				u32 granules;
			};
			s32 object;
		};
		local_t word;
	};
};

static_assert(sizeof(struct memorizer_entry) == 24);

/**
 * struct memorizer_wide_entry - one whose counts need no carrying
 * @entry: what it has in common with others; its key says that it is wide
 * @reads: loads; or how often a group was made
 * @writes: stores
 *
 * No thunk counts in one: it is that of the carries, or of accesses to some granules.
 */
struct memorizer_wide_entry {
	struct memorizer_entry entry;
	local_t reads;
	local_t writes;
};

static_assert(sizeof(struct memorizer_wide_entry) == 40);

/* Records of one class have one size. */
enum memorizer_class {
	MEMORIZER_OBJECT,
	MEMORIZER_ENTRY,
	MEMORIZER_WIDE_ENTRY,
	MEMORIZER_LEAF,
	MEMORIZER_SLAB,		/* the first of several sizes */
	MEMORIZER_CLASSES = MEMORIZER_SLAB + MEMORIZER_SLAB_SIZES,
};

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

/* Kernel text lies in the top 2 GiB: 32 bits tell an ip. */
static inline u32 memorizer_pack_ip(unsigned long ip)
{
	return ip;
}

/* Kernel text has this bit of its packed ips set; an entry without it tells traffic. */
#define MEMORIZER_ACCESS_IP	BIT(31)

static inline unsigned long memorizer_unpack_ip(u32 ip)
{
	return (unsigned long)(long)(s32)ip;
}

/*
 * Which ip and pid. The pid is inverted: the thunks get the key from an ip's 64
 * bits, of which the upper half is ones, by xor with the task's memorizer_key. No pid has
 * the highest bit. So it is set in a key, but for that of a paused task (see
 * MEMORIZER_PAUSED), which must be no entry's in a cache, and that of the carries, which is
 * none there.
 */
static __always_inline u64 memorizer_key(u32 ip, u32 pid)
{
	return (u64)~pid << 32 | ip;
}

static __always_inline u64 memorizer_carry_key(u64 key)
{
	return key & S64_MAX;
}

static __always_inline u32 memorizer_entry_ip(const struct memorizer_entry *entry)
{
	return entry->key;
}

#include "object.h"

static __always_inline u32 memorizer_entry_pid(const struct memorizer_entry *entry)
{
	return ~(entry->key >> 32) & (MEMORIZER_BY_GRANULE - 1);
}

static __always_inline bool memorizer_is_by_granule(const struct memorizer_entry *entry)
{
	return ~(entry->key >> 32) & MEMORIZER_BY_GRANULE;
}

/* Bytes of a granule: the size of an int, a lock and a reference count. */
#define MEMORIZER_GRANULE	4
#define MEMORIZER_GRANULE_MAX	U16_MAX

/* Of an entry that counts accesses wherever they are. No access ends before it begins. */
#define MEMORIZER_NO_GRANULES	(1U << 16)

/*
 * The first granule of an access and the last, in one word. What is behind the highest
 * number counts as if it were there.
 */
static __always_inline u32 memorizer_granules(unsigned long first, unsigned long last)
{
	first = min(first / MEMORIZER_GRANULE, (unsigned long)MEMORIZER_GRANULE_MAX);
	last = min(last / MEMORIZER_GRANULE, (unsigned long)MEMORIZER_GRANULE_MAX);
	return first << 16 | last;
}

static __always_inline bool memorizer_is_carry(const struct memorizer_entry *entry)
{
	return !(entry->key >> 63);
}

static __always_inline bool memorizer_is_wide(const struct memorizer_entry *entry)
{
	return memorizer_is_carry(entry) || memorizer_is_by_granule(entry);
}

static __always_inline struct memorizer_wide_entry *
memorizer_wide(const struct memorizer_entry *entry)
{
	return container_of((struct memorizer_entry *)entry, struct memorizer_wide_entry, entry);
}

static __always_inline u32 memorizer_entry_granules(const struct memorizer_entry *entry)
{
	return memorizer_is_wide(entry) ? entry->granules : MEMORIZER_NO_GRANULES;
}

static __always_inline bool memorizer_is_traffic(const struct memorizer_entry *entry)
{
	return !(memorizer_entry_ip(entry) & MEMORIZER_ACCESS_IP);
}

/**
 * struct memorizer_member - an access of a group
 * @ip: distance from here to the address right behind its site
 * @offset: from the group's first byte to its own
 * @size: its size in bytes
 * @kind: an enum memorizer_kind
 */
struct memorizer_member {
	s32 ip;
	u16 offset;
	u8 size;
	u8 kind;
};

/**
 * struct memorizer_group - accesses that are all made if one is, at known distances
 * @extent: from the first byte of them to behind the last, less than 2^15: the plugin makes
 *	none of more than a page
 * @members: their number
 * @accesses: how many loads and stores they are together
 * @member: each of them, in the order in which they are counted one by one
 *
 * The compiler's plugin makes them, for the kernel's own code: they never go. If one object
 * contains them all, one entry counts them.
 */
struct memorizer_group {
	u16 extent;
	u8 members;
	u8 accesses;
	struct memorizer_member member[];
};

extern const char __start_memorizer_groups[], __stop_memorizer_groups[];

/*
 * The group that an entry counts, NULL if it counts a single ip's accesses. The kernel's
 * addresses have MEMORIZER_ACCESS_IP set; those of tests may not.
 */
static __always_inline const struct memorizer_group *
memorizer_entry_group(const struct memorizer_entry *entry)
{
	u32 at = (memorizer_entry_ip(entry) - (u32)(unsigned long)__start_memorizer_groups) &
		~MEMORIZER_ACCESS_IP;

	return at < (u32)(__stop_memorizer_groups - __start_memorizer_groups) ?
		(const void *)(__start_memorizer_groups + at) : NULL;
}

static __always_inline u32 memorizer_member_ip(const struct memorizer_member *member)
{
	return memorizer_pack_ip((unsigned long)&member->ip + member->ip);
}

/* How often a group's accesses were made. */
static inline u64 memorizer_entry_times(const struct memorizer_entry *entry)
{
	return memorizer_is_wide(entry) ? local_read(&memorizer_wide(entry)->reads) :
		READ_ONCE(entry->times);
}

/* An entry's counts, but not a group's. */
static inline u64 memorizer_entry_reads(const struct memorizer_entry *entry)
{
	return memorizer_is_wide(entry) ? local_read(&memorizer_wide(entry)->reads) :
		READ_ONCE(entry->reads);
}

static inline u64 memorizer_entry_writes(const struct memorizer_entry *entry)
{
	return memorizer_is_wide(entry) ? local_read(&memorizer_wide(entry)->writes) :
		READ_ONCE(entry->writes);
}

/* The accesses that an entry counts. */
static inline u64 memorizer_entry_accesses(const struct memorizer_entry *entry)
{
	const struct memorizer_group *group = memorizer_entry_group(entry);

	if (group)
		return memorizer_entry_times(entry) * group->accesses;
	return memorizer_is_traffic(entry) ? 0 :
		memorizer_entry_reads(entry) + memorizer_entry_writes(entry);
}

/* The slot of the per-CPU cache for an access; the thunks know it, too. */
static __always_inline u32 memorizer_cache_slot(u32 ip, unsigned long addr)
{
	return (ip ^ (u32)(addr >> MEMORIZER_CACHE_ADDR)) % MEMORIZER_CACHE_SLOTS;
}

/* The slot of the objects found last for an address; the thunks know it, too. */
static __always_inline u32 memorizer_found_slot(unsigned long addr)
{
	return (addr >> MEMORIZER_FOUND_ADDR) % MEMORIZER_FOUND_SLOTS;
}

/* main.c */
struct kernel_param_ops;
extern const struct kernel_param_ops memorizer_size_ops;

/* pool.c */
#define MEMORIZER_BLOCK_SHIFT	16	/* a block holds records of one class */
#define MEMORIZER_BLOCK_SIZE	(1UL << MEMORIZER_BLOCK_SHIFT)

/* Ids start at 1: 0 is no record. */
extern void *memorizer_pool_origin;

static __always_inline void *memorizer_ptr(u32 id)
{
	return memorizer_pool_origin + ((unsigned long)id << MEMORIZER_ID_SHIFT);
}

static __always_inline u32 memorizer_id(const void *ptr)
{
	return (ptr - memorizer_pool_origin) >> MEMORIZER_ID_SHIFT;
}

static __always_inline struct memorizer_object *
memorizer_entry_object(const struct memorizer_entry *entry)
{
	/* Its CPU writes the same there when it counts. */
	return (void *)entry + READ_ONCE(entry->object) * (1L << MEMORIZER_ID_SHIFT);
}

/* Of each CPU, see pool.c. */
DECLARE_PER_CPU(u64 [MEMORIZER_CLASSES], memorizer_cursor);
DECLARE_PER_CPU(long [MEMORIZER_CLASSES], memorizer_in_use);

/* Takes a record of @size bytes from this CPU's batch; 0 if that is used up. */
static __always_inline u32 memorizer_pool_take(unsigned int class, unsigned int size, void **ptr)
{
	u64 old = this_cpu_read(memorizer_cursor[class]), new;
	unsigned long place;
	u32 id;

	do {
		id = old;
		if (unlikely(!id))
			return 0;
		place = id;
		OPTIMIZER_HIDE_VAR(place);
		*ptr = memorizer_pool_origin + (place << MEMORIZER_ID_SHIFT);
		/* The sum of the low halves is an id: nothing is carried into the tag. */
		new = old + (size >> MEMORIZER_ID_SHIFT) + (s64)READ_ONCE(*(const s32 *)*ptr);
	} while (unlikely(!this_cpu_try_cmpxchg(memorizer_cursor[class], &old, new)));
	this_cpu_inc(memorizer_in_use[class]);
	return id;
}

void memorizer_pool_init(void *base, unsigned long size);
u32 memorizer_pool_alloc(unsigned int class);
void memorizer_pool_free(unsigned int class, u32 id);
void memorizer_pool_give(unsigned int class, u32 id);
void memorizer_pool_give_back(void);
void memorizer_pool_reclaim(void);
unsigned int memorizer_class_size(unsigned int class);
unsigned long memorizer_pool_size(void);
unsigned long memorizer_pool_bytes(unsigned int first, unsigned int last);
unsigned long memorizer_class_used(unsigned int class);
struct memorizer_object *memorizer_object_from(unsigned long *pos);

/* index.c */

/**
 * struct memorizer_geometry - how objects lie in the pages around one of them
 * @start: first address of these pages, page aligned
 * @base: address of slot 0
 * @stride: bytes from slot to slot
 * @slots: number of slots, 0: the pages hold this one object only
 * @pages: number of pages
 */
struct memorizer_geometry {
	unsigned long start;
	unsigned long base;
	unsigned int stride;
	unsigned int slots;
	unsigned long pages;
};

/* The thunks ask whether an address is in this range, and its page known at all. */
extern unsigned long memorizer_index_base, memorizer_index_bytes, memorizer_thunk_end;
extern u32 *memorizer_index_root;

int memorizer_index_init(void *(*reserve)(size_t size), unsigned long base, unsigned long bytes);
u32 memorizer_index_lookup(unsigned long addr, unsigned long *next);
int memorizer_index_insert(const struct memorizer_geometry *geo, unsigned long addr, u32 id);
u32 memorizer_index_erase(unsigned long addr);
void memorizer_index_end_slab(unsigned long start);
void memorizer_index_collect(void);
void memorizer_index_recycle(void);

/* grace.c */
void memorizer_grace_period(void);

/* geometry.c */
void memorizer_geometry(const void *ptr, size_t size, struct memorizer_geometry *geo);

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

/* access.c */
enum memorizer_kind {
	MEMORIZER_READ = 1,
	MEMORIZER_WRITE = 2,
	MEMORIZER_UPDATE = MEMORIZER_READ | MEMORIZER_WRITE,
};

/* How many accesses that is. */
static __always_inline unsigned int memorizer_kind_count(unsigned int kind)
{
	return (kind & MEMORIZER_READ) + kind / MEMORIZER_WRITE;
}

/* Bytes of the largest access whose size a thunk knows. */
#define MEMORIZER_FIXED_MAX	16

/* What an access of that kind adds to an entry's counts; the thunks know it, too. */
static __always_inline u64 memorizer_kind_counts(unsigned int kind)
{
	return (kind & MEMORIZER_READ) | kind / MEMORIZER_WRITE << 16;
}

/* How many accesses that is. */
static __always_inline unsigned int memorizer_counts_sum(u64 counts)
{
	return (u16)counts + (counts >> 16);
}

/* And back. */
static __always_inline unsigned int memorizer_counts_kind(u64 counts)
{
	return (counts & MEMORIZER_READ) | counts >> 15;
}

int memorizer_access_init(void *(*reserve)(size_t size), unsigned long pool_size);
void memorizer_access(unsigned long addr, unsigned long size, unsigned int kind, unsigned long ip);
void memorizer_access_miss(struct memorizer_object *object, unsigned long last, u64 counts,
			   unsigned long addr, u64 key);
void memorizer_access_group(unsigned long addr, const struct memorizer_group *group, u64 key,
			    struct memorizer_object *object);
void memorizer_access_carry(struct memorizer_entry *entry);
u32 memorizer_carries_done(const struct memorizer_object *object);
u32 memorizer_carries_begun(const struct memorizer_object *object);
void memorizer_access_collect(void);
void memorizer_count_traffic(u32 id, unsigned int kind, unsigned long ip);
void memorizer_slow_path_begin(void);
void memorizer_slow_path_end(void);

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

/* string.c */
void memorizer_access_string(const char *a, const char *b, unsigned long n, unsigned int how,
			     unsigned long ip);

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
struct file;
ssize_t memorizer_write_list(struct file *file, const char __user *buf, size_t count, loff_t *pos,
			     int (*change)(const char *text, bool add));

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
