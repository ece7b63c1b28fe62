// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of Memorizer's core: rows of the KMAP as text, compared with printf().
 */
#include <inttypes.h>
#include <stdio.h>

#include "test.h"

static char text[MEMORIZER_ROW_MAX + 1], expected[2 * MEMORIZER_ROW_MAX];

#define CHECK_ROW(end, ...) \
	do { \
		*(end) = '\0'; \
		CHECK((end) <= text + MEMORIZER_ROW_MAX); \
		snprintf(expected, sizeof(expected), __VA_ARGS__); \
		CHECK(!strcmp(text, expected)); \
	} while (0)

/* Numbers around powers of ten, and random ones. */
static u64 any_number(unsigned int i, u64 *seed)
{
	u64 power = 1;

	if (i >= 60)
		return ((u64)random_u32(seed) << 32 | random_u32(seed)) >> random_u32(seed) % 64;
	while (i >= 3) {
		power *= 10;
		i -= 3;
	}
	return power + i - 1;
}

static void rows_are_as_printf_formats_them(void)
{
	struct memorizer_row row;
	unsigned int i;
	u64 seed = 1;

	for (i = 0; i < 100000; i++) {
		row.ip = random_u32(&seed);
		row.pid = any_number(i, &seed) & (MEMORIZER_BY_GRANULE - 1);
		row.granules = MEMORIZER_NO_GRANULES;
		row.writes = any_number(i, &seed);
		row.reads = any_number(i, &seed);
		row.write_moves = any_number(i, &seed);
		row.read_moves = any_number(i, &seed);
		CHECK_ROW(memorizer_format_row(text, &row), "  %016lx,%u,%lu,%lu\n",
			  memorizer_unpack_ip(row.ip), row.pid, row.writes, row.reads);
		CHECK_ROW(memorizer_format_traffic(text, &row), "  %016lx,%u,%lu,%lu,%lu,%lu\n",
			  memorizer_unpack_ip(row.ip), row.pid, row.write_moves,
			  row.read_moves, row.writes, row.reads);
		CHECK_ROW(memorizer_format_field(text, NULL, &row), "  %016lx,%u,%lu,%lu\n",
			  memorizer_unpack_ip(row.ip), row.pid, row.writes, row.reads);
	}
}

/* The last granule is cut off at the object's end. */
static void fields_have_offset_and_bytes(void)
{
	struct memorizer_object of = { .size = 30 };
	struct memorizer_row row = { .ip = 0x81000000, .pid = 7, .reads = 1 };
	char *end;

	row.granules = memorizer_granules(8, 15);
	end = memorizer_format_field(text, &of, &row);
	CHECK_ROW(end, "  ffffffff81000000,7,0,1,8+8\n");
	row.granules = memorizer_granules(28, 29);
	end = memorizer_format_field(text, &of, &row);
	CHECK_ROW(end, "  ffffffff81000000,7,0,1,28+2\n");
}

static void objects_are_as_printf_has_them(void)
{
	struct memorizer_object of = { };
	unsigned int i;
	u64 seed = 1;
	char *end;

	for (i = 0; i < 100000; i++) {
		of.size = any_number(i, &seed);
		of.at = memorizer_hide(0xffff888000000000 | random_u32(&seed));
		of.alloc_ip = i % 2 ? 0x80000000 | random_u32(&seed) : 0;
		of.free_ip = 0x80000000 | random_u32(&seed);
		of.who = any_number(i, &seed) & MEMORIZER_PID_MASK;
		of.state = MEMORIZER_LIVE + i % 3;
		memorizer_set_alloc_jiffies(&of, any_number(i, &seed) & (BIT(48) - 1));
		memorizer_set_free_jiffies(&of, any_number(i, &seed) & (BIT(48) - 1));
		memcpy(of.comm, "fifteen-letters", sizeof(of.comm));
		end = memorizer_format_object(text, &of);
		CHECK_ROW(end, "%lx,%u,%lx,%u,%lu,%lu,%lx,fifteen-letters\n",
			  memorizer_unpack_ip(of.alloc_ip), of.who, memorizer_object_va(&of),
			  of.size, memorizer_alloc_jiffies(&of),
			  i % 3 ? memorizer_free_jiffies(&of) : 0UL,
			  i % 3 == 0 ? 0UL : i % 3 == 1 ? memorizer_unpack_ip(of.free_ip) :
			  0xdeadbeefUL);
	}
}

static void kinds_precede_rows(void)
{
	struct memorizer_object of = { .state = MEMORIZER_LIVE };
	unsigned int kind;
	char *end;

	for (kind = 0; kind < MEMORIZER_KINDS; kind++) {
		of.who = memorizer_who(kind, true) | 7;
		end = memorizer_format_kind(text, &of);
		CHECK_ROW(end, "%s,", memorizer_kind_names[kind]);
		/* Readers distinguish it from alloc_ip. */
		CHECK(strspn(text, "0123456789abcdef") < strlen(text) - 1);
	}
}

/* Names that consist of escapes have the longest rows. */
static void comms_are_escaped(void)
{
	struct memorizer_object of = {
		.size = U32_MAX, .times = U64_MAX, .alloc_jiffies = U32_MAX, .alloc_ip = U32_MAX,
		.free_ip = U32_MAX, .who = MEMORIZER_PID_MASK, .state = MEMORIZER_FREED,
		.at = memorizer_hide(-1UL),
	};
	char *end;

	memset(of.comm, 0xff, sizeof(of.comm));
	end = memorizer_format_object(text, &of);
	*end = '\0';
	CHECK(end <= text + MEMORIZER_ROW_MAX);
	CHECK(strstr(text, ",\\xff\\xff\\xff"));
	of.who = memorizer_who(MEMORIZER_KIND_STRUCT_PAGE, false) | MEMORIZER_PID_MASK;
	CHECK(memorizer_format_object(memorizer_format_kind(text, &of), &of) <=
	      text + MEMORIZER_ROW_MAX);
	memcpy(of.comm, "a\\b\n,c\x7f\0def", 12);
	end = memorizer_format_object(text, &of);
	*end = '\0';
	CHECK(!strcmp(strstr(text, ",a"), ",a\\\\b\\x0a,c\\x7f\n"));
}

const struct test_case format_cases[] = {
	CASE(rows_are_as_printf_formats_them),
	CASE(fields_have_offset_and_bytes),
	CASE(objects_are_as_printf_has_them),
	CASE(kinds_precede_rows),
	CASE(comms_are_escaped),
	{ }
};
