#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Test groups.sh, which runs the groups of "make test", with made-up groups.
. "$(dirname "$0")/../lib.sh"

work=$build/groups-test
rm -rf "$work"
mkdir -p "$work"

# run_group NAME: a made-up group. Endless ones print a result and never end.
run_group() {
	case $1 in
	good*)		printf '1..2\nok 1 a\nok 2 b\n' ;;
	bad)		printf '1..2\n# reason\nnot ok 1 wrong\nok 2 b\n' ;;
	silent)		: ;;
	status)		printf '1..1\nok 1 a\n'; return 3 ;;
	endless)	printf '1..3\nok 1 a\n'; forever ;;
	stuck)		forever ;;
	endless-bad)	printf '1..3\nnot ok 1 worse\n'; forever ;;
	esac
}

# forever: let the time be over, see sleep below, then wait in a child.
forever() {
	command sleep 10000 &
	echo $! >"$work/waits"
	wait
}

# groups NAME...: run the groups one by one, with their output in $work/said. The time, if there is a limit, is over
# once a group waits.
groups() (
	out=$work MEMORIZER_JOBS=1
	rm -f "$work/waits"
	. "$here/groups.sh"
	sleep() {
		while [ ! -s "$work/waits" ]; do
			command sleep 0.1
		done
	}
	run_groups "$@" >"$work/said" 2>&1
)

# ends_with COUNT: the end of the output is what stdin has, in COUNT lines.
ends_with() { diff - <(tail -n "$1" "$work/said" | sed 's/, [0-9]* s$/, N s/'); }

fails() { not groups "$@"; }

# is_gone: the child that waited has ended, or soon will.
is_gone() {
	local tries=0

	until [ -z "$(ps -o pid= -p "$(cat "$work/waits")")" ]; do
		[ $((tries++)) -lt 100 ] || return 1
		sleep 1
	done
}

in_time() { MEMORIZER_SECONDS=1 groups "$@"; }

plan 11
result "groups that pass are added up" groups good good2
result "without anything else at the end" ends_with 2 <<'EOF'
good2: 2 passed, 0 failed, 0 skipped, N s
4 passed, 0 failed
EOF
result "a failed result makes the whole fail" fails bad good
result "and is repeated at the end" ends_with 6 <<'EOF'
good: 2 passed, 0 failed, 0 skipped, N s
1-1..2
2-# reason
3:not ok 1 wrong
FAIL: not ok 1 wrong
3 passed, 1 failed
EOF
result "groups without a result, or with a bad exit status, fail" fails silent status
result "in the sum, too" ends_with 3 <<'EOF'
FAIL: silent
FAIL: status
1 passed, 2 failed
EOF
result "what a group passed before its time was over counts" in_time good endless good2
result "and groups that are missing are named" ends_with 2 <<'EOF'
NOT COMPLETE: ended: endless; left out: good2
3 passed, 0 failed
EOF
result "a group that was ended has no process any more" is_gone
result "a failure before the time was over is a failure" not in_time endless-bad good
result "a run without a result fails" not in_time stuck
