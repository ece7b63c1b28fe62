#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Test the command calls: output, messages and exit status.
# Usage: test-calls.sh DIR, the directory of a build

. "$(dirname "$0")/common.sh"

calls=$data/session.calls
symbols="-K $data/kallsyms"

outcome "text" 0 "$data/calls.txt" "" calls $symbols "$calls"
outcome "JSON" 0 "$data/calls.json" "" calls $symbols --json "$calls"
outcome "CSV" 0 "$data/calls.csv" "" calls $symbols --csv "$calls"
outcome "a graph" 0 "$data/calls.dot" "" calls $symbols --dot "$calls"
outcome "folded stacks" 0 "$data/calls.folded" "" calls $symbols --fold "$calls"
input=$calls outcome "standard input" 0 "$data/calls.txt" "" calls $symbols -
gzip -c "$calls" >"$tmp/calls.gz"
outcome "a compressed file" 0 "$data/calls.txt" "" calls $symbols "$tmp/calls.gz"
head -n 3 "$data/calls.dot" | sed '$a}' >"$tmp/dot"
outcome "the first rows of a graph" 0 "$tmp/dot" "" calls $symbols --dot --top 2 "$calls"

# pairs OPTION...: print caller, function and calls of each pair
pairs() { "$memorizer" calls $symbols --csv "$@" "$calls" | sed -n 's/^pairs,\([^,]*\),\([^,]*\),\([0-9]*\).*/\2>\1:\3/p' | xargs; }

same "callers" "read_mark>read_mark:50 widget_write>read_mark:42 widget_alloc>read_mark:3" "$(pairs --callers read_mark)"
same "callers of functions that match" "widget_write>widget_alloc:1009" "$(pairs --callers 'widget_a*')"
same "callees" "widget_write>widget_alloc:1009 widget_write>read_mark:42" "$(pairs --callees widget_write)"
same "calls between two functions" "widget_write>read_mark:42" "$(pairs --callees widget_write --callers 'read*')"
same "calls of a task" "widget_write>widget_alloc:1000 widget_write>read_mark:42" "$(pairs --pid 8)"
# folded OPTION...: print the sum of folded stacks; all counts of the tests are below 2^53
folded() { "$memorizer" calls $symbols --fold --top 0 "$@" "$calls" | awk '{ n += $NF } END { print n + 0 }'; }

for chosen in "--pid 7" "--pid 8" "--callers read_mark" "--callees widget_write" "--callees widget_write --callers r*"; do
	# shellcheck disable=SC2086 # options
	same "folded stacks of $chosen have the calls of the pairs" \
		"$(pairs --top 0 $chosen | tr ' ' '\n' | awk -F: '{ n += $2 } END { print n }')" "$(folded $chosen)"
done
same "folded stacks of the most frequent pairs are sorted by name" "gadget_probe [gadget];widget_write widget_write;widget_alloc" \
	"$("$memorizer" calls $symbols --fold --top 2 "$calls" | sed 's/ [0-9]*$//' | xargs -d '\n')"
same "of formats, the last one counts" "digraph" "$("$memorizer" calls $symbols --fold --dot "$calls" | sed 's/ .*//;q')"
echo "ffffffff9b000000 t odd;name" >"$tmp/odd"
same "a semicolon in a name ends no frame" "odd\x3bname;odd\x3bname 1" \
	"$(echo ffffffff9b000010,ffffffff9b000000,1,1 | "$memorizer" calls -K "$tmp/odd" --fold -)"
same "the order by name" "gadget_irq [gadget]" \
	"$("$memorizer" calls $symbols --csv --sort name --top 1 "$calls" | sed -n 's/^functions,\([^,]*\),.*/\1/p')"
same "the calls of all pairs are those of all functions" "$("$memorizer" calls $symbols --csv --pid 7 "$calls" |
	awk -F, '/^functions,/ { n += $3 } END { print n }')" "$(pairs --pid 7 | tr ' ' '\n' | awk -F: '{ n += $2 } END { print n }')"

# Input that is refused
help="Try 'memorizer help calls'."
outcome "no symbols" 2 /dev/null "memorizer calls: nothing to take symbols from: give --vmlinux, --kallsyms or both
$help" calls "$calls"
outcome "two files" 2 /dev/null "memorizer calls: 2 files: want one, or - for standard input
$help" calls $symbols "$calls" "$calls"
outcome "a file that is not there" 2 /dev/null "memorizer: $tmp/none: No such file or directory" calls $symbols "$tmp/none"
outcome "an empty file" 2 /dev/null "memorizer calls: /dev/null: no calls: want those after 'echo 1 > memorizer_log_calls'" \
	calls $symbols /dev/null
outcome "a function that was not called" 2 /dev/null \
	"memorizer calls: --callers nobody: no such function was called in $calls" calls $symbols --callers nobody "$calls"
outcome "a function that calls nothing" 2 /dev/null \
	"memorizer calls: --callees gadget_irq: no such function calls another one in $calls" calls $symbols --callees gadget_irq "$calls"
outcome "a task without calls" 2 /dev/null "memorizer calls: --pid 9: no such task in $calls" calls $symbols --pid 9 "$calls"

# malformed LINE: it is left out, and the lines around it are not
malformed()
{
	{ head -n 4 "$calls"; printf "$1"; } >"$tmp/bad"
	"$memorizer" calls $symbols --csv "$tmp/bad" >"$tmp/out" 2>"$tmp/err"
	same "malformed: $1" "1 1093 $tmp/bad:5: malformed: want from_ip,to_ip,pid,count memorizer: $tmp/bad: skipped 1 malformed lines" \
		"$? $(awk -F, '/^functions,/ { n += $3 } END { print n }' "$tmp/out") $(xargs <"$tmp/err")"
}

malformed '\n'
malformed 'ffffffff9b000010,ffffffff9b000100,7\n'
malformed 'ffffffff9b000010,ffffffff9b000100,7,3,4\n'
malformed 'ffffffff9b000010,ffffffff9b000100,7,3'
malformed 'ffffffff9b000010,ffffffff9b000100,7,\n'
malformed 'ffffffff9b000010,ffffffff9b000100,7,-3\n'
malformed 'ffffffff9b000010,ffffffff9b000100,7, 3\n'
malformed 'FFFFFFFF9b000010,ffffffff9b000100,7,3\n'
malformed 'ffffffff9b000010,1ffffffff9b000100,7,3\n'
malformed 'ffffffff9b000010,ffffffff9b000100,4294967295,3\n'
malformed 'ffffffff9b000010,ffffffff9b000100,7,18446744073709551616\n'
malformed 'ffffffff9b000010,ffffffff9b000100,7,18446744073709551615\n'
malformed 'ffffffff9b000010,ffffffff9b000100,7,3\0\n'

tap_end
