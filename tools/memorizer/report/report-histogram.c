// SPDX-License-Identifier: GPL-2.0
/* Histograms of allocation sizes and lifetimes, by call site. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/histogram.h"
#include "report/named.h"
#include "report/report.h"

#define BAR	30		/* length of the longest bar in characters */

/* A row: a bucket and its label. */
struct line {
	const struct bucket *bucket;
	u64 sum[SUM_METRICS];
};

/**
 * struct drawing - a histogram that is being printed
 * @r: the report
 * @k: the sums
 * @g: group of the call sites
 * @h: the histogram
 * @sites: number of objects by site
 * @lines: the rows
 * @nr: number of rows
 */
struct drawing {
	const struct report *r;
	const struct sums *k;
	enum group g;
	enum histogram h;
	u64 *sites;
	struct line *lines;
	u32 nr;
};

/* Order by objects of the site, then by bucket. */
static int compare(const void *left, const void *right, void *arg)
{
	const struct line *a = left, *b = right;
	const struct drawing *d = arg;
	u32 x = histogram_site(a->bucket), y = histogram_site(b->bucket);

	if (x != y && d->sites[x] != d->sites[y])
		return d->sites[x] > d->sites[y] ? -1 : 1;
	return (a->bucket->key > b->bucket->key) - (a->bucket->key < b->bucket->key);
}

/* Make the rows, with their share of the call site's objects. */
static void make_lines(struct drawing *d)
{
	const struct hash *buckets = d->k->buckets + d->g;
	const struct bucket *b;
	u32 i;

	d->sites = xreallocarray(NULL, d->k->sites[d->g].nr + 1, sizeof(*d->sites));
	memset(d->sites, 0, (d->k->sites[d->g].nr + 1) * sizeof(*d->sites));
	d->lines = xreallocarray(NULL, buckets->nr + 1, sizeof(*d->lines));
	for (i = 0; i < buckets->nr; i++) {
		b = hash_item(buckets, i);
		if (histogram_of(b) != d->h)
			continue;
		d->sites[histogram_site(b)] += b->sum[SUM_HIT];
		d->lines[d->nr].bucket = b;
		memcpy(d->lines[d->nr++].sum, b->sum, sizeof(b->sum));
	}
	qsort_r(d->lines, d->nr, sizeof(*d->lines), compare, d);
	for (i = 0; i < d->nr; i++) {
		/* A bucket has no fragmentation: the metric holds its share. */
		d->lines[i].sum[SUM_FRAG] =
			table_ratio(d->lines[i].sum[SUM_HIT],
				    d->sites[histogram_site(d->lines[i].bucket)], 5);
		/* table_sort() sorts in descending order. */
		d->lines[i].sum[SUM_FIRST] = d->nr - i;
	}
}

/* The bar of a row. */
static char *bar(const struct line *l)
{
	char text[BAR + 1];
	u32 length = l->sum[SUM_FRAG] * BAR / 100000;

	memset(text, '@', length);
	text[length] = '\0';
	return table_text(text);
}

static void fill(const struct drawing *d, struct table *t)
{
	bool human = d->r->format == REPORT_TEXT;
	const struct site *site;
	char text[BUCKET_TEXT];
	struct row *row;
	u32 i;

	t->rows = xreallocarray(NULL, d->nr + 1, sizeof(*t->rows));
	for (i = 0; i < d->nr; i++) {
		site = hash_item(d->k->sites + d->g, histogram_site(d->lines[i].bucket));
		row = t->rows + t->nr++;
		*row = (struct row){ .id = site->ip, .sum = d->lines[i].sum };
		row->name = report_site(d->k, site->ip);
		histogram_text(d->lines[i].bucket, d->g, human, text);
		row->texts[0] = table_text(text);
		row->texts[human] = human ? bar(d->lines + i) : row->texts[0];
		row->texts[1 + human] = report_site_type(d->k, site->typed, site->kind);
	}
}

static void print(const struct report *r, const struct sums *k, enum group g, enum histogram h)
{
	static const struct {
		const char *title, *key, *bucket;
	} heads[GROUPS][HISTOGRAMS] = {
		[GROUP_SLAB] = {
			{ "SIZES, BY CALL SITE", "site_sizes", "Bytes" },
			{ "LIFETIMES, BY CALL SITE", "site_lives", "Lived" },
		},
		[GROUP_PAGES] = {
			{ "SIZES OF PAGES, BY CALL SITE", "page_site_sizes", "Bytes" },
			{ "LIFETIMES OF PAGES, BY CALL SITE", "page_site_lives", "Lived" },
		},
		[GROUP_AREAS] = {
			{ "SIZES OF AREAS, BY CALL SITE", "area_site_sizes", "Bytes" },
			{ "LIFETIMES OF AREAS, BY CALL SITE", "area_site_lives", "Lived" },
		},
		[GROUP_LOCAL] = {
			{ "SIZES OF STACKS AND PER-CPU MEMORY, BY CALL SITE", "local_site_sizes",
			  "Bytes" },
			{ "LIFETIMES OF STACKS AND PER-CPU MEMORY, BY CALL SITE",
			  "local_site_lives", "Lived" },
		},
		[GROUP_KMAP] = {
			{ "KMAP: SIZES, BY CALL SITE", "kmap_site_sizes", "Bytes" },
			{ "KMAP: LIFETIMES, BY CALL SITE", "kmap_site_lives", "Jiffies" },
		},
	};
	bool human = r->format == REPORT_TEXT, alone = !r->trace && g == GROUP_KMAP;
	struct drawing d = { .r = r, .k = k, .g = g, .h = h };
	struct table t = {
		.title = heads[g][h].title + (alone ? strlen("KMAP: ") : 0),
		.key = heads[g][h].key + (alone ? strlen("kmap_") : 0),
		.name_title = "Callsite", .name_key = "name", .id_key = "ip",
		.texts = { { heads[g][h].bucket, "bucket" } },
		.then = { SUM_FIRST, SUM_FIRST },
		.columns = {
			{ "Hit", g == GROUP_KMAP ? "objects" : "hit", SUM_HIT, CELL_NUMBER, 0 },
			{ "of site", "share", SUM_FRAG, CELL_PERCENT, 0 },
			{ "Bytes", "bytes", SUM_REQ, CELL_NUMBER, 0 },
		},
	};

	if (human)
		t.texts[1] = (struct text_column){ "", "bar" };
	t.texts[1 + human] = (struct text_column)NAMED_TYPE;
	named_drop(&t, k->symbols);
	make_lines(&d);
	fill(&d, &t);
	if (r->percent || r->rate)
		table_add_relative(&t, r->percent,
				   r->rate && g != GROUP_KMAP ? sums_duration(k) : 0, NULL);
	table_sort(&t, r->order, SUM_FIRST);
	report_table(r, &t);
	table_free(&t);
	free(d.lines);
	free(d.sites);
}

/**
 * report_histograms - print histograms of sizes and lifetimes, by call site
 * @r: the report
 * @k: the sums, after sums_end(), with histograms
 */
void report_histograms(const struct report *r, const struct sums *k)
{
	int g, h;

	for (g = r->trace ? GROUP_SLAB : GROUP_KMAP; g < GROUPS; g++)
		for (h = 0; h < HISTOGRAMS; h++)
			print(r, k, g, h);
}
