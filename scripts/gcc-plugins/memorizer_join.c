// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memorizer plugin: joined sites, groups, shared stubs.
 *
 * A leader is a site to which later sites of the same straight-line code are joined: its stub
 * counts their accesses, too, and they leave only labels behind. Accesses at constant distances
 * become a group, which is counted with a single call.
 */

#include "gcc-common.h"
#include "df.h"
#include "insn-config.h"
#include "regs.h"
#include "recog.h"
#include "function-abi.h"
#include "rtl-iter.h"
#include "memorizer_site.h"
#include "memorizer_insns.h"
#include "memorizer_join.h"
#include "../../include/linux/memorizer-group.h"

bool with_groups;			/* option: make groups */

/* Maximum number of accesses that a stub counts */
#define MAX_JOINED 12

/* Maximum number of bytes from the first to the last byte of a group */
#define MAX_EXTENT 4096

/* Registers that thunks for accesses of fixed size, and for groups, clobber */
static const unsigned int clobbered[] = { R9_REG, R10_REG, R11_REG };

/* How a stub preserves the first n of them, if they are live. Indexed by n. */
static const struct spill {
	const char *save;
	const char *load;	/* restores them between two calls */
	const char *leave;	/* last instruction of the stub */
} spills[] = {
	{ "", "", "" },
	{ "\tpushq %%r9\n",
	  "\tmovq (%%rsp), %%r9\n",
	  "\tjmp memorizer_leave_r9\n" },
	{ "\tpushq %%r9\n\tpushq %%r10\n",
	  "\tmovq (%%rsp), %%r10\n\tmovq 8(%%rsp), %%r9\n",
	  "\tjmp memorizer_leave_r10\n" },
	{ "\tpushq %%r9\n\tpushq %%r10\n\tpushq %%r11\n",
	  "\tmovq (%%rsp), %%r11\n\tmovq 8(%%rsp), %%r10\n\tmovq 16(%%rsp), %%r9\n",
	  "\tjmp memorizer_leave_r11\n" },
};

/* Check if the pattern or a part of it accesses the memory at @address. */
static bool mentions_memory(const_rtx pattern, rtx address)
{
	subrtx_iterator::array_type array;

	FOR_EACH_SUBRTX(iter, array, pattern, ALL)
		if (MEM_P(*iter) && rtx_equal_p(XEXP(*iter, 0), address))
			return true;
	return false;
}

static bool insn_accesses(rtx_insn *insn, rtx address, bool is_read)
{
	rtx set = single_set(insn);

	if (!set)
		return mentions_memory(PATTERN(insn), address);
	return mentions_memory(is_read ? SET_SRC(set) : SET_DEST(set), address);
}

/* Check if the insn ends straight-line code, in which all insns are executed or none. */
static bool ends_straight_line(rtx_insn *insn)
{
	/* Volatile insns order accesses, and may run other code. Those of this plugin do not. */
	return LABEL_P(insn) || BARRIER_P(insn) || JUMP_P(insn) || CALL_P(insn) ||
	       (NONDEBUG_INSN_P(insn) && volatile_insn_p(PATTERN(insn)) && !is_empty_asm(insn) &&
		!starts_with(insn, SITE_LABEL) && !starts_with(insn, LABEL_BEGIN));
}

/*
 * Move @insn, the label that a joined site left behind, directly in front of the insn that
 * accesses the memory at @address: the scheduler may have put other insns in between.
 */
static void move_label(rtx_insn *insn, rtx address, bool is_read)
{
	rtx_insn *next;
	unsigned int n;

	/* Best effort: without a match, the label stays where it is. */
	for (next = NEXT_INSN(insn), n = 0; next && n < 8; next = NEXT_INSN(next)) {
		if (ends_straight_line(next))
			return;
		if (!NONDEBUG_INSN_P(next) || site_of(next))
			continue;
		if (insn_accesses(next, address, is_read)) {
			if (n)
				reorder_insns(insn, insn, PREV_INSN(next));
			return;
		}
		/* From here on, the address has another value. */
		if (modified_in_p(address, next))
			return;
		n++;
	}
}

/* How many of the clobbered registers each site must preserve. Sites not in here: none */
static hash_map<rtx_insn *, unsigned int> spilled_by_sites;

static const struct spill *spill_of(rtx_insn *site)
{
	unsigned int *spilled = spilled_by_sites.get(site);

	return &spills[spilled ? *spilled : 0];
}

/*
 * Add the clobbers that the stub does not preserve to the site: with -fipa-ra, callers rely on
 * the registers that a function does not change.
 */
static void add_clobbers(rtx_insn *insn)
{
	const unsigned int first = spill_of(insn) - spills;
	rtx old = PATTERN(insn);
	unsigned int n = GET_CODE(old) == PARALLEL ? XVECLEN(old, 0) : 1, i;
	rtvec all = rtvec_alloc(n + ARRAY_SIZE(clobbered) - first);

	for (i = 0; i < n; i++)
		RTVEC_ELT(all, i) = GET_CODE(old) == PARALLEL ? XVECEXP(old, 0, i) : old;
	for (i = first; i < ARRAY_SIZE(clobbered); i++)
		RTVEC_ELT(all, n + i - first) =
			gen_rtx_CLOBBER(VOIDmode, gen_rtx_REG(DImode, clobbered[i]));
	PATTERN(insn) = gen_rtx_PARALLEL(VOIDmode, all);
	INSN_CODE(insn) = -1;
	df_insn_rescan(insn);
}

/* Check if all clobbered registers are call-clobbered: none holds a value of the caller. */
static bool are_call_clobbered(void)
{
	unsigned int i;

	/* -ffixed-r9 reserves a register, and some ABIs preserve it across calls. */
	for (i = 0; i < ARRAY_SIZE(clobbered); i++)
		if (fixed_regs[clobbered[i]] ||
		    !crtl->abi->clobbers_full_reg_p(clobbered[i]))
			return false;
	return !lookup_attribute("no_caller_saved_registers",
				 TYPE_ATTRIBUTES(TREE_TYPE(current_function_decl)));
}

/* Determine which of the clobbered registers are live at each site. */
static void find_spilled_registers(void)
{
	bool callees = are_call_clobbered();
	unsigned int i, spilled;
	auto_bitmap live;
	basic_block bb;
	rtx_insn *insn;

	spilled_by_sites.empty();
	df_analyze();
	/* Liveness is known at the end of a block, and followed backwards. */
	FOR_EACH_BB_REVERSE_FN(bb, cfun) {
		bitmap_copy(live, DF_LR_OUT(bb));
		df_simulate_initialize_backwards(bb, live);
		FOR_BB_INSNS_REVERSE(bb, insn) {
			if (!INSN_P(insn))
				continue;
			df_simulate_one_insn_backwards(bb, insn, live);
			if (!site_of(insn))
				continue;
			/* Unless calls clobber them, registers may hold values of the caller. */
			for (spilled = 0, i = 0; i < ARRAY_SIZE(clobbered); i++)
				if (!callees || bitmap_bit_p(live, clobbered[i]))
					spilled = i + 1;
			if (spilled)
				spilled_by_sites.put(insn, spilled);
		}
	}
}

/* An access that a stub counts */
struct stub_access {
	rtx operand, constraint;
	char thunk[4];		/* kind and size, as in memorizer_thunk_... */
	char ip[16];		/* expression for its instruction pointer */
};

/* A leader, and the accesses that its stub counts, in program order: its own one first */
struct leader {
	rtx_insn *insn;
	const struct spill *spill;	/* preserves the live registers */
	auto_vec<stub_access> accesses;
};

/* What a stub counts with one call: a single access, or a group */
struct part {
	unsigned int members[MAX_JOINED], n;	/* indices into the accesses */
	unsigned int first;	/* index of the access at @start */
	char kind;		/* of all accesses, 0 if they differ */
	rtx base;		/* @start and @end are constant offsets from here */
	HOST_WIDE_INT start, end;
};

static stub_access make_stub_access(rtx site, const char *ip)
{
	const char *thunk = strstr(ASM_OPERANDS_TEMPLATE(site), FIXED_END) + strlen(FIXED_END);
	stub_access made = { ASM_OPERANDS_INPUT(site, 0),
			     ASM_OPERANDS_INPUT_CONSTRAINT_EXP(site, 0) };

	snprintf(made.thunk, sizeof(made.thunk), "%.*s", (int)strcspn(thunk, "\n"), thunk);
	snprintf(made.ip, sizeof(made.ip), "%s", ip);
	return made;
}

static leader *make_leader(rtx_insn *insn, rtx site)
{
	leader *made = new leader();

	made->insn = insn;
	made->spill = spill_of(insn);
	made->accesses.safe_push(make_stub_access(site, "771b + 5"));
	return made;
}

/* Make the part that consists of access @i only. */
static part make_part(const leader *leader, unsigned int i)
{
	const stub_access *access = &leader->accesses[i];
	part made = { { i }, 1, i, access->thunk[0] };
	poly_int64 known;

	made.base = strip_offset(XEXP(access->operand, 0), &known);
	made.start = known.to_constant();
	made.end = made.start + atoi(access->thunk + 1);
	return made;
}

/* Merge @more, a single access, into @part. Returns false if they are too far from each other. */
static bool merge_parts(part *part, const struct part *more)
{
	HOST_WIDE_INT start = MIN(part->start, more->start), end = MAX(part->end, more->end);

	if (end - start > MAX_EXTENT || !rtx_equal_p(part->base, more->base))
		return false;
	part->members[part->n++] = more->first;
	if (start < part->start)
		part->first = more->first;
	part->start = start;
	part->end = end;
	if (part->kind != more->kind)
		part->kind = 0;
	return true;
}

/*
 * Merge @more, a single access, into the last part that takes it, without moving it across
 * accesses of another kind. Returns false if there is no such part.
 */
static bool merge_into(auto_vec<part> *parts, const part *more)
{
	unsigned int i;

	for (i = parts->length(); i-- > 0;) {
		if (merge_parts(&(*parts)[i], more))
			return true;
		if ((*parts)[i].kind != more->kind)
			return false;
	}
	return false;
}

/*
 * Divide the accesses of a stub into parts, with at most @groups groups among them. Reads and
 * writes keep their order: cache line tracking depends on it. Returns the number of groups.
 */
static unsigned int divide_accesses(const leader *leader, unsigned int groups,
				    auto_vec<part> *parts)
{
	unsigned int i, n = 0;

	for (i = 0; i < leader->accesses.length(); i++) {
		part more = make_part(leader, i);

		if (!groups || !merge_into(parts, &more))
			parts->safe_push(more);
	}
	/* Only parts of several accesses are groups. */
	for (i = 0; i < parts->length(); i++)
		n += (*parts)[i].n > 1;
	if (n <= groups)
		return n;
	/* Too many groups: count each access by itself. */
	parts->truncate(0);
	return divide_accesses(leader, 0, parts);
}

/* Format a group for memorizer_groups, see struct memorizer_group. Its label is 775. */
static char *group_text(const leader *leader, const part *part)
{
	unsigned int i, accesses = 0;
	char *all = xstrdup(""), *more;

	for (i = 0; i < part->n; i++) {
		const stub_access *access = &leader->accesses[part->members[i]];
		struct part one = make_part(leader, part->members[i]);

		accesses += one.kind == UPDATE ? 2 : 1;
		/* One struct memorizer_member. */
		more = xasprintf("%s\t.long %s - .\n\t.short %d\n\t.byte %d, %d\n", all, access->ip,
				 (int)(one.start - part->start), (int)(one.end - one.start),
				 one.kind == READ ? 1 : one.kind == WRITE ? 2 : 3);
		free(all);
		all = more;
	}
	more = xasprintf("\t.pushsection memorizer_groups, \"a\"\n\t.balign 4\n"
			 "775:\t.short %d\n\t.byte %u, %u\n%s\t.popsection\n",
			 (int)(part->end - part->start), part->n, accesses, all);
	free(all);
	return more;
}

/* Format the code that counts a part: a call, or a jump if it ends the stub. */
static char *part_code(const leader *leader, const part *part, bool is_last)
{
	const stub_access *access = &leader->accesses[part->first];
	bool is_group = part->n > 1;
	char *group, *text;

	/* The site's own access: its thunk gets the instruction pointer from the stack. */
	if (is_last && !is_group && !part->first)
		return concat(FIXED_END, access->thunk, "\n", NULL);
	group = is_group ? group_text(leader, part) : xstrdup("");
	text = xasprintf("\tleaq %%%u, %%%%r11\n\tleaq %s(%%%%rip), %%%%r10\n"
			 "\t%s memorizer_%s%s\n%s",
			 part->first, is_group ? "775f" : access->ip, is_last ? "jmp" : "call",
			 is_group ? "group" : "joined_", is_group ? "" : access->thunk, group);
	free(group);
	return text;
}

/* Append to a text that is allocated. */
static void append(char **text, const char *more)
{
	char *all = concat(*text, more, NULL);

	free(*text);
	*text = all;
}

/*
 * Replace the leader's stub by one that counts all of its accesses, with at most @groups groups.
 * Returns the number of groups.
 */
static unsigned int write_stub(const leader *leader, unsigned int groups)
{
	unsigned int n = leader->accesses.length(), i;
	rtvec inputs = rtvec_alloc(n), constraints = rtvec_alloc(n);
	rtx site = site_of(leader->insn);
	const char *text = ASM_OPERANDS_TEMPLATE(site), *end = strstr(text, FIXED_END);
	char *stub = xasprintf("%.*s", (int)(end - text), text), *part_text;
	auto_vec<part> parts;
	bool is_mixed = false;

	for (i = 0; i < n; i++) {
		RTVEC_ELT(inputs, i) = leader->accesses[i].operand;
		RTVEC_ELT(constraints, i) = leader->accesses[i].constraint;
		is_mixed |= leader->accesses[i].thunk[0] != leader->accesses[0].thunk[0];
	}
	groups = divide_accesses(leader, groups, &parts);
	append(&stub, leader->spill->save);
	for (i = 1; i <= parts.length(); i++) {
		/* The thunk before has clobbered them, and the address may depend on them. */
		if (i > 1)
			append(&stub, leader->spill->load);
		/* Unless the order matters, the part with the site's own access is last: a jump. */
		part_text = part_code(leader, &parts[is_mixed ? i - 1 : i % parts.length()],
				      leader->spill == spills && i == parts.length());
		append(&stub, part_text);
		free(part_text);
	}
	append(&stub, leader->spill->leave);
	/* The rest of the text is SITE_END, which begins with a newline. */
	append(&stub, strchr(end + strlen(FIXED_END), '\n') + 1);
	replace_asm(leader->insn, site, stub, inputs, constraints);
	free(stub);
	return groups;
}

static bool may_group(void)
{
	const char *section = get_decl_section_name(current_function_decl);

	/* Counts refer to groups for ever, but init and exit text is freed. */
	return with_groups && (!section || (strncmp(section, ".init", strlen(".init")) &&
					    strncmp(section, ".exit", strlen(".exit"))));
}

/*
 * Join the site of @insn to @leader. In place of the site remains a label, for the access's
 * instruction pointer.
 */
static void join_site(leader *leader, rtx_insn *insn)
{
	static unsigned int last_label = 773000000;	/* begins with LABEL_BEGIN */
	unsigned int label = ++last_label;
	rtx site = site_of(insn);
	char ip[16], *text;

	snprintf(ip, sizeof(ip), "%uf", label);
	leader->accesses.safe_push(make_stub_access(site, ip));
	text = xasprintf("%u:", label);
	replace_asm(insn, site, text, rtvec_alloc(0), rtvec_alloc(0));
	free(text);
	move_label(insn, XEXP(leader->accesses.last().operand, 0),
		   leader->accesses.last().thunk[0] != WRITE);
}

/* Find the last leader whose stub can compute the address of @site. Returns NULL if none can. */
static leader *find_leader(const auto_vec<leader *> &leaders, rtx_insn *insn, rtx site)
{
	rtx address = XEXP(ASM_OPERANDS_INPUT(site, 0), 0);
	unsigned int i;

	for (i = leaders.length(); i-- > 0;)
		if (leaders[i]->accesses.length() < MAX_JOINED &&
		    !modified_between_p(address, leaders[i]->insn, insn))
			return leaders[i];
	return NULL;
}

/* Write the stubs of all leaders, to which no more sites can be joined, and forget them. */
static void write_stubs(auto_vec<leader *> &leaders)
{
	unsigned int i, groups = may_group() ? MEMORIZER_GROUPS_AT_ONCE : 0;

	for (i = 0; i < leaders.length(); i++) {
		/* Other stubs stay as they were emitted. */
		if (leaders[i]->accesses.length() > 1 || leaders[i]->spill != spills)
			groups -= write_stub(leaders[i], groups);
		add_clobbers(leaders[i]->insn);
		delete leaders[i];
	}
	leaders.truncate(0);
}

/*
 * join_sites() - join sites for accesses of fixed size to earlier ones
 *
 * A site is joined to one that is executed if and only if it is, if the registers of its
 * address are the same there, and if no call and no volatile insn intervenes.
 *
 * Return: the number of sites joined
 */
unsigned int join_sites(void)
{
	auto_vec<leader *> leaders;
	unsigned int joined = 0;
	rtx_insn *insn, *next;
	leader *leader;
	rtx site;

	find_spilled_registers();
	for (insn = get_insns(); insn; insn = next) {
		next = NEXT_INSN(insn);
		site = site_of(insn);
		if (site && strstr(ASM_OPERANDS_TEMPLATE(site), FIXED_END)) {
			leader = find_leader(leaders, insn, site);
			if (leader) {
				join_site(leader, insn);
				joined++;
			} else {
				leaders.safe_push(make_leader(insn, site));
			}
		} else if (ends_straight_line(insn)) {
			write_stubs(leaders);
		}
	}
	write_stubs(leaders);
	return joined;
}

/*
 * Append an encoding of the address to a label. Returns false if the address consists of more
 * than registers and constants, or the label is full.
 */
static bool name_address(const_rtx address, char *label, size_t size)
{
	char *end = label + strlen(label);
	int left = label + size - end;

	switch (GET_CODE(address)) {
	case REG:
		return snprintf(end, left, "_r%u", REGNO(address)) < left;
	case CONST_INT:
		return snprintf(end, left, "_%llx", (unsigned long long)INTVAL(address)) < left;
	case PLUS:
	case MULT:
	case ASHIFT:
		return snprintf(end, left, "_%s", GET_RTX_NAME(GET_CODE(address))) < left &&
		       name_address(XEXP(address, 0), label, size) &&
		       name_address(XEXP(address, 1), label, size);
	default:
		return false;
	}
}

/*
 * Let a site share its stub with the sites of its section that have an equal one. The stub's
 * label encodes what it does, and .ifndef lets the first site emit it: only the assembler knows
 * which site comes first.
 */
static void share_stub(rtx_insn *insn, unsigned int section)
{
	rtx site = site_of(insn), operand;
	char label[256], *stub, *text;
	const char *thunk;

	thunk = site ? strstr(ASM_OPERANDS_TEMPLATE(site), FIXED_END) : NULL;
	/* Stubs of several accesses refer to labels of their own site. */
	if (!thunk || ASM_OPERANDS_INPUT_LENGTH(site) != 1)
		return;
	thunk += strlen(FIXED_END);
	operand = ASM_OPERANDS_INPUT(site, 0);
	if (!MEM_P(operand) ||
	    snprintf(label, sizeof(label), ".Lmemorizer%u_%.*s", section,
		     (int)strcspn(thunk, "\n"), thunk) >= (int)sizeof(label) ||
	    !name_address(XEXP(operand, 0), label, sizeof(label)))
		return;

	stub = xstrdup(ASM_OPERANDS_TEMPLATE(site) + strlen(SITE_BEGIN));
	stub[strlen(stub) - strlen(SITE_END)] = 0;
	text = concat(SITE_LABEL " $", label, SITE_TABLE, label, SITE_STUB,
		      "\t.ifndef ", label, "\n", label, ":\n772:\n", stub,
		      "\n\t.endif", SITE_END, NULL);
	replace_asm(insn, site, text, ASM_OPERANDS_INPUT_VEC(site),
		    ASM_OPERANDS_INPUT_CONSTRAINT_VEC(site));
	free(text);
	free(stub);
}

/* Numbers of the sections with stubs. A section name may have characters that labels cannot. */
static hash_map<nofree_string_hash, unsigned int> stub_sections;

/* Get the number of the section that holds the current function, or its cold part. */
static unsigned int number_of_section(bool cold)
{
	unsigned int number = stub_sections.elements(), *known;
	const bool was_cold = in_cold_section_p;
	const section *to;
	const char *name;

	/* current_function_section() depends on it. */
	in_cold_section_p = cold;
	to = current_function_section();
	in_cold_section_p = was_cold;
	name = SECTION_STYLE(to) == SECTION_NAMED ? to->named.name : "";
	known = stub_sections.get(name);
	if (known)
		return *known;
	stub_sections.put(xstrdup(name), number);
	return number;
}

void share_stubs(void)
{
	unsigned int hot = number_of_section(false), cold = number_of_section(true);
	basic_block bb;
	rtx_insn *insn;

	FOR_EACH_BB_FN(bb, cfun)
		FOR_BB_INSNS(bb, insn)
			share_stub(insn, BB_PARTITION(bb) == BB_COLD_PARTITION ? cold : hot);
}
