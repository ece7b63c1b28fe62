#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Access under kernel lockdown. It cannot be undone, so this test is the last one.
. "${0%/*}/functions.sh"

L=/sys/kernel/security/lockdown
[ -w $L ] || skip "no $L: CONFIG_SECURITY_LOCKDOWN_LSM is not set, or securityfs is not mounted"

every_file() { (cd $M && find . -type f | sed 's,^\./,,'); }

# say ANSWER: files with recorded data can be read, or fail with ANSWER.
say() {
	for file in kmap kmap_fields kmap_kinds kmap_stacks user traffic calls; do
		[ -e $M/$file ] || continue
		if why=$( { cat $M/$file >/dev/null; } 2>&1 ); then
			same $file readable "$1"
		else
			same $file "$(echo "$why" | sed 's/.*: //')" "$1"
		fi || return 1
	done
}

before() { say readable; }

under_integrity() {
	echo integrity >$L
	# debugfs itself refuses writable files.
	for file in $(cd $M && find . -type f -perm -200 | sed 's,^\./,,'); do
		same "$file" "$(put 1 $file)" "Operation not permitted" || return 1
	done
	say readable
}

under_confidentiality() {
	echo confidentiality >$L
	say "Operation not permitted"
}

stream_under_confidentiality() {
	[ -f $M/metadata ] || return 0
	for cpu in $M/cpu*; do
		same "$cpu" "$( { cat $cpu >/dev/null; } 2>&1 | sed 's/.*: //')" \
			"Operation not permitted" || return 1
	done
	head -n 1 $M/metadata | grep -q CTF
}

# readable_files: print the contents of all files that can be read.
readable_files() {
	for f in $(every_file); do
		cat $M/$f 2>/dev/null
	done
}

no_address_under_confidentiality() {
	readable_files >$said
	grep -q '^allocations: ' $said || { echo "# show_stats is not readable"; return 1; }
	! grep -n -E '(^|[^0-9a-f])(0x)?ffff[0-9a-f]{12}' $said
}

# Before the lockdown, the same search finds addresses.
addresses_before() {
	readable_files >$said
	grep -q -E '(^|[^0-9a-f])(0x)?ffff[0-9a-f]{12}' $said
}

said=$(mktemp)
trap 'rm -f $said' EXIT

plan 6
check before
check addresses_before
check under_integrity
check under_confidentiality
check stream_under_confidentiality
check no_address_under_confidentiality
finish
