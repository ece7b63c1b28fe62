/* SPDX-License-Identifier: GPL-2.0 */
/* Error messages that are returned to the caller. */
#ifndef ERROR_H
#define ERROR_H

#include "lib/types.h"

bool set_error(char error[ERROR_MAX], const char *format, ...)
	__printf(2, 3);
bool set_path_error(char error[ERROR_MAX], const char *path, const char *why);

#endif
