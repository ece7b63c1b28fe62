# SPDX-License-Identifier: GPL-2.0
# Helpers for debugfs memorizer/, sourced by the tests in this directory.
#
# A test is a shell function that returns 0 if it passes. Works with BusyBox's
# sh and others.
. "${0%/*}/../kselftest/ktap_helpers.sh"

M=/sys/kernel/debug/memorizer
sums=${sums-${0%/*}/kmap_sums}

# plan N: announce N results.
plan() {
	ktap_print_header
	ktap_set_plan "$1"
}

# check FUNCTION [ARGUMENTS]: run a test, or skip it if $patching is "only" and it patches no text.
check() {
	if [ "${patching-}" = only ]; then
		ktap_test_skip "$(echo "$*" | tr ' ' '_')"
	else
		run "$@"
	fi
}

# run FUNCTION [ARGUMENTS]: run a test, named after the function and its arguments.
run() {
	began=$(cut -d . -f 1 /proc/uptime)
	ktap_test_result "$(echo "$*" | tr ' ' '_')" "$@"
	echo "# took $(($(cut -d . -f 1 /proc/uptime) - began)) s"
}

# finish: end the test program.
finish() {
	ktap_finished
}

# skip REASON: skip all tests of this program.
skip() {
	ktap_print_header
	ktap_skip_all "$1"
	exit $KSFT_SKIP
}

# text_may_be_patched: QEMU 7.2's TCG may keep a stale translation of an instruction that
# another CPU patches while it is translated. A removed breakpoint is then fatal, and a
# probe never hits. Kernels without Memorizer die of it, too, within seconds of switching
# the function tracer on and off. It does not happen if the CPUs take turns in one thread of QEMU;
# then $turns is set (turns=1 on the kernel's command line).
text_may_be_patched() {
	[ -n "${turns-}" ] || ! grep -q 'QEMU TCG' /proc/cpuinfo || [ "$(cat /sys/devices/system/cpu/possible)" = 0 ]
}
unpatched="TCG may execute text that another CPU has patched: boot with one CPU, or let them take turns"

# skip_one REASON TEST...: skip a test of this program.
skip_one() {
	reason=$1
	shift
	ktap_test_skip "$(echo "$*" | tr ' ' '_')"
	echo "# $reason"
}

# check_patching FUNCTION [ARGUMENTS]: run a test that switches tracepoints or static branches.
check_patching() {
	if text_may_be_patched; then
		run "$@"
	else
		skip_one "$unpatched" "$@"
	fi
}

# check_recording FUNCTION [ARGUMENTS]: run a test that records objects or accesses, for which a pool is needed.
check_recording() {
	if [ "$(stat_of pool_size)" -gt 0 ]; then
		check "$@"
	else
		skip_one "there is no pool" "$@"
	fi
}

# same WHAT A B: fail unless A equals B.
same() {
	[ "$2" = "$3" ] || { echo "# $1: $2 is not $3"; return 1; }
}

# stat_of KEY [FILE]: print a value of show_stats, or of a copy. Each read of show_stats adds up all objects.
stat_of() {
	sed -n "s/^$1: //p" ${2:-$M/show_stats}
}

# undisturbed FUNCTION: run a test, and repeat it if a recorded object was freed
# meanwhile, so that the files it reads are consistent. Recording must be off.
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

# put VALUE FILE: write VALUE with one write(2); print "ok" or the error message.
put() {
	if why=$(printf '%s' "$1" | dd of=$M/$2 bs=16384 2>&1); then
		echo ok
	else
		echo "$why" | sed -n 's/^dd: .*: //p'
	fi
}

# sum_kmap: print "objects accesses" of the KMAP on standard input.
sum_kmap() { $sums; }

# kmap_agrees [FILE]: the KMAP, or a copy, has as many objects and accesses as show_stats, which is read once: an object
# may be freed between two reads.
kmap_agrees() {
	same "objects and accesses" "$(sum_kmap <${1:-$M/kmap})" "$(awk '
		/^objects_(live|freed): /	{ objects += $2 }
		/^accesses_attributed: /	{ accesses = $2 }
		END				{ printf "%.0f %s\n", objects, accesses }' $M/show_stats)"
}

# The test module, its file, and its parameters when it is loaded
module=memorizer_test_module
P=/sys/module/$module/parameters

module_found() {
	file=$(find /modules . -name $module.ko 2>/dev/null | head -n 1)
	[ -n "$file" ] || modprobe -n $module 2>/dev/null
}
load_module() { if [ -n "$file" ]; then insmod "$file"; else modprobe $module; fi; }

# mode_of FILE MODE, switch_takes_booleans FILE, switch_refuses_others FILE: tests of a file.
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

# Other values are refused and change nothing.
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

# make_nobody: add the user nobody, unless there is one.
make_nobody() {
	grep -q ^nobody: /etc/passwd 2>/dev/null ||
		{ mkdir -p /etc; echo 'nobody:x:65534:65534::/:/bin/sh' >>/etc/passwd; }
}

# others_may_not FILE...: only root may read or write these. If set, $as runs commands as another user.
others_may_not() {
	make_nobody
	for f; do
		for how in "cat $M/$f" "echo 1 >$M/$f"; do
			if su nobody -s /bin/sh -c "${as:-sh -c} '$how'" >/dev/null 2>&1; then
				echo "# nobody${as:+, by $as,} may: $how"
				return 1
			fi
		done
	done
}

# $worker is a shell that executes the commands of tell one by one. Needs a directory $dir.
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

# accesses_of PID: print the KMAP's accesses by others and by PID.
accesses_of() { $sums pid $1 <$M/kmap; }

# settle: stop recording, and free cached objects, which are otherwise freed during the next tests.
settle() {
	echo 0 >$M/memorizer_log_access
	echo 0 >$M/memorizer_enabled
	echo 3 >/proc/sys/vm/drop_caches
}

# quiet: settle, and clear the freed objects. Each reader of the KMAP would read their rows again.
quiet() {
	settle
	echo 1 >$M/clear_object_list
}

# accesses_of_module: print "objects writes reads" of its object in the KMAP on standard input. Objects of another size may
# have been at its address before or after it.
accesses_of_module() { $sums at $object 187; }

# module_session LOADED USED UNLOADED: run the module with logging on (1) or off (0)
# in each phase. It makes 10 writes when loaded, 7 reads and writes in use, and one
# write when unloaded. Needs a file $kmap.
module_session() {
	quiet
	echo 1 >$M/memorizer_enabled
	echo $1 >$M/memorizer_log_access
	load_module || return 1
	object=$(cat $P/object)
	echo $2 >$M/memorizer_log_access
	echo 7 >$P/increments
	echo $3 >$M/memorizer_log_access
	rmmod $module || return 1
	echo 0 >$M/memorizer_log_access
	cat $M/kmap >$kmap
	same "objects, writes, reads" "$(accesses_of_module <$kmap)" "1 $(($1 * 10 + $2 * 7 + $3)) $(($2 * 7))"
}

[ "$(id -u)" = 0 ] || skip "must be run as root"
[ -d $M ] || skip "no $M: CONFIG_MEMORIZER is not set, or debugfs is not mounted"
