#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Test memorizer script and fold: each event with names, filters, stacks, messages.
# Usage: test-script.sh DIR, the directory of a build

. "$(dirname "$0")/common.sh"

for order in le be; do
	"$build/tests/make-trace" -e $order "$tmp/$order" <"$data/life.trace" || exit 1
	mkdir "$tmp/$order/kernel"
	cp "$data/kallsyms" "$tmp/$order/kernel"
done

# script
outcome "script prints each event on a line, with names" 0 "$data/life.script" "" script "$tmp/le"
outcome "of a trace in the other byte order as well" 0 "$data/life.script" "" script "$tmp/be"
outcome "script as JSON, an event per line" 0 "$data/life.script.json" "" script --json "$tmp/le"
outcome "as CSV" 0 "$data/life.script.csv" "" script --csv "$tmp/le"

for order in le be; do
	"$build/tests/make-trace" -e $order "$tmp/context-$order" <"$data/context.trace" || exit 1
	cp -r "$tmp/le/kernel" "$tmp/context-$order"
	outcome "script prints entries, locks and scopes, $order" 0 "$data/context.script" "" \
		script "$tmp/context-$order"
	outcome "entries, locks and scopes as JSON, $order" 0 "$data/context.script.json" "" \
		script --json "$tmp/context-$order"
done
outcome "entries, locks and scopes as CSV" 0 "$data/context.script.csv" "" script --csv "$tmp/context-le"
grep -v '^switch' "$data/context.trace" | cat - "$data/stacks.trace" |
	"$build/tests/make-trace" -q "$tmp/qemu" || exit 1
cp -r "$tmp/le/kernel" "$tmp/qemu"
"$memorizer" script "$tmp/qemu" | sed -n 's/^.*: \([a-z]*\):.*\( site=.*\) \(stack=.*\)/\1\2 \3/p' \
	>"$tmp/got"
cat >"$tmp/want" <<END
call site=read_mark+0x10/0x80 stack=1
call site=widget_write+0x10/0x80 stack=2 caller=1
access site=read_mark+0x10/0x80 stack=2
traffic site=gadget_irq+0x10/0x1f80 [gadget] line=ffff888000002000 from=255 stack=1
END
equal "script prints stacks if there are any" "$tmp/want" "$tmp/got"

# Compare types, times, CPUs and pointers of all events of a load with babeltrace2
"$build/tests/make-trace" -b 20000 -c 5 -l 500 "$tmp/load" || exit 1
cp -r "$tmp/le/kernel" "$tmp/load"
babeltrace2 --clock-cycles --no-delta "$tmp/load" | tr -d , | awk '{
		sub(/:$/, "", $2)
		ptr = ""
		cpu = ""
		for (i = 3; i < NF; i++) {
			if ($i == "ptr")
				ptr = $(i + 2)
			if ($i == "cpu_id")
				cpu = $(i + 2)
		}
		gsub(/[][]/, "", $1)
		sub(/^0x/, "", ptr)
		print $2, $1 + 0, cpu, tolower(ptr)
	}' >"$tmp/want"
"$memorizer" script --csv "$tmp/load" | awk -F, 'NR == 1 {
		for (i = 1; i <= NF; i++)
			if ($i == "ptr")
				column = i
		next
	}
	{ print $1, $3, $4, $column }' >"$tmp/got"
equal "events, times, CPUs and addresses equal babeltrace2's" "$tmp/want" "$tmp/got"
same "more than 20000 events are compared" 1 "$([ "$(wc -l <"$tmp/got")" -ge 20000 ] && echo 1)"

# A ratio within one run: both print the same events under the same load.
if grep -q __asan_init "$memorizer"; then
	ok 0 "script takes less user time than babeltrace2 # SKIP sanitizers need time"
else
	"$build/tests/make-trace" -b 300000 -l 10000 "$tmp/long" || exit 1
	mkdir "$tmp/long/kernel"
	cp "$data/kallsyms" "$tmp/long/kernel"
	for command in "$memorizer script" babeltrace2; do
		"$build/tests/peak" $command "$tmp/long" 2>&1 >"$tmp/out" | cut -d ' ' -f 1
	done >"$tmp/took"
	ours=$(sed -n 1p "$tmp/took") theirs=$(sed -n 2p "$tmp/took")
	[ "${ours:-0}" -gt 0 ] && [ "$ours" -lt "${theirs:-0}" ]
	ok $? "script takes less user time than babeltrace2"
	echo "# ms: $ours and $theirs"
fi

# events NAME WANT ARGUMENTS...: check the numbers of the printed events
events()
{
	name=$1 want=$2
	shift 2
	same "$name" "$want" "$("$memorizer" script --json "$@" "$tmp/le" |
		sed 's/.*"nr": \([0-9]*\).*/\1/' | xargs)"
}

events "--event" "6 11 12 16 21 23 24" --event alloc,free
events "--event of several kinds" "2 3 10 20" --event task,mark
events "--addr prints the history of an address" "6 7 16 17 18 19 21 22" --addr ffff888000001000
events "--addr finds objects that contain it" "8" --addr ffff88800000103b --event access
events "--addr of pages" "12 14 23" --addr 0xffff888000201fff
events "--pid" "2 6 7 8 10 17 18 20 21 22" --pid 100
events "--cpu" "13 14 15 16 17 18 19 20 21 22 23 24" --cpu 1
events "--comm as printed" "3 9 11 12" --comm 'a;b' --cpu 0
events "--cache" "4 6 16 21" --cache 'wid*'
events "--site with a function" "7 8 12 18 22" --site read_mark
events "--site as printed" "13 14 15" --site 'gadget_irq+0x10/0x1f80 [gadget]'
events "--site with an offset" "22" --site read_mark+0x30
events "--site with an address" "24" --site ffffffff9b000210 --from 4
events "--from and --to times" "16 17" --from 3 --to 3.00000002
events "--from and --to marks" "10 11 12 13 14 15 16 17 18 19" --from begin \
	--to "$(printf 'end\nof"it')"

# Numbers of 3, 5, 6 and 7 bytes; the last is the timestamp
# split ORDER BITS FIELD SIZE: print a sed script that reduces a field of SIZE bits to its low BITS
split()
{
	low="uint$2_t $3;" rest="xint8_t rest_of_$3[$((($4 - $2) / 8))];"
	if [ "$1" = le ]; then
		echo "s/uint$4_t $3;/$low $rest/"
	else
		echo "s/uint$4_t $3;/$rest $low/"
	fi
}

for order in le be; do
	printf '%s\n' "time 283686952306183" \
		"counts object=1 ip=1 pid=1193046 writes=4328719365 reads=1108152157446" |
		"$build/tests/make-trace" -e $order "$tmp/sizes" || exit 1
	for bits in 24 40 48; do
		printf 'typealias integer { size = %s; align = 8; } := uint%s_t;\n' \
			$bits $bits
	done >"$tmp/aliases"
	sed -i -e "1r $tmp/aliases" -e "$(split $order 24 pid 32)" \
		-e "$(split $order 40 writes 64)" -e "$(split $order 48 reads 64)" \
		"$tmp/sizes/metadata"
	"$memorizer" script --csv "$tmp/sizes" >"$tmp/out" 2>"$tmp/err"
	same "numbers of odd sizes are read, $order" \
		"14 283686952306183 1193046 4328719365 1108152157446" \
		"$(grep -c 'xint8_t rest_of' "$tmp/sizes/metadata") \
$(awk -F, 'NR == 2 { print $3, $5, $28, $29 }' "$tmp/out")"
	rm -r "$tmp/sizes"
done

# Chrome's trace event format, compared with script's output
# chrome NAME TRACE ARGUMENTS...
chrome()
{
	name=$1 trace=$2
	shift 2
	"$memorizer" script --chrome "$@" "$tmp/$trace" >"$tmp/chrome" 2>"$tmp/err"
	"$memorizer" script --json "$@" "$tmp/$trace" >"$tmp/lines" 2>"$tmp/err"
	python3 -B "$here/check-chrome.py" "$tmp/chrome" "$tmp/lines" >"$tmp/out" 2>&1
	ok $? "$name"
	sed 's/^/# /' "$tmp/out"
}

for order in le be; do
	chrome "allocations and accesses as Chrome's events, $order" $order
	chrome "entries, locks and scopes as Chrome's events, $order" context-$order
done
printf '%s\n' "cpu 3" "task pid=7 comm=a\"b" "task comm=c\\x80" "enter kind=3 number=14 pid=7" \
	"lock op=0 lock=10 ip=ffffffff9b000110 pid=7" "lock op=4" "lock op=1 lock=20" "lock op=3" \
	"leave kind=3 number=14 pid=7" "enter number=14 pid=0" "leave pid=0" |
	"$build/tests/make-trace" "$tmp/odd" || exit 1
cp -r "$tmp/le/kernel" "$tmp/odd"
chrome "a task's exception, locks without a name, unknown operations" odd
chrome "a load" load
chrome "a trace of the QEMU plugin" qemu
chrome "filtered events" load --event alloc,free --pid 3
chrome "events within a time" le --from begin

hint="Try 'memorizer help script'."
outcome "script without a trace is refused" 2 /dev/null "memorizer script: 0 traces: want one directory, or the parts of one
$hint" script
outcome "an unknown event is refused" 2 /dev/null "memorizer script: --event alloc,kfree: want task, \
cache, alloc, free, object, counts, access, mark, switch, snapshot, module, traffic, enter, leave, \
lock, rcu_free, frame, call, lost or several with commas between
$hint" script --event alloc,kfree "$tmp/le"
outcome "an invalid address is refused" 2 /dev/null "memorizer script: --addr 0xg: want an address in hex
$hint" script --addr 0xg "$tmp/le"
"$memorizer" script --from nine "$tmp/le" >"$tmp/out" 2>"$tmp/err"
same "an unknown mark is refused" "2 memorizer: $tmp/le: no mark 'nine'" "$? $(cat "$tmp/err")"

"$build/tests/make-trace" "$tmp/lost" <"$data/kmem.trace" || exit 1
cp -r "$tmp/le/kernel" "$tmp/lost"
chrome "a trace with losses gives valid Chrome events" lost
"$memorizer" script "$tmp/lost" >"$tmp/out" 2>"$tmp/err"
same "losses are events, and the exit status is that of incomplete traces" "3 1 1" \
	"$? $(grep -c ' lost: events=3$' "$tmp/out") $(grep -c incomplete "$tmp/err")"
"$memorizer" fold --value bytes --json "$tmp/lost" >"$tmp/out" 2>"$tmp/err"
same "fold of an incomplete trace has the same exit status" "3 1" "$? $(grep -c '"incomplete": true' "$tmp/out")"

# fold
# folded NAME WANT ARGUMENTS...
folded()
{
	name=$1
	printf '%s\n' "$2" >"$tmp/stacks"
	shift 2
	outcome "$name" 0 "$tmp/stacks" "" fold "$@"
}

accesses='a\x3bb;[pages];read_mark;gadget_irq [gadget] 1
a\x3bb;[unknown];[unknown];gadget_irq [gadget] 1
a\x3bb;kmalloc-192;widget_alloc;gadget_irq [gadget] 1
a\x3bb;widget;widget_alloc;widget_write 2
tar;widget;widget_alloc;read_mark 3'
folded "fold counts accesses" "$accesses" "$tmp/le"
folded "of a trace in the other byte order as well" "$accesses" "$tmp/be"
folded "fold counts reads" 'a\x3bb;[pages];read_mark;gadget_irq [gadget] 1
a\x3bb;kmalloc-192;widget_alloc;gadget_irq [gadget] 1
a\x3bb;widget;widget_alloc;widget_write 1
tar;widget;widget_alloc;read_mark 1' --value reads "$tmp/le"
folded "fold counts writes" 'a\x3bb;[unknown];[unknown];gadget_irq [gadget] 1
a\x3bb;widget;widget_alloc;widget_write 1
tar;widget;widget_alloc;read_mark 2' --value writes "$tmp/le"
folded "fold counts objects" 'a\x3bb;[pages];read_mark 1
a\x3bb;kmalloc-192;widget_alloc 1
tar;widget;widget_alloc 2' --value objects "$tmp/le"
folded "fold counts bytes" 'a\x3bb;[pages];read_mark 8192
a\x3bb;kmalloc-192;widget_alloc 192
tar;widget;widget_alloc 128' --value bytes "$tmp/le"
folded "fold counts live objects" 'a\x3bb;[pages];read_mark 1
tar;widget;widget_alloc 1' --value live "$tmp/le"
folded "fold counts live bytes" 'a\x3bb;[pages];read_mark 4096
tar;widget;widget_alloc 64' --value live-bytes "$tmp/le"
grep -v '^access\|^switch' "$data/life.trace" >"$tmp/script"
"$build/tests/make-trace" "$tmp/retired" <"$tmp/script" || exit 1
cp -r "$tmp/le/kernel" "$tmp/retired"
folded "fold uses the counts of retired objects without access events" \
	'a\x3bb;[unknown];widget_alloc;widget_write 2
tar;[unknown];widget_alloc;read_mark 2' "$tmp/retired"
folded "fold of a KMAP" '[unknown];gadget_probe [gadget];gadget_irq [gadget] 30
a,b\x0ac\\d;gadget_probe [gadget];gadget_irq [gadget] 2
kworker/0:1;widget_alloc;widget_write 8
tar;gadget_probe [gadget];ffffffff8b000000 1000
tar;widget_alloc;read_mark 11' -K "$data/kallsyms" "$data/session.kmap"
folded "fold counts the bytes in a KMAP" 'a,b\x0ac\\d;gadget_probe [gadget] 64
kworker/0:1;widget_alloc 4096
sh;widget_alloc 64
tar;widget_alloc 64' -K "$data/kallsyms" -v bytes "$data/session.kmap"
folded "fold counts live objects in a KMAP" 'a,b\x0ac\\d;gadget_probe [gadget] 32
kworker/0:1;widget_alloc 4096' -K "$data/kallsyms" -v live-bytes "$data/session.kmap"
folded "fold as CSV" 'comm,cache,site,accessor,live
a;b,[pages],read_mark,,1
tar,widget,widget_alloc,,1' --csv -v live "$tmp/le"
"$memorizer" fold --json "$tmp/le" >"$tmp/out"
equal "fold as JSON" "$data/life.fold.json" "$tmp/out"
python3 -B "$here/make-notes.py" "$tmp/vmlinux" <"$data/session.notes" || exit 1
by_type="--types -k $tmp/vmlinux"
folded "fold by type and member" 'a\x3bb;[pages];[unknown];gadget_irq [gadget] 1
a\x3bb;[unknown];[unknown];gadget_irq [gadget] 1
a\x3bb;gadget;[unknown];gadget_irq [gadget] 1
a\x3bb;widget;flag;widget_write 2
tar;widget;inner.count;widget_read 3' $by_type "$tmp/le"
folded "fold of allocations by type" 'a\x3bb;[pages];widget_read 1
a\x3bb;gadget;widget_alloc 1
tar;[unknown];widget_alloc 1
tar;widget;widget_alloc 1' $by_type -v objects "$tmp/le"
folded "fold of live objects by type" 'a\x3bb;[pages];widget_read 4096
tar;[unknown];widget_alloc 64' $by_type -v live-bytes "$tmp/le"
folded "fold of the counts of retired objects by type" 'a\x3bb;widget;flag;widget_write 2
tar;widget;inner.count;widget_read 2' $by_type "$tmp/retired"
folded "fold of a KMAP by type" '[unknown];[unknown];[unknown];gadget_irq [gadget] 30
a,b\x0ac\\d;[unknown];[unknown];gadget_irq [gadget] 2
kworker/0:1;widget;flag;widget_write 8
tar;[unknown];[unknown];ffffffff8b000000 1000
tar;widget;inner.count;widget_read 6
tar;widget;name[];widget_read 5' $by_type -K "$data/kallsyms" "$data/session.kmap"
same "fold as CSV has columns of type and member" "comm,type,field,accessor,reads comm,type,site,accessor,live" \
	"$(for value in reads live; do "$memorizer" fold --csv $by_type -v $value "$tmp/le" | head -n 1; done | xargs)"
outcome "fold by type without notes is refused" 2 /dev/null \
	"memorizer fold: --types: types are unknown: want --vmlinux with compiler notes" \
	fold --types "$tmp/le"
same "an unknown value is refused" "2" \
	"$("$memorizer" fold -v size "$tmp/le" >"$tmp/out" 2>&1; echo $?)"

# Events missing before a CPU's first packet may have been read by others: no loss
printf '%s\n' "cpu 0" "skip 2" "time 5000" "mark pid=1 text=late" packet "lost 3" \
	"mark pid=1 text=later" |
	"$build/tests/make-trace" "$tmp/late"
same "only a loss is printed as a loss" "event mark lost mark" \
	"$("$memorizer" script --csv "$tmp/late" 2>/dev/null | cut -d, -f 1 | xargs)"

tap_end
