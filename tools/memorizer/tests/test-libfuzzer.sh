#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Fuzz the parsers of metadata, packets and KMAP text with libFuzzer.
# Usage: test-libfuzzer.sh DIR, with tests/fuzz-parse and make-trace in it;
# FUZZ_RUNS=N for more

here=$(dirname "$0")
data=$here/data
build=$(cd "$1" && pwd) || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. "$here/tap.sh"

"$build/tests/make-trace" -e be -f "$tmp/trace" <"$data/mixed.trace" || exit 1
mkdir "$tmp/metadata" "$tmp/packets" "$tmp/kmap"
cp "$tmp/trace/metadata" "$tmp/metadata/"
cp "$tmp"/trace/cpu* "$tmp/packets/"
cp "$data"/*.kmap "$tmp/kmap/"
cd "$tmp" || exit 1
for target in metadata packets kmap; do
	FUZZ=$target FUZZ_TRACE=$tmp/trace "$build/tests/fuzz-parse" -runs="${FUZZ_RUNS:-20000}" -seed=1 \
		-max_len=20000 -rss_limit_mb=512 -timeout=20 "$tmp/$target" >"$tmp/out" 2>&1
	status=$?
	grep -q '^Done [0-9]* runs' "$tmp/out" && [ $status -eq 0 ]
	status=$?
	ok $status "libFuzzer finds no $target that are not stood"
	[ $status -eq 0 ] || tail -n 40 "$tmp/out" | sed 's/^/# /'
done
tap_end
