#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Tests how memorizer html is used: messages, exit statuses, what it leaves behind. What is in its
# pages is tested by test-html.py.
# Usage: test-html.sh DIR, with memorizer in it, and in its tests/ what the tests need

here=$(dirname "$0")
data=$here/data
build=$(cd "$1" && pwd) || exit 1
memorizer=$build/memorizer
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. "$here/tap.sh"

"$build/tests/make-trace" "$tmp/lost" <"$data/kmem.trace" || exit 1
mkdir "$tmp/lost/kernel"
cp "$data/kallsyms" "$tmp/lost/kernel"
kmap=$data/session.kmap

outcome "a page is made, and nothing printed" 0 /dev/null "" html -o "$tmp/page" "$kmap"
same "which ends as a page does" "</html>" "$(tail -n 1 "$tmp/page")"
lost="memorizer: $tmp/lost: incomplete: 3 events were lost, 0 packets are missing"
outcome "of a trace that lacks events, too, which is told once" 3 /dev/null "$lost" \
	html -o "$tmp/page" "$tmp/lost"
outcome "of two, for each" 3 /dev/null "$lost
$lost" html -o "$tmp/page" "$tmp/lost" "$tmp/lost"
"$memorizer" html -o "$tmp/page" "$data/bad.kmap" >"$tmp/out" 2>"$tmp/err"
same "of what is sound in a KMAP" "1 </html>" "$? $(tail -n 1 "$tmp/page")"
"$memorizer" html -o "$tmp/page" "$tmp/none" >"$tmp/out" 2>"$tmp/err"
same "if nothing can be read there is no page" "2 0 memorizer: $tmp/none: No such file or directory" \
	"$? $(wc -c <"$tmp/page") $(cat "$tmp/err")"

hint="Try 'memorizer help html'."
outcome "a file to write to is wanted" 2 /dev/null "memorizer html: want --output FILE
$hint" html "$kmap"
outcome "something to write about" 2 /dev/null "memorizer html: 0 inputs: want one or two
$hint" html -o "$tmp/page"
outcome "not too much" 2 /dev/null "memorizer html: 3 inputs: want one or two
$hint" html -o "$tmp/page" "$kmap" "$kmap" "$kmap"
outcome "of one kind" 2 /dev/null "memorizer html: one is a trace and one is a KMAP
$hint" html -o "$tmp/page" "$tmp/lost" "$kmap"
outcome "a file that can be written" 2 /dev/null \
	"memorizer html: $tmp/none/page: No such file or directory" html -o "$tmp/none/page" "$kmap"
outcome "and is one" 2 /dev/null "memorizer html: /dev/null: want a regular file" \
	html -o /dev/null "$kmap"
missing=$("$memorizer" help html | sed -n 's/^  -., \(--[a-z]*\).*/\1/p' | sed 's/-/\\-/g' |
	while read -r option; do
		grep -qF -e "$option" "$here/../memorizer.1" || echo "$option"
	done)
same "the man page has all options" "" "$missing"
tap_end
