#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Test memorizer report of a trace: exact numbers, formats, order, filters, messages, memory.
# Usage: test-report.sh DIR, the directory of a build

. "$(dirname "$0")/common.sh"
make_trace=$build/tests/make-trace

trace()
{
	rm -rf "${tmp:?}/$1"
	"$make_trace" -e "$2" "$tmp/$1" <"$data/kmem.trace" || exit 1
	mkdir "$tmp/$1/kernel"
	cp "$data/kallsyms" "$tmp/$1/kernel/kallsyms"
}

trace le le
trace be be
lost="incomplete: 3 events were lost, 0 packets are missing"
outcome "the report has exact numbers" 3 "$data/kmem.txt" "memorizer: $tmp/le: $lost" \
	report "$tmp/le"
outcome "the report of the other byte order is the same" 3 "$data/kmem.txt" "memorizer: $tmp/be: $lost" \
	report "$tmp/be"
outcome "--json prints JSON" 3 "$data/kmem.json" "memorizer: $tmp/le: $lost" \
	report --json "$tmp/le"
outcome "--csv prints CSV" 3 "$data/kmem.csv" "memorizer: $tmp/le: $lost" \
	report --csv "$tmp/le"
"$memorizer" report --top 1 "$tmp/le" >"$tmp/out"
same "--top limits the rows of tables" " ... and 2 more" "$(grep more "$tmp/out" | head -n 1)"
"$memorizer" report -n 1 -j "$tmp/le" >"$tmp/out"
awk 'BEGIN {
	print "time 1000"
	for (i = 1; i <= 25; i++)
		printf "alloc kind=0 call_site=%x ptr=%x bytes_req=8 bytes_alloc=8\n", i, 4096 * i
}' | "$make_trace" "$tmp/many"
mkdir "$tmp/many/kernel"
cp "$data/kallsyms" "$tmp/many/kernel"
same "text has twenty rows, CSV has all" "20 25 25" \
	"$("$memorizer" report "$tmp/many" | sed -n '/^ALLOCATION SITES/,/more$/s/^ [0-9a-f]* .*8\/8/&/p' |
		wc -l) $("$memorizer" report --json "$tmp/many" | sed -n '/"sites"/,/\]/p' |
		grep -c '"ip"') $("$memorizer" report --csv "$tmp/many" | grep -c ^sites,)"
"$memorizer" report -n 1 -j "$tmp/le" >"$tmp/out"
same "JSON has all rows" "1 1" \
	"$(grep -c '{"pid":' "$tmp/out") $(grep -c '{"cache":' "$tmp/out")"

# order KEY TABLE FIELD: print a field of a table's rows in their order
order()
{
	"$memorizer" report --csv --sort "$1" "$tmp/le" | grep "^$2," | cut -d, -f "$3" | xargs
}

same "--sort bytes" "ffffffff9b000020 ffffffff9b000010 ffffffffc0400010" "$(order bytes sites 2)"
same "--sort hit" "100 101" "$(order hit tasks 2)"
same "--sort hit orders free sites by frees" "5 4" "$(order hit free_sites 5)"
same "--sort req" "16384 64" "$(order req sizes 2)"
same "--sort frag" "101 100" "$(order frag tasks 2)"
same "--sort pingpong" "64 16384" "$(order pingpong sizes 2)"
same "--sort cross" "ffffffff9b000010 ffffffff9b000020 ffffffffc0400010" \
	"$(order cross sites 2)"
same "--sort node" "64 16384" "$(order node sizes 2)"
same "--sort freed" "ffffffff9b000210 ffffffffc0400090" "$(order freed free_sites 2)"
same "--sort live" "128 64" "$(order live live 4)"
same "--sort age" "64 128" "$(order age live 4)"
same "--sort name" "ffffffffc0400010 ffffffff9b000010 ffffffff9b000020" "$(order name sites 2)"

# counted NAME WANT ARGUMENTS...: check sums with these options: slab bytes requested, allocations,
# frees, frees without a known allocation, objects live at the end; page allocations, frees, live
# pages; kinds of suspicious events
counted()
{
	name=$1 want=$2
	shift 2
	"$memorizer" report --csv "$@" "$tmp/le" >"$tmp/out"
	same "$name" "$want" "$(sed -n -E 's/^slab,(bytes_req|hit|frees|unknown|live),//p
		s/^pages,(hit|frees|live),//p' "$tmp/out" | xargs) $(grep -c ^suspicious, "$tmp/out")"
}

counted "all" "10465 9 9 2 3 2 4 1 5"
counted "--kind kmalloc" "10221 5 5 2 2 0 0 0 3" --kind kmalloc
counted "--kind cache" "244 4 4 0 1 0 0 0 2" --kind cache
counted "--kind pages" "0 0 0 0 0 2 4 1 0" --kind pages
counted "--kind kmalloc,cache" "10465 9 9 2 3 0 0 0 5" --kind kmalloc,cache
counted "--cache" "180 3 3 0 1 0 0 0 1" --cache widget
counted "--cache with a pattern" "221 4 1 0 2 0 0 0 2" --cache 'kmalloc-*'
counted "--site" "10401 8 5 0 3 0 0 0 3" --site widget_alloc
counted "--site with a pattern" "10401 8 6 1 3 2 4 1 3" --site 'widget_*'
counted "--site with an address" "180 3 3 0 1 0 0 0 1" --site ffffffff9b000010
counted "--comm" "10432 8 7 1 3 1 2 0 4" --comm tar
counted "--comm with unprintable bytes" "33 1 2 1 0 1 2 1 1" --comm 'a,b\x0ac*'
counted "--comm as printed" "33 1 2 1 0 1 2 1 1" --comm 'a,b\x0ac\\d'
counted "--cache as printed" "10000 1 2 1 0 0 0 0 0" --cache '[large kmalloc]'
counted "--site as printed" "64 1 1 0 0 0 0 0 1" --site 'gadget_probe+0x10/0x80 [gadget]'
counted "--site with an offset" "180 3 3 0 1 0 0 0 1" --site widget_alloc+0x10
counted "--site without events" "0 0 0 0 0 0 0 0 0" --site read_mark
counted "--pid" "33 1 2 1 0 1 2 1 1" --pid 101
counted "--cpu" "33 1 1 0 0 1 2 1 1" --cpu 1
counted "another --cpu" "10432 8 8 2 3 1 2 0 4" --cpu 0
counted "--from and --to marks" "97 2 2 0 0 0 0 0 2" --from one --to two
counted "--from a mark" "10188 4 4 2 2 2 4 1 2" --from two
counted "--to a mark" "180 3 2 0 1 0 0 0 0" --to one
counted "--from and --to times" "197 3 4 1 1 0 0 0 4" --from 3 --to 4.00000003
counted "--to a time" "120 2 0 0 2 0 0 0 0" --to 1.00000009
counted "several filters" "33 1 1 0 0 0 0 0 1" --kind kmalloc --cpu 1 --site widget_alloc --from one

# Streamed accesses
"$make_trace" "$tmp/life" <"$data/life.trace" || exit 1
cp -r "$tmp/le/kernel" "$tmp/life"

# accesses NAME WANT ARGUMENTS...: check reads, writes, those to unknown memory, and rows of tables
accesses()
{
	name=$1 want=$2
	shift 2
	"$memorizer" report --csv "$@" "$tmp/life" >"$tmp/out"
	same "$name" "$want" "$(sed -n -E 's/^accesses,(unknown_)?(reads|writes),//p
		s/^(functions|accessed_[a-z]*),[0-9a-f]*,//p' "$tmp/out" | xargs)"
}

accesses "accesses by function, call site, cache, pages and object" \
	"4 0 4 1 gadget_irq [gadget],2,1 read_mark,1,2 widget_write,1,1 \
widget_alloc+0x10/0x100,2,2 widget_alloc+0x20/0x100,1,0 widget_alloc+0x30/0x100,0,1 \
widget,2,3 kmalloc-192,1,0 read_mark+0x20/0x80,1,0 widget_alloc+0x10/0x100,60,2,2 \
widget_alloc+0x20/0x100,150,1,0 read_mark+0x20/0x80,8192,1,0 widget_alloc+0x30/0x100,60,0,1"
accesses "--cache selects accesses to its objects" "2 0 3 0 read_mark,1,2 widget_write,1,1 \
widget_alloc+0x10/0x100,2,2 widget_alloc+0x30/0x100,0,1 widget,2,3 \
widget_alloc+0x10/0x100,60,2,2 widget_alloc+0x30/0x100,60,0,1" --cache widget
accesses "--kind pages selects accesses to pages" "1 0 0 0 gadget_irq [gadget],1,0 read_mark+0x20/0x80,1,0 \
read_mark+0x20/0x80,8192,1,0" --kind pages
"$memorizer" report "$tmp/life" >"$tmp/out"
same "only a trace with accesses has sums of accesses" "1 0" \
	"$(grep -c '^SUMMARY (ACCESSES)$' "$tmp/out") $(grep -c ACCESSES "$data/kmem.txt")"

# The KMAP in a trace: retired objects and a snapshot
awk '
	# The generator of Park and Miller: rand() differs between implementations of awk.
	function random() { seed = seed * 16807 % 2147483647; return seed / 2147483647 }
BEGIN {
	seed = 7
	split("tar a\\x0ab x,b make", comms)
	print "time 1000\nswitch allocations=1 retirements=1 boot=1"
	for (i = 0; i < 600; i++) {
		if (i == 400)
			print "snapshot snapshot=1 complete=0 objects=0"
		state = i < 400 ? 2 + int(1.2 * random()) : 1 + int(1.5 * random())
		printf "object object=%d snapshot=%d state=%d alloc_site=ffffffff9b000%d10 pid=%d ",
			i % 400, i < 400 ? 0 : 1, state, int(3 * random()), 100 + int(5 * random())
		printf "ptr=ffff8880%08x bytes_req=%d alloc_jiffies=%d ", 64 * i, 1 + int(200 * random()),
			1000 + int(50 * random())
		printf "free_jiffies=%d free_site=%s comm=%s\n", state == 1 ? 0 : 1050 + int(99 * random()),
			state == 1 || random() < 0.1 ? "0" : "ffffffff9b000210",
			comms[1 + int(4 * random())]
		for (j = 0; j < 8 * random(); j++)
			printf "counts object=%d ip=ffffffff9b0001%d0 pid=%d writes=%d reads=%d\n", i % 400,
				j, 98 + int(7 * random()), int(9 * random()), int(9 * random())
	}
	print "snapshot snapshot=1 complete=1 objects=200"
}' >"$tmp/script"
"$make_trace" "$tmp/retired" <"$tmp/script" || exit 1
cp -r "$tmp/le/kernel" "$tmp/retired"
"$memorizer" kmap "$tmp/retired" >"$tmp/retired.kmap"

# as_kmap NAME ARGUMENTS...: the trace's report contains the report of its KMAP, in every table
as_kmap()
{
	name=$1
	shift
	"$memorizer" report --csv "$@" "$tmp/retired" 2>"$tmp/err" |
		sed -n 's/^kmap,/summary,/p; s/^kmap_//p' >"$tmp/got"
	"$memorizer" report --csv -K "$data/kallsyms" "$@" "$tmp/retired.kmap" 2>"$tmp/err" |
		grep -v '^report,\|^filter,\|^table,\|^$' >"$tmp/want"
	[ "$(cut -d, -f 1 "$tmp/want" | sort -u | wc -l)" -ge 6 ]
	ok $? "all tables of a KMAP: $name"
	equal "the report of a trace equals its KMAP's: $name" "$tmp/want" "$tmp/got"
}

as_kmap "all" --sort accesses
for key in reads objects bytes req live life touched sites pids name; do
	as_kmap "by $key" --sort $key
done
as_kmap "--site" --sort accesses --site 'widget_*'
as_kmap "--comm" --sort accesses --comm '*b*'
as_kmap "--pid" --sort accesses --pid 102
as_kmap "--top" --sort accesses --top 3
same "the KMAP has all objects" "$(grep -vc '^ ' "$tmp/retired.kmap")" \
	"$("$memorizer" report -c "$tmp/retired" | sed -n 's/^kmap,objects,//p')"
same "--cache, --cpu and --from do not apply to the KMAP" "0 0 0" \
	"$(for filter in "--cache ?large*" "--cpu 0" "--from 0.000000500"; do
		"$memorizer" report -c $filter "$tmp/retired" 2>&1 | sed -n 's/^kmap,objects,//p'
	done | xargs)"
"$memorizer" report "$tmp/retired" >"$tmp/out"
same "text has a summary and tables of the KMAP" 8 "$(grep -c 'KMAP' "$tmp/out")"
grep -v '^snapshot.*complete=1' "$tmp/script" | "$make_trace" "$tmp/partly" || exit 1
cp -r "$tmp/le/kernel" "$tmp/partly"
"$memorizer" report --csv "$tmp/partly" >"$tmp/out" 2>"$tmp/err"
same "an incomplete snapshot is left out and reported" "3 report,incomplete,true \
memorizer: $tmp/partly: skipped incomplete snapshot 1" \
	"$? $(grep ^report,incomplete "$tmp/out") $(cat "$tmp/err")"

# The most accessed objects, without keeping all
awk '
	# The generator of Park and Miller: rand() differs between implementations of awk.
	function random() { seed = seed * 16807 % 2147483647; return seed / 2147483647 }
BEGIN {
	seed = 9
	print "time 1000"
	for (i = 0; i < 500; i++) {
		printf "alloc kind=0 call_site=ffffffff9b000010 ptr=ffff8880%08x ", 64 * i
		printf "bytes_req=%d bytes_alloc=64\n", 1 + i % 60
		for (j = 0; j < 6 * random(); j++)
			printf "access ip=ffffffff9b000110 ptr=ffff8880%08x size=1 kind=%d\n",
				64 * i + j, 1 + int(3 * random())
		if (i % 3)
			printf "free kind=0 call_site=1 ptr=ffff8880%08x bytes=64\n", 64 * i
	}
}' >"$tmp/few-objects"
"$make_trace" "$tmp/objects" <"$tmp/few-objects" || exit 1
cp -r "$tmp/le/kernel" "$tmp/objects"
for of in "$tmp/objects" "$tmp/retired.kmap"; do
	"$memorizer" report --csv "$of" | grep ^accessed_objects, >"$tmp/want"
	same "all accessed objects are shown, ${of##*.}" \
		"$("$memorizer" report --csv "$of" | sed -n 's/^\(accesses\|summary\),touched,//p')" \
		"$(wc -l <"$tmp/want")"
	for top in 1 7 100; do
		"$memorizer" report --csv --top $top "$of" | grep ^accessed_objects, >"$tmp/got"
		head -n $top "$tmp/want" >"$tmp/first"
		equal "--top $top shows the most accessed objects" "$tmp/first" \
			"$tmp/got"
	done
done

# A negative sum: more bytes are freed than allocated
echo "free kind=0 call_site=1 ptr=1000 bytes=64" >"$tmp/script"
"$make_trace" "$tmp/few" <"$tmp/script" || exit 1
cp -r "$tmp/le/kernel" "$tmp/few"
"$memorizer" report "$tmp/few" >"$tmp/out"
same "freeing more than was allocated gives a negative sum" "-64" \
	"$(sed -n 's/^Net total bytes allocated *//p' "$tmp/out" | head -n 1)"
"$memorizer" report --json "$tmp/few" >"$tmp/out"
same "negative sums in JSON" '"net": -64,' "$(sed -n 's/^\t*\("net".*\)/\1/p' "$tmp/out" | head -n 1)"

# Names that change
# rows TABLE FIELDS: print fields of a table, for the trace of a script
rows()
{
	rm -rf "$tmp/few"
	"$make_trace" "$tmp/few" || exit 1
	"$memorizer" report --csv "$tmp/few" 2>"$tmp/err" | sed -n "s/^$1,//p" | cut -d, -f "$2" |
		sort | xargs
}

same "another cache at the address of one is another cache" \
	"ffff888000100000,dentry,64,64,1,0 ffff888000100000,inode,64,128,2,1" "$(rows caches 1-3,4,6,7 <<END
cache cache=ffff888000100000 object_size=64 size=64 name=inode
alloc kind=1 cache=ffff888000100000 ptr=1000 bytes_req=64 bytes_alloc=64
cache name=inode
alloc ptr=2000
free kind=1 cache=ffff888000100000 ptr=1000 bytes=64
cache name=dentry
alloc ptr=1000
END
)"
same "allocations before exec count under the previous comm" \
	"7,make,384,3 7,sh,64,1" "$(rows tasks 1,2,3,5 <<END
task pid=7 comm=sh
alloc pid=7 ptr=1000 bytes_req=64 bytes_alloc=64
task comm=make
alloc ptr=2000 bytes_req=128 bytes_alloc=128
task comm=make
alloc ptr=3000
alloc ptr=4000
END
)"
long=$(printf '\\xff%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16)
same "an escaped comm is not truncated" "7,$(printf %s "$long" | tr -d '\\')" "$(rows tasks 1,2 <<END
task pid=7 comm=$long
alloc pid=7 ptr=1000 bytes_req=64 bytes_alloc=64
END
)"
same "frees of unknown pages count each byte" \
	"bytes_alloc,8192 bytes_freed,28672 frees,3 hit,2 live,0 live_uncertain,0 unknown,1 unseen,0" "$(rows pages 1,2 <<END |
alloc kind=2 ptr=ffff888000010000 bytes_req=4096 bytes_alloc=4096
free kind=2 ptr=ffff888000010000 bytes=8192
alloc ptr=ffff888000020000
free ptr=ffff88800001f000 bytes=16384
free ptr=ffff888000030000 bytes=4096
END
	tr ' ' '\n' | grep -v 'cross\|net\|ping\|live_bytes' | xargs)"

# Objects live at the end may have been freed in a loss, unless that ended before or starts later
same "objects allocated before a loss may be freed" "live,5 live_uncertain,3" "$(rows slab 1,2 <<END |
time 1000
cpu 1
alloc kind=0 ptr=1000 bytes_req=64 bytes_alloc=64
cpu 0
alloc ptr=2000
packet
time 3000
cpu 1
alloc ptr=3000
cpu 0
time 4000
lost 1
alloc ptr=4000
cpu 1
alloc ptr=5000
END
	tr ' ' '\n' | grep ^live | grep -v bytes | xargs)"
same "missing packets are a loss" "live,2 live_uncertain,1" "$(rows pages 1,2 <<END |
alloc kind=2 ptr=ffff888000010000 bytes_req=4096 bytes_alloc=4096
packet
skip 1
alloc ptr=ffff888000020000
END
	tr ' ' '\n' | grep ^live | grep -v bytes | xargs)"
same "a loss after --to does not matter, one before it does" "3 0 3 3" \
	"$(for to in 4.0000005 12; do
		"$memorizer" report --csv --to $to "$tmp/le" 2>"$tmp/err" |
			sed -n 's/^slab,live\(_uncertain\)*,//p'
	done | xargs)"

# A truncated trace: its events, and a message
trace cut le
size=$(wc -c <"$tmp/cut/cpu1")
head -c $((size - 8)) "$tmp/le/cpu1" >"$tmp/cut/cpu1"
"$memorizer" report "$tmp/cut" >"$tmp/out" 2>"$tmp/err"
status=$?
[ $status -eq 3 ] && [ -s "$tmp/err" ] && grep -q '^Events' "$tmp/out"
ok $? "a truncated trace is reported up to the end, with status 3"

# Messages
hint="Try 'memorizer help report'."
mkdir "$tmp/empty"
"$memorizer" report "$tmp/empty" >"$tmp/out" 2>"$tmp/err"
[ $? -eq 2 ] && [ -s "$tmp/err" ] && [ ! -s "$tmp/out" ]
ok $? "a directory without a trace is refused"
outcome "an unknown mark is refused" 2 /dev/null "memorizer: $tmp/le: no mark 'nine'" report \
	--from nine "$tmp/le"
outcome "a --to mark before --from is refused" 2 /dev/null "memorizer: $tmp/le: no mark 'one' after 'two'" report \
	--from two --to one "$tmp/le"
outcome "an unknown sort key is refused" 2 /dev/null "memorizer report: --sort sizes: want a column, by its key in JSON, \
or name, type or field
$hint" report --sort sizes "$tmp/le"
kinds="kinds separated by commas: slab, pages, vmalloc, vmap, ioremap, modules, stack, struct_page, static, percpu, memblock, user, kmalloc or cache"
outcome "an unknown kind is refused" 2 /dev/null "memorizer report: --kind slabs: want $kinds
$hint" report --kind slabs "$tmp/le"
outcome "an unknown kind in a list is refused" 2 /dev/null "memorizer report: --kind pages,: want $kinds
$hint" report --kind pages, "$tmp/le"
outcome "an invalid CPU is refused" 2 /dev/null "memorizer report: --cpu first: want a number
$hint" report --cpu first "$tmp/le"
outcome "an invalid pid is refused" 2 /dev/null "memorizer report: --pid -1: want a number
$hint" report --pid -1 "$tmp/le"
outcome "a filter of traces is refused for a KMAP" 2 /dev/null "memorizer report: --cpu: only for the directory of a trace
$hint" report --cpu 1 "$data/session.kmap"
# unmatched WHAT OPTION ARGUMENT: a filter that nothing in the trace can match
unmatched()
{
	outcome "$1 that does not occur is reported" 2 /dev/null "memorizer: $tmp/le: nothing matches $2 $3" \
		report "$2" "$3" "$tmp/le"
}

unmatched "a site" --site widget_allocate
unmatched "a site with an offset" --site widget_allocate+0x10
unmatched "a cache" --cache wigdet
unmatched "a comm" --comm Tar
unmatched "a pid" --pid 4711
unmatched "a CPU" --cpu 2
outcome "a time outside of the trace is refused" 2 /dev/null "memorizer: $tmp/le: ends before --from 4711.000000000" \
	report --from 4711 "$tmp/le"
outcome "a missing kallsyms is refused" 2 /dev/null "memorizer: $tmp/none: No such file or directory" report \
	--kallsyms "$tmp/none" "$tmp/le"
rm "$tmp/be/kernel/kallsyms"
"$memorizer" report --csv -K "$data/kallsyms" "$tmp/be" >"$tmp/out" 2>"$tmp/err"
cmp "$tmp/out" "$data/kmem.csv" && [ "$(cat "$tmp/err")" = "memorizer: $tmp/be: $lost" ]
ok $? "--kallsyms overrides the trace's"
"$memorizer" report "$tmp/be" >"$tmp/out" 2>"$tmp/err"
same "a trace without kallsyms has no names and a message" "3 memorizer: $tmp/be/kernel/kallsyms: \
No such file or directory: call sites have no names
memorizer: $tmp/be: $lost" "$? $(cat "$tmp/err")"
grep -q '^ ffffffff9b000020 ' "$tmp/out"
ok $? "a trace without kallsyms has addresses"

# Memory depends on the number of live objects, not on the length of the trace
# peak EVENTS: print the peak memory of a trace's report in kB
peak()
{
	"$make_trace" -b "$1" -l 2000 "$tmp/load" || exit 1
	ASAN_OPTIONS=$ASAN_OPTIONS:quarantine_size_mb=1 \
		"$build/tests/peak" "$memorizer" report "$tmp/load" 2>&1 >"$tmp/out" | sed -n '$s/.* //p'
	rm -r "$tmp/load"
}

short=$(peak 400000)
long=$(peak 1200000)
echo "# $short kB for 400000 events, $long kB for 1200000"
[ "$long" -lt $((short * 3 / 2)) ]
ok $? "a trace of three times the length takes no more memory"
grep -q '^Events  *1200000$' "$tmp/out"
ok $? "a long trace is reported to its end"

# Rows are made when printed; their objects take less than twice the text
"$make_trace" -a -b 550000 -l 1000 "$tmp/load" || exit 1
for top in 1 0; do
	ASAN_OPTIONS=$ASAN_OPTIONS:quarantine_size_mb=1 \
		"$build/tests/peak" "$memorizer" report --json --top $top "$tmp/load" \
		2>&1 >"$tmp/out" | sed -n '$s/.* //p' >"$tmp/peak.$top"
done
few=$(cat "$tmp/peak.1") all=$(cat "$tmp/peak.0") printed=$(($(wc -c <"$tmp/out") / 1024))
echo "# $few kB for one row of each table, $all kB for all, $printed kB printed"
[ "$all" -lt $((few + 2 * printed)) ] && [ "$printed" -gt 4000 ]
ok $? "rows of a report are not all in memory at once"
rm -r "$tmp/load"

# 20 KB of trace that claim 400 GiB
{
	echo "switch allocations=1 boot=1"
	for i in $(seq 400); do
		printf 'alloc kind=2 ptr=%x bytes_req=1073741824 bytes_alloc=1073741824\n' \
			$((0x1000000000 + i * 0x40000000))
	done
} >"$tmp/script"
"$make_trace" "$tmp/load" <"$tmp/script" || exit 1
for command in check report; do
	kb=$("$build/tests/peak" "$memorizer" $command "$tmp/load" 2>&1 >"$tmp/out" | sed -n '$s/.* //p')
	[ "$kb" -lt $((short * 2)) ]
	ok $? "memory of $command does not depend on the size of allocations"
done
rm -r "$tmp/load"

# The bytes of a slot beyond the requested size belong to no object, but to pages around them
cat >"$tmp/script" <<END
switch allocations=1 accesses=1 boot=1
alloc kind=2 call_site=ffffffff9b000020 ptr=ffff888000001000 bytes_req=4096 bytes_alloc=4096
alloc kind=0 call_site=ffffffff9b000010 ptr=ffff888000001000 bytes_req=60 bytes_alloc=64
access ip=ffffffff9b000110 ptr=ffff88800000103b size=1 kind=1 pid=1
access ip=ffffffff9b000110 ptr=ffff88800000103c size=1 kind=1 pid=1
END
# slack NAME REPORT FOLD SCRIPT: check which call sites have the accesses
slack()
{
	"$make_trace" "$tmp/slack" <"$4" || exit 1
	same "report: the slack of an object belongs to $1" "$2" "$("$memorizer" report --csv "$tmp/slack" \
		2>"$tmp/err" | sed -n 's/^accessed_by,[^,]*,//p' | sort | xargs)"
	same "fold: the slack of an object belongs to $1" "$3" "$("$memorizer" fold --value accesses "$tmp/slack" \
		2>"$tmp/err" | cut -d ';' -f 3 | sort | xargs)"
	rm -r "$tmp/slack"
}
slack "its slab's pages" "ffffffff9b000010,1,0 ffffffff9b000020,1,0" "ffffffff9b000010 ffffffff9b000020" \
	"$tmp/script"
sed '/kind=2/d' "$tmp/script" >"$tmp/script.slab"
slack "no object" ",1,0 ffffffff9b000010,1,0" "[unknown] ffffffff9b000010" "$tmp/script.slab"

# Damaged traces: a report or a message, but nothing worse
worst=0
size=$(wc -c <"$tmp/le/cpu0")
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24; do
	for bytes in '\0377\0377\0377\0377' '\0000\0000\0000\0000' '\0200\0001'; do
		{
			head -c $((80 + (size - 90) * i / 24)) "$tmp/le/cpu0"
			printf '%b' "$bytes"
			tail -c +$((80 + (size - 90) * i / 24 + 5)) "$tmp/le/cpu0"
		} >"$tmp/cut/cpu0"
		"$memorizer" report "$tmp/cut" >"$tmp/out" 2>&1
		status=$?
		[ $status -le 3 ] || worst=$status
	done
done
same "a damaged trace is reported or refused" 0 "$worst"

# Histograms: each allocation of a call site is in one bucket of sizes and one of lifetimes
same "sizes by powers of two" "ffffffff9b000020,32-63,3,60.000,121 ffffffff9b000020,64-127,1,20.000,100 \
ffffffff9b000020,8192-16383,1,20.000,10000 ffffffff9b000010,32-63,3,100.000,180 \
ffffffffc0400010,64-127,1,100.000,64" "$("$memorizer" report --csv --histogram "$tmp/le" 2>"$tmp/err" |
	sed -n 's/^site_sizes,\([^,]*\),[^,]*,/\1,/p' | xargs)"
same "lifetimes by powers of ten, with live and unknown ones" \
	"ffffffff9b000020,10-99,2,40.000,16448 ffffffff9b000020,[live],2,40.000,128 \
ffffffff9b000020,[freed unseen],1,20.000,64 ffffffff9b000010,100000000-999999999,2,66.666,128 \
ffffffff9b000010,[live],1,33.333,64 ffffffffc0400010,10-99,1,100.000,64" \
	"$("$memorizer" report --csv --histogram "$tmp/le" 2>"$tmp/err" |
		sed -n 's/^site_lives,\([^,]*\),[^,]*,/\1,/p' | xargs -d '\n')"
same "histograms in text have units and bars" 1 "$("$memorizer" report --histogram "$tmp/le" 2>"$tmp/err" |
	grep -c ' widget_alloc+0x10/0x100 .* | 100-1000 ms *| @@@@@@@@@@@@@@@@@@@ *|   2 |  66.666% |   128$')"
tap_end
