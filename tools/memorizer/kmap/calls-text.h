/* SPDX-License-Identifier: GPL-2.0 */
/* Reader of calls, as in the kernel's file. */
#ifndef CALLS_TEXT_H
#define CALLS_TEXT_H

#include "lib/types.h"

/**
 * calls_visit - called for each row
 * @data: argument of calls_read()
 * @from: return address of the call
 * @to: address of the called function
 * @pid: the task
 * @calls: how often
 *
 * Return: false if the number of calls is too large: the row is malformed.
 */
typedef bool calls_visit(void *data, u64 from, u64 to, u64 pid, u64 calls);

int calls_read(const char *path, calls_visit *visit, void *data);

#endif
