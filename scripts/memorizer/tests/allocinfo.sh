#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Test the call sites of pages and slab objects against the kernel's own account, /proc/allocinfo: after some work, both
# have as many more live allocations for each line that asks for memory, and as many more bytes if it asks for pages only:
# allocinfo counts the whole slot of a slab object. Exceptions have a cause in allocinfo.causes.
. "$(dirname "$0")/../lib.sh"

O=$build/kfence
dir=$out/allocinfo
causes=$(dirname "$0")/allocinfo.causes

# A line whose account changes while the KMAP is read cannot be compared: one process reads all, once no other ends. What
# was allocated between the two switches is gone before the first reading.
guest() {
	"$here/boot" --config kfence --smp 2 --mem 2G --out "$dir" --append "nokaslr sysctl.vm.mem_profiling=0 \
		memorizer.kinds=slab,pages memorizer.enabled=0 memorizer.pool=512M" -- 'D=/sys/kernel/debug/memorizer
		mkfifo /tmp/go /tmp/never
		settle() { read -t 3 never <>/tmp/never; }
		read_both() {
			cat /tmp/go /proc/allocinfo $D/kmap_kinds /proc/allocinfo >/out/$1 &
			exec 3>/tmp/go
			settle
			exec 3>&-
			wait $!
		}
		echo 1 >/proc/sys/vm/mem_profiling
		echo 1 >$D/memorizer_enabled
		ls -lR /sys/kernel >/dev/null
		settle
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

# lines: print the line and the function that each address on stdin belongs to. The hook, and the wrappers of slab.h, are
# inlined into what calls an allocator.
lines() {
	sed 's/^/0x/' | addr2line -a -f -i -e "$O/vmlinux" | awk '
		function end() { if (address) print address, line, name }
		/^0x/	{ end(); address = substr($1, 3); line = ""; named = 0; next }
		!named	{ f = $1; named = 1; next }
		{
			named = 0
			if (line == "" && !/(memorizer-callers|linux\/slab)\.h:/) {
				line = $1
				name = f
				sub(/.*\/linux-[0-9.]*\/(\.\/)?/, "", line)
			}
		}
		END	{ end() }'
}

# of_kmap NAME: print line, function, live allocations, how many of them are pages, and the bytes of these.
of_kmap() {
	awk -F, '/^[a-z]/ && $7 == 0 { n[$2]++; if ($1 == "pages") { pages[$2]++; bytes[$2] += $5 } }
		END { for (ip in n) print ip, n[ip], pages[ip] + 0, bytes[ip] + 0 }' "$dir/$1" |
		while read -r ip n pages bytes; do printf '%016x %s %s %s\n' $((0x$ip - 1)) "$n" "$pages" "$bytes"; done |
		sort >"$dir/sites"
	cut -d ' ' -f 1 "$dir/sites" | lines | sort >"$dir/lines"
	join "$dir/sites" "$dir/lines" | awk '
		{ i = $5 " " $6; n[i] += $2; pages[i] += $3; bytes[i] += $4 }
		END { for (i in n) print i, n[i], pages[i], bytes[i] }'
}

# of_allocinfo NAME: print line, functions joined by commas, allocations and bytes, "-" if they changed meanwhile.
of_allocinfo() {
	awk '
		/^allocinfo /	{ reading++ }
		$3 ~ /:[0-9]+$/ && /func:/ {
			f = $0
			sub(/.* func:/, "", f)
			if (!(($3, f) in seen))
				names[$3] = names[$3] (names[$3] ? "," : "") f
			seen[$3, f]
			bytes[reading, $3] += $1
			n[reading, $3] += $2
		}
		END {
			for (i in names)
				if (bytes[1, i] == bytes[2, i] && n[1, i] == n[2, i])
					print i, names[i], n[1, i], bytes[1, i]
				else
					print i, names[i], "-", "-"
		}' "$dir/$1"
}

# same_allocations: compare each line, and print the differences without a cause. Those with the cause "elsewhere" must
# add up to 0.
same_allocations() {
	local name

	for name in first second; do
		of_kmap $name >"$dir/kmap-$name"
		of_allocinfo $name >"$dir/allocinfo-$name"
	done
	awk '
		function cause_of(line, name,	i, file) {
			file = line
			sub(/:.*/, "", file)
			for (i = 1; i <= causes; i++)
				if (file == cause_file[i] && index("," name ",", "," cause_name[i] ","))
					return cause[i]
			return ""
		}
		function judge(line, name, more,	why) {
			why = cause_of(line, name)
			if (!why) {
				print "# differs: " line " " name ": allocinfo has " more " more than the KMAP"
				wrong = 1
			} else if (why == "elsewhere") {
				elsewhere += more
			} else if (more > 0) {
				print "# differs: " line " " name ": allocinfo counts " more " that the KMAP lacks"
				wrong = 1
			}
		}
		FILENAME ~ /causes$/	{ if (!/^#/ && NF >= 3) { cause_file[++causes] = $1; cause_name[causes] = $2; cause[causes] = $3 }; next }
		FILENAME ~ /kmap-/	{
			sign = FILENAME ~ /first$/ ? -1 : 1
			n[$1] += sign * $3
			pages[$1] += sign * $4
			bytes[$1] += sign * $5
			name[$1] = $2
			next
		}
		{
			sign = FILENAME ~ /first$/ ? -1 : 1
			tagged[$1] = $2
			if ($3 == "-")
				changing[$1]
			info[$1] += sign * $3
			info_bytes[$1] += sign * $4
		}
		END {
			for (i in tagged) {
				if (i in changing) {
					skipped += n[i] < 0 ? -n[i] : n[i]
					if (n[i])
						print "# changing: " i " " tagged[i] " " n[i]
				} else if (info[i] != n[i])
					judge(i, tagged[i], info[i] - n[i])
				else if (n[i] && n[i] == pages[i] && info_bytes[i] != bytes[i]) {
					print "# differs: " i " " tagged[i] ": " info_bytes[i] " bytes, " bytes[i] " in the KMAP"
					wrong = 1
				} else if (n[i]) {
					lines++
					equal += n[i] < 0 ? -n[i] : n[i]
				}
			}
			for (i in n)
				if (!(i in tagged) && n[i])
					judge(i, name[i], -n[i])
			print "# " lines " lines are equal, with " equal " allocations; changing: " skipped + 0
			if (elsewhere)
				print "# allocinfo has " elsewhere " of another line that the KMAP lacks"
			exit wrong || elsewhere || lines < 20 || skipped > equal / 4
		}' "$causes" "$dir"/kmap-{first,second} "$dir"/allocinfo-{first,second}
}

"$here/build" --config kfence
plan 2
result "a guest allocates" guest
result "each line has as many more allocations in the KMAP as in allocinfo" same_allocations
