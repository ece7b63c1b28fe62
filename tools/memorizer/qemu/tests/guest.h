/* SPDX-License-Identifier: GPL-2.0 */
/* Messages from a program to the plugin. */
#ifndef GUEST_H
#define GUEST_H

#include "message.h"

static char window[4096] __attribute__((aligned(4096)));

static inline void say_word(unsigned int word)
{
	unsigned char unused;

	__asm__ volatile(MEMORIZER_ANNOUNCE_LOAD : "=a" (unused) : "D" (&window[word]) : "memory");
}

static inline void say_short(unsigned int type, unsigned int argument)
{
	say_word(type << MEMORIZER_TYPE_SHIFT | argument);
}

static inline void say_value(unsigned long value)
{
	value = value << 1 ^ -(value >> 63);
	for (; value >> MEMORIZER_WORD_BITS; value >>= MEMORIZER_WORD_BITS)
		say_word((value & MEMORIZER_WORD_MASK) | MEMORIZER_WORD_MORE);
	say_word(value);
}

#endif
