#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Measure report, check and script of a trace of 10 million events with 100,000 live objects,
# beside babeltrace2 printing the same trace, and sharing, false-sharing and html of one of which
# three in four events are accesses: user time on one processor, and memory. The best of three runs
# counts for each command of memorizer, because of other load. Leaves the figures in
# DIR/bench-trace.csv.
# Usage: bench-trace.sh DIR [EVENTS], DIR is the directory of a build

dir=$1
events=${2:-10000000}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
"${dir}tests/make-trace" -b "$events" -l 100000 "$tmp/trace" || exit 1
bytes=$(cat "$tmp"/trace/cpu* | wc -c)
echo "$events events, $bytes bytes"
# As many functions as in a kernel, for script's symbol lookup.
mkdir "$tmp/trace/kernel"
awk 'BEGIN {
	for (i = 0; i < 60000; i++)
		printf "ffffffff81%06x T function_%d\n", 256 * i, i
}' >"$tmp/trace/kernel/kallsyms"

# took COMMAND...: print "MS KB"
took()
{
	taskset -c 0 "${dir}tests/peak" "$@" 2>&1 >"$tmp/out" | tail -n 1
}

# is_complete COMMAND: succeed if its output covers all events
is_complete()
{
	case $1 in
	script)
		[ "$(wc -l <"$tmp/out")" -eq "$events" ] &&
			tail -n 1 "$tmp/out" | grep -q ' site=function_' ;;
	html)
		tail -c 10 "$tmp/page" | grep -q '</html>' ;;
	sharing|false-sharing)
		grep -Eq '^(Accesses to lines|Lines moved because.*) +[1-9]' "$tmp/out" ;;
	*)
		grep -Eq "^Events  *$events\$|^$events events" "$tmp/out" ;;
	esac
}

# best COMMAND TRACE: print "COMMAND MS KB" of the fastest of three runs
best()
{
	for i in 1 2 3; do
		took "${dir}memorizer" $1 "$2"
		is_complete ${1%% *} || echo "0 0"
	done | sort -n | sed "1s/^/${1%% *} /;q"
}

"${dir}tests/make-trace" -a -c 4 -b "$events" -l 100000 "$tmp/accesses" || exit 1
{
	for command in report check script; do
		best $command "$tmp/trace"
	done
	for command in sharing false-sharing "html -o $tmp/page"; do
		best "$command" "$tmp/accesses"
	done
} >"$tmp/took"
echo "babeltrace2 $(took babeltrace2 "$tmp/trace")" >>"$tmp/took"
awk -v events="$events" -v csv="${dir}bench-trace.csv" '
	BEGIN { print "table,commands,command,ns an event,kB" >csv }
	{
		ms[$1] = $2
		bad += !$2
		printf "%-12s %7.2f s of user time, %5.0f ns an event, %8d kB\n",
			$1, $2 / 1000, $2 * 1e6 / events, $3
		printf "commands,%s,%.0f,%d\n", $1, $2 * 1e6 / events, $3 >csv
	}
	# compare COMMAND LEAST: babeltrace2 must take at least LEAST times as long
	function compare(command, least) {
		printf "babeltrace2 takes %.1f times what %s takes\n",
			ms["babeltrace2"] / ms[command], command
		bad += ms["babeltrace2"] < least * ms[command]
	}
	END {
		if (bad)
			exit 1
		compare("report", 5)
		compare("check", 5)
		compare("script", 2)
		exit bad
	}' "$tmp/took"
