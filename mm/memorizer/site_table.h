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

/* Does a source file have a site? Members are distances from themselves: no relocations. */
static inline bool memorizer_file_has(const struct memorizer_file *file,
				      const struct memorizer_site *site)
{
	return (void *)site >= (void *)&file->first + file->first &&
	       (void *)site < (void *)&file->end + file->end;
}

/* The file's name, relative to the top of the kernel tree. */
static inline const char *memorizer_file_name(const struct memorizer_file *file)
{
	return (const char *)&file->name + file->name;
}

/*
 * Look up the source file of a site. Returns NULL if it is unknown. Files are linked in the order
 * of their sites, so the search starts at @last, the file of an earlier site.
 */
static inline const struct memorizer_file *
memorizer_find_file(const struct site_table *table, const struct memorizer_site *site,
		    const struct memorizer_file *last)
{
	const struct memorizer_file *file = last;
	unsigned long i;

	for (i = 0; i < table->nr_files; i++) {
		if (memorizer_file_has(file, site))
			return file;
		if (++file == table->files + table->nr_files)
			file = table->files;
	}
	return NULL;
}

#endif /* _MM_MEMORIZER_SITE_TABLE_H */
