#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Sites of modules that are loaded, used and unloaded while access logging is on, off, or switched
. "${0%/*}/functions.sh"

module_found || skip "no module $module: CONFIG_MEMORIZER_TEST_MODULE=m is needed"
kmap=$(mktemp)
trap 'rmmod $module 2>/dev/null; rm -f $kmap; quiet' EXIT

start() {
	quiet
	echo 1 >$M/memorizer_enabled
}

sites_come_and_go() {
	start
	before=$(stat_of sites)
	load_module || return 1
	with=$(stat_of sites)
	rmmod $module
	[ "$with" -gt "$before" ] && same "sites" "$(stat_of sites)" "$before"
}

# A module's sites that are off have the same form as the kernel's, whether it was loaded while
# accesses were logged or not.
sites_have_the_kernels_form() {
	for on in 0 1; do
		start
		before=$(stat_of sites_prefixes)
		echo $on >$M/memorizer_log_access
		load_module || return 1
		echo 0 >$M/memorizer_log_access
		with=$(stat_of sites_prefixes)
		rmmod $module
		same "prefixes in the module" $((with > before)) $((before > 0)) || return 1
	done
}

# Events with the module's address and build id occur when it is loaded and unloaded while a
# switch is on, and when another switch is turned on.
modules_are_announced() {
	[ -f $M/metadata ] || { echo "# no stream"; return 0; }
	start
	drain
	echo 1 >$M/stream_allocations
	load_module || return 1
	text=$(cat /sys/module/$module/sections/.text)
	id=$(od -A n -t x1 -j 16 -v /sys/module/$module/notes/.note.gnu.build-id | tr -d ' \n')
	echo 1 >$M/stream_retirements
	rmmod $module || return 1
	echo 0 >$M/stream_allocations
	echo 0 >$M/stream_retirements
	drain
	same "events" "$(cut -d ' ' -f 1,4 $kmap.events | sort | tr '\n' ' ')" "load 0 load 1 unload 0 " ||
		return 1
	# A repeated announcement still has the time of loading.
	loaded=$(times_of load)
	same "times of loading" "$(echo "$loaded" | wc -l)" 1 && [ "$loaded" -le "$(times_of unload)" ] ||
		return 1
	while read -r what base size init when build_id; do
		same "build id at $what" $build_id $id &&
		[ $((text)) -ge $((0x$base)) ] && [ $((text)) -lt $((0x$base + 0x$size)) ] ||
			{ echo "# .text at $text is not in $what $base $size"; return 1; }
	done <$kmap.events
	rm -f $kmap.events
}

# times_of load|unload: print each time once, in jiffies. Events are in order per CPU only.
times_of() {
	sed -n "s/^$1 .* \([0-9]*\) [0-9a-f]*$/\1/p" $kmap.events | sort -u
}

# drain: save the module's events in the stream in $kmap.events.
drain() {
	for cpu in $M/cpu*; do
		cat $cpu >$kmap.copy
		${0%/*}/stream_reader modules $kmap.copy
	done >$kmap.events
	rm -f $kmap.copy
}

load_and_unload_often() {
	start
	echo 1 >$M/memorizer_log_access
	for n in 1 2 3 4 5 6 7 8 9 10; do
		load_module && echo 3 >$P/increments && rmmod $module || return 1
	done
}

load_while_switching() {
	start
	(for n in 1 2 3 4 5 6 7 8; do
		echo 1 >$M/memorizer_log_access
		echo 0 >$M/memorizer_log_access
	done) &
	for n in 1 2 3 4 5 6; do
		load_module && echo 3 >$P/increments && rmmod $module || return 1
	done
	wait
}

plan 11
check module_session 0 0 0
check module_session 1 1 1
check module_session 0 1 1
check module_session 1 0 1
check module_session 1 1 0
check module_session 0 1 0
check sites_come_and_go
check sites_have_the_kernels_form
check modules_are_announced
check load_and_unload_often
check load_while_switching
finish
