#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Test kinds of memory: a KMAP with kinds, --kind, the kinds of a trace, variables and their types.
# Usage: test-kinds.sh DIR, the directory of a build

. "$(dirname "$0")/common.sh"

cp "$data/kinds.kmap" "$tmp/kinds"
sed 's/^[a-z_]*,//' "$tmp/kinds" >"$tmp/kmap"
{
	sed '/ jiffies$/q' "$data/kallsyms"
	echo 'ffffffff9c001000 D first_widget'
	echo 'ffffffff9c002000 D vmemmap_base'
	echo 'ffffffff9c002008 D others'
	echo '0000000000001000 A widgets'
	echo '0000000000001020 A others_on_cpus'
} >"$tmp/kallsyms"
{
	cat "$data/session.notes"
	echo 'note alloc ffffffff82001000 widget - drivers/widget.c 5 0 0 32 0'
	echo 'note alloc 1000 widget - drivers/widget.c 6 0 0 32 0'
	echo 'record struct page 64'
	echo 'member 0 8 flags long unsigned int'
} | python3 -B "$here/make-notes.py" "$tmp/vmlinux" || exit 1
symbols="--kallsyms $tmp/kallsyms --vmlinux $tmp/vmlinux"

# table COMMAND KEY [ARGUMENT...]: print the rows of a table as CSV, one after the other.
table()
{
	command=$1 key=$2
	shift 2
	"$memorizer" "$command" --csv $symbols "$@" 2>"$tmp/err" | sed -n "s/^$key,//p" | tr '\n' ' '
}

same "report has the kinds of memory" "stack,16384,1,1,1,0,1000 slab,64,1,1,1,100,0 \
pages,20480,2,1,2,20,30 percpu,64,2,2,2,7,7 static,32,1,1,1,6,3 struct_page,64,1,1,1,7,0 " \
	"$(table report kinds "$tmp/kinds")"
same "call sites are told apart by kind; pages and stacks have no type" \
	"ffffffff9b000010,widget_alloc+0x10/0x100,stack, ffffffff9b000010,widget_alloc+0x10/0x100,slab,widget \
ffffffff9b000010,widget_alloc+0x10/0x100,pages, 1000,widgets+0x0/0x20,percpu,widget \
ffffffff9c001000,first_widget+0x0/0x1000,static,widget ffffffff9c002000,vmemmap_base+0x0/0x8,struct_page,page" \
	"$(table report sites "$tmp/kinds" | tr ' ' '\n' | cut -d, -f1-4 | xargs)"
same "objects have names" "stack,stack of pages\,odd slab, pages,page order 1 pages,3 pages \
percpu,widgets/cpu1 static,first_widget struct_page, percpu,widgets/cpu0 " \
	"$("$memorizer" report --json $symbols "$tmp/kinds" 2>"$tmp/err" | python3 -c '
import json, sys
for row in json.load(sys.stdin)["accessed_objects"]:
    print(row["kind"] + "," + (row.get("object") or "").replace(",", "\\,"), end=" ")')"
same "a KMAP without kinds has no such columns" "0 0" \
	"$("$memorizer" report --csv $symbols "$tmp/kmap" 2>"$tmp/err" | grep -c '^kinds\|kind,') \
$("$memorizer" report $symbols "$tmp/kmap" 2>"$tmp/err" | grep -c 'Kind')"
grep ' jiffies$' "$data/kallsyms" >"$tmp/one"
# An address without symbol is one, whatever it allocates.
unresolved() { "$memorizer" report --kallsyms "$tmp/one" "$1" 2>&1 >/dev/null; }
same "kinds do not multiply addresses" "$(unresolved "$tmp/kinds")" "$(unresolved "$tmp/kmap")"
same "addresses without symbol are counted" \
	"$(unresolved "$tmp/kinds" | grep -c '^memorizer: [1-9].* addresses have no symbol')" 1
# Without the number of call sites, which are told apart by kind
others() { "$memorizer" report --csv "$1" 2>"$tmp/err" | sed -n 's/^\(functions,.*\),.*/\1/p; /^tasks\|^summary,acc/p'; }
same "all other sums are the same" "$(others "$tmp/kmap")" "$(others "$tmp/kinds")"

# counted KINDS: print objects and accesses with --kind.
counted()
{
	"$memorizer" report --csv $symbols --kind "$1" "$tmp/kinds" 2>"$tmp/err" |
		sed -n 's/^summary,\(objects\|accesses\),//p' | xargs
}

same "--kind selects objects" "1 9 2 50 4 123 1 100" \
	"$(for kinds in static pages slab,static,percpu slab; do counted $kinds; done | xargs)"
: >"$tmp/empty"
for kinds in vmalloc kmalloc,cache; do
	"$memorizer" report $symbols --kind $kinds "$tmp/kinds" >"$tmp/out" 2>"$tmp/err"
	same "--kind $kinds matches nothing" "2 memorizer: $tmp/kinds: nothing matches --kind $kinds" "$? $(cat "$tmp/err")"
done
"$memorizer" fold $symbols --kind pages "$tmp/kinds" >"$tmp/out" 2>"$tmp/err"
same "fold has the kinds in place of caches" "50 tar;pages;widget_alloc" \
	"$(awk '{ sum += $NF } END { print sum }' "$tmp/out") $(cut -d';' -f1-3 "$tmp/out" | sort -u | xargs)"
same "diff selects kinds" "0 0" "$("$memorizer" diff --csv --kind static --kallsyms "$tmp/kallsyms" --kallsyms "$tmp/kallsyms" \
	"$tmp/kinds" "$tmp/kinds" 2>"$tmp/err" | grep -c '^functions') $(grep -c . "$tmp/err")"

same "who selects a variable by its name" "widget_read,inner.count,5,0 " "$(table who functions first_widget.inner "$tmp/kinds")"
same "who has the variable's members on all CPUs" "widget_write,flag,7,7 " "$(table who functions widgets "$tmp/kinds")"
same "types include those of variables" "widget 160,4,160,4,4,113,10" \
	"$("$memorizer" types --csv $symbols "$tmp/kinds" 2>"$tmp/err" | sed -n 's/^types,widget,"[^"]*",\(160,4,160,4,4,113,10\),.*/widget \1/p')"

# Variables of a module; kallsyms has no symbol of its .bss
mkdir "$tmp/modules"
python3 -B "$here/make-notes.py" "$tmp/modules/gizmo.ko" <<EOF || exit 1
section .text
function 0 40 gizmo_open
section .data
data 40 20 first_gizmo
note alloc 40 widget - drivers/gizmo.c 5 0 0 32 0
section .data..percpu
data 20 20 gizmos
note alloc 20 widget - drivers/gizmo.c 6 0 0 32 0
section .bss
data 0 20 unseen
note alloc 0 widget - drivers/gizmo.c 7 0 0 32 0
record struct widget 32
member 0 4 flag int
EOF
cp "$tmp/kallsyms" "$tmp/kallsyms.gizmo"
printf '%s\t[gizmo]\n' "ffffffffc0600000 t gizmo_open" "ffffffffc0601840 d first_gizmo" "000000000002b020 d gizmos" >>"$tmp/kallsyms.gizmo"
cat >"$tmp/gizmo" <<EOF
static,ffffffffc0601840,0,ffffffffc0601840,32,0,0,0,swapper
  ffffffff9b000110,100,1,5
percpu,2b020,0,ffff888100002000,32,0,0,0,swapper/0
  ffffffff9b000110,100,2,0
static,ffffffffc0602000,0,ffffffffc0602000,32,0,0,0,swapper
  ffffffff9b000110,100,4,0
EOF
# gizmos [OPTION...]: print address, kind and type of each variable.
gizmos()
{
	"$memorizer" report --csv --kallsyms "$tmp/kallsyms.gizmo" --vmlinux "$tmp/vmlinux" "$@" "$tmp/gizmo" 2>"$tmp/err" |
		sed -n 's/^sites,\([^,]*\),[^,]*,\([a-z]*\),\([a-z]*\),.*/\1:\2:\3/p' | sort | xargs
}

same "a module's variables have types from its file" \
	"2b020:percpu:widget ffffffffc0601840:static:widget ffffffffc0602000:static:" "$(gizmos -M "$tmp/modules")"
same "but not without the file" "2b020:percpu: ffffffffc0601840:static: ffffffffc0602000:static:" "$(gizmos)"

# A trace with allocations that are neither slab nor pages
"$build/tests/make-trace" "$tmp/areas" <"$data/areas.trace" && mkdir "$tmp/areas/kernel" &&
	cp "$data/kallsyms" "$tmp/areas/kernel" || exit 1

# sums TABLE KEY...: print these sums, in order
sums()
{
	table=$1
	shift
	for key; do
		sed -n "s/^$table,$key,//p" "$tmp/out"
	done | xargs
}

"$memorizer" report --csv "$tmp/areas" >"$tmp/out" 2>"$tmp/err"
same "areas are summed up" "4295020971 4295028735 24576 6 2 1 4 4295004159" \
	"$(sums areas bytes_req bytes_alloc bytes_freed hit frees pingpong live live_bytes)"
same "stacks and per-CPU memory are summed up" "16404 16408 16408 3 3 2 0 0" \
	"$(sums local bytes_req bytes_alloc bytes_freed hit frees pingpong live live_bytes)"
same "pages are summed up alone" "8192 1 0" "$(sums pages bytes_alloc hit frees)"
same "call sites of areas have their kinds" \
	"ioremap 4294967295 1 vmalloc 24576 2 vmalloc 16384 1 modules 12288 1 vmap 8192 1" \
	"$(sed -n 's/^area_sites,[^,]*,[^,]*,\([a-z]*\),\([0-9]*\),[0-9]*,\([0-9]*\),.*/\1 \2 \3/p' "$tmp/out" | xargs)"
same "a free may leave out a guard page" "vmap,8192,1,1,0" \
	"$(sed -n 's/^area_free_sites,[^,]*,[^,]*,\(vmap,.*\)/\1/p' "$tmp/out")"
same "call sites of stacks and per-CPU memory have their kinds" "stack 16384 1 percpu 24 2" \
	"$(sed -n 's/^local_sites,[^,]*,[^,]*,\([a-z]*\),\([0-9]*\),[0-9]*,\([0-9]*\),.*/\1 \2 \3/p' "$tmp/out" | xargs)"
same "an access is to the innermost memory" "[pages] 1 [percpu] 2 [stack] 1 [unknown] 1 [vmalloc] 1" \
	"$("$memorizer" fold "$tmp/areas" 2>"$tmp/err" | awk -F '[; ]' '{ print $2, $NF }' | xargs)"
"$memorizer" report --csv --kind percpu "$tmp/areas" >"$tmp/out" 2>"$tmp/err"
same "a kind is selected" "0 0 2 2 1 1" \
	"$? $(sums areas hit) $(sums local hit frees) $(sums accesses reads writes)"
same "a timeline has their peaks" "areas_most,bytes,4295028735 local_most,bytes,16408" \
	"$("$memorizer" timeline --csv "$tmp/areas" 2>"$tmp/err" | grep '^\(areas\|local\)_most,bytes' | xargs)"
"$memorizer" check "$tmp/areas" >"$tmp/out"
same "stacks may lie in areas, per-CPU memory in pages" \
	"0 23 events in 2 packets of 2 CPUs, 0 lost, 0 frees of earlier memory: 0 violations" "$? $(cat "$tmp/out")"
{
	cat "$data/areas.trace"
	echo "alloc kind=3 ptr=ffffc90000010fff bytes_req=1 bytes_alloc=1"
	echo "alloc kind=9 ptr=ffffc90000090000"
	echo "free kind=8 ptr=ffff888100001040 bytes=12"
} | "$build/tests/make-trace" "$tmp/bad" || exit 1
"$memorizer" check --all "$tmp/bad" >"$tmp/out"
same "areas that overlap, unknown kinds and double frees are violations" "1 free overlap value" \
	"$? $(sed -n 's/.*: \(free\|overlap\|value\): .*/\1/p' "$tmp/out" | sort | xargs)"

"$memorizer" check "$tmp/kinds" >"$tmp/out"
same "objects may lie in areas" "0 8 objects, 10 access lines: 0 violations" "$? $(cat "$tmp/out")"
{
	echo 'slab,1,9,ffffc90000000000,8,1000,2000,1,a'
	echo 'stack,1,9,ffffc90000010000,16384,1000,0,0,a'
	echo 'percpu,1,7,ffffc90000010000,16384,1000,0,0,a'
} >"$tmp/stacks"
"$memorizer" check "$tmp/stacks" >"$tmp/out"
same "objects of pages' size that are no areas overlap" "1 1" "$? $(grep -c '^line 3: overlap' "$tmp/out")"
"$memorizer" symbolize --kallsyms "$tmp/kallsyms" "$tmp/kinds" >"$tmp/out" 2>"$tmp/err"
same "symbolize keeps the kinds" "pages,widget_alloc+0x10/0x100,7,ffff888000010000,8192,1000,0,0,tar" \
	"$(grep '^pages' "$tmp/out" | head -1)"

# A trace with the same objects, as a snapshot
"$build/tests/make-trace" "$tmp/trace" <"$data/kinds.trace" || exit 1
"$memorizer" kmap --kinds "$tmp/trace" | sort >"$tmp/got"
sort "$tmp/kinds" >"$tmp/want"
equal "kmap --kinds writes the kinds of a trace" "$tmp/want" "$tmp/got"
"$memorizer" kmap "$tmp/trace" | sort >"$tmp/got"
sort "$tmp/kmap" >"$tmp/want"
equal "kmap writes the form of the kernel's file" "$tmp/want" "$tmp/got"
same "kmap --kind selects objects" "2 stack,struct_page" \
	"$("$memorizer" kmap --kinds --kind stack,struct_page "$tmp/trace" | sed -n 's/^\([a-z_]*\),.*/\1/p' | sort >"$tmp/out"
	wc -l <"$tmp/out") $(paste -s -d, "$tmp/out")"
same "report has the kinds of a trace" "$(table report kinds "$tmp/kinds" | xargs -n1 | sort)" \
	"$(table report kmap_kinds "$tmp/trace" | xargs -n1 | sort)"
same "--kind selects the objects of a trace" "kmap_pages 2 50" \
	"$("$memorizer" report --csv $symbols --kind pages "$tmp/trace" 2>"$tmp/err" |
	awk -F, '$1 == "kmap_kinds" && $2 == "pages" { print "kmap_pages", $4, $7 + $8 }')"
same "fold selects the kinds of a trace" "$("$memorizer" fold $symbols --kind pages "$tmp/kinds" 2>"$tmp/err" | sed 's/^tar;/[unknown];/')" \
	"$("$memorizer" fold $symbols --kind pages "$tmp/trace" 2>"$tmp/err")"
same "script prints kinds" "pages 2" "$("$memorizer" script "$tmp/trace" | grep -o 'kind=pages' | sort | uniq -c | awk '{ print "pages", $1 }')"

# Accesses to user memory: the file of the kernel, and a trace with a retired record and a snapshot
cat >"$tmp/user" <<EOF
user,0,0,0,0,0,0,0,
  ffffffff9b000110,7,0,12
  ffffffff9b000194,8,5,0
EOF
same "report has the accesses to user memory" "user,0,1,1,1,12,5 widget_write widget_read" \
	"$(table report kinds "$tmp/user")$("$memorizer" report --csv $symbols --sort writes "$tmp/user" 2>"$tmp/err" |
	sed -n 's/^functions,[0-9a-f]*,\([a-z_]*\),.*/\1/p' | xargs)"
"$memorizer" check "$tmp/user" >"$tmp/out"
same "check knows user memory" "0 1 objects, 2 access lines: 0 violations" "$? $(cat "$tmp/out")"
{
	sed '$d' "$data/kinds.trace"
	echo 'object object=9 snapshot=1 state=1 alloc_site=0 pid=0 ptr=0 bytes_req=0 alloc_jiffies=0 free_jiffies=0 free_site=0 comm= kind=12'
	echo 'counts object=9 ip=ffffffff9b000110 pid=7 writes=0 reads=12'
	echo 'snapshot snapshot=1 complete=1 objects=9'
	echo 'object object=10 snapshot=0 state=2 alloc_site=0 pid=0 ptr=0 bytes_req=0 alloc_jiffies=0 free_jiffies=0 free_site=0 comm= kind=12'
	echo 'counts object=10 ip=ffffffff9b000194 pid=8 writes=5 reads=0'
} >"$tmp/user.trace"
"$build/tests/make-trace" "$tmp/with-user" <"$tmp/user.trace" || exit 1
same "report has those of a trace" "user,0,2,2,2,12,5" \
	"$("$memorizer" report --csv $symbols "$tmp/with-user" 2>"$tmp/err" | sed -n 's/^kmap_kinds,\(user\)/\1/p')"
"$memorizer" kmap "$tmp/with-user" | sort >"$tmp/got"
equal "user memory is not in the KMAP of a trace" "$tmp/want" "$tmp/got"
same "but it is with kinds" "2 12 5" \
	"$("$memorizer" kmap --kinds --kind user "$tmp/with-user" | awk -F, '
	/^user,0,0,0,0,0,0,0,/ { n++ } /^ / { w += $3; r += $4 } END { print n, r, w }')"
"$memorizer" check "$tmp/with-user" >"$tmp/out"
same "check knows it in a trace" "0" "$?"
same "export leaves it out of a format that lacks it" "1" \
	"$("$memorizer" export --cmap $symbols "$tmp/user" 2>&1 | grep -c 'memorizer')"
tap_end
