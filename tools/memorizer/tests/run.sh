#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Run all tests of the builds in the given directories, and sum up the results.
# Usage: run.sh DIR/...

here=$(dirname "$0")
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT
passed=0
failed=0

# Sanitizers use an exit status that memorizer does not. If a report of a leak lacks functions,
# repeat the test with ASAN_OPTIONS=fast_unwind_on_malloc=0, which takes twice the time.
export ASAN_OPTIONS="exitcode=99:${ASAN_OPTIONS-}"
export UBSAN_OPTIONS="exitcode=99:print_stacktrace=1"

# run COMMAND...: a test that ends early counts as one more failure
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

# Open pages with a browser once, if there is one.
browser=
if command -v chromedriver >/dev/null; then
	browser=--browser
else
	echo "# no chromedriver: no page is opened"
fi
for dir; do
	run "${dir}tests/test-parse"
	run "${dir}tests/test-sums"
	run "${dir}tests/test-fuzz"
	run "${dir}tests/test-live"
	run sh "$here/test-kmap.sh" "$dir"
	run sh "$here/test-kmap-check.sh" "$dir"
	run sh "$here/test-calls.sh" "$dir"
	run sh "$here/test-terminal.sh" "$dir"
	run sh "$here/test-diff.sh" "$dir"
	run sh "$here/test-script.sh" "$dir"
	run sh "$here/test-names.sh" "$dir"
	run sh "$here/test-timeline.sh" "$dir"
	run sh "$here/test-filters.sh" "$dir"
	run sh "$here/test-analyses.sh" "$dir"
	run sh "$here/test-formats.sh" "$dir"
	run sh "$here/test-columns.sh" "$dir"
	run sh "$here/test-lines.sh" "$dir"
	run sh "$here/test-modules.sh" "$dir"
	run sh "$here/test-trace.sh" "$dir"
	run bash "$here/test-install.sh" "$dir"
	run sh "$here/test-source.sh" "$dir"
	run sh "$here/test-record.sh" "$dir"
	run sh "$here/test-parts.sh" "$dir"
	run sh "$here/test-top.sh" "$dir"
	run sh "$here/test-report.sh" "$dir"
	run sh "$here/test-types.sh" "$dir"
	run sh "$here/test-fields.sh" "$dir"
	run sh "$here/test-kinds.sh" "$dir"
	run sh "$here/test-frames.sh" "$dir"
	run sh "$here/test-privilege.sh" "$dir"
	run sh "$here/test-cpm.sh" "$dir"
	run sh "$here/test-export.sh" "$dir"
	run sh "$here/test-contexts.sh" "$dir"
	run sh "$here/test-html.sh" "$dir"
	run python3 "$here/test-html.py" "$dir" $browser
	browser=
	run sh "$here/test-model.sh" "$dir"
done
run sh "$here/test-libfuzzer.sh" "$1"
run sh "$here/test-referee.sh" "$1"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
