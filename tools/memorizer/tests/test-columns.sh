#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Tests all columns of all tables, see columns.py.
# Usage: test-columns.sh DIR, with memorizer in it, and in its tests/ what the tests need

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
python3 -B "$(dirname "$0")/columns.py" "$1" "$tmp"
