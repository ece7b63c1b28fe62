#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Reading the KMAP neither stops tracing nor records the reader's own work.
. "${0%/*}/functions.sh"

kmap=$(mktemp)
trap 'rm -f $kmap*; rmmod $module 2>/dev/null; quiet' EXIT

# range_of FUNCTION: print the first and last address of its code, from $kmap.symbols.
range_of() {
	awk -v name="$1" 'first != "" && $1 != first { print first, $1; exit }
			  $3 == name { first = $1 }' $kmap.symbols
}

# The reader sorts hundreds of thousands of rows and formats show_stats: none of its accesses is recorded.
reader_is_not_recorded() {
	quiet
	echo 1 >$M/memorizer_enabled
	echo 1 >$M/memorizer_log_access
	for n in 1 2 3; do
		sh -c "echo \$\$ >$kmap.pid; exec cat $M/kmap $M/show_stats" >/dev/null
		pids="$pids $(cat $kmap.pid)"
	done
	echo 0 >$M/memorizer_log_access
	rm $kmap.pid
	sort /proc/kallsyms >$kmap.symbols
	grep -E "^  [0-9a-f]+,($(echo $pids | tr ' ' '|'))," $M/kmap >$kmap
	for pid in $pids; do
		grep -q "^  [0-9a-f]*,$pid," $kmap || { echo "# nothing of $pid, not even its start"; return 1; }
		for function in seq_printf seq_vprintf sort_r; do
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

# No code with sites runs per row: each of its accesses would enter a thunk only to find the task paused.
reading_costs_few_accesses() {
	quiet
	echo 1 >$M/memorizer_enabled
	echo 1 >$M/memorizer_log_access
	ls -lR /sys/devices/system/cpu/cpu0 >/dev/null
	before=$(stat_of paused)
	between=$(stat_of paused)
	rows=$(cat $M/kmap | wc -l)
	after=$(stat_of paused)
	echo 0 >$M/memorizer_log_access
	accesses=$((after - between - (between - before)))
	echo "# $accesses accesses for $rows rows"
	[ $rows -gt 10000 ] && [ $accesses -lt $((10 * rows)) ]
}

# Seeking is refused: it would take as long as reading everything before the position.
reading_starts_at_the_beginning() {
	quiet
	[ ! -e $M/memorizer_kinds ] || echo slab,user >$M/memorizer_kinds
	echo 1 >$M/memorizer_enabled
	echo 1 >$M/memorizer_track_lines
	echo 1 >$M/memorizer_log_access
	ls -lR /sys/devices/system/cpu/cpu0 >/dev/null
	echo 0 >$M/memorizer_log_access
	echo 0 >$M/memorizer_enabled
	for file in kmap kmap_fields kmap_kinds kmap_stacks user traffic; do
		[ -e $M/$file ] || continue
		[ $file != traffic ] || grep -q . $M/traffic || continue
		undisturbed ${0%/*}/positions $M/$file || { echo "# $file"; return 1; }
	done
	echo 0 >$M/memorizer_track_lines
	[ ! -e $M/memorizer_kinds ] || echo slab >$M/memorizer_kinds
}

# Modules load and unload while a reader reads byte by byte, and the reader can be killed.
reader_does_not_block_modules() {
	module_found || { echo "# no module"; return 0; }
	quiet
	echo 1 >$M/memorizer_enabled
	echo 1 >$M/memorizer_log_access
	ls -lR /sys/devices/system/cpu/cpu0 >/dev/null
	dd if=$M/kmap bs=1 of=/dev/null 2>/dev/null &
	reader=$!
	load_module && rmmod $module || return 1
	kill $reader
	wait $reader
	same "status of the reader" $? 143
}

plan 5
check reader_is_not_recorded
check reading_does_not_stop_tracing
check reading_costs_few_accesses
check reading_starts_at_the_beginning
check reader_does_not_block_modules
finish
