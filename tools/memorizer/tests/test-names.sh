#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Names that tasks, modules and marks choose cannot forge a line or an escape sequence in any
# output: with such names, all commands print as many lines as with others.
# Usage: test-names.sh DIR, with memorizer and tests/make-trace in it

. "$(dirname "$0")/common.sh"

# named SUFFIX NAME: make a trace of $data/NAME.trace whose names end in SUFFIX.
named()
{
	sed -E 's/ ((comm|name|text)=[^ ]{1,7})[^ ]*/ \1'"$1"'/g' "$data/$2.trace" |
		"$build/tests/make-trace" "$tmp/trace"
}

# run_all NAME DIR: leave what each command prints of the trace in DIR, with its exit status.
run_all()
{
	mkdir "$tmp/$2"
	for command in report check kmap script fold timeline sharing false-sharing per-entry serial \
		       cache-assoc stacks summary types conflicts rcu; do
		for form in text csv json; do
			option=--$form
			[ $form != text ] || option=
			"$build/memorizer" $command $option "$tmp/trace" >"$tmp/$2/$1.$command.$form" \
				2>"$tmp/$2/$1.$command.$form.err"
			echo $? >"$tmp/$2/$1.$command.$form.status"
		done
	done
	rm -rf "$tmp/trace"
}

for trace in mixed context rcu; do
	named 'plain' $trace || exit 1
	run_all $trace plain.$trace
	named '\\\\x1b[2J\\\\x0a,|\\\\x22\\\\x5c' $trace || exit 1
	run_all $trace forged.$trace
done

printed=0
for file in "$tmp"/forged.*/*.text "$tmp"/forged.*/*.csv "$tmp"/forged.*/*.json; do
	plain=$(echo "$file" | sed 's,/forged\.,/plain.,')
	name=${file##*/}
	grep -q x1b "$file" && printed=$((printed + 1))
	# Any control character but newlines and tabs.
	! LC_ALL=C grep -q -a -P '[\x00-\x08\x0b-\x1f\x7f]' "$file" "$file.err"
	ok $? "$name has no control characters"
	same "$name has as many lines, and the same status" \
		"$(wc -l <"$plain") $(cat "$plain.status")" "$(wc -l <"$file") $(cat "$file.status")"
	case $file in
	# A value, or one a line; nothing if the trace has no such events.
	*.json)	[ ! -s "$file" ] || python3 -m json.tool "$file" >/dev/null 2>&1 ||
			python3 -m json.tool --json-lines "$file" >/dev/null
		ok $? "$name is JSON" ;;
	esac
done
[ $printed -gt 20 ]
ok $? "the names are printed: in $printed outputs"
tap_end
