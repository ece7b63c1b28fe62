// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's choice of tasks: select tasks by pid.
 *
 * A task that is not selected has MEMORIZER_LEFT_OUT in its memorizer_key. Its key matches no
 * entry, so that its accesses take the slow path of paused tasks, at no cost for selected
 * tasks. The flag is set for a new task before it is visible, and for all tasks, under
 * tasklist_lock, when the choice changes. Afterwards each CPU reloads its copy of the running
 * task's key.
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
#include <linux/memorizer-vmalloc.h>
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

#include "list_file.h"
#include "memorizer.h"
#include "observer.h"
#include "subjects.h"
#include "tasks.h"

#define SEPARATORS	" \t\n,"

/* No task is selected. Shown when all selected tasks have exited. */
#define NO_TASK		"none"

/**
 * struct pids - a set of tasks
 * @nr: number of tasks
 * @pid: their pids, ascending
 */
struct pids {
	unsigned int nr;
	pid_t pid[];
};

/* Serializes changing and showing the choice. */
static DEFINE_MUTEX(tasks_mutex);

/* Tasks are selected by pid. Written under tasklist_lock. */
static bool chooses_tasks __read_mostly;

/* Children of selected tasks are selected, too. */
static bool with_children __read_mostly;

static int compare_pids(const void *a, const void *b)
{
	/* Pids are not negative, so the difference cannot overflow. */
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

/* Leave out or select a task, which may pause or resume concurrently. */
static void leave_out(struct task_struct *task, bool out)
{
	memorizer_change_task(task, 0, MEMORIZER_LEFT_OUT, out ? MEMORIZER_LEFT_OUT : 0);
}

/* Parse a pid at the start of a text. Returns the rest, or NULL if there is no valid pid. */
static const char *parse_pid(const char *text, pid_t *pid)
{
	u64 number = 0;

	if (!isdigit(*text))
		return NULL;
	for (; isdigit(*text); text++) {
		number = number * 10 + *text - '0';
		/* Checked for each digit, so that the number cannot overflow. */
		if (number > PID_MAX_LIMIT)
			return NULL;
	}
	*pid = number;
	return *text && !strchr(SEPARATORS, *text) ? NULL : text;
}

/* Parse a list of pids. Returns their number or -EINVAL. @pids may be NULL. */
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

static bool is_no_task(const char *text)
{
	text += strspn(text, SEPARATORS);
	return !strncmp(text, NO_TASK, strlen(NO_TASK)) &&
		!text[strlen(NO_TASK) + strspn(text + strlen(NO_TASK), SEPARATORS)];
}

static struct pids *make_pids(const char *text)
{
	int nr = is_no_task(text) ? 0 : parse_pids(text, NULL);
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
 * Translate pids of the current task's namespace to global pids, and sort them. Returns false
 * if a task does not exist. Pid 0 is the idle tasks in every namespace. Under rcu_read_lock().
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

/* Select only @pids, and with @add also the tasks selected before. NULL selects all tasks. */
static void choose_among_all(const struct pids *pids, bool add)
{
	/* Without a choice, all tasks are selected: a first @add replaces that. */
	bool keep = add && chooses_tasks;
	struct task_struct *leader, *task;
	int cpu;

	WRITE_ONCE(chooses_tasks, pids);
	for_each_process_thread(leader, task)
		choose(task, pids, keep);
	/* Idle tasks are not in the list of processes. */
	for_each_possible_cpu(cpu)
		choose(idle_task(cpu), pids, keep);
}

static void load_key(void *unused)
{
	memorizer_switch_to(current);
}

/**
 * memorizer_load_running_keys() - have each online CPU reload its running task's key
 *
 * Sufficient if no idle task was changed.
 *
 * Context: process context, interrupts enabled.
 */
void memorizer_load_running_keys(void)
{
	/* Waits, so that the choice is in force on return. */
	on_each_cpu(load_key, NULL, true);
}

/**
 * memorizer_load_keys() - have all CPUs, also offline ones, reload their current task's key
 *
 * Context: process context, may sleep.
 */
void memorizer_load_keys(void)
{
	int cpu;

	cpus_read_lock();
	memorizer_load_running_keys();
	/* An offline CPU comes online in its idle task, without a context switch. */
	for_each_possible_cpu(cpu)
		if (!cpu_online(cpu))
			per_cpu(memorizer_current_key, cpu) = idle_task(cpu)->memorizer_key;
	cpus_read_unlock();
}

/* Select the tasks in @text, or with @add also these. Changes nothing on an error. */
static int choose_tasks(const char *text, bool add)
{
	struct pids *pids = make_pids(text);
	int err = 0;

	if (IS_ERR(pids))
		return PTR_ERR(pids);
	mutex_lock(&tasks_mutex);
	rcu_read_lock();
	/* Excludes fork: each new task is either in the list, or sees the new choice. */
	read_lock(&tasklist_lock);
	if (!find_tasks(pids))
		err = -ESRCH;
	else if (pids->nr || is_no_task(text))
		choose_among_all(pids, add);
	else if (!add)
		choose_among_all(NULL, false);
	read_unlock(&tasklist_lock);
	rcu_read_unlock();
	/* Sleeps, so not under the locks. Until then, CPUs use their copies of the old keys. */
	memorizer_load_keys();
	mutex_unlock(&tasks_mutex);
	kvfree(pids);
	return err;
}

/**
 * memorizer_set_pids() - select the tasks whose accesses are recorded
 * @text: pids in the current task's namespace, separated by blanks or commas; "none" for no task;
 *	empty for all tasks
 *
 * Context: process context, may sleep.
 * Return: 0, or -EINVAL, -ESRCH or -ENOMEM, which change nothing
 */
int memorizer_set_pids(const char *text)
{
	return choose_tasks(text, false);
}

static_assert(PID_MAX_LIMIT <= MEMORIZER_PIDS);

void memorizer_set_pid(struct task_struct *task)
{
	memorizer_change_task(task, 0, MEMORIZER_PIDS, memorizer_find_subject(task));
	memorizer_stack_task(task);
	memorizer_observer_task(task);
	/* Another CPU updates its copy at its next context switch. */
	if (task == current)
		memorizer_load_key();
}

void memorizer_set_comm(struct task_struct *task)
{
	memorizer_stack_task(task);
	memorizer_observer_task(task);
}

void memorizer_fork(struct task_struct *child)
{
	memorizer_reset_entry(child);
	/* MEMORIZER_OUTSIDE stays that of the parent until memorizer_cgroup_task(). */
	memorizer_set_pid(child);
	child->memorizer_caller = 0;
	/* Not from the child's copy of the parent's key: that may have changed since. */
	leave_out(child, chooses_tasks && (is_left_out(current) || !READ_ONCE(with_children)));
}

/**
 * memorizer_set_pid_fork() - switch the selection of children, including threads
 * @on: true to select new children of selected tasks
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
 * memorizer_has_pid_fork() - test whether children of selected tasks are selected
 *
 * Return: true if they are
 */
bool memorizer_has_pid_fork(void)
{
	return READ_ONCE(with_children);
}

/* As in procfs, a task without a pid in the reader's namespace is shown as 0, as are idle tasks. */
static int pids_show(struct seq_file *m, void *unused)
{
	struct pid_namespace *ns = task_active_pid_ns(current);
	struct task_struct *leader, *task;
	bool any = false, zero;
	pid_t pid;

	mutex_lock(&tasks_mutex);
	if (!chooses_tasks)
		goto unlock;
	/* Idle tasks are selected together: one stands for all. */
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
	/* An empty file means that all tasks are selected. */
	if (zero)
		seq_puts(m, "0\n");
	else if (!any)
		seq_puts(m, NO_TASK "\n");
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

/* Points into the command line. */
static const char *boot_pids __initdata;

static int __init take_pids(const char *text, const struct kernel_param *param)
{
	/* Checks only the syntax: the tasks do not exist yet. */
	if (!is_no_task(text) && parse_pids(text, NULL) < 0)
		return -EINVAL;
	boot_pids = text;
	return 0;
}

static const struct kernel_param_ops pids_ops __initconst = {
	.set = take_pids,
};

module_param_cb(pid, &pids_ops, NULL, 0);
module_param_named(pid_fork, with_children, bool, 0);

/* core_initcall(): before the first user task runs. */
static int __init choose_at_boot(void)
{
	int err = boot_pids ? memorizer_set_pids(boot_pids) : 0;

	/* Not fatal: all tasks stay selected. */
	if (err)
		pr_err("cannot choose tasks: error %d\n", err);
	return 0;
}
core_initcall(choose_at_boot);
