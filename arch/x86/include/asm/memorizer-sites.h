/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's access sites on x86-64: what is there when they are on, and when they are off.
 *
 * A site is five bytes. On, they are `call stub`. Off, they are, as its table says,
 *
 * - prefixes of the instruction that stands behind them, which change nothing, as they name
 *   the segment that it addresses in any case: no instruction is added; or
 * - where none follows that bears them, `test $distance, %eax`, which does nothing but set
 *   flags; its operand is the distance from the site's end to its stub, as that of the call.
 *
 * Some processors stall while they decode so many prefixes. On these all sites are tests when they
 * are off: flags are dead at each site, for inline assembly clobbers them.
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

/* The sites that have a form with prefixes use it. Changes before the first site is switched on. */
extern bool memorizer_prefixes;

/**
 * memorizer_prefixes_stall() - check whether this processor stalls at five prefixes
 *
 * Context: boot, once the processor is identified.
 * Return: true if it does
 */
bool memorizer_prefixes_stall(void);

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

/* The site as an instruction whose operand is the distance to its stub */
static inline u64 memorizer_site_insn(const struct memorizer_site *site, u8 opcode)
{
	return (u64)(u32)memorizer_site_distance(site) << 8 | opcode;
}

/* The site as the compiler made it */
static inline u64 memorizer_site_original(const struct memorizer_site *site)
{
	unsigned int form = memorizer_site_form(site);

	return form == MEMORIZER_FORM_DS ? MEMORIZER_SITE_DS :
	       form == MEMORIZER_FORM_SS ? MEMORIZER_SITE_SS :
	       memorizer_site_insn(site, MEMORIZER_SITE_TEST);
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
	if (!on && memorizer_prefixes)
		return memorizer_site_original(site);
	return memorizer_site_insn(site, on ? MEMORIZER_SITE_CALL : MEMORIZER_SITE_TEST);
}

/**
 * memorizer_site_may_be() - check that some bytes are one of a site's states
 * @site: the site
 * @text: the bytes, the first one the lowest
 *
 * Context: any.
 * Return: true if they are what the compiler left there, the call, or the test
 */
static inline bool memorizer_site_may_be(const struct memorizer_site *site, u64 text)
{
	return text == memorizer_site_original(site) ||
	       text == memorizer_site_insn(site, MEMORIZER_SITE_CALL) ||
	       text == memorizer_site_insn(site, MEMORIZER_SITE_TEST);
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

/**
 * memorizer_site_has_prefixes() - tell whether a site is prefixes of what is behind it
 * @site: the site, in text that is there
 *
 * Context: while nobody switches it.
 * Return: true if it is
 */
static inline bool memorizer_site_has_prefixes(const struct memorizer_site *site)
{
	u64 text = memorizer_load_site((const void *)memorizer_site_addr(site));

	return text == MEMORIZER_SITE_DS || text == MEMORIZER_SITE_SS;
}

#endif /* _ASM_X86_MEMORIZER_SITES_H */
