#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Switch, read and clear Memorizer at random under a load of processes, files and sockets. Takes
# $stress_seconds (60) and the seed $stress_seed (1) from the environment; $stress_faults=1 injects
# allocation failures.
. "${0%/*}/functions.sh"

T=/sys/kernel/tracing
F="/sys/kernel/debug/failslab /sys/kernel/debug/fail_page_alloc"
most_faults=1000000000
dir=$(mktemp -d)
kmap=$dir/kmap
random=${stress_seed:-1}
cpu1=/sys/devices/system/cpu/cpu1/online
cpus=$(cd $M && echo cpu*)
jit=/proc/sys/net/core/bpf_jit_enable
compiled=$(cat $jit 2>/dev/null)
livepatch=$(find /modules . -name livepatch-sample.ko 2>/dev/null | head -n 1)
module_found || skip "no module $module: CONFIG_MEMORIZER_TEST_MODULE=m is needed"
command -v stress-ng >/dev/null || skip "no stress-ng"
[ -z "${stress_faults-}" ] || ls -d $F >/dev/null 2>&1 ||
	skip "CONFIG_FAILSLAB or CONFIG_FAIL_PAGE_ALLOC is not set: want $F"
mkdir $dir/cgroup && mount -t cgroup2 none $dir/cgroup 2>/dev/null || rmdir $dir/cgroup
trap 'rest; umount $dir/cgroup 2>/dev/null; rm -rf $dir; [ -z "$compiled" ] || echo $compiled >$jit; quiet' EXIT

# below N: set n to a random number below N.
below() {
	random=$(((random * 1103515245 + 12345) & 0x7fffffff))
	n=$(((random >> 8) % $1))
}

# one_of WORD...: set word to one of them.
one_of() {
	below $#
	shift $n
	word=$1
}

# nicely COMMAND...: run it at a lower priority than the actions. BusyBox need not have nice.
nicely() { sh -c 'renice -n 15 -p $$ && exec "$@"' nicely "$@"; }

# set_faults FILE VALUE: write it for each kind of fault.
set_faults() {
	for kind in $F; do
		echo $2 >$kind/$1
	done
}

# faults KIND: print the number of faults in this round.
faults() { echo $((most_faults - $(cat $1/times))); }

few_faults() {
	for kind in $F; do
		[ $(faults $kind) -gt 100 ] || return 0
	done
	return 1
}

# amid_faults SECONDS COMMAND...: run it, again when it dies of its failing allocations, and end it
# when it waits forever for tasks of its own. On a slow machine, go on until there are enough faults.
# This shell's allocations do not fail.
amid_faults() {
	set_faults times $most_faults
	until=$(($(cut -d . -f 1 /proc/uptime) + $1))
	shift
	while [ "$(cut -d . -f 1 /proc/uptime)" -lt $until ] || few_faults; do
		nicely timeout -s KILL 5 sh -c 'echo 1 >/proc/self/make-it-fail && exec "$@"' sh "$@"
	done
}

# storm SECONDS: let processes, files and sockets come and go in the background. stress-ng does not
# execute programs as root.
storm() {
	rm -f $dir/over
	set -- $1 stress-ng --seed $random --timeout "$1s" --temp-path /tmp --fork 1 --open 1 --dentry 1 --dentries 64 \
		--pipe 1 --sockpair 1 --sockfd 1 --mmap 1 --mmap-bytes 4M --futex 1 --timer 1 --seccomp 1
	(
		if [ -n "${stress_faults-}" ]; then
			amid_faults "$@"
		else
			shift
			nicely "$@"
		fi >$dir/stress-ng 2>&1
		echo $? >$dir/over
	) &
	until [ -e $dir/over ]; do
		nicely cat /proc/self/maps >/dev/null
	done &
}

# Actions. Each must succeed.
switch_logging() { below 2; echo $n >$M/memorizer_log_access; }
switch_recording() { below 2; echo $n >$M/memorizer_enabled; }
switch_lines() { below 2; echo $n >$M/memorizer_track_lines; }
switch_stacks() {
	[ -f $M/memorizer_stacks ] || return 0
	below 17
	echo $n >$M/memorizer_stacks
}
switch_context() {
	one_of pid uid gid uid,gid $entries
	echo $word >$M/memorizer_context
}
clear() { echo 1 >$M/clear_object_list; }

# A region never has more accesses than all have, while they are counted.
read_stats() {
	awk '/^accesses_unattributed:/ { all = $2 }
	     /^unattributed_in_/ && $2 > all { print "# " $0 " of " all; bad = 1 }
	     END { exit bad }' $M/show_stats
}

read_some() { dd if=$M/$1 of=/dev/null bs=77 count=500 2>/dev/null; }

# kill_soon COMMAND...: kill it after up to 500 ms.
kill_soon() {
	"$@" >/dev/null 2>&1 &
	below 500
	usleep ${n}000
	kill -9 $! 2>/dev/null
	wait $! 2>/dev/null
	:
}
read_all() { exec cat $M/$1; }

switch_stream() {
	one_of allocations retirements accesses traffic entries locks scoped
	# These switch tracepoints.
	case $word in
	entries|locks)	text_may_be_patched || word=accesses ;;
	esac
	below 2
	[ ! -e $M/stream_$word ] || echo $n >$M/stream_$word
}

read_stream() {
	for cpu in $cpus; do
		dd if=$M/$cpu of=/dev/null bs=64K count=64 2>/dev/null || return 1
	done
}

# Lost while the buffer is full.
mark() {
	said=$(put "mark $random" marker)
	case $said in
	ok|"No space left on device") ;;
	*)	echo "# marker: $said" >>$dir/failed; return 1 ;;
	esac
}
# It waits while the buffers are full.
snapshot() { echo 1 >$M/stream_snapshot; }

# set_filter FILE TERMS...: set a filter to one of these, or take it away.
set_filter() {
	file_=$1
	shift
	one_of "" "$@"
	echo "$word" >$M/$file_
}

# Enables and disables the sites of accesses to user memory.
switch_kinds() {
	[ -e $M/memorizer_kinds ] || return 0
	one_of slab slab,user
	echo $word >$M/memorizer_kinds
}

filter_by_group() {
	[ -d $dir/cgroup ] || return 0
	mkdir -p $dir/cgroup/stress
	echo 0 >$dir/cgroup/stress/cgroup.procs
	set_filter memorizer_cgroup /stress
	echo 0 >$dir/cgroup/cgroup.procs
	[ -n "$word" ] || rmdir $dir/cgroup/stress
}

come_and_go() { load_module && echo 3 >$P/increments && echo 3 >$P/leaks && rmmod $module; }

# The CPU stays away for some of the other actions.
switch_cpu() {
	[ -w $cpu1 ] || return 0
	below 2
	[ "$(cat $cpu1)" = $n ] || echo $n >$cpu1
}

# patch_text HOW: patch text that has sites: tracers, trace events, kprobes, live patching.
patch_text() {
	text_may_be_patched || return 0
	below 2
	case $1 in
	tracer)	one_of nop function function_graph; echo $word >$T/current_tracer ;;
	events)	echo $n >$T/events/kmem/enable && echo $n >$T/events/sched/enable ;;
	probe)	echo 0 >$T/events/enable
		echo >$T/kprobe_events
		[ $n = 0 ] || echo "p:stress vfs_read" >$T/kprobe_events &&
		[ $n = 0 ] || echo 1 >$T/events/kprobes/stress/enable ;;
	live)	[ -n "$livepatch" ] || return 0
		if [ -d /sys/kernel/livepatch/livepatch_sample ]; then
			echo 0 >/sys/kernel/livepatch/livepatch_sample/enabled
			# Fails during the transition.
			rmmod livepatch_sample 2>/dev/null || :
		else
			insmod $livepatch
		fi ;;
	esac
}

# The module's accesses are counted exactly, whatever the others do, unless some are lost.
lost() { grep -e ^lost_objects -e ^lost_accesses $M/show_stats; }

count_known() {
	no_filters
	echo 0 >$M/stream_retirements
	before=$(lost)
	module_session 1 1 1 >$dir/known || [ "$(lost)" != "$before" ] || cat $dir/known >>$dir/failed
}

# Memorizer's own allocations fail. What is refused has changed nothing.
switch_with_faults() {
	[ -n "${stress_faults-}" ] || return 0
	below 2
	(
		echo 1 >/proc/self/make-it-fail
		echo $n >$M/memorizer_log_access
		echo $n >$M/stream_allocations
		echo 'vfs_*' >$M/memorizer_filter
		echo 'cache:dentry' >$M/memorizer_fields
	) 2>/dev/null
	:
}

# Kernel entries are known to the stream, whose hooks patch text.
entries=
! text_may_be_patched || [ ! -f $M/stream_entries ] || entries="entry uid,entry"

actions="switch_logging switch_logging switch_logging switch_recording switch_recording switch_lines switch_stacks switch_context switch_kinds
	clear read_stats read_some,kmap read_some,kmap_fields read_some,kmap_kinds read_some,kmap_stacks read_some,user read_some,traffic
	kill_soon,read_all,kmap kill_soon,read_all,kmap_fields
	switch_stream switch_stream read_stream mark kill_soon,snapshot
	set_filter,memorizer_filter,vfs_*,!vfs_*,file:fs/*,file:mm/slub.c
	set_filter,memorizer_fields,cache:dentry,alloc:*
	set_filter,memorizer_pid,1,$$ filter_by_group come_and_go switch_cpu count_known
	switch_with_faults patch_text,tracer patch_text,events patch_text,probe patch_text,live"

no_filters() {
	echo pid >$M/memorizer_context
	for filter in filter pid cgroup; do
		[ ! -e $M/memorizer_$filter ] || echo >$M/memorizer_$filter
	done
}

# rest: stop everything, and drain the stream.
rest() {
	[ -e $dir/over ] || wait
	[ ! -w $cpu1 ] || echo 1 >$cpu1
	for switch in $M/stream_*; do
		[ "${switch##*_}" = snapshot ] || echo 0 >$switch
	done
	if text_may_be_patched; then
		echo nop >$T/current_tracer
		echo 0 >$T/events/enable
		echo >$T/kprobe_events
		if [ -d /sys/kernel/livepatch/livepatch_sample ]; then
			echo 0 >/sys/kernel/livepatch/livepatch_sample/enabled 2>/dev/null
			until rmmod livepatch_sample 2>/dev/null; do
				sleep 0.1
			done
		fi
	fi
	echo 0 >$M/memorizer_track_lines
	settle
	no_filters
	echo >$M/memorizer_fields
	# Retired objects may still wait for room in the buffers.
	until [ "$(for cpu in $cpus; do cat $M/$cpu; done | wc -c)" = 0 ]; do
		:
	done
}

# all_succeed ROUND: run actions during a storm.
all_succeed() {
	: >$dir/failed
	storm $length
	done=0
	until [ -e $dir/over ]; do
		one_of $actions
		set -f
		set -- $(echo $word | tr ',' ' ')
		set +f
		"$@" || echo "# $* failed" >>$dir/failed
		done=$((done + 1))
	done
	wait
	rest
	echo "# $done actions"
	cat $dir/failed
	[ ! -s $dir/failed ]
}

# With faults, its programs may die.
storm_did_its_work() {
	if [ -n "${stress_faults-}" ]; then
		for kind in $F; do
			echo "# $(faults $kind) faults of ${kind##*/}"
		done
		! few_faults
	else
		same "stress-ng's status" "$(cat $dir/over)" 0 || { sed 's/^/# /' $dir/stress-ng; return 1; }
	fi
}

# Each event is read or lost.
events_agree() {
	awk '{ v[$1] = $2 }
	     function same(what, a, b) { if (a != b) { print "# " what ": " a " is not " b; bad = 1 } }
	     END {
		same("events", v["stream_produced:"], v["stream_read:"] + v["stream_lost:"] + v["stream_buffered:"])
		same("lost", v["stream_lost:"], v["stream_lost_overrun:"] + v["stream_lost_nested:"])
		printf "# %.0f allocations, %.0f accesses, %.0f lost; %.0f events, %.0f lost; %.0f bytes in use\n",
			v["allocations:"], v["accesses_attributed:"] + v["accesses_cleared:"] + v["accesses_retired:"],
			v["lost_objects_pool_full:"] + v["lost_accesses_pool_full:"], v["stream_produced:"],
			v["stream_lost:"], v["pool_used:"]
		exit bad }' $M/show_stats
}

freed_objects_can_be_cleared() {
	echo 1 >$M/clear_object_list
	same "freed objects" "$(stat_of objects_freed)" 0
}

if [ -n "${stress_faults-}" ]; then
	set_faults task-filter Y
	# Allocations that may wait fail, too, and single pages.
	set_faults ignore-gfp-wait N
	echo 0 >${F#* }/min-order
	# Most slab objects come from pages that the slab has already.
	echo 1 >${F% *}/probability
	echo 5 >${F#* }/probability
	set_faults verbose 0
fi
# Compile seccomp's filters, which are BPF programs.
! text_may_be_patched || [ -z "$compiled" ] || echo 1 >$jit
seconds=${stress_seconds:-60}
rounds=$(((seconds + 59) / 60))
length=$((seconds / rounds))
plan $((rounds * 5))
for round in $(seq $rounds); do
	echo "# round $round: $length s, seed $random"
	check all_succeed $round
	check storm_did_its_work $round
	check undisturbed kmap_agrees
	check events_agree
	check undisturbed freed_objects_can_be_cleared
done
finish
