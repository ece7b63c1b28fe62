#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Test types and members in report, types, layout, who and what, with notes made by
# tests/make-notes.py in both byte orders.
# Usage: test-types.sh DIR, the directory of a build

. "$(dirname "$0")/common.sh"

make_notes()
{
	python3 -B "$here/make-notes.py" "$@" || exit 1
}

make_notes -e le "$tmp/le" <"$data/session.notes"
make_notes -e be "$tmp/be" <"$data/session.notes"
make_notes -z "$tmp/compressed" <"$data/session.notes"
sed '/^note /d' "$data/session.notes" | make_notes "$tmp/none"
lost="memorizer: 1 of 9 addresses have no symbol: use --kallsyms of the traced boot"
kmap=$data/session.kmap
symbols="--kallsyms $data/kallsyms --vmlinux"

for format in txt json csv; do
	option=$([ $format = txt ] || echo --$format)
	outcome "types of a KMAP, as $format" 0 "$data/types.$format" "$lost" \
		types $option $symbols "$tmp/le" "$kmap"
	outcome "layout of a struct, as $format" 0 "$data/layout.$format" "$lost" \
		layout $option $symbols "$tmp/le" widget "$kmap"
	outcome "who accesses a type, as $format" 0 "$data/who.$format" "$lost" \
		who $option $symbols "$tmp/le" widget "$kmap"
	outcome "what a function accesses, as $format" 0 "$data/what.$format" "$lost" \
		what $option $symbols "$tmp/le" 'widget_*' "$kmap"
done
for vmlinux in be compressed; do
	outcome "types with notes that are $vmlinux" 0 "$data/types.txt" "$lost" \
		types $symbols "$tmp/$vmlinux" "$kmap"
	outcome "layout with notes that are $vmlinux" 0 "$data/layout.txt" "$lost" \
		layout $symbols "$tmp/$vmlinux" widget "$kmap"
done
"$memorizer" report --csv $symbols "$tmp/le" "$kmap" 2>"$tmp/err" >"$tmp/whole"
"$memorizer" types --csv $symbols "$tmp/le" "$kmap" 2>"$tmp/err" | grep -E '^(types|fields),' >"$tmp/types"
grep -E '^(types|fields),' "$tmp/whole" >"$tmp/same"
equal "report has the same types" "$tmp/types" "$tmp/same"
same "report leaves out members without accesses" 0 "$(grep -c untouched_fields "$tmp/whole")"
same "report has the types of call sites" \
	"ffffffffc0400010 ffffffff9b000010 widget ffffffff9b000100 char" \
	"$(sed -n 's/^sites,\([^,]*\),[^,]*,\([^,]*\),.*/\1 \2/p' "$tmp/whole" | xargs)"
"$memorizer" report $symbols "$tmp/none" "$kmap" >"$tmp/none.txt" 2>"$tmp/err"
equal "report without notes does not change" "$data/report.txt" "$tmp/none.txt"

# counted WANT...: check reads and writes of a member, and of members in it
counted()
{
	same "who $1 includes its members only" "$2" "$("$memorizer" who --csv $symbols \
		"$tmp/le" "$1" "$kmap" 2>"$tmp/err" |
		awk -F, '$1 == "functions" { r += $4; w += $5 } END { print r + 0, w + 0 }')"
}

counted widget "10 9"
counted widget.inner "6 0"
counted widget.inner.count "6 0"
# agree NAME [INPUT]: report, types, layout and who have the same sums for each type
agree()
{
	python3 -B "$here/agree.py" "$memorizer" $symbols "$tmp/le" "${2:-$kmap}" >"$tmp/out"
	ok $? "all commands agree on $1"
	sed 's/^/# /' "$tmp/out"
}

agree "a KMAP"
counted widget.inn "0 0"
counted widget.name "3 2"
counted inner "0 0"
sed 's/ inner\.count / first|inner.count /' "$data/session.notes" | make_notes "$tmp/le"
counted widget.inner "6 0"
counted widget.first "6 0"
# Code that accesses plain bytes
sed 's/widget name\[\] \(.*\) 2$/char - \1 4/' "$data/session.notes" | make_notes "$tmp/le"
counted widget "10 9"
counted widget.name "0 0"
counted char "0 0"
make_notes "$tmp/le" <"$data/session.notes"

# Modules have their own notes
mkdir -p "$tmp/modules/drivers"
make_notes "$tmp/modules/drivers/gadget.ko" <"$data/gadget.notes"
readelf -rW "$tmp/modules/drivers/gadget.ko" >"$tmp/out"
same "binutils can read the module" "4 12 2 0" "$(grep -c 'R_X86_64_64 .*text + ' "$tmp/out") \
$(grep -c 'R_X86_64_32 .*_str + ' "$tmp/out") $(readelf -sW "$tmp/modules/drivers/gadget.ko" |
	grep -c 'FUNC .* gadget_[pi]') $(readelf -a "$tmp/modules/drivers/gadget.ko" 2>&1 | grep -c -i warning)"
# module_notes [OPTIONS]: print types and members that the module accesses or allocates
module_notes()
{
	"$memorizer" types --csv $symbols "$tmp/le" -M "$tmp/modules" "$@" "$kmap" 2>"$tmp/err" |
		grep -E '^(types,gadget|users,gadget)' | xargs
}
noted="types,gadget,all[] 2,64,2,32,1,1,1021,11,1,0,1030 users,gadget_irq [gadget],next,link,20,10 \
users,gadget_irq [gadget],,gadget,20,10 users,gadget_irq [gadget],all[],gadget,1,1"
same "a module's notes apply at its load addresses" "$noted" "$(module_notes)"
same "a module's notes give no message" "$lost" "$(cat "$tmp/err")"
same "without notes, a module's types are unknown" "users,gadget_irq [gadget],,,21,11" \
	"$("$memorizer" types --csv $symbols "$tmp/le" "$kmap" 2>"$tmp/err" | grep gadget)"
printf '1,1,1000,8,1,0,0,a\n  10,1,1,1\n' >"$tmp/nowhere.kmap"
same "a section without an address has no types" "users,10,,,1,1" "$("$memorizer" types --csv $symbols \
	"$tmp/le" -M "$tmp/modules" "$tmp/nowhere.kmap" 2>"$tmp/err" | grep ^users)"
same "layout of a module's struct" "next prev" "$("$memorizer" layout --csv $symbols "$tmp/le" \
	-M "$tmp/modules" link "$kmap" 2>"$tmp/err" | sed -n 's/^layout,\([a-z]*\),.*/\1/p' | xargs)"
same "a module's notes work without vmlinux" 3 "$("$memorizer" types --csv --kallsyms "$data/kallsyms" \
	-M "$tmp/modules" "$kmap" 2>"$tmp/err" | grep -c '^users,gadget')"
# A trace has the build ids of its modules; a KMAP may have them beside it
for id in "gadge 00" "gadget 76543210fedcba98" "gadget2 00"; do
	echo "$id" >>"$tmp/session.kmap.notes.modules"
done
cp "$kmap" "$tmp/session.kmap"
same "a module of the same build has notes" 3 "$("$memorizer" types --csv --kallsyms "$data/kallsyms" \
	-M "$tmp/modules" "$tmp/session.kmap" 2>"$tmp/err" | grep -c '^users,gadget')"
echo "gadget 76543210fedcba" >"$tmp/session.kmap.notes.modules"
same "the notes of a module of another build are refused" "1 memorizer: $tmp/modules/drivers/gadget.ko: stale: build ID is \
76543210fedcba98, that of the traced module is 76543210fedcba: file ignored" "$("$memorizer" types --csv \
	$symbols "$tmp/le" -M "$tmp/modules" "$tmp/session.kmap" 2>"$tmp/err" | grep -c 'users,gadget.*,,,21,11') \
$(head -n 1 "$tmp/err")"
mkdir -p "$tmp/ran/kernel"
printf '%s\n' 'alloc kind=0 call_site=ffffffffc0400010 ptr=ffff888000001000 bytes_req=8 bytes_alloc=8' |
	"$build/tests/make-trace" "$tmp/ran" && cp "$data/kallsyms" "$tmp/ran/kernel"
"$memorizer" types --csv -M "$tmp/modules" "$tmp/ran" >"$tmp/out" 2>"$tmp/err"
same "the notes of a module of another build are refused for a trace" "0 1" "$(grep -c stale "$tmp/err") $(grep -c '^types,gadget' "$tmp/out")"
echo "gadget 00" >"$tmp/ran/kernel/notes.modules"
"$memorizer" types --csv -M "$tmp/modules" "$tmp/ran" >"$tmp/out" 2>"$tmp/err"
same "a trace has the build ids of modules" "1 0" "$(grep -c stale "$tmp/err") $(grep -c '^types,gadget' "$tmp/out")"
make_notes -z "$tmp/modules/drivers/gadget.ko" <"$data/gadget.notes"
same "a module's sections may be compressed" "$noted" "$(module_notes)"
make_notes -e be "$tmp/modules/drivers/gadget.ko" <"$data/gadget.notes"
same "a module of the other byte order" "$noted" "$(module_notes)"
sed 's/gadget_open/gadget_irq/' "$data/gadget.notes" | make_notes "$tmp/modules/drivers/gadget.ko"
same "ambiguous functions do not locate a section" "types,gadget,,64,2,32,1,1,1021,11,1,1,1032 \
users,gadget_irq [gadget],,gadget,21,11" "$(module_notes)"
sed 's/gadget_open/gadget_probe/; s/^function 0 80 .*//' "$data/gadget.notes" |
	make_notes "$tmp/modules/drivers/gadget.ko"
same "a module whose functions are elsewhere is refused" "memorizer: $tmp/modules/drivers/gadget.ko: \
stale: offsets of gadget_irq and gadget_probe differ in the traced module: types ignored" \
	"$(module_notes >"$tmp/out"; head -n 1 "$tmp/err")"
same "the notes of a module whose functions are elsewhere are refused" 1 "$(grep -c 'gadget_irq .gadget.,,,21,11' "$tmp/out")"
head -c 700 "$tmp/le" >"$tmp/modules/drivers/gadget.ko"
same "a truncated module has no notes" 1 "$(module_notes | grep -c 'gadget_irq .gadget.,,,21,11')"
# told_of_widget: print widget's row of types, its accessed members, and those never accessed
told_of_widget()
{
	"$memorizer" types --csv $symbols "$tmp/le" "$kmap" 2>"$tmp/err" >"$tmp/out"
	"$memorizer" layout --csv $symbols "$tmp/le" widget "$kmap" 2>"$tmp/err" >>"$tmp/out"
	sed -n 's/^types,\(widget\|inner\),/\1:/p; s/^untouched_fields,\([^,]*\),widget,.*/\1/p
		s/^layout,\([^,]*\),[^,]*,[^,]*,[^,]*,[^,]*,/\1:/p' "$tmp/out" | grep -v ':0,0,0,0$' |
		xargs
}

# A record embedded in the allocated type: once, twice, too often to decide; and one that is not
# in it
part='s/widget inner\.count .* 8 4 32 0$/inner count include\/widget.h 3 0 4 4 0/'
{
	sed "$part" "$data/session.notes"
	printf '%s\n' "record struct inner 4" "member 0 4 count int"
} >"$tmp/parts"
make_notes "$tmp/le" <"$tmp/parts"
same "accesses to an embedded record count for the enclosing one" \
	"widget:flag 8, inner.count 6, name[] 5,128,2,0,0,2,10,9,5,2,0 \
inner:count 6,0,0,0,0,0,6,0,1,0,0 next unused inner:6,0,1,1 inner.count:6,0,1,1 name[]:3,2,1,1 flag:1,7,1,1" \
	"$(told_of_widget | tr -d '"')"
counted widget "10 9"
counted widget.inner "6 0"
counted inner.count "6 0"
agree "an embedded record"
sed 's/^member 24 4 unused int/member 24 4 unused inner/' "$tmp/parts" | make_notes "$tmp/le"
same "a record embedded twice may be either" \
	"widget:flag 8, inner.count|... 6, name[] 5,128,2,0,0,2,10,9,5,1,0 \
inner:count 6,0,0,0,0,0,6,0,1,0,0 next name[]:3,2,1,1 flag:1,7,1,1 \
inner.count|unused.count:6,0,1,1" "$(told_of_widget | tr -d '"')"
for i in 1 2 3 4 5 6 7 8; do echo "member 24 4 more$i inner"; done >>"$tmp/parts"
sed '/^record struct inner/,/^member 0 4 count/d; /^member 28/d' "$tmp/parts" | make_notes "$tmp/le"
same "a record embedded too often is ambiguous" "widget:flag 8, name[] 5,128,2,0,0,2,10,9,12,11,6" \
	"$(told_of_widget | tr -d '"' | sed 's/ inner:.*//')"
sed "s/^member 8 4 inner inner/member 8 4 inner other/" "$tmp/parts" | make_notes "$tmp/le"
sed "$part; s/^member 8 4 inner inner/member 8 4 inner other/" "$data/session.notes" |
	make_notes "$tmp/le"
same "a record that is not embedded has no enclosing member" "widget:flag 8, name[] 5,128,2,0,0,2,10,9,5,3,6" \
	"$(told_of_widget | tr -d '"' | sed 's/ inner:.*//')"
# The code knows the innermost record, the allocation the outermost: those in between count, too
{
	sed 's/note alloc ffffffff81000010 widget/note alloc ffffffff81000010 holder/' "$tmp/parts" |
		sed '/^member 24 4 more/d; s/^member 24 4 unused inner/member 24 4 unused int/'
	printf '%s\n' "record struct holder 64" "member 0 8 next holder *" "member 16 32 one widget" \
		"member 24 4 one.inner inner" "member 24 4 one.inner.count int" "member 28 10 one.name[] char [10]" \
		"member 44.0 0.1 one.flag unsigned int" "member 56 8 last long"
} | make_notes "$tmp/le"
for what in holder "holder.one" widget; do
	counted $what "10 9"
done
for what in holder.one.inner holder.one.inner.count widget.inner inner.count inner; do
	counted $what "6 0"
done
counted holder.last "0 0"
agree "records in records"
same "who counts accesses to an embedded record once per function" \
	"next,0,0,0,0 one,10,9,2,2 one.inner,6,0,1,1 one.inner.count,6,0,1,1 one.name[],3,2,1,1 one.flag,1,7,1,1 \
last,0,0,0,0" "$("$memorizer" layout --csv $symbols "$tmp/le" holder "$kmap" 2>"$tmp/err" |
		sed -n 's/^layout,\([a-z][^,]*\),[^,]*,[^,]*,[^,]*,[^,]*,/\1,/p' | xargs)"
same "--field matches any name" "6,0 6,0 6,0" "$(for what in holder widget inner; do
	"$memorizer" report --csv --type $what --field '*count' $symbols "$tmp/le" "$kmap" 2>"$tmp/err" |
		sed -n 's/^fields,[^,]*,'"$what"',[^,]*,\([0-9]*,[0-9]*\),.*/\1/p'
done | xargs)"

# brief INPUT: type, member, reads, writes and functions in the members of report --brief
brief()
{
	"$memorizer" report --brief --csv $symbols "$tmp/le" "$1" 2>"$tmp/err" |
		sed -n 's/^\(accessed_\)\{0,1\}fields,\([^,]*\),\([^,]*\),\([0-9]*,[0-9]*,[0-9]*\)$/\3:\2:\4/p' | xargs
}

# One object of each kind, whose inner.count is read by code that knows only inner
printf '%s\n' "alloc kind=1 call_site=ffffffff9b000010 ptr=ffff888000001000 bytes_req=64 bytes_alloc=64" \
	"access ip=ffffffff9b000110 ptr=ffff888000001018 size=4 kind=1 pid=1" \
	"access ip=ffffffff9b000190 ptr=ffff88800000102c size=4 kind=3 pid=1" \
	"access ip=ffffffff9b000110 ptr=ffff888000009018 size=4 kind=1 pid=1" |
	"$build/tests/make-trace" -q "$tmp/once" || exit 1
same "report --brief counts each access once, under the type of its object" \
	"::1021,11,2 holder:one.flag:1,7,1 holder:one.inner.count:6,0,1 holder:one.name[]:3,2,1" \
	"$(brief "$kmap")"
same "report --brief of a trace uses the code's type if the object's is unknown" \
	"holder:one.flag:1,1,1 inner:count:1,0,1 holder:one.inner.count:1,0,1" "$(brief "$tmp/once")"
sed '/^note alloc/d' "$tmp/parts" | sed 's/inner count \(.*\) 0 4 4 0$/widget inner.count \1 8 4 32 0/' |
	make_notes "$tmp/le"
same "report --brief uses the outermost type without an object's type" \
	"::1021,11,2 widget:flag:1,7,1 widget:inner.count:6,0,1 widget:name[]:3,2,1" "$(brief "$kmap")"
make_notes "$tmp/le" <"$data/session.notes"

for command in "types" "layout widget" "who widget" "what widget_read"; do
	name=${command%% *}
	outcome "$name names itself where an option is bad" 2 /dev/null "memorizer $name: --pid x: want a number
Try 'memorizer help $name'." $command --pid x "$kmap"
done

# By granule: only for code that accesses plain bytes does the offset determine the member.
sed 's/widget name\[\] \(.*\) 2$/char - \1 4/
	s/^member 28.0 .*/member 28.0 0.1 flag unsigned int\nmember 32 0 tail[] char/' "$data/session.notes" >"$tmp/places"
make_notes "$tmp/le" <"$tmp/places"
# placed_kmap LINE...: make a KMAP of one widget of 64 bytes with these access rows
placed_kmap()
{
	printf '%s\n' ffffffff9b000010,100,ffff888000001000,64,1000,1010,0,sh "$@" >"$tmp/placed.kmap"
}

# fields_at KMAP: print widget's accessed members, with reads and writes
fields_at()
{
	"$memorizer" types --csv $symbols "$tmp/le" "$1" 2>"$tmp/err" |
		sed -n "s/^fields,\([^,]*\),widget,[^,]*,\([0-9]*,[0-9]*\),.*/\1:\2/p" | sort | xargs
}

char=ffffffff9b000120
placed_kmap "  $char,7,0,1,0+4" "  $char,7,0,2,0+8" "  $char,7,0,4,8+4" "  $char,7,0,8,12+4" \
	"  $char,7,0,16,12+8" "  $char,7,0,32,20+4" "  $char,7,0,64,24+4" "  $char,7,64,0,36+16"
same "the granule determines the member" \
	"inner.count:4,0 name[]:56,0 next:3,0 tail[]:0,64 unused:64,0" "$(fields_at "$tmp/placed.kmap")"
same "the granule determines the member in fold" "unused 64" "$("$memorizer" fold --types --value reads $symbols "$tmp/le" "$tmp/placed.kmap" \
	2>"$tmp/err" | sed -n 's/.*;\(unused\);.* /\1 /p')"
same "the granule determines the member in who" "64 0" "$("$memorizer" who --csv $symbols "$tmp/le" widget.unused "$tmp/placed.kmap" \
	2>"$tmp/err" | awk -F, '$1 == "functions" { r += $4; w += $5 } END { print r + 0, w + 0 }')"
same "the granule determines the member for --field" "fields,unused" "$("$memorizer" types --csv --field unused $symbols "$tmp/le" \
	"$tmp/placed.kmap" 2>"$tmp/err" | sed -n 's/^\(fields,[^,]*\),.*/\1/p')"
placed_kmap "  $char,7,0,1,0+12" "  $char,7,0,2,28+4" "  $char,7,0,4,8+8" "  $char,7,0,8,20+12" \
	"  $char,7,0,16,0+64"
same "a granule with several members has no member" "flag:2,0 :29,0" \
	"$(fields_at "$tmp/placed.kmap" | tr ' ' '\n' | sort -r | xargs)"
sed 's/^member 0 8 next .*/member 0 8 pair pair\nmember 0 4 pair.a int\nmember 4 4 pair.b int/' "$tmp/places" |
	make_notes "$tmp/le"
placed_kmap "  $char,7,0,1,0+4" "  $char,7,0,2,0+8" "  $char,7,0,4,0+12" "  $char,7,0,8,4+4"
same "a granule with several members has their common parent" ":4,0 pair.a:1,0 pair.b:8,0 pair:2,0" \
	"$(fields_at "$tmp/placed.kmap" | tr ' ' '\n' | LC_ALL=C sort | xargs)"
make_notes "$tmp/le" <"$tmp/places"
placed_kmap "  ffffffff9b000110,7,0,1,12+4" "  ffffffff9b000110,7,0,2,24+4" "  $char,7,0,4"
same "the code's member takes precedence" ":4,0 inner.count:3,0" "$(fields_at "$tmp/placed.kmap")"
for bad in "$char,7,0,1,60+8" "$char,7,0,1,0+0" "$char,7,0,1,4" "$char,7,0,1,+4" "$char,7,0,1,0+4,"; do
	placed_kmap "  $bad"
	"$memorizer" check "$tmp/placed.kmap" >"$tmp/out" 2>&1
	same "$bad is refused" 1 "$(grep -c '^line 2: line: ' "$tmp/out")"
done
placed_kmap "  $char,7,0,1,0+4" "  $char,7,0,1,0+8" "  $char,7,0,1,4+4" "  $char,8,0,1,0+4"
same "granules in order are accepted" "1 objects, 4 access lines: 0 violations" "$("$memorizer" check "$tmp/placed.kmap")"
placed_kmap "  $char,7,0,1,4+4" "  $char,7,0,1,0+8" "  $char,7,0,1,0+8"
same "granules out of order and repeated are accepted" "1 order 1 duplicate" "$("$memorizer" check "$tmp/placed.kmap" |
	awk '$3 == "order:" { o++ } $3 == "duplicate:" { d++ } END { print o, "order", d, "duplicate" }')"

# One of several objects, and behind the end of one with a flexible array
{
	cat "$tmp/places" "$data/places.notes"
	printf '%s\n' "note alloc ffffffff81000060 box - drivers/box.c 10 0 0 24 32" "record struct box 24" \
		"member 0 4 size int" "member 4 0 none[] char" "member 4 20 slots[] slot" "member 4 4 slots[].id int" \
		"note alloc ffffffff81000070 tray - drivers/tray.c 10 0 0 36 0" "record struct tray 36" \
		"member 0 36 u [anonymous]" "member 0 36 u.slots[] slot" "member 0 4 u.slots[].id int" \
		"member 4 4 u.slots[].len int" "member 8 2 u.slots[].pad[] char" "member 0 36 u.raw[] int" \
		"note alloc ffffffff81000080 crate - drivers/crate.c 10 0 0 6 32" "record struct crate 6" \
		"member 0 4 a int" "member 4 1 b char"
} | sed 's/^member 28.0 .*/member 28 4 flag int/; s/^member 32 0 tail.*//' | make_notes "$tmp/le"
# fields_of_object SITE SIZE LINE...: print the members of an object of that size, with accesses
fields_of_object()
{
	site=$1 size=$2
	shift 2
	{
		echo "$site,100,ffff888000001000,$size,1000,1010,0,sh"
		for line; do echo "  $char,7,$line"; done
	} >"$tmp/placed.kmap"
	"$memorizer" types --csv $symbols "$tmp/le" "$tmp/placed.kmap" 2>"$tmp/err" |
		sed -n "s/^fields,\([^,]*\),[a-z]*,[^,]*,\([0-9]*,[0-9]*\),.*/\1:\2/p" | LC_ALL=C sort | xargs
}
same "a granule of an array applies to the element; of two elements, it has no member" \
	":16,0 flag:2,0 inner.count:9,0 unused:4,0" "$(fields_of_object ffffffff9b000040 96 0,1,8+4 \
	0,2,28+4 0,4,56+4 0,8,72+4 0,16,60+8)"
same "a granule of a record before other data has no member" ":6,0 flag:1,0" \
	"$(fields_of_object ffffffff9b000040 104 0,1,28+4 0,2,60+4 0,4,28+8)"
same "granules across two elements have no member" ":6,0 a:1,0" \
	"$(fields_of_object ffffffff9b000080 12 0,1,0+4 0,2,4+4 0,4,8+4)"
same "the same for a single allocated record" ":2,0 flag:1,0" \
	"$(fields_of_object ffffffff9b000010 96 0,1,28+4 0,2,60+4)"
same "memory after a record belongs to its flexible array" \
	"id:18,0 len:4,0 nr:1,0 slots[].id:18,0 slots[].len:4,0 slots[]:32,0" "$(fields_of_object ffffffff9b000030 64 0,1,0+4 \
	0,2,16+4 0,4,20+4 0,16,28+4 0,32,24+8)"
same "an array before other members is not flexible" "size:2,0 slots[]:4,0" \
	"$(fields_of_object ffffffff9b000060 48 0,2,24+4 0,4,16+4)"
same "elements of a member array count as the first element" \
	"u.raw[]:4,0 u.slots[].len|u.raw[]:1,0 u.slots[].pad[]|u.raw[]:2,0" \
	"$(fields_of_object ffffffff9b000070 36 0,1,16+4 0,2,32+1 0,4,8+8)"
make_notes "$tmp/le" <"$data/session.notes"

# The target of a member's pointer gets the member's name unless it or its allocation is a record
sed 's/^\(note read ffffffff81000120\) .*/\1 char *widget.next include\/widget.h 4 0 1 1 4/
	s/^note alloc ffffffff81000010 .*/note alloc ffffffff81000010 - - drivers\/widget.c 10 0 0 0 4/' \
	"$data/session.notes" | make_notes "$tmp/le"
# fields_of TYPE: print its accessed members, with reads and writes
fields_of()
{
	"$memorizer" types --csv $symbols "$tmp/le" "$kmap" 2>"$tmp/err" |
		sed -n "s/^fields,\([^,]*\),$1,[^,]*,\([0-9]*,[0-9]*\),.*/\1:\2/p" | xargs
}
same "the target of a member's pointer has the member's name" "*widget.next:3,2" "$(fields_of char)"
counted widget "7 7"
sed 's/^\(note read ffffffff81000120\) .*/\1 char *widget.next include\/widget.h 4 0 1 1 4/' \
	"$data/session.notes" | make_notes "$tmp/le"
same "the target of a member's pointer keeps a known type" " flag:1,7 inner.count:6,0 :3,2" \
	"$(fields_of char) $(fields_of widget)"
make_notes "$tmp/le" <"$data/session.notes"

# Arrays of arrays have one index in records; accesses to the whole touch no member
sed 's/widget name\[\] /widget name[][] /; s/widget flag .* 28 1 32 1$/widget - - 0 0 32 32 0/' \
	"$data/session.notes" | make_notes "$tmp/le"
same "an array of arrays has one index; a whole record is no member" \
	"widget:inner.count 6, name[][] 5,128,2,0,0,2,10,9,5,3,0 next unused flag \
inner:6,0,1,1 inner.count:6,0,1,1 name[]:3,2,1,1 [whole]:1,7,1,1" "$(told_of_widget | tr -d '"')"
make_notes "$tmp/le" <"$data/session.notes"

# Moved lines: the file traffic
sed 's/^\(  [^,]*,[^,]*\),\(.*\)/\1,1,2,\2/' "$kmap" >"$tmp/traffic"
"$memorizer" layout --csv $symbols "$tmp/le" widget "$tmp/traffic" 2>"$tmp/err" >"$tmp/out"
same "moves of lines by member" \
	"inner:6,0,1,1,6 inner.count:6,0,1,1,6 \
name[]:3,2,1,1,3 flag:1,7,1,1,3 to_members,10,9,12 elsewhere,0,0,0" \
	"$(sed -n 's/^layout,\([^,]*\),[^,]*,[^,]*,[^,]*,[^,]*,/\1:/p
		s/^basis,//p' "$tmp/out" | grep -v ':0,0,0,0,0$' | xargs)"
same "moves of lines by function" "widget_write,flag,1,7,3 widget_read,inner.count,6,0,6 widget_read,name[],3,2,3" \
	"$("$memorizer" who --csv $symbols "$tmp/le" widget "$tmp/traffic" 2>"$tmp/err" |
		sed -n 's/^functions,//p' | xargs)"

# Lines in text, and their offsets
sed '/^record struct widget/,$d' "$data/session.notes" >"$tmp/lines"
cat >>"$tmp/lines" <<'END'
record struct widget 264
member 0 64 name[] char
member 64 8 flag long
member 72 128 pad[] char
member 200 16 inner inner
member 200 4 inner.count int
member 248 16 last[] char
END
make_notes "$tmp/lines.le" <"$tmp/lines"
same "layout marks the starts of cache lines" "struct widget, 264 BYTES IN 5 LINES, 32 OF THEM IN 1 HOLE \
name[] --- line 1 flag pad[] --- line 3 began 8 bytes before inner inner.count [hole at 216] last[]" \
	"$("$memorizer" layout $symbols "$tmp/lines.le" widget "$kmap" 2>"$tmp/err" |
		sed -n '/^struct/,/^$/p' | sed '/^---*$/d; /^ Member/d; s/ *|.*//; s/^ //' | xargs)"

# All accessed members, without members of unaccessed ones
{
	sed '/^record struct widget/,$d; s/widget inner\.count .*/inner count - 3 0 4 4 0/' "$data/session.notes"
	printf '%s\n' "record struct inner 4" "member 0 4 count int" "record struct widget 64" \
		"member 0 8 next widget *" "member 8 4 inner inner" "member 8 4 inner.count int" \
		"member 16 8 other outer" "member 16 8 other.a outest" "member 16 4 other.a.b int" \
		"member 20 4 other.a.c int" "member 28.0 0.1 flag int" "record struct gadget 8" \
		"member 0 8 all long"
} | make_notes "$tmp/all.le"
for type in widget inner; do
	"$memorizer" layout --csv $symbols "$tmp/all.le" $type "$kmap" 2>"$tmp/err" |
		sed -n "s/^layout,\([^,]*\),/layouts,\1,$type,/p" | grep -v ',other[.]a'
done >"$tmp/want"
"$memorizer" layout --all --csv $symbols "$tmp/all.le" "$kmap" 2>"$tmp/err" | grep ^layouts >"$tmp/out"
equal "layout of all types, most accessed first" "$tmp/want" "$tmp/out"
same "layout leaves out members of unaccessed members" "next inner inner.count [hole at 12] other [hole at 24] flag \
[hole at 29] name[] count" "$(cut -d , -f 2 "$tmp/out" | xargs)"
"$memorizer" who --all $symbols "$tmp/all.le" "$kmap" >"$tmp/out" 2>"$tmp/err"
same "only layout has --all" "2  Error: option \`all' is not usable 0" \
	"$? $(head -n 1 "$tmp/err") $(wc -c <"$tmp/out")"

# Subsystems as MAINTAINERS has them
cat >"$tmp/MAINTAINERS" <<'END'
List of maintainers
===================
	F:	*Files* and directories, indented: no section

GADGETS
M:	Somebody <somebody@example.org>
F:	include/
F:	drivers/*
X:	drivers/widget.c

WIDGETS
F:	*/widget.*
N:	gadget

HEADERS
F:	include/widget.h

THE REST
F:	*
F:	*/
END
# owner NAME WANT: check the subsystems that access a widget
owner()
{
	same "$1" "$2" "$("$memorizer" who -F "$tmp/MAINTAINERS" --csv $symbols "$tmp/le" widget \
		"$kmap" 2>"$tmp/err" | sed -n 's/^subsystems,\([^,]*\),.*/\1/p' | sort -u | xargs)"
}

owner "the deepest pattern counts, but not what is left out" "HEADERS WIDGETS"
sed -i 's/^X:.*//; s/^F:	\*\/widget.*/F:	drivers\/widget/' "$tmp/MAINTAINERS"
owner "a directory is no beginning of a name" "GADGETS HEADERS"
sed -i 's/^F:	include\/widget.h/F:	include\/widget/; s/^F:	drivers.\*/F:	*\/*\/*/' "$tmp/MAINTAINERS"
owner "a pattern is of its depth" "GADGETS THE REST"
sed -i 's/^N:.*/N:	w[ix]dget[.]c$/' "$tmp/MAINTAINERS"
owner "an expression counts before what has wildcards" "GADGETS WIDGETS"
sed -i '/^GADGETS/,$d' "$tmp/MAINTAINERS"
owner "without any it is the directory" "drivers include"
outcome "a missing MAINTAINERS is reported" 2 /dev/null \
	"memorizer: $tmp/none.such: No such file or directory" \
	who -F "$tmp/none.such" $symbols "$tmp/le" widget "$kmap"
"$memorizer" types -F "$tmp/MAINTAINERS" $symbols "$tmp/le" "$kmap" >"$tmp/out" 2>"$tmp/err"
same "only who has --maintainers" "2  Error: switch \`F' is not usable 0" \
	"$? $(head -n 1 "$tmp/err") $(wc -c <"$tmp/out")"

# The proposed order of a struct of four lines; in the first one, one member is read, one written
sed '/^record struct widget/,$d; s/ inner\.count .* 8 4 32 / ops - 0 0 8 256 /
	s/ name\[\] .*/ lost - 0 136 8 256 0/; s/ flag .*/ hits - 0 8 8 256 0/' \
	"$data/session.notes" >"$tmp/busy"
cat >>"$tmp/busy" <<END
record struct widget 256
member 0 8 ops void *
member 8 8 hits long
member 16 112 pad char [112]
member 128 8 next void *
member 136 8 lost long
member 144 112 tail char [112]
END
make_notes "$tmp/le" <"$tmp/busy"
"$memorizer" layout --csv $symbols "$tmp/le" widget "$kmap" 2>"$tmp/err" >"$tmp/out"
same "layout proposes to separate read from written members" \
	"ops,read,0,8,0,0,6,0 pad,untouched,8,112,0,16,0,0 next,untouched,120,8,1,128,0,0 \
tail,untouched,128,112,2,144,0,0 hits,written,240,8,3,8,1,7 lost,written,248,8,3,136,3,2" \
	"$(sed -n 's/^order,//p' "$tmp/out" | xargs)"
same "the proposed layout has figures" "bytes,256,256 lines_accessed,2,2 lines_mixed,1,0" \
	"$(sed -n 's/^changes,//p' "$tmp/out" | xargs)"
sed 's/^record struct widget/record union widget/' "$tmp/busy" | make_notes "$tmp/le"
same "a union has no proposed order" 0 "$("$memorizer" layout --csv $symbols "$tmp/le" widget "$kmap" \
	2>"$tmp/err" | grep -c ^order)"
make_notes "$tmp/le" <"$data/session.notes"

# A trace's streamed accesses, and its retired objects
"$build/tests/make-trace" "$tmp/life" <"$data/life.trace" || exit 1
mkdir "$tmp/life/kernel"
cp "$data/kallsyms" "$tmp/life/kernel"
told()
{
	"$memorizer" "$@" 2>"$tmp/err" | grep -v '^$' | grep -E "^(types|kmap_|accessed_|streamed_)" |
		xargs
}
same "types of a trace: streamed accesses and its KMAP" \
	"types,widget,inner.count 3, flag 2,128,120,2,1,64,1,2,3,2,5,3,0 \
types,,,0,0,0,0,0,0,1,1,1,0,0,0 types,gadget,,192,150,1,1,0,0,1,0,1,1,1,1 \
accessed_fields,inner.count,widget,8,1,2,1,1,2 accessed_fields,flag,widget,28,1,1,1,1,1 \
accessed_fields,,,,1,1,1,1,1 accessed_fields,,gadget,,1,0,1,1,1 \
kmap_types,widget,inner.count 2, flag 2,60,1,0,0,1,2,2,5,3,0 \
kmap_fields,flag,widget,28,1,1,1,1 kmap_fields,inner.count,widget,8,1,1,1,1 \
kmap_untouched_fields,name[],widget,12,10 kmap_untouched_fields,next,widget,0,8 \
kmap_untouched_fields,unused,widget,24,4 \
kmap_users,widget_read,inner.count,widget,1,1 kmap_users,widget_write,flag,widget,1,1" \
	"$(told types --csv --vmlinux "$tmp/le" "$tmp/life")"
# Areas and per-CPU memory have the types of their call sites, as slab objects have; stacks and pages have none.
for kind in 3 8 7 2; do
	sed "s/\(alloc\|free\) kind=0/\1 kind=$kind/; s/ptr=ffff888000002/ptr=ffffc90000002/
		s/bytes=192/bytes=4096/; s/bytes_alloc=192/bytes_alloc=4096/" "$data/life.trace" |
		"$build/tests/make-trace" "$tmp/kind" && cp -r "$tmp/life/kernel" "$tmp/kind" || exit 1
	case $kind in
	3|8) gadget="types,gadget,,4096,150,1,1,0,0,1,0,1,1,1,1 accessed_fields,,gadget,,1,0,1,1,1" ;;
	*) gadget= ;;
	esac
	same "types of a trace: memory of kind $kind" "$gadget" \
		"$(told types --csv --vmlinux "$tmp/le" "$tmp/kind" | xargs -n 1 | grep gadget | xargs)"
	[ -z "$gadget" ] || same "shares include areas and per-CPU memory: kind $kind" 96.969 \
		"$("$memorizer" report --percent --json --vmlinux "$tmp/le" "$tmp/kind" 2>"$tmp/err" |
		sed -n 's/.*{"type": "gadget".*"bytes_alloc_percent": \([0-9.]*\).*/\1/p')"
	rm -r "$tmp/kind"
done
told types --csv --vmlinux "$tmp/le" "$tmp/life" >"$tmp/want"
{ cat "$data/session.notes"; echo "note alloc 0 gadget - drivers/gadget.c 9 0 0 24 0"; } | make_notes "$tmp/zero"
told types --csv --vmlinux "$tmp/zero" "$tmp/life" >"$tmp/got"
equal "unknown memory does not have the type of a per-CPU variable at address 0" "$tmp/want" "$tmp/got"
# The area of a stack and the stack
{
	sed '/^free/d; /^mark/d; s/^\(alloc .*\)kind=0/\1kind=3/; s/ptr=ffff888000002/ptr=ffffc90000002/
		s/bytes_alloc=192/bytes_alloc=4096/' "$data/life.trace"
	echo "alloc kind=7 call_site=ffffffff9b000020 ptr=ffffc90000002000 bytes_req=150 bytes_alloc=4096 pid=101"
} | "$build/tests/make-trace" "$tmp/area" && cp -r "$tmp/life/kernel" "$tmp/area" || exit 1
same "the area of a stack does not have the type of the task" "" \
	"$(told types --csv --vmlinux "$tmp/le" "$tmp/area" | xargs -n 1 | grep gadget)"
same "who and what of a trace" "streamed_functions,widget_read,inner.count,1,2 \
streamed_functions,widget_write,flag,1,1 kmap_functions,widget_read,inner.count,1,1 \
kmap_functions,widget_write,flag,1,1 streamed_members,inner.count,widget,1,2 \
kmap_members,inner.count,widget,1,1" \
	"$(told who --csv --vmlinux "$tmp/le" widget "$tmp/life" | xargs -n 1 | grep functions | xargs) \
$(told what --csv --vmlinux "$tmp/le" "*read*" "$tmp/life")"
same "layout of a trace" "streamed_layout,inner.count,int,8,4,0,1,2,1,1,2 \
kmap_layout,inner.count,int,8,4,0,1,1,1,1" \
	"$(told layout --csv --vmlinux "$tmp/le" widget "$tmp/life" | xargs -n 1 | grep count | xargs)"
# --type and --field match any name of an access
sed '/^member 24 4 more/d; s/^member 24 4 unused inner/member 24 4 unused int/' "$tmp/parts" | make_notes "$tmp/le"
# chosen OPTION...: print the number of accesses in script and in stacks
chosen()
{
	"$memorizer" script --csv --event access --vmlinux "$tmp/le" "$@" "$tmp/life" 2>"$tmp/err" | grep -c '^access,'
	"$memorizer" stacks --csv --value accesses --vmlinux "$tmp/le" "$@" "$tmp/life" 2>"$tmp/err" |
		sed -n 's/^sum,total,//p'
}
same "--type selects accesses by the code's record" "3 3" \
	"$(chosen --type inner | xargs)"
same "--type selects accesses by the enclosing record of a known object" "2 2 3 3" \
	"$(chosen --type widget --field inner.count | xargs) $(chosen --type widget | xargs)"
make_notes "$tmp/le" <"$data/session.notes"
# If a call site has no type, the cache may: from other call sites that agree, or from its name
cat >"$tmp/caches.script" <<'END'
cpu 0 0
time 1000000000
switch allocations=1 accesses=1
task pid=100 comm=tar
cache cache=ffff888000100000 object_size=32 size=32 name=wid
cache cache=ffff888000100100 object_size=24 size=24 name=gadget
cache cache=ffff888000100200 object_size=64 size=64 name=widget
cache cache=ffff888000100300 object_size=32 size=32 name=kmalloc-32
alloc kind=1 call_site=ffffffff9b000030 ptr=ffff888000001000 bytes_req=32 bytes_alloc=32 pid=100 cache=ffff888000100000
alloc kind=1 call_site=ffffffff9b000010 ptr=ffff888000001020 bytes_req=32 bytes_alloc=32 pid=100 cache=ffff888000100000
alloc kind=1 call_site=ffffffff9b000030 ptr=ffff888000002000 bytes_req=24 bytes_alloc=24 pid=100 cache=ffff888000100100
alloc kind=1 call_site=ffffffff9b000030 ptr=ffff888000003000 bytes_req=64 bytes_alloc=64 pid=100 cache=ffff888000100200
alloc kind=0 call_site=ffffffff9b000010 ptr=ffff888000004000 bytes_req=32 bytes_alloc=32 pid=100 cache=ffff888000100300
alloc kind=0 call_site=ffffffff9b000030 ptr=ffff888000004020 bytes_req=31 bytes_alloc=32 pid=100 cache=ffff888000100300
access ip=ffffffffc0400090 ptr=ffff888000001000 size=8 kind=1 pid=100
access ip=ffffffffc0400090 ptr=ffff888000002000 size=8 kind=2 pid=100
access ip=ffffffffc0400090 ptr=ffff888000003000 size=8 kind=2 pid=100
END
# by_cache: print requested bytes, allocations, reads and writes for each type
by_cache()
{
	rm -rf "$tmp/caches"
	"$build/tests/make-trace" "$tmp/caches" <"$tmp/caches.script" || exit 1
	mkdir "$tmp/caches/kernel"
	cp "$data/kallsyms" "$tmp/caches/kernel"
	"$memorizer" types --csv --sort name --vmlinux "$tmp/le" "$tmp/caches" 2>"$tmp/err" |
		awk -F, '$1 == "types" { print $2 ":" $5 "," $6 "," $10 "," $11 }' | xargs
}
same "the cache determines the type if the call site does not" \
	"gadget:24,1,0,1 widget:96,3,1,0 :95,2,0,1" "$(by_cache)"
echo "alloc kind=1 call_site=ffffffff9b000020 ptr=ffff888000001040 bytes_req=32 bytes_alloc=32 pid=100 \
cache=ffff888000100000" >>"$tmp/caches.script"
same "a cache with objects of several types does not" \
	"gadget:56,2,0,1 widget:64,2,0,0 :127,3,1,1" "$(by_cache)"

# Streamed moves of lines, and those of retired objects
{
	sed 's/^\(counts object=5.*\)/\1 write_moves=2 read_moves=3/; s/^\(counts ip=.*\)/\1 write_moves=0 read_moves=0/' \
		"$data/life.trace"
	echo "time 5000000000"
	echo "cpu 2 0"
	echo "traffic ip=ffffffff9b000110 ptr=ffff888000001008 size=4 kind=1 pid=102 line=ffff888000001000 from=1"
	echo "traffic ip=ffffffff9b000120 ptr=ffff888000009000 size=4 kind=2 pid=102 line=ffff888000009000 from=0"
} >"$tmp/moved.script"
for option in "" -q; do
	if [ -n "$option" ]; then
		sed -i 's/ write_moves=.*//; s/^switch .*//' "$tmp/moved.script"
	fi
	"$build/tests/make-trace" $option "$tmp/moved$option" <"$tmp/moved.script" || exit 1
	mkdir "$tmp/moved$option/kernel"
	cp "$data/kallsyms" "$tmp/moved$option/kernel"
done
# moved KIND: print the accessed members from each source, without offsets
moved()
{
	"$memorizer" layout --csv --vmlinux "$tmp/le" widget "$tmp/moved$1" 2>"$tmp/err" |
		sed -n 's/^\(streamed\|kmap\)_layout,\([^,]*\),[^,]*,[^,]*,[^,]*,[^,]*,/\1 \2:/p' |
		grep -v ':0,0,0,0' | xargs
}
same "types show moves of tracked lines, by pid and CPU" \
	"streamed inner:1,2,1,2,3,1 streamed inner.count:1,2,1,2,3,1 streamed name[]:0,0,1,1,1,1 streamed flag:1,1,1,1,1,0 \
kmap inner:1,1,1,1,5 kmap inner.count:1,1,1,1,5 kmap flag:1,1,1,1,0" "$(moved "")"
same "a trace without moves of objects shows streamed moves" \
	"streamed inner:1,2,1,2,3,1 streamed inner.count:1,2,1,2,3,1 streamed name[]:0,0,1,1,1,1 streamed flag:1,1,1,1,1,0 \
kmap inner:1,1,1,1 kmap inner.count:1,1,1,1 kmap flag:1,1,1,1" "$(moved -q)"

# Both moves are by a function that spins. Its name has as many bytes in either file.
LC_ALL=C sed 's/widget_read/osq_lock.pt/g' "$tmp/le" >"$tmp/spinning"
sed 's/widget_read/osq_lock.pt/; /read_mark/d' "$data/kallsyms" >"$tmp/moved-q/kernel/kallsyms"
# moves OPTION...: print the moves of widgets
moves()
{
	"$memorizer" report --csv --vmlinux "$tmp/spinning" "$@" "$tmp/moved-q" 2>"$tmp/err" |
		sed -n 's/^types,widget,.*,//p'
}
same "--no-wait leaves out the moves of spinning functions" "2 0" "$(moves) $(moves --no-wait)"

# /sys/kernel/notes of another build, and of the notes' build
printf '\004\000\000\000\004\000\000\000\003\000\000\000GNU\000\001\043\105\147' >"$tmp/other"
{
	printf '\004\000\000\000\024\000\000\000\003\000\000\000GNU\000'
	printf '\001\043\105\147\211\253\315\357\001\043\105\147\211\253\315\357\001\043\105\147'
} >"$tmp/same"
stale="memorizer: $tmp/le: stale: build ID is 0123456789abcdef0123456789abcdef01234567, that of \
the traced kernel is"

# told_of TRACE|KMAP OPTION...: print the exit status of types and its first message
told_of()
{
	"$memorizer" types --vmlinux "$tmp/le" "$@" >"$tmp/out" 2>"$tmp/err"
	echo "$?$(sed -n 's/^/ /p; q' "$tmp/err")"
}

cp "$tmp/other" "$tmp/life/kernel/notes"
tar cf "$tmp/life.tar" -C "$tmp" life
tar cf - -C "$tmp" life | zstd -q >"$tmp/life.tar.zst"
for trace in life life.tar life.tar.zst; do
	same "notes of another build are refused for $trace" "2 $stale 01234567: file ignored" \
		"$(told_of "$tmp/$trace")"
done
"$memorizer" report --vmlinux "$tmp/le" "$tmp/life" >"$tmp/out" 2>"$tmp/err"
same "report continues without notes" "0 1 0" \
	"$? $(grep -c stale "$tmp/err") $(grep -c ^TYPES "$tmp/out")"
cp "$tmp/same" "$tmp/life/kernel/notes"
tar cf "$tmp/life.tar" -C "$tmp" life
for trace in life life.tar; do
	same "notes of this build are accepted for $trace" 0 "$(told_of "$tmp/$trace")"
	same "notes of this build give types" 1 "$(grep -c '^TYPES' "$tmp/out")"
done

# For a KMAP: the notes beside it, or in debugfs, the running kernel's
cp "$kmap" "$tmp/kmap"
same "a KMAP without a build id is accepted" "0 $lost" \
	"$(told_of --kallsyms "$data/kallsyms" "$tmp/kmap")"
cp "$tmp/other" "$tmp/kmap.notes"
same "a KMAP of another build is refused" "2 $stale 01234567: file ignored" \
	"$(told_of --kallsyms "$data/kallsyms" "$tmp/kmap")"
cp "$tmp/same" "$tmp/kmap.notes"
same "a KMAP of this build is accepted" "0 $lost" \
	"$(told_of --kallsyms "$data/kallsyms" "$tmp/kmap")"
memorizer=$build/tests/memorizer-faults
running=$(od -An -v -t x1 /sys/kernel/notes 2>"$tmp/err" | tr -d ' \n' |
	sed -n 's/.*040000001400000003000000474e5500\(.\{40\}\).*/\1/p')
if [ -n "$running" ]; then
	same "a KMAP in debugfs has the running kernel's build id" "2 $stale $running: file ignored" \
		"$(DEBUGFS=$tmp/kmap told_of --kallsyms "$data/kallsyms" "$tmp/kmap")"
else
	ok 0 "a KMAP in debugfs has the running kernel's build id # SKIP no build id in /sys/kernel/notes"
fi
memorizer=$build/memorizer

# Invalid notes
head -c 1000 "$tmp/le" >"$tmp/cut"
"$memorizer" types $symbols "$tmp/cut" "$kmap" >"$tmp/out" 2>"$tmp/err"
same "a truncated file is refused" 2 $?
python3 -B - "$tmp/le" "$tmp/version" "$tmp/wild" <<'END'
import sys
data = open(sys.argv[1], "rb").read()
at = data.index(bytes.fromhex("10000081ffffffff"), data.index(b"\x03\x00\x00\x00GNU"))
open(sys.argv[2], "wb").write(data[:at + 36] + b"\2" + data[at + 37:])
open(sys.argv[3], "wb").write(data[:at + 8] + b"\xff" * 12 + data[at + 20:])
END
hint="Try 'memorizer help types'."
wanted="types are unknown: want --vmlinux with compiler notes"
outcome "notes of a later version are ignored" 2 /dev/null "memorizer types: $wanted" \
	types $symbols "$tmp/version" "$kmap"
"$memorizer" types $symbols "$tmp/wild" "$kmap" >"$tmp/out" 2>"$tmp/err"
same "texts out of range are empty" "0 0" "$? $(grep -c ' widget  .*128' "$tmp/out")"

outcome "types without --vmlinux is refused" 2 /dev/null "memorizer types: $wanted" types "$kmap"
outcome "types with a vmlinux without notes is refused" 2 /dev/null "memorizer who: $wanted" who $symbols "$tmp/none" widget "$kmap"
outcome "layout without a type is refused" 2 /dev/null "memorizer layout: want TYPE
Try 'memorizer help layout'." layout
outcome "layout of an unknown type is refused" 2 /dev/null "memorizer layout: no struct or union 'widge' in the notes" \
	layout $symbols "$tmp/le" widge "$kmap"
outcome "what without a function is refused" 2 /dev/null "memorizer what: want FUNCTION
Try 'memorizer help what'." what
outcome "who without a type is refused" 2 /dev/null "memorizer who: want TYPE[.FIELD]
Try 'memorizer help who'." who
outcome "who of an unknown type is refused" 2 /dev/null \
	"memorizer who: no access to 'widge', and no struct or union 'widge' in the notes" \
	who $symbols "$tmp/le" widge "$kmap"
outcome "who of an unaccessed member prints a message" 2 /dev/null \
	"memorizer who: no access to 'widget.next'" who --json $symbols "$tmp/le" widget.next "$kmap"
outcome "what of an unknown function is refused" 2 /dev/null \
	"memorizer what: no access by 'widge', and no function of that name" \
	what $symbols "$tmp/le" widge "$kmap"
outcome "what of a function without accesses prints a message" 2 /dev/null \
	"memorizer what: no access by 'widget_free'" what --csv $symbols "$tmp/le" widget_free "$kmap"
rm "$tmp/life/kernel/notes"
outcome "who of an unaccessed member of a trace prints a message" 2 /dev/null "memorizer who: no access to 'widget.name'" \
	who --vmlinux "$tmp/le" widget.name "$tmp/life"
outcome "what of a function without accesses in a trace prints a message" 2 /dev/null "memorizer what: no access by 'widget_free'" \
	what --vmlinux "$tmp/le" widget_free "$tmp/life"
"$build/tests/make-trace" "$tmp/plain" <"$data/kmem.trace" || exit 1
grep -v '^  ' "$kmap" >"$tmp/plain.kmap"
for command in who what; do
	outcome "$command of a trace without accesses prints how to record them" 2 /dev/null \
		"memorizer: $tmp/plain: no counts of accesses or accesses or moves of cache lines: use record \
--retirements or record --snapshot with memorizer_log_access on, or record --accesses with memorizer_log_access on, \
or record --traffic with memorizer_log_access and memorizer_track_lines on" \
		$command $symbols "$tmp/le" widget "$tmp/plain"
	outcome "$command of a KMAP without accesses prints how to record them" 2 /dev/null \
		"memorizer: $tmp/plain.kmap: no accesses: enable memorizer_log_access before reading the KMAP" \
		$command $symbols "$tmp/le" widget "$tmp/plain.kmap"
done
outcome "--cache of a KMAP is refused" 2 /dev/null \
	"memorizer types: --cache: only for the directory of a trace
$hint" types --cache widget $symbols "$tmp/le" "$kmap"
tap_end
