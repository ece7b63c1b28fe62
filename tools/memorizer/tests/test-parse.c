// SPDX-License-Identifier: GPL-2.0
/* Test the parser: every field's value, every message, lines of any length. */
#include <errno.h>
#include <sys/wait.h>

#include "kmap/kmap.h"
#include "tap.h"

#define OBJECT	"ffffffff81000010,7,ffff888000001000,64,100,200,ffffffff81000020,tar\n"
#define OBJECT_FIELDS \
	"alloc_ip,pid,obj_va_ptr,size,alloc_jiffies,free_jiffies,free_ip,executable"
#define NO_ADDRESS \
	"is not an address: 1 to 16 lower-case hex digits without 0x"
#define LARGEST	"18446744073709551615"
#define ACCESS	"  ffffffff81000030,8,3,4\n"
#define STACK	"  @ffffffff81000010,ffffffff81000110\n"
#define TRAFFIC	"  ffffffff81000030,8,5,6,3,4\n"

/* Expect one event from a text of a single line. */
static struct kmap_reader read_one(const char *text, enum kmap_event want, const char *name)
{
	FILE *file = text_file(text, strlen(text));
	struct kmap_reader r;
	enum kmap_event event;

	kmap_reader_init(&r, fileno(file));
	event = kmap_reader_next(&r);
	if (!tap_ok(event == want && kmap_reader_next(&r) == KMAP_END, name))
		printf("# event %d: %s\n", event, r.error);
	fclose(file);
	return r;
}

static void test_object(void)
{
	struct kmap_reader r = read_one(OBJECT, KMAP_OBJECT, "an object line is an object");
	struct kmap_object *o = &r.object;

	tap_number(o->alloc_ip, 0xffffffff81000010, "alloc_ip");
	tap_number(o->pid, 7, "pid");
	tap_number(o->addr, 0xffff888000001000, "obj_va_ptr");
	tap_number(o->size, 64, "size");
	tap_number(o->alloc_jiffies, 100, "alloc_jiffies");
	tap_number(o->free_jiffies, 200, "free_jiffies");
	tap_number(o->free_ip, 0xffffffff81000020, "free_ip");
	tap_number(o->comm_len, 3, "length of executable");
	tap_ok(!memcmp(o->comm, "tar", 3), "executable");
	tap_number(o->kind, KMAP_UNKNOWN, "an object line without a kind");
	kmap_reader_free(&r);
}

static void test_kinds(void)
{
	enum kmap_kind kind;
	struct kmap_reader r;
	char line[256];

	for (kind = KMAP_SLAB; kind < KMAP_KINDS; kind++) {
		snprintf(line, sizeof(line), "%s,%s", kmap_kinds[kind], OBJECT);
		r = read_one(line, KMAP_OBJECT, "an object line may begin with a kind");
		tap_number(r.object.kind, kind, "kind");
		tap_number(r.object.alloc_ip, 0xffffffff81000010, "alloc_ip after the kind");
		kmap_reader_free(&r);
	}
}

static void test_access(void)
{
	FILE *file = text_file(OBJECT ACCESS, strlen(OBJECT ACCESS));
	struct kmap_reader r;

	kmap_reader_init(&r, fileno(file));
	tap_number(kmap_reader_next(&r), KMAP_OBJECT, "an access follows its object");
	tap_number(kmap_reader_next(&r), KMAP_ACCESS, "an access line is an access");
	tap_number(r.access.ip, 0xffffffff81000030, "access_ip");
	tap_number(r.access.pid, 8, "access_pid");
	tap_number(r.access.writes, 3, "write_count");
	tap_number(r.access.reads, 4, "read_count");
	tap_number(r.lines.nr, 2, "lines are numbered from 1");
	tap_number(kmap_reader_next(&r), KMAP_END, "the KMAP ends");
	tap_number(kmap_reader_next(&r), KMAP_END, "the end repeats");
	tap_number(r.malformed, 0, "no line is malformed");
	kmap_reader_free(&r);
	fclose(file);
}

static void test_frames(void)
{
	static const char text[] = OBJECT "  @ffffffff81000010,ffffffff81000110,1\n" ACCESS
		"slab," OBJECT "  @ffffffff81000010\n" OBJECT;
	FILE *file = text_file(text, strlen(text));
	struct kmap_reader r;

	kmap_reader_init(&r, fileno(file));
	tap_number(kmap_reader_next(&r), KMAP_OBJECT, "a stack follows its object");
	tap_number(r.object.nr_frames, 0, "before it, the object has no frames");
	tap_number(kmap_reader_next(&r), KMAP_FRAMES, "a stack is a line of its own");
	tap_number(r.object.nr_frames, 3, "number of frames");
	tap_number(r.object.frames[0], 0xffffffff81000010, "the innermost frame is alloc_ip");
	tap_number(r.object.frames[1], 0xffffffff81000110, "next frame");
	tap_number(r.object.frames[2], 1, "outermost frame");
	tap_number(kmap_reader_next(&r), KMAP_ACCESS, "an access may follow a stack");
	tap_number(r.object.nr_frames, 3, "then the object still has it");
	kmap_reader_next(&r);
	kmap_reader_next(&r);
	tap_number(r.object.nr_frames, 1, "a stack may have a single frame");
	kmap_reader_next(&r);
	tap_number(r.object.nr_frames, 0, "an object without stack after it has none");
	tap_number(r.malformed, 0, "no line is malformed");
	kmap_reader_free(&r);
	fclose(file);
}

/* Each line of the file traffic also has the moves of cache lines. */
static void test_traffic(void)
{
	FILE *file = text_file(OBJECT TRAFFIC ACCESS, strlen(OBJECT TRAFFIC ACCESS));
	struct kmap_reader r;

	kmap_reader_init(&r, fileno(file));
	kmap_reader_next(&r);
	tap_number(kmap_reader_next(&r), KMAP_ACCESS, "a line of traffic is an access");
	tap_number(r.access.ip, 0xffffffff81000030, "its access_ip");
	tap_number(r.access.pid, 8, "its access_pid");
	tap_number(r.access.write_moves, 5, "write_moves");
	tap_number(r.access.read_moves, 6, "read_moves");
	tap_number(r.access.writes, 3, "its write_count");
	tap_number(r.access.reads, 4, "its read_count");
	tap_number(kmap_reader_next(&r), KMAP_MALFORMED, "a line with fewer fields after it is malformed");
	tap_text(r.error,
		 "field count is 4, an access line has 6 like the first: access_ip,access_pid,write_moves,read_moves,write_count,read_count",
		 "... and the message says so");
	kmap_reader_free(&r);
	fclose(file);
}

static void test_limits(void)
{
	struct kmap_reader r;

	r = read_one("ffffffffffffffff,2147483647,0," LARGEST ",9," LARGEST ",deadbeef,\n",
		     KMAP_OBJECT, "the largest values are accepted");
	tap_number(r.object.alloc_ip, U64_MAX, "largest alloc_ip");
	tap_number(r.object.pid, INT_MAX, "largest pid");
	tap_number(r.object.size, U64_MAX, "largest size");
	tap_number(r.object.free_jiffies, U64_MAX, "largest free_jiffies");
	tap_number(r.object.free_ip, KMAP_IP_OVERWRITTEN, "free_ip deadbeef");
	tap_number(r.object.comm_len, 0, "an executable may be empty");
	kmap_reader_free(&r);

	r = read_one("0,0,fffffffffffffff0,16,5,5,0,a\n", KMAP_OBJECT,
		     "an object may end with the address space and die in the jiffy of its birth");
	kmap_reader_free(&r);
}

static void test_executable(void)
{
	static const char all[] = "\\x00\\x01\\x02\\x03\\x04\\x05\\x06\\x07\\x08\\x09"
				  "\\x0a\\x0b\\x0c\\x0d\\xff";
	static const char odd[] = "a,b, c\\\\d\\x0ae,,";
	char text[256];
	struct kmap_reader r;

	snprintf(text, sizeof(text), "1,1,1,1,1,0,0,%s\n", odd);
	r = read_one(text, KMAP_OBJECT, "an executable may hold commas, spaces and escapes");
	tap_ok(r.object.comm_len == strlen(odd) && !memcmp(r.object.comm, odd, strlen(odd)),
	       "and is kept as it is");
	kmap_reader_free(&r);
	snprintf(text, sizeof(text), "1,1,1,1,1,0,0,%s\n", all);
	r = read_one(text, KMAP_OBJECT, "an executable may be 15 escapes");
	tap_number(r.object.comm_len, KMAP_COMM_TEXT, "15 escapes are 60 bytes");
	kmap_reader_free(&r);
}

/* A line after two valid ones, and its message */
static const struct {
	const char *line, *error;
} malformed[] = {
	{ "\n", "empty line: each line is an object, a stack or an access" },
	{ "x\n",
	  "field count is 1, an object line has 8: " OBJECT_FIELDS },
	{ "pages,1,2,3\n",
	  "field count is 3, an object line has 8: " OBJECT_FIELDS },
	{ "stacks,1,2,3,4,5,6,7,a\n",
	  "alloc_ip \"stacks\" " NO_ADDRESS },
	{ "1,2,3,4,5,6,7\n",
	  "field count is 7, an object line has 8: " OBJECT_FIELDS },
	{ "FF,1,1,1,1,1,1,a\n",
	  "alloc_ip \"FF\" " NO_ADDRESS },
	{ "0xff,1,1,1,1,1,1,a\n",
	  "alloc_ip \"0xff\" " NO_ADDRESS },
	{ ",1,1,1,1,1,1,a\n",
	  "alloc_ip \"\" " NO_ADDRESS },
	{ "12345678123456781,1,1,1,1,1,1,a\n",
	  "alloc_ip \"12345678123456781\" " NO_ADDRESS },
	{ "\x1b[2J,1,1,1,1,1,1,a\n",
	  "alloc_ip \"\\x1b[2J\" " NO_ADDRESS },
	{ "1,a,1,1,1,1,1,a\n", "pid \"a\" is not a number: decimal digits only" },
	{ "1,-1,1,1,1,1,1,a\n", "pid \"-1\" is not a number: decimal digits only" },
	{ "1,2147483648,1,1,1,1,1,a\n", "pid \"2147483648\" is too large: at most 2147483647" },
	{ "1,1, 1,1,1,1,1,a\n",
	  "obj_va_ptr \" 1\" " NO_ADDRESS },
	{ "1,1,1,18446744073709551616,1,1,1,a\n",
	  "size \"18446744073709551616\" is too large: at most " LARGEST },
	{ "1,1,1,99999999999999999999999999,1,1,1,a\n",
	  "size \"999999999999999999999999...\" is too large: at most " LARGEST },
	{ "1,1,1,1,,1,1,a\n", "alloc_jiffies \"\" is not a number: decimal digits only" },
	{ "1,1,1,1,1,1.5,1,a\n", "free_jiffies \"1.5\" is not a number: decimal digits only" },
	{ "1,1,1,1,1,1,-,a\n",
	  "free_ip \"-\" " NO_ADDRESS },
	{ "1,1,1,1,1,0,ab,a\n", "free_ip ab on a live object: with free_jiffies 0 it is 0" },
	{ "1,1,1,1,9,8,0,a\n",
	  "freed at 8, allocated at 9: free_jiffies is 0 or not before alloc_jiffies" },
	{ "1,1,ffffffffffffffff,2,1,1,0,a\n",
	  "2 bytes from ffffffffffffffff on: an object ends within the address space" },
	{ "1,1,1,1,1,0,0,tar\r\n",
	  "byte 0x0d in executable: unprintable bytes are written as \\xNN" },
	{ "1,1,1,1,1,0,0,\xc3\xa4\n",
	  "byte 0xc3 in executable: unprintable bytes are written as \\xNN" },
	{ "1,1,1,1,1,0,0,a\\q\n",
	  "\"\\q\" in executable is not an escape: \\\\ or \\xNN with lower-case hex digits" },
	{ "1,1,1,1,1,0,0,\\x1\n",
	  "\"\\x1\" in executable is not an escape: \\\\ or \\xNN with lower-case hex digits" },
	{ "1,1,1,1,1,0,0,\\x1Fab\n",
	  "\"\\x1F\" in executable is not an escape: \\\\ or \\xNN with lower-case hex digits" },
	{ "1,1,1,1,1,0,0,\\\n",
	  "\"\\\" in executable is not an escape: \\\\ or \\xNN with lower-case hex digits" },
	{ "1,1,1,1,1,0,0,sixteen bytes xx\n",
	  "executable has 16 bytes: a task's comm has at most 15" },
	{ " 1,1,1,1\n",
	  "1 space before the first field: an object line has none, an access line two" },
	{ "   1,1,1,1\n",
	  "3 spaces before the first field: an object line has none, an access line two" },
	{ "  1,1,1\n",
	  "field count is 3, an access line has 4: access_ip,access_pid,write_count,read_count" },
	{ "  1,1,1,1,1\n", "\"1\" is not OFFSET+BYTES within an object of 64 bytes" },
	{ "  1,1,1,1,60+8\n", "\"60+8\" is not OFFSET+BYTES within an object of 64 bytes" },
	{ "  1,1,1,1,0+0\n", "\"0+0\" is not OFFSET+BYTES within an object of 64 bytes" },
	{ "  1,1,1,1,0+4 \n", "\"0+4 \" is not OFFSET+BYTES within an object of 64 bytes" },
	{ "\x20\x20\n",
	  "field count is 1, an access line has 4: access_ip,access_pid,write_count,read_count" },
	{ "  1,1,1,1,1,1\n",
	  "field count is 6, an access line has 4: access_ip,access_pid,write_count,read_count" },
	{ "  g,1,1,1\n",
	  "access_ip \"g\" " NO_ADDRESS },
	{ "  1,9999999999,1,1\n", "access_pid \"9999999999\" is too large: at most 2147483647" },
	{ "  1,1,1e3,1\n", "write_count \"1e3\" is not a number: decimal digits only" },
	{ "  1,1,1,1\x20\n", "read_count \"1 \" is not a number: decimal digits only" },
	{ "  1,1,1,18446744073709551616\n",
	  "read_count \"18446744073709551616\" is too large: at most " LARGEST },
	{ "  1,1,1,1", "truncated: the last line must end in a newline" },
	{ "1", "truncated: the last line must end in a newline" },
	{ "  @ffffffff81000010\n",
	  "a stack not after an object: it is on the line that follows the object line" },
};

static void test_malformed(void)
{
	struct kmap_reader r;
	char text[512];
	size_t i;
	FILE *file;

	for (i = 0; i < ARRAY_SIZE(malformed); i++) {
		snprintf(text, sizeof(text), OBJECT ACCESS "%s", malformed[i].line);
		file = text_file(text, strlen(text));
		kmap_reader_init(&r, fileno(file));
		kmap_reader_next(&r);
		kmap_reader_next(&r);
		if (kmap_reader_next(&r) != KMAP_MALFORMED)
			snprintf(r.error, sizeof(r.error), "none");
		tap_text(r.error, malformed[i].error, malformed[i].error);
		tap_ok(r.lines.nr == 3 && r.malformed == 1 && kmap_reader_next(&r) == KMAP_END,
		       "... on line 3, and parsing went on");
		kmap_reader_free(&r);
		fclose(file);
	}
	r = read_one(ACCESS, KMAP_MALFORMED, "an access without an object is malformed");
	tap_text(r.error, "an access before any object: a KMAP begins with an object line",
		 "... and the message says so");
	kmap_reader_free(&r);
}

#define FRAMES_15	",1,1,1,1,1,1,1,1,1,1,1,1,1,1,1"

/* A line after an object, and its message; NULL if it is a stack */
static const struct {
	const char *line, *error;
} stacks[] = {
	{ "  @ffffffff81000010" FRAMES_15 "\n", NULL },
	{ "  @ffffffff81000010" FRAMES_15 ",1\n", "more than 16 frames: a stack has 1 to 16" },
	{ "  @\n", "frame \"\" " NO_ADDRESS },
	{ "  @ffffffff81000010,\n", "frame \"\" " NO_ADDRESS },
	{ "  @ffffffff81000010,FF\n", "frame \"FF\" " NO_ADDRESS },
	{ "  @ffffffff81000010,1 ,2\n", "frame \"1 \" " NO_ADDRESS },
	{ "  @0xff\n", "frame \"0xff\" " NO_ADDRESS },
	{ "  @12345678123456781\n", "frame \"12345678123456781\" " NO_ADDRESS },
	{ "  @ffffffff81000011,1\n",
	  "first frame ffffffff81000011, alloc_ip ffffffff81000010: a stack begins with alloc_ip" },
	{ "  @ffffffff81000010", "truncated: the last line must end in a newline" },
};

static void test_malformed_stacks(void)
{
	struct kmap_reader r;
	char text[512];
	size_t i;
	FILE *file;

	for (i = 0; i < ARRAY_SIZE(stacks); i++) {
		snprintf(text, sizeof(text), OBJECT "%s", stacks[i].line);
		file = text_file(text, strlen(text));
		kmap_reader_init(&r, fileno(file));
		kmap_reader_next(&r);
		if (kmap_reader_next(&r) != KMAP_MALFORMED)
			snprintf(r.error, sizeof(r.error), "none");
		tap_text(r.error, stacks[i].error ?: "none", stacks[i].error ?: "16 frames are fine");
		tap_ok(r.object.nr_frames == (stacks[i].error ? 0 : 16) &&
		       kmap_reader_next(&r) == KMAP_END, "... and the object has them or none");
		kmap_reader_free(&r);
		fclose(file);
	}
}

/* Return one letter per event, with the numbers of malformed lines. */
static void trace(int fd, char *out)
{
	struct kmap_reader r;
	enum kmap_event event;

	kmap_reader_init(&r, fd);
	while ((event = kmap_reader_next(&r)) != KMAP_END && event != KMAP_FAILED) {
		*out++ = event == KMAP_OBJECT ? 'o' : event == KMAP_ACCESS ? 'a' :
			 event == KMAP_FRAMES ? 's' : 'm';
		if (event == KMAP_MALFORMED)
			out += sprintf(out, "%llu", r.lines.nr);
	}
	sprintf(out, " %llu/%llu%s", r.malformed, r.orphans,
		event == KMAP_FAILED ? " failed" : "");
	kmap_reader_free(&r);
}

static void check_trace(const char *text, size_t len, const char *want, const char *name)
{
	FILE *file = text_file(text, len);
	char got[256];

	trace(fileno(file), got);
	tap_text(got, want, name);
	fclose(file);
}

#define CHECK_TRACE(text, want, name)	check_trace(text, sizeof(text) - 1, want, name)

static void test_owner(void)
{
	CHECK_TRACE("", " 0/0", "an empty KMAP is valid");
	CHECK_TRACE(OBJECT ACCESS "bad\n" ACCESS ACCESS OBJECT ACCESS, "oam3oa 1/2",
		    "accesses below a malformed object are left out");
	CHECK_TRACE(OBJECT "  bad\n" ACCESS, "om2a 1/0",
		    "accesses below a malformed access count for their object");
	CHECK_TRACE(OBJECT " bad\n" ACCESS "\n" ACCESS, "om2am4a 2/0",
		    "so do those below a line with one space and an empty one");
	CHECK_TRACE("bad\n" ACCESS "  bad\n" OBJECT, "m1m3o 2/1",
		    "a malformed access below a malformed object is reported");
	CHECK_TRACE("bad\n" STACK ACCESS OBJECT STACK ACCESS, "m1osa 1/2",
		    "a stack below a malformed object is left out");
	CHECK_TRACE("bad\n  @x\n" OBJECT, "m1m2o 2/0", "unless it is malformed");
	CHECK_TRACE(STACK OBJECT ACCESS STACK ACCESS, "m1oam4a 2/0",
		    "a stack that does not follow an object line is malformed");
	CHECK_TRACE(OBJECT STACK STACK ACCESS, "osm3a 1/0", "so is a second one");
	CHECK_TRACE(OBJECT "\n" STACK, "om2m3 2/0", "and one after an empty line");
	CHECK_TRACE("\0\n" OBJECT "  \0,1,1,1\n" ACCESS "\0\0\0", "m1om3am5 3/0",
		    "NUL bytes are malformed like any other");
}

static void test_long_lines(void)
{
	size_t size = 1 << 20, len;
	char *text = xreallocarray(NULL, size + strlen(OBJECT), 1);

	memset(text, '0', size);
	memcpy(text, "1,1,1,", 6);
	memcpy(text + LINES_LENGTH_MAX - 10, ",1,0,0,tar\n", 11);
	check_trace(text, LINES_LENGTH_MAX + 1, "o 0/0", "a line of maximum length is accepted");
	memcpy(text + LINES_LENGTH_MAX - 10, ",1,0,0,tars\n", 12);
	check_trace(text, LINES_LENGTH_MAX + 2, "m1 1/0", "a longer line is malformed");

	memset(text, ' ', size);
	check_trace(text, size, "m1 1/0", "an endless line is one malformed line");
	len = strlen(ACCESS OBJECT);
	memcpy(text + size - len - 1, "\n" ACCESS OBJECT, len + 1);
	check_trace(text, size, "m1o 1/1", "the line after an endless line is read");
	memset(text, 'x', size);
	memcpy(text + size, OBJECT, strlen(OBJECT));
	check_trace(text, size + strlen(OBJECT), "m1 1/0", "the end of an endless line is not a line");
	free(text);
}

/* More than any buffer holds, so that lines cross its end */
static void test_many_lines(void)
{
	size_t size = 0, i, good = 0;
	struct kmap_reader r;
	char *text;
	FILE *memory = open_memstream(&text, &size), *file;

	for (i = 1; i <= 20000; i++)
		fprintf(memory, "%zx,%zu,%zx,%zu,1,0,0,c%zu\n", i, i, i * 16, i, i % 97);
	fclose(memory);
	file = text_file(text, size);
	kmap_reader_init(&r, fileno(file));
	for (i = 1; kmap_reader_next(&r) == KMAP_OBJECT; i++)
		good += r.lines.nr == i && r.object.alloc_ip == i && r.object.pid == i &&
			r.object.addr == i * 16 && r.object.size == i;
	tap_number(good, 20000, "each of 20000 lines has its own values");
	kmap_reader_free(&r);
	fclose(file);
	free(text);
}

static void test_short_reads(void)
{
	static const char text[] = OBJECT ACCESS "bad\n" ACCESS OBJECT ACCESS ACCESS "x";
	int ends[2], status;
	char got[256];
	size_t i;

	if (pipe(ends) || fflush(stdout))
		exit(EXIT_FAILURE);
	if (!fork()) {
		close(ends[0]);
		for (i = 0; i < sizeof(text) - 1; i++)
			if (write(ends[1], text + i, 1) != 1)
				_exit(EXIT_FAILURE);
		_exit(EXIT_SUCCESS);
	}
	close(ends[1]);
	trace(ends[0], got);
	close(ends[0]);
	wait(&status);
	tap_text(got, "oam3oaam8 2/1", "a pipe with a byte at a time is read the same");
}

static void test_failure(void)
{
	struct kmap_reader r;

	kmap_reader_init(&r, -1);
	tap_number(kmap_reader_next(&r), KMAP_FAILED, "a failed read is reported");
	tap_number(errno, EBADF, "a failed read sets errno");
	kmap_reader_free(&r);
}

int main(void)
{
	test_object();
	test_kinds();
	test_access();
	test_frames();
	test_traffic();
	test_limits();
	test_executable();
	test_malformed();
	test_malformed_stacks();
	test_owner();
	test_long_lines();
	test_many_lines();
	test_short_reads();
	test_failure();
	return tap_end();
}
