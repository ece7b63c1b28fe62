#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Test ktap.awk, which makes all counts of "make test", and that each function of the selftests is called.
. "$(dirname "$0")/../lib.sh"

# counts WANTED: succeed if the count of the log on stdin is WANTED.
counts() {
	local got

	got=$(awk -f "$here/ktap.awk" | tail -n 1)
	[ "$got" = "$1" ] || { echo "wanted '$1', got '$got'"; return 1; }
}

# each_is_called DIRECTORY: succeed if each function of the selftests there has a caller. boot.sh calls those that
# have the name of a parameter that a guest was booted with.
each_is_called() {
	local name unused=0

	for name in $(sed -n 's/^\([a-z_]*\)() *{.*/\1/p' "$1"/*.sh); do
		[ "$(grep -h -v '^#' "$1"/*.sh "$here/test" | grep -c -w "$name")" -gt 1 ] ||
			{ echo "$name has no caller"; unused=1; }
	done
	return $unused
}

plan 12
result "nested cases count, suites do not" counts "3 passed, 1 failed, 1 skipped" <<'EOF'
KTAP version 1
1..2
    KTAP version 1
    # Subtest: a
    1..3
    ok 1 x
    not ok 2 y
    ok 3 z # SKIP not here
not ok 1 a
    KTAP version 1
    1..2
    ok 1 p
        KTAP version 1
        ok 1 parameter
    ok 2 q
ok 2 b
EOF
result "a suite that fails without a failed case counts" counts "1 passed, 1 failed, 0 skipped" <<'EOF'
KTAP version 1
1..1
    1..1
    ok 1 x
not ok 1 a
EOF
result "a log with several documents" counts "2 passed, 1 failed, 0 skipped" <<'EOF'
KTAP version 1
1..1
ok 1 a
TAP version 13
1..2
ok 1 a
not ok 2 b # comment
EOF
result "a log with several documents with the plan last" counts "5 passed, 1 failed, 0 skipped" <<'EOF'
ok 1 a
ok 2 b
not ok 3 c
1..3
ok 1 a
    ok 1 x
    ok 2 y
    1..2
ok 2 b
1..2
EOF
result "results missing from a plan at the end fail in its document" counts "3 passed, 3 failed, 0 skipped" <<'EOF'
ok 1 a
1..3
1..1
ok 1 a
1..2
ok 1 a
EOF
result "results missing from a plan fail" counts "2 passed, 4 failed, 0 skipped" <<'EOF'
KTAP version 1
1..2
    1..4
    ok 1 x
    ok 2 y
EOF
result "results beyond the plan fail" counts "2 passed, 1 failed, 0 skipped" <<'EOF'
KTAP version 1
1..1
ok 1 a
ok 2 b
EOF
result "only the last line of another suite counts" counts "7 passed, 2 failed, 0 skipped" <<'EOF'
1 passed, 0 failed
ok 1 a
7 passed, 2 failed
EOF
result "a skipped suite counts once" counts "1 passed, 0 failed, 1 skipped" <<'EOF'
KTAP version 1
1..2
    KTAP version 1
    1..0 # SKIP not for root
ok 1 a # SKIP
    1..1
    ok 1 x
ok 2 b
EOF
result "an empty log has no result" counts "0 passed, 0 failed, 0 skipped" </dev/null
result "lines that merely look like results do not count" counts "0 passed, 0 failed, 0 skipped" <<'EOF'
okay
# ok 1 a
[    1.0] ok 1 a
EOF
result "each function of the selftests is called" each_is_called "$top/tools/testing/selftests/memorizer"
