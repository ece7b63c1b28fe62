/* SPDX-License-Identifier: GPL-2.0 */
/* Reader of YAML into a tree. */
#ifndef TREE_H
#define TREE_H

#include "lib/types.h"

enum tree_kind { TREE_NULL, TREE_TEXT, TREE_LIST, TREE_MAP };

/**
 * struct tree - a node
 * @kind: its kind
 * @line: line of its beginning, from 1
 * @key: its key in a map; NULL elsewhere
 * @text: text of a scalar
 * @items: nodes of a list or a map
 * @nr: number of @items
 * @room: private: size of @items
 */
struct tree {
	enum tree_kind kind;
	u64 line;
	char *key, *text;
	struct tree *items;
	u32 nr, room;
};

bool tree_read(struct tree *root, const char *path, char error[ERROR_MAX]);
void tree_free(struct tree *node);
const struct tree *tree_get(const struct tree *map, const char *key);

#endif
