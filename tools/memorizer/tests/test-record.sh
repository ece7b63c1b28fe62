#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Test memorizer record; functions of this script replace the kernel.
# Usage: test-record.sh DIR, the directory of a build

. "$(dirname "$0")/common.sh"
faulty=$build/tests/memorizer-faults
terminal=$build/tests/terminal
. "$here/kernel.sh"

# copied CPU...: the trace has exactly the packets that were sent
copied()
{
	for cpu; do
		cmp "$tmp/sent.$cpu" "$tmp/trace/cpu$cpu" || return 1
	done
}

# A command
simple()
{
	exec 3<>"$m/cpu0" 4<>"$m/cpu1"
	until_is stream_allocations 1
	cat "$m"/stream_* >"$tmp/at.on"
	send 0 3 4096
	send 1 40 10000
	: >"$tmp/at.sent"
	until_is stream_allocations 0
	cat "$m"/stream_* >"$tmp/at.off"
	send 0 1 80
	send 1 1 84
	exec 3<&- 4<&-
}

debugfs 0 1
echo 4194305,1000,100,syscall,257 >"$m/contexts"
start simple
# 129 is what libsubcmd exits with after a usage.
record -o "$tmp/trace" -- sh -c "$command; echo said; exit 129"
wait $kernel
same "the command's exit status is passed on" 129 $status
same "record does not touch the command's output" said "$(cat "$tmp/out")"
copied 0 1
ok $? "all packets are copied, even those after the end"
same "the summary has packets, bytes and CPUs" \
	"memorizer: trace: 45 packets, 412452 bytes, from 2 CPUs; 0 events lost" "$(message)"
same "the stream of allocations is switched on" "1 0 0 0" "$(sort -r "$tmp/at.on" | xargs)"
same "the stream of allocations is switched off" "0 0 0 0" "$(xargs <"$tmp/at.off")"
cmp "$m/metadata" "$tmp/trace/metadata"
ok $? "the trace has the metadata"
cmp "$m/show_stats" "$tmp/trace/kernel/show_stats" &&
	cmp "$m/total_overruns" "$tmp/trace/kernel/total_overruns"
ok $? "the trace has the kernel's statistics"
same "the trace has the contexts" "4194305,1000,100,syscall,257" "$(cat "$tmp/trace/kernel/contexts" 2>&1)"
same "the trace has no incomplete file" "" "$(find "$tmp/trace" -name new)"
same "the trace has the symbols" "$(head -n 1 /proc/kallsyms 2>/dev/null)" \
	"$(head -n 1 "$tmp/trace/kernel/kallsyms" 2>/dev/null)"
same "the trace has the kernel's command line" "$(cat /proc/cmdline 2>/dev/null)" \
	"$(cat "$tmp/trace/kernel/cmdline" 2>/dev/null)"
same "the trace has the kernel's release" "$(uname -snrvm)" "$(cat "$tmp/trace/kernel/uname")"

# Each module has a build id, in a note after 16 bytes; built-in ones have none
mkdir -p "$tmp/modules/gadget/notes" "$tmp/modules/my_widget/notes" "$tmp/modules/built_in"
printf '\004\000\000\000\003\000\000\000\003\000\000\000GNU\000\001\253\357' \
	>"$tmp/modules/gadget/notes/.note.gnu.build-id"
printf '\004\000\000\000\001\000\000\000\003\000\000\000GNU\000\377' \
	>"$tmp/modules/my_widget/notes/.note.gnu.build-id"
if unshare -m true 2>"$tmp/err"; then
	cat >"$tmp/with-modules" <<-END
		#!/bin/sh
		exec unshare -m sh -c 'mount --bind "$tmp/modules" /sys/module && exec "$memorizer" "\$@"' sh "\$@"
	END
	chmod +x "$tmp/with-modules"
	here_memorizer=$memorizer
	memorizer=$tmp/with-modules
	debugfs 0 1
	start simple
	record -o "$tmp/trace" -- sh -c "$command"
	wait $kernel
	memorizer=$here_memorizer
	same "the trace has the build ids of modules" "0 gadget 01abef my_widget ff" \
		"$status $(sort "$tmp/trace/kernel/notes.modules" | xargs)"

	# Modules that are loaded and unloaded meanwhile, at the same address
	mkdir "$tmp/proc"
	echo "a command line" >"$tmp/proc/cmdline"
	echo "tailor 4096 0 - Live 0xffffffffc0300000" >"$tmp/proc/modules"
	printf '%s\n' "ffffffff81000000 T _stext" "ffffffffc0300000 t tailor_sew	[tailor]" \
		>"$tmp/proc/kallsyms"
	cat >"$tmp/with-modules" <<-END
		#!/bin/sh
		exec unshare -m sh -c 'mount --bind "$tmp/modules" /sys/module && mount --bind "$tmp/proc" /proc &&
			exec "$here_memorizer" "\$@"' sh "\$@"
	END
	cat >"$tmp/come-and-go" <<-END
		comes()
		{
			echo "\$1 4096 0 - Live 0xffffffffc0400000 (O)" >"$tmp/proc/modules"
			printf '%s\n' "ffffffff81000000 T _stext" "ffffffffc0400040 t \$1_irq	[\$1]" \
				"ffffffffc0402000 d \$1_data	[\$1]" >"$tmp/proc/kallsyms"
			until grep -q "^ffffffffc0402000 d \$1_data" "$tmp/trace/kernel/kallsyms.modules"; do
				sleep 0.1
			done
		}
		comes gadget
		comes my_widget
		: >"$tmp/proc/modules"
		echo "ffffffff81000000 T _stext" >"$tmp/proc/kallsyms"
		$command
	END
	memorizer=$tmp/with-modules
	debugfs 0 1
	start simple
	record -o "$tmp/trace" -- sh "$tmp/come-and-go"
	wait $kernel
	memorizer=$here_memorizer
	cat >"$tmp/want" <<-END
		module tailor ffffffffc0300000 -
		ffffffffc0300000 t tailor_sew	[tailor]
		module gadget ffffffffc0400000 01abef
		ffffffffc0400040 t gadget_irq	[gadget]
		ffffffffc0402000 d gadget_data	[gadget]
		module my_widget ffffffffc0400000 ff
		ffffffffc0400040 t my_widget_irq	[my_widget]
		ffffffffc0402000 d my_widget_data	[my_widget]
	END
	equal "symbols of modules are saved as they appear" "$tmp/want" "$tmp/trace/kernel/kallsyms.modules"
else
	echo "# no mount namespace: build ids of modules are not looked at"
fi

debugfs 0 1
start simple
record -o "$tmp/trace" -- sh -c "$command; kill -KILL \$\$"
wait $kernel
same "a command killed by a signal gives the shell's exit status" 137 $status
debugfs 0 1
record -o "$tmp/trace" -- "$tmp/none"
same "a missing command gives status 127" 127 $status
same "a missing command is reported" "memorizer: none: No such file or directory" "$(message | head -n 1)"

# Options
options()
{
	exec 3<>"$m/cpu0"
	until_is stream_allocations 1
	until_is stream_retirements 1
	until_is stream_accesses 1
	until_is stream_traffic 1
	until_is marker "begin of it"
	send 0 1 100 5
	: >"$tmp/at.sent"
	until_is stream_retirements 0
	until_is stream_accesses 0
	until_is stream_traffic 0
	exec 3<&-
}

debugfs 0
start options
record -o "$tmp/trace" -r -a -T --mark "begin of it" -- sh -c "$command"
wait $kernel
same "options record retirements, accesses, traffic and a mark" 0 $status
same "losses are reported, with advice" "memorizer: trace: 1 packets, 100 bytes, \
from 1 CPUs; 5 events lost: want larger memorizer.subbufs or memorizer.subbuf_size" "$(message)"

on_before()
{
	exec 3<>"$m/cpu0"
	until_is stream_retirements 1
	: >"$tmp/at.sent"
	until_is stream_allocations 0
	until_is stream_retirements 0
	send 0 1 100
	exec 3<&-
}

debugfs 0
echo 1 >"$m/stream_allocations"
start on_before
record -o "$tmp/trace" --retirements -- sh -c "$command"
wait $kernel
copied 0 && [ $status -eq 0 ]
ok $? "a stream that is already on is recorded"
same "a stream that is already on stays on" "1 0 0" \
	"$(cat "$m/stream_allocations" "$m/stream_retirements" "$m/stream_accesses" | xargs)"
same "record warns of a stream that was on" "memorizer: debugfs/memorizer/stream_allocations: already on, and stays on: 'memorizer record --restore' restores it after a killed recorder, echo 0 disables it" \
	"$(message | head -n 1)"

# Entries, locks and scopes; scoped is switched on before accesses, and off after them
context()
{
	exec 3<>"$m/cpu0"
	until_is stream_scoped 1
	until_is stream_accesses 1
	cat "$m/stream_scoped" >"$tmp/at.on"
	until_is stream_traffic 1
	until_is stream_entries 1
	until_is stream_locks 1
	send 0 1 100
	: >"$tmp/at.sent"
	until_is stream_locks 0
	until_is stream_entries 0
	until_is stream_traffic 0
	until_is stream_accesses 0
	until_is stream_scoped 0
	exec 3<&-
}

debugfs 0
for file in scoped traffic entries locks; do
	echo 0 >"$m/stream_$file"
done
start context
record -o "$tmp/trace" -a --traffic --entries --locks --scoped -- sh -c "$command"
wait $kernel
same "options record traffic, entries, locks and scopes" "0 1" "$status $(head -n 1 "$tmp/at.on")"
debugfs 0
record -o "$tmp/trace" --entries --for 1ms
same "a kernel without entries is refused" "2 memorizer: debugfs/memorizer/stream_entries: No such file \
or directory: not in this kernel, want a later one" "$status $(message | head -n 1)"
record -o "$tmp/trace" --scoped --for 1ms
same "--scoped needs accesses or traffic" "2 memorizer record: --scoped: want --accesses or --traffic, too" "$status $(head -n 1 "$tmp/err")"

# The kernel's filter; with it, accesses are logged while they are recorded
narrowed()
{
	exec 3<>"$m/cpu0"
	until_is stream_accesses 1
	until_is memorizer_log_access 1
	cp "$m/memorizer_filter" "$tmp/at.filter"
	cp "$m/memorizer_fields" "$tmp/at.fields"
	cp "$m/memorizer_cgroup" "$tmp/at.cgroups"
	send 0 1 100
	: >"$tmp/at.sent"
	until_is stream_accesses 0
	cat "$m/memorizer_log_access" >"$tmp/at.off"
	exec 3<&-
}

# The kernel's task filter
chooses()
{
	exec 3<>"$m/cpu0"
	until_is memorizer_log_access 1
	# A command is selected after that, in a file that is empty until it is written.
	while running && ! grep -q '^[0-9]' "$m/memorizer_pid"; do
		sleep 0.02
	done
	cat "$m/memorizer_pid" "$m/memorizer_pid_fork" >"$tmp/at.pids"
	send 0 1 100
	: >"$tmp/at.sent"
	until_is stream_accesses 0
	exec 3<&-
}

# chooses_tasks BEFORE ARGUMENTS...: record with the arguments; BEFORE are the tasks selected before
chooses_tasks()
{
	debugfs 0
	echo 0 >"$m/memorizer_log_access"
	printf '%s' "$1" >"$m/memorizer_pid"
	echo 1 >"$m/memorizer_pid_fork"
	shift
	start chooses
	record -o "$tmp/trace" --accesses "$@"
	wait $kernel
}

# narrows LOGGING FILTER ARGUMENTS...: record with the arguments, given the previous settings
narrows()
{
	debugfs 0
	echo "$1" >"$m/memorizer_log_access"
	printf '%s' "$2" >"$m/memorizer_filter"
	printf '%s' "$2" >"$tmp/want"
	echo "cache:before" >"$m/memorizer_fields"
	echo "/before" >"$m/memorizer_cgroup"
	echo "1,1,1000,8,1,0,0,a" >"$m/kmap_fields"
	shift 2
	start narrowed
	record -o "$tmp/trace" "$@" -- sh -c "$command"
	wait $kernel
}

narrows 0 "before*
" --accesses --function 'ext4_*,!ext4_da_*' --module ext4 --file 'fs/*' --function 'jbd2_[a-c]*'
same "record sets the kernel's filter" "0 function:ext4_* !function:ext4_da_* module:ext4 file:fs/* function:jbd2_[a-c]*" \
	"$status $(xargs <"$tmp/at.filter")"
same "logging is off before the stream is" 0 "$(cat "$tmp/at.off")"
cmp "$tmp/want" "$m/memorizer_filter" && [ "$(cat "$m/memorizer_log_access")" = 0 ]
ok $? "the filter is restored, and logging is off again"
debugfs 0
echo 0 >"$m/memorizer_log_access"
: | tee "$m/memorizer_filter" "$m/memorizer_fields" >"$m/memorizer_cgroup"
echo 1 >"$m/stream_allocations"
start narrowed
record -o "$tmp/trace" --accesses --module vmlinux -- \
	sh -c "$command; rm '$m/memorizer_filter'; mkdir '$m/memorizer_filter'"
wait $kernel
same "switches are restored even if a filter cannot be" "2 1 0 Is a directory" "$status \
$(cat "$m/stream_allocations" "$m/stream_accesses" | xargs) $(grep -o 'Is a directory' "$tmp/err")"
narrows 1 "" --accesses --module vmlinux
same "an empty filter is restored" "0 module:vmlinux -" \
	"$status $(cat "$tmp/at.filter") $(tr -d '\n' <"$m/memorizer_filter")-"
same "logging that was on stays on" "1 1" "$(cat "$tmp/at.off" "$m/memorizer_log_access" | xargs)"
narrows 0 "" --accesses --module 'snd-hda-*,!snd-[a-c]-?,[x-' --function 'a-b'
same "module names may have the hyphens of their files" "0 module:snd_hda_* !module:snd_[a-c]_? module:[x- \
function:a-b" "$status $(xargs <"$tmp/at.filter")"
narrows 0 "$(seq -f function_%g 1000)
" --accesses --module vmlinux
cmp "$tmp/want" "$m/memorizer_filter"
ok $? "a filter longer than one write is restored"

# A killed recorder leaves the kernel's settings changed
killed()
{
	exec 3<>"$m/cpu0"
	until_is stream_accesses 1
	until_is memorizer_log_access 1
	: >"$tmp/at.sent"
	until_there "$tmp/ended"
	exec 3<&-
}

# settings: print all settings that a recorder changes
settings()
{
	(cd "$m" && grep . stream_* memorizer_*)
}

# restores TRACE: restore the settings saved in TRACE
restores()
{
	"$memorizer" record --debugfs "$d" --restore "$1" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
}

for form in "" "--max-size 1M --rotate 2"; do
	debugfs 0
	echo 1 >"$m/stream_retirements"
	echo 0 >"$m/memorizer_log_access"
	printf '%s\n' "function:before*" "!cache:before" >"$m/memorizer_filter"
	echo "cache:before" >"$m/memorizer_fields"
	: >"$m/memorizer_cgroup"
	echo none >"$m/memorizer_pid"
	echo 1 >"$m/memorizer_pid_fork"
	settings >"$tmp/want"
	start killed
	# shellcheck disable=SC2086 # options
	"$memorizer" record --debugfs "$d" -o "$tmp/trace" $form --accesses --function 'ext4_*' \
		--fields 'cache:*' --cgroup /a --pid 1 --for 1000h 2>"$tmp/err" </dev/null &
	recorder=$!
	until_there "$tmp/at.sent"
	restores "$tmp/none"
	kill -KILL $recorder
	wait $recorder 2>/dev/null
	: >"$tmp/ended"
	wait $kernel
	same "--restore refuses a missing trace: record $form" "2 memorizer: none: no trace: want one recorded since boot" "$status $(message)"
	settings >"$tmp/got"
	same "a killed recorder leaves its settings" 8 "$(diff "$tmp/want" "$tmp/got" | grep -c '^>')"
	cp "$m/metadata" "$tmp/metadata"
	sed -i 's/uuid = "6d/uuid = "6e/' "$m/metadata"
	restores "$tmp/trace"
	same "--restore refuses a trace of another boot" "2 memorizer: trace: recorded before the last boot: want one recorded since boot" "$status $(message)"
	cp "$tmp/metadata" "$m/metadata"
	FAULT=cpu0:16 "$faulty" record --debugfs "$d" --restore "$tmp/trace" 2>"$tmp/err"
	same "--restore refuses while another recorder runs" "2 memorizer: debugfs/memorizer/cpu0: Device or resource \
busy: another process reads it, end that first" "$? $(message)"
	restores "$tmp/trace"
	settings >"$tmp/got"
	same "--restore succeeds" "0 " "$status $(message)"
	equal "--restore restores switches, filters and logging" "$tmp/want" "$tmp/got"
	restores "$tmp/trace"
	same "--restore works only once" "2 memorizer: trace: no settings in it: already restored" \
		"$status $(message)"
done
# The recorder is killed when it has set one filter and waits to set the next: both are FIFOs.
for form in "" "--max-size 1M --rotate 2"; do
	debugfs 0
	echo 0 >"$m/memorizer_log_access"
	mkfifo "$m/memorizer_filter" "$m/memorizer_fields"
	# shellcheck disable=SC2086 # options
	"$memorizer" record --debugfs "$d" -o "$tmp/trace" $form --accesses --function 'ext4_*' \
		--fields 'cache:*' --for 1000h 2>"$tmp/err" </dev/null &
	recorder=$!
	echo "cache:before" >"$m/memorizer_fields" &
	echo "function:before*" >"$m/memorizer_filter"
	same "the recorder sets its filter: record $form" "function:ext4_*" "$(cat "$m/memorizer_filter")"
	kill -KILL $recorder
	wait $recorder 2>/dev/null
	rm "$m/memorizer_filter" "$m/memorizer_fields"
	echo "function:ext4_*" >"$m/memorizer_filter"
	echo "cache:*" >"$m/memorizer_fields"
	restores "$tmp/trace"
	same "settings are saved before anything changes" "0 function:before* cache:before 0" \
		"$status $(cat "$m/memorizer_filter" "$m/memorizer_fields" "$m/memorizer_log_access" | xargs)"
done
narrows 0 "" --accesses --module vmlinux
restores "$tmp/trace"
same "a recorder that ends leaves nothing to restore" \
	"2 memorizer: trace: no settings in it: already restored" "$status $(message)"

chooses_tasks "" --cache 'dentry,!filp' --alloc __d_alloc -- true
[ ! -e "$tmp/trace" ]
ok $? "--cache and --alloc need the kernel's filter"
narrows 0 "" --accesses --cache 'dentry,!filp' --alloc __d_alloc
same "record sets the filter of objects" "0 cache:dentry !cache:filp alloc:__d_alloc" \
	"$status $(xargs <"$tmp/at.filter")"
same "without --fields, memorizer_fields and the trace do not change" "cache:before cache:before 1" \
	"$(cat "$tmp/at.fields" "$m/memorizer_fields" | xargs) $([ -e "$tmp/trace/kernel/kmap_fields" ]; echo $?)"
narrows 0 "" --fields 'cache:dentry,!cache:*-4k' --fields alloc:__d_alloc --accesses
same "--fields sets memorizer_fields and logs accesses" "0 cache:dentry !cache:*-4k alloc:__d_alloc" \
	"$status $(xargs <"$tmp/at.fields")"
same "--fields restores memorizer_fields and logging" "cache:before 0 0" "$(cat "$m/memorizer_fields" "$tmp/at.off" \
	"$m/memorizer_log_access" | xargs)"
equal "the trace has kmap_fields" "$m/kmap_fields" "$tmp/trace/kernel/kmap_fields"
same "--fields does not change the filter" "-" "$(tr -d '\n' <"$tmp/at.filter")-"
chooses_tasks "" --fields cache:dentry -- true
same "--fields needs memorizer_fields" "2 memorizer: debugfs/memorizer/memorizer_fields: No such file or \
directory: not in this kernel, want a later one" "$status $(message | head -n 1)"
narrows 0 "" --accesses --cgroup /user.slice,/a/b,/ --cgroup /system.slice/memorizer.service
same "--cgroup sets memorizer_cgroup" "0 /user.slice /a/b / /system.slice/memorizer.service" \
	"$status $(xargs <"$tmp/at.cgroups")"
same "--cgroup restores memorizer_cgroup and logging" "/before 0 0" "$(cat "$m/memorizer_cgroup" \
	"$tmp/at.off" "$m/memorizer_log_access" | xargs)"
chooses_tasks "" --cgroup / -- true
same "--cgroup needs memorizer_cgroup" "2 memorizer: debugfs/memorizer/memorizer_cgroup: No such file or \
directory: not in this kernel, want a later one" "$status $(message | head -n 1)"
chooses_tasks "" --pid 7,8 --pid 9 -- sh -c "$command"
same "--pid sets memorizer_pid" "0 7 8 9 0" "$status $(xargs <"$tmp/at.pids")"
same "--pid restores memorizer_pid" "- 1" "$(tr -d '\n' <"$m/memorizer_pid")- $(cat "$m/memorizer_pid_fork")"
grep -q 'filtered out' "$tmp/err"
[ $? -eq 1 ]
ok $? "the kernel filters by pid, not the recorder"
chooses_tasks "$$
4194304
" --children --pid 7 -- sh -c "$command"
same "--children sets memorizer_pid_fork" "0 7 1" "$status $(xargs <"$tmp/at.pids")"
same "tasks selected before are restored, except for ended ones" "$$ 1" \
	"$(cat "$m/memorizer_pid") $(cat "$m/memorizer_pid_fork")"
chooses_tasks "4194304
" --children -- sh -c "echo \$\$; cat $m/memorizer_pid; $command"
same "a command is selected before it starts" "0 2 1" \
	"$status $(wc -l <"$tmp/out") $(sort -u "$tmp/out" | wc -l)"
same "a command is selected with its children" "$(head -n 1 "$tmp/out") 1" "$(xargs <"$tmp/at.pids")"
same "if all tasks have ended, none is restored" "none 1" \
	"$(cat "$m/memorizer_pid") $(cat "$m/memorizer_pid_fork")"

# Requested events that do not occur
# stats SITES ACCESSES OTHERS OBJECTS NOT_CHOSEN: set the kernel's counts
stats()
{
	printf '%s\n' "allocations: $4" "accesses_attributed: 0" "accesses_cleared: 0" \
		"accesses_retired: 0" "accesses_unattributed: $2" "accesses_left_out: $3" \
		"allocations_left_out: $5" "sites_patched: $1" >"$tmp/show_stats"
	# At once: the recorder may be reading it.
	mv "$tmp/show_stats" "$m/show_stats"
}

counting()
{
	exec 3<>"$m/cpu0"
	until_is stream_allocations 1
	# shellcheck disable=SC2086 # numbers
	stats $after
	send 0 1 100
	: >"$tmp/at.sent"
	until_is stream_allocations 0
	exec 3<&-
}

# yields NAME STATUS MESSAGE BEFORE AFTER LOGGING ARGUMENTS...: record with these counts before and after
yields()
{
	name=$1 exit=$2 said=$3 before=$4 after=$5
	debugfs 0
	echo "$6" >"$m/memorizer_log_access"
	: >"$m/memorizer_filter"
	: >"$m/memorizer_pid"
	echo 0 >"$m/memorizer_pid_fork"
	# shellcheck disable=SC2086 # numbers
	stats $before
	shift 6
	start counting
	record -o "$tmp/trace" "$@" -- sh -c "$command"
	wait $kernel
	same "$name" "$exit $said" "$status $(message | grep -v ' packets, ' | xargs)"
}

off="memorizer: debugfs/memorizer/memorizer_log_access: off, there will be no accesses: want 1, or --function, --module or --file"
no_code="memorizer: debugfs/memorizer/memorizer_filter: no kernel code matches: no accesses until a module does"
no_accesses="memorizer: trace: no accesses:"
idle="$no_accesses no matching code ran: want another --function, --module or --file"
no_objects="memorizer: trace: no objects: none of 50 matches: want another --cache or --alloc"
yields "accesses that come are not missing" 0 "" "9 1 0 0 0" "9 2 0 0 0" 1 -a
yields "accesses are while they are not logged" 2 \
	"$off $no_accesses want debugfs/memorizer/memorizer_log_access on" "0 1 0 0 0" "0 1 0 0 0" 0 -a
yields "moves of lines are, too" 2 \
	"$off $no_accesses want debugfs/memorizer/memorizer_log_access on" "0 1 0 0 0" "0 1 0 0 0" 0 -T
yields "unless somebody switches logging on" 0 "$off" "0 1 0 0 0" "9 2 0 0 0" 0 -a
yields "allocations do not need that" 0 "" "0 1 0 0 0" "0 1 0 0 0" 0
for kind in function module file; do
	yields "accesses are where no $kind matches" 2 \
		"$no_code $idle" "0 1 0 0 0" "0 1 0 0 0" 0 -a --$kind nobody
done
yields "unless a module comes that matches" 0 "$no_code" "0 1 0 0 0" "9 2 0 0 0" 0 -r --module late
yields "they are where matching code does not run" 2 \
	"$idle" "9 1 0 0 0" "9 1 0 0 0" 0 -r --function idle
yields "and where other tasks made all of them" 2 \
	"$no_accesses all 70 were by other tasks: want another --pid or --cgroup" \
	"9 1 30 0 0" "9 1 100 0 0" 1 -a --pid 7
for kind in cache alloc; do
	yields "objects are where no $kind matches" 2 \
		"$no_objects" "9 1 0 5 10" "9 2 0 5 60" 1 -r --$kind nobody
	yields "not where one does" 0 "" "9 1 0 5 10" "9 2 0 6 60" 1 -r --$kind somebody
done

# A write to the snapshot's file waits until the streams have been read
snapshot()
{
	exec 3<>"$m/cpu0"
	until_is stream_allocations 1
	: >"$tmp/at.sent"
	until_is stream_allocations 0
	send 0 9 100000
	cat "$m/stream_snapshot" >"$tmp/at.snapshot"
	send 0 1 100
	exec 3<&-
}

debugfs 0
mkfifo "$m/stream_snapshot"
start snapshot
record -o "$tmp/trace" --snapshot -- sh -c "$command"
wait $kernel
copied 0 && [ $status -eq 0 ]
ok $? "streams are read during a snapshot"
same "a snapshot is requested once" 1 "$(cat "$tmp/at.snapshot")"
debugfs 0
start on_before
record -o "$tmp/trace" --retirements --snapshot -- sh -c "$command"
wait $kernel
same "a kernel without snapshots is reported" "2 memorizer: debugfs/memorizer/stream_snapshot: \
No such file or directory: the trace has no snapshot" "$status $(message | head -n 1)"

late_cpu()
{
	exec 3<>"$m/cpu0"
	until_is stream_allocations 1
	mkfifo "$m/cpu10"
	exec 4<>"$m/cpu10"
	until_there "$tmp/trace/cpu10"
	send 10 20 10000
	send 0 20 10000
	: >"$tmp/at.sent"
	until_is stream_allocations 0
	mkfifo "$m/cpu2"
	exec 5<>"$m/cpu2"
	exec 3<&-
	send 10 1 100
	exec 4<&- 5<&-
}

debugfs 0
start late_cpu
record -o "$tmp/trace" -- sh -c "$command"
wait $kernel
copied 0 10 && [ $status -eq 0 ]
ok $? "a CPU that comes online is recorded"

# Other ends
endless()
{
	exec 3<>"$m/cpu0" 4<>"$m/cpu1"
	until_is stream_allocations 1
	send 0 10 20000
	send 1 10 20000
	: >"$tmp/at.sent"
	until_is stream_allocations 0
	send 0 1 100
	exec 3<&- 4<&-
}

# nohup's ignored SIGHUP is inherited
for signal in INT TERM HUP; do
	debugfs 0 1
	start endless
	env --default-signal=HUP "$memorizer" record --debugfs "$d" -o "$tmp/trace" 2>"$tmp/err" </dev/null &
	recorder=$!
	while [ ! -e "$tmp/at.sent" ] && kill -0 $recorder 2>/dev/null; do
		sleep 0.02
	done
	kill -$signal $recorder
	wait $recorder
	status=$?
	: >"$tmp/ended"
	wait $kernel
	copied 0 1 && [ $status -eq 0 ]
	ok $? "SIG$signal ends a recording"
done

# A FIFO without a writer is at its end
debugfs 0
record -o "$tmp/trace" --for 1ms
same "--for ends a recording" "0 memorizer: trace: 0 packets, 0 bytes, from 1 CPUs; 0 events lost" \
	"$status $(message)"

# Even if late, the line comes before the end: it is due earlier
"$terminal" "$memorizer" record --debugfs "$d" -o "$tmp/live" --for 1500ms >"$tmp/out" </dev/null
tr '\r' '\n' <"$tmp/out" | grep -q '^[0-9]* s  0\.000 MB/s  0\.000 MB  0 lost '
ok $? "a terminal shows a live line"

debugfs 0 1
start endless
env --ignore-signal=HUP "$memorizer" record --debugfs "$d" -o "$tmp/trace" 2>"$tmp/err" </dev/null &
recorder=$!
while [ ! -e "$tmp/at.sent" ] && kill -0 $recorder 2>/dev/null; do
	sleep 0.02
done
kill -HUP $recorder
kill -TERM $recorder
wait $recorder
status=$?
: >"$tmp/ended"
wait $kernel
copied 0 1 && [ $status -eq 0 ]
ok $? "SIGHUP does not end a recorder under nohup"

# A command gets a signal when the recording gets one; the trace is complete by then
debugfs 0 1
start endless
"$memorizer" record --debugfs "$d" -o "$tmp/trace" -- \
	sh -c "trap 'echo told; exit 5' TERM; : >$tmp/at.command; while :; do sleep 0.02; done" \
	>"$tmp/out" 2>"$tmp/err" </dev/null &
recorder=$!
while { [ ! -e "$tmp/at.sent" ] || [ ! -e "$tmp/at.command" ]; } &&
      kill -0 $recorder 2>/dev/null; do
	sleep 0.02
done
kill -TERM $recorder
wait $recorder
status=$?
: >"$tmp/ended"
wait $kernel
copied 0 1
ok $? "a signal ends a recording of a command"
same "a signal ends the command" "5 told" "$status $(cat "$tmp/out")"

# Directories
debugfs 0
(
	cd "$tmp" || exit 1
	for _ in 1 2; do
		record --for 1ms
	done
)
[ -e "$tmp/memorizer-trace/cpu0" ] && [ -e "$tmp/memorizer-trace.1/cpu0" ]
ok $? "without --output, the first free directory is used"

# Failures: status 2, a message, and whole packets
# fails NAME MESSAGE: the last recording failed with MESSAGE
fails()
{
	same "$1" "2 memorizer: $2" "$status $(message | head -n 1)"
}

# whole CPU BYTES: the copy equals the first BYTES sent
whole()
{
	head -c "$2" "$tmp/sent.$1" | cmp - "$tmp/trace/cpu$1"
}

# A regular file ends after its contents, unlike the kernel's
debugfs
"$packets" 3 5000 >"$tmp/sent.0"
head -c 12500 "$tmp/sent.0" >"$m/cpu0"
record -o "$tmp/trace"
fails "a kernel's file that goes away is told" \
	"debugfs/memorizer/cpu0: unexpected end of file: the trace ends here"
whole 0 10000
ok $? "the trace ends with the last whole packet"
same "the switches are restored after a failure" 0 "$(cat "$m/stream_allocations")"
same "the summary agrees after a failure" \
	"memorizer: trace: 2 packets, 10000 bytes, from 1 CPUs; 0 events lost" "$(message | tail -n 1)"

debugfs
ln -s /proc/self/mem "$m/cpu0"
record -o "$tmp/trace"
fails "so is one that cannot be read" \
	"debugfs/memorizer/cpu0: Input/output error: the trace ends here"
[ ! -s "$tmp/trace/cpu0" ]
ok $? "a failed CPU's file is empty"

debugfs
"$packets" 1 5000 >"$tmp/sent.0"
{ cat "$tmp/sent.0"; head -c 100 /dev/zero; } >"$m/cpu0"
record -o "$tmp/trace"
fails "bytes that are no packet are told" \
	"debugfs/memorizer/cpu0: no CTF packet where one is expected: the trace ends here"
whole 0 5000
ok $? "an incomplete file is removed"

# A limit on file sizes simulates a full disk. Packets of CPU 1 are below it.
full()
{
	exec 3<>"$m/cpu0" 4<>"$m/cpu1"
	send 1 1 5000
	until_is stream_allocations 1
	send 0 8 5000
	until_is stream_allocations 0
	send 1 1 1000
	send 0 1 60000
	exec 3<&- 4<&-
}

debugfs 0 1
start full
until_there "$tmp/sent.1"
(
	ulimit -f 34 # of 512 bytes
	record -o "$tmp/trace" -- sh -c \
		"while [ \"\$(cat '$m/stream_allocations')\" != 0 ]; do sleep 0.02; done; : >'$tmp/at.end'"
	exit $status
)
status=$?
wait $kernel
fails "a full disk is told" "trace/cpu0: File too large: the trace ends here"
whole 0 15000
ok $? "the trace ends with the last packet that has room"
copied 1
ok $? "other CPUs' files are complete"
[ -e "$tmp/at.end" ]
ok $? "the command runs to its end"

# signalled SIGNAL ARGUMENTS...: start to record, and send a signal when the kernel's side is ready
signalled()
{
	number=$1
	shift
	"$memorizer" record --debugfs "$d" -o "$tmp/trace" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null &
	recorder=$!
	while [ ! -e "$tmp/at.sent" ] && kill -0 $recorder 2>/dev/null; do
		sleep 0.02
	done
	kill -"$number" $recorder
}

# alive: succeed if the recorder is running
alive()
{
	grep -q '^State:.[^ZX]' "/proc/$recorder/status" 2>/dev/null
}

# asleep: succeed if it sleeps in read(2), repeatedly
asleep()
{
	looks=0
	while [ $looks -lt 50 ]; do
		grep -q '^State:.S' "/proc/$recorder/status" 2>/dev/null &&
			grep -q '^0 ' "/proc/$recorder/syscall" 2>/dev/null || return 1
		looks=$((looks + 1))
		sleep 0.02
	done
}

# end_of_it: wait for the recorder and the kernel's side
end_of_it()
{
	wait $recorder
	status=$?
	: >"$tmp/ended"
	wait $kernel
}

# A switch that cannot be turned off
stays_on()
{
	exec 3<>"$m/cpu0"
	until_is stream_allocations 1
	rm "$m/stream_allocations"
	mkdir "$m/stream_allocations"
	send 0 3 4096
	: >"$tmp/at.sent"
	while running; do
		sleep 0.02
	done
	exec 3<&-
}

debugfs 0
start stays_on
signalled INT
while alive; do
	if asleep; then
		kill -KILL $recorder
	fi
done
end_of_it
same "a stream that stays on does not block the end" \
	"2 memorizer: debugfs/memorizer/stream_allocations: Is a directory" "$status $(message | head -n 1)"
copied 0
ok $? "the trace has what the kernel had by then"

# Another process turns it on again while the rest is read
turns_on_again()
{
	exec 3<>"$m/cpu0"
	until_is stream_allocations 1
	: >"$tmp/at.sent"
	until_is stream_allocations 0
	echo 1 >"$m/stream_allocations"
	while running; do
		"$packets" 20 50000 >"$m/cpu0"
	done
	exec 3<&-
}

debugfs 0
echo "stream_subbufs: 4
stream_subbuf_size: 100000" >"$m/show_stats"
start turns_on_again
signalled INT
while alive; do
	if [ "$(wc -c <"$tmp/trace/cpu0")" -gt 20000000 ]; then
		kill -KILL $recorder
	fi
	sleep 0.02
done
: >"$tmp/ended"
cat "$m/cpu0" >/dev/null &
end_of_it
same "a stream that is turned on again does not block the end" "2 memorizer: debugfs/memorizer: the stream is on: \
the trace ends with what the buffers held" "$status $(message | head -n 1)"

# A kernel whose file never ends
silent()
{
	exec 3<>"$m/cpu0"
	until_is stream_allocations 1
	send 0 3 4096
	: >"$tmp/at.sent"
	until_is stream_allocations 0
	: >"$tmp/at.off"
	while running; do
		sleep 0.02
	done
	exec 3<&-
}

debugfs 0
start silent
signalled INT
until_there "$tmp/at.off"
while alive; do
	kill -INT $recorder 2>/dev/null
	if asleep; then
		kill -KILL $recorder
	fi
done
end_of_it
same "a second signal ends reading of the rest" \
	"2 memorizer: debugfs/memorizer: interrupted, events still in the kernel are left out" \
	"$status $(message | head -n 1)"
copied 0
ok $? "the trace keeps what was read before the second signal"

# Nobody reads the messages
debugfs
"$packets" 3 5000 >"$m/cpu0"
mkfifo "$tmp/nobody"
exec 8<>"$tmp/nobody" 9>"$tmp/nobody" 8<&-
env --default-signal=PIPE "$memorizer" record --debugfs "$d" -o "$tmp/trace" 2>&9
status=$?
exec 9>&-
same "SIGPIPE does not leave the stream on" "2 0" \
	"$status $(cat "$m/stream_allocations")"

# More CPUs than a process may have files open
debugfs 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30
(
	ulimit -S -n 50
	record -o "$tmp/trace" -- sh -c 'ulimit -S -n'
	exit $status
)
status=$?
same "the limit on open files is raised for many CPUs" "0 memorizer: trace: 0 packets, 0 bytes, from 31 CPUs; \
0 events lost" "$status $(message | tail -n 1)"
same "the command keeps the limit on open files" 50 "$(cat "$tmp/out")"

# Directories where others may write
planted()
{
	exec 3<>"$m/cpu0"
	until_is stream_allocations 1
	ln -s "$tmp/victim" "$tmp/trace/cpu10"
	mkfifo "$m/cpu10"
	while [ "$(cat "$m/stream_allocations")" = 1 ] && [ -s "$tmp/victim" ]; do
		sleep 0.02
	done
	: >"$tmp/at.sent"
	until_is stream_allocations 0
	exec 3<&-
}

debugfs 0
echo precious >"$tmp/victim"
start planted
record -o "$tmp/trace" -- sh -c "$command"
wait $kernel
same "an existing file is not overwritten" "2 memorizer: trace/cpu10: File exists" \
	"$status $(message | head -n 1)"
same "a symbolic link is not followed" precious "$(cat "$tmp/victim")"

debugfs 0
mkdir "$tmp/foreign"
if chown 65534 "$tmp/foreign" 2>/dev/null; then
	foreign=$tmp/foreign
else
	foreign=/
fi
record -o "$foreign" --for 1ms
same "another user's directory is refused" "2 memorizer: $foreign: owned by another user: \
want a new directory, or an empty one of your own" "$status $(cat "$tmp/err")"
rm -rf "$tmp/foreign"
mkdir "$tmp/open"
chmod 777 "$tmp/open"
record -o "$tmp/open" --for 1ms
same "a directory writable by others is refused" "2 memorizer: open: writable by others: \
want a new directory, or an empty one of your own" "$status $(message)"
ln -s "$tmp/elsewhere" "$tmp/link"
mkdir "$tmp/elsewhere"
record -o "$tmp/link" --for 1ms
same "a symbolic link to a directory is refused" "2 memorizer: link: Not a directory" "$status $(message)"

# Contents and size of the files
# stored CPU TRACE: print the CPU's packets
stored()
{
	if [ -e "$2/cpu$1.zst" ]; then
		zstd -dcq "$2/cpu$1.zst"
	else
		cat "$2/cpu$1"
	fi
}

several()
{
	exec 3<>"$m/cpu0" 4<>"$m/cpu1"
	until_is stream_allocations 1
	send 0 3 5000
	send 1 40 10000
	: >"$tmp/at.sent"
	until_is stream_allocations 0
	send 0 8 900000
	exec 3<&- 4<&-
}

debugfs 0 1
start several
record -o "$tmp/trace" --compress -- sh -c "$command"
wait $kernel
stored 0 "$tmp/trace" | cmp - "$tmp/sent.0" && stored 1 "$tmp/trace" | cmp - "$tmp/sent.1"
ok $? "compressed files have what was sent"
same "the summary has the compressed size" "0 memorizer: trace: 51 packets, 7615000 bytes \
($(cat "$tmp/trace"/cpu*.zst | wc -c) compressed), from 2 CPUs; 0 events lost" "$status $(message)"
head -c -9 "$tmp/trace/cpu0.zst" >"$tmp/cut.zst"
zstd -dcq "$tmp/cut.zst" >"$tmp/got" 2>/dev/null
size=$(wc -c <"$tmp/got")
[ "$size" -ge 15000 ] && cmp -n "$size" "$tmp/got" "$tmp/sent.0"
ok $? "a truncated compressed file has what was sent up to there"

# Each CPU has a thread: with more than eight
crowd()
{
	exec 3<>"$m/cpu0" 4<>"$m/cpu7" 5<>"$m/cpu11"
	until_is stream_allocations 1
	send 7 70 30000 &
	send 11 30 70000 &
	send 0 60 40000
	wait
	: >"$tmp/at.sent"
	until_is stream_allocations 0
	send 7 1 100
	exec 3<&- 4<&- 5<&-
}

debugfs 0 1 2 3 4 5 6 7 8 9 10 11
start crowd
record -o "$tmp/trace" -- sh -c "$command"
wait $kernel
copied 0 7 11 && [ $status -eq 0 ]
ok $? "many CPUs are copied by many threads"
same "many threads copy everything" "memorizer: trace: 161 packets, 6600100 bytes, from 12 CPUs; 0 events lost" \
	"$(message)"

# --max-size: the recording ends when it is reached
too_much()
{
	exec 3<>"$m/cpu0" 4<>"$m/cpu1"
	until_is stream_allocations 1
	send 0 5 10000
	send 1 5 10000
	until_is stream_allocations 0
	send 1 2 100
	exec 3<&- 4<&-
}

debugfs 0 1
start too_much
record -o "$tmp/trace" --max-size 72K
wait $kernel
size=$(cat "$tmp/trace"/cpu? | wc -c)
same "--max-size ends the recording" "0 70000" "$status $size"
same "--max-size reports what was left out" \
	"memorizer: trace: --max-size is reached: the trace ends here
memorizer: trace: 7 packets, 70000 bytes, from 2 CPUs; 0 events lost
memorizer: trace: 30200 bytes beyond --max-size are left out" "$(message)"
stored 0 "$tmp/trace" | cmp -n "$(wc -c <"$tmp/trace/cpu0")" - "$tmp/sent.0" &&
	stored 1 "$tmp/trace" | cmp -n "$(wc -c <"$tmp/trace/cpu1")" - "$tmp/sent.1"
ok $? "--max-size keeps the first packets"

# Parts. In all but the first, a CPU's file starts with a packet with the announcements of earlier
# parts; without announcements, it is only a header.
# behind FILE: print the packets after that one
behind()
{
	tail -c +81 "$tmp/trace/$1"
}

debugfs 0 1
start several
record -o "$tmp/trace" --max-size 4M --rotate 2 -- sh -c "$command"
wait $kernel
same "--rotate continues in the next part" "0 memorizer: trace: 53 packets, 7615160 bytes in 2 \
parts, from 2 CPUs; 0 events lost" "$status $(message)"
behind 1/cpu0 | cat "$tmp/trace/0/cpu0" - | cmp - "$tmp/sent.0" &&
	behind 1/cpu1 | cat "$tmp/trace/0/cpu1" - | cmp - "$tmp/sent.1"
ok $? "parts have all packets"
cmp "$tmp/trace/1/metadata" "$m/metadata" && cmp "$tmp/trace/0/metadata" "$m/metadata" &&
	cmp "$tmp/trace/common/kernel/uname" "$tmp/trace/1/kernel/uname"
ok $? "each part is a trace"
[ "$(cat "$tmp/trace/0"/cpu? | wc -c)" -le 4194304 ] &&
	[ "$(cat "$tmp/trace/1"/cpu? | wc -c)" -le 4194304 ]
ok $? "no part is larger than --max-size"

many_parts()
{
	exec 3<>"$m/cpu0"
	until_is stream_allocations 1
	send 0 35 10000
	: >"$tmp/at.sent"
	until_is stream_allocations 0
	exec 3<&-
}

debugfs 0
start many_parts
record -o "$tmp/trace" --max-size 100000 --rotate 2 -- sh -c "$command"
wait $kernel
same "old parts are removed" "0 memorizer: trace: 38 packets, 350240 bytes in 4 parts, \
from 1 CPUs; 0 events lost
memorizer: trace: 21 packets were dropped for later ones" "$status $(message)"
same "the last parts remain" "2 3 common" "$(cd "$tmp/trace" && echo *)"
tail -c 150000 "$tmp/sent.0" >"$tmp/want"
{
	behind 2/cpu0
	behind 3/cpu0
} | cmp - "$tmp/want"
ok $? "the remaining parts have no gap"
debugfs 0
start many_parts
record -o "$tmp/trace" --max-size 5000 --rotate 2 -- sh -c "$command"
wait $kernel
same "a packet too large for a part is reported" \
	"2 memorizer: trace: a packet exceeds --max-size: want a larger one" \
	"$status $(message | head -n 1)"

# A flight recorder. Its files end when there is nothing to read, like the kernel's.
flight()
{
	exec 3<>"$m/cpu0" 4<>"$m/cpu1"
	until_is stream_allocations 1
	send 0 10 10000
	send 1 1 200
	: >"$tmp/at.sent"
	until_there "$tmp/trace/0/cpu1"
	send 0 3 20000
	: >"$tmp/at.second"
	until_is stream_allocations 0
	exec 3<&- 4<&-
}

debugfs 0 1
start flight
"$faulty" record --debugfs "$d" -o "$tmp/trace" --flight 45K --for 1000h 2>"$tmp/err" </dev/null &
recorder=$!
until_there "$tmp/at.sent"
kill -USR2 $recorder
while alive && ! grep -q 'trace/0$' "$tmp/err"; do
	sleep 0.02
done
until_there "$tmp/at.second"
kill -INT $recorder
end_of_it
head -c 100000 "$tmp/sent.0" | tail -c 40000 >"$tmp/want"
behind 0/cpu0 | cmp - "$tmp/want" && cmp "$tmp/sent.1" "$tmp/trace/0/cpu1"
ok $? "SIGUSR2 makes a flight recorder write the last packets of each CPU"
tail -c 40000 "$tmp/sent.0" >"$tmp/want"
behind 1/cpu0 | cmp - "$tmp/want" && cmp "$tmp/sent.1" "$tmp/trace/1/cpu1"
ok $? "the end makes a flight recorder write them, too"
same "dropped packets are counted" "0 memorizer: trace/0
memorizer: trace/1
memorizer: trace: 10 packets, 80560 bytes in 2 parts, from 2 CPUs; 0 events lost
memorizer: trace: 11 packets were dropped for later ones" "$status $(message)"

# Events that are filtered out; the others do not change in any byte
# chosen PATTERN: print the trace "whole" without the events that match
chosen()
{
	"$build/tests/dump-trace" "$tmp/whole" | grep -Ev "$1" >"$tmp/want"
	"$build/tests/dump-trace" "$tmp/trace" >"$tmp/got"
}

nr_before=7
rm -rf "$tmp/whole"
"$build/tests/make-trace" -b 20000 -c 2 -l 500 "$tmp/whole"
for kind in slab pages; do
	records --kind $kind
	if [ $kind = slab ]; then
		chosen '(alloc|free): .*kind = . "pages"'
	else
		chosen '(alloc|free): .*kind = . "(kmalloc|cache)"'
	fi
	equal "--kind records only: $kind" "$tmp/want" "$tmp/got"
	left=$(($(wc -l <"$tmp/want")))
	same "--kind counts the events left out" "0 $((nr_events - left)) events were filtered out" \
		"$status $(message | sed -n 's/.*trace: \(.* filtered out\)/\1/p')"
	"$memorizer" check "$tmp/trace" >"$tmp/out" 2>&1
	same "check accepts a trace of one kind" "0 events_read_before: 7 events_not_chosen: $((nr_events - left))" \
		"$? $(xargs <"$tmp/trace/kernel/recorder")"
	babeltrace2 "$tmp/trace" 2>&1 | wc -l >"$tmp/got"
	same "babeltrace2 reads a trace of one kind" "$left" "$(cat "$tmp/got")"
done
rm -rf "$tmp/whole"
"$build/tests/make-trace" "$tmp/whole" <"$data/areas.trace"
records --kind vmalloc,percpu
chosen '(alloc|free): .*kind = . "(vmap|ioremap|modules|stack|pages)"'
equal "--kind records several kinds" "$tmp/want" "$tmp/got"

rm -rf "$tmp/whole"
"$build/tests/make-trace" -b 20000 -c 2 -l 500 "$tmp/whole"
# A part is a complete trace: each has the kernel's announcements
# announced: print the events of the whole trace, and of the parts, without announcements
announced()
{
	"$build/tests/dump-trace" "$tmp/whole" | grep -Ev '^[^ ]* (task|cache): ' |
		sort >"$tmp/want"
	for part in "$tmp/trace"/[0-9]*; do
		"$build/tests/dump-trace" "$part"
	done | grep -Ev '^[^ ]* (task|cache): ' | sort >"$tmp/got"
}

for compress in "" --compress; do
	# shellcheck disable=SC2086 # an option or none
	records --max-size 200000 --rotate 50 $compress
	announced
	equal "parts have each event once${compress:+, compressed}" "$tmp/want" "$tmp/got"
	said=
	for part in "$tmp/trace"/[0-9]*; do
		"$memorizer" check "$part" >"$tmp/out" 2>&1
		said="$said $?"
		[ -n "$compress" ] || babeltrace2 "$part" >/dev/null 2>"$tmp/out" ||
			said="$said $(cat "$tmp/out")"
	done
	same "each part checks clean" "$(echo "$said" | sed 's/[^ ]\{1,\}/0/g')" "$said"
	same "there are several parts" 1 "$([ $(($(echo "$said" | wc -w))) -gt 1 ] && echo 1)"
done
records --flight 100000
"$memorizer" check "$tmp/trace/0" >"$tmp/out" 2>&1
same "a flight recorder's trace checks clean" "0 0" "$status $?"
sed 's/^/# /' "$tmp/out"
"$memorizer" report --csv "$tmp/trace/0" >"$tmp/out" 2>&1
grep -q '^caches,.*cache-4' "$tmp/out"
ok $? "a flight recorder's trace has cache names"
awk '/dropped|made room/' "$tmp/err" | grep -q packets
ok $? "the flight recorder dropped packets"

# Every kind of recording writes a valid trace: status 3 is a trace without the events that the
# recording was told to leave out
sound()
{
	for trace in "$tmp/trace" "$tmp/trace"/[0-9]*; do
		[ -e "$trace/metadata" ] || continue
		"$memorizer" check "$trace" >>"$tmp/out" 2>&1
		case $? in
		0|3) ;;
		*) sed 's/^/# /' "$tmp/out" && return 1 ;;
		esac
	done
}

for kind in "" --compress "--kind slab" "--pid 4 --accesses" "--cpu 1 --accesses" "--max-size 300000" \
	    "--max-size 100000 --compress" "--max-size 70000 --rotate 3" "--flight 100000" "--mark begin"; do
	# shellcheck disable=SC2086 # options
	records $kind
	sound
	ok $? "every recording checks clean${kind:+: $kind}"
done
# The first recording of a boot, one without events, and one without room for a packet
for nr_before in 0 7; do
	for kind in "" "--max-size 1"; do
		debugfs 0 1
		cp "$tmp/whole/metadata" "$m/metadata"
		counted $nr_before
		nr_events=$("$build/tests/dump-trace" "$tmp/whole" | wc -l)
		if [ -n "$kind" ]; then
			start real
			# shellcheck disable=SC2086 # options
			record -o "$tmp/trace" $kind -- sh -c "$command"
			wait $kernel
		else
			record -o "$tmp/trace" --for 1ms
		fi
		sound
		ok $? "a recording without events checks clean${kind:+: $kind}"
	done
done

# A killed recorder has not saved the kernel's final counts
nr_before=0
debugfs 0 1
cp "$tmp/whole/metadata" "$m/metadata"
counted 0
start real
"$memorizer" record --debugfs "$d" -o "$tmp/trace" 2>"$tmp/err" </dev/null &
recorder=$!
until_there "$tmp/at.sent"
while [ "$(cat "$tmp/trace"/cpu? | wc -c)" -lt "$(cat "$tmp/whole"/cpu? | wc -c)" ] && alive; do
	sleep 0.02
done
kill -KILL $recorder
wait $recorder 2>/dev/null
: >"$tmp/ended"
wait $kernel
"$memorizer" check "$tmp/trace" >"$tmp/out" 2>"$tmp/err"
same "the trace of a killed recorder is incomplete, without violations" \
	"3 memorizer: trace: incomplete: the recorder was killed or failed to write" \
	"$? $(message)"
grep -q '0 violations, incomplete$' "$tmp/out"
ok $? "check reports both"
"$memorizer" report --json "$tmp/trace" 2>/dev/null | grep -q '"incomplete": true'
ok $? "report shows that it is incomplete"

# Each part announces the last module at each address
rm -rf "$tmp/whole"
{
	for module in "gadget base=ffffffffc0400000" "widget base=ffffffffc0400000" \
		"tailor base=ffffffffc0500000"; do
		echo "module loaded=1 size=4096 name=$module"
	done
	for i in $(seq 4000); do
		echo "alloc ptr=ffff8880000$((10000 + i))"
	done
	echo "cpu 1"
	echo "alloc ptr=ffff888100000000"
} | "$build/tests/make-trace" "$tmp/whole"
records --max-size 80000 --rotate 2
last=$tmp/trace/$(cd "$tmp/trace" && printf "%s\n" [0-9]* | sort -n | tail -n 1)
same "each part announces the loaded modules" 'tailor widget' \
	"$("$build/tests/dump-trace" "$last" | sed -n 's/.*module: .*name = "\([a-z]*\)".*/\1/p' | sort | xargs)"

# A single definition of lost events. An earlier reader has read the first packet of each CPU, which
# reports its own losses.
rm -rf "$tmp/whole"
for cpu in 0 1; do
	printf '%s\n' "cpu $cpu" "time $((100 * cpu))" "task pid=5 comm=five" "lost 1000" \
		"mark pid=5 text=x"
	for n in 1 2 3 4 5 6 7 8 9; do
		printf '%s\n' packet "lost $((n % 3))" "mark pid=5 text=$n"
	done
done | "$build/tests/make-trace" -d "$tmp/whole"

# later: send all but the first packet of each CPU
later()
{
	exec 3<>"$m/cpu0" 4<>"$m/cpu1"
	until_is stream_allocations 1
	for cpu in 0 1; do
		bits=$(od -A n -t u8 -j 48 -N 8 "$tmp/whole/cpu$cpu" | tr -d ' ')
		tail -c +$((bits / 8 + 1)) "$tmp/whole/cpu$cpu" >"$m/cpu$cpu"
	done
	: >"$tmp/at.sent"
	until_is stream_allocations 0
	exec 3<&- 4<&-
}

# checked: print the sum of check's losses in the trace or its parts
checked()
{
	if [ -e "$tmp/trace/metadata" ]; then
		set -- "$tmp/trace"
	else
		set -- "$tmp/trace"/[0-9]*
	fi
	for trace; do
		"$memorizer" check --json "$trace" | sed -n 's/.*"lost": \([0-9]*\).*/\1/p'
	done | awk '{ sum += $1 } END { print sum + 0 }'
}

# Twice 1 + 2 + 0, three times each
for kind in "" --compress "--accesses --scoped" "--max-size 230 --rotate 50" "--flight 10000"; do
	debugfs 0 1
	echo 0 >"$m/stream_scoped"
	cp "$tmp/whole/metadata" "$m/metadata"
	start later
	# shellcheck disable=SC2086 # options
	record -o "$tmp/trace" $kind -- sh -c "$command"
	wait $kernel
	same "record and check agree on the losses of the trace: record $kind" "18 18" \
		"$(message | sed -n 's/.*; \([0-9]*\) events lost.*/\1/p') $(checked)"
done
# Three parts; only the losses of kept parts count
debugfs 0 1
cp "$tmp/whole/metadata" "$m/metadata"
start later
record -o "$tmp/trace" --max-size 700 --rotate 1 -- sh -c "$command"
wait $kernel
part=$(echo "$tmp/trace"/[0-9]*)
kept=$("$build/tests/dump-trace" "$part" |
	awk '/text = "[147]"/ { sum++ } /text = "[258]"/ { sum += 2 } END { print sum + 0 }')
same "a part has only its own losses" "$kept 1" "$(checked) $((kept < 18))"

# An announcement that is in the next part, because its CPU's file ends in this one
rm -rf "$tmp/part"
printf '%s\n' "cpu 0" "time 100" "task pid=1 comm=one" "time 500" "mark pid=9 text=late" |
	"$build/tests/make-trace" "$tmp/part"
mkdir "$tmp/part/kernel"
printf '%s\n' "complete_since: 0" "complete_until: 600" >"$tmp/part/kernel/recorder"
"$memorizer" check "$tmp/part" >/dev/null
same "a missing announcement of a task is reported" 1 $?
echo "complete_until: 300" >"$tmp/part/kernel/recorder"
"$memorizer" check "$tmp/part" >"$tmp/out"
same "a missing announcement that may be in another part is not reported" 0 $?

rm -rf "$tmp/whole"
page=ffff888000001
{
	for cpu in 0 1; do
		printf '%s\n' "cpu $cpu" "time $((cpu + 1))" "task pid=5 comm=five" \
			"task pid=6 comm=six" "mark pid=5 text=begin"
		for pid in 5 6 7 5 5 6; do
			echo "access ip=ffffffff81000000 ptr=$page"000" size=8 kind=1 pid=$pid"
			echo "alloc kind=0 ptr=$page$cpu$pid""0 bytes_req=8 bytes_alloc=8 pid=$pid"
		done
		echo "mark pid=6 text=end"
	done
} | "$build/tests/make-trace" "$tmp/whole"
records --accesses --pid 5,7
chosen 'access: .*pid = 6 '
equal "--pid records the accesses of these tasks" "$tmp/want" "$tmp/got"
same "--pid counts the others" 4 "$(sed -n 's/^events_not_chosen: //p' "$tmp/trace/kernel/recorder")"
records --accesses --cpu 1 --compress
chosen 'cpu_id = 0.*access: |access: .*cpu_id = 0'
equal "--cpu records the accesses on these CPUs" "$tmp/want" "$tmp/got"
same "--cpu counts the others" 6 "$(sed -n 's/^events_not_chosen: //p' "$tmp/trace/kernel/recorder")"
records --accesses --cpu 0 --pid 6 --kind pages
chosen 'alloc: |access: .*pid = [57] |cpu_id = 1.*access: |access: .*cpu_id = 1'
equal "--pid, --cpu and --kind combine" "$tmp/want" "$tmp/got"

# With kptr_restrict=2, all addresses are 0, even for root
if unshare -m true 2>"$tmp/err"; then
	for hidden in 0 1; do
		debugfs 0
		printf '0000000000000000 A fixed\n%016x T _text\n' $((!hidden)) >"$tmp/kallsyms"
		unshare -m sh -c 'mount --bind "$1" /proc/kallsyms && shift && exec "$@"' sh "$tmp/kallsyms" \
			"$memorizer" record --debugfs "$d" -o "$tmp/trace" --for 1ms 2>"$tmp/err"
		same "hidden symbols are reported at the beginning: $hidden" "$? $hidden" \
			"0 $(head -n 1 "$tmp/err" | grep -c 'the trace will have no symbols')"
	done
fi

# Refusals, before anything is switched on or written
# refuses NAME MESSAGE ARGUMENTS...
refuses()
{
	name=$1 want=$2
	shift 2
	record "$@"
	same "record refuses: $name" "2 memorizer$want" "$status $(sed "s|$tmp/||g" "$tmp/err" | xargs -d '\n')"
	[ ! -e "$tmp/none" ] && ! grep -q 1 "$m"/stream_* 2>/dev/null
	ok $? "$name: nothing is changed"
}

hint="Try 'memorizer help record'."
debugfs 0
refuses "the directory is not empty" \
	": debugfs: not empty: want a new or an empty directory" -o "$d"
refuses "the directory cannot be created" ": none/trace: No such file or directory" -o "$tmp/none/trace"
refuses "the output is not a directory" ": debugfs/memorizer/metadata: Not a directory" -o "$m/metadata"
refuses "--for is not a time" \
	" record: --for soon: want a time like 60s, 500ms, 5m or 2h $hint" --for soon
refuses "--for has an unknown unit" \
	" record: --for 3d: want a time like 60s, 500ms, 5m or 2h $hint" --for 3d
refuses "--for is 0" \
	" record: --for 0s: want a time like 60s, 500ms, 5m or 2h $hint" --for 0s
refuses "both --for and a command" " record: --for and a command: want one of them $hint" \
	--for 1s true
refuses "--kind is unknown" " record: --kind cache: want kinds separated by commas: slab, pages, vmalloc, vmap, ioremap, modules, stack or percpu $hint" --kind cache
refuses "--pid is not a list" " record: --pid 5,: want numbers with commas between $hint" --pid 5,
refuses "--cpu without --accesses" " record: --cpu: want --accesses, too $hint" --cpu 1
refuses "--max-size has an unknown unit" " record: --max-size 5T: want a size like 100M $hint" --max-size 5T
refuses "--flight is 0" " record: --flight 0: want a size like 100M $hint" --flight 0
refuses "--rotate is not a number" " record: --rotate 1K: want a number from 1 to 4294967295 $hint" --rotate 1K
refuses "--rotate without --max-size" " record: --rotate: want --max-size, too, which says when $hint" \
	--rotate 3
refuses "both --flight and --max-size" " record: --flight and --max-size: want one of them $hint" \
	--flight 1M --max-size 1M
refuses "--mark is a newline" " record: --mark  : want 1 to 255 bytes $hint" --mark "
"
refuses "--mark is empty" " record: --mark : want 1 to 255 bytes $hint" --mark ""
refuses "--mark is too long" " record: --mark $(printf '%020d' 0)...: want 1 to 255 bytes $hint" \
	--mark "$(printf '%0256d' 0)"
refuses "--mark leaves a scope" " record: --mark leave it: want a text that does not leave \
a scope: none is open yet $hint" --mark "leave it"
echo "stream_subbuf_size: 524288" >"$m/show_stats"
refuses "--max-size is smaller than a packet" " record: --max-size 524287: packets have up to 524288 bytes: want at least that" \
	-o "$tmp/none" --max-size 524287
refuses "a part is smaller than a packet" " record: --max-size 1: packets have up to 524288 bytes: want at least that" \
	-o "$tmp/none" --max-size 1 --rotate 2
record --frob
same "record refuses: the option is unknown" "2   Error: unknown option \`frob'" \
	"$status $(head -n 1 "$tmp/err")"
refuses "--function is empty" " record: --function : want globs with commas between $hint" --accesses --function ""
refuses "a glob has a blank" " record: --module a b: want globs with commas between $hint" \
	--accesses --module "a b"
refuses "a glob is empty" " record: --module a,,b: want globs with commas between $hint" -M "a,,b"
for terms in "" dentry cache: function:vfs_read "cache:a,,cache:b" "cache:a b" "cache:a,b"; do
	refuses "--fields is invalid: '$terms'" " record: --fields $terms: want kind:GLOB, cache:GLOB or alloc:GLOB, with \
commas between $hint" --fields "$terms"
done
for paths in "" a ./a /a, /a,b "/a b"; do
	refuses "--cgroup is invalid: '$paths'" " record: --cgroup $paths: want paths of control groups, which begin \
with /, with commas between $hint" --cgroup "$paths"
done
refuses "--cgroup without accesses" " record: filters: want --accesses, --traffic, --retirements \
or --snapshot $hint" --cgroup /
refuses "both --fields and --retirements" " record: --fields and --retirements: want only one: counts \
have no fields $hint" --fields cache:a --retirements
refuses "--function without accesses" " record: filters: want --accesses, --traffic, --retirements \
or --snapshot $hint" --function a
refuses "--pid without accesses" " record: filters: want --accesses, --traffic, --retirements \
or --snapshot $hint" --pid 1
refuses "--children without tasks" " record: --children: want --pid or a command, too $hint" \
	--accesses --children
refuses "the kernel has no filter" ": debugfs/memorizer/memorizer_filter: No such file or directory: not in this kernel, want a later one" -o "$tmp/none" --accesses --function a
# A kernel that filters has this file, too.
echo 0 >"$m/memorizer_log_access"
# oom_score_adj takes numbers only, as the kernel takes terms only.
ln -s /proc/self/oom_score_adj "$m/memorizer_filter"
refuses "the kernel refuses a term" ": debugfs/memorizer/memorizer_filter: 'function:a[': Invalid \
argument" -o "$tmp/none" --accesses --function "a["
mkdir "$tmp/own"
record -o "$tmp/own" --accesses --function "a["
[ $status -eq 2 ] && [ -d "$tmp/own" ] && [ -z "$(ls -A "$tmp/own")" ]
ok $? "a refused filter leaves an existing directory empty"
rm "$m/memorizer_filter"
ln -s /proc/self/oom_score_adj "$m/memorizer_fields"
refuses "the kernel refuses a term of --fields" ": debugfs/memorizer/memorizer_fields: 'cache:a[': Invalid \
argument" -o "$tmp/none" --fields "cache:a["
rm "$m/memorizer_fields"
ln -s /proc/self/oom_score_adj "$m/memorizer_cgroup"
refuses "the kernel refuses a control group" ": debugfs/memorizer/memorizer_cgroup: '/nowhere': Invalid \
argument" -o "$tmp/none" --accesses --cgroup /nowhere
rm "$m/memorizer_cgroup"
refuses "the kernel cannot select tasks" ": debugfs/memorizer/memorizer_pid_fork: No such file or directory: \
not in this kernel, want a later one" -o "$tmp/none" --retirements --pid 1
refuses "the kernel cannot select children" ": debugfs/memorizer/memorizer_pid_fork: No such file or directory: \
not in this kernel, want a later one" -o "$tmp/none" --accesses --pid 1 --children
# If one of two filters fails, the other one is restored
echo 0 >"$m/memorizer_pid_fork"
echo "vfs_*" >"$m/memorizer_filter"
ln -s /proc/self/oom_score_adj "$m/memorizer_pid"
refuses "the kernel refuses a task" ": debugfs/memorizer/memorizer_pid: '4194304': Invalid argument" \
	-o "$tmp/none" --accesses --children --pid 4194304 --module ext4
same "the other filters are restored" "vfs_* 0" "$(xargs <"$m/memorizer_filter") $(cat "$m/memorizer_pid_fork")"
echo "cache:before" >"$m/memorizer_fields"
refuses "the kernel refuses a task after --fields" ": debugfs/memorizer/memorizer_pid: '4194304': Invalid argument" \
	-o "$tmp/none" --pid 4194304 --children --snapshot --fields cache:dentry
same "memorizer_fields is restored" cache:before "$(cat "$m/memorizer_fields")"
rm "$m/memorizer_filter" "$m/memorizer_pid" "$m/memorizer_pid_fork" "$m/memorizer_fields"
echo 5 >"$m/stream_accesses"
refuses "a switch has an unknown value" ": debugfs/memorizer/stream_accesses: '5': want 0 or 1" -o "$tmp/none"
rm "$m/stream_accesses"
refuses "the kernel lacks a switch" ": debugfs/memorizer/stream_accesses: No such file or \
directory: not in this kernel, want a later one" -o "$tmp/none"
debugfs
refuses "the kernel has no CPU files" ": debugfs/memorizer: no files cpu0, cpu1, ...: this kernel has no stream, want a later one" -o "$tmp/none"
debugfs 0
rm "$m/metadata"
record -o "$tmp/trace"
same "the kernel has no metadata" "2 memorizer: metadata: No such file or directory" \
	"$status $(cat "$tmp/err")"
rm -r "$m"
refuses "debugfs is not mounted" ": debugfs: no debugfs: mount it (mount -t debugfs nodev debugfs) or specify its directory with --debugfs" -o "$tmp/none"

# fault NAME ERRNO FILE MESSAGE
fault()
{
	debugfs 0
	name=$1 number=$2 file=$3 want=$4
	FAULT=$file:$number "$faulty" record --debugfs "$d" -o "$tmp/none" 2>"$tmp/err"
	status=$?
	same "$name" "2 memorizer: debugfs/memorizer/$file: $want" \
		"$status $(sed "s|$tmp/||g" "$tmp/err")"
	[ ! -e "$tmp/none" ]
	ok $? "$name: nothing is written"
}

fault "a second reader is refused" 16 cpu0 \
	"Device or resource busy: another process reads it, end that first"
fault "a user other than root is refused" 13 stream_allocations \
	"Permission denied: only root can record"
fault "lockdown is refused" 1 cpu0 "Operation not permitted: \
lockdown forbids it, want a kernel with lockdown=none or integrity"
tap_end
