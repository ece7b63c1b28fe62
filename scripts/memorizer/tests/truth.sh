#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Test truth.awk and truth-calls.awk with a handmade case of each difference between the kernel and the machine.
. "$(dirname "$0")/../lib.sh"

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

cat >"$dir/symbols" <<-END
	ffffffff81000000 first
	ffffffff81000100 second
	ffffffff81000200 memcpy
	ffffffff81000300 memorizer_hook
	ffffffff81000400 entry
	ffffffff81000500 third
	ffffffff81000600 begin
	ffffffff81000700 begin
END
printf '%s\n' memorizer_hook begin >"$dir/own"
echo 0000000000012340 counter >"$dir/variables"
# One object is not in the KMAP: it was cleared. The third one was allocated twice in one jiffy.
cat >"$dir/machine" <<-END
	slab,ffffffff81000010,1,ffff888000001000,64,100,0,0,a
	  ffffffff81000020,0,2,3
	  ffffffff81000120,0,0,7
	  ffffffff81000210,0,0,16
	  ffffffff81000310,0,5,5
	  ffffffff81000410,0,1,0
	  ffffffff81000610,0,2,0
	slab,ffffffff81000010,1,ffff888000002000,64,100,0,0,a
	  ffffffff81000020,0,9,0
	slab,ffffffff81000010,1,ffff888000003000,8,100,101,0,a
	  ffffffff81000510,0,1,0
	slab,ffffffff81000010,1,ffff888000003000,8,100,101,0,a
	  ffffffff81000510,0,1,0
END
cat >"$dir/kernel" <<-END
	slab,ffffffff81000010,1,ffff888000001000,64,100,102,ffffffff81000010,a
	  ffffffff81000024,1,2,2
	  ffffffff81000024,2,0,1
	  ffffffff81000120,1,0,4
	  ffffffff81000530,1,0,2
	slab,ffffffff81000010,1,ffff888000003000,8,100,101,0,a
	  ffffffff81000510,1,2,0
	slab,ffffffff81000010,1,ffff888000003000,8,100,101,0,a
	  ffffffff81000520,1,0,3
END

run() { awk -f "$here/truth-common.awk" -f "$here/truth.awk" "$dir/symbols" "$dir/own" \
	"$dir/variables" "$dir/causes" "$dir/machine" "$dir/kernel" >"$dir/got"; }

# says TEXT: compare the output with TEXT, ignoring spaces.
says() { diff <(printf '%s\n' "$1") <(sed 's/^ *//; s/  */ /g' "$dir/got"); }

explained() {
	cat >"$dir/causes" <<-END
		# a comment
		callee mem.* string functions
		missed entr. assembly
		missed begin a name that two have
		fewer second:write stores only
		fewer second:read copies of structures
		more third three of a kind
	END
	run && says "2 objects, 33 accesses of the machine to them
11 33.3333 % equal
16 48.4848 % by functions for their callers, who have the site:
16 48.4848 % string functions
3 9.0909 % missed:
2 6.0606 % a name that two have
1 3.0303 % assembly
3 9.0909 % fewer than the machine:
3 9.0909 % copies of structures
3 9.0909 % more than the machine:
3 9.0909 % three of a kind
2 6.0606 % (sites of callers, for 16 accesses by functions that they call)
of slab: 2 objects, 33 accesses: 33.3333 % equal, 48.4848 % by functions for their callers, 3 more than the machine
left out: 10 accesses of Memorizer itself, 9 to objects that the KMAP does not have"
}

# A cause must match the whole name and the kind.
unexplained() {
	cat >"$dir/causes" <<-END
		callee mem.* string functions
		missed ent assembly
		missed begin a name that two have
		fewer second copies of structures
		fewer third three of a kind
	END
	! run && [ "$(sed -n '/^without/,$p' "$dir/got" | sed 's/^ *//; s/ *$//')" = "without a known cause: 4
3 more third read slab first
1 missed entry write slab first" ]
}

# Two cells have a surplus, and callees account for one of them: the one without another cause.
callees_account_for_the_unexplained() {
	local f

	cat >"$dir/machine" <<-END
		slab,ffffffff81000010,1,ffff888000001000,64,100,0,0,a
		  ffffffff81000210,0,0,2
	END
	cat >"$dir/kernel" <<-END
		slab,ffffffff81000010,1,ffff888000001000,64,100,102,ffffffff81000010,a
		  ffffffff81000024,1,0,2
		  ffffffff81000530,1,0,2
	END
	for f in first third; do
		printf '%s\n' "callee mem.* string functions" "more $f merged loads" >"$dir/causes"
		run || { cat "$dir/got"; return 1; }
	done
}

# A cause may be about objects of a kind, or a variable.
kinds_have_causes() {
	cat >"$dir/machine" <<-END
		percpu,12340,0,ffff888000001000,8,0,0,0,a
		  ffffffff81000010,0,3,2
		  ffffffff81000110,0,0,1
		percpu,ffffffff82000008,0,ffff888000001008,8,0,0,0,a
		  ffffffff81000010,0,0,4
		stack,ffffffff81000010,1,ffff888000004000,16384,5,0,0,a
		  ffffffff81000510,0,6,6
	END
	sed 's/^  \(.*\),0,\(.*\),\(.*\)/  \1,1,0,1/; /81000110/d' "$dir/machine" >"$dir/kernel"
	cat >"$dir/causes" <<-END
		missed first:write:percpu:counter a store to the counter
		fewer first:read:percpu:counter loads of the counter
		missed .*:read:percpu:counter another load of it
		fewer first:read:percpu other loads
		fewer .*:write:stack spills
		missed .*:write:stack spills
	END
	! run && [ "$(sed -n '/^without/,$p' "$dir/got" | sed 's/^ *//; s/ *$//')" = "without a known cause: 5
5 fewer third read stack first" ] || return 1
	sed -i 's/^fewer .*:write:stack/fewer .*:stack/' "$dir/causes"
	run && says "3 objects, 22 accesses of the machine to them
3 13.6364 % equal
0 0.0000 % by functions for their callers, who have the site:
10 45.4545 % missed:
6 27.2727 % spills
3 13.6364 % a store to the counter
1 4.5455 % another load of it
9 40.9091 % fewer than the machine:
5 22.7273 % spills
3 13.6364 % other loads
1 4.5455 % loads of the counter
0 0.0000 % more than the machine:
0 0.0000 % (sites of callers, for 0 accesses by functions that they call)
of percpu: 2 objects, 10 accesses: 20.0000 % equal, 0.0000 % by functions for their callers, 0 more than the machine
of stack: 1 objects, 12 accesses: 8.3333 % equal, 0.0000 % by functions for their callers, 0 more than the machine
left out: 0 accesses of Memorizer itself, 0 to objects that the KMAP does not have"
}

nothing() {
	: >"$dir/kernel"
	! run && grep -q '^nothing was compared' "$dir/got"
}

# Three tasks call second() from first(); the machine does so once more. third() is never entered by the machine.
cat >"$dir/traced" <<-END
	ffffffff81000100 second
	ffffffff81000500 third
	ffffffff81000600 begin
END
cat >"$dir/machine-calls" <<-END
	ffffffff81000010,ffffffff81000100,6,1
	ffffffff81000020,ffffffff81000100,1,1
	ffffffff81000110,ffffffff81000600,0,2
	ffffffff81000120,ffffffff81000200,9,0
	ffffffff81000120,ffffffff81000300,2,1
	0000000000000000,ffffffff81000100,1,0
END
cat >"$dir/calls" <<-END
	ffffffff81000010,ffffffff81000100,1,1
	ffffffff81000010,ffffffff81000100,2,2
	ffffffff81000010,ffffffff81000100,3,3
	ffffffff81000020,ffffffff81000100,1,3
	ffffffff81000110,ffffffff81000600,1,2
	ffffffff81000410,ffffffff81000500,1,4
END

run_calls() {
	awk -f "$here/truth-common.awk" -f "$here/truth-calls.awk" "$dir/symbols" "$dir/own" "$dir/traced" "$dir/causes" "$dir/machine-calls" "$dir/calls" >"$dir/got"
}

explained_calls() {
	cat >"$dir/causes" <<-END
		# a comment
		fewer first second interrupts
		fewer unknown sec.* no caller
		more fir.* second twice
		more entry third by hand
	END
	run_calls && says "12 calls by the machine, 4 pairs of return address and function
10 83.3333 % equal
2 16.6667 % fewer than the machine:
1 8.3333 % no caller
1 8.3333 % interrupts
5 41.6667 % more than the machine:
4 33.3333 % by hand
1 8.3333 % twice
4 33.3333 % (by a jump at the end of another function)
left out: 3 calls of Memorizer itself, 9 of functions that ftrace does not trace"
}

# A cause must match both whole names and the kind.
unexplained_calls() {
	cat >"$dir/causes" <<-END
		fewer first second interrupts
		fewer unknown seco no caller
		fewer first second twice
		more entr third by hand
	END
	! run_calls && [ "$(sed -n '/^without/,$p' "$dir/got" | sed 's/^ *//')" = "without a known cause: 6
4 more entry third
1 fewer unknown second
1 more first second" ]
}

no_calls() {
	echo ffffffff81000120,ffffffff81000200,9,0 >"$dir/machine-calls"
	! run_calls && grep -q '^nothing was compared' "$dir/got"
}

plan 8
result "each difference has its cause" explained
result "a difference without a cause is printed and fails" unexplained
result "callees account for a surplus without another cause" callees_account_for_the_unexplained
result "a cause may be about a kind or a variable" kinds_have_causes
result "nothing to compare fails" nothing
result "each difference of calls has its cause" explained_calls
result "a difference of calls without a cause is printed and fails" unexplained_calls
result "no calls to compare fail" no_calls
