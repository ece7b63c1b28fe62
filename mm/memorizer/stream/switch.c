// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's stream: its switches, and boot parameters.
 */
#define pr_fmt(fmt) "memorizer: " fmt

#include <linux/init.h>
#include <linux/memorizer.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/uuid.h>

#include "stream.h"

#define SUBBUFS_MIN	2
#define SUBBUFS_MAX	4096
#define SUBBUF_SIZE_MIN	SZ_4K
#define SUBBUF_SIZE_MAX	SZ_16M
/* All buffers take at most 1/RAM_SHARE of RAM. */
#define RAM_SHARE	8

/* Serializes switching; guards memorizer_stream_switches. */
static DEFINE_MUTEX(switch_mutex);

#undef MODULE_PARAM_PREFIX
#define MODULE_PARAM_PREFIX "memorizer."

static unsigned int boot_subbufs __initdata = 16;
module_param_named(subbufs, boot_subbufs, uint, 0);

static unsigned long long boot_subbuf_size __initdata = SZ_512K;
module_param_cb(subbuf_size, &memorizer_size_ops, &boot_subbuf_size, 0);

static bool boot_switches[MEMORIZER_STREAM_SWITCHES] __initdata;

/* Comma-separated names of switches. Unknown names are errors, but the others take effect. */
static int __init set_boot_switches(const char *list, const struct kernel_param *param)
{
	size_t length;
	int which, err = 0;

	do {
		length = strcspn(list, ",");
		for (which = 0; which < MEMORIZER_STREAM_SWITCHES; which++)
			if (strlen(memorizer_stream_names[which]) == length &&
			    !strncmp(memorizer_stream_names[which], list, length))
				break;
		if (which < MEMORIZER_STREAM_SWITCHES)
			boot_switches[which] = true;
		else
			err = -EINVAL;
		list += length;
	} while (*list++);
	return err;
}

static const struct kernel_param_ops switches_ops __initconst = {
	.set = set_boot_switches,
};

module_param_cb(stream, &switches_ops, NULL, 0);

/* Switch the hooks of a switch's events. */
static int switch_hooks(enum memorizer_stream_switch which, bool on)
{
	switch (which) {
	case MEMORIZER_STREAM_ALLOCATIONS:
		memorizer_observe_allocations(on);
		break;
	case MEMORIZER_STREAM_RETIREMENTS:
		if (on)
			memorizer_retire_wake();
		else
			memorizer_retire_stop();
		break;
	case MEMORIZER_STREAM_ACCESSES:
		memorizer_observe_accesses(on);
		break;
	case MEMORIZER_STREAM_TRAFFIC:
		return memorizer_observe_traffic(on);
	case MEMORIZER_STREAM_CONTEXTS:
		return memorizer_stream_contexts(on);
	case MEMORIZER_STREAM_LOCKS:
		return memorizer_stream_locks(on);
	case MEMORIZER_STREAM_SCOPED:
		WRITE_ONCE(memorizer_stream_is_scoped, on);
		break;
	default:
		break;
	}
	return 0;
}

/**
 * memorizer_stream_set() - set a switch
 * @which: an enum memorizer_stream_switch
 * @on: true to stream its events
 *
 * Context: process context, may sleep.
 * Return: 0, -ENOMEM if there are no buffers, or another error if a probe cannot be registered
 */
int memorizer_stream_set(unsigned int which, bool on)
{
	int err = 0;

	if (!memorizer_stream_is_open())
		return -ENOMEM;
	mutex_lock(&switch_mutex);
	if (memorizer_stream_switches[which] != on) {
		/* Before the switch event, which opens the first packet of the stream. */
		if (on && !memorizer_stream_any_is_on())
			WRITE_ONCE(memorizer_beginnings, memorizer_beginnings + 1);
		if (on)
			WRITE_ONCE(memorizer_session, memorizer_session + 1);
		WRITE_ONCE(memorizer_stream_switches[which], on);
		/*
		 * Disable hooks before the switch event and enable them after it: events lie in
		 * between.
		 */
		if (!on)
			switch_hooks(which, false);
		memorizer_stream_switched(false);
		if (on) {
			/* Before the hooks: addresses in the first events must be resolvable. */
			memorizer_stream_modules();
			err = switch_hooks(which, true);
		}
		if (err) {
			/* Without its probes it makes no events: announce that it is off. */
			WRITE_ONCE(memorizer_stream_switches[which], false);
			memorizer_stream_switched(false);
		}
	}
	mutex_unlock(&switch_mutex);
	return err;
}

/* Allocate the buffers, and enable the switches of the boot parameter. */
void __init memorizer_observer_init(void)
{
	unsigned long long room = (totalram_pages() << PAGE_SHIFT) / RAM_SHARE;
	unsigned long long subbufs, subbuf_size;
	int which;

	subbufs = clamp(boot_subbufs, SUBBUFS_MIN, SUBBUFS_MAX);
	subbuf_size = clamp(boot_subbuf_size, SUBBUF_SIZE_MIN, SUBBUF_SIZE_MAX);
	subbuf_size = round_up(subbuf_size, PAGE_SIZE);
	room = min_t(unsigned long long, room / num_possible_cpus(), U32_MAX);
	if (subbufs * subbuf_size > room)
		subbufs = max(room / subbuf_size, SUBBUFS_MIN);
	if (subbufs * subbuf_size > room)
		subbuf_size = max(round_down(room / subbufs, PAGE_SIZE), SUBBUF_SIZE_MIN);

	generate_random_uuid(memorizer_stream_uuid.b);
	if (!memorizer_buffers_open(subbufs, subbuf_size)) {
		pr_err("no memory for the buffers, the stream is disabled\n");
		return;
	}
	if (subbufs != boot_subbufs || subbuf_size != boot_subbuf_size)
		pr_warn("stream: %u sub-buffers of %llu bytes are not available, using %llu of %llu\n",
			boot_subbufs, boot_subbuf_size, subbufs, subbuf_size);

	memcpy(memorizer_stream_switches, boot_switches, sizeof(memorizer_stream_switches));
	WRITE_ONCE(memorizer_stream_is_scoped, memorizer_stream_switches[MEMORIZER_STREAM_SCOPED]);
	if (!memorizer_stream_any_is_on())
		return;
	/* No locks: no other CPU runs, and no file can be written yet. */
	memorizer_beginnings++;
	memorizer_session++;
	memorizer_stream_switched(true);
	for (which = 0; which < MEMORIZER_STREAM_CONTEXTS; which++)
		if (memorizer_stream_switches[which])
			switch_hooks(which, true);
}

/* Enable the switches that need tracepoints, which are not available earlier. */
static int __init observe_tracepoints(void)
{
	int which, err = 0;

	for (which = MEMORIZER_STREAM_CONTEXTS; which < MEMORIZER_STREAM_SCOPED; which++)
		if (memorizer_stream_switches[which] && switch_hooks(which, true)) {
			/* Without its probes it makes no events: announce that it is off. */
			WRITE_ONCE(memorizer_stream_switches[which], false);
			memorizer_stream_switched(false);
			err = -ENODEV;
		}
	return err;
}
core_initcall(observe_tracepoints);
