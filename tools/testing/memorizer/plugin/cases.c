// SPDX-License-Identifier: GPL-2.0
/* Cases of the plugin's test: the accesses of the subjects */
#include <string.h>

#include "plugin_test.h"

#define __always_unused	__attribute__((unused))

/* Opaque to GCC: these may access *p. */
void use(void *p)
{
	asm volatile("" : : "r" (p) : "memory");
}

void fill(char *p)
{
	strcpy(p, "a string");
}

void report(int *p)
{
	use(p);
}

/* The argument, a structure of variable size, is passed as a pointer to a copy. */
long take_variable(char *bytes)
{
	return bytes[0];
}

#define CASE(name) static long test_##name(const void *data __always_unused)

/* Scalars: each load and store is one access of its size */
#define SCALAR_CASE(name, type)				\
CASE(name)						\
{							\
	type v = 3;					\
							\
	READ(read_##name, v);				\
	v += read_##name(&v);				\
	READ(read_volatile_##name, v);			\
	v += read_volatile_##name(&v);			\
	WRITE(write_##name, v);				\
	write_##name(&v, v + 1);			\
	WRITE(write_volatile_##name, v);		\
	write_volatile_##name(&v, v + 2);		\
	READ(add_##name, v);				\
	WRITE(add_##name, v);				\
	add_##name(&v, 2);				\
	return v;					\
}
SCALARS(SCALAR_CASE)

/* Aggregates: copied, cleared, returned to memory, passed from memory */
#define AGGREGATE_CASE(name, size)			\
static struct name get_##name(void)			\
{							\
	return (struct name){ "x" };			\
}							\
							\
static long use_##name(struct name x)			\
{							\
	return x.bytes[size - 1];			\
}							\
							\
CASE(name)						\
{							\
	static struct name a, b;			\
	long total;					\
							\
	b = (struct name){ "y" };			\
	READ(copy_##name, b);				\
	WRITE(copy_##name, a);				\
	copy_##name(&a, &b);				\
	total = a.bytes[0];				\
	WRITE(clear_##name, a);				\
	clear_##name(&a);				\
	total += a.bytes[0];				\
	WRITE(store_##name, a);				\
	store_##name(&a, get_##name);			\
	total += a.bytes[0];				\
	READ(return_##name, a);				\
	b = return_##name(&a);				\
	READ(pass_##name, b);				\
	return total + b.bytes[0] + pass_##name(&b, use_##name); \
}
AGGREGATES(AGGREGATE_CASE)

CASE(increment)
{
	struct item x = { .n = 41 };

	READ(increment, x.n);
	WRITE(increment, x.n);
	return increment(&x) + x.n;
}

CASE(statements)
{
	struct item x = { .n = 1, .s = { 1, 2, 3 } };

	READ(statements, x.n);
	WRITE(statements, x.n);
	WRITE(statements, x.s[1]);
	READ(statements, x.s[2]);
	WRITE(statements, x.s[2]);
	return statements(&x) + x.n + x.s[1];
}

CASE(discard)
{
	int x = 1;

	READ(discard, x);
	return discard(&x);
}

CASE(members)
{
	struct item y = { .name = "next" }, x = { .next = &y, .s = { 1, 2, 3 } };

	READ(members, x.next);
	READ(members, y.name[3]);
	WRITE(members, x.name[2]);
	READ(members, x.s[2]);
	return members(&x, 2) + x.name[2];
}

CASE(list_length)
{
	struct item z = {}, y = { .next = &z }, x = { .next = &y };

	READ(list_length, x.next);
	READ(list_length, y.next);
	READ(list_length, z.next);
	return list_length(&x);
}

/*
 * An access to a bit-field is one to the bytes that hold it. A store reads them, too,
 * unless the bit-field fills them or has been read just before.
 */
CASE(bits)
{
	struct bits x = {}, y = { .b = 3 };
	char *bytes = (char *)&x;

	expect("set_bits", 'u', bytes, 2);
	WRITE(set_bits, x.byte);
	expect("set_bits", 'u', bytes + 5, 1);
	expect("set_bits", 'w', bytes + 8, 5);
	set_bits(&x, 77);
	expect("get_bits", 'r', bytes + 1, 3);
	expect("get_bits", 'r', bytes + 8, 5);
	x.c = get_bits(&x);
	expect("increment_bits", 'r', bytes + 1, 3);
	expect("increment_bits", 'w', bytes + 1, 3);
	increment_bits(&x);
	expect("compare_bits", 'r', bytes, 2);
	expect("compare_bits", 'r', &y, 2);
	expect("match_bits", 'r', bytes, 1);
	return compare_bits(&x, &y) + match_bits(&x) + x.b + x.c + x.flag + x.wide;
}

CASE(odd_bits)
{
	struct packed_bits x = { 1, 2, 3 };
	union bit_union y = { 9 };
	struct bits z = {};

	expect("set_packed_bits", 'u', (char *)&x + 1, 3);
	set_packed_bits(&x, 12345);
	expect("get_union_bits", 'r', &y, 1);
	expect("set_volatile_bits", 'u', &z, 1);
	set_volatile_bits(&z, 2);
	return get_union_bits(&y) + x.a + x.b + z.a;
}

CASE(swap_longs)
{
	long a = 1, b = 2;

	READ(swap_longs, a);
	READ(swap_longs, b);
	WRITE(swap_longs, a);
	WRITE(swap_longs, b);
	swap_longs(&a, &b);
	return a - b;
}

CASE(variable_size)
{
	char a[20] = "", b[20] = "variable";

	expect("copy_variable", 'r', b, 13);
	expect("copy_variable", 'w', a, 13);
	copy_variable(a, b, 13);
	expect("pass_variable", 'r', b, 11);
	return a[7] + pass_variable(b, 11);
}

CASE(vector)
{
	int4 a = { 1, 2, 3, 4 }, b = { 10, 20, 30, 40 };

	READ(add_vector, a);
	READ(add_vector, b);
	WRITE(add_vector, a);
	add_vector(&a, &b);
	return a[0] + a[3];
}

CASE(complex)
{
	static double _Complex a, b = 1 + 2i;

	READ(copy_complex, b);
	WRITE(copy_complex, a);
	copy_complex(&a, &b);
	READ(add_complex, __real__ a);
	READ(add_complex, __imag__ a);
	READ(add_complex, __real__ b);
	READ(add_complex, __imag__ b);
	READ(imaginary, __imag__ a);
	return add_complex(&a, &b) + imaginary(&a);
}

CASE(memory_constant)
{
	char a[40] = "", b[40] = "constant size";

	expect("memcpy_eight", 'r', b, 8);
	expect("memcpy_eight", 'w', a, 8);
	memcpy_eight(a, b);
	expect("memcpy_forty", 'r', b, 40);
	expect("memcpy_forty", 'w', a, 40);
	memcpy_forty(a, b);
	expect("memset_forty", 'w', b, 40);
	memset_forty(b);
	return a[5] + b[5];
}

CASE(memory_nothing)
{
	char a[4] = "a", b[4] = "b";

	return call_memcpy(a, b, 0) == (long)a;
}

CASE(globals)
{
	int *counter = address_of_counter(3);

	global = 5;
	*counter = 4;
	READ(globals, global);
	WRITE(globals, global);
	READ(globals, device);
	WRITE(globals, table[3][2]);
	READ(globals, *counter);
	WRITE(globals, *counter);
	return globals(3) + global + table[3][2] + *counter;
}

CASE(loops)
{
	int p[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	short from[5] = { 1, 2, 3, 4, 5 }, to[5];
	int i;

	for (i = 0; i < 7; i++)
		READ(sum, p[i]);
	for (i = 0; i < 8; i++)
		READ(sum_unrolled, p[i]);
	for (i = 0; i < 5; i++) {
		READ(scale, from[i]);
		WRITE(scale, to[i]);
	}
	scale(to, from, 5);
	return sum(p, 7) + sum_unrolled(p) + to[0] + to[4];
}

CASE(checksum)
{
	unsigned char bytes[64];
	unsigned long rest;
	unsigned int i;

	for (i = 0; i < sizeof(bytes); i++) {
		bytes[i] = i * 37;
		READ(checksum, bytes[i]);
	}
	WRITE(checksum, rest);
	return checksum(bytes, sizeof(bytes), &rest) ^ rest;
}

CASE(many_values)
{
	long p[15];
	int i;

	for (i = 0; i < 15; i++) {
		p[i] = i * i + 7;
		READ(many_values, p[i]);
	}
	return many_values(p);
}

CASE(flags)
{
	unsigned long p[2] = { -1, 5 }, q[3] = { 3, 6, 10 };
	int i;

	for (i = 0; i < 2; i++)
		READ(flags, p[i]);
	for (i = 0; i < 3; i++)
		READ(flags, q[i]);
	return flags(p, q);
}

CASE(switches)
{
	int i, values[] = { 3, 6, 2, 9 };
	long *calls = address_of_calls();
	long total = 0;

	*calls = 6;
	for (i = 0; i < 4; i++) {
		READ(switch_table, values[i]);
		READ(switch_values, values[i]);
		if (values[i] == 2) {
			READ(count_calls, *calls);
			WRITE(count_calls, *calls);
		}
		total = total * 3 + switch_table(&values[i]) + switch_values(&values[i]);
	}
	return total;
}

CASE(jump_goto)
{
	int zero = 0, one = 1, q = 8;
	long total;

	READ(jump_goto, one);
	READ(jump_goto, q);
	total = jump_goto(&one, &q);
	READ(jump_goto, zero);
	WRITE(jump_goto, q);
	return total + jump_goto(&zero, &q) + q;
}

CASE(assembly)
{
	unsigned long bitmap[2] = {};
	struct item x = { .n = 1 };
	long total;

	WRITE(asm_output, x.n);
	asm_output(&x);
	total = x.n;
	WRITE(asm_write, x.n);
	asm_write(&x);
	UPDATE(asm_update, x.n);
	asm_update(&x);
	UPDATE(asm_set_bit, bitmap[0]);
	asm_set_bit(bitmap, 70);
	READ(asm_test_bit, bitmap[0]);
	return total + x.n + asm_test_bit(bitmap, 70) + bitmap[1] + asm_nothing(&x);
}

CASE(arguments)
{
	long a = 5, b = 7, c = 9, d = 11, e = 13, f = 17;

	READ(sum_pointers, a);
	READ(sum_pointers, b);
	READ(sum_pointers, c);
	READ(sum_pointers, d);
	READ(sum_pointers, e);
	READ(sum_pointers, f);
	return sum_pointers(6, &a, &b, &c, &d, &e, &f) +
	       sum_arguments(7, 1L, 2L, 3L, 4L, 5L, 6L, 7L);
}

/* The function's own frame does not count, whichever pass of GCC detects it. */
CASE(frame)
{
	return locals(3) + local_pointer(4) + frame_arithmetic(5) + alloca_buffer(60) +
	       local_array(7);
}

CASE(frame_copies)
{
	struct item x = { .n = 8 };
	struct hundred h = { "by value" };

	READ(local_copy, x);
	return local_copy(&x) + by_value(h, 2);
}

CASE(other_memory)
{
	segment();
	per_thread = 4;
	return thread_local() + literal(4);
}

/* Code from which the kernel cannot be called, functions inlined there included */
CASE(sections)
{
	int x = 10;

	return noinstr(&x) + cpuidle(&x) + entry(&x) + head(&x) + naked(&x) + x;
}

CASE(init_text)
{
	int x = 10;

	READ(init_text, x);
	WRITE(init_text, x);
	return init_text(&x) + x;
}

CASE(init_pair)
{
	int x[6] = { 1, 2, 3, 4, 5, 6 };

	READ(init_pair, x[5]);
	WRITE(init_pair, x[0]);
	return init_pair(x) + x[0];
}

CASE(inlined)
{
	int x[2] = { 10, 20 };

	READ(inlined, x[0]);
	WRITE(inlined, x[0]);
	READ(inlined, x[1]);
	WRITE(inlined, x[1]);
	return inlined(x) + x[0] + x[1];
}

CASE(cold_path)
{
	int hot = 1, cold = -1, q = 0;

	READ(cold_path, hot);
	READ(cold_path, cold);
	WRITE(cold_path, q);
	return cold_path(&hot, &q) + cold_path(&cold, &q) + q;
}

CASE(nested_calls)
{
	int p[3] = { 1, 2, 3 };

	READ(nested_calls, p[0]);
	READ(nested_calls, p[1]);
	READ(nested_calls, p[2]);
	return nested_calls(p, 3);
}

CASE(atomics)
{
	unsigned char a = 1;
	unsigned short b = 2;
	unsigned int c = 32;
	unsigned long d = 4;
	int p = 1;

	READ(atomics, a);
	WRITE(atomics, b);
	UPDATE(atomics, c);
	UPDATE(atomics, d);
	UPDATE(atomics, a);
	WRITE(atomics, a);
	UPDATE(atomic_bits, c);
	UPDATE(atomic_bits, d);
	UPDATE(atomic_exchange, d);
	UPDATE(sync_builtins, p);
	UPDATE(sync_builtins, p);
	UPDATE(sync_builtins, p);
	WRITE(sync_builtins, p);
	return atomics(&a, &b, &c, &d) + atomic_bits(&c, &d) + atomic_exchange(&d, 8) +
	       sync_builtins(&p) + a + b + c + d + p;
}

/* The accesses of the source count, not those of the instructions. */
CASE(narrowed)
{
	unsigned long q = 0x12345678;
	int p = 0x1234;

	READ(low_byte, p);
	READ(low_byte, q);
	return low_byte(&p, &q);
}

CASE(copied_member)
{
	union { struct twentyfour whole; long member[3]; } a, b = { .member = { 1, 2, 3 } };

	READ(copied_member, b.whole);
	WRITE(copied_member, a.whole);
	READ(copied_member, b.member[1]);
	READ(copied_member, a.member[2]);
	return copied_member(&a.whole, &b.whole) + a.member[1];
}

CASE(equal)
{
	struct item y = { .name = "next" }, x = { .next = &y, .name = "next" };
	char a[] = "0123456789", b[] = "0123456789";
	size_t i;
	long total = 0;

	for (i = 1; i < 10; i += 4) {
		expect("equal", 'r', a, i);
		expect("equal", 'r', b, i);
		total += equal(a, b, i);
	}
	READ(equal_names, x.name);
	READ(equal_names, y.name);
	expect("is_next", 'r', x.name, 5);
	READ(is_next, x.next);
	expect("is_next", 'r', y.name, 4);
	return total * 100 + equal_names(&x, &y) * 10 + is_next(&x);
}

CASE(small_atomics)
{
	unsigned char a = 1, c = 5;
	unsigned short b = 9;
	long total;

	UPDATE(small_atomics, a);
	UPDATE(small_atomics, b);
	UPDATE(small_atomics, c);
	total = small_atomics(&a, &b, &c);
	UPDATE(weak_exchange, a);
	UPDATE(weak_exchange, b);
	return total + weak_exchange(&a, &b, 0) * 10 + a + b + c;
}

CASE(exchange_expected)
{
	struct item x = { .n = 1 };
	unsigned int p = 2;

	UPDATE(exchange_expected, p);
	UPDATE(exchange_expected, x.n);
	return exchange_expected(&p, &x) * 100 + p * 10 + x.n;
}

CASE(copy_from_local)
{
	char to[16] = "";

	expect("copy_from_local", 'w', to, sizeof("a string"));
	copy_from_local(to, 2);
	return to[7] + to[8];
}

CASE(bits_behind_variable)
{
	char p[32] = "";
	struct { char bytes[5]; unsigned int a : 3, b : 5; } *x = (void *)p;
	size_t offset;

	x->b = 1;
	for (offset = 0; !p[offset]; offset++)
		;
	expect("set_behind_variable", 'u', p + offset, 1);
	set_behind_variable(p, 5);
	expect("get_behind_variable", 'r', p + offset, 1);
	return get_behind_variable(p, 5) * 100 + x->b;
}

CASE(nth_bits)
{
	struct item x[3] = {};

	expect("set_nth_bits", 'u', &x[2].bits, 1);
	set_nth_bits(x, 2, 5);
	return x[2].bits.a;
}

/* This only has to compile. */
CASE(odd_calls)
{
	READ(call_with_too_few, never);
	return call_with_too_few() != 0;
}

CASE(asm_operands)
{
	char p[32] = "";

	expect("asm_variable", 'w', p, 19);
	asm_variable(p, 19);
	expect("asm_incomplete", 'w', p + 3, 1);
	asm_incomplete(p + 3);
	return p[0] + p[3];
}

CASE(asm_text)
{
	unsigned long p = 0, q = 0;

	UPDATE(asm_comment, p);
	asm_comment(&p, &q);
	UPDATE(asm_numbers, p);
	asm_numbers(&p);
	UPDATE(asm_bit_name, q);
	asm_bit_name(&q, 6);
	return p * 100 + q;
}

CASE(separate)
{
	char text[] = "one:two", *where = text, delimiters[] = ":,";

	UPDATE(separate, where);
	READ(separate, delimiters);
	expect("separate", 'r', text, 4);
	expect("separate", 'w', text + 3, 1);
	return separate(&where, delimiters) == (long)text && where == text + 4;
}

CASE(forms)
{
	static struct far far;
	long word = 3;

	READ(load_at_once, word);
	READ(load_by_rbp, word);
	UPDATE(add_by_asm, word);
	add_by_asm(&word);
	WRITE(store_in_ten_bytes, far.number);
	store_in_ten_bytes(&far);
	WRITE(store_in_eleven_bytes, far.word);
	store_in_eleven_bytes(&far);
	return load_at_once(&word) + load_by_rbp(&word) + far.number + far.word;
}

/* What the kernel reports is the offset in per-CPU data plus the CPU's base. */
#define PERCPU(name, kind, object) \
	expect(#name, kind, (char *)&(object) + this_cpu_off, sizeof(object))

CASE(percpu_scalars)
{
	long v;

	PERCPU(percpu_load, 'r', percpu.word);
	v = percpu_load();
	PERCPU(percpu_store, 'w', percpu.word);
	percpu_store(9);
	PERCPU(percpu_pointer, 'r', percpu.word);
	PERCPU(percpu_pointer, 'w', percpu.word);
	v = v * 10 + percpu_pointer(on_this_cpu(long, &percpu.word));
	PERCPU(percpu_volatile, 'r', percpu.word);
	v = v * 10 + percpu_volatile(&percpu.word);
	PERCPU(percpu_pair, 'w', percpu.pair);
	percpu_pair(3);
	v = v * 10 + percpu.pair;
	percpu.word = 5;
	return v;
}

CASE(percpu_members)
{
	struct percpu to;

	PERCPU(percpu_member, 'r', percpu.items[2].s[2]);
	PERCPU(percpu_member, 'r', percpu.items[1].n);
	PERCPU(percpu_loop, 'r', percpu.items[0].n);
	PERCPU(percpu_loop, 'r', percpu.items[1].n);
	PERCPU(percpu_loop, 'r', percpu.items[2].n);
	/* Writing a part of a byte reads the rest. */
	expect("percpu_bits", 'u', (char *)&percpu.word + sizeof(long) + this_cpu_off, 4);
	percpu_bits(6);
	PERCPU(percpu_copy, 'r', percpu.bytes);
	WRITE(percpu_copy, to.bytes);
	percpu_copy(&to);
	return percpu_member(2) + percpu_loop(3) * 10 + percpu.high * 100 + to.bytes[3];
}

CASE(percpu_assembly)
{
	long v;

	PERCPU(percpu_asm, 'u', percpu.word);
	percpu.word = 5;
	percpu_asm(3);
	v = percpu.word;
	PERCPU(percpu_asm_write, 'w', percpu.word);
	percpu_asm_write();
	PERCPU(percpu_asm_member, 'u', percpu.items[1].n);
	percpu_asm_member();
	PERCPU(percpu_asm_element, 'u', percpu.items[3].n);
	percpu_asm_element(3);
	PERCPU(percpu_asm_pointer, 'u', percpu.items[2].n);
	percpu_asm_pointer(&percpu);
	v = v * 10 + percpu.word;
	percpu.items[1].n--;
	percpu.items[2].n--;
	return v + percpu.items[3].n-- * 1000;
}

CASE(percpu_between)
{
	static struct pages pages = { .source = 3, .counter = 4 };

	percpu.word = 5;
	READ(percpu_between, pages.source);
	PERCPU(percpu_between, 'r', percpu.word);
	READ(percpu_between, pages.counter);
	return percpu_between(&pages);
}

CASE(percpu_live)
{
	percpu.word = 5;
	PERCPU(percpu_live, 'r', percpu.word);
	return percpu_live(1, 2, 3, 4, 5, 6);
}

/* Only the sites of increment() are enabled. */
CASE(one_function)
{
	struct item x = { .n = 1 };

	READ(increment, x.n);
	WRITE(increment, x.n);
	return increment(&x) + list_length(&x) + discard(&x.n);
}

#define ENTRY(name, ...) { #name, test_##name, NULL, NULL },

const struct test_case access_cases[] = {
	SCALARS(ENTRY)
	AGGREGATES(ENTRY)
	ENTRY(increment)
	ENTRY(statements)
	ENTRY(discard)
	ENTRY(members)
	ENTRY(list_length)
	ENTRY(bits)
	ENTRY(odd_bits)
	ENTRY(swap_longs)
	ENTRY(variable_size)
	ENTRY(vector)
	ENTRY(complex)
	ENTRY(memory_constant)
	ENTRY(memory_nothing)
	ENTRY(globals)
	ENTRY(loops)
	ENTRY(checksum)
	ENTRY(many_values)
	ENTRY(flags)
	ENTRY(switches)
	ENTRY(jump_goto)
	ENTRY(assembly)
	ENTRY(arguments)
	ENTRY(frame)
	ENTRY(frame_copies)
	ENTRY(other_memory)
	ENTRY(sections)
	ENTRY(init_text)
	ENTRY(init_pair)
	ENTRY(inlined)
	ENTRY(cold_path)
	ENTRY(nested_calls)
	ENTRY(atomics)
	ENTRY(narrowed)
	ENTRY(copied_member)
	ENTRY(equal)
	ENTRY(small_atomics)
	ENTRY(exchange_expected)
	ENTRY(copy_from_local)
	ENTRY(bits_behind_variable)
	ENTRY(nth_bits)
	ENTRY(odd_calls)
	ENTRY(asm_operands)
	ENTRY(asm_text)
	ENTRY(separate)
	ENTRY(forms)
	ENTRY(percpu_scalars)
	ENTRY(percpu_members)
	ENTRY(percpu_assembly)
	ENTRY(percpu_between)
	ENTRY(percpu_live)
	{ "one_function", test_one_function, NULL, "increment" },
	{}
};
