// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memorizer plugin: names, sizes and members of types.
 */

#include "gcc-common.h"
#include "memorizer_types.h"

/* concat_path() - append a member to a path, to each of its alternatives */
const char *concat_path(const char *path, const char *member)
{
	const char *more = strchr(path, '|');

	if (!*member)
		return path;
	if (!*path)
		return xstrdup(member);
	if (more)
		return xasprintf("%.*s%s%s|%s", (int)(more - path), path,
				 *member == '[' ? "" : ".", member, concat_path(more + 1, member));
	return xasprintf("%s%s%s", path, *member == '[' ? "" : ".", member);
}

/* record_of() - get the main variant of a complete record, NULL_TREE for other types */
tree record_of(tree type)
{
	if (!RECORD_OR_UNION_TYPE_P(type) || !COMPLETE_TYPE_P(type))
		return NULL_TREE;
	return main_variant(type);
}

/* bytes_of_type() - get the size of a type, 0 if it is unknown or not constant */
HOST_WIDE_INT bytes_of_type(tree type)
{
	tree size = TYPE_SIZE_UNIT(type);

	return size && tree_fits_shwi_p(size) ? tree_to_shwi(size) : 0;
}

/* Get the tag of a type, or the name of its first typedef. */
static const char *tag(tree type)
{
	tree variant, name;

	/* An anonymous record may be named by a typedef, which is a variant. */
	for (variant = main_variant(type); variant; variant = TYPE_NEXT_VARIANT(variant)) {
		name = TYPE_NAME(variant);
		if (name && TREE_CODE(name) == TYPE_DECL)
			name = DECL_NAME(name);
		if (name)
			return IDENTIFIER_POINTER(name);
	}
	return "";
}

/* type_name() - format a type as in C. Records are their tag, functions just "function". */
const char *type_name(tree type)
{
	switch (TREE_CODE(type)) {
	case POINTER_TYPE:
	case REFERENCE_TYPE:
		return concat(type_name(TREE_TYPE(type)),
			      POINTER_TYPE_P(TREE_TYPE(type)) ? "*" : " *", NULL);
	case ARRAY_TYPE:
		return concat(type_name(strip_array_types(type)), "[]", NULL);
	case FUNCTION_TYPE:
	case METHOD_TYPE:
		return "function";
	case RECORD_TYPE:
	case UNION_TYPE:
		return *tag(type) ? tag(type) : "(anonymous)";
	case ENUMERAL_TYPE:
		return *tag(type) ? concat("enum ", tag(type), NULL) : "enum";
	default:
		if (!*tag(type) && INTEGRAL_TYPE_P(type))
			return xasprintf("%c%u", TYPE_UNSIGNED(type) ? 'u' : 's',
					 TYPE_PRECISION(type));
		return tag(type);
	}
}

/* member_offset() - get the offset of a member in bytes, or UNKNOWN_OFFSET */
HOST_WIDE_INT member_offset(tree field)
{
	tree offset = DECL_FIELD_OFFSET(field);

	if (!offset || !tree_fits_shwi_p(offset))
		return UNKNOWN_OFFSET;
	return tree_to_shwi(offset) +
	       tree_to_shwi(DECL_FIELD_BIT_OFFSET(field)) / BITS_PER_UNIT;
}

/* Get the number of bytes that hold a member, 0 if unknown. */
static HOST_WIDE_INT member_size(tree field)
{
	tree size = DECL_SIZE(field);

	if (!size || !tree_fits_shwi_p(size))
		return 0;
	return CEIL(tree_to_shwi(DECL_FIELD_BIT_OFFSET(field)) % BITS_PER_UNIT +
		    tree_to_shwi(size), BITS_PER_UNIT);
}

const char *member_name(tree field)
{
	return DECL_NAME(field) ? IDENTIFIER_POINTER(DECL_NAME(field)) : "";
}

/* Check for a trailing array, which may extend beyond its declared size. */
static bool is_flexible(tree field)
{
	tree next;

	if (TREE_CODE(TREE_TYPE(field)) != ARRAY_TYPE)
		return false;
	/* Empty members may follow. */
	for (next = DECL_CHAIN(field); next; next = DECL_CHAIN(next))
		if (TREE_CODE(next) == FIELD_DECL && member_size(next))
			return false;
	return true;
}

static bool descend(tree type, HOST_WIDE_INT offset, const struct wanted *wanted, bool exactly,
		    const char **path);

static bool descend_member(tree field, HOST_WIDE_INT offset, const struct wanted *wanted,
			   bool exactly, const char **path)
{
	HOST_WIDE_INT start = member_offset(field), size = member_size(field);
	const char *inside = concat_path(*path, member_name(field));
	bool flexible = is_flexible(field);

	if (start == UNKNOWN_OFFSET || offset < start)
		return false;
	/* The wanted bytes must lie in the member; descend() recognizes records by type. */
	if (!flexible && offset + (wanted->record ? 1 : MAX(wanted->size, 1)) > start + size)
		return false;
	if (!descend(TREE_TYPE(field), offset - start, wanted, exactly, &inside))
		return false;
	*path = inside;
	return true;
}

/*
 * Find what is wanted at @offset in an object of this type, and append the members that lead to
 * it to @path. @exactly: accept only a scalar of the wanted size, no part of one and no group.
 */
static bool descend(tree type, HOST_WIDE_INT offset, const struct wanted *wanted, bool exactly,
		    const char **path)
{
	HOST_WIDE_INT size = bytes_of_type(type);
	tree field;

	if (wanted->record && main_variant(type) == wanted->record && !offset)
		return true;
	if (offset < 0)
		return false;
	switch (TREE_CODE(type)) {
	case ARRAY_TYPE:
		size = bytes_of_type(TREE_TYPE(type));
		if (!size)
			return false;
		*path = concat_path(*path, "[]");
		/* An access to several elements ends here. */
		if (!wanted->record && offset % size + wanted->size > size)
			return !exactly;
		return descend(TREE_TYPE(type), offset % size, wanted, exactly, path);
	case RECORD_TYPE:
	case UNION_TYPE:
		/* In a union, the first member that fits is taken. */
		for (field = TYPE_FIELDS(type); field; field = DECL_CHAIN(field))
			if (TREE_CODE(field) == FIELD_DECL &&
			    descend_member(field, offset, wanted, exactly, path))
				return true;
		return !exactly && !wanted->record && (!size || offset + wanted->size <= size);
	default:
		return !wanted->record && (exactly ? !offset && size == wanted->size :
						     offset + wanted->size <= size);
	}
}

/* add_whole() - extend a place to the whole object of this type */
void add_whole(struct place *place, tree type)
{
	if (!AGGREGATE_TYPE_P(type))
		return;
	place->flags |= NAME_WIDE;
	for (; TREE_CODE(type) == ARRAY_TYPE && record_of(place->type); type = TREE_TYPE(type))
		place->path = concat_path(place->path, "[]");
}

/*
 * find_in() - find a place in an object
 * @place: of the object
 * @type: of the object
 * @offset: from its start, in bytes
 * @wanted: what is expected there
 * @found: the result
 */
bool find_in(const struct place *place, tree type, HOST_WIDE_INT offset,
	     const struct wanted *wanted, struct place *found)
{
	static const struct wanted first_byte = { NULL_TREE, 1, false };
	const char *path = place->path;

	*found = *place;
	if (place->offset != UNKNOWN_OFFSET)
		found->offset = place->offset + offset;
	if (!wanted->record && !wanted->size && !offset) {
		/* An unknown number of bytes from the start */
		add_whole(found, type);
		return true;
	}
	if (!descend(type, offset, wanted, true, &path)) {
		path = place->path;
		if (wanted->record || !descend(type, offset, wanted, false, &path))
			return false;
		/* Several members: take the first one, unless it is the whole object. */
		if (offset || wanted->size < bytes_of_type(type)) {
			path = place->path;
			descend(type, offset, &first_byte, false, &path);
		}
		found->flags |= NAME_WIDE;
	}
	if (wanted->indexed) {
		/* A variable index needs an array. */
		if (!strstr(path + strlen(place->path), "[]"))
			return false;
		found->flags |= NAME_INDEXED;
	}
	found->path = path;
	return true;
}

/*
 * find_around() - find a place in an object, or elsewhere in the record that contains it
 *
 * See find_in() for the arguments. The constant part of an index may lead out of an array, if the
 * variable part leads back into it.
 */
bool find_around(const struct place *place, tree type, HOST_WIDE_INT offset,
		 const struct wanted *wanted, struct place *found)
{
	struct place whole = { place->type, "", 0, place->flags };
	HOST_WIDE_INT size = bytes_of_type(type);

	if ((!size || offset < size) && find_in(place, type, offset, wanted, found))
		return true;
	if (place->offset != UNKNOWN_OFFSET && record_of(place->type) && *place->path &&
	    !(place->flags & NAME_INDEXED) &&
	    find_in(&whole, place->type, place->offset + offset, wanted, found))
		return true;
	if (!wanted->indexed || TREE_CODE(type) != ARRAY_TYPE)
		return false;
	size = bytes_of_type(TREE_TYPE(type));
	return size && find_in(place, type, ((offset % size) + size) % size, wanted, found);
}

/* Uids of the types that are described already: trees may be freed earlier. */
static hash_set<int_hash<unsigned int, 0>> described;
static auto_vec<const char *> descriptions;

static void describe_members(tree record, const char *path, HOST_WIDE_INT offset, char **text);

/* Append a line for a named member, and lines for its members. */
static void describe_member(tree field, const char *path, HOST_WIDE_INT offset, char **text)
{
	HOST_WIDE_INT start = member_offset(field), bits, first;
	tree type = TREE_TYPE(field), inside;
	char *line;

	if (start == UNKNOWN_OFFSET)
		return;
	offset += start;
	path = concat_path(path, member_name(field));
	inside = strip_array_types(type);
	if (TREE_CODE(type) == ARRAY_TYPE)
		path = concat_path(path, "[]");
	if (DECL_NAME(field)) {
		line = *text;
		if (DECL_BIT_FIELD(field)) {
			first = tree_to_shwi(DECL_FIELD_BIT_OFFSET(field)) % BITS_PER_UNIT;
			bits = tree_to_shwi(DECL_SIZE(field));
			*text = xasprintf("%s%lld.%lld %lld.%lld %s %s\\n", line, (long long)offset,
					  (long long)first, (long long)bits / BITS_PER_UNIT,
					  (long long)bits % BITS_PER_UNIT, path,
					  type_name(DECL_BIT_FIELD_TYPE(field) ?: type));
		} else {
			*text = xasprintf("%s%lld %lld %s %s\\n", line, (long long)offset,
					  (long long)bytes_of_type(type), path, type_name(inside));
		}
		free(line);
	}
	if (record_of(inside))
		describe_members(inside, path, offset, text);
}

static void describe_members(tree record, const char *path, HOST_WIDE_INT offset, char **text)
{
	tree field;

	for (field = TYPE_FIELDS(record); field; field = DECL_CHAIN(field))
		if (TREE_CODE(field) == FIELD_DECL)
			describe_member(field, path, offset, text);
}

/* describe_type() - record the members of a record type for .debug_memorizer_types */
void describe_type(tree record)
{
	char *text;

	/* Once for each file, however many sites access it. */
	if (!record_of(record) || described.add(TYPE_UID(record)))
		return;
	text = xasprintf("%s %s %lld\\n", TREE_CODE(record) == UNION_TYPE ? "union" : "struct",
			 type_name(record), (long long)bytes_of_type(record));
	describe_members(record, "", 0, &text);
	descriptions.safe_push(text);
}

/* type_descriptions() - get the text of all descriptions, see memorizer-formats.5 */
const auto_vec<const char *> &type_descriptions(void)
{
	return descriptions;
}
