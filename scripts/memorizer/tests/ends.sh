#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Test the end of a kernel while accesses are logged or sites are switched: by a panic, which must print its whole
# report, by kexec, and by a kdump kernel after a panic.
. "$(dirname "$0")/../lib.sh"

O=$build/memorizer

# end HOW AMID BOOT-OPTION...: boot a guest that ends like that, with its console in $dir.
end() {
	local how=$1 amid=$2

	shift 2
	dir=$out/ends/$how-$amid
	"$here/boot" --config memorizer --mode ends --turns --la57 off --out "$dir" --file "$O/arch/x86/boot/bzImage" \
		--append "end=$how amid=$amid ${kernel-}" "$@" >"$dir.said" 2>&1
}

said() { grep -a -q -e "$1" "$dir/console.log" || { echo "no '$1' on the console"; tail -n 20 "$dir/console.log"; return 1; }; }

# panics AMID: the panic prints its whole report, and nothing else goes wrong.
panics() {
	! end panic "$1" || { echo "it did not panic"; return 1; }
	! grep hung "$dir.said" && said 'Kernel panic - not syncing: sysrq triggered crash' &&
		said ' sysrq_handle_crash' && said '</TASK>' &&
		! grep -a -E 'WARNING:|BUG:|Oops|double fault' "$dir/console.log"
}

# gives_way AMID: another kernel boots and does its work.
gives_way() {
	end kexec "$1" --mem 2G || { cat "$dir.said"; return 1; }
	grep -q '^follows kexec' "$dir/output" && grep -q '^many accesses' "$dir/output" || { cat "$dir/output"; return 1; }
	! grep -a -E "$splats" "$dir/console.log"
}

# is_looked_at AMID: the crash kernel boots, reserves no pool, and has the first one's vmcore.
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
