#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Test the call sites of pages against the kernel's own account, /proc/allocinfo: for each line that asks for pages,
# both have as many more live bytes and allocations after some work. allocinfo does not know earlier pages.
. "$(dirname "$0")/../lib.sh"

O=$build/kfence
dir=$out/allocinfo

# A line whose account changes while the KMAP is read cannot be compared: one process reads all, to the host.
guest() {
	"$here/boot" --config kfence --smp 2 --mem 2G --out "$dir" --append "nokaslr sysctl.vm.mem_profiling=1 \
		memorizer.kinds=pages memorizer.enabled=1 memorizer.pool=512M" -- 'D=/sys/kernel/debug/memorizer
		read_both() { cat /proc/allocinfo $D/kmap /proc/allocinfo >/out/$1; }
		read_both first
		tar cf /tmp/sys.tar /proc/sys 2>/dev/null
		head -c 3000000 /dev/zero >/tmp/zeros
		for n in 1 2 3 4; do sleep 1000 | sleep 1000 & done
		dmesg >/dev/kmsg
		ls -lR /sys/devices >/tmp/list
		read_both second
		cat $D/show_stats >/out/show_stats'
	[ "$(grep -c '^lost_objects_[a-z_]*: 0$' "$dir/show_stats")" = 3 ]
}

# lines: print the line that each address on stdin belongs to. The hook is inlined into what calls an allocator.
lines() {
	sed 's/^/0x/' | addr2line -a -i -e "$O/vmlinux" | awk '
		function end() { if (address) print address, line }
		/^0x/	{ end(); address = substr($1, 3); line = "?"; next }
		line == "?" && !/memorizer-callers\.h:/ { line = $1; sub(/.*\/linux-[0-9.]*\/(\.\/)?/, "", line) }
		END	{ end() }'
}

# of_kmap NAME: print line, bytes and number of live allocations of pages.
of_kmap() {
	awk -F, '/^[0-9a-f]*,/ && $6 == 0 { bytes[$1] += $4; n[$1]++ } END { for (ip in n) print ip, bytes[ip], n[ip] }' "$dir/$1" |
		while read -r ip bytes n; do printf '%016x %s %s\n' $((0x$ip - 1)) "$bytes" "$n"; done | sort >"$dir/sites"
	cut -d ' ' -f 1 "$dir/sites" | lines | sort >"$dir/lines"
	join "$dir/sites" "$dir/lines" | awk '{ bytes[$4] += $2; n[$4] += $3 } END { for (i in n) print i, bytes[i], n[i] }' | sort
}

# of_allocinfo NAME: print the same, for slab objects as well; lines that did not change while the KMAP was read.
of_allocinfo() {
	awk '
		/^allocinfo /		{ reading++ }
		$3 ~ /:[0-9]+$/ && /func:/ { bytes[reading, $3] += $1; n[reading, $3] += $2; lines[$3] }
		END {
			for (i in lines)
				if (bytes[1, i] == bytes[2, i] && n[1, i] == n[2, i])
					print i, bytes[1, i], n[1, i]
		}' "$dir/$1" | sort
}

# more FIRST SECOND: print how much more of each line the second one has.
more() {
	join -a 2 -e 0 -o '0 1.2 1.3 2.2 2.3' "$1" "$2" | awk '{ print $1, $4 - $2, $5 - $3 }'
}

# same_bytes: compare the lines that have more pages in the KMAP. Those of slabs change with each open file.
same_bytes() {
	local name

	for name in first second; do
		of_kmap $name >"$dir/kmap-$name"
		of_allocinfo $name >"$dir/allocinfo-$name"
	done
	more "$dir/kmap-first" "$dir/kmap-second" >"$dir/kmap-more"
	# A line that changed the first time has no difference.
	join "$dir/allocinfo-first" "$dir/allocinfo-second" | awk '{ print $1, $4 - $2, $5 - $3 }' >"$dir/allocinfo-more"
	join -a 1 "$dir/kmap-more" "$dir/allocinfo-more" | awk '
		!$2 && !$3	{ next }
				{ total += $2 }
		NF < 5		{ print "# changing: " $0; next }
		$2 != $4 || $3 != $5 { print "# differs: " $0; wrong = 1 }
				{ compared += $2; lines++ }
		END {
			print "# " lines " lines with " compared " of " total " more bytes"
			exit wrong || lines < 5 || compared < total / 2
		}'
}

"$here/build" --config kfence
plan 2
result "a guest allocates pages" guest
result "each line has as many more bytes in the KMAP as in allocinfo" same_bytes
