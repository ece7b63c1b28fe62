/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's access sites on x86-64: what is there when they are on, and when they are off.
 *
 * A site is five bytes. On, they are `call stub`. Off, they are, as its table says,
 *
 * - prefixes of the instruction that stands behind them, which change nothing, as they name
 *   the segment that it addresses in any case: it costs no instruction; or
 * - where none follows that bears them, `test $distance, %eax`, which does nothing but set
 *   flags; its operand is the distance from the site's end to its stub, as that of the call.
 *
 * So sites differ when they are off, but are all the same when they are on. What may lie in between
 * while one is switched is a test, of whatever operand. Nobody executes a site meanwhile; see
 * mm/memorizer/sites.c.
 */
#ifndef _ASM_X86_MEMORIZER_SITES_H
#define _ASM_X86_MEMORIZER_SITES_H

#include <linux/compiler.h>
#include <linux/memorizer.h>
#include <linux/string.h>
#include <linux/types.h>

/* The opcode, or all bytes */
#define MEMORIZER_SITE_CALL	0xe8
#define MEMORIZER_SITE_TEST	0xa9
#define MEMORIZER_SITE_DS	0x3e3e3e3e3eULL
#define MEMORIZER_SITE_SS	0x3636363636ULL

#define MEMORIZER_SITE_SIZE	5

/* In a site's table, what it is when it is off, from this bit of the distance to its stub on */
#define MEMORIZER_SITE_FORM	28
#define MEMORIZER_FORM_TEST	0
#define MEMORIZER_FORM_DS	1
#define MEMORIZER_FORM_SS	2

static inline unsigned long memorizer_site_addr(const struct memorizer_site *site)
{
	return (unsigned long)&site->addr + site->addr;
}

/* Distances are smaller than what tells the form. */
static inline unsigned int memorizer_site_form(const struct memorizer_site *site)
{
	return (site->stub + (1 << (MEMORIZER_SITE_FORM - 1))) >> MEMORIZER_SITE_FORM;
}

/* From behind the site to its stub */
static inline s32 memorizer_site_distance(const struct memorizer_site *site)
{
	return site->stub - (memorizer_site_form(site) << MEMORIZER_SITE_FORM);
}

/**
 * memorizer_site_text() - tell what a site is
 * @site: the site
 * @on: whether it is on
 *
 * Context: any.
 * Return: the bytes that are there then, the first one the lowest
 */
static inline u64 memorizer_site_text(const struct memorizer_site *site, bool on)
{
	unsigned int form = memorizer_site_form(site);

	if (!on && form == MEMORIZER_FORM_DS)
		return MEMORIZER_SITE_DS;
	if (!on && form == MEMORIZER_FORM_SS)
		return MEMORIZER_SITE_SS;
	return (u64)(u32)memorizer_site_distance(site) << 8 |
		(on ? MEMORIZER_SITE_CALL : MEMORIZER_SITE_TEST);
}

/**
 * memorizer_load_site() - load the bytes of a site
 * @text: where they are
 *
 * Context: any.
 * Return: the bytes, the first one the lowest
 */
static inline u64 memorizer_load_site(const void *text)
{
	u64 bytes = 0;

	memcpy(&bytes, text, MEMORIZER_SITE_SIZE);
	return bytes;
}

/**
 * memorizer_store_site() - store the bytes of a site
 * @text: where they are
 * @was: what is there
 * @to: what is to be there, of the same site
 *
 * Whoever executes it between two instructions finds one of these, or a test.
 * Emulators take a store that is not of a whole, aligned word for several, of which
 * each has them look for what they translated.
 *
 * Context: any; nobody else stores to what is eight bytes before or behind.
 */
static inline void memorizer_store_site(void *text, u64 was, u64 to)
{
	unsigned int first = (unsigned long)text % sizeof(u64) * 8;	/* bit in the word */
	u64 *word = text - (unsigned long)text % sizeof(u64);
	u64 test = (to & ~0xffULL) | MEMORIZER_SITE_TEST;

	if ((was ^ to) >> 1 >> (63 - first)) {
		/* In two words: a test while its operand changes. */
		WRITE_ONCE(word[0], word[0] ^ (was ^ test) << first);
		WRITE_ONCE(word[1], word[1] ^ (was ^ test) >> 1 >> (63 - first));
		was = test;
	}
	WRITE_ONCE(word[0], word[0] ^ (was ^ to) << first);
}

/**
 * memorizer_site_is() - tell whether a site is on, or off
 * @site: the site, in text that is there
 * @on: which of it
 *
 * Context: while nobody switches it.
 * Return: true if it is
 */
static inline bool memorizer_site_is(const struct memorizer_site *site, bool on)
{
	return memorizer_load_site((const void *)memorizer_site_addr(site)) ==
		memorizer_site_text(site, on);
}

#endif /* _ASM_X86_MEMORIZER_SITES_H */
