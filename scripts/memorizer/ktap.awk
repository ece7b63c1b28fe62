# SPDX-License-Identifier: GPL-2.0
# Count the results in a log: from its last line if that is "N passed, N failed", else the innermost KTAP results.
#
# Print every failure, then "N passed, N failed, N skipped". A planned result that
# is missing counts as failed (unless so_far is set), and so does a parent that
# failed without a failed child. A log may contain several documents, with the
# plan first or last.

function indent_of(line)
{
	match(line, /^ */)
	return RLENGTH / 4
}

function fail(what)
{
	sub(/^ */, "", what)
	failures = failures "FAIL: " what "\n"
	failed++
}

# Close a plan: at the result of its parent, at the next document, or at the end of
# the log. Return the number of failures in the plan and its results.
function settle(depth, what,	lack)
{
	lack = planned[depth] - seen[depth]
	if (planned[depth] != "" && (lack < 0 || (lack > 0 && !so_far))) {
		fail(what ": planned " planned[depth] " results, got " seen[depth])
		failed += (lack > 0 ? lack : -lack) - 1
		bad[depth]++
	}
	lack = bad[depth]
	delete planned[depth]
	delete seen[depth]
	delete bad[depth]
	return lack
}

function settle_from(depth, what,	d, sum)
{
	for (d = deepest; d >= depth; d--)
		sum += settle(d, what)
	if (deepest >= depth)
		deepest = depth - 1
	return sum
}

function enter(depth)
{
	if (depth > deepest)
		deepest = depth
}

BEGIN { deepest = -1 }

/^(KTAP|TAP) version [0-9]+/ { settle_from(0, "end of document") }

/^ *1\.\.[0-9]+/ {
	d = indent_of($0)
	settle_from(d == 0 && planned[0] != "" ? 0 : d + 1, "before " $0)
	if (planned[d] == "") {
		planned[d] = substr($1, 4) + 0
		seen[d] += 0
		enter(d)
	}
	if (d == 0 && seen[0] > 0)
		settle_from(0, $0)
}

/^ *(not )?ok( |$)/ {
	d = indent_of($0)
	parent = 0
	for (i = d + 1; i <= deepest; i++)
		parent += seen[i]
	below = deepest > d ? settle_from(d + 1, $0) : 0
	enter(d)
	seen[d]++
	if ($1 == "not") {
		bad[d]++
		if (!below)
			fail($0)
	} else if (below) {
		bad[d]++
	} else if (!parent) {
		if (toupper($0) ~ /# *SKIP/)
			skipped++
		else
			passed++
	}
}

NF { last = $0 }

END {
	settle_from(0, "end of log")
	if (last ~ /^[0-9]+ passed, [0-9]+ failed$/) {
		split(last, count)
		passed = count[1]
		failed = count[3]
		skipped = 0
	}
	printf "%s%d passed, %d failed, %d skipped\n", failures, passed, failed, skipped
}
