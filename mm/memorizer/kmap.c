// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's KMAP, as text, also by granule; and its traffic: the cache lines that accesses moved.
 *
 * One record after the other, an object or one of its lines, in the order of the
 * pool; of the traffic, those that have any. Each object is shown once and whole,
 * with the counts of all CPUs added up; tracing goes on meanwhile, clearing waits
 * while a buffer is filled, and spares the object that the reader is at. Several
 * read at once. A reader's own work is not recorded.
 */
#include <linux/bits.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/rwsem.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "memorizer.h"

static bool is_shown(const struct memorizer_object *object)
{
	u32 state = READ_ONCE(object->state);

	return state == MEMORIZER_LIVE || state == MEMORIZER_FREED || state == MEMORIZER_BURIED;
}

/**
 * memorizer_kmap_next() - the next object of the KMAP
 * @pos: position in the pool, 0 at first; is set behind the object
 *
 * Context: process context, may sleep, under memorizer_rwsem.
 * Return: the object, NULL behind the last
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

/* What a file shows of each object. */
enum kmap_view { ACCESSES, FIELDS, TRAFFIC };

/**
 * struct kmap_reader - one open file
 * @view: what is shown
 * @pos: number of the record that is shown, an object's or a line
 * @object_pos: the object's position in the pool
 * @after: position behind it
 * @object: the object, NULL at the end of the KMAP; once its lines are shown,
 *	pinned, and held while a buffer is filled
 * @held: it is
 * @lines: where the reader is among the object's lines
 * @line: the line that is shown, if it is not the object's own
 */
struct kmap_reader {
	enum kmap_view view;
	loff_t pos;
	unsigned long object_pos;
	unsigned long after;
	struct memorizer_object *object;
	bool held;
	struct memorizer_lines lines;
	struct memorizer_line line;
};

static bool has_traffic(const struct memorizer_object *object)
{
	const struct memorizer_entry *entry;
	bool has = false;
	u32 id;

	memorizer_hold(object);
	for (id = READ_ONCE(object->entries); id && !has; id = READ_ONCE(entry->link)) {
		entry = memorizer_ptr(id);
		has = memorizer_is_traffic(entry);
		memorizer_may_schedule();
	}
	memorizer_release(object);
	return has;
}

static void hold(struct kmap_reader *reader)
{
	memorizer_hold(reader->object);
	reader->held = true;
}

static void let_go(struct kmap_reader *reader)
{
	if (reader->held)
		memorizer_release(reader->object);
	reader->held = false;
}

/* Goes to the first object at or behind a position in the pool. */
static void *go_to_object(struct kmap_reader *reader, unsigned long from)
{
	let_go(reader);
	memorizer_lines_end(&reader->lines);
	reader->after = from;
	do {
		reader->object = memorizer_kmap_next(&reader->after);
	} while (reader->object && reader->view == TRAFFIC && !has_traffic(reader->object));
	if (!reader->object)
		return NULL;
	reader->object_pos = reader->after - sizeof(*reader->object);
	return reader;
}

/*
 * A record that did not fit is shown again, when the buffer was read: an object
 * may be gone by then, a line stays as it was taken.
 */
static void *kmap_start(struct seq_file *m, loff_t *pos)
{
	struct kmap_reader *reader = m->private;

	if (down_read_killable(&memorizer_rwsem))
		return ERR_PTR(-EINTR);
	if (!*pos) {
		reader->pos = 0;
		return go_to_object(reader, 0);
	}
	/* seq_file goes from one to the next, and begins anew to seek. */
	if (WARN_ON_ONCE(*pos != reader->pos))
		return NULL;
	if (reader->lines.object) {
		hold(reader);
		return reader;
	}
	return reader->object ? go_to_object(reader, reader->object_pos) : NULL;
}

/* Takes the next line that is to be shown; false if there is none. */
static bool next_line(struct kmap_reader *reader)
{
	const struct memorizer_line *line = &reader->line;

	while (memorizer_lines_next(&reader->lines, &reader->line))
		if (reader->view == TRAFFIC ? line->read_moves | line->write_moves :
					      line->reads | line->writes)
			return true;
	return false;
}

static void *kmap_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct kmap_reader *reader = v;

	reader->pos = ++*pos;
	if (!reader->lines.object) {
		hold(reader);
		memorizer_lines_begin(&reader->lines, reader->object, reader->view == FIELDS);
	}
	return next_line(reader) ? reader : go_to_object(reader, reader->after);
}

static void kmap_stop(struct seq_file *m, void *v)
{
	if (IS_ERR(v))
		return;
	let_go(m->private);
	up_read(&memorizer_rwsem);
}

/* Anything unprintable, and the backslash that says so, is escaped. */
static void show_comm(struct seq_file *m, const char *comm)
{
	unsigned int i;

	for (i = 0; i < sizeof_field(struct memorizer_object, comm) && comm[i]; i++) {
		if (comm[i] == '\\')
			seq_puts(m, "\\\\");
		else if (comm[i] >= ' ' && comm[i] <= '~')
			seq_putc(m, comm[i]);
		else
			seq_printf(m, "\\x%02x", (u8)comm[i]);
	}
}

/**
 * memorizer_kmap_show_object() - show an object
 * @m: where to
 * @object: the object
 *
 * Context: process context, under memorizer_rwsem.
 */
void memorizer_kmap_show_object(struct seq_file *m, const struct memorizer_object *object)
{
	unsigned long free_jiffies = 0, free_ip = 0;
	u32 state;

	/* Pairs with the cmpxchg in close_object(): then the free is described. */
	state = smp_load_acquire(&object->state);
	if (state == MEMORIZER_FREED || state == MEMORIZER_BURIED) {
		free_jiffies = memorizer_free_jiffies(object);
		free_ip = state == MEMORIZER_BURIED ? 0xdeadbeef :
			memorizer_unpack_ip(object->free_ip);
	}
	seq_put_hex_ll(m, NULL, memorizer_unpack_ip(object->alloc_ip), 0);
	seq_put_decimal_ull(m, ",", memorizer_object_pid(object));
	seq_put_hex_ll(m, ",", memorizer_object_va(object), 0);
	seq_put_decimal_ull(m, ",", object->size);
	seq_put_decimal_ull(m, ",", memorizer_alloc_jiffies(object));
	seq_put_decimal_ull(m, ",", free_jiffies);
	seq_put_hex_ll(m, ",", free_ip, 0);
	seq_putc(m, ',');
	show_comm(m, object->comm);
	seq_putc(m, '\n');
}

/*
 * A line is put together here, where it is to be: there are millions of them, and a call of
 * seq_file's for each number, or a format, would take most of the time.
 */
#define NUMBER_SIZE	20
#define LINE_SIZE	128

/* Where to put a line, NULL if there is no room: seq_file then makes some, and asks again. */
static char *begin_line(struct seq_file *m)
{
	char *to;

	if (seq_get_buf(m, &to) >= LINE_SIZE)
		return to;
	seq_commit(m, -1);
	return NULL;
}

static void end_line(struct seq_file *m, const char *begin, char *end)
{
	*end++ = '\n';
	seq_commit(m, end - begin);
}

/* Eight digits, each in a byte, the first in the lowest, and ten to fifteen as letters. */
static u64 hex_digits(u32 number)
{
	u64 digits = (u64)(u16)number << 32 | number >> 16;

	digits = (digits & 0x000000ff000000ff) << 16 | (digits >> 8 & 0x000000ff000000ff);
	digits = (digits & 0x000f000f000f000f) << 8 | (digits >> 4 & 0x000f000f000f000f);
	return digits + 0x3030303030303030 +
		((digits + 0x0606060606060606) >> 4 & 0x0101010101010101) * ('a' - '0' - 10);
}

/* Of memorizer_unpack_ip(), all digits. */
static char *put_ip(char *to, u32 ip)
{
	memcpy(to, ip & BIT(31) ? "ffffffff" : "00000000", 8);
	put_unaligned_le64(hex_digits(ip), to + 8);
	return to + 16;
}

static char *put_number(char *to, char before, u64 number)
{
	u64 digits = 0;
	char *end;

	*to++ = before;
	/* As most counts are. */
	if (number < 10) {
		*to++ = '0' + number;
		return to;
	}
	if (number >= 100000000)
		return to + num_to_str(to, NUMBER_SIZE, number, 0);
	/* The last digit first. What is stored behind them is overwritten by what comes next. */
	for (end = to; number; number /= 10, end++)
		digits = digits << 8 | ('0' + number % 10);
	put_unaligned_le64(digits, to);
	return end;
}

static char *put_who(char *to, const struct memorizer_line *line)
{
	*to++ = ' ';
	*to++ = ' ';
	return put_number(put_ip(to, line->ip), ',', line->pid);
}

static char *put_counts(char *to, const struct memorizer_line *line)
{
	return put_number(put_number(to, ',', line->writes), ',', line->reads);
}

/**
 * memorizer_kmap_show_line() - show what one ip did to an object for one pid
 * @m: where to
 * @line: the line
 *
 * Context: process context.
 */
void memorizer_kmap_show_line(struct seq_file *m, const struct memorizer_line *line)
{
	char *text = begin_line(m);

	if (text)
		end_line(m, text, put_counts(put_who(text, line), line));
}

/* The same, and where in the object, in bytes, if that is known. */
static void show_field(struct seq_file *m, const struct memorizer_object *object,
		       const struct memorizer_line *line)
{
	u32 first = (line->granules >> 16) * MEMORIZER_GRANULE;
	u32 end = ((line->granules & U16_MAX) + 1) * MEMORIZER_GRANULE;
	char *text = begin_line(m), *to;

	if (!text)
		return;
	to = put_counts(put_who(text, line), line);
	if (line->granules != MEMORIZER_NO_GRANULES) {
		to = put_number(to, ',', first);
		to = put_number(to, '+', min(end, object->size) - first);
	}
	end_line(m, text, to);
}

static void show_traffic(struct seq_file *m, const struct memorizer_line *line)
{
	char *text = begin_line(m), *to;

	if (!text)
		return;
	to = put_number(put_who(text, line), ',', line->write_moves);
	to = put_number(to, ',', line->read_moves);
	end_line(m, text, put_counts(to, line));
}

static int kmap_show(struct seq_file *m, void *v)
{
	const struct kmap_reader *reader = v;

	if (!reader->lines.object)
		memorizer_kmap_show_object(m, reader->object);
	else if (reader->view == TRAFFIC)
		show_traffic(m, &reader->line);
	else if (reader->view == FIELDS)
		show_field(m, reader->object, &reader->line);
	else
		memorizer_kmap_show_line(m, &reader->line);
	return 0;
}

static const struct seq_operations kmap_seq_ops = {
	.start = kmap_start,
	.next = kmap_next,
	.stop = kmap_stop,
	.show = kmap_show,
};

/* Each read(2) gives so much, if it asks for that. */
#define BUFFER_SIZE	SZ_64K

static int open_reader(struct file *file, enum kmap_view view)
{
	int err = security_locked_down(LOCKDOWN_TRACEFS);
	struct kmap_reader *reader;
	struct seq_file *m;

	if (err)
		return err;
	memorizer_pause();
	reader = __seq_open_private(file, &kmap_seq_ops, sizeof(*reader));
	if (reader) {
		reader->view = view;
		/* As single_open_size() does; seq_file makes a small one if there is none. */
		m = file->private_data;
		m->buf = kvmalloc(BUFFER_SIZE, GFP_KERNEL);
		m->size = m->buf ? BUFFER_SIZE : 0;
	}
	memorizer_resume();
	return reader ? 0 : -ENOMEM;
}

static int kmap_open(struct inode *inode, struct file *file)
{
	return open_reader(file, ACCESSES);
}

static int fields_open(struct inode *inode, struct file *file)
{
	return open_reader(file, FIELDS);
}

static int traffic_open(struct inode *inode, struct file *file)
{
	return open_reader(file, TRAFFIC);
}

static ssize_t kmap_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	ssize_t ret;

	memorizer_pause();
	ret = seq_read(file, buf, count, pos);
	memorizer_resume();
	return ret;
}

static int kmap_release(struct inode *inode, struct file *file)
{
	struct kmap_reader *reader = ((struct seq_file *)file->private_data)->private;
	int ret;

	memorizer_pause();
	down_read(&memorizer_rwsem);
	memorizer_lines_end(&reader->lines);
	up_read(&memorizer_rwsem);
	ret = seq_release_private(inode, file);
	memorizer_resume();
	return ret;
}

const struct file_operations memorizer_kmap_fops = {
	.owner = THIS_MODULE,
	.open = kmap_open,
	.read = kmap_read,
	.llseek = seq_lseek,
	.release = kmap_release,
};

const struct file_operations memorizer_fields_kmap_fops = {
	.owner = THIS_MODULE,
	.open = fields_open,
	.read = kmap_read,
	.llseek = seq_lseek,
	.release = kmap_release,
};

const struct file_operations memorizer_traffic_fops = {
	.owner = THIS_MODULE,
	.open = traffic_open,
	.read = kmap_read,
	.llseek = seq_lseek,
	.release = kmap_release,
};
