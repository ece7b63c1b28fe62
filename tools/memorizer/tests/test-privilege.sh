#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Test privilege: known sums, a model, partition files.
# Usage: test-privilege.sh DIR, the directory of a build;
# MODEL_ROUNDS=N for more random KMAPs, MODEL_SEED=N for others

. "$(dirname "$0")/common.sh"

model="python3 -B $here/privilege.py"
kmap=$data/session.kmap
python3 -B "$here/make-notes.py" "$tmp/notes" <"$data/session.notes" || exit 1
lost="memorizer: 1 of 10 addresses have no symbol: use --kallsyms of the traced boot"

# rows TABLE OPTIONS...: print the rows of a table as CSV
rows()
{
	table=$1
	shift
	"$memorizer" privilege --csv --kallsyms "$data/kallsyms" "$@" 2>"$tmp/err" | sed -n "s/^$table,//p"
}

# Golden files
for format in txt json csv; do
	option=$([ $format = txt ] || echo --$format)
	outcome "privileges in a KMAP, as $format" 0 "$data/privilege.$format" "$lost" \
		privilege $option --kallsyms "$data/kallsyms" --vmlinux "$tmp/notes" "$kmap"
done
for order in le be; do
	"$build/tests/make-trace" -e $order "$tmp/$order" <"$data/life.trace" || exit 1
	mkdir "$tmp/$order/kernel"
	cp "$data/kallsyms" "$tmp/$order/kernel"
	outcome "privileges in a trace, $order" 0 "$data/life.privilege" "" privilege "$tmp/$order"
done
outcome "privileges in a trace, as JSON" 0 "$data/life.privilege.json" "" privilege --json "$tmp/le"
outcome "privileges in a trace, as CSV" 0 "$data/life.privilege.csv" "" privilege --csv "$tmp/le"

# Known sums: read_mark reads 100 bytes, widget_write writes these and 10 others, which it frees;
# gadget_irq reads all 110.
cat >"$tmp/known.kmap" <<EOF
ffffffff9b000010,1,1000,60,1,0,0,sh
  ffffffff9b000110,1,0,7
ffffffff9b000010,1,2000,40,5,0,0,sh
  ffffffff9b000190,1,2,0
  ffffffffc0400090,1,0,1
ffffffff9b000020,1,3000,10,2,4,ffffffff9b000194,sh
  ffffffff9b000190,1,1,0
  ffffffffc0400090,1,0,1
EOF
same "known: 100 + 110 bytes read, 110 written, 10 freed; two of three functions are in the kernel" \
	"read,210,310,330,63.636,93.939,1.476
write,110,220,330,33.333,66.667,2.000
free,10,20,330,3.030,6.061,2.000
total,330,550,990,33.333,55.556,1.666" "$(rows privileges "$tmp/known.kmap")"
same "known: a function alone is allowed what it did" "210 210 110 110 10 10" \
	"$(rows privileges --by function "$tmp/known.kmap" | awk -F, '!/total/ { print $2, $3 }' | xargs)"
same "known: both call sites are shared" "2 3 100 8 2 0 2 2 10 1 1 1" \
	"$(rows shared "$tmp/known.kmap" | cut -d, -f2- | tr , ' ' | xargs)"
# Apart from widget_write, both read 110 bytes, and only it may write and free.
same "known: read_mark and gadget_irq belong together" "read_mark,[kernel],gadget,210" \
	"$(rows relocations "$tmp/known.kmap")"
printf '%s\n' 'a read_mark' 'b *' >"$tmp/reader"
same "known: in another partition, too" "gadget_irq [gadget],b,a,220" \
	"$(rows relocations --partition "$tmp/reader" --top 1 "$tmp/known.kmap" | head -n 1)"
printf '%s\n' 'a read_mark' 'a gadget_irq' 'b *' >"$tmp/best"
same "known: then nothing is better" "total,330,340 " \
	"$(rows privileges --partition "$tmp/best" "$tmp/known.kmap" | sed -n 's/^\(total,[0-9]*,[0-9]*\).*/\1/p') $(
	rows relocations --partition "$tmp/best" "$tmp/known.kmap")"

# Alone in c, a function that reads what a and b read; the first object is that of b.
cat >"$tmp/tie.kmap" <<EOF
ffffffff9b000010,1,1000,60,1,0,0,sh
  ffffffff9b000190,1,0,1
  ffffffff9b000110,1,0,1
  ffffffffc0400090,1,0,1
ffffffff9b000020,1,2000,10,1,0,0,sh
  ffffffff9b000210,1,0,1
EOF
printf '%s\n' 'b widget_write' 'a read_mark' 'c *' >"$tmp/tie"
same "known: of equal compartments, the first by name is better" "gadget_irq [gadget],c,a,70" \
	"$(rows relocations --partition "$tmp/tie" "$tmp/tie.kmap" | grep gadget)"

# Live bytes. SIZES AND LIVES: address, size, first and last jiffy of each object
bytes()
{
	for object; do
		echo "$object" | awk -F, '{ print "ffffffff9b000010,1," $1 "," $2 "," $3 "," $4 ",0,sh" }'
	done >"$tmp/lives.kmap"
	rows sum "$tmp/lives.kmap" | sed -n 's/^bytes,//p'
}

same "objects one after the other" 64 "$(bytes 1000,64,1,3 2000,32,4,5)"
same "objects that share a jiffy" 96 "$(bytes 1000,64,1,4 2000,32,4,5)"
same "an object within the life of another" 96 "$(bytes 1000,64,1,9 2000,32,4,5 3000,32,6,7)"
same "memory that is reused within a jiffy counts once, as the larger" 64 \
	"$(bytes 1000,32,4,4 1000,64,4,4 1000,16,4,4)"
same "then as the one that is left" 48 "$(bytes 1000,8,4,4 1000,16,4,9 2000,32,5,6 3000,1,9,9)"
same "live objects" 97 "$(bytes 1000,64,1,0 2000,32,1,0 3000,1,1000000,0)"

# most EVENT...: print live bytes in a trace with these events
most()
{
	rm -rf "$tmp/most"
	{
		printf '%s\n' "cpu 0 0" "time 1000000000" "switch allocations=1 accesses=1"
		for event; do
			echo "$event" | awk -F, '{ print $1, "call_site=ffffffff9b000010 kind=" $2,
				"ptr=" $3, ($1 == "free" ? "bytes=" $4 : "bytes_req=" $4 " bytes_alloc=" $5) }'
		done
		echo "access ip=ffffffff9b000110 ptr=1 size=1 kind=1"
	} | "$build/tests/make-trace" -q "$tmp/most"
	rows sum "$tmp/most" | sed -n 's/^bytes,//p'
}

same "slab objects of a trace, by requested bytes" 120 \
	"$(most alloc,0,ffff888000001000,60,64 alloc,0,ffff888000002000,60,64 free,0,ffff888000001000,64 \
	   alloc,0,ffff888000001000,50,64)"
same "pages that are freed in pieces" 12288 \
	"$(most alloc,2,ffff888000010000,8192,8192 free,2,ffff888000010000,4096 \
	   alloc,2,ffff888000020000,8192,8192 free,2,ffff888000011000,4096)"
same "memory whose free was not seen" 64 \
	"$(most alloc,0,ffff888000001000,64,64 alloc,0,ffff888000001000,64,64)"

# A model
seed=${MODEL_SEED:-1}
last=$((seed + ${MODEL_ROUNDS:-12}))
printf '%s\n' '# a comment' '' 'readers widget_read' 'readers *free' ' x	gadget_*' 'y gadget_irq' \
	'z gadget_i* [gadget]' >"$tmp/rules.bad"
sed '$d' "$tmp/rules.bad" >"$tmp/rules"
bad=0 moved=0
while [ "$seed" -lt "$last" ]; do
	$model make "$seed" >"$tmp/random.kmap" && $model calls "$seed" >"$tmp/random.calls" || exit 1
	for rules in "" "$tmp/rules"; do
		for calls in "" "$tmp/random.calls"; do
			$model model "$tmp/random.kmap" $calls $rules >"$tmp/want" || exit 1
			"$memorizer" privilege --json ${rules:+--partition $rules} ${calls:+--calls $calls} \
				--kallsyms "$data/kallsyms" "$tmp/random.kmap" 2>"$tmp/err" |
				$model tables >"$tmp/got"
			moved=$((moved + $(grep -c ^move "$tmp/want")))
			diff -u "$tmp/want" "$tmp/got" >"$tmp/diff" && continue
			bad=$((bad + 1))
			sed "s/^/# seed $seed: /" "$tmp/diff"
		done
	done
	seed=$((seed + 1))
done
same "privilege equals a model on random KMAPs" 0 $bad
[ $moved -gt 0 ]
ok $? "some functions of these are better elsewhere"

# The KMAP of a trace
{
	echo "cpu 0 0"
	echo "time 1000000000"
	sed -n '/^object/,/^counts ip/p' "$data/life.trace"
} >"$tmp/kmap.trace"
"$build/tests/make-trace" -q "$tmp/counted" <"$tmp/kmap.trace" || exit 1
"$memorizer" kmap "$tmp/counted" >"$tmp/counted.kmap" 2>"$tmp/err"
"$memorizer" privilege --csv --kallsyms "$data/kallsyms" "$tmp/counted.kmap" 2>"$tmp/err" |
	sed 1d | grep -v ^report >"$tmp/want"
"$memorizer" privilege --csv --kallsyms "$data/kallsyms" "$tmp/counted" 2>"$tmp/err" |
	sed 1d | grep -v ^report >"$tmp/got"
equal "a trace without streamed accesses is like its KMAP" "$tmp/want" "$tmp/got"
same "which has no CPUs" 0 "$(rows sum --cpu 0 "$tmp/counted" | sed -n 's/^nr_sites,//p')"
same "which has privileges" 60 "$(sed -n 's/^privileges,free,\([0-9]*\),.*/\1/p' "$tmp/got")"

# Partitions
same "directories come from the notes" "drivers,2" "$(rows compartments --by directory \
	--vmlinux "$tmp/notes" "$kmap" | cut -d, -f1,2 | grep drivers)"
same "files of functions are not headers" "drivers/widget.c" "$(rows compartments --by file \
	--vmlinux "$tmp/notes" "$kmap" | cut -d, -f1 | grep widget)"
printf '%s\n' 'widgets drivers/*' >"$tmp/paths"
same "a pattern with a slash is for files" "[other] widgets" "$(rows compartments \
	--partition "$tmp/paths" --vmlinux "$tmp/notes" "$kmap" | cut -d, -f1 | xargs)"
outcome "which must be known" 2 /dev/null \
	"memorizer privilege: source files are unknown: want --vmlinux with compiler notes" \
	privilege --partition "$tmp/paths" --kallsyms "$data/kallsyms" "$kmap"
outcome "as for --by file" 2 /dev/null \
	"memorizer privilege: source files are unknown: want --vmlinux with compiler notes" \
	privilege --by file --kallsyms "$data/kallsyms" "$kmap"
same "the first line that matches counts" "gadget,a" "$({ printf '%s\n' 'a gadget_*' 'b *' >"$tmp/first"
	rows compartments --partition "$tmp/first" "$kmap"; } | sed -n 's/^a,1,.*/gadget,a/p')"
# refused NAME TEXT WHY: a partition file with this text
refused()
{
	# shellcheck disable=SC2059 # a format
	printf "$2" >"$tmp/bad"
	outcome "refused: $1" 2 /dev/null "memorizer privilege: $tmp/bad$3" \
		privilege --partition "$tmp/bad" --kallsyms "$data/kallsyms" "$kmap"
}

refused "one word" 'lonely' ":1: a name without a pattern: want NAME GLOB"
refused "one word in a later line" '# x\na *\n lonely \n' ":3: a name without a pattern: want NAME GLOB"
refused "three words" 'a b\na b c\n' ":2: more than two words: want NAME GLOB"
refused "a reserved name" '[other] *\n' ":1: a name that begins with '[', as [other] does: want another one"
refused "a NUL byte" 'a b\na \000b\n' ":2: a NUL byte: want text"
refused "a long line" "a $(head -c 1024 /dev/zero | tr '\0' x)\\n" ":1: more than 1024 bytes: want NAME GLOB"
refused "no line" '# nothing\n' ": no compartments: want lines NAME GLOB"
outcome "a partition file that is not there" 2 /dev/null \
	"memorizer privilege: $tmp/none: No such file or directory" \
	privilege --partition "$tmp/none" "$kmap"
outcome "an unknown --by" 2 /dev/null \
	"memorizer privilege: --by colour: want function, file, directory or module
Try 'memorizer help privilege'." privilege --by colour "$kmap"
same "a line without its newline counts" "a 5" "$({ printf 'a *' >"$tmp/cut"
	rows compartments --partition "$tmp/cut" "$kmap"; } | cut -d, -f1,2 | tr , ' ')"

# Filters and limits
same "--site selects objects" "1 4096" "$(rows sum --site widget_alloc+0x100 "$kmap" |
	sed -n 's/^\(nr_sites\|bytes\),//p' | xargs)"
same "--comm selects objects" "1 64" "$(rows sum --comm tar "$kmap" |
	sed -n 's/^\(nr_sites\|bytes\),//p' | xargs)"
same "--from selects objects of a trace" "1 60" "$(rows sum --from 4 "$tmp/le" |
	sed -n 's/^\(nr_sites\|bytes\),//p' | xargs)"
same "kinds of memory of a call site are apart" 3 \
	"$(rows sum --kind slab,pages,stack "$data/kinds.kmap" | sed -n 's/^nr_sites,//p')"
same "the copies of a per-CPU variable are one object" "2 64" \
	"$(rows sum --kind static,percpu "$data/kinds.kmap" | sed -n 's/^nr_sites,//p') $(
	rows sum --kind percpu "$data/kinds.kmap" | sed -n 's/^bytes,//p')"
same "a shared object has its kind" "pages 20480" "$(rows shared --by function "$data/kinds.kmap" |
	sed -n 's/^[^,]*,pages,2,2,\([0-9]*\),.*/pages \1/p')"
same "--kind selects allocations of a trace" "1 8192" "$(rows sum --kind pages "$tmp/le" |
	sed -n 's/^\(nr_sites\|bytes\),//p' | xargs)"
outcome "--cache is for traces" 2 /dev/null "memorizer privilege: --cache: only for the directory of a trace
Try 'memorizer help privilege'." privilege --cache widget "$kmap"
outcome "an empty KMAP" 2 /dev/null \
	"memorizer: /dev/null: no objects: enable memorizer_enabled before reading the KMAP" privilege /dev/null
outcome "a filter that matches nothing" 2 /dev/null "memorizer: $kmap: nothing matches --comm nobody" \
	privilege --comm nobody "$kmap"
same "--sort and --top" "ffffffff8b000000" \
	"$(rows compartments --by function --sort name --top 1 "$kmap" | sed -n 's/,.*//p')"
"$memorizer" privilege "$kmap" >"$tmp/sorted"
outcome "--sort by the column of another command" 2 "$tmp/sorted" \
	"memorizer privilege: --sort held: no table has this column" privilege --sort held "$kmap"
printf '%s\n' "1,1,1000,4611686018427387904,1,0,0,sh" "  2,1,1,1" "3,1,5000000000000000,1,1,0,0,sh" >"$tmp/huge.kmap"
outcome "sums that overflow" 1 /dev/null "memorizer privilege: functions times bytes exceed 63 bits" \
	privilege "$tmp/huge.kmap"
# widget_alloc() calls read_mark() 3 and 4 times, and that one the other once; of 256 and 128 bytes
printf '%s\n' ffffffff9b000011,ffffffff9b000100,1,3 ffffffff9b000021,ffffffff9b000100,2,4 \
	ffffffff9b000101,ffffffff9b000004,1,1 >"$tmp/calls"
functions=$(rows sum --by function --calls "$tmp/calls" "$kmap" | sed -n 's/^nr_functions,//p')
same "calls and returns: each function might use 384 bytes" \
	"384 call,384,384,$((384 * functions)) return,384,384,$((384 * functions))" \
	"$(rows sum --by function --calls "$tmp/calls" "$kmap" | sed -n 's/^code_bytes,//p') $(
	rows privileges --by function --calls "$tmp/calls" "$kmap" | grep '^call\|^return' | cut -d, -f 1-4 | xargs)"
echo 'ffffffff9b000011,ffffffff9b000100,1' >>"$tmp/calls"
"$memorizer" privilege --json --calls "$tmp/calls" "$kmap" >"$tmp/out" 2>"$tmp/err"
same "malformed calls make the status 1" "1 $tmp/calls:4: malformed: want from_ip,to_ip,pid,count" "$? $(head -1 "$tmp/err")"
outcome "no calls file" 2 /dev/null "memorizer: $tmp/none: No such file or directory" privilege --calls "$tmp/none" "$kmap"
"$memorizer" privilege - <"$kmap" >"$tmp/out" 2>"$tmp/err"
"$memorizer" privilege "$kmap" >"$tmp/want" 2>"$tmp/err"
equal "standard input" "$tmp/want" "$tmp/out"
sed '2s/.*/  broken/' "$kmap" >"$tmp/broken.kmap"
"$memorizer" privilege --json "$tmp/broken.kmap" >"$tmp/out" 2>"$tmp/err"
same "malformed lines of a KMAP make the status 1" "1 1" \
	"$? $(grep -c '"incomplete": true' "$tmp/out")"
tap_end
