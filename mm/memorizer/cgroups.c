// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's choice of tasks by cgroup.
 *
 * A task outside of the chosen cgroups and their descendants has MEMORIZER_OUTSIDE in its
 * memorizer_key, independent of MEMORIZER_LEFT_OUT (tasks.c). The flag is updated when the task
 * is attached to a cgroup, which includes fork, and when the choice changes.
 *
 * Cgroups are those of the unified hierarchy, which contains all tasks.
 */
#include <linux/cgroup.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/limits.h>
#include <linux/memorizer.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/nsproxy.h>
#include <linux/overflow.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "list_file.h"
#include "memorizer.h"
#include "tasks.h"

#define SEPARATORS	" \t\n"

/* No cgroup is chosen. Shown when all chosen cgroups have been removed. */
#define NO_GROUP	"none"

/**
 * struct groups - a set of cgroups
 * @nr: number of cgroups
 * @group: the cgroups; each holds a reference
 */
struct groups {
	unsigned int nr;
	struct cgroup *group[];
};

/* Serializes changing and showing the choice. */
static DEFINE_MUTEX(groups_mutex);

/* NULL if all tasks are chosen. Written under groups_mutex and choice_lock. */
static struct groups *chosen;
static DEFINE_RAW_SPINLOCK(choice_lock);

static bool is_listed(const struct cgroup *group, const struct groups *groups)
{
	unsigned int i;

	for (i = 0; i < groups->nr; i++)
		if (groups->group[i] == group)
			return true;
	return false;
}

static bool is_inside(struct cgroup *group, const struct groups *groups)
{
	unsigned int i;

	for (i = 0; i < groups->nr; i++)
		if (cgroup_is_descendant(group, groups->group[i]))
			return true;
	return false;
}

/* Update MEMORIZER_OUTSIDE of a task, which may be moved concurrently. */
static void update_task(struct task_struct *task)
{
	unsigned long flags;
	bool outside;

	/* RCU protects the task's cgroup. */
	rcu_read_lock();
	raw_spin_lock_irqsave(&choice_lock, flags);
	/*
	 * Read under the lock, so that the later of two updates uses the newer cgroup and
	 * choice.
	 */
	outside = chosen && !is_inside(task_dfl_cgroup(task), chosen);
	memorizer_change_task(task, 0, MEMORIZER_OUTSIDE, outside ? MEMORIZER_OUTSIDE : 0);
	raw_spin_unlock_irqrestore(&choice_lock, flags);
	rcu_read_unlock();
}

void memorizer_cgroup_task(struct task_struct *task)
{
	update_task(task);
}

void memorizer_cgroup_moved(void)
{
	/* A concurrent change of the choice reloads all keys itself. Idle tasks are never moved. */
	if (READ_ONCE(chosen))
		memorizer_load_running_keys();
}

static void update_all_tasks(void)
{
	struct task_struct *leader, *task;
	int cpu;

	read_lock(&tasklist_lock);
	/* A task that is being forked is updated when it joins its cgroup. */
	for_each_process_thread(leader, task)
		update_task(task);
	/* Idle tasks are not in the list of processes. */
	for_each_possible_cpu(cpu)
		update_task(idle_task(cpu));
	read_unlock(&tasklist_lock);
	/* CPUs still use their copies of the old keys. */
	memorizer_load_keys();
}

static void put_groups(struct groups *groups)
{
	unsigned int i;

	if (!groups)
		return;
	for (i = 0; i < groups->nr; i++)
		cgroup_put(groups->group[i]);
	kfree(groups);
}

/* Split off the next word of a text. Returns NULL if there is none. */
static char *next_word(char **text)
{
	char *word;

	do {
		word = strsep(text, SEPARATORS);
	} while (word && !*word);
	return word;
}

static unsigned int count_words(const char *text)
{
	unsigned int nr;

	for (nr = 0; *(text += strspn(text, SEPARATORS)); nr++)
		text += strcspn(text, SEPARATORS);
	return nr;
}

/*
 * Look up and add the cgroups in a text. Skips duplicates, so that repeated appending does not
 * grow the set beyond the number of cgroups.
 */
static int add_groups(struct groups *groups, char *text)
{
	bool only = count_words(text) == 1;
	struct cgroup *group;
	char *word;

	while ((word = next_word(&text))) {
		/* Beside paths, NO_GROUP is an error: it does not begin with a slash. */
		if (only && !strcmp(word, NO_GROUP))
			break;
		if (*word != '/')
			return -EINVAL;
		group = cgroup_get_from_path(word);
		if (IS_ERR(group))
			return PTR_ERR(group);
		if (is_listed(group, groups))
			cgroup_put(group);
		else
			groups->group[groups->nr++] = group;
	}
	return 0;
}

/* Create a set of the cgroups in @text and, if not NULL, in @others. */
static struct groups *make_groups(const char *text, const struct groups *others)
{
	unsigned int nr = count_words(text) + (others ? others->nr : 0), i;
	struct groups *groups = kzalloc(struct_size(groups, group, nr), GFP_KERNEL);
	char *copy = kstrdup(text, GFP_KERNEL);
	int err = -ENOMEM;

	if (groups && copy) {
		for (i = 0; others && i < others->nr; i++) {
			groups->group[i] = others->group[i];
			/* @others drops its reference when the new set replaces it. */
			cgroup_get(groups->group[i]);
		}
		groups->nr = i;
		err = add_groups(groups, copy);
	}
	kfree(copy);
	if (!err)
		return groups;
	put_groups(groups);
	return ERR_PTR(err);
}

/* Set the choice. Returns the previous one. */
static struct groups *exchange(struct groups *groups)
{
	struct groups *old = chosen;
	unsigned long flags;

	/* Waits for update_task(): afterwards, no task is compared with the old choice. */
	raw_spin_lock_irqsave(&choice_lock, flags);
	WRITE_ONCE(chosen, groups);
	raw_spin_unlock_irqrestore(&choice_lock, flags);
	return old;
}

/* Choose the cgroups in @text, or with @add also these. Changes nothing on an error. */
static int choose_groups(const char *text, bool add)
{
	struct groups *groups = NULL;
	int err = 0;

	mutex_lock(&groups_mutex);
	if (count_words(text)) {
		groups = make_groups(text, add ? chosen : NULL);
		err = PTR_ERR_OR_ZERO(groups);
	} else if (add) {
		/* Appending nothing keeps the choice. */
		goto unlock;
	}
	if (!err) {
		groups = exchange(groups);
		update_all_tasks();
		put_groups(groups);
	}
unlock:
	mutex_unlock(&groups_mutex);
	return err;
}

static int show_group(struct seq_file *m, struct cgroup *group)
{
	struct cgroup_namespace *ns = current->nsproxy->cgroup_ns;
	char *path = kmalloc(PATH_MAX, GFP_KERNEL);
	int err = -ENOMEM;

	/* Relative to the reader's namespace, in which add_groups() looks paths up, too. */
	if (path)
		err = cgroup_path_ns(group, path, PATH_MAX, ns);
	if (err >= 0)
		seq_printf(m, "%s\n", path);
	kfree(path);
	return min(err, 0);
}

static int groups_show(struct seq_file *m, void *unused)
{
	bool any = false;
	unsigned int i;
	int err = 0;

	mutex_lock(&groups_mutex);
	for (i = 0; chosen && i < chosen->nr && !err; i++) {
		/* Removed, but still referenced. */
		if (!(chosen->group[i]->self.flags & CSS_ONLINE))
			continue;
		err = show_group(m, chosen->group[i]);
		any = true;
	}
	/* An empty file means that all tasks are chosen. */
	if (chosen && !any)
		seq_puts(m, NO_GROUP "\n");
	mutex_unlock(&groups_mutex);
	return err;
}

static int groups_open(struct inode *inode, struct file *file)
{
	return single_open(file, groups_show, NULL);
}

static ssize_t groups_write(struct file *file, const char __user *buf, size_t count, loff_t *pos)
{
	return memorizer_write_list(file, buf, count, pos, choose_groups);
}

const struct file_operations memorizer_cgroups_fops = {
	.owner = THIS_MODULE,
	.open = groups_open,
	.read = seq_read,
	.write = groups_write,
	.llseek = seq_lseek,
	.release = single_release,
};
