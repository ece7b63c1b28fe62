/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STATUS_H
#define STATUS_H

/* Exit statuses. Of several that apply, EXIT_INCOMPLETE is used last. */
enum {
	EXIT_FINE,
	EXIT_MALFORMED,		/* malformed lines, overflowed sums, or violations in a trace */
	EXIT_UNABLE,		/* invalid usage, or an I/O error */
	EXIT_INCOMPLETE,	/* events are missing in a trace */
};

#endif
