/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's filters: select the sites that log accesses, and the objects that are recorded or
 * counted by granule.
 */
#ifndef _MM_MEMORIZER_FILTER_H
#define _MM_MEMORIZER_FILTER_H

#include <linux/compiler.h>
#include <linux/types.h>

struct file;
struct file_operations;
struct memorizer_filter;
struct seq_file;

/* filter.c */
bool memorizer_is_filter(const char *text);
struct memorizer_filter *memorizer_make_filter(const struct memorizer_filter *before,
					       const char *text);
void memorizer_free_filter(struct memorizer_filter *old);
bool memorizer_filter_matches_site(const struct memorizer_filter *by, const char *module,
				   const char *file, const char *function, char *part);
bool memorizer_filter_has_objects(const struct memorizer_filter *by);
bool memorizer_filter_has_code(const struct memorizer_filter *by);
bool memorizer_filter_matches_cache(const struct memorizer_filter *by, const char *cache);
bool memorizer_filter_matches_allocator(const struct memorizer_filter *by, const char *function,
					char *part);
void memorizer_filter_show(const struct memorizer_filter *by, struct seq_file *m);

/* filter_set.c */
int memorizer_set_filter(const char *text);
int memorizer_set_fields(const char *text);
extern const struct file_operations memorizer_filter_fops, memorizer_fields_fops;
ssize_t memorizer_write_list(struct file *file, const char __user *buf, size_t count, loff_t *pos,
			     int (*change)(const char *text, bool add));

/* choose.c */
enum memorizer_choice;
void memorizer_filter_objects(enum memorizer_choice which, const struct memorizer_filter *new);
void memorizer_forget_call_sites(void);

/* sites.c */
int memorizer_filter_sites(const struct memorizer_filter *new);

#endif /* _MM_MEMORIZER_FILTER_H */
