// SPDX-License-Identifier: GPL-2.0
/*
 * memorizer-qemu.so: a QEMU plugin that records the memory accesses of a guest.
 *
 * Each instruction has a single memory callback for loads and stores: with two of them, QEMU 7.2
 * loses the stores of helpers. The callback's data is the instruction's address and kind.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "api.h"
#include "message.h"
#include "qemu.h"

/* Properties of an instruction. */
enum {
	INSN_CALL = 1,
	INSN_RETURN = 2,
	INSN_WORD = 4,		/* sends a word of a message */
	INSN_RECORD = 8,	/* its accesses are recorded */
	INSN_UPDATE = 16,	/* updates memory atomically */
	INSN_ENTRY = 32,	/* the first of a function */
};

/* Linux maps the IDT here, read-only, for the CPU alone. */
#define IDT		0xfffffe0000000000
#define IDT_BYTES	4096

/* What an interrupt pushes: SS, RSP, RFLAGS, CS and RIP. */
#define INTERRUPT_PUSHES	5

struct insn {
	u64 ip, back;		/* its address, and that behind it */
	u32 what;		/* INSN_* flags */
	struct insn *next;	/* next in the hash bucket */
};

int qemu_plugin_version = 1;

struct options options = {
	.sample = 1,
	.line = 64,
	.lines = 1 << 24,
	.frames = 1 << 20,
	.packet = 256 << 10,
};

struct vcpu *vcpus;
bool recording = true;

static bool finished;
static pthread_mutex_t insn_lock = PTHREAD_MUTEX_INITIALIZER;
static struct insn *insns[1 << 16];
static u64 beyond;	/* accesses by vCPUs above the limit cpus= */

static bool in_ranges(const struct ranges *r, u64 addr)
{
	u32 i;

	for (i = 0; i < r->nr; i++)
		if (addr - r->range[i].first <= r->range[i].last - r->range[i].first)
			return true;
	/* No ranges select everything. */
	return !r->nr;
}

/* Check whether a part of the access is in the selected data. */
static bool wanted(u64 addr, u32 size)
{
	return !options.data.nr || in_ranges(&options.data, addr) ||
		in_ranges(&options.data, addr + size - 1);
}

static bool sampled(struct vcpu *v)
{
	if (++v->since < options.sample) {
		/* Counted apart from losses: skipping was asked for. */
		v->sampled++;
		return false;
	}
	v->since = 0;
	return true;
}

/* Get the address that identifies the cache line. Returns false if it is unknown, or is I/O. */
static bool line_address(struct vcpu *v, u32 info, u64 addr, u64 *named)
{
	struct qemu_plugin_hwaddr *hw;

	*named = addr;
	/* A user-mode emulation has one address space: virtual addresses identify lines. */
	if (!options.physical)
		return true;
	hw = qemu_plugin_get_hwaddr(info, addr);
	if (!hw) {
		v->drops[DROP_ADDRESS]++;
		return false;
	}
	/* Devices are not cached. */
	if (qemu_plugin_hwaddr_is_io(hw))
		return false;
	*named = qemu_plugin_hwaddr_phys_addr(hw);
	return true;
}

static bool is_in_scope(const struct vcpu *v)
{
	return !options.scopes || v->task->scopes;
}

/* Handle the part of an access that is in one cache line. */
static void touch(struct vcpu *v, const struct insn *insn, u32 info, u64 addr, u32 size,
		  bool store, u64 part)
{
	u64 named;
	s32 from;

	if (!line_address(v, info, part, &named))
		return;
	/* Before the filters: accesses that are not recorded move lines, too. */
	switch (line_access(named / options.line, v->nr, store, &from)) {
	case LINE_MOVES:
		break;
	case LINE_NO_ROOM:
		v->drops[DROP_LINE]++;
		return;
	default:
		return;
	}
	if (is_in_scope(v) && wanted(addr, size) && sampled(v))
		write_traffic(v, insn->ip, addr, size, store,
			      options.stacks ? stack_now(v, !is_kernel(insn->ip)) : 0,
			      part & -(u64)options.line, from);
}

static void record(struct vcpu *v, const struct insn *insn, u32 info, u64 addr, bool store)
{
	u32 size = 1 << qemu_plugin_mem_size_shift(info);
	u64 last = addr + size - 1;

	if (!__atomic_load_n(&recording, __ATOMIC_ACQUIRE))
		return;
	switch (options.mode) {
	case MODE_OBJECTS:
		objects_access(insn->ip, addr, size, store);
		break;
	case MODE_TRAFFIC:
		touch(v, insn, info, addr, size, store, addr);
		/* The access crosses into a second line, which moves on its own. */
		if ((addr ^ last) & -(u64)options.line)
			touch(v, insn, info, addr, size, store, last & -(u64)options.line);
		break;
	case MODE_ALL:
		if (is_in_scope(v) && wanted(addr, size) && sampled(v))
			write_access(v, insn->ip, addr, size, store,
				     options.stacks ? stack_now(v, !is_kernel(insn->ip)) : 0);
		break;
	}
}

static struct vcpu *get_vcpu(unsigned int nr)
{
	struct vcpu *v = &vcpus[nr];

	if (nr >= options.cpus) {
		__atomic_add_fetch(&beyond, 1, __ATOMIC_RELAXED);
		return NULL;
	}
	/* First callback of this vCPU: callbacks run in its thread, so no lock is needed. */
	if (!v->packet) {
		v->nr = nr;
		v->now = &v->own;
		v->task = &v->own;
		writer_open(v);
	}
	return v;
}

static void on_call(unsigned int cpu, void *data)
{
	struct vcpu *v;

	(void)data;
	if (__atomic_load_n(&finished, __ATOMIC_ACQUIRE))
		return;
	v = get_vcpu(cpu);
	if (v)
		v->calling = true;
}

/* A function is entered that does not begin with a call. */
static void on_entry(unsigned int cpu, void *data)
{
	const struct insn *insn = data;
	struct vcpu *v;

	if (__atomic_load_n(&finished, __ATOMIC_ACQUIRE))
		return;
	v = get_vcpu(cpu);
	if (v)
		calls_enter(v, insn->ip, 0);
}

/*
 * The first store of a call instruction is that of its return address. QEMU 7.2 may attribute the
 * stores of an interrupt after the call to it, too: return false for these.
 */
static bool is_own_store(struct vcpu *v, const struct insn *insn, u64 addr)
{
	if (!v->calling)
		return false;
	v->calling = false;
	/* The return address of the function lies above that of its call to ftrace. */
	if (insn->what & INSN_ENTRY)
		calls_enter(v, insn->ip, addr + sizeof(u64));
	stack_call(v, insn->ip, insn->back, addr);
	return true;
}

/*
 * Recognize interrupt delivery: loads of the IDT, GDT and TSS, then the pushes. QEMU 7.2 attributes
 * it to the previous instruction if that is an iretq, or the last one of a page, for example.
 */
static bool is_of_interrupt(struct vcpu *v, const struct insn *insn, u64 addr, bool store)
{
	if (!store && addr - IDT < IDT_BYTES) {
		v->interrupted = insn;
		v->pushes = INTERRUPT_PUSHES;
	}
	if (v->interrupted != insn) {
		v->interrupted = NULL;
		return false;
	}
	if (store && !--v->pushes)
		v->interrupted = NULL;
	return true;
}

/*
 * An atomic update both loads and stores. If vCPUs run in parallel, QEMU reports the store only:
 * return true for a store without its load.
 */
static bool is_whole_update(struct vcpu *v, const struct insn *insn, bool store)
{
	if (v->update != insn) {
		v->update = insn;
		v->loads = 0;
	}
	if (!store)
		v->loads++;
	else if (!v->loads)
		return true;
	else
		v->loads--;
	return false;
}

static void on_access(unsigned int cpu, uint32_t info, uint64_t addr, void *data)
{
	bool store = qemu_plugin_mem_is_store(info);
	const struct insn *insn = data;
	struct vcpu *v;

	/* Pairs with finish(), which closes the files. */
	if (__atomic_load_n(&finished, __ATOMIC_ACQUIRE))
		return;
	v = get_vcpu(cpu);
	if (!v || is_of_interrupt(v, insn, addr, store))
		return;
	if (insn->what & INSN_WORD) {
		/*
		 * The offset in the page is the word. The load itself is not recorded. Other
		 * accesses are interrupt delivery by a kernel with its IDT elsewhere.
		 */
		if (!store && !qemu_plugin_mem_size_shift(info))
			guest_word(v, !is_kernel(insn->ip), addr & 0xfff);
		return;
	}
	if (insn->what & INSN_CALL && store) {
		if (!is_own_store(v, insn, addr))
			return;
	} else if (insn->what & INSN_RETURN) {
		stack_return(v, insn->ip, addr);
	}
	if (!(insn->what & INSN_RECORD))
		return;
	if (insn->what & INSN_UPDATE && is_whole_update(v, insn, store))
		record(v, insn, info, addr, false);
	record(v, insn, info, addr, store);
}

static bool is_prefix(u8 byte)
{
	static const u8 prefixes[] = {
		0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67, 0xf0, 0xf2, 0xf3,
	};

	return (byte & 0xf0) == 0x40 || memchr(prefixes, byte, sizeof(prefixes));
}

/* Decode near calls, returns and atomic updates. */
static u32 kind_of(const u8 *byte, size_t size)
{
	bool locked = false;

	/* A disabled access site consists of prefixes, see ip_of(). */
	for (; size > 1 && is_prefix(*byte); byte++, size--)
		locked |= *byte == 0xf0;
	if (*byte == 0xc3 || *byte == 0xc2)
		return INSN_RETURN;
	if (*byte == 0xe8 || (*byte == 0xff && size > 1 && (byte[1] >> 3 & 7) == 2))
		return INSN_CALL;
	/* xchg needs no prefix. */
	if (locked || ((*byte & 0xfe) == 0x86 && size > 1 && byte[1] < 0xc0))
		return INSN_UPDATE;
	return 0;
}

static u32 what_is(const struct qemu_plugin_insn *insn, u64 ip)
{
	static const u8 word[] = { 0x3e, 0x3e, 0x3e, 0x8a, 0x07 };
	const u8 *byte = qemu_plugin_insn_data(insn);
	size_t size = qemu_plugin_insn_size(insn);
	bool selected = options.user || is_kernel(ip);
	u32 what;

	if (size == sizeof(word) && !memcmp(byte, word, size))
		return INSN_WORD;
	what = kind_of(byte, size);
	if (!options.stacks && !(options.calls && selected))
		what &= ~(INSN_CALL | INSN_RETURN);
	if (options.calls && selected && calls_is_entry(ip))
		what |= INSN_ENTRY;
	if (selected && in_ranges(&options.text, ip))
		return what | INSN_RECORD;
	/* Calls must be tracked everywhere, also in code whose accesses are not recorded. */
	return what & ~INSN_UPDATE;
}

/*
 * Get the address that the kernel reports for the access. A disabled access site is five prefixes
 * of the instruction, and the kernel reports the address after the site.
 */
static u64 ip_of(const struct qemu_plugin_insn *insn)
{
	static const u8 sites[][5] = {
		{ 0x3e, 0x3e, 0x3e, 0x3e, 0x3e }, { 0x36, 0x36, 0x36, 0x36, 0x36 },
		{ 0x65, 0x65, 0x65, 0x65, 0x65 },
	};
	const u8 *byte = qemu_plugin_insn_data(insn);
	bool is_site = false;
	unsigned int i;

	for (i = 0; i < sizeof(sites) / sizeof(sites[0]); i++)
		is_site |= qemu_plugin_insn_size(insn) > sizeof(sites[i]) &&
			   !memcmp(byte, sites[i], sizeof(sites[i]));
	return qemu_plugin_insn_vaddr(insn) + (is_site ? sizeof(sites[0]) : 0);
}

/*
 * Get the struct insn of an instruction. They are shared and never freed, since self-patching code
 * is translated again and again.
 */
static struct insn *keep(u64 ip, u64 back, u32 what)
{
	struct insn **bucket = &insns[(ip ^ ip >> 16 ^ what << 8) % ARRAY_SIZE(insns)], *i;

	pthread_mutex_lock(&insn_lock);
	for (i = *bucket; i && (i->ip != ip || i->back != back || i->what != what); i = i->next)
		;
	if (!i) {
		/* Fails only if memory runs out, and QEMU aborts then, too. */
		i = malloc(sizeof(*i));
		if (!i)
			abort();
		*i = (struct insn) { ip, back, what, *bucket };
		*bucket = i;
	}
	pthread_mutex_unlock(&insn_lock);
	return i;
}

static void on_translation(uint64_t id, struct qemu_plugin_tb *tb)
{
	struct qemu_plugin_insn *insn;
	struct insn *kept;
	u64 ip, back;
	size_t i;
	u32 what;

	(void)id;
	for (i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		insn = qemu_plugin_tb_get_insn(tb, i);
		ip = ip_of(insn);
		what = what_is(insn, ip);
		/* Callbacks are slow: instructions that are not selected run without one. */
		if (!what)
			continue;
		back = qemu_plugin_insn_vaddr(insn) + qemu_plugin_insn_size(insn);
		kept = keep(ip, back, what);
		/* Otherwise, see is_own_store(). */
		if (what & INSN_ENTRY && !(what & INSN_CALL))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_entry,
							       QEMU_PLUGIN_CB_NO_REGS, kept);
		/* Runs before the accesses of the instruction, see is_own_store(). */
		if (what & INSN_CALL)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_call,
							       QEMU_PLUGIN_CB_NO_REGS, NULL);
		if (what & ~INSN_ENTRY)
			qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS,
							 QEMU_PLUGIN_MEM_RW, kept);
	}
}

static const char * const drop_names[DROPS] = {
	[DROP_WRITE] = "events_discarded",
	[DROP_LINE] = "accesses_without_line",
	[DROP_ADDRESS] = "accesses_without_physical_address",
	[DROP_STACK] = "calls_dropped",
	[DROP_MESSAGE] = "messages_lost",
};

static FILE *create_stats(void)
{
	char *path;
	FILE *f = NULL;

	if (asprintf(&path, "%s/qemu", options.out) < 0)
		return NULL;
	mkdir(path, 0700);
	free(path);
	if (asprintf(&path, "%s/qemu/stats", options.out) < 0)
		return NULL;
	/* Never overwrite the result of another run. */
	f = fopen(path, "wx");
	if (!f)
		perror(path);
	free(path);
	return f;
}

/* Write the totals to a subdirectory, where readers of traces do not expect streams. */
static void write_stats(void)
{
	u64 events = 0, sampled_out = 0, sum;
	FILE *f = create_stats();
	u32 i, d;

	if (!f)
		return;
	for (i = 0; i < options.cpus; i++) {
		events += vcpus[i].events;
		sampled_out += vcpus[i].sampled;
	}
	fprintf(f, "events: %" PRIu64 "\nevents_sampled_out: %" PRIu64 "\n", events, sampled_out);
	for (d = 0; d < DROPS; d++) {
		for (sum = 0, i = 0; i < options.cpus; i++)
			sum += vcpus[i].drops[d];
		fprintf(f, "%s: %" PRIu64 "\n", drop_names[d], sum);
		if (sum)
			fprintf(stderr, "memorizer-qemu: %s: %" PRIu64 "\n", drop_names[d], sum);
	}
	fprintf(f, "accesses_of_other_cpus: %" PRIu64 "\n", beyond);
	if (beyond)
		fprintf(stderr, "memorizer-qemu: accesses_of_other_cpus: %" PRIu64 "\n", beyond);
	fclose(f);
}

static void finish(uint64_t id, void *data)
{
	/* objects_finish() writes to vCPU 0, which may never have run. */
	struct vcpu *v = get_vcpu(0);
	u32 i;

	(void)id;
	(void)data;
	if (__atomic_exchange_n(&finished, true, __ATOMIC_ACQ_REL))
		return;
	objects_finish(v);
	for (i = 0; i < options.cpus; i++)
		writer_close(&vcpus[i]);
	write_stats();
	if (options.calls)
		calls_finish();
}

/* Parse "FIRST-LAST" in hex. */
static bool parse_range(struct ranges *r, const char *text)
{
	struct range *one = &r->range[r->nr];
	char *end;

	if (r->nr == RANGES)
		return false;
	one->first = strtoull(text, &end, 16);
	if (*end != '-')
		return false;
	one->last = strtoull(end + 1, &end, 16);
	r->nr++;
	return !*end && one->first <= one->last;
}

static bool parse_mode(const char *text)
{
	static const char * const names[] = {
		[MODE_ALL] = "all", [MODE_TRAFFIC] = "traffic", [MODE_OBJECTS] = "objects",
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(text, names[i])) {
			options.mode = i;
			return true;
		}
	return false;
}

static bool parse_bool(const char *text, bool *value)
{
	*value = !strcmp(text, "on");
	return *value || !strcmp(text, "off");
}

static bool parse_number(const char *text, u64 least, u64 most, u64 *value)
{
	char *end;

	*value = strtoull(text, &end, 0);
	return *text && !*end && *value >= least && *value <= most;
}

/* Parse the arguments that are numbers. */
static bool parse_size(const char *name, const char *text)
{
	u64 value;

	if (!strcmp(name, "limit"))
		return parse_number(text, 4096, 1ULL << 50, &options.limit);
	if (!strcmp(name, "lines"))
		return parse_number(text, 256, 1ULL << 40, &options.lines);
	if (!strcmp(name, "frames"))
		return parse_number(text, 1024, 1U << 31, &options.frames);
	if (!strcmp(name, "packet"))
		return parse_number(text, 4096, 1ULL << 30, &options.packet);
	if (!strcmp(name, "sample") && parse_number(text, 1, UINT32_MAX, &value)) {
		options.sample = value;
		return true;
	}
	if (!strcmp(name, "cpus") && parse_number(text, 1, 4096, &value)) {
		options.cpus = value;
		return true;
	}
	if (!strcmp(name, "line") && parse_number(text, 1, 4096, &value)) {
		options.line = value;
		return !(value & (value - 1));
	}
	return false;
}

static bool parse(char *argument)
{
	char *value = strchr(argument, '=');

	if (!value)
		return false;
	*value++ = '\0';
	if (!strcmp(argument, "out"))
		return *value && (options.out = strdup(value));
	if (!strcmp(argument, "calls"))
		return *value && (options.calls = strdup(value));
	if (!strcmp(argument, "mode"))
		return parse_mode(value);
	if (!strcmp(argument, "user"))
		return parse_bool(value, &options.user);
	if (!strcmp(argument, "scopes"))
		return parse_bool(value, &options.scopes);
	if (!strcmp(argument, "stacks"))
		return parse_bool(value, &options.stacks);
	if (!strcmp(argument, "paused"))
		return parse_bool(value, &options.paused);
	if (!strcmp(argument, "data"))
		return parse_range(&options.data, value);
	if (!strcmp(argument, "text"))
		return parse_range(&options.text, value);
	return parse_size(argument, value);
}

int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv)
{
	int i;

	for (i = 0; i < argc; i++) {
		char *argument = strdup(argv[i]);

		if (!argument || !parse(argument)) {
			fprintf(stderr, "memorizer-qemu: invalid argument: %s\n", argv[i]);
			return 1;
		}
		free(argument);
	}
	if (!options.out) {
		fputs("memorizer-qemu: missing argument: out=\n", stderr);
		return 1;
	}
	/* The guest's address spaces share physical lines at different virtual addresses. */
	options.physical = info->system;
	/* In user mode, each thread is a vCPU: their number is not known in advance. */
	if (!options.cpus)
		options.cpus = info->system ? info->vcpus.most : 64;
	/* Scopes are per task, and tasks are identified by their stacks. */
	if (options.scopes && info->system)
		options.stacks = true;
	recording = !options.paused;
	vcpus = calloc(options.cpus, sizeof(*vcpus));
	if (!vcpus || !writer_init() || (options.calls && !calls_init()))
		return 1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	qemu_plugin_register_atexit_cb(id, finish, NULL);
	return 0;
}
