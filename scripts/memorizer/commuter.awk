# SPDX-License-Identifier: GPL-2.0
# Print commuter's tables from the output of "memorizer conflicts --csv": the pairs of calls of each situation, then
# the number of phases in which each memory conflicts.
#
# Input, in this order: phases and why the calls in them commute ("situation/call/call,why"), the CSV.

function mark(s, a, b,	phase) {
	phase = s "/" a "/" b
	if (!(phase in asked))
		phase = s "/" b "/" a
	if (!(phase in asked))
		return " "
	return !conflicts[phase] ? "." : conflicts[phase] < windows[phase] ? "o" : "X"
}

# A situation's calls in the order of the list; missing pairs stay blank.
function matrix(s,	i, j, line) {
	printf "\n%s: %d pairs, %d free of conflicts, %d not always\n", s, total[s], total[s] - with[s], sometimes[s]
	line = sprintf("%13s", "")
	for (i = 1; i <= calls[s]; i++)
		line = line sprintf(" %2d", i)
	print line
	for (i = 1; i <= calls[s]; i++) {
		line = sprintf("%-11s%2d", call[s, i], i)
		for (j = 1; j <= i; j++)
			line = line "  " mark(s, call[s, i], call[s, j])
		print line
	}
}

function add_call(s, name) {
	if (!((s, name) in known)) {
		known[s, name] = 1
		call[s, ++calls[s]] = name
	}
}

FNR == 1 { file++; FS = ","; $0 = $0 }
file == 1 {
	split($1, part, "/")
	asked[$1] = 1
	if (!total[part[1]]++)
		situation[++situations] = part[1]
	add_call(part[1], part[2])
	add_call(part[1], part[3])
	next
}
$1 == "phases" && ($2 in asked) {
	split($2, part, "/")
	windows[$2] = $3
	conflicts[$2] = $4
	with[part[1]] += $4 > 0
	sometimes[part[1]] += $4 > 0 && $4 < $3
	next
}
$1 == "conflicts" && ($3 in asked) {
	# Quoted fields contain commas.
	gsub(/"[^"]*"/, "-")
	memory = $2 ($5 == "" ? "" : ", allocated by " $5)
	gsub(/\+0x[0-9a-f]*(\/0x[0-9a-f]*)?/, "", memory)
	if (!(($3, memory) in seen)) {
		seen[$3, memory] = 1
		phases[memory]++
	}
}

END {
	for (phase in asked) {
		if (!(phase in windows)) {
			print "there is nothing about " phase
			failed = 1
		}
		free += !conflicts[phase]
		all++
	}
	if (failed)
		exit 1
	print "X: they conflict each time, o: not each time, .: they are free of conflicts"
	for (i = 1; i <= situations; i++)
		matrix(situation[i])
	printf "\n%d of %d pairs are free of conflicts\n\n Pairs  in which there is a conflict in\n", free, all
	fflush()
	order = "sort -k1,1rn -k2"
	for (memory in phases)
		printf "%6d  %s\n", phases[memory], memory | order
	close(order)
}
