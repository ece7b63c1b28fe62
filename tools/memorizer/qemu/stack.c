// SPDX-License-Identifier: GPL-2.0
/*
 * memorizer-qemu.so: tracks call stacks by the stores of calls and the loads of returns.
 *
 * The address of such a store is the stack pointer. It identifies the kernel stack, since stacks
 * are aligned to their size, and thus the task. Calls whose return address is below the pointer
 * have returned, even if the return was missed. When a vCPU switches to an empty kernel stack,
 *
 * - from user space: the stack is that of the task, and continues its user stack;
 * - from the kernel, to the very top or to the CPU's entry area: the stack is that of an
 *   interrupt, and continues the interrupted stack;
 * - from the kernel otherwise: the stack is that of a new task, unless it is the vCPU's task's.
 *
 * Calls with the same chain of callers share a node of the call tree. A call event is written when
 * a node is created.
 */
#include <stdlib.h>
#include <string.h>

#include "qemu.h"

#define STACK_SHIFT	14
#define STACK_SIZE	(1ULL << STACK_SHIFT)
/* Max. distance from the top for an interrupt's first call; a task's pt_regs are larger. */
#define STACK_TOP	64
/* The CPUs' entry areas, with the exception stacks. */
#define ENTRY_FIRST	0xfffffe0000000000
#define ENTRY_LAST	0xfffffe7fffffffff
/* Max. distance of calls on the same user stack. */
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
		/* Never freed: a stack that is freed is soon used again. */
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

/* Pop the calls whose return address is at @sp or below: they have returned. */
static void drop_dead(struct frames *f, u64 sp)
{
	while (f->nr && f->frame[f->nr - 1].sp <= sp)
		f->nr--;
	/* Nodes of dropped calls are stale. */
	if (f->valid > f->nr)
		f->valid = f->nr;
}

static void push(struct vcpu *v, struct frames *f, u64 ip, u64 back, u64 sp)
{
	u32 room = f->room ? 2 * f->room : 16;
	void *frame;

	if (f->nr == f->room) {
		/* Missed returns must not let a stack grow without bound. */
		frame = room <= DEPTH ? realloc(f->frame, room * sizeof(*f->frame)) : NULL;
		if (!frame) {
			v->drops[DROP_STACK]++;
			return;
		}
		f->frame = frame;
		f->room = room;
	}
	f->frame[f->nr++] = (struct frame) { .ip = ip, .sp = sp, .back = back };
}

static bool is_entry(u64 sp)
{
	return sp >= ENTRY_FIRST && sp <= ENTRY_LAST;
}

static bool is_interrupt(u64 sp)
{
	/*
	 * A task's first call is below its pt_regs, an interrupt's at the very top of its
	 * stack.
	 */
	return is_entry(sp) || -sp % STACK_SIZE <= STACK_TOP;
}

/* Determine the owner of an empty stack to which the vCPU switched. */
static void begin(struct vcpu *v, struct context *c, u64 sp)
{
	struct context *from = v->in_user ? v->task : v->now;
	struct frames user;

	c->parent = NULL;
	if (is_interrupt(sp)) {
		/* A stack must not be its own parent: context_node() would never end. */
		c->parent = from != c ? from : NULL;
		return;
	}
	/* The task made no call in user space. */
	if (v->task == c)
		return;
	/* A new task: what its stack had belongs to a task that exited. */
	if (!v->in_user) {
		c->user.nr = 0;
		c->user.valid = 0;
		c->scopes = 0;
	} else {
		/*
		 * The last calls in user space were this task's: swap, to keep both
		 * allocations.
		 */
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

/* Switch the vCPU to the kernel stack that contains @sp, and get its calls. */
static struct frames *kernel_frames(struct vcpu *v, u64 sp)
{
	struct context *c = v->now;

	/* Fast path: most calls are on the same stack as the one before. */
	if (c->region != sp >> STACK_SHIFT || v->in_user) {
		c = find_context(sp >> STACK_SHIFT);
		if (!c)
			return NULL;
		drop_dead(&c->kernel, sp);
		/*
		 * An empty stack may have a new owner. Otherwise, the vCPU returned to an
		 * old one.
		 */
		if (!c->kernel.nr)
			begin(v, c, sp);
		else if (!c->parent)
			v->task = c;
		v->now = c;
	}
	/* Entry from user space continues from the entry area to the task's stack. */
	v->in_user &= is_entry(sp);
	drop_dead(&c->kernel, sp);
	return &c->kernel;
}

static struct frames *user_frames(struct vcpu *v, u64 sp)
{
	struct frames *f = &v->task->user;

	v->in_user = true;
	drop_dead(f, sp);
	/* A jump this far is to another stack: its calls have other callers. */
	if (f->nr && f->frame[f->nr - 1].sp - sp > USER_STACK) {
		f->nr = 0;
		f->valid = 0;
	}
	return f;
}

/**
 * stack_call() - a call was executed
 * @v: the vCPU
 * @ip: address of the call
 * @back: its return address
 * @sp: address at which the return address was stored
 *
 * Context: the vCPU's thread.
 */
void stack_call(struct vcpu *v, u64 ip, u64 back, u64 sp)
{
	struct frames *f = is_kernel(ip) ? kernel_frames(v, sp) : user_frames(v, sp);

	if (f)
		push(v, f, ip, back, sp);
}

/**
 * stack_return() - a return was executed
 * @v: the vCPU
 * @ip: address of the return
 * @sp: address from which the return address was loaded
 *
 * Context: the vCPU's thread.
 */
void stack_return(struct vcpu *v, u64 ip, u64 sp)
{
	/* The return address is at @sp: this call and those within it are dropped. */
	if (is_kernel(ip))
		kernel_frames(v, sp);
	else
		user_frames(v, sp);
}

/**
 * stack_top() - get the innermost call
 * @v: the vCPU
 * @user: the vCPU is in user space
 * @sp: address of its return address, or 0 if that is not known
 *
 * An interrupt that has just ended may have left the vCPU with another stack. Only @sp tells.
 *
 * Context: the vCPU's thread.
 * Return: the call, or NULL if there is none
 */
struct frame *stack_top(struct vcpu *v, bool user, u64 sp)
{
	struct frames *f = user ? &v->task->user : &v->now->kernel;

	/* The stack pointer is below: that call has not returned. */
	if (sp)
		f = user ? user_frames(v, sp - 1) : kernel_frames(v, sp - 1);
	if (!f || !f->nr || (sp && f->frame[f->nr - 1].sp != sp))
		return NULL;
	return &f->frame[f->nr - 1];
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
	/* Keep it even if the next allocation fails: the old array is gone. */
	nodes = more;
	buckets = calloc(room, sizeof(*buckets));
	if (!buckets)
		return false;
	free(node_buckets);
	node_buckets = buckets;
	node_mask = room - 1;
	room_nodes = room;
	/* Node 0 stands for no caller. */
	if (!nr_nodes)
		nr_nodes = 1;
	for (i = 1; i < nr_nodes; i++) {
		bucket = &buckets[node_key(nodes[i].caller, nodes[i].ip) & node_mask];
		nodes[i].next = *bucket;
		*bucket = i;
	}
	return true;
}

/* Look up the node of a call by its caller's node, or create it. */
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
		/* Must precede the first event that refers to the node, on any vCPU. */
		write_call(v, n, caller, ip);
	}
	pthread_mutex_unlock(&node_lock);
	return n;
}

/* Get the node of the innermost call; @base is the node of the outermost call's caller. */
static u32 frames_node(struct vcpu *v, struct frames *f, u32 base)
{
	u32 node = base;

	/* The outermost caller changed: the whole chain has other nodes. */
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

/* Interrupts nest a few times at most: do not follow longer chains, which may be cyclic. */
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
 * stack_now() - get the current call stack
 * @v: the vCPU
 * @user: the vCPU is in user space
 *
 * Context: the vCPU's thread.
 * Return: node of the innermost call; 0 if there is none, or if there was no room for it
 */
u32 stack_now(struct vcpu *v, bool user)
{
	return user ? frames_node(v, &v->task->user, 0) : context_node(v, v->now, 0);
}
