// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of Memorizer's core: run each case in a process of its own.
 *
 * usage: core-<build> [suite | part of a case's name]
 */
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

static const struct {
	const char *name;
	const struct test_case *cases;
} suites[] = {
	{ "start", start_cases },
	{ "pool", pool_cases },
	{ "index", index_cases },
	{ "object", object_cases },
	{ "pages", pages_cases },
	{ "vmalloc", vmalloc_cases },
	{ "lazy", lazy_cases },
	{ "grain", grain_cases },
	{ "user", user_cases },
	{ "access", access_cases },
	{ "group", group_cases },
	{ "fields", fields_cases },
	{ "traffic", traffic_cases },
	{ "strings", string_cases },
	{ "rows", rows_cases },
	{ "format", format_cases },
	{ "threads", thread_cases },
#ifndef __SANITIZE_THREAD__
	{ "model", model_cases },
	{ "interrupts", interrupt_cases },
	{ "patches", patch_cases },
#endif
};

#ifdef __SANITIZE_THREAD__
const char *__tsan_default_options(void);

const char *__tsan_default_options(void)
{
	return "halt_on_error=1";
}
#endif

/**
 * reserve() - allocate memory for the core's tables
 * @size: bytes
 *
 * Return: the zeroed memory
 */
void *reserve(size_t size)
{
	void *memory = aligned_alloc(PAGE_SIZE, round_up(size, PAGE_SIZE));

	CHECK(memory);
	return memset(memory, 0, size);
}

static bool passes(const struct test_case *test)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		test->run();
		exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid) {
		perror("cannot run a case");
		return false;
	}
	if (WIFSIGNALED(status))
		fprintf(stderr, "%s: killed by signal %d\n", test->name, WTERMSIG(status));
	return !status;
}

int main(int argc, char **argv)
{
	const char *build = strrchr(argv[0], '-') + 1;
	const char *wanted = argc > 1 ? argv[1] : "";
	unsigned int i, count[2] = { };
	const struct test_case *test;

	for (i = 0; i < ARRAY_SIZE(suites); i++) {
		for (test = suites[i].cases; test->name; test++) {
			bool ok;

			if (!strstr(test->name, wanted) && strcmp(suites[i].name, wanted))
				continue;
			ok = passes(test);
			count[ok]++;
			printf("%s %s: %s: %s\n", ok ? "ok" : "not ok", build, suites[i].name,
			       test->name);
		}
	}
	printf("%u passed, %u failed\n", count[true], count[false]);
	return count[false] != 0;
}
