// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's KUnit tests of sites: switching is atomic, and sites are reserved.
 */
#include <kunit/static_stub.h>
#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/memorizer.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include <asm/apic.h>
#include <asm/ibt.h>
#include <asm/memorizer-sites.h>
#include <asm/nmi.h>
#include <asm/sections.h>

#include "test.h"

/* Number of allocations until one fails; negative if none does. */
static int allocations_left;

static bool lack_memory(void)
{
	return allocations_left-- == 0;
}

/*
 * Count the kernel's sites that are not in this state, without init text. Those of accesses to user
 * memory and to per-CPU data are disabled unless these kinds are selected.
 */
static unsigned long sites_other_than(bool on)
{
	unsigned int kinds = memorizer_get_kinds(), disabled = 0;
	unsigned long addr, count = 0;
	const struct memorizer_site *site;
	bool wanted;

	if (!(kinds & BIT(MEMORIZER_KIND_USER)))
		disabled |= MEMORIZER_FORM_USER;
	if (!(kinds & BIT(MEMORIZER_KIND_PERCPU)))
		disabled |= MEMORIZER_FORM_PERCPU;
	for (site = __start_memorizer_sites; site < __stop_memorizer_sites; site++) {
		addr = memorizer_site_addr(site);
		wanted = on && !(memorizer_site_optional(site) & disabled);
		if (addr < (unsigned long)_etext)
			count += !memorizer_site_is(site, wanted);
	}
	return count;
}

/* Switch with a failure of the first allocation, then of the second, until the switch succeeds. */
static void switch_with_failures(struct kunit *test, bool on)
{
	int failing, err;

	for (failing = 0; failing < 100; failing++) {
		allocations_left = failing;
		err = memorizer_set_log_access(on);
		if (!err)
			break;
		KUNIT_EXPECT_EQ(test, err, -ENOMEM);
		KUNIT_EXPECT_EQ(test, memorizer_is_logging(), !on);
		KUNIT_EXPECT_EQ(test, sites_other_than(!on), 0);
	}
	KUNIT_EXPECT_GE(test, failing, 3);
	KUNIT_EXPECT_LT(test, failing, 100);
	KUNIT_EXPECT_EQ(test, memorizer_is_logging(), on);
	KUNIT_EXPECT_EQ(test, sites_other_than(on), 0);
}

static void switch_is_all_or_nothing(struct kunit *test)
{
	kunit_activate_static_stub(test, memorizer_sites_fail_alloc, lack_memory);
	switch_with_failures(test, true);
	switch_with_failures(test, false);
}

/* Count the enabled sites in the kernel's init text, which is still mapped during KUnit tests. */
static unsigned long init_sites_on(void)
{
	unsigned long addr, count = 0;
	const struct memorizer_site *site;

	for (site = __start_memorizer_sites; site < __stop_memorizer_sites; site++) {
		addr = memorizer_site_addr(site);
		if (addr >= (unsigned long)_sinittext && addr < (unsigned long)_einittext)
			count += memorizer_site_is(site, true);
	}
	return count;
}

/* Free init text between the switch's fourth allocation, which maps it, and the fifth. */
static bool free_init_text(void)
{
	if (allocations_left-- == 1)
		system_state = SYSTEM_FREEING_INITMEM;
	return false;
}

/* Init text that is freed after it was mapped is not patched. */
static void freed_init_text_is_not_patched(struct kunit *test)
{
	enum system_states state = system_state;
	int err;

	if (state >= SYSTEM_FREEING_INITMEM)
		kunit_skip(test, "init text is gone");
	kunit_activate_static_stub(test, memorizer_sites_fail_alloc, free_init_text);
	allocations_left = 4;
	err = memorizer_set_log_access(true);
	system_state = state;
	kunit_deactivate_static_stub(test, memorizer_sites_fail_alloc);
	KUNIT_EXPECT_EQ(test, err, 0);
	KUNIT_EXPECT_LE(test, allocations_left, 0);
	KUNIT_EXPECT_EQ(test, init_sites_on(), 0);
	KUNIT_EXPECT_EQ(test, sites_other_than(true), 0);

	/* Here it is still mapped. */
	KUNIT_EXPECT_EQ(test, memorizer_set_log_access(false), 0);
	KUNIT_EXPECT_EQ(test, memorizer_set_log_access(true), 0);
	KUNIT_EXPECT_GT(test, init_sites_on(), 0);
}

/* Number of NMIs, of those during the patching, and of those that saw unpatched sites. */
static atomic_t nmis, nmis_amid, nmis_paused;
static atomic_t in_amid;
static bool switching_to;

/* NMI handler: the state of the sites must not change while it runs. */
static void find_sites_unchanged(void)
{
	unsigned long others = sites_other_than(switching_to);

	if (atomic_read(&in_amid))
		atomic_inc(&nmis_amid);
	mdelay(1);
	if (others && sites_other_than(switching_to) == others)
		atomic_inc(&nmis_paused);
	atomic_inc(&nmis);
}

/*
 * NMI handler: rendezvous with all CPUs, as broadcast machine checks do. Times out on a
 * deadlock.
 */
static void meet_all_cpus(void)
{
	unsigned int tries;

	atomic_inc(&nmis);
	for (tries = 0; tries < 20000; tries++) {
		if (atomic_read(&nmis) == num_online_cpus()) {
			atomic_inc(&nmis_paused);
			break;
		}
		mdelay(1);
	}
}

static void (*handle_nmi)(void);

static int nmi_handler(unsigned int type, struct pt_regs *regs)
{
	handle_nmi();
	return NMI_HANDLED;
}

static void send_nmi(unsigned int cpu)
{
	__apic_send_IPI_mask(cpumask_of(cpu), NMI_VECTOR);
}

static void send_nmis_to_others(void)
{
	unsigned int cpu;

	for_each_online_cpu(cpu)
		if (cpu != smp_processor_id())
			send_nmi(cpu);
}

/* On the patching CPU: send an NMI to all others, and give them time to handle it. */
static void send_nmis_and_wait(void)
{
	atomic_set(&in_amid, 1);
	send_nmis_to_others();
	mdelay(200);
	atomic_set(&in_amid, 0);
}

/* On the patching CPU: send an NMI to itself, which must not wait. */
static void send_nmi_to_itself(void)
{
	send_nmi(smp_processor_id());
	while (!atomic_read(&nmis))
		cpu_relax();
}

/* Send to itself last, because that handler waits for the others. */
static void send_nmis_to_all(void)
{
	send_nmis_to_others();
	send_nmi(smp_processor_id());
}

static int switch_amid(struct kunit *test, void (*amid)(void), void (*handler)(void))
{
	int err;

	atomic_set(&nmis, 0);
	atomic_set(&nmis_amid, 0);
	atomic_set(&nmis_paused, 0);
	switching_to = !memorizer_is_logging();
	handle_nmi = handler;
	KUNIT_ASSERT_EQ(test, 0, register_nmi_handler(NMI_LOCAL, nmi_handler, 0,
						      "memorizer_sites_test"));
	memorizer_sites_patch_hook = amid;
	err = memorizer_set_log_access(switching_to);
	memorizer_sites_patch_hook = NULL;
	/* Wait for late NMIs. */
	msleep(100);
	unregister_nmi_handler(NMI_LOCAL, "memorizer_sites_test");
	return err;
}

static void patching_pauses_for_nmis(struct kunit *test)
{
	unsigned int others = num_online_cpus() - 1;

	if (!others)
		kunit_skip(test, "there is one CPU");
	KUNIT_EXPECT_EQ(test, 0, switch_amid(test, send_nmis_and_wait, find_sites_unchanged));
	KUNIT_EXPECT_EQ(test, atomic_read(&nmis), others);
	KUNIT_EXPECT_EQ(test, atomic_read(&nmis_amid), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&nmis_paused), others);
	KUNIT_EXPECT_EQ(test, sites_other_than(memorizer_is_logging()), 0);
}

static void nmi_of_the_patching_cpu_does_not_wait(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 0, switch_amid(test, send_nmi_to_itself, find_sites_unchanged));
	KUNIT_EXPECT_EQ(test, atomic_read(&nmis), 1);
}

static void nmis_of_all_cpus_rendezvous(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 0, switch_amid(test, send_nmis_to_all, meet_all_cpus));
	KUNIT_EXPECT_EQ(test, atomic_read(&nmis), num_online_cpus());
	KUNIT_EXPECT_EQ(test, atomic_read(&nmis_paused), num_online_cpus());
	KUNIT_EXPECT_EQ(test, sites_other_than(memorizer_is_logging()), 0);
}

/* Find the first site of a form without another site right after it. Returns NULL if none. */
static const struct memorizer_site *first_of_form(unsigned int form)
{
	const struct memorizer_site *site;
	unsigned long addr;

	for (site = __start_memorizer_sites; site < __stop_memorizer_sites - 1; site++) {
		addr = memorizer_site_addr(site);
		if (memorizer_site_form(site) == form && addr < (unsigned long)_etext &&
		    memorizer_site_addr(site + 1) != addr + MEMORIZER_SITE_SIZE)
			return site;
	}
	return NULL;
}

/* A site, and the opcode after its prefixes, cannot be probed, in either state. */
static void sites_are_reserved(struct kunit *test)
{
	const struct memorizer_site *site;
	unsigned int form, i;
	const u8 *text;

	for (form = MEMORIZER_FORM_TEST; form < MEMORIZER_FORMS; form++) {
		site = first_of_form(form);
		KUNIT_ASSERT_NOT_NULL(test, site);
		text = (const u8 *)memorizer_site_addr(site);
		for (i = 0; i < MEMORIZER_SITE_SIZE; i++)
			KUNIT_EXPECT_TRUE(test, memorizer_text_reserved(text + i, text + i));
		KUNIT_EXPECT_EQ(test, memorizer_text_reserved(text + i, text + i),
				form != MEMORIZER_FORM_TEST);
		KUNIT_EXPECT_FALSE(test, memorizer_text_reserved(text + i + 1, text + i + 1));
	}
}

/* Bitmaps of the kernel's text: bytes of sites, and first bytes of stubs. */
struct text_bits {
	unsigned long *sites, *stubs;
};

static void free_text_bits(void *bits)
{
	kvfree(bits);
}

static unsigned long *alloc_text_bits(struct kunit *test)
{
	unsigned long *bits = kvcalloc(BITS_TO_LONGS(_etext - _stext), sizeof(long), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, bits);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, free_text_bits, bits));
	return bits;
}

static void mark_site(struct text_bits *text, const struct memorizer_site *site)
{
	unsigned long at = memorizer_site_addr(site) - (unsigned long)_stext;
	bool prefixes = memorizer_site_form(site) != MEMORIZER_FORM_TEST;

	if (at >= _etext - _stext)
		return;
	bitmap_set(text->sites, at, MEMORIZER_SITE_SIZE + prefixes);
	__set_bit(at + MEMORIZER_SITE_SIZE + memorizer_site_distance(site), text->stubs);
}

/*
 * Reference implementation: stubs extend from the first stub in a symbol to the symbol's end, or to
 * the next site: a weak function that another one replaces has code and no symbol.
 */
static bool is_reserved(const struct text_bits *text, unsigned long at)
{
	unsigned long size, offset, stub = find_last_bit(text->stubs, at + 1);

	if (test_bit(at, text->sites))
		return true;
	if (!kallsyms_lookup_size_offset((unsigned long)_stext + at, &size, &offset))
		return false;
	return stub <= at && stub + offset >= at && find_next_bit(text->sites, at, stub) == at;
}

static unsigned long differing_near(const struct text_bits *text, unsigned long at)
{
	unsigned long i, differ = 0;

	for (i = at - 1; i < at + 8; i++)
		differ += memorizer_text_reserved(_stext + i, _stext + i) != is_reserved(text, i);
	return differ;
}

/* memorizer_text_reserved() agrees with the reference for all of the kernel's text. */
static void reserved_text_agrees_with_table(struct kunit *test)
{
	struct text_bits text = { alloc_text_bits(test), alloc_text_bits(test) };
	const unsigned long end = _etext - _stext - 8;
	const struct memorizer_site *site;
	unsigned long at, last = 0;

	for (site = __start_memorizer_sites; site < __stop_memorizer_sites; site++)
		mark_site(&text, site);
	for (at = 1; at < end; at += 5003)
		KUNIT_EXPECT_EQ(test, differing_near(&text, at), 0);
	for (site = __start_memorizer_sites; site < __stop_memorizer_sites; site += 101) {
		at = memorizer_site_addr(site) - (unsigned long)_stext;
		if (at < end)
			KUNIT_EXPECT_EQ(test, differing_near(&text, at), 0);
	}
	/* Borders between functions and stubs */
	for_each_set_bit(at, text.stubs, end) {
		if (at - last > 256)
			KUNIT_EXPECT_EQ(test, differing_near(&text, at), 0);
		last = at;
	}
}

/* Lookups are not linear: ten take less time than one pass over the table. */
static void lookup_is_a_search(struct kunit *test)
{
	u64 lookups = U64_MAX, pass = U64_MAX, begin;
	unsigned int round, i;
	unsigned long flags;

	for (round = 0; round < 5; round++) {
		local_irq_save(flags);
		begin = ktime_get_ns();
		for (i = 0; i < 10; i++)
			memorizer_text_reserved(_stext + i, _stext + i);
		lookups = min(lookups, ktime_get_ns() - begin);
		begin = ktime_get_ns();
		sites_other_than(true);
		pass = min(pass, ktime_get_ns() - begin);
		local_irq_restore(flags);
	}
	kunit_info(test, "10 lookups: %llu ns, a pass: %llu ns\n", lookups, pass);
	KUNIT_EXPECT_LT(test, lookups, pass);
}

#ifdef CONFIG_KPROBES
/* Numbers of functions in kernel text, by the result of a probe at the entry. */
struct entries {
	struct kunit *test;
	unsigned long all, reserved, probed, refused;
};

/* A disabled probe passes the same checks as an armed one. */
static void probe_entry(struct entries *entries, void *addr)
{
	struct kprobe probe = { .addr = addr, .flags = KPROBE_FLAG_DISABLED };
	int err = register_kprobe(&probe);

	if (err) {
		if (entries->refused++ < 5)
			kunit_info(entries->test, "%pS is refused: %d\n", addr, err);
		return;
	}
	entries->probed++;
	unregister_kprobe(&probe);
}

static int check_entry(void *data, const char *name, unsigned long at)
{
	struct entries *entries = data;
	void *addr = (void *)at, *first;

	if (at < (unsigned long)_stext || at >= (unsigned long)_etext)
		return 0;
	entries->all++;
	first = is_endbr(*(u32 *)addr) ? addr + 4 : addr;
	if (memorizer_text_reserved(addr, first)) {
		if (entries->reserved++ < 5)
			kunit_info(entries->test, "%pS is reserved\n", addr);
		return 0;
	}
	/* Probe only entries with a site right after the byte that the plugin leaves free. */
	if (memorizer_text_reserved(first, first + 1) && !within_kprobe_blacklist(at))
		probe_entry(entries, addr);
	return 0;
}

/* Each function can be probed at its entry, even if a site follows immediately. */
static void entries_can_be_probed(struct kunit *test)
{
	struct entries entries = { .test = test };

	kallsyms_on_each_symbol(check_entry, &entries);
	kunit_info(test, "%lu entries, %lu of them before a site probed\n",
		   entries.all, entries.probed);
	KUNIT_EXPECT_EQ(test, entries.reserved, 0);
	KUNIT_EXPECT_EQ(test, entries.refused, 0);
	KUNIT_EXPECT_GT(test, entries.probed, 100);
}
#endif

/* Disabled sites have the form that was chosen at boot. */
static void disabled_sites_have_the_chosen_form(struct kunit *test)
{
	unsigned long addr, prefixes = 0, tests = 0, others = 0;
	const struct memorizer_site *site;

	KUNIT_ASSERT_FALSE(test, memorizer_is_logging());
	for (site = __start_memorizer_sites; site < __stop_memorizer_sites; site++) {
		addr = memorizer_site_addr(site);
		if (addr >= (unsigned long)_etext)
			continue;
		if (memorizer_site_has_prefixes(site))
			prefixes++;
		else if (*(const u8 *)addr == MEMORIZER_SITE_TEST)
			tests++;
		else
			others++;
	}
	KUNIT_EXPECT_EQ(test, others, 0);
	if (memorizer_prefixes)
		KUNIT_EXPECT_GT(test, prefixes, 9 * tests);
	else
		KUNIT_EXPECT_EQ(test, prefixes, 0);
}

static void sites_test_exit(struct kunit *test)
{
	memorizer_set_log_access(false);
}

static struct kunit_case sites_cases[] = {
	KUNIT_CASE(switch_is_all_or_nothing),
	KUNIT_CASE(freed_init_text_is_not_patched),
	KUNIT_CASE(patching_pauses_for_nmis),
	KUNIT_CASE(nmi_of_the_patching_cpu_does_not_wait),
	KUNIT_CASE(nmis_of_all_cpus_rendezvous),
	KUNIT_CASE(sites_are_reserved),
	KUNIT_CASE(reserved_text_agrees_with_table),
	KUNIT_CASE(lookup_is_a_search),
#ifdef CONFIG_KPROBES
	KUNIT_CASE(entries_can_be_probed),
#endif
	KUNIT_CASE(disabled_sites_have_the_chosen_form),
	{ }
};

static struct kunit_suite sites_suite = {
	.name = "memorizer_sites",
	.exit = sites_test_exit,
	.test_cases = sites_cases,
};

kunit_test_suite(sites_suite);

MODULE_DESCRIPTION("KUnit tests of Memorizer's sites");
MODULE_LICENSE("GPL");
