# SPDX-License-Identifier: GPL-2.0
# Sourced by the tests beside it: what they ask of debugfs memorizer/.
#
# A test is a shell function; it fails when it returns other than 0. For
# BusyBox's sh as well as for others.
. "${0%/*}/../kselftest/ktap_helpers.sh"

M=/sys/kernel/debug/memorizer

# plan N: there will be N results.
plan() {
	ktap_print_header
	ktap_set_plan "$1"
}

# check FUNCTION [ARGUMENTS]: runs a test, which gives it its name.
check() {
	ktap_test_result "$(echo "$*" | tr ' ' '_')" "$@"
}

# finish: ends the test program.
finish() {
	ktap_finished
}

# skip REASON: there is nothing to test here.
skip() {
	ktap_print_header
	ktap_skip_all "$1"
	exit $KSFT_SKIP
}

# text_may_be_patched: QEMU 7.2's TCG may keep a translation of an instruction that
# another CPU patched while it was translated. A breakpoint that is gone is then fatal,
# and a probe that is there never hits, in a kernel without Memorizer as well: it dies
# within seconds of switching the function tracer on and off.
text_may_be_patched() {
	! grep -q 'QEMU TCG' /proc/cpuinfo || [ "$(cat /sys/devices/system/cpu/possible)" = 0 ]
}
unpatched="TCG may execute text that another CPU has patched: boot with one CPU"

# check_patching FUNCTION [ARGUMENTS]: runs a test that switches tracepoints or static branches.
check_patching() {
	if text_may_be_patched; then
		check "$@"
	else
		ktap_test_skip "$(echo "$*" | tr ' ' '_')"
		echo "# $unpatched"
	fi
}

# same WHAT A B: A and B must be equal.
same() {
	[ "$2" = "$3" ] || { echo "# $1: $2 is not $3"; return 1; }
}

# stat KEY: a value of show_stats.
stat_of() {
	sed -n "s/^$1: //p" $M/show_stats
}

# undisturbed FUNCTION: runs a test, again if a recorded object was freed
# meanwhile: what it reads one after the other belongs together then. Nothing
# new may be recorded.
undisturbed() {
	for try in $(seq 50); do
		frees=$(stat_of frees)
		said=$("$@")
		status=$?
		[ "$(stat_of frees)" = "$frees" ] && break
		said="# something was freed in each of $try tries"
		status=1
	done
	[ -z "$said" ] || echo "$said"
	return $status
}

# put VALUE FILE: what write(2) says, "ok" or the error's message.
put() {
	if why=$(printf '%s' "$1" | dd of=$M/$2 bs=16384 2>&1); then
		echo ok
	else
		echo "$why" | sed -n 's/^dd: .*: //p'
	fi
}

# objects and accesses of a KMAP on standard input, as "objects accesses".
sum_kmap() {
	awk -F, '/^  / { accesses += $3 + $4; next } { objects++ }
		 END { printf "%.0f %.0f\n", objects, accesses }'
}

# accesses ADDRESS KMAP: "objects writes reads" of the objects there, by their lines.
accesses_at() {
	awk -F, -v address="$1" '
		/^  / { if (mine) { writes += $3; reads += $4 } next }
		{ mine = $3 == address; objects += mine }
		END { print objects + 0, writes + 0, reads + 0 }' "$2"
}

# The test module, where it is, and its parameters once it is loaded.
module=memorizer_test_module
P=/sys/module/$module/parameters

module_found() {
	file=$(find /modules . -name $module.ko 2>/dev/null | head -n 1)
	[ -n "$file" ] || modprobe -n $module 2>/dev/null
}
load_module() { if [ -n "$file" ]; then insmod "$file"; else modprobe $module; fi; }

# mode_of FILE MODE, and what a switch must take and refuse: tests of one file.
mode_of() { same "$1" "$(stat -c %a $M/$1)" "$2"; }

switch_takes_booleans() {
	for yes in 1 y Y on; do
		same "$1 <- $yes" "$(put $yes $1)" ok || return 1
		same "$1" "$(cat $M/$1)" 1 || return 1
	done
	for no in 0 n N off; do
		same "$1 <- $no" "$(put $no $1)" ok || return 1
		same "$1" "$(cat $M/$1)" 0 || return 1
	done
}

# Anything else is refused and changes nothing.
switch_refuses_others() {
	for now in 0 1; do
		put $now $1 >/dev/null
		for bad in 2 10 -1 01 1x yes true maybe '' ' ' '1 0' "$(printf '%5000s' 1)"; do
			[ -z "$bad" ] || same "$1 <- '$bad'" "$(put "$bad" $1)" "Invalid argument" || return 1
			same "$1 after '$bad'" "$(cat $M/$1)" $now || return 1
		done
	done
	put 0 $1 >/dev/null
}

# others_may_not FILE...: nobody but root may read or write one of them.
others_may_not() {
	grep -q ^nobody: /etc/passwd 2>/dev/null ||
		{ mkdir -p /etc; echo 'nobody:x:65534:65534::/:/bin/sh' >>/etc/passwd; }
	for file; do
		for how in "cat $M/$file" "echo 1 >$M/$file"; do
			if su nobody -s /bin/sh -c "$how" >/dev/null 2>&1; then
				echo "# nobody may: $how"
				return 1
			fi
		done
	done
}

# A shell, $worker, that does as it is told, one after the other. Needs a directory $dir.
worker=
start_worker() {
	mkfifo $dir/tell $dir/told
	sh -c 'while read -r what <'$dir'/tell; do
		case $what in
		itself)	read -r x </proc/self/status ;;
		child)	cat /proc/self/status >'$dir'/child ;;
		end)	exit 0 ;;
		esac
		echo "done" >'$dir'/told
	done' &
	worker=$!
}

tell() {
	echo $1 >$dir/tell
	if [ $1 = end ]; then
		wait $worker
	else
		read -r x <$dir/told
	fi
}

end_worker() {
	tell end
	rm -f $dir/tell $dir/told
	worker=
}

# accesses_of PID: "by others, by that one" of the KMAP.
accesses_of() {
	awk -F, -v pid="$1" '
		/^  / { n[$2 == pid] += $3 + $4 }
		END { printf "%.0f %.0f\n", n[0], n[1] }' $M/kmap
}

quiet() {
	echo 0 >$M/memorizer_log_access
	echo 0 >$M/memorizer_enabled
	echo 1 >$M/clear_object_list
}

[ "$(id -u)" = 0 ] || skip "must be run as root"
[ -d $M ] || skip "no $M: CONFIG_MEMORIZER is not set, or debugfs is not mounted"
