/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reader of the subset of YAML that data files use: block and flow lists and maps, plain and
 * quoted scalars on one line, and comments.
 */
#ifndef YAML_H
#define YAML_H

#include "lib/types.h"

enum yaml_kind { YAML_NULL, YAML_SCALAR, YAML_LIST, YAML_MAP };

/**
 * struct yaml - a node
 * @kind: its kind
 * @line: line of its beginning, from 1
 * @key: its key in a map; NULL elsewhere
 * @text: text of a scalar
 * @items: nodes of a list or a map
 * @nr: number of @items
 * @room: private: size of @items
 */
struct yaml {
	enum yaml_kind kind;
	u64 line;
	char *key, *text;
	struct yaml *items;
	u32 nr, room;
};

bool yaml_read(struct yaml *root, const char *path, char error[ERROR_MAX]);
void yaml_free(struct yaml *node);
const struct yaml *yaml_get(const struct yaml *map, const char *key);

#endif
