// SPDX-License-Identifier: GPL-2.0
/* Print the kernel's events with their fields as in its metadata, one per line. */
#include <stdio.h>

#include "stream/event-fields.h"

#define FIELD(type, tsdl, name)			" " #tsdl " " #name ";"
#define ARRAY(type, tsdl, name, length)		" " #tsdl " " #name "[" #length "];"

#define EVENT(event, EVENT, string)	\
	{ #event, MEMORIZER_##EVENT##_FIELDS(FIELD, ARRAY), string },

static const struct {
	const char *name, *fields, *string;
} events[] = { MEMORIZER_EVENTS(EVENT) };

int main(void)
{
	unsigned int i;

	printf("packet%s\n", MEMORIZER_PACKET_CONTEXT(FIELD, ARRAY));
	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		printf("%u %s%s", i, events[i].name, events[i].fields);
		if (events[i].string)
			printf(" string %s;", events[i].string);
		putchar('\n');
	}
	return 0;
}
