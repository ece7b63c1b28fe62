#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Tests that what shows accesses and allocations says of which type and member they are, where the
# compiler's notes tell, and orders and chooses by that; and that all is as ever where they do not.
# Usage: test-fields.sh DIR, with memorizer in it, and in its tests/ what the tests need

here=$(cd "$(dirname "$0")" && pwd)
data=$here/data
build=$(cd "$1" && pwd) || exit 1
memorizer=$build/memorizer
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. "$here/tap.sh"

vmlinux=$tmp/vmlinux
python3 -B "$here/make-notes.py" "$vmlinux" <"$data/session.notes" || exit 1

# make_trace NAME [OPTIONS]: the trace of a script
make_trace()
{
	script=$1
	shift
	"$build/tests/make-trace" "$@" "$tmp/$script" <"$data/$script.trace" || exit 1
	mkdir "$tmp/$script/kernel"
	grep -v read_mark "$data/kallsyms" >"$tmp/$script/kernel/kallsyms"
}

# golden COMMAND TRACE [OPTIONS]: what a command prints is as it was reviewed, in all formats
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

# rows TABLE COMMAND ARGUMENTS...: the rows of a table, as CSV
rows()
{
	table=$1
	shift
	"$memorizer" "$@" --csv 2>"$tmp/err" | sed -n "s/^$table,//p"
}

# as_ever COMMAND ARGUMENTS...: a command prints the same without the notes as with a vmlinux that has none
as_ever()
{
	"$memorizer" "$@" >"$tmp/want" 2>&1
	"$memorizer" "$@" -k "$tmp/bare" >"$tmp/got" 2>&1
	equal "$1 is as ever with a vmlinux that has no notes" "$tmp/want" "$tmp/got"
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

# Where the code has but bytes before it, the place in what was allocated tells the member: of one of
# several, behind the end of one that has a flexible array, and nothing else
cat "$data/session.notes" "$data/places.notes" | python3 -B "$here/make-notes.py" "$tmp/placed" || exit 1
make_trace places
sed '/^traffic/d' "$data/places.trace" | "$build/tests/make-trace" "$tmp/untold" || exit 1
cp -r "$tmp/places/kernel" "$tmp/untold"
# by_place COMMAND...: what it prints of the traces, but for its head
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
	by_place script --event access,traffic | cut -d, -f 1,2,7,8,11,20,55-
	where=untold
	by_place sharing --all --addresses
	by_place false-sharing
	by_place sharing --all --field unused
} >"$tmp/out"
equal "a place tells what is there" "$data/noted.places" "$tmp/out"

# Events, and what was live
golden script life
golden timeline life --spans 4
mkdir -p "$tmp/modules"
python3 -B "$here/make-notes.py" "$tmp/modules/gadget.ko" <"$data/gadget.notes" || exit 1
printf '%s\n' 'alloc kind=0 call_site=ffffffffc0400010 ptr=ffff888000001000 bytes_req=8 bytes_alloc=8' |
	"$build/tests/make-trace" -q "$tmp/module" || exit 1
same "what a module allocates has a type, with its notes" gadget "$(rows slab_peak timeline \
	-K "$data/kallsyms" -M "$tmp/modules" "$tmp/module" | cut -d, -f 3)"
"$memorizer" html -o "$tmp/page" -K "$data/kallsyms" -M "$tmp/modules" "$tmp/module" 2>"$tmp/err"
same "a page has it, too" 1 "$(sed -n '/"types": \[/,/\]/p' "$tmp/page" | grep -c '"type": "gadget"')"
as_ever script --csv "$tmp/life"
as_ever timeline --spans 4 "$tmp/life"
chosen="script -k $vmlinux --csv $tmp/life"
same "--type chooses all that happens to a type" \
	"alloc access access access free object counts counts access" \
	"$("$memorizer" $chosen --type widget | cut -d, -f 1 | sed 1d | xargs)"
same "--field accesses to a member" "access:widget,flag counts:widget,flag" \
	"$("$memorizer" $chosen --field 'fl?g' | sed 1d | sed 's/,.*widget,/:widget,/' | xargs)"
same "where the code has but bytes before it, of what was allocated there" "alloc,1 access,1 free,1" \
	"$("$memorizer" $chosen --type gadget | sed 1d | sed 's/,.*gadget,$/,1/' | xargs)"
same "none is not chosen" 0 "$("$memorizer" $chosen --type '' --field '' | sed 1d | wc -l)"
same "what RCU is to free has a type" "ffff888000001000,widget ffff888000001040,gadget" \
	"$("$memorizer" script -k "$vmlinux" --json --event rcu_free --type '*' "$tmp/rcu" | sed 's/.*"ptr": "\([0-9a-f]*\)".*"type": "\([a-z]*\)"}/\1,\2/' | xargs)"
same "traffic has both" "read,inner.count write,name[]" "$(printf '%s\n' \
	'traffic ip=ffffffff9b000110 ptr=ffff888000001000 size=8 kind=1 pid=1 line=ffff888000001000 from=0' \
	'traffic ip=ffffffff9b000120 ptr=ffff888000001000 size=8 kind=2 pid=1 line=ffff888000001000 from=0' |
	"$build/tests/make-trace" -q "$tmp/traffic" && "$memorizer" script -k "$vmlinux" -K "$data/kallsyms" \
	--json "$tmp/traffic" | sed 's/.*"kind": "\([a-z]*\)".*"field": "\([^"]*\)".*/\1,\2/' | xargs)"
same "counts are of their object, and nothing is of what was freed" "counts,widget access, counts,gadget" \
	"$(printf '%s\n' 'object object=5 alloc_site=ffffffff9b000010 ptr=ffff888000001000' \
	'counts object=5 ip=ffffffff9b000140 pid=1 writes=1 reads=1' \
	'alloc kind=1 call_site=ffffffff9b000010 ptr=ffff888000001000 bytes_req=8 bytes_alloc=8' \
	'free kind=1 call_site=ffffffff9b000210 ptr=ffff888000001000 bytes=8' \
	'access ip=ffffffff9b000140 ptr=ffff888000001000 size=8 kind=1' \
	'object object=5 alloc_site=ffffffff9b000020 ptr=ffff888000001000' \
	'counts object=5 ip=ffffffff9b000140 pid=1 writes=1 reads=1' |
	"$build/tests/make-trace" -q "$tmp/objects" && "$memorizer" script -k "$vmlinux" -K "$data/kallsyms" --csv \
	--event access,counts "$tmp/objects" | sed '1d; s/,.*,\([a-z]*\),$/,\1/' | xargs)"
same "pages are not of the type that describes them" "alloc,page access," \
	"$(sed 's/^note alloc ffffffff81000020 gadget/note alloc ffffffff81000020 page/' "$data/session.notes" |
	python3 -B "$here/make-notes.py" "$tmp/pages" && printf '%s\n' \
	'alloc kind=2 call_site=ffffffff9b000020 ptr=ffff888000200000 bytes_req=4096 bytes_alloc=4096' \
	'access ip=ffffffff9b000140 ptr=ffff888000200000 size=8 kind=1' |
	"$build/tests/make-trace" -q "$tmp/paged" && "$memorizer" script -k "$tmp/pages" -K "$data/kallsyms" --csv \
	"$tmp/paged" | sed '1d; s/,.*,\([a-z]*\),$/,\1/' | xargs)"
same "in analyses, too" "[pages],widget_alloc+0x20/0x100,,1" "$(rows objects cache-assoc -k "$tmp/pages" \
	-K "$data/kallsyms" "$tmp/paged" | cut -d, -f 1-4)"
outcome "names are wanted to choose events by" 2 /dev/null \
	"memorizer script: --field flag: no types are known: want --vmlinux with the compiler's notes" \
	script --field flag "$tmp/life"

# Sums
kmap=$data/session.kmap
report="report -k $vmlinux -K $data/kallsyms $kmap"
# summed ARGUMENTS: some sums of a report of a KMAP
summed()
{
	rows summary "$@" >"$tmp/rows"
	for sum in objects bytes accesses touched access_sites functions pids comms; do
		sed -n "s/^$sum,//p" "$tmp/rows"
	done | xargs
}

same "what was accessed most has the type of its call site" \
	"ffff888000004000,,32,1021,11 ffff888000001000,widget,64,6,7 ffff888000002000,widget,64,4,2" \
	"$(rows accessed_objects $report | cut -d, -f 1,3- | xargs)"
same "what is suspicious, too" "freed from inside an object,gadget" "$(printf '%s\n' \
	'alloc kind=0 call_site=ffffffff9b000020 ptr=ffff888000001000 bytes_req=8 bytes_alloc=8' \
	'free kind=0 call_site=ffffffff9b000210 ptr=ffff888000001004 bytes=4' |
	"$build/tests/make-trace" -q "$tmp/inside" && rows suspicious report -k "$vmlinux" -K "$data/kallsyms" \
	"$tmp/inside" | cut -d, -f 1,4)"
same "--type counts what is allocated of a type, and accesses to it" "2 128 19 2 3 2 2 3" \
	"$(summed $report --type widget)"
same "of a type that accesses are to, but that is not allocated, these alone" \
	"0 0 30 1 1 1 1 0 users,gadget_irq [gadget],next,link,20,10 \
users,gadget_irq [gadget],,gadget,20,10" "$(summed $report -M "$tmp/modules" --type link) $("$memorizer" $report --csv \
	-M "$tmp/modules" --type link 2>"$tmp/err" | grep ^users, | xargs)"
same "--field counts accesses alone" "0 0 8 1 1 1 1 1" "$(summed $report --field flag)"
same "whose objects, tasks and commands are told" "widget_alloc+0x10/0x100,widget,0,0,0,,1,1,7 101,kworker/0:1,0,0,1,1,7 \
kworker/0:1,1,0,0,1,7" "$(rows sites $report --field flag | cut -d, -f 2-) \
$(rows tasks $report --field flag) $(rows commands $report --field flag)"
same "all types and none are all" "$(summed report -K "$data/kallsyms" "$kmap" | cut -d ' ' -f 1,3)" \
	"$({ rows summary $report --type '*'
	     rows sites $report | awk -F, '$3 == "" { print "objects," $5 }'
	     rows fields $report | awk -F, '$1 $2 == "" { print "accesses," $4 + $5 }'; } | awk -F, '
		{ n[$1] += $2 } END { print n["objects"], n["accesses"] }')"
same "objects that none chosen was between are counted once each" "2 2" "$(rows functions $report --field 'inner*' |
	cut -d, -f 5 | xargs) $(rows sites $report --field 'inner*' | cut -d, -f 8)"
same "--sort type orders tables by that" "char widget -" "$(rows sites $report --sort type | cut -d, -f 3 |
	sed 's/^$/-/' | xargs)"
same "then by what they are about" "flag inner.count name[] -" "$(rows fields $report --sort type |
	cut -d, -f 1 | sed 's/^$/-/' | xargs)"
same "and --sort field" "flag inner.count name[] -" "$(rows users $report --sort field | cut -d, -f 2 |
	sed 's/^$/-/' | uniq | xargs)"
same "which is told" '"sort": "type","filters": {"type": "w*", "field": "f*"}' "$("$memorizer" $report --json \
	--sort type --type 'w*' --field 'f*' 2>"$tmp/err" | sed -n 's/^\t\("sort".*\|"filters.*}\),$/\1/p' |
	paste -sd, -)"
same "what orders what a function accesses by it, too" "flag inner.count name[] -" \
	"$(rows members what -k "$vmlinux" -K "$data/kallsyms" --sort type '*' "$kmap" | cut -d, -f 1 |
	   sed 's/^$/-/' | xargs)"
same "which --field chooses, too" "widget_write,flag,1,7" "$(rows functions who -k "$vmlinux" \
	-K "$data/kallsyms" --field flag widget "$kmap")"
outcome "a type that is there" 2 /dev/null \
	"memorizer: $kmap: nothing in it matches --type widget --field nothing" \
	$report --type widget --field nothing
outcome "names are wanted to count by" 2 /dev/null \
	"memorizer report: --type widget: no types are known: want --vmlinux with the compiler's notes" \
	report -K "$data/kallsyms" --type widget "$kmap"
# Of a trace, what was streamed and its KMAP
streamed="report -k $vmlinux $tmp/life"
same "of a trace: allocations and frees of a type" "widget,64,60,1,1,1,0,6.250 bytes_alloc,64 bytes_freed,64 frees,1 live,0" \
	"$(rows sites $streamed --type widget | cut -d, -f 3-) $(rows slab $streamed --type widget |
	grep -E '^(live|bytes_alloc|bytes_freed|frees),' | sort | xargs)"
same "accesses to it, wherever" "inner.count,widget,8,1,2 flag,widget,28,1,1 2 3" \
	"$(rows accessed_fields $streamed --type widget | cut -d, -f 1-5 | xargs) \
$(rows accesses $streamed --type widget | sed -n 's/^reads,//p; s/^writes,//p' | xargs)"
same "and its KMAP" "1 4 flag,widget,28,1,1 inner.count,widget,8,1,1" "$(rows kmap $streamed --type widget |
	sed -n 's/^objects,//p; s/^accesses,//p' | xargs) $(rows kmap_fields $streamed --type widget |
	cut -d, -f 1-5 | xargs)"
same "no allocation has a member" "0 0 0 2" "$(rows slab $streamed --field flag | sed -n 's/^hit,//p; s/^frees,//p' | xargs) \
$(rows kmap $streamed --field flag | sed -n 's/^objects,//p; s/^accesses,//p' | xargs)"
same "moves of cache lines are chosen as accesses are" "inner.count,widget" "$(rows accessed_fields report \
	-k "$vmlinux" -K "$data/kallsyms" --field 'inner*' "$tmp/traffic" | cut -d, -f 1,2)"
same "its sums are told all the same" 1 "$("$memorizer" $streamed --field flag | grep -c '^SUMMARY (KMAP)')"
same "what was not seen to be allocated is of no type" "1 0" "$(printf '%s\n' \
	'alloc kind=0 call_site=ffffffff9b000020 ptr=ffff888000001000 bytes_req=8 bytes_alloc=8' \
	'free kind=0 call_site=ffffffff9b000210 ptr=ffff888000003000 bytes=8' |
	"$build/tests/make-trace" -q "$tmp/unseen" && for option in "" "--type *"; do
		set -f
		rows slab report -k "$vmlinux" -K "$data/kallsyms" $option "$tmp/unseen" |
			sed -n 's/^frees,//p'
		set +f
	done | xargs)"

# Fold and timeline count by name what report counts.
# counted ARGUMENTS: reads, writes, allocations and their bytes, by report
counted()
{
	"$memorizer" report --csv "$@" 2>"$tmp/err" | awk -F, '
		$1 == "accesses" { n[$2] = $3 }
		($1 == "slab" || $1 == "pages") && ($2 == "hit" || $2 == "bytes_alloc") { n[$2] += $3 }
		$1 == "summary" && ($2 == "objects" || $2 == "bytes" || $2 == "reads" || $2 == "writes") { n[$2] = $3 }
		END { print n["reads"] + 0, n["writes"] + 0, n["hit"] + n["objects"], n["bytes_alloc"] + n["bytes"] }'
}

# folded VALUE ARGUMENTS: the sum of what fold counts
folded()
{
	value=$1
	shift
	"$memorizer" fold --value "$value" "$@" 2>"$tmp/err" | awk '{ n += $NF } END { print n + 0 }'
}

# over_time KEY ARGUMENTS: the sum of a column of timeline
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
		same "so does timeline" "$want" "$(over_time reads $with $of) $(over_time writes $with $of) \
$(over_time allocs $with $of) $(over_time bytes_alloc $with $of)"
	done
done
set +f
same "what is freed counts with that" "3 1 0" "$(over_time frees -k "$vmlinux" "$tmp/life") \
$(over_time frees -k "$vmlinux" --type widget "$tmp/life") $(over_time frees -k "$vmlinux" --field flag "$tmp/life")"
for command in fold timeline; do
	outcome "$command tells what is asked for and not there" 2 /dev/null \
		"memorizer: $tmp/lines: nothing in it matches --type nothing" \
		$command --type nothing -k "$vmlinux" "$tmp/lines"
	outcome "and that it wants names" 2 /dev/null \
		"memorizer $command: --type widget: no types are known: want --vmlinux with the compiler's notes" \
		$command --type widget "$tmp/lines"
done
outcome "no allocation is of a member" 2 /dev/null "memorizer fold: --field flag: no allocation is of a member: \
want --value accesses, reads or writes
Try 'memorizer help fold'." fold --field flag --value objects -k "$vmlinux" "$tmp/life"
printf '%s\n' 'alloc kind=0 call_site=ffffffff9b000020 ptr=ffff888000001000 bytes_req=8 bytes_alloc=8' |
	"$build/tests/make-trace" "$tmp/idle" || exit 1
outcome "a timeline of accesses to one wants accesses" 2 /dev/null "memorizer: $tmp/idle: it has no accesses: \
want record --accesses with memorizer_log_access on" timeline --field flag -k "$vmlinux" -K "$data/kallsyms" "$tmp/idle"
for option in type field; do
	outcome "a KMAP has no names: --$option" 2 /dev/null "memorizer kmap: --$option: a KMAP has addresses, \
no names: want report or fold with it, or --site
Try 'memorizer help kmap'." kmap --$option flag "$tmp/life"
done

# What has changed
cp "$data/session.kmap" "$tmp/before.kmap"
cp "$data/after.kmap" "$tmp/after.kmap"
python3 -B "$here/make-notes.py" "$tmp/after" <"$data/after.notes" || exit 1
cd "$tmp" || exit 1
compare="diff -k $vmlinux -k $tmp/after -K kallsyms -K after.kallsyms before.kmap after.kmap"
cp "$data/after.kallsyms" "$data/kallsyms" "$tmp"
outcome "a KMAP of another build is compared by type and member" 0 "$data/noted.diff" "" $compare --all
outcome "as JSON" 0 "$data/noted.diff.json" "" $compare --json
outcome "as CSV" 0 "$data/noted.diff.csv" "" $compare --csv
same "--sort type orders tables by that" "char gadget widget -" "$(rows sites $compare --all --sort type |
	cut -d, -f 3 | uniq | sed 's/^$/-/' | xargs)"
same "and --sort field those that have it" "extra flag inner.count name[]" \
	"$(rows users $compare --all --sort field | cut -d, -f 4 | xargs)"
same "tables of members by their names" "extra flag inner.count name[]" \
	"$(rows fields $compare --all --sort field | cut -d, -f 1 | grep -v unknown | xargs)"
"$memorizer" diff --csv -K kallsyms -K after.kallsyms -k "$tmp/bare" -k "$tmp/after" \
	before.kmap after.kmap >"$tmp/got" 2>"$tmp/err"
grep -v read_mark kallsyms >marks
"$memorizer" diff --csv -K marks -K after.kallsyms before.kmap after.kmap >"$tmp/want" 2>"$tmp/err"
equal "with notes of one side alone it is as ever" "$tmp/want" "$tmp/got"
sed 's/^access ip=ffffffff9b000110/access ip=ffffffff9b000120/; s/^\(counts.*writes=\)1/\15/' "$data/life.trace" |
	"$build/tests/make-trace" "$tmp/later" || exit 1
cp -r "$tmp/life/kernel" "$tmp/later"
same "of traces, what was streamed and their KMAPs" "accessed_fields,inner.count,less,widget,1,0 \
accessed_fields,name[],new,widget,0,1 field_users,widget_read,less,widget,inner.count,1 \
field_users,widget_read,new,widget,name[],0 kmap_fields,flag,more,widget,1,1 \
kmap_fields,inner.count,more,widget,1,1 kmap_users,widget_read,more,widget,inner.count,1 \
kmap_users,widget_write,more,widget,flag,1" "$("$memorizer" diff --csv -k "$vmlinux" life later |
	grep -E '^[a-z_]*(fields|users),' | cut -d, -f 1-6 | sort | xargs)"
same "--type compares what is of a type" "flag name[] inner.count extra" \
	"$(rows fields $compare --all --type widget | cut -d, -f 1 | xargs)"
same "and --field accesses to a member" "0,0 flag" "$(rows sums $compare --field flag |
	sed -n 's/^objects,\(.*\),.*/\1/p') $(rows fields $compare --field flag | cut -d, -f 1)"
same "one that is gone is no error" "name[],gone" "$(rows fields $compare --field 'name*' | cut -d, -f 1,2)"
outcome "but one that neither has" 2 /dev/null \
	"memorizer: before.kmap and after.kmap: nothing in them matches --type nothing" $compare --type nothing
outcome "and names that are not known" 2 /dev/null \
	"memorizer diff: --field flag: no types are known: want --vmlinux with the compiler's notes" \
	diff --field flag life later
same "--modules has notes of modules" "all[],same,gadget" \
	"$(rows accessed_fields diff --all -k "$vmlinux" -M modules life life | grep -o '^all.*gadget')"
cd "$OLDPWD" || exit 1

# Choosing and ordering
named="sharing -k $vmlinux $tmp/lines"
same "--field leaves accesses to all else out, and what others did still has its effect" \
	"$(rows pairs $named | awk -F, '$7 == "flag"')" "$(rows pairs $named --field flag)"
same "* and ? match others" "$(rows pairs $named | awk -F, '$7 ~ /^[fi]/')" \
	"$(rows pairs $named --field '[fi]*')"
same "so does --type" "$(rows pairs $named | cut -d, -f 6 | grep -c widget)" \
	"$(rows pairs $named --type 'w?dget' | wc -l)"
accesses="per-entry --accesses -k $vmlinux $tmp/lines"
same "accesses of all types and those of none are all there are" "8 14 2 1 10 15" \
	"$(rows sum $accesses --type '*' | cut -d, -f 2 | xargs) \
$(rows accesses $accesses | grep ',,,' | sed 's/.*,,,//; s/,/ /') \
$(rows sum per-entry --accesses "$tmp/lines" | cut -d, -f 2 | xargs)"
same "what is known of the allocation alone has a type, but no member" "0,2" \
	"$(rows accesses $accesses --type widget | sed -n 's/.*read+0x40.*,widget,,//p')"
same "--sort type orders tables by that, what has none last" "$(rows accesses $accesses | cut -d, -f 3 |
	grep . | sort) 1" "$(rows accesses $accesses --sort type | cut -d, -f 3 | grep .) \
$(rows accesses $accesses --sort type | tail -n 1 | grep -c ',,,')"
same "and --sort field" "flag inner.count inner.count name[] next" \
	"$(rows accesses $accesses --sort field | cut -d, -f 4 | xargs)"
same "then as ever" "2,5 2,4" \
	"$(rows accesses $accesses --sort field | sed -n 's/.*inner.count,//p' | xargs)"
same "which is told" '"sort": "field" "filters": {"type": "w*", "field": "f*"}' "$("$memorizer" $accesses \
	--sort field --type 'w*' --field 'f*' --json | sed -n 's/^\t\("sort.*\|"filters.*\),$/\1/p' | tr -d '\n' |
	sed 's/""filters/" "filters/')"
outcome "what is asked for and not there is told" 2 /dev/null \
	"memorizer: $tmp/lines: nothing in it matches --type gadget --field flag" \
	$named --type gadget --field flag
outcome "names are wanted to choose by" 2 /dev/null \
	"memorizer sharing: --type widget: no types are known: want --vmlinux with the compiler's notes" \
	sharing --type widget "$tmp/lines"
outcome "or to fold by" 2 /dev/null \
	"memorizer stacks: --fields: no types are known: want --vmlinux with the compiler's notes" \
	stacks --fields -k "$tmp/bare" "$tmp/lines"
outcome "tables are ordered by type or field" 2 /dev/null \
	"memorizer rcu: --sort sizes: want a column, by its key in JSON, or name, type or field
Try 'memorizer help rcu'." rcu --sort sizes "$tmp/rcu"
outcome "what tells of no accesses cannot choose some" 2 /dev/null \
	"memorizer serial: --field: it tells of no accesses
Try 'memorizer help serial'." serial --field flag -k "$vmlinux" "$tmp/lines"
tap_end
