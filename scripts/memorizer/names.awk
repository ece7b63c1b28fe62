# SPDX-License-Identifier: GPL-2.0
# names.awk NOTES TYPES KMAP: print the share of the KMAP's accesses and allocations that the notes name; see names.
# Types other than records have no members. For accesses to such a type, the member comes from the granule in the
# allocated object, if the KMAP has granules, or is the member that the pointer was read from.

BEGIN { FS = "\t" }

# Kind 5 is an allocation. The flags are the upper half of a word; bit 2 means no record.
FILENAME == ARGV[1] {
	scalar = int(index("0123456789abcdef", substr($3, 4, 1)) - 1)
	scalar = int(scalar / 4) % 2
	if ($2 == "05") {
		allocated[$1] = $5 == "" ? "nothing is known: void *" : $5
		if ($5 == "" && $6 != "")
			allocated[$1] = $6 " points to it"
		typed[$1] = $5 != ""
		record[$1] = scalar ? "" : $5
	} else if (!($1 in cause) || cause[$1] != "") {
		pointed[$1] = scalar && $6 ~ /^[*]/
		if (scalar)
			cause[$1] = "through a pointer to " ($5 == "" ? "void" : $5)
		else
			cause[$1] = ""
	}
	next
}

# KIND NAME SIZE, then OFFSET SIZE PATH TYPE for each member; offsets and sizes are BYTES or BYTES.BITS.
function bits(text,	part) { return split(text, part, ".") > 1 ? 8 * part[1] + part[2] : 8 * text }

FILENAME == ARGV[2] {
	split($0, word, " ")
	if ($0 ~ /^(struct|union) /) {
		taken = !(word[2] in members)
		type = word[2]
		if (taken) {
			members[type] = 0
			size[type] = 8 * word[3]
		}
	} else if (taken && $0 ~ /^[0-9]/) {
		i = ++members[type]
		from[type, i] = bits(word[1])
		to[type, i] = from[type, i] + bits(word[2])
		path[type, i] = word[3]
	}
	next
}

# Return whether the member contains others, which follow it directly.
function is_leaf(type, i,	next_path, rest) {
	next_path = path[type, i + 1]
	rest = substr(next_path, length(path[type, i]) + 1, 1)
	return i == members[type] || index(next_path, path[type, i]) != 1 || (rest != "." && rest != "[")
}

# Return whether OFFSET+BYTES of a record determines a member: a single member contains all of it, or a
# single innermost member overlaps it, and it does not extend beyond the record.
function placed(type, place,	at, first, end, i, found) {
	split(place, at, "+")
	first = 8 * at[1]
	end = first + 8 * at[2]
	for (i = 1; i <= members[type]; i++) {
		# The last one may be a flexible array.
		if (from[type, i] <= first &&
		    (end <= to[type, i] || (from[type, i] == to[type, i] && from[type, i] == size[type])))
			return 1
		if (is_leaf(type, i) && from[type, i] < end && first < to[type, i])
			found++
	}
	return found == 1 && end <= size[type]
}

function has_place(type, place) {
	if (type == "" || place == "")
		return 0
	if (!((type, place) in has))
		has[type, place] = placed(type, place)
	return has[type, place]
}

BEGIN {
	while ((getline line <symbols) > 0)
		if (split(line, word, " ") == 3 && word[2] ~ /^[tTwW]$/)
			name[++nr_functions] = word[3]  " " word[1]
	delete word
}

function function_of(ip,	low, high, middle, word) {
	low = 1
	high = nr_functions
	while (low < high) {
		middle = int((low + high + 1) / 2)
		split(name[middle], word, " ")
		if (word[2] "" <= ip "")
			low = middle
		else
			high = middle - 1
	}
	split(name[low], word, " ")
	return word[1]
}

/^ / {
	nr = split(substr($0, 3), field, ",")
	ip = substr(field[1], 9)
	n = field[3] + field[4]
	accesses += n
	if (ip in cause && cause[ip] == "")
		named += n
	else if (has_place(type_of_object, nr > 4 ? field[5] : ""))
		by_place += n
	else if (!(ip in cause))
		why["no note: " function_of(field[1])] += n
	else if (pointed[ip])
		by_pointer += n
	else
		why[cause[ip] ", in " function_of(field[1])] += n
	next
}

{
	split($0, field, ",")
	ip = substr(field[1], 9)
	type_of_object = record[ip]
	objects++
	if (typed[ip])
		known++
	else
		unknown[(ip in allocated ? allocated[ip] : "no note") ", in " function_of(field[1])]++
}

function list(rest, all,	cause, sort) {
	sort = "sort -rn | head -n 15"
	for (cause in rest)
		printf "%6.2f %% %s\n", 100 * rest[cause] / all, cause | sort
	close(sort)
}

END {
	if (!accesses)
		accesses = 1
	printf "%s: %d accesses, %.2f %% to a member of a record", load, accesses,
	       100 * (named + by_place) / accesses
	if (by_place)
		printf " (%.2f %% by their place)", 100 * by_place / accesses
	printf ", %.2f %% to what one points to; the others:\n", 100 * by_pointer / accesses
	printf "names,%s,%.2f,%.2f,%.2f,%.2f\n", load, 100 * (named + by_place) / accesses, 100 * by_place / accesses,
	       100 * by_pointer / accesses, objects ? 100 * known / objects : 0 >>csv
	list(why, accesses)
	printf "%s: %d objects, %.2f %% of known type; the others:\n", load, objects,
	       objects ? 100 * known / objects : 0
	list(unknown, objects)
}
