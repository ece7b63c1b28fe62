#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The stream's files: modes, valid and invalid values, contents; all events are accounted for.
. "${0%/*}/functions.sh"

[ -f $M/metadata ] || skip "no $M/metadata: CONFIG_MEMORIZER_STREAM is not set"
reader=${0%/*}/stream_reader
[ -x $reader ] || skip "no $reader: make makes it"
dir=$(mktemp -d)
cpus=$(cd $M && echo cpu*)

off() {
	for switch in allocations retirements accesses traffic entries locks scoped; do
		echo 0 >$M/stream_$switch
	done
}

# copy NAME: copy the contents of the buffers to $dir/NAME.cpuN.
copy() {
	for cpu in $cpus; do
		cat $M/$cpu >$dir/$1.$cpu || return 1
	done
}

# empty: switch all events off and read the rest. Retired objects may still wait
# for room in the buffers.
empty() {
	off
	while copy left && [ "$(cat $dir/left.* | wc -c)" != 0 ]; do
		:
	done
}
trap 'empty; rm -rf $dir; quiet' EXIT

# balanced: each event was read, was lost, or is in a buffer. show_stats is a consistent snapshot.
balanced() {
	awk '{ v[$1] = $2 }
	     END { exit v["stream_produced:"] != v["stream_read:"] + v["stream_lost:"] + v["stream_buffered:"] ||
			v["stream_lost:"] != v["stream_lost_overrun:"] + v["stream_lost_nested:"] }' $M/show_stats ||
		{ grep '^stream_' $M/show_stats | sed 's/^/# /'; return 1; }
}

# accounted: each recorded object is live, freed, cleared or retired.
accounted() {
	awk '{ v[$1] = $2 }
	     END { exit v["allocations:"] != v["objects_live:"] + v["objects_freed:"] +
			v["objects_cleared:"] + v["objects_retired:"] }' $M/show_stats ||
		{ grep -e ^allocations -e ^objects $M/show_stats | sed 's/^/# /'; return 1; }
}

# number FILE OFFSET BYTES: print an unsigned integer.
number() {
	od -A n -t u$3 -j $2 -N $3 "$1" | tr -d ' '
}

# packets FILE: print the number and the lost events of each packet.
packets() {
	size=$(wc -c <"$1")
	at=0
	while [ $at -lt $size ]; do
		same "magic at $at" "$(od -A n -t x4 -j $at -N 4 "$1" | tr -d ' ')" c1fc1fc1 || return 1
		bits=$(number "$1" $((at + 48)) 8)
		same "content and packet size at $at" "$(number "$1" $((at + 40)) 8)" $bits || return 1
		[ "$(number "$1" $((at + 24)) 8)" -le "$(number "$1" $((at + 32)) 8)" ] ||
			{ echo "# packet at $at ends before it begins"; return 1; }
		echo "$(number "$1" $((at + 56)) 8) $(number "$1" $((at + 64)) 8)"
		at=$((at + bits / 8))
	done
	same "end of the last packet" $at $size
}

files_are_for_each_cpu() {
	same "files" "$(echo $cpus | tr ' ' '\n' | sed 's/cpu//' | sort -n | tr '\n' ' ')" \
		"$(seq 0 $(sed 's/.*-//' /sys/devices/system/cpu/possible) | tr '\n' ' ')"
}

mode_of_cpus() {
	for cpu in $cpus; do
		mode_of $cpu 400 || return 1
	done
}

metadata_is_ctf() {
	same "first line" "$(head -n 1 $M/metadata)" "/* CTF 1.8 */" &&
	same "events" "$(sed -n 's/^\tname = "\(.*\)";/\1/p' $M/metadata | tr '\n' ' ')" \
		"task cache alloc free object counts access mark switch snapshot module traffic enter leave lock rcu_free frame " &&
	same "line_size" "$(sed -n 's/^\tline_size = \(.*\);/\1/p' $M/metadata)" "$(cat $M/line_size)" &&
	same "kernel_release" "$(sed -n 's/^\tkernel_release = "\(.*\)";/\1/p' $M/metadata)" "$(uname -r)" &&
	same "read once more" "$(cat $M/metadata)" "$(cat $M/metadata)"
}

marker_takes_text() {
	empty
	long=$(printf '%255s' x)
	for text in mark 'two words' "$long"; do
		same "marker <- '$text'" "$(put "$text" marker)" ok || return 1
	done
	printf 'with newline\n' >$M/marker
}

marker_refuses_others() {
	same "256 bytes" "$(put "$(printf '%256s' x)" marker)" "Invalid argument" &&
	same "5000 bytes" "$(put "$(printf '%5000s' x)" marker)" "Invalid argument" &&
	same "newline" "$( { echo >$M/marker; } 2>&1 | sed 's/.*: //')" "Invalid argument" &&
	same "NUL" "$( { printf 'a\0b' | dd of=$M/marker; } 2>&1 | sed -n 's/^dd: .*: //p')" "Invalid argument"
}

snapshot_refuses_others() {
	before=$(cat $M/stream_snapshot)
	for bad in 2 x '1 1'; do
		same "snapshot <- $bad" "$(put "$bad" stream_snapshot)" "Invalid argument" || return 1
	done
	same "0" "$(put 0 stream_snapshot)" ok && same "snapshots" "$(cat $M/stream_snapshot)" $before
}

refused_to_others() {
	others_may_not $cpus metadata marker total_overruns stream_snapshot stream_allocations \
		stream_retirements stream_accesses stream_traffic stream_entries stream_locks \
		stream_scoped
}

stats_have() {
	for key in produced read lost buffered lost_overrun lost_nested bytes subbufs \
		   subbuf_size allocations retirements accesses traffic entries locks scoped; do
		stat_of stream_$key | grep -qx '[0-9]*' || { echo "# no number for stream_$key"; return 1; }
	done
	for key in objects_retired accesses_retired; do
		stat_of $key | grep -qx '[0-9]*' || { echo "# no number for $key"; return 1; }
	done
}

mark_is_in_the_copy() {
	empty
	echo "a mark to find" >$M/marker
	copy mark
	same "copies with it" "$(grep -l 'a mark to find' $dir/mark.* | wc -l)" 1
}

second_read_returns_end_of_file() {
	empty
	for cpu in $cpus; do
		same "bytes of $cpu" "$(wc -c <$M/$cpu)" 0 || return 1
	done
}

nonblocking_read_waits_for_a_packet() {
	empty
	echo "not finished" >$M/marker
	for cpu in $cpus; do
		same "$cpu" "$($reader nonblock $M/$cpu)" "Resource temporarily unavailable" || return 1
	done
	copy nonblock
	same "copies with it" "$(grep -l 'not finished' $dir/nonblock.* | wc -l)" 1
}

one_reader_at_a_time() {
	same "second open" "$($reader twice $M/cpu0)" "Device or resource busy" &&
	same "and again" "$($reader twice $M/cpu0)" "Device or resource busy"
}

no_seeking() { same "seek" "$($reader seek $M/cpu0)" "Illegal seek"; }

# A small buffer fills up soon; the test waits as long as poll() does.
poll_waits_for_a_packet() {
	empty
	$reader poll $M/cpu0 >$dir/poll &
	until [ -s $dir/poll ]; do
		:
	done
	until ! kill -0 $! 2>/dev/null; do
		taskset 1 sh -c "for n in \$(seq 100); do echo $(printf '%0250d' 1) >$M/marker; done" 2>/dev/null
	done
	wait $!
	same "poll" "$(tr '\n' ' ' <$dir/poll)" "not ready ok "
}

# A partial read continues where it stopped, even in another open file.
partial_reads_continue() {
	empty
	for n in $(seq 20); do
		echo "piece $n" >$M/marker
	done
	for cpu in $cpus; do
		: >$dir/pieces.$cpu
		while dd if=$M/$cpu bs=7 count=1 2>/dev/null >$dir/piece && [ -s $dir/piece ]; do
			cat $dir/piece >>$dir/pieces.$cpu
		done
		packets $dir/pieces.$cpu >/dev/null || return 1
	done
	same "pieces" "$(cat $dir/pieces.* | tr '\0' '\n' | grep -a -c 'piece [0-9]')" 20
}

# Packets are well-formed, none is missing, and their losses equal the files'.
allocations_are_streamed() {
	empty
	before=$(stat_of stream_produced)
	echo 1 >$M/stream_allocations
	ls -lR /sys/devices >/dev/null
	balanced || return 1
	echo 0 >$M/stream_allocations
	balanced && copy allocations || return 1
	produced=$(($(stat_of stream_produced) - before))
	[ $produced -gt 1000 ] || { echo "# only $produced events"; return 1; }
	for cpu in $cpus; do
		packets $dir/allocations.$cpu >$dir/packets || { cat $dir/packets; return 1; }
		awk -v cpu=$cpu 'NR > 1 && $1 != last + 1 { print "# " cpu ": packet " $1 " after " last; exit 1 }
				 { last = $1 }' $dir/packets || return 1
	done
	balanced
}

balance_holds_under_load() {
	empty
	echo 1 >$M/stream_allocations
	(while [ ! -e $dir/enough ]; do ls -R /sys/kernel >/dev/null; done) &
	for n in $(seq 50); do
		balanced || { status=1; break; }
		[ $((n % 5)) != 0 ] || copy load
		status=0
	done
	: >$dir/enough
	wait
	rm $dir/enough
	empty
	balanced && return $status
}

# allocate_much: allocate and free many objects, fastest with the module.
allocate_much() {
	if [ -d $P ]; then
		echo 10000 >$P/allocations
	else
		ls -R /sys/devices >/dev/null
	fi
	echo 1 >$M/clear_object_list
}

# Without a reader, events are lost, with the same counts everywhere; then streaming continues.
overrun_is_counted() {
	empty
	before=$(stat_of stream_lost)
	! module_found || load_module || return 1
	echo 1 >$M/stream_allocations
	for n in $(seq 1000); do
		allocate_much
		[ "$(stat_of stream_lost)" -gt $((before + 1000)) ] && break
	done
	echo 0 >$M/stream_allocations
	[ ! -d $P ] || rmmod $module
	lost=$(stat_of stream_lost)
	[ $lost -gt $((before + 1000)) ] || { echo "# lost only $((lost - before))"; return 1; }
	same total_overruns "$(cat $M/total_overruns)" $lost && balanced || return 1
	copy overrun
	copy behind
	sum=0
	for cpu in $cpus; do
		cat $dir/overrun.$cpu $dir/behind.$cpu >$dir/all
		packets $dir/all >$dir/packets || { cat $dir/packets; return 1; }
		last=$(tail -n 1 $dir/packets | cut -d ' ' -f 2)
		sum=$((sum + ${last:-0}))
	done
	same "lost, by the last packets" $sum $((lost - before)) && mark_is_in_the_copy && balanced
}

# Losses of an earlier session do not show in this one's packets.
packets_count_losses_of_their_session() {
	empty
	lost=$(stat_of stream_lost)
	[ $lost -gt 0 ] || { echo "# nothing was lost before"; return 1; }
	echo 1 >$M/stream_allocations
	echo 0 >$M/stream_allocations
	copy session
	same "lost" "$(stat_of stream_lost)" $lost || return 1
	for cpu in $cpus; do
		packets $dir/session.$cpu >$dir/packets || { cat $dir/packets; return 1; }
		same "$cpu's losses" "$(awk '$2 != 0' $dir/packets)" "" || return 1
	done
}

# Freed objects leave the pool through the stream, exactly once.
retirement_empties_the_pool() {
	quiet
	empty
	echo 1 >$M/memorizer_enabled
	echo 1 >$M/memorizer_log_access
	ls -R /sys/devices >/dev/null
	echo 0 >$M/memorizer_log_access
	echo 0 >$M/memorizer_enabled
	freed=$(stat_of objects_freed)
	objects=$(($(stat_of objects_retired) + freed))
	accesses=$(($(stat_of accesses_retired) + $(stat_of accesses_attributed)))
	[ $freed -gt 100 ] || { echo "# only $freed objects were freed"; return 1; }
	echo 1 >$M/stream_retirements
	until [ "$(stat_of objects_freed)" = 0 ]; do
		copy retired
		usleep 10000
	done
	echo 0 >$M/stream_retirements
	empty
	[ "$(stat_of objects_retired)" -ge $objects ] ||
		{ echo "# $(stat_of objects_retired) retired, not $objects"; return 1; }
	same "attributed and retired accesses" \
		$(($(stat_of accesses_retired) + $(stat_of accesses_attributed))) $accesses &&
	accounted && balanced
}

# Without a reader, the thread waits in the middle of its work. None of that is written later,
# unless the counts of one object need more than all sub-buffers.
switching_retirements_off_ends_them() {
	[ $(($(stat_of stream_subbufs) * $(stat_of stream_subbuf_size))) -ge 1000000 ] || return 0
	quiet
	empty
	echo 1 >$M/memorizer_enabled
	ls -R /sys/devices >/dev/null
	echo 0 >$M/memorizer_enabled
	echo 1 >$M/stream_retirements
	before=$(stat_of objects_retired)
	until [ "$(stat_of objects_retired)" != $before ]; do
		usleep 10000
	done
	echo 0 >$M/stream_retirements
	retired=$(stat_of objects_retired)
	produced=$(stat_of stream_produced)
	empty
	same "retired since" "$(stat_of objects_retired)" $retired &&
	same "events since" "$(stat_of stream_produced)" $produced
}

# The KMAP can be read and cleared while the thread waits for its reader.
clearing_does_not_wait_for_the_reader() {
	quiet
	empty
	echo 1 >$M/memorizer_enabled
	ls -R /sys/devices >/dev/null
	echo 0 >$M/memorizer_enabled
	echo 1 >$M/stream_retirements
	cat $M/kmap >/dev/null
	echo 1 >$M/clear_object_list
	empty
	accounted && balanced
}

snapshot_is_numbered() {
	quiet
	empty
	before=$(cat $M/stream_snapshot)
	echo 1 >$M/stream_snapshot &
	while kill -0 $! 2>/dev/null; do
		copy snapshot
	done
	wait $! || return 1
	copy snapshot
	same "number" "$(cat $M/stream_snapshot)" $((before + 1)) && balanced
}

# With lockdep, streaming the accesses of the timer interrupt takes longer than its period
# in an emulated machine.
accesses_are_streamed() {
	[ ! -e /proc/lockdep ] || { echo "# lockdep: not tested"; return 0; }
	empty
	echo 1 >$M/memorizer_log_access
	before=$(stat_of stream_produced)
	echo 1 >$M/stream_accesses
	cat /proc/version >/dev/null
	echo 0 >$M/stream_accesses
	produced=$(stat_of stream_produced)
	cat /proc/version >/dev/null
	echo 0 >$M/memorizer_log_access
	[ $((produced - before)) -gt 1000 ] || { echo "# only $((produced - before)) accesses"; return 1; }
	same "after the switch is off" "$(stat_of stream_produced)" $produced && empty && balanced
}

# Each system call has its events, with the right task and in order. They are few enough for
# the smallest buffers of 8 KiB.
system_calls_are_streamed() {
	empty
	for n in 1 30; do
		echo 1 >$M/stream_entries
		taskset 1 $reader calls $n >$dir/pid || return 1
		echo 0 >$M/stream_entries
		copy calls
		cat $dir/calls.* >$dir/all
		same "of $n calls" "$($reader entries $dir/all $(cat $dir/pid))" "$n enter, $n leave, in turn" ||
			return 1
	done
	taskset 1 $reader calls 5 >$dir/pid
	copy calls
	cat $dir/calls.* >$dir/all
	same "while it is off" "$($reader entries $dir/all $(cat $dir/pid))" "0 enter, 0 leave, in turn" && balanced
}

# A task may be in a system call when the switch is turned on.
entries_may_begin_in_the_middle() {
	empty
	taskset 1 sh -c "echo 1 >$M/stream_entries; echo 0 >$M/stream_entries; echo \$\$ >$dir/pid"
	copy middle
	cat $dir/middle.* >$dir/all
	same "by the writes" "$($reader entries $dir/all $(cat $dir/pid) 1)" "1 enter, 1 leave, leave first"
}

locks_are_streamed() {
	empty
	before=$(stat_of stream_produced)
	echo 1 >$M/stream_locks
	cat /proc/version >/dev/null
	echo 0 >$M/stream_locks
	produced=$(($(stat_of stream_produced) - before))
	[ ! -e /proc/lockdep ] || [ $produced -gt 1000 ] || { echo "# only $produced events"; return 1; }
	empty && balanced
}

scopes_are_closed_by_their_task() {
	same "none is open" "$(put 'leave one' marker)" "Invalid argument" &&
	echo "scope one" >$M/marker &&
	same "another task's" "$(sh -c "echo leave one >$M/marker" 2>&1 | grep -o 'Invalid argument')" \
		"Invalid argument" &&
	echo "leave one" >$M/marker &&
	same "it is closed" "$(put 'leave one' marker)" "Invalid argument"
}

off
plan 54
check files_are_for_each_cpu
check mode_of_cpus
check mode_of metadata 400
check mode_of marker 200
check mode_of total_overruns 400
check mode_of stream_snapshot 600
for switch in stream_allocations stream_retirements stream_accesses stream_traffic \
		stream_entries stream_locks stream_scoped; do
	check=check
	case $switch in
	stream_entries|stream_locks) check=check_patching ;;
	esac
	check mode_of $switch 600
	$check switch_takes_booleans $switch
	$check switch_refuses_others $switch
done
check metadata_is_ctf
check marker_takes_text
check marker_refuses_others
check snapshot_refuses_others
check refused_to_others
check stats_have
check mark_is_in_the_copy
check second_read_returns_end_of_file
check nonblocking_read_waits_for_a_packet
check one_reader_at_a_time
check no_seeking
check poll_waits_for_a_packet
check partial_reads_continue
check allocations_are_streamed
check balance_holds_under_load
check overrun_is_counted
check packets_count_losses_of_their_session
check_recording retirement_empties_the_pool
check_recording switching_retirements_off_ends_them
check_recording clearing_does_not_wait_for_the_reader
check snapshot_is_numbered
check_recording accesses_are_streamed
check_patching system_calls_are_streamed
check_patching entries_may_begin_in_the_middle
check_patching locks_are_streamed
check scopes_are_closed_by_their_task
check balanced
finish
