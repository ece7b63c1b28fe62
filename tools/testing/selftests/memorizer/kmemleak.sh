#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# kmemleak: Memorizer's records are no references to objects.
. "${0%/*}/functions.sh"

K=/sys/kernel/debug/kmemleak
[ -w $K ] || skip "no $K: CONFIG_DEBUG_KMEMLEAK is not set"
module_found || skip "no module $module: CONFIG_MEMORIZER_TEST_MODULE=m is needed"
kmap=$(mktemp)
trap 'rmmod $module 2>/dev/null; rm -f $kmap; quiet' EXIT

leaks=16

# kmemleak reports leaks that the KMAP has, with their accesses. A value that equals the
# address of a leak, on a stack for example, may hide it, but not all leaks.
leaks_are_reported() {
	echo 1 >$M/memorizer_enabled
	echo 1 >$M/memorizer_log_access
	load_module || return 1
	# A task's stack may keep addresses as long as the task lives.
	sh -c "echo $leaks >$P/leaks" || return 1
	echo 0 >$M/memorizer_log_access
	cat $M/kmap >$kmap
	same "leaks in the KMAP" "$(leaks_of sh)" $leaks || return 1
	# Objects younger than 5 seconds, or changed since the last scan, are not leaks yet.
	for n in $(seq 20); do
		echo scan >$K
		found=$(grep -c 'leak_one.*memorizer_test_module' $K)
		[ $found -ge $((leaks / 2)) ] && return 0
		sleep 1
	done
	echo "# $found of $leaks leaks are reported"
	return 1
}

# leaks_of COMM: print the KMAP's objects that look like a leak: by size, and with a single write.
leaks_of() {
	awk -F, -v comm="$1" '
		/^  / { lines += mine; writes += mine * $3; reads += mine * $4; next }
		{ found += lines == 1 && writes == 1 && reads == 0
		  lines = writes = reads = 0; mine = $4 == 187 && $6 == 0 && $8 == comm }
		END { print found + (lines == 1 && writes == 1 && reads == 0) }' $kmap
}

quiet
plan 1
check leaks_are_reported
finish
