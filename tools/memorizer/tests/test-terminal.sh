#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Tests how output is shown: width, colours and pager on a terminal, plain text elsewhere.
# Usage: test-terminal.sh DIR, with memorizer in it, and in its tests/ what the tests need

here=$(dirname "$0")
data=$here/data
build=$(cd "$1" && pwd) || exit 1
memorizer=$build/memorizer
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. "$here/tap.sh"
unset NO_COLOR PAGER MEMORIZER_PAGER LESS COLUMNS
export TERM=vt100 LC_ALL=C MEMORIZER_PROGRESS=no

"$build/tests/make-trace" "$tmp/trace" <"$data/kmem.trace" || exit 1
mkdir "$tmp/trace/kernel"
cp "$data/kallsyms" "$tmp/trace/kernel/kallsyms"

# terminal COMMAND...: what it writes to the terminal that its output is; not that three
# events of the trace were lost
terminal()
{
	"$build/tests/terminal" -o "$@" </dev/null | tr -d '\r' |
		sed '/^\(> \)*memorizer: .*: incomplete: 3 events/d'
}

plain()
{
	sed 's/\x1b\[[0-9;]*m//g' "$1"
}

# widest FILE: characters of its longest line
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
	ok $? "so do those of a KMAP"
done
# Tables of all analyses, on widths that people have
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
	ok $? "those of ${command% *} fit 80"
done
COLUMNS=80 terminal "$memorizer" sharing "$tmp/lines" >"$tmp/out"
plain "$tmp/out" | grep -q '^ Cacheline *| Symbol *| Object *| Num | *Off | Moves$'
ok $? "of the code that moves lines the code, the object and the moves stay"
same "texts without room are named, too" " no room for Allocated by, LclHitm" \
	"$(plain "$tmp/out" | sed -n '/Pareto/,$s/^\( no room [^,]*, [^,]*\),.*/\1/p' | head -n 1)"
COLUMNS=60 terminal "$memorizer" report "$tmp/trace" >"$tmp/out"
same "columns without room are named" " no room for Hit, Freed, Ping-pong, X-node, Frag" \
	"$(plain "$tmp/out" | grep -m 1 'no room')"
COLUMNS=36 terminal "$memorizer" report "$tmp/trace" >"$tmp/out"
plain "$tmp/out" | grep -q '^ widget_write+0x10 *|'
ok $? "of a name that is cut the function's size goes first"
plain "$tmp/out" | grep -q '^ gadget_pr\.\. \[gadget\] |'
ok $? "then what is in the middle"
COLUMNS=300 terminal "$memorizer" report "$tmp/trace" >"$tmp/out"
plain "$tmp/out" | cmp - "$data/kmem.txt"
ok $? "a wide terminal has all, and the same text but for colours"
! cmp -s "$tmp/out" "$data/kmem.txt"
ok $? "which it has"
NO_COLOR=1 COLUMNS=300 terminal "$memorizer" report "$tmp/trace" | cmp - "$data/kmem.txt"
ok $? "unless NO_COLOR is set"
TERM=dumb COLUMNS=300 terminal "$memorizer" report "$tmp/trace" | cmp - "$data/kmem.txt"
ok $? "or the terminal is dumb"
COLUMNS=300 terminal "$memorizer" --color=never report "$tmp/trace" | cmp - "$data/kmem.txt"
ok $? "or --color=never is given"
COLUMNS=40 "$memorizer" report "$tmp/trace" | cmp - "$data/kmem.txt"
ok $? "what is no terminal gets plain text of any width"
"$memorizer" --color=always report "$tmp/trace" >"$tmp/out"
plain "$tmp/out" | cmp -s - "$data/kmem.txt" && ! cmp -s "$tmp/out" "$data/kmem.txt"
ok $? "unless it asks for colours"

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
same "the pager is told to leave what fits the screen, and of colours" "paged, LESS=FRX" \
	"$(head -n 1 "$tmp/out")"
sed 1d "$tmp/out" | cmp - "$tmp/want"
ok $? "a terminal has the report through a pager"
terminal "$memorizer" --no-pager report "$tmp/trace" | cmp - "$data/kmem.txt"
ok $? "not with --no-pager"
"$memorizer" report "$tmp/trace" | cmp - "$data/kmem.txt"
ok $? "what is no terminal has none"
unset MEMORIZER_PAGER
PAGER="$tmp/pager" terminal "$memorizer" report "$tmp/trace" >"$tmp/out"
same "PAGER is used where MEMORIZER_PAGER is not set" "paged, LESS=FRX" \
	"$(head -n 1 "$tmp/out")"
PAGER="head -n 1" terminal "$memorizer" report "$tmp/trace" >"$tmp/out"
same "a pager that ends early ends it" "SUMMARY (TRACE)" "$(cat "$tmp/out")"
echo bad >"$tmp/bad.kmap"
PAGER="$tmp/pager" terminal sh -c '"$0" symbolize -K "$1" "$2"; echo "status $?"' "$memorizer" \
	"$data/kallsyms" "$tmp/bad.kmap" >"$tmp/out"
same "messages go through it, too, and the exit status stays" \
	"paged, LESS=FRX > memorizer: $tmp/bad.kmap: left out 1 malformed status 1" \
	"$(sed '2d;s/ lines.*//' "$tmp/out" | xargs)"
# Progress, of what takes longer than a second: it takes as long as this test waits to see it
# draws NAME LINE COMMAND...: the command, whose output goes nowhere until LINE is on its terminal
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
	same "and takes it away" "$(printf '\033[K')" "$(cat "$tmp/last")"
}

"$build/tests/make-trace" -b 100000 "$tmp/long" || exit 1
cp -r "$tmp/trace/kernel" "$tmp/long"
yes "$(cat "$data/session.kmap")" | head -n 100000 >"$tmp/long.kmap"
draws "a terminal sees how far a trace is read" '/long \[=* *\]  *[0-9]*%' \
	"$memorizer" script --csv "$tmp/long"
"$memorizer" script --csv "$tmp/long" 2>&1 | cmp -s - "$tmp/out"
ok $? "what is printed is the same"
draws "how far a KMAP is read, too" 'kmap \[=* *\]  *[0-9]*%' \
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
ok $? "and that it waits for symbols"
"$memorizer" script "$tmp/long" >"$tmp/want" 2>&1
MEMORIZER_PROGRESS= COLUMNS=300 NO_COLOR=1 terminal "$memorizer" --no-pager script "$tmp/long" |
	cmp -s - "$tmp/want"
ok $? "lines that are printed to the terminal have no progress among them"
outcome "a colour that is none is refused" 2 /dev/null "memorizer: no command '--color=blue'
Try 'memorizer help'." --color=blue report
tap_end
