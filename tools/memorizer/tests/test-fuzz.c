// SPDX-License-Identifier: GPL-2.0
/*
 * Read KMAPs and kallsyms with reproducible random damage, and check invariants that hold for any
 * input. Run it under sanitizers.
 */
#include "report/sums.h"
#include "tap.h"

#define ROUNDS		30000
#define TEXT_MAX	8192

static const char good_kmap[] =
	"ffffffff81000010,7,ffff888000001000,64,100,200,ffffffff81000020,tar\n"
	"  ffffffff81000030,7,3,4\n"
	"  ffffffff81000031,8,18446744073709551615,0\n"
	"ffffffff81000110,0,ffff888000002000,4096,100,0,0,swapper/0\n"
	"ffffffffc0000010,2147483647,ffff888000003000,1,100,150,deadbeef,a,b\\x0ac\\\\d\n"
	"  ffffffffc0000020,1,0,1\n"
	"  ffffffff81000130,0,12,34567\n"
	"slab,ffffffff81000110,9,ffff888000005000,32,100,0,0,sh\n"
	"  @ffffffff81000110,ffffffff81000020,ffffffff81000210\n"
	"  ffffffff81000130,0,1,2\n"
	"struct_page,ffffffff81000110,0,ffff888000004000,64,0,0,0,swapper\n"
	"  ffffffff81000130,0,1,2\n"
	"1,1,0,0,0,0,0,\n";

static const char good_kallsyms[] =
	"ffffffff81000000 T _stext\n"
	"ffffffff81000000 t first\n"
	"ffffffff81000100 T second\n"
	"ffffffff81000200 T _etext\n"
	"ffffffffc0000000 t mod_fn\t[mod]\n"
	"ffffffffc0000040 d mod_data\t[mod]\n";

static u64 random_state = 88172645463325252u;

static u32 below(u32 n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (random_state >> 32) % n;
}

/* Replace @cut bytes by @len bytes; return the new length of the text. */
static size_t replace(char *text, size_t size, size_t at, size_t cut, const char *with,
		      size_t len)
{
	if (at + cut > size || size - cut + len > TEXT_MAX)
		return size;
	memmove(text + at + len, text + at + cut, size - at - cut);
	memcpy(text + at, with, len);
	return size - cut + len;
}

static size_t damage(char *text, size_t size)
{
	static const char * const pieces[] = {
		"\n", ",", "  ", " ", "0", "f", "\\", "\\x", "\\x00", "deadbeef", "-1",
		"18446744073709551615", "18446744073709551616", "2147483648", "\t[m]",
		"ffffffffffffffff", "10000000000000000", "\r\n", "\n\n", "\xff",
		"stack,", "  @", "  @ffffffff81000110",
	};
	char copy[TEXT_MAX], byte;
	const char *piece;
	size_t at = below(size + 1), cut = below(size - at + 1), len;

	switch (below(7)) {
	case 0:
		byte = below(256);
		return replace(text, size, at, 1, &byte, 1);
	case 1:
		if (at < size)
			text[at] ^= 1 << below(8);
		return size;
	case 2:
		return replace(text, size, at, cut, "", 0);
	case 3:
		len = below(cut + 1);
		memcpy(copy, text + at, len);
		return replace(text, size, below(size + 1), 0, copy, len);
	case 4:
		len = below(2 * LINES_LENGTH_MAX);
		memset(copy, " 0f,\n"[below(5)], len);
		return replace(text, size, at, 0, copy, len);
	case 5:
		return replace(text, size, at, 1, "\0", 1);
	default:
		piece = pieces[below(ARRAY_SIZE(pieces))];
		return replace(text, size, at, below(2), piece, strlen(piece));
	}
}

/* Make a damaged copy of @good; return its size. */
static size_t make(char *text, const char *good)
{
	size_t size = strlen(good);
	int i, times = 1 + below(6);

	memcpy(text, good, size);
	for (i = 0; i < times; i++)
		size = damage(text, size);
	return size;
}

static u64 count_lines(const char *text, size_t size)
{
	u64 nr = 0;
	size_t i;

	for (i = 0; i < size; i++)
		nr += text[i] == '\n';
	return nr + (size && text[size - 1] != '\n');
}

/* Return whether the line, without leading zeros, equals the values read from it. */
static bool same_object(const struct kmap_reader *r)
{
	const struct kmap_object *o = &r->object;
	char text[LINES_LENGTH_MAX], *p = text;
	const char *line = r->field[0];
	int i;

	sprintf(text, "%llx,%llu,%llx,%llu,%llu,%llu,%llx,",
		o->alloc_ip, o->pid, o->addr, o->size, o->alloc_jiffies, o->free_jiffies,
		o->free_ip);
	for (i = 0; i < 7; i++) {
		while (*line == '0' && line[1] != ',')
			line++;
		while (*line == *p && *p != ',') {
			line++;
			p++;
		}
		if (*line++ != ',' || *p++ != ',')
			return false;
	}
	return line == o->comm && line + o->comm_len == r->lines.line + r->lines.len;
}

/* Read a damaged KMAP; return an error, or NULL. */
static const char *read_kmap(const char *text, size_t size, const struct kmap_symbols *s)
{
	u64 objects = 0, accesses = 0, stacks = 0, last = 0, bytes = 0;
	FILE *file = text_file(text, size);
	const char *wrong = NULL;
	enum kmap_event event;
	struct kmap_reader r;
	struct sums k;
	const u64 *total = k.total[GROUP_KMAP];

	sums_init(&k, s, NULL);
	kmap_reader_init(&r, fileno(file));
	while ((event = kmap_reader_next(&r)) != KMAP_END) {
		if (r.lines.nr <= last || event == KMAP_FAILED)
			wrong = "lines come in order";
		last = r.lines.nr;
		if (event == KMAP_OBJECT) {
			objects++;
			bytes += r.object.size;
			sums_object(&k, &r.object);
			if (!same_object(&r))
				wrong = "an object is what its line says";
		} else if (event == KMAP_FRAMES) {
			stacks++;
			if (r.object.frames[0] != r.object.alloc_ip || !r.object.nr_frames ||
			    r.object.nr_frames > KMAP_STACK_MAX)
				wrong = "a stack begins with its object's alloc_ip";
		} else if (event == KMAP_ACCESS) {
			accesses++;
			sums_count(&k, &r.access);
			if (!objects)
				wrong = "an access has an object";
		}
	}
	sums_end(&k);
	if (objects + accesses + stacks + r.malformed + r.orphans != count_lines(text, size))
		wrong = "each line is an object, a stack, an access or malformed, or below one";
	if (total[SUM_HIT] != objects || (!k.overflow && total[SUM_REQ] != bytes))
		wrong = "sums are those of the lines";
	sums_free(&k);
	kmap_reader_free(&r);
	fclose(file);
	return wrong;
}

int main(void)
{
	char text[TEXT_MAX], error[ERROR_MAX] = "", name[KMAP_SYMBOL_MAX];
	const char *wrong = NULL;
	struct kmap_symbols *good, *s;
	int i, taken = 0, refused = 0;

	good = text_kallsyms(good_kallsyms, strlen(good_kallsyms), error);
	for (i = 0; i < ROUNDS && !wrong; i++)
		wrong = read_kmap(text, make(text, good_kmap), good);
	if (!tap_ok(!wrong, "a damaged KMAP is read line by line"))
		printf("# not true in round %d: %s\n", i, wrong);
	for (i = 0; i < ROUNDS; i++) {
		*error = '\0';
		s = text_kallsyms(text, make(text, good_kallsyms), error);
		refused += !s && *error;
		if (!s)
			continue;
		taken += kmap_symbols_format(s, 0xffffffff81000123, KMAP_IP_RETURN, name) ==
			 strlen(name);
		kmap_symbols_free(s);
	}
	tap_number(taken + refused, ROUNDS,
		   "a damaged kallsyms is taken or refused with a message");
	kmap_symbols_free(good);
	return tap_end();
}
