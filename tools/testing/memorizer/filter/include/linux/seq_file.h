/* SPDX-License-Identifier: GPL-2.0 */
/* Output to a stdio stream. */
#ifndef _TEST_LINUX_SEQ_FILE_H
#define _TEST_LINUX_SEQ_FILE_H

#include <stdio.h>

struct seq_file {
	FILE *stream;
};

#define seq_printf(m, ...)	fprintf((m)->stream, __VA_ARGS__)

#endif /* _TEST_LINUX_SEQ_FILE_H */
