// SPDX-License-Identifier: GPL-2.0
/*
 * Functions with a single memory access each, through a parameter or variable, or through a value
 * that is only in a register. test-referee.sh lists what notes and DWARF know of them.
 */
struct inner {
	int first, second;
};

struct outer {
	long head;
	struct inner in;
	struct inner list[4];
	int flag;
};

int same(struct outer *o);
int same(struct outer *o)
{
	return o->in.second;
}

int other_member(struct outer *o);
int other_member(struct outer *o)
{
	return o->flag;
}

void different(struct outer *o);
void different(struct outer *o)
{
	o->in.first = 0;
}

int unnamed(struct outer *o);
int unnamed(struct outer *o)
{
	return o->list[2].first;
}

int nameless(const int *p);
int nameless(const int *p)
{
	return *p;
}

int no_variable(unsigned long address);
int no_variable(unsigned long address)
{
	return *(int *)address;
}
