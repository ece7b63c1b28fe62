// SPDX-License-Identifier: GPL-2.0
/* Sums over the objects and accesses of a KMAP: by call site, function, pid and comm. */
#include <stdio.h>
#include <string.h>

#include "report/histogram.h"
#include "report/sums.h"

/**
 * sums_kmap_init - initialize the sums over a KMAP
 * @k: the sums
 */
void sums_kmap_init(struct sums *k)
{
	static const char unknown[SUMS_TEXT] = "\n";	/* not a valid comm in a KMAP */
	bool new;

	hash_init(k->sites + GROUP_KMAP, sizeof(struct site), SITE_KEY);
	hash_init(&k->kinds, sizeof(struct kind_sums), sizeof(u64));
	hash_init(&k->shared, sizeof(struct site), SITE_KEY);
	hash_init(&k->pids, sizeof(struct pid), sizeof(u64));
	hash_init(&k->comms, sizeof(struct comm), SUMS_TEXT);
	hash_init(&k->pid_comms, sizeof(u64), sizeof(u64));
	hash_get(&k->comms, unknown, &new);
}

/**
 * sums_kmap_free - free the sums over a KMAP
 * @k: the sums
 */
void sums_kmap_free(struct sums *k)
{
	hash_free(k->sites + GROUP_KMAP);
	hash_free(&k->kinds);
	hash_free(&k->shared);
	hash_free(&k->pids);
	hash_free(&k->comms);
	hash_free(&k->pid_comms);
}

static void add_accesses(struct sums *k, u64 *sum, u64 reads, u64 writes)
{
	sums_add(k, sum + SUM_READS, reads);
	sums_add(k, sum + SUM_WRITES, writes);
	sums_add(k, sum + SUM_ACCESSES, reads);
	sums_add(k, sum + SUM_ACCESSES, writes);
}

static bool new_pair(struct hash *h, u32 first, u32 second)
{
	u64 key = (u64)first << 32 | second;
	bool new;

	hash_get(h, &key, &new);
	return new;
}

/* Add the current object to the sums of shared objects. */
static void add_shared(struct sums *k, u64 *sum)
{
	const struct counted *o = &k->object;

	sum[SUM_HIT]++;
	sums_add(k, sum + SUM_REQ, o->size);
	add_accesses(k, sum, o->reads, o->writes);
	if (sum[SUM_MOST_PIDS] < o->pids)
		sum[SUM_MOST_PIDS] = o->pids;
}

static struct kind_sums *get_kind(struct sums *k, u64 kind)
{
	bool new;

	return hash_item(&k->kinds, hash_get(&k->kinds, &kind, &new));
}

/* Add the current object, whose accesses are complete, to the sums of its site. */
static void end_object(struct sums *k)
{
	const struct counted *o = &k->object;
	struct accessed object = { .ptr = o->ptr, .kind = o->kind, .comm = o->comm };
	struct kind_sums *kind;
	struct site *site;
	bool new;

	if (!o->pids)
		return;
	if (o->kind) {
		kind = get_kind(k, o->kind);
		kind->sum[SUM_TOUCHED]++;
		add_accesses(k, kind->sum, o->reads, o->writes);
	}
	site = hash_item(k->sites + GROUP_KMAP, o->site);
	object.site = site->ip;
	object.typed = site->typed;
	object.sum[SUM_OBJECT_SIZE] = o->size;
	add_accesses(k, object.sum, o->reads, o->writes);
	sums_accessed(k, ACCESS_COUNTED, &object);
	site->sum[SUM_TOUCHED]++;
	k->total[GROUP_KMAP][SUM_TOUCHED]++;
	add_accesses(k, site->sum, o->reads, o->writes);
	if (o->pids == 1)
		return;
	add_shared(k, k->all_shared);
	site = hash_item(&k->shared, hash_get(&k->shared, &site->ip, &new));
	add_shared(k, site->sum);
}

/* Add an object to the sums of a site or to the totals. */
static void add_object(struct sums *k, u64 *sum, const struct kmap_object *o)
{
	sum[SUM_HIT]++;
	sums_add(k, sum + SUM_REQ, o->size);
	if (!o->free_jiffies) {
		sum[SUM_LIVE]++;
		sums_add(k, sum + SUM_LIVE_BYTES, o->size);
	} else if (o->free_ip == KMAP_IP_OVERWRITTEN) {
		sum[SUM_OVERWRITES]++;
	} else {
		sum[SUM_UNKNOWN_FREES] += o->free_ip == KMAP_IP_UNKNOWN;
		sum[SUM_LIVES]++;
		sums_add(k, sum + SUM_JIFFIES, o->free_jiffies - o->alloc_jiffies);
	}
}

/* Add the current object to the histograms of its site. */
static void add_to_histograms(struct sums *k, const struct kmap_object *o)
{
	u32 site = k->object.site;

	histogram_size(k, GROUP_KMAP, site, o->size);
	if (!o->free_jiffies)
		histogram_add(k, GROUP_KMAP, HISTOGRAM_LIVES, site, BUCKET_LIVE, 1, o->size);
	else if (o->free_ip == KMAP_IP_OVERWRITTEN)
		histogram_add(k, GROUP_KMAP, HISTOGRAM_LIVES, site, BUCKET_UNSEEN, 1, o->size);
	else
		histogram_life(k, GROUP_KMAP, site, o->free_jiffies - o->alloc_jiffies, 1, o->size);
}

/*
 * Remember the comm of an allocating pid. If the filter selects the object, add it to the sums
 * of both.
 */
static void add_to_pid(struct sums *k, const struct kmap_object *o, bool counts)
{
	u32 p, c = k->object.comm;
	struct pid *pid;
	struct comm *comm;
	bool new;

	p = hash_get(&k->pids, &o->pid, &new);
	pid = hash_item(&k->pids, p);
	comm = hash_item(&k->comms, c);
	/* Accesses count for the comm of the last allocation, see sums_kmap_end(). */
	if (!pid->comm || pid->comm_jiffies <= o->alloc_jiffies) {
		pid->comm = c;
		pid->comm_jiffies = o->alloc_jiffies;
	}
	if (!counts)
		return;
	pid->sum[SUM_HIT]++;
	comm->sum[SUM_HIT]++;
	sums_add(k, pid->sum + SUM_REQ, o->size);
	sums_add(k, comm->sum + SUM_REQ, o->size);
	comm->sum[SUM_PIDS] += new_pair(&k->pid_comms, p, c);
}

/* Name a context, whose name is its command. */
static void name_context(struct sums *k, u32 nr)
{
	struct pid *pid = hash_item(&k->pids, nr);
	char comm[SUMS_TEXT] = "", text[CONTEXT_NAME_MAX];
	const char *name;
	bool new;

	name = k->contexts ? contexts_name(k->contexts, pid->pid, text) : NULL;
	if (!name)
		return;
	snprintf(comm, sizeof(comm), "%s", name);
	pid->comm = hash_get(&k->comms, comm, &new);
}

/* Apply the filter to accesses to an object. A KMAP has no caches, CPUs and times. */
static bool is_chosen(struct sums *k, const struct kmap_object *o, const char *comm)
{
	const struct kmem_filter *f = k->filter;
	bool by_comm = kmem_filter_matches(f->comm, comm);
	bool by_pid = f->pid == U64_MAX || f->pid == o->pid;
	bool by_kind = f->memory & 1u << o->kind;
	const struct site *site = hash_item(k->sites + GROUP_KMAP, k->object.site);

	k->comm_seen |= by_comm;
	k->pid_seen |= by_pid;
	k->kind_seen |= by_kind;
	return site->chosen && by_comm && by_pid && by_kind && !f->cache && f->cpu == U64_MAX &&
	       !f->from && !f->from_mark;
}

/**
 * sums_object - start an object of a KMAP
 * @k: the sums
 * @o: the object; sums_count() then adds its access lines
 */
void sums_object(struct sums *k, const struct kmap_object *o)
{
	char comm[SUMS_TEXT] = "";
	u64 ip = skip_site(&k->skip, o->alloc_ip, o->frames, o->nr_frames);
	struct site *site;
	bool new;

	end_object(k);
	k->object = (struct counted){
		.site = sums_site(k, k->sites + GROUP_KMAP, ip, o->kind,
				  named_site(k->symbols, ip, o->alloc_ip)),
		.ptr = o->addr, .size = o->size, .kind = o->kind,
	};
	memcpy(comm, o->comm, o->comm_len < SUMS_TEXT ? o->comm_len : SUMS_TEXT - 1);
	k->object.within = is_chosen(k, o, comm);
	if (!k->object.within)
		return;
	k->object.nr = ++k->objects_within;
	k->object.comm = hash_get(&k->comms, comm, &new);
	site = hash_item(k->sites + GROUP_KMAP, k->object.site);
	add_to_pid(k, o, site->of_type);
	if (!site->of_type)
		return;
	add_object(k, k->total[GROUP_KMAP], o);
	add_object(k, site->sum, o);
	if (o->kind)
		add_object(k, get_kind(k, o->kind)->sum, o);
	add_to_histograms(k, o);
	if (k->children) {
		children_add(k->children, o, ip);
		k->overflow |= k->children->overflow;
	}
}

/**
 * sums_count - add an access line of a KMAP
 * @k: the sums
 * @access: the accesses, to the current object
 */
void sums_count(struct sums *k, const struct kmap_access *access)
{
	u64 *total = k->total[GROUP_KMAP], nr = k->object.nr;
	struct counts counts = {
		.reads = access->reads, .writes = access->writes, .pid = access->pid,
		.cpu = SUMS_NO_CPU,
	};
	struct function *function;
	struct touch *touch;
	struct pid *pid;
	bool new;
	u32 i;

	if (!k->object.within)
		return;
	counts.part = sums_part(k, ACCESS_COUNTED, access->ip, k->object.site, access->place,
				k->object.size);
	if (!sums_choose(k, ACCESS_COUNTED, access->ip, k->object.site, counts.part))
		return;
	i = sums_function(k, ACCESS_COUNTED, access->ip);
	if (sums_leaves_out(k, ACCESS_COUNTED, i)) {
		add_accesses(k, k->waiting, access->reads, access->writes);
		return;
	}
	function = hash_item(k->functions + ACCESS_COUNTED, i);
	touch = sums_touch(k, ACCESS_COUNTED, i, k->object.site, &new);
	function->sum[SUM_SITES] += new;
	/* An object may have several lines of the function or the pid: count it once. */
	if (function->last != nr) {
		function->last = nr;
		function->sum[SUM_TOUCHED]++;
	}
	i = hash_get(&k->pids, &access->pid, &new);
	if (new)
		name_context(k, i);
	pid = hash_item(&k->pids, i);
	if (pid->last != nr) {
		pid->last = nr;
		pid->sum[SUM_TOUCHED]++;
		k->object.pids++;
	}
	sums_add(k, &counts.moves, access->read_moves);
	sums_add(k, &counts.moves, access->write_moves);
	sums_add(k, &k->object.reads, access->reads);
	sums_add(k, &k->object.writes, access->writes);
	add_accesses(k, function->sum, access->reads, access->writes);
	add_accesses(k, touch->sum, access->reads, access->writes);
	sums_note(k, ACCESS_COUNTED, access->ip, k->object.site, &counts);
	add_accesses(k, pid->sum, access->reads, access->writes);
	add_accesses(k, total, access->reads, access->writes);
}

/**
 * sums_give - add an object of a KMAP with its access lines
 * @k: the sums, struct sums
 * @o: the object
 * @counts: the access lines
 * @nr: number of access lines
 */
void sums_give(void *k, const struct kmap_object *o, const struct kmap_access *counts, u32 nr)
{
	u32 i;

	sums_object(k, o);
	for (i = 0; i < nr; i++)
		sums_count(k, counts + i);
}

static void set_life(struct sums *k, u64 *sum)
{
	int i;

	if (!sum[SUM_LIVES])
		return;
	/* In tenths; sums_add() notices an overflow. */
	for (i = 0; i < 10; i++)
		sums_add(k, sum + SUM_LIFE, sum[SUM_JIFFIES] / sum[SUM_LIVES]);
	sums_add(k, sum + SUM_LIFE, sum[SUM_JIFFIES] % sum[SUM_LIVES] * 10 / sum[SUM_LIVES]);
}

/**
 * sums_kmap_end - complete the sums over a KMAP
 * @k: the sums
 *
 * Accesses of a KMAP have no comm: they count for the comm of the pid's last allocation, or for the
 * name of the context.
 */
void sums_kmap_end(struct sums *k)
{
	struct site *site;
	struct comm *comm;
	struct pid *pid;
	u32 i;

	end_object(k);
	for (i = 0; i < k->pids.nr; i++) {
		pid = hash_item(&k->pids, i);
		comm = hash_item(&k->comms, pid->comm);
		add_accesses(k, comm->sum, pid->sum[SUM_READS], pid->sum[SUM_WRITES]);
		/* add_to_pid() has counted the pids that allocate. */
		comm->sum[SUM_PIDS] += !pid->sum[SUM_HIT] && pid->sum[SUM_TOUCHED];
	}
	for (i = 0; i < k->sites[GROUP_KMAP].nr; i++) {
		site = hash_item(k->sites + GROUP_KMAP, i);
		set_life(k, site->sum);
	}
}
