#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Test that an address gets its name from the module loaded at that time: gadget is unloaded, widget
# is loaded at its address, and kallsyms is copied at the end.
# Usage: test-modules.sh DIR, the directory of the build

. "$(dirname "$0")/common.sh"
make=$build/tests/make-trace

gadget=6761646765740000000000000000000000000001
widget=7769646765740000000000000000000000000002
escaped()
{
	echo "$1" | sed 's/../\\x&/g'
}

# notes_of ID NAME: make gadget's notes for a module of that name
notes_of()
{
	sed "s/^id .*/id $1/; s/gadget/$2/g" "$data/gadget.notes"
}

base=ffffffffc0400000
gadget_is="base=$base size=4096 init_base=ffffffffc0500000 init_size=4096 jiffies=1000 \
build_id=$(escaped $gadget) name=gadget"
widget_is="base=$base size=4096 init_base=ffffffffc0500000 init_size=4096 jiffies=3000 \
build_id=$(escaped $widget) name=widget"
# uses NAME: print a module's events, at the same addresses as the other's
uses()
{
	cat <<-END
		mark text=$1
		alloc kind=0 call_site=ffffffffc0500010 ptr=ffff888000001000 bytes_req=64 bytes_alloc=64 pid=7
		access ip=ffffffffc0400051 ptr=ffff888000001008 size=8 kind=3 pid=7
		access ip=ffffffffc0400050 ptr=ffff888000001008 size=8 kind=1
		free kind=0 call_site=ffffffffc0400060 ptr=ffff888000001000 bytes=64 pid=7
		lock op=1 ip=ffffffffc0400070 lock=ffff888000002000 name=a_lock
		alloc kind=0 call_site=ffffffff81000010 ptr=ffff888000001000 bytes_req=8 bytes_alloc=8
		free kind=0 call_site=ffffffff81000020 ptr=ffff888000001000 bytes=8
	END
}

{
	echo "switch allocations=1 accesses=1"
	echo "module loaded=1 $gadget_is"
	uses gadget
	echo "module loaded=0 $gadget_is"
	echo "module loaded=1 $widget_is"
	uses widget
} | "$make" "$tmp/trace"
mkdir "$tmp/trace/kernel"
cat >"$tmp/trace/kernel/kallsyms" <<-END
	ffffffff81000000 T _stext
	ffffffff81000000 T kernel_function
	ffffffff81002000 T _etext
	ffffffffc0400000 t widget_open	[widget]
	ffffffffc0400040 t widget_irq	[widget]
END
echo "widget $widget" >"$tmp/trace/kernel/notes.modules"

# names [OPTION]...: print name or address of each site in modules in script's output
names()
{
	"$memorizer" script --csv "$@" "$tmp/trace" >"$tmp/out" 2>"$tmp/err" || cat "$tmp/err"
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["site"] ~ /^ffffffffc/ { print $at["site"] "=" $at["site_name"] }' "$tmp/out" | xargs
}

# as NAME PROBE IRQ: print the expected output of names() for one module
as()
{
	echo "ffffffffc0500010=$1 ffffffffc0400051=$2 ffffffffc0400050=$2 ffffffffc0400060=$2 \
ffffffffc0400070=$2" | sed "s/ffffffffc04000\(..\)=X/ffffffffc04000\1=$2/g"
}

unnamed="ffffffffc0500010=[gadget+0x10] ffffffffc0400051=[gadget+0x51] ffffffffc0400050=[gadget+0x50] \
ffffffffc0400060=[gadget+0x60] ffffffffc0400070=[gadget+0x70]"
widgets="ffffffffc0400051=widget_irq+0x11/0x1fc0 [widget] ffffffffc0400050=widget_irq+0x10/0x1fc0 [widget] \
ffffffffc0400060=widget_irq+0x20/0x1fc0 [widget] ffffffffc0400070=widget_irq+0x30/0x1fc0 [widget]"
same "an unloaded module does not get the names of the one at its address" \
	"$unnamed ffffffffc0500010=[widget+0x10] $widgets" "$(names)"

# Symbols that record saved while gadget was loaded, including its init text
cat >"$tmp/saved" <<-END
	module other ffffffffc0400000 $gadget
	ffffffffc0400000 t other_function	[other]
	module gadget ffffffffc0400000 00
	ffffffffc0400000 t gadget_of_another_build	[gadget]
	module gadget ffffffffc0400000 $gadget
	ffffffffc0400000 t gadget_open	[gadget]
	ffffffffc0400040 t gadget_irq	[gadget]
	ffffffffc0500000 t gadget_probe	[gadget]
	module widget ffffffffc0400000 $widget
	ffffffffc0400000 t widget_open	[widget]
	ffffffffc0400040 t widget_irq	[widget]
END
gadgets="ffffffffc0500010=gadget_probe+0x10/0x1000 [gadget] ffffffffc0400051=gadget_irq+0x11/0xfc0 [gadget] \
ffffffffc0400050=gadget_irq+0x10/0xfc0 [gadget] ffffffffc0400060=gadget_irq+0x20/0xfc0 [gadget] \
ffffffffc0400070=gadget_irq+0x30/0xfc0 [gadget]"
cp "$tmp/saved" "$tmp/trace/kernel/kallsyms.modules"
same "an unloaded module has its saved symbols" "$gadgets ffffffffc0500010=[widget+0x10] $widgets" "$(names)"
tar -C "$tmp" -cf "$tmp/trace.tar" trace
"$memorizer" script --csv "$tmp/trace" >"$tmp/want"
"$memorizer" script --csv "$tmp/trace.tar" >"$tmp/got"
equal "saved symbols work in an archive" "$tmp/want" "$tmp/got"
sed "s/ $gadget/ -/; s/ 00$/ -/" "$tmp/saved" >"$tmp/trace/kernel/kallsyms.modules"
same "saved symbols of another build are not used" "$unnamed ffffffffc0500010=[widget+0x10] $widgets" "$(names)"
sed 's/^module widget [^ ]*/module widget ffffffffc0401000/' "$tmp/saved" >"$tmp/trace/kernel/kallsyms.modules"
same "saved symbols of another address are not used" \
	"$gadgets ffffffffc0500010=[widget+0x10] $(echo "$widgets" |
		sed 's/=widget_irq+0x\(.\)\([^ ]*\) .widget./=[widget+0x\1]/g; s/+0x11\]/+0x51]/; s/+0x10\]/+0x50]/
		     s/+0x1\]/+0x51]/; s/+0x1\]/+0x50]/; s/+0x2\]/+0x60]/; s/+0x3\]/+0x70]/')" "$(names)"
rm "$tmp/trace/kernel/kallsyms.modules"

# The files of both modules
mkdir -p "$tmp/modules/kernel" "$tmp/modules/dkms"
notes_of $gadget gadget | python3 -B "$here/make-notes.py" "$tmp/modules/kernel/gadget.ko"
notes_of 0123 gadget | sed 's/gadget_/wrong_/' | python3 -B "$here/make-notes.py" "$tmp/modules/dkms/gadget.ko"
notes_of $widget widget | python3 -B "$here/make-notes.py" "$tmp/modules/widget.ko"
exact="ffffffffc0500010=gadget_probe+0x10/0x80 [gadget] ffffffffc0400051=gadget_irq+0x11/0x80 [gadget] \
ffffffffc0400050=gadget_irq+0x10/0x80 [gadget] ffffffffc0400060=gadget_irq+0x20/0x80 [gadget] \
ffffffffc0400070=gadget_irq+0x30/0x80 [gadget]"
same "names come from the file of the same build, also for init text" \
	"$exact ffffffffc0500010=widget_probe+0x10/0x80 [widget] $widgets" "$(names -M "$tmp/modules")"
rm "$tmp/modules/kernel/gadget.ko"
same "names do not come from another build" "$unnamed ffffffffc0500010=widget_probe+0x10/0x80 [widget] $widgets" \
	"$(names -M "$tmp/modules")"
notes_of $gadget gadget | sed 's/^function 40 80/function 40 1080/' |
	python3 -B "$here/make-notes.py" "$tmp/modules/kernel/gadget.ko"
same "names do not come from a file with smaller text" "ffffffffc0400050=[gadget+0x50]" \
	"$(names -M "$tmp/modules" | tr ' ' '\n' | grep 50=.gadget)"
notes_of $gadget gadget | python3 -B "$here/make-notes.py" "$tmp/modules/kernel/gadget.ko"

# Types belong to the module of that time, too
fields()
{
	"$memorizer" script --csv -M "$tmp/modules" "$tmp/trace" 2>"$tmp/err" |
		awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			$1 == "access" || $1 == "alloc" && $at["site"] ~ /^ffffffffc/ {
				print $at["type"] ":" $at["field"] }' | xargs
}
same "types come from the module's file" "gadget: link:next gadget:all[] widget: link:next widget:all[]" "$(fields)"

# All commands that name code: both modules have their own rows, with the same addresses
"$memorizer" report --csv -M "$tmp/modules" "$tmp/trace" >"$tmp/out" 2>"$tmp/err"
same "report has call sites of both modules" "ffffffffc0500010 gadget_probe+0x10/0x80 [gadget] \
ffffffffc0500010 widget_probe+0x10/0x80 [widget]" \
	"$(grep '^sites,.*0500010' "$tmp/out" | cut -d, -f 2,3 | sort | tr ', ' '  ' | xargs)"
same "report has functions of both modules" "ffffffffc0400040 gadget_irq [gadget] ffffffffc0400040 widget_irq [widget]" \
	"$(grep '^functions,.*irq' "$tmp/out" | cut -d, -f 2,3 | sort | tr ',' ' ' | xargs)"
same "--site finds both modules" "64" "$("$memorizer" report --csv --site gadget_probe -M "$tmp/modules" "$tmp/trace" |
	sed -n 's/^sites,ffffffffc0500010,gadget_probe[^,]*,gadget,\([0-9]*\),.*/\1/p')"
for command in fold "diff --all $tmp/trace" "html -o $tmp/page"; do
	# shellcheck disable=SC2086 # a command and its options
	"$memorizer" $command -M "$tmp/modules" "$tmp/trace" >"$tmp/out" 2>"$tmp/err"
	[ ! -e "$tmp/page" ] || cp "$tmp/page" "$tmp/out"
	grep -q "gadget_irq" "$tmp/out" && grep -q "widget_irq" "$tmp/out"
	ok $? "${command%% *} has functions of both modules"
done

i=0
# Objects and counts are older than their events: gadget was loaded at jiffy 1000, widget at 3000
{
	echo "switch retirements=1"
	echo "module loaded=1 $gadget_is"
	echo "module loaded=1 $widget_is"
	while read -r alloc free state; do
		i=$((i + 1))
		echo "object object=$i state=$state alloc_site=ffffffffc0400060 ptr=ffff88800000${i}000 \
bytes_req=8 alloc_jiffies=$alloc free_jiffies=$free free_site=ffffffffc0400070"
		echo "counts object=$i ip=ffffffffc0400050 writes=1 reads=1"
	done <<-END
		1500 2000 2
		3500 4000 2
		1500 4000 2
		500 600 2
		2500 0 1
		3000 3000 2
	END
} | "$make" "$tmp/past"
cp -r "$tmp/trace/kernel" "$tmp/past/"
cp "$tmp/saved" "$tmp/past/kernel/kallsyms.modules"
"$memorizer" script --csv "$tmp/past" 2>"$tmp/err" >"$tmp/out"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	function module(name) { return name ~ /gadget/ ? "gadget" : name ~ /widget/ ? "widget" : "-" }
	$1 == "object" { printf "%s %s ", module($at["site_name"]), module($at["free_site_name"]) }
	$1 == "counts" { print module($at["site_name"]) }' "$tmp/out" >"$tmp/got"
cat >"$tmp/want" <<-END
	gadget gadget gadget
	widget widget widget
	gadget widget -
	- - -
	gadget - -
	- - -
END
equal "older objects are named by their own time" "$tmp/want" "$tmp/got"
"$memorizer" kmap "$tmp/past" | grep -A 1 '^ffffffffc0400060,[0-9]*,ffff888000001000' >"$tmp/want"
"$memorizer" kmap --site gadget_irq "$tmp/past" | head -n 2 >"$tmp/got"
equal "kmap filters by these names and writes addresses" "$tmp/want" "$tmp/got"

# Data, too: gadget's has no name, because kallsyms is copied at the end
data_of()
{
	for i in 1 2 3; do
		printf '%s\n' "cpu 0" "time $(($1 + 20 * i))" \
			"access ip=ffffffff81000010 ptr=ffffffffc0402008 size=8 kind=2" \
			"cpu 1" "time $(($1 + 20 * i + 10))" \
			"access ip=ffffffff81000020 ptr=ffffffffc0402008 size=8 kind=2"
	done
}
{
	printf '%s\n' "switch accesses=1" "module loaded=1 $gadget_is"
	data_of 2000
	printf '%s\n' "cpu 0" "time 3000" "module loaded=1 $widget_is"
	data_of 4000
} | "$make" "$tmp/data"
cp -r "$tmp/trace/kernel" "$tmp/data/"
echo "ffffffffc0402000 d widget_data	[widget]" >>"$tmp/data/kernel/kallsyms"
"$memorizer" sharing --csv "$tmp/data" >"$tmp/out" 2>"$tmp/err"
same "data of an unloaded module is not named by another" "[unknown] 3 widget_data 3 [unknown] 3 widget_data 3" \
	"$(sed -n 's/^pareto,[^,]*,[^,]*,\([^,]*\),,0,8,\([0-9]*\),.*/\1 \2/p' "$tmp/out" | xargs)"
tap_end
