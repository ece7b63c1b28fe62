// SPDX-License-Identifier: GPL-2.0
/* Sums over the objects and accesses of a KMAP: by call site, function, pid and comm. */
#include <string.h>

#include "aggregate.h"

/**
 * aggregate_init - start with nothing
 * @a: the sums
 * @symbols: what knows the functions' names
 */
void aggregate_init(struct aggregate *a, const struct kmap_symbols *symbols)
{
	static const char unknown[COMM_KEY] = "\n";	/* no comm in a KMAP */
	bool new;

	*a = (struct aggregate){ .symbols = symbols };
	hash_init(&a->sites, sizeof(struct site), 8);
	hash_init(&a->access_sites, sizeof(struct access_site), 8);
	hash_init(&a->functions, sizeof(struct function), 8);
	hash_init(&a->tasks, sizeof(struct task), 8);
	hash_init(&a->comms, sizeof(struct comm), COMM_KEY);
	hash_init(&a->function_sites, sizeof(struct pair), 8);
	hash_init(&a->task_comms, sizeof(struct pair), 8);
	hash_get(&a->comms, unknown, &new);
}

/**
 * aggregate_free - release the memory
 * @a: the sums
 */
void aggregate_free(struct aggregate *a)
{
	hash_free(&a->sites);
	hash_free(&a->access_sites);
	hash_free(&a->functions);
	hash_free(&a->tasks);
	hash_free(&a->comms);
	hash_free(&a->function_sites);
	hash_free(&a->task_comms);
}

static void add(struct aggregate *a, u64 *sum, u64 n)
{
	if (__builtin_add_overflow(*sum, n, sum)) {
		*sum = U64_MAX;
		a->overflow = true;
	}
}

static void add_accesses(struct aggregate *a, u64 *sum, u64 reads, u64 writes)
{
	add(a, sum + READS, reads);
	add(a, sum + WRITES, writes);
	add(a, sum + ACCESSES, reads);
	add(a, sum + ACCESSES, writes);
}

static bool new_pair(struct hash *h, u32 first, u32 second)
{
	u64 key = (u64)first << 32 | second;
	bool new;

	hash_get(h, &key, &new);
	return new;
}

/* Adds the last object, now that all its accesses are known, to its site. */
static void end_object(struct aggregate *a)
{
	struct site *site;

	if (!a->pids)
		return;
	site = hash_item(&a->sites, a->site);
	site->sum[TOUCHED]++;
	a->total[TOUCHED]++;
	add_accesses(a, site->sum, a->reads, a->writes);
	if (a->pids == 1)
		return;
	site->shared[OBJECTS]++;
	a->shared[OBJECTS]++;
	add(a, site->shared + BYTES, a->size);
	add(a, a->shared + BYTES, a->size);
	add_accesses(a, site->shared, a->reads, a->writes);
	add_accesses(a, a->shared, a->reads, a->writes);
	if (site->shared[MOST_PIDS] < a->pids)
		site->shared[MOST_PIDS] = a->pids;
	if (a->shared[MOST_PIDS] < a->pids)
		a->shared[MOST_PIDS] = a->pids;
}

/* Adds an object to the sums of a site or of the KMAP. */
static void add_object(struct aggregate *a, u64 *sum, const struct kmap_object *o)
{
	sum[OBJECTS]++;
	add(a, sum + BYTES, o->size);
	if (!o->free_jiffies) {
		sum[LIVE]++;
		add(a, sum + LIVE_BYTES, o->size);
	} else if (o->free_ip == KMAP_IP_OVERWRITTEN) {
		sum[OVERWRITES]++;
	} else {
		sum[UNKNOWN_FREES] += o->free_ip == KMAP_IP_UNKNOWN;
		sum[LIVES]++;
		add(a, sum + JIFFIES, o->free_jiffies - o->alloc_jiffies);
	}
}

/* Adds an object to the sums of its task and comm. */
static void add_to_task(struct aggregate *a, const struct kmap_object *o)
{
	char key[COMM_KEY] = "";
	u32 t, c;
	struct task *task;
	struct comm *comm;
	bool new;

	memcpy(key, o->comm, o->comm_len);
	t = hash_get(&a->tasks, &o->pid, &new);
	c = hash_get(&a->comms, key, &new);
	task = hash_item(&a->tasks, t);
	comm = hash_item(&a->comms, c);
	if (!task->comm || task->comm_jiffies <= o->alloc_jiffies) {
		task->comm = c;
		task->comm_jiffies = o->alloc_jiffies;
	}
	task->sum[OBJECTS]++;
	comm->sum[OBJECTS]++;
	add(a, task->sum + BYTES, o->size);
	add(a, comm->sum + BYTES, o->size);
	comm->sum[PIDS] += new_pair(&a->task_comms, t, c);
}

/**
 * aggregate_object - add an object
 * @a: the sums
 * @o: the object; what is added next are the accesses to it
 */
void aggregate_object(struct aggregate *a, const struct kmap_object *o)
{
	struct site *site;
	bool new;

	end_object(a);
	a->site = hash_get(&a->sites, &o->alloc_ip, &new);
	a->size = o->size;
	a->reads = 0;
	a->writes = 0;
	a->pids = 0;
	site = hash_item(&a->sites, a->site);
	add_object(a, a->total, o);
	add_object(a, site->sum, o);
	add_to_task(a, o);
}

/* The number of the function that makes the accesses at an ip. */
static u32 function_of(struct aggregate *a, u64 ip)
{
	u32 i, function;
	const struct kmap_symbol *symbol;
	struct access_site *site;
	bool new;

	i = hash_get(&a->access_sites, &ip, &new);
	site = hash_item(&a->access_sites, i);
	if (!new)
		return site->function;
	symbol = kmap_symbols_find(a->symbols, ip, KMAP_IP_EXACT);
	function = hash_get(&a->functions, symbol ? &symbol->start : &ip, &new);
	site->function = function;
	return function;
}

/**
 * aggregate_access - add an access to the last object
 * @a: the sums
 * @access: the access
 */
void aggregate_access(struct aggregate *a, const struct kmap_access *access)
{
	u32 i = function_of(a, access->ip);
	struct function *function = hash_item(&a->functions, i);
	struct task *task;
	bool new;

	if (function->last != a->total[OBJECTS]) {
		function->last = a->total[OBJECTS];
		function->sum[TOUCHED]++;
		function->sum[SITES] += new_pair(&a->function_sites, i, a->site);
	}
	task = hash_item(&a->tasks, hash_get(&a->tasks, &access->pid, &new));
	if (task->last != a->total[OBJECTS]) {
		task->last = a->total[OBJECTS];
		task->sum[TOUCHED]++;
		a->pids++;
	}
	add(a, &a->reads, access->reads);
	add(a, &a->writes, access->writes);
	add_accesses(a, function->sum, access->reads, access->writes);
	add_accesses(a, task->sum, access->reads, access->writes);
	add_accesses(a, a->total, access->reads, access->writes);
}

static void set_life(struct aggregate *a, u64 *sum)
{
	int i;

	if (!sum[LIVES])
		return;
	for (i = 0; i < 10; i++)
		add(a, sum + LIFE, sum[JIFFIES] / sum[LIVES]);
	add(a, sum + LIFE, sum[JIFFIES] % sum[LIVES] * 10 / sum[LIVES]);
}

/**
 * aggregate_end - complete the sums
 * @a: the sums
 *
 * The accesses of a pid count for the comm under which it last allocated, as
 * they come without one.
 */
void aggregate_end(struct aggregate *a)
{
	struct site *site;
	struct task *task;
	struct comm *comm;
	u32 i;

	end_object(a);
	for (i = 0; i < a->tasks.nr; i++) {
		task = hash_item(&a->tasks, i);
		comm = hash_item(&a->comms, task->comm);
		add_accesses(a, comm->sum, task->sum[READS], task->sum[WRITES]);
		comm->sum[PIDS] += !task->comm;
	}
	for (i = 0; i < a->sites.nr; i++) {
		site = hash_item(&a->sites, i);
		set_life(a, site->sum);
	}
}
