#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Fields: accesses to selected objects are counted by granule, accesses to others as usual.
. "${0%/*}/functions.sh"

[ -f $M/memorizer_fields ] || skip "no $M/memorizer_fields: CONFIG_MEMORIZER_FILTER is not set"

dir=$(mktemp -d)
trap 'rmmod $module 2>/dev/null; rm -rf $dir; quiet; echo >$M/memorizer_fields' EXIT

# start [TERM...]: record objects, the selected ones by granule; log nothing.
start() {
	quiet
	echo "$*" >$M/memorizer_fields
	echo 1 >$M/memorizer_enabled
}

read_back() { cat $M/memorizer_fields | tr '\n' ' '; }

fields_are_read_back() {
	start
	same "fields at first" "$(read_back)" "" || return 1
	echo 'cache:dentry,!alloc:__d_*' >$M/memorizer_fields
	same "fields" "$(read_back)" "cache:dentry !alloc:__d_* " || return 1
	echo 'cache:ext[234]*' >>$M/memorizer_fields
	same "fields with more" "$(read_back)" "cache:dentry !alloc:__d_* cache:ext[234]* " || return 1
	echo >$M/memorizer_fields
	same "fields that were taken away" "$(read_back)" ""
}

# Invalid terms, and terms for code instead of objects; the log has the reason.
bad_fields_change_nothing() {
	start cache:dentry
	for bad in 'cache:' ':a' 'modul:a' '!' 'cache:a[b' 'vfs_*' 'function:vfs_*' 'module:ext4' \
		   'cache:a !b' 'cache:a\' "$(printf '%4096s' cache:a)"; do
		same "fields <- '$bad'" "$(put "$bad" memorizer_fields)" "Invalid argument" &&
		same "fields after '$bad'" "$(read_back)" "cache:dentry " || return 1
	done
	dmesg | grep -q "memorizer: invalid filter term: 'modul:a'" &&
	dmesg | grep -q "memorizer: memorizer_fields accepts only kind:GLOB, cache:GLOB"
}

# Read both files at once. They are consistent if nothing is freed or allocated meanwhile, so process them later.
both_are_read() { cp $M/kmap $dir/kmap && cp $M/kmap_fields $dir/fields && cp $M/show_stats $dir/stats; }

# The dentries created meanwhile stay.
fields_add_up() {
	start cache:dentry
	echo 1 >$M/memorizer_log_access
	for n in 1 2 3; do
		mkdir $dir/$n
		for m in 1 2 3 4; do
			cat $dir/$n/none$m 2>/dev/null
		done
	done
	echo 0 >$M/memorizer_log_access
	echo 0 >$M/memorizer_enabled
	echo 1 >$M/clear_object_list
	undisturbed both_are_read || return 1
	$sums parts <$dir/fields | cmp -s $dir/kmap - || { echo "# the sums differ"; return 1; }
	awk -F, '/^  / { n[NF] += $3 + $4 } END { exit !(n[4] > 1000 && n[5] > 100) }' $dir/fields ||
		{ echo "# not enough accesses of each kind"; return 1; }
	same "objects and accesses" "$(sum_kmap <$dir/fields)" \
		"$(awk '{ n[$1] = $2 } END { print n["objects_live:"] + n["objects_freed:"], n["accesses_attributed:"] }' $dir/stats)"
}

# Granules are within the object, and rows in ascending order of ip, pid and granule.
rows_are_sorted_and_within_objects() { $sums sorted <$dir/fields; }

# lines_of_module: print the live object's rows in kmap_fields, without ips and pids.
lines_of_module() {
	awk -F, '/^  / { if (mine) { n[$5 "," $3 "," $4]++ } next }
		 { mine = $3 == "'$object'" && $6 == 0 }
		 END { for (line in n) print line " " n[line] }' $M/kmap_fields | sort -n | tr '\n' ';'
}

# Print the writes to live objects of the same size in kmap_fields, without and with a granule.
writes_of_others() {
	awk -F, '/^  / { if (other) n[NF] += $3; next }
		 { other = $4 == 187 && $3 != "'$object'" && $6 == 0 }
		 END { print n[4] + 0, n[5] + 0 }' $M/kmap_fields
}

# The module writes 10 times 8 bytes in sequence at one site, then reads and writes the fourth word.
module_is_counted_where_it_accesses() {
	start alloc:test_init
	echo 1 >$M/memorizer_log_access
	load_module || return 1
	object=$(cat $P/object)
	echo 7 >$P/increments
	echo 1 >$P/leaks
	echo 0 >$M/memorizer_log_access
	echo 0 >$M/memorizer_enabled
	lines=$(lines_of_module)
	set -- $(writes_of_others)
	rmmod $module
	[ $1 -ge 1 ] || { echo "# nothing was written to what another function allocates"; return 1; }
	same "writes by place to what another function allocates" $2 0 || return 1
	wanted=
	for n in 0 1 2 3 4 5 6 7 8 9; do
		wanted="$wanted$((8 * n))+8,1,0 1;"
		[ $n != 3 ] || wanted="${wanted}24+8,7,0 1;24+8,0,7 1;"
	done
	same "lines" "$(echo "$lines" | tr ';' '\n' | sort | tr '\n' ';')" \
		"$(echo "$wanted" | tr ';' '\n' | sort | tr '\n' ';')"
}

refused_to_others() { others_may_not memorizer_fields kmap_fields; }

with_module() {
	module_found || { echo "# no module $module"; return 0; }
	"$@"
}

plan 8
check mode_of memorizer_fields 600
check mode_of kmap_fields 400
check refused_to_others
check fields_are_read_back
check bad_fields_change_nothing
check fields_add_up
check rows_are_sorted_and_within_objects
check with_module module_is_counted_where_it_accesses
finish
