/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Encoding of Memorizer's access sites on x86-64.
 *
 * A site has five bytes. An enabled site is `call stub`. A disabled site has one of two forms,
 * which its table entry selects:
 *
 * - Five segment prefixes of the following instruction. They name the segment that the
 *   instruction uses anyway, so they have no effect.
 * - `test $distance, %eax` if the following instruction cannot take prefixes. It only sets flags.
 *   The operand is the distance from the site's end to its stub, the same as that of the call.
 *
 * Some processors stall when they decode that many prefixes. There, all disabled sites are tests.
 * This is safe because flags are dead at each site: inline assembly clobbers them.
 *
 * No CPU executes a site while it is patched, see mm/memorizer/sites.c.
 */
#ifndef _ASM_X86_MEMORIZER_SITES_H
#define _ASM_X86_MEMORIZER_SITES_H

#include <linux/compiler.h>
#include <linux/memorizer.h>
#include <linux/string.h>
#include <linux/types.h>

/* Opcodes, and all five bytes of the prefixes */
#define MEMORIZER_SITE_CALL	0xe8
#define MEMORIZER_SITE_TEST	0xa9
#define MEMORIZER_SITE_DS	0x3e3e3e3e3eULL
#define MEMORIZER_SITE_SS	0x3636363636ULL
#define MEMORIZER_SITE_GS	0x6565656565ULL

#define MEMORIZER_SITE_SIZE	5

/* First bit of the disabled form in memorizer_site.stub; the distance is in the bits below. */
#define MEMORIZER_SITE_FORM	28
#define MEMORIZER_FORM_TEST	0
#define MEMORIZER_FORM_DS	1
#define MEMORIZER_FORM_SS	2
#define MEMORIZER_FORM_GS	3
#define MEMORIZER_FORMS		4
/* Added to the form: the site of an access to user memory, or to per-CPU data */
#define MEMORIZER_FORM_USER	4
#define MEMORIZER_FORM_PERCPU	8

/* Disabled sites use prefixes where they can. Set at boot, before the first site is enabled. */
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

/* The bits above the distance. Rounds, so that the sign of the distance does not change them. */
static inline unsigned int memorizer_site_flags(const struct memorizer_site *site)
{
	return ((u32)site->stub + (1 << (MEMORIZER_SITE_FORM - 1))) >> MEMORIZER_SITE_FORM;
}

static inline unsigned int memorizer_site_form(const struct memorizer_site *site)
{
	return memorizer_site_flags(site) % MEMORIZER_FORMS;
}

/* MEMORIZER_FORM_USER or MEMORIZER_FORM_PERCPU if the site is enabled only on request, else 0 */
static inline unsigned int memorizer_site_optional(const struct memorizer_site *site)
{
	return memorizer_site_flags(site) & (MEMORIZER_FORM_USER | MEMORIZER_FORM_PERCPU);
}

/* Distance from the site's end to its stub */
static inline s32 memorizer_site_distance(const struct memorizer_site *site)
{
	return site->stub - (memorizer_site_flags(site) << MEMORIZER_SITE_FORM);
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
	       form == MEMORIZER_FORM_GS ? MEMORIZER_SITE_GS :
	       memorizer_site_insn(site, MEMORIZER_SITE_TEST);
}

/**
 * memorizer_site_text() - encode a site
 * @site: the site
 * @on: true for the enabled site, false for the disabled one
 *
 * Context: any.
 * Return: the site's bytes, the first one lowest
 */
static inline u64 memorizer_site_text(const struct memorizer_site *site, bool on)
{
	if (!on && memorizer_prefixes)
		return memorizer_site_original(site);
	return memorizer_site_insn(site, on ? MEMORIZER_SITE_CALL : MEMORIZER_SITE_TEST);
}

/**
 * memorizer_site_may_be() - check bytes against all valid encodings of a site
 * @site: the site
 * @text: the bytes, the first one lowest
 *
 * Context: any.
 * Return: true if they are what the compiler emitted, the call, or the test
 */
static inline bool memorizer_site_may_be(const struct memorizer_site *site, u64 text)
{
	return text == memorizer_site_original(site) ||
	       text == memorizer_site_insn(site, MEMORIZER_SITE_CALL) ||
	       text == memorizer_site_insn(site, MEMORIZER_SITE_TEST);
}

/**
 * memorizer_load_site() - load the bytes of a site
 * @text: address of the site or of an alias
 *
 * Context: any.
 * Return: the bytes, the first one lowest
 */
static inline u64 memorizer_load_site(const void *text)
{
	u64 bytes = 0;

	memcpy(&bytes, text, MEMORIZER_SITE_SIZE);
	return bytes;
}

/**
 * memorizer_store_site() - store the bytes of a site
 * @text: address of the site or of an alias
 * @was: the bytes that are there
 * @to: the new bytes, of the same site
 *
 * An NMI that executes the site between two stores finds @was, @to, or a test. Stores are aligned
 * words, because emulators split other stores and flush translated code for each part.
 *
 * Context: any; no one else stores to the eight bytes before or after @text.
 */
static inline void memorizer_store_site(void *text, u64 was, u64 to)
{
	unsigned int first = (unsigned long)text % sizeof(u64) * 8;	/* bit in the word */
	u64 *word = text - (unsigned long)text % sizeof(u64);
	u64 test = (to & ~0xffULL) | MEMORIZER_SITE_TEST;

	if ((was ^ to) >> 1 >> (63 - first)) {
		/* The site spans two words: make it a test while the operand changes. */
		WRITE_ONCE(word[0], word[0] ^ (was ^ test) << first);
		WRITE_ONCE(word[1], word[1] ^ (was ^ test) >> 1 >> (63 - first));
		was = test;
	}
	WRITE_ONCE(word[0], word[0] ^ (was ^ to) << first);
}

/**
 * memorizer_site_is() - check the state of a site
 * @site: the site, in mapped text
 * @on: true to check that it is enabled, false to check that it is disabled
 *
 * Context: any that excludes patching.
 * Return: true if the site has this state
 */
static inline bool memorizer_site_is(const struct memorizer_site *site, bool on)
{
	return memorizer_load_site((const void *)memorizer_site_addr(site)) ==
		memorizer_site_text(site, on);
}

/**
 * memorizer_site_has_prefixes() - check whether a site currently consists of prefixes
 * @site: the site, in mapped text
 *
 * Context: any that excludes patching.
 * Return: true if it does
 */
static inline bool memorizer_site_has_prefixes(const struct memorizer_site *site)
{
	u64 text = memorizer_load_site((const void *)memorizer_site_addr(site));

	return text == MEMORIZER_SITE_DS || text == MEMORIZER_SITE_SS || text == MEMORIZER_SITE_GS;
}

#endif /* _ASM_X86_MEMORIZER_SITES_H */
