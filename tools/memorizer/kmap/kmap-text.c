// SPDX-License-Identifier: GPL-2.0
/* Parser of KMAP text. Reports what is wrong with a malformed line, and continues. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kmap/kmap.h"

#define OBJECT_FIELDS	8	/* seven numbers and the executable */
#define ACCESS_FIELDS	4
#define FIELDS_FIELDS	5	/* an access with the accessed part of the object */
#define TRAFFIC_FIELDS	6
#define QUOTE_MAX	24	/* max. bytes of a field in a message */

struct field {
	const char *name;
	bool hex;
	u64 max;
};

static const struct field object_fields[OBJECT_FIELDS - 1] = {
	{ "alloc_ip", true, U64_MAX },
	{ "pid", false, KMAP_PID_MAX },
	{ "obj_va_ptr", true, U64_MAX },
	{ "size", false, U64_MAX },
	{ "alloc_jiffies", false, U64_MAX },
	{ "free_jiffies", false, U64_MAX },
	{ "free_ip", true, U64_MAX },
};

static const struct field access_fields[ACCESS_FIELDS] = {
	{ "access_ip", true, U64_MAX },
	{ "access_pid", false, KMAP_PID_MAX },
	{ "write_count", false, U64_MAX },
	{ "read_count", false, U64_MAX },
};

static const struct field traffic_fields[TRAFFIC_FIELDS] = {
	{ "access_ip", true, U64_MAX },
	{ "access_pid", false, KMAP_PID_MAX },
	{ "write_moves", false, U64_MAX },
	{ "read_moves", false, U64_MAX },
	{ "write_count", false, U64_MAX },
	{ "read_count", false, U64_MAX },
};

const char * const kmap_kinds[KMAP_KINDS] = {
	[KMAP_SLAB] = "slab", [KMAP_PAGES] = "pages", [KMAP_VMALLOC] = "vmalloc",
	[KMAP_VMAP] = "vmap", [KMAP_IOREMAP] = "ioremap", [KMAP_MODULES] = "modules",
	[KMAP_STACK] = "stack", [KMAP_STRUCT_PAGE] = "struct_page", [KMAP_STATIC] = "static",
	[KMAP_PERCPU] = "percpu", [KMAP_MEMBLOCK] = "memblock",
	[KMAP_USER] = "user",
};

/* Value of a lower-case hex digit plus one, 0 for any other byte. */
static const unsigned char hex_digit[256] = {
	['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5, ['5'] = 6,
	['6'] = 7, ['7'] = 8, ['8'] = 9, ['9'] = 10, ['a'] = 11, ['b'] = 12,
	['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
};

/* Format the error message. Always returns false, so that callers can return it. */
__printf(2, 3)
static bool malformed(struct kmap_reader *r, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(r->error, sizeof(r->error), format, args);
	va_end(args);
	return false;
}

/*
 * The number parsers stop at the first non-digit, at the latest at the newline that ends each
 * line. They return NULL if the number is too large.
 */
static const char *parse_hex(const char *p, u64 *value)
{
	const char *start = p;
	unsigned char digit;
	u64 v = 0;

	while ((digit = hex_digit[(unsigned char)*p])) {
		v = v << 4 | (digit - 1);
		p++;
	}
	*value = v;
	/* More digits have shifted out of @v. */
	return p - start > 16 ? NULL : p;
}

static const char *parse_decimal(const char *p, u64 max, u64 *value)
{
	unsigned int digit;
	u64 v = 0;

	while ((digit = (unsigned char)*p - '0') <= 9) {
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, digit, &v))
			return NULL;
		p++;
	}
	*value = v;
	return v > max ? NULL : p;
}

/* Quote the first bytes of a field, without control characters. */
static const char *quote(const char *p, size_t len, char out[4 * QUOTE_MAX + 4])
{
	char *o = out;
	size_t i;

	/* The line may be binary: it must not control the terminal. */
	for (i = 0; i < len && i < QUOTE_MAX; i++)
		o += sprintf(o, p[i] >= ' ' && p[i] <= '~' ? "%c" : "\\x%02x", (unsigned char)p[i]);
	sprintf(o, "%s", len > QUOTE_MAX ? "..." : "");
	return out;
}

/**
 * kmap_kind_find - look up a kind of memory
 * @name: its name
 * @len: length of @name
 *
 * Return: the kind; KMAP_UNKNOWN if there is none of this name.
 */
enum kmap_kind kmap_kind_find(const char *name, size_t len)
{
	enum kmap_kind kind;

	for (kind = KMAP_SLAB; kind < KMAP_KINDS; kind++)
		if (strlen(kmap_kinds[kind]) == len && !memcmp(kmap_kinds[kind], name, len))
			return kind;
	return KMAP_UNKNOWN;
}

/* Start of the fields of the current object line, after its kind if it has one. */
static const char *object_start(const struct kmap_reader *r, enum kmap_kind *kind)
{
	size_t len = strcspn(r->lines.line, ",\n");

	/* No kind's name consists of hex digits only, as an alloc_ip does. */
	*kind = kmap_kind_find(r->lines.line, len);
	return *kind ? r->lines.line + len + 1 : r->lines.line;
}

/* Number of fields of the current line without a kind, assuming no commas in executable. */
static int count_fields(const struct kmap_reader *r)
{
	enum kmap_kind kind;
	int nr = 1;
	size_t i;

	for (i = object_start(r, &kind) - r->lines.line; i < r->lines.len; i++)
		nr += r->lines.line[i] == ',';
	return nr;
}

/* Format the error message for the value of field @f at @p. */
static bool bad_value(struct kmap_reader *r, const struct field *f, const char *p,
		      bool too_large)
{
	char text[4 * QUOTE_MAX + 4];
	size_t len;

	for (len = 0; p[len] != ',' && p[len] != '\n';)
		len++;
	quote(p, len, text);
	if (f->hex)
		return malformed(r,
				 "%s \"%s\" is not an address: 1 to 16 lower-case hex digits without 0x",
				 f->name, text);
	if (too_large)
		return malformed(r, "%s \"%s\" is too large: at most %llu",
				 f->name, text, f->max);
	return malformed(r, "%s \"%s\" is not a number: decimal digits only", f->name, text);
}

/* Format the error message for a line without field @f at @p. */
static bool bad_field(struct kmap_reader *r, const struct field *f, const char *p,
		      bool too_large)
{
	bool object = *r->lines.line != ' ';
	int nr = count_fields(r);

	/* A wrong number of fields explains more than the field where parsing failed. */
	if (object && nr < OBJECT_FIELDS)
		return malformed(r,
				 "field count is %d, an object line has 8: alloc_ip,pid,obj_va_ptr,size,alloc_jiffies,free_jiffies,free_ip,executable",
				 nr);
	if (!object && r->traffic && nr != TRAFFIC_FIELDS)
		return malformed(r,
				 "field count is %d, an access line has 6 like the first: access_ip,access_pid,write_moves,read_moves,write_count,read_count",
				 nr);
	if (!object && !r->traffic && nr != ACCESS_FIELDS && nr != FIELDS_FIELDS)
		return malformed(r,
				 "field count is %d, an access line has 4: access_ip,access_pid,write_count,read_count",
				 nr);
	return bad_value(r, f, p, too_large);
}

/* Parse @nr numbers, each followed by a comma, the last one by @last. */
static bool parse_fields(struct kmap_reader *r, const struct field *f, int nr,
			 const char *p, char last, u64 *value)
{
	const char *end;
	int i;

	for (i = 0; i < nr; i++, f++) {
		end = f->hex ? parse_hex(p, value + i) : parse_decimal(p, f->max, value + i);
		if (!end || end == p || *end != (i == nr - 1 ? last : ','))
			return bad_field(r, f, p, !end);
		r->field[i] = p;
		p = end + 1;
	}
	r->field[nr] = p;
	return true;
}

static bool check_comm(struct kmap_reader *r, const char *p, const char *end)
{
	char text[4 * QUOTE_MAX + 4];
	int nr;

	for (nr = 0; p < end; nr++) {
		/* Not isprint(): it depends on the locale. */
		if (*p < ' ' || *p > '~')
			return malformed(r,
					 "byte 0x%02x in executable: unprintable bytes are written as \\xNN",
					 (unsigned char)*p);
		if (*p != '\\') {
			p++;
		} else if (p[1] == '\\') {
			p += 2;
		} else if (p[1] == 'x' && hex_digit[(unsigned char)p[2]] &&
			   hex_digit[(unsigned char)p[3]]) {
			p += 4;
		} else {
			quote(p, end - p < 4 ? end - p : 4, text);
			return malformed(r,
					 "\"%s\" in executable is not an escape: \\\\ or \\xNN with lower-case hex digits",
					 text);
		}
	}
	if (nr > KMAP_COMM_MAX)
		return malformed(r, "executable has %d bytes: a task's comm has at most %d",
				 nr, KMAP_COMM_MAX);
	return true;
}

static bool parse_object(struct kmap_reader *r)
{
	const char *end = r->lines.line + r->lines.len;
	struct kmap_object *o = &r->object;
	u64 v[OBJECT_FIELDS - 1];
	enum kmap_kind kind;
	const char *start = object_start(r, &kind);

	if (!parse_fields(r, object_fields, OBJECT_FIELDS - 1, start, ',', v) ||
	    !check_comm(r, r->field[7], end))
		return false;
	r->field[8] = end + 1;
	*o = (struct kmap_object){ v[0], v[1], v[2], v[3], v[4], v[5], v[6],
				   r->field[7], end - r->field[7], kind, 0, NULL };
	if (!o->free_jiffies && o->free_ip)
		return malformed(r, "free_ip %llx on a live object: with free_jiffies 0 it is 0",
				 o->free_ip);
	if (o->free_jiffies && o->free_jiffies < o->alloc_jiffies)
		return malformed(r,
				 "freed at %llu, allocated at %llu: free_jiffies is 0 or not before alloc_jiffies",
				 o->free_jiffies, o->alloc_jiffies);
	/* An object may end at the very last address. */
	if (o->size && o->size - 1 > U64_MAX - o->addr)
		return malformed(r,
				 "%llu bytes from %llx on: an object ends within the address space",
				 o->size, o->addr);
	return true;
}

/* Parse the stack of the object on the line before. */
static bool parse_frames(struct kmap_reader *r)
{
	static const struct field frame = { "frame", true, U64_MAX };
	const char *p = r->lines.line + 3, *end;
	u32 nr = 0;

	if (r->lines.nr != r->stack_line)
		return malformed(r,
				 "a stack not after an object: it is on the line that follows the object line");
	for (;; p = end + 1) {
		if (nr == KMAP_STACK_MAX)
			return malformed(r, "more than %d frames: a stack has 1 to %d",
					 KMAP_STACK_MAX, KMAP_STACK_MAX);
		end = parse_hex(p, r->frames + nr);
		if (!end || end == p || (*end != ',' && *end != '\n'))
			return bad_value(r, &frame, p, false);
		r->field[nr++] = p;
		if (*end == '\n')
			break;
	}
	r->field[nr] = end + 1;
	if (r->owner == KMAP_BAD_OBJECT)
		return true;
	if (r->frames[0] != r->object.alloc_ip)
		return malformed(r, "first frame %llx, alloc_ip %llx: a stack begins with alloc_ip",
				 r->frames[0], r->object.alloc_ip);
	r->object.frames = r->frames;
	r->object.nr_frames = nr;
	return true;
}

/* Parse OFFSET+BYTES at the end of a line. */
static bool parse_place(struct kmap_reader *r, u64 *place)
{
	const char *start = r->field[ACCESS_FIELDS], *plus, *end;
	char text[4 * QUOTE_MAX + 4];
	u64 offset = 0, bytes = 0;

	plus = parse_decimal(start, U32_MAX, &offset);
	end = plus && plus > start && *plus == '+' ? parse_decimal(plus + 1, U32_MAX, &bytes) :
						     NULL;
	*place = kmap_place(offset, bytes);
	if (end && *end == '\n' && bytes && offset + bytes <= r->object.size)
		return true;
	quote(start, r->lines.line + r->lines.len - start, text);
	return malformed(r, "\"%s\" is not OFFSET+BYTES within an object of %llu bytes", text,
			 r->object.size);
}

static bool parse_access(struct kmap_reader *r)
{
	u64 v[TRAFFIC_FIELDS] = { 0 };
	bool place;

	/* The kernel writes all access lines of a KMAP in one format: the first decides. */
	if (!r->accesses)
		r->traffic = count_fields(r) == TRAFFIC_FIELDS;
	r->accesses = true;
	place = !r->traffic && count_fields(r) == FIELDS_FIELDS;
	if (!parse_fields(r, r->traffic ? traffic_fields : access_fields,
			  r->traffic ? TRAFFIC_FIELDS : ACCESS_FIELDS, r->lines.line + 2,
			  place ? ',' : '\n', v))
		return false;
	if (r->owner == KMAP_NOBODY)
		return malformed(r,
				 "an access before any object: a KMAP begins with an object line");
	r->access = (struct kmap_access){ .ip = v[0], .pid = v[1] };
	if (r->traffic) {
		r->access.write_moves = v[2];
		r->access.read_moves = v[3];
	}
	r->access.writes = v[r->traffic ? 4 : 2];
	r->access.reads = v[r->traffic ? 5 : 3];
	/* The size of a malformed object is unknown. */
	return !place || r->owner == KMAP_BAD_OBJECT || parse_place(r, &r->access.place);
}

/*
 * Parse a line. A malformed line counts as an access if it begins with a space, and otherwise,
 * unless empty, as an object: accesses after a malformed object must not be attributed to the
 * object before it. The same holds for its stack.
 */
static enum kmap_event parse_line(struct kmap_reader *r)
{
	const char *line = r->lines.line;
	int spaces;

	if (!r->lines.len) {
		malformed(r, "empty line: each line is an object, a stack or an access");
		return KMAP_MALFORMED;
	}
	if (*line != ' ') {
		r->stack_line = r->lines.nr + 1;
		r->owner = parse_object(r) ? KMAP_SOUND_OBJECT : KMAP_BAD_OBJECT;
		return r->owner == KMAP_SOUND_OBJECT ? KMAP_OBJECT : KMAP_MALFORMED;
	}
	spaces = strspn(line, " ");
	if (spaces == 2 && line[2] == '@')
		return parse_frames(r) ? KMAP_FRAMES : KMAP_MALFORMED;
	if (spaces == 2)
		return parse_access(r) ? KMAP_ACCESS : KMAP_MALFORMED;
	malformed(r,
		  "%d space%s before the first field: an object line has none, an access line two",
		  spaces, spaces == 1 ? "" : "s");
	return KMAP_MALFORMED;
}

/**
 * kmap_reader_init - start reading a KMAP
 * @r: the reader
 * @fd: file descriptor of the text; the caller closes it
 */
void kmap_reader_init(struct kmap_reader *r, int fd)
{
	*r = (struct kmap_reader){ .owner = KMAP_NOBODY };
	lines_init(&r->lines, fd);
}

/**
 * kmap_reader_free - free the memory of a reader
 * @r: the reader
 */
void kmap_reader_free(struct kmap_reader *r)
{
	lines_free(&r->lines);
}

static enum kmap_event next_line(struct kmap_reader *r)
{
	switch (lines_next(&r->lines)) {
	case LINES_WHOLE:
		return parse_line(r);
	case LINES_LONG:
		malformed(r, "line exceeds %d bytes", LINES_LENGTH_MAX);
		/* It may have been an object. */
		r->owner = KMAP_BAD_OBJECT;
		r->stack_line = r->lines.nr + 1;
		return KMAP_MALFORMED;
	case LINES_CUT:
		malformed(r, "truncated: the last line must end in a newline");
		return KMAP_MALFORMED;
	case LINES_FAILED:
		return KMAP_FAILED;
	default:
		return KMAP_END;
	}
}

/**
 * kmap_reader_next - read the next object, stack or access
 * @r: the reader
 *
 * Any input is accepted. The caller can continue after KMAP_MALFORMED. Accesses and a stack that
 * follow a malformed object line are skipped, and counted in @r->orphans.
 *
 * Return: the result.
 */
enum kmap_event kmap_reader_next(struct kmap_reader *r)
{
	enum kmap_event event;

	for (;;) {
		event = next_line(r);
		r->malformed += event == KMAP_MALFORMED;
		if ((event != KMAP_ACCESS && event != KMAP_FRAMES) || r->owner == KMAP_SOUND_OBJECT)
			return event;
		r->orphans++;
	}
}
