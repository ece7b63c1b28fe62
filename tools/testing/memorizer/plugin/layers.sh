#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Checks that each file of the plugin only uses files below it, in the order that memorizer_site.h
# lists them. Arguments: memorizer_site.h, the objects.
set -eu

header=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sed -n 's/^ \*\t\(memorizer_[a-z]*\)\.c\t.*/\1/p' "$header" >"$work/listed"
for object; do
	basename "$object" .o
done | sort >"$work/built"

# "FILE SYMBOL" for each symbol that a file defines, and that it uses.
for object; do
	nm --defined-only --extern-only -P "$object" | sed "s|^|$(basename "$object" .o) |" >&3
	nm --undefined-only -P "$object" | sed "s|^|$(basename "$object" .o) |" >&4
done 3>"$work/defined" 4>"$work/used"

# Weak symbols are templates: several objects define them.
awk '
	FILENAME ~ /listed$/	{ floor[$1] = FNR; next }
	FILENAME ~ /defined$/	{ if ($3 ~ /^[TBDR]$/) owner[$2] = $1; next }
	!($2 in owner)		{ next }
				{ n++ }
	floor[owner[$2]] <= floor[$1] { print $1 ".c uses " $2 " of " owner[$2] ".c" }
	END			{ if (n < 20) print "only " n + 0 " uses of other files" }
' "$work/listed" "$work/defined" "$work/used" >"$work/wrong"
sort "$work/listed" | diff - "$work/built" |
	sed -n 's/^[<>] \(.*\)/\1.c: not both listed and built/p' >>"$work/wrong"

sed 's/^/#   /' "$work/wrong"
if [ ! -s "$work/wrong" ]; then
	echo "ok each file of the plugin only uses files below it"
	echo "1 passed, 0 failed"
else
	echo "not ok each file of the plugin only uses files below it"
	echo "0 passed, 1 failed"
fi
