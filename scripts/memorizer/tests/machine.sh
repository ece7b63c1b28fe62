#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Test that the kernel counts the accesses and calls that its machine makes: a short "make truth". It fails if the
# kernel's announcements to QEMU's plugin are wrong.
. "$(dirname "$0")/../lib.sh"

# accesses_are_true: all but 100 of 4 million accesses are equal or have a known cause. Timer interrupts hit different
# code in each run, some of which no run has reviewed; "make truth" fails on each difference.
accesses_are_true() {
	local unknown

	! "$here/truth" --kinds 1 || return 0
	unknown=$(sed -n 's/^without a known cause: //p' "$out/truth-kinds/result")
	[ -n "$unknown" ] && [ "$unknown" -le 100 ]
}

# each_kind_is_compared: objects of each kind were accessed.
each_kind_is_compared() {
	diff <(printf '%s\n' memblock pages percpu slab stack static struct_page) \
		<(awk '/^of / && $5 > 1000 && $2 !~ /^v/ { sub(":", "", $2); print $2 }' "$out/truth-kinds/result" | sort)
}

plan 3
result "the KMAP has the machine's accesses to objects of all kinds" accesses_are_true
result "objects of each kind are compared" each_kind_is_compared
result "calls are those of the machine" "$here/truth" --calls 2
