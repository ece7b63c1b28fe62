#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Test which guests boot considers killed by a bug of the emulator.
. "$(dirname "$0")/../lib.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
int3="[    1.9] Oops: int3: 0000 [#1] PREEMPT SMP"
without="[    1.9] Code: 40 00 41 54 55 53 66 <90> e8 45 10 f4 ff"
with="[    1.9] Code: 40 00 41 54 55 53 cc <90> e8 45 10 f4 ff"

# gives_up LINE...: for a guest whose console ends with these lines.
gives_up() {
	printf '%s\n' "[    1.9] IPI shorthand broadcast: enabled" "$@" "[    1.9] RSP: 0018:ff3c7755c08f3cc8 EFLAGS: 00000002" \
		"[    1.9] Kernel panic - not syncing: Fatal exception in interrupt" >"$work/console"
	stale_breakpoint "$work/console"
}
judges() { ! gives_up "$@"; }

plan 6
result "a breakpoint that is not in memory is the emulator's bug" gives_up "$int3" "$without"
result "a breakpoint in memory is not" judges "$int3" "$with"
result "a breakpoint without a code dump is not" judges "$int3"
result "another oops is not" judges "[    1.9] Oops: general protection fault: 0000 [#1] PREEMPT SMP" "$without"
result "a breakpoint after a warning is not" judges "[    1.8] WARNING: CPU: 0 PID: 1 at mm/memorizer/pool.c:1" "$int3" "$without"
result "a breakpoint after boot is not" judges "guest: up, _text at ffffffff81000000" "$int3" "$without"
