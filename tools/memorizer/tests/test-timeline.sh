#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Test memorizer timeline: numbers, formats, the picture, windows, messages.
# Usage: test-timeline.sh DIR, the directory of a build

. "$(dirname "$0")/common.sh"

for order in le be; do
	"$build/tests/make-trace" -e $order "$tmp/$order" <"$data/life.trace" || exit 1
	mkdir "$tmp/$order/kernel"
	cp "$data/kallsyms" "$tmp/$order/kernel"
done

outcome "timeline shows live objects over time" 0 "$data/life.timeline" "" timeline --spans 4 "$tmp/le"
outcome "timeline of the other byte order" 0 "$data/life.timeline" "" \
	timeline --spans 4 "$tmp/be"
outcome "timeline as JSON" 0 "$data/life.timeline.json" "" timeline --spans 4 --json "$tmp/le"
outcome "timeline as CSV" 0 "$data/life.timeline.csv" "" timeline --spans 4 --csv "$tmp/le"
mkdir "$tmp/svg"
(cd "$tmp" && "$memorizer" timeline --spans 8 --svg svg/life le >out 2>&1)
equal "timeline as a picture" "$data/life.svg" "$tmp/svg/life"

# column NAME ARGUMENTS...: print a column of the spans
column()
{
	name=$1
	shift
	"$memorizer" timeline --csv "$@" 2>"$tmp/err" | awk -F, -v name="$name" '
		$1 == "table" && $2 == "begin" { for (i = 1; i <= NF; i++) if ($i == name) at = i }
		$1 == "spans" { print $at }' | xargs
}

same "a span without events has the previous live objects" "64 64 256 256 192 192 256 64" \
	"$(column slab_live --spans 8 "$tmp/le")"
same "a span without events has the previous peak" "64 64 256 256 256 192 256 256" \
	"$(column slab_peak --spans 8 "$tmp/le")"
same "each event is in a span" "4 3" "$(for column in allocs frees; do
	column $column --spans 5 "$tmp/le" | tr ' ' '\n' | awk '{ n += $1 } END { print n }'
	done | xargs)"
same "each access is in a span" "4 4" "$(for column in reads writes; do
	column $column --spans 5 "$tmp/le" | tr ' ' '\n' | awk '{ n += $1 } END { print n }'
	done | xargs)"
same "--from and --to times include objects allocated before" "256 192" \
	"$(column slab_live --from 2 --to 3.9 --spans 2 "$tmp/le")"
same "--from and --to marks" "256 192" \
	"$(column slab_live --from begin --to "$(printf 'end\nof"it')" --spans 2 "$tmp/le")"
same "the peak is that of the window, including objects from before" \
	"192 3100000000 widget_alloc+0x20/0x100" \
	"$("$memorizer" timeline --csv --from 3.1 --to 3.9 "$tmp/le" |
	   sed -n 's/^slab_most,[a-z]*,//p; s/^slab_peak,[^,]*,\([^,]*\).*/\1/p' | xargs)"

# Compare the peak of live bytes and its time with a simple model on babeltrace2's output
"$build/tests/make-trace" -b 30000 -c 3 -l 700 "$tmp/load" || exit 1
cp -r "$tmp/le/kernel" "$tmp/load"
babeltrace2 --clock-cycles --no-delta "$tmp/load" | tr -d '[],' | awk '
	$2 == "alloc:" || $2 == "free:" {
		kind = ptr = bytes = ""
		for (i = 3; i < NF; i++) {
			if ($i == "kind" && kind == "")
				kind = $(i + 2) $(i + 3) $(i + 4)
			if ($i == "ptr")
				ptr = $(i + 2)
			if ($i == "bytes_alloc")
				bytes = $(i + 2)
		}
		if (kind ~ /pages|PAGES/)
			next
		live -= of[ptr]
		delete of[ptr]
		if ($2 == "alloc:") {
			of[ptr] = bytes
			live += bytes
		}
		if (live > most) {
			most = live
			when = $1 + 0
		}
	}
	END { print most, when }' >"$tmp/want"
"$memorizer" timeline --csv "$tmp/load" | sed -n 's/^slab_most,[a-z]*,//p' | xargs >"$tmp/got"
equal "the peak equals the model's" "$tmp/want" "$tmp/got"

"$build/tests/make-trace" "$tmp/lost" <"$data/kmem.trace" || exit 1
cp -r "$tmp/le/kernel" "$tmp/lost"
"$memorizer" timeline --json "$tmp/lost" >"$tmp/out" 2>"$tmp/err"
same "losses make the timeline incomplete" "3 1 1" \
	"$? $(grep -c '"incomplete": true' "$tmp/out") $(grep -c incomplete "$tmp/err")"

hint="Try 'memorizer help timeline'."
outcome "a missing trace is refused" 2 /dev/null "memorizer timeline: 0 traces: want one directory, or the parts of one
$hint" timeline
outcome "an invalid number of spans is refused" 2 /dev/null "memorizer timeline: --spans 0: want a number from 1 to \
100000
$hint" timeline --spans 0 "$tmp/le"
outcome "an unknown mark is refused" 2 /dev/null "memorizer: $tmp/le: no mark 'nine'" \
	timeline --from nine "$tmp/le"
outcome "a --to mark before --from is refused" 2 /dev/null "memorizer: $tmp/le: no mark 'begin' after 'begin'" \
	timeline --from begin --to begin "$tmp/le"
outcome "a --from time after the end is refused" 2 /dev/null \
	"memorizer: $tmp/le: ends before --from 99.000000000" timeline --from 99 "$tmp/le"
outcome "a --to time before --from is refused" 2 /dev/null \
	"memorizer: $tmp/le: --to is not after --from: want a later time" \
	timeline --from 3 --to 2 "$tmp/le"
outcome "a --to time before the trace is refused" 2 /dev/null \
	"memorizer: $tmp/le: no events in that time" timeline --to 0.5 "$tmp/le"
"$memorizer" timeline --svg "$tmp/none/x" "$tmp/le" >"$tmp/out" 2>"$tmp/err"
same "an unwritable picture is refused" "2 memorizer: $tmp/none/x: No such file or directory" \
	"$? $(cat "$tmp/err")"
cp "$data/life.svg" "$tmp/picture"
"$memorizer" timeline --svg "$tmp/picture" "$tmp/none" >"$tmp/out" 2>"$tmp/err"
"$memorizer" timeline --svg "$tmp/picture" --from 99 "$tmp/le" >"$tmp/out" 2>"$tmp/err"
equal "a failure leaves the picture unchanged" "$data/life.svg" "$tmp/picture"
for file in cpu0 kernel/kallsyms new; do
	"$memorizer" timeline --svg "$tmp/le/$file" "$tmp/le" >"$tmp/out" 2>"$tmp/err"
	same "the picture does not overwrite $file of the trace" \
		"2 memorizer: $tmp/le/$file: lies in an input: want a file outside of it" \
		"$? $(cat "$tmp/err")"
done
outcome "the trace is unchanged" 0 "$data/life.timeline" "" \
	timeline --spans 4 "$tmp/le"
tap_end
