#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Test apply on every linux-source-6.12 that apt offers, and on trees that it must refuse.
. "$(dirname "$0")/../lib.sh"

work=$build/apply-test
apply=$here/apply

# state DIR: print names, modes, times and contents of everything below it.
state() { (cd "$1" && find . -printf '%p %m %T@\n' | sort && find . -type f -exec md5sum {} + | sort); }

# unpacked VERSION: wait until its source is unpacked. A file marks success, because bash forgets
# the status of a child once another child reuses its process id.
unpacked() {
	wait "${unpacking[$1]}" || :
	[ -e "$work/$1.unpacked" ]
}

applies() { "$apply" "$1"; }

is_overlaid() {
	local f

	while read -r f; do
		case $f in
		*.patch)	! cmp -s "$pristine/${f%.patch}" "$1/${f%.patch}" ;;
		*)		cmp "$top/$f" "$1/$f" ;;
		esac || { echo "$f is not in the tree"; return 1; }
	done < <(overlay_files)
}

changes_nothing() {
	local before

	before=$(state "$1")
	"$apply" "$1" >"$work/said" 2>&1 || return 1
	grep "nothing to do" "$work/said" && [ "$before" = "$(state "$1")" ]
}

# refuses TREE TEXT: apply prints TEXT, fails, and leaves TREE unchanged.
refuses() {
	local before

	before=$(state "$1")
	! "$apply" "$1" >"$work/said" 2>&1 || return 1
	cat "$work/said"
	grep -q -e "$2" "$work/said" && [ "$before" = "$(state "$1")" ]
}

# back_to_pristine TREE: an overlay without files reverts everything.
back_to_pristine() {
	local empty=$work/empty

	rm -rf "$empty"
	mkdir -p "$empty/scripts"
	cp -r "$here" "$empty/scripts/memorizer"
	(cd "$empty" && : >README.md && scripts/memorizer/apply "$1") || return 1
	(cd "$1" && find . -path ./.memorizer -prune -o -type f -print | sort |
		xargs md5sum) >"$work/now"
	(cd "$pristine" && find . -type f | sort | xargs md5sum) | diff - "$work/now"
}

# takes_any_name TREE: apply updates a file whose name looks like an option.
takes_any_name() {
	local odd=$work/odd n

	rm -rf "$odd"
	mkdir -p "$odd/scripts"
	cp -r "$here" "$odd/scripts/memorizer"
	: >"$odd/another"
	for n in 1 2; do
		echo $n >"$odd/-inf"
		"$odd/scripts/memorizer/apply" "$1" || return 1
		cmp "$odd/-inf" "$1/-inf" && cmp "$odd/another" "$1/another" || return 1
	done
}

fresh() {
	rm -rf "$work/tree"
	cp -rp "$pristine" "$work/tree"
}

# change_context: change the first context line of the patch in the tree, which
# a patch with fuzz would ignore.
change_context() {
	local line

	line=$(sed -n '/^@@/{n;s/^ //p;q}' "$top/$patched.patch")
	line=$line awk '$0 == ENVIRON["line"] { $0 = $0 "/**/"; n++ } { print } END { exit n == 0 }' \
		"$pristine/$patched" >"$work/tree/$patched"
}

offered=$(source_versions)
mapfile -t versions <<<"$offered"
patched=$(overlay_files | sed -n 's/\.patch$//p' | tail -n 1)
copied=$(overlay_files | grep -v '\.patch$' | tail -n 1)
plan $((4 * ${#versions[@]} + 10))

lock apply-test
rm -rf "$work"
mkdir -p "$work"
declare -A unpacking
for version in "${versions[@]}"; do
	{ pristine "$version" "$work/$version" && : >"$work/$version.unpacked"; } &
	unpacking[$version]=$!
done

for version in "${versions[@]}"; do
	say "linux-source-6.12 $version"
	pristine=$work/$version
	result "the source of $version is available" unpacked "$version"
	fresh || :
	result "applies to $version" applies "$work/tree"
	result "all files are in $version" is_overlaid "$work/tree"
	result "is idempotent on $version" changes_nothing "$work/tree"
done

result "changed files are updated, others keep their mtime" eval '
	echo >>"$work/tree/$copied"; touch -d @1 "$work/tree/$patched"
	applies "$work/tree" && is_overlaid "$work/tree" &&
	[ "$(stat -c %Y "$work/tree/$patched")" = 1 ]'
result "patches applied by another tool are recognised" eval '
	rm -r "$work/tree/.memorizer"; before=$(md5sum <"$work/tree/$patched")
	applies "$work/tree" && [ "$before" = "$(md5sum <"$work/tree/$patched")" ]'
result "restored files are patched again" eval '
	cp "$pristine/$patched" "$work/tree/$patched"
	applies "$work/tree" && is_overlaid "$work/tree"'
result "file names may look like options" takes_any_name "$work/tree"
result "what the overlay no longer has is reverted" back_to_pristine "$work/tree"

fresh
change_context
result "refuses a tree whose context differs from a patch's" refuses "$work/tree" \
	"$patched.patch does not apply to $patched: Hunk #1 FAILED at [0-9]*"
fresh
rm "$work/tree/$patched"
result "refuses a tree that lacks a patched file" refuses "$work/tree" "the tree has no $patched"
fresh
mkdir -p "$work/tree/$(dirname "$copied")"
echo another >"$work/tree/$copied"
result "refuses to overwrite a file of the tree" refuses "$work/tree" "$copied is in the tree already"
fresh
sed -i 's/^PATCHLEVEL = 12/PATCHLEVEL = 13/' "$work/tree/Makefile"
result "refuses another version" refuses "$work/tree" "the overlay is for 6.12.x"
rm "$work/tree/Kbuild"
result "refuses a directory that is not a linux tree" refuses "$work/tree" "is not a linux source tree"
