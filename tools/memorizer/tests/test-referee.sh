#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Test the referee, which compares the compiler's notes with DWARF: an instruction with a known
# verdict for each one, counted once, and as often as in a KMAP.
# Usage: test-referee.sh DIR, with referee in DIR/tests

. "$(dirname "$0")/common.sh"
referee=$build/tests/referee

cc -g -O1 -fno-pie -no-pie -static -nostdlib -fcf-protection=none -Wl,-e,same -o "$tmp/vmlinux" \
	"$here/vmlinux/referee/subject.c" || exit 1
objdump -d --no-show-raw-insn "$tmp/vmlinux" >"$tmp/disassembly"

# ip FUNCTION: print the ip of its memory access
ip()
{
	sed -n "/<$1>:/,/^$/s/^ *\([0-9a-f]*\):.*(%r.*/\1/p" "$tmp/disassembly"
}

# note_sections LINES: add the notes of these accesses to vmlinux
note_sections()
{
	printf '%s\n' "$@" 'record struct inner 8' 'member 0 4 first int' 'member 4 4 second int' \
		'record struct outer 56' 'member 0 8 head long' 'member 8 8 in inner' 'member 8 4 in.first int' \
		'member 12 4 in.second int' 'member 16 32 list[] inner' 'member 16 4 list[].first int' \
		'member 20 4 list[].second int' 'member 48 4 flag int' \
		'record struct alien 16' 'member 8 4 tail int' |
		python3 -B "$here/make-notes.py" "$tmp/notes" || exit 1
	set --
	for s in names str types; do
		objcopy -O binary --only-section=.debug_memorizer_$s --set-section-flags .debug_memorizer_$s=alloc \
			"$tmp/notes" "$tmp/$s" || exit 1
		set -- "$@" --add-section .debug_memorizer_$s="$tmp/$s"
	done
	objcopy "$@" "$tmp/vmlinux" "$tmp/noted" || exit 1
}

# verdicts KMAP: print the percentages of the verdicts
verdicts()
{
	"$referee" "$tmp/noted" ${1:+"$1" "$tmp/list"} <"$tmp/disassembly" >"$tmp/out" 2>&1
	awk '{ print $1 }' "$tmp/out" | xargs
}

note_sections "note read $(ip same) outer in.second a.c 1 12 4 56 0" \
	"note read $(ip other_member) outer head a.c 1 0 8 56 0" \
	"note write $(ip different) alien tail a.c 1 8 4 16 0" \
	"note read $(ip no_variable) outer flag a.c 1 48 4 56 0" \
	"note read $(ip unnamed) int - a.c 1 0 4 4 4" \
	"note read $(ip nameless) int - a.c 1 0 4 4 4"
same "each verdict occurs once" "6 16.67 16.67 16.67 16.67 16.67 16.67" "$(verdicts)"

# The same member by its record, and by the enclosing one; and an element with a variable index
note_sections "note read $(ip same) inner second a.c 1 4 4 8 0" "note read $(ip unnamed) outer list[].first a.c 1 4294967295 4 56 2"
same "a member of an embedded record, or of an array, is the same" "2 100.00 0.00 0.00 0.00 0.00 0.00" "$(verdicts)"
note_sections "note read $(ip same) inner first a.c 1 0 4 8 0"
same "an adjacent member differs" "1 0.00 0.00 100.00 0.00 0.00 0.00" "$(verdicts)"

note_sections "note read $(ip same) outer in.second a.c 1 12 4 56 0" \
	"note read $(ip other_member) outer head a.c 1 0 8 56 0" \
	"note write $(ip different) alien tail a.c 1 8 4 16 0"
printf '%s\n' "1,2,3" "  $(ip same),7,1,2" "  $(ip same),8,1,0" "  $(ip other_member),7,0,12" "  1234,7,100,100" >"$tmp/kmap"
same "accesses count as in a KMAP" "16 25.00 75.00 0.00 0.00 0.00 0.00" "$(verdicts "$tmp/kmap")"
same "differences are listed" "$(ip other_member) 12: notes outer.head at 0, DWARF outer at 48" \
	"$(sed 's/:[^:]*$//' "$tmp/list")"
"$referee" "$tmp/notes" <"$tmp/disassembly" >"$tmp/out" 2>&1
same "without DWARF nothing is inferred" "0.00 0.00 0.00" "$(awk 'NR > 1 && NR < 5 { print $1 }' "$tmp/out" | xargs)"
"$referee" "$tmp/vmlinux" <"$tmp/disassembly" >"$tmp/out" 2>&1
same "missing notes are reported" "2 referee: $tmp/vmlinux: no notes or no DWARF" "$? $(cat "$tmp/out")"
tap_end
