#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Test the use of memorizer html: messages, exit status, files. test-html.py tests the contents of
# its pages.
# Usage: test-html.sh DIR, the directory of a build

. "$(dirname "$0")/common.sh"

"$build/tests/make-trace" "$tmp/lost" <"$data/kmem.trace" || exit 1
mkdir "$tmp/lost/kernel"
cp "$data/kallsyms" "$tmp/lost/kernel"
kmap=$data/session.kmap

outcome "html writes a page and prints nothing" 0 /dev/null "" html -o "$tmp/page" "$kmap"
same "the page is complete" "</html>" "$(tail -n 1 "$tmp/page")"
lost="memorizer: $tmp/lost: incomplete: 3 events were lost, 0 packets are missing"
outcome "lost events are reported once" 3 /dev/null "$lost" \
	html -o "$tmp/page" "$tmp/lost"
outcome "lost events of two traces are reported for each" 3 /dev/null "$lost
$lost" html -o "$tmp/page" "$tmp/lost" "$tmp/lost"
"$memorizer" html -o "$tmp/page" "$data/bad.kmap" >"$tmp/out" 2>"$tmp/err"
same "a page of a malformed KMAP has its valid rows" "1 </html>" "$? $(tail -n 1 "$tmp/page")"
cp "$tmp/page" "$tmp/before"
outcome "an unreadable input is reported" 2 /dev/null \
	"memorizer: $tmp/none: No such file or directory" html -o "$tmp/page" "$tmp/none"
equal "an unreadable input leaves the page unchanged" "$tmp/before" "$tmp/page"
outcome "calls that are not there are reported" 2 /dev/null "memorizer: $tmp/none: No such file or directory" \
	html --calls "$tmp/none" -o "$tmp/page" "$kmap"
outcome "compartments by unknown files are reported" 2 /dev/null \
	"memorizer privilege: source files are unknown: want --vmlinux with compiler notes" \
	html --by file -o "$tmp/page" "$kmap"
outcome "a partition file that is not there is reported" 2 /dev/null \
	"memorizer privilege: $tmp/none: No such file or directory" html --partition "$tmp/none" -o "$tmp/page" "$kmap"
equal "they leave the page unchanged" "$tmp/before" "$tmp/page"
echo malformed >"$tmp/calls"
outcome "malformed calls are reported" 1 /dev/null "$tmp/calls:1: malformed: want from_ip,to_ip,pid,count
memorizer: $tmp/calls: skipped 1 malformed lines" html --calls "$tmp/calls" -o "$tmp/page" "$kmap"
ln -s page "$tmp/link"
chmod 640 "$tmp/page"
"$memorizer" html -o "$tmp/link" "$kmap" 2>"$tmp/err"
same "a page behind a symbolic link is replaced and keeps its mode" "page 640 </html>" \
	"$(readlink "$tmp/link") $(stat -c %a "$tmp/page") $(tail -n 1 "$tmp/page")"

# html does not overwrite an input.
cp "$kmap" "$tmp/k"
cp "$data/kallsyms" "$tmp/kallsyms"
ln "$tmp/k" "$tmp/hard"
refused="is an input, too: want another file"
outcome "an input as output is refused" 2 /dev/null "memorizer: $tmp/k: $refused" html -o "$tmp/k" "$tmp/k"
outcome "an input under another name as output is refused" 2 /dev/null "memorizer: $tmp/hard: $refused" \
	html -o "$tmp/hard" "$tmp/k"
outcome "symbols as output are refused" 2 /dev/null "memorizer: $tmp/kallsyms: $refused" \
	html -K "$tmp/kallsyms" -o "$tmp/kallsyms" "$tmp/k"
outcome "calls as output are refused" 2 /dev/null "memorizer: $tmp/calls: $refused" \
	html --calls "$tmp/calls" -o "$tmp/calls" "$tmp/k"
outcome "a partition as output is refused" 2 /dev/null "memorizer: $tmp/calls: $refused" \
	html --partition "$tmp/calls" -o "$tmp/calls" "$tmp/k"
outcome "a file of a trace as output is refused" 2 /dev/null \
	"memorizer: $tmp/lost/kernel/kallsyms: lies in an input: want a file outside of it" \
	html -o "$tmp/lost/kernel/kallsyms" "$tmp/lost"
cat "$kmap" "$kmap" "$data/kallsyms" "$data/kallsyms" >"$tmp/want"
cat "$tmp/k" "$tmp/hard" "$tmp/kallsyms" "$tmp/lost/kernel/kallsyms" >"$tmp/got"
equal "the inputs are unchanged" "$tmp/want" "$tmp/got"

# A command that is killed while it reads leaves the page unchanged.
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
equal "a killed command leaves the page unchanged" "$kmap" "$tmp/page"
same "a killed command leaves no other file" "" "$(ls "$tmp/dir"; ls "$tmp" | grep 'page\.')"

hint="Try 'memorizer help html'."
outcome "--output is missing" 2 /dev/null "memorizer html: want --output FILE
$hint" html "$kmap"
outcome "the input is missing" 2 /dev/null "memorizer html: 0 inputs: want one or two
$hint" html -o "$tmp/page"
outcome "too many inputs are refused" 2 /dev/null "memorizer html: 3 inputs: want one or two
$hint" html -o "$tmp/page" "$kmap" "$kmap" "$kmap"
outcome "a trace and a KMAP are refused" 2 /dev/null "memorizer html: one is a trace and one is a KMAP
$hint" html -o "$tmp/page" "$tmp/lost" "$kmap"
outcome "an unwritable file is refused" 2 /dev/null \
	"memorizer: $tmp/none/page: No such file or directory" html -o "$tmp/none/page" "$kmap"
outcome "a directory as output is refused" 2 /dev/null "memorizer html: /dev/null: want a regular file" \
	html -o /dev/null "$kmap"
# The page exceeds the limit for tables, but each command runs only once, as the progress bars show.
"$build/tests/make-trace" -a -b 200000 -l 20000 "$tmp/wide" || exit 1
mkdir "$tmp/wide/kernel"
cp "$data/kallsyms" "$tmp/wide/kernel"
export MEMORIZER_PROGRESS=at-once
"$build/tests/terminal" "$memorizer" html -o "$tmp/wide.html" "$tmp/wide" 2>&1 | tr '\r' '\n' |
	sed -n 's/: [^ ]*\/wide \[=* *\] *[0-9]*%$//p' | uniq | xargs >"$tmp/bars"
same "each command reads a trace once, with progress" "report timeline sharing privilege" \
	"$(cat "$tmp/bars")"
grep -q '"addresses_rest"' "$tmp/wide.html" && [ "$(wc -c <"$tmp/wide.html")" -le 5000000 ]
ok $? "the page has at most 5 MB"

tap_end
