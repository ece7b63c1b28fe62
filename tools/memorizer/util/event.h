/* SPDX-License-Identifier: GPL-2.0 */
/* From libbabeltrace2's events to ours. */
#ifndef EVENT_H
#define EVENT_H

#include <babeltrace2/babeltrace.h>

#include "trace.h"

#define EVENT_FIELDS	12	/* most fields of an event */
#define EVENT_CLASSES	256

/**
 * struct event_class - an event class of a trace
 * @class: the library's, NULL: there is none here
 * @type: which event it is
 * @member: for each field that this tool knows, its index among the class's
 * @size: bytes of such an event, without text
 */
struct event_class {
	const bt_event_class *class;
	enum trace_type type;
	u32 member[EVENT_FIELDS], size;
};

/**
 * struct event_classes - the event classes of a trace
 * @class: by id, modulo EVENT_CLASSES
 * @error: message when one lacks something
 */
struct event_classes {
	struct event_class class[EVENT_CLASSES];
	char error[KMAP_ERROR_MAX / 2];
};

struct event_class *event_class_find(struct event_classes *cs, const bt_event_class *class);
size_t event_copy(const struct event_class *c, struct trace_event *e, const bt_event *event);

#endif
