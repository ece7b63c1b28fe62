#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests of export-series: the series gives what apply gives. With --build: and each patch builds.
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

has_mail_headers() {
	head -n 4 "$1" | grep -q '^From: test <test@localhost>$' &&
		head -n 4 "$1" | grep -q '^Subject: \[PATCH [0-9]*/[0-9]*\] [^ ]' &&
		grep -q '^Signed-off-by: test' "$1" && grep -q '^ [0-9]* files\? changed' "$1"
}

# builds PATCH: the kernel with the series up to PATCH, without a word on
# stderr; the plain one, and with Memorizer once Kconfig offers it.
builds() {
	local fragments=("$here/config/base.config")

	patch -s -p1 -d "$work/tree" <"$1" || return 1
	! grep -q memorizer "$work/tree/lib/Kconfig.debug" || fragments+=("$here/config/memorizer.config")
	cat "${fragments[@]}" >"$work/fragments"
	make -s -C "$work/tree" O="$work/objects" KCONFIG_ALLCONFIG="$work/fragments" allnoconfig &&
		nice make -s -C "$work/tree" O="$work/objects" -j$(($(nproc) + 1)) CC="ccache gcc" \
			vmlinux modules >"$work/said" 2>&1 && ! grep . "$work/said" || { cat "$work/said"; return 1; }
}

# same_tree A B: the same files with the same contents, and the same of them executable.
same_tree() {
	diff -r -x .git -x .memorizer "$1" "$2" &&
		diff <(executables "$1") <(executables "$2")
}
executables() { (cd "$1" && find . -name .git -prune -o -type f -perm -u+x -print | sort); }

"$here/export-series" "$work/patches"
mapfile -t patches < <(find "$work/patches" -name '*.patch' | sort)
build_each=
if [ "${1-}" = --build ]; then
	build_each=y
	mkdir "$work/tree"
	tar -C "$work/tree" --strip-components=1 -xf "$(source_tarball)"
fi
plan $(((${build_each:+1} + 2) * ${#patches[@]} + 2))
for patch in "${patches[@]}"; do
	result "${patch##*/} has what a mailed patch needs" has_mail_headers "$patch"
	result "${patch##*/} applies with git am" git -C "$work/am" am -q --whitespace=error "$patch"
	[ -z "$build_each" ] || result "the kernel builds with it" builds "$patch"
done
result "the series gives what apply gives" same_tree "$work/am" "$work/applied"
result "it refuses a directory with patches" eval '! "$here/export-series" "$work/patches"'
