// SPDX-License-Identifier: GPL-2.0
/*
 * Damage a trace at random, reproducibly, and let memorizer's commands read it. They must end
 * by themselves, in bounded CPU time, with exit status 0 to 2, and with a message if it is 2.
 *
 * Usage: fuzz-trace ROUNDS KMAP DIR SCRATCH
 * DIR is a trace with metadata, cpu0 and cpu1; SCRATCH is an empty directory.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tap.h"

#define FILE_MAX	(1 << 20)
#define CPU_SECONDS	60
#define HEADER		80

static const char * const names[] = { "metadata", "cpu0", "cpu1" };

/* A file of the trace */
static struct content {
	unsigned char bytes[FILE_MAX];
	size_t size;
} good[ARRAY_SIZE(names)], bad;

static const char *memorizer, *scratch;
static u64 random_state = 88172645463325252u;

static u32 below(u32 n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (random_state >> 32) % n;
}

static void die(const char *what)
{
	perror(what);
	exit(EXIT_FAILURE);
}

static void load(struct content *c, const char *dir, const char *name)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "r");
	if (!file)
		die(path);
	c->size = fread(c->bytes, 1, FILE_MAX, file);
	if (!c->size || c->size == FILE_MAX)
		die("size of a file");
	fclose(file);
}

static void save(const struct content *c, const char *name)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", scratch, name);
	file = fopen(path, "w");
	if (!file || fwrite(c->bytes, 1, c->size, file) != c->size || fclose(file))
		die(path);
}

/* Replace @cut bytes by @len bytes. */
static void replace(size_t at, size_t cut, const void *with, size_t len)
{
	if (at + cut > bad.size || bad.size - cut + len > FILE_MAX)
		return;
	memmove(bad.bytes + at + len, bad.bytes + at + cut, bad.size - at - cut);
	memcpy(bad.bytes + at, with, len);
	bad.size += len - cut;
}

/* Return a place to damage: anywhere, or near the first packet's header. */
static size_t place(void)
{
	if (!bad.size)
		return 0;
	return below(below(3) || bad.size < 3 * HEADER ? bad.size : 3 * HEADER);
}

static void damage_text(void)
{
	static const char * const pieces[] = {
		"{", "}", ";", "[16]", "[0]", "[4096]", "[99999999999]", "struct {", "string",
		"uint64_t", "int16_t", "size = 64", "size = 1", "size = 0", "size = 65",
		"align = 64",
		"signed = true", "encoding = none", "map = clock.memorizer.value", "id = 3",
		"byte_order = be", "byte_order = le", "variant <x> {", "enum : uint8_t", "= -1",
		"18446744073709551616", "offset = 9223372036854775807", "freq = 0", "freq = 1",
		"freq = 18446744073709551615", "/*", "*/", "\"", "\\", "\n", "[pid]", "[object]",
		"event {", "stream {", "trace {", "env {", "clock {", ".", ":=", "stream_id = 9",
		"floating_point { exp_dig = 8; mant_dig = 24; }", "typealias", "typedef",
	};
	const char *piece = pieces[below(ARRAY_SIZE(pieces))];

	replace(place(), below(2) ? below(20) : 0, piece, strlen(piece));
}

static void damage(bool text)
{
	unsigned char copy[4096];
	static const u64 odd[] = { 0, 1, 7, 8, 640, 1ull << 31, 1ull << 32, 1ull << 63, U64_MAX };
	size_t at = place(), len;
	u64 value;

	switch (below(text ? 8 : 6)) {
	case 0:
		if (at < bad.size)
			bad.bytes[at] ^= 1 << below(8);
		break;
	case 1:
		if (at < bad.size)
			bad.bytes[at] = below(256);
		break;
	case 2:
		bad.size = at;
		break;
	case 3:
		replace(at, below(64), "", 0);
		break;
	case 4:
		len = below(sizeof(copy));
		if (len > bad.size - at)
			len = bad.size - at;
		memcpy(copy, bad.bytes + at, len);
		replace(place(), below(2) ? len : 0, copy, len);
		break;
	case 5:
		value = odd[below(ARRAY_SIZE(odd))];
		len = 1u << below(4);
		replace(at, len, &value, len);
		break;
	default:
		damage_text();
	}
}

/* Run a command of memorizer; return an error, or NULL. */
static const char *run(const char *command, const char *option)
{
	const struct rlimit limit = { CPU_SECONDS, CPU_SECONDS };
	const char *args[] = { memorizer, command, scratch, option, NULL };
	FILE *err = tmpfile();
	static char text[4096];
	int status;
	pid_t pid;

	if (!err)
		die("tmpfile");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		setrlimit(RLIMIT_CPU, &limit);
		dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
		dup2(fileno(err), STDERR_FILENO);
		execv(memorizer, (char **)args);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) != pid)
		die("waitpid");
	rewind(err);
	text[fread(text, 1, sizeof(text) - 1, err)] = '\0';
	fclose(err);
	if (WIFSIGNALED(status))
		return WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL ?
			"it ends in bounded CPU time" : "it ends by itself";
	if (WEXITSTATUS(status) > 3)
		printf("%s", text);
	if (WEXITSTATUS(status) > 3)
		return "its exit status is 0 to 3";
	if (WEXITSTATUS(status) >= 2 && command[0] != 'c' && !strstr(text, "memorizer: "))
		return "it says why it cannot go on";
	return NULL;
}

/* Damage or omit a file, and let all commands read the trace. */
static const char *round_of(size_t i)
{
	static const char * const commands[][2] = {
		{ "check", NULL }, { "check", "--json" }, { "kmap", NULL },
	};
	const char *wrong = NULL;
	char path[4096];
	size_t c;
	int times;

	bad = good[i];
	for (times = 1 + below(3); times; times--)
		damage(!i);
	save(&bad, names[i]);
	if (!below(50)) {
		snprintf(path, sizeof(path), "%s/%s", scratch, names[i]);
		unlink(path);
	}
	c = below(ARRAY_SIZE(commands));
	wrong = run(commands[c][0], commands[c][1]);
	if (!wrong)
		save(good + i, names[i]);
	else
		printf("# memorizer %s, damage in %s\n", commands[c][0], names[i]);
	return wrong;
}

int main(int argc, char **argv)
{
	const char *wrong = NULL;
	int i, rounds;

	if (argc != 5) {
		fprintf(stderr, "Usage: fuzz-trace ROUNDS KMAP DIR SCRATCH\n");
		return EXIT_FAILURE;
	}
	rounds = atoi(argv[1]);
	memorizer = argv[2];
	scratch = argv[4];
	for (i = 0; i < (int)ARRAY_SIZE(names); i++) {
		load(good + i, argv[3], names[i]);
		save(good + i, names[i]);
	}
	wrong = run("check", NULL);
	if (!tap_ok(!wrong, "the trace without damage is read"))
		printf("# not true: %s\n", wrong);
	for (i = 0; i < rounds && !wrong; i++)
		wrong = round_of(below(ARRAY_SIZE(names)));
	if (!tap_ok(!wrong && i == rounds, "damaged traces are read or refused"))
		printf("# not true in round %d: %s\n", i, wrong);
	return tap_end();
}
