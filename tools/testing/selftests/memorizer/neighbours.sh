#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Other users of text patching while sites are switched: kprobes, ftrace, jump labels
. "${0%/*}/functions.sh"

T=/sys/kernel/tracing
[ -d $T/events ] || mount -t tracefs tracefs $T 2>/dev/null
[ -d $T/events ] || skip "no tracefs"
trap 'echo nop >$T/current_tracer; echo >$T/kprobe_events; quiet' EXIT

text_may_be_patched || skip "$unpatched"

switch_often() {
	for n in 1 2 3; do
		echo 1 >$M/memorizer_log_access && echo 0 >$M/memorizer_log_access || return 1
	done
}

function_tracer() {
	grep -qw function $T/available_tracers || { echo "# no function tracer"; return 0; }
	switch_often &
	for n in 1 2 3; do
		echo function >$T/current_tracer && ls /sys >/dev/null && echo nop >$T/current_tracer || return 1
	done
	wait
	echo 1 >$M/memorizer_log_access
	echo function >$T/current_tracer
	# BusyBox's ls and cat need not use read(2).
	read -r version </proc/version
	echo 0 >$T/tracing_on
	grep -q vfs_read $T/trace
	seen=$?
	[ $seen = 0 ] || echo "# $(cat $T/current_tracer): no vfs_read in $(wc -l <$T/trace) lines"
	echo 1 >$T/tracing_on
	echo nop >$T/current_tracer
	echo 0 >$M/memorizer_log_access
	return $seen
}

# probe OFFSET: set hits to the hits of a probe at vfs_open+OFFSET when files are opened.
probe() {
	echo "p:memorizer_test vfs_open+$1" >$T/kprobe_events 2>/dev/null || return 1
	echo 1 >$T/events/kprobes/memorizer_test/enable
	echo >$T/trace
	cat /proc/version >/dev/null
	echo 0 >$T/events/kprobes/memorizer_test/enable
	hits=$(grep -c memorizer_test: $T/trace)
	echo >$T/kprobe_events
}

# At each instruction of a function, with sites off and on, the probe hits or is
# refused because the instruction is a site.
kprobes() {
	[ -e $T/kprobe_events ] || { echo "# no kprobe events"; return 0; }
	for on in 0 1; do
		echo $on >$M/memorizer_log_access
		good=0
		refused=0
		for offset in $(seq 0 30); do
			if probe $offset; then
				good=$((good + (hits > 0)))
			else
				refused=$((refused + 1))
			fi
		done
		echo "# logging $on: $good offsets can be probed, $refused cannot"
		[ $good -gt 2 ] && [ $refused -gt 2 ] || return 1
		eval same refused $refused "\${before:-$refused}" || return 1
		before=$refused
	done
	# A probe that is armed while sites are switched
	echo "p:memorizer_test vfs_open" >$T/kprobe_events
	echo 1 >$T/events/kprobes/memorizer_test/enable
	switch_often || return 1
	echo >$T/trace
	cat /proc/version >/dev/null
	echo 0 >$T/events/kprobes/memorizer_test/enable
	grep -q memorizer_test: $T/trace
}

# Trace events use jump labels and static calls.
jump_labels() {
	switch_often &
	for n in 1 2 3 4 5; do
		echo 1 >$T/events/kmem/enable && echo 0 >$T/events/kmem/enable || return 1
	done
	wait
}

# No kernel page is writable and executable, not even while sites are switched.
no_page_is_writable_and_executable() {
	dump=/sys/kernel/debug/page_tables/kernel
	[ -r $dump ] || { echo "# no $dump"; return 0; }
	switch_often &
	for n in 1 2 3 4; do
		grep -E '0x.* RW .* x ' $dump | head -n 3 | sed 's/^/# /' | grep . && return 1
	done
	wait
}

quiet
plan 4
check function_tracer
check kprobes
check jump_labels
check no_page_is_writable_and_executable
finish
