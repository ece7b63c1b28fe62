// SPDX-License-Identifier: GPL-2.0
/*
 * --skip: the call site of an object with a stack is the first frame whose function does not match,
 * so that memory counts for the caller of a wrapper such as kmemdup().
 */
#include <stdio.h>
#include <string.h>

#include "report/skip.h"

/* Whether the function at an address is skipped. */
struct skipped {
	u64 ip;
	bool is;
};

/**
 * skip_init - start to find call sites
 * @s: the state
 * @f: the filter with the patterns; must outlive @s
 * @symbols: symbols; must outlive @s
 */
void skip_init(struct skip *s, const struct kmem_filter *f, const struct kmap_symbols *symbols)
{
	*s = (struct skip){ .filter = f, .symbols = symbols };
	hash_init(&s->code, sizeof(struct skipped), sizeof(u64));
}

/**
 * skip_free - free the state
 * @s: the state
 */
void skip_free(struct skip *s)
{
	hash_free(&s->code);
}

/* Match the function at a return address with the patterns, which commas separate. */
static bool matches(const struct skip *s, u64 ip)
{
	const struct kmap_symbol *symbol = kmap_symbols_find(s->symbols, ip, KMAP_IP_RETURN);
	const char *glob = s->filter->skip;
	char name[KMAP_SYMBOL_MAX], one[KMAP_SYMBOL_MAX];
	size_t len;

	if (!symbol)
		return false;
	snprintf(name, sizeof(name), "%s", kmap_symbols_string(s->symbols, symbol->name));
	/* Without the compiler's suffix, as in NAME.constprop.0. */
	name[strcspn(name, ".")] = '\0';
	for (; glob && *glob; glob += len + (glob[len] == ',')) {
		len = strcspn(glob, ",");
		snprintf(one, sizeof(one), "%.*s", (int)len, glob);
		if (kmem_filter_matches(one, name))
			return true;
	}
	return false;
}

static bool is_skipped(struct skip *s, u64 ip)
{
	struct skipped *code;
	bool new;

	code = hash_item(&s->code, hash_get(&s->code, &ip, &new));
	if (new)
		code->is = matches(s, ip);
	return code->is;
}

/**
 * skip_site - find the call site of an object
 * @s: the state
 * @alloc_ip: return address into the allocator's caller
 * @frames: stack of the allocation
 * @nr: number of @frames; 0: the object has no stack
 *
 * Return: the first frame whose function is not skipped; @alloc_ip if all are, or without a stack.
 */
u64 skip_site(struct skip *s, u64 alloc_ip, const u64 *frames, u32 nr)
{
	u32 i;

	s->stacks |= nr;
	for (i = 0; i < nr; i++)
		if (!is_skipped(s, frames[i]))
			return frames[i];
	return alloc_ip;
}
