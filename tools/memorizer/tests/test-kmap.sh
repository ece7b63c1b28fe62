#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Test the command memorizer: output, messages and exit status.
# Usage: test-kmap.sh DIR, the directory of a build; CC is the compiler for the fake vmlinux.

. "$(dirname "$0")/common.sh"

vmlinux()
{
	output=$1
	shift
	${CC:-cc} "$@" -fno-asynchronous-unwind-tables -fno-pie -no-pie -nostdlib -static \
		-Wl,-Ttext=0xffffffff81000000 -Wl,--build-id=none -Wl,-e,0 -o "$output" \
		"$here/vmlinux/lib/layout.c" "$here/vmlinux/init/main.c" || exit 1
}

vmlinux "$tmp/vmlinux" -O0 -g
vmlinux "$tmp/plain" -O2
vmlinux "$tmp/stripped" -O2 -s
${CC:-cc} -c -o "$tmp/module.ko" "$here/vmlinux/init/main.c" || exit 1
sed 's/ffffffff9b/ffffffff81/g' "$data/session.kmap" >"$tmp/unmoved.kmap"
sed 's/ffffffff9b000240/ffffffff9b000250/' "$data/kallsyms" >"$tmp/other"
sed 's/^[0-9a-f]*/0000000000000000/' "$data/kallsyms" >"$tmp/zeros"
grep -v 'T _' "$data/kallsyms" >"$tmp/few"

# Output
# lost MISSING ALL: print the message about addresses without a symbol
lost()
{
	echo "memorizer: $1 of $2 addresses have no symbol: \
use --kallsyms of the traced boot"
}

lost=$(lost 1 9)
outcome "report finds names despite KASLR" 0 "$data/report.txt" "$lost" \
	report --vmlinux "$tmp/vmlinux" --kallsyms "$data/kallsyms" "$data/session.kmap"
outcome "report --json prints JSON" 0 "$data/report.json" "$lost" \
	report --json -k "$tmp/vmlinux" -K "$data/kallsyms" "$data/session.kmap"
outcome "report --csv prints CSV" 0 "$data/report.csv" "$lost" \
	report --csv -k "$tmp/vmlinux" -K "$data/kallsyms" "$data/session.kmap"
{ cat "$data/kallsyms"; echo "ffffffff9b400000 d before"; echo "ffffffff9b400128 D vmemmap_base"; } >"$tmp/data"
{ cat "$data/session.kmap"; echo "ffffffff9b400128,0,ffffea0000000040,64,0,0,0,swapper"; } >"$tmp/data.kmap"
"$memorizer" symbolize -K "$tmp/data" "$tmp/data.kmap" 2>/dev/null | tail -n 1 >"$tmp/named"
same "an object that no code allocated has the name of data" \
	"vmemmap_base+0x0/0x1ed8,0,ffffea0000000040,64,0,0,0,swapper" "$(cat "$tmp/named")"
# The first variable behind a module's text, and a per-CPU variable.
{ echo "000000000001a940 A runqueues"; echo "000000000001b540 A after"; cat "$data/kallsyms"; } >"$tmp/data"
{
	cat "$data/session.kmap"
	echo "ffffffffc0402000,0,ffffffffc0402000,32,0,0,0,swapper"
	echo "1a940,0,ffff88803bc1a940,3072,0,0,0,swapper"
} >"$tmp/data.kmap"
"$memorizer" symbolize -K "$tmp/data" "$tmp/data.kmap" 2>/dev/null | tail -n 2 | cut -d , -f 1 >"$tmp/named"
same "variables have their names" "gadget_driver+0x0/" \
	"$(sed -n '1s/\(.*\/\).*/\1/p' "$tmp/named")"
same "a per-CPU variable has its name" "runqueues+0x0/0xc00" "$(sed -n 2p "$tmp/named")"
outcome "report without symbols has addresses, and accepts --sort and --top" 0 \
	"$data/report-top.txt" "" report --sort bytes --top 1 "$data/session.kmap"
outcome "report sorts by name" 0 "$data/report-name.txt" "$lost" \
	report -s name -n 0 -K "$data/kallsyms" "$data/session.kmap"
input=$data/session.kmap
outcome "report reads standard input" 0 "$data/report.txt" "$lost" \
	report -k "$tmp/vmlinux" -K "$data/kallsyms"
outcome "symbolize writes names" 0 "$data/symbolized.kmap" "$(lost 1 10)" \
	symbolize --vmlinux "$tmp/vmlinux" --kallsyms "$data/kallsyms" -
input=
sed 's|widget_read\(.*\)/0x70|read_mark\1/0x80|' "$data/symbolized.kmap" >"$tmp/marked.sym"
outcome "symbolize works with kallsyms alone" 0 "$tmp/marked.sym" "$(lost 1 10)" \
	symbolize --kallsyms "$data/kallsyms" "$data/session.kmap"
{
	sed -n 1,7p "$data/symbolized.kmap"
	sed -n '8,$p' "$tmp/unmoved.kmap"
} >"$tmp/unmoved.sym"
outcome "symbolize works with vmlinux alone if KASLR was off" 0 "$tmp/unmoved.sym" \
	"$(lost 4 10), which covers KASLR and modules" \
	symbolize --vmlinux "$tmp/vmlinux" "$tmp/unmoved.kmap"
outcome "symbolize needs kallsyms if KASLR was on" 0 "$data/session.kmap" \
	"$(lost 10 10), which covers KASLR and modules" \
	symbolize --vmlinux "$tmp/vmlinux" "$data/session.kmap"
printf '%s T odd\n' 00000000deadb000 fffffffffffff000 >"$tmp/odd"
printf '1,1,1,1,1,2,%s,a\n' deadbeef 0 >"$tmp/odd.kmap"
outcome "symbolize does not symbolize free_ip deadbeef" 0 "$tmp/odd.kmap" \
	"$(lost 1 1)" \
	symbolize -K "$tmp/odd" "$tmp/odd.kmap"
cat >"$tmp/start.kmap" <<END
ffffffff9b000241,1,0010,1,1,0,0,a
  ffffffff9b000240,2,0,1
END
cat >"$tmp/start.sym" <<END
start_kernel+0x1/SIZE (init/main.c:4),1,0010,1,1,0,0,a
  start_kernel+0x0/SIZE (init/main.c:4),2,0,1
END
size=$("$memorizer" symbolize -k "$tmp/vmlinux" -K "$data/kallsyms" "$tmp/start.kmap" |
	sed -n '1s/.*\(0x[0-9a-f]*\),1,.*/\1/p')
printf 'ffffffff9b000%x,1,0020,1,1,0,0,a\n' $((0x240 + size)) >>"$tmp/start.kmap"
echo "start_kernel+SIZE/SIZE (init/main.c:5),1,0020,1,1,0,0,a" >>"$tmp/start.sym"
sed -i "s/SIZE/$size/g" "$tmp/start.sym"
outcome "symbolize --lines adds file and line" 0 "$tmp/start.sym" "" \
	symbolize --lines -k "$tmp/vmlinux" -K "$data/kallsyms" "$tmp/start.kmap"
sed 's/ (.*),1,/,1,/; s/ (.*),2,/,2,/' "$tmp/start.sym" >"$tmp/start.plain"
outcome "symbolize without --lines does not" 0 "$tmp/start.plain" "" \
	symbolize -k "$tmp/vmlinux" -K "$data/kallsyms" "$tmp/start.kmap"

# Accesses by spinning functions: a clone of one, and one whose name only starts like one
cat >"$tmp/spin.kallsyms" <<END
ffffffff9b000000 T _stext
ffffffff9b000010 t maker
ffffffff9b000110 t mutex_spin_on_owner.part.0
ffffffff9b000120 t osq_lockers
ffffffff9b000200 T _etext
END
cat >"$tmp/spin.kmap" <<END
ffffffff9b000014,1,0010,8,1,0,0,a
  ffffffff9b000114,2,1,1000
  ffffffff9b000124,2,3,4
ffffffff9b000014,1,0020,64,1,0,0,a
  ffffffff9b000114,2,0,20
END
# counts OPTION...: print accesses and those left out, in total and by function
counts()
{
	"$memorizer" report --csv -K "$tmp/spin.kallsyms" "$@" "$tmp/spin.kmap" |
		awk -F, '/^summary,(accesses|waiting),/ { printf "%s ", $3 }
			 $1 == "functions" && !/,start,/ { printf "%s %s %s ", $3, $4, $5 }'
}
same "report counts accesses by functions that spin" \
	"1028 mutex_spin_on_owner.part.0 1020 1 osq_lockers 4 3 " "$(counts)"
same "report --no-wait leaves out spinning functions and shows their sum" "7 1021 osq_lockers 4 3 " "$(counts --no-wait)"
cat >"$tmp/brief.txt" <<END
2 objects allocated, 2 live at the end; 4 reads and 3 writes.
Left out: 1021 accesses by functions that spin until a lock or a CPU is free.

ALLOCATION SITES
-----------------------------------------------------------------
 Callsite                           | Total_req/Per | Hit | Live
-----------------------------------------------------------------
 maker+0x4/0x100                    |         72/36 |   2 |    2
-----------------------------------------------------------------

ACCESSES, BY FUNCTION AND ALLOCATION SITE
-----------------------------------------------------------------------
 Function                           | Callsite        | Reads | Writes
-----------------------------------------------------------------------
 osq_lockers                        | maker+0x4/0x100 |     4 |      3
-----------------------------------------------------------------------
END
outcome "report --brief prints one screen" 0 "$tmp/brief.txt" "" \
	report --brief -K "$tmp/spin.kallsyms" "$tmp/spin.kmap"

# Malformed lines
{
	sed -n 1,2p "$data/session.kmap"
	echo "  ffffffff9b000190,101,7"
	echo "not a KMAP"
	sed -n 3p "$data/session.kmap"
	printf '\0\377\n'
	sed -n '5,$p' "$data/session.kmap"
	printf cut
} >"$tmp/bad.kmap"
sed 3,6d "$tmp/marked.sym" >"$tmp/bad.sym"
object="an object line has 8: \
alloc_ip,pid,obj_va_ptr,size,alloc_jiffies,free_jiffies,free_ip,executable"
errors=$(cat <<END
$tmp/bad.kmap:3: field count is 3, an access line has 4: access_ip,access_pid,write_count,read_count
$tmp/bad.kmap:4: field count is 1, $object
$tmp/bad.kmap:6: field count is 1, $object
$tmp/bad.kmap:15: truncated: the last line must end in a newline
memorizer: $tmp/bad.kmap: skipped 4 malformed lines and 3 lines of malformed objects
END
)
outcome "malformed lines are reported with their numbers, others are processed" 1 "$tmp/bad.sym" \
	"$(echo "$errors" | sed '$d'; lost 1 7; echo "$errors" | tail -n 1)" symbolize -K "$data/kallsyms" "$tmp/bad.kmap"
"$memorizer" report "$tmp/bad.kmap" >"$tmp/bad.txt" 2>/dev/null
grep -q '^Objects  *4$' "$tmp/bad.txt"
ok $? "the report counts the other lines"
outcome "report reports malformed lines" 1 "$tmp/bad.txt" "$errors" report "$tmp/bad.kmap"
input=$tmp/bad.kmap
outcome "messages call standard input <stdin>" 1 "$tmp/bad.txt" \
	"$(echo "$errors" | sed "s|$tmp/bad.kmap|<stdin>|")" report -
input=
awk 'BEGIN { for (i = 0; i < 100000; i++) print "bad" }' >"$tmp/flood.kmap"
"$memorizer" report "$tmp/flood.kmap" >"$tmp/out" 2>"$tmp/err"
same "twenty malformed lines and their number are reported" \
	"1 22 100000 malformed lines" \
	"$? $(wc -l <"$tmp/err") $(grep -o '[0-9]* malformed lines' "$tmp/err")"
{
	echo 1,1,1,18446744073709551615,1,0,0,a
	echo 1,1,2,1,1,0,0,a
} >"$tmp/huge.kmap"
"$memorizer" report "$tmp/huge.kmap" >"$tmp/huge.txt" 2>/dev/null
grep -q '^Bytes requested  *18446744073709551615$' "$tmp/huge.txt"
ok $? "a sum beyond 64 bits saturates"
outcome "a saturated sum is reported" 1 "$tmp/huge.txt" \
	"memorizer: a sum exceeds 64 bits and is printed as 18446744073709551615" \
	report "$tmp/huge.kmap"

# Wrong usage and unusable files: no output, exit status 2
# refuse NAME ERR ARGUMENTS...
refuse()
{
	name=$1 err=$2
	shift 2
	outcome "$name" 2 /dev/null "$err" "$@"
}

hint="Try 'memorizer help report'."
session=$data/session.kmap
refuse "a missing command is refused" "memorizer: no command
Try 'memorizer help'."
refuse "an unknown command is refused" "memorizer: no command 'frob'
Try 'memorizer help'." frob
refuse "help for an unknown command is refused" "memorizer: no command 'frob'
Try 'memorizer help'." help frob
"$memorizer" report --frob "$session" >"$tmp/out" 2>"$tmp/err"
same "an unknown option is refused" "2   Error: unknown option \`frob' 0" \
	"$? $(head -n 1 "$tmp/err") $(wc -c <"$tmp/out")"
grep -q "^ Usage: memorizer report " "$tmp/err"
ok $? "its message has the usage"
"$memorizer" report --top >"$tmp/out" 2>"$tmp/err"
same "a missing argument is refused" "2  Error: option \`top' requires a value 0" \
	"$? $(head -n 1 "$tmp/err") $(wc -c <"$tmp/out")"
"$memorizer" report --json=yes "$session" >"$tmp/out" 2>"$tmp/err"
same "an argument too many is refused" "2  Error: option \`json' takes no value 0" \
	"$? $(head -n 1 "$tmp/err") $(wc -c <"$tmp/out")"
"$memorizer" report "$session" >"$tmp/text" 2>"$tmp/err"
outcome "a flag is reset by --no-, and an option abbreviated" 0 "$tmp/text" "$(cat "$tmp/err")" \
	report --js --no-json "$session"
"$memorizer" report --p 1 "$session" >"$tmp/out" 2>"$tmp/err"
same "an ambiguous option is refused" "2  Error: Ambiguous option: p (could be --percent or --pid) 0" \
	"$? $(head -n 1 "$tmp/err") $(wc -c <"$tmp/out")"
refuse "an invalid --top is refused" "memorizer report: --top -1: want a number from 0 to 4294967295
$hint" report --top -1 "$session"
refuse "a --top out of range is refused" "memorizer report: --top 4294967296: want a number from 0 to 4294967295
$hint" report --top 4294967296 "$session"
refuse "an unknown sort key is refused" \
	"memorizer report: --sort sizes: want a column, by its key in JSON, or name, type or field
$hint" report --sort sizes "$session"
"$memorizer" report --sort held "$session" >"$tmp/out" 2>"$tmp/err"
same "a sort key without a column is refused" "2 memorizer report: --sort held: no table has this column" \
	"$? $(cat "$tmp/err")"
refuse "a site that does not occur is reported" "memorizer: $session: nothing matches --site nobody" \
	report --site nobody "$session"
refuse "a comm that does not occur is reported" "memorizer: $session: nothing matches --comm nobody" \
	report --comm nobody "$session"
refuse "a pid that does not occur is reported" "memorizer: $session: nothing matches --pid 4711" \
	report --pid 4711 "$session"
refuse "two KMAPs are refused" "memorizer: 2 input files: expected one, or - for standard input" \
	report "$session" "$session"
refuse "a missing KMAP is refused" "memorizer: $tmp/none: No such file or directory" report "$tmp/none"
refuse "an unreadable KMAP is refused" "memorizer: $tmp: Is a directory" \
	symbolize -K "$data/kallsyms" "$tmp"
refuse "symbolize without symbols is refused" \
	"memorizer symbolize: nothing to take symbols from: give --vmlinux, --kallsyms or both
Try 'memorizer help symbolize'." symbolize "$session"
refuse "--lines without vmlinux is refused" \
	"memorizer symbolize: --lines takes lines from a vmlinux: give --vmlinux too
Try 'memorizer help symbolize'." symbolize --lines -K "$data/kallsyms" "$session"
refuse "a missing vmlinux is refused" "memorizer: $tmp/none: No such file or directory" \
	report -k "$tmp/none" "$session"
refuse "a vmlinux other than ELF is refused" \
	"memorizer: $session: not an ELF file: use the vmlinux of the build, not a bzImage" \
	report -k "$session" "$session"
refuse "an object file as vmlinux is refused" \
	"memorizer: $tmp/module.ko: object file or module: use the linked vmlinux" \
	report -k "$tmp/module.ko" "$session"
refuse "a vmlinux without symbols is refused" \
	"memorizer: $tmp/stripped: no functions in the symbol table: \
use an unstripped vmlinux" \
	report -k "$tmp/stripped" "$session"
refuse "a vmlinux without lines for --lines is refused" \
	"memorizer: $tmp/plain: no line numbers (no DWARF information): \
use a vmlinux with CONFIG_DEBUG_INFO" \
	symbolize -l -k "$tmp/plain" "$session"
refuse "a missing kallsyms is refused" "memorizer: $tmp/none: No such file or directory" \
	report -K "$tmp/none" "$session"
refuse "a kallsyms without addresses is refused" \
	"memorizer: $tmp/zeros: all addresses are 0: copy /proc/kallsyms as root, with \
kptr_restrict below 2" \
	report -K "$tmp/zeros" "$session"
refuse "a kallsyms of another kernel is refused" \
	"memorizer: $tmp/vmlinux and $tmp/other are of different kernels: \
_stext to _etext is 240 bytes in one, 250 in the other" \
	report -k "$tmp/vmlinux" -K "$tmp/other" "$session"
refuse "a kallsyms without a kernel is refused" \
	"memorizer: $tmp/vmlinux and $tmp/few are of different kernels: \
no common _stext, _text or _etext" \
	report -k "$tmp/vmlinux" -K "$tmp/few" "$session"
"$memorizer" report "$session" 2>"$tmp/err" >/dev/full
[ $? -eq 2 ] && [ "$(cat "$tmp/err")" = "memorizer: standard output: No space left on device" ]
ok $? "a full disk is reported"

# A damaged vmlinux is refused or used, but nothing worse
size=$(wc -c <"$tmp/vmlinux")
worst=0
for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do
	head -c $((size * i / 20)) "$tmp/vmlinux" >"$tmp/damaged"
	"$memorizer" symbolize -l -k "$tmp/damaged" "$session" >/dev/null 2>&1
	status=$?
	[ $status -le 2 ] || worst=$status
	{
		head -c $((size * i / 20)) "$tmp/vmlinux"
		tail -c 64 "$session"
		tail -c +$((size * i / 20 + 65)) "$tmp/vmlinux"
	} >"$tmp/damaged"
	"$memorizer" symbolize -l -k "$tmp/damaged" "$tmp/unmoved.kmap" >/dev/null 2>&1
	status=$?
	[ $status -le 2 ] || worst=$status
done
ok "$worst" "a damaged vmlinux is refused or used"

# Help
"$memorizer" --version >"$tmp/out"
grep -qx 'memorizer [0-9.]*' "$tmp/out"
ok $? "--version prints the version"
"$memorizer" help >"$tmp/help"
outcome "--help prints the same as help" 0 "$tmp/help" "" --help
for command in record report symbolize; do
	grep -q "^  $command " "$tmp/help"
	ok $? "help lists $command"
	"$memorizer" $command --help | head -n 1 >"$tmp/out"
	grep -q "^memorizer $command - ." "$tmp/out"
	ok $? "$command --help begins with its name and purpose"
done
tap_end
