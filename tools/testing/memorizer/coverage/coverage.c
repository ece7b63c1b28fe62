// SPDX-License-Identifier: GPL-2.0
/*
 * QEMU TCG plugin: count each kernel instruction's accesses to the direct map.
 *
 * Arguments: text=<hex>, start of the kernel's text; first=<hex> and last=<hex>, the direct
 * map; out=<file>. On exit, it writes address and number of accesses of each instruction that
 * accessed the direct map. The address of an instruction is the one after the five prefixes of
 * a disabled site.
 *
 * Debian's QEMU lacks the header of the plugin interface: the functions used of version 1 are
 * declared here.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_SIZE	(64UL << 20)

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
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv);

static uint64_t text, first, last;
static const char *out;
static uint64_t *count;		/* per address in the text */

static void access_memory(unsigned int cpu, uint32_t info, uint64_t addr, void *data)
{
	if (addr - first <= last - first)
		++*(uint64_t *)data;
}

/* Number of the instruction's bytes that belong to a site */
static size_t site_of(const struct qemu_plugin_insn *insn)
{
	const char *bytes = qemu_plugin_insn_data(insn);

	if (qemu_plugin_insn_size(insn) <= 5)
		return 0;
	return !memcmp(bytes, "\x3e\x3e\x3e\x3e\x3e", 5) ||
	       !memcmp(bytes, "\x36\x36\x36\x36\x36", 5) ? 5 : 0;
}

static void translate(uint64_t id, struct qemu_plugin_tb *tb)
{
	struct qemu_plugin_insn *insn;
	uint64_t offset;
	size_t i;

	for (i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		insn = qemu_plugin_tb_get_insn(tb, i);
		offset = qemu_plugin_insn_vaddr(insn) + site_of(insn) - text;
		if (offset < TEXT_SIZE)
			qemu_plugin_register_vcpu_mem_cb(insn, access_memory,
							 QEMU_PLUGIN_CB_NO_REGS,
							 QEMU_PLUGIN_MEM_RW, &count[offset]);
	}
}

static void finish(uint64_t id, void *data)
{
	FILE *file = fopen(out, "w");
	uint64_t i;

	if (!file) {
		perror(out);
		return;
	}
	for (i = 0; i < TEXT_SIZE; i++)
		if (count[i])
			fprintf(file, "%" PRIx64 " %" PRIu64 "\n", text + i, count[i]);
	if (fclose(file))
		perror(out);
}

int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv)
{
	int i;

	for (i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "text=", 5))
			text = strtoull(argv[i] + 5, NULL, 16);
		else if (!strncmp(argv[i], "first=", 6))
			first = strtoull(argv[i] + 6, NULL, 16);
		else if (!strncmp(argv[i], "last=", 5))
			last = strtoull(argv[i] + 5, NULL, 16);
		else if (!strncmp(argv[i], "out=", 4))
			out = strdup(argv[i] + 4);
	}
	count = calloc(TEXT_SIZE, sizeof(*count));
	if (!text || !last || !out || !count) {
		fputs("coverage: text=, first=, last= and out= are needed\n", stderr);
		return 1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
	qemu_plugin_register_atexit_cb(id, finish, NULL);
	return 0;
}
