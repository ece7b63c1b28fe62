// SPDX-License-Identifier: GPL-2.0
/* Functions of known sizes, for known output of memorizer. */
#define MARK(name)	".globl " #name "\n" #name ":\n"
#define FUNCTION(name, size, skip) \
	".type " #name ", \"function\"\n.size " #name ", " #size "\n" \
	#name ":\n.skip " #skip "\n"

asm(".text\n"
	MARK(_text)
	MARK(_stext)
	FUNCTION(widget_alloc, 0x100, 0x100)
	MARK(read_mark)
	FUNCTION(widget_read, 0x70, 0x80)
	FUNCTION(widget_write, 0x80, 0x80)
	FUNCTION(widget_free, 0x40, 0x40)
	MARK(_etext));
