#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The session of the documentation: clear, log, run something, stop, read.
. "${0%/*}/functions.sh"

kmap=$(mktemp)
dir=$(mktemp -d)
trap 'rm -rf $kmap $dir; quiet' EXIT

run_session() {
	echo 1 >$M/clear_object_list
	echo 1 >$M/memorizer_enabled
	echo 1 >$M/memorizer_log_access
	for n in 1 2 3 4 5 6 7 8; do
		cp "$0" $dir/$n
	done
	tar zcf $dir.tar.gz -C $dir .
	rm $dir.tar.gz
	echo 0 >$M/memorizer_log_access
	echo 0 >$M/memorizer_enabled
	cat $M/kmap >$kmap
	grep -q ,tar$ $kmap && grep -q '^  ' $kmap
}

# Each row has one of the two documented formats.
lines_are_well_formed() {
	bad=$(grep -v -n -E \
		-e '^[0-9a-f]+,[0-9]+,[0-9a-f]+,[0-9]+,[0-9]+,[0-9]+,[0-9a-f]+,.*$' \
		-e '^  [0-9a-f]+,[0-9]+,[0-9]+,[0-9]+$' $kmap | head -n 3)
	[ -z "$bad" ] || { echo "# $bad"; return 1; }
	! head -n 1 $kmap | grep -q '^  '
}

# A live object has neither a time nor an ip of a free; a freed one has a time.
frees_are_consistent() {
	awk -F, '!/^  / && (($6 == 0) != ($7 == "0") && $7 != "0" || $6 == 0 && $7 != "0") { bad++ }
		 END { exit bad != 0 }' $kmap
}

live_objects_do_not_overlap() {
	# BusyBox's awk has no 64-bit integers: sort the addresses as text.
	same "addresses of live objects" \
		"$(awk -F, '!/^  / && $6 == 0 { print $3 }' $kmap | sort | uniq -d)" ""
}

no_ip_and_pid_twice() {
	same "lines twice" "$(awk -F, '
		/^  / { if (seen[$1, $2]++) print; next }
		{ delete seen }' $kmap | head -n 3)" ""
}

stats_agree_with_kmap() {
	kmap_agrees $kmap
}

# lost: print the counts of losses so far.
lost() {
	grep ^lost_ $M/show_stats
}

nothing_is_lost() {
	same "losses" "$(lost)" "$lost_before" || return 1
	same frees_missed "$(stat_of frees_missed)" $missed_before
}

allocations_add_up() {
	same "live, freed and cleared" \
		$(($(stat_of objects_live) + $(stat_of objects_freed) + $(stat_of objects_cleared) + \
		   $(stat_of objects_retired))) \
		"$(stat_of allocations)"
}

# Frees are recorded even while no new objects are.
without_frees() {
	sed 's/^\([0-9a-f]*,[^,]*,[^,]*,[^,]*,[^,]*\),[^,]*,[^,]*,/\1,/' "$@"
}

read_twice_is_the_same() {
	without_frees $kmap >$dir/first
	cat $M/kmap | without_frees | cmp - $dir/first
}

clear_leaves_live_objects() {
	sum=$(($(stat_of accesses_attributed) + $(stat_of accesses_cleared)))
	echo 1 >$M/clear_object_list
	same "accesses in the KMAP and cleared" \
		$(($(stat_of accesses_attributed) + $(stat_of accesses_cleared))) $sum &&
	same "freed objects" "$(stat_of objects_freed)" 0 &&
	same "live objects" "$(sum_kmap <$M/kmap | cut -d' ' -f1)" "$(stat_of objects_live)" &&
	same "freed lines" "$(awk -F, '!/^  / && $6 != 0' $M/kmap | head -n 1)" ""
}

quiet
# KUnit allocates an object over a live one.
missed_before=$(stat_of frees_missed)
# KUnit may also have filled the pool before.
lost_before=$(lost)
plan 10
check run_session
check lines_are_well_formed
check frees_are_consistent
check live_objects_do_not_overlap
check no_ip_and_pid_twice
check undisturbed stats_agree_with_kmap
check nothing_is_lost
check undisturbed allocations_add_up
check read_twice_is_the_same
check undisturbed clear_leaves_live_objects
finish
