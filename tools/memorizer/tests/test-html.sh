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
cp "$tmp/page" "$tmp/before"
outcome "an input that cannot be read is named" 2 /dev/null \
	"memorizer: $tmp/none: No such file or directory" html -o "$tmp/page" "$tmp/none"
equal "the page stays as it was" "$tmp/before" "$tmp/page"
ln -s page "$tmp/link"
chmod 640 "$tmp/page"
"$memorizer" html -o "$tmp/link" "$kmap" 2>"$tmp/err"
same "a page behind a link is replaced and keeps its mode" "page 640 </html>" \
	"$(readlink "$tmp/link") $(stat -c %a "$tmp/page") $(tail -n 1 "$tmp/page")"

# No input is written to.
cp "$kmap" "$tmp/k"
cp "$data/kallsyms" "$tmp/kallsyms"
ln "$tmp/k" "$tmp/hard"
refused="is an input, too: want another file"
outcome "an input is no output" 2 /dev/null "memorizer: $tmp/k: $refused" html -o "$tmp/k" "$tmp/k"
outcome "under another name neither" 2 /dev/null "memorizer: $tmp/hard: $refused" \
	html -o "$tmp/hard" "$tmp/k"
outcome "nor are symbols" 2 /dev/null "memorizer: $tmp/kallsyms: $refused" \
	html -K "$tmp/kallsyms" -o "$tmp/kallsyms" "$tmp/k"
outcome "nor is a file of a trace" 2 /dev/null \
	"memorizer: $tmp/lost/kernel/kallsyms: lies in an input: want a file outside of it" \
	html -o "$tmp/lost/kernel/kallsyms" "$tmp/lost"
cat "$kmap" "$kmap" "$data/kallsyms" "$data/kallsyms" >"$tmp/want"
cat "$tmp/k" "$tmp/hard" "$tmp/kallsyms" "$tmp/lost/kernel/kallsyms" >"$tmp/got"
equal "all of them are as they were" "$tmp/want" "$tmp/got"

# A command that is killed while it reads leaves the page as it was.
cp "$kmap" "$tmp/page"
mkfifo "$tmp/fifo"
mkdir "$tmp/dir"
for signal in TERM KILL; do
	for page in "$tmp/page" "$tmp/dir/page"; do
		"$memorizer" html -K "$tmp/fifo" -o "$page" "$kmap" >"$tmp/out" 2>"$tmp/err" &
		exec 3>"$tmp/fifo"
		kill -s $signal $!
		wait $! 2>"$tmp/err"
		exec 3>&-
	done
done
equal "a command that is killed leaves the page as it was" "$kmap" "$tmp/page"
same "and nothing beside it" "" "$(ls "$tmp/dir"; ls "$tmp" | grep 'page\.')"

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
	"memorizer: $tmp/none/page: No such file or directory" html -o "$tmp/none/page" "$kmap"
outcome "and is one" 2 /dev/null "memorizer html: /dev/null: want a regular file" \
	html -o /dev/null "$kmap"
# The page is larger than its tables may be, and yet each command runs once. Their bars tell.
"$build/tests/make-trace" -a -b 200000 -l 20000 "$tmp/wide" || exit 1
mkdir "$tmp/wide/kernel"
cp "$data/kallsyms" "$tmp/wide/kernel"
export MEMORIZER_PROGRESS=at-once
"$build/tests/terminal" "$memorizer" html -o "$tmp/wide.html" "$tmp/wide" 2>&1 | tr '\r' '\n' |
	sed -n 's/: [^ ]*\/wide \[=* *\] *[0-9]*%$//p' | uniq | xargs >"$tmp/bars"
same "each command reads a trace once, and shows how far it is" "report timeline sharing" \
	"$(cat "$tmp/bars")"
grep -q '"addresses_rest"' "$tmp/wide.html" && [ "$(wc -c <"$tmp/wide.html")" -le 5000000 ]
ok $? "and the page has at most 5 MB"

tap_end
