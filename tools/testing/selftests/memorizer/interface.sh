#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The files in debugfs memorizer/: modes, valid and invalid values, contents
. "${0%/*}/functions.sh"

clear_refuses_others() {
	for bad in 2 x '1 1'; do
		same "clear <- $bad" "$(put "$bad" clear_object_list)" "Invalid argument" || return 1
	done
}

refused_to_others() {
	others_may_not memorizer_enabled memorizer_log_access memorizer_track_lines line_size show_stats \
		clear_object_list kmap traffic
}

# Line sizes are powers of two, and can be set only while no lines are tracked.
line_size_takes_powers_of_two() {
	put 0 memorizer_track_lines >/dev/null
	for good in 8 4096 64; do
		same "line_size <- $good" "$(put $good line_size)" ok &&
		same "line_size" "$(cat $M/line_size)" $good || return 1
	done
	for bad in 0 4 48 8192 x ''; do
		[ -z "$bad" ] || same "line_size <- $bad" "$(put "$bad" line_size)" "Invalid argument" || return 1
	done
	put 1 memorizer_track_lines >/dev/null
	same "while lines are tracked" "$(put 128 line_size)" "Device or resource busy" || return 1
	put 0 memorizer_track_lines >/dev/null
	same "line_size" "$(cat $M/line_size)" 64
}

# moves: print the number of moves in the file.
moves() {
	awk -F, '/^  / { n += $3 + $4 } END { printf "%.0f\n", n }' $M/traffic
}

# The file has the KMAP's objects whose lines moved, with each counted move.
traffic_has_each_move() {
	[ "$(nproc)" -gt 1 ] || { echo "# one CPU: nothing moves"; return 0; }
	quiet
	before=$(stat_of traffic)
	moves=$(moves)
	echo 1 >$M/memorizer_enabled
	echo 1 >$M/memorizer_track_lines
	echo 1 >$M/memorizer_log_access
	for n in 1 2; do
		cat /proc/self/status | sort | wc >/dev/null
	done
	echo 0 >$M/memorizer_log_access
	echo 0 >$M/memorizer_enabled
	moved=$(($(stat_of traffic) - before))
	cat $M/traffic >$traffic
	cat $M/kmap >$traffic.kmap
	echo 0 >$M/memorizer_track_lines
	[ $moved -gt 0 ] || { echo "# no line moved"; return 1; }
	same "moves" $(($(moves) - moves)) $moved || return 1
	# All other columns equal the KMAP's.
	sed 's/^\(  [^,]*,[^,]*\),[^,]*,[^,]*\(,[^,]*,[^,]*\)$/\1\2/' $traffic |
		awk -F, -v OFS=, '
			function mine() { return /^  / ? $0 : $1 OFS $2 OFS $3 OFS $4 OFS $5 }
			/^[^ ]/ { object = mine() }
			NR == FNR { known[object OFS mine()] = 1; next }
			!((object OFS mine()) in known) { print "# not in the KMAP: " $0; bad = 1 }
			END { exit bad }' $traffic.kmap -
}

stats_have() {
	stats=$(mktemp)
	cat $M/show_stats >$stats
	for key in traffic lost_traffic_pool_full lost_traffic_lines_full lost_traffic_nested lines_tracked lines_room \
		   enabled allocations frees frees_missed frees_unknown objects_live objects_freed \
		   objects_cleared accesses_attributed accesses_cleared accesses_unattributed paused accesses_left_out allocations_left_out \
		   lost_objects_pool_full lost_objects_index_full lost_objects_out_of_range \
		   lost_accesses_pool_full access_entries pool_objects pool_entries pool_index \
		   pool_used pool_size sites sites_patched sites_on sites_prefixes sites_user \
		   sites_percpu; do
		stat_of $key $stats | grep -qx '[0-9]*' || { echo "# no number for $key"; return 1; }
	done
	rm $stats
}

traffic=$(mktemp)
trap 'rm -f $traffic*; filter; quiet' EXIT

# filter [FUNCTION]: let logging enable only its sites, or all.
filter() { [ ! -e $M/memorizer_filter ] || echo "$1" >$M/memorizer_filter; }

plan 19
check mode_of memorizer_enabled 600
check mode_of memorizer_log_access 600
check mode_of memorizer_track_lines 600
check mode_of line_size 600
check mode_of clear_object_list 200
check mode_of show_stats 400
check mode_of kmap 400
check mode_of traffic 400
# The tests of the switches start many processes, whose accesses need not count.
filter no_function
check switch_takes_booleans memorizer_enabled
check switch_takes_booleans memorizer_log_access
check switch_takes_booleans memorizer_track_lines
check switch_refuses_others memorizer_enabled
check switch_refuses_others memorizer_log_access
check switch_refuses_others memorizer_track_lines
filter
check line_size_takes_powers_of_two
check clear_refuses_others
check refused_to_others
check stats_have
check traffic_has_each_move
finish
