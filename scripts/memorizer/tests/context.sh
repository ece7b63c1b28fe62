#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Test the analyses of entries, locks and scopes: a guest with lockdep does known work (guest/context-calls.c), and the
# analyses must count exactly that, both in the kernel's stream and in a trace of the QEMU plugin.
. "$(dirname "$0")/../lib.sh"

memorizer=$build/tools/memorizer
dir=$out/context

# The buffers hold all events, however late the reader runs.
record() {
	"$here/boot" --config debug --mode context --icount --smp 2 --mem 2G --out "$dir" --with "$memorizer" \
		--append "memorizer.subbufs=64"
}

# announce: leave a trace of the guest's announcements in $dir/qemu, without following text. CPUs take turns:
# with a thread per CPU, QEMU can execute a stale breakpoint of a patched jump label.
announce() {
	"$here/boot" --config debug --icount --smp 2 --la57 off --mem 2G --out "$dir-qemu" --append memorizer.qemu=1 \
		--qemu "-plugin $build/tools/qemu/memorizer-qemu.so,out=$dir/qemu,mode=traffic,paused=on,text=0-0" \
		-- 'sh /guest/context announce'
}

nothing_lost() { [ "$(cat "$dir/$1/kernel/total_overruns")" = 0 ] && "$memorizer" check "$dir/$1"; }
no_message_lost() { ! sed 1d "$dir/qemu/qemu/stats" | grep -v ': 0$'; }

# rows TRACE TABLE COLUMNS COMMAND...: print these columns of a CSV table, without offsets and modules.
rows() {
	local trace=$1 table=$2 columns=$3

	shift 3
	"$memorizer" "$@" --csv "$dir/$trace" | sed 's/+0x[0-9a-f]*\/0x[0-9a-f]*\( \[[a-z_]*\]\)*//g' |
		awk -F, -v table="$table" '$1 == table' | cut -d , -f "$columns" | sort
}

# is TEXT COMMAND...: succeed if COMMAND prints TEXT.
is() { diff <(printf '%s\n' "$1") <("${@:2}"); }

calls() { rows "$1" entries 2,3 per-entry --comm context-calls | grep -E ' (getppid|stat|write),'; }

# moves TABLE: print the moves of the shared object. In the first of 10 calls, 4 lines move to its CPU; one of them
# moves again in each of 30 rounds.
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
result "per-entry: the number of system calls" is "$made" calls known
result "per-entry: the moves of lines in system calls" is "syscall write,17,34,13" moves entries
result "per-entry: the moves of lines in scopes" is "sharing,1,34,4" moves scopes
result "serial: the number of acquisitions of a lock" is "memorizer_test_lock,500" taken known
result "serial: the function that acquires it" is "memorizer_test_lock,take_lock,500" taken_by
result "rcu: only accesses that are too late" is "read_late,late,20,0
write_outside,outside,0,20" rows guarded accesses 5-8 rcu
result "the guest announces to QEMU's plugin" announce
result "no message is lost" no_message_lost
result "per-entry: the number of announced system calls" is "$made" calls qemu
result "serial: the number of announced acquisitions" is "memorizer_test_lock,500" taken qemu
