#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs all tests of the builds in the directories given and sums them up.
# Usage: run.sh DIR/...

here=$(dirname "$0")
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT
passed=0
failed=0

# run COMMAND...: a test that ends early has failed as well, by one
run()
{
	echo "# $*"
	"$@" >"$out" 2>&1
	status=$?
	cat "$out"
	good=$(grep -c '^ok ' "$out")
	bad=$(grep -c '^not ok ' "$out")
	if [ "$(tail -n 1 "$out")" != "1..$((good + bad))" ] ||
	   { [ $status -ne 0 ] && [ "$bad" -eq 0 ]; }; then
		echo "not ok - $* ended early with status $status"
		bad=$((bad + 1))
	fi
	passed=$((passed + good))
	failed=$((failed + bad))
}

for dir; do
	run "${dir}test/test-parse"
	run "${dir}test/test-sums"
	run "${dir}test/test-fuzz"
	run sh "$here/test-kmap.sh" "${dir}kmap"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
