// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's stream: marks that user space writes, and the scopes that they open and close.
 *
 * A mark "scope NAME" opens a scope for the task that writes it, "leave NAME" closes its
 * innermost one. While the switch "scoped" is on, only accesses in scopes are streamed, including
 * those of interrupts. They lie between the two marks.
 */
#include <linux/errno.h>
#include <linux/string.h>

#include "../announce.h"
#include "stream.h"

static bool begins_with(const char *text, size_t length, const char *word)
{
	size_t word_length = strlen(word);

	return length > word_length && !memcmp(text, word, word_length);
}

static int write_mark(const char *text, size_t length)
{
	/* The QEMU plugin gets each mark, also if the stream has no room for it. */
	memorizer_announce_mark(text, length);
	return memorizer_stream_mark(text, length);
}

static int open_scope(const char *text, size_t length)
{
	int err;

	/* Before the mark, so that a scope that cannot be opened leaves no mark. */
	if (!memorizer_scope_reserve())
		return -EBUSY;
	/* Before the scope opens, so that all of its accesses follow the mark. */
	err = write_mark(text, length);
	if (err)
		memorizer_scope_release();
	else
		memorizer_scope_enter();
	return err;
}

static int close_scope(const char *text, size_t length)
{
	int err;

	/* Before the mark, so that no access of the scope follows it. */
	if (!memorizer_scope_leave())
		return -EINVAL;
	err = write_mark(text, length);
	/* The mark was lost: the scope stays open, in the slot that was not released. */
	if (err)
		memorizer_scope_enter();
	else
		memorizer_scope_release();
	return err;
}

/**
 * memorizer_stream_mark_scope() - stream a mark, and open or close its scope
 * @text: its text, without a NUL
 * @length: length of the text in bytes
 *
 * Context: process context, may sleep; in the task that writes the mark.
 * Return: 0; -EINVAL if it closes a scope and none is open; -EBUSY if too many tasks are in
 *	scopes; -ENOSPC if it was lost, and opened or closed nothing
 */
int memorizer_stream_mark_scope(const char *text, size_t length)
{
	if (begins_with(text, length, "scope "))
		return open_scope(text, length);
	if (begins_with(text, length, "leave "))
		return close_scope(text, length);
	return write_mark(text, length);
}
