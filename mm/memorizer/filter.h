/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's filters: select the sites that log accesses, and the objects that are recorded or
 * counted by granule. Without CONFIG_MEMORIZER_FILTER, all are selected.
 */
#ifndef _MM_MEMORIZER_FILTER_H
#define _MM_MEMORIZER_FILTER_H

#include <linux/types.h>

struct dentry;
struct memorizer_filter;
struct seq_file;

/* sites.c */
int memorizer_filter_code(const struct memorizer_filter *new);

#ifdef CONFIG_MEMORIZER_FILTER

/* filter.c */
bool memorizer_is_filter(const char *text);
struct memorizer_filter *memorizer_make_filter(const struct memorizer_filter *before,
					       const char *text);
void memorizer_free_filter(struct memorizer_filter *old);
bool memorizer_filter_matches_site(const struct memorizer_filter *by, const char *module,
				   const char *file, const char *function, char *part);
bool memorizer_filter_has_objects(const struct memorizer_filter *by);
bool memorizer_filter_has_code(const struct memorizer_filter *by);
bool memorizer_filter_matches_cache(const struct memorizer_filter *by, const char *kind,
				    const char *cache);
bool memorizer_filter_matches_allocator(const struct memorizer_filter *by, const char *function,
					char *part);
void memorizer_filter_show(const struct memorizer_filter *by, struct seq_file *m);

/* filter_set.c */
int memorizer_set_filter(const char *text);
int memorizer_set_fields(const char *text);
void memorizer_filter_files(struct dentry *dir);
int memorizer_filter_init(void);

/* choose.c */
enum memorizer_choice;
void memorizer_filter_objects(enum memorizer_choice which, const struct memorizer_filter *new);
void memorizer_forget_call_sites(void);

#else

static inline bool memorizer_filter_matches_site(const struct memorizer_filter *by,
						 const char *module, const char *file,
						 const char *function, char *part)
{
	return true;
}

static inline void memorizer_filter_files(struct dentry *dir) { }
static inline int memorizer_filter_init(void) { return 0; }
static inline void memorizer_forget_call_sites(void) { }

#endif

#endif /* _MM_MEMORIZER_FILTER_H */
