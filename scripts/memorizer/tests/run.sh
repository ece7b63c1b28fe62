#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Test "make run": its output fits on a screen, and its sums are the kernel's.
. "$(dirname "$0")/../lib.sh"

screen=$out/run-test

value() { sed -n "s/^$1: //p" "$out/run/show_stats"; }
runs() { "$here/run" >"$screen"; cat "$screen"; }
# fits: three tables of ten rows with their headers and sums.
fits() { [ "$(wc -l <"$screen")" -le 64 ] && ! grep -n '.\{121\}' "$screen"; }

# all_accesses: the accesses shown and left out add up to the kernel's accesses_attributed.
all_accesses() {
	local shown left_out

	shown=$(sed -n 's/.* live at the end; \([0-9]*\) reads and \([0-9]*\) writes\.$/\1 + \2/p' "$screen")
	left_out=$(sed -n 's/^Left out: \([0-9]*\) accesses .*/\1/p' "$screen")
	echo "$shown + $left_out, of $(value accesses_attributed)"
	[ $((shown + left_out)) -eq "$(value accesses_attributed)" ]
}

# works_as_printed: run the first of the suggested commands.
works_as_printed() {
	local command

	command=$(sed -n 's,^  \(build/tools/memorizer report .*\),\1,p' "$screen")
	(cd "$top" && $command >"$screen.report") && grep -c '^FUNCTIONS THAT ACCESS OBJECTS$' "$screen.report"
}

plan 5
result "it runs" runs
result "its result fits on a screen" fits
result "nothing is lost" grep -c ' Lost: 0 events\.$' "$screen"
result "it shows as many accesses as the kernel counted" all_accesses
result "the suggested command works" works_as_printed
