#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The files in debugfs memorizer/: who may use them, what they take and give.
. "${0%/*}/functions.sh"

clear_refuses_others() {
	for bad in 2 x '1 1'; do
		same "clear <- $bad" "$(put "$bad" clear_object_list)" "Invalid argument" || return 1
	done
}

refused_to_others() {
	others_may_not memorizer_enabled memorizer_log_access show_stats clear_object_list kmap
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
