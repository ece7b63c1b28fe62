# SPDX-License-Identifier: GPL-2.0
# Check the disassembly of noinstr text, which has no sites. Each function in functions must read
# memorizer_held before it leaves noinstr text, and again after the last call that does.

function fail(text) {
	print "# " entry ": " text
	bad = 1
}

# Follow all paths from an instruction, including calls. With gated, stop at reads of memorizer_held.
function walk(n, gated) {
	for (; !((n, gated) in seen); n++) {
		seen[n, gated] = 1
		if (gated && (n in gate)) {
			entered[n] = 1
			return
		}
		# CPUs that were in user mode are not held.
		if (jumps[n] && what[n] ~ /<irqentry_enter_from_user_mode>/)
			return
		if (jumps[n] && !(to[n] in at)) {
			if (what[n] !~ /__x86_return_thunk/)
				fail(name[n] " reaches" what[n])
		} else if (jumps[n] && name[at[to[n]]] != "check_preemption_disabled") {
			# Preemption is disabled, so check_preemption_disabled() calls nothing.
			walk(at[to[n]], gated)
		}
		if (ends[n])
			return
	}
}

/^[0-9a-f]+ <.*>:$/ { current = substr($2, 2, length($2) - 3) }

/^ *[0-9a-f]+:/ {
	here = substr($1, 1, length($1) - 1)
	name[++count] = current
	at[here] = count
	if (!(current in first))
		first[current] = count
	if (/<memorizer_held/)
		gate[count] = 1
	jumps[count] = $2 ~ /^(call|j[a-z]+|notrack|bnd)$/
	to[count] = $3
	what[count] = substr($0, index($0, $2) + length($2))
	ends[count] = $2 ~ /^(jmp|ret|iretq)$/
}

END {
	wanted = split(functions, list, " ")
	for (i = 1; i <= wanted; i++) {
		entry = list[i]
		delete seen
		delete entered
		if (!(entry in first)) {
			fail("no such function")
			continue
		}
		walk(first[entry], 1)
		gates = exits = 0
		for (n in gate)
			if (name[n] == entry) {
				gates++
				if (!(n in entered)) {
					exits++
					walk(n, 0)
				}
			}
		if (gates - exits != 1 || !exits)
			fail(gates - exits " entries and " exits " exits are gated")
	}
	exit bad
}
