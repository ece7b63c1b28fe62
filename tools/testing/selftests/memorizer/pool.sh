#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# A full pool counts the events it loses, and works again after clearing.
. "${0%/*}/functions.sh"

[ "$(stat_of pool_size)" -lt 8000000 ] && [ "$(stat_of objects_live)" -lt 1000 ] ||
	skip "the pool is not small and empty: boot with memorizer.pool=2M memorizer.enabled=0"
dir=$(mktemp -d)
trap 'rm -rf $dir; quiet' EXIT

lost() { awk '/^lost_/ { n += $2 } END { print n + 0 }' $M/show_stats; }

# record LOG: record objects, and accesses if LOG is 1.
record() {
	echo 1 >$M/memorizer_enabled
	echo $1 >$M/memorizer_log_access
}

stop() {
	echo 0 >$M/memorizer_log_access
	echo 0 >$M/memorizer_enabled
}

# fill ACCESSES: list many files, each of which leaves an inode and a dentry.
fill() {
	empty
	before=$(lost)
	record $1
	for n in $(seq 100); do
		ls -lR /sys/devices /proc/sys >/dev/null
		[ $(($(lost) - before)) -gt 1000 ] && return 0
		for f in $(seq 100); do
			: >$dir/$n.$f
		done
	done
	echo "# still not full: $(stat_of pool_used) of $(stat_of pool_size)"
	return 1
}

# empty: free the recorded objects, wait for RCU, and clear them.
empty() {
	stop
	rm -f $dir/*
	for n in $(seq 100); do
		echo 3 >/proc/sys/vm/drop_caches
		[ "$(stat_of objects_live)" -lt 100 ] && break
		sleep 0.1
	done
	echo 1 >$M/clear_object_list
}

pool_fills_and_losses_are_counted() {
	fill 1 && [ "$(stat_of pool_used)" -le "$(stat_of pool_size)" ]
}

kmap_of_a_full_pool_agrees_with_its_stats() {
	stop
	cat $M/kmap >$dir/kmap
	kmap_agrees $dir/kmap
}

# There is room for objects and accesses again, whichever of them filled the pool.
works_again_after_clearing() {
	fill $1 || return 1
	empty
	before=$(lost)
	record 1
	cat /proc/version >/dev/null
	stop
	same "lost after clearing" "$(lost)" "$before" || return 1
	cat $M/kmap >$dir/kmap
	same "objects of cat with accesses" "$(awk -F, '
		/^  / { n += mine; mine = 0; next }
		{ mine = $NF == "cat" }
		END { print (n > 0) }' $dir/kmap)" 1
}

# log_says_all_losses: the log has as many lost objects, accesses and calls as the statistics, and a larger pool.
log_says_all_losses() {
	stop
	told=$(dmesg | sed -n 's/.*memorizer: the pool of \([0-9]*\) KiB was full: \([0-9]*\) objects, \([0-9]*\) accesses and \([0-9]*\) calls are lost; memorizer\.pool=\([0-9]*\)M would have had room$/\1 \2 \3 \4 \5/p' |
		awk -v size=$(($(stat_of pool_size) >> 10)) '
			{ objects += $2; accesses += $3; calls += $4; wrong += $1 != size || $5 * 1024 <= size }
			END { print objects + 0, accesses + 0, calls + 0, wrong + 0 }')
	calls=$(stat_of lost_calls_pool_full)
	same "objects, accesses and calls that the log says are lost" "$told" \
		"$(($(stat_of lost_objects_pool_full) + $(stat_of lost_objects_index_full))) $(stat_of lost_accesses_pool_full) ${calls:-0} 0"
}

plan 6
check pool_fills_and_losses_are_counted
check kmap_of_a_full_pool_agrees_with_its_stats
check works_again_after_clearing 1
check works_again_after_clearing 0
check works_again_after_clearing 1
check log_says_all_losses
finish
