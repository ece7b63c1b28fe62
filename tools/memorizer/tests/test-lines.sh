#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Test source lines, inlined functions and modules of memorizer symbolize against addr2line.
# Usage: test-lines.sh DIR, the directory of a build; CC is the compiler for the fake kernel and module.

. "$(dirname "$0")/common.sh"

vm=$here/vmlinux
${CC:-cc} -O2 -g -fno-asynchronous-unwind-tables -fno-pie -no-pie -mcmodel=large -nostdlib -static \
	-Wl,-Ttext=0xffffffff81000000 -Wl,--build-id=none -Wl,-e,0 -o "$tmp/vmlinux" \
	"$vm/lib/layout.c" "$vm/init/main.c" "$vm/lib/inlined.c" || exit 1
mkdir -p "$tmp/modules/kernel/drivers"
${CC:-cc} -O2 -g -fno-asynchronous-unwind-tables -fno-pie -c \
	-o "$tmp/modules/kernel/drivers/gadget.ko" "$vm/gadget/gadget.c" || exit 1

# The kernel: each byte of outer(), with a KASLR offset of 0x1a000000
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

# judge FILE: print addr2line's output for the addresses on standard input, one per line
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

# lines ARGUMENTS...: print symbolize's additions to each access of the KMAP on standard input
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

size_of_outer=$size
addresses "$start" $size >"$tmp/addresses"
sed 's/^ffffffff81/ffffffff9b/' "$tmp/addresses" | kmap >"$tmp/kmap"
judge "$tmp/vmlinux" <"$tmp/addresses" >"$tmp/want"
lines --inlines -k "$tmp/vmlinux" -K "$tmp/kallsyms" "$tmp/kmap" >"$tmp/got"
equal "inlined functions and lines equal addr2line's" "$tmp/want" "$tmp/got"
same "nested inlined functions occur" 1 \
	"$(grep -c 'count .*inlined.c:8 < count_twice .*inlined.c:14 < .*inlined.c:21' "$tmp/got" |
	   sed 's/^[1-9][0-9]*$/1/')"
lines --lines -k "$tmp/vmlinux" -K "$tmp/kallsyms" "$tmp/kmap" >"$tmp/out"
same "--lines has lines without inlined functions" "$size 0" \
	"$(wc -l <"$tmp/out") $(grep -c ' < ' "$tmp/out")"

# The module: its sections are not loaded contiguously
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
same "the module has inlined functions" 1 "$(addresses ffffffffc0400100 16 | kmap >"$tmp/kmap"
	lines -i -M "$tmp/modules" -K "$tmp/kallsyms" "$tmp/kmap" | grep -c 'gadget_set .*:8 < .*:22' |
	sed 's/^[1-9][0-9]*$/1/')"

# Source lines of code that shares cache lines
at=$(nm "$tmp/vmlinux" | sed -n 's/ T outer$//p' | sed 's/^ffffffff81/ffffffff9b/')
here_line=$(addr2line -e "$tmp/vmlinux" "$(echo "$at" | sed 's/^ffffffff9b/ffffffff81/')" |
	sed 's/ (discriminator.*//; s|.*/vmlinux/||')
"$(dirname "$memorizer")/tests/make-trace" "$tmp/shared" <<END
cpu 0
time 1000000000
access ip=$at ptr=ffff888000001000 size=8 kind=2 pid=1
cpu 1
time 1000001000
access ip=$at ptr=ffff888000001000 size=8 kind=2 pid=2
END
mkdir "$tmp/shared/kernel"
cp "$tmp/kallsyms" "$tmp/shared/kernel"
# sources OPTION...: print the tables' names and all sources in them
sources()
{
	"$memorizer" sharing --addresses --csv "$@" "$tmp/shared" | awk -F, '
		$1 == "table" { delete is; for (i = 1; i <= NF; i++) is[i] = $i ~ /source$/ }
		NF && $1 != "table" { for (i = 1; i <= NF; i++) if (is[i]) print $1, $i }' |
		sed 's| .*/vmlinux/| |' | sort -u
}
printf '%s\n' "addresses $here_line" "pairs $here_line" "pareto $here_line" >"$tmp/want"
sources --inlines -k "$tmp/vmlinux" | sed 's/ [^ ]* \([^ ]*:[0-9]*\)$/ \1/' >"$tmp/got"
equal "sharing has the source lines of code" "$tmp/want" "$tmp/got"
same "sharing has source lines only with --lines" "" "$(sources -k "$tmp/vmlinux")"
same "the column of code has no source lines" 0 "$("$memorizer" sharing -i -k "$tmp/vmlinux" "$tmp/shared" |
	grep -c 'outer+0x0/[^ ]* (')"

# Modules as distributions ship them, of the right build
addresses ffffffffc0400100 16 | kmap >"$tmp/kmap"
lines -i -M "$tmp/modules" -K "$tmp/kallsyms" "$tmp/kmap" >"$tmp/want"
# ships NAME COMMAND...: test the lines of a module file NAME that COMMAND makes
ships()
{
	rm -rf "$tmp/shipped"
	mkdir "$tmp/shipped"
	file=$1
	shift
	"$@" <"$module" >"$tmp/shipped/$file"
	sed 's/\[gadget\]/[snd_gadget]/' "$tmp/kallsyms" >"$tmp/kallsyms.shipped"
	"$memorizer" symbolize -i -M "$tmp/shipped" -K "$tmp/kallsyms.shipped" "$tmp/kmap" 2>"$tmp/err" |
		sed -n 's|[^ (]*/vmlinux/||g; s/^  [^ ]* \[snd_gadget\] (\(.*\)),1,0,1$/\1/p' >"$tmp/got"
	equal "lines of a file $file" "$tmp/want" "$tmp/got"
}

ships snd-gadget.ko cat
ships snd-gadget.ko.xz xz -c --check=crc32
ships snd-gadget.ko.zst zstd -qc
ships snd_gadget.ko.gz gzip -c
ships snd-gadget.ko.debug cat
ships snd-gadget.ko.debug.xz xz -c
head -c 1000 "$tmp/shipped/snd-gadget.ko.debug.xz" >"$tmp/shipped/snd-gadget.ko.xz"
rm "$tmp/shipped/snd-gadget.ko.debug.xz"
same "an unreadable file is reported" "memorizer: $tmp/shipped/snd-gadget.ko.xz: compressed \
data is truncated" "$("$memorizer" report -i -M "$tmp/shipped" -K "$tmp/kallsyms.shipped" "$tmp/kmap" \
	2>&1 >"$tmp/out" | head -n 1)"

mkdir -p "$tmp/two/kernel" "$tmp/two/updates/dkms"
{
	printf '\n\n\n\n'
	cat "$vm/gadget/gadget.c"
} >"$tmp/gadget.c"
${CC:-cc} -O2 -g -fno-asynchronous-unwind-tables -fno-pie -c -o "$tmp/gadget.o" "$tmp/gadget.c"
ld -r --build-id=0x1111111111111111 -o "$tmp/two/kernel/gadget.ko" "$module"
ld -r --build-id=0x2222222222222222 -o "$tmp/two/updates/dkms/gadget.ko" "$tmp/gadget.o"
# of_build ID...: print the lines of the first two addresses, and the messages
of_build()
{
	for id; do
		echo "gadget $id"
	done >"$tmp/kmap.notes.modules"
	lines -i -M "$tmp/two" -K "$tmp/kallsyms" "$tmp/kmap" | sed -n 's/.*://; 1p'
	"$memorizer" report --csv -i -M "$tmp/two" -K "$tmp/kallsyms" "$tmp/kmap" 2>&1 >"$tmp/out" |
		sed -n "s|$tmp/||g; /two/p"
}

same "of two files, the running one's lines are used" "21" "$(of_build 1111111111111111)"
same "of two files, the order does not matter" "25" "$(of_build 2222222222222222)"
same "files of other builds are not used" "memorizer: two/kernel/gadget.ko: stale: build ID is 1111111111111111, that of \
the traced module is 3333333333333333: file ignored" "$(of_build 3333333333333333)"
same "without a build id, two files are ambiguous" "memorizer: two/kernel/gadget.ko: one of several builds of gadget, build \
ID of the traced one unknown: files ignored" "$(of_build)"
rm "$tmp/kmap.notes.modules" "$tmp/two/updates/dkms/gadget.ko"
same "without a build id, a single file is used" 21 "$(lines -i -M "$tmp/two" -K "$tmp/kallsyms" "$tmp/kmap" |
	sed -n 's/.*://; 1p')"

# The build id of vmlinux is compared, too
${CC:-cc} -O2 -g -fno-asynchronous-unwind-tables -fno-pie -no-pie -mcmodel=large -nostdlib -static \
	-Wl,-Ttext=0xffffffff81000000 -Wl,--build-id=0x1234123412341234 -Wl,-e,0 -o "$tmp/vmlinux.id" \
	"$vm/lib/layout.c" "$vm/init/main.c" "$vm/lib/inlined.c" || exit 1
sed -n 's/^ffffffff81/ffffffff9b/p' "$tmp/addresses" | kmap >"$tmp/core"
# running_id OCTAL: set the last byte of the running kernel's build id
running_id()
{
	printf '\004\000\000\000\010\000\000\000\003\000\000\000GNU\000' >"$tmp/core.notes"
	printf '\022\064\022\064\022\064\022%b' "\\0${1#?}" >>"$tmp/core.notes"
}
running_id '\064'
"$memorizer" symbolize -i -k "$tmp/vmlinux.id" -K "$tmp/kallsyms" "$tmp/core" >"$tmp/out" 2>"$tmp/err"
same "the running vmlinux's lines are used" "$size_of_outer" "$(grep -c '(.*:[0-9]*)' "$tmp/out")"
running_id '\065'
"$memorizer" symbolize -i -k "$tmp/vmlinux.id" -K "$tmp/kallsyms" "$tmp/core" >"$tmp/out" 2>"$tmp/err"
same "another vmlinux's lines are not used, kallsyms' names are" "0 $size_of_outer memorizer: $tmp/vmlinux.id: stale: build \
ID is 1234123412341234, that of the traced kernel is 1234123412341235: file ignored" \
	"$(grep -c '(.*:[0-9]*)' "$tmp/out") $(grep -c '^  outer+' "$tmp/out") $(head -n 1 "$tmp/err")"

# Sections compressed by zstd: libelf reads them from 0.189 on
mkdir "$tmp/packed"
python3 "$here/make-notes.py" -Z "$tmp/packed/gadget.ko" <"$data/gadget.notes"
python3 "$here/make-notes.py" -Z "$tmp/zstd" <"$data/session.notes"
for what in zstd packed/gadget.ko; do
	case $what in
	zstd) set -- -k "$tmp/zstd" -K "$data/kallsyms" ;;
	*) set -- -M "$tmp/packed" -K "$data/kallsyms" ;;
	esac
	"$memorizer" types --csv "$@" "$data/session.kmap" >"$tmp/out" 2>"$tmp/err"
	if grep -q '^types,.*' "$tmp/out" && ! grep -q zstd "$tmp/err"; then
		ok 0 "sections compressed by zstd are read in $what"
	else
		same "sections compressed by zstd are reported in $what" "memorizer: $tmp/$what: sections \
compressed by zstd, which libelf does not support: use elfutils 0.189 or later, or run \
objcopy --decompress-debug-sections" "$(head -n 1 "$tmp/err")"
	fi
done

# report and script print the same
echo "ffffffffc0400110,1,1000,8,1,0,0,a" >"$tmp/kmap"
want=$("$memorizer" symbolize -i -M "$tmp/modules" -K "$tmp/kallsyms" "$tmp/kmap" | sed 's/,1,1000.*//')
same "report has source lines" "$want" "$("$memorizer" report --csv -i -M "$tmp/modules" \
	-K "$tmp/kallsyms" "$tmp/kmap" | sed -n 's/^sites,[0-9a-f]*,\([^,]*\),.*/\1/p')"
echo "alloc kind=0 call_site=ffffffffc0400110 ptr=1000 bytes_req=8 bytes_alloc=8" |
	"$(dirname "$memorizer")/tests/make-trace" "$tmp/trace"
same "report of a trace has source lines" "$want" "$("$memorizer" report --csv -i -M "$tmp/modules" \
	-K "$tmp/kallsyms" "$tmp/trace" | sed -n 's/^sites,[0-9a-f]*,\([^,]*\),.*/\1/p')"
same "script has source lines" "$want" "$("$memorizer" script -i -M "$tmp/modules" \
	-K "$tmp/kallsyms" "$tmp/trace" | sed -n 's/.* site=//p')"
outcome "a missing directory of modules is refused" 2 /dev/null \
	"memorizer: $tmp/none: no modules: expected NAME.ko or NAME.ko.debug, optionally with .xz, .zst or .gz" \
	symbolize -M "$tmp/none" -K "$tmp/kallsyms" "$tmp/kmap"
tap_end
