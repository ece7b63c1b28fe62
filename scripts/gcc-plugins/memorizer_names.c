// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memorizer plugin: name what sites access, and what calls allocate.
 *
 * A name consists of a place, which memorizer_places.c determines, a size and a kind. Its
 * number travels with the statement, later the insn, in the range of its location, which only
 * diagnostics would look at. So insns that differ only in their names still compare equal,
 * and are merged as usual. When the code is final, each name becomes an entry in a section that
 * is not loaded, .debug_memorizer_names: tools/memorizer/Documentation/memorizer-formats.5
 */

#include "gcc-common.h"
#include "memorizer_files.h"
#include "memorizer_insns.h"
#include "memorizer_names.h"
#include "memorizer_places.h"
#include "memorizer_site.h"

/*
 * struct name - what an instruction accesses or allocates
 * @place: of the access; for an allocation, the type of the object
 * @size: of the access in bytes, 0 if unknown
 * @kind: what the instruction does
 * @next: number of another name of the same instruction, or NO_NAME
 */
struct name {
	struct place place;
	HOST_WIDE_INT size;
	enum name_kind kind;
	unsigned int next;
};

/* All names of the file, the one with number 1 first */
static auto_vec<struct name> names;

static unsigned int add_name(enum name_kind kind, const struct place *place, HOST_WIDE_INT size)
{
	struct name name = { *place, size, kind, NO_NAME };

	names.safe_push(name);
	return names.length();
}

/*
 * name_access() - name an access to an lvalue
 * @kind: what the access does
 * @ref: the lvalue
 * @size: bytes, 0 if unknown
 *
 * Return: the number of the name
 */
unsigned int name_access(enum name_kind kind, tree ref, HOST_WIDE_INT size)
{
	struct place place;

	place_of_access(ref, &place);
	return add_name(kind, &place, size);
}

/*
 * name_target() - name an access through a pointer
 * @kind: what the access does
 * @stmt: the call or inline assembly that makes it
 * @ptr: the pointer
 * @size: bytes, 0 if unknown; the type of @ptr does not determine it
 *
 * Return: the number of the name
 */
unsigned int name_target(enum name_kind kind, gimple stmt, tree ptr, HOST_WIDE_INT size)
{
	struct place place;

	place_of_argument(stmt, ptr, size, &place);
	return add_name(kind, &place, size);
}

/* name_both() - chain two names, each may be NO_NAME; returns the number of the chain */
unsigned int name_both(unsigned int first, unsigned int second)
{
	if (!first)
		return second;
	names[first - 1].next = second;
	return first;
}

/* name_allocation() - name what a call allocates; returns NO_NAME if it returns no pointer */
unsigned int name_allocation(gcall *call)
{
	struct place place;

	return place_of_allocation(call, &place) ? add_name(NAME_ALLOCATION, &place, 0) : NO_NAME;
}

/*
 * Start of a range that carries a name. Tokens never have this location. The end of the range
 * is the number of the name, above the reserved locations.
 */
#define RANGE_START BUILTINS_LOCATION

/* location_with_name() - add a name to a location */
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

/* name_of_location() - get the name that a location carries, or NO_NAME */
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
	/* An ordinary location that GCC combined with a range or a block. */
	if (range.m_start != RANGE_START || range.m_finish <= RESERVED_LOCATION_COUNT)
		return NO_NAME;
	return range.m_finish - RESERVED_LOCATION_COUNT;
}

/* Labels of the strings that entries refer to: this and a number */
#define STRING ".Lmemorizer_str"

/* Numbers of strings, by text; and the texts, the one with number 1 first */
static hash_map<nofree_string_hash, unsigned int> string_numbers;
static auto_vec<const char *> strings;

static unsigned int string_label(const char *text)
{
	unsigned int *label = string_numbers.get(text);

	if (label)
		return *label;
	/* The caller may free its text. */
	text = xstrdup(text);
	strings.safe_push(text);
	string_numbers.put(text, strings.length());
	return strings.length();
}

#define NAMES_VERSION 1

/* Format an entry as assembly. @ip is an expression for the address. The caller frees the text. */
static char *name_entry(const struct name *name, location_t location, const char *ip)
{
	expanded_location at = expand_location(location);
	bool is_known = !VOID_TYPE_P(name->place.type);
	HOST_WIDE_INT offset = name->place.offset;

	/* Only types that an entry mentions are described. */
	describe_type(name->place.type);
	return xasprintf("\n\t.pushsection .debug_memorizer_names,\"\",@progbits\n"
			 "\t.balign 8\n"
			 "\t.quad %s\n"
			 "\t.long " STRING "%u, " STRING "%u, " STRING "%u\n"
			 "\t.long %u, %lld, %lld, %lld\n"
			 "\t.byte %d, %d\n\t.short %u\n\t.quad 0\n\t.popsection", ip,
			 string_label(is_known ? type_name(name->place.type) : ""),
			 string_label(name->place.path), string_label(source_name(at.file)),
			 at.line, offset < 0 || offset > INT_MAX ? -1LL : (long long)offset,
			 (long long)name->size,
			 is_known ? (long long)bytes_of_type(name->place.type) : 0LL,
			 NAMES_VERSION, name->kind, name->place.flags);
}

/*
 * Format the entries of an instruction as assembly, empty if it has no name. @location is the
 * instruction's, @ip an expression for its instruction pointer. The caller frees the text.
 */
static char *name_entries(location_t location, const char *ip)
{
	unsigned int number = name_of_location(location);
	char *text = xstrdup(""), *entry, *more;

	for (; number; number = names[number - 1].next) {
		more = text;
		entry = name_entry(&names[number - 1], location, ip);
		text = concat(more, entry, NULL);
		free(entry);
		free(more);
	}
	return text;
}

/*
 * write_variable_type() - write the type of a variable, as if the variable's address were the call
 * site of its allocation
 *
 * Only if it is a record with a name, or an array of these.
 */
void write_variable_type(FILE *file, tree variable, const char *symbol)
{
	tree type = TREE_TYPE(variable), record = record_of(strip_array_types(type));
	unsigned int flags = TREE_CODE(type) == ARRAY_TYPE ? NAME_ARRAY : 0;
	const struct name name = { { record, "", 0, flags }, 0, NAME_ALLOCATION, NO_NAME };
	char *entry;

	if (!record || !TYPE_NAME(record))
		return;
	entry = name_entry(&name, DECL_SOURCE_LOCATION(variable), symbol);
	fprintf(file, "%s\n", entry);
	free(entry);
}

/* Append the entries of inline assembly to its text. @ip is its instruction pointer. */
static void write_name(rtx_insn *insn, rtx assembly, const char *ip)
{
	char *entries = name_entries(ASM_OPERANDS_SOURCE_LOCATION(assembly), ip);
	char *text;

	if (*entries) {
		text = concat(ASM_OPERANDS_TEMPLATE(assembly), entries, NULL);
		replace_asm(insn, assembly, text, ASM_OPERANDS_INPUT_VEC(assembly),
			    ASM_OPERANDS_INPUT_CONSTRAINT_VEC(assembly));
		free(text);
	}
	free(entries);
}

/* Emit the entries of a call as inline assembly behind it, at the return address. */
static void write_call_name(rtx_insn *call)
{
	char *entries = name_entries(INSN_LOCATION(call), "774b"), *text;
	rtx body;

	if (*entries) {
		text = concat("774:", entries, NULL);
		body = gen_rtx_ASM_OPERANDS(VOIDmode, ggc_strdup(text), "", 0, rtvec_alloc(0),
					    rtvec_alloc(0), rtvec_alloc(0), INSN_LOCATION(call));
		/* Volatile, so that it stays behind the call. */
		MEM_VOLATILE_P(body) = 1;
		emit_insn_after(body, call);
		free(text);
	}
	free(entries);
}

/* write_site_names() - write the names of all sites, joined sites and calls of the function */
void write_site_names(void)
{
	const char *label;
	rtx_insn *insn;
	rtx assembly;
	char *ip;

	for (insn = get_insns(); insn; insn = NEXT_INSN(insn)) {
		if (starts_with(insn, SITE_LABEL)) {
			assembly = extract_asm_operands(PATTERN(insn));
			write_name(insn, assembly, "771b + 5");
		} else if (starts_with(insn, LABEL_BEGIN)) {
			assembly = extract_asm_operands(PATTERN(insn));
			label = ASM_OPERANDS_TEMPLATE(assembly);
			ip = xasprintf("%.*sb", (int)strspn(label, "0123456789"), label);
			write_name(insn, assembly, ip);
			free(ip);
		} else if (CALL_P(insn) && !SIBLING_CALL_P(insn)) {
			/* A sibling call returns to this function's caller. */
			write_call_name(insn);
		}
	}
}

static void write_strings(FILE *file, const char *section, const auto_vec<const char *> &texts,
			  const char *label)
{
	unsigned int i;

	/* Linkers cannot compress an empty section. */
	if (texts.is_empty())
		return;
	fprintf(file, "\t.pushsection %s,\"MS\",@progbits,1\n", section);
	for (i = 0; i < texts.length(); i++)
		fprintf(file, "%s%u:\t.asciz \"%s\"\n", label, i + 1, texts[i]);
	fprintf(file, "\t.popsection\n");
}

/* write_name_strings() - write the strings and type descriptions that entries refer to */
void write_name_strings(FILE *file)
{
	write_strings(file, ".debug_memorizer_str", strings, STRING);
	write_strings(file, ".debug_memorizer_types", type_descriptions(), ".Lmemorizer_type");
}
