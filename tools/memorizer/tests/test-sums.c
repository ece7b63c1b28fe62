// SPDX-License-Identifier: GPL-2.0
/* Test hash tables, symbols from kallsyms, and sums. */
#include "report/sums.h"
#include "tap.h"

#define KEYS	100000

struct wide {
	u64 key[2];
	u64 value;
};

static void test_hash(void)
{
	u64 i, fresh = 0, same = 0, zero = 0, key[2];
	struct wide *item;
	struct hash h;
	bool new;

	hash_init(&h, sizeof(struct wide), sizeof(key));
	for (i = 0; i < 2 * KEYS; i++) {
		key[0] = i % KEYS / 7 << 40;
		key[1] = i % KEYS % 7;
		item = hash_item(&h, hash_get(&h, key, &new));
		fresh += new;
		zero += new && !item->value;
		same += !new && item->value == i % KEYS + 1;
		item->value = i + 1;
	}
	tap_number(fresh, KEYS, "each key is new once");
	tap_number(zero, KEYS, "a new item is all zero");
	tap_number(same, KEYS, "an item is found again, with its value");
	tap_number(h.nr, KEYS, "items are counted");
	for (i = same = 0; i < KEYS; i++)
		same += ((struct wide *)hash_item(&h, i))->key[0] == i / 7 << 40;
	tap_number(same, KEYS, "items are numbered in order of insertion");
	hash_free(&h);
}

static const char kallsyms[] =
	"0000000000000000 A fixed_percpu_data\n"
	"ffffffff81000000 T _stext\n"
	"ffffffff81000000 T _text\n"
	"ffffffff81000000 t first\n"
	"ffffffff81000100 W weak_alias\n"
	"ffffffff81000100 T __second\n"
	"ffffffff81000100 T second\n"
	"ffffffff81000100 t local_alias\n"
	"ffffffff81000180 t last.constprop.0\n"
	"ffffffff81000200 T _etext\n"
	"ffffffff81000300 D data\n"
	"ffffffffc0000000 t mod_init\t[one]\n"
	"ffffffffc0000ff0 t mod_exit\t[one]\n"
	"ffffffffc0005000 t two_fn\t[two]\n"
	"ffffffffc0005040 d two_data\t[two]\n";

static void check_name(const struct kmap_symbols *s, u64 ip, enum kmap_ip kind,
		       const char *want)
{
	char text[KMAP_SYMBOL_MAX];

	tap_number(kmap_symbols_format(s, ip, kind, text), strlen(want), "length of a name");
	tap_text(text, want, want);
}

static void test_symbols(void)
{
	char error[ERROR_MAX];
	struct kmap_symbols *s = text_kallsyms(kallsyms, sizeof(kallsyms) - 1, error);

	if (!tap_ok(s, "kallsyms is read"))
		return;
	check_name(s, 0xffffffff80ffffff, KMAP_IP_EXACT, "ffffffff80ffffff");
	check_name(s, 0xffffffff81000000, KMAP_IP_EXACT, "first+0x0/0x100");
	check_name(s, 0xffffffff810000ff, KMAP_IP_EXACT, "first+0xff/0x100");
	check_name(s, 0xffffffff81000100, KMAP_IP_EXACT, "second+0x0/0x80");
	check_name(s, 0xffffffff81000100, KMAP_IP_RETURN, "first+0x100/0x100");
	check_name(s, 0xffffffff810001ff, KMAP_IP_EXACT, "last.constprop.0+0x7f/0x80");
	check_name(s, 0xffffffff81000200, KMAP_IP_EXACT, "ffffffff81000200");
	check_name(s, 0xffffffff81000200, KMAP_IP_RETURN, "last.constprop.0+0x80/0x80");
	check_name(s, 0xffffffff81000300, KMAP_IP_EXACT, "ffffffff81000300");
	check_name(s, 0xffffffffc0000010, KMAP_IP_EXACT, "mod_init+0x10/0xff0 [one]");
	check_name(s, 0xffffffffc0001fff, KMAP_IP_EXACT, "mod_exit+0x100f/0x1010 [one]");
	check_name(s, 0xffffffffc0002000, KMAP_IP_EXACT, "ffffffffc0002000");
	check_name(s, 0xffffffffc000503f, KMAP_IP_EXACT, "two_fn+0x3f/0x40 [two]");
	check_name(s, 0xffffffffc0005040, KMAP_IP_EXACT, "ffffffffc0005040");
	check_name(s, 0, KMAP_IP_EXACT, "0");
	check_name(s, U64_MAX, KMAP_IP_RETURN, "ffffffffffffffff");
	kmap_symbols_free(s);
}

#define NO_LINE \
	": not a line of kallsyms: expected ADDRESS TYPE NAME, with a tab and [MODULE] for a module"

/* Invalid kallsyms, and the end of the message */
static const struct {
	const char *text, *error;
} bad_kallsyms[] = {
	{ "", ": empty: expected a copy of /proc/kallsyms" },
	{ "0 T a\n0 T b\n",
	  ": all addresses are 0: copy /proc/kallsyms as root, with kptr_restrict below 2" },
	{ "1 T a\nnonsense\n", ":2" NO_LINE },
	{ "1 T a\n\n", ":2" NO_LINE },
	{ "1 T\x20\n", ":1" NO_LINE },
	{ "1 T a\t[]\n", ":1" NO_LINE },
	{ "1 T a\tb\n", ":1" NO_LINE },
	{ "12345678123456781 T a\n", ":1" NO_LINE },
	{ "1 T a", ":1" NO_LINE },
};

static void test_bad_kallsyms(void)
{
	char error[ERROR_MAX];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad_kallsyms); i++) {
		if (text_kallsyms(bad_kallsyms[i].text, strlen(bad_kallsyms[i].text), error))
			snprintf(error, sizeof(error), ": taken");
		tap_text(strchr(error, ':'), bad_kallsyms[i].error, "a bad kallsyms is refused");
	}
}

static void add_at(struct sums *k, u64 jiffies, u64 pid, u64 size, const char *comm)
{
	struct kmap_object o = {
		.alloc_ip = 1, .pid = pid, .size = size, .alloc_jiffies = jiffies,
		.comm = comm, .comm_len = strlen(comm),
	};

	sums_object(k, &o);
}

static void add(struct sums *k, u64 pid, u64 size, const char *comm)
{
	add_at(k, 1, pid, size, comm);
}

static void touch(struct sums *k, u64 ip, u64 pid, u64 writes,
		  u64 reads)
{
	struct kmap_access one = { .ip = ip, .pid = pid, .writes = writes, .reads = reads };

	sums_count(k, &one);
}

static void test_overflow(const struct kmap_symbols *none)
{
	struct sums k;

	sums_init(&k, none, NULL);
	add(&k, 1, U64_MAX, "a");
	touch(&k, 5, 1, 0, U64_MAX - 1);
	touch(&k, 5, 1, 0, 1);
	tap_ok(!k.overflow, "sums take 64 bits");
	tap_number(k.total[GROUP_KMAP][SUM_READS], U64_MAX, "a sum reaches 64 bits");
	add(&k, 1, 1, "a");
	tap_ok(k.overflow, "one more is an overflow");
	tap_number(k.total[GROUP_KMAP][SUM_REQ], U64_MAX, "an overflowing sum saturates");
	sums_free(&k);
}

static void test_sharing(const struct kmap_symbols *none)
{
	struct sums k;
	struct site *site;

	sums_init(&k, none, NULL);
	add(&k, 1, 10, "a");
	touch(&k, 5, 1, 1, 2);
	touch(&k, 6, 1, 1, 2);
	add(&k, 1, 20, "a");
	touch(&k, 5, 2, 3, 4);
	touch(&k, 5, 3, 5, 6);
	touch(&k, 6, 2, 7, 8);
	add(&k, 1, 40, "a");
	add(&k, 1, 80, "a");
	touch(&k, 5, 1, 0, 1);
	touch(&k, 5, 2, 0, 1);
	touch(&k, 5, 3, 0, 1);
	sums_end(&k);
	site = hash_item(k.sites + GROUP_KMAP, 0);
	tap_number(k.total[GROUP_KMAP][SUM_TOUCHED], 3, "accessed objects");
	tap_number(k.all_shared[SUM_HIT], 2, "objects accessed by several pids");
	tap_number(k.all_shared[SUM_REQ], 100, "their bytes");
	tap_number(k.all_shared[SUM_READS], 21, "their reads");
	tap_number(k.all_shared[SUM_WRITES], 15, "their writes");
	tap_number(k.all_shared[SUM_MOST_PIDS], 3, "most pids of one");
	tap_number(site->sum[SUM_READS], 25, "reads of a site");
	tap_number(site->sum[SUM_WRITES], 17, "writes of a site");
	site = hash_item(&k.shared, 0);
	tap_number(site->sum[SUM_ACCESSES], 36, "accesses to a site's shared objects");
	sums_free(&k);
}

static u64 comm_reads(const struct sums *k, const char *name)
{
	const struct comm *comm;
	u32 i;

	for (i = 0; i < k->comms.nr; i++) {
		comm = hash_item(&k->comms, i);
		if (!strcmp(comm->text, name))
			return comm->sum[SUM_READS];
	}
	return U64_MAX;
}

static void test_comms(const struct kmap_symbols *none)
{
	struct sums k;

	sums_init(&k, none, NULL);
	add_at(&k, 5, 1, 8, "old");
	touch(&k, 9, 1, 0, 1);
	add_at(&k, 7, 1, 8, "last");
	touch(&k, 9, 1, 0, 2);
	add_at(&k, 6, 1, 8, "middle");
	touch(&k, 9, 1, 0, 4);
	touch(&k, 9, 2, 0, 8);
	sums_end(&k);
	tap_number(comm_reads(&k, "last"), 7, "reads count for the comm of the last allocation");
	tap_number(comm_reads(&k, "old"), 0, "not for one before");
	tap_number(comm_reads(&k, "middle"), 0, "wherever it stands");
	tap_number(comm_reads(&k, "\n"), 8, "those of a pid that allocated nothing for none");
	sums_free(&k);
}

int main(void)
{
	char error[ERROR_MAX];
	struct kmap_symbols *none = kmap_symbols_load(NULL, NULL, false, error);

	test_hash();
	test_symbols();
	test_bad_kallsyms();
	test_overflow(none);
	test_sharing(none);
	test_comms(none);
	kmap_symbols_free(none);
	return tap_end();
}
