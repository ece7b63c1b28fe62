#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Tests that memorizer-formats(5) has the tables, columns and members of JSON, see formats.py.
# Usage: test-formats.sh DIR, with memorizer in it, and in its tests/ what the tests need

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
python3 -B "$(dirname "$0")/formats.py" "$1" "$tmp"
