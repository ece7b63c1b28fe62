#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Access under kernel lockdown. It cannot be undone, so this test is the last one.
. "${0%/*}/functions.sh"

L=/sys/kernel/security/lockdown
[ -w $L ] || skip "no $L: CONFIG_SECURITY_LOCKDOWN_LSM is not set, or securityfs is not mounted"

# say ANSWER: files with recorded data can be read, or fail with ANSWER.
say() {
	for file in kmap kmap_fields traffic; do
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
	same "switch" "$(put 1 memorizer_enabled)" "Operation not permitted" &&
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

plan 4
check before
check under_integrity
check under_confidentiality
check stream_under_confidentiality
finish
