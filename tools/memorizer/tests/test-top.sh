#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Test memorizer top. A directory replaces debugfs, as in test-record.sh; the figures must equal
# those of report for the same packets.
# Usage: test-top.sh DIR, the directory of a build

. "$(dirname "$0")/common.sh"
d=$tmp/debugfs
m=$d/memorizer
export TMPDIR="$tmp/files" LC_ALL=C MEMORIZER_PROGRESS=no NO_COLOR=1
unset LINES COLUMNS
mkdir "$TMPDIR"

# debugfs TRACE: reset debugfs, for CPUs 0 and 1 of a trace
debugfs()
{
	rm -rf "$d" "$tmp"/at.*
	mkdir -p "$m"
	for file in stream_allocations stream_retirements stream_accesses total_overruns; do
		echo 0 >"$m/$file"
	done
	cp "$1/metadata" "$m/metadata"
	: >"$m/show_stats"
	mkfifo "$m/cpu0" "$m/cpu1"
	exec 3<>"$m/cpu0" 4<>"$m/cpu1"
}

# top ARGUMENTS...: start it; its files do not end before they are closed
top()
{
	"$build/tests/memorizer-faults" top --debugfs "$d" --batch "$@" \
		>"$tmp/out" 2>"$tmp/err" </dev/null 3<&- 4<&- &
	pid=$!
	until_is stream_allocations 1
}

running()
{
	grep -q '^State:.[^ZX]' "/proc/$pid/status" 2>/dev/null
}

# until_is FILE TEXT
until_is()
{
	while running && [ "$(cat "$m/$1")" != "$2" ]; do
		sleep 0.02
	done
}

# until_shown TEXT: wait until a table's first line contains TEXT
until_shown()
{
	while running && ! grep -q "^memorizer top: .*$1" "$tmp/out"; do
		sleep 0.02
	done
}

# ended: wait for its end and set its exit status
ended()
{
	wait "$pid"
	status=$?
	exec 3<&- 4<&-
}

# figures FILE N: print the figures per call site of its table N that report has, too
figures()
{
	awk -v n="$2" -F ' *[|] *' '/^memorizer top/ { table++ }
		table == n && NF == 9 && !/Callsite/ {
			sub(/^ */, "", $1)
			print $1, $2, $7, $5, $8, $6, $9
		}' "$1" | sort
}

# reported TRACE OPTION...: print the same from report
reported()
{
	"$memorizer" report --csv --rate "$@" 2>/dev/null | awk -F , '
		$1 == "sites" { print $3, "slab", $4, $5, $8, $9, $10 }
		$1 == "page_sites" { print $3, "pages", $4, $5, $6, $7, $8 }' | sort
}

# kept TRACE: add the symbols of a recording
kept()
{
	mkdir -p "$1/kernel"
	cp /proc/kallsyms "$1/kernel/kallsyms" 2>/dev/null
}

# A single interval, as long as the trace
"$build/tests/make-trace" -c 2 -b 20000 "$tmp/load" || exit 1
kept "$tmp/load"
debugfs "$tmp/load"
top --delay 1000000
cat "$tmp/load/cpu0" >"$m/cpu0"
cat "$tmp/load/cpu1" >"$m/cpu1"
kill -INT $pid
ended
same "a signal ends top" "0 " "$status $(cat "$tmp/err")"
figures "$tmp/out" 1 >"$tmp/got"
reported "$tmp/load" >"$tmp/want"
equal "sums and rates of call sites equal report's" "$tmp/want" "$tmp/got"
same "the tables are not empty" 1 "$(($(wc -l <"$tmp/want") > 100))"
awk -F ' *[|] *' 'NF == 9 && $4 > 0 { sub(/^ */, "", $1); print $1, $2, $3, $4 }' "$tmp/out" |
	grep -v Callsite | sort >"$tmp/got"
"$memorizer" report --csv "$tmp/load" | awk -F , '
	$1 == "live" { print $3, "slab", $4, $5 }
	$1 == "live_pages" { print $3, "pages", $4, $5 }' | sort >"$tmp/want"
equal "live objects equal report's" "$tmp/want" "$tmp/got"
same "the output is a single table" 1 "$(grep -c '^memorizer top' "$tmp/out")"
same "top switches the stream off" "0 0 0" "$(cat "$m"/stream_* | xargs)"
same "top leaves no file" "" "$(ls "$TMPDIR")"

# At least two intervals: the first packet of each CPU, then the rest
"$build/tests/make-trace" "$tmp/two" <"$data/top.trace" || exit 1
kept "$tmp/two"
mkdir "$tmp/one"
cp -r "$tmp/two/kernel" "$tmp/two/metadata" "$tmp/one"
for cpu in 0 1; do
	size=$(($(od -A n -t u8 -j 48 -N 8 "$tmp/two/cpu$cpu") / 8))
	head -c $size "$tmp/two/cpu$cpu" >"$tmp/one/cpu$cpu"
	tail -c +$((size + 1)) "$tmp/two/cpu$cpu" >"$tmp/rest$cpu"
done
debugfs "$tmp/two"
echo 1 >"$m/stream_allocations"
top --delay 0.05
cat "$tmp/one/cpu0" >"$m/cpu0"
cat "$tmp/one/cpu1" >"$m/cpu1"
until_shown " 7 events, 0 lost$"
cp "$tmp/out" "$tmp/first"
cat "$tmp/rest0" >"$m/cpu0"
cat "$tmp/rest1" >"$m/cpu1"
until_shown " 12 events, 3 lost$"
kill -INT $pid
ended
table=$(grep '^memorizer top' "$tmp/first" | grep -n ' 7 events' | sed 's/:.*//;q')
figures "$tmp/first" "$table" | cut -d ' ' -f 1-3,5,7 >"$tmp/got"
reported "$tmp/one" | cut -d ' ' -f 1-3,5,7 >"$tmp/want"
equal "the first table has report's sums" "$tmp/want" "$tmp/got"
figures "$tmp/out" "$(grep -c '^memorizer top' "$tmp/out")" | cut -d ' ' -f 1-3,5,7 >"$tmp/got"
reported "$tmp/two" | cut -d ' ' -f 1-3,5,7 >"$tmp/want"
equal "the last table has report's sums" "$tmp/want" "$tmp/got"
same "losses are shown" "3 $m: incomplete: 3 events were lost, 0 packets are missing" \
	"$status $(sed -n 's/^memorizer: \(.*incomplete\)/\1/p' "$tmp/err")"
same "a stream that was on stays on" 1 "$(cat "$m/stream_allocations")"
# The figures of an interval are the changes since the previous table
awk -F ' *[|] *' '
	/^memorizer top/ { before = time; split($0, word, " "); time = word[3] }
	NF == 9 && !/Callsite/ {
		key = $1 $2; length_ = time - before
		bytes_rate = length_ ? ($7 - bytes[key]) / length_ : 0
		hit_rate = length_ ? ($8 - hit[key]) / length_ : 0
		bytes[key] = $7; hit[key] = $8
		if (int(bytes_rate * 1000) != int($5 * 1000 + 0.5) || int(hit_rate * 1000) != int($6 * 1000 + 0.5))
			print "want", bytes_rate, hit_rate, "got", $0
		rows += length_ > 0
	}
	END { print (rows > 2) }' "$tmp/out" >"$tmp/got"
echo 1 >"$tmp/want"
equal "rates are relative to the time since the previous table" "$tmp/want" "$tmp/got"

# More packets than may wait: 100 packets of a MB, each with its own call site
{
	printf '%s\n' "cpu 1" "mark text=other" "cpu 0"
	for i in $(seq 100 199); do
		printf '%s\n' "alloc kind=0 call_site=ffffffffa0000$i ptr=ffff888000${i}000 bytes_req=8 bytes_alloc=8" packet
	done
} | "$build/tests/make-trace" "$tmp/small" || exit 1
python3 -B - "$tmp/small/cpu0" <<-END
	import struct, sys
	data, packets = open(sys.argv[1], "rb").read(), b""
	while data:
	    size = struct.unpack_from("<Q", data, 48)[0] // 8
	    packets += data[:48] + struct.pack("<Q", 8000000) + data[56:size] + bytes(1000000 - size)
	    data = data[size:]
	open(sys.argv[1], "wb").write(packets)
END
debugfs "$tmp/small"
top --delay 1000000
cat "$tmp/small/cpu0" >"$m/cpu0"
kill -INT $pid
ended
missing=$(sed -n 's/^memorizer top: .* \([0-9]*\) packets missing$/\1/p' "$tmp/out")
echo "# $missing packets had to make room"
# A slow machine drops none: top takes the packets before 64 MB of them wait.
same "dropped packets are reported, all others counted" "$((missing ? 3 : 0)) 100" \
	"$status $((missing + $(figures "$tmp/out" 1 | wc -l)))"

# Options
debugfs "$tmp/two"
cat "$tmp/two/cpu0" >"$m/cpu0"	# before it begins: it is not waited for
cat "$tmp/two/cpu1" >"$m/cpu1"
top --delay 0.02 --iterations 3 --rows 1 --kind kmalloc --sort hit
ended
same "--batch prints the given number of tables" "3 3" "$status $(grep -c '^memorizer top' "$tmp/out")"
reported "$tmp/two" --kind kmalloc | sort -k 5,5nr | head -n 1 >"$tmp/want"
figures "$tmp/out" 3 | sed 's/ [0-9.]*\( [0-9]* \)[0-9.]*/\1/' >"$tmp/got"
sed -i 's/ [0-9.]*\( [0-9]* \)[0-9.]*/\1/' "$tmp/want"
equal "--top limits the rows, largest first" "$tmp/want" "$tmp/got"
for filter in "--site ffffffff81002d05 --kind pages" "--cache cache-4" "--pid 4" "--cpu 1" "--comm none"; do
	debugfs "$tmp/load"
	# shellcheck disable=SC2086 # options
	top --delay 1000000 $filter
	cat "$tmp/load/cpu0" >"$m/cpu0"
	cat "$tmp/load/cpu1" >"$m/cpu1"
	kill -INT $pid
	ended
	figures "$tmp/out" 1 >"$tmp/got"
	# shellcheck disable=SC2086 # options
	reported "$tmp/load" $filter >"$tmp/want"
	equal "top and report count the same with $filter" "$tmp/want" "$tmp/got"
done
same "a filter without a match is reported" "2 memorizer: $m: nothing matches --comm none" \
	"$status $(cat "$tmp/err")"
debugfs "$tmp/load"
for sort in name live_bytes live bytes_alloc_rate hit_rate bytes_alloc hit frees; do
	outcome "--sort $sort is accepted" 2 /dev/null \
		"memorizer: $tmp/none: no debugfs: mount it (mount -t debugfs nodev $tmp/none) or specify its directory with --debugfs" \
		top --batch --sort $sort --debugfs "$tmp/none"
done
TMPDIR=$tmp/none outcome "a missing TMPDIR is reported" 2 /dev/null \
	"memorizer: $tmp/none: No such file or directory" top --batch --debugfs "$d"
try="Try 'memorizer help top'."
outcome "an unknown column is refused" 2 /dev/null "memorizer top: --sort age: no table has this column
$try" top --sort age
outcome "an invalid time is refused" 2 /dev/null \
	"memorizer top: --delay 2s: want seconds, 0.001 to 1000000
$try" top --delay 2s
outcome "an invalid number is refused" 2 /dev/null "memorizer top: --iterations 0: want a number from 1 to 4294967295
$try" top --iterations 0
outcome "an input is refused" 2 /dev/null "memorizer top: unexpected argument 'kmap'
$try" top kmap
outcome "a pipe without --batch is refused" 2 /dev/null \
	"memorizer top: standard output: no terminal: want one, or --batch
$try" top --debugfs "$d"

# On a terminal
mkfifo "$tmp/keys"
debugfs "$tmp/load"
"$build/tests/terminal" -i sh -c "stty rows 20 cols 100; \
	'$build/tests/memorizer-faults' top --debugfs '$d' --delay 0.05 3<&- 4<&-; echo \"status \$?\"; stty -a" \
	<"$tmp/keys" >"$tmp/out" 2>"$tmp/err" 3<&- 4<&- &
pid=$!
exec 5>"$tmp/keys"
until_is stream_allocations 1
cat "$tmp/load/cpu0" >"$m/cpu0"
cat "$tmp/load/cpu1" >"$m/cpu1"

# screen: print the terminal's contents since it was cleared last
screen()
{
	tr -d '\r' <"$tmp/out" | awk '/\033\[H\033\[J/ { text = ""; sub(/.*\033\[J/, "") } { text = text $0 "\n" }
		END { printf "%s", text }'
}

# until_screen TEXT
until_screen()
{
	while running && ! screen | grep -q "$1"; do
		sleep 0.02
	done
	screen | grep -q "$1"
}

until_screen '^ \.\.\. and [0-9]* more'
ok $? "a terminal has as many rows as it has room for"
same "a terminal has no more rows" "1 1" "$(screen | awk 'length > most { most = length } END { print (NR <= 20), (most <= 100) }')"
screen | grep -q '^CALL SITES, by bytes_alloc_rate'
ok $? "call sites that allocate most are first"
printf '>' >&5
until_screen '^CALL SITES, by hit_rate'
ok $? "> sorts by the next column"
printf '<<' >&5
until_screen '^CALL SITES, by live '
ok $? "< sorts by the previous column"
printf '\033[D\033[D' >&5
until_screen '^CALL SITES, by frees'
ok $? "arrow keys select the column and wrap around"
printf 'q' >&5
exec 5>&-
ended
tr -d '\r' <"$tmp/out" | grep -q '^status 0'
ok $? "q ends top"
grep -q '[^-]icanon' "$tmp/out" && grep -q '[^-]echo ' "$tmp/out"
ok $? "top restores the terminal"
same "top on a terminal switches the stream off" "0 0 0" "$(cat "$m"/stream_* | xargs)"
tap_end
