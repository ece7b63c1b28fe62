#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# CPU hotplug while accesses are logged
. "${0%/*}/functions.sh"

cpu=/sys/devices/system/cpu/cpu1
[ -w $cpu/online ] || skip "there is no second CPU that can go offline"
kmap=$(mktemp)
trap ': >$kmap.enough; wait; echo 1 >$cpu/online; rm -f $kmap*; quiet' EXIT

work() {
	until [ -e $kmap.enough ]; do
		ls -lR $cpu >/dev/null
	done
}

off_and_on_while_logging() {
	echo 1 >$M/memorizer_log_access
	work &
	for n in 1 2 3; do
		echo 0 >$cpu/online && cat $M/kmap >/dev/null && echo 1 >$cpu/online || return 1
	done
	: >$kmap.enough
	wait
}

# An offline CPU's counts stay, and switching and clearing work without it.
off_while_switching_and_clearing() {
	echo 0 >$cpu/online || return 1
	for n in 1 2 3; do
		echo 0 >$M/memorizer_log_access
		echo 1 >$M/clear_object_list
		echo 1 >$M/memorizer_log_access
	done
	echo 1 >$cpu/online
	ls -lR /sys/devices/system/cpu/cpu0 >/dev/null
}

counts_agree() {
	cat $M/kmap >$kmap
	kmap_agrees $kmap
}

quiet
echo 1 >$M/memorizer_enabled
plan 3
check off_and_on_while_logging
check off_while_switching_and_clearing
settle
check undisturbed counts_agree
finish
