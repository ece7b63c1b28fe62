// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz target for libFuzzer: the metadata parser, the packet decoder, or the KMAP parser,
 * selected by FUZZ in the environment. Damaged input must lead to an error message; sanitizers
 * and libFuzzer's limits on time and memory detect everything else.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kmap/kmap.h"
#include "trace/stream.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static const char *target;
static struct metadata metadata;
static struct layout layout;
static int fd;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char error[ERROR_MAX];
	const char *dir = getenv("FUZZ_TRACE");

	(void)argc;
	(void)argv;
	target = getenv("FUZZ");
	fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (!target || !dir || fd < 0 || !metadata_load(&metadata, dir, error) ||
	    !layout_init(&layout, &metadata, error)) {
		fprintf(stderr, "want FUZZ=metadata, packets or kmap, and FUZZ_TRACE=DIR\n");
		exit(EXIT_FAILURE);
	}
	return 0;
}

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

static void decode_packets(void)
{
	struct stream_file *file = xreallocarray(NULL, 1, sizeof(*file));
	char error[ERROR_MAX];
	volatile u64 sum = 0;
	struct stream s;
	struct batch b;
	u32 i;

	*file = (struct stream_file){ .carried = U64_MAX };
	if (asprintf(&file->path, "/dev/fd/%d", fd) < 0 ||
	    !stream_open(&s, &layout, file, 1, 0, error))
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

static void read_kmap(void)
{
	struct kmap_reader r;
	enum kmap_event event;

	kmap_reader_init(&r, fd);
	do {
		event = kmap_reader_next(&r);
	} while (event != KMAP_END && event != KMAP_FAILED);
	kmap_reader_free(&r);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	if (!strcmp(target, "metadata")) {
		parse_metadata(data, size);
		return 0;
	}
	write_all(data, size);
	if (!strcmp(target, "packets"))
		decode_packets();
	else
		read_kmap();
	return 0;
}
