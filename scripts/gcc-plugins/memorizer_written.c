// SPDX-License-Identifier: GPL-2.0-only
/*
 * The Memorizer plugin's notes: how they are written, to sections that nobody
 * loads, .debug_memorizer_*, which tools/memorizer/Documentation/memorizer-formats.5 describes.
 */

#include "gcc-common.h"
#include "memorizer_names.h"
#include "memorizer_places.h"

#define NAMES_VERSION 1

/* Strings that are written, by what they say: the numbers of their labels */
static hash_map<nofree_string_hash, unsigned int> strings;
static auto_vec<const char *> written;

static unsigned int string_label(const char *text)
{
	unsigned int *label = strings.get(text);

	if (label)
		return *label;
	text = xstrdup(text);
	written.safe_push(text);
	strings.put(text, written.length());
	return written.length();
}

/* Records that are described, by their uid: trees do not live as long as this. */
static hash_set<int_hash<unsigned int, 0>> described;
static auto_vec<const char *> descriptions;

static void describe_members(tree record, const char *path, HOST_WIDE_INT offset, char **text);

/* A line for a member that has a name, and those for what is in it */
static void describe_member(tree field, const char *path, HOST_WIDE_INT offset, char **text)
{
	HOST_WIDE_INT start = member_offset(field), bits, first;
	tree type = TREE_TYPE(field), inside;
	char *line;

	if (start == UNKNOWN_OFFSET)
		return;
	offset += start;
	path = concat_path(path, member_name(field));
	inside = strip_array_types(type);
	if (TREE_CODE(type) == ARRAY_TYPE)
		path = concat_path(path, "[]");
	if (DECL_NAME(field)) {
		line = *text;
		if (DECL_BIT_FIELD(field)) {
			first = tree_to_shwi(DECL_FIELD_BIT_OFFSET(field)) % BITS_PER_UNIT;
			bits = tree_to_shwi(DECL_SIZE(field));
			*text = xasprintf("%s%lld.%lld %lld.%lld %s %s\\n", line, (long long)offset,
					  (long long)first, (long long)bits / BITS_PER_UNIT,
					  (long long)bits % BITS_PER_UNIT, path,
					  type_name(DECL_BIT_FIELD_TYPE(field) ?: type));
		} else {
			*text = xasprintf("%s%lld %lld %s %s\\n", line, (long long)offset,
					  (long long)bytes_of_type(type), path, type_name(inside));
		}
		free(line);
	}
	if (record_of(inside))
		describe_members(inside, path, offset, text);
}

static void describe_members(tree record, const char *path, HOST_WIDE_INT offset, char **text)
{
	tree field;

	for (field = TYPE_FIELDS(record); field; field = DECL_CHAIN(field))
		if (TREE_CODE(field) == FIELD_DECL)
			describe_member(field, path, offset, text);
}

/* What a record has in it: see memorizer-formats.5 */
static void describe(tree record)
{
	char *text;

	if (!record_of(record) || described.add(TYPE_UID(record)))
		return;
	text = xasprintf("%s %s %lld\\n", TREE_CODE(record) == UNION_TYPE ? "union" : "struct",
			 type_name(record), (long long)bytes_of_type(record));
	describe_members(record, "", 0, &text);
	descriptions.safe_push(text);
}

/* The first header of all that is compiled: before that stands the top of the kernel's tree. */
#define FIRST_HEADER "include/linux/kconfig.h"

static const char *skip_dot(const char *file)
{
	return strncmp(file, "./", 2) ? file : file + 2;
}

static const char *top_of_tree(void)
{
	static const char *top;
	const char *file;
	size_t length;
	unsigned int i;

	for (i = 0; !top && i < LINEMAPS_ORDINARY_USED(line_table); i++) {
		file = ORDINARY_MAP_FILE_NAME(LINEMAPS_ORDINARY_MAP_AT(line_table, i));
		file = file ? skip_dot(file) : "";
		length = strlen(file);
		if (length >= strlen(FIRST_HEADER) &&
		    !strcmp(file + length - strlen(FIRST_HEADER), FIRST_HEADER))
			top = xstrndup(file, length - strlen(FIRST_HEADER));
	}
	if (!top)
		top = "";
	return top;
}

/* The source's name as seen from the top of the kernel's tree, or of where it is built */
static const char *source_name(const char *file)
{
	const char *top = top_of_tree();

	file = file ? skip_dot(file) : "";
	return strncmp(file, top, strlen(top)) ? file : file + strlen(top);
}

/* name_of_file() - the name of the file that is compiled, as seen from the top of the tree */
const char *name_of_file(void)
{
	return source_name(main_input_filename);
}

#define STRING ".Lmemorizer_str"

/*
 * name_records() - the directives that write the records for an instruction
 * @location: of the instruction, with its note; without one, there is no record
 * @ip: an expression that is the instruction pointer
 *
 * Return: text for a template of inline assembly, to be freed
 */
char *name_records(location_t location, const char *ip)
{
	unsigned int name = name_of_location(location);
	expanded_location at = expand_location(location);
	char *text = xstrdup(""), *more;
	const struct note *note;
	HOST_WIDE_INT offset;
	bool is_known;

	for (; name; name = note->next) {
		note = note_of(name);
		is_known = !VOID_TYPE_P(note->place.type);
		describe(note->place.type);
		offset = note->place.offset;
		more = text;
		text = xasprintf("%s\n\t.pushsection .debug_memorizer_names,\"\",@progbits\n"
				 "\t.balign 8\n"
				 "\t.quad %s\n"
				 "\t.long " STRING "%u, " STRING "%u, " STRING "%u\n"
				 "\t.long %u, %lld, %lld, %lld\n"
				 "\t.byte %d, %d\n\t.short %u\n\t.quad 0\n\t.popsection", more, ip,
				 string_label(is_known ? type_name(note->place.type) : ""),
				 string_label(note->place.path), string_label(source_name(at.file)),
				 at.line, offset < 0 || offset > INT_MAX ? -1LL : (long long)offset,
				 (long long)note->size,
				 is_known ? (long long)bytes_of_type(note->place.type) : 0LL,
				 NAMES_VERSION, note->kind, note->place.flags);
		free(more);
	}
	return text;
}

/* Linkers cannot compress an empty section: without strings there is none. */
static void write_strings(FILE *file, const char *section, const auto_vec<const char *> &texts,
			  const char *label)
{
	unsigned int i;

	if (texts.is_empty())
		return;
	fprintf(file, "\t.pushsection %s,\"MS\",@progbits,1\n", section);
	for (i = 0; i < texts.length(); i++)
		fprintf(file, "%s%u:\t.asciz \"%s\"\n", label, i + 1, texts[i]);
	fprintf(file, "\t.popsection\n");
}

/* write_names() - write what the records refer to, at the end of the assembly */
void write_names(FILE *file)
{
	write_strings(file, ".debug_memorizer_str", written, STRING);
	write_strings(file, ".debug_memorizer_types", descriptions, ".Lmemorizer_type");
}
