#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Tests lines, inlined functions and modules of memorizer symbolize, against addr2line.
# Usage: test-lines.sh MEMORIZER; CC is the compiler for the files that play kernel and module.

memorizer=$1
here=$(dirname "$0")
data=$here/data
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. "$here/tap.sh"

vm=$here/vmlinux
${CC:-cc} -O2 -g -fno-asynchronous-unwind-tables -fno-pie -no-pie -mcmodel=large -nostdlib -static \
	-Wl,-Ttext=0xffffffff81000000 -Wl,--build-id=none -Wl,-e,0 -o "$tmp/vmlinux" \
	"$vm/lib/layout.c" "$vm/init/main.c" "$vm/lib/inlined.c" || exit 1
mkdir -p "$tmp/modules/kernel/drivers"
${CC:-cc} -O2 -g -fno-asynchronous-unwind-tables -fno-pie -c \
	-o "$tmp/modules/kernel/drivers/gadget.ko" "$vm/gadget/gadget.c" || exit 1

# The kernel: each byte of outer(), KASLR moved it by 0x1a000000
start=$(nm "$tmp/vmlinux" | sed -n 's/ T outer$//p')
size=$((0x$(nm -S "$tmp/vmlinux" | sed -n 's/^[0-9a-f]* \([0-9a-f]*\) T outer$/\1/p')))
nm "$tmp/vmlinux" | sed 's/^ffffffff81/ffffffff9b/' >"$tmp/kallsyms"
echo 'ffffffffc0500000 t gadget_probe	[gadget]
ffffffffc0400100 t gadget_irq	[gadget]
ffffffffc0400180 t gadget_end	[gadget]' >>"$tmp/kallsyms"

# addresses START SIZE
addresses()
{
	i=0
	while [ $i -lt "$2" ]; do
		printf '%s%02x\n' "$(echo "$1" | cut -c 1-14)" $((0x$(echo "$1" | cut -c 15-16) + i))
		i=$((i + 1))
	done
}

# judge FILE: what addr2line says of the addresses on standard input, one on a line
judge()
{
	addr2line -a -f -i -e "$@" | awk -v here="$(cd "$here" && pwd)/vmlinux/" '
		function shorter(s) {
			sub(/ \(discriminator.*/, "", s)
			sub(/.*\/vmlinux\//, "", s)
			return s
		}
		function flush(	i, s) {
			for (i = 1; i < nr; i++)
				s = s name[i] " " line[i] " < "
			if (nr)
				print s line[nr]
		}
		/^0x/ { flush(); nr = 0; next }
		{ name[++nr] = $1; getline; line[nr] = shorter($0) }
		END { flush() }'
}

# lines ARGUMENTS...: what symbolize adds to each access of the KMAP on standard input
lines()
{
	"$memorizer" symbolize "$@" 2>"$tmp/err" |
		sed -n 's|[^ (]*/vmlinux/||g; s/^  [^ ]* \(\[gadget\] \)*(\(.*\)),1,0,1$/\2/p'
}

kmap()
{
	echo 1,1,1000,8,1,0,0,a
	sed 's/\(.*\)/  \1,1,0,1/'
}

addresses "$start" $size >"$tmp/addresses"
sed 's/^ffffffff81/ffffffff9b/' "$tmp/addresses" | kmap >"$tmp/kmap"
judge "$tmp/vmlinux" <"$tmp/addresses" >"$tmp/want"
lines --inlines -k "$tmp/vmlinux" -K "$tmp/kallsyms" "$tmp/kmap" >"$tmp/got"
equal "inlined functions and lines are those of addr2line" "$tmp/want" "$tmp/got"
same "functions in each other among them" 1 \
	"$(grep -c 'count .*inlined.c:8 < count_twice .*inlined.c:14 < .*inlined.c:21' "$tmp/got" |
	   sed 's/^[1-9][0-9]*$/1/')"
lines --lines -k "$tmp/vmlinux" -K "$tmp/kallsyms" "$tmp/kmap" >"$tmp/out"
same "--lines has lines, but none of them" "$size 0" \
	"$(wc -l <"$tmp/out") $(grep -c ' < ' "$tmp/out")"

# The module: its sections were loaded apart from each other
module=$tmp/modules/kernel/drivers/gadget.ko
for function in irq probe; do
	case $function in
	irq) section=.text base=ffffffffc0400100 ;;
	probe) section=.init.text base=ffffffffc0500000 ;;
	esac
	size=$((0x$(nm -S "$module" | sed -n "s/^[0-9a-f]* \([0-9a-f]*\) . gadget_$function$/\1/p")))
	addresses 0000000000000000 $size | judge "$module" -j $section >"$tmp/want"
	addresses $base $size | kmap >"$tmp/kmap"
	lines --inlines -M "$tmp/modules" -K "$tmp/kallsyms" "$tmp/kmap" >"$tmp/got"
	equal "gadget_$function of a module has lines" "$tmp/want" "$tmp/got"
done
same "and inlined functions" 1 "$(addresses ffffffffc0400100 16 | kmap >"$tmp/kmap"
	lines -i -M "$tmp/modules" -K "$tmp/kallsyms" "$tmp/kmap" | grep -c 'gadget_set .*:8 < .*:22' |
	sed 's/^[1-9][0-9]*$/1/')"
# report and script give the same
echo "ffffffffc0400110,1,1000,8,1,0,0,a" >"$tmp/kmap"
want=$("$memorizer" symbolize -i -M "$tmp/modules" -K "$tmp/kallsyms" "$tmp/kmap" | sed 's/,1,1000.*//')
same "report has them" "$want" "$("$memorizer" report --csv -i -M "$tmp/modules" \
	-K "$tmp/kallsyms" "$tmp/kmap" | sed -n 's/^sites,[0-9a-f]*,\([^,]*\),.*/\1/p')"
echo "alloc kind=0 call_site=ffffffffc0400110 ptr=1000 bytes_req=8 bytes_alloc=8" |
	"$(dirname "$memorizer")/tests/make-trace" "$tmp/trace"
same "that of a trace, too" "$want" "$("$memorizer" report --csv -i -M "$tmp/modules" \
	-K "$tmp/kallsyms" "$tmp/trace" | sed -n 's/^sites,[0-9a-f]*,\([^,]*\),.*/\1/p')"
same "and script" "$want" "$("$memorizer" script -i -M "$tmp/modules" \
	-K "$tmp/kallsyms" "$tmp/trace" | sed -n 's/.* site=//p')"
outcome "modules that are there are wanted" 2 /dev/null \
	"memorizer: $tmp/none: no modules, NAME.ko, below it" \
	symbolize -M "$tmp/none" -K "$tmp/kallsyms" "$tmp/kmap"
tap_end
