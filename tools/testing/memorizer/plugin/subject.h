/* SPDX-License-Identifier: GPL-2.0 */
/* Functions whose accesses are compared with those that their sites report */
#ifndef SUBJECT_H
#define SUBJECT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define __cold		__attribute__((cold))
#define __packed	__attribute__((packed))
#define __section(name)	__attribute__((section(name)))
#define noinline	__attribute__((noinline))

/* X(name, type): types that one or two instructions access */
#define SCALARS(X)					\
	X(char, char)					\
	X(short, short)					\
	X(int, int)					\
	X(long, long)					\
	X(int128, __int128)				\
	X(float, float)					\
	X(double, double)				\
	X(long_double, long double)

/* X(name, size): structures, some of sizes without a thunk of their own */
#define AGGREGATES(X)					\
	X(one, 1)					\
	X(three, 3)					\
	X(four, 4)					\
	X(seven, 7)					\
	X(eight, 8)					\
	X(twelve, 12)					\
	X(sixteen, 16)					\
	X(twentyfour, 24)				\
	X(hundred, 100)					\
	X(page, 4096)

/*
 * X(name, arguments): string and memory functions, called with a = "abc",
 * b = "defgh" and n = 4
 */
#define FUNCTIONS(X)					\
	X(memcpy, (a, b, n))				\
	X(__memcpy, (a, b, n))				\
	X(__memcpy_flushcache, (a, b, n))		\
	X(copy_to_nontemporal, (a, b, n))		\
	X(__copy_user_nocache, (a, b, n))		\
	X(memmove, (a, b, n))				\
	X(__memmove, (a, b, n))				\
	X(mempcpy, (a, b, n))				\
	X(__builtin___memcpy_chk, (a, b, n, 16))	\
	X(memset, (a, 'x', n))				\
	X(__memset, (a, 'x', n))			\
	X(memcmp, (a, b, n))				\
	X(bcmp, (a, b, n))				\
	X(memchr, (a, 'c', n))				\
	X(memchr_inv, (a, 'a', n))			\
	X(memscan, (a, 'b', n))				\
	X(strlen, (a))					\
	X(strnlen, (b, n))				\
	X(strcmp, (a, b))				\
	X(strcasecmp, (a, b))				\
	X(strncmp, (a, b, n))				\
	X(strncasecmp, (a, b, n))			\
	X(strcpy, (a, b))				\
	X(stpcpy, (a, b))				\
	X(strncpy, (a, b, n))				\
	X(stpncpy, (a, b, n))				\
	X(__builtin___strncpy_chk, (a, b, n, 16))	\
	X(sized_strscpy, (a, b, n))			\
	X(strcat, (a, b))				\
	X(strncat, (a, b, n + 2))			\
	X(strlcat, (a, b, 4 * n))			\
	X(strchr, (a, 'b'))				\
	X(strchrnul, (a, 'x'))				\
	X(strrchr, (a, 'b'))				\
	X(index, (a, 'b'))				\
	X(rindex, (a, 'b'))				\
	X(strnchr, (b, n, 'f'))				\
	X(strnchrnul, (b, n, 'x'))			\
	X(strstr, (a, b))				\
	X(strnstr, (b, a, n))				\
	X(strspn, (a, b))				\
	X(strcspn, (a, b))				\
	X(strpbrk, (a, b))

struct bits {
	unsigned int a : 3;
	unsigned int b : 7;
	unsigned int c : 22;
	unsigned char byte;
	bool flag : 1;
	bool other : 1;
	unsigned long wide : 40;
};

struct packed_bits {
	char first;
	unsigned long a : 20;
	unsigned long b : 4;
} __packed;

union bit_union {
	unsigned int a : 5;
	unsigned int whole;
};

struct item {
	struct item *next;
	int n;
	short s[3];
	struct bits bits;
	char name[32];
};

typedef int int4 __attribute__((vector_size(16)));

#define DECLARE_SCALAR(name, type)			\
	type read_##name(type *p);			\
	void write_##name(type *p, type v);		\
	type read_volatile_##name(volatile type *p);	\
	void write_volatile_##name(volatile type *p, type v); \
	void add_##name(type *p, type v);
SCALARS(DECLARE_SCALAR)

#define DECLARE_AGGREGATE(name, size)			\
	struct name { char bytes[size]; };		\
	void copy_##name(struct name *a, struct name *b); \
	void clear_##name(struct name *a);		\
	struct name return_##name(struct name *a);	\
	void store_##name(struct name *a, struct name (*get)(void)); \
	long pass_##name(struct name *a, long (*use)(struct name));
AGGREGATES(DECLARE_AGGREGATE)

#define DECLARE_FUNCTION(name, arguments)		\
	long call_##name(char *a, char *b, size_t n);
FUNCTIONS(DECLARE_FUNCTION)
char *call_strsep(char **string, const char *set);
int stack_string(const char *string);

extern int global;
extern int table[8][8];
extern volatile int device, never;
extern __thread int per_thread;
long *address_of_calls(void);
int *address_of_counter(int i);

long increment(struct item *x);
long statements(struct item *x);
long discard(volatile int *p);
long members(struct item *x, long i);
long list_length(struct item *x);
void set_bits(struct bits *x, int v);
long get_bits(struct bits *x);
void increment_bits(struct bits *x);
long compare_bits(struct bits *x, struct bits *y);
long match_bits(struct bits *x);
void set_packed_bits(struct packed_bits *x, int v);
long get_union_bits(union bit_union *x);
void set_volatile_bits(volatile struct bits *x, int v);
void swap_longs(long *a, long *b);
void copy_variable(void *a, void *b, int n);
long pass_variable(void *a, int n);
void add_vector(int4 *a, int4 *b);
void copy_complex(double _Complex *a, double _Complex *b);
double _Complex add_complex(double _Complex *a, double _Complex *b);
double imaginary(double _Complex *a);
void memcpy_eight(char *a, char *b);
void memcpy_forty(char *a, char *b);
void memset_forty(char *a);
long globals(int i);
long count_calls(void);
long sum(int *p, int n);
long sum_unrolled(int *p);
void scale(short *to, short *from, int n);
long checksum(unsigned char *p, int n, unsigned long *result);
long switch_table(int *p);
long switch_values(int *p);
long jump_goto(int *p, int *q);
void asm_output(struct item *x);
void asm_write(struct item *x);
void asm_update(struct item *x);
void asm_set_bit(unsigned long *bitmap, long n);
bool asm_test_bit(unsigned long *bitmap, long n);
void asm_variable(char *p, long n);
void asm_incomplete(char *p);
void asm_comment(unsigned long *p, unsigned long *q);
void asm_numbers(unsigned long *p);
void asm_bit_name(unsigned long *p, long n);
long asm_nothing(struct item *x);
long sum_arguments(int n, ...);
long sum_pointers(int n, ...);
long locals(int i);
long local_copy(struct item *x);
long local_pointer(int i);
long frame_arithmetic(int i);
long alloca_buffer(int n);
long local_array(int n);
long by_value(struct hundred x, int i);
long segment(void);
long thread_local(void);
long literal(int i);
long noinstr(int *p);
long cpuidle(int *p);
long entry(int *p);
long head(int *p);
long naked(int *p);
long init_text(int *p);
long init_pair(int *p);
long inlined(int *p);
long cold_path(int *p, int *q);
long nested_calls(int *p, int n);
long atomics(unsigned char *a, unsigned short *b, unsigned int *c, unsigned long *d);
long atomic_bits(unsigned int *p, unsigned long *q);
long atomic_exchange(unsigned long *p, unsigned long v);
long sync_builtins(int *p);
long low_byte(int *p, unsigned long *q);
long copied_member(struct twentyfour *to, struct twentyfour *from);
long equal(char *a, char *b, size_t n);
long equal_names(struct item *x, struct item *y);
long is_next(struct item *x);
long small_atomics(unsigned char *a, unsigned short *b, unsigned char *c);
long weak_exchange(unsigned char *a, unsigned short *b, unsigned char v);
long exchange_expected(unsigned int *p, struct item *x);
void copy_from_local(char *to, long n);
void set_behind_variable(char *p, long n);
long get_behind_variable(char *p, long n);
void set_nth_bits(struct item *x, long i, int v);
long call_with_too_few(void);
void skipped(long *p);
long separate(char **where, const char *delimiters);
long many_values(long *p);
long flags(unsigned long *p, unsigned long *q);

/* Defined by the test, opaque to GCC */
void use(void *p);
void fill(char *p);
void report(int *p) __cold;

/* A member on each page */
struct pages {
	long copied __attribute__((aligned(4096)));
	long source __attribute__((aligned(4096)));
	int counter __attribute__((aligned(4096)));
	char last __attribute__((aligned(4096)));
};

int four_pages(struct pages *p);

struct far {
	char bytes[4096];
	long word;
	int number;
};

long load_at_once(long *p);
void store_in_ten_bytes(struct far *p);
void store_in_eleven_bytes(struct far *p);
long load_by_rbp(long *p);
void add_by_asm(long *p);
int two_pages(struct pages *p);

/* Per-CPU data of the kernel are relative to %gs, as it casts them. */
struct percpu {
	long word;
	unsigned int low : 3, high : 29;
	char bytes[24];
	struct item items[4];
	__int128 pair;
};

extern struct percpu percpu;
#define on_this_cpu(type, ptr) ((type __seg_gs *)(unsigned long)(ptr))

long percpu_load(void);
void percpu_store(long v);
long percpu_member(int i);
void percpu_bits(int v);
long percpu_pointer(long __seg_gs *p);
long percpu_volatile(const long *p);
void percpu_copy(struct percpu *to);
void percpu_pair(__int128 v);
long percpu_loop(int n);
long percpu_between(struct pages *p);
long percpu_asm(long v);
void percpu_asm_write(void);
void percpu_asm_member(void);
void percpu_asm_element(long i);
void percpu_asm_pointer(struct percpu *p);
long percpu_live(long a, long b, long c, long d, long e, long f);

#endif
