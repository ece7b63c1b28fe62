#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Some pairs of system calls in a guest: one that must conflict, in one count and nothing else, and some that must not.
. "$(dirname "$0")/../lib.sh"

dir=$out/commuter-test
alike=one-directory/getppid/getppid
apart=one-directory/read/write-pipe
count=one-description/close/close

# rows TABLE: of what "memorizer conflicts" found, by phase; without the addresses of code and columns of lines.
rows() { sed -n "s/^$1,//p" "$dir/conflicts.csv" | sed 's/+0x[0-9a-f]*\/0x[0-9a-f]*//'; }

# made: the calls were made, and the trace is analysed.
made() { "$here/commuter" "@($alike|$apart|$count)" "$dir"; }
phases() {
	diff <(printf '%s\n' "$alike,3,0,0" "$apart,3,0,0" "$count,3,3,1" | sort) \
		<(rows phases | cut -d, -f1-4 | sort)
}
# Both write the count, all of it. A LOCKed instruction is one store.
conflicts() {
	local row

	row=$(rows conflicts)
	echo "$row"
	[[ $row =~ ^filp\+0x[0-9a-f]+,$count,\"0,\ 1\",alloc_empty_file,\"0:\ .*writes\ (__)?fput.*\;\ 1:\ .*writes\ (__)?fput.*\",8,3$ ]]
}
tables() { grep -q '^2 of 3 pairs are free of conflicts$' "$dir/said.tables"; }

plan 4
result "pairs of calls in a guest" eval 'made >"$dir.said" && mv "$dir.said" "$dir/said.tables"'
result "calls that have nothing in common do not conflict" phases
result "two descriptors of one open file, closed, conflict in its count" conflicts
result "the table says so, too" tables
