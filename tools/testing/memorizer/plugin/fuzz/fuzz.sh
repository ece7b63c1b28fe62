#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Compares what the sites of random programs report with the accesses that QEMU observes.
#
#	fuzz.sh COMPILER PLUGIN DIRECTORY SEED...
#
# csmith generates a program from each seed, below 1000 without bit-fields. It is compiled twice,
# as the kernel is ("optimized"), and without the late passes that change accesses ("exact"), and
# runs in QEMU's user mode: see compare.c. DIRECTORY is deleted first.
# shellcheck disable=SC2086 # variables with several options
set -u

compiler=$1 plugin=$2 work=$3
shift 3
cd "$(dirname "$0")" || exit 1
passed=0
failed=0

csmith_options="--no-consts --no-argc --max-block-depth 4 --max-array-dim 2
	--max-array-len-per-dim 6 --max-expr-complexity 8"

# As in the kernel, except that all data is in one section, and string functions are inline: the
# observer does not see libraries.
flags="-w -O2 -std=gnu11 -mno-red-zone -mgeneral-regs-only -fno-pie -fno-strict-aliasing
	-fno-tree-loop-distribute-patterns -minline-all-stringops
	-fno-zero-initialized-in-bss -fno-common -I/usr/include/csmith -fplugin=$plugin
	-fplugin-arg-memorizer_plugin-groups"
exact_flags="-fno-gcse -fno-rerun-cse-after-loop -fno-dse -fno-forward-propagate
	-fno-move-loop-invariants -fno-if-conversion -fno-if-conversion2 -fno-dce
	-fno-cprop-registers -fno-peephole2
	-fdisable-rtl-cse1 -fdisable-rtl-cse2 -fdisable-rtl-cse_local -fdisable-rtl-combine
	-fdisable-rtl-postreload"

# range NAME: prints the address range of a section as an argument of the observer
range() {
	awk -v name="$1" '$3 == "__start_subject_" name { first = $1 }
			  $3 == "__stop_subject_" name { print name "=" first "-" $1 }' names
}

# try SEED MODE: compiles, runs and compares a program. The result is in the file "result".
try() {
	local seed=$1 mode=$2 options=$flags

	[ "$mode" = optimized ] || options="$flags $exact_flags"
	$compiler $options -c -o program.o ../$seed.c &&
	objcopy --rename-section .text=subject_text --rename-section .text.startup=subject_text \
		--rename-section .text.unlikely=subject_text \
		--rename-section .data=subject_data program.o &&
	$compiler -static -no-pie -o program program.o "$work/log.o" "$work/thunks.o" &&
	nm -n program > names &&
	FUZZ_LOG=sites qemu-x86_64 \
		-plugin "$work/observer.so,out=seen,$(range text),$(range data)" \
		./program > output &&
	./program > output-off && cmp output output-off &&
	"$work/compare" "$mode" names sites seen $bit_fields > result
}

# result STATUS NAME
result() {
	if [ "$1" -eq 0 ]; then
		echo "ok fuzz: $2"
		passed=$((passed + 1))
	else
		echo "not ok fuzz: $2"
		failed=$((failed + 1))
	fi
}

# losses_are_noticed: succeeds if the comparison fails without each of the first ten reports
losses_are_noticed() {
	local line

	for line in 1 2 3 4 5 6 7 8 9 10; do
		sed "${line}d" sites > fewer
		! "$work/compare" exact names fewer seen --no-bitfields > /dev/null || return 1
	done
}

rm -rf "$work"
mkdir -p "$work"
work=$(cd "$work" && pwd)
cc="$compiler -O2 -Wall -Wextra -Wno-unused-parameter"
$cc -shared -fPIC -o "$work/observer.so" observer.c &&
	$cc -c -o "$work/log.o" log.c &&
	$cc -o "$work/compare" compare.c &&
	$compiler -c -o "$work/thunks.o" ../thunks.S || exit 1

for seed; do
	mkdir -p "$work/$seed-exact" "$work/$seed-optimized"
	cd "$work" || exit 1	# csmith leaves a file in its directory
	bit_fields=--bitfields
	[ "$seed" -ge 1000 ] || bit_fields=--no-bitfields
	csmith --seed "$seed" $bit_fields $csmith_options |
		sed 's/^static \(.* g_[0-9]\)/\1/; s/^static \(.*func_[0-9]\)/\1/' > "$work/$seed.c"
	for mode in exact optimized; do
		cd "$work/$seed-$mode" || exit 1
		: > result
		status=0
		try "$seed" $mode 2> errors || status=1
		if [ $status -ne 0 ]; then
			sed '/^cc1: note:/d; s/^/#   /' errors
			grep '^#' result | head -n 20
		fi
		result $status "$seed $mode"
		sed "s/^bytes/$mode bytes/; /^#/d" result >> "$work/sums"
	done
done

cd "$work/$1-exact" || exit 1
losses_are_noticed
result $? "lost reports are noticed"

# Totals of all programs, in bytes accessed
awk '{ for (i = 2; i < NF; i += 2) { sum[$1, $i] += $(i + 1); name[$i] = 1 } }
     END { for (m = 1; m <= 2; m++) {
		mode = m == 1 ? "exact" : "optimized"
		printf "# %s: of %d bytes", mode, sum[mode, "bytes"]
		print "table," mode ",kind,bytes\n" mode ",compared," sum[mode, "bytes"] >csv
		delete name["bytes"]
		for (n in name) {
			printf ", %s %d", n, sum[mode, n]
			print mode "," n "," sum[mode, n] + 0 >csv
		}
		print ""
	} }' csv="$work/fuzz.csv" "$work/sums"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
