#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The files in debugfs memorizer/: who may use them, what they take and give.
. "${0%/*}/functions.sh"

mode_of() { same "$1" "$(stat -c %a $M/$1)" "$2"; }

switch_takes_booleans() {
	for yes in 1 y Y on; do
		same "$1 <- $yes" "$(put $yes $1)" ok || return 1
		same "$1" "$(cat $M/$1)" 1 || return 1
	done
	for no in 0 n N off; do
		same "$1 <- $no" "$(put $no $1)" ok || return 1
		same "$1" "$(cat $M/$1)" 0 || return 1
	done
}

# Anything else is refused and changes nothing.
switch_refuses_others() {
	for now in 0 1; do
		put $now $1 >/dev/null
		for bad in 2 10 -1 01 1x yes true maybe '' ' ' '1 0' "$(printf '%5000s' 1)"; do
			[ -z "$bad" ] || same "$1 <- '$bad'" "$(put "$bad" $1)" "Invalid argument" || return 1
			same "$1 after '$bad'" "$(cat $M/$1)" $now || return 1
		done
	done
	put 0 $1 >/dev/null
}

clear_refuses_others() {
	for bad in 2 x '1 1'; do
		same "clear <- $bad" "$(put "$bad" clear_object_list)" "Invalid argument" || return 1
	done
}

refused_to_others() {
	grep -q ^nobody: /etc/passwd 2>/dev/null ||
		{ mkdir -p /etc; echo 'nobody:x:65534:65534::/:/bin/sh' >>/etc/passwd; }
	for file in memorizer_enabled memorizer_log_access show_stats clear_object_list kmap; do
		for how in "cat $M/$file" "echo 1 >$M/$file"; do
			if su nobody -s /bin/sh -c "$how" >/dev/null 2>&1; then
				echo "# nobody may: $how"
				return 1
			fi
		done
	done
}

stats_have() {
	for key in enabled allocations frees frees_missed frees_unknown objects_live objects_freed \
		   objects_cleared accesses_attributed accesses_cleared accesses_unattributed paused \
		   lost_objects_pool_full lost_objects_index_full lost_objects_out_of_range \
		   lost_accesses_pool_full access_entries pool_objects pool_entries pool_index \
		   pool_used pool_size sites sites_on; do
		stat_of $key | grep -qx '[0-9]*' || { echo "# no number for $key"; return 1; }
	done
}

plan 12
check mode_of memorizer_enabled 600
check mode_of memorizer_log_access 600
check mode_of clear_object_list 200
check mode_of show_stats 400
check mode_of kmap 400
check switch_takes_booleans memorizer_enabled
check switch_takes_booleans memorizer_log_access
check switch_refuses_others memorizer_enabled
check switch_refuses_others memorizer_log_access
check clear_refuses_others
check refused_to_others
check stats_have
finish
