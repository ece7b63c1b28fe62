/* SPDX-License-Identifier: GPL-2.0 */
/* Partitions of functions into compartments, by what is known of them or by a file of patterns. */
#ifndef PARTITION_H
#define PARTITION_H

#include "report/privilege.h"

enum partition_by {
	PARTITION_FUNCTION,
	PARTITION_FILE,
	PARTITION_DIRECTORY,
	PARTITION_MODULE,
	PARTITION_RULES,
};

/**
 * struct partition - how to name the compartment of a function
 * @by: what decides
 * @rules: the rules of a file
 * @nr: number of @rules
 * @paths: a rule names paths of source files
 */
struct partition {
	enum partition_by by;
	struct partition_rule *rules;
	u32 nr;
	bool paths;
};

bool partition_read(struct partition *partition, const char *path, char error[ERROR_MAX]);
void partition_free(struct partition *partition);
bool partition_needs_files(const struct partition *partition);
const char *partition_name(const struct partition *partition, const struct privilege *p,
			   const struct actor *actor, char text[TEXTS_MAX]);

#endif
