// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's KMAP as files: kmap, kmap_fields, kmap_kinds, kmap_stacks, traffic and user.
 *
 * Objects are shown in the order of the pool, each with its rows. traffic shows only objects
 * whose cache lines moved, user only the record of accesses to user memory. Each object is shown
 * once, completely, with the counts of all CPUs added up. Tracing continues meanwhile. Several
 * readers may read concurrently.
 *
 * A reader fills its buffer with whole rows under memorizer_rwsem, and keeps its position when it
 * releases the lock. If that is within an object's rows, the object is pinned and not cleared.
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/sched/signal.h>
#include <linux/security.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "entry.h"
#include "kmap.h"
#include "memorizer.h"
#include "object.h"
#include "pool.h"
#include "rows.h"
#include "tasks.h"
#include "user.h"

static bool is_shown(const struct memorizer_object *object)
{
	u32 state = READ_ONCE(object->state);

	return state == MEMORIZER_LIVE || state == MEMORIZER_FREED || state == MEMORIZER_BURIED;
}

/**
 * memorizer_kmap_next() - find the next object of the KMAP
 * @pos: position in the pool, 0 at first; advanced past the object
 *
 * Context: process context, may sleep, under memorizer_rwsem.
 * Return: the object, NULL after the last
 */
struct memorizer_object *memorizer_kmap_next(unsigned long *pos)
{
	struct memorizer_object *object;

	while ((object = memorizer_object_from(pos))) {
		if (is_shown(object))
			return object;
		memorizer_may_schedule();
	}
	return NULL;
}

/* The most that one read(2) returns. */
#define BUFFER_SIZE	SZ_64K

/**
 * struct kmap_reader - an open file
 * @mutex: serializes reads
 * @view: what is shown of each object
 * @pos: position in the file after the last read
 * @next: position of the next object in the pool
 * @at_end: there is no next object
 * @rows: the position in an object's rows; @rows.object is NULL between objects
 * @begin: bytes of @text that were read
 * @end: bytes of @text
 * @text: complete rows
 */
struct kmap_reader {
	struct mutex mutex;	/* guards all below */
	enum memorizer_kmap view;
	loff_t pos;
	unsigned long next;
	bool at_end;
	struct memorizer_rows rows;
	size_t begin;
	size_t end;
	char text[BUFFER_SIZE];
};

static bool has_room(const struct kmap_reader *reader)
{
	return reader->end + MEMORIZER_ROW_MAX <= sizeof(reader->text);
}

static bool has_traffic(const struct memorizer_object *object)
{
	const struct memorizer_entry *entry;
	bool has = false;
	u32 id;

	/* The reader of another file may be sorting the list. */
	memorizer_lock_entries(object);
	for (id = READ_ONCE(object->entries); id && !has; id = READ_ONCE(entry->link)) {
		entry = memorizer_ptr(id);
		has = memorizer_is_traffic(entry);
		memorizer_may_schedule();
	}
	memorizer_unlock_entries(object);
	return has;
}

static bool has_kinds(const struct kmap_reader *reader)
{
	return reader->view == MEMORIZER_KMAP_KINDS || reader->view == MEMORIZER_KMAP_STACKS ||
		reader->view == MEMORIZER_KMAP_USER;
}

static bool has_granules(const struct kmap_reader *reader)
{
	return reader->view == MEMORIZER_KMAP_FIELDS || has_kinds(reader);
}

static bool is_row_shown(const struct kmap_reader *reader, const struct memorizer_row *row)
{
	/* Rows of moves have no granules, and are left out of those that have. */
	return reader->view == MEMORIZER_KMAP_TRAFFIC ? row->read_moves | row->write_moves :
							row->reads | row->writes;
}

static char *put_row(const struct kmap_reader *reader, char *to, const struct memorizer_row *row)
{
	switch (reader->view) {
	case MEMORIZER_KMAP_FIELDS:
	case MEMORIZER_KMAP_KINDS:
	case MEMORIZER_KMAP_STACKS:
		return memorizer_format_field(to, reader->rows.object, row);
	case MEMORIZER_KMAP_TRAFFIC:
		return memorizer_format_traffic(to, row);
	default:
		return memorizer_format_row(to, row);
	}
}

/* Write rows of a pinned object, whose entries are locked. Unpins it after the last row. */
static void put_access_rows(struct kmap_reader *reader)
{
	struct memorizer_row row;
	char *to;

	while (has_room(reader)) {
		if (!memorizer_rows_next(&reader->rows, &row)) {
			memorizer_rows_end(&reader->rows);
			return;
		}
		if (!is_row_shown(reader, &row))
			continue;
		to = reader->text + reader->end;
		reader->end += put_row(reader, to, &row) - to;
	}
}

static void continue_rows(struct kmap_reader *reader)
{
	const struct memorizer_object *object = reader->rows.object;

	memorizer_lock_entries(object);
	put_access_rows(reader);
	memorizer_unlock_entries(object);
}

static void put_object(struct kmap_reader *reader, struct memorizer_object *object)
{
	char *to = reader->text + reader->end;

	if (reader->view == MEMORIZER_KMAP_TRAFFIC && !has_traffic(object))
		return;
	if (has_kinds(reader))
		to = memorizer_format_kind(to, object);
	to = memorizer_format_object(to, object);
	if (reader->view == MEMORIZER_KMAP_STACKS)
		to = memorizer_format_stack(to, object);
	reader->end = to - reader->text;
	/* First: the list seems empty while another reader sorts it. */
	memorizer_lock_entries(object);
	if (READ_ONCE(object->entries)) {
		memorizer_rows_begin(&reader->rows, object, has_granules(reader));
		put_access_rows(reader);
	}
	memorizer_unlock_entries(object);
}

/* Find the next record to look at. Returns NULL after the last. */
static struct memorizer_object *next_object(struct kmap_reader *reader)
{
	if (reader->view == MEMORIZER_KMAP_USER)
		return reader->next++ ? NULL : memorizer_user_counts();
	return memorizer_object_from(&reader->next);
}

/* Fill the buffer, under memorizer_rwsem. Returns early if the lock should be released. */
static void put_rows(struct kmap_reader *reader)
{
	struct memorizer_object *object;

	if (reader->rows.object)
		continue_rows(reader);
	while (has_room(reader)) {
		/* Objects do not move in the pool: the position stays valid without the lock. */
		object = next_object(reader);
		if (!object) {
			reader->at_end = true;
			return;
		}
		if (reader->view == MEMORIZER_KMAP_USER || is_shown(object))
			put_object(reader, object);
		/* Between objects, let writers of the lock proceed. */
		if (signal_pending(current) || rwsem_is_contended(&memorizer_rwsem))
			return;
		memorizer_may_schedule();
	}
}

/* Make more rows, unless there are none left. */
static int fill(struct kmap_reader *reader)
{
	reader->begin = 0;
	reader->end = 0;
	/* put_rows() may return without any row, to let writers proceed. */
	while (!reader->end && !reader->at_end) {
		/* An uncontended down_read_interruptible() succeeds despite a signal. */
		if (signal_pending(current) || down_read_interruptible(&memorizer_rwsem))
			return -ERESTARTSYS;
		put_rows(reader);
		up_read(&memorizer_rwsem);
	}
	return 0;
}

static void restart(struct kmap_reader *reader)
{
	/* Unpin under the lock: memorizer_is_pinned() walks the list of readers. */
	down_read(&memorizer_rwsem);
	memorizer_rows_end(&reader->rows);
	up_read(&memorizer_rwsem);
	reader->pos = 0;
	reader->next = 0;
	reader->at_end = false;
	reader->begin = 0;
	reader->end = 0;
}

static ssize_t read_rows(struct kmap_reader *reader, char __user *to, size_t count, loff_t *pos)
{
	int err;

	/* The file was rewound: begin again, with the objects of now. */
	if (!*pos && reader->pos)
		restart(reader);
	/* Rows vary in size: a seek would have to format all rows before the position. */
	if (*pos != reader->pos)
		return -ESPIPE;
	err = reader->begin == reader->end ? fill(reader) : 0;
	if (err)
		return err;
	count = min(count, reader->end - reader->begin);
	/* memorizer_rwsem is released: a page fault may take long. */
	if (copy_to_user(to, reader->text + reader->begin, count))
		return -EFAULT;
	reader->begin += count;
	reader->pos += count;
	*pos = reader->pos;
	return count;
}

static ssize_t kmap_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	struct kmap_reader *reader = file->private_data;
	ssize_t ret = -ERESTARTSYS;

	/* The reader's own accesses would add rows to what it reads. */
	memorizer_pause();
	if (!mutex_lock_interruptible(&reader->mutex)) {
		ret = read_rows(reader, buf, count, pos);
		mutex_unlock(&reader->mutex);
	}
	memorizer_resume();
	return ret;
}

/* Seek to the beginning, or return the position. */
static loff_t kmap_llseek(struct file *file, loff_t offset, int whence)
{
	if (whence == SEEK_CUR)
		offset += file->f_pos;
	else if (whence != SEEK_SET)
		return -EINVAL;
	if (offset && offset != file->f_pos)
		return -ESPIPE;
	file->f_pos = offset;
	return offset;
}

static int kmap_open(struct inode *inode, struct file *file)
{
	/* Like tracefs, the files reveal kernel addresses. */
	int err = security_locked_down(LOCKDOWN_TRACEFS);
	struct kmap_reader *reader;

	if (err)
		return err;
	memorizer_pause();
	reader = kvzalloc(sizeof(*reader), GFP_KERNEL);
	if (reader) {
		mutex_init(&reader->mutex);
		reader->view = (unsigned long)inode->i_private;
		file->private_data = reader;
	}
	memorizer_resume();
	return reader ? 0 : -ENOMEM;
}

static int kmap_release(struct inode *inode, struct file *file)
{
	struct kmap_reader *reader = file->private_data;

	memorizer_pause();
	/* The reader may have stopped within the rows of an object, which it pins. */
	restart(reader);
	kvfree(reader);
	memorizer_resume();
	return 0;
}

/* The inode has an enum memorizer_kmap. */
const struct file_operations memorizer_kmap_fops = {
	.owner = THIS_MODULE,
	.open = kmap_open,
	.read = kmap_read,
	.llseek = kmap_llseek,
	.release = kmap_release,
};
