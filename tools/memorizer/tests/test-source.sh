#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Test that commands read compressed traces, archives and standard input.
# Usage: test-source.sh DIR, the directory of a build

. "$(dirname "$0")/common.sh"
make=$build/tests/make-trace
peak=$build/tests/peak
mkdir "$tmp/tmpdir"
export TMPDIR="$tmp/tmpdir"

# commands ARGUMENT: print the commands' output without the name of the input
commands()
{
	for command in "report --csv" "report --json" "check" "kmap" "script"; do
		# shellcheck disable=SC2086 # a command and its option
		"$memorizer" $command "$1" <"${input:-/dev/null}" 2>&1
		echo "$command: status $?"
	done | sed "s|$tmp/[a-z0-9.]*||g;s|^memorizer: -|memorizer: |"
}

# alike NAME ARGUMENT: the input gives the same output as the directory
alike()
{
	commands "$2" >"$tmp/got"
	equal "$1" "$tmp/want" "$tmp/got"
}

"$make" -b 20000 -c 3 -l 500 "$tmp/trace"
mkdir "$tmp/trace/kernel"
cp "$data/kallsyms" "$tmp/trace/kernel/kallsyms"
commands "$tmp/trace" >"$tmp/want"
grep -q 'report --csv: status 0' "$tmp/want" && [ "$(wc -l <"$tmp/want")" -gt 20000 ]
ok $? "a trace is made"

cp -r "$tmp/trace" "$tmp/small"
zstd -q --rm "$tmp/small"/[cm]* "$tmp/small/kernel"/*
alike "a trace of compressed files" "$tmp/small"
for format in gnu ustar pax; do
	tar -C "$tmp" --format=$format -cf "$tmp/$format.tar" trace
	alike "an archive of the directory, $format" "$tmp/$format.tar"
done
tar -C "$tmp/trace" -cf "$tmp/dot.tar" .
alike "an archive of the directory's contents" "$tmp/dot.tar"
tar -C "$tmp" -cf "$tmp/small.tar" small
alike "an archive of compressed files" "$tmp/small.tar"
zstd -q "$tmp/gnu.tar" -o "$tmp/tar.zst"
alike "a compressed archive" "$tmp/tar.zst"
gzip -c "$tmp/gnu.tar" >"$tmp/tar.gz"
alike "an archive compressed by gzip" "$tmp/tar.gz"
xz -0 -c "$tmp/gnu.tar" >"$tmp/tar.xz"
alike "an archive compressed by xz" "$tmp/tar.xz"
for file in gnu.tar tar.zst tar.gz tar.xz; do
	input=$tmp/$file
	alike "standard input that is $file" -
	input=
	for command in "report --csv" check; do
		# shellcheck disable=SC2086 # a command and its option
		cat "$tmp/$file" | "$memorizer" $command - 2>&1
		echo "$command: status $?"
	done >"$tmp/got"
	"$memorizer" report --csv "$tmp/trace" >"$tmp/plain"
	echo "report --csv: status 0" >>"$tmp/plain"
	"$memorizer" check "$tmp/trace" >>"$tmp/plain"
	echo "check: status 0" >>"$tmp/plain"
	equal "a pipe of $file" "$tmp/plain" "$tmp/got"
done
mkfifo "$tmp/fifo"
: >"$tmp/plain"
for command in "report --csv" check; do
	cat "$data/after.kmap" >"$tmp/fifo" &
	# shellcheck disable=SC2086 # a command and its option
	"$memorizer" $command "$tmp/fifo" 2>&1
	wait "$!"
	echo "$command: cat's status $?"
	# shellcheck disable=SC2086 # a command and its option
	"$memorizer" $command "$data/after.kmap" >>"$tmp/plain" 2>&1
	echo "$command: cat's status 0" >>"$tmp/plain"
done >"$tmp/got"
equal "a FIFO with a KMAP is read once" "$tmp/plain" "$tmp/got"
long=$tmp/$(printf '%0100d' 1)
mkdir "$long"
cp -r "$tmp/trace" "$long/trace"
tar -C "$tmp" --format=gnu -cf "$tmp/long.tar" "$(basename "$long")"
alike "an archive with long names" "$tmp/long.tar"
tar -C "$tmp" --format=pax -cf "$tmp/long.tar" "$(basename "$long")"
alike "an archive with long names in pax format" "$tmp/long.tar"
same "no file is left in TMPDIR" "" "$(ls "$TMPDIR")"

# KMAPs
kmap=$data/session.kmap
"$memorizer" report --csv "$kmap" >"$tmp/want" 2>&1 || :
zstd -q "$kmap" -o "$tmp/kmap.zst"
"$memorizer" report --csv "$tmp/kmap.zst" >"$tmp/got" 2>&1
equal "a compressed KMAP" "$tmp/want" "$tmp/got"
cat "$tmp/kmap.zst" | "$memorizer" report --csv >"$tmp/got" 2>&1
equal "a compressed KMAP on standard input" "$tmp/want" "$tmp/got"
for packer in gzip xz; do
	half=$(($(wc -l <"$kmap") / 2))
	{
		head -n $half "$kmap" | $packer
		tail -n +$((half + 1)) "$kmap" | $packer
	} >"$tmp/kmap.packed"
	"$memorizer" report --csv "$tmp/kmap.packed" >"$tmp/got" 2>&1
	equal "a KMAP in two streams of $packer" "$tmp/want" "$tmp/got"
	head -c -5 "$tmp/kmap.packed" >"$tmp/cut.packed"
	"$memorizer" report "$tmp/cut.packed" >"$tmp/out" 2>"$tmp/err"
	same "a truncated KMAP is reported" \
		"2 memorizer: $tmp/cut.packed: compressed data is truncated" "$? $(cat "$tmp/err")"
	{
		head -c -8 "$tmp/kmap.packed"
		echo abcdefg
	} >"$tmp/damaged.packed"
	"$memorizer" report "$tmp/damaged.packed" >"$tmp/out" 2>"$tmp/err"
	same "a damaged KMAP is reported" "2 1" \
		"$? $(grep -c 'compressed data is damaged: ' "$tmp/err")"
done
"$memorizer" symbolize --kallsyms "$data/kallsyms" "$kmap" >"$tmp/want" 2>/dev/null
"$memorizer" symbolize --kallsyms "$tmp/small/kernel/kallsyms" "$tmp/kmap.zst" >"$tmp/got" \
	2>/dev/null
equal "compressed symbols" "$tmp/want" "$tmp/got"

# Damage
# says NAME STATUS MESSAGE ARGUMENT: compare check's message
says()
{
	"$memorizer" check "$4" >"$tmp/out" 2>"$tmp/err" </dev/null
	same "$1" "$2 $3" "$? $(sed "s|$tmp/||g" "$tmp/err" | head -n 1)"
}

cut=$tmp/cut
cp -r "$tmp/small" "$cut"
head -c -1000 "$tmp/small/cpu1.zst" >"$cut/cpu1.zst"
"$memorizer" check "$cut" >"$tmp/out" 2>"$tmp/err"
same "a truncated file is reported" "1 1" \
	"$? $(cat "$tmp/out" "$tmp/err" |
		grep -c 'cpu1, packet .*: compressed data is truncated')"
cp -r "$tmp/trace" "$tmp/plain.cut"
zstd -dcq "$cut/cpu1.zst" >"$tmp/plain.cut/cpu1" 2>/dev/null
"$memorizer" script "$tmp/plain.cut" >"$tmp/want" 2>/dev/null
"$memorizer" script "$cut" >"$tmp/got" 2>/dev/null
[ "$(wc -l <"$tmp/want")" -gt 14000 ]
ok $? "a truncated file has events"
equal "the events of a truncated file are read" "$tmp/want" "$tmp/got"
cp "$tmp/small/cpu1.zst" "$cut/cpu1.zst"
printf 'abcd' | dd of="$cut/cpu1.zst" bs=1 seek=3000 conv=notrunc 2>/dev/null
"$memorizer" check "$cut" >"$tmp/out" 2>"$tmp/err"
same "a damaged trace file is reported" "1 1" \
	"$? $(cat "$tmp/out" "$tmp/err" |
		grep -c 'cpu1, packet .*: compressed data is damaged')"
cp "$tmp/trace/cpu1" "$cut/cpu1"
says "a file that occurs twice is refused" 2 \
	"memorizer: cut/cpu1: exists both compressed and uncompressed" "$cut"
size=$(tar -tvf "$tmp/gnu.tar" | awk '/cpu2/ { print $3 }')
offset=$(tar -tRf "$tmp/gnu.tar" | awk '/cpu2/ { sub(":", "", $2); print $2 * 512 }')
head -c $((offset + size / 2)) "$tmp/gnu.tar" >"$tmp/cut.tar"
"$memorizer" check "$tmp/cut.tar" >"$tmp/out" 2>"$tmp/err"
same "a truncated archive is reported" "1 1" \
	"$? $(cat "$tmp/out" "$tmp/err" | grep -c 'the archive ends here')"
tar -C "$tmp" -cf "$tmp/two.tar" trace small/metadata.zst trace/metadata
says "an archive of two traces is refused" 2 \
	"memorizer: two.tar: the archive has several traces: unpack it" "$tmp/two.tar"
tar -C "$tmp/trace" -cf "$tmp/none.tar" cpu0
says "an archive without a trace is refused" 2 \
	"memorizer: none.tar: the archive has no trace: expected metadata, cpu0, ..." \
	"$tmp/none.tar"
head -c 500000000 /dev/zero | zstd -q -o "$tmp/bomb.zst"
says "an archive that only fills the disk is refused" 2 \
	"memorizer: bomb.zst: decompresses to more than 200 times its size: not a trace" "$tmp/bomb.zst"

# Output does not overwrite the input.
told="is also the output file"
cp "$data/session.kmap" "$tmp/k"
cp "$tmp/tar.zst" "$tmp/t"
for run in "symbolize -K $data/kallsyms $tmp/k" "symbolize -K $data/kallsyms -" "kmap $tmp/t" \
	   "script $tmp/t"; do
	file=${run##* }
	[ "$file" = - ] && file=$tmp/k
	# shellcheck disable=SC2086 # a command and its arguments
	"$memorizer" $run >>"$file" <"$file" 2>"$tmp/err"
	same "${run%% *} does not append to its input" \
		"2 memorizer: ${run##* }: $told" "$? $(cat "$tmp/err")"
done
"$memorizer" report "$tmp/small" 2>"$tmp/err" >>"$tmp/small/cpu0.zst"
same "report does not append to a file of a trace" \
	"2 memorizer: $tmp/small/cpu0: $told" "$? $(cat "$tmp/err")"
cmp -s "$tmp/k" "$data/session.kmap" && cmp -s "$tmp/t" "$tmp/tar.zst"
ok $? "the inputs are unchanged"

# Memory: zstd's window, and nothing that grows with the trace. Sanitizers need their own memory.
"$make" -b 1500000 -c 2 -l 1000 "$tmp/large"
tar -C "$tmp" -cf "$tmp/large.tar" large
zstd -q --rm "$tmp/large"/[cm]*
zstd -q "$tmp/large.tar" -o "$tmp/large.tar.zst"
takes()
{
	"$peak" "$memorizer" report "$1" 2>&1 >/dev/null | sed -n '$s/.* //p'
}
plain=$(takes "$tmp/large.tar")
for file in large large.tar.zst; do
	took=$(takes "$tmp/$file")
	if grep -q __asan_init "$memorizer"; then
		ok 0 "$file # SKIP sanitizers need memory"
	else
		[ "$took" -lt $((plain + 16384)) ]
		ok $? "$file needs as much memory as the plain one"
		echo "# $took KB, $plain KB"
	fi
done
tap_end
