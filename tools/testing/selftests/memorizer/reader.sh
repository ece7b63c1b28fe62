#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Reading the KMAP neither stops tracing nor records the reader's own work.
. "${0%/*}/functions.sh"

kmap=$(mktemp)
trap 'rm -f $kmap; quiet' EXIT

# range_of FUNCTION: "first last", the addresses of a function's code.
range_of() {
	sort /proc/kallsyms | awk -v name="$1" 'first != "" && $1 != first { print first, $1; exit }
						 $3 == name { first = $1 }'
}

# The reader formats and sorts hundreds of thousands of lines: none of it may show.
reader_is_not_recorded() {
	quiet
	echo 1 >$M/memorizer_enabled
	echo 1 >$M/memorizer_log_access
	for n in 1 2 3; do
		sh -c "echo \$\$ >$kmap.pid; exec cat $M/kmap" >/dev/null
		pids="$pids $(cat $kmap.pid)"
	done
	echo 0 >$M/memorizer_log_access
	rm $kmap.pid
	grep -E "^  [0-9a-f]+,($(echo $pids | tr ' ' '|'))," $M/kmap >$kmap
	for pid in $pids; do
		grep -q "^  [0-9a-f]*,$pid," $kmap || { echo "# nothing of $pid, not even its start"; return 1; }
		for function in seq_read_iter seq_printf sort_r; do
			range=$(range_of $function)
			same "accesses of $pid in $function" "$(grep "^  [0-9a-f]*,$pid," $kmap |
				tr ',' ' ' | awk -v range="$range" '
				BEGIN { split(range, r, " ") }
				length($1) == length(r[1]) && $1 > r[1] && $1 <= r[2]')" "" || return 1
		done
	done
}

reading_does_not_stop_tracing() {
	quiet
	echo 1 >$M/memorizer_enabled
	echo 1 >$M/memorizer_log_access
	before=$(stat_of accesses_attributed)
	cat $M/kmap >/dev/null
	same "log_access" "$(cat $M/memorizer_log_access)" 1 &&
	ls /sys >/dev/null &&
	[ "$(stat_of accesses_attributed)" -gt "$before" ]
}

plan 2
check reader_is_not_recorded
check reading_does_not_stop_tracing
finish
