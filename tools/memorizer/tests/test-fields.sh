#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Test that all commands show, sort and filter accesses and allocations by type and member from the
# compiler's notes, and that nothing changes without notes.
# Usage: test-fields.sh DIR, the directory of a build

. "$(dirname "$0")/common.sh"

vmlinux=$tmp/vmlinux
python3 -B "$here/make-notes.py" "$vmlinux" <"$data/session.notes" || exit 1

# make_trace NAME [OPTIONS]: make the trace of a script
make_trace()
{
	script=$1
	shift
	"$build/tests/make-trace" "$@" "$tmp/$script" <"$data/$script.trace" || exit 1
	mkdir "$tmp/$script/kernel"
	grep -v read_mark "$data/kallsyms" >"$tmp/$script/kernel/kallsyms"
}

# golden COMMAND TRACE [OPTIONS]: compare a command's output with the reviewed one, in all formats
golden()
{
	command=$1 trace=$2
	shift 2
	outcome "$command of $trace" 0 "$data/noted.$command" "" \
		"$command" "$@" -k "$vmlinux" "$tmp/$trace"
	for format in json csv; do
		outcome "$command of $trace as $format" 0 "$data/noted.$command.$format" "" \
			"$command" "$@" -k "$vmlinux" --$format "$tmp/$trace"
	done
}

# rows TABLE COMMAND ARGUMENTS...: print the rows of a table as CSV
rows()
{
	table=$1
	shift
	"$memorizer" "$@" --csv 2>"$tmp/err" | sed -n "s/^$table,//p"
}

# as_ever COMMAND ARGUMENTS...: a command prints the same without vmlinux as with one without notes
as_ever()
{
	"$memorizer" "$@" >"$tmp/want" 2>&1
	"$memorizer" "$@" -k "$tmp/bare" >"$tmp/got" 2>&1
	equal "$1 does not change with a vmlinux without notes" "$tmp/want" "$tmp/got"
}

sed '/^note /d' "$data/session.notes" | python3 -B "$here/make-notes.py" "$tmp/bare" || exit 1

# Analyses
for trace in lines life assoc rcu; do
	make_trace $trace
done
make_trace conflicts -q
golden sharing lines --addresses
golden false-sharing lines
golden per-entry lines --accesses
golden conflicts conflicts
golden cache-assoc assoc
golden rcu rcu --all
golden stacks lines --fields --value accesses
as_ever sharing --addresses --csv "$tmp/lines"

# If the code accesses plain bytes, the offset in the allocated object determines the member: for
# one of several objects, and behind the end of one with a flexible array
cat "$data/session.notes" "$data/places.notes" | python3 -B "$here/make-notes.py" "$tmp/placed" || exit 1
make_trace places
sed '/^traffic/d' "$data/places.trace" | "$build/tests/make-trace" "$tmp/untold" || exit 1
cp -r "$tmp/places/kernel" "$tmp/untold"
# by_place COMMAND...: compare its output for the traces, without the header
by_place()
{
	echo "# $*"
	"$memorizer" "$@" --csv -k "$tmp/placed" "$tmp/$where" 2>"$tmp/err" | sed '/^table,key,value/,/^$/d'
}
{
	where=places
	for command in "types" "layout pack" "who widget" "who pack.slots" "what widget_free" \
		"fold --types --value accesses" "conflicts" "rcu --all" "per-entry --accesses" \
		"stacks --fields --value accesses" "types --field slots*"; do
		by_place $command
	done
	by_place script --event access,traffic | cut -d, -f 1,2,7,8,11,20,56-
	where=untold
	by_place sharing --all --addresses
	by_place false-sharing
	by_place sharing --all --field unused
} >"$tmp/out"
equal "the granule determines the member" "$data/noted.places" "$tmp/out"

# Events, and live objects
golden script life
golden timeline life --spans 4
mkdir -p "$tmp/modules"
python3 -B "$here/make-notes.py" "$tmp/modules/gadget.ko" <"$data/gadget.notes" || exit 1
printf '%s\n' 'alloc kind=0 call_site=ffffffffc0400010 ptr=ffff888000001000 bytes_req=8 bytes_alloc=8' |
	"$build/tests/make-trace" -q "$tmp/module" || exit 1
same "a module's notes give its allocations types" gadget "$(rows slab_peak timeline \
	-K "$data/kallsyms" -M "$tmp/modules" "$tmp/module" | cut -d, -f 3)"
"$memorizer" html -o "$tmp/page" -K "$data/kallsyms" -M "$tmp/modules" "$tmp/module" 2>"$tmp/err"
same "html has a module's types" 1 "$(sed -n '/"types": \[/,/\]/p' "$tmp/page" | grep -c '"type": "gadget"')"
as_ever script --csv "$tmp/life"
as_ever timeline --spans 4 "$tmp/life"
chosen="script -k $vmlinux --csv $tmp/life"
same "--type selects all events of a type" \
	"alloc access access access free object counts counts access" \
	"$("$memorizer" $chosen --type widget | cut -d, -f 1 | sed 1d | xargs)"
same "--field selects accesses to a member" "access:widget,flag counts:widget,flag" \
	"$("$memorizer" $chosen --field 'fl?g' | sed 1d | sed 's/,.*widget,/:widget,/' | xargs)"
same "--field selects plain bytes by the allocated type" "alloc,1 access,1 free,1" \
	"$("$memorizer" $chosen --type gadget | sed 1d | sed 's/,.*gadget,$/,1/' | xargs)"
same "accesses without a member are not selected" 0 "$("$memorizer" $chosen --type '' --field '' | sed 1d | wc -l)"
same "objects that RCU frees have a type" "ffff888000001000,widget ffff888000001040,gadget" \
	"$("$memorizer" script -k "$vmlinux" --json --event rcu_free --type '*' "$tmp/rcu" | sed 's/.*"ptr": "\([0-9a-f]*\)".*"type": "\([a-z]*\)"}/\1,\2/' | xargs)"
same "traffic has type and member" "read,inner.count write,name[]" "$(printf '%s\n' \
	'traffic ip=ffffffff9b000110 ptr=ffff888000001000 size=8 kind=1 pid=1 line=ffff888000001000 from=0' \
	'traffic ip=ffffffff9b000120 ptr=ffff888000001000 size=8 kind=2 pid=1 line=ffff888000001000 from=0' |
	"$build/tests/make-trace" -q "$tmp/traffic" && "$memorizer" script -k "$vmlinux" -K "$data/kallsyms" \
	--json "$tmp/traffic" | sed 's/.*"kind": "\([a-z]*\)".*"field": "\([^"]*\)".*/\1,\2/' | xargs)"
same "counts have the type of their object, not of a freed one" "counts,widget access, counts,gadget" \
	"$(printf '%s\n' 'object object=5 alloc_site=ffffffff9b000010 ptr=ffff888000001000' \
	'counts object=5 ip=ffffffff9b000140 pid=1 writes=1 reads=1' \
	'alloc kind=1 call_site=ffffffff9b000010 ptr=ffff888000001000 bytes_req=8 bytes_alloc=8' \
	'free kind=1 call_site=ffffffff9b000210 ptr=ffff888000001000 bytes=8' \
	'access ip=ffffffff9b000140 ptr=ffff888000001000 size=8 kind=1' \
	'object object=5 alloc_site=ffffffff9b000020 ptr=ffff888000001000' \
	'counts object=5 ip=ffffffff9b000140 pid=1 writes=1 reads=1' |
	"$build/tests/make-trace" -q "$tmp/objects" && "$memorizer" script -k "$vmlinux" -K "$data/kallsyms" --csv \
	--event access,counts "$tmp/objects" | sed '1d; s/,.*,\([a-z]*\),$/,\1/' | xargs)"
same "pages do not have the type struct page" "alloc, access," \
	"$(sed 's/^note alloc ffffffff81000020 gadget/note alloc ffffffff81000020 page/' "$data/session.notes" |
	python3 -B "$here/make-notes.py" "$tmp/pages" && printf '%s\n' \
	'alloc kind=2 call_site=ffffffff9b000020 ptr=ffff888000200000 bytes_req=4096 bytes_alloc=4096' \
	'access ip=ffffffff9b000140 ptr=ffff888000200000 size=8 kind=1' |
	"$build/tests/make-trace" -q "$tmp/paged" && "$memorizer" script -k "$tmp/pages" -K "$data/kallsyms" --csv \
	"$tmp/paged" | sed '1d; s/,.*,\([a-z]*\),$/,\1/' | xargs)"
same "stacks do not have the type of the task" "alloc, access, object, counts," \
	"$(printf '%s\n' \
	'alloc kind=7 call_site=ffffffff9b000020 ptr=ffffc90000200000 bytes_req=4096 bytes_alloc=4096' \
	'access ip=ffffffff9b000140 ptr=ffffc90000200000 size=8 kind=1' \
	'object object=5 kind=7 alloc_site=ffffffff9b000020 ptr=ffffc90000200000' \
	'counts object=5 ip=ffffffff9b000140 pid=1 writes=1 reads=1' |
	"$build/tests/make-trace" -q "$tmp/stacks" && "$memorizer" script -k "$vmlinux" -K "$data/kallsyms" --csv \
	"$tmp/stacks" | sed '1d; s/,.*,\([a-z]*\),$/,\1/' | xargs)"
same "stacks do not have the type of the task in analyses" ",1" "$(rows objects cache-assoc -k "$vmlinux" -K "$data/kallsyms" "$tmp/stacks" | cut -d, -f 3-4)"
same "stacks do not have the type of the task in timeline" ",,4096,1" "$("$memorizer" timeline --csv -k "$vmlinux" \
	-K "$data/kallsyms" "$tmp/stacks" 2>"$tmp/err" | sed -n 's/^local_peak,.*widget_alloc+0x20[^,]*\(,.*\)/\1/p')"
same "--type selects in analyses" "[pages],widget_alloc+0x20/0x100,,1" "$(rows objects cache-assoc -k "$tmp/pages" \
	-K "$data/kallsyms" "$tmp/paged" | cut -d, -f 1-4)"
outcome "--type without notes is refused by script" 2 /dev/null \
	"memorizer script: --field flag: types are unknown: want --vmlinux with compiler notes" \
	script --field flag "$tmp/life"

# Sums
kmap=$data/session.kmap
report="report -k $vmlinux -K $data/kallsyms $kmap"
# summed ARGUMENTS: print some sums of a report of a KMAP
summed()
{
	rows summary "$@" >"$tmp/rows"
	for sum in objects bytes accesses touched access_sites functions pids comms; do
		sed -n "s/^$sum,//p" "$tmp/rows"
	done | xargs
}

same "the most accessed objects have the type of their call site" \
	"ffff888000004000,,32,1021,11 ffff888000001000,widget,64,6,7 ffff888000002000,widget,64,4,2" \
	"$(rows accessed_objects $report | cut -d, -f 1,3- | xargs)"
same "suspicious events have types" "freed from inside an object,gadget" "$(printf '%s\n' \
	'alloc kind=0 call_site=ffffffff9b000020 ptr=ffff888000001000 bytes_req=8 bytes_alloc=8' \
	'free kind=0 call_site=ffffffff9b000210 ptr=ffff888000001004 bytes=4' |
	"$build/tests/make-trace" -q "$tmp/inside" && rows suspicious report -k "$vmlinux" -K "$data/kallsyms" \
	"$tmp/inside" | cut -d, -f 1,4)"
same "--type counts allocations of a type and accesses to it" "2 128 19 2 3 2 2 3" \
	"$(summed $report --type widget)"
same "--type counts accesses to a type without allocations" \
	"0 0 30 1 1 1 1 0 users,gadget_irq [gadget],next,link,20,10 \
users,gadget_irq [gadget],,gadget,20,10" "$(summed $report -M "$tmp/modules" --type link) $("$memorizer" $report --csv \
	-M "$tmp/modules" --type link 2>"$tmp/err" | grep ^users, | xargs)"
same "--field counts accesses alone" "0 0 8 1 1 1 1 1" "$(summed $report --field flag)"
same "--field shows objects, tasks and commands of the accesses" "widget_alloc+0x10/0x100,widget,0,0,0,,1,1,7 101,kworker/0:1,0,0,1,1,7 \
kworker/0:1,1,0,0,1,7" "$(rows sites $report --field flag | cut -d, -f 2-) \
$(rows tasks $report --field flag) $(rows commands $report --field flag)"
same "all types and none add up to everything" "$(summed report -K "$data/kallsyms" "$kmap" | cut -d ' ' -f 1,3)" \
	"$({ rows summary $report --type '*'
	     rows sites $report | awk -F, '$3 == "" { print "objects," $5 }'
	     rows fields $report | awk -F, '$1 $2 == "" { print "accesses," $4 + $5 }'; } | awk -F, '
		{ n[$1] += $2 } END { print n["objects"], n["accesses"] }')"
same "objects in sequence without others in between count once" "2 2" "$(rows functions $report --field 'inner*' |
	cut -d, -f 5 | xargs) $(rows sites $report --field 'inner*' | cut -d, -f 8)"
same "--sort type orders tables by that" "char widget -" "$(rows sites $report --sort type | cut -d, -f 3 |
	sed 's/^$/-/' | xargs)"
same "--sort type sorts ties by name" "flag inner.count name[] -" "$(rows fields $report --sort type |
	cut -d, -f 1 | sed 's/^$/-/' | xargs)"
same "and --sort field" "flag inner.count name[] -" "$(rows users $report --sort field | cut -d, -f 2 |
	sed 's/^$/-/' | uniq | xargs)"
same "JSON has the sort key and filters" '"sort": "type","filters": {"type": "w*", "field": "f*"}' "$("$memorizer" $report --json \
	--sort type --type 'w*' --field 'f*' 2>"$tmp/err" | sed -n 's/^\t\("sort".*\|"filters.*}\),$/\1/p' |
	paste -sd, -)"
same "what sorts by --sort field" "flag inner.count name[] -" \
	"$(rows members what -k "$vmlinux" -K "$data/kallsyms" --sort type '*' "$kmap" | cut -d, -f 1 |
	   sed 's/^$/-/' | xargs)"
same "--field selects rows of what" "widget_write,flag,1,7" "$(rows functions who -k "$vmlinux" \
	-K "$data/kallsyms" --field flag widget "$kmap")"
outcome "an unknown type is refused" 2 /dev/null \
	"memorizer: $kmap: nothing matches --type widget --field nothing" \
	$report --type widget --field nothing
outcome "--type without notes is refused by report" 2 /dev/null \
	"memorizer report: --type widget: types are unknown: want --vmlinux with compiler notes" \
	report -K "$data/kallsyms" --type widget "$kmap"
# A trace's streamed accesses, and its KMAP
streamed="report -k $vmlinux $tmp/life"
same "--type of a trace: allocations and frees" "widget,64,60,1,1,1,0,6.250 bytes_alloc,64 bytes_freed,64 frees,1 live,0" \
	"$(rows sites $streamed --type widget | cut -d, -f 3-) $(rows slab $streamed --type widget |
	grep -E '^(live|bytes_alloc|bytes_freed|frees),' | sort | xargs)"
same "--type of a trace: accesses to it anywhere" "inner.count,widget,8,1,2 flag,widget,28,1,1 2 3" \
	"$(rows accessed_fields $streamed --type widget | cut -d, -f 1-5 | xargs) \
$(rows accesses $streamed --type widget | sed -n 's/^reads,//p; s/^writes,//p' | xargs)"
same "--type of a trace: its KMAP" "1 4 flag,widget,28,1,1 inner.count,widget,8,1,1" "$(rows kmap $streamed --type widget |
	sed -n 's/^objects,//p; s/^accesses,//p' | xargs) $(rows kmap_fields $streamed --type widget |
	cut -d, -f 1-5 | xargs)"
same "no allocation has a member" "0 0 0 2" "$(rows slab $streamed --field flag | sed -n 's/^hit,//p; s/^frees,//p' | xargs) \
$(rows kmap $streamed --field flag | sed -n 's/^objects,//p; s/^accesses,//p' | xargs)"
same "--field selects moves like accesses" "inner.count,widget" "$(rows accessed_fields report \
	-k "$vmlinux" -K "$data/kallsyms" --field 'inner*' "$tmp/traffic" | cut -d, -f 1,2)"
same "sums of moves are shown with --field" 1 "$("$memorizer" $streamed --field flag | grep -c '^SUMMARY (KMAP)')"
same "objects without a known allocation have no type" "1 0" "$(printf '%s\n' \
	'alloc kind=0 call_site=ffffffff9b000020 ptr=ffff888000001000 bytes_req=8 bytes_alloc=8' \
	'free kind=0 call_site=ffffffff9b000210 ptr=ffff888000003000 bytes=8' |
	"$build/tests/make-trace" -q "$tmp/unseen" && for option in "" "--type *"; do
		set -f
		rows slab report -k "$vmlinux" -K "$data/kallsyms" $option "$tmp/unseen" |
			sed -n 's/^frees,//p'
		set +f
	done | xargs)"

# fold and timeline count the same by name as report.
# counted ARGUMENTS: print report's reads, writes, allocations and their bytes
counted()
{
	"$memorizer" report --csv "$@" 2>"$tmp/err" | awk -F, '
		$1 == "accesses" { n[$2] = $3 }
		($1 == "slab" || $1 == "pages") && ($2 == "hit" || $2 == "bytes_alloc") { n[$2] += $3 }
		$1 == "summary" && ($2 == "objects" || $2 == "bytes" || $2 == "reads" || $2 == "writes") { n[$2] = $3 }
		END { print n["reads"] + 0, n["writes"] + 0, n["hit"] + n["objects"], n["bytes_alloc"] + n["bytes"] }'
}

# folded VALUE ARGUMENTS: print the sum of fold's counts
folded()
{
	value=$1
	shift
	"$memorizer" fold --value "$value" "$@" 2>"$tmp/err" | awk '{ n += $NF } END { print n + 0 }'
}

# over_time KEY ARGUMENTS: print the sum of a column of timeline
over_time()
{
	key=$1
	shift
	"$memorizer" timeline --csv "$@" 2>"$tmp/err" | awk -F, -v key="$key" '
		$1 == "table" && $2 == "begin" { for (i = 1; i <= NF; i++) if ($i == key) at = i }
		$1 == "spans" { n += $at } END { print n + 0 }'
}

set -f
for chosen in "--type widget" "--type *" "--type gadget" "--type w?dget --field inner*" "--field flag" "--type widget --site widget_*"; do
	with="-k $vmlinux $chosen"
	case $chosen in
	*field*) allocated="0 0" ;;
	*) allocated= ;;
	esac
	for of in "$tmp/life" "$tmp/lines" "-K $data/kallsyms $kmap"; do
		want=$(counted $with $of)
		same "fold $chosen counts what report counts, of ${of##*/}" "$want" \
			"$(folded reads $with $of) $(folded writes $with $of) ${allocated:-$(folded objects $with $of) $(folded bytes $with $of)}"
		[ -d "$of" ] || continue
		same "timeline counts the same, of ${of##*/}" "$want" "$(over_time reads $with $of) $(over_time writes $with $of) \
$(over_time allocs $with $of) $(over_time bytes_alloc $with $of)"
	done
done
set +f
same "frees count with --type" "3 1 0" "$(over_time frees -k "$vmlinux" "$tmp/life") \
$(over_time frees -k "$vmlinux" --type widget "$tmp/life") $(over_time frees -k "$vmlinux" --field flag "$tmp/life")"
for command in fold timeline; do
	outcome "$command reports an unknown type" 2 /dev/null \
		"memorizer: $tmp/lines: nothing matches --type nothing" \
		$command --type nothing -k "$vmlinux" "$tmp/lines"
	outcome "$command reports missing notes" 2 /dev/null \
		"memorizer $command: --type widget: types are unknown: want --vmlinux with compiler notes" \
		$command --type widget "$tmp/lines"
done
outcome "--field with allocations is refused" 2 /dev/null "memorizer fold: --field flag: no allocation is of a member: \
want --value accesses, reads or writes
Try 'memorizer help fold'." fold --field flag --value objects -k "$vmlinux" "$tmp/life"
printf '%s\n' 'alloc kind=0 call_site=ffffffff9b000020 ptr=ffff888000001000 bytes_req=8 bytes_alloc=8' |
	"$build/tests/make-trace" "$tmp/idle" || exit 1
outcome "timeline --field without accesses is refused" 2 /dev/null "memorizer: $tmp/idle: no accesses: \
use record --accesses with memorizer_log_access on" timeline --field flag -k "$vmlinux" -K "$data/kallsyms" "$tmp/idle"
for option in type field; do
	outcome "a KMAP without notes is refused: --$option" 2 /dev/null "memorizer kmap: --$option: a KMAP has addresses, \
no names: want report or fold with it, or --site
Try 'memorizer help kmap'." kmap --$option flag "$tmp/life"
done

# diff
cp "$data/session.kmap" "$tmp/before.kmap"
cp "$data/after.kmap" "$tmp/after.kmap"
python3 -B "$here/make-notes.py" "$tmp/after" <"$data/after.notes" || exit 1
cd "$tmp" || exit 1
compare="diff -k $vmlinux -k $tmp/after -K kallsyms -K after.kallsyms before.kmap after.kmap"
cp "$data/after.kallsyms" "$data/kallsyms" "$tmp"
outcome "diff compares KMAPs of two builds by type and member" 0 "$data/noted.diff" "" $compare --all
outcome "diff by type and member as JSON" 0 "$data/noted.diff.json" "" $compare --json
outcome "diff by type and member as CSV" 0 "$data/noted.diff.csv" "" $compare --csv
same "--sort type orders tables by that" "char gadget widget -" "$(rows sites $compare --all --sort type |
	cut -d, -f 3 | uniq | sed 's/^$/-/' | xargs)"
same "diff --sort field sorts tables with members" "extra flag inner.count name[]" \
	"$(rows users $compare --all --sort field | cut -d, -f 4 | xargs)"
same "diff --sort name sorts members by name" "extra flag inner.count name[]" \
	"$(rows fields $compare --all --sort field | cut -d, -f 1 | grep -v unknown | xargs)"
"$memorizer" diff --csv -K kallsyms -K after.kallsyms -k "$tmp/bare" -k "$tmp/after" \
	before.kmap after.kmap >"$tmp/got" 2>"$tmp/err"
grep -v read_mark kallsyms >marks
"$memorizer" diff --csv -K marks -K after.kallsyms before.kmap after.kmap >"$tmp/want" 2>"$tmp/err"
equal "diff with notes of one side does not change" "$tmp/want" "$tmp/got"
sed 's/^access ip=ffffffff9b000110/access ip=ffffffff9b000120/; s/^\(counts.*writes=\)1/\15/' "$data/life.trace" |
	"$build/tests/make-trace" "$tmp/later" || exit 1
cp -r "$tmp/life/kernel" "$tmp/later"
same "diff of traces: streamed accesses and KMAPs" "accessed_fields,inner.count,less,widget,1,0 \
accessed_fields,name[],new,widget,0,1 field_users,widget_read,less,widget,inner.count,1 \
field_users,widget_read,new,widget,name[],0 kmap_fields,flag,more,widget,1,1 \
kmap_fields,inner.count,more,widget,1,1 kmap_users,widget_read,more,widget,inner.count,1 \
kmap_users,widget_write,more,widget,flag,1" "$("$memorizer" diff --csv -k "$vmlinux" life later |
	grep -E '^[a-z_]*(fields|users),' | cut -d, -f 1-6 | sort | xargs)"
same "diff --type compares one type" "flag name[] inner.count extra" \
	"$(rows fields $compare --all --type widget | cut -d, -f 1 | xargs)"
same "diff --field compares accesses to a member" "0,0 flag" "$(rows sums $compare --field flag |
	sed -n 's/^objects,\(.*\),.*/\1/p') $(rows fields $compare --field flag | cut -d, -f 1)"
same "diff --type accepts a type that is only in one side" "name[],gone" "$(rows fields $compare --field 'name*' | cut -d, -f 1,2)"
outcome "diff --type of an unknown type is refused" 2 /dev/null \
	"memorizer: before.kmap and after.kmap: nothing matches --type nothing" $compare --type nothing
outcome "diff --type without notes is refused" 2 /dev/null \
	"memorizer diff: --field flag: types are unknown: want --vmlinux with compiler notes" \
	diff --field flag life later
same "--modules finds the notes of modules" "all[],same,gadget" \
	"$(rows accessed_fields diff --all -k "$vmlinux" -M modules life life | grep -o '^all.*gadget')"
cd "$OLDPWD" || exit 1

# Filtering and sorting
named="sharing -k $vmlinux $tmp/lines"
same "--field leaves out other accesses, which still affect the sharing of lines" \
	"$(rows pairs $named | awk -F, '$7 == "flag"')" "$(rows pairs $named --field flag)"
same "--field matches globs" "$(rows pairs $named | awk -F, '$7 ~ /^[fi]/')" \
	"$(rows pairs $named --field '[fi]*')"
same "--type matches globs" "$(rows pairs $named | cut -d, -f 6 | grep -c widget)" \
	"$(rows pairs $named --type 'w?dget' | wc -l)"
accesses="per-entry --accesses -k $vmlinux $tmp/lines"
same "accesses of all types and of none add up to all accesses" "8 14 2 1 10 15" \
	"$(rows sum $accesses --type '*' | cut -d, -f 2 | xargs) \
$(rows accesses $accesses | grep ',,,' | sed 's/.*,,,//; s/,/ /') \
$(rows sum per-entry --accesses "$tmp/lines" | cut -d, -f 2 | xargs)"
same "accesses without a note have the object's type but no member" "0,2" \
	"$(rows accesses $accesses --type widget | sed -n 's/.*read+0x40.*,widget,,//p')"
same "--sort type orders tables by that, what has none last" "$(rows accesses $accesses | cut -d, -f 3 |
	grep . | sort) 1" "$(rows accesses $accesses --sort type | cut -d, -f 3 | grep .) \
$(rows accesses $accesses --sort type | tail -n 1 | grep -c ',,,')"
same "and --sort field" "flag inner.count inner.count name[] next" \
	"$(rows accesses $accesses --sort field | cut -d, -f 4 | xargs)"
same "ties of --sort field are sorted as usual" "2,5 2,4" \
	"$(rows accesses $accesses --sort field | sed -n 's/.*inner.count,//p' | xargs)"
same "JSON has the sort key and filters" '"sort": "field" "filters": {"type": "w*", "field": "f*"}' "$("$memorizer" $accesses \
	--sort field --type 'w*' --field 'f*' --json | sed -n 's/^\t\("sort.*\|"filters.*\),$/\1/p' | tr -d '\n' |
	sed 's/""filters/" "filters/')"
outcome "an unknown type or member is reported" 2 /dev/null \
	"memorizer: $tmp/lines: nothing matches --type gadget --field flag" \
	$named --type gadget --field flag
outcome "--field without notes is refused" 2 /dev/null \
	"memorizer sharing: --type widget: types are unknown: want --vmlinux with compiler notes" \
	sharing --type widget "$tmp/lines"
outcome "fold by type without notes is refused" 2 /dev/null \
	"memorizer stacks: --fields: types are unknown: want --vmlinux with compiler notes" \
	stacks --fields -k "$tmp/bare" "$tmp/lines"
outcome "--sort by another key is refused" 2 /dev/null \
	"memorizer rcu: --sort sizes: want a column, by its key in JSON, or name, type or field
Try 'memorizer help rcu'." rcu --sort sizes "$tmp/rcu"
outcome "--field of a command without accesses is refused" 2 /dev/null \
	"memorizer serial: --field: the analysis has no accesses
Try 'memorizer help serial'." serial --field flag -k "$vmlinux" "$tmp/lines"
tap_end
