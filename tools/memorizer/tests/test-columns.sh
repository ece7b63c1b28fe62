#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Test all columns of all tables; see columns.py.
# Usage: test-columns.sh DIR, the directory of a build

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
python3 -B "$(dirname "$0")/columns.py" "$1" "$tmp"
