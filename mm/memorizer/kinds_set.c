// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's selected kinds of objects: their file in debugfs, and their boot parameter.
 */
#define pr_fmt(fmt) "memorizer: " fmt

#include <linux/bits.h>
#include <linux/debugfs.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "hooks.h"
#include "kmap.h"
#include "list_file.h"

#undef MODULE_PARAM_PREFIX
#define MODULE_PARAM_PREFIX "memorizer."

#define SEPARATORS	" \t\n,"

/* memorizer_kind_names, for messages. */
#define WANTED		"slab, pages, vmalloc, vmap, ioremap, modules, stack, struct_page, " \
			"static, percpu, memblock, user or all"

static unsigned int parse_name(const char *name, size_t length)
{
	unsigned int i;

	for (i = 0; i < MEMORIZER_KINDS; i++)
		if (MEMORIZER_KINDS_BUILT_IN & BIT(i) &&
		    strlen(memorizer_kind_names[i]) == length &&
		    !strncmp(name, memorizer_kind_names[i], length))
			return BIT(i);
	return length == 3 && !strncmp(name, "all", length) ? MEMORIZER_KINDS_BUILT_IN : 0;
}

/* Parse a list of kinds. Returns a bit for each, or 0 with a message. */
static unsigned int parse_kinds(const char *text)
{
	unsigned int kinds = 0, kind;
	size_t length;

	while (*(text += strspn(text, SEPARATORS))) {
		length = strcspn(text, SEPARATORS);
		kind = parse_name(text, length);
		if (!kind) {
			pr_warn_ratelimited("no kind of object '%*pE'; want " WANTED "\n",
					    (int)min_t(size_t, length, 64), text);
			return 0;
		}
		kinds |= kind;
		text += length;
	}
	if (!kinds)
		pr_warn_ratelimited("no kind of object; want " WANTED "\n");
	return kinds;
}

static int change_kinds(const char *text, bool add)
{
	unsigned int kinds = parse_kinds(text);

	if (!kinds)
		return -EINVAL;
	return memorizer_set_kinds(kinds | (add ? memorizer_get_kinds() : 0));
}

static int kinds_show(struct seq_file *m, void *unused)
{
	unsigned int kinds = memorizer_get_kinds(), i;

	for (i = 0; i < MEMORIZER_KINDS; i++)
		if (kinds & BIT(i))
			seq_printf(m, "%s\n", memorizer_kind_names[i]);
	return 0;
}

static int kinds_open(struct inode *inode, struct file *file)
{
	return single_open(file, kinds_show, NULL);
}

static ssize_t kinds_write(struct file *file, const char __user *buf, size_t count, loff_t *pos)
{
	return memorizer_write_list(file, buf, count, pos, change_kinds);
}

static const struct file_operations kinds_fops = {
	.owner = THIS_MODULE,
	.open = kinds_open,
	.read = seq_read,
	.write = kinds_write,
	.llseek = seq_lseek,
	.release = single_release,
};

/**
 * memorizer_kinds_files() - create the files of the kinds
 * @dir: Memorizer's directory in debugfs
 *
 * Context: process context, may sleep.
 */
void memorizer_kinds_files(struct dentry *dir)
{
	debugfs_create_file("memorizer_kinds", 0600, dir, NULL, &kinds_fops);
	debugfs_create_file("kmap_kinds", 0400, dir, (void *)MEMORIZER_KMAP_KINDS,
			    &memorizer_kmap_fops);
	debugfs_create_file("user", 0400, dir, (void *)MEMORIZER_KMAP_USER,
			    &memorizer_kmap_fops);
}

static unsigned int boot_kinds __initdata;

static int __init take_kinds(const char *text, const struct kernel_param *param)
{
	unsigned int kinds = parse_kinds(text);

	if (!kinds)
		return -EINVAL;
	boot_kinds = kinds;
	return 0;
}

static const struct kernel_param_ops kinds_ops __initconst = {
	.set = take_kinds,
};

module_param_cb(kinds, &kinds_ops, NULL, 0);

/**
 * memorizer_kinds_init() - select the kinds that the command line asks for
 *
 * Context: boot, one CPU, once: before objects are recorded.
 */
void __init memorizer_kinds_init(void)
{
	/* Cannot fail: no site is enabled yet. */
	if (boot_kinds)
		memorizer_set_kinds(boot_kinds);
}
