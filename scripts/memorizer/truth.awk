# SPDX-License-Identifier: GPL-2.0
# Compare a kernel's KMAP with its machine's accesses, per (function, object, kind of access).
#
# Input, in this order: symbols ("address name", sorted), names of Memorizer's own functions, variables ("address name"),
# causes, the machine's KMAP, the kernel's KMAP, both with kinds. Two objects are the same if kind, call site, address,
# time, task and size are. With -v details=FILE, each difference goes there.
#
# Causes are lines of "kind regex cause". The first regex that matches the whole name of the function decides. Behind the
# name there may be ":read" or ":write", and behind that ":" and the kind of the object, or its kind, ":" and the
# variable that it is, or the function that allocated it.
# Kinds are
#	callee	it accesses memory for its caller, which has the site
#	missed	the KMAP has none of the machine's accesses
#	fewer	the KMAP has some of the machine's accesses
#	more	the KMAP has more accesses than the machine

function is_whole(text, regex) { return match(text, regex) && RSTART == 1 && RLENGTH == length(text) }

function cause_of(kind, f, direction, id,	i, access, text) {
	access = f ":" direction ":" kind_of[id]
	text = access ":" variable_of[id]
	if ((kind, text) in found)
		return found[kind, text]
	for (i = 1; i <= causes; i++)
		if (cause_kind[i] == kind && (is_whole(f, cause_regex[i]) || is_whole(f ":" direction, cause_regex[i]) ||
		    is_whole(access, cause_regex[i]) || is_whole(text, cause_regex[i])))
			return found[kind, text] = cause[i]
	return found[kind, text] = ""
}

function read_object(	object) {
	object = $1 "," $2 "," $3 "," $4 "," $5 "," $6
	if (!(object in ids)) {
		ids[object] = ++objects
		what[objects] = object
		kind_of[objects] = $1
		variable_of[objects] = $2 in variable ? variable[$2] : name($2)
	}
	return ids[object]
}

# An access line: function, writes, reads.
function read_access(to, id,	ip, f) {
	ip = $1
	sub(/^ +/, "", ip)
	f = name(ip)
	if ($3 > 0)
		to[id, f, "write"] += $3
	if ($4 > 0)
		to[id, f, "read"] += $4
}

FNR == 1 { file++ }
file == 1 {
	read_symbol()
	times[$2]++
	next
}
file == 2 { own[$1] = 1; next }
file == 3 {
	sub(/^0+/, "", $1)
	variable[$1] = $2
	next
}
file == 4 {
	if (/^#/ || NF < 3)
		next
	cause_kind[++causes] = $1
	cause_regex[causes] = $2
	sub(/^[^ \t]+[ \t]+[^ \t]+[ \t]+/, "")
	cause[causes] = $0
	next
}
FNR == 1 { FS = ","; $0 = $0 }
/^  / {
	if (file == 5)
		read_access(machine, id)
	else
		read_access(kernel, id)
	next
}
{
	id = read_object()
	if (file == 6 && !(id in recorded)) {
		recorded[id] = 1
		nr_recorded++
		recorded_of[kind_of[id]]++
	}
}

# Accesses by string functions for their callers, by object and kind; Memorizer's own accesses.
function set_apart(	cell, part, c) {
	for (cell in machine) {
		split(cell, part, SUBSEP)
		c = machine[cell]
		if (!(part[1] in recorded)) {
			not_recorded += c
			delete machine[cell]
		} else if (part[2] in own && times[part[2]] == 1) {
			own_accesses += c
			delete machine[cell]
		} else {
			compared += c
			compared_of[kind_of[part[1]]] += c
			if (cause_of("callee", part[2], part[3], part[1]) != "") {
				pool[part[1], part[3]] += c
				total["callee"] += c
				callees_of[kind_of[part[1]]] += c
				of["callee", cause_of("callee", part[2], part[3], part[1])] += c
				delete machine[cell]
			}
		}
	}
}

function differ_in(kind, part, count) {
	if (kind == "more")
		surplus_of[kind_of[part[1]]] += count
	differ(kind, cause_of(kind, part[2], part[3], part[1]), part[2] " " part[3] " " kind_of[part[1]] " " variable_of[part[1]],
	       what[part[1]], count)
}

# The surplus of a cell of the KMAP is accesses that callees made for it, up to their number.
function take(cell,	part, m, more, rest) {
	split(cell, part, SUBSEP)
	m = cell in machine ? machine[cell] : 0
	more = kernel[cell] - m
	if (more <= 0)
		return
	rest = pool[part[1], part[3]]
	if (rest > more)
		rest = more
	pool[part[1], part[3]] -= rest
	announced += rest
	if (more > rest)
		differ_in("more", part, more - rest)
}

function percent(n, all) { return all ? 100 * n / all : 0 }

function compare(	cell, part, k, m, late) {
	for (cell in machine) {
		split(cell, part, SUBSEP)
		m = machine[cell]
		k = cell in kernel ? kernel[cell] : 0
		equal += k < m ? k : m
		equal_of[kind_of[part[1]]] += k < m ? k : m
		if (k < m)
			differ_in(k ? "fewer" : "missed", part, m - k)
	}
	# Cells with another cause come last.
	for (late = 0; late < 2; late++)
		for (cell in kernel) {
			split(cell, part, SUBSEP)
			if ((cause_of("more", part[2], part[3], part[1]) != "") == late)
				take(cell)
		}
}

END {
	set_apart()
	compare()
	printf "%d objects, %d accesses of the machine to them\n", nr_recorded, compared
	printf "%s  equal\n", share(equal + 0)
	list("callee", "by functions for their callers, who have the site:")
	list("missed", "missed:")
	list("fewer", "fewer than the machine:")
	list("more", "more than the machine:")
	printf "%s  (sites of callers, for %d accesses by functions that they call)\n", share(announced + 0), total["callee"]
	for (kind in recorded_of)
		printf "of %-12s %8d objects, %10d accesses: %8.4f %% equal, %8.4f %% by functions for their callers, %d more than the machine\n",
			kind ":", recorded_of[kind], compared_of[kind], percent(equal_of[kind], compared_of[kind]),
			percent(callees_of[kind], compared_of[kind]), surplus_of[kind] | "sort"
	close("sort")
	printf "left out: %d accesses of Memorizer itself, %d to objects that the KMAP does not have\n", own_accesses, not_recorded
	exit judge()
}
