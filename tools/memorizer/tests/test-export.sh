#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Test export: a golden file, and that privilege computes the same from what was exported.
# Usage: test-export.sh DIR, the directory of a build;
# MODEL_ROUNDS=N for more random KMAPs, MODEL_SEED=N for others

. "$(dirname "$0")/common.sh"

kmap=$data/session.kmap
python3 -B "$here/make-notes.py" "$tmp/notes" <"$data/session.notes" || exit 1
lost="memorizer: 1 of 10 addresses have no symbol: use --kallsyms of the traced boot"

# cpm OPTIONS...: export with the functions of the tests
cpm() { "$memorizer" export --cpm --kallsyms "$data/kallsyms" "$@" 2>"$tmp/err"; }

outcome "export of a KMAP" 0 "$data/session.cpm" "$lost" \
	export --cpm --kallsyms "$data/kallsyms" --vmlinux "$tmp/notes" "$kmap"
for order in le be; do
	"$build/tests/make-trace" -e $order "$tmp/$order" <"$data/life.trace" || exit 1
	mkdir "$tmp/$order/kernel"
	cp "$data/kallsyms" "$tmp/$order/kernel"
	outcome "export of a trace, $order" 0 "$data/life.cpm" "" export --cpm --by module "$tmp/$order"
done

# privileges OF: print what is allowed to be read and written, and the monolithic privilege
privileges() { sed -n "s/^privileges,\\(read\\|write\\),$1,.*/\\1 \\2/p"; }

# The privileges of what is exported are those of the input
printf '%s\n' 'readers read_mark' 'writers widget_w*' >"$tmp/rules"
seed=${MODEL_SEED:-1}
last=$((seed + ${MODEL_ROUNDS:-12}))
bad=0 allowed=0
while [ "$seed" -lt "$last" ]; do
	python3 -B "$here/privilege.py" make "$seed" >"$tmp/random.kmap" || exit 1
	python3 -B "$here/privilege.py" calls "$seed" >"$tmp/random.calls" || exit 1
	for options in "--by function" "--by module" "--partition $tmp/rules"; do
		# shellcheck disable=SC2086 # options
		cpm $options --calls "$tmp/random.calls" "$tmp/random.kmap" >"$tmp/random.cpm"
		"$memorizer" privilege --csv --wxorx --cpm "$tmp/random.cpm" |
			privileges '\([0-9]*,[0-9]*\)' >"$tmp/got"
		# shellcheck disable=SC2086 # options
		"$memorizer" privilege --csv --kallsyms "$data/kallsyms" $options \
			--calls "$tmp/random.calls" "$tmp/random.kmap" \
			2>"$tmp/err" | privileges '[0-9]*,\([0-9]*,[0-9]*\)' >"$tmp/want"
		allowed=$((allowed + $(sed -n 's/^read \([0-9]*\),.*/\1/p' "$tmp/want")))
		diff -u "$tmp/want" "$tmp/got" >"$tmp/diff" && [ -s "$tmp/want" ] && continue
		bad=$((bad + 1))
		sed "s/^/# seed $seed: /" "$tmp/diff"
	done
	seed=$((seed + 1))
done
same "privilege computes the same from export as from random KMAPs" 0 $bad
[ $allowed -gt 0 ]
ok $? "these have privileges"

# Calls and returns are between compartments, with their numbers
printf '%s\n' ffffffff9b000011,ffffffff9b000100,1,3 ffffffff9b000021,ffffffff9b000100,2,4 \
	ffffffff9b000101,ffffffff9b000004,1,1 >"$tmp/calls"
cpm --calls "$tmp/calls" "$kmap" | sed -n '/^privileges/,$p' | grep 'subject: \|_call\|call_\|_return\|return_' >"$tmp/out"
same "calls and returns are exported" \
	"read_mark can_call: [S4.widget_alloc] call_counts: [1] can_return: [S4.widget_alloc] return_counts: [7]
widget_alloc can_call: [S3.read_mark] call_counts: [7] can_return: [S3.read_mark] return_counts: [1]" \
	"$(sed -n '/subject: S[34]/,/return_counts/p' "$tmp/out" | sed 's/.*subject: S.\.//' | xargs -n 9)"
same "others call nobody" 0 "$(sed '/subject: S[34]/,/return_counts/d' "$tmp/out" | grep -c 'can.*S')"

# counts OPERATION: sum up the counts of what is exported
counts()
{
	sed -n "/^  can_/h; /^    counts/{ x; /can_$1/!{ x; d; }; x; s/.*\\[\\(.*\\)\\]/\\1/; s/, /\\n/g; p; }" |
		awk '{ n += $1 } END { print n }'
}

same "counts are those of the KMAP" \
	"$("$memorizer" report --csv "$kmap" | sed -n 's/^summary,\(reads\|writes\),//p' | xargs)" \
	"$(cpm "$kmap" >"$tmp/out"; counts read <"$tmp/out") $(counts write <"$tmp/out")"
# used: print each count of what is exported, summed up over contexts and members: subject,
# operation, id or other subject, count
used()
{
	awk -v OFS='\t' '
		/^- name: O/ { object = $3 }
		/^  objects:/ {
			sub(/^[^[]*\[./, "")
			sub(/.\]$/, "")
			split($0, part, "|")
			sub(/\..*/, "", part[3])
			id[object] = part[1] "|" part[2] "|" part[3] "|" part[4]
		}
		/^    subject:/ { subject = $2 }
		/^  can_(read|write):/ { op = $1 }
		/^  - objects:|^  can_(call|return):/ { if (/can/) op = $1; sub(/^[^[]*/, ""); names = $0 }
		/counts:/ {
			sub(/^[^[]*/, "")
			gsub(/[][]/, "")
			gsub(/[][]/, "", names)
			n = split($0, count, ", ")
			split(names, name, ", ")
			for (i = 1; i <= n; i++)
				sum[subject OFS op OFS (name[i] in id ? id[name[i]] : name[i])] += count[i]
		}
		END { for (key in sum) print key, sum[key] }' | sort
}

outcome "contexts" 0 "$data/contexts.cpm" "$lost" \
	export --cpm --contexts --kallsyms "$data/kallsyms" --vmlinux "$tmp/notes" "$kmap"
for input in "$kmap" "$tmp/le" "$tmp/random.kmap"; do
	for by in function module; do
		cpm --by $by --calls "$tmp/calls" "$input" >"$tmp/one.cpm"
		cpm --by $by --calls "$tmp/calls" --contexts "$input" >"$tmp/by-task.cpm"
		used <"$tmp/one.cpm" >"$tmp/want"
		used <"$tmp/by-task.cpm" >"$tmp/got"
		equal "contexts by $by of ${input##*/} have the counts of all" "$tmp/want" "$tmp/got"
		grep -q can_call "$tmp/got" && grep -q can_read "$tmp/got"
		ok $? "there are reads and calls"
		"$memorizer" privilege --csv --cpm "$tmp/one.cpm" >"$tmp/want"
		"$memorizer" privilege --csv --cpm "$tmp/by-task.cpm" >"$tmp/got"
		equal "and its privileges" "$tmp/want" "$tmp/got"
	done
done
same "calls are by task, too" "pid: 1 : [3] pid: 2 : [4]" "$(cpm --contexts --calls "$tmp/calls" "$kmap" |
	sed -n '/subject: S4/,/call_counts/{ s/.*{pid/pid/p; s/.*call_counts//p; }' | xargs | tr -d '}')"
same "a context has one privilege of a domain" "" "$(sed -n '/subject:/{ N; p; }' "$tmp/by-task.cpm" | paste - - | sort | uniq -d)"
# Members
{
	cat "$data/session.notes" "$data/places.notes"
	echo "note alloc ffffffff82000000 widget - drivers/widget.c 5 0 0 32 0"
} | python3 -B "$here/make-notes.py" "$tmp/placed" || exit 1
"$build/tests/make-trace" "$tmp/places" <"$data/places.trace" || exit 1
mkdir "$tmp/places/kernel"
cp "$data/kallsyms" "$tmp/places/kernel"
outcome "members in a KMAP" 0 "$data/fields.cpm" "$lost" \
	export --cpm --fields --kallsyms "$data/kallsyms" --vmlinux "$tmp/notes" "$kmap"
outcome "members by the place of accesses in a trace" 0 "$data/places.cpm" "" \
	export --cpm --fields --vmlinux "$tmp/placed" "$tmp/places"
outcome "members without notes" 2 /dev/null \
	"memorizer export: --fields: members are unknown: want --vmlinux with compiler notes" \
	export --cpm --fields --kallsyms "$data/kallsyms" "$kmap"
for of in "$tmp/notes $kmap" "$tmp/placed $tmp/places" "$tmp/notes $tmp/le"; do
	# shellcheck disable=SC2086 # two files
	cpm --vmlinux $of >"$tmp/one.cpm"
	# shellcheck disable=SC2086 # two files
	cpm --fields --contexts --vmlinux $of >"$tmp/fields.cpm"
	used <"$tmp/one.cpm" >"$tmp/want"
	used <"$tmp/fields.cpm" >"$tmp/got"
	equal "members in ${of##*/} have the counts of their objects" "$tmp/want" "$tmp/got"
	grep -q 'HEAP.*|[0-9]*\.' "$tmp/fields.cpm" && grep -q HEAP "$tmp/got"
	ok $? "there are members"
done
# Two of three objects are live at once. A member by its place, all of a record, a member by the
# compiler's note, an unknown place; a variable; pages.
cat >"$tmp/places.kmap" <<EOF
slab,ffffffff9b000010,1,1000,32,1,2,0,sh
  ffffffff9b000210,1,2,1,8+4
  ffffffff9b000210,1,1,0,0+32
  ffffffff9b000110,1,0,5
  ffffffff9b000218,1,0,9
slab,ffffffff9b000010,1,2000,32,3,0,0,sh
slab,ffffffff9b000010,1,3000,32,3,0,0,sh
static,ffffffff9c000000,1,ffffffff9c000000,32,1,0,0,sh
  ffffffff9b000210,1,3,0,24+4
pages,ffffffff9b000010,1,4000,4096,3,0,0,sh
  ffffffff9b000210,1,4,0,8+4
EOF
cpm --fields --vmlinux "$tmp/placed" "$tmp/places.kmap" >"$tmp/out"
same "known: sizes" "GLOBAL|||jiffies 32 GLOBAL|||jiffies.unused 4 HEAP|drivers/widget.c|10.inner.count| 8 HEAP|drivers/widget.c|10| 4160" \
	"$(sed -n "/^subject_map/q; s/^  objects: \['\(.*\)'\]/\1/p; s/^  sizes: \[\(.*\)\]/\1/p" "$tmp/out" | xargs -d '\n')"
same "known: counts" "[O3, O4] [1, 9] [O2, O3, O4] [3, 2, 5] [O3] [5] [] []" \
	"$(sed -n '/objects: \|counts: /s/.*: //p' "$tmp/out" | sed '1,/HEAP.*10|/d' | xargs -d '\n')"
# The same kernel and module in another boot. Only addresses without a symbol differ.
grep -v ffffffff8b000000 "$kmap" >"$tmp/boot.kmap"
for of in "$tmp/boot.kmap" "$data/kallsyms"; do
	sed 's/ffffffff9[bc]\|ffffffffc0/&:/g; s/9b:/ab/g; s/9c:/ac/g; s/c0:/d3/g' "$of" >"$tmp/other-${of##*/}"
done
echo "gadget fedcba9876543210" | tee "$tmp/boot.kmap.notes.modules" >"$tmp/other-boot.kmap.notes.modules"
cpm --vmlinux "$tmp/notes" "$tmp/boot.kmap" >"$tmp/want"
"$memorizer" export --cpm --kallsyms "$tmp/other-kallsyms" --vmlinux "$tmp/notes" "$tmp/other-boot.kmap" >"$tmp/got" 2>"$tmp/err"
equal "ids do not depend on KASLR" "$tmp/want" "$tmp/got"
same "they have no addresses" 0 "$(grep -c ffffffff "$tmp/got")"
same "they belong to builds" "build_ids: - name: vmlinux id: 0123456789abcdef0123456789abcdef01234567 - name: gadget id: fedcba9876543210 object_map:" \
	"$(sed -n '/^build_ids/,/^object_map/p' "$tmp/got" | xargs)"
sed '/^build_ids/,/gadget$/d; /^  id:/d' "$tmp/got" >"$tmp/base"
"$memorizer" privilege --csv --cpm "$tmp/base" >"$tmp/base.csv"
outcome "privilege computes the same with build ids" 0 "$tmp/base.csv" "" privilege --csv --cpm "$tmp/got"
# The order of objects is not that of the input
sed -n '1,3p' "$kmap" >"$tmp/first"
sed '1,3d' "$kmap" | cat - "$tmp/first" >"$tmp/other.kmap"
cpm --partition "$tmp/rules" "$kmap" >"$tmp/want"
cpm --partition "$tmp/rules" "$tmp/other.kmap" >"$tmp/got"
equal "the order of objects does not matter" "$tmp/want" "$tmp/got"
# Two call sites in a line, which were live at once; a variable; a quote
{
	sed '/note alloc ffffffff81000020/d' "$data/session.notes"
	echo "note alloc ffffffff81000020 widget - drivers/widget.c 10 0 0 32 0"
} | python3 -B "$here/make-notes.py" "$tmp/line" || exit 1
cat >"$tmp/ids.kmap" <<EOF
ffffffff9b000010,1,1000,60,1,0,0,sh
  ffffffff9b000110,1,0,1
ffffffff9b000020,1,2000,40,1,0,0,sh
  ffffffff9b000110,1,0,2
ffffffff9c000000,1,3000,8,1,0,0,sh
  ffffffff9b000110,1,3,0
EOF
same "call sites in a line are one object, a variable has its name" \
	"['GLOBAL|||jiffies'] [8] ['HEAP|drivers/widget.c|10|'] [100] counts [3] counts [3]" \
	"$(cpm --vmlinux "$tmp/line" "$tmp/ids.kmap" |
	   sed -n '/^subject_map/,/^privileges/d; s/^  objects: //p; s/^  sizes: //p; s/^  *counts:/counts/p' | xargs -d '\n')"
# Kinds of memory; per-CPU memory is that of no known variable here
same "ids depend on the kind of memory" \
	"GLOBAL|||jiffies HEAP|drivers/widget.c|10| OTHER|||1000 percpu OTHER|||struct_page STACK_REGION|drivers/widget.c|10|" \
	"$(sed 's/ffffffff9c001000/ffffffff9c000000/g' "$data/kinds.kmap" >"$tmp/kinds.kmap"
	cpm --vmlinux "$tmp/notes" "$tmp/kinds.kmap" | sed -n "s/^  objects: \['\(.*\)'\]/\1/p" | xargs -d '\n')"
same "--kind selects objects" "STACK_REGION" \
	"$(cpm --vmlinux "$tmp/notes" --kind stack "$tmp/kinds.kmap" | sed -n "s/^  objects: \['\([A-Z_]*\)|.*/\1/p")"
printf '%s\n' "it's/x *" >"$tmp/odd"
same "names of domains have no other characters" "- name: S1.it_s_x" "$(cpm --partition "$tmp/odd" "$kmap" | grep '^- name: S')"
# CAPMAPs
cmap() { "$memorizer" export --cmap --kallsyms "$data/kallsyms" --vmlinux "$tmp/notes" "$@" 2>"$tmp/err"; }

echo ffffffffc0400011,ffffffff9b000100,1,9 >>"$tmp/calls"
outcome "a CAPMAP" 0 "$data/session.cmap" \
	"memorizer export: left out 1 call sites, 1032 accesses and 9 calls: not of vmlinux
memorizer: 1 of 16 addresses have no symbol: use --kallsyms of the traced boot" \
	export --cmap --kallsyms "$data/kallsyms" --vmlinux "$tmp/notes" --calls "$tmp/calls" "$kmap"
# One object was freed by known code.
same "it has the counts of the KMAP that are not left out" \
	"$("$memorizer" report --csv "$kmap" | awk -F, '/^summary,(reads|writes),/ { n += $3 } END { print n + 1 }')" \
	"$(cmap "$kmap" | awk -F, '/^  / { n += $2 + $3 + $4 } END { print n + 1032 }')"
for order in le be; do
	cmap "$tmp/$order" >"$tmp/$order.cmap"
done
equal "of a trace, too" "$tmp/le.cmap" "$tmp/be.cmap"
cmap "$tmp/other.kmap" >"$tmp/got"
cmap "$kmap" >"$tmp/want"
equal "the order of objects does not matter to a CAPMAP" "$tmp/want" "$tmp/got"
cmap "$tmp/boot.kmap" >"$tmp/want"
"$memorizer" export --cmap --kallsyms "$tmp/other-kallsyms" --vmlinux "$tmp/notes" "$tmp/other-boot.kmap" >"$tmp/got" 2>"$tmp/err"
equal "nor does KASLR" "$tmp/want" "$tmp/got"
{
	cat "$data/kallsyms"
	printf '%s\n' "ffffffff9c001000 D first" "ffffffff9c001020 D second" "ffffffff9c002000 D vmemmap_base" "0000000000001000 A per_cpu" "0000000000001020 A others"
} >"$tmp/kallsyms"
{
	cat "$data/kinds.kmap"
	printf '%s\n' vmalloc,ffffffff9b000010,7,1,100,1,0,0,a "  ffffffff9b000110,7,1,1" vmap,ffffffff9b000010,7,1000,10,1,0,0,a \
		memblock,ffffffff9b000010,0,2000,50,1,0,0,a "  ffffffff9b000110,7,2,0" \
		memblock,ffffffff9b000020,0,3000,60,1,0,0,a "  ffffffff9b000110,7,3,0"
} >"$tmp/kinds.kmap"
outcome "kinds of memory in a CAPMAP" 0 "$data/kinds.cmap" "" \
	export --cmap --kallsyms "$tmp/kallsyms" --vmlinux "$tmp/notes" "$tmp/kinds.kmap"
for addr in 0 8000000000000000; do
	echo "ffffffff9b000010,1,$addr,9223372036854775808,1,0,0,a"
done >"$tmp/huger.kmap"
outcome "sizes that overflow in a CAPMAP" 1 /dev/null "memorizer export: sizes exceed 64 bits" \
	export --cmap --kallsyms "$data/kallsyms" --vmlinux "$tmp/notes" "$tmp/huger.kmap"
hint="Try 'memorizer help export'."
outcome "a CAPMAP needs a vmlinux" 2 /dev/null "memorizer export: --cmap: want --vmlinux, whose addresses a CAPMAP has
$hint" export --cmap "$kmap"
for only in --fields --contexts "--by module" "--partition $tmp/rules"; do
	# shellcheck disable=SC2086 # an option with its argument
	outcome "$only is not for a CAPMAP" 2 /dev/null "memorizer export: ${only%% *}: only with --cpm
$hint" export --cmap $only --vmlinux "$tmp/notes" "$kmap"
done
# Nothing that is not there
printf '1,1,1000,8,1,0,0,sh\n' >"$tmp/none.kmap"
same "a KMAP without accesses" "subject_map: [] privileges: []" "$(cpm "$tmp/none.kmap" | grep '\[\]' | xargs)"
outcome "a format is needed" 2 /dev/null "memorizer export: no format: want --cpm or --cmap
Try 'memorizer help export'." export "$kmap"
outcome "one format" 2 /dev/null "memorizer export: two formats: want --cpm or --cmap
Try 'memorizer help export'." export --cpm --cmap "$kmap"
outcome "two inputs" 2 /dev/null \
	"memorizer export: 2 inputs: want one directory, or the parts of one, or a KMAP
Try 'memorizer help export'." export --cpm "$kmap" "$kmap"
outcome "files that are unknown" 2 /dev/null \
	"memorizer export: source files are unknown: want --vmlinux with compiler notes" \
	export --cpm --by file "$kmap"
outcome "--cpu is for traces" 2 /dev/null "memorizer export: --cpu: only for the directory of a trace
Try 'memorizer help export'." export --cpm --cpu 0 "$kmap"
printf '%s\n' "1,1,1000,4611686018427387904,1,0,0,sh" "  2,1,1,1" "3,1,5000000000000000,1,1,0,0,sh" >"$tmp/huge.kmap"
outcome "sums that overflow" 1 /dev/null "memorizer export: functions times bytes exceed 63 bits" \
	export --cpm "$tmp/huge.kmap"
tap_end
