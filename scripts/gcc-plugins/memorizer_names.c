// SPDX-License-Identifier: GPL-2.0-only
/*
 * The Memorizer plugin's notes: what the source calls what is accessed, and what
 * is allocated; and how instructions carry them.
 *
 * A place is a record and a path of members in it. What records have in them
 * memorizer_records.c knows, where an access is memorizer_places.c, which member
 * a pointer was read from memorizer_sources.c, what a call allocates
 * memorizer_allocations.c. memorizer_marks.c brings it through the optimizers,
 * memorizer_written.c to the assembly.
 *
 * From the last GIMPLE pass on a note is on its way in a location, whose range
 * then is none: only one who asks for it, and diagnostics, would see that. So
 * insns are still found to be equal that only differ in their notes.
 */

#include "gcc-common.h"
#include "memorizer_places.h"
#include "memorizer_insns.h"
#include "memorizer_site.h"
#include "memorizer_names.h"

/*
 * struct note - what goes into a record
 * @place: what is accessed; of an allocation, the type of what is allocated
 * @size: accessed bytes, 0 if not known
 * @kind: what happens
 * @next: another note on the same instruction, or NO_NAME
 */
struct note {
	struct place place;
	HOST_WIDE_INT size;
	enum name_kind kind;
	unsigned int next;
};

static auto_vec<struct note> notes;

/* add_note() - note what is accessed or allocated; returns what stands for it */
static unsigned int add_note(enum name_kind kind, const struct place *place, HOST_WIDE_INT size)
{
	struct note note = { *place, size, kind, NO_NAME };

	notes.safe_push(note);
	return notes.length();
}

/* note_of() - the note that something stands for, which is not NO_NAME */
static const struct note *note_of(unsigned int name)
{
	return &notes[name - 1];
}

/*
 * name_access() - note what an access is to
 * @kind: what it does
 * @ref: the lvalue
 * @size: bytes, 0 if not known
 */
unsigned int name_access(enum name_kind kind, tree ref, HOST_WIDE_INT size)
{
	struct place place;

	place_of_access(ref, &place);
	return add_note(kind, &place, size);
}

/*
 * name_target() - note what an access through a pointer is to
 * @kind: what it does
 * @stmt: the call or inline assembly that does it
 * @ptr: the pointer, which says nothing about the size
 * @size: bytes, 0 if not known
 */
unsigned int name_target(enum name_kind kind, gimple stmt, tree ptr, HOST_WIDE_INT size)
{
	struct place place;

	place_of_argument(stmt, ptr, size, &place);
	return add_note(kind, &place, size);
}

/* name_both() - let one instruction have two notes */
unsigned int name_both(unsigned int first, unsigned int second)
{
	if (!first)
		return second;
	notes[first - 1].next = second;
	return first;
}

/* name_allocation() - note what a call allocates; NO_NAME if it returns no pointer */
unsigned int name_allocation(gcall *call)
{
	struct place place;

	return place_of_allocation(call, &place) ? add_note(NAME_ALLOCATION, &place, 0) : NO_NAME;
}

/*
 * A range from a location that no token has to the number of the note, beyond what is reserved
 */
#define RANGE_START BUILTINS_LOCATION

/* location_with_name() - let a location carry a note */
location_t location_with_name(location_t location, unsigned int name)
{
	const source_range range = { RANGE_START, name + RESERVED_LOCATION_COUNT };
	tree block = LOCATION_BLOCK(location);

	if (!name)
		return location;
	location = LOCATION_LOCUS(location);
#if BUILDING_GCC_VERSION >= 15000
	return line_table->get_or_create_combined_loc(location, range, block, 0);
#elif BUILDING_GCC_VERSION >= 13000
	return COMBINE_LOCATION_DATA(line_table, location, range, block, 0);
#else
	return COMBINE_LOCATION_DATA(line_table, location, range, block);
#endif
}

/* name_of_location() - the note that a location carries, or NO_NAME */
unsigned int name_of_location(location_t location)
{
	source_range range;

	if (!IS_ADHOC_LOC(location))
		return NO_NAME;
#if BUILDING_GCC_VERSION >= 15000
	range = line_table->get_range_from_loc(location);
#else
	range = get_range_from_loc(line_table, location);
#endif
	if (range.m_start != RANGE_START || range.m_finish <= RESERVED_LOCATION_COUNT)
		return NO_NAME;
	return range.m_finish - RESERVED_LOCATION_COUNT;
}

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
static char *name_records(location_t location, const char *ip)
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
		describe_type(note->place.type);
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
	write_strings(file, ".debug_memorizer_types", type_descriptions(), ".Lmemorizer_type");
}

/* Let the insn, an inline assembly that stands where @ip is, also write the note that it has. */
static void write_note(rtx_insn *insn, rtx assembly, const char *ip)
{
	char *records = name_records(ASM_OPERANDS_SOURCE_LOCATION(assembly), ip);
	char *text;

	if (*records) {
		text = concat(ASM_OPERANDS_TEMPLATE(assembly), records, NULL);
		replace_asm(insn, assembly, text, ASM_OPERANDS_INPUT_VEC(assembly),
			    ASM_OPERANDS_INPUT_CONSTRAINT_VEC(assembly));
		free(text);
	}
	free(records);
}

/* The note on a call goes into inline assembly behind it, where the call returns to. */
static void write_note_of_call(rtx_insn *call)
{
	char *records = name_records(INSN_LOCATION(call), "774b"), *text;
	rtx body;

	if (*records) {
		text = concat("774:", records, NULL);
		body = gen_rtx_ASM_OPERANDS(VOIDmode, ggc_strdup(text), "", 0, rtvec_alloc(0),
					    rtvec_alloc(0), rtvec_alloc(0), INSN_LOCATION(call));
		MEM_VOLATILE_P(body) = 1;
		emit_insn_after(body, call);
		free(text);
	}
	free(records);
}

void write_notes(void)
{
	const char *label;
	rtx_insn *insn;
	rtx assembly;
	char *ip;

	for (insn = get_insns(); insn; insn = NEXT_INSN(insn)) {
		if (starts_with(insn, SITE_LABEL)) {
			assembly = extract_asm_operands(PATTERN(insn));
			write_note(insn, assembly, "771b + 5");
		} else if (starts_with(insn, LABEL_BEGIN)) {
			assembly = extract_asm_operands(PATTERN(insn));
			label = ASM_OPERANDS_TEMPLATE(assembly);
			ip = xasprintf("%.*sb", (int)strspn(label, "0123456789"), label);
			write_note(insn, assembly, ip);
			free(ip);
		} else if (CALL_P(insn) && !SIBLING_CALL_P(insn)) {
			write_note_of_call(insn);
		}
	}
}
