#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Fuzz the parsers of traces, KMAPs, kallsyms, modules, notes, MAINTAINERS, YAML and archives with
# libFuzzer, from the tests' small files.
# Usage: test-libfuzzer.sh DIR, with tests/fuzz-parse and make-trace in it;
# FUZZ_RUNS=N for more, or FUZZ_SECONDS=N; FUZZ_KEEP=DIR keeps inputs that fail and those that
# reach new code

. "$(dirname "$0")/common.sh"

"$build/tests/make-trace" -e be -f "$tmp/trace" <"$data/mixed.trace" || exit 1
mkdir -p "$tmp/trace/kernel"
targets="metadata packets kmap kallsyms saved module notes maintainers yaml tar"
keep=${FUZZ_KEEP:-$tmp}
for target in $targets; do
	mkdir -p "$tmp/$target" "$keep/$target"
done
cp "$tmp/trace/metadata" "$tmp/metadata/"
cp "$tmp"/trace/cpu* "$tmp/packets/"
cp "$data"/*.kmap "$tmp/kmap/"
cp "$data"/*.kallsyms "$tmp/kallsyms/"
printf 'module gadget ffffffffa0000000 0123456789abcdef0123456789abcdef01234567\n%s\n%s\nmodule other ffffffffa0010000 -\n%s\n' \
	'ffffffffa0000010 t turn	[gadget]' 'ffffffffa0000040 T push	[gadget]' \
	'ffffffffa0010000 t open	[other]' >"$tmp/saved/two"
python3 -B "$here/make-notes.py" "$tmp/module/gadget" <"$data/gadget.notes" || exit 1
for compressed in '' -z -Z; do
	python3 -B "$here/make-notes.py" $compressed "$tmp/notes/elf$compressed" <"$data/after.notes" || exit 1
done
printf 'Text\n\nSLAB ALLOCATOR\nM:\tA Name <a@b>\nF:\tmm/sl?b*\nX:\tmm/slob.c\nN:\tslab\n' >"$tmp/maintainers/one"
cp "$data/example.cpm" "$tmp/yaml/"
tar -C "$tmp" -cf "$tmp/tar/plain" trace/metadata
gzip -k "$tmp/tar/plain" && xz -k "$tmp/tar/plain" && zstd -q "$tmp/tar/plain" || exit 1
cd "$tmp" || exit 1
for target in $targets; do
	if [ -n "$FUZZ_SECONDS" ]; then
		limit="-max_total_time=$FUZZ_SECONDS"
	else
		limit="-runs=${FUZZ_RUNS:-20000}"
	fi
	FUZZ=$target FUZZ_TRACE=$tmp/trace "$build/tests/fuzz-parse" $limit -seed=1 -max_len=20000 \
		-rss_limit_mb=512 -timeout=20 -artifact_prefix="$keep/$target-" \
		"$keep/$target" "$tmp/$target" >"$tmp/out" 2>&1
	status=$?
	grep -q '^Done [0-9]* runs' "$tmp/out" && [ $status -eq 0 ]
	status=$?
	ok $status "libFuzzer finds no fault in the parser of $target"
	grep '^Done ' "$tmp/out" | sed 's/^/# /'
	[ $status -eq 0 ] || tail -n 40 "$tmp/out" | sed 's/^/# /'
done
tap_end
