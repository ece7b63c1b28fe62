// SPDX-License-Identifier: GPL-2.0
/* memorizer-qemu.so: decoder of the guest's messages, see mm/memorizer/message.h. */
#include <stdio.h>
#include <string.h>

#include "message.h"
#include "qemu.h"

static void set_recording(struct vcpu *v, bool on)
{
	/* Pairs with the acquire in is_recording() and record(), on other vCPUs. */
	__atomic_store_n(&recording, on, __ATOMIC_RELEASE);
	write_switch(v, on);
}

static bool is_recording(void)
{
	return __atomic_load_n(&recording, __ATOMIC_ACQUIRE);
}

static void leave(struct vcpu *v)
{
	/* The guest leaves a scope that this task never entered. */
	if (v->task->scopes)
		v->task->scopes--;
	else
		v->drops[DROP_MESSAGE]++;
}

/* Handle a message of a single word. */
static void short_message(struct vcpu *v, u32 type, u32 argument)
{
	char text[32];

	switch (type) {
	case MEMORIZER_MSG_SCOPE:
		v->task->scopes++;
		snprintf(text, sizeof(text), "scope %u", argument);
		break;
	case MEMORIZER_MSG_LEAVE:
		leave(v);
		snprintf(text, sizeof(text), "leave %u", argument);
		break;
	case MEMORIZER_MSG_RECORD:
		/* No mark: write_switch() writes an event of its own. */
		set_recording(v, argument);
		return;
	case MEMORIZER_MSG_POINT:
		snprintf(text, sizeof(text), "point %u", argument);
		break;
	default:
		v->drops[DROP_MESSAGE]++;
		return;
	}
	write_mark(v, text);
}

static void task(struct vcpu *v, const u64 *value)
{
	v->pid = value[0];
	memcpy(v->comm, &value[1], sizeof(v->comm));
	write_task(v);
}

/* Minimal number of values of each message; 0 for unknown types. */
static const u8 needed[] = {
	[MEMORIZER_MSG_HELLO] = 1,
	[MEMORIZER_MSG_TASK] = 3,
	[MEMORIZER_MSG_OBJECT] = OBJECT_VALUES,
	[MEMORIZER_MSG_END] = 4,
	[MEMORIZER_MSG_LOGGING] = 1,
	[MEMORIZER_MSG_MARK] = 1,
	[MEMORIZER_MSG_LOST] = 1,
	[MEMORIZER_MSG_CACHE] = CACHE_VALUES,
	[MEMORIZER_MSG_ENTER] = 2,
	[MEMORIZER_MSG_LEFT] = 2,
	[MEMORIZER_MSG_RCU_FREE] = 2,
	[MEMORIZER_MSG_LOCK] = LOCK_VALUES,
};

/* Extract the text after the first @values values of a message. */
static const char *text_of(const struct decoder *d, u32 values, char text[VALUES * 8 + 1])
{
	memcpy(text, &d->value[values], (d->nr - values) * sizeof(u64));
	text[(d->nr - values) * sizeof(u64)] = '\0';
	return text;
}

static void message(struct vcpu *v, struct decoder *d)
{
	char text[VALUES * 8 + 1];

	/* Texts follow the values: a message may be longer, but not shorter. */
	if (d->type >= ARRAY_SIZE(needed) || !needed[d->type] || d->nr < needed[d->type]) {
		v->drops[DROP_MESSAGE]++;
		return;
	}
	switch (d->type) {
	case MEMORIZER_MSG_HELLO:
		/*
		 * Continue: the loss is reported at exit, and most messages may still be
		 * valid.
		 */
		if (d->value[0] != MEMORIZER_ANNOUNCE_VERSION)
			v->drops[DROP_MESSAGE]++;
		break;
	case MEMORIZER_MSG_TASK:
		task(v, d->value);
		break;
	case MEMORIZER_MSG_OBJECT:
		objects_add(v, d->value);
		break;
	case MEMORIZER_MSG_END:
		objects_end(v, d->value);
		break;
	case MEMORIZER_MSG_LOGGING:
		if (d->value[0] == MEMORIZER_LOGS_CALLS)
			v->calls_count = d->value[1];
		else
			objects_logging(d->value[1]);
		break;
	case MEMORIZER_MSG_CACHE:
		objects_cache(v, d->value, text_of(d, CACHE_VALUES, text));
		break;
	case MEMORIZER_MSG_ENTER:
	case MEMORIZER_MSG_LEFT:
		if (is_recording())
			write_entry(v, d->type == MEMORIZER_MSG_LEFT, d->value[0], d->value[1]);
		break;
	case MEMORIZER_MSG_RCU_FREE:
		if (is_recording())
			write_rcu_free(v, d->value[0], d->value[1]);
		break;
	case MEMORIZER_MSG_LOCK:
		if (is_recording())
			write_lock(v, d->value[0] & 0xff, d->value[0] >> 8, d->value[1],
				   d->value[2], text_of(d, LOCK_VALUES, text));
		break;
	case MEMORIZER_MSG_MARK:
		write_mark(v, text_of(d, 1, text));
		break;
	case MEMORIZER_MSG_LOST:
		v->drops[DROP_MESSAGE] += d->value[0];
		break;
	}
}

/* Append a word to the current value; handle the message when it is complete. */
static void add_word(struct vcpu *v, struct decoder *d, u32 word)
{
	u64 *value = &d->value[d->nr];

	/* A longer value is malformed: shifting further would be undefined. */
	if (d->shift < 64)
		*value |= (u64)(word & MEMORIZER_WORD_MASK) << d->shift;
	d->shift += MEMORIZER_WORD_BITS;
	if (word & MEMORIZER_WORD_MORE)
		return;
	/* Values are zigzag-encoded. */
	*value = *value >> 1 ^ -(*value & 1);
	d->nr++;
	d->shift = 0;
	if (!--d->left)
		message(v, d);
}

/**
 * guest_word() - decode a word of a message
 * @v: the vCPU that sent it
 * @user: sent by user space; its messages and the kernel's may interleave
 * @word: the word
 *
 * Context: the vCPU's thread.
 */
void guest_word(struct vcpu *v, bool user, u32 word)
{
	struct decoder *d = &v->from[!user];
	u32 type = word >> MEMORIZER_TYPE_SHIFT;

	if (d->left) {
		add_word(v, d, word);
	} else if (type >= MEMORIZER_MSG_SCOPE && type <= MEMORIZER_MSG_POINT) {
		short_message(v, type, word & MEMORIZER_ARGUMENT_MASK);
	} else {
		memset(d->value, 0, sizeof(d->value));
		d->type = type;
		/* At most 255, which VALUES has room for. */
		d->left = word & MEMORIZER_ARGUMENT_MASK;
		d->nr = 0;
		d->shift = 0;
	}
}
