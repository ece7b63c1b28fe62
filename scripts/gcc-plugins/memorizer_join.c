// SPDX-License-Identifier: GPL-2.0-only
/*
 * The Memorizer plugin's sites: which are joined, groups, and what stubs count.
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

bool with_groups;			/* make groups */

/* So many accesses can share a site. */
#define MAX_JOINED 12

/* And those of a group lie in so many bytes. */
#define MAX_EXTENT 4096

/* The registers that thunks for accesses of fixed size and for groups change */
static const unsigned int changed_registers[] = { R9_REG, R10_REG, R11_REG };

/* What a stub does that has to save so many of them, the first ones */
static const struct saving {
	const char *save;
	const char *load;	/* between two calls */
	const char *leave;	/* at its end */
} savings[] = {
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

/* Does the pattern, or part of one, access the memory at @address? */
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

/* Does other code follow only sometimes, or much happen in this insn? */
static bool ends_straight_code(rtx_insn *insn)
{
	return LABEL_P(insn) || BARRIER_P(insn) || JUMP_P(insn) || CALL_P(insn) ||
	       (NONDEBUG_INSN_P(insn) && volatile_insn_p(PATTERN(insn)) && !is_empty_asm(insn) &&
		!starts_with(insn, SITE_BEGIN) && !starts_with(insn, LABEL_BEGIN));
}

/*
 * GCC may have put other insns between the place of @insn, which has become a
 * label, and the insn that accesses memory at @address: move it there.
 */
static void move_label(rtx_insn *insn, rtx address, bool is_read)
{
	rtx_insn *next;
	unsigned int n;

	for (next = NEXT_INSN(insn), n = 0; next && n < 8; next = NEXT_INSN(next)) {
		if (ends_straight_code(next))
			return;
		if (!NONDEBUG_INSN_P(next) || site_of(next))
			continue;
		if (insn_accesses(next, address, is_read)) {
			if (n)
				reorder_insns(insn, insn, PREV_INSN(next));
			return;
		}
		if (modified_in_p(address, next))
			return;
		n++;
	}
}

/* How many of these registers a site of the current function has to save; it is not there: none */
static hash_map<rtx_insn *, unsigned int> saved_by_sites;

static const struct saving *saving_of(rtx_insn *site)
{
	unsigned int *saved = saved_by_sites.get(site);

	return &savings[saved ? *saved : 0];
}

/* Let the site say which of them it changes: callers of a function may rely on what it does. */
static void add_clobbers(rtx_insn *insn)
{
	const unsigned int first = saving_of(insn) - savings;
	rtx old = PATTERN(insn);
	unsigned int n = GET_CODE(old) == PARALLEL ? XVECLEN(old, 0) : 1, i;
	rtvec all = rtvec_alloc(n + ARRAY_SIZE(changed_registers) - first);

	for (i = 0; i < n; i++)
		RTVEC_ELT(all, i) = GET_CODE(old) == PARALLEL ? XVECEXP(old, 0, i) : old;
	for (i = first; i < ARRAY_SIZE(changed_registers); i++)
		RTVEC_ELT(all, n + i - first) =
			gen_rtx_CLOBBER(VOIDmode, gen_rtx_REG(DImode, changed_registers[i]));
	PATTERN(insn) = gen_rtx_PARALLEL(VOIDmode, all);
	INSN_CODE(insn) = -1;
	df_insn_rescan(insn);
}

/* Are these any function's to change, and so not those of a caller of this one? */
static bool registers_are_callees(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(changed_registers); i++)
		if (fixed_regs[changed_registers[i]] ||
		    !crtl->abi->clobbers_full_reg_p(changed_registers[i]))
			return false;
	return !lookup_attribute("no_caller_saved_registers",
				 TYPE_ATTRIBUTES(TREE_TYPE(current_function_decl)));
}

/* Find out which of them have a value at each site that is needed there, or later. */
static void find_saved_registers(void)
{
	bool callees = registers_are_callees();
	unsigned int i, saved;
	auto_bitmap live;
	basic_block bb;
	rtx_insn *insn;

	saved_by_sites.empty();
	df_analyze();
	FOR_EACH_BB_REVERSE_FN(bb, cfun) {
		bitmap_copy(live, DF_LR_OUT(bb));
		df_simulate_initialize_backwards(bb, live);
		FOR_BB_INSNS_REVERSE(bb, insn) {
			if (!INSN_P(insn))
				continue;
			df_simulate_one_insn_backwards(bb, insn, live);
			if (!site_of(insn))
				continue;
			for (saved = 0, i = 0; i < ARRAY_SIZE(changed_registers); i++)
				if (!callees || bitmap_bit_p(live, changed_registers[i]))
					saved = i + 1;
			if (saved)
				saved_by_sites.put(insn, saved);
		}
	}
}

/* An access that a stub counts */
struct counted {
	rtx operand, constraint;
	char thunk[4];		/* its kind and size, as memorizer_thunk_... has them */
	char ip[16];		/* a label that stands there */
};

/* A site that others can be joined to, and the accesses that its stub counts, in their order */
struct lead {
	rtx_insn *insn;
	const struct saving *saving;	/* of the registers that thunks change */
	auto_vec<counted> accesses;
};

/* A part of a stub: one access, or several that are counted at once */
struct part {
	unsigned int members[MAX_JOINED], n;	/* which of the accesses */
	unsigned int first;	/* the one that begins at @start */
	char kind;		/* of all of them; 0: they differ */
	rtx base;		/* where they begin, but for bytes that are known: */
	HOST_WIDE_INT start, end;
};

static counted make_counted(rtx site, const char *ip)
{
	const char *thunk = strstr(ASM_OPERANDS_TEMPLATE(site), FIXED_END) + strlen(FIXED_END);
	counted made = { ASM_OPERANDS_INPUT(site, 0), ASM_OPERANDS_INPUT_CONSTRAINT_EXP(site, 0) };

	snprintf(made.thunk, sizeof(made.thunk), "%.*s", (int)strcspn(thunk, "\n"), thunk);
	snprintf(made.ip, sizeof(made.ip), "%s", ip);
	return made;
}

static lead *make_lead(rtx_insn *insn, rtx site)
{
	lead *made = new lead();

	made->insn = insn;
	made->saving = saving_of(insn);
	made->accesses.safe_push(make_counted(site, "771b + 5"));
	return made;
}

/* The part that has one access only, the @i-th of the lead */
static part make_part(const lead *lead, unsigned int i)
{
	const counted *access = &lead->accesses[i];
	part made = { { i }, 1, i, access->thunk[0] };
	poly_int64 known;

	made.base = strip_offset(XEXP(access->operand, 0), &known);
	made.start = known.to_constant();
	made.end = made.start + atoi(access->thunk + 1);
	return made;
}

/* Have the one access of @more counted with @part; false if they are not near each other. */
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

/* Count @more with the last of @parts that it can be counted with; false if there is none. */
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
 * Divide what a stub counts into parts, of which each one that has several accesses makes a
 * group; there are no more than @groups. Loads and stores are counted in their order: it
 * matters to who looks at cache lines. Returns the number of groups.
 */
static unsigned int divide(const lead *lead, unsigned int groups, auto_vec<part> *parts)
{
	unsigned int i, n = 0;

	for (i = 0; i < lead->accesses.length(); i++) {
		part more = make_part(lead, i);

		if (!groups || !merge_into(parts, &more))
			parts->safe_push(more);
	}
	for (i = 0; i < parts->length(); i++)
		n += (*parts)[i].n > 1;
	if (n <= groups)
		return n;
	parts->truncate(0);
	return divide(lead, 0, parts);
}

/* What the section of groups has, behind the label 775: a part, see struct memorizer_group */
static char *describe_group(const lead *lead, const part *part)
{
	unsigned int i, accesses = 0;
	char *all = xstrdup(""), *more;

	for (i = 0; i < part->n; i++) {
		const counted *access = &lead->accesses[part->members[i]];
		struct part one = make_part(lead, part->members[i]);

		accesses += one.kind == UPDATE ? 2 : 1;
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

/* What a stub does for one of its parts: a call, or at its end a jump */
static char *count_part(const lead *lead, const part *part, bool is_last)
{
	const counted *access = &lead->accesses[part->first];
	bool is_group = part->n > 1;
	char *group, *text;

	if (is_last && !is_group && !part->first)
		return concat(FIXED_END, access->thunk, "\n", NULL);
	group = is_group ? describe_group(lead, part) : xstrdup("");
	text = xasprintf("\tleaq %%%u, %%%%r11\n\tleaq %s(%%%%rip), %%%%r10\n\t%s memorizer_%s%s\n%s",
			 part->first, is_group ? "775f" : access->ip, is_last ? "jmp" : "call",
			 is_group ? "group" : "joined_", is_group ? "" : access->thunk, group);
	free(group);
	return text;
}

/* Appends to a text. */
static void append(char **text, const char *more)
{
	char *all = concat(*text, more, NULL);

	free(*text);
	*text = all;
}

/*
 * Let the site of @lead have the stub that counts all of its accesses, in parts. If their
 * order does not matter, the part with the site's own access is the last: it costs least.
 * There are no more than @groups groups in it; returns their number.
 */
static unsigned int write_stub(const lead *lead, unsigned int groups)
{
	unsigned int n = lead->accesses.length(), i;
	rtvec inputs = rtvec_alloc(n), constraints = rtvec_alloc(n);
	rtx site = site_of(lead->insn);
	const char *text = ASM_OPERANDS_TEMPLATE(site), *end = strstr(text, FIXED_END);
	char *stub = xasprintf("%.*s", (int)(end - text), text), *part_text;
	auto_vec<part> parts;
	bool in_order = false;

	for (i = 0; i < n; i++) {
		RTVEC_ELT(inputs, i) = lead->accesses[i].operand;
		RTVEC_ELT(constraints, i) = lead->accesses[i].constraint;
		in_order |= lead->accesses[i].thunk[0] != lead->accesses[0].thunk[0];
	}
	groups = divide(lead, groups, &parts);
	append(&stub, lead->saving->save);
	for (i = 1; i <= parts.length(); i++) {
		if (i > 1)
			append(&stub, lead->saving->load);
		part_text = count_part(lead, &parts[in_order ? i - 1 : i % parts.length()],
				       lead->saving == savings && i == parts.length());
		append(&stub, part_text);
		free(part_text);
	}
	append(&stub, lead->saving->leave);
	/* SITE_END begins with the end of a line. */
	append(&stub, strchr(end + strlen(FIXED_END), '\n') + 1);
	replace_asm(lead->insn, site, stub, inputs, constraints);
	free(stub);
	return groups;
}

/*
 * Groups are there for as long as the kernel is: none in modules, nor in text that goes
 * when the kernel has started.
 */
static bool may_group(void)
{
	const char *section = get_decl_section_name(current_function_decl);

	return with_groups && (!section || (strncmp(section, ".init", strlen(".init")) &&
					    strncmp(section, ".exit", strlen(".exit"))));
}

/*
 * Let @lead count the access of @insn's site, too, which is behind it in straight code, and
 * whose operand already has its value there. Where @insn was there remains a label, which
 * tells the access's ip.
 */
static void join_site(lead *lead, rtx_insn *insn)
{
	static unsigned int last_label = 773000000;	/* begins with LABEL_BEGIN */
	unsigned int label = ++last_label;
	rtx site = site_of(insn);
	char ip[16], *text;

	snprintf(ip, sizeof(ip), "%uf", label);
	lead->accesses.safe_push(make_counted(site, ip));
	text = xasprintf("%u:", label);
	replace_asm(insn, site, text, rtvec_alloc(0), rtvec_alloc(0));
	free(text);
	move_label(insn, XEXP(lead->accesses.last().operand, 0),
		   lead->accesses.last().thunk[0] != WRITE);
}

/* The last of @leads that can count the access of @insn's site too, NULL if none can */
static lead *find_lead(const auto_vec<lead *> &leads, rtx_insn *insn, rtx site)
{
	rtx address = XEXP(ASM_OPERANDS_INPUT(site, 0), 0);
	unsigned int i;

	for (i = leads.length(); i-- > 0;)
		if (leads[i]->accesses.length() < MAX_JOINED &&
		    !modified_between_p(address, leads[i]->insn, insn))
			return leads[i];
	return NULL;
}

/* Nothing more can be joined to these. */
static void write_stubs(auto_vec<lead *> &leads)
{
	unsigned int i, groups = may_group() ? MEMORIZER_GROUPS_AT_ONCE : 0;

	for (i = 0; i < leads.length(); i++) {
		if (leads[i]->accesses.length() > 1 || leads[i]->saving != savings)
			groups -= write_stub(leads[i], groups);
		add_clobbers(leads[i]->insn);
		delete leads[i];
	}
	leads.truncate(0);
}

/*
 * Join each site for an access of fixed size to an earlier one that is executed
 * if and only if it is, and from which on its operand's registers are the same.
 * Nothing else must happen in between: no call, nothing volatile.
 */
unsigned int join_sites(void)
{
	auto_vec<lead *> leads;
	unsigned int joined = 0;
	rtx_insn *insn, *next;
	lead *lead;
	rtx site;

	find_saved_registers();
	for (insn = get_insns(); insn; insn = next) {
		next = NEXT_INSN(insn);
		site = site_of(insn);
		if (site && strstr(ASM_OPERANDS_TEMPLATE(site), FIXED_END)) {
			lead = find_lead(leads, insn, site);
			if (lead) {
				join_site(lead, insn);
				joined++;
			} else {
				leads.safe_push(make_lead(insn, site));
			}
		} else if (ends_straight_code(insn)) {
			write_stubs(leads);
		}
	}
	write_stubs(leads);
	return joined;
}

/*
 * Adds to a label what tells an address from others; false if that takes more than
 * registers and numbers.
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
 * Let a site for one access of fixed size have its stub in common with those in its
 * section that do the same: the first of them, to the assembler, makes it. Its label
 * says all that it does.
 */
static void share_stub(rtx_insn *insn, unsigned int section)
{
	rtx site = site_of(insn), operand;
	char label[256], *stub, *text;
	const char *thunk;

	thunk = site ? strstr(ASM_OPERANDS_TEMPLATE(site), FIXED_END) : NULL;
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
	text = concat(SITE_LABEL " $", label, SITE_TABLE, label, SITE_STUB, "\t.ifndef ", label, "\n",
		      label, ":\n772:\n", stub, "\n\t.endif", SITE_END, NULL);
	replace_asm(insn, site, text, ASM_OPERANDS_INPUT_VEC(site),
		    ASM_OPERANDS_INPUT_CONSTRAINT_VEC(site));
	free(text);
	free(stub);
}

/* Numbers of the sections that have stubs, by name: not every name can be part of a label. */
static hash_map<nofree_string_hash, unsigned int> stub_sections;

/* The section of the current function's code, or of its rarely executed part */
static unsigned int number_of_section(bool cold)
{
	unsigned int number = stub_sections.elements(), *known;
	const bool was_cold = in_cold_section_p;
	const section *to;
	const char *name;

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
