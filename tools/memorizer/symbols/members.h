/* SPDX-License-Identifier: GPL-2.0 */
/* Members of records, by their paths. */
#ifndef MEMBERS_H
#define MEMBERS_H

#include "lib/texts.h"
#include "symbols/notes.h"

bool members_is_in(const char *path, const char *outer);
bool members_rest(const char *paths, const char *outer, char text[TEXTS_MAX]);
bool members_match(const char *paths, const char *outer);
bool members_is_leaf(const struct record *record, u32 member);
bool members_is_array(const struct member *member);
u64 members_flexible(const struct record *record);
void members_set_element(struct record *record, u32 member, u64 bits);
char *members_placed(const struct record *record, u32 offset, u32 bytes, u32 *at);
void members_mark(const struct record *record, const char *paths, bool *marks);
void members_join(const char *outer, const char *inner, char text[TEXTS_MAX]);

#endif
