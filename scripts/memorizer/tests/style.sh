#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Test that checkpatch.pl --strict, kernel-doc, sparse and gcc with W=1 report nothing about the
# overlay, except for what style.exceptions has a reason for, and that no word of "vocabulary" is used.
. "$(dirname "$0")/../lib.sh"

work=$build/style-test
exceptions=$here/tests/style.exceptions
lock style-test
rm -rf "$work"
mkdir -p "$work"
"$here/build" --config style --config-only
tree=$build/linux-$(dpkg-query -W -f '${Version}' linux-source-6.12 | sed 's/-.*//')

overlay_files | grep -v /tests/data/ >"$work/files"
grep '\.[ch]$' "$work/files" >"$work/c-files"

# Each tool writes lines "FILE:LINE: LEVEL:TYPE: TEXT".

# without_maintainers: make $work/root, the tree without get_maintainer.pl, which checkpatch runs for each file if it is there.
without_maintainers() {
	mkdir "$work/root"
	ln -s "$tree"/* "$work/root/"
	rm "$work/root/scripts"
	mkdir "$work/root/scripts"
	ln -s "$tree"/scripts/* "$work/root/scripts/"
	rm "$work/root/scripts/get_maintainer.pl"
}

# checkpatch FILE...: what checkpatch reports about files of the tree.
checkpatch() {
	(cd "$tree" && printf '%s\n' "$@" | xargs -n 25 -P "$(nproc)" perl scripts/checkpatch.pl --root "$work/root" \
		--strict --terse --show-types --no-summary -f) 2>"$work/checkpatch.said" || :
}

# checkpatch_patches: what it reports about each F.patch; these have no message.
checkpatch_patches() {
	local patch

	while read -r patch; do
		(cd "$tree" && perl scripts/checkpatch.pl --strict --terse --show-types --no-summary --no-signoff \
			--ignore COMMIT_MESSAGE - <"$top/$patch") 2>>"$work/checkpatch.said" | sed "s,^[^:]*:,$patch:,"
	done < <(grep '\.patch$' "$work/files")
}

kernel_doc() {
	(cd "$tree" && scripts/kernel-doc -none "$@") 2>&1 |
		sed -n 's/^\([^:]*:[0-9]*\): \(warning\|error\): /\1: \U\2\E:KERNEL_DOC: /p'
}

# compile TARGET...: what sparse and gcc with W=1 report about files of Memorizer.
compile() {
	make -C "$tree" O="$build/style" -k -j"$(nproc)" CC="ccache gcc" HOSTCC="ccache gcc" HOSTCXX="ccache g++" \
		C=2 W=1 KCFLAGS=-Wno-error "$@" >"$work/compile.said" 2>&1 || echo "compile:1: ERROR:MAKE: see $work/compile.said"
	sed "s,^$tree/,," "$work/compile.said" |
		sed -n -E -e 's,^([^ :]*memorizer[^ :]*:[0-9]+):[0-9]+: (warning|error): (.*\[-W.*\])$,\1: \U\2\E:GCC: \3,p;t' \
			-e 's,^([^ :]*memorizer[^ :]*:[0-9]+):[0-9]+: (warning|error): ,\1: \U\2\E:SPARSE: ,p' | sort -u
}
# compile_kernel: the same for all files of Memorizer in the kernel.
compile_kernel() { compile mm/memorizer/ $(sed -n 's,^\(arch/x86/.*memorizer[^/]*\)\.[cS]$,\1.o,p' "$work/files"); }

# unexcepted: print the lines of stdin that have no exception; the others' exceptions go to $work/used.
unexcepted() {
	awk -v used="$work/used" '
		NR == FNR {
			if (/^[^#]/) {
				file[++n] = $1
				gsub(/[.]/, "[.]", file[n])
				gsub(/[*]/, ".*", file[n])
				type[n] = $2
				sub(/=.*/, "", type[n])
				text[n] = index($2, "=") ? substr($2, index($2, "=") + 1) : ""
			}
			next
		}
		{
			split($0, at, ":")
			kind = $2 ~ /:/ ? $2 : $3
			sub(/^[^:]*:/, "", kind)
			sub(/:.*/, "", kind)
			hit = 0
			for (i = 1; i <= n; i++)
				if (at[1] ~ ("^" file[i] "$") && kind ~ ("^(" type[i] ")$") && $0 ~ text[i]) {
					print i >>used
					hit = 1
				}
			if (!hit)
				print
		}' "$exceptions" -
}

# nothing COMMAND...: succeed if all that COMMAND prints has an exception.
nothing() { "$@" >"$work/${1//_/-}.all"; unexcepted <"$work/${1//_/-}.all" | not grep .; }

# each_is_used: succeed if each exception is one for something.
each_is_used() {
	grep -v '^#' "$exceptions" | grep -v '^$' | awk '
		NR == FNR { used[$1] = 1; next }
		!(FNR in used) { print "style.exceptions: for nothing: " $0; bad = 1 }
		END { exit bad }' "$work/used" -
}
each_has_reason() { awk '/^[^#]/ && NF < 4 { print; bad = 1 } END { exit bad }' "$exceptions"; }

# gone_words FILE...: print where a word of the vocabulary that was removed is used.
gone_words() {
	sed '/^#/d; s/ = .*//' "$here/tests/vocabulary" >"$work/words"
	grep -n -i -w -E -f "$work/words" "$@" /dev/null
}
no_gone_words() {
	(cd "$top" && mapfile -t files < <({ cat "$work/files"; ls README.md scripts/memorizer/letters/* scripts/memorizer/series
		find scripts/memorizer -maxdepth 1 -type f -perm -u+x; } | grep -v -e '/tests/vocabulary$') && not gone_words "${files[@]}")
}

# A file and a patch with one fault for each tool.
faulty() {
	mkdir -p "$work/faulty"
	printf '%s\n' 'int memorizer_fault;' 'static const int unused = 1;' >"$work/faulty/memorizer_fault.c"
	printf '%s\n' '// SPDX-License-Identifier: GPL-2.0' '/**' ' * fault() - be wrong' ' * @a: there is no such argument' \
		' */' 'int fault(int b)' '{' '	if(b)' '		return 1; /* so that who reads it */' '	return 0;' '}' >"$work/faulty/fault.c"
}
sees() {	# REGEX COMMAND...: COMMAND reports something that matches, without an exception
	"${@:2}" | unexcepted | grep -E -e "$1"
}

faulty
without_maintainers
compile M="$work/faulty" memorizer_fault.o >"$work/faults"
plan 12
result "checkpatch reports nothing about files" nothing checkpatch $(grep -E '\.([chS]|rst)$|/(Makefile|Kconfig)[^/]*$' "$work/files" | grep -v '\.patch$')
result "checkpatch reports nothing about patches" nothing checkpatch_patches
result "kernel-doc reports nothing" nothing kernel_doc $(cat "$work/c-files")
result "sparse and gcc with W=1 report nothing" nothing compile_kernel
result "each exception has a reason" each_has_reason
result "each exception is one for something" each_is_used
result "no word is used that was removed" no_gone_words
result "checkpatch notices a fault" sees ERROR:SPACING checkpatch "$work/faulty/fault.c"
result "kernel-doc notices a fault" sees "KERNEL_DOC: .*'b'" kernel_doc "$work/faulty/fault.c"
result "a removed word is noticed" eval 'gone_words "$work/faulty/fault.c" | grep "fault.c:9:.*so that who"'
result "sparse notices a fault" eval 'grep "memorizer_fault.c:[0-9]*: WARNING:SPARSE: .*not declared" "$work/faults"'
result "gcc with W=1 notices a fault" eval 'grep "memorizer_fault.c:[0-9]*: WARNING:GCC: .*unused" "$work/faults"'
