#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Test the plugin under qemu-x86_64, where threads are vCPUs, with programs of known behaviour.
# Usage: test-qemu.sh DIR/ [MEMORIZER], with memorizer-qemu.so and tests/ in DIR; MEMORIZER is the
# command

dir=$1
memorizer=${2-}
here=$(dirname "$0")
. "$here/../../tests/tap.sh"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# symbol PROGRAM NAME: print its address, in hex without 0x
symbol() { nm "$dir/tests/$1" | awk -v name="$2" '$3 == name { print $1 }'; }

# page PROGRAM: print the address range of watched[]
page()
{
	data=$(symbol "$1" watched)
	echo "$data-${data%000}fff"
}

# sound PROGRAM: succeed if check finds nothing but lost events. Skips objects, which uses tasks that
# it never announces.
sound()
{
	[ -n "$memorizer" ] && [ "$1" != objects ] || return 0
	"$memorizer" check "$tmp/trace" >"$tmp/checked" 2>&1
	case $? in
	0|3) return 0 ;;
	esac
	sed 's/^/# /' "$tmp/checked"
	return 1
}

# watch OPTIONS PROGRAM ARGUMENTS...: make a trace in $tmp/trace, with its events in $tmp/events
watch()
{
	options=$1 program=$2
	shift 2
	rm -rf "$tmp/trace"
	timeout -k 5 600 qemu-x86_64 -plugin "$dir/memorizer-qemu.so,out=$tmp/trace,user=on,$options" \
		"$dir/tests/$program" "$@" >"$tmp/said" 2>&1 || return
	sound "$program" || return
	babeltrace2 "$tmp/trace" >"$tmp/events" 2>>"$tmp/said"
}

# traffic: print CPU, kind, line, from and count of moves of lines of watched[]
traffic()
{
	sed -n 's/.* traffic: .*cpu_id = \([0-9]*\),.*kind = ( "\([a-z]*\)".*line = 0x[0-9A-F]*\(..\), from = \([-0-9]*\), stack = [0-9]* }/\1 \2 \3 \4/p' \
		"$tmp/events" | sort -n | uniq -c | awk '{ print $2, $3, $4, $5, $1 }' | sort -n
}

# stat NAME: print a total of the plugin
stat() { sed -n "s/^$1: //p" "$tmp/trace/qemu/stats"; }

# pattern NAME ROUNDS: compare traffic with the expected one on standard input
pattern()
{
	sort -n >"$tmp/want"
	watch "mode=traffic,cpus=${cpus:-64},data=$(page sharing)" sharing "$1" "$2"
	ok $? "$1: a trace"
	traffic >"$tmp/got"
	equal "$1: each move of a line, and no other" "$tmp/want" "$tmp/got"
}

# The first store to a line moves it, since all CPUs hold it initially.
for update in ping-pong locked exchange exchange-16; do
	pattern $update 50 <<-END
		0 read 00 1 49
		0 write 00 -1 1
		0 write 00 1 49
		1 read 00 0 50
		1 write 00 0 50
	END
done
pattern read-mostly 20 <<-END
	0 write 00 -1 1
	1 read 00 0 1
	2 read 00 0 1
	3 read 00 0 1
END
pattern false-sharing 50 <<-END
	0 write 00 -1 1
	0 write 00 1 49
	1 write 00 0 50
END
pattern one-writer 10 <<-END
	0 write 00 -1 1
	0 write 00 0 9
	$(for cpu in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do echo "$cpu read 00 0 10"; done)
END
cpus=80
pattern many-readers 5 <<-END
	0 write 00 -1 1
	0 write 00 0 4
	$(for cpu in $(seq 79); do echo "$cpu read 00 0 5"; done)
END
cpus=
pattern crossing 10 <<-END
	0 write 00 -1 1
	0 write 40 -1 1
	0 write 00 0 9
	0 write 40 0 9
	1 read 00 0 10
	1 read 40 0 10
END

# With smaller lines, the variables are in different lines.
watch "mode=traffic,line=8,data=$(page sharing)" sharing false-sharing 50
traffic >"$tmp/got"
printf '0 write 00 -1 1\n1 write 08 -1 1\n' >"$tmp/want"
equal "lines of 8 bytes have no false sharing" "$tmp/want" "$tmp/got"

# The plugin's events equal the kernel's, except for the field stack, and for IDs from 64 on.
awk '/^\tid/ { id = $3 + 0 }
	/^\tname/ && id != "" && id < 64 { line = id " " $3; gsub(/[";]/, "", line); id = "" }
	/packet.context/ { line = "packet"; id = "" }
	/^\t\t/ && line { sub(/^\t\t/, " "); line = line $0 }
	/^\t};/ && line { print line; line = "" }' "$tmp/trace/metadata" |
	sed 's/ uint32 stack;$//' >"$tmp/got"
"$dir/tests/events" >"$tmp/want"
equal "packets and events are the kernel's" "$tmp/want" "$tmp/got"

watch "mode=traffic,cpus=1,data=$(page sharing)" sharing ping-pong 50
same "accesses by vCPUs above the limit are counted" yes \
	"$([ "$(stat accesses_of_other_cpus)" -ge 100 ] && echo yes)"

# counts: print object, instruction, writes and reads of each counts event
counts()
{
	sed -n 's/.* counts: .*object = \([0-9]*\), ip = 0x\([0-9A-F]*\), .*writes = \([0-9]*\), reads = \([0-9]*\), write_moves = 0, read_moves = 0 }/\1 \2 \3 \4/p' \
		"$tmp/events" | tr A-F a-f | sort
}

# at NAME: print the address of an access
at() { symbol objects "at_$1" | sed 's/^0*//'; }

watch mode=objects objects
ok $? "objects: a trace"
counts >"$tmp/got"
sort >"$tmp/want" <<-END
	1 $(at load) 0 3
	1 $(at store) 1 0
	2 $(at store) 1 0
	2 $(at load) 0 1
	2 $(at add_to) 1 1
	6 $(at store) 1 0
	7 $(at store) 2 0
	7 $(at load) 0 2
	8 $(at store) 1 0
	8 $(at load) 0 2
	9 $(at store) 1 0
END
equal "objects: each access while the guest logs accesses" "$tmp/want" "$tmp/got"
data=$(symbol objects watched | sed 's/^0*//' | tr a-f A-F)
sed -n 's/.* \(object: .*\)/\1/p' "$tmp/events" | sed 's/{ cpu_id[^}]*}, //' >"$tmp/got"
comm='comm = \[ \[0\] = 97.*'
same "objects: ended objects, and a snapshot of the others" 6 "$(wc -l <"$tmp/got")"
same "objects: an object has the announced fields" \
	"object = 1, snapshot = 0, state = ( \"freed\" : container = 2 ), alloc_site = 0xFFFFFFFFFFFFF000, pid = 1, ptr = 0x$data, bytes_req = 32, alloc_jiffies = 77, free_jiffies = 88, free_site = 0xFFFFFFFFFFFFE000, comm = \"abcd\", kind = ( \"slab\" : container = 1 ), stack = 0x0" \
	"$(sed -n '1s/^object: { \(.*\) }$/\1/p' "$tmp/got")"
same "objects: no message is lost" 0 "$(stat messages_lost)"

# stacks: print the call stack of each store to watched[], innermost function last
stacks()
{
	nm -n "$dir/tests/calls" | awk '$2 ~ /^[tT]$/ { print $1, $3 }' >"$tmp/symbols"
	awk '
		function value(hex,	n, i) {
			n = 0
			for (i = 1; i <= length(hex); i++)
				n = 16 * n + index("0123456789abcdef", tolower(substr(hex, i, 1))) - 1
			return n
		}
		function name(ip,	low, high, middle) {
			low = 1
			high = nr
			while (low < high) {
				middle = int((low + high + 1) / 2)
				if (start[middle] <= ip)
					low = middle
				else
					high = middle - 1
			}
			return symbol[low]
		}
		function field(key) {
			match($0, " " key " = [0-9A-Fx]+")
			return substr($0, RSTART + length(key) + 4, RLENGTH - length(key) - 4)
		}
		NR == FNR { start[++nr] = value($1); symbol[nr] = $2; next }
		/ call: / {
			caller[field("stack")] = field("caller")
			call[field("stack")] = name(value(substr(field("ip"), 3)))
		}
		/ mark: / {
			sub(/.*text = /, "")
			print
		}
		/ access: / {
			text = name(value(substr(field("ip"), 3)))
			for (n = field("stack"); n && call[n] != "main"; n = caller[n])
				text = call[n] " " text
			print (n ? call[n] " " text : "? " text)
		}' "$tmp/symbols" "$tmp/events" | uniq -c | awk '{ $1 = $1; print }'
}

# Modes other than objects record allocations and frees, too
watch "mode=all,data=$(page objects)" objects
sed -n 's/.* \(alloc\|free\|cache\|access\|enter\|leave\|lock\|rcu_free\): { cpu_id[^}]*}, {\(.*\)}/\1,\2/p' "$tmp/events" | tr -d ' ' |
	tr A-F a-f | sed 's/,ip=0x[0-9a-f]*//' >"$tmp/got"
data=$(symbol objects watched | sed 's/^0*//')
neighbour=$(printf '%x' $((0x$data + 64)))
large='kind=("kmalloc":container=0)'
small='kind=("cache":container=1)'
percpu='kind=("percpu":container=8)'
paged=$(symbol objects paged | sed 's/^0*//')
inner=$(printf '%x' $((0x$paged + 64)))
# accesses OFFSET:KIND...: print the events of accesses of 8 bytes
accesses()
{
	for access; do
		direction=${access#*:}
		[ "$direction" = read ] && value=1 || value=2
		printf 'access,ptr=0x%x,size=8,kind=("%s":container=%d),pid=42,stack=0\n' \
			$((0x$data + ${access%:*})) "$direction" $value
	done
}
{
	echo 'cache,cache=0xfffffffffffffff8,object_size=24,size=40,name="cache-of-24"'
	echo "alloc,$large,call_site=0xfffffffffffff000,ptr=0x$data,bytes_req=32,bytes_alloc=32,gfp_flags=0x0,node=-1,pid=1,cache=0x0"
	echo "alloc,$small,call_site=0xfffffffffffff000,ptr=0x$neighbour,bytes_req=20,bytes_alloc=32,gfp_flags=0x0,node=-1,pid=1,cache=0xfffffffffffffff8"
	echo "alloc,kind=(\"vmalloc\":container=3),call_site=0xfffffffffffff000,ptr=0x$paged,bytes_req=100,bytes_alloc=4096,gfp_flags=0x0,node=-1,pid=1,cache=0x0"
	echo "alloc,kind=(\"stack\":container=7),call_site=0xfffffffffffff000,ptr=0x$paged,bytes_req=16,bytes_alloc=16,gfp_flags=0x0,node=-1,pid=1,cache=0x0"
	echo "free,kind=(\"stack\":container=7),call_site=0xffffffffffffe000,ptr=0x$paged,bytes=16,pid=42,cache=0x0"
	echo "free,kind=(\"vmalloc\":container=3),call_site=0xffffffffffffe000,ptr=0x$paged,bytes=4096,pid=42,cache=0x0"
	accesses 0:read 8:read 8:read 8:read 24:write 80:write
	echo 'enter,kind=("syscall":container=1),number=39,pid=42'
	accesses 60:read
	echo 'leave,kind=("syscall":container=1),number=39,pid=42'
	accesses 64:read 64:write
	echo 'lock,op=("acquired":container=2),flags=0x3,lock=0xffffffffffffc000,pid=42,name="a_lock"'
	echo 'lock,op=("release":container=3),flags=0x0,lock=0xffffffffffffc000,pid=42,name=""'
	echo "rcu_free,ptr=0x$data,pid=42"
	echo "free,$large,call_site=0xffffffffffffe000,ptr=0x$data,bytes=32,pid=42,cache=0x0"
	accesses 8:read
	echo "alloc,$large,call_site=0xfffffffffffff000,ptr=0x$data,bytes_req=8,bytes_alloc=8,gfp_flags=0x0,node=-1,pid=1,cache=0x0"
	accesses 0:write
	# Of the pages, one is freed. The object in them is per-CPU memory.
	echo "alloc,kind=(\"pages\":container=2),call_site=0xfffffffffffff000,ptr=0x$paged,bytes_req=8192,bytes_alloc=8192,gfp_flags=0x0,node=-1,pid=1,cache=0x0"
	echo "alloc,$percpu,call_site=0xfffffffffffff000,ptr=0x$inner,bytes_req=8,bytes_alloc=8,gfp_flags=0x0,node=-1,pid=1,cache=0x0"
	echo "free,$percpu,call_site=0xffffffffffffe000,ptr=0x$inner,bytes=8,pid=42,cache=0x0"
	echo "free,kind=(\"pages\":container=2),call_site=0xffffffffffffe000,ptr=0x$paged,bytes=4096,pid=42,cache=0x0"
	accesses 0:write
} >"$tmp/want"
equal "all: allocations, frees and entries are recorded in order with accesses" "$tmp/want" "$tmp/got"

sed 's/^	*//' >"$tmp/want" <<-'END'
	1 "point 7" }
	2 main outer middle leaf
	1 main outer leaf
	1 "scope 3" }
	2 main jumper leaf
	1 "leave 3" }
END
watch "mode=all,stacks=on,text=$(symbol calls leaf)-$(symbol calls jumper),data=$(page calls)" calls
ok $? "calls: a trace"
stacks >"$tmp/got"
equal "calls: each access has its call stack, after longjmp(), too" "$tmp/want" "$tmp/got"

watch "mode=all,stacks=on,scopes=on,data=$(page calls)" calls
stacks | grep -v '"' >"$tmp/got"
echo "2 main jumper leaf" >"$tmp/want"
equal "scopes: only accesses in scopes are recorded" "$tmp/want" "$tmp/got"

watch "mode=all,paused=on" sharing ping-pong 2
[ $? -eq 0 ] && [ ! -s "$tmp/trace/cpu0" ] && [ "$(stat events)" = 0 ]
ok $? "a trace without events is a trace"
watch "mode=all,paused=on,data=$(page calls)" calls
same "paused: recording starts when the guest requests it" 1000 "$(grep -c ' access: ' "$tmp/events")"

watch "mode=all,sample=10,data=$(page calls)" calls
same "sample: one of ten accesses is recorded" "100 905" "$(grep -c ' access: ' "$tmp/events") $(stat events_sampled_out)"

watch "mode=all,limit=8192,packet=4096,data=$(page calls)" calls
kept=$(grep -c -E ' (access|mark|switch): ' "$tmp/events")
lost=$(stat events_discarded)
same "limit: lost events are in the statistics" 1010 $((kept + lost))
same "limit: lost events are in the trace" "$lost" "$(sed -n 's/.* \([0-9]*\) events* .*discarded.*/\1/p; s/.*discarded \([0-9]*\) events* .*/\1/p' "$tmp/said" | tail -n 1)"
[ "$(wc -c <"$tmp/trace/cpu0")" -le 8192 ]
ok $? "limit: no file exceeds it"

for function in called calls_last recurse jumper work; do
	symbol entries $function
done >"$tmp/entries"
watch "mode=all,text=0-0,calls=$tmp/entries" entries
ok $? "calls=: a run"
# The caller is the function in front of the return address.
{ nm "$dir/tests/entries" | sed -n 's/ [tT] / /p'; sed 's/^\([^,]*\),\([^,]*\),/\1 row \2 /' "$tmp/trace/qemu/calls"; } | sort | awk '
	$2 != "row" { name[$1] = last = $2; next }
	{ split($4, n, ","); calls[last " " name[$3]] += n[1]; jumps[last " " name[$3]] += n[2] }
	END { for (i in calls) print i, calls[i], jumps[i] }' | sort >"$tmp/got"
sed 's/^	*//' >"$tmp/want" <<-'END'
	jumper called 2 0
	main work 1 0
	recurse recurse 5 0
	work called 11 2
	work calls_last 2 0
	work jumper 1 0
	work recurse 1 0
END
equal "calls=: entries by calls and jumps are counted while calls count" "$tmp/want" "$tmp/got"
same "calls=: nothing else is recorded" 0 "$(grep -c ' access: ' "$tmp/events")"
echo no >"$tmp/entries"
watch "calls=$tmp/entries" entries
[ $? -ne 0 ] && grep -q 'not a list of addresses' "$tmp/said"
ok $? "calls=: a file without addresses is refused"

for bad in mode=some line=3 line= sample=0 what=on scopes=maybe data=9-1 text=1 limit=1; do
	watch "$bad" calls
	[ $? -ne 0 ] && grep -q "invalid argument: $bad" "$tmp/said"
	ok $? "refused: $bad"
done
watch mode=objects objects
qemu-x86_64 -plugin "$dir/memorizer-qemu.so,out=$tmp/trace" "$dir/tests/calls" 2>"$tmp/said"
[ $? -ne 0 ] && grep -q 'File exists' "$tmp/said"
ok $? "an existing trace is not overwritten"

# command OPTIONS: make a trace of calls with memorizer qemu
command()
{
	rm -rf "$tmp/trace"
	"$memorizer" qemu --plugin "$dir/memorizer-qemu.so" -o "$tmp/trace" "$@" >"$tmp/said" 2>&1
}

if [ -n "$memorizer" ]; then
	watch mode=objects objects
	"$memorizer" kmap "$tmp/trace" >"$tmp/kmap" 2>"$tmp/said"
	ok $? "objects: memorizer kmap reads the trace"
	data=$(symbol objects watched | sed 's/^0*//')
	neighbour=$(printf '%x' $((0x$data + 64)))
	paged=$(symbol objects paged | sed 's/^0*//')
	inner=$(printf '%x' $((0x$paged + 64)))
	part=$(printf '%x' $((0x$paged + 4096)))
	printf '%s\n' "fffffffffffff000,1,$data,32,77,88,ffffffffffffe000,abcd" "  $(at load),0,0,3" "  $(at store),0,1,0" \
		"fffffffffffff000,1,$inner,8,77,88,ffffffffffffe000,abcd" "  $(at load),0,0,2" "  $(at store),0,1,0" \
		"fffffffffffff000,1,$paged,8192,77,88,ffffffffffffe000,abcd" "  $(at load),0,0,2" "  $(at store),0,2,0" \
		"fffffffffffff000,1,$neighbour,20,77,0,0,abcd" "  $(at load),0,0,1" "  $(at store),0,1,0" "  $(at add_to),0,1,1" \
		"fffffffffffff000,1,$data,8,77,0,0,abcd" "  $(at store),0,1,0" \
		"fffffffffffff000,1,$part,4096,77,0,0,abcd" "  $(at store),0,1,0" >"$tmp/want"
	equal "objects: the KMAP has all accesses" "$tmp/want" "$tmp/kmap"
	# Compare moves recorded by the plugin with those derived from all accesses
	for pattern in "ping-pong 20" "locked 20" "read-mostly 10" "false-sharing 20" "one-writer 4" "crossing 10"; do
		for mode in traffic all; do
			# shellcheck disable=SC2086 # two words
			watch "mode=$mode,data=$(page sharing)" sharing $pattern
			"$memorizer" sharing --csv "$tmp/trace" 2>"$tmp/said" |
				awk -F, '$1 == "lines" { print $2, "moves", $6, "hitm", $8, "stores", $15 }
					$1 == "sum" && $2 ~ /^(moves|hitm|true_sharing|false_sharing)$/' |
				sort >"$tmp/$mode"
		done
		equal "${pattern% *}: sharing and the plugin agree" "$tmp/traffic" "$tmp/all"
		[ "$(wc -l <"$tmp/all")" -ge 5 ]
		ok $? "${pattern% *}: a line moves"
	done
	command -u -S --vmlinux "$dir/tests/calls" -f jumper -f leaf --data "$(page calls)" -- \
		qemu-x86_64 "$dir/tests/calls"
	ok $? "command: a trace"
	babeltrace2 "$tmp/trace" >"$tmp/events"
	printf '%s\n' '1 "point 7" }' "2 main outer middle leaf" "1 main outer leaf" '1 "scope 3" }' \
		"2 main jumper leaf" '1 "leave 3" }' >"$tmp/want"
	stacks >"$tmp/got"
	equal "command: only accesses of the given functions are recorded" "$tmp/want" "$tmp/got"
	command --mode traffic --sample 3 -s -p --line 32 --limit 8192 --cpus 2 --lines 512 \
		--frames 2048 -- qemu-x86_64 "$dir/tests/calls"
	ok $? "command: options are passed to the plugin"
	command -- sh -c "exit 7"
	same "command: a program other than QEMU leaves no trace" no "$([ -e "$tmp/trace" ] && echo yes || echo no)"
	command -k "$dir/tests/calls" -f leaves -- qemu-x86_64 "$dir/tests/calls"
	same "command: an unknown function is refused" \
		"2 memorizer qemu: there is no function leaves" "$? $(cat "$tmp/said")"
	command -f leaf -- qemu-x86_64 "$dir/tests/calls"
	same "command: a function without symbols is refused" \
		"2 memorizer qemu: --function: give --vmlinux or --kallsyms, too" "$? $(cat "$tmp/said")"
	command -- "$dir/no-emulator"
	same "command: a missing emulator is reported" \
		"2 memorizer qemu: $dir/no-emulator: No such file or directory" "$? $(cat "$tmp/said")"
fi
tap_end
