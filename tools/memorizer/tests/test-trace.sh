#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Test the decoding of traces, with babeltrace2 as the independent reader.
# Usage: test-trace.sh DIR, the directory of a build; FUZZ_ROUNDS=N for more damage

. "$(dirname "$0")/common.sh"
dump=$build/tests/dump-trace
make=$build/tests/make-trace

# trace OPTION...: make the trace $tmp/trace from the script on standard input
trace()
{
	rm -rf "$tmp/trace"
	"$make" "$@" "$tmp/trace"
}

# summary NAME STATUS LINE: check $tmp/trace and compare the last line
summary()
{
	"$memorizer" check "$tmp/trace" >"$tmp/out" 2>"$tmp/err"
	got=$?
	[ $got -eq "$2" ] && [ "$(tail -n 1 "$tmp/out")" = "$3" ]
	ok $? "$1"
	[ "$(tail -n 1 "$tmp/out")" = "$3" ] || sed 's/^/# /' "$tmp/out" "$tmp/err"
}

# Decoding
for order in le be; do
	trace -e $order <"$data/mixed.trace"
	babeltrace2 --clock-cycles --no-delta "$tmp/trace" >"$tmp/want"
	"$dump" "$tmp/trace" >"$tmp/got"
	equal "each event equals babeltrace2's, $order" "$tmp/want" "$tmp/got"
	outcome "a valid trace has no violations, $order" 0 "$data/mixed.check" "" \
		check "$tmp/trace"
	outcome "kmap writes the KMAP of its objects, $order" 0 "$data/mixed.kmap" "" kmap "$tmp/trace"
	outcome "a bad trace's violations are listed, $order" 1 "$data/bad.check" "" \
		check --all "$(trace -e $order <"$data/bad.trace"; echo "$tmp/trace")"
	outcome "violations of packets are listed, $order" 1 "$data/packets.check" "" \
		check "$(trace -e $order <"$data/packets.trace"; echo "$tmp/trace")"
	outcome "check --json lists them, $order" 1 "$data/packets.json" "" check --json "$tmp/trace"
	trace -e $order <"$data/context.trace"
	babeltrace2 --clock-cycles --no-delta "$tmp/trace" >"$tmp/want"
	"$dump" "$tmp/trace" >"$tmp/got"
	equal "events about context equal babeltrace2's, $order" "$tmp/want" "$tmp/got"
	grep -v '^switch' "$data/context.trace" | cat - "$data/stacks.trace" | trace -q -e $order
	babeltrace2 --clock-cycles --no-delta "$tmp/trace" >"$tmp/want"
	"$dump" -q "$tmp/trace" >"$tmp/got"
	equal "events of the QEMU plugin equal babeltrace2's, $order" "$tmp/want" "$tmp/got"
	summary "events of the QEMU plugin have no violations, $order" 0 \
		"32 events in 2 packets of 2 CPUs, 0 lost, 0 frees of earlier memory: 0 violations"
	trace -e $order -b 20000 -c 5 -l 500
	babeltrace2 --clock-cycles --no-delta "$tmp/trace" >"$tmp/want"
	"$dump" "$tmp/trace" >"$tmp/got"
	equal "many events on five CPUs equal babeltrace2's, $order" "$tmp/want" "$tmp/got"
	"$memorizer" check --json "$tmp/trace" | sed -n 's/.*"types": {\(.*\)},/\1/p' | tr -d '" ' |
		tr ',' '\n' | sed '/:0$/d' | sort >"$tmp/got"
	sed 's/^[^ ]* \([a-z]*\):.*/\1/' "$tmp/want" | sort | uniq -c |
		sed 's/^ *\([0-9]*\) \(.*\)/\2:\1/' | sort >"$tmp/types"
	equal "the number of events of each type equals babeltrace2's, $order" "$tmp/types" "$tmp/got"
done
for seed in 1 2 3; do
	trace -b 20000 -c 4 -s $seed
	"$dump" "$tmp/trace" >"$tmp/want"
	"$dump" -f "$tmp/trace" >"$tmp/got"
	equal "packets fed in pieces give the same events, $seed" "$tmp/want" "$tmp/got"
done

# Order: files are found in any order, times are equal.
trace <<END
cpu 0
time 100
mark text=c
time 100
mark text=d
cpu 1
time 100
mark text=e
cpu 10
time 100
mark text=g
cpu 2
time 50
mark text=a
time 100
mark text=f
cpu 3
time 99
mark text=b
END
"$dump" "$tmp/trace" | sed 's/.*text = "\(.*\)".*/\1/' | tr -d '\n' >"$tmp/got"
printf abcdefg >"$tmp/want"
equal "events are ordered by time, then CPU, then position" "$tmp/want" "$tmp/got"
mkdir "$tmp/copy"
for f in cpu3 metadata cpu10 cpu0 cpu2 cpu1; do
	cp "$tmp/trace/$f" "$tmp/copy/$f"
done
"$dump" "$tmp/copy" | sed 's/.*text = "\(.*\)".*/\1/' | tr -d '\n' >"$tmp/got"
equal "the order of files does not matter" "$tmp/want" "$tmp/got"
trace <<END
time 4611686018427387904
mark text=late
packet
time 4611686018427387900
mark text=back
time 4611686018427387905
mark
END
"$dump" "$tmp/trace" | sed 's/^.\([0-9]*\).*/\1/' >"$tmp/got"
printf '0%s\n' 4611686018427387904 4611686018427387900 4611686018427387905 >"$tmp/want"
equal "times have 64 bits, and may go back" "$tmp/want" "$tmp/got"
trace <<END
task pid=1 comm=
task pid=2 comm=sixteen-letters!
task pid=1 comm=
mark pid=1 text=
END
"$dump" "$tmp/trace" | sed 's/.* = \("[^"]*"\).*/\1/' >"$tmp/got"
printf '"%s"\n' "" sixteen-letters! "" "" >"$tmp/want"
equal "text may be empty or without NUL" "$tmp/want" "$tmp/got"

# Losses
trace <<END
cpu 0
lost 3
mark pid=1
packet
mark
lost 1
packet
skip 2
mark
cpu 1
lost 18446744073709551614
mark
END
"$dump" -p "$tmp/trace" | sed -n 's/.*: \(cpu . .*lost.*\)/\1/p' | sort >"$tmp/got"
cat >"$tmp/want" <<END
cpu 0 lost 0 events, 2 packets
cpu 0 lost 1 events, 0 packets
cpu 0 lost 3 events, 0 packets
cpu 0 may have lost events
cpu 1 lost 0 events, 0 packets
cpu 1 may have lost events
END
equal "losses are reported, even before the first packet" "$tmp/want" "$tmp/got"
# lossy NAME STATUS END: the same double free, with lines before and in between
lossy()
{
	{
		echo "switch allocations=1 boot=1"
		echo "task pid=1 comm=a"
		echo "$4"
		echo "alloc ptr=ffff888000001000 bytes_alloc=64 pid=1"
		echo "free ptr=ffff888000001000 bytes=64 pid=1"
		echo "$5"
		echo "free"
		echo "free ptr=ffff888000002000"
	} | trace
	summary "$1" "$2" "$3"
}
lossy "without losses, a double free is a violation, a free is not" 1 \
	"6 events in 1 packets of 1 CPUs, 0 lost, 1 frees of earlier memory: 1 violations (free 1)"
lossy "a double free after a loss is a violation" 1 \
	"6 events in 2 packets of 1 CPUs, 1 lost, 1 frees of earlier memory: 1 violations (free 1), incomplete" \
	"packet
lost 1"
lossy "a double free with a loss in between is no violation" 3 \
	"6 events in 2 packets of 1 CPUs, 1 lost, 2 frees of earlier memory: 0 violations, 1 that losses may explain, incomplete" \
	"" "packet
lost 1"
lossy "a double free with allocations off in between is no violation" 0 \
	"8 events in 1 packets of 1 CPUs, 0 lost, 2 frees of earlier memory: 0 violations" \
	"" "switch allocations=0
switch allocations=1 boot=0"
trace <<END
switch allocations=1 boot=1
alloc ptr=ffff888000001000 bytes_alloc=64 cache=1
packet
lost 5
alloc
counts object=9
object object=1 snapshot=1 state=2
mark pid=77
alloc
END
summary "events that a loss may explain are no violations, later ones are" 1 \
	"7 events in 2 packets of 1 CPUs, 5 lost, 0 frees of earlier memory: 3 violations (overlap 1, task 1, cache 1), 1 that losses may explain, incomplete"
trace <<END
snapshot snapshot=1 complete=0
object object=1 snapshot=1 state=1 alloc_site=1 ptr=2 bytes_req=3 alloc_jiffies=4 comm=a
counts object=2
snapshot complete=1
packet
lost 5
snapshot snapshot=2 complete=0
END
echo "1,0,2,3,4,0,0,a" >"$tmp/live"
outcome "check reports losses and their consequences" 3 "$tmp/live" \
	"memorizer: $tmp/trace: incomplete: 5 events were lost, 0 packets are missing
memorizer: $tmp/trace: skipped 1 counts without object
memorizer: $tmp/trace: skipped incomplete snapshot 2" kmap "$tmp/trace"

# A valid trace without some of its packets: the consequences are no violations
# without NUMBER...: remove packets of $tmp/trace/cpu0
without()
{
	python3 - "$tmp/trace/cpu0" "$@" <<'END'
import struct, sys
data, out, at, nr = open(sys.argv[1], "rb").read(), b"", 0, 1
while at < len(data):
    size = struct.unpack_from("<Q", data, at + 48)[0] // 8
    out += b"" if str(nr) in sys.argv[2:] else data[at:at + size]
    at, nr = at + size, nr + 1
open(sys.argv[1], "wb").write(out)
END
}
trace -b 60000 -c 3 -l 500
summary "a valid trace has no violations" 0 \
	"60000 events in 45 packets of 3 CPUs, 0 lost, 0 frees of earlier memory: 0 violations"
without 3 4 8
"$memorizer" check "$tmp/trace" >"$tmp/out"
status=$?
[ $status -eq 1 ] && tail -n 1 "$tmp/out" |
	grep -Eq ': 2 violations \(packets 2\), [1-9][0-9]* that losses may explain, incomplete$'
ok $? "without some packets, only the missing packets are a violation"
"$memorizer" report "$tmp/trace" >"$tmp/out" 2>"$tmp/err"
[ $? -eq 3 ] && ! grep -q 'double free' "$tmp/out" && grep -q 'cpu0, packet 3: .*: 2 packets are missing' "$tmp/err"
ok $? "report shows no double frees"

# Forward compatibility
trace -f <<END
switch allocations=1 boot=1
task pid=1 comm=a
alloc ptr=ffff888000001000 bytes_alloc=64 pid=1
future pid=1 hope=255
free ptr=ffff888000001000 bytes=64 pid=1
END
"$dump" "$tmp/trace" >"$tmp/got"
babeltrace2 --clock-cycles --no-delta "$tmp/trace" |
	sed 's/, later = 0//; s/ future:.*/ future:/' >"$tmp/want"
equal "unknown events and trailing fields are ignored" "$tmp/want" "$tmp/got"
summary "check ignores unknown events and fields" 0 \
	"5 events in 1 packets of 1 CPUs, 0 lost, 0 frees of earlier memory: 0 violations"

# Many violations
{
	echo "task pid=1 comm=a"
	yes "time 100
mark pid=1
time 50
mark" | head -n 128
} | trace
"$memorizer" check "$tmp/trace" >"$tmp/got"
[ "$(grep -c '^event .* before the event before it' "$tmp/got")" -eq 20 ] &&
	grep -qx 'time: 15 more, --all lists them' "$tmp/got"
ok $? "the first 20 of a kind are listed"
[ "$("$memorizer" check --all "$tmp/trace" | grep -c '^event ')" -eq 35 ]
ok $? "--all lists all violations"
[ "$("$memorizer" check --json "$tmp/trace" | grep -c '"event": ')" -eq 20 ]
ok $? "--json lists the same violations"

# Sums
# stats NAME STATUS LINE READ LOST BUFFERED PRODUCED
stats()
{
	mkdir -p "$tmp/trace/kernel"
	printf 'stream_%s: %s\n' produced "$7" read "$4" lost "$5" buffered "$6" \
		>"$tmp/trace/kernel/show_stats"
	summary "$1" "$2" "$3"
}
marks="4 events in 1 packets of 1 CPUs, 2 lost, 0 frees of earlier memory"
marks()
{
	printf '%s\n' "$1" "lost 2" "task pid=1" "mark pid=1" mark mark | trace
}
marks
stats "consistent sums" 3 "$marks: 0 violations, incomplete" 4 2 1 7
stats "fewer events in the trace than read" 1 "$marks: 1 violations (sums 1), incomplete" 5 2 0 7
stats "more events in the trace than read" 1 "$marks: 1 violations (sums 1), incomplete" 3 2 2 7
stats "inconsistent sums" 1 "$marks: 1 violations (sums 1), incomplete" 4 2 2 7
stats "more losses in packets than in the kernel's sums" 1 "$marks: 1 violations (sums 1), incomplete" 4 1 1 6
marks "skip 1"
stats "packets read earlier by others" 3 "$marks: 0 violations, incomplete" 9 2 0 11
echo "enabled: 1" >"$tmp/trace/kernel/show_stats"
summary "show_stats without the sums" 1 "$marks: 1 violations (sums 1), incomplete"

# Nearly empty traces
trace <<END
cpu 0
cpu 1
mark pid=1
END
summary "an empty stream has no events" 1 \
	"1 events in 1 packets of 1 CPUs, 0 lost, 0 frees of earlier memory: 1 violations (task 1)"
trace <<END
cpu 0
set magic 3254525889
packet
END
summary "an empty packet has no events" 0 \
	"0 events in 1 packets of 1 CPUs, 0 lost, 0 frees of earlier memory: 0 violations"
trace <<END
cpu 0
END
summary "all streams may be empty" 0 \
	"0 events in 0 packets of 0 CPUs, 0 lost, 0 frees of earlier memory: 0 violations"
outcome "an empty trace has no KMAP" 2 /dev/null \
	"memorizer: $tmp/trace: no objects: use record --retirements or record --snapshot" \
	kmap "$tmp/trace"

# Damage: everything else is used, and the message has the position
# damaged NAME EVENTS ERR
damaged()
{
	"$memorizer" check "$tmp/trace" >"$tmp/out" 2>"$tmp/err"
	got=$?
	[ $got -eq 1 ] && [ "$(grep -v 'packets are missing$' "$tmp/out" | sed -n 's/^packets: //p')" = "$3" ] &&
		[ "$(sed -n '$s/ events.*//p' "$tmp/out")" = "$2" ] && grep -q ', incomplete$' "$tmp/out"
	status=$?
	ok $status "$1"
	[ $status -eq 0 ] || sed 's/^/# /' "$tmp/out" "$tmp/err"
}
sound="cpu 0
task pid=1
packet
mark pid=1 text=a
mark
mark
packet
mark
packet"
# part NAME EVENTS SIZE ERR: only the first SIZE bytes of the stream
part()
{
	echo "$sound" | trace
	head -c "$3" "$tmp/trace/cpu0" >"$tmp/part"
	cp "$tmp/part" "$tmp/trace/cpu0"
	damaged "$1" "$2" "cpu0, $4"
}
part "a truncated packet" 2 210 \
	"packet 2: at byte 108: truncated: 102 of 122 bytes"
part "a truncated packet header" 1 187 \
	"packet 2: at byte 108: truncated: 79 bytes, the header has 80"
part "a truncated first packet" 0 100 \
	"packet 1: at byte 0: truncated: 100 of 108 bytes"
# header NAME EVENTS LINE ERR
header()
{
	printf '%s\n' "$sound" "$3" mark packet mark | trace
	damaged "$1" "$2" "cpu0, packet 4: at byte 324: $4"
}
header "not a packet" 6 "set magic 1" "no packet: magic is 00000001, expected c1fc1fc1"
header "a packet of another trace" 6 "set uuid 1" \
	"uuid differs from the metadata: not from the same boot"
header "a packet of another stream class" 6 "set stream_id 7" "stream_id is 7, expected 0"
header "a packet with half a byte" 6 "set packet_size 803" \
	"packet_size is 803 bits, expected whole bytes, at least 640"
header "a packet smaller than its header" 6 "set packet_size 632" \
	"packet_size is 632 bits, expected whole bytes, at least 640"
header "content smaller than the header" 6 "set content_size 0" \
	"content_size is 0 bits, expected whole bytes, 640 to 752"
header "more content than packet" 6 "set content_size 760" \
	"content_size is 760 bits, expected whole bytes, 640 to 752"
header "an invalid time" 6 "set timestamp_begin 9223372036854775808" \
	"timestamps are 9223372036854775808 to 1050, maximum is 9223372036854775807"
printf '%s\n' "$sound" mark "garbage 13" packet mark | trace
damaged "an event of an unknown class" 7 \
	"cpu0, packet 4: at byte 324: damaged after event 1: unknown event id 170"
printf '%s\n' "$sound" mark "set content_size 720" packet mark | trace
damaged "a truncated event" 6 "cpu0, packet 4: content_size is 90 of 94 bytes
cpu0, packet 4: at byte 324: damaged after event 0: truncated event"

# Damage to one CPU's file does not affect the others
{
	echo "$sound"
	echo "cpu 1
mark pid=1 text=b
mark
packet
mark"
} | trace
head -c 210 "$tmp/trace/cpu0" >"$tmp/part"
cp "$tmp/part" "$tmp/trace/cpu0"
damaged "damage to a CPU's file does not affect the others" 5 \
	"cpu0, packet 2: at byte 108: truncated: 102 of 122 bytes"

# Not a trace
# refuse NAME ERR: each command refuses $tmp/trace
refuse()
{
	for command in check kmap; do
		outcome "$command refuses $1" 2 /dev/null "memorizer: $tmp/trace$2" $command "$tmp/trace"
	done
}
want="expected a directory with metadata, cpu0, ..."
rm -rf "$tmp/trace"
missing="No such file or directory"
outcome "kmap refuses a missing trace" 2 /dev/null \
	"memorizer: $tmp/trace/metadata: $missing: $want" kmap "$tmp/trace"
outcome "check refuses a missing trace" 2 /dev/null "memorizer: $tmp/trace: $missing" \
	check "$tmp/trace"
: >"$tmp/trace"
outcome "kmap refuses a file" 2 /dev/null \
	"memorizer: $tmp/trace/metadata: Not a directory: $want" kmap "$tmp/trace"
rm "$tmp/trace"
mkdir "$tmp/trace"
refuse "a directory without metadata" "/metadata: No such file or directory: $want"
echo "$sound" | trace
mv "$tmp/trace/cpu0" "$tmp/cpu0"
refuse "a directory without streams" \
	": no streams: expected files cpu0, cpu1, ... next to metadata"
cp "$tmp/cpu0" "$tmp/trace/cpu0~"
cp "$tmp/cpu0" "$tmp/trace/cpu"
refuse "files other than streams" \
	": no streams: expected files cpu0, cpu1, ... next to metadata"
mkfifo "$tmp/trace/cpu0"
refuse "a FIFO" "/cpu0: not a regular file"
rm "$tmp/trace/cpu0"
ln -s /dev/zero "$tmp/trace/cpu0"
refuse "a device" "/cpu0: not a regular file"
rm "$tmp/trace/cpu0"
mv "$tmp/trace/metadata" "$tmp/metadata"
mkfifo "$tmp/trace/metadata"
refuse "a FIFO as metadata" "/metadata: not a regular file: $want"
rm "$tmp/trace/metadata" "$tmp/trace/cpu"
mv "$tmp/metadata" "$tmp/trace/metadata"
mv "$tmp/cpu0" "$tmp/trace/cpu0"
summary "a backup file is not a stream" 0 \
	"5 events in 3 packets of 1 CPUs, 0 lost, 0 frees of earlier memory: 0 violations"
cp "$tmp/trace/metadata" "$tmp/metadata"
# metadata NAME SED-SCRIPT ERR
metadata()
{
	sed "$2" "$tmp/metadata" >"$tmp/trace/metadata"
	refuse "$1" "/metadata$3"
}
sed s/6d656d6f/6d656d6e/ "$tmp/metadata" >"$tmp/trace/metadata"
refuse "metadata of another boot" \
	"/cpu0, packet 1: at byte 0: uuid differs from the metadata: not from the same boot"
metadata "other metadata" 1d ": not CTF metadata as text: expected \"/* CTF 1.8 */\" first"
metadata "metadata without uuid" /uuid/d ": no uuid"
metadata "metadata without byte order" s/byte_order/bite_order/ \
	": no byte_order: expected le or be"
sed 's/^clock {/clock { name = second; };\n&/' "$tmp/metadata" >"$tmp/trace/metadata"
summary "an unused clock without a frequency is accepted" 0 \
	"5 events in 3 packets of 1 CPUs, 0 lost, 0 frees of earlier memory: 0 violations"
metadata "a huge array" 's/\[16\]/[99999]/' ": array of more than 4096 elements"
# 2^32 - 8 bytes: the offsets of later fields would wrap.
metadata "a huge array of arrays" 's/uint32_t pid/uint64_t x[233][1103][2089]; &/' \
	": array of more than 65536 bytes"
deep="struct { struct { struct { struct { struct { struct {"
metadata "deep nesting" "s/uint32_t pid/$deep $deep $deep &/" ": braces nested more than 16 deep"
enums=$(yes 'enum :' | head -n 40 | tr '\n' ' ')
metadata "deep nesting without braces" "s/uint32_t pid/$enums &/" ": types nested more than 16 deep"
metadata "another tracer" 's/"memorizer"/"lttng"/' \
	": tracer_name is \"lttng\", expected \"memorizer\""
metadata "another version" 's/abi_version = 1/abi_version = 2/' \
	": abi_version is 2, only 1 is supported"
metadata "metadata with a syntax error" 's/struct {/strukt {/' \
	": line 16: no type 'strukt'"
metadata "packets without a beginning" 's/timestamp_begin/time_begin/' \
	": no timestamp_begin or timestamp_end of packets"
metadata "packets without an end" 's/timestamp_end/time_end/' \
	": no timestamp_begin or timestamp_end of packets"
metadata "a clock that is not in ns" 's/freq = 1000000000/freq = 1000/' \
	": no clock with freq = 1000000000"
metadata "a clock without a frequency" '/freq/d' ": no clock with freq = 1000000000"
metadata "an event without a required field" 's/uint32_t pid/uint32_t pit/' \
	": event task has no field pid"
metadata "a field of another type" 's/text_t comm/uint8_t comm/' \
	": event task, field comm: expected text"
metadata "a signed field" 's/uint32_t pid/int16_t pid/' \
	": event task, field pid: expected an unsigned integer"
metadata "a field that is too wide" 's/uint32_t pid/uint64_t pid/' \
	": event task, field pid: expected at most 32 bits"
{
	cat "$tmp/metadata"
	printf '\0'
} >"$tmp/trace/metadata"
refuse "a NUL in the metadata" "/metadata: has a NUL byte: not CTF metadata as text"
yes "/* CTF 1.8 */" | head -n 20000 >"$tmp/trace/metadata"
refuse "metadata without end" \
	"/metadata: larger than 262144 bytes: not metadata of Memorizer"

# Random damage
"$make" -e be -f "$tmp/random" <"$data/mixed.trace"
rm "$tmp/random/cpu2" "$tmp/random/cpu10"
mkdir "$tmp/scratch"
"$build/tests/fuzz-trace" "${FUZZ_ROUNDS:-400}" "$memorizer" "$tmp/random" "$tmp/scratch" 2>/dev/null |
	sed 's/^\(not ok\|ok\) /# \1 /' >"$tmp/fuzz"
sed 's/^/# /' "$tmp/fuzz"
[ "$(grep -c '^# ok ' "$tmp/fuzz")" -eq 2 ]
ok $? "random damage ends in a message"

# Usage
for command in check kmap; do
	usage="want one directory, or the parts of one"
	[ $command = kmap ] || usage="$usage, or a KMAP"
	usage="$usage
Try 'memorizer help $command'."
	outcome "$command without a trace is refused" 2 /dev/null "memorizer $command: 0 traces: $usage" $command
	outcome "$command with two traces is refused" 2 /dev/null "memorizer $command: 2 traces: $usage" \
		$command a b
	"$memorizer" $command --frob >"$tmp/out" 2>"$tmp/err"
	same "$command with an unknown option is refused" "2   Error: unknown option \`frob' 0" \
		"$? $(head -n 1 "$tmp/err") $(wc -c <"$tmp/out")"
	"$memorizer" $command -h >"$tmp/help"
	grep -q "^ Usage: memorizer $command " "$tmp/help"
	ok $? "$command -h prints the usage"
	outcome "$command --help prints the usage" 0 "$tmp/help" "" $command --help
done

tap_end
