#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Test privilege --cpm: published results, the grammar, malformed files.
# Usage: test-cpm.sh DIR, the directory of a build

. "$(dirname "$0")/common.sh"

example=$data/example.cpm

# psr FILE OPTIONS...: print each operation and its ratio
psr()
{
	file=$1
	shift
	"$memorizer" privilege --csv --cpm "$file" "$@" 2>"$tmp/err" |
		sed -n 's/^privileges,\([a-z]*\),.*,\(.*\)/\1 \2/p' | xargs
}

# Published: READ .10417 WRITE .20833 CALL .51389 RETURN .5625 TOTAL .25758, with weights WRITE
# .72464 TOTAL .40875
published="read 10.417 write 20.833 call 51.389 return 56.250 total 25.758"
same "the published results" "$published" "$(psr "$example")"
echo "O2, 1, 10, 1, 1" >"$tmp/weights"
same "the published results with weights" "read 10.417 write 72.464 call 51.389 return 56.250 total 40.875" \
	"$(psr "$example" --weights "$tmp/weights")"
for format in txt json csv; do
	option=$([ $format = txt ] || echo --$format)
	outcome "the example as $format" 0 "$data/example.cpm.$format" "" privilege $option --cpm "$example"
done
# 120 / (12 * 30), 60 / (3 * 30), 148 / (3 * 66), 216 / (4 * 66)
same "W^X: no data is called, no code is written" \
	"read 33.333 write 66.667 call 74.747 return 81.818 total 59.649" "$(psr "$example" --wxorx)"
printf '%s\n' '# ID,READ,WRITE,CALL,RETURN' '' ' O2 ,,=200 ,,' 'F3,.5,,2.5,=0' >"$tmp/weights"
# Bytes: read 10 + 20 + 50 + 8, write 10 + 200 + 66, call 10 + 20 + 50 + 40, return 30 + 50
same "weights: sizes, fractions, nothing" \
	"120 1056 600 828 220 360 200 320" \
	"$("$memorizer" privilege --csv --cpm "$example" --weights "$tmp/weights" |
	   sed -n '/total/d; s/^privileges,[a-z]*,\([0-9]*\),\([0-9]*\),.*/\1 \2/p' | xargs)"

# The grammar: the same in other words
cat >"$tmp/flow.cpm" <<'EOF'
---
{"object_map": [{"name": "first", "objects": ["O1"], "sizes": [10]}, # a comment
	{'name': 'second', 'objects': ['O2'], 'sizes': [20]}],
 "subject_map": [{"name": "pair", "subjects": ["F1", "F2"], "sizes": [20, 30],
  "read_instructions": 7, "write_instructions": 0, "call_instructions": 2, "return_instructions": 3},
 {name: single, subjects: [F3], sizes: [16,], read_instructions: 5, write_instructions: 3,
  call_instructions: 1, return_instructions: 1}],
 "privileges": [{"principal": {"subject": "pair"}, "can_call": ["single", "pair"],
 "can_return": null, "can_read": [{"objects": ["first"]}, {"objects": ["first"]}], "can_write": []},
 {"principal": {"subject": "single"}, "can_call": ["single"], "can_return": ["pair"],
 "can_read": [{"objects": ["first"], "counts": [3]}], "can_write": [{"objects": ["second"]}]}],
 "metadata": {"anything": "else"}}
EOF
same "lists and maps in brackets" "$published" "$(psr "$tmp/flow.cpm")"
sed 's/^- /-   /; s/ *$/   /; s/: /:   /' "$example" >"$tmp/blanks.cpm"
same "blanks" "$published" "$(psr "$tmp/blanks.cpm")"
sed "s/name: first/name: 'it''s'/; s/\\[first\\]/[ 'it''s' ]/; s/O2/\"a \\\\\"#\\\\\\\\ b\"/" "$example" >"$tmp/quotes.cpm"
same "quotes" "$published" "$(psr "$tmp/quotes.cpm")"
printf '%s\n' 'a "#\ b, 1, 10, 1, 1' >"$tmp/weights"
same "weights by such an id" "write 72.464" "$(psr "$tmp/quotes.cpm" --weights "$tmp/weights" | cut -d ' ' -f 3,4)"
sed 's/^    /        /; s/^  - /    - /' "$example" | sed 's/^    - \([a-z]\)/    -   \1/' >"$tmp/deep.cpm"
same "deeper indentation" "$published" "$(psr "$tmp/deep.cpm")"
tr '\n' '\r' <"$example" | sed 's/\r/\r\n/g' >"$tmp/crlf.cpm"
same "lines that end as in DOS" "$published" "$(psr "$tmp/crlf.cpm")"

# What is omitted, or all, is allowed; what is empty, is not
cat >"$tmp/small.cpm" <<'EOF'
object_map:
- {name: o, objects: [a, b]}
subject_map:
- {name: s, subjects: [f]}
- {name: t, subjects: [g, h]}
privileges:
- principal: {subject: s}
EOF
same "omitted: one of three functions, 2 of 5 bytes; its 3 bytes of code" \
	"read 13.333 write 13.333 call 20.000 return 20.000 total 16.667" "$(psr "$tmp/small.cpm")"
{ cat "$tmp/small.cpm" && echo "  can_read: [{objects: [o]}, {objects: all}, {objects: [o]}]"; } >"$tmp/twice.cpm"
same "all, and some of it" "read 13.333" "$(psr "$tmp/twice.cpm" | cut -d ' ' -f 1,2)"
for value in "can_read: all" "can_read: [{objects: all}]" "can_read: [{}]"; do
	{ cat "$tmp/small.cpm" && echo "  $value"; } >"$tmp/all.cpm"
	same "all: $value" "read 13.333" "$(psr "$tmp/all.cpm" | cut -d ' ' -f 1,2)"
done
for value in "can_read:" "can_read: []" "can_read: ~" "can_read: [{objects: []}]"; do
	{ cat "$tmp/small.cpm" && echo "  $value"; } >"$tmp/none.cpm"
	same "none: $value" "read 0.000" "$(psr "$tmp/none.cpm" | cut -d ' ' -f 1,2)"
done
{ cat "$tmp/small.cpm" && printf '%s\n' '  can_call: []' '  can_return: [s]'; } >"$tmp/own.cpm"
same "a domain may always call itself" "call 6.667 return 6.667" "$(psr "$tmp/own.cpm" | cut -d ' ' -f 5-8)"
{
	cat "$tmp/small.cpm"
	printf '%s\n' '  can_read: []' '- principal:' '    subject: s' '    execution_context: {uid: root}' \
		'  can_read: [{objects: [o]}]'
} >"$tmp/contexts.cpm"
same "contexts are ignored" "read 13.333" "$(psr "$tmp/contexts.cpm" | cut -d ' ' -f 1,2)"

# refused NAME TEXT WHY: a file with this text
refused()
{
	# shellcheck disable=SC2059 # a format
	printf "$2" >"$tmp/bad"
	outcome "refused: $1" 2 /dev/null "memorizer privilege: $tmp/bad$3" privilege --cpm "$tmp/bad"
}

# changed NAME SED WHY: the example with a change
changed()
{
	sed "$2" "$example" >"$tmp/bad"
	outcome "refused: $1" 2 /dev/null "memorizer privilege: $tmp/bad$3" privilege --cpm "$tmp/bad"
}

refused "no file" '' ":1: want a map with object_map, subject_map and privileges"
refused "no map" 'text\n' ":1: want a map with object_map, subject_map and privileges"
refused "no objects" 'a: b\n' ":1: object_map: want a list"
refused "a tab" 'a:\n\tb: c\n' ":2: found character that cannot start any token"
refused "no key" 'a: b\nc\n' ":3: could not find expected ':'"
refused "a step back" 'a:\n    b: c\n  d: e\n' ":3: did not find expected key"
refused "an alias" 'a: &b c\nd: *b\n' ":2: an alias: want its text"
refused "a key twice" 'a: b\nc: d\na: e\n' ":3: a key that the map has already: want each key once"
refused "a key twice in brackets" '{a: b,\na: e}\n' ":2: a key that the map has already: want each key once"
refused "a list as a key" '[a]: b\n' ":1: a key that is no text"
refused "no end of a quote" 'a: "b\n' ":2: found unexpected end of stream"
refused "a NUL in a text" 'a: "b\\0"\n' ":1: a NUL in a text"
refused "no end of a list" 'a: [b,\n c\n' ":3: did not find expected ',' or ']'"
refused "a wrong bracket" 'a: [b}\n' ":1: did not find expected ',' or ']'"
refused "no comma" 'a: {b: [] c: d}\n' ":1: did not find expected ',' or '}'"
refused "no value after an escaped quote" 'a:\n- "b\\": c"d\n' ":2: did not find expected key"
refused "more after a value" 'a: [b] c\n' ":1: did not find expected key"
refused "a NUL byte" 'a: b\n\000\n' ": byte 5: control characters are not allowed"
refused "a second document" 'a: b\n---\nc: d\n' ":2: a second document: want one"
refused "deep lists" "a: $(printf '[%.0s' $(seq 64))\\n" ":1: more than 64 nested lists and maps"
refused "deep maps" "\\n$(printf '%.0s- ' $(seq 65))x\\n" ":2: more than 64 nested lists and maps"
changed "a misspelled key" 's/can_write:/can_wriet:/' ":29: can_wriet: an unknown key"
changed "a misspelled key of a domain" 's/read_i/raed_i/' ":10: raed_instructions: an unknown key"
changed "a misspelled key of an object" 's/sizes: \[10/size: [10/' ":4: size: an unknown key"
changed "no principal" 's/principal: {.*}/call_counts: [1]/' ":24: principal: want a map with subject"
changed "an unknown subject" 's/subject: single/subject: other/' ":31: other: no such subject domain"
changed "an unknown domain to call" 's/can_call: \[single/can_call: [first/' ":25: first: no such subject domain"
changed "an unknown object" 's/objects: \[first/objects: [pair/' ":28: pair: no such object domain"
changed "an object twice" 's/O2/O1/' ":5: O1: is in a domain already"
changed "a name twice" 's/name: second/name: first/' ":5: first: another domain has this name"
changed "a name of both kinds" 's/name: pair/name: first/' ":7: first: another domain has this name"
changed "no name" 's/name: second, //' ":5: name: want a text of less than 512 bytes"
changed "too few sizes" 's/sizes: \[20, 30\]/sizes: [20]/' ":9: sizes: want a list with the size of each id"
changed "a negative size" 's/\[20, 30\]/[-20, 30]/' ":9: want a whole number from 0 to 10^15"
changed "a large number" 's/instructions: 7/instructions: 10000000000000000/' ":10: read_instructions: want a whole number from 0 to 10^15"
changed "a wrong number of counts" 's/object_context: all/counts: [1, 2]/' ":39: counts: want a number for each item of the list"
changed "a text in place of a list" 's/can_write:$/can_write: first/; 36,$d' ":29: can_write: want a list of maps with objects, or all"

# weights_refused NAME TEXT WHY
weights_refused()
{
	# shellcheck disable=SC2059 # a format
	printf "$2" >"$tmp/bad"
	outcome "weights refused: $1" 2 /dev/null "memorizer privilege: $tmp/bad$3" \
		privilege --cpm "$example" --weights "$tmp/bad"
}

weights_refused "few fields" 'O1,1,1,1\n' ":1: too few fields: want ID,READ,WRITE,CALL,RETURN"
weights_refused "many fields" '# x\nO1,1,1,1,1,\n' ":2: too many fields: want ID,READ,WRITE,CALL,RETURN"
weights_refused "no number" 'O1,1,a,1,1\n' ":1: not a weight: want nothing, a factor, or = and a size, up to 10^15"
weights_refused "a negative number" 'O1,1,=-1,1,1\n' ":1: not a weight: want nothing, a factor, or = and a size, up to 10^15"
weights_refused "an id twice" 'O1,1,1,1,1\nO1,1,1,1,1\n' ":2: an id that is empty, too long or not the first: want each id once"
weights_refused "an unknown id" 'O1,1,1,1,1\nO9,1,1,1,1\n' ":2: O9: no such subject or object in $example"
outcome "no weight file" 2 /dev/null "memorizer privilege: $tmp/none: No such file or directory" \
	privilege --cpm "$example" --weights "$tmp/none"
outcome "no file" 2 /dev/null "memorizer privilege: $tmp/none: No such file or directory" \
	privilege --cpm "$tmp/none"
outcome "an input beside --cpm" 2 /dev/null "memorizer privilege: --cpm: want no input, no --partition and no --calls
Try 'memorizer help privilege'." privilege --cpm "$example" "$data/session.kmap"
outcome "--wxorx without --cpm" 2 /dev/null "memorizer privilege: --weights, --wxorx: only with --cpm
Try 'memorizer help privilege'." privilege --wxorx "$data/session.kmap"
tap_end
