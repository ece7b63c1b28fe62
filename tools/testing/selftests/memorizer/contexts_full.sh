#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# More contexts than the table has room for. It stays full until the next boot.
. "${0%/*}/functions.sh"

dir=$(mktemp -d)
trap 'rm -rf $dir; quiet; echo pid >$M/memorizer_context; echo 1 >$M/clear_object_list' EXIT

# accesses_of MIN MAX: print how many accesses are of these contexts.
accesses_of() {
	awk -F , -v min=$1 -v max=$2 '/^ / && $2 >= min && $2 <= max { n += $3 + $4 } END { print n + 0 }' $dir/kmap
}

sums_agree() {
	cat $M/kmap >$dir/kmap &&
	kmap_agrees $dir/kmap
}

contexts_without_room_share_a_number() {
	quiet
	echo 1 >$M/clear_object_list
	echo uid >$M/memorizer_context
	echo 1 >$M/memorizer_enabled
	${0%/*}/many_uids 1 20000 || return 1
	echo 1 >$M/memorizer_log_access
	${0%/*}/many_uids 1 50 && ${0%/*}/many_uids 30001 30050
	status=$?
	echo 0 >$M/memorizer_log_access
	echo 0 >$M/memorizer_enabled
	echo pid >$M/memorizer_context
	same "status of many_uids" $status 0 && undisturbed sums_agree || return 1
	contexts=$(wc -l <$M/contexts)
	others=$(accesses_of 4194304 4194304)
	echo "# $contexts contexts, $others accesses by others"
	[ $contexts -gt 12000 ] && [ $contexts -lt 16384 ] && [ $others -gt 5000 ] &&
	[ "$(accesses_of 4194305 4210687)" -gt 5000 ]
}

plan 1
check contexts_without_room_share_a_number
finish
