// SPDX-License-Identifier: GPL-2.0
/*
 * memorizer-qemu.so: who has called, from the stores of calls and the loads of returns.
 *
 * Such a store's address is the stack pointer. In the kernel it tells the stack, and so
 * the task: stacks are of one size and aligned to it. What lies below the pointer is
 * gone, so that returns that were never seen do no harm. A kernel stack that is empty
 * when it is come to
 *
 * - from user space is that of the task that was there: its calls there come first;
 * - from the kernel, at the very top or in the CPU's entry area, is an interrupt's:
 *   what was interrupted comes first;
 * - from the kernel otherwise is that of a new task, unless it is the CPU's task's.
 *
 * Calls that are the same all the way are one node of a tree; a node is told of when it
 * is first seen.
 */
#include <stdlib.h>
#include <string.h>

#include "qemu.h"

#define STACK_SHIFT	14
#define STACK_SIZE	(1ULL << STACK_SHIFT)
/* An interrupt's first call is so close to the top; a task has its registers there. */
#define STACK_TOP	64
/* The CPUs' entry areas, with the stacks of exceptions. */
#define ENTRY_FIRST	0xfffffe0000000000
#define ENTRY_LAST	0xfffffe7fffffffff
/* User stacks that are further apart are not one. */
#define USER_STACK	(8ULL << 20)
#define DEPTH		1024
#define NESTED		8
#define BUCKETS		4096

struct node {
	u32 caller, next;
	u64 ip;
};

static pthread_mutex_t context_lock = PTHREAD_MUTEX_INITIALIZER;
static struct context *contexts[BUCKETS];

static pthread_mutex_t node_lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *nodes;	/* [0] is no node */
static u32 nr_nodes, room_nodes, *node_buckets;
static u32 node_mask;

static struct context *find_context(u64 region)
{
	struct context **bucket = &contexts[(region ^ region >> 12) % BUCKETS], *c;

	pthread_mutex_lock(&context_lock);
	for (c = *bucket; c && c->region != region; c = c->next)
		;
	if (!c) {
		c = calloc(1, sizeof(*c));
		if (c) {
			c->region = region;
			c->next = *bucket;
			*bucket = c;
		}
	}
	pthread_mutex_unlock(&context_lock);
	return c;
}

/* Forgets the calls whose return addresses lie at @sp or below. */
static void drop_dead(struct frames *f, u64 sp)
{
	while (f->nr && f->frame[f->nr - 1].sp <= sp)
		f->nr--;
	if (f->valid > f->nr)
		f->valid = f->nr;
}

static void push(struct vcpu *v, struct frames *f, u64 ip, u64 sp)
{
	u32 room = f->room ? 2 * f->room : 16;
	void *frame;

	if (f->nr == f->room) {
		frame = room <= DEPTH ? realloc(f->frame, room * sizeof(*f->frame)) : NULL;
		if (!frame) {
			v->drops[DROP_STACK]++;
			return;
		}
		f->frame = frame;
		f->room = room;
	}
	f->frame[f->nr++] = (struct frame) { .ip = ip, .sp = sp };
}

static bool is_entry(u64 sp)
{
	return sp >= ENTRY_FIRST && sp <= ENTRY_LAST;
}

static bool is_interrupt(u64 sp)
{
	return is_entry(sp) || -sp % STACK_SIZE <= STACK_TOP;
}

/* The vCPU has come to the top of an empty stack. */
static void begin(struct vcpu *v, struct context *c, u64 sp)
{
	struct context *from = v->in_user ? v->task : v->now;
	struct frames user;

	c->parent = NULL;
	if (is_interrupt(sp)) {
		c->parent = from != c ? from : NULL;
		return;
	}
	/* It may have been in user space without a call there: that is no new task. */
	if (v->task == c)
		return;
	if (!v->in_user) {
		c->user.nr = 0;
		c->user.valid = 0;
		c->scopes = 0;
	} else {
		user = c->user;
		c->user = v->task->user;
		c->scopes = v->task->scopes;
		v->task->user = user;
		v->task->user.nr = 0;
		v->task->user.valid = 0;
		v->task->scopes = 0;
	}
	v->task = c;
}

/* The kernel's calls on the stack that @sp points to; the vCPU is there now. */
static struct frames *kernel_frames(struct vcpu *v, u64 sp)
{
	struct context *c = v->now;

	if (c->region != sp >> STACK_SHIFT || v->in_user) {
		c = find_context(sp >> STACK_SHIFT);
		if (!c)
			return NULL;
		drop_dead(&c->kernel, sp);
		if (!c->kernel.nr)
			begin(v, c, sp);
		else if (!c->parent)
			v->task = c;
		v->now = c;
	}
	/* Whoever comes from user space may go on from an entry area to the task's stack. */
	v->in_user &= is_entry(sp);
	drop_dead(&c->kernel, sp);
	return &c->kernel;
}

static struct frames *user_frames(struct vcpu *v, u64 sp)
{
	struct frames *f = &v->task->user;

	v->in_user = true;
	drop_dead(f, sp);
	if (f->nr && f->frame[f->nr - 1].sp - sp > USER_STACK) {
		f->nr = 0;
		f->valid = 0;
	}
	return f;
}

/**
 * stack_call() - a call was executed
 * @v: the vCPU
 * @ip: the call
 * @sp: where the return address was stored
 *
 * Context: the vCPU's thread.
 */
void stack_call(struct vcpu *v, u64 ip, u64 sp)
{
	struct frames *f = is_kernel(ip) ? kernel_frames(v, sp) : user_frames(v, sp);

	if (f)
		push(v, f, ip, sp);
}

/**
 * stack_return() - a return was executed
 * @v: the vCPU
 * @ip: the return
 * @sp: where the return address was loaded from
 *
 * Context: the vCPU's thread.
 */
void stack_return(struct vcpu *v, u64 ip, u64 sp)
{
	if (is_kernel(ip))
		kernel_frames(v, sp);
	else
		user_frames(v, sp);
}

static u32 node_key(u32 caller, u64 ip)
{
	return ip * 31 + caller * 0x9e3779b1;
}

static bool grow_nodes(void)
{
	u32 room = room_nodes ? 2 * room_nodes : 1024, i, *buckets, *bucket;
	struct node *more;

	if (room > options.frames)
		return false;
	more = realloc(nodes, room * sizeof(*nodes));
	if (!more)
		return false;
	nodes = more;
	buckets = calloc(room, sizeof(*buckets));
	if (!buckets)
		return false;
	free(node_buckets);
	node_buckets = buckets;
	node_mask = room - 1;
	room_nodes = room;
	if (!nr_nodes)
		nr_nodes = 1;
	for (i = 1; i < nr_nodes; i++) {
		bucket = &buckets[node_key(nodes[i].caller, nodes[i].ip) & node_mask];
		nodes[i].next = *bucket;
		*bucket = i;
	}
	return true;
}

/* The node of a call below another; made and told of if there is none. */
static u32 find_node(struct vcpu *v, u32 caller, u64 ip)
{
	u32 key = node_key(caller, ip), n = 0;

	pthread_mutex_lock(&node_lock);
	if (nr_nodes)
		for (n = node_buckets[key & node_mask]; n; n = nodes[n].next)
			if (nodes[n].caller == caller && nodes[n].ip == ip)
				break;
	if (!n && (nr_nodes < room_nodes || grow_nodes())) {
		n = nr_nodes++;
		nodes[n] = (struct node) { caller, node_buckets[key & node_mask], ip };
		node_buckets[key & node_mask] = n;
		/* Before anybody can refer to it. */
		write_frame(v, n, caller, ip);
	}
	pthread_mutex_unlock(&node_lock);
	return n;
}

/* The node of the innermost of some calls, where @base is that of what is around them. */
static u32 frames_node(struct vcpu *v, struct frames *f, u32 base)
{
	u32 node = base;

	if (f->base != base) {
		f->base = base;
		f->valid = 0;
	}
	if (f->valid)
		node = f->frame[f->valid - 1].node;
	for (; f->valid < f->nr; f->valid++) {
		node = find_node(v, node, f->frame[f->valid].ip);
		if (!node) {
			v->drops[DROP_STACK]++;
			return 0;
		}
		f->frame[f->valid].node = node;
	}
	return node;
}

/* Interrupts nest a few times at most; what looks as if they did more is not followed. */
static u32 context_node(struct vcpu *v, struct context *c, u32 depth)
{
	u32 base;

	if (c->parent && depth < NESTED)
		base = context_node(v, c->parent, depth + 1);
	else
		base = frames_node(v, &c->user, 0);
	return frames_node(v, &c->kernel, base);
}

/**
 * stack_now() - where the vCPU is
 * @v: it
 * @user: whether it is in user space
 *
 * Context: the vCPU's thread.
 * Return: number of the innermost call's node, 0 if there is none
 */
u32 stack_now(struct vcpu *v, bool user)
{
	return user ? frames_node(v, &v->task->user, 0) : context_node(v, v->now, 0);
}
