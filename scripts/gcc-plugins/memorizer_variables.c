// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memorizer plugin: the table of variables, with their sizes, and notes on their types.
 */

#include "gcc-common.h"
#include "memorizer_names.h"
#include "memorizer_variables.h"

/* Does the variable have an address in the kernel that runs? */
static bool has_address(tree variable)
{
	/* Discarded by the linker, without an address, or accessed by no code. */
	static const char * const sections[] = { ".discard", ".modinfo", ".exit", ".export" };
	const char *section = DECL_SECTION_NAME(variable);
	unsigned int i;

	for (i = 0; section && i < ARRAY_SIZE(sections); i++)
		if (!strncmp(section, sections[i], strlen(sections[i])))
			return false;
	/* The second condition leaves out those that were optimized away. */
	return !DECL_EXTERNAL(variable) && TREE_ASM_WRITTEN(variable) &&
		!DECL_HARD_REGISTER(variable) && !DECL_THREAD_LOCAL_P(variable);
}

static const char *name_of(tree variable)
{
	return XSTR(XEXP(DECL_RTL(variable), 0), 0);
}

/* The assembler name, without the '*' that marks a name to be used verbatim. */
static const char *symbol_of(tree variable)
{
	const char *name = name_of(variable);

	return name + (*name == '*');
}

/* A constant that GCC has made. It is no symbol. */
static bool is_constant(tree variable)
{
	return !strncmp(name_of(variable), "*.", 2);
}

/* Get the size of a variable that belongs into the table, 0 for others. */
static HOST_WIDE_INT size_in_table(varpool_node *node)
{
	tree variable = NODE_DECL(node), size = DECL_SIZE_UNIT(variable);

	/* An alias is no variable of its own. */
	if (node->alias || !has_address(variable) || is_constant(variable))
		return 0;
	return size && tree_fits_shwi_p(size) ? tree_to_shwi(size) : 0;
}

/* write_variables() - write the table of the variables that the file defines, and their types */
void write_variables(FILE *file)
{
	bool any = false;
	varpool_node *node;
	HOST_WIDE_INT size;

	FOR_EACH_VARIABLE(node) {
		size = size_in_table(node);
		if (!size)
			continue;
		if (!any)
			fputs("\t.pushsection .init.memorizer_variables, \"a\"\n"
			      "\t.balign 4\n", file);
		any = true;
		fputs("\t.long ", file);
		assemble_name(file, name_of(NODE_DECL(node)));
		fprintf(file, " - ., %lld\n", (long long)size);
	}
	if (any)
		fputs("\t.popsection\n", file);
	FOR_EACH_VARIABLE(node)
		if (size_in_table(node))
			write_variable_type(file, NODE_DECL(node), symbol_of(NODE_DECL(node)));
}
