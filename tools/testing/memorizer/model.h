/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests of Memorizer's core: a model of what the manual promises.
 *
 * Arrays and loops, one task at a time, no limit of memory. model_test.c has the core and the model
 * do the same, and model_check.c compares them.
 */
#ifndef _MEMORIZER_MODEL_H
#define _MEMORIZER_MODEL_H

#include <linux/types.h>

#include "test.h"

/* Objects that a model has room for, those of one run. */
#define MODEL_OBJECTS	4096

/* Cache lines can be as small as this. */
#define MODEL_LINE_MIN	8

/* The largest heap whose cache lines can be tracked. */
#define MODEL_PAGES	64
#define MODEL_LINES	(MODEL_PAGES * PAGE_SIZE / MODEL_LINE_MIN)

/* No part of an object: the row is of the whole object. */
#define MODEL_WHOLE	U32_MAX

/**
 * struct model_row - the accesses to an object by one piece of code and one task
 * @ip: the code
 * @pid: the task
 * @first: number of the first granule that was accessed, or MODEL_WHOLE
 * @last: number of the last one, or MODEL_WHOLE
 * @reads: loads
 * @writes: stores
 * @read_moves: cache lines that the loads moved
 * @write_moves: cache lines that the stores moved
 */
struct model_row {
	unsigned long ip;
	unsigned long pid;
	u32 first;
	u32 last;
	unsigned long reads;
	unsigned long writes;
	unsigned long read_moves;
	unsigned long write_moves;
};

/**
 * struct model_rows - rows in the order of the KMAP
 * @row: the rows
 * @count: their number
 * @room: number of rows that @row has room for
 */
struct model_rows {
	struct model_row *row;
	unsigned int count;
	unsigned int room;
};

enum model_state { MODEL_LIVE, MODEL_FREED, MODEL_BURIED, MODEL_LEAVING };

/* An object that is newer than the walk may be shown. */
enum model_walk { MODEL_NEW, MODEL_EXPECTED, MODEL_SEEN };

/**
 * struct model_object - an allocation
 * @addr: its address
 * @size: bytes requested
 * @alloc_ip: caller of the allocator
 * @free_ip: caller of the free; before the free, one that memorizer_set_free_ip() set
 * @alloc_jiffies: time of the allocation
 * @free_jiffies: time of the free, or of the allocation that replaced the object
 * @pid: the allocating task
 * @comm: its name
 * @state: in the KMAP, or leaving through the observer
 * @kind: its kind
 * @by_granule: accesses are counted by granule
 * @allocated: the allocator has not taken the memory back
 * @memory: the slab, or the pages, that it is in
 * @readers: number of readers in the middle of its rows
 * @touched: accessed since the last call of settle_accesses()
 * @walk: what walk_objects() must do with it
 * @record: what the driver finds the core's object by
 * @rows: the accesses
 */
struct model_object {
	unsigned long addr;
	unsigned long size;
	unsigned long alloc_ip;
	unsigned long free_ip;
	unsigned long alloc_jiffies;
	unsigned long free_jiffies;
	u32 pid;
	char comm[TASK_COMM_LEN];
	enum model_state state;
	enum memorizer_object_kind kind;
	bool by_granule;
	bool allocated;
	struct memorizer_geometry memory;
	unsigned int readers;
	bool touched;
	enum model_walk walk;
	void *record;
	struct model_rows rows;
};

/**
 * struct model - the state that the core should have
 * @object: all objects that were recorded and are neither cleared nor retired
 * @objects: their number
 * @user: the accesses to user memory, as the rows of a record that is no object. Its record is NULL
 *	until the kind was selected, and while the core has none because the pool is full.
 * @user_wanted: the kind was selected
 * @counters: the statistics that are sums over CPUs
 * @cleared: what was cleared
 * @retired: what was retired
 * @enabled: new objects are recorded
 * @kinds: those of these kinds, a bit for each enum memorizer_object_kind
 * @followed: kinds that were recorded since they were switched on
 * @reaches_far: accesses above the direct map by tasks that are not recorded are counted as such
 * @unattributed: accesses to no object, above the direct map while @reaches_far
 * @choose: new objects are selected by @choice
 * @choice: the filter
 * @tracking: cache lines are tracked
 * @line_size: bytes of a cache line
 * @holders: the CPUs that hold a line, as bits, from the heap's first line on
 * @accessed: the lines that were accessed since @tracking was switched on
 * @lines: their number
 * @heap: the heap's first address
 * @cpu: the current CPU
 * @pauses: how often the task is paused
 * @left_out: the task is not selected
 * @interrupt: in an interrupt
 * @small_pool: events may be lost
 */
struct model {
	struct model_object *object[MODEL_OBJECTS];
	unsigned int objects;
	struct model_object user;
	bool user_wanted;
	struct memorizer_counters counters;
	struct memorizer_cleared cleared;
	struct memorizer_retired retired;
	bool enabled;
	unsigned int kinds;
	unsigned int followed;
	bool reaches_far;
	struct memorizer_regions unattributed;
	bool choose;
	unsigned int (*choice)(const void *ptr, enum memorizer_object_kind kind, unsigned long ip);
	bool tracking;
	unsigned long line_size;
	u8 holders[MODEL_LINES];
	bool accessed[MODEL_LINES];
	unsigned long lines;
	unsigned long heap;
	unsigned int cpu;
	unsigned int pauses;
	bool left_out;
	bool interrupt;
	bool small_pool;
};

/* An area, in which others may lie? */
static inline bool model_is_area(const struct model_object *object)
{
	return BIT(object->kind) & MEMORIZER_AREA_KINDS;
}

/* model.c */

struct model_object *model_at(struct model *model, unsigned long addr);
struct model_object *model_alloc(struct model *model, unsigned long addr, size_t size,
				 const struct memorizer_geometry *memory, unsigned long ip);
struct model_object *model_alloc_area(struct model *model, enum memorizer_object_kind kind,
				      unsigned long addr, size_t size, unsigned long ip);
void model_free_area(struct model *model, enum memorizer_object_kind kind, unsigned long addr,
		     unsigned long ip);
struct model_object *model_alloc_stack(struct model *model, unsigned long addr, unsigned long ip);
void model_free_stack(struct model *model, unsigned long addr, unsigned long ip);
void model_stack_task(struct model *model, unsigned long addr, const struct task_struct *task);
void model_free_pages(struct model *model, unsigned long addr, size_t size, unsigned long ip);
void model_switch(struct model *model, bool enabled, unsigned int kinds);
void model_lose(struct model *model, struct model_object *object, enum memorizer_loss why);
bool model_may_bury(const struct model_object *object, const struct memorizer_geometry *memory);
void model_bury(struct model *model, struct model_object *object);
void model_free(struct model *model, unsigned long addr, unsigned long ip);
void model_set_free_ip(struct model *model, unsigned long addr, unsigned long ip);
void model_access(struct model *model, unsigned long addr, unsigned long size, unsigned int kind,
		  unsigned long ip, unsigned long times);
void model_access_user(struct model *model, unsigned long addr, unsigned long size,
		       unsigned int kind, unsigned long ip, unsigned long times);
void model_track_lines(struct model *model, bool on);
void model_clear(struct model *model);
void model_retire(struct model *model, struct model_object *object);
void model_retire_user(struct model *model);
void model_remove(struct model *model, struct model_object *object);
void model_view(const struct model_object *object, bool by_granule, struct model_rows *view);
void model_add_row(struct model_rows *rows, const struct model_row *row);
int model_order(const struct model_row *a, const struct model_row *b);
int model_text(const struct model_object *object, char *text, size_t size);

/* model_string.c */

/**
 * struct model_string - the accesses of a string function
 * @a: the first operand, or the string that it points to
 * @b: the second operand
 * @reads: bytes that are read of each, from the first on
 * @offset: from @a to the first byte that is written
 * @writes: bytes that are written
 * @pointer: kind of the access to the first operand if that is a pointer, otherwise 0
 */
struct model_string {
	unsigned long a;
	unsigned long b;
	unsigned long reads[2];
	unsigned long offset;
	unsigned long writes;
	unsigned int pointer;
};

void model_string(unsigned int string, unsigned long a, unsigned long b, unsigned long n,
		  struct model_string *effect);

/* model_check.c */

#define READERS		3

/**
 * struct reader - a reader, which may be in the middle of an object's rows
 * @rows: its position in the core
 * @object: the object, NULL if it is between objects
 * @before: the object's rows when it began
 * @next: the first row of @before that it has not reached
 * @last: the row that it has read last
 * @any: it has read a row
 */
struct reader {
	struct memorizer_rows rows;
	struct model_object *object;
	struct model_rows before;
	unsigned int next;
	struct model_row last;
	bool any;
};

extern struct reader readers[READERS];

void settle_user(void);
void settle_accesses(const struct memorizer_counters *was);
void settle_buried(const struct memorizer_geometry *memory);
void compare_rows(const struct model_object *object, bool by_granule);
void compare(void);
void walk_objects(unsigned int count);
void reader_begin(struct reader *reader, struct model_object *object, bool by_granule);
void reader_read(struct reader *reader, unsigned int count);
void reader_end(struct reader *reader);

/* model_test.c */

extern struct model model;

bool model_load_byte(const char *ptr, u8 *byte);
unsigned int run_operations(const u8 *data, size_t size);

#endif /* _MEMORIZER_MODEL_H */
