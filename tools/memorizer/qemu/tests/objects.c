// SPDX-License-Identifier: GPL-2.0
/* Test program that announces objects as the kernel does, with a known number of accesses. */
#include "guest.h"

volatile char watched[4096] __attribute__((aligned(4096)));
volatile char paged[8192] __attribute__((aligned(4096)));

/* Of enum memorizer_object_kind. */
enum { SLAB, PAGES, VMALLOC, STACK = 6, PERCPU = 9 };

static void say(unsigned int type, const unsigned long *value, unsigned int nr)
{
	unsigned int i;

	say_word(type << MEMORIZER_TYPE_SHIFT | nr);
	for (i = 0; i < nr; i++)
		say_value(value[i]);
}

static void add_from(unsigned long id, volatile void *at, unsigned long size,
		     unsigned long cache, unsigned long kind, unsigned long ip)
{
	unsigned long value[] = { id, (unsigned long)at, size, ip, 1, 77, cache, kind };

	say(MEMORIZER_MSG_OBJECT, value, 8);
}

static void add_kind(unsigned long id, volatile void *at, unsigned long size,
		     unsigned long cache, unsigned long kind)
{
	add_from(id, at, size, cache, kind, -4096UL);
}

static void add(unsigned long id, volatile void *at, unsigned long size, unsigned long cache)
{
	add_kind(id, at, size, cache, SLAB);
}

/* Announce a cache with object_size 24, size 40 and a left red zone of 8 bytes. */
static void add_cache(unsigned long cache)
{
	static const char name[16] = "cache-of-24";
	unsigned long value[] = { cache, 24, 40, 32, 0, 0 };

	__builtin_memcpy(&value[4], name, sizeof(name));
	say(MEMORIZER_MSG_CACHE, value, 6);
}

static void end(unsigned long id)
{
	unsigned long value[] = { id, 2, -8192UL, 88 };

	say(MEMORIZER_MSG_END, value, 4);
}

/* Send a message with two values. */
static void context(unsigned int type, unsigned long first, unsigned long second)
{
	unsigned long value[] = { first, second };

	say(type, value, 2);
}

/* Announce a lock operation. @name has at most 8 characters, and may be empty. */
static void lock(unsigned long op, unsigned long flags, const char *name)
{
	unsigned long value[] = { op | flags << 8, -16384UL, -4096UL, 0 };

	__builtin_memcpy(&value[3], name, __builtin_strlen(name));
	say(MEMORIZER_MSG_LOCK, value, *name ? 4 : 3);
}

static void logging(unsigned long on)
{
	unsigned long value[] = { MEMORIZER_LOGS_ACCESSES, on };

	say(MEMORIZER_MSG_LOGGING, value, 2);
}

/* Functions with a single access of 8 bytes, at a global symbol. */
#define ACCESS(name, insn)					\
	static __attribute__((noinline)) void name(volatile void *at)	\
	{							\
		__asm__ volatile(".globl at_" #name "\nat_" #name ": " insn	\
				 : : "r" (at), "r" (1UL) : "rax", "memory");	\
	}

ACCESS(load, "movq (%0), %%rax")
ACCESS(store, "movq %1, (%0)")
ACCESS(add_to, "lock addq %1, (%0)")

/* Pages with an object in them, of which one is freed. */
static void access_pages(void)
{
	add_kind(3, paged, 8192, 0, PAGES);
	add_kind(4, paged + 64, 8, 0, PERCPU);
	store(paged);
	store(paged + 64);
	/* Begins in the pages, and ends in the object. */
	load(paged + 60);
	/* Begins in the object, and ends in the pages. */
	load(paged + 68);
	end(4);
	store(paged + 64);
	add_kind(5, paged + 4096, 4096, 0, PAGES);
	end(3);
	store(paged + 4096);
	/* Not counted: the page was freed. */
	store(paged);
}

/* An area, a stack in it, and a per-CPU variable, which was not allocated. */
static void add_others(void)
{
	add_kind(10, paged, 100, 0, VMALLOC);
	add_kind(11, paged, 16, 0, STACK);
	add_from(12, paged + 4096, 6, 0, PERCPU, 0x1000);
	end(12);
	end(11);
	end(10);
}

int main(void)
{
	static const unsigned long task[] = { 42, 0x64636261, 0 };
	int i;

	say(MEMORIZER_MSG_TASK, task, 3);
	add_cache(-8UL);
	add(1, watched, 32, 0);
	add(2, watched + 64, 20, -8UL);
	add_others();
	/* Not counted: logging is off. */
	load(watched);
	logging(1);
	for (i = 0; i < 3; i++)
		load(watched + 8);
	store(watched + 24);
	/* The last bytes are beyond the object, and in no other one. */
	store(watched + 64 + 16);
	/* Starts outside of objects, and ends in the second object. */
	context(MEMORIZER_MSG_ENTER, 1, 39);
	load(watched + 60);
	context(MEMORIZER_MSG_LEFT, 1, 39);
	add_to(watched + 64);
	lock(2, 3, "a_lock");
	lock(3, 0, "");
	context(MEMORIZER_MSG_RCU_FREE, (unsigned long)watched, -4096UL);
	end(1);
	/* Not counted: the object was freed. */
	load(watched + 8);
	add(1, watched, 8, 0);
	store(watched);
	access_pages();
	logging(0);
	store(watched);
	return 0;
}
