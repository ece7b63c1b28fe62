#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Test that all commands have the same filters, and that a command without anything to print
# says why.
# Usage: test-filters.sh DIR, the directory of a build

. "$(dirname "$0")/common.sh"

# trace NAME OPTION...: make the trace $tmp/NAME from standard input, with symbols
trace()
{
	name=$1
	shift
	"$build/tests/make-trace" "$@" "$tmp/$name" || exit 1
	mkdir "$tmp/$name/kernel"
	cp "$data/kallsyms" "$tmp/$name/kernel"
}

# A trace of three CPUs, three tasks, two caches and pages, with allocations, frees and accesses.
awk '
	# The generator of Park and Miller: rand() differs between implementations of awk.
	function random() { seed = seed * 16807 % 2147483647; return seed / 2147483647 }
BEGIN {
	seed = 1
	for (pid = 1; pid <= 3; pid++)
		print "task pid=" pid " comm=" (pid < 3 ? "one" : "two")
	print "cache cache=4096 object_size=64 size=64 name=widget"
	print "cache cache=8192 object_size=192 size=192 name=gadget"
	site[0] = "ffffffff9b000020"
	site[1] = "ffffffff9b000130"
	for (time = 1000000000; time < 1003000000; time += 1000) {
		print "cpu " int(3 * random()) "\ntime " time
		slot = int(40 * random())
		pid = 1 + int(3 * random())
		what = random()
		from = site[what < 0.7]
		ptr = sprintf("ffff88800%07x", 8192 * slot)
		if (what < 0.5) {
			kind = 1 + int(3 * random())
			print "access ip=ffffffff9b00018" kind " ptr=" ptr " size=4 kind=" kind \
				" pid=" pid
		} else if (slot in live) {
			print "free ptr=" ptr " " live[slot] " pid=" pid
			delete live[slot]
		} else if (slot % 3 == 2) {
			live[slot] = "kind=2 cache=0 bytes=4096"
			print "alloc call_site=" from " ptr=" ptr " kind=2 cache=0" \
				" bytes_req=4096 bytes_alloc=4096 pid=" pid
		} else {
			size = slot % 3 ? 192 : 64
			live[slot] = "kind=1 cache=" (slot % 3 ? 8192 : 4096) " bytes=" size
			print "alloc call_site=" from " ptr=" ptr " kind=1 cache=" \
				(slot % 3 ? 8192 : 4096) " bytes_req=" size - 8 " bytes_alloc=" size \
				" pid=" pid
		}
	}
}' >"$tmp/text"
trace load <"$tmp/text"
load=$tmp/load

# folded ARGUMENT...: print the stacks and numbers of the trace, sorted
folded()
{
	"$memorizer" fold "$@" "$load" | sort
}

# total: print the sum of all numbers
total()
{
	awk '{ n += $NF } END { print n + 0 }'
}

# added: sum up the numbers of equal stacks
added()
{
	awk '{ n = $NF; sub(/ [0-9]*$/, ""); sum[$0] += n }
		END { for (stack in sum) print stack, sum[stack] }' | sort
}

for value in accesses reads writes objects bytes live live-bytes; do
	folded -v $value >"$tmp/all"
	[ "$(wc -l <"$tmp/all")" -ge 6 ] && grep -q '^one;widget' "$tmp/all" &&
		grep -q '^two;\[pages\]' "$tmp/all"
	ok $? "several tasks and caches have $value"
	for chosen in "--comm one" "--cache wid*" "--cache [[]pages]" "--site read_mark"; do
		case $chosen in
		--comm*) pattern='^one;' ;;
		--site*) pattern='^[^;]*;[^;]*;read_mark\(;\| \)' ;;
		*wid*) pattern='^[^;]*;widget;' ;;
		*) pattern='^[^;]*;\[pages];' ;;
		esac
		grep "$pattern" "$tmp/all" >"$tmp/want"
		# shellcheck disable=SC2086 # an option and its argument
		folded -v $value $chosen >"$tmp/got"
		equal "fold $chosen has the $value of these frames" "$tmp/want" "$tmp/got"
	done
	for option in cpu pid; do
		for nr in 0 1 2 3; do
			folded -v $value --$option $nr 2>"$tmp/err"
		done | added >"$tmp/got"
		equal "the $value of each $option add up to all" "$tmp/all" "$tmp/got"
	done
	[ "${value#live}" = "$value" ] || continue
	{
		folded -v $value --to 1.001234
		folded -v $value --from 1.001234 --to 1.002
		folded -v $value --from 1.002
	} | added >"$tmp/got"
	equal "the $value of consecutive times add up to all" "$tmp/all" "$tmp/got"
done

# timeline, diff and fold have the same sums of allocations as report.
# sum KEY ARGUMENT...: print a sum of the report
sum()
{
	key=$1
	shift
	"$memorizer" report --csv "$@" "$load" | awk -F, -v key="$key" '
		($1 == "slab" || $1 == "pages") && $2 == key { n += $3 } END { print n + 0 }'
}

# columns NAME ARGUMENT...: print the sum of a column of timeline's spans, and the last span's value
columns()
{
	name=$1 last=$2
	shift 2
	"$memorizer" timeline --csv "$@" "$load" | awk -F, -v name="$name" -v last="$last" '
		$1 == "table" && $2 == "begin" { for (i = 1; i <= NF; i++) if ($i == name) at = i }
		$1 == "spans" { n = last ? $at : n + $at } END { print n + 0 }'
}

for chosen in "" "--comm one" "--pid 3" "--cpu 2" "--cache widget" "--site read_mark" \
	      "--comm two --cpu 1 --cache gadget"; do
	# shellcheck disable=SC2086 # options and their arguments
	{
		same "timeline $chosen has report's allocations" \
			"$(sum hit $chosen) $(sum bytes_alloc $chosen)" \
			"$(columns allocs "" $chosen) $(columns bytes_alloc "" $chosen)"
		same "timeline $chosen has report's frees" "$(sum frees $chosen) $(sum bytes_freed $chosen)" \
			"$(columns frees "" $chosen) $(columns bytes_freed "" $chosen)"
		slab=$(columns slab_live last $chosen)
		same "timeline $chosen has report's live objects" "$(sum live_bytes $chosen)" \
			"$((slab + $(columns pages_live last $chosen)))"
		same "fold $chosen has report's allocations" "$(sum hit $chosen) $(sum live_bytes $chosen)" \
			"$(folded -v objects $chosen | total) $(folded -v live-bytes $chosen | total)"
		"$memorizer" diff --all --csv $chosen "$load" "$load" >"$tmp/diff.csv"
		slab=$("$memorizer" report --csv $chosen "$load" | sed -n 's/^slab,hit,//p')
		same "diff $chosen has report's allocations" "sums,hit,$slab,$slab,0" \
			"$(grep '^sums,hit,' "$tmp/diff.csv")"
	}
done
same "timeline and fold count the same accesses" \
	"$(folded -v reads --cache widget --comm one | total)" \
	"$(columns reads "" --cache widget --comm one)"

# The KMAP of a trace, and a KMAP
trace mixed <"$data/mixed.trace"
mixed=$tmp/mixed
# objects PATTERN: print the objects of the KMAP on standard input that match, with their accesses
objects()
{
	awk -v pattern="$1" '/^[^ ]/ { chosen = $0 ~ pattern } chosen'
}
"$memorizer" kmap "$mixed" >"$tmp/kmap"
for chosen in "--comm x:,x\$" "--pid 42:^[^,]*,42," "--site ffffffff81000200:^ffffffff81000200,"; do
	objects "${chosen#*:}" <"$tmp/kmap" >"$tmp/want"
	# shellcheck disable=SC2086 # an option and its argument
	"$memorizer" kmap ${chosen%%:*} "$mixed" >"$tmp/got"
	[ -s "$tmp/want" ]
	ok $? "the KMAP has objects for ${chosen%%:*}"
	equal "kmap ${chosen%%:*} writes these" "$tmp/want" "$tmp/got"
done
trace life <"$data/life.trace"
"$memorizer" kmap "$tmp/life" >"$tmp/want"
"$memorizer" kmap --site 'widget_al*' "$tmp/life" >"$tmp/got"
equal "kmap knows the names of call sites" "$tmp/want" "$tmp/got"
times=$("$memorizer" script --csv --event object "$mixed" | awk -F, 'NR > 1 { print $3 }' |
	sort -un)
at=$(echo "$times" | awk '{ t[NR] = $1 } END { printf "%.9f", t[int(NR / 2) + 1] / 1e9 }')
{
	"$memorizer" kmap --to "$at" "$mixed"
	"$memorizer" kmap --from "$at" "$mixed"
} 2>"$tmp/err" | awk -F, '/^[^ ]/ && $6' | sort >"$tmp/got"
awk -F, '/^[^ ]/ && $6' "$tmp/kmap" | sort >"$tmp/want"
equal "kmap of consecutive times has all retired objects" "$tmp/want" "$tmp/got"
kmap=$data/session.kmap
"$memorizer" fold -K "$data/kallsyms" "$kmap" | grep '^tar;' >"$tmp/want"
"$memorizer" fold -K "$data/kallsyms" --comm tar "$kmap" >"$tmp/got"
equal "fold --comm filters a KMAP" "$tmp/want" "$tmp/got"
told="only for the directory of a trace"
for command in "fold $kmap" "diff $kmap $kmap"; do
	for option in "--cache x" "--cpu 0" "--from 1" "--to 1"; do
		# shellcheck disable=SC2086 # options and arguments
		"$memorizer" ${command%% *} $option ${command#* } >"$tmp/out" 2>"$tmp/err"
		same "${command%% *} $option of a KMAP is refused" \
			"2 memorizer ${command%% *}: ${option% *}: $told" \
			"$? $(head -n 1 "$tmp/err")"
	done
done
for option in "--cache x" "--cpu 0"; do
	# shellcheck disable=SC2086 # an option and its argument
	"$memorizer" kmap $option "$mixed" >"$tmp/out" 2>"$tmp/err"
	same "kmap $option of a KMAP is refused" \
		"2 memorizer kmap: ${option% *}: a KMAP has none: want --site, --comm or --pid" \
		"$? $(head -n 1 "$tmp/err")"
done

# Filters without a match
for command in script sharing summary stacks false-sharing per-entry cache-assoc report fold \
	       timeline diff; do
	second=
	names=$load
	[ $command = diff ] && second=$load names="$load and $load"
	for chosen in "pid 77" "cpu 9" "comm no*" "cache no?" "site no_function"; do
		# shellcheck disable=SC2086 # an option and its argument
		outcome "$command reports that $chosen does not occur" 2 /dev/null \
			"memorizer: $names: nothing matches --$chosen" \
			$command --$chosen "$load" $second
	done
done
outcome "script reports that an address does not occur" 2 /dev/null \
	"memorizer: $load: nothing matches --addr 1234" script --addr 1234 "$load"
outcome "script reports that no event matches all filters" 2 /dev/null \
	"memorizer: $load: no event matches all options: want fewer" \
	script --event alloc --addr ffff888000000001 --cache gadget "$load"

# Missing kinds of events
grep -v '^access' "$tmp/text" | trace none
none=$tmp/none
accesses="record --accesses with memorizer_log_access on"
moves="record --traffic with memorizer_log_access and memorizer_track_lines on"
without="memorizer: $none: no accesses"
for command in sharing false-sharing stacks "per-entry --accesses"; do
	outcome "$command reports missing accesses" 2 /dev/null \
		"$without or moves of cache lines: use $accesses, or $moves" $command "$none"
done
entries="record --entries"
outcome "per-entry reports missing entries" 2 /dev/null \
	"$without or moves of cache lines or entries to the kernel: use $accesses, or $moves, or $entries" \
	per-entry "$none"
for command in cache-assoc conflicts; do
	outcome "$command reports missing entries" 2 /dev/null "$without: use $accesses" $command "$none"
done
outcome "conflicts reports missing marks" 2 /dev/null \
	"memorizer: $load: no marks: use record --mark, or a task that writes to marker" \
	conflicts "$load"
outcome "serial reports missing locks" 2 /dev/null \
	"memorizer: $load: no locks: use record --locks" serial "$load"
outcome "kmap reports missing objects" 2 /dev/null \
	"memorizer: $load: no objects: use record --retirements or record --snapshot" \
	kmap "$load"
outcome "script reports missing kinds of events" 2 /dev/null \
	"memorizer: $load: no switches or locks: use record, or record --locks" \
	script --event lock,switch "$load"
outcome "script reports that no event was lost" 2 /dev/null "memorizer: $load: no losses" \
	script --event lost "$load"
"$memorizer" fold "$none" >"$tmp/out" 2>"$tmp/err"
same "fold reports missing accesses" 1 "$(grep -c 'no .*accesses: use' "$tmp/err")"
grep -v '^ ' "$kmap" >"$tmp/unaccessed"
: >"$tmp/empty"
for value in accesses reads writes; do
	outcome "fold reports missing accesses of a KMAP: $value" 2 /dev/null \
		"memorizer: $tmp/unaccessed: no accesses: enable memorizer_log_access before reading the KMAP" \
		fold --value $value -K "$data/kallsyms" "$tmp/unaccessed"
done
"$memorizer" fold --value objects -K "$data/kallsyms" "$kmap" >"$tmp/objects"
outcome "fold counts the objects of a KMAP without accesses" 0 "$tmp/objects" "" fold --value objects -K "$data/kallsyms" "$tmp/unaccessed"
outcome "fold reports missing objects" 2 /dev/null \
	"memorizer: $tmp/empty: no objects: enable memorizer_enabled before reading the KMAP" \
	fold --value bytes -K "$data/kallsyms" "$tmp/empty"
tap_end
