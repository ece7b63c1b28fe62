#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Contexts: counts are kept by user, group and kernel entry in place of the pid.
. "${0%/*}/functions.sh"

dir=$(mktemp -d)
trap 'rm -rf $dir; quiet; echo pid >$M/memorizer_context; echo 1 >$M/clear_object_list' EXIT

# Without the stream, kernel entries are not known. Its hooks patch text.
all="uid gid"
! text_may_be_patched || [ ! -f $M/stream_entries ] || all="$all entry"

read_back() { cat $M/memorizer_context | tr '\n' ' '; }

context_is_read_back() {
	for context in uid gid "uid gid" "$all" pid; do
		same "context <- $context" "$(put "$context" memorizer_context)" ok &&
		same context "$(read_back)" "$context " || return 1
	done
	echo uid >$M/memorizer_context && echo gid >>$M/memorizer_context &&
	same "context after another one" "$(read_back)" "uid gid "
}

bad_context_changes_nothing() {
	echo gid >$M/memorizer_context
	for bad in pids 'pid uid' 'uid,pid' 'uid;gid' '%s%n' "$(printf '\033')" ' '; do
		same "context <- '$bad'" "$(put "$bad" memorizer_context)" "Invalid argument" &&
		same "context after '$bad'" "$(read_back)" "gid " || return 1
	done
}

entry_needs_the_stream() {
	[ -f $M/stream_entries ] || same "context <- entry" "$(put entry memorizer_context)" "Not supported"
}

# record CONTEXT: log the accesses of some work, some of it as another user.
record() {
	quiet
	echo 1 >$M/clear_object_list
	echo "$1" >$M/memorizer_context
	echo 1 >$M/memorizer_enabled
	echo 1 >$M/memorizer_log_access
	ls -l /proc/self/ /sys/devices/system >/dev/null
	su nobody -s /bin/sh -c 'ls -l /proc/self/ /sys/devices/system' >/dev/null
	echo 0 >$M/memorizer_log_access
	echo 0 >$M/memorizer_enabled
	echo pid >$M/memorizer_context
}

sums_agree() {
	cat $M/kmap >$dir/kmap && cat $M/contexts >$dir/contexts &&
	kmap_agrees $dir/kmap
}

# accesses_in CONTEXT: print how many accesses are of contexts that match, as "uid,gid,kind,number".
accesses_in() {
	awk -F , -v wanted="^[0-9]*,$1\$" '
		NR == FNR	{ of[$1] = $0 ~ wanted; next }
		/^ /		{ if ($2 in of) n += of[$2] * ($3 + $4) }
		END		{ print n + 0 }' $dir/contexts $dir/kmap
}

users_are_told_apart() {
	record 'uid gid'
	undisturbed sums_agree && [ "$(accesses_in 0,0,none,0)" -gt 10000 ] || return 1
	[ "$(accesses_in 65534,65534,none,0)" -gt 1000 ]
}

system_calls_are_told_apart() {
	[ -f $M/stream_entries ] || return 0
	record entry
	undisturbed sums_agree || return 1
	# read, write, mmap, clone, wait4 and getdents64 of x86-64
	for call in 0 1 9 61 217; do
		[ "$(accesses_in "0,0,syscall,$call")" -gt 100 ] || { echo "# few accesses by system call $call"; return 1; }
	done
	for kind in interrupt exception softirq; do
		[ "$(accesses_in "0,0,$kind,.*")" -gt 10 ] || { echo "# few accesses by $kind"; return 1; }
	done
}

# Afterwards, counts are kept for pids again; contexts have larger numbers.
pids_are_back() {
	quiet
	echo 1 >$M/clear_object_list
	echo 1 >$M/memorizer_enabled
	echo 1 >$M/memorizer_log_access
	sh -c 'mkdir $0 && rmdir $0' $dir/new
	pid=$(sh -c 'mkdir $0; echo $$' $dir/new)
	echo 0 >$M/memorizer_log_access
	echo 0 >$M/memorizer_enabled
	awk -F , -v pid=$pid '/^ / && $2 == pid { n++ } END { exit n < 10 }' $M/kmap
}

make_nobody
plan 8
check mode_of memorizer_context 600
check mode_of contexts 400
check context_is_read_back
check bad_context_changes_nothing
check entry_needs_the_stream
check users_are_told_apart
check_patching system_calls_are_told_apart
check pids_are_back
finish
