# SPDX-License-Identifier: GPL-2.0
# Run groups of tests side by side and count their results. Sourced by scripts that define run_group, which runs
# the group with the given name.
# shellcheck shell=bash disable=SC2034 # the sourcing scripts use the variables

logs=$out/test
total_passed=0
total_failed=0
failed_groups=
ended_groups=
left_out=
declare -A running=() began=()

# begin NAME: run the group in the background.
begin() {
	local name=$1

	say "$name: running (log: ${logs#"$top/"}/$name.log)"
	(
		status=0
		(run_group "$name") 2>&1 >"$logs/$name.log" </dev/null | tee "$logs/$name.said" >&2 || status=$?
		echo "$status" >"$logs/$name.status"
	) &
	running[$!]=$name
	began[$name]=$SECONDS
}

# why NAME: print the group's error output and results up to its first failures, or the last lines.
why() {
	local file

	for file in "$logs/$1.said" "$logs/$1.log"; do
		grep -n -a -B 40 '^ *not ok' "$file" | head -n 60 | grep . || tail -n 20 "$file"
	done
}

# again: repeat the failed results and the lines before them, so that the end of a long output names them.
again() {
	local name

	for name in $failed_groups; do
		why "$name" | tail -n 12 | cut -c 1-200
	done
	for name in $failed_groups; do
		grep '^FAIL' "$logs/$name.count" || echo "FAIL: $name"
	done
}

# count NAME AWK-OPTION...: count the results of the group, and print its failures.
count() {
	local name=$1

	awk -f "$here/ktap.awk" "${@:2}" "$logs/$name.log" >"$logs/$name.count"
	grep '^FAIL' "$logs/$name.count" || :
	read -r passed failed skipped < <(tail -n 1 "$logs/$name.count" | tr -dc '0-9 \n')
}

# add NAME: add the group's results to the total.
add() {
	local seconds=$((SECONDS - began[$1]))

	if [ "$failed" -ne 0 ]; then
		why "$1"
		failed_groups="$failed_groups $1"
	fi
	echo "$1: $passed passed, $failed failed, $skipped skipped, $seconds s"
	echo "tests,$1,$passed,$failed,$skipped,$seconds" >>"$logs/tests.csv"
	total_passed=$((total_passed + passed))
	total_failed=$((total_failed + failed))
}

# judge NAME: count a group that has ended. One without results, or one that fails without a failed result,
# counts as one failure.
judge() {
	local name=$1 status passed failed skipped

	read -r status <"$logs/$name.status"
	count "$name"
	if [ $((passed + failed)) -eq 0 ]; then
		echo "FAIL: $name ended without a result, exit status $status"
		failed=1
	elif [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then
		echo "FAIL: $name ended with exit status $status"
		failed=1
	fi
	add "$name"
}

# end_tree PID: end a process and its descendants, parents first.
end_tree() {
	local children child

	children=$(ps -o pid= --ppid "$1" || :)
	kill "$1" 2>/dev/null || :
	for child in $children; do
		end_tree "$child"
	done
}

# cut_off PID: end a running group. The results that it has had count.
cut_off() {
	local name=${running[$1]} passed failed skipped

	# First, because its end may look like failures.
	count "$name" -v so_far=1
	end_tree "$1"
	wait "$1" 2>/dev/null || :
	echo "$name: ended after $MEMORIZER_SECONDS seconds in all"
	add "$name"
	ended_groups="$ended_groups $name"
}

# finish: wait for one of the running groups, or until the time is over.
finish() {
	local pid

	wait -n -p pid "${!running[@]}" $timer || :
	if [ "$pid" = "$timer" ]; then
		time_is_over=y
		for pid in "${!running[@]}"; do
			cut_off "$pid"
		done
		running=()
	else
		judge "${running[$pid]}"
		unset "running[$pid]"
	fi
}

# run_groups NAME...: run the groups, as many at a time as there are CPUs (or MEMORIZER_JOBS), and print "N passed,
# N failed" as the last line. MEMORIZER_SECONDS after the script has begun, if it is set, end those that run and
# leave out the others: their missing results are no failures. Fails if a result failed, or if there is none.
run_groups() {
	local name timer='' time_is_over=''

	mkdir -p "$logs"
	echo "table,group,passed,failed,skipped,seconds" >"$logs/tests.csv"
	if [ -n "${MEMORIZER_SECONDS-}" ]; then
		sleep $((MEMORIZER_SECONDS > SECONDS ? MEMORIZER_SECONDS - SECONDS : 0)) &
		timer=$!
	fi
	for name; do
		while [ -z "$time_is_over" ] && [ ${#running[@]} -ge "${MEMORIZER_JOBS:-$(nproc)}" ]; do
			finish
		done
		if [ -n "$time_is_over" ]; then
			left_out="$left_out $name"
		else
			begin "$name"
		fi
	done
	while [ ${#running[@]} -gt 0 ]; do
		finish
	done
	[ -z "$timer" ] || [ -n "$time_is_over" ] || kill "$timer"
	again
	[ -z "$ended_groups$left_out" ] || echo "NOT COMPLETE: ended:${ended_groups:- none}; left out:${left_out:- none}"
	echo "$total_passed passed, $total_failed failed"
	[ $total_failed -eq 0 ] && [ $total_passed -gt 0 ]
}
