#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Test the analyses of cache lines, kernel entries, locks and stacks.
# Usage: test-analyses.sh DIR, the directory of a build;
# MODEL_ROUNDS=N for more random traces, MODEL_SEED=N for others

. "$(dirname "$0")/common.sh"

# make_trace NAME [OPTIONS]: make the trace of a script, in both byte orders
make_trace()
{
	script=$1
	shift
	for order in le be; do
		"$build/tests/make-trace" -e $order "$@" "$tmp/$script.$order" <"$data/$script.trace" ||
			exit 1
		mkdir "$tmp/$script.$order/kernel"
		cp "$data/kallsyms" "$tmp/$script.$order/kernel"
	done
}

# golden COMMAND TRACE [OPTIONS]: compare a command's output with the reviewed one, in all formats
golden()
{
	command=$1 trace=$2
	shift 2
	for order in le be; do
		outcome "$command of $trace, $order" 0 "$data/$trace.$command" "" \
			"$command" "$@" "$tmp/$trace.$order"
	done
	outcome "$command of $trace as JSON" 0 "$data/$trace.$command.json" "" \
		"$command" "$@" --json "$tmp/$trace.le"
	outcome "$command of $trace as CSV" 0 "$data/$trace.$command.csv" "" \
		"$command" "$@" --csv "$tmp/$trace.le"
}

# rows TABLE COMMAND ARGUMENTS...: print the rows of a table as CSV
rows()
{
	table=$1
	shift
	"$memorizer" "$@" --csv 2>"$tmp/err" | sed -n "s/^$table,//p"
}

# sharing
make_trace lines
golden sharing lines --addresses --all
same "the two lines of an object have true and false sharing" \
	"ffff888000001000,widget,widget_alloc+0x10/0x100,0,6,57.142,4,3,1,9,5,6,2,4,3
ffff888000001040,widget,widget_alloc+0x10/0x100,1,4,0.000,0,0,0,4,0,4,0,4,2" \
	"$(rows lines sharing "$tmp/lines.le" | grep ',widget,')"
same "pareto leaves out code that moves nothing" "$(rows pareto sharing --all "$tmp/lines.le" |
	awk -F, '$7 > 0')" "$(rows pareto sharing "$tmp/lines.le")"
same "--site selects lines" 2 "$(rows lines sharing --site widget_alloc+0x10 "$tmp/lines.le" | wc -l)"
same "--cpu counts the moves of a CPU" 1 "$(rows sum sharing --cpu 2 "$tmp/lines.le" | sed -n 's/^moves,//p')"
same "--pid counts the moves of a task" 8 "$(rows sum sharing --pid 101 "$tmp/lines.le" | sed -n 's/^moves,//p')"
same "--comm counts the moves of a command" 1 "$(rows sum sharing --comm 'f*' "$tmp/lines.le" | sed -n 's/^moves,//p')"
same "--from and --to select moves" 4 \
	"$(rows sum sharing --from false --to reuse "$tmp/lines.le" | sed -n 's/^moves,//p')"
same "accesses before --from still determine the owner of a line" "widget+0x48 widget+0x40" \
	"$(rows pairs sharing --from 1.0000002 --to 1.00000021 "$tmp/lines.le" | awk -F, '{ print $1, $4 }')"
same "lines of 8 bytes have no false sharing" 0 \
	"$(rows sum sharing --line 8 "$tmp/lines.le" | sed -n 's/^false_sharing,//p')"
outcome "--line 0 is refused" 2 /dev/null "memorizer sharing: --line 0: want a number from 1 to 4096
Try 'memorizer help sharing'." sharing --line 0 "$tmp/lines.le"
outcome "--line 65 is refused" 2 /dev/null \
	"memorizer: $tmp/lines.le: lines of 65 bytes: want a power of two up to 4096" \
	sharing --line 65 "$tmp/lines.le"
for line in f00 1000 fffffffffffff000 10000 0 f0000; do
	printf '%s\n' "cpu 0" "access ip=1 ptr=$line size=1 kind=2" "cpu 1" "access"
done | "$build/tests/make-trace" "$tmp/ties"
same "ties between lines are sorted by address, as a text" \
	"0 0 1000 1 10000 2 f00 3 f0000 4 fffffffffffff000 5" \
	"$(rows lines sharing "$tmp/ties" | awk -F, '{ print $1, $4 }' | xargs)"
# Instructions access a line 255 to 1021 times; two of them move it between two CPUs.
{
	for n in 255 256 510 1021; do
		yes "access ip=$n ptr=8 size=4 kind=$((n % 2 + 1))" | head -n $n
	done | sed '1i cpu 0'
	yes "cpu 0
access ip=1 ptr=8 size=4 kind=2
cpu 1
access ip=2 ptr=8 size=4 kind=1" | head -n 1200
} | "$build/tests/make-trace" "$tmp/overflow"
mkdir "$tmp/overflow/kernel"
cp "$data/kallsyms" "$tmp/overflow/kernel"
for options in "" --all --addresses; do
	# shellcheck disable=SC2086 # options
	"$memorizer" sharing --csv $options "$tmp/overflow" >"$tmp/want"
	# shellcheck disable=SC2086 # options
	"$build/tests/memorizer-bytes" sharing --csv $options "$tmp/overflow" >"$tmp/got"
	equal "sharing is exact when the counts of a toucher overflow: $options" "$tmp/want" "$tmp/got"
done
same "each toucher has its accesses" "255 256 300 300 510 1021" \
	"$("$memorizer" sharing --csv --all "$tmp/overflow" | sed -n 's/^pareto,//p' | cut -d, -f10 | sort -n | xargs)"
# More than a count of the command itself has room for.
{
	echo "cpu 0"
	yes "access ip=1 ptr=8 size=4 kind=1" | head -n 70000
	yes "access ip=1 ptr=8 size=4 kind=2" | head -n 70001
	echo "cpu 1"
	yes "access ip=2 ptr=8 size=4 kind=1" | head -n 65535
} | "$build/tests/make-trace" "$tmp/many"
cp -r "$tmp/overflow/kernel" "$tmp/many"
same "addresses have more accesses than a count has room for" "0,70000,70001 1,65535,0" \
	"$("$memorizer" sharing --csv --addresses "$tmp/many" | sed -n 's/^addresses,//p' | cut -d, -f5-7 | sort | xargs)"
"$memorizer" sharing --from nine "$tmp/lines.le" >"$tmp/out" 2>"$tmp/err"
same "an unknown mark is refused" "2 memorizer: $tmp/lines.le: no mark 'nine'" "$? $(cat "$tmp/err")"

# false-sharing
golden false-sharing lines
# others EARLIER LATER: print false sharing, and that with other objects: CPU 0 stores to an object,
# which is freed; then CPU 1 stores to other bytes of the line. Objects are PTR,BYTES,STORE.
others()
{
	rm -rf "$tmp/others"
	{
		printf '%s\n' "cpu 1 0" "time 1000000000" "cpu 0 0" "switch allocations=1 accesses=1"
		for object; do
			rest=${object#*,}
			echo "alloc kind=0 call_site=ffffffff9b000010 ptr=ffff8880000010${object%%,*} bytes_req=${rest%,*} bytes_alloc=${rest%,*}"
			echo "access ip=ffffffff9b000110 ptr=ffff8880000010${rest#*,} size=4 kind=2"
			echo "free kind=0 call_site=ffffffff9b000210 ptr=ffff8880000010${object%%,*} bytes=${rest%,*}"
			echo "cpu 1"
		done
	} | "$build/tests/make-trace" -q "$tmp/others"
	rows sum false-sharing "$tmp/others" | sed -n 's/^\(false_sharing\|of_others\),//p' | xargs
}

same "an earlier object at the same address is not another object" "1 0" "$(others 00,32,00 00,32,08)"
same "an earlier object of another size is not another object" "1 0 1 0" "$({ others 00,64,38 00,32,08; others 00,64,38 20,16,20; } | xargs)"
same "an object beside it is another object, freed or not" "1 1" "$(others 20,32,20 00,32,08)"
make_trace predict
golden false-sharing predict
same "predicted: sharing in longer lines, and at an offset of 16 bytes" \
	"widget,widget_alloc+0x10/0x100,0,4,0,0,3,16" "$(rows predicted false-sharing "$tmp/predict.le")"
same "lines of 128 bytes have it" 4 \
	"$(rows sum false-sharing --line 128 "$tmp/predict.le" | sed -n 's/^false_sharing,//p')"
same "no prediction without every access, or with -g 0" "" \
	"$(rows predicted false-sharing -g 0 "$tmp/predict.le")"

# per-entry
make_trace entries
golden per-entry entries
same "the entries have all moves" \
	"$(rows sum per-entry "$tmp/entries.le" | sed -n 's/^moves,//p')" \
	"$(rows entries per-entry "$tmp/entries.le" | awk -F, '{ n += $3 } END { print n }')"
same "--cpu counts this CPU's moves only" "syscall write,0,2,1,
syscall exit_group,1,1,1,1.0
exception page_fault,0,1,1,
syscall 600,1,0,0,0.0" "$(rows entries per-entry --cpu 1 "$tmp/entries.le")"
same "--accesses counts accesses" "[none],widget_free+0x14/0x40,1,1" \
	"$(echo 'access ip=ffffffff9b000214 ptr=1000 size=8 kind=3' >"$tmp/script" &&
	   "$build/tests/make-trace" "$tmp/access" <"$tmp/script" &&
	   rows accesses per-entry --accesses --kallsyms "$data/kallsyms" "$tmp/access")"
grep -v '^traffic' "$data/entries.trace" | "$build/tests/make-trace" "$tmp/quiet"
same "entries without accesses are counted" \
	"$(rows entries per-entry "$tmp/entries.le" | awk -F, '$2 { print $1, $2 }' | sort)" \
	"$(rows entries per-entry "$tmp/quiet" | awk -F, '{ print $1, $2 }' | sort)"
"$memorizer" per-entry --accesses "$tmp/quiet" >/dev/null 2>"$tmp/err"
same "--accesses needs accesses" "2 1" "$? $(grep -c 'no accesses or moves' "$tmp/err")"
sed '/^enter kind=4/i packet\nlost 1' "$data/entries.trace" >"$tmp/entries.script"
"$build/tests/make-trace" "$tmp/entries.lost" <"$tmp/entries.script"
cp -r "$tmp/entries.le/kernel" "$tmp/entries.lost"
"$memorizer" per-entry "$tmp/entries.lost" >"$tmp/out" 2>"$tmp/err"
same "a loss makes the table incomplete" "3 1" "$? $(grep -c incomplete "$tmp/err")"
same "after a loss, open entries are unknown" "syscall read,2,3,3,1.5
[none],0,2,0," "$(rows entries per-entry --to 1.00000021 "$tmp/entries.lost" | grep 'none\|read')"
sed 's/x86_64/riscv64/' "$tmp/entries.le/metadata" >"$tmp/entries.lost/metadata"
same "numbers of other machines have no names" 1 \
	"$(rows entries per-entry "$tmp/entries.lost" | grep -c '^syscall 231,')"

# serial
golden serial entries
# A later recording of a boot: the CPU's first packets were read before
awk '{ print } /^cpu/ && !seen[$2]++ { print "skip 5" }' "$data/entries.trace" |
	"$build/tests/make-trace" "$tmp/later"
cp -r "$tmp/entries.le/kernel" "$tmp/later" 2>/dev/null
same "the duration starts at the first event, also in a later recording" \
	"$("$memorizer" serial --csv "$tmp/entries.le" 2>/dev/null | grep -e duration -e ^locks)" \
	"$("$memorizer" serial --csv "$tmp/later" 2>/dev/null | grep -e duration -e ^locks)"
same "the times of code and of locks are equal" "$(rows locks serial "$tmp/entries.le" |
	awk -F, '{ a += $2; b += $6; c += $10 } END { print a, b, c }')" \
	"$(rows sites serial "$tmp/entries.le" | awk -F, '{ a += $3; b += $7; c += $11 } END { print a, b, c }')"
same "a lock with two waits of 40 us and one of 10" "files->lock,229990,0.378,109990,3,80010,40000,1,0,0" \
	"$(rows locks serial "$tmp/entries.le" | grep files)"

# cache-assoc
make_trace assoc
golden cache-assoc assoc --sets 2 --ways 2
same "sets and objects have all misses" "10 10 10" "$(rows sum cache-assoc --sets 2 --ways 2 \
	"$tmp/assoc.le" | sed -n 's/^misses,//p') $(rows sets cache-assoc --sets 2 --ways 2 "$tmp/assoc.le" |
	awk -F, '{ n += $3 } END { print n }') $(rows objects cache-assoc --sets 2 --ways 2 "$tmp/assoc.le" |
	awk -F, '{ n += $3 } END { print n }')"
outcome "a number of sets that is no power of two is refused" 2 /dev/null "memorizer cache-assoc: --sets 3: want a power of two
Try 'memorizer help cache-assoc'." cache-assoc --sets 3 "$tmp/assoc.le"

# stacks
make_trace calls -q
golden stacks calls --addresses --objects
same "stacks that differ only by offset are merged" "a\x3bb;gadget_irq [gadget];widget_free 1
a\x3bb;read_mark 1
tar;read_mark;widget_write;widget_free 3" "$("$memorizer" stacks "$tmp/calls.le")"
same "stacks by instruction" "tar;read_mark;widget_write;widget_free 1" \
	"$("$memorizer" stacks --at widget_free+0x14 "$tmp/calls.be")"
same "stacks by function" 3 "$("$memorizer" stacks --at 'widget_*' --addresses "$tmp/calls.be" | grep -c '^tar;.* 1$')"
for value in "accesses 2" "reads 1" "writes 1" "bytes 12"; do
	same "stacks by ${value% *}" "tar;read_mark;widget_write;widget_free ${value#* }" \
		"$("$memorizer" stacks --value "${value% *}" "$tmp/calls.le")"
done
same "entries replace unknown stacks" "tar;syscall read;read_mark 4" \
	"$("$memorizer" stacks "$tmp/entries.le" | grep 'syscall read')"
"$memorizer" stacks --value some "$tmp/calls.le" >"$tmp/out" 2>"$tmp/err"
same "an unknown value is refused" 2 $?

# Memory depends on the objects accessed, not on the number of accesses: use four times the events.
# Sanitizers keep freed memory.
for events in 50000 200000; do
	"$build/tests/make-trace" -a -b $events -l 8 -c 4 "$tmp/load.$events" || exit 1
done
for command in sharing false-sharing per-entry cache-assoc stacks serial summary; do
	for events in 50000 200000; do
		ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=1" \
			"$build/tests/peak" "$memorizer" $command "$tmp/load.$events" 2>&1 >"$tmp/out" |
			sed -n '$s/.* //p' >"$tmp/peak.$events"
	done
	[ "$(cat "$tmp/peak.50000")" -gt 0 ] &&
		[ "$(cat "$tmp/peak.200000")" -le $(($(cat "$tmp/peak.50000") * 5 / 4)) ]
	ok $? "memory of $command does not grow with the length of the trace"
	echo "# kB: $(cat "$tmp/peak.50000" "$tmp/peak.200000" | xargs)"
done

# Rows that are not printed take no memory, and their sums are in the table's rest. Lines are
# numbered, so most rows sort after the last printed one by rank alone.
"$build/tests/make-trace" -a -b 200000 -l 20000 "$tmp/wide" || exit 1
if grep -q __asan_init "$memorizer"; then
	ok 0 "rows that are not printed take no memory # SKIP sanitizers need memory"
else
	for top in 20 0; do
		"$build/tests/peak" "$memorizer" sharing -a --json --top $top "$tmp/wide" 2>&1 \
			>"$tmp/out" | sed -n '$s/.* //p' >"$tmp/peak.$top"
	done
	[ "$(cat "$tmp/peak.20")" -gt 0 ] &&
		[ "$(cat "$tmp/peak.20")" -le $(($(cat "$tmp/peak.0") * 2 / 3)) ]
	ok $? "rows that are not printed take no memory"
	echo "# kB: $(cat "$tmp/peak.20" "$tmp/peak.0" | xargs)"
fi
cat >"$tmp/rest.py" <<'END'
import json, sys
whole, first = (json.load(open(name)) for name in sys.argv[1:3])
top = int(sys.argv[3])
for key, rows in whole.items():
    if not isinstance(rows, list) or not rows:
        continue
    rest = first.get(key + "_rest", {"rows": 0})
    if first[key] != rows[:top]:
        print(key, "has other rows")
    for column in rest:
        want = len(rows[top:]) if column == "rows" else sum(row[column] for row in rows[top:])
        if rest[column] != want:
            print(key, column, "of the rest: want", want, "got", rest[column])
END
mkdir "$tmp/wide/kernel"
cp "$data/kallsyms" "$tmp/wide/kernel"
"$memorizer" sharing -a --json --all "$tmp/wide" >"$tmp/whole"
for top in 1 50 3000; do
	"$memorizer" sharing -a --json --all --top $top "$tmp/wide" >"$tmp/first"
	same "the first $top rows and the rest add up to all rows" "" \
		"$(python3 "$tmp/rest.py" "$tmp/whole" "$tmp/first" $top)"
done

# summary
golden summary entries
golden summary lines
# rcu
make_trace rcu
for order in le be; do
	printf '%s\n' 'ffffffff9f000000 t kvfree_call_rcu' 'ffffffff9f000100 t behind_it' \
		>>"$tmp/rcu.$order/kernel/kallsyms"
done
golden rcu rcu --all
same "without --all, violations and uncertain cases are shown" "late
late
outside
outside
outside
outside
uncertain
uncertain" "$(rows accesses rcu "$tmp/rcu.le" | awk -F, '{ print $5 }' | sort)"
same "rcu --pid counts the accesses of a task" "outside:1 late:1" "$(rows sum rcu --pid 101 "$tmp/rcu.le" |
	sed -n 's/^\(outside\|late\),/\1:/p' | xargs)"
# After a loss, a task's sections are unknown until it enters a system call
{
	sed '/^# Idle tasks/,$d' "$data/rcu.trace"
	printf '%s\n' packet "lost 3" \
		"access ip=ffffffff9b000190 ptr=ffff888000001008 size=8 kind=1 pid=100" \
		"enter kind=1 number=0 pid=100" \
		"access ip=ffffffff9b000190 ptr=ffff888000001008 size=8 kind=1 pid=100" \
		"access pid=101"
} | "$build/tests/make-trace" "$tmp/rcu-lost"
cp -r "$tmp/rcu.le/kernel" "$tmp/rcu-lost"
same "nothing is certain after lost events" "outside:5 uncertain:5" \
	"$(rows sum rcu "$tmp/rcu-lost" | sed -n 's/^\(outside\|uncertain\),/\1:/p' | xargs)"
# Locks are switched on later: a section may be open already
sed 's/^\(switch .*\) locks=1/\1/; s/^# RCU.s own.*/switch locks=1 accesses=1 allocations=1 entries=1/' "$data/rcu.trace" |
	sed '/^# All sections/,$d' | "$build/tests/make-trace" "$tmp/rcu-later"
cp -r "$tmp/rcu.le/kernel" "$tmp/rcu-later"
same "nothing is certain before locks are streamed" "inside:1 outside:1 late:0 uncertain:10" \
	"$(rows sum rcu "$tmp/rcu-later" | sed -n 's/^\(inside\|outside\|late\|uncertain\),/\1:/p' | xargs)"
grep -v ^lock "$data/rcu.trace" | "$build/tests/make-trace" "$tmp/rcu-locks"
cp -r "$tmp/rcu.le/kernel" "$tmp/rcu-locks"
"$memorizer" rcu "$tmp/rcu-locks" >"$tmp/out" 2>"$tmp/err"
same "a trace without sections is refused" "2 memorizer: $tmp/rcu-locks: no read-side sections of \
RCU: want record --locks, and a kernel with lockdep" "$? $(cat "$tmp/err")"

# Compare with an independent model, for accesses and for the traffic derived from them
seed=${MODEL_SEED:-1}
end=$((seed + ${MODEL_ROUNDS:-10}))
while [ "$seed" -lt "$end" ]; do
	order=le
	[ $((seed % 2)) -eq 0 ] || order=be
	"$here/model-lines.py" make "$seed" >"$tmp/script"
	"$here/model-lines.py" traffic <"$tmp/script" >"$tmp/script.traffic"
	for what in "" .traffic; do
		rm -rf "$tmp/random$what"
		"$build/tests/make-trace" -e $order "$tmp/random$what" <"$tmp/script$what"
		"$memorizer" sharing --addresses --all --csv "$tmp/random$what" 2>"$tmp/err" |
			"$here/model-lines.py" csv | sort >"$tmp/got$what"
	done
	"$here/model-lines.py" moves <"$tmp/script" | sort >"$tmp/want"
	[ "$(wc -l <"$tmp/want")" -gt 12 ]
	ok $? "random accesses, seed $seed: lines are shared"
	equal "moves and their causes equal the model's, seed $seed, $order" "$tmp/want" "$tmp/got"
	# Accesses without a move are missing in the other one, and so are lines that only one CPU moved
	for file in want got.traffic; do
		awk '$1 == "line" && $3 > 1 { print $2, $3, $4, $9 }' "$tmp/$file" >"$tmp/$file.moves"
	done
	equal "moves from traffic events equal the model's, seed $seed" "$tmp/want.moves" "$tmp/got.traffic.moves"
	same "the tables add up" 0 "$(grep -c '^sum' "$tmp/got.traffic")"
	sed -n 's/^total \(false_sharing\|moves\) /\1 /p' "$tmp/got" | sort >"$tmp/sums"
	"$here/model-lines.py" assoc 2 3 <"$tmp/script" | sort >"$tmp/want"
	rows cpus cache-assoc --sets 2 --ways 3 "$tmp/random" | sort >"$tmp/got"
	equal "misses of a cache with 2 sets and 3 ways, seed $seed" "$tmp/want" "$tmp/got"
	{
		rows sum false-sharing "$tmp/random" | sed -n 's/^false_sharing,/false_sharing /p'
		rows entries per-entry "$tmp/random" | sed -n 's/^.none.,0,\([0-9]*\),0,$/moves \1/p'
		"$memorizer" stacks "$tmp/random" 2>"$tmp/err" | awk '{ n += $NF } END { print "moves", n }'
	} | sort -u >"$tmp/got"
	equal "false-sharing, per-entry and stacks count the same moves, seed $seed" "$tmp/sums" "$tmp/got"
	seed=$((seed + 1))
done

# conflicts
make_trace conflicts -q
for order in le be; do
	printf '%s\n' "ffffffff9b000230 t asm_sysvec_test" "ffffffff9b000238 t memorizer_hook" \
		>>"$tmp/conflicts.$order/kernel/kallsyms"
done
golden conflicts conflicts
# clashes TABLE ARGUMENTS...: print phase, memory and bytes of a table's rows
clashes()
{
	table=$1
	shift
	rows "$table" conflicts "$@" "$tmp/conflicts.le" | sed 's/"[^"]*"/-/g' |
		awk -F, '{ print $2, $1, $(NF - 1) }'
}
same "--all shows the accesses of interrupts and hooks" \
	"nothing widget+0x80 8
nothing widget+0xc0 8" "$(clashes conflicts --all | grep nothing)"
same "--without leaves out a function's accesses" \
	"true widget+0xc0 4" "$(clashes conflicts --without 'widget_w*')"
same "--without leaves out callees" "0 45" "$(rows sum conflicts --without read_mark "$tmp/conflicts.le" |
	sed -n 's/^accesses,//p; s/^left_out,//p' | xargs)"
same "lines of 8 bytes are shared only with a conflict" "" "$(clashes lines --line 8)"
same "lines of 8 bytes have the same conflicts" "$(clashes conflicts)" "$(clashes conflicts --line 8)"
same "--cpu: a single CPU has no conflicts" 0 \
	"$(rows sum conflicts --cpu 1 "$tmp/conflicts.le" | sed -n 's/^windows,//p')"
awk 'BEGIN {
	for (i = 1; i <= 200000; i++)
		print "call stack=" i " caller=" i - 1 " ip=ffffffff9b000110"
	print "mark pid=1 text=scope\\x20a"
	print "access ip=ffffffff9b000110 ptr=ffff888000001000 size=8 kind=1 pid=1 stack=200000"
}' | "$build/tests/make-trace" -q "$tmp/deep" || exit 1
same "stacks may be as deep as the trace is long" 1 "$(rows sum conflicts "$tmp/deep" | sed -n 's/^accesses,//p')"
grep -v '^mark.*phase' "$data/conflicts.trace" | "$build/tests/make-trace" -q "$tmp/one" || exit 1
same "without phases, the trace is one window" "1 1 0" \
	"$(rows sum conflicts "$tmp/one" | sed -n 's/^windows,//p; s/^nr_phases,//p; s/^free,//p' | xargs)"
tap_end
