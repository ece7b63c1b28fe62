#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests of what the analyses make of what surrounds accesses: a guest whose kernel has lockdep does what is known
# how often (guest/context-calls.c), and the figures must be that; of the kernel's own stream, and of what it
# announces to QEMU's plugin.
. "$(dirname "$0")/../lib.sh"

memorizer=$build/tools/memorizer
dir=$out/context

record() { "$here/boot" --config debug --mode context --icount --smp 2 --mem 2G --out "$dir" --with "$memorizer"; }

# announce: leaves in $dir/qemu what the guest has announced. No text is followed. CPUs take turns:
# QEMU's threads can execute a breakpoint of a jump label that is patched when it is there no more.
announce() {
	"$here/boot" --config debug --icount --smp 2 --la57 off --mem 2G --out "$dir-qemu" --append memorizer.qemu=1 \
		--qemu "-plugin $build/tools/qemu/memorizer-qemu.so,out=$dir/qemu,mode=traffic,paused=on,text=0-0" \
		-- 'sh /guest/context announce'
}

nothing_lost() { [ "$(cat "$dir/$1/kernel/total_overruns")" = 0 ] && "$memorizer" check "$dir/$1"; }
no_message_lost() { ! sed 1d "$dir/qemu/qemu/stats" | grep -v ': 0$'; }

# rows TRACE TABLE COLUMNS COMMAND...: of a table in CSV these columns, without offsets and modules.
rows() {
	local trace=$1 table=$2 columns=$3

	shift 3
	"$memorizer" "$@" --csv "$dir/$trace" | sed 's/+0x[0-9a-f]*\/0x[0-9a-f]*\( \[[a-z_]*\]\)*//g' |
		awk -F, -v table="$table" '$1 == table' | cut -d , -f "$columns" | sort
}

# is TEXT COMMAND...: what it prints.
is() { diff <(printf '%s\n' "$1") <("${@:2}"); }

calls() { rows "$1" entries 2,3 per-entry --comm context-calls | grep -E ' (getppid|stat|write),'; }

# moves TABLE: those of the object that is shared. The first of 10 calls begins with 4 lines that move to its CPU; one
# of them moves there in each of 30 rounds.
moves() { rows known "$1" 2-5 per-entry --comm context-calls --site make_objects | grep -v ',0,0$'; }

taken() { rows "$1" locks 2,6 serial --comm context-calls | grep '^memorizer_test_lock,'; }
taken_by() { rows known sites 2,3,7 serial --comm context-calls | grep '^memorizer_test_lock,'; }

made="syscall getppid,1000
syscall stat,700
syscall write,17"

"$here/build" --config debug
make_tools >&2
plan 13
result "the guest records its traces" record
result "nothing of known work is lost" nothing_lost known
result "nothing of guarded work is lost" nothing_lost guarded
result "per-entry: as many calls as were made" is "$made" calls known
result "per-entry: the lines that move in calls" is "syscall write,17,34,13" moves entries
result "per-entry: and in scopes" is "sharing,1,34,4" moves scopes
result "serial: a lock is taken as often as it was" is "memorizer_test_lock,500" taken known
result "serial: by the function that does it" is "memorizer_test_lock,take_lock,500" taken_by
result "rcu: what is touched too late, and nothing else" is "read_late,late,20,0
write_outside,outside,0,20" rows guarded accesses 5-8 rcu
result "the guest announces to QEMU's plugin" announce
result "no message is lost" no_message_lost
result "per-entry: as many calls in what is announced" is "$made" calls qemu
result "serial: a lock likewise" is "memorizer_test_lock,500" taken qemu
