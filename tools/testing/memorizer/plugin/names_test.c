// SPDX-License-Identifier: GPL-2.0
/*
 * Compare the names that the plugin gives to the accesses in names.c with the comments there.
 * The sections with the names are not loaded: they are read from this program's file.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "sites.h"

#define MAX_NAMES 1000
#define TEXT 200

/* See tools/memorizer/Documentation/memorizer-formats.5 */
struct record {
	uint64_t ip;
	uint32_t type, path, file, line, offset, size, type_size;
	uint8_t version, kind;
	uint16_t flags;
	uint64_t reserved;
};

struct name {
	char function[64], text[TEXT];
};

struct names {
	struct name name[MAX_NAMES];
	unsigned int nr;
};

static unsigned int passed, failed;

static void result(bool ok, const char *name)
{
	printf("%s %s: names, %s\n", ok ? "ok" : "not ok", VARIANT, name);
	if (ok)
		passed++;
	else
		failed++;
}

static unsigned char *image;

static void load_image(void)
{
	FILE *f = fopen("/proc/self/exe", "rb");
	size_t size = 0, room = 1 << 24;

	image = malloc(room);
	if (f && image)
		size = fread(image, 1, room, f);
	if (!size || size == room)
		abort();
	fclose(f);
}

/* Get the content of a section, NULL if there is none. */
static const void *section(const char *name, size_t *size)
{
	const Elf64_Ehdr *head = (void *)image;
	const Elf64_Shdr *s = (void *)(image + head->e_shoff);
	const char *strings = (char *)image + s[head->e_shstrndx].sh_offset;
	unsigned int i;

	for (i = 0; i < head->e_shnum; i++) {
		if (strcmp(strings + s[i].sh_name, name))
			continue;
		*size = s[i].sh_size;
		return image + s[i].sh_offset;
	}
	return NULL;
}

static bool is_loaded(const char *name)
{
	const Elf64_Ehdr *head = (void *)image;
	const Elf64_Shdr *s = (void *)(image + head->e_shoff);
	const char *strings = (char *)image + s[head->e_shstrndx].sh_offset;
	unsigned int i;

	for (i = 0; i < head->e_shnum; i++)
		if (!strcmp(strings + s[i].sh_name, name) && (s[i].sh_flags & SHF_ALLOC))
			return true;
	return false;
}

static const char *function_at(uint64_t ip)
{
	size_t size, strings_size, i;
	const Elf64_Sym *sym = section(".symtab", &size);
	const char *strings = section(".strtab", &strings_size);

	for (i = 0; i < size / sizeof(*sym); i++)
		if (ELF64_ST_TYPE(sym[i].st_info) == STT_FUNC && ip >= sym[i].st_value &&
		    ip < sym[i].st_value + sym[i].st_size)
			return strings + sym[i].st_name;
	return "";
}

static void add_name(struct names *names, const char *function, const char *text)
{
	unsigned int i;

	for (i = 0; i < names->nr; i++)
		if (!strcmp(names->name[i].function, function) &&
		    !strcmp(names->name[i].text, text))
			return;
	if (names->nr == MAX_NAMES)
		abort();
	snprintf(names->name[i].function, sizeof(names->name[i].function), "%s", function);
	snprintf(names->name[i].text, TEXT, "%s", text);
	names->nr++;
}

static void write_text(const struct record *r, const char *strings, char text[TEXT])
{
	static const char * const kinds[] = {
		"", "read", "write", "update", "string", "allocation"
	};
	static const char * const flags[] = {
		"bits", "indexed", "scalar", "variable", "wide", "array"
	};
	const char *path = strings + r->path;
	unsigned int i;
	int n;

	n = snprintf(text, TEXT, "%s %s%s%s %d %u", kinds[r->kind],
		     strings[r->type] ? strings + r->type : "?", *path ? "." : "", path,
		     (int)r->offset, r->size);
	for (i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		if (r->flags & (1 << i))
			n += snprintf(text + n, TEXT - n, " %s", flags[i]);
}

static const struct record *records;
static size_t nr_records;

static void read_names(struct names *names)
{
	const char *strings;
	char text[TEXT];
	size_t size, i;

	records = section(".debug_memorizer_names", &size);
	nr_records = size / sizeof(*records);
	strings = section(".debug_memorizer_str", &size);
	if (!records || !strings)
		abort();
	for (i = 0; i < nr_records; i++) {
		write_text(&records[i], strings, text);
		add_name(names, function_at(records[i].ip - 1), text);
	}
}

/* Comments belong to the function definition that follows them. */
static void read_comments(struct names *names)
{
	FILE *f = fopen(SOURCE, "r");
	char line[500], pending[20][TEXT], *end, *name;
	unsigned int nr = 0, i;

	if (!f)
		abort();
	while (fgets(line, sizeof(line), f)) {
		end = strstr(line, " */");
		if (!strncmp(line, "/* ", 3) && end) {
			*end = '\0';
			snprintf(pending[nr++], TEXT, "%.*s", TEXT - 1, line + 3);
			continue;
		}
		end = strchr(line, '(');
		if (!nr || !end || *line == '\t')
			continue;
		*end = '\0';
		for (name = end; name > line && name[-1] != ' ' && name[-1] != '*'; name--)
			;
		for (i = 0; i < nr; i++)
			add_name(names, name, pending[i]);
		nr = 0;
	}
	fclose(f);
}

/* Print and count the names of @function in @a that are not in @b. */
static unsigned int missing(const struct names *a, const struct names *b, const char *function,
			    const char *what)
{
	unsigned int i, j, n = 0;

	for (i = 0; i < a->nr; i++) {
		if (strcmp(a->name[i].function, function))
			continue;
		for (j = 0; j < b->nr; j++)
			if (!strcmp(b->name[j].function, function) &&
			    !strcmp(a->name[i].text, b->name[j].text))
				break;
		if (j == b->nr) {
			printf("#   %s: %s\n", what, a->name[i].text);
			n++;
		}
	}
	return n;
}

static void compare(const struct names *expected, const struct names *found)
{
	const char *function = "";
	unsigned int i;
	bool ok;

	for (i = 0; i < expected->nr; i++) {
		if (!strcmp(expected->name[i].function, function))
			continue;
		function = expected->name[i].function;
		ok = !missing(expected, found, function, "not found");
		ok &= !missing(found, expected, function, "not expected");
		result(ok, function);
	}
}

/* Check that each function with names has comments. */
static bool nothing_else(const struct names *expected, const struct names *found)
{
	unsigned int i, j;

	for (i = 0; i < found->nr; i++) {
		for (j = 0; j < expected->nr; j++)
			if (!strcmp(found->name[i].function, expected->name[j].function))
				break;
		if (j == expected->nr) {
			printf("#   in %s: %s\n", found->name[i].function, found->name[i].text);
			return false;
		}
	}
	return true;
}

static bool has_record(uint64_t ip, bool allocation)
{
	size_t i;

	for (i = 0; i < nr_records; i++)
		if (records[i].ip == ip && (records[i].kind == 5) == allocation)
			return true;
	return false;
}

/* The ip of an access is the address after its site. */
static bool sites_have_records(void)
{
	const struct site *site;

	for (site = __start_memorizer_sites; site < __stop_memorizer_sites; site++)
		if (!has_record((uint64_t)site_address(site) + SITE_SIZE, false))
			return false;
	return site > __start_memorizer_sites;
}

static uint64_t returns_to;
static struct thing *remembered;

void *allocate_bytes(size_t size)
{
	returns_to = (uint64_t)__builtin_return_address(0);
	return calloc(1, size + 1000);
}

void remember(void *object)
{
	remembered = object;
}

void *allocate(void), *allocate_flexible(size_t n), *allocate_unknown(size_t n);

/* The ip of an allocation is the return address of the allocator. */
static bool allocations_have_records(void)
{
	allocate();
	if (!has_record(returns_to, true))
		return false;
	allocate_flexible(5);
	if (!has_record(returns_to, true))
		return false;
	allocate_unknown(5);
	return has_record(returns_to, true) && !has_record(returns_to + 1, true);
}

static bool type_is(const char *text)
{
	const char *types, *one;
	size_t size;

	types = section(".debug_memorizer_types", &size);
	for (one = types; types && one < types + size; one += strlen(one) + 1)
		if (!strcmp(one, text))
			return true;
	return false;
}

static bool types_are_described(void)
{
	return type_is("struct inner 16\n"
		       "0 2 first short int\n"
		       "2 2 second short int\n"
		       "8 8 third long int\n") &&
	       type_is("union shape 64\n"
		       "0 24 small (anonymous)\n"
		       "0 8 small.tag long int\n"
		       "8 16 small.slots[] int\n"
		       "0 64 large (anonymous)\n"
		       "0 64 large.slots[] int\n") &&
	       type_is("struct thing 192\n"
		       "0 4 number int\n"
		       "4 4 count count_t\n"
		       "4 4 count.counter int\n"
		       "8 16 link link\n"
		       "8 8 link.next link *\n"
		       "16 8 link.prev link *\n"
		       "24 16 nested inner\n"
		       "24 2 nested.first short int\n"
		       "26 2 nested.second short int\n"
		       "32 8 nested.third long int\n"
		       "40 8 unnamed long int\n"
		       "48 8 either (anonymous)\n"
		       "48 8 either.whole long int\n"
		       "48 8 either.halves (anonymous)\n"
		       "48 4 either.halves.low int\n"
		       "52 4 either.halves.high int\n"
		       "56 32 array[] int\n"
		       "88 64 several[] inner\n"
		       "88 2 several[].first short int\n"
		       "90 2 several[].second short int\n"
		       "96 8 several[].third long int\n"
		       "152.0 0.1 flag unsigned int\n"
		       "152.1 0.5 level unsigned int\n"
		       "153.0 2.1 wide unsigned int\n"
		       "156 16 name[] char\n"
		       "176 8 other thing *\n"
		       "184 8 text char *\n"
		       "192 0 tail[] char\n");
}

int main(void)
{
	static struct names expected, found;

	load_image();
	read_comments(&expected);
	read_names(&found);
	compare(&expected, &found);
	result(nothing_else(&expected, &found), "no other functions have any");
	result(sites_have_records(), "each site has one");
	result(allocations_have_records(), "each allocation has one at the return address");
	result(types_are_described(), "types are described");
	result(!is_loaded(".debug_memorizer_names") && !is_loaded(".debug_memorizer_str") &&
	       !is_loaded(".debug_memorizer_types"), "their sections are not loaded");
	printf("%u passed, %u failed\n", passed, failed);
	return failed != 0;
}
