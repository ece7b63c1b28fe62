#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Cache lines: known patterns of sharing move them an exact number of times.
. "${0%/*}/functions.sh"

[ -f $M/traffic ] || skip "no $M/traffic: CONFIG_MEMORIZER_LINES is not set"

module=memorizer_test_sharing
file=$(find /modules . -name $module.ko 2>/dev/null | head -n 1)
[ -n "$file" ] || modprobe -n $module 2>/dev/null || skip "no module $module: CONFIG_MEMORIZER_TEST_MODULE=m is needed"
cpus=$(nproc)
[ $cpus -gt 1 ] || skip "one CPU: nothing moves"
P=/sys/module/$module/parameters
rounds=10
traffic=$(mktemp)
was_there=y
trap 'echo 0 >$M/memorizer_track_lines; [ -n "$was_there" ] || rmmod $module; rm -f $traffic*; quiet' EXIT

# A module that was loaded before stays, with the objects that its user inspects later.
quiet
echo 1 >$M/memorizer_enabled
if [ ! -d $P ]; then
	was_there=
	if [ -n "$file" ]; then insmod "$file"; else modprobe $module; fi || exit 1
fi

# functions_of ADDRESS...: print the sorted names of the module's functions at these addresses.
functions_of() {
	{ sed -n "s/\t\[$module\]\$//p" /proc/kallsyms; printf '%s ip here\n' "$@"; } | sort |
		awk '$2 == "ip" { print $1, last; next } { last = $3 }'
}

# moves PATTERN: print functions, and the moves of the pattern's object by their stores and loads.
moves() {
	object=$(sed -n "s/^$1 //p" $P/objects)
	cat $M/traffic >$traffic
	awk -F, -v object=$object '/^  / { if (mine) print $1, $3, $4; next } { mine = $3 == object && $4 == 256 }' \
		$traffic >$traffic.ips
	functions_of $(awk '{ print $1 }' $traffic.ips) >$traffic.names
	awk 'NR == FNR { name[$1] = $2; next }
	     name[$1] != "begin" { writes[name[$1]] += $2; reads[name[$1]] += $3 }
	     END { for (n in writes) print n, writes[n], reads[n] }' $traffic.names $traffic.ips | sort | tr '\n' ' '
}

# pattern NAME EXPECTED: some rounds make the expected moves. Each test uses its object once.
pattern() {
	echo 1 >$M/memorizer_track_lines
	echo 1 >$M/memorizer_log_access
	echo "$1 $rounds" >$P/pattern
	echo 0 >$M/memorizer_log_access
	same "$1" "$(moves $1)" "$2"
	status=$?
	for lost in pool_full lines_full nested; do
		same "lost_traffic_$lost" "$(stat_of lost_traffic_$lost)" 0 || status=1
	done
	return $status
}

ping_pong() {
	pattern ping_pong "load 0 $((2 * rounds)) store $((2 * rounds)) 0 "
}

read_mostly() {
	pattern read_mostly "load 0 $((cpus - 1)) "
}

false_sharing() {
	pattern false_sharing "store $rounds 0 store_beside $rounds 0 "
}

# The first store finds the line on its CPU.
one_writer() {
	pattern one_writer "load 0 $((rounds * (cpus - 1))) store $((rounds - 1)) 0 "
}

crossing() {
	pattern crossing "load_across 0 $((2 * rounds)) store_across $((2 * rounds)) 0 "
}

unshared_bytes_do_not_move() {
	echo 0 >$M/memorizer_track_lines
	before=$(moves false_sharing)
	echo 8 >$M/line_size
	echo 1 >$M/memorizer_track_lines
	echo 1 >$M/memorizer_log_access
	echo "false_sharing $rounds" >$P/pattern
	echo 0 >$M/memorizer_log_access
	echo 0 >$M/memorizer_track_lines
	echo 64 >$M/line_size
	# Only the first store_beside moves a line, from the CPU that started.
	same "moves" "$(moves false_sharing)" \
		"store $rounds 0 store_beside $((rounds + 1)) 0 " && [ "$before" = "store $rounds 0 store_beside $rounds 0 " ]
}

echo "# $cpus CPUs"
plan 6
check ping_pong
check read_mostly
check false_sharing
check one_writer
check crossing
check unshared_bytes_do_not_move
finish
