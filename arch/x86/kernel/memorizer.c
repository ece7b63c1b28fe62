// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's thunks, for the sites of modules.
 *
 * memorizer_thunk.S has the code. Only stubs jump to a thunk, or call it.
 */
#include <linux/export.h>

#define EXPORT_THUNK(name)			\
	void memorizer_##name(void);		\
	EXPORT_SYMBOL(memorizer_##name)

#define EXPORT_THUNKS(name)			\
	EXPORT_THUNK(thunk_##name);		\
	EXPORT_THUNK(joined_##name)

EXPORT_THUNKS(r1);
EXPORT_THUNKS(r2);
EXPORT_THUNKS(r4);
EXPORT_THUNKS(r8);
EXPORT_THUNKS(r16);
EXPORT_THUNKS(w1);
EXPORT_THUNKS(w2);
EXPORT_THUNKS(w4);
EXPORT_THUNKS(w8);
EXPORT_THUNKS(w16);
EXPORT_THUNKS(u1);
EXPORT_THUNKS(u2);
EXPORT_THUNKS(u4);
EXPORT_THUNKS(u8);
EXPORT_THUNKS(u16);
EXPORT_THUNK(thunk_rn);
EXPORT_THUNK(thunk_wn);
EXPORT_THUNK(thunk_un);
EXPORT_THUNK(thunk_string);
EXPORT_THUNK(leave_r9);
EXPORT_THUNK(leave_r10);
EXPORT_THUNK(leave_r11);
