// SPDX-License-Identifier: GPL-2.0
/*
 * Ways to access a member of a record, or to allocate a record. The comments in front of a
 * function are the names that names_test.c expects: kind, type and path, offset, size, and
 * flags. Names that occur several times, because optimizers copied the access, count once.
 */
#define _GNU_SOURCE
#include <stddef.h>
#include <string.h>

#include "names.h"

#define READ_ONCE(x) (*(const volatile typeof(x) *)&(x))
#define WRITE_ONCE(x, value) (*(volatile typeof(x) *)&(x) = (value))
#define container_of(ptr, type, member) ((type *)((void *)(ptr) - offsetof(type, member)))

typedef struct {
	int counter;
} count_t;

struct link {
	struct link *next, *prev;
};

struct inner {
	short first, second;
	long third;
};

struct thing {
	int number;
	count_t count;
	struct link link;
	struct inner nested;
	struct {
		long unnamed;
	};
	union {
		long whole;
		struct {
			int low, high;
		} halves;
	} either;
	int array[8];
	struct inner several[4];
	unsigned int flag : 1, level : 5, : 2, wide : 17;
	char name[16];
	struct thing *other;
	char *text;
	char tail[];
};

struct envelope {
	long before;
	struct thing thing;
	long after;
};

union shape {
	struct { long tag; int slots[4]; } small;
	struct { int slots[16]; } large;
};

/* read thing.number 0 4 */
int direct(struct thing *p)
{
	return p->number;
}

/* write thing.nested.third 32 8 */
void nested(struct thing *p)
{
	p->nested.third = 1;
}

/* read thing.unnamed 40 8 */
long anonymous(struct thing *p)
{
	return p->unnamed;
}

/* read thing.either.halves.high 52 4 */
int in_union(struct thing *p)
{
	return p->either.halves.high;
}

/* read thing.array[] 68 4 */
int array_constant(struct thing *p)
{
	return p->array[3];
}

/* read thing.array[] 56 4 indexed */
int array_variable(struct thing *p, long i)
{
	return p->array[i];
}

/* read thing.array[] 56 4 indexed */
int array_before(struct thing *p, long i)
{
	int *element = p->array;

	return READ_ONCE(element[i - 1]);
}

/* read thing.array[] 56 4 indexed */
int array_before_unsigned(struct thing *p, unsigned int i)
{
	int *element = p->array;

	return READ_ONCE(element[i - 1]);
}

/* write thing.several[].second 90 2 indexed */
void array_of_records(struct thing *p, long i)
{
	p->several[i].second = 1;
}

/* read thing.several[].third 96 8 indexed */
long array_loop(struct thing *p)
{
	struct inner *in;
	long sum = 0;

	for (in = p->several; in < p->several + 4; in++)
		sum += in->third;
	return sum;
}

/* read thing.level 152 1 bits */
int bits(struct thing *p)
{
	return p->level;
}

/* update thing.wide 153 3 bits */
void bits_store(struct thing *p, int value)
{
	p->wide = value;
}

/* read envelope.after 200 8 */
long by_container(struct thing *p)
{
	return container_of(p, struct envelope, thing)->after;
}

/* read envelope.before 0 8 */
long by_container_once(struct link *p)
{
	struct envelope *e = container_of(p, struct envelope, thing.link);

	return READ_ONCE(e->before);
}

static inline int helper(const count_t *count)
{
	return READ_ONCE(count->counter);
}

/* read thing.count.counter 4 4 */
int by_helper(struct thing *p)
{
	return helper(&p->count);
}

/* read envelope.thing.count.counter 12 4 */
int by_helper_of_container(struct link *p)
{
	return helper(&container_of(p, struct envelope, thing.link)->thing.count);
}

/* read thing.number 0 4 */
/* write thing.number 0 4 */
void by_void(void *pointer)
{
	struct thing *p = pointer;

	WRITE_ONCE(p->number, READ_ONCE(p->number) + 1);
}

/* read link.next 0 8 */
/* read thing.number 0 4 */
int by_walk(struct link *head)
{
	struct link *l;
	int sum = 0;

	for (l = head->next; l != head; l = l->next)
		sum += container_of(l, struct thing, link)->number;
	return sum;
}

/* read thing.link.next 8 8 */
/* read thing.link.prev 16 8 */
/* write link.prev 8 8 */
/* write link.next 0 8 */
void by_unlink(struct thing *p)
{
	struct link *l = &p->link;

	l->next->prev = l->prev;
	l->prev->next = l->next;
}

#define FIELD(p, f) ((p)->nested.f)

/* read thing.nested.first 24 2 */
int by_macro(struct thing *p)
{
	return FIELD(p, first);
}

/* read thing.other 176 8 */
/* read thing.either.whole 48 8 */
long by_chain(struct thing *p)
{
	return p->other->either.whole;
}

/* write thing.name[] 156 0 wide */
/* read char 0 0 scalar */
void by_memcpy(struct thing *p, const char *from, size_t n)
{
	memcpy(p->name, from, n);
}

/* write thing 0 0 wide */
void by_memset(void *pointer, size_t n)
{
	struct thing *p = pointer;

	memset(p, 0, n);
}

/* read thing.nested 24 16 wide */
/* write inner 0 16 wide */
void by_copy(struct inner *to, struct thing *p)
{
	*to = p->nested;
}

/* string thing.name[] 156 0 wide */
size_t by_string(struct thing *p)
{
	return strlen(p->name);
}

/* string char 0 0 scalar */
/* allocation char 0 0 scalar */
char *by_cut(char *string)
{
	return strsep(&string, ",");
}

/* update thing.count.counter 4 4 */
void by_assembly(struct thing *p)
{
	asm volatile("incl %0" : "+m" (p->count.counter));
}

/* update thing.either.whole 48 8 */
void by_atomic(struct thing *p)
{
	__atomic_fetch_add(&p->either.whole, 1, __ATOMIC_SEQ_CST);
}

/* read shape.small.slots[]|large.slots[] -1 4 indexed */
int by_either(union shape *p, int which, long i)
{
	int *slots = which ? p->small.slots : p->large.slots;

	return READ_ONCE(slots[i]);
}

/* read thing.tail[] 192 1 indexed */
char flexible(struct thing *p, long i)
{
	return p->tail[i];
}

/* write thing.array[] 72 4 */
void without_line(struct thing *p, int which)
{
	if (which)
		p->array[4] = 1;
	else
		p->array[4] = 2;
}

struct thing a_thing;
long a_long;

/* read thing.number 0 4 variable */
int of_variable(void)
{
	return a_thing.number;
}

/* read long int.a_long 0 8 scalar variable */
long of_scalar_variable(void)
{
	return a_long;
}

/* read thing.text 184 8 */
/* read char.*thing.text 0 1 scalar */
char through_member(struct thing *p, long i)
{
	return p->text[i];
}

/* read thing.text 184 8 */
/* read char.*thing.text 0 1 scalar */
long through_member_in_loop(struct thing *p)
{
	const char *s;
	long n = 0;

	for (s = p->text; *s; s++)
		n += *s;
	return n;
}

struct holder {
	char *one, *two;
};

/* read holder.one 0 8 */
/* read holder.two 8 8 */
/* write char.*holder.one|*holder.two 0 1 scalar */
void through_either(struct holder *h, int first)
{
	char *p;

	if (first)
		p = h->one;
	else
		p = h->two;
	*p = 1;
}

/* read holder.one 0 8 */
/* read char 0 1 scalar */
/* write char 0 1 scalar */
void through_member_or_not(struct holder *h, char *other, int first)
{
	char *p = first ? h->one : other;

	(*p)++;
}

/* read thing.text 184 8 */
/* string char.*thing.text 0 0 scalar */
unsigned long string_of_member(struct thing *p)
{
	return strlen(p->text);
}

/* read int 0 4 scalar */
int scalar(int *p)
{
	return *p;
}

/* allocation thing 0 0 */
void *allocate(void)
{
	struct thing *p = allocate_bytes(sizeof(*p));

	remember(p);
	return p;
}

/* allocation thing 0 0 array */
void *allocate_flexible(size_t n)
{
	struct thing *p = allocate_bytes(sizeof(*p) + n);

	remember(p);
	return p;
}

static inline void *zeroed(size_t size)
{
	return allocate_bytes(size);
}

/* allocation inner 0 0 array */
void *allocate_several(size_t n)
{
	struct inner *p = zeroed(n * sizeof(*p));

	remember(p);
	return p;
}

/* allocation thing.envelope.thing.other 0 0 */
/* write envelope.thing.other 184 8 */
void allocate_member(struct envelope *e)
{
	e->thing.other = zeroed(sizeof(struct thing));
	remember(e->thing.other);
}

/* allocation char.thing.text 0 0 scalar array */
/* write thing.text 184 8 */
void allocate_text(struct thing *p, size_t n)
{
	p->text = allocate_bytes(n);
	remember(p);
}

/* allocation thing 0 0 */
struct thing *allocate_returned(void)
{
	void *p = allocate_bytes(sizeof(struct thing));

	remember(p);
	return p;
}

/* allocation ? 0 0 scalar array */
void *allocate_unknown(size_t n)
{
	void *p = allocate_bytes(n);

	remember(p);
	return p;
}

/* allocation thing.thing.other 0 0 */
void allocate_bulk(struct thing *p)
{
	void **pointers = (void **)&p->other;

	kmem_cache_alloc_bulk(NULL, 0, 1, pointers);
	remember(p);
}
