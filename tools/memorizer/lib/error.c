// SPDX-License-Identifier: GPL-2.0
/* Error messages that are returned to the caller. */
#include <stdarg.h>
#include <stdio.h>

#include "lib/error.h"

/**
 * set_error - format an error message
 * @error: set to the message, truncated to ERROR_MAX
 * @format: format of printf()
 *
 * Return: false, so that callers can return it.
 */
bool set_error(char error[ERROR_MAX], const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error, ERROR_MAX, format, args);
	va_end(args);
	return false;
}

/**
 * set_path_error - format an error message about a file
 * @error: set to "PATH: WHY", with both parts truncated if necessary
 * @path: name of the file
 * @why: what is wrong with it
 *
 * Return: false, so that callers can return it.
 */
bool set_path_error(char error[ERROR_MAX], const char *path, const char *why)
{
	return set_error(error, "%.300s: %.200s", path, why);
}
