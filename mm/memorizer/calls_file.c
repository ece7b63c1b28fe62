// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's calls as a file, and their statistics.
 *
 * Opening the file copies the records of all CPUs, and adds up those with the same key. Calls are
 * counted meanwhile. Reads show the copy.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/rwsem.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/sort.h>
#include <linux/vmalloc.h>

#include "calls.h"
#include "entry.h"
#include "memorizer.h"
#include "object.h"
#include "pool.h"
#include "tasks.h"

struct row {
	u32 from;
	u32 to;
	u32 pid;
	u64 count;
};

/**
 * struct snapshot - the rows of an open file
 * @room: number of rows that it has room for
 * @nr: number of rows
 * @row: the rows, ascending
 */
struct snapshot {
	size_t room;
	size_t nr;
	struct row row[];
};

static int copy_call(const struct memorizer_call *call, void *arg)
{
	struct snapshot *snapshot = arg;

	if (snapshot->nr == snapshot->room)
		return -ENOSPC;
	snapshot->row[snapshot->nr++] = (struct row){
		.from = call->from,
		.to = call->to,
		.pid = call->pid,
		.count = local_read(&call->count),
	};
	return 0;
}

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	/* sort() does not reschedule. */
	memorizer_may_schedule();
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/* Sort the rows, and add up those with the same key. */
static void settle(struct snapshot *snapshot)
{
	struct row *row = snapshot->row;
	size_t i, nr = 0;

	sort(row, snapshot->nr, sizeof(*row), compare_rows, NULL);
	for (i = 0; i < snapshot->nr; i++) {
		if (nr && !compare_rows(&row[nr - 1], &row[i]))
			row[nr - 1].count += row[i].count;
		else
			row[nr++] = row[i];
	}
	snapshot->nr = nr;
}

static int copy_calls(struct snapshot *snapshot)
{
	int err = down_read_killable(&memorizer_rwsem);

	if (err)
		return err;
	err = memorizer_visit_calls(copy_call, snapshot);
	up_read(&memorizer_rwsem);
	return err;
}

static struct snapshot *take_snapshot(void)
{
	struct snapshot *snapshot;
	size_t used;
	int err;

	do {
		/* Some room for calls that are recorded meanwhile. */
		used = memorizer_class_used(MEMORIZER_CALL);
		used += used / 8 + 1024;
		snapshot = vmalloc(struct_size(snapshot, row, used));
		if (!snapshot)
			return ERR_PTR(-ENOMEM);
		snapshot->room = used;
		snapshot->nr = 0;
		err = copy_calls(snapshot);
		if (!err) {
			settle(snapshot);
			return snapshot;
		}
		vfree(snapshot);
	} while (err == -ENOSPC);
	return ERR_PTR(err);
}

static void *calls_start(struct seq_file *m, loff_t *pos)
{
	struct snapshot *snapshot = m->private;

	return *pos < snapshot->nr ? &snapshot->row[*pos] : NULL;
}

static void *calls_next(struct seq_file *m, void *row, loff_t *pos)
{
	++*pos;
	return calls_start(m, pos);
}

static void calls_stop(struct seq_file *m, void *row)
{
}

static int calls_show(struct seq_file *m, void *arg)
{
	const struct row *row = arg;

	seq_printf(m, "%016lx,%016lx,%u,%llu\n", memorizer_unpack_ip(row->from),
		   memorizer_unpack_ip(row->to), row->pid, row->count);
	return 0;
}

static const struct seq_operations calls_ops = {
	.start = calls_start,
	.next = calls_next,
	.stop = calls_stop,
	.show = calls_show,
};

static int open_snapshot(struct file *file)
{
	struct snapshot *snapshot = take_snapshot();
	int err;

	if (IS_ERR(snapshot))
		return PTR_ERR(snapshot);
	err = seq_open(file, &calls_ops);
	if (err)
		vfree(snapshot);
	else
		((struct seq_file *)file->private_data)->private = snapshot;
	return err;
}

static int calls_open(struct inode *inode, struct file *file)
{
	/* Like tracefs, the file reveals kernel addresses. */
	int err = security_locked_down(LOCKDOWN_TRACEFS);

	if (err)
		return err;
	/* The reader's own calls would add rows to what it reads. */
	memorizer_pause();
	err = open_snapshot(file);
	memorizer_resume();
	return err;
}

static ssize_t calls_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	ssize_t ret;

	memorizer_pause();
	ret = seq_read(file, buf, count, pos);
	memorizer_resume();
	return ret;
}

static int calls_release(struct inode *inode, struct file *file)
{
	memorizer_pause();
	vfree(((struct seq_file *)file->private_data)->private);
	seq_release(inode, file);
	memorizer_resume();
	return 0;
}

const struct file_operations memorizer_calls_fops = {
	.owner = THIS_MODULE,
	.open = calls_open,
	.read = calls_read,
	.llseek = seq_lseek,
	.release = calls_release,
};

static int add_count(const struct memorizer_call *call, void *arg)
{
	*(u64 *)arg += local_read(&call->count);
	return 0;
}

/**
 * memorizer_calls_stats() - print the statistics of calls
 * @m: the output
 * @sum: the counters of all CPUs
 *
 * Context: process context, may sleep, under memorizer_rwsem.
 */
void memorizer_calls_stats(struct seq_file *m, const struct memorizer_counters *sum)
{
	u64 calls = 0;

	/* Too small if the task was killed, but then nobody reads it. */
	memorizer_visit_calls(add_count, &calls);
	seq_printf(m, "calls: %llu\n", calls);
	seq_printf(m, "calls_cleared: %llu\n", memorizer_cleared.calls);
	seq_printf(m, "calls_paused: %llu\n", sum->calls_paused);
	seq_printf(m, "calls_left_out: %llu\n", sum->calls_left_out);
	seq_printf(m, "lost_calls_pool_full: %llu\n", sum->lost[MEMORIZER_LOST_CALL]);
	seq_printf(m, "pool_calls: %lu\n", memorizer_pool_bytes(MEMORIZER_CALL, MEMORIZER_CALL));
}
