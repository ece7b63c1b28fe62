#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Test cache lines on 16 CPUs: the kernel counts the moves of known patterns, and the QEMU plugin, which sees the same
# accesses, counts the same moves. Then test the allocations and frees that the plugin writes.
. "$(dirname "$0")/../lib.sh"

dir=$out/providers
work='P=/sys/module/memorizer_test_sharing/parameters M=/sys/kernel/debug/memorizer
/selftests/traffic.sh
echo 1 >$M/memorizer_enabled
insmod /modules/memorizer_test_sharing.ko
echo 1 >$M/memorizer_track_lines
echo 1 >$M/memorizer_log_access
/guest/qemu-say record 1
for pattern in $(sed "s/ .*//" $P/objects); do echo $pattern 10 >$P/pattern; done
/guest/qemu-say record 0
echo 0 >$M/memorizer_log_access
cat $P/objects >/out/objects
cat $M/traffic >/out/traffic
cat $M/show_stats >/out/show_stats'

# watch: run the guest under the plugin, which follows only the text of modules.
watch() {
	"$here/boot" --config memorizer --icount --smp 16 --la57 off --out "$dir/guest" --append nokaslr \
		--qemu "-plugin $build/tools/qemu/memorizer-qemu.so,out=$dir/trace,mode=traffic,paused=on,text=ffffffffa0000000-fffffffffeffffff" \
		-- "$work"
}

# kernel: print object, instruction, kind and moves for the patterns' objects.
kernel() {
	awk -F, 'NR == FNR { split($0, of, " "); mine[of[2]] = 1; next }
		 /^  / { if (object) { writes[object " " $1] += $3; reads[object " " $1] += $4 } next }
		 { object = $3 in mine && $4 == 256 ? $3 : "" }
		 END {
			for (i in writes) {
				if (writes[i])
					print i, "write", writes[i]
				if (reads[i])
					print i, "read", reads[i]
			}
		 }' "$dir/guest/objects" "$dir/guest/traffic" | sed 's/  */ /g' | sort
}

# machine: print the same from the trace. Objects are aligned to their size, 256.
machine() {
	sed 's/.* //; s/..$//' "$dir/guest/objects" >"$dir/prefixes"
	babeltrace2 "$dir/trace" |
		sed -n 's/.* traffic: .* ip = 0x\([0-9A-F]*\), ptr = 0x\([0-9A-F]*\)\(..\), .*kind = ( "\([a-z]*\)".*/\2 \1 \4/p' |
		tr A-F a-f | awk 'NR == FNR { mine[$1] = 1; next }
			$1 in mine { n[$1 "00 " $2 " " $3]++ }
			END { for (i in n) print i, n[i] }' "$dir/prefixes" - | sort
}

agree() {
	kernel >"$dir/kernel"
	machine >"$dir/machine"
	# Two of five patterns have two functions, two have three, and all start with stores.
	echo "# $(wc -l <"$dir/kernel") pairs of object and instruction, $(awk '{ n += $4 } END { print n }' "$dir/kernel") moves"
	[ "$(awk '{ print $1 }' "$dir/kernel" | sort -u | wc -l)" = 5 ] && diff "$dir/kernel" "$dir/machine"
}

# fifteen_readers: in each of 10 rounds, each CPU but the first loads once what the first has stored.
fifteen_readers() {
	local object

	object=$(sed -n 's/^one_writer //p' "$dir/guest/objects" | tr a-f A-F)
	babeltrace2 "$dir/trace" |
		sed -n "s/.* traffic: .*cpu_id = \([0-9]*\),.*ptr = 0x$object, .*\"read\".*from = \([-0-9]*\), .*/\1 from \2/p" |
		sort -n | uniq -c | awk '{ print $2, $3, $4, $1 }' |
		diff <(for cpu in $(seq 15); do echo "$cpu from 0 10"; done) -
}

# announced: a guest announces memory of each kind from boot on, and the trace is sound.
announced() {
	"$here/boot" --config memorizer --icount --smp 2 --mem 2G --la57 off --out "$dir/kinds" \
		--append "nokaslr memorizer.qemu=1 memorizer.kinds=slab,pages,vmalloc,vmap,modules,stack,percpu memorizer.pool=512M" \
		--qemu "-plugin $build/tools/qemu/memorizer-qemu.so,out=$dir/announced,mode=traffic,paused=on" \
		-- "insmod /modules/memorizer_test_module.ko; rmmod memorizer_test_module; ls -lR /proc/sys >/dev/null" &&
		"$build/tools/memorizer" check "$dir/announced"
}

# of_each_kind: there are allocations and frees of each kind whose memory the guest gives back.
of_each_kind() {
	local event kind

	"$build/tools/memorizer" script --csv "$dir/announced" | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		/^(alloc|free),/ { n[$1 " " $(at["kind"])]++ }
		END { for (i in n) print i, n[i] }' | sort >"$dir/announced.kinds"
	sed 's/^/# /' "$dir/announced.kinds"
	for event in alloc free; do
		for kind in kmalloc cache pages vmalloc modules stack percpu; do
			grep -q "^$event $kind " "$dir/announced.kinds" || { echo "no $event of $kind"; return 1; }
		done
	done
}

nothing_lost() {
	! grep '^lost' "$dir/guest/show_stats" | grep -v ': 0$' && ! sed 1d "$dir/trace/qemu/stats" | grep -v ': 0$'
}

"$here/build" --config memorizer
make_tools >&2
rm -rf "$dir"
mkdir -p "$dir"
watch
plan 5
result "the kernel and the QEMU plugin see the same moves" agree
result "one CPU writes, fifteen read" fifteen_readers
result "neither loses anything" nothing_lost
result "allocations and frees that a guest announces are sound" announced
result "they are of each kind" of_each_kind
