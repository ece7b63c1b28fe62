#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Test memorizer diff: numbers, formats, order, alignment by name, messages.
# Usage: test-diff.sh DIR, the directory of a build

. "$(dirname "$0")/common.sh"

before=$tmp/before.kmap
after=$tmp/after.kmap
cp "$data/session.kmap" "$before"
cp "$data/after.kmap" "$after"
grep -v read_mark "$data/kallsyms" >"$tmp/kallsyms"

# compare FORMAT...: compare the KMAPs of two boots and builds
compare()
{
	"$memorizer" diff "$@" -K "$tmp/kallsyms" -K "$data/after.kallsyms" "$before" "$after" \
		2>"$tmp/err" | sed "s|$tmp/||"
}

compare >"$tmp/out"
equal "KMAPs of another boot and build are compared by name" "$data/diff.txt" "$tmp/out"
compare --json >"$tmp/out"
equal "diff as JSON" "$data/diff.json" "$tmp/out"
compare --csv >"$tmp/out"
equal "diff as CSV" "$data/diff.csv" "$tmp/out"
same "without a message" "" "$(cat "$tmp/err")"
same "the largest changes are first" "widget_alloc gadget_probe [gadget] widget_free" \
	"$(compare --csv --sort change | sed -n 's/^sites,\([^,]*\).*/\1/p' | xargs)"
same "--sort name sorts rows by name" "ffffffff8b000000 gadget_irq [gadget] newcomer" \
	"$(compare --csv --sort name | sed -n 's/^functions,\([^,]*\).*/\1/p' | head -n 3 | xargs)"
same "--top limits the rows of tables" 1 "$(compare --csv --top 1 | grep -c ^functions,)"
same "--all includes unchanged rows" \
	widget_write,same \
	"$("$memorizer" diff --csv --all -K "$tmp/kallsyms" "$before" "$before" 2>"$tmp/err" |
		grep '^functions,widget_write' | cut -d, -f 2,3)"

"$memorizer" diff --csv -K "$tmp/kallsyms" "$before" "$before" >"$tmp/out" 2>"$tmp/err"
same "a KMAP does not differ from itself" "0 9" \
	"$? $(grep -c ',0$' "$tmp/out")"
grep -q '^\(sites\|live\|functions\|accessed\|commands\),' "$tmp/out"
same "a KMAP and itself have no rows" 1 $?
"$memorizer" diff --csv -K "$tmp/kallsyms" "$before" "$after" >"$tmp/out" 2>"$tmp/err"
same "a single kallsyms applies to both" 1 "$(grep -c '^sites,widget_alloc,gone' "$tmp/out")"
"$memorizer" diff --csv "$before" "$before" >"$tmp/out" 2>"$tmp/err"
same "without symbols there is a message" "0 memorizer diff: no symbols: addresses are \
compared, which only one boot has in common" "$? $(cat "$tmp/err")"
echo bad >>"$after"
compare --json >"$tmp/out"
same "malformed lines make it incomplete" "1 $after:11" \
	"$(grep -c '"incomplete": true' "$tmp/out") $(head -n 1 "$tmp/err" | cut -d: -f 1,2)"

# Traces
for trace in kmem life; do
	"$build/tests/make-trace" "$tmp/$trace" <"$data/$trace.trace" || exit 1
	mkdir "$tmp/$trace/kernel"
done
cp "$data/kallsyms" "$tmp/kmem/kernel"
sed 's/^ffffffff9b/ffffffff81/; s/^ffffffffc04/ffffffffc05/; s/widget_alloc/&.isra.0/' \
	"$data/kallsyms" >"$tmp/life/kernel/kallsyms"
sed 's/ffffffff9b/ffffffff81/g; s/ffffffffc04/ffffffffc05/g' "$data/life.trace" |
	"$build/tests/make-trace" "$tmp/life"
"$memorizer" diff "$tmp/kmem" "$tmp/life" >"$tmp/out" 2>"$tmp/err"
same "losses make the comparison of traces incomplete" "3 1" "$? $(grep -c incomplete "$tmp/err")"
equal "traces are compared by name" "$data/diff.trace" "$tmp/out"
"$memorizer" diff --csv "$tmp/life" "$tmp/life" >"$tmp/out"
same "a trace does not differ from itself" "0 6 0" "$? $(grep -c '^sums,.*,0$' "$tmp/out") $(
	grep -c '^[a-z_]*,.*,\(same\|new\|gone\|more\|less\),' "$tmp/out")"

# KMAPs in traces
# retired NAME SITE: make a trace of retired objects
retired()
{
	for i in 1 2 3 4 5 6 7 8; do
		echo "object object=$i snapshot=0 state=2 alloc_site=ffffffff9b000${i}10 pid=$i \
ptr=ffff88800000${i}000 bytes_req=$((2 * i + $2)) alloc_jiffies=$i free_jiffies=9 free_site=1 comm=c$((i % $2))"
		echo "counts object=$i ip=ffffffff9b000110 pid=$i writes=$((i % $2)) reads=$2"
	done >"$tmp/script"
	"$build/tests/make-trace" "$tmp/$1" <"$tmp/script" && mkdir "$tmp/$1/kernel" &&
		cp "$data/kallsyms" "$tmp/$1/kernel" && "$memorizer" kmap "$tmp/$1" >"$tmp/$1.kmap"
}

retired first 3 && retired second 5 || exit 1
"$memorizer" diff --csv "$tmp/first" "$tmp/second" | sed -n 's/^kmap_//p' >"$tmp/got"
"$memorizer" diff --csv -K "$data/kallsyms" "$tmp/first.kmap" "$tmp/second.kmap" |
	grep '^\(sums\|sites\|live\|functions\|accessed\|commands\),' >"$tmp/want"
equal "KMAPs in traces are compared like KMAPs" "$tmp/want" "$tmp/got"
same "KMAPs in traces are compared in all tables" "accessed commands functions sites sums" \
	"$(cut -d, -f 1 "$tmp/got" | sort -u | xargs)"

hint="Try 'memorizer help diff'."
outcome "a trace and a KMAP are refused" 2 /dev/null \
	"memorizer diff: a trace and a KMAP: want two of a kind
$hint" diff "$tmp/kmem" "$before"
outcome "a single KMAP is refused" 2 /dev/null "memorizer diff: 1 inputs: want two KMAPs or two traces
$hint" diff "$before"
outcome "a missing KMAP is refused" 2 /dev/null "memorizer: $tmp/none: No such file or directory" \
	diff -K "$tmp/kallsyms" "$before" "$tmp/none"
outcome "an unknown sort key is refused" 2 /dev/null "memorizer diff: --sort sizes: want a column, by its key in JSON, or name, type or field
$hint" diff --sort sizes "$before" "$after"
outcome "an invalid --top is refused" 2 /dev/null \
	"memorizer diff: --top x: want a number from 0 to 4294967295
$hint" diff --top x "$before" "$after"
outcome "three kallsyms are refused" 2 /dev/null "memorizer diff: --kallsyms c: want at most two of them
$hint" diff -K a -K b -K c "$before" "$after"
# Functions of the same name: static ones of two files, whose order changes, and a global one with a
# clone
# kernel FILE ORDER: make a vmlinux and its kallsyms; the KMAP has 1 read by alike() of a.c, 2 of b.c,
# 4 by spin(), 8 by its clone
kernel()
{
	{
		printf '%s\n' "symbol ffffffff81000000 _stext" "symbol ffffffff81000000 _text" \
			"symbol ffffffff81000240 _etext" "function ffffffff81000000 100 widget_alloc"
		at=1
		for file in $2; do
			printf '%s\n' "file $file" "function ffffffff810001${at}0 10 alike"
			at=$((at + 1))
		done
		printf '%s\n' "file c.c" "function ffffffff81000140 10 spin.part.0" "file -" \
			"function ffffffff81000150 10 spin" "note read ffffffff81000114 - - include/x.h 1 0 4 4 0" \
			"note read ffffffff81000115 - - drivers/x/${2%% *} 1 0 4 4 0"
	} >"$1.notes"
	python3 -B "$here/make-notes.py" "$1" <"$1.notes" || exit 1
	sed -n 's/^function \([^ ]*\) [^ ]* \(.*\)/\1 t \2/p; s/^symbol \([^ ]*\) /\1 T /p' "$1.notes" >"$1.kallsyms"
	first=1
	[ "${2%% *}" = a.c ] || first=2
	printf '%s\n' ffffffff81000010,1,ffff888000001000,64,1,0,0,sh "  ffffffff81000114,1,0,$first" \
		"  ffffffff81000124,1,0,$((3 - first))" "  ffffffff81000144,1,0,8" "  ffffffff81000154,1,0,4" >"$1.kmap"
}

kernel "$tmp/ab" "a.c b.c"
kernel "$tmp/ba" "b.c a.c"
# functions OPTION...: print functions, and their reads before and after
functions()
{
	"$memorizer" diff --csv --all "$@" "$tmp/ab.kmap" "$tmp/ba.kmap" 2>"$tmp/err" |
		sed -n 's/^functions,\([^,]*\),[^,]*,\([^,]*,[^,]*\),.*/\1:\2/p' | sort | xargs
}
same "static functions of the same name are distinguished by file, clones are not" \
	"alike (a.c):1,1 alike (b.c):2,2 spin:12,12" "$(functions -k "$tmp/ab" -k "$tmp/ba")"
same "without a message" "" "$(cat "$tmp/err")"
same "without files, functions of the same name are merged" "alike:3,3 spin.part.0: spin:12,12" \
	"$(functions -K "$tmp/ab.kallsyms" -K "$tmp/ba.kallsyms" | sed 's/spin:/spin.part.0: spin:/')"
same "merged functions are reported" "memorizer diff: 1 ambiguous function name: functions \
summed up; use --vmlinux to distinguish them by file" "$(cat "$tmp/err")"
# Files of the same name: the notes have their paths
for one in ab ba; do
	sed 's/^file [ab].c/file x.c/; s/^note.*115 .*/note read ffffffff81000115 - - '"${one%?}"'\/x.c 1 0 4 4 0/
		s/^note.*114 .*/note read ffffffff81000125 - - '"${one#?}"'\/x.c 1 0 4 4 0/' "$tmp/$one.notes" |
		python3 -B "$here/make-notes.py" "$tmp/x$one" || exit 1
done
same "files of the same name are distinguished by path" "alike (a/x.c):1,1 alike (b/x.c):2,2 spin:12,12" \
	"$(functions -k "$tmp/xab" -k "$tmp/xba")"
# folded OPTION...: print functions and their reads
folded()
{
	"$memorizer" fold --value reads "$@" "$tmp/ab.kmap" 2>"$tmp/err" | sed 's/^[^;]*;[^;]*;//' | sort | xargs
}
same "fold distinguishes functions of the same name" "alike (a.c) 1 alike (b.c) 2 spin 4 spin.part.0 8" \
	"$(folded -k "$tmp/ab" | sed 's/widget_alloc;//g')"
same "fold reports merged functions" "memorizer fold: 1 ambiguous function name: functions \
summed up; use --vmlinux to distinguish them by file" "$(folded -K "$tmp/ab.kallsyms" >"$tmp/out"; cat "$tmp/err")"
same "report distinguishes functions of the same name" "alike (a.c) 1 alike (b.c) 2 spin 4 spin.part.0 8" \
	"$("$memorizer" report --csv -k "$tmp/ab" "$tmp/ab.kmap" | sed -n 's/^functions,[^,]*,\([^,]*\),\([0-9]*\),.*/\1 \2/p' |
		sort | xargs)"

tap_end
