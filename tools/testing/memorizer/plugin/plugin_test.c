// SPDX-License-Identifier: GPL-2.0
/*
 * Test the GCC plugin in user space: run each subject with its sites disabled
 * and enabled, and compare the accesses logged by the thunks with those of the
 * subject. Sites are patched as in the kernel.
 *
 * VARIANT names the compiler options of the subjects. Each is a program.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/param.h>
#include <sys/stat.h>
#include <ucontext.h>

#include "plugin_test.h"
#include "sites.h"
#include "subject.h"

#define MAX_ACCESSES	256

struct access {
	const char *function;
	char kind;
	unsigned long size;
	const void *address;
	const void *ip;
};

static struct access logged[MAX_ACCESSES], expected[MAX_ACCESSES];
static unsigned int nr_logged, nr_expected;
static unsigned int passed, failed;

unsigned long this_cpu_off = 1 << 20;

extern const unsigned char memorizer_thunk_r8[];
extern const unsigned char __executable_start[], etext[], __start_init_code[], __stop_init_code[];

/* Symbol table of this program */
static const Elf64_Sym *symbols;
static unsigned long nr_symbols;
static const char *symbol_names;

static void load_symbols(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	const Elf64_Shdr *section;
	const Elf64_Ehdr *elf;
	struct stat st;
	int i;

	if (fd < 0 || fstat(fd, &st)) {
		perror("/proc/self/exe");
		exit(1);
	}
	elf = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	section = (const void *)elf + elf->e_shoff;
	for (i = 0; i < elf->e_shnum; i++) {
		if (section[i].sh_type != SHT_SYMTAB)
			continue;
		symbols = (const void *)elf + section[i].sh_offset;
		nr_symbols = section[i].sh_size / sizeof(*symbols);
		symbol_names = (const void *)elf + section[section[i].sh_link].sh_offset;
	}
}

/* The thunks do not save vector registers. */
#define CALLED_BY_THUNKS __attribute__((target("general-regs-only")))

CALLED_BY_THUNKS static const char *function_at(const void *ip)
{
	unsigned long address = (unsigned long)ip;
	unsigned long i;

	for (i = 0; i < nr_symbols; i++)
		if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC &&
		    address - symbols[i].st_value < symbols[i].st_size)
			return symbol_names + symbols[i].st_name;
	return "(nowhere)";
}

/* Check for the function or a part of it that GCC has split off (name.cold). */
static bool is_part_of(const char *name, const char *function)
{
	size_t length = strlen(function);

	return !strncmp(name, function, length) && (!name[length] || name[length] == '.');
}

/* Called by the thunks */
CALLED_BY_THUNKS void log_access(const void *address, unsigned long size, const void *unused,
				 char kind, const void *ip)
{
	(void)unused;
	if (size && nr_logged < MAX_ACCESSES)
		logged[nr_logged++] = (struct access){ function_at(ip), kind, size, address, ip };
}

/* Called by the hook for string functions. @kind is an enum memorizer_kind. */
CALLED_BY_THUNKS void memorizer_access(unsigned long addr, unsigned long size, unsigned int kind,
				       unsigned long ip)
{
	log_access((void *)addr, size, NULL, "-rwu"[kind], (void *)ip);
}

CALLED_BY_THUNKS bool memorizer_load_byte(const char *ptr, unsigned char *byte)
{
	*byte = *ptr;
	return true;
}

void expect(const char *function, char kind, const void *address, unsigned long size)
{
	expected[nr_expected++] = (struct access){ function, kind, size, address, NULL };
}

/* Switch the sites of a function, or all if NULL. */
static void switch_sites(bool on, const char *function)
{
	void *text = (void *)((unsigned long)__executable_start & -4096UL);
	size_t size = (void *)etext - text;
	const struct site *site;

	if (mprotect(text, size, PROT_READ | PROT_WRITE | PROT_EXEC)) {
		perror("mprotect");
		exit(1);
	}
	for (site = __start_memorizer_sites; site < __stop_memorizer_sites; site++)
		if (!function || is_part_of(function_at(site_address(site)), function))
			switch_site(site, on);
	mprotect(text, size, PROT_READ | PROT_EXEC);
}

static unsigned int nr_sites(const char *function)
{
	unsigned int n = 0;
	const struct site *site;

	for (site = __start_memorizer_sites; site < __stop_memorizer_sites; site++)
		n += is_part_of(function_at(site_address(site)), function);
	return n;
}

static bool is_same(const struct access *a, const struct access *b)
{
	return a->kind == b->kind && a->size == b->size && a->address == b->address &&
	       is_part_of(a->function, b->function);
}

static void print_accesses(const char *what, const struct access *access, unsigned int n)
{
	for (; n--; access++)
		if (access->function)
			printf("#   %s: %c %lu at %p in %s\n", what, access->kind, access->size,
			       access->address, access->function);
}

/* Compare logged and expected accesses, in any order. Print the differences. */
static bool compare_accesses(void)
{
	unsigned int i, j, left = nr_logged + nr_expected;

	for (i = 0; i < nr_expected; i++) {
		for (j = 0; j < nr_logged; j++) {
			if (!logged[j].function || !is_same(&logged[j], &expected[i]))
				continue;
			logged[j].function = NULL;
			expected[i].function = NULL;
			left -= 2;
			break;
		}
	}
	print_accesses("not logged", expected, nr_expected);
	print_accesses("not expected", logged, nr_logged);
	return !left;
}

static void result(bool ok, const char *name)
{
	printf("%s %s: %s\n", ok ? "ok" : "not ok", VARIANT, name);
	if (ok)
		passed++;
	else
		failed++;
}

/* Disabled sites must log nothing, enabled ones exactly the expected accesses. */
static void run_case(const struct test_case *test)
{
	long off, on;
	bool ok;

	nr_logged = 0;
	nr_expected = 0;
	off = test->run(test->data);
	ok = !nr_logged;
	if (!ok)
		printf("#   %u accesses logged with sites disabled\n", nr_logged);

	nr_logged = 0;
	nr_expected = 0;
	switch_sites(true, test->only);
	on = test->run(test->data);
	switch_sites(false, test->only);
	if (on != off) {
		printf("#   result is %ld, with sites disabled %ld\n", on, off);
		ok = false;
	}
	if (!compare_accesses())
		ok = false;
	result(ok, test->name);
}

/* Each entry of the table refers to a site of its own. */
static bool table_is_sound(void)
{
	const struct site *site, *other;

	for (site = __start_memorizer_sites; site < __stop_memorizer_sites; site++) {
		if (!site_is(site, false))
			return false;
		for (other = __start_memorizer_sites; other < site; other++)
			if (site_address(site) == site_address(other))
				return false;
	}
	return site > __start_memorizer_sites;
}

static const struct site *site_in(const char *function)
{
	const struct site *site;

	for (site = __start_memorizer_sites; site < __stop_memorizer_sites; site++)
		if (is_part_of(function_at(site_address(site)), function))
			return site;
	return NULL;
}

/* A disabled site consists of prefixes of the next instruction, if that can take them. */
static bool forms_are_right(void)
{
	const bool has_frame_pointer = strstr(VARIANT, "-fp");
	const struct {
		const char *function;
		enum site_form form;
	} forms[] = {
		{ "load_at_once", FORM_DS }, { "store_in_ten_bytes", FORM_DS },
		{ "store_in_eleven_bytes", FORM_TEST }, { "add_by_asm", FORM_TEST },
		{ "load_by_rbp", has_frame_pointer ? FORM_DS : FORM_SS },
		{ "percpu_load", FORM_GS }, { "percpu_asm", FORM_TEST },
	};
	bool ok = true;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		if (nr_sites(forms[i].function) == 1 &&
		    site_form(site_in(forms[i].function)) == forms[i].form)
			continue;
		printf("#   %s: not form %d\n", forms[i].function, forms[i].form);
		ok = false;
	}
	return ok;
}

/* Sites of per-CPU data have a flag in the table, others do not. */
static bool flags_are_right(void)
{
	const struct site *site;
	const char *function;
	unsigned int n = 0;
	bool flagged;

	for (site = __start_memorizer_sites; site < __stop_memorizer_sites; site++) {
		function = function_at(site_address(site));
		flagged = site_flags(site) & FORM_PERCPU;
		/* These two access other memory, too. */
		if (flagged == !!strncmp(function, "percpu_", strlen("percpu_")) &&
		    (flagged || !(is_part_of(function, "percpu_copy") ||
				  is_part_of(function, "percpu_between"))))
			return false;
		n += flagged;
	}
	return n >= 12;
}

/* Kprobes reject sites: neither a function nor its cold part begins with one, after ENDBR. */
static bool entries_are_free(void)
{
	static const unsigned char endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	const unsigned char *entry;
	const struct site *site;
	unsigned long i;
	bool ok = true;

	for (i = 0; i < nr_symbols; i++) {
		if (ELF64_ST_TYPE(symbols[i].st_info) != STT_FUNC || !symbols[i].st_size)
			continue;
		entry = (const unsigned char *)symbols[i].st_value;
		if (!memcmp(entry, endbr, sizeof(endbr)))
			entry += sizeof(endbr);
		for (site = __start_memorizer_sites; site < __stop_memorizer_sites; site++) {
			if (site_address(site) != entry)
				continue;
			printf("#   %s begins with a site\n", symbol_names + symbols[i].st_name);
			ok = false;
		}
	}
	return ok;
}

/* Functions without tracked accesses have no sites. */
static bool nothing_has_no_sites(void)
{
	static const char * const functions[] = {
		"locals", "local_pointer", "frame_arithmetic", "alloca_buffer", "local_array",
		"by_value", "segment", "thread_local", "literal", "sum_arguments", "noinstr",
		"cpuidle", "entry", "head", "naked", "asm_nothing",
		"skipped",
	};
	unsigned int i;
	bool ok = true;

	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		if (!nr_sites(functions[i]))
			continue;
		printf("#   %u sites in %s\n", nr_sites(functions[i]), functions[i]);
		ok = false;
	}
	return ok;
}

/*
 * Equal stubs exist once in a section. Checked with loads of 8 bytes at rdi, of which there are
 * many. With -ffunction-sections, functions share none.
 */
static bool equal_stubs_are_shared(void)
{
	static const unsigned char load[] = { 0x4c, 0x8d, 0x1f, 0xe9 };
	const unsigned char *address, *stub, *first = NULL;
	unsigned int sites = 0;
	const struct site *site;

	for (site = __start_memorizer_sites; site < __stop_memorizer_sites; site++) {
		address = site_address(site);
		stub = stub_of(site);
		if ((address >= __start_init_code && address < __stop_init_code) ||
		    memcmp(stub, load, sizeof(load)) ||
		    stub + sizeof(load) + 4 + *(const int *)(stub + sizeof(load)) !=
		    memorizer_thunk_r8)
			continue;
		if (!first)
			first = stub;
		if (stub != first)
			return !strcmp(VARIANT, "O2-sections");
		sites++;
	}
	return sites > 1;
}

/* Stubs are in the section of their function, which may be freed after boot. */
static bool stubs_share_section(void)
{
	const unsigned char *address, *stub;
	const struct site *site;
	unsigned int n = 0;

	for (site = __start_memorizer_sites; site < __stop_memorizer_sites; site++) {
		address = site_address(site);
		stub = stub_of(site);
		if ((address >= __start_init_code && address < __stop_init_code) !=
		    (stub >= __start_init_code && stub < __stop_init_code))
			return false;
		n += address >= __start_init_code && address < __stop_init_code;
	}
	return n == 1;
}

/* See struct memorizer_group. */
struct group {
	unsigned short extent;
	unsigned char members, accesses;
	struct {
		int ip;
		unsigned short offset;
		unsigned char size, kind;
	} member[];
};

extern const char __start_memorizer_groups[], __stop_memorizer_groups[];

static bool group_is_sound(const struct group *group)
{
	unsigned int i, first = -1U, end = 0, accesses = 0;
	const char *ip;

	for (i = 0; i < group->members; i++) {
		ip = (const char *)&group->member[i].ip + group->member[i].ip;
		if (!strcmp(function_at(ip), "(nowhere)") ||
		    is_part_of(function_at(ip), "init_pair"))
			return false;
		first = MIN(first, group->member[i].offset);
		end = MAX(end, group->member[i].offset + group->member[i].size);
		accesses += group->member[i].kind == 3 ? 2 : 1;
	}
	/* The thunks have 15 bits for the extent. */
	return group->members > 1 && !first && end == group->extent && end < 1 << 15 &&
		accesses == group->accesses;
}

/* The entries of the table are consistent. Init text has no groups. */
static bool groups_are_sound(void)
{
	const char *at = __start_memorizer_groups;
	const struct group *group;
	unsigned int n = 0;

	for (; at < __stop_memorizer_groups; n++) {
		group = (const void *)at;
		if (!group_is_sound(group))
			return false;
		at += sizeof(*group) + group->members * sizeof(group->member[0]);
	}
	return n > 10 && at == __stop_memorizer_groups;
}

/* See struct memorizer_file. */
extern const struct file {
	int first, end, name;
} __start_memorizer_files[], __stop_memorizer_files[];

/* Each site belongs to one of the two files. odd.c has the sites of one function. */
static bool files_are_sound(void)
{
	const struct file *file;
	const struct site *site;
	const char *name;
	unsigned int of, n[2] = { 0 };

	for (site = __start_memorizer_sites; site < __stop_memorizer_sites; site++) {
		of = 0;
		for (file = __start_memorizer_files; file < __stop_memorizer_files; file++) {
			if ((const char *)site < (const char *)&file->first + file->first ||
			    (const char *)site >= (const char *)&file->end + file->end)
				continue;
			name = basename((const char *)&file->name + file->name);
			of += !strcmp(name, "odd.c") ? 2 : !strcmp(name, "subject.c") ? 1 : 3;
		}
		if (of != 1 && of != 2)
			return false;
		if (is_part_of(function_at(site_address(site)), "call_with_too_few") != (of == 2))
			return false;
		n[of - 1]++;
	}
	return n[0] && n[1];
}

/* Instruction pointer of the last page fault */
static const void *fault_ip;

static void unprotect(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *user = context;

	(void)signal;
	fault_ip = (const void *)user->uc_mcontext.gregs[REG_RIP];
	mprotect((void *)((unsigned long)info->si_addr & -4096UL), 4096, PROT_READ | PROT_WRITE);
}

/* Compare the ip logged for a page with the ip that faults when the page is protected. */
static bool ip_is_exact(struct pages *pages, unsigned int page, char kind)
{
	const char *first = (const char *)pages + 4096 * page;
	unsigned int i;

	nr_logged = 0;
	fault_ip = NULL;
	mprotect((void *)first, 4096, kind == 'w' ? PROT_READ : PROT_NONE);
	four_pages(pages);
	for (i = 0; i < nr_logged; i++)
		if (logged[i].address == first && logged[i].kind == kind &&
		    logged[i].ip == fault_ip)
			return true;
	printf("#   page %u, %c: the access faults at %p\n", page, kind, fault_ip);
	for (i = 0; i < nr_logged; i++)
		printf("#   logged: %c of %p at %p\n", logged[i].kind, logged[i].address,
		       logged[i].ip);
	return false;
}

/* Each access is logged with its own ip, even if several share a site. */
static bool ips_are_exact(void)
{
	struct pages *pages = mmap(NULL, sizeof(*pages), PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const struct sigaction action = { .sa_sigaction = unprotect, .sa_flags = SA_SIGINFO };
	bool ok;

	sigaction(SIGSEGV, &action, NULL);
	switch_sites(true, "four_pages");
	ok = ip_is_exact(pages, 0, 'w') & ip_is_exact(pages, 1, 'r') & ip_is_exact(pages, 2, 'r') &
	     ip_is_exact(pages, 2, 'w') & ip_is_exact(pages, 3, 'r');
	switch_sites(false, "four_pages");
	signal(SIGSEGV, SIG_DFL);
	return ok && nr_sites("four_pages") == 1;
}

static void log_function(const char *name, int (*function)(struct pages *p), struct pages *pages)
{
	nr_logged = 0;
	switch_sites(true, name);
	function(pages);
	switch_sites(false, name);
}

/* Loads and stores that share a site are logged in program order. */
static bool mixed_accesses_are_in_order(void)
{
	static struct pages pages;
	unsigned int i;
	bool ok;

	log_function("four_pages", four_pages, &pages);
	ok = nr_logged == 5 && logged[0].address == &pages.source && logged[0].kind == 'r' &&
	     logged[0].ip < logged[1].ip;
	for (i = 0; i < 4; i++)
		ok &= logged[i].ip <= logged[i + 1].ip;
	return ok;
}

/* If all are loads, or all stores, the site's own access is logged last. */
static bool first_of_a_kind_comes_last(void)
{
	static struct pages pages;

	log_function("two_pages", two_pages, &pages);
	return nr_logged == 2 && logged[0].kind == 'r' && logged[1].kind == 'r' &&
	       logged[0].address == &pages.last && logged[1].address == &pages.counter &&
	       nr_sites("two_pages") == 1;
}

/* Other accesses are joined across one to per-CPU data. */
static bool percpu_ends_no_straight_line(void)
{
	return nr_sites("percpu_between") == 2;
}

int main(void)
{
	const struct test_case *test;

	load_symbols();
	result(table_is_sound(), "memorizer_sites is consistent");
	result(forms_are_right(), "form of disabled sites");
	result(flags_are_right(), "sites of per-CPU data are flagged");
	result(entries_are_free(), "no function begins with a site");
	result(nothing_has_no_sites(), "no sites without tracked accesses");
	result(stubs_share_section(), "stubs are in their function's section");
	result(equal_stubs_are_shared(), "equal stubs of a section are shared");
	result(groups_are_sound(), "memorizer_groups is consistent");
	result(files_are_sound(), "memorizer_files is consistent");
	result(ips_are_exact(), "accesses that share a site have their own ips");

	result(mixed_accesses_are_in_order(), "mixed accesses that share a site are in program order");
	result(first_of_a_kind_comes_last(), "of loads that share a site, the site's own is last");

	result(percpu_ends_no_straight_line(), "accesses are joined across per-CPU data");

	for (test = access_cases; test->name; test++)
		run_case(test);
	for (test = function_cases; test->name; test++)
		run_case(test);

	printf("%u passed, %u failed\n", passed, failed);
	return failed != 0;
}
