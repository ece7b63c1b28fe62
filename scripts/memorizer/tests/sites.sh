#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests of where sites are, and of what they reach, in a kernel as it was built.
. "$(dirname "$0")/../lib.sh"

O=$build/memorizer
work=$out/sites
tree=

# The lists of scripts/Makefile.memorizer.
list() { sed -n "s/^$1 += //p" "$top/scripts/Makefile.memorizer"; }

# Not grep -q: objdump, which has more to say then, would fail.
has_sites() { objdump -h "$1" | grep ' memorizer_sites ' >/dev/null; }

# objects_have_none: each object on the list that was built has no sites.
objects_have_none() {
	local pattern object n=0

	while read -r object; do
		object=${object#"$O/"}
		for pattern in $(list MEMORIZER_WITHOUT); do
			# shellcheck disable=SC2053 # it is a pattern
			[[ $object == ${pattern//%/*} && $object != mm/memorizer/*test* ]] || continue
			n=$((n + 1))
			! has_sites "$O/$object" || { echo "$object has sites"; return 1; }
		done
	done < <(find "$O" -name '*.o')
	echo "# $n objects"
	[ $n -gt 10 ]
}

# And these have, which other tools leave out.
objects_have_some() {
	local object

	for object in mm/slub.o mm/slab_common.o arch/x86/kernel/smpboot.o kernel/entry/common.o; do
		has_sites "$O/$object" || { echo "$object has no sites"; return 1; }
	done
}

# functions_have_none: nor has any function on the list.
functions_have_none() {
	local function n=0

	for function in $(list MEMORIZER_WITHOUT_FUNCTIONS); do
		[ -f "$O/${function%:*}" ] || continue
		n=$((n + 1))
		! objdump -d --no-show-raw-insn --disassemble="${function#*:}" "$O/${function%:*}" |
			grep -E 'test   \$0x.*,%eax|(ds|ss) (ds|ss) (ds|ss) (ds|ss)' || { echo "$function has sites"; return 1; }
	done
	echo "# $n functions"
	[ $n -gt 2 ]
}

# reached: the functions that a thunk can reach, as "address name"; what is called
# by way of a pointer, as "? name". Where the stream is told of an access it has
# guarded itself against being called anew. Preemption comes after the hook.
reached() {
	objdump -d --no-show-raw-insn "$O/vmlinux" | awk '
		/^[0-9a-f]+ <.*>:$/ {
			name = substr($2, 2, length($2) - 3)
			address[name] = $1
			if (name ~ /^memorizer_(thunk_|joined_|group$|leave_)/)
				todo[++last] = name
			next
		}
		$2 ~ /^(call|jmp|j[a-z]+)$/ {
			if ($3 ~ /^\*/ || $4 ~ /__x86_indirect/)
				pointer[name] = 1
			else if (match($4, /^<[^+>]*/) && (to = substr($4, 2, RLENGTH - 1)) != name)
				calls[name] = calls[name] " " to
		}
		END {
			for (i = 1; i <= last; i++) {
				name = todo[i]
				if (seen[name]++ || name ~ /^(preempt_schedule_notrace_thunk|__SCT__.*)$/)
					continue
				print address[name], name
				if (name ~ /^memorizer_observer_(access|traffic)$/)
					continue
				if (pointer[name])
					print "?", name
				n = split(calls[name], callee, " ")
				for (j = 1; j <= n; j++)
					todo[++last] = callee[j]
			}
		}'
}

# none_can_be_probed: all that is reached is on the guest's list of what kprobes refuse.
none_can_be_probed() {
	"$here/boot" --config memorizer --out "$work" --append nokaslr \
		-- "cat /sys/kernel/debug/kprobes/blacklist" >"$work.blacklist" || return
	reached >"$work.reached"
	echo "# $(wc -l <"$work.reached") functions"
	sed -n 's/^0x\([0-9a-f]*\)-.*/\1/p' "$work.blacklist" |
		awk 'NR == FNR { refused[$1] = 1; next }
		     !($1 in refused) { print; bad = 1 }
		     END { exit bad }' - "$work.reached" && grep -q ' memorizer_access_miss$' "$work.reached"
}

# unwind_table: objtool's, for stack.awk.
unwind_table() {
	local at

	at=$(objdump -h "$O/vmlinux" | awk '$2 == ".orc_unwind_ip" { print $4 }')
	objcopy --dump-section ".orc_unwind_ip=$work.orc_ip" --dump-section ".orc_unwind=$work.orc" \
		"$O/vmlinux" "$work.vmlinux" || return
	rm -f "$work.vmlinux"
	paste -d ' ' <(od -An -v -w4 -t d4 "$work.orc_ip") <(od -An -v -w6 -t d2 "$work.orc") |
		awk -v at=$((0x$at - 0xffffffff80000000)) '{
			print "orc", at + 4 * (NR - 1) + $1, $2, ($4 + 65536) % 16
		}'
}

# stack_of ROOTS LEAVES: as stack.awk has it; what comes after the hook, preemption, does not count, nor do probes of tracepoints.
stack_of() {
	[ -s "$work.unwind" ] || unwind_table >"$work.unwind" || return
	objdump -d --no-show-raw-insn "$O/vmlinux" | awk -v roots="$1" \
		-v leaves="^(preempt_schedule_notrace_thunk|__SCT__preempt.*$2)\$" -v reached="$work.callees" \
		-f "$here/stack.awk" "$work.unwind" - | sort -rn >"$work.stack"
}

# stack_is_bounded BYTES: of none of $work.stack more.
stack_is_bounded() {
	sed 's/^/# /' "$work.stack" | head -n 1
	awk -v most="$1" '$1 > most { bad = 1 } END { exit bad || !NR }' "$work.stack"
}

# callees_have_no_sites: of the functions of $work.callees none has any: a hook would be called within a hook.
callees_have_no_sites() {
	access_ips "$O/vmlinux" | awk '
		function value(hex,	n, i) {
			n = 0
			for (i = 1; i <= length(hex); i++)
				n = 16 * n + index("0123456789abcdef", substr(hex, i, 1)) - 1
			return n
		}
		NR == FNR	{ first[NR] = $1; behind[NR] = $2; name[NR] = $3; n = NR; next }
		{
			ip = value($1) - 2147483648
			for (i = 1; i <= n; i++)
				if (ip > first[i] && ip <= behind[i]) {
					print "# " name[i] " has a site before " $1
					bad = 1
				}
		}
		END		{ print "# " n " functions"; exit bad || !n }' "$work.callees" -
}

# An access's hook: that of the thunks, which may wake the stream's reader.
accesses_stack() {
	stack_of '^memorizer_(thunk_.*|joined_.*|group)$' '|__traceiter_.*' && stack_is_bounded 800 && callees_have_no_sites
}

# An allocation's hook, which looks for the caller's name where there are sites: one hook within another.
allocations_stack() {
	stack_of '^__memorizer_(alloc|free|freeing|slab_free|alloc_pages|free_pages|rcu_free)$' \
		'|__traceiter_.*' && stack_is_bounded 560
}

# accesses_have_notes: each of vmlinux, and what has a note is one.
accesses_have_notes() {
	objcopy --dump-section ".debug_memorizer_names=$work.names" "$O/vmlinux" "$work.vmlinux" || return
	od -An -v -w48 -t x4 "$work.names" | awk 'substr($10, 5, 2) != "05" { print $1 }' | sort -u >"$work.noted"
	access_ips "$O/vmlinux" | sort -u >"$work.ips"
	rm -f "$work.vmlinux"
	echo "# $(wc -l <"$work.ips") ips"
	comm -3 "$work.ips" "$work.noted" >"$work.differ"
	head -n 5 "$work.differ"
	[ "$(wc -l <"$work.ips")" -gt 100000 ] && [ ! -s "$work.differ" ]
}

# most_are_prefixes: more than nine in ten sites of vmlinux are no instruction when they are off, as their table says.
most_are_prefixes() {
	section_words "$O/vmlinux" memorizer_sites | awk '
		NR % 2 == 0 && $3 ~ /^[12]/ { n++ }
		END { printf "# %d of %d sites\n", n, NR / 2; exit n <= 0.9 * NR / 2 }'
}

# sites_in OBJECT: how many sites it has.
sites_in() {
	size -A "$1" | awk '$1 == "memorizer_sites" { n = $2 / 8 } END { print n + 0 }'
}

# module_leaves_out: a module out of the tree says which of its files and functions have no sites.
module_leaves_out() {
	local module=$work.module

	rm -rf "$module"
	mkdir -p "$module"
	cat >"$module/Kbuild" <<-'END'
		obj-m := ring.o
		ring-y := main.o poll.o
		MEMORIZER_WITHOUT += $(obj)/poll.o
		MEMORIZER_WITHOUT_FUNCTIONS += $(obj)/main.o:spin
	END
	cat >"$module/main.c" <<-'END'
		#include <linux/module.h>
		int poll(int *p), spin(int *p), count(int *p);
		noinline int spin(int *p) { return *p; }
		noinline int count(int *p) { return *p; }
		MODULE_DESCRIPTION("A module that leaves some of its code out");
		MODULE_LICENSE("GPL");
	END
	cat >"$module/poll.c" <<-'END'
		int poll(int *p);
		int poll(int *p) { return *p; }
	END
	make -s -C "$tree" O="$O" M="$module" modules || return
	echo "# $(sites_in "$module/poll.o") and $(sites_in "$module/main.o") sites"
	[ "$(sites_in "$module/poll.o")" -eq 0 ] && [ "$(sites_in "$module/main.o")" -eq 1 ]
}

# long_instruction BYTES: an object with a site and an instruction of so many bytes behind it.
long_instruction() {
	{
		echo '.section .text; .globl f; .type f, @function; f:'
		for _ in $(seq $(($1 - 11))); do echo '.byte 0x3e'; done
		echo 'movq $0x12345678, 0x12345(%rdi); .byte 0xc3; .size f, .-f'	# 11 bytes
		echo '.section memorizer_sites, "a"; .long f - ., 0x10000000'
	} | as -o "$work.long.o"
}

# objtool's exit status is the build's.
too_long_is_refused() {
	local objtool=$O/tools/objtool/objtool

	long_instruction 15 && "$objtool" --stackval "$work.long.o" || { echo "15 bytes are refused"; return 1; }
	long_instruction 16 && ! "$objtool" --stackval "$work.long.o" || { echo "16 bytes are accepted"; return 1; }
}

# entries_are_gated FUNCTION...: what may interrupt a CPU while sites are patched waits before it executes one.
entries_are_gated() {
	local kernel=$build/debug/vmlinux start end

	"$here/build" --config debug || return
	start=$(nm "$kernel" | sed -n 's/ . __noinstr_text_start$//p')
	end=$(nm "$kernel" | sed -n 's/ . __noinstr_text_end$//p')
	{
		objdump -d --no-show-raw-insn --start-address="0x$start" --stop-address="0x$end" "$kernel"
		# What static_cpu_has() jumps to
		objdump -d --no-show-raw-insn -j .altinstr_aux "$kernel"
	} | awk -v functions="$*" -f "$here/tests/gates.awk"
}

# not_offered ARCH SYMBOL...: with these symbols, Kconfig drops that of Memorizer.
not_offered() {
	local arch=$1 symbol

	shift
	rm -rf "$work.kconfig"
	mkdir -p "$work.kconfig"
	printf 'CONFIG_%s=y\n' GCC_PLUGINS DEBUG_FS MEMORIZER "$@" >"$work.kconfig/fragment"
	make -s -C "$tree" O="$work.kconfig" ARCH="$arch" KCONFIG_ALLCONFIG="$work.kconfig/fragment" \
		alldefconfig >"$work.kconfig/said" 2>&1 || { cat "$work.kconfig/said"; return 1; }
	for symbol in GCC_PLUGINS DEBUG_FS "$@"; do
		grep -q "^CONFIG_$symbol=y" "$work.kconfig/.config" || { echo "no $symbol"; return 1; }
	done
	! grep 'CONFIG_MEMORIZER[= ]' "$work.kconfig/.config"
}

"$here/build" --config memorizer
tree=$(readlink -f "$O/source")
mkdir -p "$work"
rm -f "$work.unwind"
plan 14
result "objects without sites" objects_have_none
result "objects that have them although they have no KASAN" objects_have_some
result "functions without sites" functions_have_none
result "nothing that a thunk reaches can be probed" none_can_be_probed
result "an access's hook takes little stack, and reaches no site" accesses_stack
result "an allocation's hook takes little stack" allocations_stack
result "accesses have notes" accesses_have_notes
result "most sites are prefixes" most_are_prefixes
result "a module leaves files and functions out" module_leaves_out
result "a site makes no instruction longer than 15 bytes" too_long_is_refused
result "NMIs and machine checks wait before their first site" \
	entries_are_gated exc_nmi fred_exc_nmi exc_machine_check fred_exc_machine_check
result "UML is not offered Memorizer" not_offered um UML
result "nor is it offered beside KASAN" not_offered x86_64 KASAN
result "nor beside KCSAN" not_offered x86_64 KCSAN DEBUG_KERNEL
