/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memorizer plugin: the text of a site, and what a site promises to the kernel.
 *
 * The plugin puts a site in front of each load and store of memory. Its files, from top
 * to bottom; each calls only those below it, as tools/testing/memorizer/plugin/layers.sh
 * checks:
 *
 *	memorizer_plugin.c	options, and the passes:
 *				  memorizer_sizes	keep the sizes of asm outputs
 *				  memorizer_marks	mark references with their places
 *				  memorizer_sites	emit sites (GIMPLE)
 *				  memorizer_join	join sites and complete them (RTL)
 *	memorizer_calls.c	the accesses of calls
 *	memorizer_asm.c		the accesses of inline assembly
 *	memorizer_sites.c	emit sites for references and pointers to tracked memory
 *	memorizer_join.c	joined sites, groups, shared stubs
 *	memorizer_forms.c	the form of disabled sites
 *	memorizer_unnamed.c	stands in for names while the kernel has none
 *	memorizer_variables.c	the table of variables, with their sizes
 *	memorizer_names.c	names: what each site accesses, in locations and in sections
 *	memorizer_insns.c	sites as insns
 *	memorizer_places.c	the record and the path of members that an access refers to
 *	memorizer_types.c	names, sizes and members of types
 *	memorizer_files.c	names of source files
 *
 * A site is five bytes. Enabled, it is "call rel32". Disabled, it is five segment prefixes
 * of the next instruction that select the segment it uses anyway or, if that instruction
 * cannot take them, "test $rel32, %eax". rel32 leads to the site's stub, which loads the
 * address of the access and jumps to the thunk for its kind and size:
 *
 *	memorizer_thunk_<kind><size>	size 1, 2, 4, 8 or 16:
 *		address in r11; on the stack: return address; clobbers r9, r10 and r11
 *	memorizer_thunk_<kind>n		any other size:
 *		address in rdi, size in rsi;
 *		on the stack: rdx, rsi, rdi, return address
 *	memorizer_percpu_<kind><size>	per-CPU data, size 1, 2, 4, 8 or 16:
 *		offset in r11; on the stack: r11, return address; clobbers none
 *	memorizer_thunk_string		a string function:
 *		operands in rdi, rsi, rdx; on the stack: the function (see
 *		include/linux/memorizer-string.h), rdx, rsi, rdi, return address
 *
 * Kinds are r (read), w (write) and u (update: one read and one write). Sites of one section
 * whose stubs would be equal share one stub.
 *
 * In straight-line code a site's stub also counts later accesses, which are joined to it.
 * Before it jumps to its own thunk, it calls for each of them:
 *
 *	memorizer_joined_<kind><size>	address in r11, in r10 the address that would follow the
 *		access's own site; clobbers r9, r10 and r11
 *
 * Joined accesses at constant distances form a group, which the stub counts with a single
 * call:
 *
 *	memorizer_group			address of the first byte in r11, of the group in r10;
 *		clobbers r9, r10 and r11
 *
 * If reads and writes are mixed, the stub counts them in program order, so the access that it
 * jumps for may be a joined one.
 *
 * If one of r9, r10 and r11 is live, the stub pushes it and those listed before it, calls for
 * its own access too, and jumps to:
 *
 *	memorizer_leave_r<last>		on the stack: these registers, the last one on top;
 *		return address
 *
 * Sections:
 *
 *	memorizer_sites		two words a site: the distance to the site; the distance from the
 *				site's end to its stub, plus the disabled form from bit 28 on:
 *				0 test, 1 %ds prefixes, 2 %ss prefixes, 3 %gs prefixes; plus 4
 *				for an access to user memory, 8 for one to per-CPU data
 *	memorizer_files		three words a file: the distances to its first site, to the end of
 *				its sites, and to its name
 *	memorizer_groups	see struct memorizer_group
 *	.init.memorizer_variables	see struct memorizer_variable
 *
 * An access is a load or store that is left when the GIMPLE optimizers are done. Not seen
 * are: the function's own frame and arguments, registers, data relative to %fs (and to %gs,
 * where per-CPU data are, without the option percpu), thread-local data, string literals and
 * tables made by GCC, and memory that inline assembly reads without writing it.
 */
#ifndef MEMORIZER_SITE_H
#define MEMORIZER_SITE_H

enum kind { READ = 'r', WRITE = 'w', UPDATE = 'u' };

/*
 * SITE_BEGIN, the instructions of the stub, its jump and SITE_END make a site, until
 * share_stub() and write_prefixes() rewrite it. Local labels: 771 the site, 772 the stub.
 */

/* An instruction rather than data, so that GAS gives it a line number */
#define SITE_LABEL "771:\ttestl"
#define SITE_DISTANCE " - 771b - 5"
#define SITE_TABLE					\
	SITE_DISTANCE ", %%eax\n"			\
	"\t.pushsection memorizer_sites, \"a\"\n"	\
	"\t.balign 4\n"					\
	"\t.long 771b - .\n"				\
	"\t.long "
/*
 * Stubs are in subsection 1 of the function's own section: they share the fate of init and
 * module text. .popsection restores .previous as well.
 */
#define SITE_STUB_FLAGGED(flag)				\
	SITE_DISTANCE flag "\n"				\
	"\t.previous\n"					\
	"\t.subsection 1\n"
#define SITE_STUB SITE_STUB_FLAGGED("")
#define SITE_BEGIN SITE_LABEL " $772f" SITE_TABLE "772f" SITE_STUB "772:\n"
/* The same for per-CPU data. Such sites are not joined, and do not share their stubs. */
#define SITE_BEGIN_PERCPU						\
	SITE_LABEL " $772f" SITE_TABLE "772f" SITE_STUB_FLAGGED(" + (8 << 28)") "772:\n"
#define SITE_END "\n\t.popsection"

/* The stub of an access of fixed size, up to the kind and size */
#define STUB_FIXED "\tleaq %0, %%r11\n"
#define FIXED_END STUB_FIXED "\tjmp memorizer_thunk_"

/* Joined sites leave numeric labels behind, which begin with this. */
#define LABEL_BEGIN "773"

#endif /* MEMORIZER_SITE_H */
