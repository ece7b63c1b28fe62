#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Test stacks of allocations: a KMAP and a trace that have them, and the lines and events of stacks.
# Usage: test-frames.sh DIR, the directory of a build

. "$(dirname "$0")/common.sh"

# sorted: sort objects, each with its lines.
sorted()
{
	awk '!/^ / && NR > 1 { print "" } { printf "%s;", $0 } END { print "" }' | sort | tr ';' '\n'
}

cp "$data/frames.kmap" "$tmp/kmap"
{
	sed '/widget_free/q' "$data/kallsyms"
	echo 'ffffffff9b000240 T kmemdup_noprof'
	echo 'ffffffff9b000280 T make_widget'
	echo 'ffffffff9b0002c0 t make_twice'
	echo 'ffffffff9b000300 T do_syscall_64'
	echo 'ffffffff9b000340 T _etext'
	echo 'ffffffff9c000000 D jiffies'
} >"$tmp/kallsyms"

"$memorizer" symbolize --kallsyms "$tmp/kallsyms" "$tmp/kmap" >"$tmp/out" 2>"$tmp/err"
same "symbolize replaces frames" \
	"  @kmemdup_noprof+0x10/0x40,make_widget+0x10/0x40,do_syscall_64+0x10/0x40" "$(sed -n 2p "$tmp/out")"
outcome "a KMAP with stacks has no violations" 0 /dev/stdin "" check "$tmp/kmap" <<END
7 objects, 6 access lines: 0 violations
END
sed '2s/250/251/; 5s/$/,/' "$tmp/kmap" >"$tmp/bad"
"$memorizer" report "$tmp/bad" 2>"$tmp/err" >"$tmp/out"
same "bad stacks are reported, their objects count" "1 2 7" "$? $(grep -c "^$tmp/bad:[25]: f" "$tmp/err") \
$("$memorizer" report --csv "$tmp/bad" 2>"$tmp/err" | sed -n 's/^summary,objects,//p')"
grep -v '^  @' "$tmp/kmap" >"$tmp/bare"
# rest: leave out what only an input with stacks has.
rest() { grep -v '^filter,skip' | awk 'BEGIN { RS = ""; ORS = "\n\n" } !/children/'; }
same "--skip '' has the report of a KMAP without stacks" "$("$memorizer" report --csv "$tmp/bare" | rest)" \
	"$("$memorizer" report --csv --skip '' "$tmp/kmap" | rest)"

# Call sites
{
	sed 's/81000240 _etext/81000340 _etext/' "$data/session.notes"
	echo 'function ffffffff81000240 40 kmemdup_noprof'
	echo 'function ffffffff81000280 40 make_widget'
	echo 'function ffffffff810002c0 40 make_twice'
	echo 'function ffffffff81000300 40 do_syscall_64'
	echo 'note alloc ffffffff81000250 gadget - lib/dup.c 3 0 0 24 0'
} | python3 -B "$here/make-notes.py" "$tmp/vmlinux" || exit 1
symbols="--kallsyms $tmp/kallsyms --vmlinux $tmp/vmlinux"

# sites [OPTION...]: print call sites, types, objects and accesses of the report's table.
sites()
{
	"$memorizer" report --csv $symbols "$@" "${input:-$tmp/kmap}" 2>"$tmp/err" |
		sed -n 's/^\(kmap_\)*sites,[0-9a-f]*,\([a-z0-9_]*\)+[^,]*,\([^,]*,[^,]*\),[0-9]*,\([0-9]*\),.*,\([0-9]*\),\([0-9]*\)$/\2,\3,\4,\5,\6/p' |
		sort | xargs
}

same "wrappers are no call sites; types are those of their notes" \
	"jiffies,static,,1,100,0 kmemdup_noprof,slab,gadget,1,0,0 make_twice,pages,,1,0,40 \
make_widget,slab,gadget,2,6,1 widget_alloc,slab,widget,2,5,2" "$(sites)"
same "--skip replaces the list" \
	"do_syscall_64,pages,,1,0,40 jiffies,static,,1,100,0 kmemdup_noprof,slab,gadget,3,6,1 \
make_widget,slab,widget,1,2,2 widget_alloc,slab,widget,1,3,0" "$(sites --skip 'widget_*,make_t?ice')"
same "if all frames are skipped, alloc_ip is the call site" "$(sites --skip '')" "$(sites --skip '*')"
same "--skip '' skips nothing, as does --no-skip" "$(sites --skip '')" "$(sites --no-skip)"
sed 's/kmemdup_noprof/kmemdup.constprop.0/' "$tmp/kallsyms" >"$tmp/suffix"
same "a suffix of the compiler does not hide a wrapper" "tar;slab;make_widget 2" \
	"$("$memorizer" fold --kallsyms "$tmp/suffix" --skip kmemdup --value objects "$tmp/kmap" | grep make_w)"
same "--site selects call sites" "make_widget,slab,gadget,2,6,1" "$(sites --site make_widget)"
same "types are those of the wrapper's notes" "gadget 80 3 widget 72 2" \
	"$("$memorizer" types --csv $symbols "$tmp/kmap" 2>"$tmp/err" | sed 's/"[^"]*"//' |
	awk -F, '$1 == "types" && $2 { print $2, $4, $5 }' | sort | xargs)"
same "fold has call sites" "init;slab;kmemdup_noprof 1 sh;pages;make_twice 1 sh;slab;widget_alloc 1 \
swapper;static;jiffies 1 tar;slab;make_widget 2 tar;slab;widget_alloc 1" \
	"$("$memorizer" fold --kallsyms "$tmp/kallsyms" --value objects "$tmp/kmap" | xargs)"
same "fold --skip '' has alloc_ip" "3" "$("$memorizer" fold --kallsyms "$tmp/kallsyms" --value objects --skip '' "$tmp/kmap" |
	awk '/kmemdup/ { sum += $NF } END { print sum }')"
same "fold --types has them, too" "gadget 80" "$("$memorizer" fold $symbols --types --value bytes "$tmp/kmap" 2>"$tmp/err" |
	awk -F '[; ]' '$2 == "gadget" { sum += $NF } END { print "gadget", sum }')"
default=$("$memorizer" report --json "$tmp/kmap" | sed -n 's/.*"skip": "\([^"]*\)".*/\1/p')
same "the head has the list in force" "1 1 0 a*,b" "$(echo "$default" | grep -c '^kmemdup\*,') \
$("$memorizer" report --brief "$tmp/kmap" | grep -c '^Callsites are the first callers except kmemdup\*,') \
$("$memorizer" report "$tmp/bare" | grep -c Callsites.are) \
$("$memorizer" diff --csv --skip 'a*,b' "$tmp/kmap" "$tmp/bare" 2>"$tmp/err" | sed -n 's/^filter,skip,"\(.*\)"/\1/p')"
same "memorizer-report(1) has the default list" "$default" \
	"$(sed -n '/^The default is/,/\.$/p' "$here/../Documentation/memorizer-report.1" |
	tr -d '\n ' | sed 's/^Thedefaultis//; s/\.$//; s/\\f[BP]//g')"

# Functions on stacks
cat >"$tmp/model.py" <<'END'
"""Print the table children of a KMAP: model.py KMAP KALLSYMS SKIP"""
import bisect, collections, fnmatch, re, sys
kmap, kallsyms, skip = sys.argv[1:]
symbols = sorted((int(a, 16), n) for a, t, n in (s.split()[:3] for s in open(kallsyms)) if t in "tT" and n[0] != "_")
starts = [a for a, n in symbols]
def name(ip):
    start = starts[bisect.bisect_right(starts, ip - 1) - 1]
    return [n for a, n in symbols if a == start][0]
table = collections.defaultdict(lambda: [0] * 8)
for line in re.findall(r"(?m)^[^ ].*(?:\n  @.*)?", open(kmap).read()):
    o, _, frames = line.partition("\n  @")
    o = o.split(",")
    sums = [int(o[4]), 1] + ([int(o[4]), 1] if o[6] == "0" else [0, 0])
    names = [name(int(f, 16)) for f in frames.split(",")] if frames else ["[no stack]"]
    wanted = [n for n in names if not any(fnmatch.fnmatch(n, g) for g in skip.split(","))]
    for n in set(names):
        table[n][:4] = map(sum, zip(table[n][:4], sums))
    site = (wanted or names)[0]
    table[site][4:] = map(sum, zip(table[site][4:], sums))
for n, row in table.items():
    print(n, *row, sep=",")
END

# children INPUT [OPTION...]: print the rows of report --children.
children()
{
	of=$1
	shift
	"$memorizer" report --children --csv --kallsyms "$tmp/kallsyms" "$@" "$of" 2>"$tmp/err" |
		sed -n 's/^children,[0-9a-f]*,//p' | LC_ALL=C sort
}

for skip in "$default" 'widget_*,make_t*'; do
	python3 -B "$tmp/model.py" "$tmp/kmap" "$tmp/kallsyms" "$skip" | LC_ALL=C sort >"$tmp/want"
	children "$tmp/kmap" --skip "$skip" >"$tmp/got"
	equal "report --children has what a model computes, --skip $(echo "$skip" | cut -c -8)" \
		"$tmp/want" "$tmp/got"
done
same "recursion counts once" "make_twice,4160,2,4160,2,4096,1,4096,1" "$(children "$tmp/kmap" | grep make_twice)"
same "the outermost function has the objects of all that it calls" \
	"$("$memorizer" report --csv --site 'make_*' --kallsyms "$tmp/kallsyms" --skip 'widget_*,kmemdup*' "$tmp/kmap" 2>"$tmp/err" |
	sed -n 's/^summary,\(bytes\|objects\|live_bytes\|live\),/\1 /p' | sort | xargs)" \
	"$(children "$tmp/kmap" | sed -n 's/^do_syscall_64,\(.*\),\(.*\),\(.*\),\(.*\),0,0,0,0$/bytes \1 live \4 live_bytes \3 objects \2/p')"
same "filters select objects" "do_syscall_64,4160,2,4160,2,0,0,0,0" "$(children "$tmp/kmap" --comm sh | head -n 1)"
same "shares are of all objects" "99.248 57.142" "$("$memorizer" report --children --percent --json \
	--kallsyms "$tmp/kallsyms" "$tmp/kmap" | sed -n 's/.*do_sys.*children_bytes_percent": \([0-9.]*\).*children_objects_percent": \([0-9.]*\).*/\1 \2/p')"
same "--sort takes the keys" "make_widget" "$("$memorizer" report --children --csv --sort self_objects \
	--kallsyms "$tmp/kallsyms" --kind slab --comm tar --pid 7 --site make_widget "$tmp/kmap" |
	sed -n 's/^children,[^,]*,\([^,]*\),.*/\1/p' | head -n 1)"
lacking="no stacks: use echo 16 > memorizer_stacks, and then a copy of kmap_stacks, or record --snapshot or record --retirements"
same "a report has the same table, after the others" "$(children "$tmp/kmap")" "$("$memorizer" report --csv \
	--kallsyms "$tmp/kallsyms" "$tmp/kmap" | sed -n 's/^children,[0-9a-f]*,//p' | LC_ALL=C sort)"
outcome "--children needs stacks" 2 /dev/null "memorizer: $tmp/bare: $lacking" report --children "$tmp/bare"
outcome "--children excludes --brief" 2 /dev/null "memorizer report: want only one of --brief, --children and --histogram
Try 'memorizer help report'." report --children --brief "$tmp/kmap"

# Folded stacks
fold="fold --stacks --kallsyms $tmp/kallsyms"
outcome "fold --stacks has the functions on stacks" 0 /dev/stdin "" $fold --value bytes "$tmp/kmap" <<END
init;kmemdup_noprof;slab 16
sh;do_syscall_64;make_twice;pages 4096
sh;do_syscall_64;make_widget;make_twice;make_twice;widget_alloc;slab 64
swapper;jiffies;static 8
tar;do_syscall_64;make_widget;kmemdup_noprof;slab 64
tar;widget_alloc;slab 8
END
outcome "for accesses, the accessing function follows" 0 /dev/stdin "" $fold "$tmp/kmap" <<END
sh;do_syscall_64;make_widget;make_twice;make_twice;widget_alloc;slab;widget_write 4
sh;jiffies;static;read_mark 100
tar;do_syscall_64;make_twice;pages;widget_write 40
tar;do_syscall_64;make_widget;kmemdup_noprof;slab;read_mark 5
tar;do_syscall_64;make_widget;kmemdup_noprof;slab;widget_write 2
tar;widget_alloc;slab;read_mark 3
END
outcome "fold --stacks as CSV" 0 /dev/stdin "" $fold --csv --value live --comm tar "$tmp/kmap" <<END
comm,stack,cache,accessor,live
tar,"do_syscall_64;make_widget;kmemdup_noprof",slab,,1
tar,"widget_alloc",slab,,1
END
outcome "--site selects by the call site" 0 /dev/stdin "" $fold --site make_widget --value reads "$tmp/kmap" <<END
tar;do_syscall_64;make_widget;kmemdup_noprof;slab;read_mark 5
tar;do_syscall_64;make_widget;kmemdup_noprof;slab;widget_write 1
END
same "fold --stacks as JSON" '{"comm": "sh", "stack": ["do_syscall_64", "make_twice"], "cache": "pages", "accessor": null, "value": 1}' \
	"$("$memorizer" $fold --json --value objects "$tmp/kmap" | sed -n 's/^\t\t\(.*make_twice"\], "cache": "pages".*}\),$/\1/p')"
same "--types puts types and members after the stacks" "tar;do_syscall_64;make_widget;kmemdup_noprof;widget;flag;widget_write 2" \
	"$("$memorizer" $fold --types --vmlinux "$tmp/vmlinux" "$tmp/kmap" | grep 'kmemdup.*flag')"
outcome "fold --stacks needs stacks" 2 /dev/null "memorizer: $tmp/bare: $lacking" fold --stacks "$tmp/bare"

# Traces
for order in le be; do
	"$build/tests/make-trace" -e $order "$tmp/$order" <"$data/frames.trace" || exit 1
	babeltrace2 --clock-cycles --no-delta "$tmp/$order" >"$tmp/want"
	"$build/tests/dump-trace" "$tmp/$order" >"$tmp/got"
	equal "events of stacks equal babeltrace2's, $order" "$tmp/want" "$tmp/got"
	outcome "they have no violations, $order" 0 /dev/stdin "" check "$tmp/$order" <<END
$(wc -l <"$tmp/want") events in 2 packets of 2 CPUs, 0 lost, 0 frees of earlier memory: 0 violations
END
	sorted <"$tmp/kmap" >"$tmp/want"
	"$memorizer" kmap --stacks "$tmp/$order" | sorted >"$tmp/got"
	equal "kmap --stacks writes the form of kmap_stacks, $order" "$tmp/want" "$tmp/got"
done
for order in le be; do
	cp -r "$tmp/$order" "$tmp/named"
	mkdir "$tmp/named/kernel"
	cp "$tmp/kallsyms" "$tmp/named/kernel"
	same "the call sites of a trace are those of its KMAP, $order" "$(sites)" \
		"$(input=$tmp/named; sites)"
	for value in accesses writes bytes live; do
		"$memorizer" $fold --value $value "$tmp/kmap" >"$tmp/folded"
		outcome "so are folded stacks, $value, $order" 0 "$tmp/folded" "" $fold --value $value "$tmp/named"
	done
	children "$tmp/kmap" >"$tmp/want"
	children "$tmp/named" >"$tmp/got"
	equal "so are functions on stacks, $order" "$tmp/want" "$tmp/got"
	rm -rf "$tmp/named"
done
outcome "fold --stacks folds the KMAP, which has no CPU" 2 /dev/null \
	"memorizer fold: --cpu: objects with stacks have none: want it without --stacks
Try 'memorizer help fold'." fold --stacks --cpu 1 "$tmp/le"
"$build/tests/make-trace" "$tmp/life" <"$data/life.trace" || exit 1
outcome "fold --stacks needs stacks in a trace" 2 /dev/null "memorizer: $tmp/life: $lacking" \
	fold --stacks --kallsyms "$tmp/kallsyms" "$tmp/life"
same "kmap without --stacks has none" 0 "$("$memorizer" kmap --kinds "$tmp/le" | grep -c '^  @')"
same "script prints frames and stacks" "site=ffffffff9b000290 stack=161 depth=1 stack=161 stack=4" \
	"$("$memorizer" script "$tmp/le" 2>"$tmp/err" | sed -n 's/.*: frame: *\(.*depth=1\)$/\1/p; s/.*: object:.*state=.* \(stack=[0-9]*\).*/\1/p' |
	sed -n '1p; 2p; $p' | xargs)"

# changed SED: the messages of check for the changed trace, in one line.
changed()
{
	rm -rf "$tmp/changed"
	sed "$1" "$data/frames.trace" | "$build/tests/make-trace" "$tmp/changed" || return
	"$memorizer" check "$tmp/changed" | sed -n 's/^event [0-9]* ([^)]*): //p' | tr '\n' ';'
}

same "an object with an undescribed stack is a violation" \
	"stack: object 5: stack 5 was not described before;" "$(changed 's/stack=4$/stack=5/')"
same "a stack that begins elsewhere is a violation" \
	"stack: object 5: stack 3 does not begin with alloc_site ffffffff9b000250;" "$(changed 's/init kind=1 stack=4$/init kind=1 stack=3/')"
same "frames out of order are a violation" "stack: frame 3 of stack 3: want 0 or 1;" \
	"$(changed '/^frame stack=3/,/^object/s/depth=1/depth=3/' | tr ';' '\n' | sed -n '1s/$/;/p')"
same "too deep a frame is a violation" "value: frame 16 of stack 3: want 0 to 15;" \
	"$(changed '/^frame stack=3/,/^object/s/\(.*\)depth=1\(.*\)/\1depth=1\2\n\1depth=16\2/')"
changed 's/stack=4$/stack=5/' >"$tmp/out"
"$memorizer" kmap --stacks "$tmp/changed" >"$tmp/got" 2>"$tmp/err"
same "missing stacks are counted" "3 memorizer: $tmp/changed: the stacks of 1 objects are missing 4" \
	"$? $(cat "$tmp/err") $(grep -c '^  @' "$tmp/got")"
cp -r "$tmp/le" "$tmp/old"
sed -i 's/xint32_t stack;/xint32_t unknown;/; s/name = "frame"/name = "future"/' "$tmp/old/metadata"
same "objects of older kernels have no stacks" "0 0" \
	"$("$memorizer" kmap --stacks "$tmp/old" >"$tmp/got" 2>&1; echo $?) $(grep -c '^  @' "$tmp/got")"
"$build/tests/make-trace" -q "$tmp/calls" <"$data/calls.trace" || exit 1
cp -r "$tmp/calls" "$tmp/older"
sed -i 's/name = "call"/name = "frame"/' "$tmp/older/metadata"
same "calls in traces of older QEMU plugins are read" "$("$memorizer" stacks "$tmp/calls" 2>"$tmp/err")" \
	"$("$memorizer" stacks "$tmp/older" 2>"$tmp/err")"

# Each part of a recording has the frames of earlier parts, whose order does not matter.
. "$here/kernel.sh"
{
	echo "cpu 1"
	echo "frame stack=1 depth=1 ip=ffffffff9b000290"
	echo "frame stack=1 depth=0 ip=ffffffff9b000250"
	echo "cpu 0"
	for object in $(seq 2000); do
		echo "object object=$object state=2 alloc_site=ffffffff9b000250 free_jiffies=1 stack=1"
		[ $((object % 100)) -gt 0 ] || echo packet
	done
} | "$build/tests/make-trace" "$tmp/whole" || exit 1
nr_before=0
records --max-size 50000 --rotate 50
last=$(printf '%s\n' "$tmp"/trace/[0-9]* | sort -V | tail -n 1)
"$memorizer" kmap --stacks "$last" >"$tmp/got" 2>"$tmp/err"
same "a later part has the frames of an earlier one" "0 0 1 $(grep -c '^[0-9a-f]' "$tmp/got")" \
	"$status $? $(($(grep -c '^[0-9a-f]' "$tmp/got") > 100)) \
$(grep -c '^  @ffffffff9b000250,ffffffff9b000290$' "$tmp/got")"
tap_end
