// SPDX-License-Identifier: GPL-2.0
/*
 * referee VMLINUX [KMAP [LIST]]: compare the compiler's notes with types from DWARF, inferred as in
 * the simplest form of perf's data-type profiling: find the variable or parameter in the register
 * that an instruction addresses memory by, and the type that it points to, without following data
 * flow. Standard input is the output of objdump -d --no-show-raw-insn VMLINUX. With a KMAP of a
 * kernel booted with nokaslr, each access counts, otherwise each instruction. LIST gets the
 * accesses that both name differently. The instruction after a site may not be the one that
 * accesses, if the compiler moved that, or if two accesses share the site.
 */
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hash.h"
#include "symbols/notes.h"

#define REGISTERS	16
#define NOTE_INDEXED	0x2	/* in the flags of a note: an element whose index is not constant */

/* In DWARF's order */
static const char * const registers[REGISTERS] = {
	"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp",
	"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
};

enum verdict { SAME, ANOTHER_MEMBER, DIFFERENT, NOTES_ONLY, DWARF_ONLY, NEITHER, VERDICTS };

static const char * const verdicts[VERDICTS] = {
	[SAME] = "both, and the same", [ANOTHER_MEMBER] = "both, as members of the same record",
	[DIFFERENT] = "both, as of different records",
	[NOTES_ONLY] = "the notes alone", [DWARF_ONLY] = "DWARF alone", [NEITHER] = "neither",
};

/* The number of accesses of an instruction */
struct count {
	u64 ip, accesses;
};

/* The target of an access according to DWARF: a record and an offset */
struct inferred {
	char type[256];
	long offset;
};

/*
 * Strip typedefs and qualifiers of a type, and arrays down to their element; also return the last
 * typedef.
 */
static Dwarf_Die *strip(Dwarf_Die *die, Dwarf_Die *type, bool arrays, const char **name)
{
	Dwarf_Attribute attribute;

	*type = *die;
	for (;;) {
		switch (dwarf_tag(type)) {
		case DW_TAG_typedef:
			*name = dwarf_diename(type);
			break;
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
			break;
		case DW_TAG_array_type:
			if (arrays)
				break;
			return type;
		default:
			return type;
		}
		if (!dwarf_attr_integrate(type, DW_AT_type, &attribute) ||
		    !dwarf_formref_die(&attribute, type))
			return NULL;
	}
}

/* Return the record that a variable points to: its tag, or the typedef's name. */
static bool pointee(Dwarf_Die *variable, char name[256])
{
	Dwarf_Attribute attribute;
	Dwarf_Die die, type;
	const char *typedefed = NULL;

	if (!dwarf_attr_integrate(variable, DW_AT_type, &attribute) ||
	    !dwarf_formref_die(&attribute, &die) || !strip(&die, &type, false, &typedefed) ||
	    dwarf_tag(&type) != DW_TAG_pointer_type)
		return false;
	typedefed = NULL;
	if (!dwarf_attr_integrate(&type, DW_AT_type, &attribute) ||
	    !dwarf_formref_die(&attribute, &die) || !strip(&die, &type, true, &typedefed))
		return false;
	if (dwarf_tag(&type) != DW_TAG_structure_type && dwarf_tag(&type) != DW_TAG_union_type)
		return false;
	snprintf(name, 256, "%s", dwarf_diename(&type) ?: typedefed ?: "");
	return *name;
}

/* Return whether a variable is in a register, perhaps with an offset, and the offset. */
static bool is_in_register(Dwarf_Die *variable, u64 ip, unsigned int reg, long *plus)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *op;
	size_t nr;

	if (!dwarf_attr_integrate(variable, DW_AT_location, &attribute) ||
	    dwarf_getlocation_addr(&attribute, ip, &op, &nr, 1) != 1 || !nr)
		return false;
	*plus = 0;
	if (nr == 1)
		return op[0].atom == DW_OP_reg0 + reg;
	if (nr != 2 || op[1].atom != DW_OP_stack_value || op[0].atom != DW_OP_breg0 + reg)
		return false;
	*plus = op[0].number;
	return true;
}

/* Search the scopes of an instruction, innermost first. */
static bool infer(Dwarf_Die *cu, u64 bias, u64 ip, unsigned int reg, long offset,
		  struct inferred *found)
{
	Dwarf_Die *scopes, child;
	int nr = dwarf_getscopes(cu, ip - bias, &scopes), i;
	bool known = false;
	long plus;

	for (i = 0; i < nr && !known; i++) {
		if (dwarf_tag(scopes + i) == DW_TAG_compile_unit || dwarf_child(scopes + i, &child))
			continue;
		do {
			if (dwarf_tag(&child) != DW_TAG_variable &&
			    dwarf_tag(&child) != DW_TAG_formal_parameter)
				continue;
			if (!is_in_register(&child, ip - bias, reg, &plus) ||
			    !pointee(&child, found->type))
				continue;
			found->offset = offset - plus;
			known = true;
		} while (!known && !dwarf_siblingof(&child, &child));
	}
	if (nr > 0)
		free(scopes);
	return known;
}

/* Return whether a record has a member of a type at @offset, or anywhere if that is unknown. */
static bool contains(const struct notes *notes, const char *outer, const char *inner, long offset,
		     bool anywhere)
{
	size_t len = strlen(inner);
	struct record record;
	bool found = false;
	u32 i;

	if (!strcmp(outer, inner) && (anywhere || !offset))
		return true;
	if (!notes_record(notes, outer, &record))
		return false;
	for (i = 0; i < record.nr && !found; i++) {
		const struct member *m = record.members + i;
		bool array = !strncmp(m->type, inner, len) && !strncmp(m->type + len, " [", 2);
		long start = m->offset / 8, size = m->size / 8;

		if (!strcmp(m->type, inner))
			found = anywhere || offset == start;
		else if (array)
			found = anywhere || (offset >= start && offset < start + size);
	}
	notes_record_free(&record);
	return found;
}

/* Return the bytes of a note's member, if known; for a part of a member, those of the whole. */
static long width(const struct notes *notes, const struct note *note)
{
	struct record record;
	long bytes = 1;
	u32 i;

	if (!notes_record(notes, note->type, &record))
		return 1;
	for (i = 0; i < record.nr; i++)
		if (!strcmp(record.members[i].path, note->path) && record.members[i].size / 8 > 1)
			bytes = record.members[i].size / 8;
	notes_record_free(&record);
	return bytes < 8 ? bytes : 8;
}

/* Return whether there is such a record with these bytes; if not, the variable is another one. */
static bool is_within(const struct notes *notes, const struct inferred *inferred)
{
	struct record record;
	bool is;

	if (!notes_record(notes, inferred->type, &record))
		return false;
	is = inferred->offset >= 0 && (u64)inferred->offset < record.size;
	notes_record_free(&record);
	return is;
}

static bool is_same(const struct notes *notes, const struct note *note,
		    const struct inferred *inferred)
{
	bool anywhere = note->offset == NOTE_ANYWHERE || note->flags & NOTE_INDEXED;
	long apart = (long)note->offset - inferred->offset, part, bytes = width(notes, note);

	for (part = 0; part < bytes; part++)
		if (contains(notes, note->type, inferred->type, apart + part, anywhere) ||
		    contains(notes, inferred->type, note->type, -apart - part, anywhere))
			return true;
	return false;
}

static enum verdict judge(const struct notes *notes, const struct note *note,
			  const struct inferred *inferred, bool known)
{
	bool named = note->type[0] && !(note->flags & NOTE_SCALAR);

	if (!named || !known)
		return named ? NOTES_ONLY : known ? DWARF_ONLY : NEITHER;
	if (is_same(notes, note, inferred))
		return SAME;
	return strcmp(note->type, inferred->type) ? DIFFERENT : ANOTHER_MEMBER;
}

/* Return the base register and the offset of an instruction's memory operand without an index. */
static bool operand(const char *text, unsigned int *reg, long *offset)
{
	const char *at = strstr(text, "(%"), *begin;
	size_t len;

	if (!at)
		return false;
	len = strcspn(at + 2, ",)");
	if (at[2 + len] != ')')
		return false;
	for (*reg = 0; *reg < REGISTERS; ++*reg)
		if (strlen(registers[*reg]) == len && !strncmp(at + 2, registers[*reg], len))
			break;
	for (begin = at; begin > text && strchr("-x0123456789abcdef", begin[-1]);)
		begin--;
	*offset = strtol(begin, NULL, 16);
	return *reg < REGISTERS;
}

static void read_kmap(const char *path, struct hash *counts)
{
	FILE *file = fopen(path, "r");
	char line[512];
	u64 ip, writes, reads;
	struct count *count;
	bool new;

	if (!file) {
		perror(path);
		exit(2);
	}
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "  %llx,%*[^,],%llu,%llu", &ip, &writes, &reads) != 3 ||
		    *line != ' ')
			continue;
		count = hash_item(counts, hash_get(counts, &ip, &new));
		count->accesses += writes + reads;
	}
	fclose(file);
}

int main(int argc, char **argv)
{
	static const Dwfl_Callbacks callbacks = { .find_elf = dwfl_build_id_find_elf,
						  .find_debuginfo = dwfl_standard_find_debuginfo,
						  .section_address = dwfl_offline_section_address };
	char error[ERROR_MAX], line[1024];
	u64 sums[VERDICTS] = { 0 }, all = 0, ip, weight;
	struct notes *notes = argc > 1 ? notes_load(argv[1], 0, error) : NULL;
	FILE *list = argc > 3 ? fopen(argv[3], "w") : NULL;
	Dwfl *dwfl = dwfl_begin(&callbacks);
	struct hash counts;
	int i;

	if (!notes || !dwfl || !dwfl_report_offline(dwfl, "vmlinux", argv[1], -1)) {
		fprintf(stderr, "referee: %s: no notes or no DWARF\n", argc > 1 ? argv[1] : "");
		return 2;
	}
	dwfl_report_end(dwfl, NULL, NULL);
	hash_init(&counts, sizeof(struct count), sizeof(u64));
	if (argc > 2)
		read_kmap(argv[2], &counts);
	while (fgets(line, sizeof(line), stdin)) {
		struct inferred inferred = { "", 0 };
		const struct note *note;
		enum verdict verdict;
		Dwarf_Addr bias = 0;
		unsigned int reg;
		Dwarf_Die *cu;
		bool known;
		long offset;
		char *text;
		u32 n;

		ip = strtoull(line, &text, 16);
		note = *text == ':' ? notes_find(notes, ip, false) : NULL;
		if (!note)
			continue;
		weight = 1;
		if (argc > 2)
			weight = hash_find(&counts, &ip, &n) ?
				((struct count *)hash_item(&counts, n))->accesses : 0;
		if (!weight)
			continue;
		cu = dwfl_addrdie(dwfl, ip, &bias);
		known = cu && operand(text, &reg, &offset) &&
			infer(cu, bias, ip, reg, offset, &inferred) && is_within(notes, &inferred);
		verdict = judge(notes, note, &inferred, known);
		sums[verdict] += weight;
		all += weight;
		if (list && (verdict == DIFFERENT || verdict == ANOTHER_MEMBER))
			fprintf(list, "%llx %llu: notes %s.%s at %d, DWARF %s at %ld: %s", ip,
				weight, note->type, note->path, (int)note->offset, inferred.type,
				inferred.offset, text + 1);
	}
	printf("%llu %s\n", all, argc > 2 ? "accesses" : "instructions");
	for (i = 0; i < VERDICTS; i++)
		printf("%6.2f %% named by %s\n", all ? 100.0 * sums[i] / all : 0.0, verdicts[i]);
	hash_free(&counts);
	notes_free(notes);
	dwfl_end(dwfl);
	if (list)
		fclose(list);
	return 0;
}
