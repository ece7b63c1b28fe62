#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Test the end of a kernel while accesses are logged or sites are switched: by a panic, which must print its whole
# report, by kexec, and by a kdump kernel after a panic. Test that recording goes on after suspend and hibernation, and
# after tasks crashed.
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

# ended_badly: print what the guest and its console said, and fail.
ended_badly() {
	cat "$dir.said" "$dir/output"
	tail -n 40 "$dir/console.log"
	return 1
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
	end kexec "$1" --mem 2G || ended_badly || return
	grep -q '^follows kexec' "$dir/output" && grep -q '^many accesses' "$dir/output" || { cat "$dir/output"; return 1; }
	! grep -a -E "$splats" "$dir/console.log"
}

# is_looked_at AMID: the crash kernel boots, reserves no pool, and has the first one's vmcore.
is_looked_at() {
	kernel=crashkernel=512M end crash "$1" --mem 2G || ended_badly || return
	grep -q '^follows crash' "$dir/output" && grep -q '/proc/vmcore' "$dir/output" || { cat "$dir/output"; return 1; }
	said 'memorizer: no pool in a kdump kernel' && said 'Kernel panic - not syncing: sysrq triggered crash'
}

# survives AMID: BUG() and an access to unmapped memory end only the task, and their reports are complete. Each backtrace
# of a CPU in the hook continues through the thunk to the kernel's entry.
survives() {
	end oops "$1" || ended_badly || return
	cat "$dir/output"
	grep -q '^unwound through the hook' "$dir/output" && grep -q '^many accesses' "$dir/output" &&
		grep -q '^is sound' "$dir/output" &&
		said 'kernel BUG at .*/lkdtm/' && said 'RIP: 0010:lkdtm_BUG+' &&
		said 'BUG: kernel NULL pointer dereference' && said 'RIP: 0010:lkdtm_EXCEPTION+' &&
		[ "$(grep -a -c -e '---\[ end trace' "$dir/console.log")" -eq 2 ] &&
		[ "$(grep -a -E "$splats" "$dir/console.log" | grep -c -v -e 'kernel BUG at' -e 'BUG: kernel NULL' \
			-e 'Oops: .*\[#[12]\]')" -eq 0 ]
}

# is_sound: the guest slept, its counts add up, and it counts exactly.
is_sound() {
	cat "$dir/output"
	grep -q '^slept' "$dir/output" && grep -q '^many accesses' "$dir/output" && grep -q '^is sound' "$dir/output" &&
		! grep -a -E "$splats" "$dir/console.log"
}

# wakes_up AMID: suspend to memory (S3); the real-time clock wakes the guest.
wakes_up() {
	end suspend "$1" || ended_badly || return
	is_sound && said 'ACPI: PM: Low-level resume complete'
}

# is_resumed AMID: suspend to disk, end QEMU, and resume in another one.
is_resumed() {
	local disk=$out/ends/disk status=0

	truncate -s 0 "$disk"
	truncate -s 2G "$disk"
	set -- "$1" --qemu "-drive file=$disk,format=raw,if=virtio"
	! kernel=hibernate=nocompress end hibernate "$@" || { echo "it did not hibernate"; ended_badly; return; }
	said 'reboot: Power down' || return 1
	kernel=resume=/dev/vda end resume "$@" && is_sound || { ended_badly; status=1; }
	rm "$disk"
	return $status
}

"$here/build" --config memorizer
mkdir -p "$out/ends"
plan 9
for amid in logging switching; do
	result "panic while $amid" panics $amid
	result "kexec while $amid" gives_way $amid
	result "kdump after a panic while $amid" is_looked_at $amid
done
# Tasks are frozen while a system sleeps: none can switch sites then.
result "suspend to memory while logging" wakes_up logging
result "suspend to disk while logging" is_resumed logging
result "tasks crash while logging" survives logging
