/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rule by which cache lines move between CPUs, for the analyses of a trace's accesses
 * (report/cachelines.c) and the plugin for QEMU (qemu/lines.c). The kernel has the same rule in
 * mm/memorizer/traffic.c, where CPUs apply it without a lock.
 *
 * Caches are of infinite size. At first, all CPUs hold a line. A load makes its CPU a holder, a
 * store makes it the only holder.
 */
#ifndef LINE_MOVES_H
#define LINE_MOVES_H

#include <stdbool.h>

/**
 * line_moves - decide whether an access moves a line to its CPU
 * @holds: the CPU holds the line
 * @others: other CPUs hold it; ignored unless the access is a store
 * @store: the access is a store
 *
 * Return: true if it does.
 */
static inline bool line_moves(bool holds, bool others, bool store)
{
	return !holds || (store && others);
}

#endif
