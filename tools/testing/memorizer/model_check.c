// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of Memorizer's core: compare it with its model.
 *
 * Where the manual leaves a choice, the model follows the core: when a missed free is noticed, and
 * what is lost in a full pool, provided that the statistics count it.
 */
#include "../../../mm/memorizer/user.h"
#include "model.h"

struct reader readers[READERS];

static u32 core_state(const struct model_object *object)
{
	const struct memorizer_object *record = object->record;

	return record->state;
}

static bool is_empty(const struct model_row *row)
{
	return !(row->reads | row->writes | row->read_moves | row->write_moves);
}

/* What a file shows of a row. Returns false if it does not show the row. */
static bool shown_row(const struct memorizer_row *row, bool by_granule, struct model_row *to)
{
	*to = (struct model_row) {
		.ip = memorizer_unpack_ip(row->ip), .pid = row->pid,
		.first = MODEL_WHOLE, .last = MODEL_WHOLE,
		.reads = row->reads, .writes = row->writes,
	};
	if (row->granules != MEMORIZER_NO_GRANULES) {
		to->first = row->granules >> 16;
		to->last = (u16)row->granules;
	}
	/* kmap_fields shows no moves. */
	if (!by_granule) {
		to->read_moves = row->read_moves;
		to->write_moves = row->write_moves;
	}
	return !is_empty(to);
}

/* Read all rows of an object. */
static void read_rows(struct memorizer_object *object, bool by_granule, struct model_rows *to)
{
	struct memorizer_rows rows;
	struct memorizer_row row;

	*to = (struct model_rows) { };
	down_read(&memorizer_rwsem);
	memorizer_lock_entries(object);
	memorizer_rows_begin(&rows, object, by_granule);
	while (memorizer_rows_next(&rows, &row)) {
		struct model_row next;
		unsigned int count = to->count;

		if (!shown_row(&row, by_granule, &next))
			continue;
		model_add_row(to, &next);
		/* In order, and each once. */
		CHECK_EQ(to->count, count + 1);
		CHECK(!memcmp(&to->row[count], &next, sizeof(next)));
	}
	memorizer_rows_end(&rows);
	memorizer_unlock_entries(object);
	up_read(&memorizer_rwsem);
}

/* Lower a row's counts, or moves, to those of the row in its place in @limit. */
static void limit_row(struct model_row *row, const struct model_rows *limit, bool counts,
		      bool moves)
{
	struct model_row most = { };
	unsigned int i;

	for (i = 0; i < limit->count; i++)
		if (!model_order(row, &limit->row[i]))
			most = limit->row[i];
	if (counts) {
		row->reads = min(row->reads, most.reads);
		row->writes = min(row->writes, most.writes);
	}
	if (moves) {
		row->read_moves = min(row->read_moves, most.read_moves);
		row->write_moves = min(row->write_moves, most.write_moves);
	}
}

/* Find the records of lazy objects that have just become objects. */
static void find_lazy(void)
{
	unsigned int i;
	u32 id;

	for (i = 0; i < model.objects; i++) {
		id = model.object[i]->record ? 0 : lookup(model.object[i]->addr);
		if (id)
			model.object[i]->record = memorizer_ptr(id);
	}
}

/* Have the model lose those that the core had no room for. */
static void lose_lazy(void)
{
	unsigned int i;

	for (i = model.objects; i--;) {
		if (model.object[i]->record)
			continue;
		CHECK(model.small_pool);
		model.counters.allocs--;
		model_remove(&model, model.object[i]);
	}
}

/* Let the model's counts of a touched object go down to the core's. */
static void lower_counts(struct model_object *object)
{
	struct model_rows counts, all;
	struct reader *reader;
	unsigned int i;

	if (!object->record) {
		free(object->rows.row);
		object->rows = (struct model_rows) { };
		return;
	}
	read_rows(object->record, object->by_granule, &counts);
	read_rows(object->record, false, &all);
	for (i = 0; i < object->rows.count; i++) {
		limit_row(&object->rows.row[i], &counts, true, false);
		limit_row(&object->rows.row[i], &all, false, true);
	}
	free(counts.row);
	free(all.row);
	for (reader = readers; reader < readers + READERS; reader++) {
		if (reader->object != object)
			continue;
		model_view(object, reader->rows.by_granule, &all);
		for (i = 0; i < reader->before.count; i++)
			limit_row(&reader->before.row[i], &all, true, true);
		free(all.row);
	}
}

/* Get an object by its number, or after the last one, the record of user memory. */
static struct model_object *object_or_user(unsigned int i)
{
	return i < model.objects ? model.object[i] : &model.user;
}

static u64 sum_touched(bool moves)
{
	const struct model_object *object;
	const struct model_row *row;
	unsigned int i, j;
	u64 sum = 0;

	for (i = 0; i <= model.objects; i++) {
		object = object_or_user(i);
		for (j = 0; object->touched && j < object->rows.count; j++) {
			row = &object->rows.row[j];
			sum += moves ? row->read_moves + row->write_moves :
				row->reads + row->writes;
		}
	}
	return sum;
}

/**
 * settle_user() - find the record that the core has for the accesses to user memory
 */
void settle_user(void)
{
	down_read(&memorizer_rwsem);
	model.user.record = memorizer_user_counts();
	up_read(&memorizer_rwsem);
	CHECK(!model.user.record || model.user_wanted);
	CHECK(model.user.record || !model.user_wanted || model.small_pool);
}

/**
 * settle_accesses() - have the model lose the accesses that the core has lost
 * @was: the statistics before the accesses
 *
 * "Every lost event is counted, by cause": the model's counts exceed the core's by these.
 */
void settle_accesses(const struct memorizer_counters *was)
{
	struct memorizer_counters now = sum_counters();
	u64 accesses = now.lost[MEMORIZER_LOST_ENTRY] - was->lost[MEMORIZER_LOST_ENTRY];
	u64 moves = now.lost[MEMORIZER_LOST_TRAFFIC] - was->lost[MEMORIZER_LOST_TRAFFIC];
	u64 counted, moved;
	unsigned int i;

	find_lazy();
	if (accesses || moves) {
		CHECK(model.small_pool);
		counted = sum_touched(false);
		moved = sum_touched(true);
		for (i = 0; i <= model.objects; i++)
			if (object_or_user(i)->touched)
				lower_counts(object_or_user(i));
		CHECK_EQ(counted - sum_touched(false), accesses);
		CHECK_EQ(moved - sum_touched(true), moves);
		model.counters.lost[MEMORIZER_LOST_ENTRY] += accesses;
		model.counters.lost[MEMORIZER_LOST_TRAFFIC] += moves;
		model.counters.traffic -= moves;
	}
	for (i = 0; i <= model.objects; i++)
		object_or_user(i)->touched = false;
	lose_lazy();
}

/**
 * settle_buried() - have the model notice the missed frees that the core has noticed
 * @memory: the slab, or the pages, of a new object
 */
void settle_buried(const struct memorizer_geometry *memory)
{
	unsigned int i;

	for (i = 0; i < model.objects; i++)
		if (model_may_bury(model.object[i], memory) &&
		    core_state(model.object[i]) == MEMORIZER_BURIED)
			model_bury(&model, model.object[i]);
}

static void print_row(const char *whose, const struct model_row *row)
{
	fprintf(stderr, "%s: ip %lx pid %lu granules %d to %d reads %lu writes %lu moves %lu %lu\n",
		whose, row->ip, row->pid, row->first, row->last, row->reads, row->writes,
		row->read_moves, row->write_moves);
}

/**
 * compare_rows() - compare an object's rows
 * @object: the object
 * @by_granule: true for those of kmap_fields
 */
void compare_rows(const struct model_object *object, bool by_granule)
{
	const struct model_row *a, *b;
	struct model_rows core, view;
	unsigned int i;

	read_rows(object->record, by_granule, &core);
	model_view(object, by_granule, &view);
	for (i = 0; i < max(core.count, view.count); i++) {
		a = i < core.count ? &core.row[i] : NULL;
		b = i < view.count ? &view.row[i] : NULL;
		if (a && b && !memcmp(a, b, sizeof(*a)))
			continue;
		fprintf(stderr, "row %u of the object at %#lx\n", i, object->addr);
		if (a)
			print_row("core", a);
		if (b)
			print_row("model", b);
		CHECK_EQ(core.count, view.count);
		CHECK(!"equal rows");
	}
	free(core.row);
	free(view.row);
}

static void compare_object(const struct model_object *object)
{
	char core[MEMORIZER_ROW_MAX + 1], text[MEMORIZER_ROW_MAX + 1];

	*memorizer_format_object(core, object->record) = 0;
	model_text(object, text, sizeof(text));
	if (strcmp(core, text)) {
		fprintf(stderr, "core:  %smodel: %s", core, text);
		CHECK(!"equal objects");
	}
	compare_rows(object, false);
	compare_rows(object, true);
}

static void compare_counters(void)
{
	static const char * const names[] = {
		"allocations", "frees", "frees_missed", "frees_unknown", "accesses_unattributed",
		"paused", "accesses_left_out", "allocations_left_out", "calls_paused",
		"calls_left_out", "traffic",
		"lost_objects_pool_full", "lost_objects_index_full", "lost_objects_out_of_range",
		"lost_accesses_pool_full", "lost_traffic_pool_full", "lost_traffic_lines_full",
		"lost_traffic_nested", "lost_calls_pool_full", "lost_stacks",
	};
	struct memorizer_counters sum = sum_counters();
	const u64 *core = (u64 *)&sum, *want = (u64 *)&model.counters;
	unsigned int i;

	for (i = 0; i < sizeof(sum) / sizeof(u64); i++) {
		if (core[i] == want[i])
			continue;
		fprintf(stderr, "%s: core %llu, model %llu\n", names[i],
			(unsigned long long)core[i], (unsigned long long)want[i]);
		CHECK(!"equal statistics");
	}
	for (i = 0; i < MEMORIZER_REGIONS; i++)
		CHECK_EQ(sum_unattributed_in(i), model.unattributed.in[i]);
	CHECK_EQ(memorizer_cleared.objects, model.cleared.objects);
	CHECK_EQ(memorizer_cleared.accesses, model.cleared.accesses);
	CHECK_EQ(memorizer_cleared.clearings, model.cleared.clearings);
	CHECK_EQ(memorizer_retired.objects, model.retired.objects);
	CHECK_EQ(memorizer_retired.accesses, model.retired.accesses);
	CHECK_EQ(memorizer_is_enabled(), model.enabled);
	CHECK_EQ(memorizer_lines_room() != 0, model.tracking);
	CHECK_EQ(memorizer_lines_tracked(), model.lines);
}

/*
 * The index names an area by each of its words exactly as long as it is live, also below a slab.
 */
static void check_areas(void)
{
	const struct memorizer_object *object;
	const struct slab_record *slab;
	unsigned long page;
	unsigned int i;
	u32 *word, id;

	for (i = 0; i < model.objects; i++) {
		if (!model_is_area(model.object[i]) || model.object[i]->state != MODEL_LIVE)
			continue;
		object = model.object[i]->record;
		for (page = model.object[i]->addr;
		     page < model.object[i]->addr + model.object[i]->size; page += PAGE_SIZE)
			CHECK_EQ(memorizer_index_area(page), memorizer_id(object));
	}
	for (page = model.heap; page < model.heap + MODEL_PAGES * PAGE_SIZE; page += PAGE_SIZE) {
		word = memorizer_find_word(page);
		if (!word || !(*word & SLAB_BIT))
			continue;
		slab = memorizer_ptr(*word & ~SLAB_BIT);
		id = slab->below;
		CHECK(!id || memorizer_index_area(page) == id);
	}
}

/**
 * compare() - compare everything that show_stats and the files show
 */
void compare(void)
{
	unsigned int i, shown = 0;
	bool closed = false;

	compare_counters();
	check_areas();
	for (i = 0; i < model.objects; i++) {
		CHECK_EQ(memorizer_object_kind(model.object[i]->record), model.object[i]->kind);
		if (model.object[i]->state == MODEL_LEAVING) {
			compare_rows(model.object[i], false);
			continue;
		}
		compare_object(model.object[i]);
		shown++;
		closed |= model.object[i]->state != MODEL_LIVE;
	}
	if (model.user.record)
		compare_rows(&model.user, false);
	else
		CHECK_EQ(model.user.rows.count, 0);
	CHECK_EQ(shown_objects(), shown);
	CHECK_EQ(memorizer_has_closed(), closed);
}

static void begin_walk(void)
{
	unsigned int i;

	for (i = 0; i < model.objects; i++)
		model.object[i]->walk = MODEL_EXPECTED;
}

static void end_walk(void)
{
	unsigned int i;

	for (i = 0; i < model.objects; i++)
		CHECK(model.object[i]->walk != MODEL_EXPECTED ||
		      model.object[i]->state == MODEL_LEAVING);
}

/**
 * walk_objects() - walk on through the objects of the KMAP, as a reader of the file does
 * @count: number of objects
 *
 * "Each object appears once", whatever happens during the walk.
 */
void walk_objects(unsigned int count)
{
	static unsigned long pos;
	struct memorizer_object *record;
	unsigned int i;

	if (!pos)
		begin_walk();
	while (count--) {
		record = next_shown(&pos);
		if (!record) {
			end_walk();
			pos = 0;
			return;
		}
		for (i = 0; i < model.objects && model.object[i]->record != record; i++)
			;
		CHECK(i < model.objects);
		CHECK(model.object[i]->state != MODEL_LEAVING);
		CHECK(model.object[i]->walk != MODEL_SEEN);
		model.object[i]->walk = MODEL_SEEN;
	}
}

/* Has the reader missed a row that was there when it began? */
static void check_passed(struct reader *reader, const struct model_row *row)
{
	const struct model_row *before;

	for (; reader->next < reader->before.count; reader->next++) {
		before = &reader->before.row[reader->next];
		if (row && model_order(before, row) >= 0)
			return;
		CHECK(is_empty(before));
	}
}

/* At least what was counted before the reader began, at most what is counted now. */
static void check_row(struct reader *reader, const struct model_row *row)
{
	struct model_row most = *row, least = { };
	struct model_rows now;

	CHECK(!reader->any || model_order(&reader->last, row) < 0);
	reader->last = *row;
	reader->any = true;
	check_passed(reader, row);
	if (reader->next < reader->before.count &&
	    !model_order(&reader->before.row[reader->next], row))
		least = reader->before.row[reader->next++];
	CHECK(row->reads >= least.reads && row->writes >= least.writes);
	CHECK(row->read_moves >= least.read_moves && row->write_moves >= least.write_moves);
	model_view(reader->object, reader->rows.by_granule, &now);
	limit_row(&most, &now, true, true);
	free(now.row);
	CHECK(!memcmp(&most, row, sizeof(most)));
}

/**
 * reader_begin() - begin to read an object's rows
 * @reader: the reader
 * @object: the object
 * @by_granule: true for the rows of kmap_fields
 */
void reader_begin(struct reader *reader, struct model_object *object, bool by_granule)
{
	*reader = (struct reader) { .object = object };
	object->readers++;
	model_view(object, by_granule, &reader->before);
	down_read(&memorizer_rwsem);
	memorizer_lock_entries(object->record);
	memorizer_rows_begin(&reader->rows, object->record, by_granule);
	memorizer_unlock_entries(object->record);
	up_read(&memorizer_rwsem);
}

/**
 * reader_read() - read some rows
 * @reader: a reader within an object, which it leaves after the last row
 * @count: the number of rows
 */
void reader_read(struct reader *reader, unsigned int count)
{
	struct memorizer_row row;
	struct model_row next;
	bool any;

	while (count--) {
		down_write(&memorizer_rwsem);
		any = memorizer_rows_next(&reader->rows, &row);
		up_write(&memorizer_rwsem);
		if (!any) {
			check_passed(reader, NULL);
			reader_end(reader);
			return;
		}
		if (shown_row(&row, reader->rows.by_granule, &next))
			check_row(reader, &next);
	}
}

/**
 * reader_end() - stop reading
 * @reader: a reader within an object
 */
void reader_end(struct reader *reader)
{
	down_write(&memorizer_rwsem);
	memorizer_rows_end(&reader->rows);
	up_write(&memorizer_rwsem);
	free(reader->before.row);
	reader->object->readers--;
	reader->object = NULL;
}
