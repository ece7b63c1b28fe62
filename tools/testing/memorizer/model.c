// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of Memorizer's core: a model of what the manual promises.
 *
 * Each function follows a sentence of Documentation/dev-tools/memorizer.rst, of its pages, or of
 * Documentation/ABI/testing/debugfs-memorizer, which it quotes.
 */
#include <linux/sched/task_stack.h>

#include <asm/memorizer.h>

#include "model.h"

static bool overlap(unsigned long a, unsigned long a_size, unsigned long b, unsigned long b_size)
{
	return a < b + b_size && b < a + a_size;
}

/* "In interrupt context", a paused task's activity is recorded. */
static bool is_paused(const struct model *model)
{
	return model->pauses && !model->interrupt;
}

/**
 * model_order() - compare two rows
 * @a: a row
 * @b: another row
 *
 * "In ascending order of address and pid", then of the part of the object.
 *
 * Return: less than, equal to or greater than 0 if @a comes before, with or after @b
 */
int model_order(const struct model_row *a, const struct model_row *b)
{
	if (a->ip != b->ip)
		return a->ip < b->ip ? -1 : 1;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	return a->last < b->last ? -1 : a->last > b->last;
}

/**
 * model_add_row() - add counts to the row of the same code, task and part
 * @rows: the rows
 * @row: the counts
 */
void model_add_row(struct model_rows *rows, const struct model_row *row)
{
	unsigned int i = rows->count;

	while (i && model_order(&rows->row[i - 1], row) > 0)
		i--;
	if (i && !model_order(&rows->row[i - 1], row)) {
		rows->row[i - 1].reads += row->reads;
		rows->row[i - 1].writes += row->writes;
		rows->row[i - 1].read_moves += row->read_moves;
		rows->row[i - 1].write_moves += row->write_moves;
		return;
	}
	if (rows->count == rows->room) {
		rows->room = 2 * rows->room + 8;
		rows->row = realloc(rows->row, rows->room * sizeof(*rows->row));
		CHECK(rows->row);
	}
	memmove(&rows->row[i + 1], &rows->row[i], (rows->count - i) * sizeof(*rows->row));
	rows->row[i] = *row;
	rows->count++;
}

/**
 * model_view() - make the rows that a file shows of an object
 * @object: the object
 * @by_granule: true for kmap_fields, false for kmap and traffic
 * @view: set to the rows; the caller frees @view->row
 */
void model_view(const struct model_object *object, bool by_granule, struct model_rows *view)
{
	struct model_row row;
	unsigned int i;

	*view = (struct model_rows) { };
	for (i = 0; i < object->rows.count; i++) {
		row = object->rows.row[i];
		if (by_granule) {
			row.read_moves = 0;
			row.write_moves = 0;
		} else {
			row.first = MODEL_WHOLE;
			row.last = MODEL_WHOLE;
		}
		if (row.reads || row.writes || row.read_moves || row.write_moves)
			model_add_row(view, &row);
	}
}

/**
 * model_text() - write an object's line of the KMAP
 * @object: the object
 * @text: buffer for the line
 * @size: its size in bytes
 *
 * Return: length of the line
 */
int model_text(const struct model_object *object, char *text, size_t size)
{
	char comm[4 * TASK_COMM_LEN + 1], *to = comm;
	unsigned long free_jiffies = 0, free_ip = 0;
	const char *from;

	/* "A live object has free_jiffies 0 and free_ip 0." */
	if (object->state != MODEL_LIVE) {
		free_jiffies = object->free_jiffies;
		/* "free_ip is deadbeef if the free was missed". */
		free_ip = object->state == MODEL_BURIED ? 0xdeadbeef : object->free_ip;
	}
	/* "Bytes other than printable ASCII are shown as \xNN, a backslash as \\." */
	for (from = object->comm; *from; from++) {
		if (*from == '\\')
			to += sprintf(to, "\\\\");
		else if (*from < ' ' || *from > '~')
			to += sprintf(to, "\\x%02x", (u8)*from);
		else
			*to++ = *from;
	}
	*to = 0;
	return snprintf(text, size, "%lx,%u,%lx,%lu,%lu,%lu,%lx,%s\n", object->alloc_ip,
			object->pid, object->addr, object->size, object->alloc_jiffies,
			free_jiffies, free_ip, comm);
}

/**
 * model_at() - find the live object that contains an address
 * @model: the model
 * @addr: the address
 *
 * "Each address belongs to at most one live object", apart from the area that objects lie in.
 *
 * Return: the object, NULL if there is none
 */
struct model_object *model_at(struct model *model, unsigned long addr)
{
	struct model_object *object, *found = NULL;
	unsigned int i;

	for (i = 0; i < model->objects; i++) {
		object = model->object[i];
		if (object->state != MODEL_LIVE || model_is_area(object) ||
		    !overlap(object->addr, object->size, addr, 1))
			continue;
		CHECK(!found);
		found = object;
	}
	return found;
}

/**
 * model_bury() - close an object whose memory was allocated again without a free
 * @model: the model
 * @object: the object
 */
void model_bury(struct model *model, struct model_object *object)
{
	object->state = MODEL_BURIED;
	object->free_jiffies = test_jiffies;
	model->counters.buried++;
}

static void bury_overlapped(struct model *model, unsigned long addr, size_t size, bool areas)
{
	unsigned int i;

	for (i = 0; i < model->objects; i++)
		if (model->object[i]->state == MODEL_LIVE &&
		    (areas || !model_is_area(model->object[i])) &&
		    overlap(model->object[i]->addr, model->object[i]->size, addr, size))
			model_bury(model, model->object[i]);
}

/**
 * model_may_bury() - test whether an allocation may bury an object that it does not overlap
 * @object: the object
 * @memory: the slab, or the pages, of the allocation
 *
 * No sentence of the manual says when a missed free is noticed. If the allocator has taken the
 * memory back, and uses some of it for something else, the object must be dead.
 *
 * Return: true if the core may bury it
 */
bool model_may_bury(const struct model_object *object, const struct memorizer_geometry *memory)
{
	const struct memorizer_geometry *its = &object->memory;

	return object->state == MODEL_LIVE && !object->allocated && !model_is_area(object) &&
		overlap(its->start, its->pages << PAGE_SHIFT, memory->start,
			memory->pages << PAGE_SHIFT) &&
		(its->start != memory->start || its->pages != memory->pages ||
		 its->slots != memory->slots || !its->slots || its->stride != memory->stride ||
		 its->base != memory->base);
}

/* Is a new object recorded? Counts it if not. @chosen is set to what it is selected for. */
static bool is_recorded(struct model *model, enum memorizer_object_kind kind, unsigned long addr,
			size_t size, unsigned long ip, unsigned int *chosen)
{
	*chosen = BIT(MEMORIZER_RECORDED);
	/* "(RW) Record new objects", of the kinds in memorizer_kinds. */
	if (!model->enabled || !(model->kinds & BIT(kind)))
		return false;
	/* "paused: accesses to memory that may hold objects, and allocations, by readers". */
	if (is_paused(model)) {
		model->counters.paused++;
		return false;
	}
	if (model->choose)
		*chosen = model->choice((void *)addr, kind, ip);
	/* "allocations_left_out: allocations that memorizer_filter does not select". */
	if (!(*chosen & BIT(MEMORIZER_RECORDED))) {
		model->counters.allocs_left_out++;
		return false;
	}
	/* "lost_objects_out_of_range: memory added after boot, or a slab that is too large". */
	if (size >= U32_MAX) {
		model->counters.lost[MEMORIZER_LOST_RANGE]++;
		return false;
	}
	return true;
}

static struct model_object *add_object(struct model *model, unsigned long addr, size_t size,
				       const struct memorizer_geometry *memory)
{
	struct model_object *object = calloc(1, sizeof(*object));

	CHECK(object);
	CHECK(model->objects < MODEL_OBJECTS);
	object->addr = addr;
	object->size = size;
	object->allocated = true;
	object->memory = *memory;
	model->object[model->objects++] = object;
	model->counters.allocs++;
	return object;
}

static struct model_object *new_object(struct model *model, enum memorizer_object_kind kind,
				       unsigned long addr, size_t size,
				       const struct memorizer_geometry *memory, unsigned long ip)
{
	struct model_object *object;
	unsigned int chosen;

	if (!(model->followed & BIT(kind)))
		return NULL;
	bury_overlapped(model, addr, size, BIT(kind) & MEMORIZER_AREA_KINDS);
	if (!is_recorded(model, kind, addr, size, ip, &chosen))
		return NULL;
	object = add_object(model, addr, size, memory);
	object->alloc_ip = ip;
	object->alloc_jiffies = test_jiffies;
	object->pid = current->pid;
	memcpy(object->comm, current->comm, TASK_COMM_LEN - 1);
	object->by_granule = chosen & BIT(MEMORIZER_FIELDS);
	object->kind = kind;
	return object;
}

/**
 * model_alloc() - allocate an object
 * @model: the model
 * @addr: address
 * @size: bytes requested
 * @memory: the slab, or the pages, that it is in
 * @ip: caller of the allocator
 *
 * "Reused memory is a new object": the accesses to an object that is not recorded do not count
 * for an earlier one, either.
 *
 * Return: the object, NULL if it is not recorded
 */
struct model_object *model_alloc(struct model *model, unsigned long addr, size_t size,
				 const struct memorizer_geometry *memory, unsigned long ip)
{
	return new_object(model, MEMORIZER_KIND_SLAB, addr, size, memory, ip);
}

/**
 * model_alloc_area() - allocate pages, or an area of vmalloc()
 * @model: the model
 * @kind: its kind
 * @addr: its address
 * @size: bytes
 * @ip: caller of the allocator
 *
 * Return: the object, NULL if it is not recorded
 */
struct model_object *model_alloc_area(struct model *model, enum memorizer_object_kind kind,
				      unsigned long addr, size_t size, unsigned long ip)
{
	const struct memorizer_geometry memory = {
		.start = addr, .pages = DIV_ROUND_UP(size, PAGE_SIZE),
	};

	return new_object(model, kind, addr, size, &memory, ip);
}

static void end_object(struct model *model, struct model_object *object, unsigned long ip)
{
	/* The ip of memorizer_set_free_ip() "takes precedence over that of memorizer_free()". */
	if (!object->free_ip)
		object->free_ip = ip;
	object->state = MODEL_FREED;
	object->free_jiffies = test_jiffies;
	model->counters.frees++;
}

/* The live object of a kind that begins at an address, NULL if there is none. */
static struct model_object *object_of(struct model *model, enum memorizer_object_kind kind,
				      unsigned long addr)
{
	struct model_object *object;
	unsigned int i;

	for (i = 0; i < model->objects; i++) {
		object = model->object[i];
		if (object->state == MODEL_LIVE && object->kind == kind && object->addr == addr)
			return object;
	}
	return NULL;
}

static void free_kind(struct model *model, enum memorizer_object_kind kind, unsigned long addr,
		      unsigned long ip)
{
	struct model_object *object = object_of(model, kind, addr);

	if (!(model->followed & BIT(kind)))
		return;
	if (object)
		end_object(model, object, ip);
	else
		model->counters.unknown_frees++;
}

/**
 * model_free_area() - free an area of vmalloc(), in which nothing lies
 * @model: the model
 * @kind: its kind
 * @addr: its address
 * @ip: caller of the allocator
 */
void model_free_area(struct model *model, enum memorizer_object_kind kind, unsigned long addr,
		     unsigned long ip)
{
	free_kind(model, kind, addr, ip);
}

/**
 * model_alloc_stack() - set up the stack of a task
 * @model: the model
 * @addr: its address
 * @ip: the caller
 *
 * Return: the object, NULL if it is not recorded
 */
struct model_object *model_alloc_stack(struct model *model, unsigned long addr, unsigned long ip)
{
	const struct memorizer_geometry memory = {
		.start = addr, .pages = THREAD_SIZE >> PAGE_SHIFT,
	};

	return new_object(model, MEMORIZER_KIND_STACK, addr, THREAD_SIZE, &memory, ip);
}

/**
 * model_free_stack() - take the stack of a task back
 * @model: the model
 * @addr: its address
 * @ip: the caller
 */
void model_free_stack(struct model *model, unsigned long addr, unsigned long ip)
{
	free_kind(model, MEMORIZER_KIND_STACK, addr, ip);
}

/**
 * model_stack_task() - name the task of a stack
 * @model: the model
 * @addr: its address
 * @task: the task
 *
 * "The object has the pid and the name of the task that it is for".
 */
void model_stack_task(struct model *model, unsigned long addr, const struct task_struct *task)
{
	struct model_object *object = object_of(model, MEMORIZER_KIND_STACK, addr);

	if (!object)
		return;
	object->pid = task->pid;
	memcpy(object->comm, task->comm, TASK_COMM_LEN - 1);
}

/* A part of pages that stays allocated. */
static void keep_part(struct model *model, const struct model_object *whole, unsigned long start,
		      unsigned long end)
{
	const struct memorizer_geometry memory = {
		.start = start, .pages = (end - start) >> PAGE_SHIFT,
	};
	struct model_object *part;

	if (start >= end)
		return;
	part = add_object(model, start, end - start, &memory);
	part->alloc_ip = whole->alloc_ip;
	part->alloc_jiffies = whole->alloc_jiffies;
	part->pid = whole->pid;
	memcpy(part->comm, whole->comm, sizeof(part->comm));
	part->by_granule = whole->by_granule;
	part->kind = whole->kind;
}

/**
 * model_free_pages() - free pages, or a part of them
 * @model: the model
 * @addr: first address
 * @size: bytes
 * @ip: caller of the allocator
 *
 * "When a part of pages is freed, the object ends, and what remains becomes one or two objects".
 */
void model_free_pages(struct model *model, unsigned long addr, size_t size, unsigned long ip)
{
	unsigned int i, objects = model->objects;
	struct model_object *object;
	bool any = false;

	if (!(model->followed & BIT(MEMORIZER_KIND_PAGES)))
		return;
	for (i = 0; i < objects; i++) {
		object = model->object[i];
		if (object->state != MODEL_LIVE || object->kind != MEMORIZER_KIND_PAGES ||
		    !overlap(object->addr, object->size, addr, size))
			continue;
		end_object(model, object, ip);
		keep_part(model, object, object->addr, addr);
		keep_part(model, object, addr + size, object->addr + object->size);
		any = true;
	}
	if (any)
		bury_overlapped(model, addr, size, false);
	else
		model->counters.unknown_frees++;
}

/**
 * model_switch() - switch the recording of new objects, and its kinds
 * @model: the model
 * @enabled: record new objects
 * @kinds: a bit for each kind of object to record
 *
 * "The objects of a kind that is no longer selected end".
 */
void model_switch(struct model *model, bool enabled, unsigned int kinds)
{
	struct model_object *object;
	unsigned int i;

	for (i = 0; i < model->objects; i++) {
		object = model->object[i];
		if (object->state != MODEL_LIVE || kinds & BIT(object->kind))
			continue;
		object->state = MODEL_FREED;
		object->free_jiffies = test_jiffies;
		model->counters.frees++;
	}
	model->enabled = enabled;
	model->kinds = kinds;
	model->user_wanted |= kinds & BIT(MEMORIZER_KIND_USER);
	/* "Recorded objects are always tracked until they are freed". */
	model->followed &= kinds;
	if (enabled)
		model->followed |= kinds;
	/* "if a kind there is selected" */
	if (!(kinds & MEMORIZER_FAR_KINDS))
		model->reaches_far = false;
	else if (enabled)
		model->reaches_far = true;
}

/**
 * model_remove() - remove an object
 * @model: the model
 * @object: the object, which is freed
 */
void model_remove(struct model *model, struct model_object *object)
{
	unsigned int i = 0;

	while (model->object[i] != object)
		i++;
	model->object[i] = model->object[--model->objects];
	free(object->rows.row);
	free(object);
}

/**
 * model_lose() - undo model_alloc(), because the core had no room
 * @model: the model
 * @object: the new object
 * @why: the statistic that counts it
 */
void model_lose(struct model *model, struct model_object *object, enum memorizer_loss why)
{
	model->counters.allocs--;
	model->counters.lost[why]++;
	model_remove(model, object);
}

/**
 * model_free() - free an object
 * @model: the model
 * @addr: address
 * @ip: caller of the allocator
 *
 * Also if recording is off: "Recorded objects are always tracked until they are freed."
 */
void model_free(struct model *model, unsigned long addr, unsigned long ip)
{
	struct model_object *object = model_at(model, addr);

	if (!(model->followed & BIT(MEMORIZER_KIND_SLAB)))
		return;
	/* "frees_unknown: frees of memory that is not recorded". */
	if (!object || object->addr != addr) {
		model->counters.unknown_frees++;
		return;
	}
	end_object(model, object, ip);
}

/**
 * model_set_free_ip() - set the call site of the free that follows
 * @model: the model
 * @addr: address of an object that is still allocated
 * @ip: the call site
 */
void model_set_free_ip(struct model *model, unsigned long addr, unsigned long ip)
{
	struct model_object *object = model_at(model, addr);
	unsigned int i;

	/* Of an area of vmalloc(), but not of pages that an object lies in. */
	for (i = 0; i < model->objects && !object; i++)
		if (model->object[i]->state == MODEL_LIVE &&
		    BIT(model->object[i]->kind) & MEMORIZER_VMALLOC_KINDS &&
		    model->object[i]->addr == addr)
			object = model->object[i];
	if (object && object->addr == addr)
		object->free_ip = ip;
}

/* Access a cache line. Returns whether that moves it. */
static bool move_line(struct model *model, unsigned long line, bool store)
{
	u8 *holders = &model->holders[line - model->heap / model->line_size], cpu = BIT(model->cpu);
	bool moves;

	/*
	 * "A load moves a line to its CPU unless the CPU holds it; the CPU holds it from then on.
	 * A store moves the line unless its CPU is the only holder; it is the only holder from
	 * then on."
	 */
	if (!store) {
		moves = !(*holders & cpu);
		*holders |= cpu;
		return moves;
	}
	moves = *holders != cpu;
	*holders = cpu;
	return moves;
}

/* Add to the row of the current task. */
static void count(struct model_object *object, struct model_row row)
{
	row.pid = current->pid;
	object->touched = true;
	model_add_row(&object->rows, &row);
}

/*
 * The first address at which an access touches an object, ULONG_MAX if it does not: "An access to a
 * slab object in recorded pages counts for the slab object."
 */
static unsigned long touched_from(struct model *model, const struct model_object *object,
				  unsigned long begin, unsigned long end)
{
	const struct model_object *in;

	begin = max(begin, object->addr);
	end = min(end, object->addr + object->size);
	while (model_is_area(object) && begin < end && (in = model_at(model, begin)))
		begin = in->addr + in->size;
	return begin < end ? begin : ULONG_MAX;
}

/* "A line with several objects counts for the first one that the access touches there." */
static void access_lines(struct model *model, unsigned long addr, unsigned long size,
			 unsigned int kind, unsigned long ip)
{
	unsigned long line = addr / model->line_size, begin, end, from, first_from;
	struct model_object *object, *first;
	struct model_row row;
	bool *accessed;
	unsigned int i;

	for (; line <= (addr + size - 1) / model->line_size; line++) {
		begin = max(addr, line * model->line_size);
		end = min(addr + size, (line + 1) * model->line_size);
		first = NULL;
		first_from = ULONG_MAX;
		for (i = 0; i < model->objects; i++) {
			object = model->object[i];
			if (object->state != MODEL_LIVE)
				continue;
			from = touched_from(model, object, begin, end);
			if (from < first_from) {
				first = object;
				first_from = from;
			}
		}
		if (!first)
			continue;
		accessed = &model->accessed[line - model->heap / model->line_size];
		model->lines += !*accessed;
		*accessed = true;
		row = (struct model_row) { .ip = ip, .first = MODEL_WHOLE, .last = MODEL_WHOLE };
		/* "An update loads, then stores". */
		if (kind & MEMORIZER_READ)
			row.read_moves = move_line(model, line, false);
		if (kind & MEMORIZER_WRITE)
			row.write_moves = move_line(model, line, true);
		model->counters.traffic += row.read_moves + row.write_moves;
		if (row.read_moves || row.write_moves)
			count(first, row);
	}
}

/* Count in an object that the access touches. */
static void access_object(struct model_object *object, unsigned long begin, unsigned long last,
			  unsigned int kind, unsigned long ip, unsigned long times)
{
	unsigned long end = min(last + 1, object->addr + object->size);
	struct model_row row = {
		.ip = ip, .first = MODEL_WHOLE, .last = MODEL_WHOLE,
		.reads = kind & MEMORIZER_READ ? times : 0,
		.writes = kind & MEMORIZER_WRITE ? times : 0,
	};

	/*
	 * "A part consists of granules of 4 bytes, from the first to the last byte of an access
	 * within the object. An offset of 256 KiB or more counts as the last granule before it."
	 */
	if (object->by_granule) {
		row.first = min((begin - object->addr) / 4, 65535UL);
		row.last = min((end - 1 - object->addr) / 4, 65535UL);
	}
	count(object, row);
}

/* Does the index cover an address above the direct map? */
static bool is_far(unsigned long addr)
{
	return overlap(VMALLOC_START, FAR_BYTES, addr, 1) ||
		overlap(VMALLOC_END + 1 - FAR_BYTES, FAR_BYTES, addr, 1) ||
		overlap(MODULES_VADDR, MODULES_LEN, addr, 1) ||
		overlap(STRUCT_PAGES, STRUCT_PAGE_BYTES, addr, 1) ||
		overlap(VARIABLES, VARIABLE_BYTES, addr, 1);
}

/* "Each struct page and each variable, from its first access on." */
static void touch_lazy(struct model *model, enum memorizer_object_kind kind, unsigned long addr,
		       unsigned long size, unsigned long ip)
{
	unsigned int chosen = BIT(MEMORIZER_RECORDED);
	const struct memorizer_geometry memory = { };
	struct model_object *object;

	if (!model->enabled || !(model->kinds & BIT(kind)))
		return;
	/* "Filters choose all objects of these kinds, or none; alloc: terms match no name." */
	if (model->choose)
		chosen = model->choice(NULL, kind, 0);
	if (!(chosen & BIT(MEMORIZER_RECORDED)) || object_of(model, kind, addr))
		return;
	object = add_object(model, addr, size, &memory);
	/* "pid 0, comm swapper and time 0" */
	object->alloc_ip = ip;
	object->kind = kind;
	object->by_granule = chosen & BIT(MEMORIZER_FIELDS);
	memcpy(object->comm, "swapper", sizeof("swapper"));
}

static void touch_all_lazy(struct model *model, unsigned long addr, unsigned long size)
{
	unsigned long at = max(addr, STRUCT_PAGES) / 64 * 64, va, symbol;
	unsigned int i, cpu;

	for (; at < min(addr + size, STRUCT_PAGES + STRUCT_PAGE_BYTES); at += 64)
		touch_lazy(model, MEMORIZER_KIND_STRUCT_PAGE, at, 64, memorizer_struct_page_ip);
	for (i = 0; i < TEST_VARIABLES; i++) {
		va = VARIABLES + test_variables[i].offset;
		symbol = memorizer_unpack_ip(memorizer_pack_ip(va));
		if (overlap(va, test_variables[i].size, addr, size))
			touch_lazy(model, MEMORIZER_KIND_STATIC, va, test_variables[i].size,
				   symbol);
		if (test_variables[i].offset >= PERCPU_PAGES * PAGE_SIZE)
			continue;
		for (cpu = 0; cpu < 2; cpu++) {
			va = PERCPU(cpu) + test_variables[i].offset;
			if (overlap(va, test_variables[i].size, addr, size))
				touch_lazy(model, MEMORIZER_KIND_PERCPU, va,
					   test_variables[i].size, symbol);
		}
	}
}

/* "Those above the direct map that nobody looks up count as in it." */
static void count_unattributed(struct model *model, unsigned long addr, u64 accesses)
{
	model->counters.unattributed += accesses;
	if (model->reaches_far && !overlap(MAP_BASE, MAP_BYTES, addr, 1))
		model->unattributed.in[memorizer_region(addr)] += accesses;
}

/**
 * model_access() - access memory
 * @model: the model
 * @addr: first address
 * @size: bytes
 * @kind: an enum memorizer_kind
 * @ip: the code
 * @times: how often
 *
 * "An access that spans several objects counts for each."
 */
void model_access(struct model *model, unsigned long addr, unsigned long size, unsigned int kind,
		  unsigned long ip, unsigned long times)
{
	u64 accesses = (kind == MEMORIZER_UPDATE ? 2 : 1) * times;
	struct memorizer_counters *counters = &model->counters;
	struct model_object *object;
	unsigned long n, begin;
	bool any = false;
	unsigned int i;

	if (!size)
		return;
	if (model->left_out || is_paused(model)) {
		/* Both count accesses "to memory that may hold objects". */
		if (!overlap(MAP_BASE, MAP_BYTES, addr, 1) &&
		    !(model->reaches_far && is_far(addr)))
			count_unattributed(model, addr, accesses);
		else
			*(model->left_out ? &counters->left_out : &counters->paused) += accesses;
		return;
	}
	touch_all_lazy(model, addr, size);
	for (i = 0; i < model->objects; i++) {
		object = model->object[i];
		begin = object->state == MODEL_LIVE ?
			touched_from(model, object, addr, addr + size) : ULONG_MAX;
		if (begin == ULONG_MAX)
			continue;
		access_object(object, begin, addr + size - 1, kind, ip, times);
		any = true;
	}
	/* "Only accesses to objects move lines." */
	if (!any)
		count_unattributed(model, addr, accesses);
	else
		for (n = 0; model->tracking && n < times; n++)
			access_lines(model, addr, size, kind, ip);
}

/**
 * model_access_user() - access user memory
 * @model: the model
 * @addr: first address
 * @size: bytes
 * @kind: MEMORIZER_READ or MEMORIZER_WRITE
 * @ip: the code
 * @times: how often
 *
 * "User memory has no objects".
 */
void model_access_user(struct model *model, unsigned long addr, unsigned long size,
		       unsigned int kind, unsigned long ip, unsigned long times)
{
	if (!size || (long)addr < 0)
		return;
	if (model->left_out)
		model->counters.left_out += times;
	else if (is_paused(model))
		model->counters.paused += times;
	else
		access_object(&model->user, addr, addr + size - 1, kind, ip, times);
}

/**
 * model_track_lines() - switch the tracking of cache lines
 * @model: the model
 * @on: true to track them
 *
 * "When turned on, all CPUs hold all lines." lines_tracked is the number of "cache lines accessed
 * since tracking was last turned on".
 */
void model_track_lines(struct model *model, bool on)
{
	if (on && !model->tracking) {
		memset(model->holders, 0xff, sizeof(model->holders));
		memset(model->accessed, 0, sizeof(model->accessed));
		model->lines = 0;
	}
	model->tracking = on;
}

static u64 accesses_of(const struct model_object *object)
{
	u64 sum = 0;
	unsigned int i;

	for (i = 0; i < object->rows.count; i++)
		sum += object->rows.row[i].reads + object->rows.row[i].writes;
	return sum;
}

static u64 forget_user(struct model *model)
{
	u64 accesses = accesses_of(&model->user);

	free(model->user.rows.row);
	model->user.rows = (struct model_rows) { };
	return accesses;
}

/**
 * model_clear() - forget freed objects, and the accesses to user memory
 * @model: the model
 *
 * "Writing 1 discards all freed objects with their accesses". But an object "is neither cleared
 * nor retired while a reader is in the middle of it".
 */
void model_clear(struct model *model)
{
	struct model_object *object;
	unsigned int i = 0;

	while (i < model->objects) {
		object = model->object[i];
		if ((object->state != MODEL_FREED && object->state != MODEL_BURIED) ||
		    object->readers) {
			i++;
			continue;
		}
		model->cleared.objects++;
		model->cleared.accesses += accesses_of(object);
		model_remove(model, object);
	}
	if (!model->user.readers)
		model->cleared.accesses += forget_user(model);
	model->cleared.clearings++;
}

/**
 * model_retire() - take a freed object out of the KMAP
 * @model: the model
 * @object: the object
 *
 * Its accesses can be read until model_remove().
 */
void model_retire(struct model *model, struct model_object *object)
{
	object->state = MODEL_LEAVING;
	model->retired.objects++;
	model->retired.accesses += accesses_of(object);
}

/**
 * model_retire_user() - retire the accesses to user memory
 * @model: the model
 */
void model_retire_user(struct model *model)
{
	model->retired.accesses += forget_user(model);
}
