#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Test the names of contexts: each command that shows tasks, where the file is found, and malformed
# files.
# Usage: test-contexts.sh DIR, the directory of a build

. "$(dirname "$0")/common.sh"

kmap=$data/users.kmap
contexts=$data/users.contexts
symbols="-K $data/kallsyms"

# Each command
outcome "report" 0 "$data/users.report.csv" "" report $symbols --csv "$kmap"
outcome "fold" 0 "$data/users.folded" "" fold $symbols "$kmap"
outcome "calls" 0 "$data/users.calls.txt" "" calls $symbols "$data/users.calls"
outcome "calls as JSON" 0 "$data/users.calls.json" "" calls $symbols --json "$data/users.calls"
outcome "export" 0 "$data/users.cpm" "" export --cpm --contexts $symbols "$kmap"
"$memorizer" privilege --csv --cpm "$data/users.cpm" >"$tmp/out" 2>"$tmp/err"
same "what is exported can be read" "0 " "$? $(cat "$tmp/err")"

# tasks KMAP OPTION...: print number, name and accesses of each task
tasks() {
	"$memorizer" report $symbols --csv "$@" | awk -F , '$1 == "tasks" { print $2 "," $3 "," $7 + $8 }' | sort
}

# The counts of the KMAP itself, with names that do not come from the command
awk -F , '
	NR == FNR	{ of[$1] = $4 "," $5 " uid " $2 " gid " $3; next }
	/^ /		{ n[$2] += $3 + $4 }
	END		{ for (number in n) if (number in of) print number "," of[number] "," n[number] }
' "$contexts" "$kmap" |
	sed 's/syscall,257/syscall openat/; s/syscall,32773/syscall i386 5/; s/syscall,4095/syscall 4095/
	     s/interrupt,236/interrupt local_timer/; s/softirq,9/softirq RCU/; s/exception,14/exception page_fault/
	     s/kthread,0/kthread/; s/none,0 //' | sort >"$tmp/want"
same "there are contexts" 9 "$(wc -l <"$tmp/want")"
tasks "$kmap" | grep -v -e '^1[0-9]*,' -e '^4194304,' -e '^4194400,' >"$tmp/got"
equal "tasks have the counts of the KMAP" "$tmp/want" "$tmp/got"
same "counts without a number of their own" "4194304,[other contexts],5" "$(tasks "$kmap" | grep '^4194304,')"
same "a context that is not in the file has no name" "4194400,,90" "$(tasks "$kmap" | grep '^4194400,')"
same "pids keep their names" "100,sh,3" "$(tasks "$kmap" | grep '^100,')"
same "commands add up contexts of one name" "commands,syscall openat uid 1000 gid 100,2,0,0,10,10" \
	"$("$memorizer" report $symbols --csv "$kmap" | grep 'commands,syscall openat')"
same "report --pid" 0 "$("$memorizer" report $symbols --pid 100 "$kmap" >/dev/null; echo $?)"

# chosen COMMAND OPTION...: print the sum of folded stacks
chosen() { "$memorizer" "$@" | awk '{ n += $NF } END { print n + 0 }'; }

same "fold --comm" 20 "$(chosen fold $symbols --comm '*openat*' "$kmap")"
same "fold --pid" 17 "$(chosen fold $symbols --pid 4194306 "$kmap")"
same "calls --comm" 1050 "$(chosen calls $symbols --fold --comm '*openat*' "$data/users.calls")"
same "calls --pid" 50 "$(chosen calls $symbols --fold --pid 4194306 "$data/users.calls")"
same "all calls" 1095 "$(chosen calls $symbols --fold "$data/users.calls")"
outcome "calls --comm of no context" 2 /dev/null "memorizer calls: --comm tar: no such context in $data/users.calls" \
	calls $symbols --comm tar "$data/users.calls"

# page INPUT OPTION...: print the names of tasks in a page
page() {
	"$memorizer" html -o "$tmp/page" $symbols "$@" &&
		sed -n '/"tasks": \[/,/\]/s/.*"comm": "\([^"]*uid[^"]*\)".*/\1/p' "$tmp/page" | sort -u
}
tasks "$kmap" | cut -d , -f 2 | grep uid | sort -u >"$tmp/want"
page "$kmap" >"$tmp/got"
equal "html" "$tmp/want" "$tmp/got"
"$memorizer" diff $symbols --all --csv "$kmap" "$kmap" >"$tmp/out"
same "diff" "commands,syscall openat uid 1000 gid 100,same,0,0,0,20,20" \
	"$(grep '^commands,syscall openat' "$tmp/out" | cut -d , -f 1-8)"

# What contexts do not have is not shown
names() {	# CONTEXT...: print the names of contexts
	rm -rf "$tmp/names"
	mkdir "$tmp/names"
	printf '%s\n' "$@" >"$tmp/names/contexts"
	{ echo 'ffffffff9b000010,100,ffff888000001000,64,1000,1010,0,sh'
	  cut -d , -f 1 "$tmp/names/contexts" | sed 's/.*/  ffffffff9b000110,&,0,1/'; } >"$tmp/names/kmap"
	tasks "$tmp/names/kmap" | sed -n 's/^41943[0-9]*,\(.*\),1$/\1/p' | tr '\n' ';'
}
same "entries alone" "none;syscall read;kthread;" \
	"$(names 4194305,0,0,none,0 4194306,0,0,syscall,0 4194307,0,0,kthread,0)"
same "users alone" "uid 0;uid 4294967295;" "$(names 4194305,0,0,none,0 4194306,4294967295,0,none,0)"
same "groups alone" "gid 0;gid 100;" "$(names 4194305,0,0,none,0 4194306,0,100,none,0)"
same "users and entries" "uid 0;syscall write uid 33;" "$(names 4194305,0,0,none,0 4194306,33,0,syscall,1)"
same "entries without a name" "interrupt 33;softirq 17;exception 9;" \
	"$(names 4194305,0,0,interrupt,33 4194306,0,0,softirq,17 4194307,0,0,exception,9)"

# Where the file is found
tasks "$kmap" >"$tmp/want"
mkdir "$tmp/dir"
for name in kmap kmap_kinds kmap.gz; do
	cp "$contexts" "$tmp/dir/contexts"
	case $name in
	*.gz)	gzip -c "$kmap" ;;
	*kinds)	sed 's/^[^ ]/slab,&/' "$kmap" ;;
	*)	cat "$kmap" ;;
	esac >"$tmp/dir/$name"
	tasks "$tmp/dir/$name" | sed 's/,slab//' >"$tmp/got"
	equal "contexts beside $name" "$tmp/want" "$tmp/got"
done
mv "$tmp/dir/contexts" "$tmp/dir/other"
tasks "$tmp/dir/kmap" | cut -d , -f 1,3 >"$tmp/got"
cut -d , -f 1,3 "$tmp/want" >"$tmp/numbers"
equal "without contexts, tasks have the same counts" "$tmp/numbers" "$tmp/got"
same "and contexts have no names" "" "$(tasks "$tmp/dir/kmap" | grep uid)"
tasks --context-file "$tmp/dir/other" "$tmp/dir/kmap" >"$tmp/got"
equal "--context-file" "$tmp/want" "$tmp/got"
tasks --context-file "$tmp/dir/other" - <"$kmap" >"$tmp/got"
equal "--context-file for standard input" "$tmp/want" "$tmp/got"
page --context-file "$tmp/dir/other" "$tmp/dir/kmap" >"$tmp/got"
cut -d , -f 2 "$tmp/want" | grep uid | sort -u >"$tmp/names.want"
equal "html --context-file" "$tmp/names.want" "$tmp/got"
same "diff --context-file" "commands,syscall openat uid 1000 gid 100,same" \
	"$("$memorizer" diff $symbols --all --csv --context-file "$tmp/dir/other" "$tmp/dir/kmap" "$tmp/dir/kmap" |
		grep '^commands,syscall openat' | cut -d , -f 1-3)"
same "calls --context-file" 1050 \
	"$(chosen calls $symbols --fold --comm '*openat*' --context-file "$contexts" - <"$data/users.calls")"
outcome "a file that is not there" 2 /dev/null "memorizer: $tmp/none: No such file or directory" \
	report --context-file "$tmp/none" "$kmap"
outcome "calls with a file that is not there" 2 /dev/null "memorizer: $tmp/none: No such file or directory" \
	calls $symbols --context-file "$tmp/none" "$data/users.calls"
outcome "html does not overwrite it" 2 /dev/null "memorizer: $tmp/dir/other: is an input, too: want another file" \
	html -o "$tmp/dir/other" --context-file "$tmp/dir/other" "$kmap"
outcome "export without contexts" 2 /dev/null "memorizer export: --context-file: want --contexts, too
Try 'memorizer help export'." export --cpm --context-file "$contexts" "$kmap"

# A trace has its own.
sed 's/^\(counts .* pid=\)8/\14194306/' "$data/frames.trace" >"$tmp/frames"
"$build/tests/make-trace" "$tmp/trace" <"$tmp/frames" || exit 1
mkdir "$tmp/trace/kernel"
cp "$data/kallsyms" "$contexts" "$tmp/trace/kernel/"
mv "$tmp/trace/kernel/users.contexts" "$tmp/trace/kernel/contexts"
same "the contexts in a trace" "kmap_tasks,4194306,syscall openat uid 1000 gid 100,0,0,2,102,2" \
	"$("$memorizer" report --csv "$tmp/trace" | grep '^kmap_tasks,4')"
same "fold of a trace" 104 "$(chosen fold --comm '*openat*' "$tmp/trace")"

# Malformed lines are left out, and the lines around them are not.
malformed()	# LINE REASON
{
	{ head -n 4 "$contexts"; printf "$1"; } >"$tmp/bad"
	"$memorizer" report --csv $symbols --context-file "$tmp/bad" "$kmap" >"$tmp/out" 2>"$tmp/err"
	# echo may know escapes.
	same "malformed: $(printf %s "$1" | tr '\\' /)" "1 4194308,interrupt local_timer uid 0 gid 0 $tmp/bad:5: $2
memorizer: $tmp/bad: skipped 1 malformed lines" \
		"$? $(sed -n 's/^tasks,\(4194308,[^,]*\),.*/\1/p' "$tmp/out") $(cat "$tmp/err")"
}

fields="malformed: want number,uid,gid,entry,entry_number"
entry="want syscall, interrupt, exception, softirq, kthread or none"
id="want a number from 0 to 4294967295"
malformed '\n' "$fields"
malformed '4194309,0,0,none\n' "$fields"
malformed '4194309,0,0,none,0,\n' "$fields"
malformed '4194309,0,0,none,0' "the end of the line is missing: want a complete file"
malformed '4194304,0,0,none,0\n' "number '4194304': want a number from 4194305 to 2147483647"
malformed '100,0,0,none,0\n' "number '100': want a number from 4194305 to 2147483647"
malformed '2147483648,0,0,none,0\n' "number '2147483648': want a number from 4194305 to 2147483647"
malformed '99999999999999999999999999,0,0,none,0\n' \
	"number '99999999999999999999': want a number from 4194305 to 2147483647"
malformed ',0,0,none,0\n' "number '': want a number from 4194305 to 2147483647"
malformed '4194309,-1,0,none,0\n' "uid '-1': $id"
malformed '4194309,4294967296,0,none,0\n' "uid '4294967296': $id"
malformed '4194309,0, 1,none,0\n' "gid ' 1': $id"
malformed '4194309,0,0,nmi,0\n' "entry 'nmi': $entry"
malformed '4194309,0,0,,0\n' "entry '': $entry"
malformed '4194309,0,0,\033[1m%%s,0\n' "entry '\\x1b[1m%s': $entry"
malformed '4194309,0,0,syscall,x\n' "entry_number 'x': $id"
malformed '4194307,0,0,none,0\n' "number 4194307: line 3 has it, too: want it once"
malformed "$(printf '%01030d' 0)\n" "more than 1024 bytes: want number,uid,gid,entry,entry_number"
malformed '4194309,0,0,none\0,0\n' "entry 'none': $entry"
outcome "a file of another format" 1 "$data/users.calls.unnamed" "$kmap:1: $fields
$kmap:2: $fields
$kmap:3: $fields
$kmap:4: $fields
$kmap:5: $fields
$kmap:6: $fields
$kmap:7: $fields
$kmap:8: $fields
$kmap:9: $fields
$kmap:10: $fields
$kmap:11: $fields
$kmap:12: $fields
$kmap:13: $fields
$kmap:14: $fields
$kmap:15: $fields
memorizer: $kmap: skipped 15 malformed lines" calls $symbols --csv --context-file "$kmap" "$data/users.calls"

tap_end
