#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Reading, clearing and switching at once, from several processes
. "${0%/*}/functions.sh"

dir=$(mktemp -d)
server=/sys/kernel/debug/sched/fair_server/cpu1/runtime
[ ! -w $server ] || runtime=$(cat $server)
trap ': >$dir/done; wait; [ -z "${runtime-}" ] || echo $runtime >$server; rm -rf $dir; quiet' EXIT

repeat() {
	for n in 1 2 3 4 5 6; do
		eval "$1" || { : >$dir/failed; return 1; }
	done
}

at_once() {
	echo 1 >$M/memorizer_enabled
	repeat "echo 1 >$M/memorizer_log_access; echo 0 >$M/memorizer_log_access" &
	repeat "echo 1 >$M/clear_object_list" &
	repeat "cat $M/kmap >/dev/null" &
	repeat "dd if=$M/kmap of=/dev/null bs=77 count=300 2>/dev/null" &
	repeat "cat $M/show_stats >/dev/null" &
	repeat "echo 0 >$M/memorizer_enabled; echo 1 >$M/memorizer_enabled" &
	repeat "ls -lR /sys/devices/system/cpu/cpu0 >/dev/null; echo 1 >$M/memorizer_log_access" &
	wait
	[ ! -e $dir/failed ]
}

# The counts are still right afterwards.
counts_agree() {
	cat $M/kmap >$dir/kmap
	kmap_agrees $dir/kmap &&
	same "allocations" "$(stat_of allocations)" \
		$(($(stat_of objects_live) + $(stat_of objects_freed) + $(stat_of objects_cleared) + \
		   $(stat_of objects_retired)))
}

everything_can_be_cleared() {
	echo 1 >$M/clear_object_list
	same "freed objects" "$(stat_of objects_freed)" 0
}

# The file can be read in pieces of any size.
read_in_pieces_is_the_same() {
	cat $M/kmap >$dir/kmap
	dd if=$M/kmap of=$dir/pieces bs=1013 2>/dev/null
	cmp $dir/kmap $dir/pieces
}

# The first reader of an object sorts its rows. Others wait for it, and do not miss any.
concurrent_readers_show_all_rows() {
	quiet
	echo 1 >$M/memorizer_enabled
	echo 1 >$M/memorizer_log_access
	ls -lR /sys/devices/system/cpu/cpu0 >/dev/null
	echo 0 >$M/memorizer_log_access
	echo 0 >$M/memorizer_enabled
	for n in 1 2 3 4; do
		grep '^ ' $M/kmap >$dir/rows$n &
	done
	wait
	echo "# $(wc -l <$dir/rows1) rows"
	for n in 2 3 4; do
		cmp $dir/rows1 $dir/rows$n || return 1
	done
	[ -s $dir/rows1 ]
}

# Nothing waits for a CPU on which a real-time task starves all others.
real_time_task_delays_nothing() {
	[ -w /sys/devices/system/cpu/cpu1/online ] || { echo "# there is no second CPU"; return 0; }
	# From CPU 1: stopping the fair server of an idle CPU makes linux 6.12 warn.
	taskset -p 2 $$ >/dev/null
	[ -z "${runtime-}" ] || echo 0 >$server
	echo 1 >$M/memorizer_enabled
	taskset -p 1 $$ >/dev/null
	${0%/*}/busy 1 $dir/done >$dir/busy &
	until grep -q . $dir/busy; do
		usleep 10000
	done
	echo 1 >$M/memorizer_log_access
	echo 1 >$M/clear_object_list
	echo 0 >$M/memorizer_log_access
	cat $M/kmap >/dev/null
	: >$dir/done
	wait
	taskset -p ff $$ >/dev/null
	[ -z "${runtime-}" ] || echo $runtime >$server
	same "real-time task" "$(tr '\n' ' ' <$dir/busy)" "busy told to end "
}

plan 6
check at_once
check real_time_task_delays_nothing
settle
check undisturbed counts_agree
check undisturbed everything_can_be_cleared
check undisturbed read_in_pieces_is_the_same
check concurrent_readers_show_all_rows
finish
