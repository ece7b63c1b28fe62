/* SPDX-License-Identifier: GPL-2.0 */
/* Partitions of functions into compartments, by what is known of them or by a file of patterns. */
#ifndef PARTITION_H
#define PARTITION_H

#include "options.h"
#include "report/privilege.h"

enum partition_by {
	PARTITION_FUNCTION,
	PARTITION_FILE,
	PARTITION_DIRECTORY,
	PARTITION_MODULE,
	PARTITION_RULES,
};

/* Arguments of --by; PARTITION_RULES has none. */
extern const char * const partition_names[PARTITION_RULES];

/**
 * struct partition - how to name the compartment of a function
 * @by: what decides, from --by
 * @file: argument of --partition, or NULL
 * @rules: the rules of a file
 * @nr: number of @rules
 * @paths: a rule names paths of source files
 */
struct partition {
	enum partition_by by;
	const char *file;
	struct partition_rule *rules;
	u32 nr;
	bool paths;
};

/* Options for a partition. */
#define OPTS_PARTITION(f, usual)							\
	OPT_TAKE('b', "by", &(f)->by, "WHAT",						\
		 "compartments: function, file, directory or module (default: " usual ")", \
		 option_by),								\
	OPT_STRING(0, "partition", &(f)->file, "FILE",					\
		   "compartments: lines NAME GLOB of functions, or of files with a slash")

int option_by(const struct option *o, const char *arg, int unset);
bool partition_open(struct partition *partition, const char *command);
void partition_free(struct partition *partition);
bool partition_usable(const struct partition *partition, const struct kmap_symbols *symbols,
		      const char *command);
const char *partition_name(const struct partition *partition, const struct privilege *p,
			   const struct actor *actor, char text[TEXTS_MAX]);

#endif
