# SPDX-License-Identifier: GPL-2.0
# A fake kernel for tests of memorizer record, to be sourced: a directory replaces debugfs, with
# FIFOs as the CPUs' files, and a function of the test replaces the kernel: it watches the switches
# and writes packets.

packets=$build/tests/packets
d=$tmp/debugfs
m=$d/memorizer

"$build/tests/make-trace" "$tmp/empty" </dev/null

# debugfs CPU...: reset debugfs, with all switches off, and remove the trace
debugfs()
{
	rm -rf "$tmp/debugfs" "$tmp/trace" "$tmp"/sent.* "$tmp"/at.*
	mkdir -p "$m"
	for file in stream_allocations stream_retirements stream_accesses stream_traffic total_overruns; do
		echo 0 >"$m/$file"
	done
	cp "$tmp/empty/metadata" "$m/metadata"
	echo "stream_produced 7" >"$m/show_stats"
	: >"$m/marker"
	for cpu; do
		mkfifo "$m/cpu$cpu"
	done
}

# The command to record: it ends when the kernel has sent everything.
command="while [ ! -e $tmp/at.sent ]; do sleep 0.02; done"

# The kernel's side. It never waits for a time, but for actions of the recorder, and
# gives up when the recorder has ended.
running()
{
	[ ! -e "$tmp/ended" ]
}

# until_is FILE TEXT
until_is()
{
	while running && [ "$(cat "$m/$1")" != "$2" ]; do
		sleep 0.02
	done
}

# until_there FILE...
until_there()
{
	for file; do
		while running && [ ! -e "$file" ]; do
			sleep 0.02
		done
	done
}

# send CPU NUMBER BYTES [LOST]: send packets, and keep a copy for comparison
send()
{
	"$packets" "$2" "$3" "${4:-0}" >>"$tmp/sent.$1"
	"$packets" "$2" "$3" "${4:-0}" >"$m/cpu$1"
}

# start KERNEL: start the function that plays the kernel
start()
{
	rm -f "$tmp/ended"
	"$1" &
	kernel=$!
}

# record ARGUMENTS...: run memorizer record to its end
record()
{
	"$memorizer" record --debugfs "$d" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
	: >"$tmp/ended"
}

# message: print record's messages, except those about this machine's files
message()
{
	grep -v -e ' /proc/' -e '/kernel/' "$tmp/err" | sed "s|$tmp/||g"
}

# counted READ: set the kernel's counts of events read, and lost ($nr_discarded)
nr_discarded=0
counted()
{
	printf 'stream_%s\n' "produced: $(($1 + nr_discarded))" "read: $1" "lost: $nr_discarded" \
		"buffered: 0" >"$m/show_stats"
}

# give CPU: send a file of the trace "whole"
give()
{
	exec 3<>"$m/cpu$1"
	{ cat "$tmp/whole/cpu$1" >"$m/cpu$1"; : >"$tmp/at.copied$1"; } 3<&- &
	# A recorder without room takes an empty pipe for the end, and reads no more.
	while running && [ ! -e "$tmp/at.copied$1" ] && [ "$(cat "$m/stream_allocations")" = 1 ]; do
		sleep 0.02
	done
	: >"$tmp/at.given$1"
	until_is stream_allocations 0
	exec 3<&-
}

# real: send all of the trace "whole". A recorder without room reads one CPU's file to its end,
# then the other's
real()
{
	until_is stream_allocations 1
	counted $((nr_before + nr_events))
	give 0 &
	give 1 &
	until_there "$tmp/at.given0" "$tmp/at.given1"
	: >"$tmp/at.sent"
	wait
}

# records ARGUMENTS...: record "whole"
records()
{
	debugfs 0 1
	cp "$tmp/whole/metadata" "$m/metadata"
	nr_events=$("$build/tests/dump-trace" "$tmp/whole" | wc -l)
	counted $nr_before
	start real
	record -o "$tmp/trace" "$@" -- sh -c "$command"
	wait $kernel
}
