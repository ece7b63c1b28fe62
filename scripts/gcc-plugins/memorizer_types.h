/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memorizer plugin: names, sizes and members of types.
 */
#ifndef MEMORIZER_TYPES_H
#define MEMORIZER_TYPES_H

/* Flags of a place; also in the records, see tools/memorizer/Documentation/memorizer-formats.5 */
enum {
	NAME_BITS = 1 << 0,
	NAME_INDEXED = 1 << 1,
	NAME_SCALAR = 1 << 2,
	NAME_VARIABLE = 1 << 3,
	NAME_WIDE = 1 << 4,
	NAME_ARRAY = 1 << 5,
};

#define UNKNOWN_OFFSET HOST_WIDE_INT_MIN

/*
 * struct place - a position in a record
 * @type: main variant of the record; outside of records, the type itself; NULL_TREE if unknown
 * @path: members that lead from the record to the position
 * @offset: in bytes, or UNKNOWN_OFFSET
 * @flags: NAME_*
 */
struct place {
	tree type;
	const char *path;
	HOST_WIDE_INT offset;
	unsigned int flags;
};

/*
 * struct wanted - what to find in a type
 * @record: main variant of a record, or NULL_TREE
 * @size: without @record: bytes, 0 if unknown
 * @indexed: it is in an array, at an index that is not constant
 */
struct wanted {
	tree record;
	HOST_WIDE_INT size;
	bool indexed;
};

static inline tree main_variant(tree type)
{
	return TYPE_MAIN_VARIANT(type);
}

/* Hidden: the compiler exports its own symbols to plugins, some with the same names. */
#pragma GCC visibility push(hidden)

const char *concat_path(const char *path, const char *member);
tree record_of(tree type);
HOST_WIDE_INT bytes_of_type(tree type);
const char *type_name(tree type);
HOST_WIDE_INT member_offset(tree field);
const char *member_name(tree field);

void add_whole(struct place *place, tree type);
bool find_in(const struct place *place, tree type, HOST_WIDE_INT offset,
	     const struct wanted *wanted, struct place *found);
bool find_around(const struct place *place, tree type, HOST_WIDE_INT offset,
		 const struct wanted *wanted, struct place *found);

void describe_type(tree type);
const auto_vec<const char *> &type_descriptions(void);

#pragma GCC visibility pop

#endif /* MEMORIZER_TYPES_H */
