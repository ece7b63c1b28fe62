#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Make a vmlinux or module with symbols and the compiler's notes from a description on standard
input.

make-notes.py [-e be] [-z|-Z] FILE  -z: compress sections with zlib, -Z: with zstd. Lines of the
                                    description:
id HEX                              build id
section NAME                        a module: the following addresses are offsets in this section
function ADDRESS SIZE NAME          in hex
data ADDRESS SIZE NAME              likewise
symbol ADDRESS NAME                 a symbol other than a function
file NAME                           the following functions are local to this file; -: global
note KIND IP TYPE PATH FILE LINE OFFSET SIZE TYPE_SIZE FLAGS    IP is hex, other numbers decimal,
                                    - is an empty text; KIND is read, write, update, string or alloc
record KIND NAME SIZE               a struct or union; its members follow
member OFFSET SIZE PATH TYPE
"""
import struct
import subprocess
import sys
import zlib

KINDS = {"read": 1, "write": 2, "update": 3, "string": 4, "alloc": 5}
CODE, COMPRESSED = 6, 0x800    # flags of sections: allocated and executable
ZLIB, ZSTD = 1, 2    # types of compression


class Strings:
    """A string table."""

    def __init__(self):
        self.data = b"\0"

    def add(self, text):
        """Add a text; return its offset."""
        if text in ("", "-"):
            return 0
        self.data += text.encode() + b"\0"
        return len(self.data) - len(text) - 1


SECTIONS = 8    # of a vmlinux; a module's code sections follow
NAMES, STRINGS = 5, 6


class Kernel:
    """The contents of the description."""

    def __init__(self, order):
        self.order = order
        self.build_id = b""
        self.sections, self.relocations = [], b""
        self.sizes = {}    # of sections, by number
        self.names, self.strings = Strings(), Strings()
        self.symbols = self.pack("IBBHQQ", 0, 0, 0, 0, 0, 0)
        self.notes, self.records = b"", []
        self.local = False

    def pack(self, form, *values):
        """Return an encoded field."""
        return struct.pack(self.order + form, *values)

    def section(self):
        """Return the number of the section of code."""
        return SECTIONS + len(self.sections) - 1 if self.sections else 1

    def note(self, words):
        """Add a note; in a module, relocated fields are 0."""
        add = self.strings.add
        ip, texts = int(words[2], 16), [add(word) for word in words[3:6]]
        line, offset, size, type_size, flags = map(int, words[6:])
        if self.sections:
            places = [(0, 1, len(self.sections) + 1, ip)] + \
                [(8 + 4 * i, 10, 1, text) for i, text in enumerate(texts)]
            for at, kind, symbol, addend in places:
                self.relocations += self.pack("QQq", len(self.notes) + at, symbol << 32 | kind,
                                              addend)
            ip, texts = 0, [0, 0, 0]
        self.notes += self.pack("Q7I2BHQ", ip, *texts, line, offset, size, type_size, 1,
                                KINDS[words[1]], flags, 0)

    def line(self, words):
        """Parse a line."""
        if words[0] == "id":
            self.build_id = bytes.fromhex(words[1])
        elif words[0] == "section":
            self.sections.append(words[1])
        elif words[0] in ("function", "data"):
            end = int(words[1], 16) + int(words[2], 16)
            self.sizes[self.section()] = max(end, self.sizes.get(self.section(), 0))
            kind = 2 if words[0] == "function" else 1
            self.symbols += self.pack("IBBHQQ", self.names.add(words[3]),
                                      kind if self.local else 0x10 + kind, 0,
                                      self.section(), int(words[1], 16), int(words[2], 16))
        elif words[0] == "file":
            self.local = words[1] != "-"
            self.symbols += self.pack("IBBHQQ", self.names.add(words[1]), 0x04, 0, 0xfff1, 0, 0)
        elif words[0] == "symbol":
            self.symbols += self.pack("IBBHQQ", self.names.add(words[2]), 0x10, 0, 1,
                                      int(words[1], 16), 0)
        elif words[0] == "note":
            self.note(words)
        elif words[0] == "record":
            self.records.append(" ".join(words[1:]) + "\n")
        elif words[0] == "member":
            self.records[-1] += " ".join(words[1:]) + "\n"
        else:
            sys.exit(f"make-notes.py: {words}")


def write(kernel, path, compress):
    """Write the file: ELF header, sections, section headers."""
    order, pack = kernel.order, kernel.pack
    note = pack("III", 4, len(kernel.build_id), 3) + b"GNU\0" + kernel.build_id
    types = "".join(record + "\0" for record in kernel.records).encode()
    sections = [("", 0, b"", 0, 0), (".text", 1, b"", 0, 0), (".symtab", 2, kernel.symbols, 4, 24),
                (".notes", 7, note if kernel.build_id else b"", 0, 0),
                (".strtab", 3, kernel.names.data, 0, 0),
                (".debug_memorizer_names", 1, kernel.notes, 0, 0),
                (".debug_memorizer_str", 1, kernel.strings.data, 0, 0),
                (".debug_memorizer_types", 1, types, 0, 0)]
    if not kernel.notes:
        del sections[5:]
    local = [STRINGS] + list(range(SECTIONS, SECTIONS + len(kernel.sections)))
    symbols = b"".join(pack("IBBHQQ", 0, 3, 0, number, 0, 0) for number in local)
    if kernel.sections:
        sections[2] = (".symtab", 2, kernel.symbols[:24] + symbols + kernel.symbols[24:], 4, 24)
        sections += [(name, 1, bytes(kernel.sizes.get(number, 0)), 0, 0)
                     for number, name in enumerate(kernel.sections, SECTIONS)]
        sections += [(".rela.debug_memorizer_names", 4, kernel.relocations, 2, 24)]
    names = Strings()
    heads, data = b"", b""
    for name, kind, content, link, size in sections + [(".shstrtab", 3, None, 0, 0)]:
        at = names.add(name)
        if content is None:
            content = names.data
        flags = CODE if name in kernel.sections else 0
        info = {2: 1 + len(symbols) // 24 if kernel.sections else 1, 4: NAMES}.get(kind, 0)
        if compress and name.startswith(".debug"):
            content = pack("IIQQ", compress, 0, len(content), 1) + \
                (zlib.compress(content) if compress == ZLIB else
                 subprocess.run(["zstd", "-q"], input=content, capture_output=True,
                                check=True).stdout)
            flags = COMPRESSED
        heads += pack("IIQQQQIIQQ", at, kind, flags, 0, 64 + len(data), len(content), link,
                      info, 4 if kind == 7 else 8, size)
        data += content + b"\0" * (-len(content) % 8)
    ident = b"\x7fELF" + bytes([2, 1 if order == "<" else 2, 1]) + b"\0" * 9
    head = ident + pack("HHIQQQIHHHHHH", 1 if kernel.sections else 2, 62, 1, 0, 0, 64 + len(data), 0, 64, 0, 0, 64,
                        len(sections) + 1, len(sections))
    with open(path, "wb") as file:
        file.write(head + data + heads)


def main():
    """Parse the description."""
    order = ">" if "-e" in sys.argv and sys.argv[sys.argv.index("-e") + 1] == "be" else "<"
    kernel = Kernel(order)
    for line in sys.stdin:
        if line.split() and not line.startswith("#"):
            kernel.line(line.split(None, 4) if line.startswith("member") else line.split())
    kernel.records = [record.replace("\n\n", "\n") for record in kernel.records]
    write(kernel, sys.argv[-1], ZLIB if "-z" in sys.argv else ZSTD if "-Z" in sys.argv else 0)


main()
