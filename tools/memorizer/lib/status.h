/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STATUS_H
#define STATUS_H

/* Exit statuses. */
enum {
	EXIT_FINE,
	EXIT_MALFORMED,		/* lines were malformed, sums overflowed, a trace is unsound */
	EXIT_UNABLE,		/* wrong usage, a file that cannot be read or written */
	EXIT_INCOMPLETE,	/* nothing of that, but a trace lacks events */
};

#endif
