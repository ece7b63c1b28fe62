# SPDX-License-Identifier: GPL-2.0
# Convert what bench prints to the tables of CSV that "measurements" puts into the documentation.

# Begin a table: its name, and that of its first column. The printed line has the others.
function head(name, first,	i) {
	table = name
	printf "table,%s,%s", name, first
	for (i = 1; i <= NF; i++)
		printf ",%s", $i
	print ""
	kernels = NF - 1
}

# Columns are the last fields of a line. If a kernel has two, the second is the ratio.
function row(	fields, first, i, name) {
	fields = $0 ~ /^geometric mean/ ? kernels : table == "calls" ? 2 * kernels + 1 : kernels + 1
	first = NF - fields + 1
	name = $1
	for (i = 2; i < first; i++)
		name = name " " $i
	printf "%s,%s,%s", table, name, fields == kernels ? "" : $(first++)
	for (; first <= NF; first += 1 + (fields > kernels + 1))
		# The calls' ratios have two decimals, and so has their mean.
		printf table == "calls" && fields == kernels ? ",%.2f" : ",%s", $(first + (fields > kernels + 1))
	print ""
}

function figure(name, value) {
	sub(/,$/, "", value)
	figures = figures "figures," name "," value "\n"
}

/^Guest instructions/		{ begin = "calls" }
/^The same with/		{ begin = "" }
/^Whole workloads: guest/	{ begin = "workloads" }
/^Whole workloads: the time/	{ begin = "time" }
begin != "" && $1 == "without"	{ head(begin, begin == "calls" ? "call" : "workload"); next }
$1 == "target" || !NF		{ table = begin = "" }
table != ""			{ row() }
/ streamed .* times as many/	{ events = events "events," $2 "," substr($8, 2, length($8) - 3) "," $4 "," $9 "\n" }
/^with cache lines tracked/	{ figure("cache lines tracked: times the instructions of accesses alone", $6) }
/^with calls counted/		{ figure("calls counted: times the instructions of the kernel without", $4) }
/^with objects recorded with stacks/ {
	figure("objects recorded with stacks: times the instructions of the kernel without", $6)
}
/^with all kinds of objects/	{
	figure("all kinds of objects recorded: times the instructions of the kernel without", $7)
	figure("the same with accesses", $12)
	figure("the same in a used pool", $14)
	figure("the same while they retire", $16)
}
/^filtered to one function/	{
	figure("sites of vfs_read only: times the instructions of the kernel without", substr($5, 1, length($5) - 1))
	figure("the same: more than with objects alone", $8)
	figure("the same and objects of the cache filp: times the instructions of the kernel without", substr($17, 1, length($17) - 1))
}
/^switching /			{
	figure("sites", $2)
	figure("switching all sites on (ms)", $5)
	figure("switching all sites off (ms)", $8)
}
/^cat kmap:/			{ figure("lines of kmap read in a second", $3) }
/^two readers at once/		{ figure("time of two readers at once: times that of one", $10) }
/^two CPUs against one/		{
	figure("time on two CPUs: times that on one (without)", $13)
	figure("time on two CPUs: times that on one (accesses)", $16)
}
/^bytes per access entry/	{ figure("bytes of an access entry", $5) }
END {
	printf "table,events,stream,kernel,ratio,instructions\n%s", events
	printf "table,figures,figure,value\n%s", figures
}
