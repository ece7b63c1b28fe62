/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's KMAP, and its statistics, as text.
 */
#ifndef _MM_MEMORIZER_KMAP_H
#define _MM_MEMORIZER_KMAP_H

struct file_operations;
struct memorizer_object;
struct memorizer_row;
struct seq_file;

/* Bytes that the memorizer_format_*() functions may write; more than any row has. */
#define MEMORIZER_ROW_MAX	512

/* format.c */
char *memorizer_format_kind(char *to, const struct memorizer_object *object);
char *memorizer_format_object(char *to, const struct memorizer_object *object);
char *memorizer_format_stack(char *to, const struct memorizer_object *object);
char *memorizer_format_row(char *to, const struct memorizer_row *row);
char *memorizer_format_field(char *to, const struct memorizer_object *object,
			     const struct memorizer_row *row);
char *memorizer_format_traffic(char *to, const struct memorizer_row *row);

/* kmap.c */
/* Files with the KMAP */
enum memorizer_kmap {
	MEMORIZER_KMAP,
	MEMORIZER_KMAP_FIELDS,	/* with the parts of objects that were accessed */
	MEMORIZER_KMAP_KINDS,	/* with these, and with the kinds of objects */
	MEMORIZER_KMAP_STACKS,	/* with these, and with the stacks of allocations */
	MEMORIZER_KMAP_TRAFFIC,	/* with the moves of cache lines, if there are any */
	MEMORIZER_KMAP_USER,	/* only accesses to user memory, with a kind */
};

struct memorizer_object *memorizer_kmap_next(unsigned long *pos);
extern const struct file_operations memorizer_kmap_fops;

/* stats.c */
int memorizer_stats_show(struct seq_file *m, void *unused);
void memorizer_warn_full(void);

#endif /* _MM_MEMORIZER_KMAP_H */
