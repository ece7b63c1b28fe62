// SPDX-License-Identifier: GPL-2.0
/* A module: two functions in separate sections, one of them with an inlined function. */
extern volatile int gadget_state;
volatile int gadget_state;

static inline __attribute__((always_inline)) void gadget_set(int to)
{
	gadget_state = to;
}

__attribute__((section(".init.text"))) int gadget_probe(int to);
__attribute__((section(".init.text"))) int gadget_probe(int to)
{
	gadget_state = to + 1;
	return to;
}

int gadget_irq(int to);
int gadget_irq(int to)
{
	gadget_state = 7;
	gadget_set(to);
	return to;
}
