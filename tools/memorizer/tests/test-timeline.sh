#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Tests memorizer timeline: numbers, formats, the picture, windows, messages.
# Usage: test-timeline.sh DIR, with memorizer in it, and in its tests/ what the tests need

here=$(dirname "$0")
data=$here/data
build=$(cd "$1" && pwd) || exit 1
memorizer=$build/memorizer
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. "$here/tap.sh"

for order in le be; do
	"$build/tests/make-trace" -e $order "$tmp/$order" <"$data/life.trace" || exit 1
	mkdir "$tmp/$order/kernel"
	cp "$data/kallsyms" "$tmp/$order/kernel"
done

outcome "what is live over time is told" 0 "$data/life.timeline" "" timeline --spans 4 "$tmp/le"
outcome "of a trace in the other byte order as well" 0 "$data/life.timeline" "" \
	timeline --spans 4 "$tmp/be"
outcome "as JSON" 0 "$data/life.timeline.json" "" timeline --spans 4 --json "$tmp/le"
outcome "as CSV" 0 "$data/life.timeline.csv" "" timeline --spans 4 --csv "$tmp/le"
mkdir "$tmp/svg"
(cd "$tmp" && "$memorizer" timeline --spans 8 --svg svg/life le >out 2>&1)
equal "as a picture" "$data/life.svg" "$tmp/svg/life"

# column NAME ARGUMENTS...: a column of the spans
column()
{
	name=$1
	shift
	"$memorizer" timeline --csv "$@" 2>"$tmp/err" | awk -F, -v name="$name" '
		$1 == "table" && $2 == "begin" { for (i = 1; i <= NF; i++) if ($i == name) at = i }
		$1 == "spans" { print $at }' | xargs
}

same "a span of time without events has what was live before" "64 64 256 256 192 192 256 64" \
	"$(column slab_live --spans 8 "$tmp/le")"
same "and what was most is not less" "64 64 256 256 256 192 256 256" \
	"$(column slab_peak --spans 8 "$tmp/le")"
same "all events are in some span" "4 3" "$(for column in allocs frees; do
	column $column --spans 5 "$tmp/le" | tr ' ' '\n' | awk '{ n += $1 } END { print n }'
	done | xargs)"
same "so are all accesses" "4 4" "$(for column in reads writes; do
	column $column --spans 5 "$tmp/le" | tr ' ' '\n' | awk '{ n += $1 } END { print n }'
	done | xargs)"
same "between times, what was allocated before is live, too" "256 192" \
	"$(column slab_live --from 2 --to 3.9 --spans 2 "$tmp/le")"
same "between marks" "256 192" \
	"$(column slab_live --from begin --to "$(printf 'end\nof"it')" --spans 2 "$tmp/le")"
same "the peak is that of the time asked for, of what was live before, too" \
	"192 3100000000 widget_alloc+0x20/0x100" \
	"$("$memorizer" timeline --csv --from 3.1 --to 3.9 "$tmp/le" |
	   sed -n 's/^slab_most,[a-z]*,//p; s/^slab_peak,[^,]*,\([^,]*\).*/\1/p' | xargs)"

# Against a plain model: of what babeltrace2 prints, the most bytes live, and when
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
equal "the peak is what a plain model says" "$tmp/want" "$tmp/got"

"$build/tests/make-trace" "$tmp/lost" <"$data/kmem.trace" || exit 1
cp -r "$tmp/le/kernel" "$tmp/lost"
"$memorizer" timeline --json "$tmp/lost" >"$tmp/out" 2>"$tmp/err"
same "losses make it incomplete" "3 1 1" \
	"$? $(grep -c '"incomplete": true' "$tmp/out") $(grep -c incomplete "$tmp/err")"

hint="Try 'memorizer help timeline'."
outcome "a trace is wanted" 2 /dev/null "memorizer timeline: 0 traces: want one directory, or the parts of one
$hint" timeline
outcome "a number of spans" 2 /dev/null "memorizer timeline: --spans 0: want a number from 1 to \
100000
$hint" timeline --spans 0 "$tmp/le"
outcome "a mark that is there" 2 /dev/null "memorizer: $tmp/le: no mark 'nine'" \
	timeline --from nine "$tmp/le"
outcome "one after the first" 2 /dev/null "memorizer: $tmp/le: no mark 'begin' after 'begin'" \
	timeline --from begin --to begin "$tmp/le"
outcome "a time that is not past its end" 2 /dev/null \
	"memorizer: $tmp/le: ends before --from 99.000000000" timeline --from 99 "$tmp/le"
outcome "a time that is not over when it begins" 2 /dev/null \
	"memorizer: $tmp/le: --to is not after --from: want a later time" \
	timeline --from 3 --to 2 "$tmp/le"
outcome "a time that is not over when the trace begins" 2 /dev/null \
	"memorizer: $tmp/le: no events in that time" timeline --to 0.5 "$tmp/le"
"$memorizer" timeline --svg "$tmp/none/x" "$tmp/le" >"$tmp/out" 2>"$tmp/err"
same "a picture that can be written" "2 memorizer: $tmp/none/x: No such file or directory" \
	"$? $(cat "$tmp/err")"
cp "$data/life.svg" "$tmp/picture"
"$memorizer" timeline --svg "$tmp/picture" "$tmp/none" >"$tmp/out" 2>"$tmp/err"
"$memorizer" timeline --svg "$tmp/picture" --from 99 "$tmp/le" >"$tmp/out" 2>"$tmp/err"
equal "a picture stays as it was if there is no new one" "$data/life.svg" "$tmp/picture"
for file in cpu0 kernel/kallsyms new; do
	"$memorizer" timeline --svg "$tmp/le/$file" "$tmp/le" >"$tmp/out" 2>"$tmp/err"
	same "it does not go to $file of the trace" \
		"2 memorizer: $tmp/le/$file: lies in an input: want a file outside of it" \
		"$? $(cat "$tmp/err")"
done
outcome "and nothing of the trace is changed" 0 "$data/life.timeline" "" \
	timeline --spans 4 "$tmp/le"
tap_end
