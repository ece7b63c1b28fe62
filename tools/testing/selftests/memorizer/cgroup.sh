#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Filtering of accesses by the control groups of tasks
. "${0%/*}/functions.sh"

[ -e $M/memorizer_cgroup ] || skip "no $M/memorizer_cgroup: CONFIG_CGROUPS is not set"
dir=$(mktemp -d)
G=$dir/cgroup
mkdir $G
mount -t cgroup2 none $G || skip "no cgroup2"
trap 'end; umount $G; rm -rf $dir' EXIT

# end: clean up whatever a test left behind.
end() {
	quiet
	all
	end_runner
	kill $worker 2>/dev/null
	wait $worker
	worker=
	for group in $G/memorizer/* $G/memorizer $G/other; do
		[ ! -d $group ] || rmdir $group
	done
}

# all: reset the filters.
all() {
	echo >$M/memorizer_cgroup
	echo >$M/memorizer_pid
	echo 0 >$M/memorizer_pid_fork
}

# start: record objects, log nothing, create groups.
start() {
	end
	rm -f $dir/tell $dir/told $dir/enough
	mkdir $G/memorizer $G/memorizer/below $G/memorizer/beside $G/other
	echo 1 >$M/memorizer_enabled
}

groups() { cat $M/memorizer_cgroup | tr '\n' ' '; }

# work: let the worker and its child run; print the accesses of both.
work() {
	set -- $(accesses_of $worker)
	others=$1 own=$2
	echo 1 >$M/memorizer_log_access
	tell itself
	tell child
	echo 0 >$M/memorizer_log_access
	set -- $(accesses_of $worker)
	echo $(($2 - own)) $(($1 - others))
}

# members_are_chosen GROUP MEMBER: GROUP selects a worker in MEMBER and its children.
members_are_chosen() {
	start
	start_worker
	echo $worker >$G/$2/cgroup.procs
	echo /$1 >$M/memorizer_cgroup
	same "groups" "$(groups)" "/$1 " || return 1
	set -- $(work)
	[ $1 -gt 100 ] && [ $2 -gt 100 ] || { echo "# $1 accesses by it, $2 by its child"; return 1; }
	tell end
	worker=
}

# others_are_left_out GROUP MEMBER: GROUP selects neither a worker in MEMBER nor this shell, which is in no group.
others_are_left_out() {
	start
	start_worker
	echo $worker >$G/$2/cgroup.procs
	echo /$1 >$M/memorizer_cgroup
	left_out=$(stat_of accesses_left_out)
	same "accesses by it, and its child" "$(work)" "0 0" || return 1
	left_out=$(($(stat_of accesses_left_out) - left_out))
	[ $left_out -gt 100 ] || { echo "# only $left_out accesses were left out"; return 1; }
	tell end
	worker=
}

# Only tasks that both files select are recorded.
both_files_must_select_a_task() {
	start
	start_worker
	echo $worker >$G/memorizer/cgroup.procs
	echo /memorizer >$M/memorizer_cgroup
	echo $worker >$M/memorizer_pid
	set -- $(work)
	[ $1 -gt 100 ] && [ $2 -eq 0 ] || { echo "# $1 accesses by it, $2 by its child"; return 1; }
	echo 1 >$M/memorizer_pid
	same "accesses by neither" "$(work)" "0 0" || return 1
	echo >$M/memorizer_cgroup
	echo $worker >$M/memorizer_pid
	echo $$ >$G/memorizer/cgroup.procs
	echo /memorizer >$M/memorizer_cgroup
	set -- $(work)
	echo $$ >$G/cgroup.procs
	[ $1 -gt 100 ] && [ $2 -eq 0 ] || { echo "# $1 accesses by it, $2 by others"; return 1; }
	tell end
	worker=
}

# own PID: print its number of accesses.
own() { accesses_of $1 | cut -d ' ' -f 2; }

# grows PID: succeed if its number of accesses grows.
grows() {
	had=$(own $1)
	for try in $(seq 100); do
		now=$(own $1)
		[ $now -gt $had ] && return 0
		usleep 10000
	done
	echo "# $1 has $had accesses, and no more"
	return 1
}

# stays PID WHEN: succeed if its number of accesses stays.
stays() {
	had=$(own $1)
	usleep 20000
	same "its accesses since $2" $(own $1) $had
}

# A task that runs all the time: alone on another CPU if there is one.
start_runner() {
	if [ -d /sys/devices/system/cpu/cpu1 ]; then
		${0%/*}/busy 1 $dir/enough >/dev/null &
	else
		sh -c 'while [ ! -e '$dir'/enough ]; do :; done' &
	fi
	runner=$!
}

end_runner() {
	[ -n "${runner-}" ] || return 0
	touch $dir/enough
	kill $runner 2>/dev/null
	wait $runner
	runner=
}

# Print nothing while it runs: a write may wait for an interrupt's thread on that CPU.
moving_a_task_takes_effect_at_once() {
	start
	start_runner
	said=$(runner_is_chosen)
	status=$?
	end_runner
	[ -z "$said" ] || echo "$said"
	return $status
}

runner_is_chosen() {
	echo /memorizer/below >$M/memorizer_cgroup
	# It creates objects faster than they are read.
	echo 0 >$M/memorizer_enabled
	same "its accesses at first" $(own $runner) 0 || return 1
	echo 1 >$M/memorizer_log_access
	echo $runner >$G/memorizer/below/cgroup.procs
	grows $runner || return 1
	echo $runner >$G/memorizer/beside/cgroup.procs
	stays $runner "it was moved away" || return 1
	echo /memorizer >$M/memorizer_cgroup
	grows $runner || return 1
	echo /other >$M/memorizer_cgroup
	stays $runner "another group was chosen" || return 1
	echo >$M/memorizer_cgroup
	grows $runner
}

groups_are_read_back() {
	start
	same "groups at first" "$(groups)" "" || return 1
	echo /memorizer/below /other >$M/memorizer_cgroup
	same "groups" "$(groups)" "/memorizer/below /other " || return 1
	echo /memorizer/beside >>$M/memorizer_cgroup
	same "groups with one more" "$(groups)" "/memorizer/below /other /memorizer/beside " || return 1
	rmdir $G/other
	same "groups without one that has gone" "$(groups)" "/memorizer/below /memorizer/beside " || return 1
	rmdir $G/memorizer/below $G/memorizer/beside
	same "groups when all have gone" "$(groups)" "none " || return 1
	echo / >$M/memorizer_cgroup
	same "the group of all" "$(groups)" "/ " || return 1
	echo none >$M/memorizer_cgroup
	same "no group" "$(groups)" "none " || return 1
	echo >>$M/memorizer_cgroup
	same "nothing added to no group" "$(groups)" "none " || return 1
	echo >$M/memorizer_cgroup
	same "groups that were taken away" "$(groups)" ""
}

bad_groups_change_nothing() {
	start
	start_worker
	echo $worker >$G/memorizer/cgroup.procs
	echo /memorizer >$M/memorizer_cgroup
	for bad in memorizer ./memorizer '/other memorizer' 'none /other' '/other none' "$(printf '/%4096s' a)"; do
		same "group <- '$bad'" "$(put "$bad" memorizer_cgroup)" "Invalid argument" &&
		same "groups after '$bad'" "$(groups)" "/memorizer " || return 1
	done
	for bad in /nowhere '/other /memorizer/nowhere' /memorizer/below/..; do
		same "group <- '$bad'" "$(put "$bad" memorizer_cgroup)" "No such file or directory" &&
		same "groups after '$bad'" "$(groups)" "/memorizer " || return 1
	done
	same "group <- a file" "$(put /memorizer/cgroup.procs memorizer_cgroup)" "Not a directory" &&
	same "groups after a file" "$(groups)" "/memorizer " || return 1
	set -- $(work)
	[ $1 -gt 100 ] || { echo "# $1 accesses by the worker"; return 1; }
	tell end
	worker=
}

refused_to_others() { others_may_not memorizer_cgroup; }

plan 12
check mode_of memorizer_cgroup 600
check refused_to_others
check groups_are_read_back
check members_are_chosen memorizer memorizer
check members_are_chosen memorizer memorizer/below
check members_are_chosen memorizer/below memorizer/below
check others_are_left_out memorizer other
check others_are_left_out memorizer/below memorizer
check others_are_left_out memorizer/below memorizer/beside
check both_files_must_select_a_task
check moving_a_task_takes_effect_at_once
check bad_groups_change_nothing
finish
