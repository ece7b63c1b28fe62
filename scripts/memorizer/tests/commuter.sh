#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Test pairs of system calls in a guest: one must conflict in a reference count only, the others must not conflict.
. "$(dirname "$0")/../lib.sh"

dir=$out/commuter-test
alike=one-directory/getppid/getppid
apart=one-directory/read/write-pipe
count=one-description/close/close

# rows TABLE: print a table of "memorizer conflicts" by phase, without code addresses and the columns of lines.
rows() { sed -n "s/^$1,//p" "$dir/conflicts.csv" | sed 's/+0x[0-9a-f]*\/0x[0-9a-f]*//'; }

# made: run the calls and analyse the trace.
made() { "$here/commuter" "@($alike|$apart|$count)" "$dir"; }
phases() {
	diff <(printf '%s\n' "$alike,3,0,0" "$apart,3,0,0" "$count,3,3,1" | sort) \
		<(rows phases | cut -d, -f1-4 | sort)
}
# Both write the whole count. A LOCKed instruction is one store.
conflicts() {
	local row

	row=$(rows conflicts)
	echo "$row"
	[[ $row =~ ^filp\+0x[0-9a-f]+,$count,\"0,\ 1\",alloc_empty_file,\"0:\ .*writes\ (__)?fput.*\;\ 1:\ .*writes\ (__)?fput.*\",8,3$ ]]
}
tables() { grep -q '^2 of 3 pairs are free of conflicts$' "$dir/said.tables"; }

plan 4
result "pairs of calls in a guest" eval 'made >"$dir.said" && mv "$dir.said" "$dir/said.tables"'
result "calls without shared memory do not conflict" phases
result "closing two descriptors of an open file conflicts in its reference count" conflicts
result "the table shows the same" tables
