#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Measures report and check of a trace of 10 million events, of which 100,000 objects live at
# a time, beside babeltrace2 printing the same: user time on one processor, and memory. Of
# memorizer the best of three, as others may be busy.
# Usage: bench-trace.sh DIR [EVENTS], with memorizer in it, and in its tests/ what is needed

events=${2:-10000000}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
"${1}tests/make-trace" -b "$events" -l 100000 "$tmp/trace" || exit 1
bytes=$(cat "$tmp"/trace/cpu* | wc -c)
echo "$events events, $bytes bytes"
# took COMMAND...: "MS KB"
took()
{
	taskset -c 0 "${dir}tests/peak" "$@" 2>&1 >"$tmp/out" | tail -n 1
}

dir=$1
for command in report check; do
	for i in 1 2 3; do
		took "${1}memorizer" $command "$tmp/trace"
		grep -Eq "^Events  *$events\$|^$events events" "$tmp/out" || echo "0 0"
	done | sort -n | sed "1s/^/$command /;q"
done >"$tmp/took"
echo "babeltrace2 $(took babeltrace2 "$tmp/trace")" >>"$tmp/took"
awk -v events="$events" '
	{ ms[$1] = $2; printf "%-12s %7.2f s of user time, %5.0f ns an event, %8d kB\n", $1, $2 / 1000, $2 * 1e6 / events, $3; bad += !$2 }
	END { printf "babeltrace2 takes %.1f times what report takes, and %.1f times what check takes\n",
		ms["babeltrace2"] / ms["report"], ms["babeltrace2"] / ms["check"]
		exit bad || ms["babeltrace2"] < 5 * ms["report"] || ms["babeltrace2"] < 5 * ms["check"] }' "$tmp/took"
