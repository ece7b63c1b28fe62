// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's KMAP, as text.
 *
 * One record after the other, in the order of the pool. Each object is shown
 * once and whole, with the counts of all CPUs added up; tracing goes on
 * meanwhile, clearing waits while a buffer is filled. The reader's own work is
 * not recorded.
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sort.h>

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
 * Context: process context, may sleep, under memorizer_mutex.
 * Return: the object, NULL behind the last
 */
struct memorizer_object *memorizer_kmap_next(unsigned long *pos)
{
	struct memorizer_object *object;

	while ((object = memorizer_object_from(pos))) {
		if (is_shown(object))
			return object;
		cond_resched();
	}
	return NULL;
}

static struct memorizer_object *next_object(struct memorizer_kmap_reader *reader,
					    unsigned long from)
{
	reader->after = from;
	return memorizer_kmap_next(&reader->after);
}

static void *kmap_start(struct seq_file *m, loff_t *pos)
{
	mutex_lock(&memorizer_mutex);
	return next_object(m->private, *pos);
}

static void *kmap_next(struct seq_file *m, void *object, loff_t *pos)
{
	struct memorizer_kmap_reader *reader = m->private;

	*pos = reader->after;
	return next_object(reader, *pos);
}

static void kmap_stop(struct seq_file *m, void *object)
{
	mutex_unlock(&memorizer_mutex);
}

static int compare_counts(const void *a, const void *b)
{
	const struct memorizer_kmap_count *x = a, *y = b;

	if (x->ip != y->ip)
		return x->ip < y->ip ? -1 : 1;
	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/* Makes room for one more line. */
static int grow_counts(struct memorizer_kmap_reader *reader, size_t used)
{
	size_t room = reader->room ? 2 * reader->room : 64;
	struct memorizer_kmap_count *count;

	if (used < reader->room)
		return 0;
	count = kvmalloc_array(room, sizeof(*count), GFP_KERNEL);
	if (!count)
		return -ENOMEM;
	if (used)
		memcpy(count, reader->count, used * sizeof(*count));
	kvfree(reader->count);
	reader->count = count;
	reader->room = room;
	return 0;
}

/**
 * memorizer_kmap_add_up() - add the counts of an object's accesses up over all CPUs
 * @reader: gets them, in the order of ip and pid
 * @object: the object
 *
 * Context: process context, may sleep, under memorizer_mutex.
 * Return: the number of lines, or -ENOMEM
 */
ssize_t memorizer_kmap_add_up(struct memorizer_kmap_reader *reader,
			      const struct memorizer_object *object)
{
	const struct memorizer_entry *entry;
	struct memorizer_kmap_count *count, *end;
	size_t used = 0;
	int err;
	u32 id;

	for (id = READ_ONCE(object->entries); id; id = READ_ONCE(entry->link)) {
		err = grow_counts(reader, used);
		if (err)
			return err;
		entry = memorizer_ptr(id);
		count = &reader->count[used++];
		count->ip = entry->ip;
		count->pid = entry->pid;
		count->reads = local_read(&entry->reads);
		count->writes = local_read(&entry->writes);
	}
	if (!used)
		return 0;
	sort(reader->count, used, sizeof(*count), compare_counts, NULL);

	end = reader->count;
	for (count = end + 1; count < reader->count + used; count++) {
		if (compare_counts(end, count)) {
			*++end = *count;
		} else {
			end->reads += count->reads;
			end->writes += count->writes;
		}
	}
	return end + 1 - reader->count;
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
 * memorizer_kmap_show() - show an object and its accesses
 * @m: where to; its private data is a struct memorizer_kmap_reader
 * @v: the object
 *
 * Context: process context, may sleep, under memorizer_mutex.
 * Return: 0, or -ENOMEM
 */
int memorizer_kmap_show(struct seq_file *m, void *v)
{
	const struct memorizer_object *object = v;
	struct memorizer_kmap_reader *reader = m->private;
	unsigned long free_jiffies = 0, free_ip = 0;
	const struct memorizer_kmap_count *count;
	ssize_t lines;
	u32 state;

	/* Pairs with the cmpxchg in close_object(): then the free is described. */
	state = smp_load_acquire(&object->state);
	if (state == MEMORIZER_FREED || state == MEMORIZER_BURIED) {
		free_jiffies = object->free_jiffies;
		free_ip = state == MEMORIZER_BURIED ? 0xdeadbeef :
			memorizer_unpack_ip(object->free_ip);
	}
	lines = memorizer_kmap_add_up(reader, object);
	if (lines < 0)
		return lines;

	seq_printf(m, "%lx,%u,%lx,%u,%lu,%lu,%lx,", memorizer_unpack_ip(object->alloc_ip),
		   object->pid, object->va, object->size, object->alloc_jiffies,
		   free_jiffies, free_ip);
	show_comm(m, object->comm);
	seq_putc(m, '\n');
	for (count = reader->count; count < reader->count + lines; count++)
		seq_printf(m, "  %lx,%u,%lu,%lu\n", memorizer_unpack_ip(count->ip), count->pid,
			   count->writes, count->reads);
	return 0;
}

static const struct seq_operations kmap_seq_ops = {
	.start = kmap_start,
	.next = kmap_next,
	.stop = kmap_stop,
	.show = memorizer_kmap_show,
};

static int kmap_open(struct inode *inode, struct file *file)
{
	int err = security_locked_down(LOCKDOWN_TRACEFS);

	if (err)
		return err;
	memorizer_pause();
	err = seq_open_private(file, &kmap_seq_ops, sizeof(struct memorizer_kmap_reader));
	memorizer_resume();
	return err;
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
	struct memorizer_kmap_reader *reader = ((struct seq_file *)file->private_data)->private;
	int ret;

	memorizer_pause();
	kvfree(reader->count);
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
