// SPDX-License-Identifier: GPL-2.0
/*
 * Names the compartment of a function: its name, file, directory or module, or the name in the
 * first line of a partition file that matches.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/error.h"
#include "report/filter.h"
#include "report/partition.h"

#define BLANKS	" \t\r"

/* A line: functions that match the pattern, or whose file does, are in the compartment. */
struct partition_rule {
	char *name, *glob;
};

/* Split off the next word of a line; empty at its end. */
static char *next_word(char **at)
{
	char *word = *at + strspn(*at, BLANKS);
	size_t len = strcspn(word, BLANKS);

	*at = word + len + !!word[len];
	word[len] = '\0';
	return word;
}

/* Parse a line; returns the reason if it is malformed, else NULL. */
static const char *read_rule(struct partition *partition, char *line)
{
	char *name = next_word(&line), *glob = next_word(&line), *rest = next_word(&line);

	if (!*name || *name == '#')
		return NULL;
	if (!*glob)
		return "a name without a pattern: want NAME GLOB";
	if (*rest)
		return "more than two words: want NAME GLOB";
	if (*name == '[')
		return "a name that begins with '[', as [other] does: want another one";
	partition->rules = xreallocarray(partition->rules, partition->nr + 1ull,
					 sizeof(*partition->rules));
	partition->rules[partition->nr++] = (struct partition_rule){ xstrdup(name),
								     xstrdup(glob) };
	partition->paths |= !!strchr(glob, '/');
	return NULL;
}

static const char *read_line(struct partition *partition, const struct lines *in)
{
	char text[LINES_LENGTH_MAX + 1];

	memcpy(text, in->line, in->len);
	text[in->len] = '\0';
	if (strlen(text) != in->len)
		return "a NUL byte: want text";
	return read_rule(partition, text);
}

static bool read_rules(struct partition *partition, const char *path, struct lines *in,
		       char error[ERROR_MAX])
{
	enum lines_status status;
	const char *wrong;

	while ((status = lines_next(in)) != LINES_END) {
		if (status == LINES_FAILED)
			return set_path_error(error, path, strerror(errno));
		wrong = status == LINES_LONG ? "more than 1024 bytes: want NAME GLOB" :
			read_line(partition, in);
		if (wrong)
			return set_error(error, "%s:%llu: %s", path, in->nr, wrong);
	}
	if (!partition->nr)
		return set_error(error, "%s: no compartments: want lines NAME GLOB", path);
	return true;
}

/**
 * partition_read - read a partition file
 * @partition: set to the partition, to be freed by partition_free() in any case
 * @path: name of the file: lines NAME GLOB, empty lines, and lines that begin with #
 * @error: set to a message on failure
 *
 * Return: true on success.
 */
bool partition_read(struct partition *partition, const char *path, char error[ERROR_MAX])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct lines in;
	bool fine;

	*partition = (struct partition){ .by = PARTITION_RULES };
	if (fd < 0)
		return set_path_error(error, path, strerror(errno));
	lines_init(&in, fd);
	fine = read_rules(partition, path, &in, error);
	lines_free(&in);
	close(fd);
	return fine;
}

/**
 * partition_free - free a partition
 * @partition: the partition
 */
void partition_free(struct partition *partition)
{
	u32 i;

	for (i = 0; i < partition->nr; i++) {
		free(partition->rules[i].name);
		free(partition->rules[i].glob);
	}
	free(partition->rules);
}

/**
 * partition_needs_files - check whether a partition depends on source files
 * @partition: the partition
 *
 * Return: true if it does.
 */
bool partition_needs_files(const struct partition *partition)
{
	return partition->by == PARTITION_FILE || partition->by == PARTITION_DIRECTORY ||
	       partition->paths;
}

/* Patterns with a slash are for files, others for functions: "kfree", or "kfree [module]". */
static bool is_match(const char *glob, const struct privilege *p, const struct actor *actor)
{
	if (strchr(glob, '/'))
		return actor->file != TEXTS_NONE &&
		       kmem_filter_matches(glob, texts_get(&p->texts, actor->file));
	return kmem_filter_matches(glob, texts_get(&p->texts, actor->symbol)) ||
	       kmem_filter_matches(glob, texts_get(&p->texts, actor->name));
}

static const char *find_rule(const struct partition *partition, const struct privilege *p,
			     const struct actor *actor)
{
	u32 i;

	for (i = 0; i < partition->nr; i++)
		if (is_match(partition->rules[i].glob, p, actor))
			return partition->rules[i].name;
	return "[other]";
}

/**
 * partition_name - name the compartment of a function
 * @partition: the partition
 * @p: the uses
 * @actor: the function
 * @text: buffer for the name
 *
 * Return: the name.
 */
const char *partition_name(const struct partition *partition, const struct privilege *p,
			   const struct actor *actor, char text[TEXTS_MAX])
{
	const char *file = actor->file == TEXTS_NONE ? NULL : texts_get(&p->texts, actor->file);
	const char *module = texts_get(&p->texts, actor->module);
	const char *slash;

	switch (partition->by) {
	case PARTITION_FUNCTION:
		return texts_get(&p->texts, actor->name);
	case PARTITION_FILE:
		return file ?: NAMES_UNKNOWN;
	case PARTITION_DIRECTORY:
		slash = file ? strrchr(file, '/') : NULL;
		snprintf(text, TEXTS_MAX, "%.*s", slash ? (int)(slash - file) : 1,
			 slash ? file : ".");
		return file ? text : NAMES_UNKNOWN;
	case PARTITION_MODULE:
		return *module ? module : "[kernel]";
	default:
		return find_rule(partition, p, actor);
	}
}
