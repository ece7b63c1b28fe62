#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Calls of functions: known numbers of calls, by known functions and tasks, are counted exactly.
. "${0%/*}/functions.sh"

[ -f $M/calls ] || skip "no $M/calls: CONFIG_MEMORIZER_CALLS is not set"
module_found || skip "no module $module: CONFIG_MEMORIZER_TEST_MODULE=m is needed"

dir=$(mktemp -d)
trap 'echo 0 >$M/memorizer_log_calls; echo >$M/memorizer_pid; no_filter; rmmod $module 2>/dev/null; leave_group; rm -rf $dir
	quiet' EXIT

# address_of FUNCTION: print the address of a function of the kernel or the test module.
address_of() { sed -n "s/^\([0-9a-f]*\) [tT] $1\(\t\[$module\]\)*\$/\1/p" /proc/kallsyms; }

# callers_of FUNCTION: print "caller pid count" for each row of $dir/calls that has a function as callee.
callers_of() {
	addr=$(address_of $1)
	# With IBT, a function that is called by pointers has an ENDBR in front of its call of ftrace.
	grep -E "^[^,]*,($addr|$(printf %x $((0x$addr + 4))))," $dir/calls >$dir/rows
	{ sed 's/\t/ /' /proc/kallsyms | cut -d ' ' -f 1,3; sed 's/,/ row /' $dir/rows; } | sort |
		awk '$2 == "row" { split($3, a, ","); print last, a[2], a[3]; next } { last = $2 }'
}

# log COMMAND...: count the calls while this shell executes a command, into $dir/calls.
log() {
	echo 1 >$M/clear_object_list
	echo 1 >$M/memorizer_log_calls || return 1
	"$@"
	echo 0 >$M/memorizer_log_calls
	cat $M/calls >$dir/calls
}

mix() { echo $1 >$P/mixes; }

calls_of_a_module_are_counted() {
	load_module || return 1
	log mix 7
	same "callers of memorizer_test_mix()" "$(callers_of memorizer_test_mix)" "set_mixes $$ 7"
}

# sysfs calls set_mixes() through a pointer: with retpolines, through a thunk.
calls_by_pointer_are_counted() {
	sed 's/^/# spectre_v2: /' /sys/devices/system/cpu/vulnerabilities/spectre_v2 2>/dev/null
	log mix 7
	same "callers of set_mixes()" "$(callers_of set_mixes)" "param_attr_store $$ 1"
}

rows_are_sorted_and_unique() {
	log ls -lR /proc/sys >/dev/null
	bad=$(grep -n -v -E '^ffffffff[0-9a-f]{8},ffffffff[0-9a-f]{8},[0-9]+,[1-9][0-9]*$' $dir/calls | head -n 1)
	[ -z "$bad" ] || { echo "# $bad"; return 1; }
	sort -t , -k 1,2 -k 3n -u $dir/calls >$dir/sorted
	cmp $dir/calls $dir/sorted &&
	same "many rows" $(($(wc -l <$dir/calls) > 100)) 1
}

sum_of_rows() { awk -F, '{ n += $4 } END { printf "%d", n }' $M/calls; }

stats_agree_with_rows() {
	lost=$(stat_of lost_calls_pool_full)
	log ls -lR /proc/sys >/dev/null
	same "sum of the rows" "$(sum_of_rows)" "$(stat_of calls)" &&
	same "calls in the pool" $(($(stat_of pool_calls) > 0)) 1 &&
	same "lost_calls_pool_full" "$(stat_of lost_calls_pool_full)" "$lost"
}

nothing_is_counted_when_off() {
	log mix 7
	mix 7
	same "sum of the rows" "$(sum_of_rows)" "$(stat_of calls)" &&
	cat $M/calls >$dir/calls &&
	same "callers of memorizer_test_mix()" "$(callers_of memorizer_test_mix)" "set_mixes $$ 7"
}

clear_forgets_calls() {
	log mix 7
	calls=$(stat_of calls)
	cleared=$(stat_of calls_cleared)
	echo 1 >$M/clear_object_list
	same "rows" "$(wc -l <$M/calls)" 0 &&
	same "calls" "$(stat_of calls)" 0 &&
	same "calls_cleared" "$(stat_of calls_cleared)" $((cleared + calls)) &&
	same "pool_calls" "$(stat_of pool_calls)" 0
}

tasks_are_selected() {
	echo $$ >$M/memorizer_pid
	before=$(stat_of calls_left_out)
	log sh -c "echo 5 >$P/mixes; exit 0"
	same "callers, of another task" "$(callers_of memorizer_test_mix)" "" &&
	same "calls are left out" $(($(stat_of calls_left_out) - before >= 5)) 1 || return 1
	log mix 6
	same "callers, of this task" "$(callers_of memorizer_test_mix)" "set_mixes $$ 6" &&
	same "other tasks" "$(awk -F, -v pid=$$ '$3 != pid' $dir/calls)" "" || return 1
	echo >$M/memorizer_pid
}

leave_group() {
	[ -d $dir/cgroup/calls ] || return 0
	echo >$M/memorizer_cgroup
	echo $$ >$dir/cgroup/cgroup.procs
	rmdir $dir/cgroup/calls
	umount $dir/cgroup
}

groups_are_selected() {
	[ -e $M/memorizer_cgroup ] && mkdir $dir/cgroup && mount -t cgroup2 none $dir/cgroup 2>/dev/null ||
		{ echo "# no cgroup2, or CONFIG_CGROUPS is not set"; return 0; }
	mkdir $dir/cgroup/calls
	echo /calls >$M/memorizer_cgroup
	log mix 5
	same "callers, of another group" "$(callers_of memorizer_test_mix)" "" || return 1
	echo $$ >$dir/cgroup/calls/cgroup.procs
	log mix 6
	same "callers, of this group" "$(callers_of memorizer_test_mix)" "set_mixes $$ 6" || return 1
	leave_group
}

# filter TERM...: set the filter, if the kernel has one.
filter() { [ ! -e $M/memorizer_filter ] || echo "$*" >$M/memorizer_filter; }
no_filter() { filter ''; }

with_filter() {
	[ -e $M/memorizer_filter ] || { echo "# CONFIG_MEMORIZER_FILTER is not set"; return 0; }
	"$@"
}

functions_are_selected() {
	filter memorizer_test_mix
	log mix 7
	same "callers" "$(callers_of memorizer_test_mix)" "set_mixes $$ 7" &&
	same "calls" "$(stat_of calls)" 7 || return 1
	filter 'memorizer_test_*' set_mixes '!memorizer_test_mix'
	log mix 7
	same "callers" "$(callers_of memorizer_test_mix)" "" &&
	same "calls" "$(stat_of calls)" 1 || return 1
	filter nobody_is_called_so
	log mix 7
	same "calls" "$(stat_of calls)" 0 || return 1
	no_filter
}

change_filter() {
	mix 7
	filter set_mixes
	mix 20
	filter memorizer_test_mix
	mix 300
	same "bad filter" "$(put 'set_mixes module:' memorizer_filter)" "Invalid argument" || return 1
	mix 4000
	no_filter
	mix 50000
}

filter_changes_while_calls_are_counted() {
	filter nobody_is_called_so
	log change_filter &&
	same "callers" "$(callers_of memorizer_test_mix)" "set_mixes $$ 54300" &&
	same "calls of set_mixes()" "$(callers_of set_mixes | awk '{ n += $3 } END { print n }')" 2
}

# load_twice: load the module, use, unload, load and use it: 1 call of test_init() and 7 of memorizer_test_mix(),
# then 1 and 5. ftrace does not trace test_exit().
load_twice() {
	rmmod $module
	echo 1 >$M/clear_object_list
	load_module && mix 7 && rmmod $module && load_module && mix 5
}

modules_that_come_later_are_selected() {
	filter module:$module '!set_mixes'
	log load_twice || return 1
	same "calls" "$(stat_of calls)" $((1 + 7 + 1 + 5)) || return 1
	filter module:vmlinux vfs_read
	log load_twice || return 1
	rows=$(callers_of vfs_read | awk '{ n += $3 } END { printf "%d", n }')
	same "calls" "$(stat_of calls)" "$rows" || return 1
	# The file of memorizer_test_mix() is unknown, because it has no site.
	filter file:mm/memorizer/test_module.c '!set_mixes'
	log load_twice || return 1
	same "calls" "$(stat_of calls)" $((1 + 1)) || return 1
	no_filter
}

# The reader's own calls are in no row.
readers_are_paused() {
	echo 1 >$M/clear_object_list
	echo 1 >$M/memorizer_log_calls
	before=$(stat_of calls_paused)
	for n in 1 2 3; do
		cat $M/calls >$dir/calls
	done
	paused=$(stat_of calls_paused)
	echo 0 >$M/memorizer_log_calls
	cat $M/calls >$dir/calls
	same "calls are paused" $((paused > before)) 1 &&
	same "reads by the file" "$(callers_of seq_read | grep '^calls_')" "" &&
	callers_of vfs_read | grep -q . || { echo "# vfs_read() was never called"; return 1; }
}

# The file is a copy of the moment when it was opened.
file_is_read_in_pieces() {
	log ls /proc/sys >/dev/null
	{ head -c 1000; cat; } <$M/calls >$dir/pieces
	dd if=$M/calls of=$dir/small bs=7 2>/dev/null
	cmp $dir/calls $dir/pieces && cmp $dir/calls $dir/small
}

ftrace_cannot_be_disabled_meanwhile() {
	E=/proc/sys/kernel/ftrace_enabled
	echo 1 >$M/memorizer_log_calls
	echo 0 2>/dev/null >$E
	same "ftrace_enabled" "$(cat $E)" 1 || return 1
	echo 0 >$M/memorizer_log_calls
	echo 0 >$E
	why=$(put 1 memorizer_log_calls)
	echo 1 >$E
	same "with ftrace disabled" "$why" "Device or resource busy" &&
	same "memorizer_log_calls" "$(cat $M/memorizer_log_calls)" 0
}

rows_outlive_the_module() {
	log mix 7
	rmmod $module
	cat $M/calls >$dir/after
	cmp $dir/calls $dir/after
}

stats_have() {
	for key in calls calls_cleared calls_paused calls_left_out lost_calls_pool_full pool_calls; do
		stat_of $key | grep -qx '[0-9]*' || { echo "# no number for $key"; return 1; }
	done
}

plan 21
check mode_of memorizer_log_calls 600
check mode_of calls 400
check stats_have
check others_may_not calls memorizer_log_calls
check_patching switch_takes_booleans memorizer_log_calls
check_patching switch_refuses_others memorizer_log_calls
check_patching calls_of_a_module_are_counted
check_patching calls_by_pointer_are_counted
check_patching rows_are_sorted_and_unique
check_patching stats_agree_with_rows
check_patching nothing_is_counted_when_off
check_patching clear_forgets_calls
check_patching tasks_are_selected
check_patching groups_are_selected
check_patching with_filter functions_are_selected
check_patching with_filter filter_changes_while_calls_are_counted
check_patching with_filter modules_that_come_later_are_selected
check_patching readers_are_paused
check_patching file_is_read_in_pieces
check_patching ftrace_cannot_be_disabled_meanwhile
check_patching rows_outlive_the_module
finish
