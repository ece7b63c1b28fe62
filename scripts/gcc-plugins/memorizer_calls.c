// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memorizer plugin: the accesses of calls.
 */

#include "gcc-common.h"
#include "gimplify-me.h"
#include "memorizer_names.h"
#include "memorizer_sites.h"
#include "memorizer_calls.h"
#include "../../include/linux/memorizer-string.h"

/*
 * Accesses of the memory functions to their arguments, which are numbered from 1. They count
 * for the caller: the functions are not instrumented, not in C, or expanded inline by GCC.
 * Argument @ptr is accessed for @bound bytes, which is another argument.
 */
struct argument_use {
	enum kind kind;
	unsigned char ptr, bound;
};

/*
 * builtins.sh in tools/testing/memorizer/plugin checks that each of GCC's builtins that takes a
 * pointer is in one of these tables or in builtins.txt. GCC uses the *_eq variants if only
 * equality matters.
 */
static const struct function_info {
	const char *name;
	struct argument_use uses[2];
} functions[] = {
	{ "memcpy",		{ { READ, 2, 3 }, { WRITE, 1, 3 } } },
	{ "__memcpy",		{ { READ, 2, 3 }, { WRITE, 1, 3 } } },
	{ "__memcpy_flushcache", { { READ, 2, 3 }, { WRITE, 1, 3 } } },
	{ "memmove",		{ { READ, 2, 3 }, { WRITE, 1, 3 } } },
	{ "__memmove",		{ { READ, 2, 3 }, { WRITE, 1, 3 } } },
	/* These also copy from user space, where no other hook counts them. */
	{ "copy_to_nontemporal", { { READ, 2, 3 }, { WRITE, 1, 3 } } },
	{ "__copy_user_nocache", { { WRITE, 1, 3 } } },
	{ "mempcpy",		{ { READ, 2, 3 }, { WRITE, 1, 3 } } },
	{ "bcopy",		{ { READ, 1, 3 }, { WRITE, 2, 3 } } },
	{ "memset",		{ { WRITE, 1, 3 } } },
	{ "__memset",		{ { WRITE, 1, 3 } } },
	{ "bzero",		{ { WRITE, 1, 2 } } },
	{ "memcmp",		{ { READ, 1, 3 }, { READ, 2, 3 } } },
	{ "__builtin_memcmp_eq", { { READ, 1, 3 }, { READ, 2, 3 } } },
	{ "bcmp",		{ { READ, 1, 3 }, { READ, 2, 3 } } },
};

/*
 * Functions whose accesses depend on the strings. a, b and n are the arguments that become the
 * operands, 0 for a bound that the function lacks. counts: operands that count if tracked.
 */
static const struct string_function {
	const char *name;
	enum memorizer_string string;
	unsigned char a, b, n;
	unsigned int counts;
} string_functions[] = {
#define COUNT_A		MEMORIZER_STRING_A
#define COUNT_BOTH	(MEMORIZER_STRING_A | MEMORIZER_STRING_B)
	{ "strlen",		MEMORIZER_STRNLEN, 1, 0, 0, COUNT_A },
	{ "strnlen",		MEMORIZER_STRNLEN, 1, 0, 2, COUNT_A },
	{ "rindex",		MEMORIZER_STRNLEN, 1, 0, 0, COUNT_A },
	{ "strrchr",		MEMORIZER_STRNLEN, 1, 0, 0, COUNT_A },
	{ "strcmp",		MEMORIZER_STRNCMP, 1, 2, 0, COUNT_BOTH },
	{ "strncmp",		MEMORIZER_STRNCMP, 1, 2, 3, COUNT_BOTH },
	{ "__builtin_strcmp_eq", MEMORIZER_STRNCMP, 1, 2, 3, COUNT_BOTH },
	{ "__builtin_strncmp_eq", MEMORIZER_STRNCMP, 1, 2, 3, COUNT_BOTH },
	{ "strcasecmp",		MEMORIZER_STRNCASECMP, 1, 2, 0, COUNT_BOTH },
	{ "strncasecmp",	MEMORIZER_STRNCASECMP, 1, 2, 3, COUNT_BOTH },
	{ "strcpy",		MEMORIZER_STRCPY, 1, 2, 0, COUNT_BOTH },
	{ "stpcpy",		MEMORIZER_STRCPY, 1, 2, 0, COUNT_BOTH },
	{ "strncpy",		MEMORIZER_STRNCPY, 1, 2, 3, COUNT_BOTH },
	{ "stpncpy",		MEMORIZER_STRNCPY, 1, 2, 3, COUNT_BOTH },
	{ "sized_strscpy",	MEMORIZER_STRSCPY, 1, 2, 3, COUNT_BOTH },
	{ "strcat",		MEMORIZER_STRNCAT, 1, 2, 0, COUNT_BOTH },
	{ "strncat",		MEMORIZER_STRNCAT, 1, 2, 3, COUNT_BOTH },
	{ "strlcat",		MEMORIZER_STRLCAT, 1, 2, 3, COUNT_BOTH },
	{ "strchr",		MEMORIZER_STRNCHR, 1, 0, 2, COUNT_A },
	{ "index",		MEMORIZER_STRNCHR, 1, 0, 2, COUNT_A },
	{ "strchrnul",		MEMORIZER_STRNCHR, 1, 0, 2, COUNT_A },
	{ "strnchr",		MEMORIZER_STRNCHR, 1, 2, 3, COUNT_A },
	{ "strnchrnul",		MEMORIZER_STRNCHR, 1, 2, 3, COUNT_A },
	{ "memchr",		MEMORIZER_MEMCHR, 1, 3, 2, COUNT_A },
	{ "memscan",		MEMORIZER_MEMCHR, 1, 3, 2, COUNT_A },
	{ "memchr_inv",		MEMORIZER_MEMCHR_INV, 1, 3, 2, COUNT_A },
	{ "strstr",		MEMORIZER_STRSTR, 1, 2, 0, COUNT_BOTH },
	{ "strnstr",		MEMORIZER_STRNSTR, 1, 2, 3, COUNT_BOTH },
	{ "strspn",		MEMORIZER_STRSPN, 1, 2, 0, COUNT_BOTH },
	{ "strcspn",		MEMORIZER_STRCSPN, 1, 2, 0, COUNT_BOTH },
	{ "strpbrk",		MEMORIZER_STRCSPN, 1, 2, 0, COUNT_BOTH },
	{ "strsep",		MEMORIZER_STRSEP, 1, 2, 0, COUNT_BOTH },
};

/* Get an argument, NULL_TREE if the call lacks it: a program may declare its own prototype. */
static tree argument(gcall *call, unsigned int number)
{
	return number <= gimple_call_num_args(call) ? gimple_call_arg(call, number - 1) : NULL_TREE;
}

static void instrument_argument(gimple_stmt_iterator *gsi, gcall *call,
				const struct argument_use *use)
{
	tree bound = argument(call, use->bound);

	/* The program may declare the function with other parameters. */
	if (bound && INTEGRAL_TYPE_P(TREE_TYPE(bound)))
		instrument_target(gsi, use->kind, argument(call, use->ptr), bound);
}

/* Get an operand of a string function, NULL_TREE if it has an unsuitable type. */
static tree string_operand(gcall *call, unsigned int number)
{
	tree value = number ? argument(call, number) : integer_minus_one_node;

	return value && (POINTER_TYPE_P(TREE_TYPE(value)) || INTEGRAL_TYPE_P(TREE_TYPE(value))) ?
	       value : NULL_TREE;
}

static tree null_pointer_to_char(void)
{
	return build_zero_cst(build_pointer_type(char_type_node));
}

static void instrument_string_function(gimple_stmt_iterator *gsi, gcall *call,
				       const struct string_function *function)
{
	tree a = string_operand(call, function->a), b = string_operand(call, function->b);
	tree n = string_operand(call, function->n);
	unsigned int counts = function->counts, name = NO_NAME;

	if (!a || !b || !n)
		return;
	if ((counts & MEMORIZER_STRING_A) && !is_tracked_pointer(a))
		counts &= ~MEMORIZER_STRING_A;
	if ((counts & MEMORIZER_STRING_B) && !is_tracked_pointer(b))
		counts &= ~MEMORIZER_STRING_B;
	if (counts & MEMORIZER_STRING_B)
		name = name_target(NAME_STRING, call, b, 0);
	if (counts & MEMORIZER_STRING_A)
		name = name_both(name_target(NAME_STRING, call, a, 0), name);
	/* The string that strsep() splits is no operand. It always counts, as an array of char. */
	if (function->string == MEMORIZER_STRSEP && !name)
		name = name_target(NAME_STRING, call, null_pointer_to_char(), 0);
	if (counts || function->string == MEMORIZER_STRSEP)
		insert_string(gsi, name, function->string | counts, a, b, n);
}

static void instrument_function(gimple_stmt_iterator *gsi, gcall *call, const char *name)
{
	size_t length = strlen(name);
	unsigned int i, j;

	/* __<name>_chk() is <name>() with one more argument. */
	if (length > 6 && !strncmp(name, "__", 2) && !strcmp(name + length - 4, "_chk")) {
		name += 2;
		length -= 6;
	}
	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		if (strncmp(functions[i].name, name, length) || functions[i].name[length])
			continue;
		for (j = 0; j < ARRAY_SIZE(functions[i].uses); j++)
			if (functions[i].uses[j].kind)
				instrument_argument(gsi, call, &functions[i].uses[j]);
	}
	for (i = 0; i < ARRAY_SIZE(string_functions); i++)
		if (!strncmp(string_functions[i].name, name, length) &&
		    !string_functions[i].name[length])
			instrument_string_function(gsi, call, &string_functions[i]);
}

/* Insert sites for __atomic_<op>[_<size>] or __sync_<op>[_<size>]. */
static void instrument_atomic(gimple_stmt_iterator *gsi, gcall *call, const char *name)
{
	enum kind kind = UPDATE;
	int size = atoi(strrchr(name, '_') + 1);

	if (strstr(name, "_load_"))
		kind = READ;
	else if (strstr(name, "_store_") || strstr(name, "_clear") || strstr(name, "_release"))
		kind = WRITE;
	/* Their names have no size. */
	if (!strcmp(name, "__atomic_test_and_set") || !strcmp(name, "__atomic_clear"))
		size = 1;
	if (!size)
		return;		/* a fence, or a query about a type */
	instrument_target(gsi, kind, argument(call, 1), size_int(size));

	/* It reads the expected value there, and may replace it. */
	if (strstr(name, "__atomic_compare_exchange_"))
		instrument_target(gsi, UPDATE, argument(call, 2), size_int(size));
}

/*
 * Insert a site for an atomic update that GCC has matched to an instruction. A constant
 * argument has the type of the object. Others are promoted.
 */
static void instrument_internal(gimple_stmt_iterator *gsi, gcall *call)
{
	unsigned int ptr;
	tree size;

	switch (gimple_call_internal_fn(call)) {
	case IFN_ATOMIC_BIT_TEST_AND_SET:
	case IFN_ATOMIC_BIT_TEST_AND_COMPLEMENT:
	case IFN_ATOMIC_BIT_TEST_AND_RESET:
		ptr = 1;
		size = TYPE_SIZE_UNIT(TREE_TYPE(argument(call, 3)));
		break;
	case IFN_ATOMIC_COMPARE_EXCHANGE:
		ptr = 1;	/* argument 4 is the size, plus 256 if weak */
		size = size_int(tree_to_uhwi(argument(call, 4)) & 255);
		break;
#if BUILDING_GCC_VERSION >= 12000
	case IFN_ATOMIC_ADD_FETCH_CMP_0:
	case IFN_ATOMIC_SUB_FETCH_CMP_0:
	case IFN_ATOMIC_AND_FETCH_CMP_0:
	case IFN_ATOMIC_OR_FETCH_CMP_0:
	case IFN_ATOMIC_XOR_FETCH_CMP_0:
		ptr = 2;
		size = TYPE_SIZE_UNIT(TREE_TYPE(argument(call, 1)));
		break;
#endif
	default:
		return;
	}
	instrument_target(gsi, UPDATE, argument(call, ptr), size);
}

void instrument_call(gimple_stmt_iterator *gsi, gcall *call)
{
	tree decl = gimple_call_fndecl(call);
	unsigned int i, allocation;
	const char *name;

	/* Arguments that are structures are read from memory. */
	for (i = 0; i < gimple_call_num_args(call); i++)
		instrument_ref(gsi, READ, gimple_call_arg(call, i));

	if (gimple_call_internal_p(call)) {
		instrument_internal(gsi, call);
	} else if (decl) {
		name = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(decl));
		/* The assembler name begins with "*" if the source declares it. */
		name += *name == '*';
		/* A static function of this name is compiled here, with sites of its own. */
		if (fndecl_built_in_p(decl, BUILT_IN_NORMAL) &&
		    (!strncmp(name, "__atomic_", 9) || !strncmp(name, "__sync_", 7)))
			instrument_atomic(gsi, call, name);
		else if (TREE_PUBLIC(decl))
			instrument_function(gsi, call, name);
	}

	/* Behind the sites of the arguments: the result is stored last. */
	instrument_ref(gsi, WRITE, gimple_call_lhs(call));
	allocation = name_allocation(call);
	if (allocation)
		gimple_set_location(call, location_with_name(location_at(*gsi), allocation));
}
