#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Kinds of memory: slab objects, pages, vmalloc areas, stacks, struct pages, variables, areas of memblock, user memory
. "${0%/*}/functions.sh"

[ -f $M/memorizer_kinds ] || skip "no $M/memorizer_kinds: CONFIG_MEMORIZER_PAGES is not set"

before=$(cat $M/memorizer_kinds)
dir=$(mktemp -d)
trap 'rm -rf $dir; quiet; echo "$before" >$M/memorizer_kinds; echo 1 >$M/clear_object_list' EXIT

objects="slab pages vmalloc vmap ioremap modules stack struct_page static percpu memblock"
all="$objects user"

read_back() { cat $M/memorizer_kinds | tr '\n' ' '; }

# kinds KIND...: select the kinds of objects.
kinds() { echo "$*" >$M/memorizer_kinds; }

# work: allocate and access objects of all kinds.
work() {
	head -c 2000000 /dev/zero >$dir/file
	cat $dir/file $dir/file | tail -c 100 >$dir/end
	tar cf - /proc/sys/kernel 2>/dev/null | wc -c >$dir/size
	rm $dir/file
}

# record KIND...: select kinds, and log the accesses of some work to them.
record() {
	quiet
	kinds "$@"
	echo 1 >$M/clear_object_list
	echo 1 >$M/memorizer_enabled
	echo 1 >$M/memorizer_log_access
	work
	echo 0 >$M/memorizer_log_access
	echo 0 >$M/memorizer_enabled
}

kinds_are_read_back() {
	kinds pages && same "kinds" "$(read_back)" "pages " || return 1
	echo slab >>$M/memorizer_kinds
	same "kinds after another one" "$(read_back)" "slab pages " || return 1
	kinds slab && same "kinds" "$(read_back)" "slab " || return 1
	kinds all && same "all kinds" "$(read_back)" "$all " || return 1
	kinds slab,pages && same "kinds with a comma" "$(read_back)" "slab pages "
}

bad_kinds_change_nothing() {
	kinds pages
	for bad in page 'slab page' 'SLAB' 'slab;pages' '!slab' 'all,none' '%s%n' "$(printf '\033')" "$(printf '%5000s' slab)"; do
		same "kinds <- '$bad'" "$(put "$bad" memorizer_kinds)" "Invalid argument" &&
		same "kinds after '$bad'" "$(read_back)" "pages " || return 1
	done
	same "kinds <- nothing" "$(put "$(printf ' \n')" memorizer_kinds)" "Invalid argument" &&
	same "kinds after nothing" "$(read_back)" "pages "
}

sums_agree() {
	cat $M/kmap >$dir/kmap && cat $M/show_stats >$dir/stats || return 1
	same "objects and accesses" "$(sum_kmap <$dir/kmap)" \
		"$(sum_of objects_live objects_freed) $(of_stats accesses_attributed)" &&
	same "accesses by kind" "$(sum_of $(for kind in $objects; do echo accesses_$kind; done))" \
		"$(of_stats accesses_attributed)" &&
	same "accesses to user memory" "$(sum_kmap <$M/user | cut -d ' ' -f 2)" "$(of_stats accesses_user)"
}

# of_stats KEY: print a value of the copy of show_stats that the functions above leave.
of_stats() { stat_of $1 $dir/stats; }

# sum_of PATTERN...: add up values of that copy.
sum_of() {
	for pattern; do
		of_stats "$pattern"
	done | awk '{ sum += $1 } END { print sum + 0 }'
}

objects_agree() {
	same "allocations" "$(stat_of allocations)" \
		$(($(stat_of frees) + $(stat_of frees_missed) + $(stat_of objects_live)))
}

# recorded_kinds_have_accesses KIND...: each kind has accesses, or none if it is not recorded.
recorded_kinds_have_accesses() {
	missed=$(stat_of frees_missed)
	record "$@"
	undisturbed sums_agree || return 1
	for kind in $all; do
		case " $* " in
		*" $kind "* | *" all "*)
			# Few programs use the others.
			case $kind in slab | pages | stack | struct_page | static | percpu | memblock | user) ;; *) continue ;; esac
			same "$kind has accesses" $(($(of_stats accesses_$kind) > 0)) 1 ;;
		*)	same "accesses to $kind" "$(of_stats accesses_$kind)" 0 ;;
		esac || return 1
	done
	same "frees_missed" "$(of_stats frees_missed)" "$missed"
}

# The pages of a file's contents are written by the copy from user space.
pages_are_in_the_kmap() {
	record all
	awk -F , '!/^ / && $4 == 4096 && $3 ~ /000$/ { n++ } END { exit n < 100 }' $M/kmap ||
		{ echo "# few objects are pages"; return 1; }
}

# kmap_kinds has the rows of kmap, and its accesses are those of each kind.
kmap_kinds_has_the_kinds() {
	record all
	undisturbed kinds_agree
}

kinds_agree() {
	cat $M/kmap >$dir/kmap && cat $M/kmap_kinds >$dir/kinds && cat $M/show_stats >$dir/stats || return 1
	sed 's/^[a-z_]*,//' $dir/kinds | cmp - $dir/kmap || return 1
	$sums kinds <$dir/kinds | sort >$dir/sums
	sed -n "s/^accesses_\($(echo $objects | sed 's/ /\\|/g')\): \([1-9]\)/\1 \2/p" $dir/stats | sort >$dir/of_stats
	cmp $dir/sums $dir/of_stats && [ $(wc -l <$dir/sums) -ge 8 ] &&
	for sum in attributed unattributed; do
		same "accesses by region, $sum" "$(sum_of "${sum}_in_[a-z_]*")" "$(of_stats accesses_$sum)" || return 1
	done
	[ "$(sum_of attributed_in_vmalloc)" -gt 0 ] && [ "$(sum_of attributed_in_kernel)" -gt 0 ]
}

# A program's stack has the name that it got from exec(), not its parent's.
stacks_are_those_of_their_tasks() {
	quiet
	kinds stack
	echo 1 >$M/clear_object_list
	echo 1 >$M/memorizer_enabled
	printf '#!/bin/sh\nwhile :; do :; done\n' >$dir/stack_of_this
	chmod +x $dir/stack_of_this
	$dir/stack_of_this &
	pid=$!
	until [ "$(cat /proc/$pid/comm)" = stack_of_this ]; do :; done
	live=$(awk -F , -v pid=$pid '!/^ / && $2 == pid { print $8 }' $M/kmap)
	kill $pid
	wait $pid
	echo 0 >$M/memorizer_enabled
	same "comm of the program's stack" "$live" stack_of_this
}

# address_of SYMBOL: print the address of a symbol of the test module.
address_of() { sed -n "s/^\([0-9a-f]*\) . $1\t\[$module\]$/\1/p" /proc/kallsyms; }

# variable ADDRESS SIZE: print "reads writes freed" of an object at an address in $dir/kmap, by code in modules.
variable() {
	awk -F , -v address="$1" -v size="$2" '
		!/^ /	{ found = $1 == address && $3 == address && $4 == size
			  if (found) freed = $6 > 0 && $2 == 0 && $5 == 0 && $8 == "swapper"; any = any || found }
		/^  ffffffffc/ && found	{ writes += $3; reads += $4 }
		END	{ if (any) print reads + 0, writes + 0, freed }' $dir/kmap
}

# Each variable of a module is an object, and ends with the module.
variables_of_modules_come_and_go() {
	module_found || { echo "# no module $module"; return 0; }
	for first in 1 0; do
		quiet
		rmmod $module 2>/dev/null
		[ $first = 1 ] || load_module || return 1
		kinds static
		echo 1 >$M/clear_object_list
		echo 1 >$M/memorizer_enabled
		echo 1 >$M/memorizer_log_access
		[ $first = 0 ] || load_module || return 1
		# Each line of kallsyms takes hundreds of accesses.
		echo 0 >$M/memorizer_log_access
		leaks=$(address_of leaks)
		echo 1 >$M/memorizer_log_access
		echo 5 >$P/leaks
		rmmod $module
		echo 0 >$M/memorizer_log_access
		# Without the accesses by the kernel's own code, which are most
		grep -v '^  ffffffff[89ab]' $M/kmap >$dir/kmap
		same "leaks" "$(variable $leaks 128)" "5 5 1" || return 1
		# Init data, whose name is gone: 4 bytes that the module's code read 11 times
		found=$(awk -F , '
			function end() { n += init && reads == 11; reads = 0 }
			!/^ /	{ end(); init = $1 ~ /^ffffffffc/ && $4 == 4 && $6 > 0 }
			/^  ffffffffc/	{ reads += $4 }
			END	{ end(); print n + 0 }' $dir/kmap)
		same "init data" "$found" $first || return 1
		settle
	done
	same "objects lost" "$(stat_of lost_objects_index_full)" 0
}

# user_writes COUNT: print the most writes to user memory by one site while a program zeroes COUNT buffers.
user_writes() {
	echo 1 >$M/clear_object_list
	sh -c "echo \$\$ >$M/memorizer_pid; exec dd if=/dev/zero of=/dev/null bs=4096 count=$1" 2>/dev/null
	awk -F , '$3 > most { most = $3 } END { print most + 0 }' $M/user
}

# Each buffer is written once.
accesses_to_user_memory_are_counted() {
	quiet
	kinds user
	echo 1 >$M/memorizer_log_access
	few=$(user_writes 1000)
	many=$(user_writes 3000)
	echo >$M/memorizer_pid
	echo 0 >$M/memorizer_log_access
	same "writes of 1000 and of 3000 buffers" "$few $many" "1000 3000"
}

# Sites of accesses to user memory and to per-CPU data are enabled only while the kind is selected.
sites_are_enabled_with_their_kind() {
	quiet
	kinds slab
	echo 1 >$M/memorizer_log_access
	off=$(stat_of sites_patched)
	for kind in user percpu; do
		kinds $kind
		on=$(stat_of sites_patched)
		kinds slab
		same "sites without $kind" "$(stat_of sites_patched)" $off || return 1
		[ $((on - off)) -gt 100 ] && [ $((on - off)) -le "$(stat_of sites_$kind)" ] ||
			{ echo "# $kind: $on and $off sites are enabled"; return 1; }
	done
	echo 0 >$M/memorizer_log_access
}

kind_that_is_switched_off_ends() {
	record all
	same "pages have accesses" $(($(stat_of accesses_pages) > 0)) 1 || return 1
	kinds slab
	same "accesses to pages are kept" $(($(stat_of accesses_pages) > 0)) 1 || return 1
	echo 1 >$M/clear_object_list
	same "accesses to pages" "$(stat_of accesses_pages)" 0 || return 1
	kinds pages
	echo 1 >$M/clear_object_list
	same "accesses to slab objects" "$(stat_of accesses_slab)" 0 &&
	same "live objects" "$(stat_of objects_live)" 0
}

kinds_switch_under_load() {
	missed=$(stat_of frees_missed)
	quiet
	echo 1 >$M/memorizer_enabled
	echo 1 >$M/memorizer_log_access
	work &
	for which in all slab pages stack all struct_page static percpu memblock user pages,vmalloc slab; do
		kinds $which
		ls /proc/self >/dev/null
	done
	wait $!
	echo 1 >$M/clear_object_list
	kinds all
	work
	echo 0 >$M/memorizer_log_access
	echo 0 >$M/memorizer_enabled
	undisturbed sums_agree &&
	same "frees_missed" "$(stat_of frees_missed)" "$missed" && undisturbed objects_agree
}

# In a kernel that records nothing, kinds can be selected all the same.
if [ "$(stat_of pool_size)" = 0 ]; then
	plan 3
	check mode_of memorizer_kinds 600
	check kinds_are_read_back
	check bad_kinds_change_nothing
	finish
fi

plan 23
check mode_of memorizer_kinds 600
check kinds_are_read_back
check bad_kinds_change_nothing
check recorded_kinds_have_accesses slab
check recorded_kinds_have_accesses pages
check recorded_kinds_have_accesses stack
check recorded_kinds_have_accesses struct_page
check recorded_kinds_have_accesses static
check recorded_kinds_have_accesses percpu
check recorded_kinds_have_accesses memblock
check recorded_kinds_have_accesses user
check recorded_kinds_have_accesses vmalloc vmap ioremap modules stack
check recorded_kinds_have_accesses all
check stacks_are_those_of_their_tasks
check pages_are_in_the_kmap
check mode_of kmap_kinds 400
check kmap_kinds_has_the_kinds
check variables_of_modules_come_and_go
check mode_of user 400
check accesses_to_user_memory_are_counted
check sites_are_enabled_with_their_kind
check kind_that_is_switched_off_ends
check kinds_switch_under_load
finish
