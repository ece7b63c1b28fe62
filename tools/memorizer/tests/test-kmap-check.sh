#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Test memorizer check of a KMAP: each kind of violation, and cases that are none.
# Usage: test-kmap-check.sh DIR, the directory of a build

. "$(dirname "$0")/common.sh"

# verdict NAME STATUS WANT: compare check's full output for the KMAP on standard input
verdict()
{
	cat >"$tmp/kmap"
	echo "$3" >"$tmp/said"
	outcome "$1" "$2" "$tmp/said" "" check "$tmp/kmap"
}

outcome "bad lines, order, duplicates and overlaps are listed" 1 "$data/bad-kmap.check" "" \
	check "$data/bad.kmap"
outcome "check --json lists the same" 1 "$data/bad-kmap.json" "" check --json "$data/bad.kmap"
input=$data/bad.kmap
outcome "standard input is read" 1 "$data/bad-kmap.check" "" check -
input=
sed 11d "$data/session.kmap" >"$tmp/sound"
echo "5 objects, 6 access lines: 0 violations" >"$tmp/said"
outcome "a valid KMAP has no violations" 0 "$tmp/said" "" check "$tmp/sound"

verdict "an object may reuse memory freed in the same jiffy" 0 \
	"2 objects, 0 access lines: 0 violations" <<END
1,1,1000,64,5,9,1,a
1,1,1000,64,9,12,1,a
END
verdict "objects may be adjacent" 0 "2 objects, 0 access lines: 0 violations" <<END
1,1,1000,64,5,9,1,a
1,1,1040,64,5,9,1,a
END
verdict "an object freed after its row was read may overlap a later one" 0 \
	"2 objects, 0 access lines: 0 violations" <<END
1,1,1000,64,5,0,0,a
1,1,1000,64,7,0,0,a
END
verdict "but not if an earlier row has a later time" 1 \
	"line 3: overlap: 64 bytes at 1000, and 64 at 1000 in line 2 at the same time
3 objects, 0 access lines: 1 violations (overlap 1)" <<END
1,1,2000,64,8,0,0,a
1,1,1000,64,5,0,0,a
1,1,1000,64,7,0,0,a
END
verdict "an object of one jiffy within another's lifetime is a violation" 1 \
	"line 2: overlap: 1 bytes at 103f, and 64 at 1000 in line 1 at the same time
2 objects, 0 access lines: 1 violations (overlap 1)" <<END
1,1,1000,64,5,9,1,a
1,1,103f,1,7,7,1,a
END
verdict "an object may have no bytes, or end at the last address" 0 \
	"3 objects, 0 access lines: 0 violations" <<END
1,1,1000,64,5,9,1,a
1,1,1010,0,5,9,1,a
1,1,ffffffffffffffc0,64,5,9,1,a
END
verdict "objects may lie in pages, but not in a part of them" 1 \
	"line 4: overlap: 64 bytes at 2fe0, and 8192 at 1000 in line 1 at the same time
line 7: duplicate: the object of line 6
line 5: overlap: 8192 bytes at 2000, and 8192 at 1000 in line 1 at the same time
7 objects, 0 access lines: 3 violations (duplicate 1, overlap 2)" <<END
1,1,1000,8192,5,9,1,a
1,1,1040,64,5,9,1,a
1,1,1000,8192,6,8,2,a
1,1,2fe0,64,5,9,1,a
1,1,2000,8192,7,9,1,a
1,1,8000,4096,5,9,1,a
1,1,8000,4096,5,9,1,a
END
awk 'BEGIN { for (i = 0; i < 30; i++) print "1,1,1000,64,5,9,1,a" }' >"$tmp/kmap"
"$memorizer" check "$tmp/kmap" >"$tmp/out"
same "the first twenty violations of each kind are listed" \
	"20 duplicate: 9 more, --all lists them" \
	"$(grep -c ^line "$tmp/out") $(grep more "$tmp/out")"
same "--all lists all violations" 29 "$("$memorizer" check --all "$tmp/kmap" | grep -c ^line)"
outcome "a missing KMAP is refused" 2 /dev/null \
	"memorizer: $tmp/none: No such file or directory" check "$tmp/none"

# Compare with a simple model: every pair of objects, in any order.
model()
{
	awk -F, '{ start[NR] = $3; end[NR] = $3 + $4; alloc[NR] = $5; freed[NR] = $6 }
		END {
			for (i = 1; i <= NR; i++)
				for (j = 1; j < i; j++)
					if (start[i] < end[j] && start[j] < end[i] &&
					    alloc[i] < freed[j] && alloc[j] < freed[i])
						bad = 1
			print bad + 0
		}' "$1"
}

good=0
for seed in $(seq 200); do
	awk -v seed="$seed" '
		# The generator of Park and Miller: rand() differs between implementations of awk.
		function random() { seed = seed * 16807 % 2147483647; return seed / 2147483647 }
	BEGIN {
		seed += 1
		for (i = 0; i < 7; i++) {
			alloc = int(random() * 30)
			printf "1,%d,%d,%d,%d,%d,1,a\n", i, 10 + int(random() * 80),
				1 + int(random() * 9), alloc + 1, alloc + 2 + int(random() * 8)
		}
	}' >"$tmp/decimal"
	awk -F, -v OFS=, '{ $3 = sprintf("%x", $3); print }' "$tmp/decimal" >"$tmp/kmap"
	"$memorizer" check "$tmp/kmap" >"$tmp/out"
	[ $? -eq "$(model "$tmp/decimal")" ] && good=$((good + 1))
done
same "overlaps of random objects equal the model's" 200 $good
tap_end
