#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Filters of sites, tasks and objects
. "${0%/*}/functions.sh"

[ -f $M/memorizer_filter ] || skip "no $M/memorizer_filter: CONFIG_MEMORIZER_FILTER is not set"

dir=$(mktemp -d)
trap 'rmmod $module 2>/dev/null; kill $worker 2>/dev/null; rm -rf $dir; quiet; all' EXIT

# all: reset the filters.
all() {
	echo >$M/memorizer_filter
	echo >$M/memorizer_pid
	echo 0 >$M/memorizer_pid_fork
}

# start: record objects, log nothing, filter nothing.
start() {
	quiet
	all
	echo 1 >$M/memorizer_enabled
}

# filter TERM...: set the filter.
filter() { echo "$*" >$M/memorizer_filter; }

read_back() { cat $M/memorizer_filter | tr '\n' ' '; }

filter_is_read_back() {
	start
	same "filter at first" "$(read_back)" "" || return 1
	filter 'vfs_*' '!vfs_read,module:vmlinux' || return 1
	same "filter" "$(read_back)" "vfs_* !vfs_read module:vmlinux " || return 1
	echo 'module:ext[234]' >>$M/memorizer_filter
	same "filter with more" "$(read_back)" "vfs_* !vfs_read module:vmlinux module:ext[234] " || return 1
	(echo a; echo b) >$M/memorizer_filter
	same "filter of two writes" "$(read_back)" "a b " || return 1
	echo >$M/memorizer_filter
	same "filter that was taken away" "$(read_back)" ""
}

# An invalid filter is refused as a whole, with logging off and on; the previous one stays.
bad_filters_change_nothing() {
	start
	filter 'vfs_*'
	echo $1 >$M/memorizer_log_access
	patched=$(stat_of sites_patched)
	[ $1 -eq 0 ] || [ "$patched" -gt 0 ] || { echo "# no site is patched"; return 1; }
	for bad in 'module:' ':a' 'modul:a' '!' 'a[b' 'a [!]' 'a\' "$(printf 'a\001')" "$(printf '%4096s' a)"; do
		same "filter <- '$bad'" "$(put "$bad" memorizer_filter)" "Invalid argument" &&
		same "filter after '$bad'" "$(read_back)" "vfs_* " || return 1
	done
	same "sites patched" "$(stat_of sites_patched)" "$patched"
}

# patched TERM...: print the number of sites that are on with that filter.
patched() {
	filter "$@"
	stat_of sites_patched
}

# Each site belongs to one function, so disjoint sets of functions add up to all sites.
# The sites of init text are gone.
each_site_belongs_to_one_function() {
	start
	same "sites patched while it is off" "$(stat_of sites_patched)" 0 || return 1
	echo 1 >$M/memorizer_log_access
	all=$(stat_of sites_patched)
	[ $all -gt $(($(stat_of sites) / 2)) ] && [ $all -le "$(stat_of sites)" ] ||
		{ echo "# $all sites are patched"; return 1; }
	early=$(patched '[a-m]*')
	late=$(patched '[n-z]*')
	same "sites of functions" $((early + late + $(patched '[!a-z]*'))) $all &&
	same "sites of all others" $(patched '![a-m]*') $((all - early)) &&
	same "sites of all but some" $(patched '[a-z]*' '![n-z]*') $early &&
	same "sites of either" $(patched '[a-m]*' '[n-z]*') $((early + late)) &&
	same "sites of no module" $(patched 'module:vmlinux') $all &&
	same "sites of no function" $(patched '*' '!module:vmlinux') 0 &&
	same "sites of no file" $(patched '!file:?*') 0 &&
	same "sites of files" $(($(patched 'file:fs/*') + $(patched 'file:mm/*') + $(patched '!file:fs/*' '!file:mm/*'))) $all &&
	same "sites of files by name" $(patched 'file:fs/*.c' 'file:*/*') $all &&
	same "sites without a filter" $(patched) $all
}

# bounds FUNCTION: print its address and that of the next symbol.
bounds() {
	sort /proc/kallsyms | awk -v name="$1" '
		first && $1 > first { print first, $1; exit }
		$3 == name { first = $1 }'
}

# accesses_by FIRST END: print the KMAP's accesses by others and by the function.
accesses_by() { $sums ip $1 $2 <$M/kmap; }

# Live objects keep the counts from before.
kmap_has_that_function_only() {
	start
	filter $1
	range=$(bounds $1)
	set -- $(accesses_by $range)
	others=$1 own=$2
	echo 1 >$M/memorizer_log_access
	for n in 1 2 3; do
		cat /proc/self/status >/dev/null
	done
	echo 0 >$M/memorizer_log_access
	set -- $(accesses_by $range)
	[ $2 -gt $own ] || { echo "# no accesses by the function at $range"; return 1; }
	same "accesses by others" $1 $others
}

nothing_else_is_counted() {
	start
	filter nobody_is_called_so
	echo 1 >$M/memorizer_log_access
	same "sites patched" "$(stat_of sites_patched)" 0 || return 1
	before="$(stat_of accesses_unattributed) $(stat_of accesses_attributed)"
	cat /proc/self/status >/dev/null
	same "accesses" "$(stat_of accesses_unattributed) $(stat_of accesses_attributed)" "$before"
}

# module_session WRITES READS FILTER...: load the test module while accesses are logged. It
# makes 10 writes when loaded, 7 reads and writes in use, and one write when unloaded.
module_session() {
	wanted="1 $1 $2"
	shift 2
	start
	filter "$@"
	echo 1 >$M/memorizer_log_access
	load_module || return 1
	object=$(cat $P/object)
	echo 7 >$P/increments
	rmmod $module || return 1
	echo 0 >$M/memorizer_log_access
	same "objects, writes, reads" "$(accesses_of_module <$M/kmap)" "$wanted"
}

filter_changes_while_logging() {
	start
	filter module:vmlinux
	echo 1 >$M/memorizer_log_access
	load_module || return 1
	object=$(cat $P/object)
	vmlinux=$(stat_of sites_patched)
	echo 7 >$P/increments
	filter set_increments
	one=$(stat_of sites_patched)
	echo 20 >$P/increments
	filter test_exit
	other=$(stat_of sites_patched)
	echo 300 >$P/increments
	filter module:$module
	whole=$(stat_of sites_patched)
	echo 4000 >$P/increments
	filter
	echo 50000 >$P/increments
	same "sites of all" "$(stat_of sites_patched)" $((vmlinux + whole)) || return 1
	echo 0 >$M/memorizer_log_access
	rmmod $module
	[ $one -gt 0 ] && [ $other -gt 0 ] && [ $((one + other)) -lt $whole ] ||
		{ echo "# sites: $one of set_increments, $other of test_exit, $whole in all"; return 1; }
	same "objects, writes, reads" "$(accesses_of_module <$M/kmap)" "1 54020 54020"
}

# Accesses of others are counted as left out.
accesses_of_others_are_left_out() {
	start
	start_worker
	echo $worker >$M/memorizer_pid
	same "pids" "$(cat $M/memorizer_pid)" $worker || return 1
	set -- $(accesses_of $worker)
	others=$1 own=$2 left_out=$(stat_of accesses_left_out)
	echo 1 >$M/memorizer_log_access
	tell itself
	tell child
	echo 0 >$M/memorizer_log_access
	set -- $(accesses_of $worker)
	left=$(($(stat_of accesses_left_out) - left_out))
	[ $2 -gt $own ] && [ $left -gt 100 ] ||
		{ echo "# $(($2 - own)) accesses, $left left out"; return 1; }
	same "accesses by others" $1 $others || return 1
	end_worker
	same "pids when they have ended" "$(cat $M/memorizer_pid)" none || return 1
	echo >$M/memorizer_pid
	same "pids of all" "$(cat $M/memorizer_pid)" ""
}

# This shell's accesses are not recorded.
children_are_chosen() {
	start
	start_worker
	echo 1 >$M/memorizer_pid_fork
	echo $worker >$M/memorizer_pid
	set -- $(accesses_of $worker) $(accesses_of $$)
	others=$1 own=$2 mine=$4
	echo 1 >$M/memorizer_log_access
	tell child
	echo 0 >$M/memorizer_log_access
	set -- $(accesses_of $worker) $(accesses_of $$)
	[ $2 -gt $own ] && [ $1 -gt $others ] ||
		{ echo "# $(($2 - own)) accesses, $(($1 - others)) by its children"; return 1; }
	same "accesses by this shell" $4 $mine || return 1
	echo 0 >$M/memorizer_pid_fork
	end_worker
}

# All its writes to pipes have the pid that it took over.
exec_by_a_thread_changes_its_pid() {
	start
	set -- $(bounds pipe_write)
	echo 1 >$M/memorizer_log_access
	${0%/*}/thread_exec >$dir/thread
	echo 0 >$M/memorizer_log_access
	read -r pid had <$dir/thread
	[ "$pid" -ne "$had" ] || { echo "# it had $had before"; return 1; }
	awk -F, -v first="  $1" -v end="  $2" -v pid="$pid" -v had="$had" '
		/^  / && $1 "" >= first "" && $1 "" < end "" { lines[$2]++ }
		END {
			print "# " lines[pid] + 0 " lines of " pid ", " lines[had] + 0 " of " had
			exit !lines[pid] || lines[had]
		}' $M/kmap
}

bad_pids_change_nothing() {
	start
	start_worker
	echo $worker >$M/memorizer_pid
	for bad in x 1x -1 '1 x' 4194305 'none 1' "$(printf '%4096s' 1)"; do
		same "pid <- '$bad'" "$(put "$bad" memorizer_pid)" "Invalid argument" &&
		same "pid after '$bad'" "$(cat $M/memorizer_pid)" $worker || return 1
	done
	same "pid of nobody" "$(put "1 4194304" memorizer_pid)" "No such process" &&
	same "pid after that of nobody" "$(cat $M/memorizer_pid)" $worker || return 1
	echo 1 >>$M/memorizer_pid
	same "pids" "$(cat $M/memorizer_pid | tr '\n' ' ')" "1 $worker " || return 1
	echo 0 >$M/memorizer_pid
	same "pids of idle tasks" "$(cat $M/memorizer_pid)" 0 || return 1
	echo none >$M/memorizer_pid
	same "pids of nobody" "$(cat $M/memorizer_pid)" none || return 1
	end_worker
}

# objects_of_module OWN LEAKS FILTER...: the filter selects OWN of the module's object and LEAKS of the 3
# that another of its functions allocates. All others are left out, including this shell's.
objects_of_module() {
	own=$1 leaks=$2
	shift 2
	start
	had=$(live_of_size)
	filter "$@"
	left_out=$(stat_of allocations_left_out)
	load_module || return 1
	echo 3 >$P/leaks
	object=$(cat $P/object)
	echo 0 >$M/memorizer_enabled
	left_out=$(($(stat_of allocations_left_out) - left_out))
	[ $left_out -gt 100 ] || { echo "# only $left_out allocations were left out"; return 1; }
	live=$(live_of_size) mine=$(live_of_size $object)
	rmmod $module
	same "objects" "$mine $((live - had - mine))" "$own $leaks"
}

# live_of_size [ADDRESS]: print the number of recorded live objects of the module's object's size, at
# ADDRESS or anywhere. Few other objects have that size.
live_of_size() {
	awk -F, -v address="$1" '
		!/^  / && $4 == 187 && $6 == 0 && (address == "" || $3 == address) { n++ }
		END { print n + 0 }' $M/kmap
}

# Each recorded object is of that cache: all dentries have the same size.
objects_are_of_that_cache() {
	start
	size=$(cat /sys/kernel/slab/dentry/object_size 2>/dev/null)
	filter cache:dentry
	echo 0 >$M/memorizer_enabled
	before=$(stat_of allocations)
	had=$(objects_of_size ${size:-192})
	echo 1 >$M/memorizer_enabled
	for n in 1 2 3 4 5; do
		mkdir $dir/$n
		ls $dir/$n/none 2>/dev/null
	done
	echo 0 >$M/memorizer_enabled
	filter
	new=$(($(stat_of allocations) - before))
	[ $new -ge 10 ] || { echo "# only $new objects"; return 1; }
	same "objects" $(($(objects_of_size ${size:-192}) - had)) $new
}

objects_of_size() {
	awk -F, -v size="$1" '!/^  / && $4 == size { n++ } END { print n + 0 }' $M/kmap
}

refused_to_others() { others_may_not memorizer_filter memorizer_pid memorizer_pid_fork; }

with_module() {
	module_found || { echo "# no module $module"; return 0; }
	"$@"
}

plan 30
check mode_of memorizer_filter 600
check mode_of memorizer_pid 600
check mode_of memorizer_pid_fork 600
check switch_takes_booleans memorizer_pid_fork
check refused_to_others
check filter_is_read_back
check bad_filters_change_nothing 0
check bad_filters_change_nothing 1
check each_site_belongs_to_one_function
check kmap_has_that_function_only seq_read_iter
check nothing_else_is_counted
check with_module module_session 18 7 module:$module
check with_module module_session 7 7 set_increments
check with_module module_session 7 7 'set_incr*' '!test_exit'
check with_module module_session 10 0 test_init
check with_module module_session 1 0 'test_[!i]*'
check with_module module_session 0 0 module:vmlinux
check with_module module_session 18 7 file:mm/memorizer/test_module.c
check with_module module_session 8 7 'file:mm/*' '!test_init'
check with_module module_session 0 0 '!file:mm/memorizer/*'
check with_module module_session 8 7 '!test_init'
check with_module filter_changes_while_logging
check accesses_of_others_are_left_out
check children_are_chosen
check exec_by_a_thread_changes_its_pid
check bad_pids_change_nothing
check with_module objects_of_module 1 0 alloc:test_init
check with_module objects_of_module 0 3 alloc:leak_one
check with_module objects_of_module 1 3 'cache:kmalloc-*192'
check objects_are_of_that_cache
finish
