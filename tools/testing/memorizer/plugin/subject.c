// SPDX-License-Identifier: GPL-2.0
/*
 * Functions that are compiled with the plugin. Each demonstrates one kind of access, or
 * one kind of code without tracked accesses.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <string.h>
#include <strings.h>

#include "subject.h"

#define DEFINE_SCALAR(name, type)					\
	type read_##name(type *p)					\
	{								\
		return *p;						\
	}								\
	void write_##name(type *p, type v)				\
	{								\
		*p = v;							\
	}								\
	type read_volatile_##name(volatile type *p)			\
	{								\
		return *p;						\
	}								\
	void write_volatile_##name(volatile type *p, type v)		\
	{								\
		*p = v;							\
	}								\
	void add_##name(type *p, type v)				\
	{								\
		*p += v;						\
	}
SCALARS(DEFINE_SCALAR)

#define DEFINE_AGGREGATE(name, size)					\
	void copy_##name(struct name *a, struct name *b)		\
	{								\
		*a = *b;						\
	}								\
	void clear_##name(struct name *a)				\
	{								\
		*a = (struct name){};					\
	}								\
	struct name return_##name(struct name *a)			\
	{								\
		return *a;						\
	}								\
	void store_##name(struct name *a, struct name (*get)(void))	\
	{								\
		*a = get();						\
	}								\
	long pass_##name(struct name *a, long (*use)(struct name))	\
	{								\
		return use(*a);						\
	}
AGGREGATES(DEFINE_AGGREGATE)

/* Functions of the kernel that the C library lacks */
void *__memcpy(void *to, const void *from, size_t n);
void *__memcpy_flushcache(void *to, const void *from, size_t n);
size_t copy_to_nontemporal(void *to, const void *from, size_t n);
long __copy_user_nocache(void *to, const void *from, unsigned int n);
void *__memmove(void *to, const void *from, size_t n);
void *__memset(void *p, int c, size_t n);
void *memchr_inv(const void *p, int c, size_t n);
void *memscan(void *p, int c, size_t n);
ssize_t sized_strscpy(char *to, const char *from, size_t n);
size_t strlcat(char *to, const char *from, size_t n);
char *strnchr(const char *s, size_t n, int c);
char *strnchrnul(const char *s, size_t n, int c);
char *strnstr(const char *s, const char *find, size_t n);

#define DEFINE_FUNCTION(name, arguments)				\
	long call_##name(char *a, char *b, size_t n)			\
	{								\
		return (long)name arguments;				\
	}
FUNCTIONS(DEFINE_FUNCTION)

char *call_strsep(char **string, const char *set)
{
	return strsep(string, set);
}

int stack_string(const char *string)
{
	char local[16];

	fill(local);
	return strcmp(local, string);
}

int global = 5;
int table[8][8];
volatile int device;
__thread int per_thread;
static long calls;
static int counters[4];

long *address_of_calls(void)
{
	return &calls;
}

int *address_of_counter(int i)
{
	return &counters[i];
}

long increment(struct item *x)
{
	return x->n++;
}

long statements(struct item *x)
{
	x->n += 2;
	x->s[1] = 7;
	return x->s[2]--;
}

/* A volatile object is read even if the value is unused. */
long discard(volatile int *p)
{
	*p;
	return 0;
}

long members(struct item *x, long i)
{
	x->name[i] = x->next->name[i + 1];
	return x->s[i];
}

long list_length(struct item *x)
{
	long n = 0;

	for (; x; x = x->next)
		n++;
	return n;
}

void set_bits(struct bits *x, int v)
{
	x->b = v;
	x->byte = v;
	x->flag = v;
	x->wide = v;
}

long get_bits(struct bits *x)
{
	return x->c + x->wide;
}

void increment_bits(struct bits *x)
{
	x->c++;
}

long compare_bits(struct bits *x, struct bits *y)
{
	return x->b > y->b;
}

/* GCC loads only the byte that matters. */
long match_bits(struct bits *x)
{
	return x->a == 5;
}

void set_packed_bits(struct packed_bits *x, int v)
{
	x->a = v;
}

long get_union_bits(union bit_union *x)
{
	return x->a * 3;
}

void set_volatile_bits(volatile struct bits *x, int v)
{
	x->a = v;
}

void swap_longs(long *a, long *b)
{
	long t = *a;

	*a = *b;
	*b = t;
}

/* A structure of variable size */
void copy_variable(void *a, void *b, int n)
{
	struct variable { char bytes[n]; } *to = a, *from = b;

	*to = *from;
}

long pass_variable(void *a, int n)
{
	struct variable { char bytes[n]; } *p = a;
	extern long take_variable(struct variable v);

	return take_variable(*p);
}

void add_vector(int4 *a, int4 *b)
{
	*a += *b;
}

void copy_complex(double _Complex *a, double _Complex *b)
{
	*a = *b;
}

double _Complex add_complex(double _Complex *a, double _Complex *b)
{
	return *a + *b;
}

double imaginary(double _Complex *a)
{
	return __imag__ *a;
}

void memcpy_eight(char *a, char *b)
{
	memcpy(a, b, 8);
}

void memcpy_forty(char *a, char *b)
{
	memcpy(a, b, 40);
}

void memset_forty(char *a)
{
	memset(a, 0, 40);
}

long globals(int i)
{
	global += i;
	table[i][2] = device;
	return counters[i]++;
}

noinline long count_calls(void)
{
	return ++calls;
}

long sum(int *p, int n)
{
	long total = 0;

	for (int i = 0; i < n; i++)
		total += p[i];
	return total;
}

long sum_unrolled(int *p)
{
	long total = 0;

	#pragma GCC unroll 8
	for (int i = 0; i < 8; i++)
		total = total * 3 + p[i];
	return total;
}

void scale(short *to, short *from, int n)
{
	while (n--)
		*to++ = 3 * *from++;
}

/* Enough values to use all registers, and arithmetic that uses the flags */
long checksum(unsigned char *p, int n, unsigned long *result)
{
	unsigned long a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, sum;

	while (n--) {
		a += __builtin_add_overflow(b, *p++ * 0x9e3779b97f4a7c15, &sum);
		b = (c << 13 | c >> 51) ^ sum;
		c = d + a;
		d = e ^ a;
		e = f * 5 + __builtin_sub_overflow(f, g, &f);
		f ^= g + h;
		g = (h << 7) - a;
		h = sum > e ? d : c + 1;
	}
	*result = a ^ b;
	return c ^ d ^ e ^ f ^ g ^ h;
}

long switch_table(int *p)
{
	switch (*p) {
	case 0: return count_calls();
	case 1: return sum(p, 0) + 3;
	case 2: return -count_calls();
	case 3: return 7;
	case 4: return sum(p, 0) - 1;
	case 5: return count_calls() * 2;
	case 6: return 1;
	default: return 0;
	}
}

/* GCC makes a table of the results, which does not count. */
long switch_values(int *p)
{
	switch (*p) {
	case 0: return 11;
	case 1: return 5;
	case 2: return 17;
	case 3: return 3;
	case 4: return 29;
	case 5: return 2;
	default: return 0;
	}
}

long jump_goto(int *p, int *q)
{
	int before = *p;

	asm goto("test %0, %0\n\tjz %l1" : : "r" (before) : "cc" : zero);
	return *q;
zero:
	*q = 1;
	return 0;
}

/* GCC stores this register. */
void asm_output(struct item *x)
{
	asm("mov $3, %0" : "=r" (x->n));
}

void asm_write(struct item *x)
{
	asm("movl $4, %0" : "=m" (x->n));
}

void asm_update(struct item *x)
{
	asm("incl %0" : "+m" (x->n));
}

/* The bitmap is an input, as in the kernel's bit operations. */
void asm_set_bit(unsigned long *bitmap, long n)
{
	asm volatile("lock; btsq %1, %0" : : "m" (*bitmap), "r" (n) : "memory");
}

bool asm_test_bit(unsigned long *bitmap, long n)
{
	bool set;

	asm volatile("btq %2, %1\n\tsetc %0" : "=r" (set) : "m" (*bitmap), "r" (n) : "memory");
	return set;
}

/* An output of variable size */
void asm_variable(char *p, long n)
{
	asm volatile("movb $1, %0" : "=m" (*(char (*)[n])p));
}

/* An output of incomplete type */
void asm_incomplete(char *p)
{
	asm volatile("movb $2, %0" : "=m" (*(char (*)[])p));
}

/* Text other than instructions does not matter. */
void asm_comment(unsigned long *p, unsigned long *q)
{
	asm volatile("# subtract, btsl; clflush\n\tincq %0 # %%gs:1, clwb" : "+m" (*p) : "m" (*q));
}

/* "nopl (%rax)" as bytes */
void asm_numbers(unsigned long *p)
{
	asm volatile(".byte 0x0f, 0x1f, 0x00" : "+m" (*p));
}

/* A prefix, a label, an upper-case mnemonic without size suffix */
void asm_bit_name(unsigned long *p, long n)
{
	asm volatile("123: LOCK BTS %1, %0" : : "m" (*p), "r" (n) : "memory");
}

/* Barriers and inputs are no accesses. */
long asm_nothing(struct item *x)
{
	asm volatile("" : "+m" (x->n));
	asm volatile("# incl %0\n" : "+m" (x->n));
	asm volatile(".pushsection .comment; .popsection" : "+m" (x->n));
	asm volatile("clflush %0" : "+m" (x->n));
	asm volatile("prefetcht0 %0" : : "m" (x->n));
	return 0;
}

long sum_arguments(int n, ...)
{
	va_list arguments;
	long total = 0;

	va_start(arguments, n);
	while (n--)
		total += va_arg(arguments, long);
	va_end(arguments);
	return total;
}

long sum_pointers(int n, ...)
{
	va_list arguments;
	long total = 0;

	va_start(arguments, n);
	while (n--)
		total += *va_arg(arguments, long *);
	va_end(arguments);
	return total;
}

long locals(int i)
{
	struct item x = { .n = i };
	int buffer[16];

	use(&x);
	use(buffer);
	buffer[i] = x.n++;
	memset(x.name, i, sizeof(x.name) - 1);
	use(buffer);
	use(&x);
	return buffer[i] + x.name[i] + strlen(x.name + 30);
}

long local_copy(struct item *x)
{
	struct item y = *x;

	use(&y);
	return y.n;
}

/* The pointer never leaves the frame. */
long local_pointer(int i)
{
	int a[8], b[8];
	int *p;

	use(a);
	use(b);
	for (p = i & 1 ? a : b; p < (i & 1 ? a : b) + 8; p++)
		*p = i;
	use(a);
	use(b);
	return p[-1];
}

/* Only register allocation reveals that this is the frame. */
long frame_arithmetic(int i)
{
	long a[2] = { i, i };
	unsigned long p = (unsigned long)a;

	use(a);
	*(long *)(p + 8) += i;
	use(a);
	return a[1];
}

long alloca_buffer(int n)
{
	char *p = alloca(n);

	use(p);
	for (int i = 0; i < n; i++)
		p[i] = i;
	use(p);
	return p[n / 2];
}

long local_array(int n)
{
	long a[n];

	use(a);
	a[n - 1] = n;
	use(a);
	return a[n - 1];
}

long by_value(struct hundred x, int i)
{
	x.bytes[i]++;
	use(&x);
	return x.bytes[i];
}

long segment(void)
{
	return *(long __seg_fs *)0;
}

long thread_local(void)
{
	return ++per_thread;
}

long literal(int i)
{
	return "a string literal"[i] + strlen("another" + i);
}

static __always_inline long get(int *p)
{
	return (*p)++;
}

/* A site like those of asm/memorizer.h, which the plugin removes where no sites may be */
static __always_inline void explicit_site(void)
{
	asm volatile("771:\ttestl $772f - 771b - 5, %eax\n"
		     "	.pushsection memorizer_sites, \"a\"\n"
		     "	.balign 4\n"
		     "	.long 771b - .\n"
		     "	.long 772f - 771b - 5 + (4 << 28)\n"
		     "	.popsection\n"
		     "	.subsection 1\n"
		     "772:	ud2\n"
		     "	.previous\n");
}

__section(".noinstr.text") long noinstr(int *p)
{
	explicit_site();
	return get(p);
}

__section(".cpuidle.text") long cpuidle(int *p)
{
	return get(p);
}

__section(".entry.text") long entry(int *p)
{
	return get(p);
}

__section(".head.text") long head(int *p)
{
	return get(p);
}

__attribute__((naked)) long naked(int *p)
{
	asm("mov (%rdi), %eax\n\tret");
}

__section("init_code") long init_text(int *p)
{
	return get(p);
}

/* Two accesses that would form a group if this were not init text */
__section(".init.text") long init_pair(int *p)
{
	p[0] = p[5];
	return p[0];
}

long inlined(int *p)
{
	return get(p) + get(p + 1);
}

long cold_path(int *p, int *q)
{
	int v = *p;

	if (v < 0) {
		*q = v * 3;
		report(q);
	}
	return v;
}

long nested_calls(int *p, int n)
{
	return n ? *p + nested_calls(p + 1, n - 1) : 0;
}

long atomics(unsigned char *a, unsigned short *b, unsigned int *c, unsigned long *d)
{
	long total = __atomic_load_n(a, __ATOMIC_ACQUIRE);

	__atomic_store_n(b, total, __ATOMIC_RELEASE);
	total += __atomic_fetch_add(c, 3, __ATOMIC_SEQ_CST);
	total += __atomic_exchange_n(d, 9, __ATOMIC_RELAXED);
	total += __atomic_test_and_set(a, __ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	__atomic_clear(a, __ATOMIC_RELEASE);
	return total;
}

/* GCC has an instruction for each of these. */
long atomic_bits(unsigned int *p, unsigned long *q)
{
	long total = __atomic_fetch_or(p, 1 << 5, __ATOMIC_SEQ_CST) & (1 << 5);

	total += __atomic_sub_fetch(q, 1, __ATOMIC_SEQ_CST) == 0;
	return total;
}

long atomic_exchange(unsigned long *p, unsigned long v)
{
	unsigned long expected = v;

	return __atomic_compare_exchange_n(p, &expected, v + 1, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_SEQ_CST) + expected;
}

long sync_builtins(int *p)
{
	long total = __sync_fetch_and_add(p, 1) + __sync_bool_compare_and_swap(p, 1, 2);

	__sync_synchronize();
	total += __sync_lock_test_and_set(p, 4);
	__sync_lock_release(p);
	return total;
}

/* The instruction reads only one byte. */
long low_byte(int *p, unsigned long *q)
{
	return (*p & 0xff) + (unsigned char)(*q >> 16);
}

/* Late passes of GCC propagate the value through the copy. */
long copied_member(struct twentyfour *to, struct twentyfour *from)
{
	long *a = (long *)to, *b = (long *)from;

	*to = *from;
	return b[1] + a[2];
}

/* GCC uses other builtins if only equality matters. */
long equal(char *a, char *b, size_t n)
{
	return memcmp(a, b, n) == 0;
}

long equal_names(struct item *x, struct item *y)
{
	return !memcmp(x->name, y->name, sizeof(x->name));
}

long is_next(struct item *x)
{
	return (strcmp(x->name, "next") == 0) + !strncmp(x->next->name, "nextone", 4);
}

/* The operands are promoted to int, the object is smaller. */
long small_atomics(unsigned char *a, unsigned short *b, unsigned char *c)
{
	long total = __atomic_sub_fetch(a, 1, __ATOMIC_SEQ_CST) == 0;

	total += __atomic_and_fetch(b, 6, __ATOMIC_SEQ_CST) != 0;
	total += __atomic_fetch_or(c, 4, __ATOMIC_SEQ_CST) & 4;
	return total;
}

long weak_exchange(unsigned char *a, unsigned short *b, unsigned char v)
{
	unsigned char expected = v;
	unsigned short other = v;

	return __atomic_compare_exchange_n(a, &expected, v + 1, true, __ATOMIC_SEQ_CST,
					   __ATOMIC_SEQ_CST) +
	       __atomic_compare_exchange_n(b, &other, v + 2, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_SEQ_CST) + expected + other;
}

long exchange_expected(unsigned int *p, struct item *x)
{
	return __atomic_compare_exchange_n(p, (unsigned int *)&x->n, 7, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_SEQ_CST);
}

/* The string is at the stack pointer. */
void copy_from_local(char *to, long n)
{
	char local[16 * n];

	fill(local);
	strcpy(to, local);
}

/* A structure with a member after an array of variable size */
void set_behind_variable(char *p, long n)
{
	struct variable { char bytes[n]; unsigned int a : 3, b : 5; } *x = (void *)p;

	x->b = 9;
}

long get_behind_variable(char *p, long n)
{
	struct variable { char bytes[n]; unsigned int a : 3, b : 5; } *x = (void *)p;

	return x->b;
}

void set_nth_bits(struct item *x, long i, int v)
{
	x[i].bits.a = v;
}

/* Excluded on the command line */
void skipped(long *p)
{
	++*p;
}

long separate(char **where, const char *delimiters)
{
	return (long)strsep(where, delimiters);
}

long many_values(long *p)
{
	long a = p[0], b = p[1], c = p[2], d = p[3], e = p[4], f = p[5], g = p[6], h = p[7];
	long i = p[8], j = p[9], k = p[10], l = p[11], m = p[12], n = p[13], o = p[14];

	return (a - b) * (c - d) * (e - f) * (g - h) + (i - j) * (k - l) * (m - n) * o +
	       a * d * g * j * m * o + b * e * h * k * n;
}

long flags(unsigned long *p, unsigned long *q)
{
	unsigned long limit = q[2], low, high;
	bool carry = __builtin_add_overflow(p[0], q[0], &low);

	high = p[1] + q[1] + carry;
	return high > limit ? low - high : low + high;
}

int four_pages(struct pages *p)
{
	p->copied = p->source;
	p->counter++;
	return p->last;
}

int two_pages(struct pages *p)
{
	return p->counter - p->last;
}

/* After the site: a load; a store of the maximum length for prefixes, ten bytes; a longer one */
long load_at_once(long *p)
{
	return *p;
}

void store_in_ten_bytes(struct far *p)
{
	p->number = 0x12345678;
}

void store_in_eleven_bytes(struct far *p)
{
	p->word = 0x12345678;
}

/* The address is in rbp: the default segment is %ss. */
long load_by_rbp(long *p)
{
#ifndef FRAME_POINTER
	register long *address asm("rbp") = p;

	asm volatile("" : "+r" (address));
	p = address;
#endif
	return *p;
}

/* Inline assembly after the site */
void add_by_asm(long *p)
{
	asm volatile("addq $1, %0" : "+m" (*p));
}

struct percpu percpu = { .word = 5, .items = { { .n = 1 }, { .n = 2 }, { .n = 3 } } };

long percpu_load(void)
{
	return on_this_cpu(struct percpu, &percpu)->word;
}

void percpu_store(long v)
{
	on_this_cpu(struct percpu, &percpu)->word = v;
}

long percpu_member(int i)
{
	return on_this_cpu(struct percpu, &percpu)->items[i].s[2] +
	       *on_this_cpu(int, &percpu.items[1].n);
}

void percpu_bits(int v)
{
	on_this_cpu(struct percpu, &percpu)->high = v;
}

long percpu_pointer(long __seg_gs *p)
{
	return ++*p;
}

long percpu_volatile(const long *p)
{
	return *(const volatile long __seg_gs *)(unsigned long)p;
}

struct bytes24 {
	char bytes[24];
};

void percpu_copy(struct percpu *to)
{
	*(struct bytes24 *)to->bytes = *(struct bytes24 __seg_gs *)(unsigned long)percpu.bytes;
}

void percpu_pair(__int128 v)
{
	on_this_cpu(struct percpu, &percpu)->pair = v;
}

long percpu_loop(int n)
{
	long sum = 0;
	int i;

	for (i = 0; i < n; i++)
		sum += on_this_cpu(struct percpu, &percpu)->items[i].n;
	return sum;
}

long percpu_between(struct pages *p)
{
	long sum = p->source;

	sum += on_this_cpu(struct percpu, &percpu)->word;
	return sum + p->counter;
}

/* As this_cpu_add() */
long percpu_asm(long v)
{
	asm volatile("addq %1, %0" : "+m" (*on_this_cpu(long, &percpu.word)) : "er" (v));
	return v;
}

void percpu_asm_write(void)
{
	asm volatile("movq $7, %0" : "=m" (*on_this_cpu(long, &percpu.word)));
}

void percpu_asm_member(void)
{
	asm volatile("incl %0" : "+m" (*on_this_cpu(int, &percpu.items[1].n)));
}

void percpu_asm_element(long i)
{
	asm volatile("incl %0" : "+m" (*on_this_cpu(int, &percpu.items[i].n)));
}

void percpu_asm_pointer(struct percpu *p)
{
	asm volatile("incl %0" : "+m" (*on_this_cpu(int, &p->items[2].n)));
}

/* Registers that other stubs clobber are alive. */
long percpu_live(long a, long b, long c, long d, long e, long f)
{
	register long r9 asm("r9") = a, r10 asm("r10") = b, r11 asm("r11") = c;
	long sum;

	asm volatile("" : "+r" (r9), "+r" (r10), "+r" (r11));
	sum = on_this_cpu(struct percpu, &percpu)->word;
	asm volatile("" : "+r" (r9), "+r" (r10), "+r" (r11));
	return sum + r9 * 2 + r10 * 3 + r11 * 5 + d + e + f;
}
