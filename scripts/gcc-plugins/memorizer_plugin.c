// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memorizer plugin: put a site in front of each load and store of memory.
 *
 * memorizer_site.h describes sites and the plugin's files. Options:
 *	unwind-hints	emit an objtool unwind hint for each stub
 *	groups		make groups; they must exist as long as their counts
 *	variables	emit a table of the variables that the file defines
 *	percpu		emit sites for accesses relative to %gs
 *	no-sites	emit no sites, only what other options ask for
 *	skip=<function>	emit no sites in this function; may be repeated
 *	verbose		report the number of sites of each function
 *	id=<anything>	ignored; makes the command line depend on the plugin
 */

#include "gcc-common.h"
#include "memorizer_names.h"
#include "memorizer_site.h"
#include "memorizer_sites.h"
#include "memorizer_calls.h"
#include "memorizer_asm.h"
#include "memorizer_insns.h"
#include "memorizer_join.h"
#include "memorizer_forms.h"
#include "memorizer_variables.h"

__visible int plugin_is_GPL_compatible;

static struct plugin_info memorizer_plugin_info = {
	.version = PLUGIN_VERSION,
	.help = "unwind-hints\temit an objtool unwind hint for each stub\n"
		"groups\t\tcount accesses at constant distances with one call\n"
		"variables\temit a table of the variables that the file defines\n"
		"percpu\t\temit sites for accesses relative to %gs\n"
		"no-sites\temit no sites\n"
		"skip=function\temit no sites in this function; may be repeated\n"
		"verbose\t\treport the number of sites of each function\n"
		"id=anything\tignored; makes the command line depend on the plugin\n"
};

static bool verbose;
static bool without_sites;
static bool with_variables;
static auto_vec<const char *> skipped;	/* functions that get no sites */

/* May the current function have sites? */
static bool may_have_sites(void)
{
	/* This code may run where the kernel is not ready for a call into C. */
	static const char * const sections[] = {
		".noinstr.text", ".entry.text", ".head.text", ".cpuidle.text",
	};
	const char *section = get_decl_section_name(current_function_decl);
	unsigned int i;

	if (without_sites)
		return false;
	for (i = 0; section && i < ARRAY_SIZE(sections); i++)
		if (!strcmp(section, sections[i]))
			return false;
	for (i = 0; i < skipped.length(); i++)
		if (!strcmp(IDENTIFIER_POINTER(DECL_NAME(current_function_decl)), skipped[i]))
			return false;
	/* A naked function has no code but its inline assembly. */
	return !lookup_attribute("naked", DECL_ATTRIBUTES(current_function_decl));
}

static void instrument_stmt(gimple_stmt_iterator *gsi)
{
	gimple stmt = gsi_stmt(*gsi);

	switch (gimple_code(stmt)) {
	case GIMPLE_ASSIGN:
		/* Only single operands are in memory. A clobber accesses nothing. */
		if (!gimple_assign_single_p(stmt) || gimple_clobber_p(stmt))
			break;
		/* An assignment reads before it writes. */
		instrument_ref(gsi, READ, gimple_assign_rhs1(stmt));
		instrument_ref(gsi, WRITE, gimple_assign_lhs(stmt));
		break;
	case GIMPLE_CALL:
		instrument_call(gsi, as_a_gcall(stmt));
		break;
	case GIMPLE_ASM:
		instrument_asm(gsi, as_a_gasm(stmt));
		break;
	case GIMPLE_RETURN:
		instrument_ref(gsi, READ, gimple_return_retval(as_a_greturn(stmt)));
		break;
	default:
		break;		/* no memory operands */
	}
}

static void remove_stmts(basic_block bb, bool (*chosen)(gimple stmt))
{
	gimple_stmt_iterator gsi;
	gimple stmt;

	for (gsi = gsi_start_bb(bb); !gsi_end_p(gsi);) {
		stmt = gsi_stmt(gsi);
		if (!chosen(stmt)) {
			gsi_next(&gsi);
			continue;
		}
		/* Volatile assembly defines memory, which later statements use. */
		unlink_stmt_vdef(stmt);
		gsi_remove(&gsi, true);
		release_defs(stmt);
	}
}

static unsigned int memorizer_sites_execute(void)
{
	gimple_stmt_iterator gsi;
	basic_block bb;

	sites = 0;
	FOR_EACH_BB_FN(bb, cfun) {
		if (!may_have_sites()) {
			/* Those of get_user() and other macros that are used in noinstr code. */
			remove_stmts(bb, is_site_asm);
			continue;
		}
		for (gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi))
			instrument_stmt(&gsi);
		/* The sizes of asm outputs have served their purpose. */
		remove_stmts(bb, is_sizes_asm);
	}
	return 0;
}

static unsigned int memorizer_marks_execute(void)
{
	gimple_stmt_iterator gsi;
	basic_block bb;

	FOR_EACH_BB_FN(bb, cfun) {
		for (gsi = gsi_start_phis(bb); !gsi_end_p(gsi); gsi_next(&gsi))
			mark_references(gsi_stmt(gsi));
		for (gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi))
			mark_references(gsi_stmt(gsi));
	}
	return 0;
}

static unsigned int memorizer_sizes_execute(void)
{
	gimple_stmt_iterator gsi;
	basic_block bb;

	FOR_EACH_BB_FN(bb, cfun)
		for (gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi))
			if (gimple_code(gsi_stmt(gsi)) == GIMPLE_ASM)
				keep_sizes(&gsi, as_a_gasm(gsi_stmt(gsi)));
	return 0;
}

static bool memorizer_sites_gate(void)
{
	return !without_sites;
}

static bool memorizer_sizes_gate(void)
{
	return may_have_sites();
}

static bool memorizer_marks_gate(void)
{
	return may_have_sites();
}

#define PASS_NAME memorizer_marks
#define PROPERTIES_REQUIRED (PROP_ssa | PROP_cfg)
#include "gcc-generate-gimple-pass.h"

#define PASS_NAME memorizer_sizes
#define PROPERTIES_REQUIRED PROP_cfg
#include "gcc-generate-gimple-pass.h"

#define PASS_NAME memorizer_sites
#define PROPERTIES_REQUIRED (PROP_ssa | PROP_cfg)
#define TODO_FLAGS_FINISH TODO_update_ssa_only_virtuals
#include "gcc-generate-gimple-pass.h"

/* Join sites, then complete their text. The order of the steps matters. */
static unsigned int memorizer_join_execute(void)
{
	/* First: a site in the frame must not become a leader. */
	unsigned int deleted = delete_frame_sites();
	unsigned int joined = join_sites();

	/* Stubs of several accesses are not shared. */
	share_stubs();
	write_site_names();
	/* A padding NOP takes no prefixes: it precedes the site. */
	pad_entries();
	write_prefixes();
	if (verbose && sites)
		inform(DECL_SOURCE_LOCATION(current_function_decl),
		       "memorizer: %u sites in %qD, %u deleted for accessing its frame, %u joined",
		       sites, current_function_decl, deleted, joined);
	return 0;
}

#define PASS_NAME memorizer_join
#define NO_GATE
#include "gcc-generate-rtl-pass.h"

static void finish_unit(void *, void *)
{
	write_file_entry(asm_out_file);
	if (with_variables)
		write_variables(asm_out_file);
	/* Last: it writes the strings of all entries. */
	write_name_strings(asm_out_file);
}

__visible int plugin_init(struct plugin_name_args *plugin_info,
			  struct plugin_gcc_version *version)
{
	const char * const plugin_name = plugin_info->base_name;
	const struct plugin_argument * const argv = plugin_info->argv;
	int i;

	/* Before SSA form and all optimizers */
	PASS_INFO(memorizer_sizes, "cfg", 1, PASS_POS_INSERT_AFTER);
	/* After early inlining, before the other optimizers */
	PASS_INFO(memorizer_marks, "einline", 1, PASS_POS_INSERT_AFTER);
	/* After the GIMPLE optimizers and their warnings */
	PASS_INFO(memorizer_sites, "optimized", 1, PASS_POS_INSERT_BEFORE);
	/* After register allocation, prologues and basic block duplication */
	PASS_INFO(memorizer_join, "*free_cfg", 1, PASS_POS_INSERT_BEFORE);

	if (!plugin_default_version_check(version, &gcc_version)) {
		error(G_("incompatible gcc/plugin versions"));
		return 1;
	}

	for (i = 0; i < plugin_info->argc; i++) {
		if (!strcmp(argv[i].key, "unwind-hints")) {
			unwind_hints = true;
		} else if (!strcmp(argv[i].key, "groups")) {
			with_groups = true;
		} else if (!strcmp(argv[i].key, "variables")) {
			with_variables = true;
		} else if (!strcmp(argv[i].key, "percpu")) {
			with_percpu = true;
		} else if (!strcmp(argv[i].key, "no-sites")) {
			without_sites = true;
		} else if (!strcmp(argv[i].key, "verbose")) {
			verbose = true;
		} else if (!strcmp(argv[i].key, "skip") && argv[i].value) {
			skipped.safe_push(argv[i].value);
		} else if (strcmp(argv[i].key, "id")) {
			error(G_("unknown option '-fplugin-arg-%s-%s'"), plugin_name, argv[i].key);
			return 1;
		}
	}

	register_callback(plugin_name, PLUGIN_INFO, NULL, &memorizer_plugin_info);
	register_callback(plugin_name, PLUGIN_PASS_MANAGER_SETUP, NULL,
			  &memorizer_sizes_pass_info);
	register_callback(plugin_name, PLUGIN_PASS_MANAGER_SETUP, NULL,
			  &memorizer_marks_pass_info);
	register_callback(plugin_name, PLUGIN_PASS_MANAGER_SETUP, NULL,
			  &memorizer_sites_pass_info);
	register_callback(plugin_name, PLUGIN_PASS_MANAGER_SETUP, NULL,
			  &memorizer_join_pass_info);
	register_callback(plugin_name, PLUGIN_FINISH_UNIT, finish_unit, NULL);
	return 0;
}
