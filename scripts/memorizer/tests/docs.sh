#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests the documentation: its tables are those that were measured, and the files that it names exist.
. "$(dirname "$0")/../lib.sh"

work=$build/docs-test
rm -rf "$work"
mkdir -p "$work/scripts/memorizer"

pages() {
	ls "$top"/Documentation/dev-tools/memorizer.rst "$top"/Documentation/dev-tools/memorizer/*.rst \
		"$top"/Documentation/ABI/testing/debugfs-memorizer "$top"/README.md \
		"$top"/tools/memorizer/Documentation/*
}

measured_tables() { "$here/measurements" --check; }

# new_figures: a copy of the pages gets what is measured anew, and differs before.
new_figures() (
	cp -r "$here/measurements" "$here/measured" "$work/scripts/memorizer"
	mkdir -p "$work/Documentation"
	cp -r "$top/Documentation/dev-tools" "$work/Documentation"
	cd "$work"
	mkdir new
	sed 's/^names,tar,[^,]*/names,tar,12.34/' "$here/measured/names.csv" >new/names.csv
	cp new/names.csv scripts/memorizer/measured
	! scripts/memorizer/measurements --check 2>said || exit 1
	grep -q 'measurements.rst: tables differ' said || exit 1
	cp "$here/measured/names.csv" scripts/memorizer/measured
	scripts/memorizer/measurements new/names.csv
	scripts/memorizer/measurements --check
	diff "$top/Documentation/dev-tools/memorizer/measurements.rst" \
		Documentation/dev-tools/memorizer/measurements.rst >said && exit 1
	[ "$(grep -c '^[<>]' said)" -eq 2 ] && grep -q '^> tar  *12.34' said
)

# exists NAME: a path from the top of the repository or of the kernel, or a name of a file in them.
# Without a kernel tree, only paths of Memorizer's files are checked.
exists() {
	local path=${1%.} tree

	compgen -G "$top/$path" >/dev/null || [ -e "$top/$path.patch" ] && return
	for tree in "$build"/linux-6.12.*; do
		! compgen -G "$tree/$path" >/dev/null || return 0
	done
	case $path in
	*memorizer*)	return 1 ;;
	*/*)	[ ! -d "$tree/mm" ] ;;
	*)	[ ! -d "$tree/mm" ] || grep -q "/${path//./\\.}\$" "$work/files" ||
			find "$tree/" -name "$path" 2>/dev/null | grep -q . ;;
	esac
}

files_exist() {
	local page name wrong=0

	(cd "$top" && find . -path ./build -prune -o -path ./.git -prune -o -type f -print) >"$work/files"
	for page in $(pages); do
		while read -r name; do
			exists "$name" || { echo "# ${page#"$top"/}: $name does not exist"; wrong=1; }
		done < <(sed 's/\\-/-/g; s/\\f[BIPR]//g' "$page" | named_files | sort -u)
	done
	return $wrong
}

# named_files: of the text on stdin, paths below directories of the kernel's tree, and names of C files.
# kernel/notes and others without a suffix are in a trace.
named_files() {
	grep -Eo '(^|[^A-Za-z0-9_/.*-])((arch|mm|include|kernel|lib|scripts|tools|Documentation)/[A-Za-z0-9_.*/-]*[A-Za-z0-9_*]|[a-z0-9_-]+\.[ch])([^A-Za-z0-9_/-]|/[^A-Za-z0-9_]|$)' |
		grep -Eo '[A-Za-z].*[A-Za-z0-9_*]' | grep -Ev '^kernel/[a-z]+(\.modules)?$'
}

plan 4
result "the tables in the documentation are those that were measured" measured_tables
result "what is measured anew goes into them" new_figures
result "the files that the documentation names exist" files_exist
result "one that does not is noticed" eval '! exists mm/memorizer/none.c'
