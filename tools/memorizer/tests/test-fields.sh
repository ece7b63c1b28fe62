#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Tests that what shows accesses and allocations says of which type and member they are, where the
# compiler's notes tell, and orders and chooses by that; and that all is as ever where they do not.
# Usage: test-fields.sh DIR, with memorizer in it, and in its tests/ what the tests need

here=$(dirname "$0")
data=$here/data
build=$(cd "$1" && pwd) || exit 1
memorizer=$build/memorizer
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. "$here/tap.sh"

vmlinux=$tmp/vmlinux
python3 -B "$here/make-notes.py" "$vmlinux" <"$data/session.notes" || exit 1

# make_trace NAME [OPTIONS]: the trace of a script
make_trace()
{
	script=$1
	shift
	"$build/tests/make-trace" "$@" "$tmp/$script" <"$data/$script.trace" || exit 1
	mkdir "$tmp/$script/kernel"
	grep -v read_mark "$data/kallsyms" >"$tmp/$script/kernel/kallsyms"
}

# golden COMMAND TRACE [OPTIONS]: what a command prints is as it was reviewed, in all formats
golden()
{
	command=$1 trace=$2
	shift 2
	outcome "$command of $trace" 0 "$data/noted.$command" "" \
		"$command" "$@" -k "$vmlinux" "$tmp/$trace"
	for format in json csv; do
		outcome "$command of $trace as $format" 0 "$data/noted.$command.$format" "" \
			"$command" "$@" -k "$vmlinux" --$format "$tmp/$trace"
	done
}

# rows TABLE COMMAND ARGUMENTS...: the rows of a table, as CSV
rows()
{
	table=$1
	shift
	"$memorizer" "$@" --csv 2>"$tmp/err" | sed -n "s/^$table,//p"
}

# as_ever COMMAND ARGUMENTS...: a command prints the same without the notes as with a vmlinux that has none
as_ever()
{
	"$memorizer" "$@" >"$tmp/want" 2>&1
	"$memorizer" "$@" -k "$tmp/bare" >"$tmp/got" 2>&1
	equal "$1 is as ever with a vmlinux that has no notes" "$tmp/want" "$tmp/got"
}

sed '/^note /d' "$data/session.notes" | python3 -B "$here/make-notes.py" "$tmp/bare" || exit 1

# Analyses
for trace in lines entries assoc rcu; do
	make_trace $trace
done
make_trace conflicts -q
golden sharing lines --addresses
golden false-sharing lines
golden per-entry lines --accesses
golden conflicts conflicts
golden cache-assoc assoc
golden rcu rcu --all
golden stacks lines --fields --value accesses
as_ever sharing --addresses --csv "$tmp/lines"

# Choosing and ordering
named="sharing -k $vmlinux $tmp/lines"
same "--field leaves accesses to all else out, and what others did still has its effect" \
	"$(rows pairs $named | awk -F, '$7 == "flag"')" "$(rows pairs $named --field flag)"
same "* and ? match others" "$(rows pairs $named | awk -F, '$7 ~ /^[fi]/')" \
	"$(rows pairs $named --field '[fi]*')"
same "so does --type" "$(rows pairs $named | cut -d, -f 6 | grep -c widget)" \
	"$(rows pairs $named --type 'w?dget' | wc -l)"
accesses="per-entry --accesses -k $vmlinux $tmp/lines"
same "accesses of all types and those of none are all there are" "8 14 2 1 10 15" \
	"$(rows sum $accesses --type '*' | cut -d, -f 2 | xargs) \
$(rows accesses $accesses | grep ',,,' | sed 's/.*,,,//; s/,/ /') \
$(rows sum per-entry --accesses "$tmp/lines" | cut -d, -f 2 | xargs)"
same "what is known of the allocation alone has a type, but no member" "0,2" \
	"$(rows accesses $accesses --type widget | sed -n 's/.*read+0x40.*,widget,,//p')"
same "--sort type orders tables by that, what has none last" "$(rows accesses $accesses | cut -d, -f 3 |
	grep . | sort) 1" "$(rows accesses $accesses --sort type | cut -d, -f 3 | grep .) \
$(rows accesses $accesses --sort type | tail -n 1 | grep -c ',,,')"
same "and --sort field" "flag inner.count inner.count name[]" \
	"$(rows accesses $accesses --sort field | cut -d, -f 4 | xargs)"
same "then as ever" "2,5 2,4" \
	"$(rows accesses $accesses --sort field | sed -n 's/.*inner.count,//p' | xargs)"
same "which is told" '"sort": "field" "filters": {"type": "w*", "field": "f*"}' "$("$memorizer" $accesses \
	--sort field --type 'w*' --field 'f*' --json | sed -n 's/^\t\("sort.*\|"filters.*\),$/\1/p' | tr -d '\n' |
	sed 's/""filters/" "filters/')"
outcome "what is asked for and not there is told" 2 /dev/null \
	"memorizer: $tmp/lines: nothing in it matches --type gadget --field flag" \
	$named --type gadget --field flag
outcome "names are wanted to choose by" 2 /dev/null \
	"memorizer sharing: --type widget: no types are known: want --vmlinux with the compiler's notes" \
	sharing --type widget "$tmp/lines"
outcome "or to fold by" 2 /dev/null \
	"memorizer stacks: --fields: no types are known: want --vmlinux with the compiler's notes" \
	stacks --fields -k "$tmp/bare" "$tmp/lines"
outcome "tables are ordered by type or field" 2 /dev/null \
	"memorizer rcu: --sort size: want type or field
Try 'memorizer help rcu'." rcu --sort size "$tmp/rcu"
outcome "what tells of no accesses cannot choose some" 2 /dev/null \
	"memorizer serial: --field: it tells of no accesses
Try 'memorizer help serial'." serial --field flag -k "$vmlinux" "$tmp/lines"
tap_end
