/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Privileges of compartments. The privilege of an operation is the number of pairs of a function
 * and a byte that the function may use so; see memorizer-privilege(1).
 */
#ifndef DOMAINS_H
#define DOMAINS_H

#include "report/partition.h"
#include "report/privilege.h"

/* Sums over a compartment, over all of them, or over an operation. */
enum domain_sum {
	DOMAIN_LEAST,		/* what its functions used */
	DOMAIN_ALLOWED,		/* each function may do what any of the compartment did */
	DOMAIN_OVER,		/* DOMAIN_ALLOWED - DOMAIN_LEAST */
	DOMAIN_FACTOR,		/* DOMAIN_ALLOWED / DOMAIN_LEAST, in thousandths */
	DOMAIN_FUNCTIONS,
	DOMAIN_TARGETS,
	DOMAIN_OVER_OP,		/* DOMAIN_OVER by operation */
	DOMAIN_WIDTH = DOMAIN_OVER_OP + PRIVILEGE_OPS,	/* private: bytes by operation */
	DOMAIN_SUMS = DOMAIN_WIDTH + PRIVILEGE_OPS
};

/**
 * struct domain - a compartment
 * @name: number of its name in @names of struct domains; the key
 * @sum: its sums
 */
struct domain {
	u64 name;
	u64 sum[DOMAIN_SUMS];
};

/**
 * struct grant - what a compartment may do to a target
 * @key: domain and target, as item numbers
 * @counts: number of operations, saturated
 * @users: number of functions in the compartment that do so, by operation
 */
struct grant {
	u64 key;
	u64 counts[PRIVILEGE_OPS];
	u32 users[PRIVILEGE_OPS];
};

/**
 * struct domains - the compartments
 * @p: the uses
 * @names: names of compartments
 * @all: struct domain
 * @grants: struct grant
 * @bytes: size of all objects
 * @code: size of all functions that call or are called
 * @least: privilege that was used, by operation
 * @allowed: privilege by the partition, by operation
 * @monolithic: privilege without a partition, by operation
 */
struct domains {
	const struct privilege *p;
	struct hash names, all, grants;
	u64 bytes, code, least[PRIVILEGE_OPS], allowed[PRIVILEGE_OPS];
	u64 monolithic[PRIVILEGE_OPS];
};

/**
 * struct relocation - the best other compartment for a function
 * @to: the compartment, item number; TEXTS_NONE if none is better
 * @saved: decrease of the privilege of all operations
 */
struct relocation {
	u32 to;
	u64 saved;
};

/**
 * domains_is_code - check whether a target is the code of a function
 * @d: the compartments
 * @target: its item number
 *
 * Return: false for objects.
 */
static inline bool domains_is_code(const struct domains *d, u32 target)
{
	const struct target *t = hash_item(&d->p->targets, target);

	return t->kind == PRIVILEGE_CODE;
}

bool domains_sum(struct domains *d, struct privilege *p, const struct partition *partition);
void domains_free(struct domains *d);
struct relocation *domains_relocations(const struct domains *d);

#endif
