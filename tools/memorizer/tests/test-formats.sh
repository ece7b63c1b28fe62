#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Tests that memorizer-formats(5) tells of all members of JSON, and of none that there is not.
# Usage: test-formats.sh DIR, with memorizer in it, and in its tests/ what the tests need

here=$(dirname "$0")
data=$here/data
build=$(cd "$1" && pwd) || exit 1
memorizer=$build/memorizer
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. "$here/tap.sh"

for trace in kmem life mixed bad packets lines rcu context; do
	"$build/tests/make-trace" "$tmp/$trace" <"$data/$trace.trace" || exit 1
	mkdir "$tmp/$trace/kernel"
	cp "$data/kallsyms" "$tmp/$trace/kernel"
done

"$build/tests/make-trace" -q "$tmp/stacks" <"$data/stacks.trace" || exit 1
cp -r "$tmp/life/kernel" "$tmp/stacks"
"$build/tests/make-trace" -q "$tmp/conflicts" <"$data/conflicts.trace" || exit 1

# documented SECTION: the members that the manual page has there
documented()
{
	sed -n "/^\.SS $1\$/,/^\.S[SH] /s/^\.BR \([a-z_]*\) .*/\1/p" "$here/../Documentation/memorizer-formats.5"
}

# printed COMMAND ARGUMENTS...: the members of what is printed
printed()
{
	"$memorizer" "$@" 2>"$tmp/err" | grep -o '"[a-z_]*": ' | tr -d '": '
}

mkdir "$tmp/modules"
: >"$tmp/modules/none.ko"
documented head | sort -u >"$tmp/head"

# agree COMMAND: compares $tmp/printed with the manual page
agree()
{
	sort -u "$tmp/printed" | comm -23 - "$tmp/head" >"$tmp/got"
	documented "$1" | sort -u | comm -23 - "$tmp/head" >"$tmp/want"
	equal "all members of $1, and no others, are in memorizer-formats(5)" "$tmp/want" "$tmp/got"
}

sed 's/^\(  [^,]*,[^,]*\),\(.*\)/\1,1,2,\2/' "$data/session.kmap" >"$tmp/traffic"
python3 -B "$here/make-notes.py" "$tmp/vmlinux" <"$data/session.notes" || exit 1
{
	printed report --json --vmlinux "$tmp/vmlinux" --kallsyms "$data/kallsyms" \
		"$data/session.kmap"
	printed report --json --vmlinux "$tmp/vmlinux" "$tmp/life"
	printed report --json --vmlinux "$tmp/vmlinux" --kallsyms "$data/kallsyms" "$tmp/traffic"
	printed report --json --no-wait "$data/session.kmap"
	printed report --json --histogram "$data/session.kmap"
	printed report --json --histogram "$tmp/life"
	printed report --json "$tmp/life"
	printed report --json "$tmp/kmem"
} >"$tmp/printed"
agree report
sort -u "$tmp/printed" | comm -13 - "$tmp/head" >"$tmp/out"
same "a report has all of its head" "" "$(cat "$tmp/out")"
{
	printed check --json "$data/bad.kmap"
	for trace in life bad packets; do
		printed check --json "$tmp/$trace"
	done
} >"$tmp/printed"
agree check
same "check has a version" 1 "$(grep -cx version "$tmp/printed" | sed 's/^4$/1/')"
{
	printed diff --json "$data/session.kmap" "$data/after.kmap"
	printed diff --json "$tmp/kmem" "$tmp/life"
	printed diff --all --json --vmlinux "$tmp/vmlinux" "$tmp/life" "$tmp/life"
	printed diff --json --vmlinux "$tmp/vmlinux" --kallsyms "$data/kallsyms" "$data/session.kmap" \
		"$data/after.kmap"
} >"$tmp/printed"
agree diff
{
	for trace in kmem life; do
		printed script --json "$tmp/$trace"
	done
	printed script --json --vmlinux "$tmp/vmlinux" "$tmp/life"
	printed script --json "$tmp/mixed"
	printed script --json "$tmp/context"
	printed script --json "$tmp/stacks"
} >"$tmp/printed"
agree script
for command in types "layout widget" "who widget" "what *"; do
	set -f
	set -- $command
	command=$1
	shift
	{
		for kmap in "$data/session.kmap" "$tmp/traffic"; do
			printed "$command" --json --vmlinux "$tmp/vmlinux" \
				--kallsyms "$data/kallsyms" "$@" "$kmap"
		done
		printed "$command" --json --vmlinux "$tmp/vmlinux" "$@" "$tmp/life"
		[ "$command" != layout ] || printed layout --json --vmlinux "$tmp/vmlinux" --all \
			"$tmp/life"
		[ "$command" != layout ] || printed layout --json --vmlinux "$tmp/vmlinux" --all \
			--kallsyms "$data/kallsyms" "$data/session.kmap"
	} >"$tmp/printed"
	set +f
	agree "$command"
done
{
	printed fold --json "$tmp/life"
	printed fold --types --vmlinux "$tmp/vmlinux" --json "$tmp/life"
} >"$tmp/printed"
agree fold
printed timeline --vmlinux "$tmp/vmlinux" --json "$tmp/life" >"$tmp/printed"
agree timeline
printed sharing --addresses --modules "$tmp/modules" --vmlinux "$tmp/vmlinux" --json "$tmp/lines" >"$tmp/printed"
agree sharing
printed false-sharing --modules "$tmp/modules" --vmlinux "$tmp/vmlinux" --json "$tmp/lines" >"$tmp/printed"
agree false-sharing
{
	printed per-entry --json "$tmp/context"
	printed per-entry --accesses --vmlinux "$tmp/vmlinux" --json "$tmp/lines"
} >"$tmp/printed"
agree per-entry
printed serial --json "$tmp/context" >"$tmp/printed"
agree serial
printed cache-assoc --vmlinux "$tmp/vmlinux" --json "$tmp/lines" >"$tmp/printed"
agree cache-assoc
printed stacks --json "$tmp/lines" >"$tmp/printed"
agree stacks
printed summary --json "$tmp/context" >"$tmp/printed"
agree summary
printed conflicts --vmlinux "$tmp/vmlinux" --json "$tmp/conflicts" >"$tmp/printed"
agree conflicts
printed rcu --all --vmlinux "$tmp/vmlinux" --json "$tmp/rcu" >"$tmp/printed"
agree rcu
tap_end
