#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Measures the report of a trace of 10 million events: events per second, memory.
# Usage: bench-trace.sh DIR [EVENTS], with memorizer in it, and in its tests/ what is needed

events=${2:-10000000}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
"${1}tests/make-trace" -b "$events" -l 100000 "$tmp/trace" || exit 1
bytes=$(cat "$tmp"/trace/cpu* | wc -c)
"${1}tests/peak" "${1}memorizer" report "$tmp/trace" >"$tmp/out" 2>"$tmp/err" || exit 1
read -r ms kb <<END
$(tail -n 1 "$tmp/err")
END
grep -q "^Events  *$events\$" "$tmp/out" || exit 1
echo "$events events, $bytes bytes: $ms ms, $((events / (ms + 1))) events/ms, peak $kb kB"
