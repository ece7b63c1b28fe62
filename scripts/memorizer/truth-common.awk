# SPDX-License-Identifier: GPL-2.0
# What truth.awk and truth-calls.awk have in common: the names of functions, and the report of differences. Shares in the
# report are of "compared".

function value(hex,	n, i) {
	n = 0
	for (i = 1; i <= length(hex); i++)
		n = 16 * n + index("0123456789abcdef", substr(hex, i, 1)) - 1
	return n
}

# A line of symbols, which are sorted: "address name". Numbers have 53 bits; text is in the upper 2 GiB.
function read_symbol() {
	start[++nr] = value(substr($1, 9))
	symbol[nr] = $2
}

# Return the function of an address.
function name(ip,	low, high, middle, at) {
	if (ip in names)
		return names[ip]
	at = value(substr(ip, 9))
	low = 1
	high = nr
	while (low < high) {
		middle = int((low + high + 1) / 2)
		if (start[middle] <= at)
			low = middle
		else
			high = middle - 1
	}
	return names[ip] = substr(ip, 1, 8) == "ffffffff" ? symbol[low] : "unknown"
}

# Count a difference of a kind; without a cause it is a failure, reported as that of "who". "where" is for the details.
function differ(kind, cause, who, where, count) {
	total[kind] += count
	if (cause != "") {
		of[kind, cause] += count
	} else {
		unknown += count
		unknown_of[kind " " who] += count
	}
	if (details != "")
		print kind, count, who, where, cause >details
}

function share(n) { return sprintf("%10d  %8.4f %%", n, compared ? 100 * n / compared : 0) }

# Print the differences of a kind by cause.
function list(kind, title,	i, part, sorted) {
	printf "%s  %s\n", share(total[kind] + 0), title
	sorted = "sort -rn"
	for (i in of) {
		split(i, part, SUBSEP)
		if (part[1] == kind)
			printf "%s    %s\n", share(of[i]), part[2] | sorted
	}
	close(sorted)
}

# Return the exit status: 1 if there are differences without cause, which are printed, or nothing was compared.
function judge(	i, sorted) {
	fflush()
	if (!compared) {
		print "nothing was compared"
		return 1
	}
	if (!unknown)
		return 0
	printf "without a known cause: %d\n", unknown
	sorted = "sort -k1,1rn | head -n 60"
	for (i in unknown_of)
		printf "%8d %s\n", unknown_of[i], i | sorted
	close(sorted)
	return 1
}
