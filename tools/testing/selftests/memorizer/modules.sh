#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Sites of modules: loaded, used and unloaded while access logging is on, off, and switched.
. "${0%/*}/functions.sh"

module_found || skip "no module $module: CONFIG_MEMORIZER_TEST_MODULE=m is needed"
kmap=$(mktemp)
trap 'rmmod $module 2>/dev/null; rm -f $kmap; quiet' EXIT

start() {
	quiet
	echo 1 >$M/memorizer_enabled
}

# module_session LOADED USED UNLOADED: logging is on (1) or off (0) in each of
# these phases; 10 writes when it is loaded, 7 reads and writes in use, and one
# write when it is unloaded.
module_session() {
	start
	echo $1 >$M/memorizer_log_access
	load_module || return 1
	object=$(cat $P/object)
	echo $2 >$M/memorizer_log_access
	echo 7 >$P/increments
	echo $3 >$M/memorizer_log_access
	rmmod $module || return 1
	echo 0 >$M/memorizer_log_access
	cat $M/kmap >$kmap
	# Others may have had an object there before or after it.
	awk -F, '/^  / { if (mine) print; next }
		 { mine = $3 == "'$object'" && $4 == 187 && $8 ~ /insmod|modprobe/
		   if (mine) print }' $kmap >$kmap.mine
	same "objects, writes, reads" "$(accesses_at $object $kmap.mine)" \
		"1 $(($1 * 10 + $2 * 7 + $3)) $(($2 * 7))"
	status=$?
	rm -f $kmap.mine
	return $status
}

sites_come_and_go() {
	start
	before=$(stat_of sites)
	load_module || return 1
	with=$(stat_of sites)
	rmmod $module
	[ "$with" -gt "$before" ] && same "sites" "$(stat_of sites)" "$before"
}

# Off, sites of a module are prefixes if those of the kernel are, and else none of them, whether it
# was loaded while accesses were logged or not.
form_is_the_kernels() {
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

# Where the module is and which one, from the events of loading and unloading it while
# a switch is on, and of turning another one on.
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
	# An announcement made again still says when the module was loaded.
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

# times_of load|unload: in jiffies, each once; the events of each CPU are in order, not those of all.
times_of() {
	sed -n "s/^$1 .* \([0-9]*\) [0-9a-f]*$/\1/p" $kmap.events | sort -u
}

# drain: what the stream holds of the module goes to $kmap.events.
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
check form_is_the_kernels
check modules_are_announced
check load_and_unload_often
check load_while_switching
finish
