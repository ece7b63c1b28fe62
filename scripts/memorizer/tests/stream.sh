#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Test the stream end to end: a guest records traces with memorizer; memorizer and babeltrace2 read them here.
. "$(dirname "$0")/../lib.sh"

memorizer=$build/tools/memorizer
dir=$out/stream

# value TRACE NAME: print a value of the kernel's show_stats at the end of the trace.
value() { sed -n "s/^$2: //p" "$dir/$1/kernel/show_stats"; }

record() {
	"$here/boot" --config memorizer --mode stream --mem 2G --out "$dir" --with "$memorizer"
}

# nothing_lost TRACE: all events produced were read.
nothing_lost() {
	[ "$(cat "$dir/$1/kernel/total_overruns")" = 0 ] && [ "$(value "$1" stream_lost)" = 0 ] &&
		[ "$(value "$1" stream_produced)" = "$(value "$1" stream_read)" ]
}

# read_by_babeltrace2 TRACE: babeltrace2 reads it without a message. Leaves the number of events by name.
read_by_babeltrace2() {
	babeltrace2 "$dir/$1" 2>"$dir/$1.said" |
		awk '{ n[$3]++ } END { for (name in n) print name, n[name]; print "all:", NR }' >"$dir/$1.events"
	sed 's/^/# /' "$dir/$1.events" "$dir/$1.said"
	[ ! -s "$dir/$1.said" ]
}
events() { awk -v name="$2:" '$1 == name { n = $2 } END { print n + 0 }' "$dir/$1.events"; }

# same A B: compare two numbers.
same() { [ "$1" = "$2" ] || { echo "$1 is not $2"; return 1; }; }

# top_counts: the last table of top has all events of the kernel, and its rows add up to its sums.
top_counts() {
	local counted

	counted=$(awk '
		/^memorizer top/ { events = $5; lost = $7; rows = 0 }
		/^ slab:/ { all = $2 + $7 }
		/^ areas:/ { all += $2 + $9 }
		/^ .* \| [a-z]+ +\| / { split($0, cell, / *[|] */); rows += cell[8] }
		END { print events, lost, rows == all }' "$dir/top")
	[ "$(cat "$dir/top.read")" -gt 1000 ] && same "$counted" "$(cat "$dir/top.read") 0 1"
}

amounts_to_kmap() {
	"$memorizer" kmap --kinds "$dir/whole" >"$dir/trace.kmap" && [ "$(wc -l <"$dir/trace.kmap")" -gt 10000 ] &&
		differ_not <(whole_records <"$dir/trace.kmap") <(whole_records <"$dir/kernel.kmap") &&
		[ "$(sed -n 's/^\([a-z_]*\),.*/\1/p' "$dir/trace.kmap" | sort -u | xargs)" = "memblock percpu slab static struct_page" ]
}
# kinds_have_objects: each allocation between the marks has its object, of the same kind, address, size and call site,
# and each object its allocation.
kinds_have_objects() {
	local kind

	"$memorizer" script --csv "$dir/kinds" >"$dir/kinds.csv" &&
		awk -F, -v dir="$dir/kinds" '
			NR == 1		{ for (i = 1; i <= NF; i++) at[$i] = i }
			$1 == "mark"	{ inside = $(at["text"]) == "begin" }
			$1 !~ /^(alloc|object)$/ || $(at["kind"]) == "pages" { next }
			{
				kind = $(at["kind"])
				sub(/^(kmalloc|cache)$/, "slab", kind)
				it = kind " " $(at["ptr"]) " " $(at["bytes_req"]) " " $(at["site"])
			}
			$1 == "object"	{ print it >dir ".objects"; next }
					{ print it >dir ".all" }
			inside		{ print it >dir ".inside" }' "$dir/kinds.csv" || return
	for kind in objects all inside; do
		sort -o "$dir/kinds.$kind" "$dir/kinds.$kind"
	done
	cut -d ' ' -f 1 "$dir/kinds.inside" | sort | uniq -c | sed 's/^/# /'
	[ "$(cut -d ' ' -f 1 "$dir/kinds.inside" | sort -u | xargs)" = "modules percpu slab stack vmalloc" ] &&
		not grep . <(comm -23 "$dir/kinds.inside" "$dir/kinds.objects" | head) &&
		not grep . <(comm -23 "$dir/kinds.objects" "$dir/kinds.all" | head)
}

# differ_not A B: compare two files and print the first differences.
differ_not() { diff "$1" "$2" >"$dir/differences" || { cut -c 1-200 "$dir/differences" | head -n 20; return 1; }; }
# whole_records: print each object with its accesses in one line, sorted.
whole_records() { awk '/^  / { printf "|%s", $0; next } { printf "%s%s", (NR > 1 ? "\n" : ""), $0 } END { print "" }' | sort; }

# same_sums: report, types, layout and who have the same sums for each type of a real KMAP. Use its
# first objects only: who reads all of the KMAP for each type.
same_sums() {
	awk 'NR > 100000 && !/^  / { exit } { print }' "$dir/kernel.kmap" >"$dir/part.kmap" &&
		python3 -B "$top/tools/memorizer/tests/agree.py" "$memorizer" --vmlinux "$build/memorizer/vmlinux" \
			--kallsyms "$dir/whole/kernel/kallsyms" "$dir/part.kmap"
}

# other_byte_order TRACE: memorizer for s390x, built by test-cross, prints the same.
other_byte_order() {
	local cross=$build/tools/s390x command

	locked cross test -x "$cross/memorizer" ||
		locked cross make -s -C "$top/tools/memorizer" OUTPUT="$build/tools/" test-cross || return
	for command in check "report --top 0" kmap; do
		cmp <("$memorizer" $command "$dir/$1") <(qemu-s390x -L "$cross/sysroot" "$cross/memorizer" $command "$dir/$1") || return
	done
}

"$here/setup" test-stream
"$here/build" --config memorizer
make_tools >&2
plan 21
result "the guest records its traces" record
for trace in load accesses kinds whole; do
	result "$trace: nothing is lost" nothing_lost $trace
	result "$trace: memorizer check finds nothing" "$memorizer" check "$dir/$trace"
	result "$trace: babeltrace2 reads it" read_by_babeltrace2 $trace
done
result "babeltrace2 reads as many events as the kernel counted" same "$(events load all)" "$(value load stream_read)"
result "the trace has each retired object" same "$(events load object)" "$(value load objects_retired)"
result "top counts all events of the kernel" top_counts
result "allocations of each kind have their objects" kinds_have_objects
result "the trace amounts to the KMAP" amounts_to_kmap
result "report, types, layout and who agree on each type" same_sums
result "a big-endian machine reads the same" other_byte_order whole
result "memorizer record agrees with perf, and costs less" "$here/compare"
