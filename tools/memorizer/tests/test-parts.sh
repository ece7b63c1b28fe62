#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Test that a trace in parts is read as one, and that missing parts are reported as losses.
# Usage: test-parts.sh DIR, the directory of a build

. "$(dirname "$0")/common.sh"
. "$here/kernel.sh"

# said ARGUMENTS...: print memorizer's output and messages, without the name of the trace
said()
{
	"$memorizer" "$@" >"$tmp/out" 2>"$tmp/err"
	echo "status $?" | cat - "$tmp/out" "$tmp/err" |
		sed -e "s|$tmp/one|TRACE|g" -e "s|$parts|TRACE|g"
}

# alike NAME: compare all commands' output for the trace "one" and for $parts. $tmp/said caches the
# output for "one".
alike()
{
	different=
	for what in check "check --json" report "report --json" "report --csv" kmap script \
		       "script --json" "script --chrome" fold "fold --value bytes" timeline \
		       "timeline --csv" rcu sharing false-sharing conflicts per-entry \
		       "per-entry --accesses" serial cache-assoc stacks summary; do
		# shellcheck disable=SC2086 # a command and an option
		[ -f "$tmp/said/$what" ] || said $what "$tmp/one" >"$tmp/said/$what"
		# shellcheck disable=SC2086 # and perhaps several parts
		said $what $parts >"$tmp/got"
		cmp -s "$tmp/said/$what" "$tmp/got" && [ "$(wc -l <"$tmp/got")" -gt 1 ] ||
			different="$different $what"
	done
	same "$1: all commands print the same" "" "$different"
}

# events: print the events of $parts
events()
{
	"$build/tests/dump-trace" "$parts"
}

# offsets FILE: print the offsets of packets in a CPU's file
offsets()
{
	at=0
	size=$(wc -c <"$1")
	while [ $at -lt "$size" ]; do
		echo $at
		bits=$(od -A n -t u8 -j $((at + 48)) -N 8 "$1" | tr -d ' ')
		at=$((at + bits / 8))
	done
}

# packets FROM TO CPU: print packets FROM to TO (exclusive) of the trace "whole"
packets()
{
	from=$(offsets "$tmp/whole/cpu$3" | sed -n "$1p")
	to=$(offsets "$tmp/whole/cpu$3" | sed -n "$2p")
	head -c "${to:-1000000}" "$tmp/whole/cpu$3" | tail -c +$((from + 1))
}

mkdir "$tmp/said"
nr_before=7
"$build/tests/make-trace" -b 20000 -c 2 -l 500 -a "$tmp/whole"
records
mv "$tmp/trace" "$tmp/one"
same "a trace is recorded" 0 "$status"
for form in "--rotate 50" "--rotate 50 --compress"; do
	# shellcheck disable=SC2086 # options
	records --max-size 70000 $form
	parts=$tmp/trace
	same "a trace in parts is recorded, $form" "0 1" "$status $([ -d "$tmp/trace/2" ] && echo 1)"
	alike "the directory of the parts, $form"
done
"$memorizer" diff --json --all "$tmp/one" "$tmp/trace" >"$tmp/got" 2>&1
same "diff finds no difference to parts" "0 1" \
	"$? $(grep -c '"hit", "before": [1-9]' "$tmp/got")$(grep '"change": -*[1-9]' "$tmp/got")"
for page in one trace; do
	"$memorizer" html -o "$tmp/$page.html" "$tmp/$page"
	sed "s|$tmp/$page|TRACE|g" "$tmp/$page.html" >"$tmp/$page.page"
done 2>"$tmp/err"
cmp "$tmp/one.page" "$tmp/trace.page" && grep -q TRACE "$tmp/one.page"
ok $? "html makes the same page of parts"
"$memorizer" html -o "$tmp/trace/1/page" "$tmp/trace" 2>"$tmp/err"
same "html does not write into a part" "2 memorizer: trace/1/page: lies in an input: want a file outside of it" \
	"$? $(sed "s|$tmp/||g" "$tmp/err")"

# An archive of it; tar stores hard links once
tar -C "$tmp" -cf "$tmp/trace.tar" trace
parts=$tmp/trace.tar
alike "an archive of the parts"

# Several parts
records --max-size 140000 --rotate 50
parts=$(printf '%s\n' "$tmp"/trace/[0-9]* | sort -V | xargs)
nr_parts=$(echo "$parts" | wc -w)
"$memorizer" check --json "$tmp/one" >"$tmp/want"
# shellcheck disable=SC2086 # several parts
"$memorizer" check --json $parts >"$tmp/got"
equal "parts given as arguments are one trace" "$tmp/want" "$tmp/got"
parts=$(printf '%s\n' "$tmp"/trace/[0-9]* | sort -rV | xargs)
alike "parts in any order"
mkdir "$tmp/copy"
for part in $parts; do
	cp -r "$part" "$tmp/copy/as-$((nr_parts - $(basename "$part")))"
done
parts=$(echo "$tmp"/copy/*)
alike "parts under other names"
parts="$parts $tmp/copy/as-1"
alike "a part given twice"

"$memorizer" check "$tmp/one" "$tmp/none" >"$tmp/out" 2>"$tmp/err"
same "a directory without a trace is no part" "2 memorizer check: 2 traces: want one directory, or the parts of one, \
or a KMAP" "$? $(head -n 1 "$tmp/err")"

# A part that is missing
lost_part=$((nr_parts / 2))
# The first packet of a CPU with packets in earlier parts is a state dump, which is no loss.
nr_lost=$(($(for cpu in 0 1; do offsets "$tmp/trace/$lost_part/cpu$cpu"; done | wc -l) -
	$(grep -c '^carried_cpu' "$tmp/trace/$lost_part/kernel/recorder")))
"$build/tests/dump-trace" "$tmp/trace/$lost_part" | grep -E '(alloc|free|access): ' | sort >"$tmp/gone"
rm -r "$tmp/trace/$lost_part"
parts=$tmp/trace
said check "$parts" | sed 's/ [0-9]* events in [0-9]* packets/ events in packets/' >"$tmp/got"
grep -q 'status 3' "$tmp/got" && grep -q ' 0 violations.*incomplete$' "$tmp/got"
ok $? "a missing part is no violation"
sed 's/^/# /' "$tmp/got"
said report "$parts" >"$tmp/got"
same "packets of a missing part are reported" \
	"status 3 memorizer: TRACE: incomplete: 0 events were lost, $nr_lost packets are missing" \
	"$(grep -e '^status' -e '^memorizer' "$tmp/got" | xargs)"
"$build/tests/dump-trace" "$tmp/one" | grep -E '(alloc|free|access): ' | sort |
	comm -23 - "$tmp/gone" >"$tmp/want"
events | grep -E '(alloc|free|access): ' | sort >"$tmp/got"
equal "all events of the other parts are there" "$tmp/want" "$tmp/got"
for cpu in 0 1; do
	"$build/tests/dump-trace" "$tmp/trace" | grep "cpu$cpu" | sed 's/ .*//' >"$tmp/got"
	sort -n "$tmp/got" | cmp -s - "$tmp/got" || break
done
ok $? "events are in the order of each CPU"

# Announcements that only a missing part has, and a CPU that starts in it. Each packet has one mark;
# a part has room for two packets.
rm -rf "$tmp/whole" "$tmp/one" "$tmp/said"
mkdir "$tmp/said"
{
	echo "task pid=1 comm=one"
	for n in 1 2 3 4 5; do
		printf '%s\n' "mark pid=1 text=$n" packet
	done
	printf '%s\n' "task pid=2 comm=two" "mark pid=2 text=x" packet "lost 7" "mark text=lost" packet
	for n in 1 2 3 4 5; do
		printf '%s\n' "mark pid=2 text=l$n" packet
	done
	printf '%s\n' "cpu 1" "task pid=3 comm=three" "mark pid=3 text=y" packet "mark text=z" packet \
		"mark pid=3 text=last"
} | "$build/tests/make-trace" -d "$tmp/whole"

# by_turns: send the packets so that parts 1 to 4 have 3, 4, 5, x, lost, y, z and l1
by_turns()
{
	exec 3<>"$m/cpu0" 4<>"$m/cpu1"
	until_is stream_allocations 1
	counted $((nr_before + nr_events))
	packets 1 8 0 >"$m/cpu0"
	until_there "$tmp/trace/3"
	packets 1 3 1 >"$m/cpu1"
	until_there "$tmp/trace/4"
	packets 8 13 0 >"$m/cpu0"
	until_there "$tmp/trace/6"
	packets 3 4 1 >"$m/cpu1"
	: >"$tmp/at.sent"
	until_is stream_allocations 0
	exec 3<&- 4<&-
}

nr_discarded=7
records
mv "$tmp/trace" "$tmp/one"
debugfs 0 1
cp "$tmp/whole/metadata" "$m/metadata"
counted $nr_before
start by_turns
record -o "$tmp/trace" --max-size 250 --rotate 50 -- sh -c "$command"
wait $kernel
parts=$tmp/trace
alike "losses are counted once"
rm -r "$tmp"/trace/[1-4]
same "eight packets are missing" "1 2 l2 l3 l4 l5 last" \
	"$(events | sed -n 's/.*mark: .*text = "\(.*\)".*/\1/p' | sort | xargs)"
said check "$tmp/trace" >"$tmp/got"
same "announcements of missing parts are known" "status 3 1" \
	"$(head -n 1 "$tmp/got") $(grep -c ' 7 lost.* 0 violations' "$tmp/got")"
sed 's/^/# /' "$tmp/got"
said report "$tmp/trace" >"$tmp/got"
same "the events of missing parts are lost once" \
	"memorizer: TRACE: incomplete: 7 events were lost, 8 packets are missing" \
	"$(grep incomplete: "$tmp/got")"

# Packets that a flight recorder dropped between two snapshots
flight()
{
	exec 3<>"$m/cpu0" 4<>"$m/cpu1"
	until_is stream_allocations 1
	counted $((nr_before + nr_events))
	packets 1 4 0 >"$m/cpu0"
	: >"$tmp/at.first"
	until_there "$tmp/at.second"
	packets 4 13 0 >"$m/cpu0"
	: >"$tmp/at.sent"
	until_is stream_allocations 0
	exec 3<&- 4<&-
}

debugfs 0 1
cp "$tmp/whole/metadata" "$m/metadata"
start flight
"$build/tests/memorizer-faults" record --debugfs "$d" -o "$tmp/trace" --flight 250 -- sh -c "$command" \
	2>"$tmp/err" </dev/null &
recorder=$!
until_there "$tmp/at.first"
kill -USR2 $recorder
while kill -0 $recorder 2>/dev/null && ! grep -q 'trace/0$' "$tmp/err"; do
	sleep 0.02
done
: >"$tmp/at.second"
wait $recorder
status=$?
: >"$tmp/ended"
wait $kernel
kept=$(events | grep -c 'mark: ')
said check "$tmp/trace" >"$tmp/got"
same "packets dropped between snapshots are missing, without a violation" "0 status 3 1" \
	"$status $(head -n 1 "$tmp/got") $(grep -c ' 0 violations, incomplete' "$tmp/got")"
sed 's/^/# /' "$tmp/got"
said report "$tmp/trace" >"$tmp/got"
first=$("$build/tests/dump-trace" "$tmp/trace/0" | sed -n 's/.*text = "\(.\)".*/\1/p' | head -n 1)
same "missing packets are counted one by one" "$((12 - kept - first + 1)) packets are missing" \
	"$(sed -n 's/.*incomplete: .* lost, //p' "$tmp/got")"

tap_end
