#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests of export-series: the series gives what apply gives. With --build: and each patch builds and boots, from the one
# named FROM on, such as B/0010.
# Usage: series.sh [--build [FROM]]
. "$(dirname "$0")/../lib.sh"

work=$build/series-test
export GIT_AUTHOR_NAME=test GIT_AUTHOR_EMAIL=test@localhost GIT_COMMITTER_NAME=test GIT_COMMITTER_EMAIL=test@localhost
version=$(dpkg-query -W -f '${Version}' linux-source-6.12)
lock series-test
rm -rf "$work"
mkdir -p "$work"

# Where git am works, with an index that knows what the series touches.
pristine "$version" "$work/am"
cp -rp "$work/am" "$work/applied"
"$here/apply" "$work/applied"
(cd "$work/am" && git init -q && git add -f . && git commit -q -m pristine)

# has_letter SERIES: its cover letter has a subject and a text, and what git adds.
has_letter() {
	local letter=$1/0000-cover-letter.patch

	grep -q '^Subject: \[PATCH 0*/[0-9]*\] [^ *]' "$letter" && ! grep -F '*** ' "$letter" &&
		grep -q '^test ([0-9]*):$' "$letter" && grep -q '^ [0-9]* files\? changed' "$letter"
}

has_mail_headers() {
	head -n 4 "$1" | grep -q '^From: test <test@localhost>$' &&
		head -n 4 "$1" | grep -q '^Subject: \[PATCH [0-9]*/[0-9]*\] [^ ]' &&
		grep -q '^Signed-off-by: test' "$1" && grep -q '^ [0-9]* files\? changed' "$1"
}

# gives_reason: the message of HEAD of $work/am has a text, in lines that checkpatch accepts.
gives_reason() {
	git -C "$work/am" log -1 --format=%b | sed '/^Signed-off-by:/d' | awk '
		length > 75 { print "more than 75 columns: " $0; long = 1 }
		NF { text = 1 }
		END { exit long || !text }'
}

# code_lines: the lines that HEAD of $work/am adds outside of tests and documentation.
code_lines() {
	git -C "$work/am" show --format= --numstat HEAD | awk '
		$3 !~ /(^|\/)tests?\/|_(test|bench)\.|\/test(_[a-z]+)?\.[ch]$|^tools\/testing\/|Documentation\/|^MAINTAINERS$/ { n += $1 }
		END { print n + 0 }'
}

# can_be_read PATCH: a reviewer reads at most 1,200 lines of code at once, and 6,000 in all, unless
# the list of patches has a reason.
can_be_read() {
	local code lines

	code=$(code_lines)
	lines=$(wc -l <"$1")
	echo "$code" >>"$work/sizes"
	[ "$code" -le 1200 ] && [ "$lines" -le 6000 ] || grep -q -F -x "$(git -C "$work/am" log -1 --format=%s)" "$work/large" ||
		{ echo "$1 has $code lines of code, $lines in all"; return 1; }
}

# median_is_small: half of the patches that have code have at most 300 lines of it.
median_is_small() {
	local sizes

	mapfile -t sizes < <(grep -v -x 0 "$work/sizes" | sort -n)
	echo "median: ${sizes[$((${#sizes[@]} / 2))]} lines of code, largest: ${sizes[-1]}"
	[ "${sizes[$((${#sizes[@]} / 2))]}" -le 300 ]
}

# needs_nothing_later: no file of HEAD includes a header of a later patch, and no Makefile names an object whose source is
# in one.
needs_nothing_later() {
	local f needs missing=0

	while read -r f needs; do
		[ -e "$work/am/$needs" ] || [ ! -e "$work/applied/$needs" ] || { echo "$f needs $needs"; missing=1; }
	done < <(cd "$work/am" && git show --format= --name-only --diff-filter=AM HEAD | grep '\.[chS]$\|/Makefile$' |
		xargs -r awk '
			{ of = FILENAME; sub("[^/]*$", "", of) }
			/^#include ["<]/ { split($2, part, /[<">]/) }
			/^#include "/ { print FILENAME, of part[2] }
			/^#include "/ && FILENAME ~ /^tools\/memorizer\// { print FILENAME, "tools/memorizer/" part[2] }
			/^#include <linux\// { print FILENAME, "include/" part[2] }
			/^#include <asm\// { print FILENAME, "arch/x86/include/" part[2] }
			FILENAME ~ /Makefile$/ && /^obj-/ {
				for (i = 2; i <= NF; i++)
					if ($i ~ /^memorizer[a-z_]*\.o$/)
						print FILENAME, of substr($i, 1, length($i) - 1) ($i ~ /thunk/ ? "S" : "c")
			}')
	return $missing
}

# changes_plugin PATCH: it changes the compiler plugin, or has the kernel built with it.
changes_plugin() { grep -q '^diff --git a/scripts/gcc-plugins/' "$1"; }

# plugin_links: the compiler plugin of $work/am is complete.
plugin_links() {
	rm -rf "$work/plugin"
	make -s -C "$top/tools/testing/memorizer/plugin" root="$work/am" OUTPUT="$work/plugin/" \
		KERNEL="$(find "$build" -maxdepth 1 -type d -name 'linux-*' -print -quit)" "$work/plugin/memorizer_plugin.so"
}

# for_kernel PATCH: it changes more than documentation, tests and the command.
for_kernel() { grep '^diff --git' "$1" | grep -q -v ' a/\(Documentation\|tools/memorizer\|tools/testing\)/'; }

# is_built PATCH: the kernel is to be built with it.
is_built() {
	local name=${1#"$work/patches/"}

	[ -n "$build_each" ] && for_kernel "$1" && [[ ! "$name" < "$from" ]]
}

# builds: the kernel of $work/tree, with Memorizer enabled, without a word on stderr.
builds() {
	local fragments="$here/config/base.config $here/config/no-debug-info.config $here/config/memorizer.config"

	rm -f "$objects/arch/x86/boot/bzImage"	# that of the patch before, which boots, too
	! grep -q KUNIT "$work"/tree/mm/memorizer/Kconfig* || fragments="$fragments $here/config/test.config"
	cat $fragments >"$work/fragments"
	make -s -C "$work/tree" O="$objects" KCONFIG_ALLCONFIG="$work/fragments" allnoconfig &&
		grep -q '^CONFIG_MEMORIZER=y$' "$objects/.config" &&
		nice make -s -C "$work/tree" O="$objects" -j$(($(nproc) + 1)) CC="ccache gcc" \
			bzImage modules >"$work/said" 2>&1 && ! grep -v '^Kernel: ' "$work/said" || { cat "$work/said"; return 1; }
}

# boots: what was built comes up.
boots() {
	"$here/boot" --config each --mode hello --out "$out/each" --accel tcg && grep -q -a '^guest: up' "$out/each/console.log" &&
		! grep -a -E 'WARNING:|BUG:|Oops|Kernel panic' "$out/each/console.log"
}

# patterns_are_used: export-series writes each pattern that is not the longest one of any file to stderr.
patterns_are_used() { not grep "no file has" "$work/said-export"; }

# same_tree A B: the same files with the same contents, and the same of them executable.
same_tree() {
	diff -r -x .git -x .memorizer "$1" "$2" &&
		diff <(executables "$1") <(executables "$2")
}
executables() { (cd "$1" && find . -name .git -prune -o -type f -perm -u+x -print | sort); }

"$here/export-series" "$work/patches" 2> >(tee "$work/said-export" >&2)
series=$(cd "$work/patches" && echo *)
mapfile -t patches < <(find "$work/patches" -name '*.patch' ! -name 0000-cover-letter.patch | sort)
build_each='' from=''
if [ "${1-}" = --build ]; then
	build_each=y from=${2-}
	compgen -G "$work/patches/$from*" >/dev/null || die "no patch '$from'; name one such as B/0010"
	# What boot takes from the kernel's source
	"$here/build" --config memorizer --config-only
	mkdir "$work/tree"
	# One kernel after the other in one place: only what a patch touches is built again.
	objects=$build/each
	[ -n "$from" ] || rm -rf "$objects"
	mkdir -p "$objects"
	export CCACHE_BASEDIR=$build CCACHE_NOHASHDIR=1 CCACHE_COMPILERCHECK=content
	tar -C "$work/tree" --strip-components=1 -xf "$(source_tarball)"
fi
# The subjects of patches with a reason to be larger
awk '/^[#!=+]/ { if (/^!/) print subject; open = 0; next } NF && !open { subject = $0; open = 1 }' "$here/series" >"$work/large"
built=0
plugins=0
for patch in "${patches[@]}"; do
	if grep -q '^diff --git a/scripts/gcc-plugins/Makefile ' "$patch" || { [ $plugins -gt 0 ] && changes_plugin "$patch"; }; then
		plugins=$((plugins + 1))
	fi
	! is_built "$patch" || built=$((built + 1))
done
plan $((2 * built + plugins + 5 * ${#patches[@]} + $(wc -w <<<"$series") + 7))
result "the first series has at most 20 patches" [ "$(find "$work/patches/A" -name '*.patch' | wc -l)" -le 21 ]
for s in $series; do
	result "series $s has a cover letter" has_letter "$work/patches/$s"
done
for patch in "${patches[@]}"; do
	name=${patch#"$work/patches/"}
	result "$name has what a mailed patch needs" has_mail_headers "$patch"
	result "$name applies with git am" git -C "$work/am" am -q --whitespace=error "$patch"
	result "$name gives a reason" gives_reason
	result "$name is short enough to read" can_be_read "$patch"
	result "$name needs nothing of later patches" needs_nothing_later
	if [ -e "$work/am/scripts/gcc-plugins/Makefile" ] && grep -q memorizer "$work/am/scripts/gcc-plugins/Makefile" &&
		changes_plugin "$patch"; then
		result "the compiler plugin links with it" plugin_links
	fi
	[ -z "$build_each" ] || ! for_kernel "$patch" || patch -s -p1 -d "$work/tree" <"$patch"
	! is_built "$patch" || {
		result "the kernel builds with it" builds
		result "and boots" boots
	}
done
result "patches are small" median_is_small
result "each pattern is that of a file" patterns_are_used
result "the series together give what apply gives" same_tree "$work/am" "$work/applied"
result "it refuses a directory with patches" eval '! "$here/export-series" "$work/patches"'
result "it refuses a series that there is not" eval '! "$here/export-series" "$work/none" Z'
"$here/export-series" "$work/one" B
result "it writes one series alone, as it is among all" diff -r "$work/patches/B" "$work/one/B"
