#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Test the presentation of output: width, colours and pager on a terminal, plain text elsewhere.
# Usage: test-terminal.sh DIR, the directory of a build

. "$(dirname "$0")/common.sh"
unset NO_COLOR PAGER MEMORIZER_PAGER LESS COLUMNS
export TERM=vt100 LC_ALL=C MEMORIZER_PROGRESS=no

"$build/tests/make-trace" "$tmp/trace" <"$data/kmem.trace" || exit 1
mkdir "$tmp/trace/kernel"
cp "$data/kallsyms" "$tmp/trace/kernel/kallsyms"

# terminal COMMAND...: print its output on a terminal, without the message about three lost
# events
terminal()
{
	"$build/tests/terminal" -o "$@" </dev/null | tr -d '\r' |
		sed '/^\(> \)*memorizer: .*: incomplete: 3 events/d'
}

plain()
{
	sed 's/\x1b\[[0-9;]*m//g' "$1"
}

# widest FILE: print the length of its longest line
widest()
{
	plain "$1" | awk 'length > most { most = length } END { print most + 0 }'
}

export MEMORIZER_PAGER=cat
for width in 60 72 80 100; do
	COLUMNS=$width terminal "$memorizer" report "$tmp/trace" >"$tmp/out"
	sed '1,/ALLOCATION SITES/d' "$tmp/out" >"$tmp/tables"
	got=$(widest "$tmp/tables")
	[ "$got" -le $width ] && [ "$got" -gt $((width * 3 / 4)) ]
	ok $? "the tables of a trace fit $width columns"
	COLUMNS=$width terminal "$memorizer" report -K "$data/kallsyms" "$data/session.kmap" |
		sed '1,/ALLOCATION SITES/d; /^memorizer: /d' >"$tmp/tables"
	[ "$(widest "$tmp/tables")" -le $width ]
	ok $? "the tables of a KMAP fit $width columns"
done
# Tables of all analyses, at common widths
for name in lines entries assoc conflicts rcu; do
	case $name in
	entries | rcu) of= ;;
	*) of=-q ;;	# QEMU
	esac
	"$build/tests/make-trace" $of "$tmp/$name" <"$data/$name.trace" || exit 1
	cp -r "$tmp/trace/kernel" "$tmp/$name"
done
for command in "sharing --addresses" false-sharing per-entry summary; do
	for width in 60 72 80 100 132; do
		# shellcheck disable=SC2086 # a command and its option
		COLUMNS=$width terminal "$memorizer" $command "$tmp/lines" >"$tmp/all"
		plain "$tmp/all" | grep -e '---' -e ' | ' -e '^ no room' >"$tmp/out"
		got=$(widest "$tmp/out")
		[ "$got" -le $width ] && [ "$got" -gt $((width / 2)) ]
		ok $? "the tables of ${command%% *} fit $width columns"
	done
done
for command in "serial entries" "cache-assoc assoc" "conflicts conflicts" "rcu rcu" \
	       "timeline lines"; do
	COLUMNS=80 terminal "$memorizer" "${command% *}" "$tmp/${command#* }" >"$tmp/all"
	plain "$tmp/all" | grep -e '---' -e ' | ' -e '^ no room' >"$tmp/out"
	got=$(widest "$tmp/out")
	[ "$got" -le 80 ] && [ "$got" -gt 40 ]
	ok $? "the tables of ${command% *} fit 80 columns"
done
COLUMNS=80 terminal "$memorizer" sharing "$tmp/lines" >"$tmp/out"
plain "$tmp/out" | grep -q '^ Cacheline *| Symbol *| Object *| Num | *Off | Moves$'
ok $? "a narrow table of code keeps code, object and moves"
same "text columns left out are named" " no room for Allocated by, LclHitm" \
	"$(plain "$tmp/out" | sed -n '/Pareto/,$s/^\( no room [^,]*, [^,]*\),.*/\1/p' | head -n 1)"
COLUMNS=60 terminal "$memorizer" report "$tmp/trace" >"$tmp/out"
same "columns left out are named" " no room for Hit, Freed, Ping-pong, X-node, Frag" \
	"$(plain "$tmp/out" | grep -m 1 'no room')"
COLUMNS=36 terminal "$memorizer" report "$tmp/trace" >"$tmp/out"
plain "$tmp/out" | grep -q '^ widget_write+0x10 *|'
ok $? "a shortened name loses the function's size first"
plain "$tmp/out" | grep -q '^ gadget_pr\.\. \[gadget\] |'
ok $? "a shortened name then loses its middle"
COLUMNS=300 terminal "$memorizer" report "$tmp/trace" >"$tmp/out"
plain "$tmp/out" | cmp - "$data/kmem.txt"
ok $? "a wide terminal has the plain text, with colours"
! cmp -s "$tmp/out" "$data/kmem.txt"
ok $? "a terminal has colours"
NO_COLOR=1 COLUMNS=300 terminal "$memorizer" report "$tmp/trace" | cmp - "$data/kmem.txt"
ok $? "NO_COLOR disables colours"
TERM=dumb COLUMNS=300 terminal "$memorizer" report "$tmp/trace" | cmp - "$data/kmem.txt"
ok $? "a dumb terminal has no colours"
COLUMNS=300 terminal "$memorizer" --color=never report "$tmp/trace" | cmp - "$data/kmem.txt"
ok $? "--color=never disables colours"
COLUMNS=40 "$memorizer" report "$tmp/trace" | cmp - "$data/kmem.txt"
ok $? "a pipe gets plain text of any width"
"$memorizer" --color=always report "$tmp/trace" >"$tmp/out"
plain "$tmp/out" | cmp -s - "$data/kmem.txt" && ! cmp -s "$tmp/out" "$data/kmem.txt"
ok $? "--color=always enables colours in a pipe"

# The pager
cat >"$tmp/pager" <<'END'
#!/bin/sh
echo "paged, LESS=$LESS"
sed 's/^/> /'
END
chmod +x "$tmp/pager"
sed 's/^/> /' "$data/kmem.txt" >"$tmp/want"
export MEMORIZER_PAGER="$tmp/pager" NO_COLOR=1 COLUMNS=300
terminal "$memorizer" report "$tmp/trace" >"$tmp/out"
same "LESS makes the pager quit on short output and pass colours" "paged, LESS=FRX" \
	"$(head -n 1 "$tmp/out")"
sed 1d "$tmp/out" | cmp - "$tmp/want"
ok $? "a terminal has the report through a pager"
terminal "$memorizer" --no-pager report "$tmp/trace" | cmp - "$data/kmem.txt"
ok $? "--no-pager disables the pager"
"$memorizer" report "$tmp/trace" | cmp - "$data/kmem.txt"
ok $? "a pipe has no pager"
unset MEMORIZER_PAGER
PAGER="$tmp/pager" terminal "$memorizer" report "$tmp/trace" >"$tmp/out"
same "PAGER is used if MEMORIZER_PAGER is not set" "paged, LESS=FRX" \
	"$(head -n 1 "$tmp/out")"
PAGER="head -n 1" terminal "$memorizer" report "$tmp/trace" >"$tmp/out"
same "a pager that ends early ends the command" "SUMMARY (TRACE)" "$(cat "$tmp/out")"
echo bad >"$tmp/bad.kmap"
PAGER="$tmp/pager" terminal sh -c '"$0" symbolize -K "$1" "$2"; echo "status $?"' "$memorizer" \
	"$data/kallsyms" "$tmp/bad.kmap" >"$tmp/out"
same "messages go through the pager, and the exit status is kept" \
	"paged, LESS=FRX > memorizer: $tmp/bad.kmap: skipped 1 malformed status 1" \
	"$(sed '2d;s/ lines.*//' "$tmp/out" | xargs)"
# Progress of commands that take more than a second: they run until this test has seen it
# draws NAME LINE COMMAND...: run a command whose output blocks until LINE is on its terminal
draws()
{
	name=$1 line=$2
	shift 2
	rm -f "$tmp/fifo" "$tmp/ended"
	mkfifo "$tmp/fifo"
	{
		MEMORIZER_PROGRESS= "$build/tests/terminal" sh -c '"$@" >"$0"' "$tmp/fifo" "$@" \
			>"$tmp/drawn"
		: >"$tmp/ended"
	} &
	exec 3<"$tmp/fifo"
	until tr '\r' '\n' <"$tmp/drawn" | grep -q "$line" || [ -e "$tmp/ended" ]; do
		sleep 0.1
	done
	cat <&3 >"$tmp/out"
	exec 3<&-
	wait $!
	tr '\r' '\n' <"$tmp/drawn" | grep -q "$line"
	ok $? "$name"
	tr '\r' '\n' <"$tmp/drawn" | grep -A 1 "$line" | tail -n 1 | cut -c 1-3 >"$tmp/last"
	same "progress is erased" "$(printf '\033[K')" "$(cat "$tmp/last")"
}

"$build/tests/make-trace" -b 100000 "$tmp/long" || exit 1
cp -r "$tmp/trace/kernel" "$tmp/long"
yes "$(cat "$data/session.kmap")" | head -n 100000 >"$tmp/long.kmap"
draws "a terminal shows the progress of reading a trace" '/long \[=* *\]  *[0-9]*%' \
	"$memorizer" script --csv "$tmp/long"
"$memorizer" script --csv "$tmp/long" 2>&1 | cmp -s - "$tmp/out"
ok $? "the output with progress is the same"
draws "a terminal shows the progress of reading a KMAP" 'kmap \[=* *\]  *[0-9]*%' \
	"$memorizer" symbolize -K "$data/kallsyms" "$tmp/long.kmap"
mkfifo "$tmp/kallsyms"
MEMORIZER_PROGRESS= "$build/tests/terminal" "$memorizer" report -K "$tmp/kallsyms" "$tmp/long" \
	>"$tmp/drawn" &
exec 3>"$tmp/kallsyms"
until tr '\r' '\n' <"$tmp/drawn" | grep -q 'reading symbols \.\.\.$'; do
	sleep 0.1
done
cat "$data/kallsyms" >&3
exec 3>&-
wait $!
ok $? "a terminal shows the wait for symbols"
"$memorizer" script "$tmp/long" >"$tmp/want" 2>&1
MEMORIZER_PROGRESS= COLUMNS=300 NO_COLOR=1 terminal "$memorizer" --no-pager script "$tmp/long" |
	cmp -s - "$tmp/want"
ok $? "output on a terminal has no progress in between"
outcome "an invalid --color is refused" 2 /dev/null "memorizer: no command '--color=blue'
Try 'memorizer help'." --color=blue report
tap_end
