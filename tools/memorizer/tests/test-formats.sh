#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Test that memorizer-formats(5) has all tables, columns and JSON members; see formats.py.
# Usage: test-formats.sh DIR, the directory of a build

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
python3 -B "$(dirname "$0")/formats.py" "$1" "$tmp"
