#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Test the placement of sites in a built kernel, and the code that they reach.
. "$(dirname "$0")/../lib.sh"

O=$build/memorizer
work=$out/sites
tree=

# The lists of scripts/Makefile.memorizer
list() { sed -n "s/^$1 += //p" "$top/scripts/Makefile.memorizer"; }

# grep -q would make objdump fail: it closes the pipe early.
has_sites() { objdump -h "$1" | grep ' memorizer_sites ' >/dev/null; }

# objects_have_none: no built object on the list has sites.
objects_have_none() {
	local pattern object n=0

	while read -r object; do
		object=${object#"$O/"}
		for pattern in $(list MEMORIZER_WITHOUT); do
			# shellcheck disable=SC2053 # a pattern
			[[ $object == ${pattern//%/*} && $object != mm/memorizer/*test* ]] || continue
			n=$((n + 1))
			! has_sites "$O/$object" || { echo "$object has sites"; return 1; }
		done
	done < <(find "$O" -name '*.o')
	echo "# $n objects"
	[ $n -gt 10 ]
}

# objects_have_some: these have sites, although other tools exclude them.
objects_have_some() {
	local object

	for object in mm/slub.o mm/slab_common.o arch/x86/kernel/smpboot.o kernel/entry/common.o; do
		has_sites "$O/$object" || { echo "$object has no sites"; return 1; }
	done
}

# functions_have_none: no function on the list has sites.
functions_have_none() {
	local function n=0

	for function in $(list MEMORIZER_WITHOUT_FUNCTIONS); do
		[ -f "$O/${function%:*}" ] || continue
		n=$((n + 1))
		! objdump -d --no-show-raw-insn --disassemble="${function#*:}" "$O/${function%:*}" |
			grep -E 'test   \$0x.*,%eax|(ds|ss|gs) (ds|ss|gs) (ds|ss|gs) (ds|ss|gs)' || { echo "$function has sites"; return 1; }
	done
	echo "# $n functions"
	[ $n -gt 2 ]
}

# order COMMAND...: each object of mm/memorizer, in the order that the command filters from that of
# the Makefile, refers only to earlier ones.
# A weak definition in an earlier object hides a later one.
order() {
	# shellcheck disable=SC2046 # one word for each object
	nm $(ar t "$O/mm/memorizer/built-in.a" | "$@") 2>/dev/null | awk '
		NF == 1 && /:$/		{ name[++objects] = substr($0, 1, length($0) - 1) }
		NF > 1 && $(NF - 1) == "U"	{ refers[objects, $NF] }
		NF > 1 && $(NF - 1) ~ /[A-TV-Z]/ && !($NF in at)	{ at[$NF] = objects }
		END {
			for (key in refers) {
				split(key, part, SUBSEP)
				if (part[2] in at && at[part[2]] > part[1]) {
					print name[part[1]] " refers to " part[2] " of " name[at[part[2]]]
					bad = 1
				}
			}
			exit bad || objects < 20
		}'
}
objects_are_ordered() { order cat; }
disorder_is_found() { ! order tac >/dev/null; }

# reached: print the functions that a thunk can reach as "address name", and those
# called through a pointer as "? name". The stream's part of the hook guards itself
# against recursion. Preemption follows the hook.
reached() {
	awk '
		/^[0-9a-f]+ <.*>:$/ {
			name = substr($2, 2, length($2) - 3)
			address[name] = $1
			if (name ~ /^memorizer_(thunk_|joined_|percpu_|group$|leave_)/)
				todo[++last] = name
			next
		}
		$2 ~ /^(call|jmp|j[a-z]+)$/ {
			if ($3 ~ /^\*/ || $4 ~ /__x86_indirect/)
				pointer[name] = 1
			# Behind _einittext is .altinstr_aux: the tests of features before alternatives are applied
			else if (match($4, /^<[^+>]*/) && (to = substr($4, 2, RLENGTH - 1)) != name && to != "_einittext")
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
		}' "$work.code"
}

# none_can_be_probed: all reached functions are on the guest's kprobe blacklist.
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

# unwind_table: print objtool's unwind table for stack.awk.
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

# stack_of ROOTS LEAVES: run stack.awk. Preemption, which follows the hook, and tracepoint probes do not count.
stack_of() {
	[ -s "$work.unwind" ] || unwind_table >"$work.unwind" || return
	awk -v roots="$1" -v leaves="^(preempt_schedule_notrace_thunk|__SCT__preempt.*$2)\$" \
		-v reached="$work.callees" -f "$here/stack.awk" "$work.unwind" "$work.code" | sort -rn >"$work.stack"
}

# stack_is_bounded BYTES: no entry of $work.stack is larger.
stack_is_bounded() {
	sed 's/^/# /' "$work.stack" | head -n 1
	awk -v most="$1" '$1 > most { bad = 1 } END { exit bad || !NR }' "$work.stack"
}

# callees_have_no_sites: no function in $work.callees has sites, which would call a hook within a hook.
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

# The access hook, called by the thunks. It may wake the stream's reader.
accesses_stack() {
	stack_of '^memorizer_(thunk_.*|joined_.*|percpu_[rwu][0-9]+|group)$' '|__traceiter_.*' && stack_is_bounded 800 && callees_have_no_sites
}

# The allocation hooks. They look up the caller's name in code with sites: an access hook within an allocation hook.
allocations_stack() {
	stack_of '^__memorizer_(alloc|free|freeing|slab_free|alloc_pages|free_pages|rcu_free)$' \
		'|__traceiter_.*|memorizer_save_stack|__warn_printk' && stack_is_bounded 560
}

# What the allocation hooks use in addition while stacks are saved. The depot allocates pages without reclaim.
saving_stack() {
	stack_of '^memorizer_save_stack$' '|__traceiter_.*|__alloc_pages_noprof|free_pages|_printk.*|__warn_printk' &&
		stack_is_bounded 1000
}

# accesses_have_notes: each access of vmlinux has a note, and each note an access.
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

# most_are_prefixes: according to their table, more than nine in ten sites of vmlinux are prefixes when off.
most_are_prefixes() {
	section_words "$O/vmlinux" memorizer_sites | awk '
		NR % 2 == 0 && $3 ~ /^[1-35-79ab]/ { n++ }
		END { printf "# %d of %d sites\n", n, NR / 2; exit n <= 0.9 * NR / 2 }'
}

# sites_in OBJECT: print its number of sites.
sites_in() {
	size -A "$1" | awk '$1 == "memorizer_sites" { n = $2 / 8 } END { print n + 0 }'
}

# module_leaves_out: an out-of-tree module excludes files and functions from sites.
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

# long_instruction BYTES: assemble an object with a site before an instruction of BYTES.
long_instruction() {
	{
		echo '.section .text; .globl f; .type f, @function; f:'
		for _ in $(seq $(($1 - 11))); do echo '.byte 0x3e'; done
		echo 'movq $0x12345678, 0x12345(%rdi); .byte 0xc3; .size f, .-f'	# 11 bytes
		echo '.section memorizer_sites, "a"; .long f - ., 0x10000000'
	} | as -o "$work.long.o"
}

# too_long_is_refused: the build fails if objtool does.
too_long_is_refused() {
	local objtool=$O/tools/objtool/objtool

	long_instruction 15 && "$objtool" --stackval "$work.long.o" || { echo "15 bytes are refused"; return 1; }
	long_instruction 16 && ! "$objtool" --stackval "$work.long.o" || { echo "16 bytes are accepted"; return 1; }
}

# entries_are_gated FUNCTION...: entries that may interrupt a CPU while sites are patched wait before their first site.
entries_are_gated() {
	local kernel=$build/debug/vmlinux start end

	"$here/build" --config debug || return
	start=$(nm "$kernel" | sed -n 's/ . __noinstr_text_start$//p')
	end=$(nm "$kernel" | sed -n 's/ . __noinstr_text_end$//p')
	{
		objdump -d --no-show-raw-insn --start-address="0x$start" --stop-address="0x$end" "$kernel"
		# The jump targets of static_cpu_has()
		objdump -d --no-show-raw-insn -j .altinstr_aux "$kernel"
	} | awk -v functions="$*" -f "$here/tests/gates.awk"
}

# variables_of ELF: print address and size of each variable in the table. Distances are from where they are.
variables_of() {
	local start stop section

	start=$(nm "$1" | awk '$3 == "__start_memorizer_variables" { print $1 }')
	stop=$(nm "$1" | awk '$3 == "__stop_memorizer_variables" { print $1 }')
	section=$(readelf -SW "$1" | sed -n 's/.* \.init\.data *PROGBITS *\([0-9a-f]*\) *\([0-9a-f]*\) .*/0x\2 - 0x\1/p')
	od -A n -v -t d4 -w8 -j $((0x$start + section)) -N $((0x$stop - 0x$start)) "$1" |
		awk -v at=$((0x$start & 0xffffffff)) '
			{ a = at + 8 * (NR - 1) + $1; printf "%.0f %d\n", a < 0 ? a + 4294967296 : a % 4294967296, $2 }'
}

# variables_are_all_there: the table has the data objects of the symbol table, with their sizes. Of a weak and a strong
# definition at one address, it has both.
variables_are_all_there() {
	variables_of "$O/vmlinux" | sort -u >"$work.variables"
	readelf -sW "$O/vmlinux" | awk '$4 == "OBJECT" && $3 { print $2, $3 }' | while read -r address size; do
		echo "$((0x$address & 0xffffffff)) $((size))"
	done | sort -u >"$work.symbols"
	echo "# $(wc -l <"$work.variables") variables"
	join -v 1 "$work.variables" "$work.symbols" | sed 's/^/no symbol: /' >"$work.wrong"
	comm -13 "$work.variables" "$work.symbols" | sed 's/^/not in the table: /' >>"$work.wrong"
	[ "$(wc -l <"$work.variables")" -gt 10000 ] && [ ! -s "$work.wrong" ] || { head "$work.wrong"; return 1; }
}

# not_offered ARCH SYMBOL...: Kconfig drops MEMORIZER if these symbols are set.
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
objdump -d --no-show-raw-insn "$O/vmlinux" >"$work.code"
plan 18
result "no object of mm/memorizer refers to a later one" objects_are_ordered
result "objects in reverse order are found" disorder_is_found
result "excluded objects have no sites" objects_have_none
result "objects without KASAN have sites" objects_have_some
result "excluded functions have no sites" functions_have_none
result "functions that thunks reach cannot be probed" none_can_be_probed
result "the access hook uses little stack and reaches no site" accesses_stack
result "the allocation hooks use little stack" allocations_stack
result "saving a stack uses little stack" saving_stack
result "each access has a note" accesses_have_notes
result "most sites are prefixes" most_are_prefixes
result "each variable is in the table, with its size" variables_are_all_there
result "a module can exclude files and functions" module_leaves_out
result "a site that makes an instruction longer than 15 bytes is refused" too_long_is_refused
result "NMIs and machine checks wait before their first site" \
	entries_are_gated exc_nmi fred_exc_nmi exc_machine_check fred_exc_machine_check
result "Kconfig refuses UML" not_offered um UML
result "Kconfig refuses KASAN" not_offered x86_64 KASAN
result "Kconfig refuses KCSAN" not_offered x86_64 KCSAN DEBUG_KERNEL
