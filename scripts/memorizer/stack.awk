# SPDX-License-Identifier: GPL-2.0
# Print the stack use in bytes of functions and their callees: "bytes root > callee > ..." for each root.
#
# -v roots=REGEX: the functions; -v leaves=REGEX: functions whose calls do not count;
# -v reached=FILE: list all callees there, as "first behind name". Input, in this order:
#   orc ADDRESS BYTES REG	objtool's unwind table, sorted: from ADDRESS + ffffffff80000000 on, the stack pointer is
#			BYTES below its value before the call
#   objdump -d		the code
# Indirect calls do not count. A function whose frame is not relative to the stack pointer, or that may call itself,
# is an error.

function value(hex,	n, i) {
	n = 0
	for (i = 1; i <= length(hex); i++)
		n = 16 * n + index("0123456789abcdef", substr(hex, i, 1)) - 1
	return n
}

# The low 31 bits of a kernel address: mawk cannot print larger numbers as an index.
function address(hex) { return value(substr(hex, 9)) - 2147483648 }

# Return the last entry at or before an address.
function entry_at(addr,	low, high, middle) {
	low = 1
	high = entries
	while (low < high) {
		middle = int((low + high + 1) / 2)
		if (at[middle] <= addr)
			low = middle
		else
			high = middle - 1
	}
	return low
}

function fail(why) {
	print "stack.awk: cannot tell the stack of " why >"/dev/stderr"
	failed = 1
}

# Return the bytes at an entry of a function; with a frame pointer, the sum of its pushes and subtractions.
function here(f, e) {
	if (register[e] == SP || !register[e])
		return bytes[e]
	if (register[e] != BP)
		fail(name[f])
	return 8 + pushed[f]
}

# Return a function's largest frame. Functions are keyed by address: names are not unique.
function own(f,	e, most) {
	for (e = entry_at(f); e <= entries && at[e] < behind[f]; e++)
		if (here(f, e) > most)
			most = here(f, e)
	return most + 0
}

# Return the largest stack use of a function and its callees; path[f] is the call chain.
function depth(f,	i, n, call, part, at_call, most, sum) {
	if (f in known)
		return known[f]
	if (f in asking) {
		fail(name[f] ", which may call itself")
		return 0
	}
	asking[f]
	most = own(f)
	path[f] = name[f] " " most
	n = name[f] ~ leaves ? 0 : split(calls[f], call, " ")
	for (i = 1; i <= n; i++) {
		split(call[i], part, "@")
		at_call = here(f, entry_at(part[2]))
		# A jump pushes no return address: the callee's frame includes the caller's.
		sum = at_call - (part[3] == "jmp" ? 8 : 0) + depth(part[1])
		if (sum > most) {
			most = sum
			path[f] = name[f] " " at_call " > " path[part[1]]
		}
	}
	delete asking[f]
	return known[f] = most
}

# objtool's register numbers
BEGIN { BP = 4; SP = 5 }

$1 == "orc" {
	at[++entries] = $2
	bytes[entries] = $3
	register[entries] = $4
	next
}
/^[0-9a-f]+ <.*>:$/ {
	behind[f] = address(substr($1, 1, 16))
	f = behind[f]
	name[f] = substr($2, 2, length($2) - 3)
	behind[f] = f + 1
	if (name[f] ~ roots)
		root[++last] = f
	next
}
$2 ~ /^(call|jmp|j[a-z]+)$/ && $4 ~ /^<[^+>]*>$/ {
	to = address($3)
	# The stubs of a file's sites have no symbols and follow its last function, which does not make their jumps.
	if (to != f && (name[f] ~ /memorizer/ || $4 !~ /^<memorizer_(thunk_|joined_|percpu_|group>)/))
		calls[f] = calls[f] " " to "@" address(substr($1, 1, 16)) "@" ($2 == "call" ? "call" : "jmp")
}
$2 ~ /^pushf?$/ { pushed[f] += 8 }
$2 ~ /^(sub|and)$/ && match($3, /^\$0x[0-9a-f]+,%rsp$/) {
	# Aligning subtracts less than the alignment.
	pushed[f] += $2 == "sub" ? value(substr($3, 4, index($3, ",") - 4)) : 56
}
END {
	for (i = 1; i <= last; i++)
		print depth(root[i]), path[root[i]]
	for (f in known)
		if (name[f] !~ leaves)
			print f, behind[f], name[f] >reached
	exit failed
}
