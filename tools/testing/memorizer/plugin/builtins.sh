#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Checks that each builtin of GCC that takes a pointer is in the plugin's tables or in builtins.txt,
# the list of those that need no sites. Arguments: the compiler, the plugin's source, the list.
set -eu

compiler=$1 plugin=$2 list=$3
include=$($compiler -print-file-name=plugin)/include
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

{
	sed -n 's/^\t{ "\([A-Za-z_]*\)",.*/\1/p' "$plugin" | sed 's/^__builtin_//'
	sed 's/[[:space:]]*#.*//; /^$/d; s/[[:space:]]\+[a-z]*$//' "$list"
} > "$work/known"

# Each definition ends up as "@ name type".
$compiler -E -P -w -x c -I"$include" - > "$work/expanded" <<'C'
#define DEF_BUILTIN(ENUM, NAME, CLASS, TYPE, LIBTYPE, BOTH_P, FALLBACK_P, \
		    NONANSI_P, ATTRS, IMPLICIT, COND) @ NAME TYPE
#include "builtins.def"
C
tr -d '\n" ' < "$work/expanded" | tr '@' '\n' | sed 's/BT_/ BT_/' | grep -v '(' |
	grep -E ' BT.*(PTR|STRING|VALIST|VAR|LAST)' | sed 's/ .*//; s/^__builtin_//' | sort -u \
	> "$work/names"

n=$(wc -l < "$work/names")
unknown=$(grep -vxEf "$work/known" "$work/names" || :)
if [ "$n" -lt 300 ]; then
	echo "# only $n builtins take pointers, not at least 300"
	unknown=all
fi
printf '%s\n' "$unknown" | sed -n 's/^./#   neither in the plugin nor in the list: &/p'
if [ -z "$unknown" ]; then
	echo "ok builtins of $compiler: $n with pointers"
	echo "1 passed, 0 failed"
else
	echo "not ok builtins of $compiler"
	echo "0 passed, 1 failed"
fi
