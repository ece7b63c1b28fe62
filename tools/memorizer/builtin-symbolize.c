// SPDX-License-Identifier: GPL-2.0
/* memorizer symbolize: replaces instruction addresses in a KMAP by symbols. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin.h"
#include "lib/hash.h"
#include "options.h"
#include "report/term.h"
#include "symbols/trace-symbols.h"

/* Cached symbol of an address; @ip and @kind are the key. */
struct name {
	u64 ip, kind;
	char *text;		/* NULL if no function is known */
	size_t len;
};

static const char * const usage[] = {
	"memorizer symbolize [OPTION...] [KMAP|-]",
	"",
	"Copies the KMAP with instruction addresses replaced by symbol+0xoff/0xsize, followed",
	"by [module] in a module. Addresses without a symbol do not change, nor do any other",
	"bytes. Malformed lines are reported and left out.",
	NULL
};

static void put(const char *from, const char *to)
{
	fwrite_unlocked(from, 1, to - from, stdout);
}

/* Write the symbol of @ip, or the bytes between @from and @to if there is none. */
static void put_ip(const struct kmap_symbols *symbols, struct hash *names, u64 ip,
		   enum kmap_ip kind, const char *from, const char *to)
{
	struct name key = { .ip = ip, .kind = kind }, *name;
	char text[KMAP_SYMBOL_MAX];
	bool new;

	name = hash_item(names, hash_get(names, &key, &new));
	if (new && kmap_symbols_find(symbols, ip, kind)) {
		name->len = kmap_symbols_format(symbols, ip, kind, text);
		name->text = xreallocarray(NULL, name->len, 1);
		memcpy(name->text, text, name->len);
	}
	if (name->text)
		put(name->text, name->text + name->len);
	else
		put(from, to);
}

static void put_object(const struct kmap_symbols *symbols, struct hash *names,
		       const struct kmap_reader *r)
{
	const struct kmap_object *o = &r->object;
	const char * const *f = r->field;

	put(r->lines.line, f[0]);
	/* The byte before a field is its comma. */
	put_ip(symbols, names, o->alloc_ip, KMAP_IP_RETURN, f[0], f[1] - 1);
	put(f[1] - 1, f[6]);
	/* Neither value is an address. */
	if (o->free_ip == KMAP_IP_UNKNOWN || o->free_ip == KMAP_IP_OVERWRITTEN)
		put(f[6], f[7] - 1);
	else
		put_ip(symbols, names, o->free_ip, KMAP_IP_RETURN, f[6], f[7] - 1);
	put(f[7] - 1, f[8]);
}

static void put_access(const struct kmap_symbols *symbols, struct hash *names,
		       const struct kmap_reader *r)
{
	const char * const *f = r->field;

	put(r->lines.line, f[0]);
	put_ip(symbols, names, r->access.ip, KMAP_IP_EXACT, f[0], f[1] - 1);
	put(f[1] - 1, r->lines.line + r->lines.len + 1);
}

static void put_frames(const struct kmap_symbols *symbols, struct hash *names,
		       const struct kmap_reader *r)
{
	const struct kmap_object *o = &r->object;
	const char * const *f = r->field;
	u32 i;

	put(r->lines.line, f[0]);
	for (i = 0; i < o->nr_frames; i++) {
		put_ip(symbols, names, o->frames[i], KMAP_IP_RETURN, f[i], f[i + 1] - 1);
		/* The comma or newline after the frame */
		put(f[i + 1] - 1, f[i + 1]);
	}
}

static int symbolize(const struct kmap_symbols *symbols, struct input *in, bool kallsyms)
{
	enum kmap_event event;
	struct name *name;
	struct hash names;
	u32 i, missing = 0;

	term_pager();
	hash_init(&names, sizeof(struct name), 2 * sizeof(u64));
	while ((event = input_next(in)) != KMAP_END && event != KMAP_FAILED) {
		if (event == KMAP_OBJECT)
			put_object(symbols, &names, &in->reader);
		else if (event == KMAP_FRAMES)
			put_frames(symbols, &names, &in->reader);
		else
			put_access(symbols, &names, &in->reader);
	}
	for (i = 0; i < names.nr; i++) {
		name = hash_item(&names, i);
		missing += !name->text;
		free(name->text);
	}
	input_unresolved(missing, names.nr, kallsyms);
	hash_free(&names);
	return input_close(in, event);
}

static int run(int argc, char **argv)
{
	const char *vmlinux = NULL, *kallsyms = NULL, *modules = NULL;
	bool lines = false, inlines = false;
	const struct option options[] = {
		OPT_STRING('k', "vmlinux", &vmlinux, "FILE", "ELF file with the kernel's symbols"),
		OPT_STRING('K', "kallsyms", &kallsyms, "FILE",
			   "copy of /proc/kallsyms of the traced kernel, for modules and KASLR"),
		OPT_BOOLEAN('l', "lines", &lines, "add (file:line), from the vmlinux"),
		OPT_BOOLEAN('i', "inlines", &inlines,
			    "add lines of inlined functions: (function file:line < ...)"),
		OPT_STRING('M', "modules", &modules, "DIR",
			   "directory with the files NAME.ko of modules, for lines"),
		OPT_HELP(),
		OPT_END()
	};
	struct kmap_symbols *symbols;
	struct input in;
	int status;

	argc = options_parse(&command_symbolize, argc, argv, options, 0);
	if (!vmlinux && ((lines && !modules) || !kallsyms)) {
		fprintf(stderr, "memorizer symbolize: %s\n",
			lines ? "--lines takes lines from a vmlinux: give --vmlinux too" :
				"nothing to take symbols from: give --vmlinux, --kallsyms or both");
		return usage_error("symbolize");
	}
	symbols = trace_symbols_text(argc ? argv[0] : "-", vmlinux, kallsyms, modules,
				     lines, inlines);
	status = EXIT_UNABLE;
	term_stream();
	if (symbols && input_open(&in, argc, argv))
		status = symbolize(symbols, &in, kallsyms);
	if (symbols)
		kmap_symbols_free(symbols);
	return status;
}

const struct command command_symbolize = {
	.name = "symbolize",
	.summary = "replace the addresses in a KMAP by symbols",
	.usage = usage,
	.run = run,
};
