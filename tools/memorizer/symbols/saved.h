/* SPDX-License-Identifier: GPL-2.0 */
/* Symbols of modules that record saved when the modules appeared. */
#ifndef SAVED_H
#define SAVED_H

#include "symbols/build-id.h"
#include "symbols/symbols.h"

/**
 * struct saved_module - a module with saved symbols
 * @name: name of the module
 * @base: address of its text
 * @id: build ID, unknown if it has none
 */
struct saved_module {
	char *name;
	u64 base;
	struct build_id id;
};

/**
 * struct saved - saved symbols of a trace
 * @path: name of the file
 * @module: the modules, in the order in which they appeared
 * @nr: number of modules
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
