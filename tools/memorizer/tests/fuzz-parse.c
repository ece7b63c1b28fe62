// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz target for libFuzzer: one of the parsers in targets[], selected by FUZZ in the environment.
 * Damaged input must lead to an error message; sanitizers and libFuzzer's limits on time and
 * memory detect everything else.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kmap/kmap.h"
#include "lib/reader.h"
#include "lib/tar.h"
#include "lib/tree.h"
#include "symbols/maintainers.h"
#include "symbols/module-text.h"
#include "symbols/notes.h"
#include "symbols/saved.h"
#include "trace/stream.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static struct metadata metadata;
static struct layout layout;
static const char *trace;	/* its saved symbols are the input */
static int fd;
static char path[32];		/* a file with the input */
static void (*parse)(const unsigned char *data, size_t size);

/* Accepted metadata must give a layout or be refused then. */
static void parse_metadata(const unsigned char *data, size_t size)
{
	char *text = memcpy(xreallocarray(NULL, size + 1, 1), data, size);
	char error[ERROR_MAX];
	struct metadata m;
	struct layout l;

	text[size] = '\0';
	if (metadata_parse(&m, text, "fuzz", error)) {
		layout_init(&l, &m, error);
		layout_free(&l);
	}
	metadata_free(&m);
	free(text);
}

static void write_all(const unsigned char *data, size_t size)
{
	if (ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size) {
		perror("memfd");
		exit(EXIT_FAILURE);
	}
	lseek(fd, 0, SEEK_SET);
}

static void decode_packets(const unsigned char *data, size_t size)
{
	struct stream_file *file = xreallocarray(NULL, 1, sizeof(*file));
	char error[ERROR_MAX];
	volatile u64 sum = 0;
	struct stream s;
	struct batch b;
	u32 i;

	write_all(data, size);
	*file = (struct stream_file){ .path = xstrdup(path), .carried = U64_MAX };
	if (!stream_open(&s, &layout, file, 1, 0, error))
		abort();
	/* An empty file counts as missing. */
	if (!s.size) {
		stream_close(&s);
		return;
	}
	batch_init(&b, 64);
	do {
		stream_fill(&s, &b);
		for (i = 0; i < b.nr; i++) {
			if (b.events[i].type == TRACE_MARK)
				sum += strlen(b.events[i].u.mark.text);
			else if (b.events[i].type == TRACE_FAULT)
				sum += strlen(b.events[i].u.fault.text);
		}
	} while (b.nr);
	if (!s.ended)
		abort();
	batch_free(&b);
	stream_close(&s);
}

static void read_kmap(const unsigned char *data, size_t size)
{
	struct kmap_reader r;
	enum kmap_event event;

	write_all(data, size);
	kmap_reader_init(&r, fd);
	do {
		event = kmap_reader_next(&r);
	} while (event != KMAP_END && event != KMAP_FAILED);
	kmap_reader_free(&r);
}

static void read_kallsyms(const unsigned char *data, size_t size)
{
	struct kmap_symbols *symbols;
	char error[ERROR_MAX];

	write_all(data, size);
	symbols = kmap_symbols_load_data(path, error);
	if (!symbols)
		return;
	kmap_symbols_find(symbols, 0xffffffff81000010, KMAP_IP_EXACT);
	kmap_symbols_free(symbols);
}

static void read_saved(const unsigned char *data, size_t size)
{
	char error[ERROR_MAX];
	struct saved saved;
	u32 i;

	write_all(data, size);
	saved_open(&saved, trace);
	for (i = 0; i < saved.nr && i < 8; i++) {
		struct kmap_symbols *symbols = kmap_symbols_load_data(NULL, error);

		saved_read(&saved, i, symbols);
		symbols_settle(symbols);
		kmap_symbols_find(symbols, saved.module[i].base, KMAP_IP_EXACT);
		kmap_symbols_free(symbols);
	}
	saved_close(&saved);
}

/* The file of a module that was loaded with a text of one to four pages. */
static void read_module(const unsigned char *data, size_t size)
{
	char error[ERROR_MAX], name[] = "module";
	struct mapping mapping = { .name = name, .base = 0xffffffffa0000000 };
	struct kmap_symbols *symbols = kmap_symbols_load_data(NULL, error);
	Elf *elf;

	write_all(data, size);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	while (mapping.size < 4 * 4096) {
		mapping.size += 4096;
		if (!module_text_functions(elf, &mapping, symbols))
			continue;
		symbols_settle(symbols);
		kmap_symbols_find(symbols, mapping.base, KMAP_IP_EXACT);
	}
	elf_end(elf);
	kmap_symbols_free(symbols);
}

/* An ELF file. */
static void read_notes(const unsigned char *data, size_t size)
{
	char error[ERROR_MAX] = "";

	write_all(data, size);
	notes_free(notes_load(path, 0, error));
}

static void read_maintainers(const unsigned char *data, size_t size)
{
	struct maintainers *maintainers;
	char error[ERROR_MAX];

	write_all(data, size);
	maintainers = maintainers_read(path, error);
	if (!maintainers)
		return;
	maintainers_find(maintainers, "mm/slub.c");
	maintainers_free(maintainers);
}

static void read_yaml(const unsigned char *data, size_t size)
{
	char error[ERROR_MAX];
	struct tree root;

	write_all(data, size);
	if (tree_read(&root, path, error))
		tree_get(&root, "object_map");
	tree_free(&root);
}

/* Decompressed, if it is compressed. */
static void read_tar(const unsigned char *data, size_t size)
{
	struct tar tar = { .range = { .fd = fd, .size = size } };
	char error[ERROR_MAX], bytes[4096];
	enum tar_next next;
	struct range member;
	struct reader r;
	int plain;

	write_all(data, size);
	reader_init(&r, &tar.range);
	plain = reader_spool(&r, path, &tar.range.size, error);
	reader_free(&r);
	if (plain < 0)
		return;
	tar.range.fd = plain;
	while (tar_is_archive(&tar.range) && (next = tar_next(&tar)) == TAR_MEMBER) {
		member = (struct range){ plain, tar.range.offset + tar.offset, tar.size };
		range_read(&member, 0, bytes, sizeof(bytes));
	}
	close(plain);
}

static const struct {
	const char *name;
	void (*parse)(const unsigned char *data, size_t size);
} targets[] = {
	{ "metadata", parse_metadata },
	{ "packets", decode_packets },
	{ "kmap", read_kmap },
	{ "kallsyms", read_kallsyms },
	{ "saved", read_saved },
	{ "module", read_module },
	{ "notes", read_notes },
	{ "maintainers", read_maintainers },
	{ "yaml", read_yaml },
	{ "tar", read_tar },
};

/* Make the trace's saved symbols a link to the file with the input. */
static bool link_saved(void)
{
	char name[PATH_MAX];

	snprintf(name, sizeof(name), "%s/kernel/kallsyms.modules", trace);
	unlink(name);
	return !symlink(path, name);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *target = getenv("FUZZ") ?: "";
	char error[ERROR_MAX];
	size_t i;

	(void)argc;
	(void)argv;
	for (i = 0; i < ARRAY_SIZE(targets); i++)
		if (!strcmp(target, targets[i].name))
			parse = targets[i].parse;
	trace = getenv("FUZZ_TRACE");
	fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (!parse || !trace || fd < 0 || !metadata_load(&metadata, trace, error) ||
	    !layout_init(&layout, &metadata, error)) {
		fprintf(stderr, "expected FUZZ_TRACE=DIR, and FUZZ= one of:");
		for (i = 0; i < ARRAY_SIZE(targets); i++)
			fprintf(stderr, " %s", targets[i].name);
		fputc('\n', stderr);
		exit(EXIT_FAILURE);
	}
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	elf_version(EV_CURRENT);
	if (!link_saved()) {
		perror(trace);
		exit(EXIT_FAILURE);
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	parse(data, size);
	return 0;
}
