#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Boot parameters: each that is on the command line has had its effect, and nothing but that.
. "${0%/*}/functions.sh"

names=$(tr ' ' '\n' </proc/cmdline | sed -n 's/^memorizer\.\([a-z_]*\)=.*/\1/p' | sort -u)
[ -n "$names" ] || skip "no memorizer parameter on the command line"

# value_of PARAMETER: the last on the command line.
value_of() {
	tr ' ' '\n' </proc/cmdline | sed -n "s/^memorizer\.$1=//p" | tail -n 1
}

# says NUMBER TEXT: so many lines of the log begin with it.
says() {
	same "lines with '$2'" "$(dmesg | grep -c "memorizer: $2")" "$1"
}

# refused NUMBER PARAMETER: so many lines of the log say that its value is none.
refused() {
	same "lines that refuse $2" \
		"$(dmesg | grep -c "invalid for parameter .memorizer\.$2'")" "$1"
}

# switch NAME DEFAULT: a value that is none is named, and changes nothing.
switch() {
	value=$(value_of $1)
	case $value in
	0|1)	same $1 "$(cat $M/memorizer_$1)" "$value" && refused 0 $1 ;;
	*)	same $1 "$(cat $M/memorizer_$1)" $2 && refused 1 $1 ;;
	esac
}
enabled() { switch enabled 1; }
log_access() { switch log_access 0; }
track_lines() { switch track_lines 0; }

# A value that is none leaves it to the processor. AMD's family 15h stalls at prefixes.
prefixes() {
	value=$(value_of prefixes)
	case $value in
	0|1)	wanted=$value refusals=0 ;;
	*)	wanted=1 refusals=1
		! grep -q '^cpu family[[:space:]]*: 21$' /proc/cpuinfo || wanted=0 ;;
	esac
	same prefixes $(($(stat_of sites_prefixes) > 0)) $wanted && refused $refusals prefixes &&
		says $((1 - wanted)) "sites are tests while they are off, not prefixes"
}

# In effect from when accesses are logged; one with a term that is none is none.
filter() {
	value=$(value_of filter)
	case $value in
	*modul:*)	same filter "$(cat $M/memorizer_filter)" "" && refused 1 filter
			return ;;
	esac
	same filter "$(tr '\n' ',' <$M/memorizer_filter)" "$value," && refused 0 filter || return 1
	[ "$(value_of log_access)" = 1 ] || return 0
	patched=$(stat_of sites_patched)
	[ $patched -gt 0 ] && [ $((100 * patched)) -lt "$(stat_of sites)" ] ||
		{ echo "# $patched sites are patched"; return 1; }
}

# Which objects are counted by granule.
fields() {
	value=$(value_of fields)
	case $value in
	*modul:*)	same fields "$(cat $M/memorizer_fields)" "" && refused 1 fields ;;
	*)		same fields "$(tr '\n' ',' <$M/memorizer_fields)" "$value," && refused 0 fields ;;
	esac
}

# Whose accesses are recorded: what is no pid is none. Init is there at once.
pid() {
	value=$(value_of pid)
	case $value in
	*[!0-9,]*)	same pid "$(cat $M/memorizer_pid)" "" && refused 1 pid ;;
	*)		refused 0 pid && grep -qx 1 $M/memorizer_pid || return 1
			[ "$(value_of pid_fork)" = 1 ] || { same pid "$(cat $M/memorizer_pid)" "$value"; return; }
			# This shell comes from init; kthreadd does not.
			grep -qx $$ $M/memorizer_pid && ! grep -qx 2 $M/memorizer_pid &&
				[ "$(stat_of accesses_left_out)" -gt 0 ] ;;
	esac
}

pid_fork() { same pid_fork "$(cat $M/memorizer_pid_fork)" "$(value_of pid_fork)"; }

# Rounded up to a power of two; without a number, one for each KiB of RAM, of which the log
# says a little less. A table of more than a quarter of RAM cannot be had; a record is 32 bytes.
lines() {
	wanted=$(value_of lines)
	[ "$(value_of track_lines)" = 1 ] || echo 1 >$M/memorizer_track_lines
	room=$(stat_of lines_room)
	[ "$(value_of track_lines)" = 1 ] || echo 0 >$M/memorizer_track_lines
	case $wanted in
	*[!0-9]*)	wanted=$(dmesg | sed -n 's/.*Memory: [0-9]*K\/\([0-9]*\)K available.*/\1/p')
			most=$((wanted / 97 * 100))
			refused 1 lines ;;
	*)		refused 0 lines || return 1
			ram=$(dmesg | sed -n 's/.*Memory: [0-9]*K\/\([0-9]*\)K available.*/\1/p')
			if [ $wanted -gt $((ram * 1024 / 32 / 4)) ]; then
				[ $room -gt 0 ] && [ $room -le $((ram * 1024 / 32 / 4)) ] &&
					says 1 "room for $wanted cache lines cannot be had, taking $room"
				return
			fi
			says 0 "room for .* cache lines cannot be had" || return 1
			most=$wanted ;;
	esac && [ $room -ge $wanted ] && [ $room -lt $((2 * most)) ] ||
		{ echo "# room for $room lines"; return 1; }
}

# What it says is heard by QEMU alone.
qemu() {
	case $(value_of qemu) in
	0|1)	refused 0 qemu ;;
	*)	refused 1 qemu ;;
	esac
}

# kib SIZE: in KiB; nothing if it is not a size, or one of 2^64 bytes or more.
kib() {
	number=${1%[KMG]}
	case $number in
	''|*[!0-9]*)	return ;;
	esac
	case $1 in
	*K)	bits=0 ;;
	*M)	bits=10 ;;
	*G)	bits=20 ;;
	esac
	[ $((number >> (54 - bits))) -ne 0 ] || echo $((number << bits))
}

# tables KIB: what a pool of that size needs to know of its blocks of 64 KiB, in KiB, in
# blocks: 3 bytes for each, and 8 for each of its chunks, the smaller the more CPUs there are.
tables() {
	cpus=$(($(sed 's/.*-//' /sys/devices/system/cpu/possible) + 1))
	chunk=64
	while [ $chunk -gt 4 ] && [ $chunk -gt $(($1 / cpus / 64)) ]; do
		chunk=$((chunk / 2))
	done
	echo $((($1 / 64 * (8 * 64 / chunk + 3) + 65535) / 65536 * 64))
}

# The size in show_stats is without the pool's own tables; a pool that was not
# asked for takes an eighth of RAM, in blocks.
pool() {
	value=$(value_of pool)
	wanted=$(kib $value)
	got=$(dmesg | sed -n 's/.*memorizer: pool of \([0-9]*\) KiB$/\1/p')
	same "KiB for records" $(($(stat_of pool_size) / 1024)) $((got - $(tables $got))) || return
	ram=$(dmesg | sed -n 's/.*Memory: [0-9]*K\/\([0-9]*\)K available.*/\1/p')
	if [ -z "$wanted" ]; then
		refused 1 pool &&
			same "KiB of the default pool" $got $((ram / 8 / 64 * 64))
	elif [ $wanted -ge 1024 ] && [ $wanted -le $((ram / 2)) ]; then
		same "KiB of the pool" $got $((wanted / 64 * 64)) && says 0 "pool of .* cannot be had"
	else
		says 1 "pool of .* cannot be had" &&
			says 1 "pool of $wanted KiB cannot be had, taking $got KiB"
	fi
}

# The words of the list are on, the other switches off; a list with words that are none is named.
stream() {
	known=0
	set -- $(value_of stream | tr ',' ' ')
	for switch in allocations retirements accesses traffic; do
		on=0
		for word; do
			[ $word != $switch ] || on=1
		done
		known=$((known + on))
		same $switch "$(cat $M/stream_$switch)" $on || return 1
	done
	refused $(($# > known)) stream
}

# In what order the two were reduced if they had to be does not matter here.
subbufs() {
	case $(value_of subbufs) in
	*[!0-9]*)	same subbufs "$(stat_of stream_subbufs)" 16 && refused 1 subbufs ;;
	*)		had_or_reduced subbufs $(value_of subbufs) ;;
	esac
}

subbuf_size() {
	wanted=$(kib $(value_of subbuf_size))
	if [ -z "$wanted" ]; then
		same subbuf_size "$(stat_of stream_subbuf_size)" 524288 && refused 1 subbuf_size
	else
		had_or_reduced subbuf_size $((wanted << 10))
	fi
}

# had_or_reduced NAME WANTED
had_or_reduced() {
	got=$(stat_of stream_$1)
	[ $got = $2 ] || { [ $got -lt $2 ] && says 1 "stream: .* cannot be had"; }
}

# Logged from boot: init has made accesses that nobody could have asked for later.
early_accesses() {
	early=$(cat $M/kmap | awk -F, '/^  / && $2 <= 1 { n++ } END { print n + 0 }')
	[ $early -ge 1000 ] || { echo "# only $early access entries of pids 0 and 1"; return 1; }
}

[ "$(value_of log_access)" != 1 ] || [ "$(value_of enabled)" = 0 ] || [ -n "$(value_of filter)" ] ||
	names="$names early_accesses"
set -- $names
plan $#
for name; do
	check $name
done
finish
