// SPDX-License-Identifier: GPL-2.0
/* Reads YAML into a tree, with libyaml. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "lib/alloc.h"
#include "lib/error.h"
#include "lib/tree.h"

#define DEPTH_MAX	64	/* nesting */

/**
 * struct reader - state of reading
 * @parser: libyaml's state
 * @event: the current event
 * @path: name of the file
 * @depth: nesting of the current node
 * @error: set to a message on failure
 */
struct reader {
	yaml_parser_t parser;
	yaml_event_t event;
	const char *path;
	u32 depth;
	char *error;
};

static bool read_node(struct reader *r, struct tree *node);

/* Format a message about a line. Always returns false, so that callers can return it. */
static bool refuse(const struct reader *r, u64 line, const char *why)
{
	return set_error(r->error, "%s:%llu: %s", r->path, line, why);
}

static u64 line_of(const struct reader *r)
{
	return r->event.start_mark.line + 1;
}

/* Go to the next event; false after a message. */
static bool next(struct reader *r)
{
	yaml_event_delete(&r->event);
	if (yaml_parser_parse(&r->parser, &r->event))
		return true;
	/* Of a byte that is no text, only the offset is known. */
	if (r->parser.error == YAML_READER_ERROR)
		return set_error(r->error, "%s: byte %zu: %s", r->path, r->parser.problem_offset,
				 r->parser.problem);
	return refuse(r, r->parser.problem_mark.line + 1, r->parser.problem ?: "no memory");
}

static struct tree *add_item(struct tree *node)
{
	if (node->nr == node->room) {
		node->room = node->room ? 2 * node->room : 4;
		node->items = xreallocarray(node->items, node->room, sizeof(*node->items));
	}
	node->items[node->nr] = (struct tree){ .kind = TREE_NULL };
	return node->items + node->nr++;
}

/* Take the text of a scalar. Returns NULL after a message. */
static char *take_text(struct reader *r)
{
	const char *text = (const char *)r->event.data.scalar.value;

	if (strlen(text) == r->event.data.scalar.length)
		return xstrdup(text);
	refuse(r, line_of(r), "a NUL in a text");
	return NULL;
}

/* Unquoted, these words are no text. */
static bool is_null(const struct reader *r)
{
	const char *text = (const char *)r->event.data.scalar.value;

	return r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
	       (!*text || !strcmp(text, "~") || !strcmp(text, "null"));
}

static bool read_key(struct reader *r, const struct tree *map, struct tree *item)
{
	u32 i;

	if (r->event.type != YAML_SCALAR_EVENT)
		return refuse(r, line_of(r), "a key that is no text");
	item->key = take_text(r);
	for (i = 0; item->key && i + 1 < map->nr; i++)
		if (!strcmp(map->items[i].key, item->key))
			return refuse(r, line_of(r), "a key that the map has already: want each key once");
	return item->key && next(r);
}

/* Read the items of a list or a map, up to the event that ends it. */
static bool read_items(struct reader *r, struct tree *node, yaml_event_type_t end)
{
	struct tree *item;

	if (++r->depth > DEPTH_MAX)
		return refuse(r, node->line, "more than 64 nested lists and maps");
	while (next(r) && r->event.type != end) {
		item = add_item(node);
		if ((node->kind == TREE_MAP && !read_key(r, node, item)) || !read_node(r, item))
			return false;
	}
	r->depth--;
	return r->event.type == end;
}

/* Read the node that begins with the current event. */
static bool read_node(struct reader *r, struct tree *node)
{
	node->line = line_of(r);
	switch (r->event.type) {
	case YAML_SCALAR_EVENT:
		if (is_null(r))
			return true;
		node->kind = TREE_TEXT;
		node->text = take_text(r);
		return node->text;
	case YAML_SEQUENCE_START_EVENT:
		node->kind = TREE_LIST;
		return read_items(r, node, YAML_SEQUENCE_END_EVENT);
	case YAML_MAPPING_START_EVENT:
		node->kind = TREE_MAP;
		return read_items(r, node, YAML_MAPPING_END_EVENT);
	default:
		/* They would make a tree that is larger than the file. */
		return refuse(r, node->line, "an alias: want its text");
	}
}

/* Read a stream of at most one document. */
static bool read_stream(struct reader *r, struct tree *root)
{
	/* The stream's beginning, and the document's */
	if (!next(r) || !next(r))
		return false;
	if (r->event.type == YAML_STREAM_END_EVENT)
		return true;
	if (!next(r) || !read_node(r, root) || !next(r) || !next(r))
		return false;
	return r->event.type == YAML_STREAM_END_EVENT ||
	       refuse(r, line_of(r), "a second document: want one");
}

/**
 * tree_read - read a YAML file
 * @root: set to the root, to be freed with tree_free() even on failure
 * @path: the file
 * @error: set to a message on failure
 *
 * Return: true on success.
 */
bool tree_read(struct tree *root, const char *path, char error[ERROR_MAX])
{
	struct reader r = { .path = path, .error = error };
	FILE *file = fopen(path, "r");
	bool fine;

	*root = (struct tree){ .kind = TREE_NULL, .line = 1 };
	if (!file)
		return set_path_error(error, path, strerror(errno));
	if (!yaml_parser_initialize(&r.parser))
		abort();
	yaml_parser_set_input_file(&r.parser, file);
	fine = read_stream(&r, root);
	yaml_event_delete(&r.event);
	yaml_parser_delete(&r.parser);
	fclose(file);
	return fine;
}

/**
 * tree_free - free the children of a node, its key and its text
 * @node: the node
 */
void tree_free(struct tree *node)
{
	u32 i;

	for (i = 0; i < node->nr; i++)
		tree_free(node->items + i);
	free(node->items);
	free(node->key);
	free(node->text);
}

/**
 * tree_get - look up a key
 * @map: the map, or another node, which has no keys
 * @key: the key
 *
 * Return: the value; NULL if there is none.
 */
const struct tree *tree_get(const struct tree *map, const char *key)
{
	u32 i;

	for (i = 0; map->kind == TREE_MAP && i < map->nr; i++)
		if (!strcmp(map->items[i].key, key))
			return map->items + i;
	return NULL;
}
