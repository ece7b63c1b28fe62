# SPDX-License-Identifier: GPL-2.0
# Compare a kernel's calls with the entries of functions that its machine saw, per (return address, function).
#
# Input, in this order: symbols ("address name", sorted), names of Memorizer's own functions, the functions that ftrace
# traces ("address name"), causes, the machine's entries ("return address,function,calls,jumps"), the kernel's calls.
# With -v details=FILE, each difference goes there.
#
# Causes are lines of "kind caller callee cause". The first whose regexes match the whole names of both decides.
# Kinds are
#	fewer	the kernel counted fewer calls than the machine, or none
#	more	the kernel counted more calls than the machine

function is_whole(text, regex) { return match(text, regex) && RSTART == 1 && RLENGTH == length(text) }

function cause_of(kind, from, to,	i) {
	if ((kind, from, to) in found)
		return found[kind, from, to]
	for (i = 1; i <= causes; i++)
		if (cause_kind[i] == kind && is_whole(from, cause_from[i]) && is_whole(to, cause_to[i]))
			return found[kind, from, to] = cause[i]
	return found[kind, from, to] = ""
}

FNR == 1 { file++ }
file == 1 {
	read_symbol()
	next
}
file == 2 { own[$1] = 1; next }
file == 3 { traced[$1] = 1; next }
file == 4 {
	if (/^#/ || NF < 4)
		next
	cause_kind[++causes] = $1
	cause_from[causes] = $2
	cause_to[causes] = $3
	sub(/^[^ \t]+[ \t]+[^ \t]+[ \t]+[^ \t]+[ \t]+/, "")
	cause[causes] = $0
	next
}
FNR == 1 { FS = ","; $0 = $0 }
file == 5 && !($2 in traced) {
	if (name($2) in own)
		of_own += $3 + $4
	else
		untraced += $3 + $4
	next
}
file == 5 {
	machine[$1, $2] = $3 + $4
	compared += $3 + $4
	jumps += $4
	next
}
# A row for each task
{ kernel[$1, $2] += $4 }

function differ_in(kind, cell, count,	part, from, to) {
	split(cell, part, SUBSEP)
	from = name(part[1])
	to = name(part[2])
	differ(kind, cause_of(kind, from, to), from " " to, part[1], count)
}

function compare(	cell, m, k) {
	for (cell in machine) {
		m = machine[cell]
		k = cell in kernel ? kernel[cell] : 0
		pairs++
		equal += k < m ? k : m
		if (k < m)
			differ_in("fewer", cell, m - k)
		else if (k > m)
			differ_in("more", cell, k - m)
	}
	for (cell in kernel)
		if (!(cell in machine))
			differ_in("more", cell, kernel[cell])
}

END {
	compare()
	printf "%d calls by the machine, %d pairs of return address and function\n", compared, pairs
	printf "%s  equal\n", share(equal + 0)
	list("fewer", "fewer than the machine:")
	list("more", "more than the machine:")
	printf "%s  (by a jump at the end of another function)\n", share(jumps + 0)
	printf "left out: %d calls of Memorizer itself, %d of functions that ftrace does not trace\n", of_own, untraced
	exit judge()
}
