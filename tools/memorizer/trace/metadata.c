// SPDX-License-Identifier: GPL-2.0
/*
 * Recursive descent parser of metadata, for the subset of CTF 1.8 with byte-aligned fields:
 * integers, enumerations, strings, structures, and arrays of constant length. Other constructs
 * are accepted, and yield FIELD_UNKNOWN. METADATA_MAX, FIELDS_MAX and NESTING_MAX bound the
 * time, memory and stack that any input can take.
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/error.h"
#include "lib/source.h"
#include "trace/metadata.h"

#define METADATA_MAX	(256 * 1024)
#define FIELDS_MAX	16384		/* of all types and events */
#define ARRAY_MAX	4096
/* Bytes of an array. FIELDS_MAX of these add up to less than 2^32 bytes, the limit of an offset. */
#define ARRAY_SIZE_MAX	65536
#define NESTING_MAX	16
#define WORD_MAX	1024		/* bytes of a name or string */

enum token { END, WORD, NUMBER, TEXT, ASSIGN, MARK };

/**
 * struct type - a type
 * @field: field of this type, without a name
 * @text: the type is a character
 * @is_struct: the type is a structure
 * @members: members of the structure, flattened
 */
struct type {
	struct metadata_field field;
	bool text, is_struct;
	struct fields members;
};

struct alias {
	char *name;
	struct type type;
};

struct clock {
	char *name;
	u64 freq;
};

/**
 * struct parser - parser state
 * @m: result
 * @path: name of the file for messages
 * @p: next character
 * @line: line number of @p
 * @token: type of the current token
 * @mark: character of a MARK
 * @word: text of a WORD or TEXT
 * @number: value of a NUMBER
 * @nesting: number of open braces and types
 * @nr_fields: number of fields of all structures
 * @aliases: typealiases
 * @nr_aliases: number of @aliases
 * @clocks: clocks
 * @nr_clocks: number of @clocks
 * @error: set to the first error message
 * @failed: @error is set; ends the input
 */
struct parser {
	struct metadata *m;
	const char *path, *p;
	u32 line;
	enum token token;
	char mark, word[WORD_MAX];
	u64 number;
	u32 nesting, nr_fields;
	struct alias *aliases;
	u32 nr_aliases;
	struct clock *clocks;
	u32 nr_clocks;
	char *error;
	bool failed;
};

/* Format the first error message, and end the input. Always returns false, for callers. */
__printf(2, 3)
static bool fail(struct parser *s, const char *format, ...)
{
	va_list args;
	size_t len;

	if (!s->failed) {
		len = snprintf(s->error, ERROR_MAX, "%s: ", s->path);
		va_start(args, format);
		if (len < ERROR_MAX)
			vsnprintf(s->error + len, ERROR_MAX - len, format, args);
		va_end(args);
	}
	s->failed = true;
	/* Ends the loops of all callers, so that they need not check each return value. */
	s->token = END;
	return false;
}

static bool unexpected(struct parser *s, const char *want)
{
	if (s->token == END)
		return fail(s, "line %u: end of file: expected %s", s->line, want);
	if (s->token == MARK)
		return fail(s, "line %u: '%c': expected %s", s->line, s->mark, want);
	if (s->token == NUMBER)
		return fail(s, "line %u: %llu: expected %s", s->line, s->number, want);
	return fail(s, "line %u: '%.40s': expected %s", s->line,
		    s->token == ASSIGN ? ":=" : s->word, want);
}

/* Skip whitespace and comments. */
static void skip_space(struct parser *s)
{
	const char *end;

	for (;; s->p++) {
		if (!strncmp(s->p, "/*", 2)) {
			end = strstr(s->p + 2, "*/");
			/* The last character is left to the loop's increment. */
			end = end ? end + 1 : s->p + strlen(s->p) - 1;
			for (; s->p < end; s->p++)
				s->line += *s->p == '\n';
		} else if (!strncmp(s->p, "//", 2)) {
			s->p += strcspn(s->p, "\n");
			/* At the end of the text, let the loop's increment return to the NUL. */
			s->p -= !*s->p;
			s->line++;
		} else if (!isspace((unsigned char)*s->p)) {
			return;
		} else {
			s->line += *s->p == '\n';
		}
	}
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* Take a quoted string. A backslash escapes the next character. */
static void take_text(struct parser *s)
{
	size_t len = 0;

	for (s->p++; *s->p && *s->p != '"'; s->p++) {
		if (*s->p == '\\' && s->p[1])
			s->p++;
		s->line += *s->p == '\n';
		if (len < WORD_MAX - 1)
			s->word[len++] = *s->p;
	}
	s->word[len] = '\0';
	s->token = TEXT;
	if (*s->p)
		s->p++;
	else
		fail(s, "line %u: unterminated string", s->line);
}

/* Advance to the next token. */
static void next(struct parser *s)
{
	size_t len = 0;
	char *end;

	/* Stay at the end: callers continue to parse after an error. */
	if (s->failed)
		return;
	skip_space(s);
	if (!*s->p) {
		s->token = END;
	} else if (*s->p == '"') {
		take_text(s);
	} else if (isdigit((unsigned char)*s->p) ||
		   (*s->p == '-' && isdigit((unsigned char)s->p[1]))) {
		s->number = strtoull(s->p, &end, 0);
		s->p = end;
		s->token = NUMBER;
	} else if (is_word(*s->p)) {
		for (; is_word(*s->p); s->p++)
			if (len < WORD_MAX - 1)
				s->word[len++] = *s->p;
		s->word[len] = '\0';
		s->token = WORD;
	} else if (!strncmp(s->p, ":=", 2)) {
		s->p += 2;
		s->token = ASSIGN;
	} else {
		s->mark = *s->p++;
		s->token = MARK;
	}
}

static bool at_mark(const struct parser *s, char mark)
{
	return s->token == MARK && s->mark == mark;
}

static bool at_word(const struct parser *s, const char *word)
{
	return s->token == WORD && !strcmp(s->word, word);
}

/* Expect the character @mark, and skip it. */
static bool take_mark(struct parser *s, char mark)
{
	char want[] = { '\'', mark, '\'', '\0' };

	if (!at_mark(s, mark))
		return unexpected(s, want);
	/* A nested structure counts twice: parse_type() counts it, too. */
	if (mark == '{' && ++s->nesting > 2 * NESTING_MAX)
		return fail(s, "braces nested more than %d deep", NESTING_MAX);
	s->nesting -= mark == '}';
	next(s);
	return true;
}

/* Skip a block in braces. */
static void skip_block(struct parser *s)
{
	if (!take_mark(s, '{'))
		return;
	while (!s->failed && !at_mark(s, '}')) {
		if (s->token == END)
			unexpected(s, "'}'");
		else if (at_mark(s, '{'))
			skip_block(s);
		else
			next(s);
	}
	take_mark(s, '}');
}

static void free_fields(struct fields *f)
{
	u32 i;

	for (i = 0; i < f->nr; i++)
		free(f->field[i].name);
	free(f->field);
	*f = (struct fields){ NULL, 0 };
}

static void add_field(struct parser *s, struct fields *to, const struct metadata_field *f,
		      const char *prefix, const char *name)
{
	char *full;

	if (s->failed)
		return;
	if (++s->nr_fields > FIELDS_MAX) {
		fail(s, "more than %d fields", FIELDS_MAX);
		return;
	}
	/* Double the array whenever it is full, which is at powers of two. */
	if (!(to->nr & (to->nr - 1)))
		to->field = xreallocarray(to->field, to->nr ? 2 * to->nr : 1, sizeof(*to->field));
	/* Each level of nesting adds to the name: bound it. */
	if (asprintf(&full, "%.512s%s%.512s", prefix, *prefix ? "." : "", name) < 0)
		abort();
	to->field[to->nr] = *f;
	to->field[to->nr++].name = full;
}

/* Add a field. Structures are flattened: add each of their members, with a prefix. */
static void add_of_type(struct parser *s, struct fields *to, const struct type *type,
			const char *name)
{
	u32 i;

	if (!type->is_struct) {
		add_field(s, to, &type->field, "", name);
		return;
	}
	for (i = 0; i < type->members.nr && !s->failed; i++)
		add_field(s, to, type->members.field + i, name, type->members.field[i].name);
}

static void parse_type(struct parser *s, struct type *type);
static void parse_alias(struct parser *s);

/* Parse the length of an array. Lengths given by another field yield FIELD_UNKNOWN. */
static void make_array(struct parser *s, struct type *type)
{
	/* The name of another field: the length is only known from each event's data. */
	if (s->token != NUMBER) {
		type->field.type = FIELD_UNKNOWN;
		if (s->token != WORD)
			unexpected(s, "a length");
		next(s);
	} else if (s->number > ARRAY_MAX) {
		fail(s, "array of more than %d elements", ARRAY_MAX);
	} else if (type->field.size * s->number > ARRAY_SIZE_MAX) {
		fail(s, "array of more than %d bytes", ARRAY_SIZE_MAX);
	} else {
		/* No event of the kernel has such an array, and the elements' sizes may vary. */
		if (type->is_struct || type->field.type == FIELD_STRING)
			type->field.type = FIELD_UNKNOWN;
		else if (type->field.type != FIELD_UNKNOWN)
			type->field.type = type->text ? FIELD_TEXT : FIELD_OTHER;
		type->field.size *= s->number;
		type->text = false;
		next(s);
	}
	if (type->field.type == FIELD_UNKNOWN)
		type->is_struct = false;
	take_mark(s, ']');
}

/* { TYPE NAME; ... } */
static void parse_members(struct parser *s, struct fields *to)
{
	char name[WORD_MAX];
	struct type type;

	if (!take_mark(s, '{'))
		return;
	while (!s->failed && !at_mark(s, '}')) {
		if (at_word(s, "typealias")) {
			parse_alias(s);
			continue;
		}
		parse_type(s, &type);
		if (s->token != WORD) {
			unexpected(s, "a field's name");
		} else {
			memcpy(name, s->word, sizeof(name));
			next(s);
			while (!s->failed && at_mark(s, '[')) {
				next(s);
				make_array(s, &type);
			}
			add_of_type(s, to, &type, name);
			take_mark(s, ';');
		}
		free_fields(&type.members);
	}
	take_mark(s, '}');
}

static void parse_struct(struct parser *s, struct type *type)
{
	type->is_struct = true;
	if (s->token == WORD)
		next(s);
	parse_members(s, &type->members);
	if (!at_word(s, "align"))
		return;
	next(s);
	take_mark(s, '(');
	if (s->token != NUMBER) {
		unexpected(s, "a number of bits");
	} else if (s->number > 8) {
		/* Would need padding, which the decoder does not know. */
		free_fields(&type->members);
		type->is_struct = false;
		type->field.type = FIELD_UNKNOWN;
	}
	next(s);
	take_mark(s, ')');
}

/* Check whether a map attribute refers to a clock in ns. */
static bool is_clock(const struct parser *s, const char *map)
{
	size_t len;
	u32 i;

	for (i = 0; i < s->nr_clocks; i++) {
		len = strlen(s->clocks[i].name);
		if (!strncmp(map, "clock.", 6) && !strncmp(map + 6, s->clocks[i].name, len) &&
		    !strcmp(map + 6 + len, ".value"))
			return s->clocks[i].freq == 1000000000;
	}
	return false;
}

/* Take the value of an integer's attribute, which is the current token. */
static void take_attribute(struct parser *s, struct type *type, const char *name, u32 *bits,
			   bool *odd)
{
	if (!strcmp(name, "size")) {
		/* 0 makes the field unknown: load() has 64 bits at most. */
		*bits = s->token == NUMBER && s->number <= 64 ? s->number : 0;
	} else if (!strcmp(name, "align")) {
		/*
		 * All fields are whole bytes: they are aligned to 8 bits even if only 1
		 * is asked for.
		 */
		*odd |= s->token != NUMBER || (s->number != 8 && s->number != 1);
	} else if (!strcmp(name, "signed")) {
		if (at_word(s, "true") || at_word(s, "TRUE") || (s->token == NUMBER && s->number))
			type->field.type = FIELD_SIGNED;
	} else if (!strcmp(name, "byte_order")) {
		type->field.native = at_word(s, "native");
		type->field.big_endian = at_word(s, "be") || at_word(s, "network");
	} else if (!strcmp(name, "encoding")) {
		type->text = at_word(s, "UTF8") || at_word(s, "ASCII") || at_word(s, "utf8") ||
			     at_word(s, "ascii") || at_word(s, "UTF");
	} else if (!strcmp(name, "map")) {
		type->field.clock = s->token == WORD && is_clock(s, s->word);
	}
	if (s->token != NUMBER && s->token != WORD && s->token != TEXT)
		unexpected(s, "a value");
	next(s);
}

static void parse_integer(struct parser *s, struct type *type)
{
	char name[WORD_MAX];
	bool odd = false;
	u32 bits = 0;

	type->field.type = FIELD_UNSIGNED;
	type->field.native = true;
	if (!take_mark(s, '{'))
		return;
	while (!s->failed && !at_mark(s, '}')) {
		if (s->token != WORD) {
			unexpected(s, "an attribute");
			break;
		}
		memcpy(name, s->word, sizeof(name));
		next(s);
		if (take_mark(s, '='))
			take_attribute(s, type, name, &bits, &odd);
		take_mark(s, ';');
	}
	take_mark(s, '}');
	type->field.size = bits / 8;
	type->text &= bits == 8;
	if (!bits || bits % 8 || odd)
		type->field.type = FIELD_UNKNOWN;
}

/* Treat an enumeration as its integer type. */
static void parse_enum(struct parser *s, struct type *type)
{
	if (s->token == WORD)
		next(s);
	if (at_mark(s, ':')) {
		next(s);
		parse_type(s, type);
	} else {
		type->field.type = FIELD_UNKNOWN;
	}
	type->text = false;
	if (type->is_struct)
		unexpected(s, "an integer");
	skip_block(s);
}

/* Look up a typealias. */
static void find_alias(struct parser *s, struct type *type)
{
	const struct type *found = NULL;
	u32 i;

	/* Scopes are not tracked: the latest definition of a name wins. */
	for (i = 0; i < s->nr_aliases; i++)
		if (!strcmp(s->aliases[i].name, s->word))
			found = &s->aliases[i].type;
	if (!found) {
		fail(s, "line %u: no type '%.40s'", s->line, s->word);
		return;
	}
	*type = *found;
	/* Copy the members: both types free theirs. */
	type->members = (struct fields){ NULL, 0 };
	for (i = 0; i < found->members.nr && !s->failed; i++)
		add_field(s, &type->members, found->members.field + i, "",
			  found->members.field[i].name);
	next(s);
}

static void parse_type(struct parser *s, struct type *type)
{
	*type = (struct type){ .field = { .type = FIELD_UNKNOWN } };
	if (++s->nesting > 2 * NESTING_MAX) {
		fail(s, "types nested more than %d deep", NESTING_MAX);
	} else if (s->token != WORD) {
		unexpected(s, "a type");
	} else if (at_word(s, "integer")) {
		next(s);
		parse_integer(s, type);
	} else if (at_word(s, "string")) {
		next(s);
		type->field.type = FIELD_STRING;
		if (at_mark(s, '{'))
			skip_block(s);
	} else if (at_word(s, "enum")) {
		next(s);
		parse_enum(s, type);
	} else if (at_word(s, "struct")) {
		next(s);
		parse_struct(s, type);
	} else if (at_word(s, "variant") || at_word(s, "floating_point")) {
		while (!s->failed && s->token != END && !at_mark(s, '{'))
			next(s);
		skip_block(s);
	} else {
		find_alias(s, type);
	}
	s->nesting--;
}

/* typealias TYPE := NAME; */
static void parse_alias(struct parser *s)
{
	struct type type;

	next(s);
	parse_type(s, &type);
	if (s->failed || s->token != ASSIGN) {
		unexpected(s, "':='");
		free_fields(&type.members);
		return;
	}
	next(s);
	if (s->token != WORD) {
		unexpected(s, "a type's name");
		free_fields(&type.members);
		return;
	}
	s->aliases = xreallocarray(s->aliases, s->nr_aliases + 1, sizeof(*s->aliases));
	s->aliases[s->nr_aliases++] = (struct alias){ xstrdup(s->word), type };
	next(s);
	take_mark(s, ';');
}

static bool parse_uuid(const char *text, unsigned char uuid[16])
{
	char byte[3] = "";
	int i;

	for (i = 0; i < 16; i++) {
		text += *text == '-';
		if (!isxdigit((unsigned char)text[0]) || !isxdigit((unsigned char)text[1]))
			return false;
		memcpy(byte, text, 2);
		uuid[i] = strtoul(byte, NULL, 16);
		text += 2;
	}
	return !*text;
}

/* NAME := struct { ... }; the current token follows ":=". */
static void parse_layout(struct parser *s, struct fields *to)
{
	struct type type;

	parse_type(s, &type);
	if (!s->failed && !type.is_struct)
		unexpected(s, "a structure");
	/* The block may have been given twice. */
	free_fields(to);
	*to = type.members;
}

/* Values of the current event or clock block. */
struct block {
	struct event_class event;
	struct clock clock;
};

static void take_layout(struct parser *s, struct block *b, const char *block, const char *name)
{
	struct fields *to = NULL, unused = { NULL, 0 };

	/*
	 * Contexts of events precede the fields of each event: without them, none can be
	 * decoded.
	 */
	if (!strcmp(name, "packet.header") && !strcmp(block, "trace"))
		to = &s->m->packet_header;
	else if (!strcmp(name, "packet.context") && !strcmp(block, "stream"))
		to = &s->m->packet_context;
	else if (!strcmp(name, "event.header") && !strcmp(block, "stream"))
		to = &s->m->event_header;
	else if (!strcmp(name, "fields") && !strcmp(block, "event"))
		to = &b->event.fields;
	else if (!strcmp(name, "event.context") || !strcmp(name, "context"))
		fail(s, "line %u: %s is not supported", s->line, name);
	/* Unknown layouts must be parsed to find their end. */
	parse_layout(s, to ? to : &unused);
	free_fields(&unused);
}

static void set_text(struct parser *s, char **to)
{
	free(*to);
	*to = xstrdup(s->word);
}

static void add_env(struct parser *s, const char *name)
{
	struct metadata *m = s->m;
	struct metadata_value *v;

	m->env = xreallocarray(m->env, m->nr_env + 1, sizeof(*m->env));
	v = m->env + m->nr_env++;
	*v = (struct metadata_value){ .name = xstrdup(name) };
	if (s->token == NUMBER)
		v->number = s->number;
	else
		v->text = xstrdup(s->word);
}

static void take_trace_value(struct parser *s, const char *name)
{
	struct metadata *m = s->m;

	if (!strcmp(name, "uuid")) {
		m->has_uuid = s->token == TEXT && parse_uuid(s->word, m->uuid);
	} else if (!strcmp(name, "byte_order")) {
		m->big_endian = at_word(s, "be") || at_word(s, "network");
		m->has_byte_order = m->big_endian || at_word(s, "le");
	}
}

/* NAME = VALUE; the value is the current token. */
static void take_value(struct parser *s, struct block *b, const char *block, const char *name)
{
	if (s->token != NUMBER && s->token != WORD && s->token != TEXT)
		unexpected(s, "a value");
	else if (!strcmp(block, "env"))
		add_env(s, name);
	else if (!strcmp(block, "trace"))
		take_trace_value(s, name);
	else if (!strcmp(block, "clock") && !strcmp(name, "name") && s->token != NUMBER)
		set_text(s, &b->clock.name);
	else if (!strcmp(block, "clock") && !strcmp(name, "freq") && s->token == NUMBER)
		b->clock.freq = s->number;
	else if (!strcmp(block, "event") && !strcmp(name, "name") && s->token != NUMBER)
		set_text(s, &b->event.name);
	else if (!strcmp(block, "event") && !strcmp(name, "id") && s->token == NUMBER)
		b->event.id = s->number;
	else if (!strcmp(name, "stream_id") || (!strcmp(block, "stream") && !strcmp(name, "id")))
		if (s->token != NUMBER || s->number)
			fail(s, "line %u: %s: expected 0", s->line, name);
	next(s);
}

static void end_block(struct parser *s, struct block *b, const char *block)
{
	struct metadata *m = s->m;
	u32 i;

	if (!strcmp(block, "event") && !s->failed) {
		for (i = 0; i < m->nr_events; i++)
			if (m->events[i].id == b->event.id)
				fail(s, "line %u: duplicate event id %llu", s->line, b->event.id);
		/* An unnamed event is legal, and skipped like an unknown one. */
		if (!b->event.name)
			b->event.name = xstrdup("");
		m->events = xreallocarray(m->events, m->nr_events + 1, sizeof(*m->events));
		m->events[m->nr_events++] = b->event;
		/* The metadata owns the fields now: nothing is left to free below. */
		b->event = (struct event_class){ .name = NULL };
	} else if (!strcmp(block, "clock") && b->clock.name) {
		s->clocks = xreallocarray(s->clocks, s->nr_clocks + 1, sizeof(*s->clocks));
		s->clocks[s->nr_clocks++] = b->clock;
		if (b->clock.freq == 1000000000)
			m->freq = b->clock.freq;
		b->clock.name = NULL;
	}
	free(b->event.name);
	free_fields(&b->event.fields);
	free(b->clock.name);
}

/* BLOCK { NAME = VALUE; ... NAME := TYPE; ... }; */
static void parse_block(struct parser *s)
{
	char block[WORD_MAX], name[WORD_MAX];
	struct block b = { .event = { .name = NULL } };

	memcpy(block, s->word, sizeof(block));
	next(s);
	take_mark(s, '{');
	while (!s->failed && !at_mark(s, '}')) {
		if (at_word(s, "typealias")) {
			parse_alias(s);
			continue;
		}
		if (s->token != WORD) {
			unexpected(s, "a name");
			break;
		}
		memcpy(name, s->word, sizeof(name));
		next(s);
		if (s->token == ASSIGN) {
			next(s);
			take_layout(s, &b, block, name);
		} else if (take_mark(s, '=')) {
			take_value(s, &b, block, name);
		}
		take_mark(s, ';');
	}
	take_mark(s, '}');
	take_mark(s, ';');
	end_block(s, &b, block);
}

static void parse_all(struct parser *s)
{
	static const char * const blocks[] = {
		"trace", "env", "clock", "stream", "event", "callsite",
	};
	size_t i;

	next(s);
	while (!s->failed && s->token != END) {
		for (i = 0; i < ARRAY_SIZE(blocks); i++)
			if (at_word(s, blocks[i]))
				break;
		if (at_word(s, "typealias"))
			parse_alias(s);
		else if (i < ARRAY_SIZE(blocks))
			parse_block(s);
		else
			unexpected(s, "typealias, trace, env, clock, stream or event");
	}
}

/* Resolve native byte orders. The trace's byte order may come last in the metadata. */
static void resolve(const struct metadata *m, struct fields *f)
{
	u32 i;

	for (i = 0; i < f->nr; i++)
		if (f->field[i].native)
			f->field[i].big_endian = m->big_endian;
}

static void free_parser(struct parser *s)
{
	u32 i;

	for (i = 0; i < s->nr_aliases; i++) {
		free(s->aliases[i].name);
		free_fields(&s->aliases[i].type.members);
	}
	free(s->aliases);
	for (i = 0; i < s->nr_clocks; i++)
		free(s->clocks[i].name);
	free(s->clocks);
}

/**
 * fields_find - look up a field
 * @f: the fields
 * @name: name of the field
 * @offset: set to the offset in bytes, or to U32_MAX if it varies; may be NULL
 *
 * Return: the field; NULL if it does not exist.
 */
const struct metadata_field *fields_find(const struct fields *f, const char *name, u32 *offset)
{
	u32 i, at = 0;

	for (i = 0; i < f->nr && strcmp(f->field[i].name, name); i++) {
		if (f->field[i].type == FIELD_STRING || f->field[i].type == FIELD_UNKNOWN)
			at = U32_MAX;
		else if (at != U32_MAX)
			at += f->field[i].size;
	}
	if (i == f->nr)
		return NULL;
	if (offset)
		*offset = at;
	return f->field + i;
}

/**
 * fields_size - get the total size of fields
 * @f: the fields
 * @size: set to the size in bytes, not counting strings
 *
 * Return: true if the size of all fields is known, except for strings.
 */
bool fields_size(const struct fields *f, u32 *size)
{
	u32 i;

	for (*size = 0, i = 0; i < f->nr; i++) {
		if (f->field[i].type == FIELD_UNKNOWN)
			return false;
		if (f->field[i].type != FIELD_STRING)
			*size += f->field[i].size;
	}
	return true;
}

/* Check that a timestamp exists, and is in ns. */
static bool check_time(struct parser *s, const struct fields *f, const char *name,
		       const char *error)
{
	const struct metadata_field *field = fields_find(f, name, NULL);

	if (!field || field->type != FIELD_UNSIGNED)
		return fail(s, "%s", error);
	return field->clock || fail(s, "no clock with freq = 1000000000");
}

/* Check that everything exists that is needed to decode packets. */
static bool check(struct parser *s)
{
	const struct metadata *m = s->m;

	if (!m->has_uuid)
		return fail(s, "no uuid");
	if (!m->has_byte_order)
		return fail(s, "no byte_order: expected le or be");
	if (!m->freq)
		return fail(s, "no clock with freq = 1000000000");
	return check_time(s, &m->packet_context, "timestamp_begin",
			  "no timestamp_begin or timestamp_end of packets") &&
	       check_time(s, &m->packet_context, "timestamp_end",
			  "no timestamp_begin or timestamp_end of packets") &&
	       check_time(s, &m->event_header, "timestamp", "no timestamp of events");
}

/**
 * metadata_parse - parse metadata
 * @m: set to the result
 * @text: text of the metadata
 * @path: name of the file for messages
 * @error: set to a message on failure
 *
 * Return: true on success; metadata_free() must be called even on failure.
 */
bool metadata_parse(struct metadata *m, const char *text, const char *path,
		    char error[ERROR_MAX])
{
	struct parser *s = xreallocarray(NULL, 1, sizeof(*s));
	bool good;
	u32 i;

	*m = (struct metadata){ .nr_events = 0 };
	*s = (struct parser){ .m = m, .path = path, .p = text, .line = 1, .error = error };
	/* CTF requires this signature. Metadata in binary packets begins with a magic number. */
	if (strncmp(text, "/* CTF 1.8", 10))
		fail(s, "not CTF metadata as text: expected \"/* CTF 1.8 */\" first");
	parse_all(s);
	resolve(m, &m->packet_header);
	resolve(m, &m->packet_context);
	resolve(m, &m->event_header);
	for (i = 0; i < m->nr_events; i++)
		resolve(m, &m->events[i].fields);
	good = !s->failed && check(s);
	free_parser(s);
	free(s);
	return good;
}

/**
 * metadata_load - read and parse the metadata of a trace
 * @m: set to the result
 * @dir: the trace
 * @error: set to a message on failure
 *
 * Return: true on success; metadata_free() must be called even on failure.
 */
bool metadata_load(struct metadata *m, const char *dir, char error[ERROR_MAX])
{
	char path[PATH_MAX], *text;
	struct source *file;
	bool good = false;
	long long size;

	*m = (struct metadata){ .nr_events = 0 };
	snprintf(path, sizeof(path), "%s/metadata", dir);
	file = source_open(path, error);
	if (!file) {
		strncat(error, ": expected a directory with metadata, cpu0, ...",
			ERROR_MAX - strlen(error) - 1);
		return false;
	}
	text = xreallocarray(NULL, METADATA_MAX + 2, 1);
	/* One more byte than allowed tells a file that is too large. */
	size = source_read(file, text, METADATA_MAX + 1);
	if (size < 0)
		set_error(error, "%s: %s", path, strerror(errno));
	else if (size > METADATA_MAX)
		set_error(error, "%s: larger than %d bytes: not metadata of Memorizer", path,
			  METADATA_MAX);
	else if (memchr(text, '\0', size))
		set_error(error, "%s: has a NUL byte: not CTF metadata as text", path);
	else
		good = true;
	if (good) {
		text[size] = '\0';
		good = metadata_parse(m, text, path, error);
	}
	free(text);
	source_close(file);
	return good;
}

/**
 * metadata_free - free the memory of metadata
 * @m: the metadata
 */
void metadata_free(struct metadata *m)
{
	u32 i;

	free_fields(&m->packet_header);
	free_fields(&m->packet_context);
	free_fields(&m->event_header);
	for (i = 0; i < m->nr_events; i++) {
		free(m->events[i].name);
		free_fields(&m->events[i].fields);
	}
	free(m->events);
	for (i = 0; i < m->nr_env; i++) {
		free(m->env[i].name);
		free(m->env[i].text);
	}
	free(m->env);
	*m = (struct metadata){ .nr_events = 0 };
}

/**
 * metadata_env - look up an entry of the env block
 * @m: the metadata
 * @name: name of the entry
 *
 * Return: the entry; NULL if it does not exist.
 */
const struct metadata_value *metadata_env(const struct metadata *m, const char *name)
{
	u32 i;

	for (i = 0; i < m->nr_env; i++)
		if (!strcmp(m->env[i].name, name))
			return m->env + i;
	return NULL;
}
