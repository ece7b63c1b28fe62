// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the subset of YAML in yaml.h into a tree.
 *
 * The text is split into lines with their indentation. A block is a run of lines of the same
 * indentation, with deeper blocks in between. "- " and a line after it are a block that begins
 * in that line, so that the line is read again with a larger indentation.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/alloc.h"
#include "lib/error.h"
#include "lib/yaml.h"

#define DEPTH_MAX	64	/* nesting */
#define NO_VALUE	"a key without a value: want KEY: VALUE"
#define DEEPER		"an indentation that belongs to no line above: want each text in one line"

/* A line that is neither empty nor a comment. */
struct line {
	u64 nr;
	size_t indent;
	char *text;		/* what is left of it, without indentation */
	char *whole;
};

/**
 * struct reader - state of reading
 * @path: name of the file
 * @lines: the lines
 * @nr: number of @lines
 * @at: the current line
 * @depth: nesting of the current node
 * @error: set to a message on failure
 */
struct reader {
	const char *path;
	struct line *lines;
	size_t nr, at;
	u32 depth;
	char *error;
};

static bool read_block(struct reader *r, struct yaml *node);
static bool read_flow(struct reader *r, struct yaml *node, char **p);

static bool refuse(struct reader *r, u64 line, const char *why)
{
	return set_error(r->error, "%s:%llu: %s", r->path, line, why);
}

static struct yaml *add_item(struct yaml *node)
{
	if (node->nr == node->room) {
		node->room = 2 * node->room + 4;
		node->items = xreallocarray(node->items, node->room, sizeof(*node->items));
	}
	node->items[node->nr] = (struct yaml){ .kind = YAML_NULL };
	return node->items + node->nr++;
}

static char *skip_blanks(char *p)
{
	return p + strspn(p, " \t");
}

/* Is this the end of a line, possibly with a comment? */
static bool is_end(const char *p)
{
	return !*p || *p == '#';
}

/* Scalars */

/* Read the rest of a quoted text; NULL if it does not end. */
static char *read_quoted(char **p)
{
	char quote = *(*p)++, *text = xstrdup(*p), *to = text;

	for (; **p; (*p)++) {
		if (**p == quote && (quote == '"' || (*p)[1] != quote)) {
			*to = '\0';
			(*p)++;
			return text;
		}
		/* '' is a quote; of escapes in "", only \" and \\ are known. */
		if (quote == '\'' ? **p == quote : **p == '\\' && strchr("\"\\", (*p)[1]))
			(*p)++;
		else if (quote == '"' && **p == '\\')
			break;
		if (!**p)
			break;
		*to++ = **p;
	}
	free(text);
	return NULL;
}

/* Length of a plain scalar; in a flow, it also ends at a separator. */
static size_t plain_length(const char *p, bool flow)
{
	size_t len, used = 0;

	for (len = 0; p[len]; len++) {
		if (flow && strchr(",[]{}", p[len]))
			break;
		if (p[len] == ':' && (!p[len + 1] || strchr(" \t", p[len + 1]) ||
				      (flow && strchr(",[]{}", p[len + 1]))))
			break;
		if (p[len] == '#' && len && strchr(" \t", p[len - 1]))
			break;
		if (!strchr(" \t", p[len]))
			used = len + 1;
	}
	return used;
}

/* Read a scalar's text; NULL after a message. */
static char *read_text(struct reader *r, u64 line, char **p, bool flow)
{
	size_t len;
	char *text;

	if (**p == '"' || **p == '\'') {
		text = read_quoted(p);
		if (!text)
			refuse(r, line, "a quoted text that does not end in its line, or an escape: want \"text\" or 'text'");
		return text;
	}
	if (strchr("&*!|>%@`?", **p)) {
		refuse(r, line, "a text that begins with one of &*!|>%@`?: want a plain or quoted text");
		return NULL;
	}
	len = plain_length(*p, flow);
	text = xstrdup(*p);
	text[len] = '\0';
	*p += len;
	return text;
}

/* Make a node of a scalar. Unquoted, these words are no text. */
static void set_scalar(struct yaml *node, char *text, bool quoted)
{
	node->kind = YAML_SCALAR;
	node->text = text;
	if (!quoted && (!*text || !strcmp(text, "~") || !strcmp(text, "null"))) {
		free(text);
		*node = (struct yaml){ .line = node->line, .key = node->key };
	}
}

static bool read_scalar(struct reader *r, struct yaml *node, char **p, bool flow)
{
	bool quoted = **p == '"' || **p == '\'';
	char *text = read_text(r, node->line, p, flow);

	if (text)
		set_scalar(node, text, quoted);
	return text;
}

/* Flow style */

/* Skip blanks and comments, also to the next line; false after a message. */
static bool next_token(struct reader *r, char **p)
{
	*p = skip_blanks(*p);
	while (is_end(*p)) {
		if (r->at + 1 >= r->nr)
			return refuse(r, r->lines[r->at].nr,
				      "the file ends within brackets: want ] or }");
		*p = skip_blanks(r->lines[++r->at].text);
	}
	return true;
}

static bool is_key_taken(const struct yaml *map, const char *key)
{
	u32 i;

	/* The last item is the new one, which has no key yet. */
	for (i = 0; i + 1 < map->nr; i++)
		if (!strcmp(map->items[i].key, key))
			return true;
	return false;
}

static bool set_key(struct reader *r, struct yaml *map, struct yaml *item, char *key)
{
	bool taken = is_key_taken(map, key);

	item->key = key;
	return !taken || refuse(r, item->line, "a key that the map has already: want each key once");
}

static bool read_flow_key(struct reader *r, struct yaml *map, struct yaml *item, char **p)
{
	char *key = read_text(r, item->line, p, true);

	if (!key || !set_key(r, map, item, key) || !next_token(r, p))
		return false;
	if (**p != ':')
		return refuse(r, item->line, NO_VALUE);
	(*p)++;
	return next_token(r, p);
}

static bool read_flow_items(struct reader *r, struct yaml *node, char **p)
{
	char end = node->kind == YAML_LIST ? ']' : '}';
	struct yaml *item;

	if (!next_token(r, p))
		return false;
	while (**p != end) {
		item = add_item(node);
		item->line = r->lines[r->at].nr;
		if (node->kind == YAML_MAP && !read_flow_key(r, node, item, p))
			return false;
		if (!read_flow(r, item, p) || !next_token(r, p))
			return false;
		if (**p != ',' && **p != end)
			return refuse(r, r->lines[r->at].nr,
				      end == ']' ? "neither , nor ] after an item of a list" :
						   "neither , nor } after a value of a map");
		if (**p == ',' && ((*p)++, !next_token(r, p)))
			return false;
	}
	(*p)++;
	return true;
}

static bool read_flow(struct reader *r, struct yaml *node, char **p)
{
	bool fine;

	if (**p != '[' && **p != '{')
		return read_scalar(r, node, p, true);
	if (r->depth == DEPTH_MAX)
		return refuse(r, node->line, "more than 64 nested lists and maps");
	node->kind = *(*p)++ == '[' ? YAML_LIST : YAML_MAP;
	r->depth++;
	fine = read_flow_items(r, node, p);
	r->depth--;
	return fine;
}

/* Block style */

/* Does the line begin an item of a list? */
static bool is_item(const struct line *line)
{
	return line->text[0] == '-' && (!line->text[1] || strchr(" \t", line->text[1]));
}

/* Does the line begin with KEY: ? */
static bool is_pair(const struct line *line)
{
	const char *p = line->text;
	size_t len;

	if (*p == '[' || *p == '{')
		return false;
	if (*p == '"' || *p == '\'') {
		p = strchr(p + 1, *p);
		return p && p[1 + strspn(p + 1, " \t")] == ':';
	}
	len = plain_length(p, false);
	return len && p[len + strspn(p + len, " \t")] == ':';
}

/* Read a value in the current line, which it ends. */
static bool read_inline(struct reader *r, struct yaml *node, char *p)
{
	bool fine = *p == '[' || *p == '{' ? read_flow(r, node, &p) :
					     read_scalar(r, node, &p, false);

	if (!fine)
		return false;
	if (!is_end(skip_blanks(p)))
		return refuse(r, r->lines[r->at].nr, "more text after a value: want a value in each line");
	r->at++;
	return true;
}

/* Read what follows a key or a dash without a value: a deeper block, or nothing. */
static bool read_below(struct reader *r, struct yaml *node, size_t indent, bool list)
{
	const struct line *next;

	if (++r->at >= r->nr)
		return true;
	next = r->lines + r->at;
	/* The list of a key may have the key's indentation. */
	if (next->indent > indent || (list && next->indent == indent && is_item(next))) {
		node->line = next->nr;
		return read_block(r, node);
	}
	return true;
}

static bool read_item(struct reader *r, struct yaml *node)
{
	struct line *line = r->lines + r->at;
	char *p = skip_blanks(line->text + 1);
	size_t indent = line->indent;

	if (is_end(p))
		return read_below(r, node, indent, false);
	line->indent += p - line->text;
	line->text = p;
	if (is_item(line) || is_pair(line))
		return read_block(r, node);
	return read_inline(r, node, p);
}

static bool read_pair(struct reader *r, struct yaml *map, struct yaml *node)
{
	const struct line *line = r->lines + r->at;
	size_t indent = line->indent;
	char *p = line->text, *key = read_text(r, line->nr, &p, false);

	if (!key || !set_key(r, map, node, key))
		return false;
	p = skip_blanks(p);
	/* is_pair() takes an escaped quote for the end of a key. */
	if (*p != ':')
		return refuse(r, line->nr, NO_VALUE);
	p = skip_blanks(p + 1);
	return is_end(p) ? read_below(r, node, indent, true) : read_inline(r, node, p);
}

/* Brackets may be continued in lines that begin with tabs. */
static bool check_indent(struct reader *r, const struct line *line)
{
	return *line->text != '\t' ||
	       refuse(r, line->nr, "a tab in the indentation: want blanks");
}

static bool read_items(struct reader *r, struct yaml *node)
{
	size_t indent = r->lines[r->at].indent;
	struct yaml *item;
	const struct line *line;

	while (r->at < r->nr && r->lines[r->at].indent == indent) {
		line = r->lines + r->at;
		if (!check_indent(r, line))
			return false;
		if (node->kind == YAML_LIST && !is_item(line))
			break;
		if (node->kind == YAML_MAP && (is_item(line) || !is_pair(line)))
			return refuse(r, line->nr, "neither a key nor the end of the map: want KEY: VALUE");
		item = add_item(node);
		item->line = line->nr;
		if (node->kind == YAML_LIST ? !read_item(r, item) : !read_pair(r, node, item))
			return false;
	}
	if (r->at < r->nr && r->lines[r->at].indent > indent)
		return refuse(r, r->lines[r->at].nr, DEEPER);
	return true;
}

/* Read a list or a map that begins in the current line. */
static bool read_block(struct reader *r, struct yaml *node)
{
	struct line *line = r->lines + r->at;
	bool fine;

	if (!check_indent(r, line))
		return false;
	if (!is_item(line) && !is_pair(line))
		return read_inline(r, node, line->text);
	if (r->depth == DEPTH_MAX)
		return refuse(r, line->nr, "more than 64 nested lists and maps");
	node->kind = is_item(line) ? YAML_LIST : YAML_MAP;
	r->depth++;
	fine = read_items(r, node);
	r->depth--;
	return fine;
}

/* File */

static bool add_line(struct reader *r, size_t *room, char *text, u64 nr)
{
	size_t indent = strspn(text, " ");

	if (is_end(skip_blanks(text)) || (nr == 1 && !strcmp(text, "---")))
		return true;
	if (r->nr == *room) {
		*room = 2 * *room + 1024;
		r->lines = xreallocarray(r->lines, *room, sizeof(*r->lines));
	}
	text = xstrdup(text);
	r->lines[r->nr++] = (struct line){ nr, indent, text + indent, text };
	return true;
}

static bool read_lines(struct reader *r, FILE *file)
{
	size_t room = 0, lines_room = 0;
	char *text = NULL;
	bool fine = true;
	ssize_t len;
	u64 nr = 0;

	while (fine && (len = getline(&text, &room, file)) > 0) {
		nr++;
		if (strlen(text) != (size_t)len)
			fine = refuse(r, nr, "a NUL byte: want text");
		text[strcspn(text, "\r\n")] = '\0';
		fine = fine && add_line(r, &lines_room, text, nr);
	}
	if (fine && ferror(file))
		fine = set_path_error(r->error, r->path, strerror(errno));
	free(text);
	return fine;
}

static void free_lines(struct reader *r)
{
	while (r->nr)
		free(r->lines[--r->nr].whole);
	free(r->lines);
}

/**
 * yaml_read - read a file
 * @root: set to the tree, to be freed by yaml_free() in any case
 * @path: name of the file
 * @error: set to a message on failure
 *
 * Return: true on success.
 */
bool yaml_read(struct yaml *root, const char *path, char error[ERROR_MAX])
{
	struct reader r = { .path = path, .error = error };
	FILE *file = fopen(path, "r");
	bool fine;

	*root = (struct yaml){ .kind = YAML_NULL, .line = 1 };
	if (!file)
		return set_path_error(error, path, strerror(errno));
	fine = read_lines(&r, file);
	fclose(file);
	if (fine && r.nr)
		fine = read_block(&r, root);
	if (fine && r.at < r.nr)
		fine = refuse(&r, r.lines[r.at].nr, DEEPER);
	free_lines(&r);
	return fine;
}

/**
 * yaml_free - free the children of a node, its key and its text
 * @node: the node
 */
void yaml_free(struct yaml *node)
{
	u32 i;

	for (i = 0; i < node->nr; i++)
		yaml_free(node->items + i);
	free(node->items);
	free(node->key);
	free(node->text);
}

/**
 * yaml_get - look up a key
 * @map: the map, or another node, which has no keys
 * @key: the key
 *
 * Return: the value; NULL if there is none.
 */
const struct yaml *yaml_get(const struct yaml *map, const char *key)
{
	u32 i;

	for (i = 0; map->kind == YAML_MAP && i < map->nr; i++)
		if (!strcmp(map->items[i].key, key))
			return map->items + i;
	return NULL;
}
