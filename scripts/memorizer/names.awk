# SPDX-License-Identifier: GPL-2.0
# names.awk NOTES KMAP: the share of the KMAP's accesses and allocations that the notes name, see names. What
# is no record has no members; if the pointer to it was read from a member, that is its name.

BEGIN { FS = "\t" }

# The kind is 5 for allocations. The flags are the upper half of a word: bit 2 says that there is no record.
FILENAME == ARGV[1] {
	scalar = int(index("0123456789abcdef", substr($3, 4, 1)) - 1)
	scalar = int(scalar / 4) % 2
	if ($2 == "05") {
		allocated[$1] = $5 == "" ? "nothing is known: void *" : $5
		if ($5 == "" && $6 != "")
			allocated[$1] = $6 " points to it"
		typed[$1] = $5 != ""
	} else if (!($1 in cause) || cause[$1] != "") {
		pointed[$1] = scalar && $6 ~ /^[*]/
		if (scalar)
			cause[$1] = "through a pointer to " ($5 == "" ? "void" : $5)
		else
			cause[$1] = ""
	}
	next
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
	split(substr($0, 3), field, ",")
	ip = substr(field[1], 9)
	n = field[3] + field[4]
	accesses += n
	if (!(ip in cause))
		why["no note: " function_of(field[1])] += n
	else if (cause[ip] == "")
		named += n
	else if (pointed[ip])
		by_pointer += n
	else
		why[cause[ip] ", in " function_of(field[1])] += n
	next
}

{
	split($0, field, ",")
	ip = substr(field[1], 9)
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
	printf "%s: %d accesses, %.2f %% to a member of a record, %.2f %% to what one points to; the others:\n",
	       load, accesses, accesses ? 100 * named / accesses : 0,
	       accesses ? 100 * by_pointer / accesses : 0
	list(why, accesses)
	printf "%s: %d objects, %.2f %% of known type; the others:\n", load, objects,
	       objects ? 100 * known / objects : 0
	list(unknown, objects)
}
