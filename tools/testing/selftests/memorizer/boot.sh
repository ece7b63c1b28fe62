#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Boot parameters: each one on the command line has its effect and no other.
. "${0%/*}/functions.sh"

# Any white space separates parameters.
words() { tr -s ' \t' '\n' </proc/cmdline; }
names=$(words | sed -n 's/^memorizer\.\([a-z_]*\)=.*/\1/p' | sort -u)
[ -n "$names" ] || skip "no memorizer parameter on the command line"

# value_of PARAMETER: print its last value on the command line.
value_of() {
	words | sed -n "s/^memorizer\.$1=//p" | tail -n 1
}

# says NUMBER TEXT: the log has NUMBER of Memorizer's lines that begin with TEXT.
says() {
	same "lines with '$2'" "$(dmesg | grep -c "memorizer: $2")" "$1"
}

# refused NUMBER PARAMETER: the log has NUMBER lines that refuse its value.
refused() {
	same "lines that refuse $2" \
		"$(dmesg | grep -c "invalid for parameter .memorizer\.$2'")" "$1"
}

# switch NAME DEFAULT: an invalid value is logged and leaves the default.
switch() {
	value=$(value_of $1)
	case $value in
	0|1)	same $1 "$(cat $M/memorizer_$1)" "$value" && refused 0 $1 ;;
	*)	same $1 "$(cat $M/memorizer_$1)" $2 && refused 1 $1 ;;
	esac
}
enabled() { switch enabled 1; }
log_access() { switch log_access 0; }
log_calls() { switch log_calls 0; }
track_lines() { switch track_lines 0; }

# An invalid word invalidates the list.
context() {
	case $(value_of context) in
	uid,gid)
		same context "$(tr '\n' ',' <$M/memorizer_context)" uid,gid, && refused 0 context &&
		grep -q '^4[0-9]*,0,0,none,0$' $M/contexts ;;
	*)	same context "$(cat $M/memorizer_context)" pid && refused 1 context ;;
	esac
}

# Without a depot, each stack is lost.
stacks() {
	case $(value_of stacks) in
	[0-9] | 1[0-6])
		same stacks "$(cat $M/memorizer_stacks)" "$(value_of stacks)" && refused 0 stacks &&
		if grep -q -w stack_depot_disable=on /proc/cmdline; then
			! grep -q '^  @' $M/kmap_stacks && [ "$(stat_of lost_stacks)" -gt 1000 ]
		else
			# The first allocations of the kernel, too.
			awk '/^  @/ { n++; next } !/^ / { objects++ } END { exit objects - n > 10 }' $M/kmap_stacks &&
			same lost_stacks "$(stat_of lost_stacks)" 0
		fi ;;
	*)	same stacks "$(cat $M/memorizer_stacks)" 0 && refused 1 stacks ;;
	esac
}

# An invalid word invalidates the list.
kinds() {
	case $(value_of kinds) in
	all)	same kinds "$(tr '\n' ',' <$M/memorizer_kinds)" \
		slab,pages,vmalloc,vmap,ioremap,modules,stack,struct_page,static,percpu,memblock,user, && refused 0 kinds ;;
	static,user)
		same kinds "$(tr '\n' ',' <$M/memorizer_kinds)" static,user, && refused 0 kinds &&
		same "accesses to user memory" $(($(stat_of accesses_user) > 0)) 1 ;;
	memblock)
		same kinds "$(cat $M/memorizer_kinds)" "$(value_of kinds)" && refused 0 kinds ;;
	*)	same kinds "$(cat $M/memorizer_kinds)" slab && refused 1 kinds ;;
	esac
}

# Without a valid value, the processor decides. AMD's family 15h stalls at prefixes.
prefixes() {
	value=$(value_of prefixes)
	case $value in
	0|1)	wanted=$value refusals=0 ;;
	*)	wanted=1 refusals=1
		! grep -q '^cpu family[[:space:]]*: 21$' /proc/cpuinfo || wanted=0 ;;
	esac
	same prefixes $(($(stat_of sites_prefixes) > 0)) $wanted && refused $refusals prefixes &&
		says $((1 - wanted)) "disabled sites are tests, not prefixes"
}

# The filter takes effect when logging starts. An invalid term invalidates all of it.
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

# The objects whose accesses are counted by granule
fields() {
	value=$(value_of fields)
	case $value in
	*modul:*)	same fields "$(cat $M/memorizer_fields)" "" && refused 1 fields ;;
	*)		same fields "$(tr '\n' ',' <$M/memorizer_fields)" "$value," && refused 0 fields ;;
	esac
}

# The tasks whose accesses are recorded. A word that is no pid invalidates the list. Init exists early.
pid() {
	value=$(value_of pid)
	case $value in
	*[!0-9,]*)	same pid "$(cat $M/memorizer_pid)" "" && refused 1 pid ;;
	*)		refused 0 pid && grep -qx 1 $M/memorizer_pid || return 1
			[ "$(value_of pid_fork)" = 1 ] || { same pid "$(cat $M/memorizer_pid)" "$value"; return; }
			# This shell descends from init; kthreadd does not.
			grep -qx $$ $M/memorizer_pid && ! grep -qx 2 $M/memorizer_pid &&
				[ "$(stat_of accesses_left_out)" -gt 0 ] ;;
	esac
}

pid_fork() { same pid_fork "$(cat $M/memorizer_pid_fork)" "$(value_of pid_fork)"; }

# Rounded up to a power of two. Without a valid number, one line per KiB of RAM; the log shows
# slightly less RAM. The table takes at most a quarter of RAM; a record has 16 bytes and a bit per CPU, in words.
lines() {
	wanted=$(value_of lines)
	cpus=$(sed 's/.*-//' /sys/devices/system/cpu/possible)
	[ "$(value_of track_lines)" = 1 ] || echo 1 >$M/memorizer_track_lines
	room=$(stat_of lines_room)
	[ "$(value_of track_lines)" = 1 ] || echo 0 >$M/memorizer_track_lines
	case $wanted in
	*[!0-9]*)	wanted=$(dmesg | sed -n 's/.*Memory: [0-9]*K\/\([0-9]*\)K available.*/\1/p')
			most=$((wanted / 97 * 100))
			refused 1 lines ;;
	*)		refused 0 lines || return 1
			ram=$(dmesg | sed -n 's/.*Memory: [0-9]*K\/\([0-9]*\)K available.*/\1/p')
			most=$((ram * 1024 / 4 / (16 + 8 * (cpus / 64 + 1))))
			if [ $wanted -gt $most ]; then
				[ $((2 * room)) -gt $most ] && [ $room -le $((most / 97 * 100)) ] &&
					says 1 "table for $wanted cache lines is not available, using $room"
				return
			fi
			says 0 "table for .* cache lines is not available" || return 1
			most=$wanted ;;
	esac && [ $room -ge $wanted ] && [ $room -lt $((2 * most)) ] ||
		{ echo "# room for $room lines"; return 1; }
}

# Only QEMU sees the announcements.
qemu() {
	case $(value_of qemu) in
	0|1)	refused 0 qemu ;;
	*)	refused 1 qemu ;;
	esac
}

# kib SIZE: print it in KiB, or nothing if it is invalid or at least 2^64 bytes.
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

# tables KIB: print the size in KiB, in whole blocks, of the tables of a pool of that size: 3 bytes
# per block of 64 KiB, and 8 per chunk. Chunks are smaller with more CPUs.
tables() {
	cpus=$(($(sed 's/.*-//' /sys/devices/system/cpu/possible) + 1))
	chunk=64
	while [ $chunk -gt 4 ] && [ $chunk -gt $(($1 / cpus / 64)) ]; do
		chunk=$((chunk / 2))
	done
	echo $((($1 / 64 * (8 * 64 / chunk + 3) + 65535) / 65536 * 64))
}

# The size in show_stats excludes the pool's tables. Without a valid size, the pool
# takes an eighth of RAM, in whole blocks.
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
		same "KiB of the pool" $got $((wanted / 64 * 64)) && says 0 "pool of .* is not available"
	else
		says 1 "pool of .* is not available" &&
			says 1 "pool of $wanted KiB is not available, using $got KiB"
	fi
}

# The listed switches are on, the others off. A list with unknown words is logged.
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

# If both have to be reduced, either may be reduced first.
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
	[ $got = $2 ] || { [ $got -lt $2 ] && says 1 "stream: .* are not available"; }
}

# Logging starts before user space: init has many accesses.
early_accesses() {
	early=$(awk -F, '/^  / && $2 <= 1 && ++n == 1000 { exit } END { print n + 0 }' $M/kmap)
	[ $early -ge 1000 ] || { echo "# only $early access entries of pids 0 and 1"; return 1; }
}

# symbol NAME: print its address.
symbol() { sed -n "s/^\([0-9a-f]*\) . $1$/\1/p" /proc/kallsyms; }

# The objects of the kernel's init data have ended; only those.
init_data_has_ended() {
	cat $M/kmap | awk -F , -v first="$(symbol __init_begin)" -v end="$(symbol __init_end)" '
		/^ / || $1 != $3 { next }
		$1 "" >= first && $1 "" < end { n++; wrong += $6 == 0 || $7 !~ /^ffffffff/ || $5 != 0; next }
		{ others++; wrong += $6 != 0 && $1 !~ /^ffffffffc/ }
		END { if (n < 100 || others < 100 || wrong) { print "# init data", n + 0, "others", others + 0, "wrong", wrong + 0; exit 1 } }'
}

# Each object is an area that memblock logged, with its size.
areas_are_those_of_memblock() {
	dmesg >/tmp/log
	n=0
	for object in $(sed -n 's/^[^ ,]*,0,ffff888\([0-9a-f]*\),\([0-9]*\),0,0,.*/\1+\2/p' $M/kmap); do
		start=$((0x${object%+*}))
		range=$(printf '\[0x%016x-0x%016x\]' $start $((start + ${object#*+} - 1)))
		grep -q "memblock_reserve: $range memblock_alloc_range_nid+" /tmp/log ||
			{ echo "# no such area: $range"; return 1; }
		n=$((n + 1))
	done
	same "objects that are no areas" "$(grep -c '^[^ ]' $M/kmap)" $n &&
	same "more than a few areas" $((n > 9)) 1
}

[ "$(value_of kinds)" != memblock ] || names="$names areas_are_those_of_memblock"
[ "$(value_of kinds)" != static,user ] || names="$names init_data_has_ended"
[ "$(value_of log_access)" != 1 ] || [ "$(value_of enabled)" = 0 ] || [ -n "$(value_of filter)" ] ||
	[ "$(value_of kinds)" = memblock ] || names="$names early_accesses"
set -- $names
plan $#
for name; do
	check $name
done
finish
