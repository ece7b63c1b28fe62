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

const char * const partition_names[PARTITION_RULES] = {
	[PARTITION_FUNCTION] = "function", [PARTITION_FILE] = "file",
	[PARTITION_DIRECTORY] = "directory", [PARTITION_MODULE] = "module",
};

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

static bool read_file(struct partition *partition, char error[ERROR_MAX])
{
	int fd = open(partition->file, O_RDONLY | O_CLOEXEC);
	struct lines in;
	bool fine;

	if (fd < 0)
		return set_path_error(error, partition->file, strerror(errno));
	lines_init(&in, fd);
	fine = read_rules(partition, partition->file, &in, error);
	lines_free(&in);
	close(fd);
	return fine;
}

/**
 * option_by - handle --by
 * @o: the option; its value is an enum partition_by
 * @arg: its argument
 * @unset: unused
 *
 * Return: 0; exits if the argument is unknown.
 */
int option_by(const struct option *o, const char *arg, int unset)
{
	size_t i;

	(void)unset;
	for (i = 0; i < ARRAY_SIZE(partition_names); i++) {
		if (!strcmp(arg, partition_names[i])) {
			*(enum partition_by *)o->value = i;
			return 0;
		}
	}
	return option_refuse(o, arg, "function, file, directory or module");
}

/**
 * partition_open - read the partition file, if one was given
 * @partition: the partition, to be freed by partition_free()
 * @command: the command, for the message
 *
 * Return: true on success; false after a message.
 */
bool partition_open(struct partition *partition, const char *command)
{
	char error[ERROR_MAX];

	if (!partition->file)
		return true;
	partition->by = PARTITION_RULES;
	if (read_file(partition, error))
		return true;
	fprintf(stderr, "memorizer %s: %s\n", command, error);
	partition_free(partition);
	return false;
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
 * partition_usable - check whether the source files of functions are known, if they matter
 * @partition: the partition
 * @symbols: the symbols
 * @command: the command, for the message
 *
 * Return: true if so; false after a message.
 */
bool partition_usable(const struct partition *partition, const struct kmap_symbols *symbols,
		      const char *command)
{
	bool files = partition->by == PARTITION_FILE || partition->by == PARTITION_DIRECTORY ||
		     partition->paths;

	if (!files || kmap_symbols_notes(symbols))
		return true;
	fprintf(stderr,
		"memorizer %s: source files are unknown: want --vmlinux with compiler notes\n",
		command);
	return false;
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
