// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's stream: register the probes of a switch, all or none.
 */
#include <linux/tracepoint.h>

#include "stream.h"

/**
 * memorizer_probes_register() - register probes
 * @probes: the probes, registered in this order
 * @nr: number of probes
 *
 * Registers all probes or none.
 *
 * Context: process context, may sleep.
 * Return: 0 or a negative error code
 */
int memorizer_probes_register(const struct memorizer_probe *probes, unsigned int nr)
{
	unsigned int i;
	int err;

	for (i = 0; i < nr; i++) {
		err = tracepoint_probe_register(probes[i].tracepoint, probes[i].function, NULL);
		if (err) {
			/* Only those registered: others cause a warning. */
			memorizer_probes_unregister(probes, i);
			return err;
		}
	}
	return 0;
}

/**
 * memorizer_probes_unregister() - unregister probes, in reverse order
 * @probes: the probes
 * @nr: number of probes
 *
 * Context: process context, may sleep. No probe runs after it.
 */
void memorizer_probes_unregister(const struct memorizer_probe *probes, unsigned int nr)
{
	while (nr--)
		tracepoint_probe_unregister(probes[nr].tracepoint, probes[nr].function, NULL);
	tracepoint_synchronize_unregister();
}
