// SPDX-License-Identifier: GPL-2.0
/* Sums up the privileges of compartments, and finds functions that belong elsewhere. */
#include <stdlib.h>
#include <string.h>

#include "report/domains.h"
#include "report/table.h"

static struct domain *domain_at(const struct domains *d, u32 i)
{
	return hash_item(&d->all, i);
}

static const struct use *use_at(const struct domains *d, u32 i)
{
	return hash_item(&d->p->uses, i);
}

static u32 domain_of(const struct domains *d, const struct use *use)
{
	return privilege_actor(d->p, use->key >> 32)->domain;
}

/* Sum up the sizes; returns false if all privileges do not fit in 63 bits. */
static bool sum_sizes(struct domains *d)
{
	u64 all = 0, room = (1ull << 63) - 1, *sum;
	bool overflow = d->p->overflow;
	u32 i;
	int op;

	for (i = 0; i < d->p->targets.nr; i++) {
		sum = domains_is_code(d, i) ? &d->code : &d->bytes;
		overflow |= __builtin_add_overflow(*sum, privilege_size(d->p, i), sum);
	}
	for (op = 0; op < PRIVILEGE_OPS; op++) {
		overflow |= __builtin_mul_overflow(privilege_is_code(op) ? d->code : d->bytes,
						   (u64)d->p->actors.nr, d->monolithic + op);
		overflow |= __builtin_add_overflow(all, d->monolithic[op], &all);
	}
	return !overflow && all <= room;
}

/* Put each function in its compartment. */
static void divide(struct domains *d, struct privilege *p, const struct partition *partition)
{
	char text[TEXTS_MAX];
	struct actor *actor;
	const char *name;
	u64 number;
	bool new;
	u32 i;

	for (i = 0; i < p->actors.nr; i++) {
		actor = privilege_actor(p, i);
		name = partition_name(partition, p, actor, text);
		number = texts_number(&d->names, name);
		actor->domain = hash_get(&d->all, &number, &new);
		domain_at(d, actor->domain)->sum[DOMAIN_FUNCTIONS]++;
	}
}

static void grant(struct domains *d)
{
	const struct use *use;
	struct grant *g;
	u32 i, domain;
	u64 key, size;
	int op;
	bool new;

	for (i = 0; i < d->p->uses.nr; i++) {
		use = use_at(d, i);
		domain = domain_of(d, use);
		key = (u64)domain << 32 | (u32)use->key;
		size = privilege_size(d->p, use->key);
		g = hash_item(&d->grants, hash_get(&d->grants, &key, &new));
		domain_at(d, domain)->sum[DOMAIN_TARGETS] += new && !domains_is_code(d, use->key);
		for (op = 0; op < PRIVILEGE_OPS; op++) {
			if (!use->counts[op])
				continue;
			privilege_count(g->counts + op, use->counts[op]);
			d->least[op] += size;
			domain_at(d, domain)->sum[DOMAIN_LEAST] += size;
			domain_at(d, domain)->sum[DOMAIN_OVER_OP + op] -= size;
			if (!g->users[op]++)
				domain_at(d, domain)->sum[DOMAIN_WIDTH + op] += size;
		}
	}
}

static void complete(struct domains *d)
{
	u64 *sum, allowed;
	u32 i;
	int op;

	for (i = 0; i < d->all.nr; i++) {
		sum = domain_at(d, i)->sum;
		for (op = 0; op < PRIVILEGE_OPS; op++) {
			allowed = sum[DOMAIN_FUNCTIONS] * sum[DOMAIN_WIDTH + op];
			d->allowed[op] += allowed;
			sum[DOMAIN_ALLOWED] += allowed;
			/* grant() has subtracted what was used. */
			sum[DOMAIN_OVER_OP + op] += allowed;
		}
		sum[DOMAIN_OVER] = sum[DOMAIN_ALLOWED] - sum[DOMAIN_LEAST];
		sum[DOMAIN_FACTOR] = table_ratio(sum[DOMAIN_ALLOWED], sum[DOMAIN_LEAST], 3);
	}
}

/**
 * domains_sum - divide functions into compartments, and sum up their privileges
 * @d: set to the compartments, to be freed by domains_free() in any case
 * @p: the uses, after privilege_end(); the compartment of each function is set
 * @partition: the partition
 *
 * Return: true on success; false if the privileges exceed 63 bits.
 */
bool domains_sum(struct domains *d, struct privilege *p, const struct partition *partition)
{
	*d = (struct domains){ .p = p };
	texts_init(&d->names);
	hash_init(&d->all, sizeof(struct domain), sizeof(u64));
	hash_init(&d->grants, sizeof(struct grant), sizeof(u64));
	if (!sum_sizes(d))
		return false;
	divide(d, p, partition);
	grant(d);
	complete(d);
	return true;
}

/**
 * domains_free - free the compartments
 * @d: the compartments
 */
void domains_free(struct domains *d)
{
	hash_free(&d->names);
	hash_free(&d->all);
	hash_free(&d->grants);
}

/* Relocations */

/* Items of grants or uses, grouped by target or function. */
struct index {
	u32 *items, *first;	/* those of group i are first[i] to first[i + 1] */
};

/**
 * struct mover - the search for the best compartments
 * @d: the compartments
 * @grants: grants by target
 * @uses: uses by function
 * @common: bytes that the function uses and a compartment may use, by compartment and operation
 * @bytes: bytes that the function uses, by operation
 * @alone: of these, bytes that no other function of its compartment uses
 */
struct mover {
	const struct domains *d;
	struct index grants, uses;
	u64 *common, bytes[PRIVILEGE_OPS], alone[PRIVILEGE_OPS];
};

/* Group the items of a table by one half of their keys. */
static struct index make_index(const struct hash *h, u32 groups, int shift)
{
	struct index x = { xreallocarray(NULL, h->nr + 1ull, sizeof(u32)),
			   xreallocarray(NULL, groups + 1ull, sizeof(u32)) };
	u32 i, group;

	memset(x.first, 0, (groups + 1ull) * sizeof(u32));
	for (i = 0; i < h->nr; i++)
		x.first[(u32)(*(u64 *)hash_item(h, i) >> shift)]++;
	for (group = 1; group <= groups; group++)
		x.first[group] += x.first[group - 1];
	/* Fill each group from its end, which leaves @first at its beginning. */
	for (i = 0; i < h->nr; i++)
		x.items[--x.first[(u32)(*(u64 *)hash_item(h, i) >> shift)]] = i;
	return x;
}

static void index_free(struct index *x)
{
	free(x->items);
	free(x->first);
}

/* Add a use of the function to what it has in common with each compartment. */
static void compare_use(struct mover *m, const struct use *use, u32 home)
{
	u32 target = use->key, i, domain;
	u64 size = privilege_size(m->d->p, target);
	const struct grant *g;
	int op;

	for (op = 0; op < PRIVILEGE_OPS; op++)
		m->bytes[op] += use->counts[op] ? size : 0;
	for (i = m->grants.first[target]; i < m->grants.first[target + 1]; i++) {
		g = hash_item(&m->d->grants, m->grants.items[i]);
		domain = g->key >> 32;
		for (op = 0; op < PRIVILEGE_OPS; op++) {
			if (!use->counts[op] || !g->users[op])
				continue;
			m->common[(u64)domain * PRIVILEGE_OPS + op] += size;
			if (domain == home && g->users[op] == 1)
				m->alone[op] += size;
		}
	}
}

/* Decrease of a compartment's privilege if the function leaves it. */
static u64 leaving(const struct mover *m, const u64 *sum)
{
	u64 saved = 0;
	int op;

	for (op = 0; op < PRIVILEGE_OPS; op++)
		saved += sum[DOMAIN_WIDTH + op] + (sum[DOMAIN_FUNCTIONS] - 1) * m->alone[op];
	return saved;
}

/* Increase of another compartment's privilege if it comes there. */
static u64 coming(const struct mover *m, u32 domain)
{
	const u64 *sum = domain_at(m->d, domain)->sum;
	u64 cost = 0;
	int op;

	for (op = 0; op < PRIVILEGE_OPS; op++)
		cost += sum[DOMAIN_WIDTH + op] + (sum[DOMAIN_FUNCTIONS] + 1) *
			(m->bytes[op] - m->common[(u64)domain * PRIVILEGE_OPS + op]);
	return cost;
}

static const char *name_of(const struct domains *d, u32 domain)
{
	return texts_get(&d->names, domain_at(d, domain)->name);
}

static struct relocation find_best(const struct mover *m, u32 home)
{
	struct relocation best = { .to = TEXTS_NONE };
	u64 gain = leaving(m, domain_at(m->d, home)->sum), cost;
	u32 i;

	for (i = 0; i < m->d->all.nr; i++) {
		if (i == home)
			continue;
		cost = coming(m, i);
		if (cost >= gain || gain - cost < best.saved)
			continue;
		/* Of equal ones, the first by name: numbers depend on the order of the input. */
		if (gain - cost == best.saved &&
		    strcmp(name_of(m->d, i), name_of(m->d, best.to)) > 0)
			continue;
		best = (struct relocation){ i, gain - cost };
	}
	return best;
}

static struct relocation relocate(struct mover *m, u32 actor)
{
	u32 home = privilege_actor(m->d->p, actor)->domain, i;

	memset(m->common, 0, m->d->all.nr * PRIVILEGE_OPS * sizeof(u64));
	memset(m->bytes, 0, sizeof(m->bytes));
	memset(m->alone, 0, sizeof(m->alone));
	for (i = m->uses.first[actor]; i < m->uses.first[actor + 1]; i++)
		compare_use(m, use_at(m->d, m->uses.items[i]), home);
	return find_best(m, home);
}

/**
 * domains_relocations - find a better compartment for each function
 * @d: the compartments
 *
 * Return: for each function the compartment to which it alone would have to move to decrease the
 * privilege most, to be freed by free().
 */
struct relocation *domains_relocations(const struct domains *d)
{
	struct relocation *all = xreallocarray(NULL, d->p->actors.nr + 1ull, sizeof(*all));
	struct mover m = {
		.d = d,
		.grants = make_index(&d->grants, d->p->targets.nr, 0),
		.uses = make_index(&d->p->uses, d->p->actors.nr, 32),
		.common = xreallocarray(NULL, d->all.nr * PRIVILEGE_OPS + 1ull, sizeof(u64)),
	};
	u32 i;

	for (i = 0; i < d->p->actors.nr; i++)
		all[i] = relocate(&m, i);
	index_free(&m.grants);
	index_free(&m.uses);
	free(m.common);
	return all;
}
