#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Pid namespaces: memorizer_pid uses the pids of its writer's and reader's namespace.
. "${0%/*}/functions.sh"

unshare -p -f true 2>/dev/null || skip "no pid namespaces: CONFIG_PID_NS is not set"
dir=$(mktemp -d)
trap 'rm -rf $dir; everyone; quiet' EXIT

everyone() {
	echo >$M/memorizer_pid
	echo 0 >$M/memorizer_pid_fork
}

start() {
	everyone
	quiet
	echo 1 >$M/memorizer_enabled
}

# inside COMMANDS: run them in a shell that has pid 1 in a new namespace; a FIFO synchronizes both sides.
inside() {
	rm -f $dir/go
	mkfifo $dir/go
	unshare -p -f sh -c "$1"'
		: >'$dir/go'
		read -r x <'$dir/go &
	: <$dir/go
}

outside_is_done() {
	echo >$dir/go
	wait
}

selected_by_own_pid() {
	start
	inside 'echo $$ >'$M'/memorizer_pid; cat '$M'/memorizer_pid >'$dir/inside
	chosen=$(cat $M/memorizer_pid)
	pids=$(sed -n 's/^NSpid:[[:space:]]*//p' /proc/$chosen/status | tr '\t' ' ')
	outside_is_done
	same "pid inside" "$(cat $dir/inside)" 1 &&
	same "its pids" "$pids" "$chosen 1" && [ "$chosen" -gt 1 ]
}

# Inside, outer tasks cannot be selected by pid, and their pids are not visible.
outer_tasks_are_invisible() {
	start
	echo $$ >$M/memorizer_pid
	inside 'echo '$$' >'$M'/memorizer_pid 2>'$dir'/error; cat '$M'/memorizer_pid >'$dir/inside
	outside_is_done
	grep -q "No such process" $dir/error || { cat $dir/error; return 1; }
	same "pid of another" "$(cat $dir/inside)" 0 && same "pid outside" "$(cat $M/memorizer_pid)" $$
}

# The KMAP has the pids of the initial namespace.
children_are_recorded() {
	start
	set -- $(accesses_of 1)
	by_init=$2
	echo 1 >$M/memorizer_pid_fork
	inside 'echo $$ >'$M'/memorizer_pid
		echo 1 >'$M'/memorizer_log_access
		cat /proc/self/status >'$dir'/inside
		echo 0 >'$M/memorizer_log_access
	chosen=$(cat $M/memorizer_pid)
	cat $M/kmap >$dir/kmap
	child=$(sed -n 's/^NSpid:[[:space:]]*\([0-9]*\).*/\1/p' $dir/inside)
	outside_is_done
	for pid in $chosen $child; do
		grep -q "^  [0-9a-f]*,$pid," $dir/kmap || { echo "# no access by $pid"; return 1; }
	done
	set -- $(accesses_of 1)
	same "accesses by init" $2 $by_init
}

plan 3
check selected_by_own_pid
check outer_tasks_are_invisible
check children_are_recorded
finish
