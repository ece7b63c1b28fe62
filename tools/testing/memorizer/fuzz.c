// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of Memorizer's core: libFuzzer chooses the operations that model_test.c decodes.
 *
 * All inputs run in one process, as libFuzzer wants. So the variables of the core, and of what
 * simulates its surroundings, are in one section (see fuzz.lds), which has its first content again
 * before each input.
 */
#include "model.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const u8 *data, size_t size);
void __wrap__exit(int status);

extern char __start_core_state[], __stop_core_state[];

/* What reserve() returns, from the beginning on. */
static char arena[16 << 20] __aligned(PAGE_SIZE);
static size_t arena_used;

static char *first_state, *first_groups;
static unsigned long operations;

/* Not memcpy(): AddressSanitizer's does not write between variables. */
static void copy(void *to, const void *from, size_t size)
{
	asm volatile("rep movsb" : "+D" (to), "+S" (from), "+c" (size) : : "memory");
}

static void zero(void *to, size_t size)
{
	asm volatile("rep stosb" : "+D" (to), "+c" (size) : "a" (0) : "memory");
}

static char *save(const char *start, const char *stop)
{
	char *saved = malloc(stop - start);

	CHECK(saved);
	copy(saved, start, stop - start);
	return saved;
}

/**
 * __wrap__exit() - have libFuzzer keep the input for which a check fails
 * @status: not used
 */
void __wrap__exit(int status)
{
	abort();
}

/**
 * reserve() - allocate memory for the core's tables, until the next input
 * @size: bytes
 *
 * Return: the zeroed memory
 */
void *reserve(size_t size)
{
	void *memory = arena + arena_used;

	arena_used += round_up(size, PAGE_SIZE);
	CHECK(arena_used <= sizeof(arena));
	return memory;
}

static void restart(void)
{
	unsigned int cpu;

	copy(__start_core_state, first_state, __stop_core_state - __start_core_state);
	copy((char *)__start_memorizer_groups, first_groups,
	     __stop_memorizer_groups - __start_memorizer_groups);
	for (cpu = 0; cpu < TEST_CPUS; cpu++)
		copy(__start_percpu + percpu_offset(cpu), __start_percpu,
		     __stop_percpu - __start_percpu);
	zero(arena, arena_used);
	arena_used = 0;
}

static void print_operations(void)
{
	fprintf(stderr, "%lu operations\n", operations);
}

/**
 * LLVMFuzzerInitialize() - keep the first state, for restart()
 * @argc: not used
 * @argv: not used
 *
 * Return: 0
 */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	first_state = save(__start_core_state, __stop_core_state);
	first_groups = save(__start_memorizer_groups, __stop_memorizer_groups);
	return atexit(print_operations);
}

/**
 * LLVMFuzzerTestOneInput() - run the operations of an input
 * @data: the input
 * @size: bytes of @data
 *
 * Return: 0
 */
int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	restart();
	operations += run_operations(data, size);
	return 0;
}
