// SPDX-License-Identifier: GPL-2.0
/*
 * Symbols of modules that record saved when the modules appeared. The file has, for each module, a
 * line "module NAME BASE BUILD-ID", with "-" for an unknown build ID, followed by the module's
 * lines of /proc/kallsyms.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/source.h"
#include "symbols/saved.h"

#define HEAD	"module "

static bool begin(const struct saved *s, struct lines *in)
{
	char error[ERROR_MAX];
	int fd = source_fd(s->path, error);

	if (fd < 0)
		return false;
	lines_init(in, fd);
	return true;
}

static void end(struct lines *in)
{
	lines_free(in);
	close(in->fd);
}

/* Parse the first line of a module. Returns false for other lines. */
static bool read_head(const char *line, size_t len, struct saved_module *m)
{
	char text[LINES_LENGTH_MAX + 1], name[128], id[BUILD_ID_TEXT];
	u64 base;

	if (len < strlen(HEAD) || len > LINES_LENGTH_MAX || memcmp(line, HEAD, strlen(HEAD)))
		return false;
	/* sscanf() needs a NUL, which @line does not have. */
	memcpy(text, line, len);
	text[len] = '\0';
	if (sscanf(text, HEAD "%127s %llx %64s", name, &base, id) != 3)
		return false;
	*m = (struct saved_module){ .name = xstrdup(name), .base = base,
				    .id = build_id_parse(id, strlen(id)) };
	return true;
}

/**
 * saved_open - list the modules with saved symbols
 * @s: set to the list
 * @dir: the trace, which may have no saved symbols
 */
void saved_open(struct saved *s, const char *dir)
{
	struct saved_module one;
	struct lines in;

	*s = (struct saved){ .nr = 0 };
	if (asprintf(&s->path, "%s/kernel/kallsyms.modules", dir) < 0)
		abort();
	if (!begin(s, &in))
		return;
	while (lines_next(&in) == LINES_WHOLE) {
		if (!read_head(in.line, in.len, &one))
			continue;
		s->module = xreallocarray(s->module, s->nr + 1, sizeof(one));
		s->module[s->nr++] = one;
	}
	end(&in);
}

/**
 * saved_close - free the list
 * @s: the list
 */
void saved_close(struct saved *s)
{
	u32 i;

	for (i = 0; i < s->nr; i++)
		free(s->module[i].name);
	free(s->module);
	free(s->path);
}

/**
 * saved_read - add the saved functions of a module to symbols
 * @s: the list
 * @nr: index of the module
 * @to: the symbols
 */
void saved_read(const struct saved *s, u32 nr, struct kmap_symbols *to)
{
	struct saved_module head;
	struct lines in;
	u32 heads = 0;

	if (!begin(s, &in))
		return;
	while (lines_next(&in) == LINES_WHOLE && heads <= nr + 1) {
		if (read_head(in.line, in.len, &head)) {
			free(head.name);
			heads++;
		} else if (heads == nr + 1) {
			kallsyms_add(to, in.line, in.len);
		}
	}
	end(&in);
}
