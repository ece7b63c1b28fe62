#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Allocation stacks: each new object has one while they are switched on.
. "${0%/*}/functions.sh"

[ -f $M/memorizer_stacks ] || skip "no $M/memorizer_stacks: CONFIG_MEMORIZER_STACKS is not set"

before=$(cat $M/memorizer_stacks)
dir=$(mktemp -d)
trap 'rm -rf $dir; quiet; echo "$before" >$M/memorizer_stacks; echo 1 >$M/clear_object_list' EXIT

# record DEPTH KIND...: record the objects of some work.
record() {
	quiet
	echo $1 >$M/memorizer_stacks
	shift
	[ ! -f $M/memorizer_kinds ] || echo "$*" >$M/memorizer_kinds
	echo 1 >$M/clear_object_list
	echo 1 >$M/memorizer_enabled
	tar cf - /proc/sys/kernel 2>/dev/null | wc -c >$dir/size
	sh -c 'mkdir $0 && rmdir $0' $dir/new
	echo 0 >$M/memorizer_enabled
	[ ! -f $M/memorizer_kinds ] || echo slab >$M/memorizer_kinds
}

depth_is_read_back() {
	for depth in 16 1 0; do
		same "stacks <- $depth" "$(put $depth memorizer_stacks)" ok &&
		same stacks "$(cat $M/memorizer_stacks)" $depth || return 1
	done
}

bad_depth_changes_nothing() {
	echo 5 >$M/memorizer_stacks
	for bad in 17 18446744073709551615 18446744073709551616 -1 x 4x ''; do
		[ -z "$bad" ] || [ "$(put "$bad" memorizer_stacks)" != ok ] || { echo "# took '$bad'"; return 1; }
		same "stacks after '$bad'" "$(cat $M/memorizer_stacks)" 5 || return 1
	done
	dmesg | grep -q "memorizer: no stacks of 17 frames; want 0 to 16"
}

# kmap_stacks is kmap_kinds with lines of frames; the first frame is the call site.
stacks_begin_with_the_call_site() {
	record 16 all
	undisturbed stacks_agree
}

stacks_agree() {
	cat $M/kmap_kinds >$dir/kinds && cat $M/kmap_stacks >$dir/stacks || return 1
	grep -v '^  @' $dir/stacks | cmp - $dir/kinds || return 1
	awk -F , '/^  @/ { n++; if (NF > 16 || substr($1, 4) != site) bad++; next } !/^ / { site = $2 }
		END { if (bad || n < 100) { print "# " bad + 0 " of " n + 0 " stacks are bad"; exit 1 } }' $dir/stacks
}

# Programs that start while stacks are saved have no objects without.
each_allocation_has_a_stack() {
	lost=$(stat_of lost_stacks)
	last=$(sh -c 'echo $$')
	record 8 slab
	counts=$(awk -F , -v last=$last '!/^ / { new = $3 > last; n += new } /^  @/ { with += new }
		END { print (n > 100), n - with }' $M/kmap_stacks)
	same "lost_stacks" "$(stat_of lost_stacks)" "$lost" &&
	same "enough objects, and those without stacks" "$counts" "1 0"
}

nothing_is_saved_while_off() {
	last=$(sh -c 'echo $$')
	record 0 slab
	counts=$(awk -F , -v last=$last '!/^ / { new = $3 > last; n += new } /^  @/ { with += new }
		END { print (n > 100), with + 0 }' $M/kmap_stacks)
	same "enough objects, and those with stacks" "$counts" "1 0"
}

plan 7
check mode_of memorizer_stacks 600
check mode_of kmap_stacks 400
check depth_is_read_back
check bad_depth_changes_nothing
check stacks_begin_with_the_call_site
check each_allocation_has_a_stack
check nothing_is_saved_while_off
finish
