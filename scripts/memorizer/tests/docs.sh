#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests the documentation: its tables are those that were measured, and the files that it names exist.
# Makefiles name files, too.
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
	cd "$work" || exit
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

# bench_tables: what bench prints becomes tables.
bench_tables() {
	awk -f "$here/bench.awk" >"$work/bench.csv" <<-'END'
	Guest instructions per call (-icount shift=0, -cpu max,-erms,-fsrm)
	                    without        off           objects
	getppid                 190        191   1.01        194   1.02
	fork + exit            1000       1020   1.02       1100   1.10
	geometric mean                          1.016             1.059
	target                                   1.07              1.15
	two runs of it differ by at most 0.10 % (objects, getppid)
	with cache lines tracked 40.100, 10.900 times accesses alone
	with calls counted 3.210 times
	filtered to one function 1.074: objects + 0.018 (at most 0.02); objects of one cache, too, 1.091: off + 0.050
	with entries streamed 1.240 times as many (bench), 139.0 more for an event (median of 10 calls, 99.0 to 200.0)

	The same with -cpu max, where each byte of a rep movsb counts
	                    without        off           objects
	getppid                 180        181   1.01        184   1.02

	Whole workloads: guest instructions of their tasks, against those without
	                   without       off   objects
	tar+gzip            715000     1.000     1.045
	geometric mean                 1.000     1.045

	bytes per access entry: 25.5 (target 24)
	switching 120905 sites on: 170 ms, off: 220 ms (two CPUs, medians of 5)
	cat kmap: 1350000 lines/s, 60.0 MB/s (33600000 lines)
	two readers at once, on two CPUs: each takes 1.16 times as long as one alone
	two CPUs against one, time for the same work on each: without 1.080, accesses on 0.990, ratio 0.917 (target 1.10)
	END
	diff -u - "$work/bench.csv" <<-'END'
	table,calls,call,without,off,objects
	calls,getppid,190,1.01,1.02
	calls,fork + exit,1000,1.02,1.10
	calls,geometric mean,,1.02,1.06
	table,workloads,workload,without,off,objects
	workloads,tar+gzip,715000,1.000,1.045
	workloads,geometric mean,,1.000,1.045
	table,events,stream,kernel,ratio,instructions
	events,entries,bench,1.240,139.0
	table,figures,figure,value
	figures,cache lines tracked: times the instructions of accesses alone,10.900
	figures,calls counted: times the instructions of the kernel without,3.210
	figures,sites of vfs_read only: times the instructions of the kernel without,1.074
	figures,the same: more than with objects alone,0.018
	figures,the same and objects of the cache filp: times the instructions of the kernel without,1.091
	figures,bytes of an access entry,25.5
	figures,sites,120905
	figures,switching all sites on (ms),170
	figures,switching all sites off (ms),220
	figures,lines of kmap read in a second,1350000
	figures,time of two readers at once: times that of one,1.16
	figures,time on two CPUs: times that on one (without),1.080
	figures,time on two CPUs: times that on one (accesses),0.990
	END
}

# readme_figures: those in the README's text are measured ones.
readme_figures() {
	awk -F, '$1 == "calls" && $2 == "geometric mean" { print "| " $4 " | " $5 " | " $6 " | " $9 " | " $10 " |" }' \
		"$here/measured/bench.csv" >"$work/figures"
	awk -F, '/^compare,"guest/	{ memorizer = $4 " instructions and "; perf = $5 " and " }
		/^compare,"bytes/	{ print memorizer $4; print perf $5 }' "$here/measured/compare.csv" >>"$work/figures"
	tr '\n' ' ' <"$top/README.md" >"$work/readme"
	[ "$(wc -l <"$work/figures")" -eq 3 ] && while read -r figures; do
		grep -qF -e "$figures" "$work/readme" || { echo "README.md does not have: $figures"; return 1; }
	done <"$work/figures"
}

# letter_figures: those in the table of the first series' cover letter are measured ones.
letter_figures() {
	awk -F, '$1 == "calls" && $2 == "geometric mean" { print $4, $5, $6, $7, $9, $10 }' "$here/measured/bench.csv" \
		>"$work/figures"
	awk '/^  (sites disabled,|objects recorded|each access|the same,) / { figures = figures $NF " " }
		/^  for comparison: KASAN/ { gsub(/,/, ""); print figures $4, $6 }' "$here/letters/A" | diff "$work/figures" -
}

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

# flagged_objects FILE...: the objects that Makefiles, or patches of them, set flags for
flagged_objects() { sed -nE 's/^\+?[A-Z_]+_([a-z][a-z0-9_-]*\.o)[ \t]*[:+]?=.*/\1/p' "$@" | sort -u; }

# flags_apply: each of these objects is compiled from a file beside its Makefile.
flags_apply() {
	local file object dir n=0

	for file in "$top"/mm/memorizer/{,stream/}Makefile "$top"/arch/x86/kernel/Makefile.patch; do
		dir=${file%/*}
		for object in $(flagged_objects "$file"); do
			n=$((n + 1))
			compgen -G "$dir/${object%.o}.[cS]" >/dev/null ||
				{ echo "# ${file#"$top"/}: $object has no source"; return 1; }
		done
	done
	[ $n -gt 4 ]
}

plan 8
result "the tables in the documentation are those that were measured" measured_tables
result "what is measured anew goes into them" new_figures
result "what bench prints becomes tables" bench_tables
result "the figures in the README are measured ones" readme_figures
result "the figures in the cover letter are measured ones" letter_figures
result "the files that the documentation names exist" files_exist
result "one that does not is noticed" eval '! exists mm/memorizer/none.c'
result "Makefiles set flags for objects that exist" flags_apply
