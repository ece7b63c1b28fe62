// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's choice of tasks: whose accesses are recorded.
 *
 * A task that is left out has MEMORIZER_LEFT_OUT in its memorizer_key: the thunks find
 * nothing of it in their caches, and go the way of those that are paused. So nobody else
 * pays for it. A new task gets it, or not, before anybody sees it; all others when the
 * choice is changed, under tasklist_lock, and from those that run their CPUs take it over
 * then.
 */
#define pr_fmt(fmt) "memorizer: " fmt

#include <linux/bsearch.h>
#include <linux/build_bug.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/memorizer.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/threads.h>

#include "filter.h"
#include "memorizer.h"
#include "observer.h"
#include "tasks.h"

#define SEPARATORS	" \t\n,"

/* All tasks are left out: what is read back when those that were chosen have ended. */
#define NOBODY		"none"

/**
 * struct pids - some tasks
 * @nr: how many
 * @pid: of each, ascending
 */
struct pids {
	unsigned int nr;
	pid_t pid[];
};

/* Serializes choosing, and reading it back. */
static DEFINE_MUTEX(tasks_mutex);

/* Whether some tasks are left out. Written under tasklist_lock. */
static bool chooses_tasks __read_mostly;

/* Whether the children of those that are not are chosen, too. */
static bool with_children __read_mostly;

static int compare_pids(const void *a, const void *b)
{
	return *(const pid_t *)a - *(const pid_t *)b;
}

static bool is_in(const struct pids *pids, pid_t pid)
{
	return bsearch(&pid, pids->pid, pids->nr, sizeof(pid), compare_pids);
}

static bool is_left_out(const struct task_struct *task)
{
	return READ_ONCE(task->memorizer_key) >> 32 & MEMORIZER_LEFT_OUT;
}

/* The task may pause or resume meanwhile. */
static void leave_out(struct task_struct *task, bool out)
{
	memorizer_change_task(task, 0, MEMORIZER_LEFT_OUT, out ? MEMORIZER_LEFT_OUT : 0);
}

/* A number at the beginning of a text; the rest, or NULL if there is none. */
static const char *parse_pid(const char *text, pid_t *pid)
{
	u64 number = 0;

	if (!isdigit(*text))
		return NULL;
	for (; isdigit(*text); text++) {
		number = number * 10 + *text - '0';
		if (number > PID_MAX_LIMIT)
			return NULL;
	}
	*pid = number;
	return *text && !strchr(SEPARATORS, *text) ? NULL : text;
}

/* Takes the numbers of a text, or only counts them; negative if there is something else. */
static int parse_pids(const char *text, pid_t *pids)
{
	unsigned int nr;
	pid_t pid;

	for (nr = 0; *(text += strspn(text, SEPARATORS)); nr++) {
		text = parse_pid(text, &pid);
		if (!text)
			return -EINVAL;
		if (pids)
			pids[nr] = pid;
	}
	return nr;
}

static bool is_nobody(const char *text)
{
	text += strspn(text, SEPARATORS);
	return !strncmp(text, NOBODY, strlen(NOBODY)) &&
		!text[strlen(NOBODY) + strspn(text + strlen(NOBODY), SEPARATORS)];
}

static struct pids *make_pids(const char *text)
{
	int nr = is_nobody(text) ? 0 : parse_pids(text, NULL);
	struct pids *pids;

	if (nr < 0)
		return ERR_PTR(nr);
	pids = kvzalloc(struct_size(pids, pid, nr), GFP_KERNEL);
	if (!pids)
		return ERR_PTR(-ENOMEM);
	pids->nr = nr;
	if (nr)
		parse_pids(text, pids->pid);
	return pids;
}

/*
 * Replaces pids of the current task's namespace by those of the initial one, and sorts them;
 * false if a task is not there. Under RCU. All CPUs' idle tasks are 0 in any namespace.
 */
static bool find_tasks(struct pids *pids)
{
	const struct task_struct *task;
	unsigned int i;

	for (i = 0; i < pids->nr; i++) {
		if (!pids->pid[i])
			continue;
		task = find_task_by_vpid(pids->pid[i]);
		if (!task)
			return false;
		pids->pid[i] = task->pid;
	}
	sort(pids->pid, pids->nr, sizeof(*pids->pid), compare_pids, NULL);
	return true;
}

static void choose(struct task_struct *task, const struct pids *pids, bool keep)
{
	leave_out(task, pids && !is_in(pids, task->pid) && (!keep || is_left_out(task)));
}

/* Leaves out all that are not among @pids, nor were chosen before if @add; NULL: none. */
static void choose_among_all(const struct pids *pids, bool add)
{
	bool keep = add && chooses_tasks;
	struct task_struct *leader, *task;
	int cpu;

	WRITE_ONCE(chooses_tasks, pids);
	for_each_process_thread(leader, task)
		choose(task, pids, keep);
	for_each_possible_cpu(cpu)
		choose(idle_task(cpu), pids, keep);
}

static void load_key(void *unused)
{
	memorizer_load_key();
}

/**
 * memorizer_load_running_keys() - have CPUs take over what was changed of the tasks they run
 *
 * No idle task of a CPU that is not online was changed.
 *
 * Context: process context, interrupts enabled.
 */
void memorizer_load_running_keys(void)
{
	on_each_cpu(load_key, NULL, true);
}

/**
 * memorizer_load_keys() - the same, whatever tasks were changed
 *
 * Context: process context, may sleep.
 */
void memorizer_load_keys(void)
{
	int cpu;

	cpus_read_lock();
	memorizer_load_running_keys();
	/* Of a CPU that is not online, its idle task is current. */
	for_each_possible_cpu(cpu)
		if (!cpu_online(cpu))
			per_cpu(memorizer_current_key, cpu) = idle_task(cpu)->memorizer_key;
	cpus_read_unlock();
}

/* Chooses those of @text, if @add beside others; all of them or nothing. */
static int choose_tasks(const char *text, bool add)
{
	struct pids *pids = make_pids(text);
	int err = 0;

	if (IS_ERR(pids))
		return PTR_ERR(pids);
	mutex_lock(&tasks_mutex);
	rcu_read_lock();
	read_lock(&tasklist_lock);
	if (!find_tasks(pids))
		err = -ESRCH;
	else if (pids->nr || is_nobody(text))
		choose_among_all(pids, add);
	else if (!add)
		choose_among_all(NULL, false);
	read_unlock(&tasklist_lock);
	rcu_read_unlock();
	memorizer_load_keys();
	mutex_unlock(&tasks_mutex);
	kvfree(pids);
	return err;
}

/**
 * memorizer_set_pids() - choose the tasks whose accesses are recorded
 * @text: their pids in the current task's namespace, with blanks or commas in between; "none" for
 *	nobody; none for all
 *
 * Context: process context, may sleep.
 * Return: 0, or -EINVAL, -ESRCH or -ENOMEM: then nothing has changed
 */
int memorizer_set_pids(const char *text)
{
	return choose_tasks(text, false);
}

/* No pid has more bits than the key has for it. */
static_assert(PID_MAX_LIMIT <= MEMORIZER_PIDS);

void memorizer_set_pid(struct task_struct *task)
{
	memorizer_change_task(task, 0, MEMORIZER_PIDS, task->pid);
	memorizer_observer_task(task);
	if (task == current)
		memorizer_load_key();
}

void memorizer_set_comm(struct task_struct *task)
{
	memorizer_observer_task(task);
}

/* What the task that runs had in it when it was copied may have changed since. */
void memorizer_fork(struct task_struct *child)
{
	memorizer_set_pid(child);
	leave_out(child, chooses_tasks && (is_left_out(current) || !READ_ONCE(with_children)));
}

/**
 * memorizer_set_pid_fork() - say whether children of chosen tasks are chosen
 * @on: whether those are that come from now on; threads are children here
 *
 * Context: any.
 * Return: 0
 */
int memorizer_set_pid_fork(bool on)
{
	WRITE_ONCE(with_children, on);
	return 0;
}

/**
 * memorizer_has_pid_fork() - are children of chosen tasks chosen?
 *
 * Return: true if they are
 */
bool memorizer_has_pid_fork(void)
{
	return READ_ONCE(with_children);
}

/* As in proc, a task that has no pid in the reader's namespace is 0. So are idle tasks anywhere. */
static int pids_show(struct seq_file *m, void *unused)
{
	struct pid_namespace *ns = task_active_pid_ns(current);
	struct task_struct *leader, *task;
	bool any = false, zero;
	pid_t pid;

	mutex_lock(&tasks_mutex);
	if (!chooses_tasks)
		goto unlock;
	zero = !is_left_out(idle_task(0));
	rcu_read_lock();
	for_each_process_thread(leader, task) {
		if (is_left_out(task))
			continue;
		pid = task_pid_nr_ns(task, ns);
		if (pid)
			seq_printf(m, "%d\n", pid);
		zero |= !pid;
		any = true;
	}
	rcu_read_unlock();
	if (zero)
		seq_puts(m, "0\n");
	else if (!any)
		seq_puts(m, NOBODY "\n");
unlock:
	mutex_unlock(&tasks_mutex);
	return 0;
}

static int pids_open(struct inode *inode, struct file *file)
{
	return single_open(file, pids_show, NULL);
}

static ssize_t pids_write(struct file *file, const char __user *buf, size_t count, loff_t *pos)
{
	return memorizer_write_list(file, buf, count, pos, choose_tasks);
}

const struct file_operations memorizer_pids_fops = {
	.owner = THIS_MODULE,
	.open = pids_open,
	.read = seq_read,
	.write = pids_write,
	.llseek = seq_lseek,
	.release = single_release,
};

#undef MODULE_PARAM_PREFIX
#define MODULE_PARAM_PREFIX "memorizer."

/* Stays where it is in the command line. */
static const char *boot_pids __initdata;

static int __init take_pids(const char *text, const struct kernel_param *param)
{
	if (!is_nobody(text) && parse_pids(text, NULL) < 0)
		return -EINVAL;
	boot_pids = text;
	return 0;
}

static const struct kernel_param_ops pids_ops __initconst = {
	.set = take_pids,
};

module_param_cb(pid, &pids_ops, NULL, 0);
module_param_named(pid_fork, with_children, bool, 0);

/* Before, there was no task of user space, nor any that it could come from. */
static int __init choose_at_boot(void)
{
	int err = boot_pids ? memorizer_set_pids(boot_pids) : 0;

	if (err)
		pr_err("cannot choose tasks: error %d\n", err);
	return 0;
}
core_initcall(choose_at_boot);
