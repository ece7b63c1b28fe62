#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests of how a kernel ends while accesses are logged, or their sites switched: by a panic, whose report must come
# out, for another kernel (kexec), and for one that looks at it when it has panicked (kdump).
. "$(dirname "$0")/../lib.sh"

O=$build/memorizer

# end HOW AMID BOOT-OPTION...: what the guest said is in $dir then.
end() {
	local how=$1 amid=$2

	shift 2
	dir=$out/ends/$how-$amid
	"$here/boot" --config memorizer --mode ends --turns --la57 off --out "$dir" --file "$O/arch/x86/boot/bzImage" \
		--append "end=$how amid=$amid ${kernel-}" "$@" >"$dir.said" 2>&1
}

said() { grep -a -q -e "$1" "$dir/console.log" || { echo "nobody said '$1'"; tail -n 20 "$dir/console.log"; return 1; }; }

# panics AMID: all of the report comes out, and the guest ends; nothing went wrong before, nor in between.
panics() {
	! end panic "$1" || { echo "it did not panic"; return 1; }
	! grep hung "$dir.said" && said 'Kernel panic - not syncing: sysrq triggered crash' &&
		said ' sysrq_handle_crash' && said '</TASK>' &&
		! grep -a -E 'WARNING:|BUG:|Oops|double fault' "$dir/console.log"
}

# gives_way AMID: another kernel comes up, and does its work.
gives_way() {
	end kexec "$1" --mem 2G || { cat "$dir.said"; return 1; }
	grep -q '^follows kexec' "$dir/output" && grep -q '^many accesses' "$dir/output" || { cat "$dir/output"; return 1; }
	! grep -a -E "$splats" "$dir/console.log"
}

# is_looked_at AMID: the kernel for a crash comes up, takes no memory for a pool, and has what is left of the first.
is_looked_at() {
	kernel=crashkernel=512M end crash "$1" --mem 2G || { cat "$dir.said"; return 1; }
	grep -q '^follows crash' "$dir/output" && grep -q '/proc/vmcore' "$dir/output" || { cat "$dir/output"; return 1; }
	said 'memorizer: no pool in a kdump kernel' && said 'Kernel panic - not syncing: sysrq triggered crash'
}

"$here/build" --config memorizer
mkdir -p "$out/ends"
plan 6
for amid in logging switching; do
	result "panic while $amid" panics $amid
	result "kexec while $amid" gives_way $amid
	result "kdump after a panic while $amid" is_looked_at $amid
done
