#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Tests the analyses of what surrounds accesses: cache lines, entries to the kernel, locks, calls.
# Usage: test-analyses.sh DIR, with memorizer in it, and in its tests/ what the tests need;
# MODEL_ROUNDS=N for more random traces, MODEL_SEED=N for others

here=$(dirname "$0")
data=$here/data
build=$(cd "$1" && pwd) || exit 1
memorizer=$build/memorizer
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. "$here/tap.sh"

# make_trace NAME [OPTIONS]: the trace of a script, in both byte orders
make_trace()
{
	script=$1
	shift
	for order in le be; do
		"$build/tests/make-trace" -e $order "$@" "$tmp/$script.$order" <"$data/$script.trace" ||
			exit 1
		mkdir "$tmp/$script.$order/kernel"
		cp "$data/kallsyms" "$tmp/$script.$order/kernel"
	done
}

# golden COMMAND TRACE [OPTIONS]: what a command prints is as it was reviewed, in all formats
golden()
{
	command=$1 trace=$2
	shift 2
	for order in le be; do
		outcome "$command of $trace, $order" 0 "$data/$trace.$command" "" \
			"$command" "$@" "$tmp/$trace.$order"
	done
	outcome "$command of $trace as JSON" 0 "$data/$trace.$command.json" "" \
		"$command" "$@" --json "$tmp/$trace.le"
	outcome "$command of $trace as CSV" 0 "$data/$trace.$command.csv" "" \
		"$command" "$@" --csv "$tmp/$trace.le"
}

# rows TABLE COMMAND ARGUMENTS...: the rows of a table, as CSV
rows()
{
	table=$1
	shift
	"$memorizer" "$@" --csv 2>"$tmp/err" | sed -n "s/^$table,//p"
}

# sharing
make_trace lines
golden sharing lines --addresses
same "the two lines of an object: true and false sharing" \
	"ffff888000001000,widget,widget_alloc+0x10/0x100,0,6,57.142,4,3,1,9,5,6,2,4,3
ffff888000001040,widget,widget_alloc+0x10/0x100,1,4,0.000,0,0,0,4,0,4,0,4,2" \
	"$(rows lines sharing "$tmp/lines.le" | grep ',widget,')"
same "--site leaves the others out" 2 "$(rows lines sharing --site widget_alloc+0x10 "$tmp/lines.le" | wc -l)"
same "--cpu counts what that one moves" 1 "$(rows sum sharing --cpu 2 "$tmp/lines.le" | sed -n 's/^moves,//p')"
same "--pid, too" 8 "$(rows sum sharing --pid 101 "$tmp/lines.le" | sed -n 's/^moves,//p')"
same "and --comm" 1 "$(rows sum sharing --comm 'f*' "$tmp/lines.le" | sed -n 's/^moves,//p')"
same "--from and --to marks" 4 \
	"$(rows sum sharing --from false --to reuse "$tmp/lines.le" | sed -n 's/^moves,//p')"
same "what happened before still counts for whom the line is" "widget+0x48 widget+0x40" \
	"$(rows pairs sharing --from 1.0000002 --to 1.00000021 "$tmp/lines.le" | awk -F, '{ print $1, $4 }')"
same "lines of 8 bytes: there is no false sharing" 0 \
	"$(rows sum sharing --line 8 "$tmp/lines.le" | sed -n 's/^false_sharing,//p')"
outcome "lines of no size" 2 /dev/null "memorizer sharing: --line 0: want a number from 1 to 4096
Try 'memorizer help sharing'." sharing --line 0 "$tmp/lines.le"
outcome "lines of a strange size" 2 /dev/null \
	"memorizer: $tmp/lines.le: lines of 65 bytes: want a power of two up to 4096" \
	sharing --line 65 "$tmp/lines.le"
"$memorizer" sharing --from nine "$tmp/lines.le" >"$tmp/out" 2>"$tmp/err"
same "a mark that is there" "2 memorizer: $tmp/lines.le: no mark 'nine'" "$? $(cat "$tmp/err")"

# Against a model that was written apart, of accesses, and of the traffic that it makes of them
seed=${MODEL_SEED:-1}
end=$((seed + ${MODEL_ROUNDS:-10}))
while [ "$seed" -lt "$end" ]; do
	order=le
	[ $((seed % 2)) -eq 0 ] || order=be
	"$here/model-lines.py" make "$seed" >"$tmp/script"
	"$here/model-lines.py" traffic <"$tmp/script" >"$tmp/script.traffic"
	for what in "" .traffic; do
		rm -rf "$tmp/random$what"
		"$build/tests/make-trace" -e $order "$tmp/random$what" <"$tmp/script$what"
		"$memorizer" sharing --addresses --csv "$tmp/random$what" 2>"$tmp/err" |
			"$here/model-lines.py" csv | sort >"$tmp/got$what"
	done
	"$here/model-lines.py" moves <"$tmp/script" | sort >"$tmp/want"
	[ "$(wc -l <"$tmp/want")" -gt 12 ]
	ok $? "random accesses, seed $seed: there are lines"
	equal "which lines move why is as the model has it, seed $seed, $order" "$tmp/want" "$tmp/got"
	# What did not move is not in the other one, nor are lines that only one CPU moved
	for file in want got.traffic; do
		awk '$1 == "line" && $3 > 1 { print $2, $3, $4, $9 }' "$tmp/$file" >"$tmp/$file.moves"
	done
	equal "and of traffic events the same, seed $seed" "$tmp/want.moves" "$tmp/got.traffic.moves"
	same "whose tables add up" 0 "$(grep -c '^sum' "$tmp/got.traffic")"
	seed=$((seed + 1))
done
tap_end
