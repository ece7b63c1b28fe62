/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's tables of access sites, of the kernel and of modules.
 */
#ifndef _MM_MEMORIZER_SITE_TABLE_H
#define _MM_MEMORIZER_SITE_TABLE_H

#include <linux/memorizer.h>
#include <linux/module.h>

/* Tables made by the linker */
extern const struct memorizer_site __start_memorizer_sites[], __stop_memorizer_sites[];
extern const struct memorizer_file __start_memorizer_files[], __stop_memorizer_files[];

/**
 * struct site_table - the sites of the kernel, or of a module
 * @name: name of the module, "vmlinux" for the kernel
 * @start: the first site
 * @stop: end of the sites
 * @files: their source files; the sites of each are adjacent
 * @nr_files: number of @files
 */
struct site_table {
	const char *name;
	const struct memorizer_site *start;
	const struct memorizer_site *stop;
	const struct memorizer_file *files;
	unsigned long nr_files;
};

static inline struct site_table kernel_table(void)
{
	return (struct site_table){
		"vmlinux", __start_memorizer_sites, __stop_memorizer_sites,
		__start_memorizer_files, __stop_memorizer_files - __start_memorizer_files,
	};
}

#ifdef CONFIG_MODULES
static inline struct site_table module_table(const struct module *mod)
{
	return (struct site_table){
		mod->name, mod->memorizer_sites,
		mod->memorizer_sites + mod->num_memorizer_sites,
		mod->memorizer_files, mod->num_memorizer_files,
	};
}
#else
static inline struct site_table module_table(const struct module *mod)
{
	return (struct site_table){ };
}
#endif

#endif /* _MM_MEMORIZER_SITE_TABLE_H */
