// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's text: objects and rows of the KMAP.
 *
 * Each function writes one row, with its newline, directly into the reader's buffer. A KMAP has
 * millions of rows: a format string, or a call of seq_file for each number, would take most of the
 * time. These functions call no code outside of this directory, which has no sites: while accesses
 * are logged, each access of other code costs a call of a thunk.
 */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/hex.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "alloc_stack.h"
#include "entry.h"
#include "kmap.h"
#include "object.h"
#include "rows.h"

/* Eight digits, one per byte, the first digit in the lowest byte. */
static u64 hex_digits(u32 number)
{
	u64 digits = (u64)(u16)number << 32 | number >> 16;

	/* Spread the digits: halve the pieces until each byte has one. */
	digits = (digits & 0x000000ff000000ff) << 16 | (digits >> 8 & 0x000000ff000000ff);
	digits = (digits & 0x000f000f000f000f) << 8 | (digits >> 4 & 0x000f000f000f000f);
	/* Adding 6 carries into bit 4 for the digits above 9, which are letters. */
	return digits + 0x3030303030303030 +
		((digits + 0x0606060606060606) >> 4 & 0x0101010101010101) * ('a' - '0' - 10);
}

/* A packed ip as an address of 16 digits. */
static char *put_ip(char *to, u32 ip)
{
	/* Extend the sign, as memorizer_unpack_ip() does. */
	memcpy(to, ip & BIT(31) ? "ffffffff" : "00000000", 8);
	put_unaligned_le64(hex_digits(ip), to + 8);
	return to + 16;
}

/* An address without leading zeros. */
static char *put_hex(char *to, unsigned long number)
{
	unsigned int digits = number ? DIV_ROUND_UP(fls64(number), 4) : 1;

	while (digits--)
		*to++ = hex_asc_lo(number >> 4 * digits);
	return to;
}

/* More digits than fit into a word at once. */
#define EIGHT_DIGITS	100000000

static char *put_digits(char *to, u64 number)
{
	u64 digits = 0;
	unsigned int i;
	char *end;

	/* Most counts have one digit. */
	if (number < 10) {
		*to++ = '0' + number;
		return to;
	}
	/* Recurses at most twice: 64 bits have 20 digits. */
	if (number >= EIGHT_DIGITS) {
		to = put_digits(to, number / EIGHT_DIGITS);
		for (i = 0; i < 8; i++, number /= 10)
			digits = digits << 8 | ('0' + number % 10);
		put_unaligned_le64(digits, to);
		return to + 8;
	}
	/* From the last digit to the first. The next field overwrites the bytes after them. */
	for (end = to; number; number /= 10, end++)
		digits = digits << 8 | ('0' + number % 10);
	put_unaligned_le64(digits, to);
	return end;
}

static char *put_number(char *to, char before, u64 number)
{
	*to++ = before;
	return put_digits(to, number);
}

/* Escape unprintable characters and the backslash. */
static char *put_comm(char *to, const struct memorizer_object *object)
{
	const char *comm = object->comm;
	unsigned int i;

	/* User space chooses the name: a newline in it would look like the next row. */
	for (i = 0; i < sizeof(object->comm) && comm[i]; i++) {
		if (comm[i] >= ' ' && comm[i] <= '~' && comm[i] != '\\') {
			*to++ = comm[i];
			continue;
		}
		*to++ = '\\';
		if (comm[i] == '\\') {
			*to++ = '\\';
			continue;
		}
		*to++ = 'x';
		to = hex_byte_pack(to, comm[i]);
	}
	return to;
}

/**
 * memorizer_format_kind() - write an object's kind, which precedes its row in kmap_kinds
 * @to: buffer of at least MEMORIZER_ROW_MAX bytes, for the row as well
 * @object: the object
 *
 * Context: any.
 * Return: end of the text
 */
char *memorizer_format_kind(char *to, const struct memorizer_object *object)
{
	const char *name = memorizer_kind_names[memorizer_object_kind(object)];

	/* A loop, not strcpy(): that has sites. */
	while (*name)
		*to++ = *name++;
	*to++ = ',';
	return to;
}

/**
 * memorizer_format_object() - write an object as text
 * @to: buffer of at least MEMORIZER_ROW_MAX bytes
 * @object: the object
 *
 * Context: process context, under memorizer_rwsem.
 * Return: end of the text
 */
char *memorizer_format_object(char *to, const struct memorizer_object *object)
{
	unsigned long free_jiffies = 0, free_ip = 0;
	u32 state;

	/* Pairs with the cmpxchg in memorizer_object_close(): the free is described completely. */
	state = smp_load_acquire(&object->state);
	if (state == MEMORIZER_FREED || state == MEMORIZER_BURIED) {
		free_jiffies = memorizer_free_jiffies(object);
		/* The free of a buried object was missed: its call site is unknown. */
		free_ip = state == MEMORIZER_BURIED ? 0xdeadbeef :
			memorizer_unpack_ip(object->free_ip);
	}
	to = put_hex(to, memorizer_alloc_ip(object));
	to = put_number(to, ',', memorizer_object_pid(object));
	*to++ = ',';
	to = put_hex(to, memorizer_object_va(object));
	to = put_number(to, ',', object->size);
	to = put_number(to, ',', memorizer_alloc_jiffies(object));
	to = put_number(to, ',', free_jiffies);
	*to++ = ',';
	to = put_hex(to, free_ip);
	*to++ = ',';
	/* Last, because it may contain commas. */
	to = put_comm(to, object);
	*to++ = '\n';
	return to;
}

/**
 * memorizer_format_stack() - write the stack of an object's allocation, if it has one
 * @to: buffer of at least MEMORIZER_ROW_MAX bytes
 * @object: the object
 *
 * Context: any.
 * Return: end of the text
 */
char *memorizer_format_stack(char *to, const struct memorizer_object *object)
{
	unsigned long *frames;
	unsigned int nr = memorizer_fetch_stack(object, &frames), i;

	if (!nr)
		return to;
	*to++ = ' ';
	*to++ = ' ';
	for (i = 0; i < nr; i++) {
		*to++ = i ? ',' : '@';
		to = put_ip(to, memorizer_pack_ip(frames[i]));
	}
	*to++ = '\n';
	return to;
}

static char *put_who(char *to, const struct memorizer_row *row)
{
	*to++ = ' ';
	*to++ = ' ';
	return put_number(put_ip(to, row->ip), ',', row->pid);
}

static char *put_counts(char *to, const struct memorizer_row *row)
{
	return put_number(put_number(to, ',', row->writes), ',', row->reads);
}

/**
 * memorizer_format_row() - write a row as text: ip, pid and counts
 * @to: buffer of at least MEMORIZER_ROW_MAX bytes
 * @row: the row
 *
 * Context: any.
 * Return: end of the text
 */
char *memorizer_format_row(char *to, const struct memorizer_row *row)
{
	to = put_counts(put_who(to, row), row);
	*to++ = '\n';
	return to;
}

/**
 * memorizer_format_field() - write a row as text, with the accessed range if it is known
 * @to: buffer of at least MEMORIZER_ROW_MAX bytes
 * @object: the object
 * @row: the row
 *
 * Context: any.
 * Return: end of the text
 */
char *memorizer_format_field(char *to, const struct memorizer_object *object,
			     const struct memorizer_row *row)
{
	u32 first = (row->granules >> 16) * MEMORIZER_GRANULE;
	u32 end = ((row->granules & U16_MAX) + 1) * MEMORIZER_GRANULE;

	to = put_counts(put_who(to, row), row);
	if (row->granules != MEMORIZER_NO_GRANULES) {
		to = put_number(to, ',', first);
		/* The last granule may extend past the end of the object. */
		to = put_number(to, '+', min(end, object->size) - first);
	}
	*to++ = '\n';
	return to;
}

/**
 * memorizer_format_traffic() - write a row as text, with the cache lines that it moved
 * @to: buffer of at least MEMORIZER_ROW_MAX bytes
 * @row: the row
 *
 * Context: any.
 * Return: end of the text
 */
char *memorizer_format_traffic(char *to, const struct memorizer_row *row)
{
	to = put_number(put_who(to, row), ',', row->write_moves);
	to = put_counts(put_number(to, ',', row->read_moves), row);
	*to++ = '\n';
	return to;
}
