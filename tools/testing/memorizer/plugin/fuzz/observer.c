// SPDX-License-Identifier: GPL-2.0
/*
 * QEMU TCG plugin: count the accesses of a program's instructions to its data.
 *
 * Arguments: text=<hex>-<hex> and data=<hex>-<hex>, first address and end of the ranges;
 * out=<file>. At exit it writes a line for each combination of: address of the instruction,
 * address, size, r or w; and the count.
 *
 * Debian's QEMU package lacks the header of the plugin interface. The parts of version 1 that
 * are used are declared here.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tally.h"

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_info;

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_RW = 3 };

int qemu_plugin_version = 1;

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id,
					   void (*cb)(uint64_t id, struct qemu_plugin_tb *tb));
void qemu_plugin_register_atexit_cb(uint64_t id, void (*cb)(uint64_t id, void *data), void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
				      void (*cb)(unsigned int cpu, uint32_t info, uint64_t addr,
						 void *data),
				      enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw,
				      void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
unsigned int qemu_plugin_mem_size_shift(uint32_t info);
bool qemu_plugin_mem_is_store(uint32_t info);
int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv);

struct range {
	uint64_t first, end;
};

static struct range text, data;
static const char *out;
static struct tally tally;

static bool is_in(const struct range *range, uint64_t address)
{
	return address >= range->first && address < range->end;
}

static void access_memory(unsigned int cpu, uint32_t info, uint64_t addr, void *insn)
{
	if (is_in(&data, addr))
		tally_add(&tally, (uint64_t)insn, addr, 1UL << qemu_plugin_mem_size_shift(info),
			  qemu_plugin_mem_is_store(info) ? 'w' : 'r');
}

static void translate(uint64_t id, struct qemu_plugin_tb *tb)
{
	struct qemu_plugin_insn *insn;
	uint64_t address;
	size_t i;

	for (i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		insn = qemu_plugin_tb_get_insn(tb, i);
		address = qemu_plugin_insn_vaddr(insn);
		if (is_in(&text, address))
			qemu_plugin_register_vcpu_mem_cb(insn, access_memory,
							 QEMU_PLUGIN_CB_NO_REGS,
							 QEMU_PLUGIN_MEM_RW, (void *)address);
	}
}

static void finish(uint64_t id, void *data)
{
	tally_write(&tally, out);
}

static bool parse_range(struct range *range, const char *arg)
{
	return sscanf(arg, "%" SCNx64 "-%" SCNx64, &range->first, &range->end) == 2;
}

int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv)
{
	bool ok = true;
	int i;

	for (i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "text=", 5))
			ok &= parse_range(&text, argv[i] + 5);
		else if (!strncmp(argv[i], "data=", 5))
			ok &= parse_range(&data, argv[i] + 5);
		else if (!strncmp(argv[i], "out=", 4))
			out = strdup(argv[i] + 4);
	}
	if (!ok || !text.end || !data.end || !out) {
		fputs("observer: text=, data= and out= are needed\n", stderr);
		return 1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
	qemu_plugin_register_atexit_cb(id, finish, NULL);
	return 0;
}
