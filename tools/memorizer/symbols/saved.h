/* SPDX-License-Identifier: GPL-2.0 */
/* The symbols of modules that record saved when they appeared. */
#ifndef SAVED_H
#define SAVED_H

#include "symbols/build-id.h"
#include "symbols/symbols.h"

/**
 * struct saved_module - the symbols of a module
 * @name: its name
 * @base: where its text was
 * @id: its build id, unknown if it has none
 */
struct saved_module {
	char *name;
	u64 base;
	struct build_id id;
};

/**
 * struct saved - the symbols that a trace has
 * @path: file that they are in
 * @module: the modules, in the order that they appeared
 * @nr: how many
 */
struct saved {
	char *path;
	struct saved_module *module;
	u32 nr;
};

void saved_open(struct saved *s, const char *dir);
void saved_close(struct saved *s);
void saved_read(const struct saved *s, u32 nr, struct kmap_symbols *to);

#endif
