// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's KUnit tests of sites: they are switched all or none, and nobody
 * executes one meanwhile.
 */
#include <kunit/static_stub.h>
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/memorizer.h>
#include <linux/smp.h>

#include <asm/apic.h>
#include <asm/memorizer-sites.h>
#include <asm/nmi.h>
#include <asm/sections.h>

#include "test.h"

/* The allocation that fails, counted down; none does once it is below 0. */
static int allocations_left;

static bool lack_memory(void)
{
	return allocations_left-- == 0;
}

/* Sites of the kernel, but for its init text, that are not in this state. */
static unsigned long sites_other_than(bool on)
{
	unsigned long addr, count = 0;
	const struct memorizer_site *site;

	for (site = __start_memorizer_sites; site < __stop_memorizer_sites; site++) {
		addr = memorizer_site_addr(site);
		if (addr < (unsigned long)_etext)
			count += !memorizer_site_is(site, on);
	}
	return count;
}

/* Makes each allocation of the switch fail in turn, until one does not need it any more. */
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
	kunit_activate_static_stub(test, memorizer_sites_lack_memory, lack_memory);
	switch_with_failures(test, true);
	switch_with_failures(test, false);
}

static atomic_t patching, nmis, nmis_amid;

static int nmi_handler(unsigned int type, struct pt_regs *regs)
{
	atomic_inc(&nmis);
	if (atomic_read(&patching))
		atomic_inc(&nmis_amid);
	return NMI_HANDLED;
}

/* On the CPU that patches: to all others an NMI, and time enough to handle it. */
static void send_nmis_to_others(void)
{
	unsigned int cpu;

	atomic_set(&patching, 1);
	for_each_online_cpu(cpu)
		if (cpu != smp_processor_id())
			__apic_send_IPI_mask(cpumask_of(cpu), NMI_VECTOR);
	mdelay(200);
	atomic_set(&patching, 0);
}

/* On the CPU that patches: an NMI to itself, which must not wait. */
static void send_nmi_to_itself(void)
{
	__apic_send_IPI_mask(cpumask_of(smp_processor_id()), NMI_VECTOR);
	while (!atomic_read(&nmis))
		cpu_relax();
}

static int switch_amid(struct kunit *test, void (*amid)(void))
{
	int err;

	atomic_set(&nmis, 0);
	atomic_set(&nmis_amid, 0);
	KUNIT_ASSERT_EQ(test, 0, register_nmi_handler(NMI_LOCAL, nmi_handler, 0,
						      "memorizer_sites_test"));
	memorizer_sites_amid = amid;
	err = memorizer_set_log_access(!memorizer_is_logging());
	memorizer_sites_amid = NULL;
	/* Those that had to wait come now. */
	msleep(100);
	unregister_nmi_handler(NMI_LOCAL, "memorizer_sites_test");
	return err;
}

static void nmi_waits_while_sites_are_patched(struct kunit *test)
{
	unsigned int others = num_online_cpus() - 1;

	if (!others)
		kunit_skip(test, "there is one CPU");
	KUNIT_EXPECT_EQ(test, 0, switch_amid(test, send_nmis_to_others));
	KUNIT_EXPECT_EQ(test, atomic_read(&nmis), others);
	KUNIT_EXPECT_EQ(test, atomic_read(&nmis_amid), 0);
	KUNIT_EXPECT_EQ(test, sites_other_than(memorizer_is_logging()), 0);
}

static void nmi_of_the_patching_cpu_does_not_wait(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 0, switch_amid(test, send_nmi_to_itself));
	KUNIT_EXPECT_EQ(test, atomic_read(&nmis), 1);
}

/* The first site of that form, NULL if there is none; no other one begins behind it. */
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

/* Nobody may probe a site, nor what has its prefixes, whether they are there or not. */
static void sites_are_reserved(struct kunit *test)
{
	const struct memorizer_site *site;
	unsigned int form, i;
	const u8 *text;

	for (form = MEMORIZER_FORM_TEST; form <= MEMORIZER_FORM_SS; form++) {
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

static void sites_test_exit(struct kunit *test)
{
	memorizer_set_log_access(false);
}

static struct kunit_case sites_cases[] = {
	KUNIT_CASE(switch_is_all_or_nothing),
	KUNIT_CASE(nmi_waits_while_sites_are_patched),
	KUNIT_CASE(nmi_of_the_patching_cpu_does_not_wait),
	KUNIT_CASE(sites_are_reserved),
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
