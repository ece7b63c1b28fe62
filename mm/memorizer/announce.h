/* SPDX-License-Identifier: GPL-2.0 */
/* Memorizer under QEMU: announcements to a QEMU plugin, in the format of message.h. */
#ifndef _MM_MEMORIZER_ANNOUNCE_H
#define _MM_MEMORIZER_ANNOUNCE_H

#include <linux/compiler.h>
#include <linux/types.h>

#ifdef CONFIG_MEMORIZER_QEMU

/* Boot parameter memorizer.qemu=. */
extern bool memorizer_announces;

void __memorizer_announce_object(u32 id);
void __memorizer_announce_lazy(u32 id);
void __memorizer_announce_end(u32 id);
void __memorizer_announce_logging(bool on);
void __memorizer_announce_mark(const char *text, size_t length);
void __memorizer_announce_choice(bool chosen);
void __memorizer_announce_context(bool leave, unsigned int kind, unsigned int number);
void __memorizer_announce_rcu_free(const void *ptr, unsigned long ip);
void __memorizer_announce_lock(unsigned int op, unsigned int how, const void *lock,
			       const char *name, unsigned long ip);

#else

#define memorizer_announces	false

static inline void __memorizer_announce_object(u32 id) { }
static inline void __memorizer_announce_lazy(u32 id) { }
static inline void __memorizer_announce_end(u32 id) { }
static inline void __memorizer_announce_logging(bool on) { }
static inline void __memorizer_announce_mark(const char *text, size_t length) { }
static inline void __memorizer_announce_choice(bool chosen) { }
static inline void __memorizer_announce_context(bool leave, unsigned int kind,
						unsigned int number) { }
static inline void __memorizer_announce_rcu_free(const void *ptr, unsigned long ip) { }
static inline void __memorizer_announce_lock(unsigned int op, unsigned int how, const void *lock,
					     const char *name, unsigned long ip) { }

#endif /* CONFIG_MEMORIZER_QEMU */

/**
 * memorizer_announce_object() - announce that an object has become live, or has another task
 * @id: the object
 *
 * Context: any, with preemption disabled.
 */
static inline void memorizer_announce_object(u32 id)
{
	if (unlikely(memorizer_announces))
		__memorizer_announce_object(id);
}

/**
 * memorizer_announce_lazy() - announce that an access has made an object, which has no stack
 * @id: the object
 *
 * Context: any, NMI included, with preemption disabled. The access hook may call this.
 */
static __always_inline void memorizer_announce_lazy(u32 id)
{
	if (unlikely(memorizer_announces))
		__memorizer_announce_lazy(id);
}

/**
 * memorizer_announce_end() - announce that an object was closed
 * @id: the object
 *
 * Context: any, with preemption disabled.
 */
static inline void memorizer_announce_end(u32 id)
{
	if (unlikely(memorizer_announces))
		__memorizer_announce_end(id);
}

/**
 * memorizer_announce_logging() - announce that access logging was switched
 * @on: true if it was switched on
 *
 * Context: while all other CPUs are held, so that none executes a site.
 */
static inline void memorizer_announce_logging(bool on)
{
	if (unlikely(memorizer_announces))
		__memorizer_announce_logging(on);
}

/**
 * memorizer_announce_mark() - announce a mark
 * @text: its text, without a NUL
 * @length: length of the text in bytes
 *
 * Context: any.
 */
static inline void memorizer_announce_mark(const char *text, size_t length)
{
	if (unlikely(memorizer_announces))
		__memorizer_announce_mark(text, length);
}

/**
 * memorizer_announce_choice() - announce whether this CPU's task is selected, if that has changed
 * @chosen: true if it is selected
 *
 * The plugin counts the calls of a CPU while its task is selected.
 *
 * Context: any, with interrupts disabled since the CPU's key changed.
 */
static __always_inline void memorizer_announce_choice(bool chosen)
{
	if (unlikely(memorizer_announces))
		__memorizer_announce_choice(chosen);
}

/**
 * memorizer_announce_context() - announce that the kernel is entered or left
 * @leave: true if it is left
 * @kind: an enum memorizer_context
 * @number: number of the system call, vector or softirq
 *
 * Context: any.
 */
static inline void memorizer_announce_context(bool leave, unsigned int kind, unsigned int number)
{
	if (unlikely(memorizer_announces))
		__memorizer_announce_context(leave, kind, number);
}

/**
 * memorizer_announce_rcu_free() - announce that memory is handed to RCU to be freed
 * @ptr: the memory
 * @ip: return address into the caller of RCU
 *
 * Context: any.
 */
static inline void memorizer_announce_rcu_free(const void *ptr, unsigned long ip)
{
	if (unlikely(memorizer_announces))
		__memorizer_announce_rcu_free(ptr, ip);
}

/**
 * memorizer_announce_lock() - announce an operation on a lock
 * @op: an enum memorizer_lock_op
 * @how: MEMORIZER_LOCK_SHARED, _TRY or _CONTENDED
 * @lock: the lock
 * @name: its name, or NULL
 * @ip: address of the code that does it, 0 if it is unknown
 *
 * Context: any.
 */
static inline void memorizer_announce_lock(unsigned int op, unsigned int how, const void *lock,
					   const char *name, unsigned long ip)
{
	if (unlikely(memorizer_announces))
		__memorizer_announce_lock(op, how, lock, name, ip);
}

#endif /* _MM_MEMORIZER_ANNOUNCE_H */
