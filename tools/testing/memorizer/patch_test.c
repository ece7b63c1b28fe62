// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of Memorizer's core: states of a site while it is patched, after each instruction.
 */
#include <signal.h>
#include <ucontext.h>

#include "test.h"

#include "../../../arch/x86/include/asm/memorizer-sites.h"

bool memorizer_prefixes = true;

#define TRAP_FLAG	0x100	/* in EFLAGS: trap after each instruction */

#define NEIGHBOURS	0xcc

/* Text with a site, and its valid states. */
static u8 text[64] __aligned(16);
static u8 *site_text;
static u64 site_was, site_to;

static bool stepping;
static unsigned int instructions, states;
static u64 last_seen;

static void look(void)
{
	u64 is = memorizer_load_site(site_text);
	unsigned int i;

	CHECK(is == site_was || is == site_to || (u8)is == MEMORIZER_SITE_TEST);
	for (i = 0; i < sizeof(text); i++)
		if (text + i < site_text || text + i >= site_text + MEMORIZER_SITE_SIZE)
			CHECK_EQ(text[i], NEIGHBOURS);
	states += is != last_seen;
	last_seen = is;
	instructions++;
}

static void handle_trap(int sig, siginfo_t *info, void *context)
{
	greg_t *flags = &((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL];

	*flags &= ~TRAP_FLAG;
	if (!stepping)
		return;
	look();
	*flags |= TRAP_FLAG;
}

/* Patch a site. Returns the number of states seen, without the initial one. */
static unsigned int store(unsigned int offset, u64 was, u64 to)
{
	const struct sigaction action = { .sa_sigaction = handle_trap, .sa_flags = SA_SIGINFO };

	sigaction(SIGTRAP, &action, NULL);
	memset(text, NEIGHBOURS, sizeof(text));
	site_text = text + offset;
	site_was = was;
	site_to = to;
	memcpy(site_text, &was, MEMORIZER_SITE_SIZE);
	last_seen = was;
	instructions = 0;
	states = 0;
	stepping = true;
	asm volatile("int3" : : : "memory");
	memorizer_store_site(site_text, was, to);
	stepping = false;
	asm volatile("int3" : : : "memory");
	CHECK_EQ(memorizer_load_site(site_text), to);
	CHECK(instructions > 4);
	return states;
}

static void site_is_on_or_off_or_a_test(void)
{
	static const s32 stubs[] = { 0x123456, -0x123456, 0x3e, -0x3600 };
	unsigned int offset, form, i, other_word;
	struct memorizer_site site;
	u64 on, off;

	for (i = 0; i < ARRAY_SIZE(stubs); i++) {
		for (form = MEMORIZER_FORM_TEST; form < MEMORIZER_FORMS; form++) {
			site.stub = stubs[i] + (form << MEMORIZER_SITE_FORM);
			on = memorizer_site_text(&site, true);
			off = memorizer_site_text(&site, false);
			for (offset = 16; offset < 32; offset++) {
				other_word = form != MEMORIZER_FORM_TEST && offset % 8 > 3;
				CHECK_EQ(store(offset, off, on), other_word ? 3 : 1);
				CHECK_EQ(store(offset, on, off), other_word ? 3 : 1);
			}
		}
	}
}

/* On processors that stall at prefixes, all disabled sites are tests: one byte changes. */
static void site_is_a_test_instead_of_prefixes(void)
{
	unsigned int offset, form, other_word;
	u64 on, off, original;
	struct memorizer_site site;

	for (form = MEMORIZER_FORM_TEST; form < MEMORIZER_FORMS; form++) {
		site.stub = -0x123456 + (form << MEMORIZER_SITE_FORM);
		original = memorizer_site_text(&site, false);
		on = memorizer_site_text(&site, true);
		memorizer_prefixes = false;
		off = memorizer_site_text(&site, false);
		CHECK_EQ(memorizer_site_text(&site, true), on);
		memorizer_prefixes = true;
		CHECK_EQ((u8)off, MEMORIZER_SITE_TEST);
		CHECK_EQ(off >> 8, on >> 8);
		CHECK_EQ(off == original, form == MEMORIZER_FORM_TEST);
		CHECK(memorizer_site_may_be(&site, original));
		CHECK(memorizer_site_may_be(&site, on));
		CHECK(memorizer_site_may_be(&site, off));
		CHECK(!memorizer_site_may_be(&site, off ^ 1 << 8));
		for (offset = 16; offset < 32 && form != MEMORIZER_FORM_TEST; offset++) {
			other_word = offset % 8 > 3;
			CHECK_EQ(store(offset, original, off), other_word ? 2 : 1);
			CHECK_EQ(store(offset, off, on), 1);
			CHECK_EQ(store(offset, on, off), 1);
		}
	}
}

/* Flags are above the distance, whose sign does not change them. */
static void flags_are_read_back(void)
{
	static const s32 stubs[] = { 0x123456, -0x123456, 0x7fffff0, -0x7fffff0 };
	struct memorizer_site site;
	unsigned int flags, i;

	for (i = 0; i < ARRAY_SIZE(stubs); i++) {
		for (flags = 0; flags < MEMORIZER_FORM_PERCPU + MEMORIZER_FORMS; flags++) {
			site.stub = stubs[i] + (flags << MEMORIZER_SITE_FORM);
			CHECK_EQ(memorizer_site_form(&site), flags % MEMORIZER_FORMS);
			CHECK_EQ(memorizer_site_optional(&site), flags - flags % MEMORIZER_FORMS);
			CHECK_EQ(memorizer_site_distance(&site), stubs[i]);
		}
	}
}

const struct test_case patch_cases[] = {
	CASE(flags_are_read_back),
	CASE(site_is_on_or_off_or_a_test),
	CASE(site_is_a_test_instead_of_prefixes),
	{ }
};
