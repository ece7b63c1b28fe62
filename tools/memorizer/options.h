/* SPDX-License-Identifier: GPL-2.0 */
/* Options of the commands, parsed by tools/lib/subcmd. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "lib/types.h"

/*
 * What parse-options.h needs of tools/include/linux/kernel.h, which cannot be included: its u64
 * is uint64_t, which %llu does not print on every machine.
 */
#define BUILD_BUG_ON_ZERO(e)	((int)(sizeof(struct { int:(-!!(e)); })))
#define __noreturn		__attribute__((__noreturn__))
#include <subcmd/parse-options.h>

struct command;

/* An option whose argument @f takes; it has no --no- form. */
#define OPT_TAKE(s, l, v, a, h, f) \
	{ .type = OPTION_CALLBACK, .short_name = (s), .long_name = (l), .value = (v), .argh = (a), \
	  .help = (h), .flags = PARSE_OPT_NONEG, .callback = (f) }

/* A u32 from @least to @most; more fields may follow. */
#define OPT_NUMBER(s, l, v, a, least, most, h, ...) \
	{ .type = OPTION_CALLBACK, .short_name = (s), .long_name = (l), \
	  .value = check_vtype(v, u32 *), .argh = (a), .help = (h), .flags = PARSE_OPT_NONEG, \
	  .callback = option_number, .data = (u32 [2]){ (least), (most) }, ## __VA_ARGS__ }

/* A file for both inputs, or if given twice one for each; counted in @n. */
#define OPT_FILES(s, l, v, n, a, h) \
	{ .type = OPTION_CALLBACK, .short_name = (s), .long_name = (l), \
	  .value = check_vtype(&(v)[0], const char **), .argh = (a), .help = (h), \
	  .flags = PARSE_OPT_NONEG, .callback = option_files, .data = check_vtype(n, int *) }

#define OPT_HELP() \
	{ .type = OPTION_CALLBACK, .short_name = 'h', .long_name = "help", .help = "print this", \
	  .flags = PARSE_OPT_NOARG | PARSE_OPT_NONEG, .callback = option_help }

int options_parse(const struct command *c, int argc, char **argv, const struct option *options,
		  int flags);
int option_refuse(const struct option *o, const char *arg, const char *want, ...)
	__printf(3, 4);
int option_number(const struct option *o, const char *arg, int unset);
int option_files(const struct option *o, const char *arg, int unset);
int option_help(const struct option *o, const char *arg, int unset);
int usage_error(const char *name);
int close_output(int status);

#endif
