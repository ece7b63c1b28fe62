#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Probes and tracers, whose own code has sites, while accesses are logged
. "${0%/*}/functions.sh"

T=/sys/kernel/tracing
[ -d $T/events ] || mount -t tracefs tracefs $T 2>/dev/null
[ -e $T/kprobe_events ] || skip "no kprobe events"
module_found || skip "no module $module: CONFIG_MEMORIZER_TEST_MODULE=m is needed"
text_may_be_patched || skip "$unpatched"
# All its tests patch text.
patching=
trap 'echo 0 >$T/events/enable; echo nop >$T/current_tracer; echo >$T/kprobe_events; echo >$T/set_ftrace_filter
	rmmod $module 2>/dev/null; quiet' EXIT

# trace_locks: trace only functions with "lock" in their names. Under emulation, switching tracers
# for all functions takes minutes; the function tracer does so in neighbours.sh.
trace_locks() { echo '*lock*' >$T/set_ftrace_filter; }

# hits WHAT: set hits to the probe's hits when files are opened, at least one.
hits() {
	echo "$1" >$T/kprobe_events || return 1
	echo >$T/trace
	echo 1 >$T/events/kprobes/memorizer_test/enable
	cat /proc/version >/dev/null
	echo 0 >$T/events/kprobes/memorizer_test/enable
	hits=$(grep -c memorizer_test: $T/trace)
	echo >$T/kprobe_events
	[ $hits -gt 0 ]
}

refused() {
	for place; do
		if echo "p:memorizer_test $place" >$T/kprobe_events 2>/dev/null; then
			echo "# a probe at $place is taken"
			echo >$T/kprobe_events
			return 1
		fi
	done
}

# The entries of the breakpoint and probe handlers are the same.
hook_cannot_be_probed() {
	refused memorizer_access_miss memorizer_access memorizer_pool_alloc \
		memorizer_access_string memorizer_index_lookup memorizer_thunk_r8 memorizer_thunk_string
}

hook_cannot_be_traced() {
	! grep -E '^memorizer_(access|pool|index)' $T/available_filter_functions
}

probe_hits() { hits "p:memorizer_test vfs_open"; }
return_probe_hits() { hits "r:memorizer_test vfs_open"; }

function_graph() {
	grep -qw function_graph $T/available_tracers || { echo "# no function_graph"; return 0; }
	echo function_graph >$T/current_tracer
	read -r version </proc/version
	# With many functions, later ones may overwrite this one in the trace buffer.
	echo vfs_read >$T/set_ftrace_filter
	read -r version </proc/version
	echo 0 >$T/tracing_on
	grep -q 'vfs_read' $T/trace
	seen=$?
	echo nop >$T/current_tracer
	trace_locks
	echo 1 >$T/tracing_on
	return $seen
}

# While a function is traced, its return address is the trampoline's, so the trampoline is the
# call site, as documented: once for each call that the tracer saw, and never otherwise.
allocated_by() {
	address=$(sed -n "s/ . $1$//p" /proc/kallsyms)
	awk -F, -v address="$address" '!/^  / && $1 == address { n++ } END { print n + 0 }' $M/kmap
}

return_probe_is_the_call_site() {
	quiet
	echo 1 >$M/memorizer_enabled
	hits "r:memorizer_test kmem_cache_alloc_noprof" || return 1
	echo 0 >$M/memorizer_enabled
	same "objects" "$(allocated_by arch_rethook_trampoline)" $hits
}

function_graph_is_the_call_site() {
	grep -qw function_graph $T/available_tracers || { echo "# no function_graph"; return 0; }
	quiet
	# Objects of an earlier test under this tracer may still be live.
	before=$(allocated_by return_to_handler)
	echo 1 >$M/memorizer_enabled
	echo kmem_cache_alloc_noprof >$T/set_ftrace_filter
	echo function_graph >$T/current_tracer
	cat /proc/version >/dev/null
	echo 0 >$T/tracing_on
	echo 0 >$M/memorizer_enabled
	calls=$(grep -c 'kmem_cache_alloc_noprof()' $T/trace)
	echo nop >$T/current_tracer
	trace_locks
	echo 1 >$T/tracing_on
	[ $calls -gt 0 ] && same "objects" $(($(allocated_by return_to_handler) - before)) $calls
}

# new_module: load the test module, which a failed test may have left.
new_module() {
	rmmod $module 2>/dev/null
	load_module
}

# The other module, and commands that repeat until end_of_side.
other=memorizer_test_sharing
load_other() { if [ -n "$file" ]; then insmod "${file%/*}/$other.ko"; else modprobe $other; fi; }
on_the_side() {
	goes_on=$(mktemp)
	while [ -e $goes_on ]; do eval "$1"; done &
}
end_of_side() {
	rm $goes_on
	wait
}

# warned: succeed if the kernel has warned since boot.
warned() { echo $(($(cat /proc/sys/kernel/tainted) >> 9 & 1)); }

# module_hits PLACE HITS WHEN: seven calls of memorizer_test_mix() make HITS hits, with the probe
# enabled before or after the module is loaded.
module_hits() {
	[ $3 = before ] || new_module || return 1
	echo "p:memorizer_test $module:$1" >$T/kprobe_events || return 1
	echo >$T/trace
	echo 1 >$T/events/kprobes/memorizer_test/enable
	[ $3 = after ] || new_module || return 1
	echo 7 >$P/mixes
	hits=$(grep -c memorizer_test: $T/trace)
	echo 0 >$T/events/kprobes/memorizer_test/enable
	echo >$T/kprobe_events
	rmmod $module
	same "hits at $1, probed $3" "$hits" $2
}

# With the module's sites on and off.
module_probe_hits() {
	for logging in 0 1; do
		echo $logging >$M/memorizer_log_access
		module_hits memorizer_test_mix 7 after &&
			module_hits memorizer_test_mix 7 before &&
			module_hits test_init 1 before || return 1
	done
}

# accepted: print the offsets in a module's function with sites that accept a probe.
accepted() {
	for at in $(seq 0 200); do
		echo "p:memorizer_test $module:set_increments+$at" >$T/kprobe_events 2>/dev/null || continue
		echo >$T/kprobe_events
		echo "$at"
	done
}

# Sites are refused, whether they are calls or prefixes of an instruction.
module_sites_are_refused() {
	new_module || return 1
	echo 1 >$M/memorizer_log_access
	on=$(accepted)
	echo 0 >$M/memorizer_log_access
	off=$(accepted)
	echo 1 >$M/memorizer_log_access
	rmmod $module
	[ -n "$on" ] && same "places" "$off" "$on"
}

# optimized: wait until the probe is optimized; jumps replace breakpoints some ticks later.
optimized() {
	for try in $(seq 300); do
		! grep "memorizer_test_mix.*OPTIMIZED" /sys/kernel/debug/kprobes/list >/dev/null || return 0
		sleep 0.1
	done
	cat /sys/kernel/debug/kprobes/list
	return 1
}

# After the call of the tracer, which follows ENDBR if there is one.
mix_probe() {
	for at in 5 9; do
		! echo "p:memorizer_test $module:memorizer_test_mix+$at" >$T/kprobe_events 2>/dev/null || return 0
	done
	echo "# no probe in memorizer_test_mix"
	return 1
}

# Both orders: the probe is removed before the module, and the module while the probe is enabled.
optimized_hits() {
	new_module && mix_probe || return 1
	echo >$T/trace
	echo 1 >$T/events/kprobes/memorizer_test/enable
	optimized || return 1
	echo 7 >$P/mixes
	hits=$(grep -c memorizer_test: $T/trace)
	[ $1 = probe ] || rmmod $module
	echo 0 >$T/events/kprobes/memorizer_test/enable
	echo >$T/kprobe_events
	[ $1 = module ] || rmmod $module
	same "hits" "$hits" 7
}

# The optimizer looks up the module of the text while another one is loaded and unloaded.
optimized_probe_in_module() {
	[ -e /proc/sys/debug/kprobes-optimization ] || { echo "# no optimized probes"; return 0; }
	before=$(warned)
	on_the_side "load_other && rmmod $other"
	optimized_hits probe && optimized_hits module && optimized_hits probe
	status=$?
	end_of_side
	[ $status = 0 ] && same "warnings" "$(warned)" "$before"
}

# Functions are traced, tracepoints are switched, and optimized probes come and go.
patch_text() {
	new_module && mix_probe || return 1
	# With lockdep, a round takes 20 s under emulation.
	[ -e /proc/lockdep ] && tries=2 || tries=5
	for try in $(seq $tries); do
		echo function >$T/current_tracer
		echo 1 >$T/events/kprobes/memorizer_test/enable
		echo 1 >$T/events/sched/enable
		optimized || return 1
		echo 0 >$T/events/sched/enable
		echo 0 >$T/events/kprobes/memorizer_test/enable
		echo nop >$T/current_tracer
	done
	echo >$T/kprobe_events
	rmmod $module
}

# All of that while sites are switched.
patching_while_sites_are_switched() {
	before="$(stat_of sites_on) $(warned)"
	on_the_side 'echo 0 >$M/memorizer_log_access; echo 1 >$M/memorizer_log_access'
	patch_text
	status=$?
	end_of_side
	[ $status = 0 ] && same "sites on, warnings" "$(stat_of sites_on) $(warned)" "$before"
}

# livepatched: succeed if /proc/cmdline is patched, after the transition of all tasks.
livepatched() {
	transition=/sys/kernel/livepatch/livepatch_sample/transition
	for try in $(seq 300); do
		[ "$(cat $transition 2>/dev/null)" = 1 ] || break
		sleep 0.1
	done
	grep "this has been live patched" /proc/cmdline >/dev/null
}

# A function with sites is replaced by a module's, which has sites, too.
live_patch() {
	sample=$(find /modules . -name livepatch-sample.ko 2>/dev/null | head -n 1)
	[ -n "$sample" ] || { echo "# no module livepatch-sample"; return 0; }
	before=$(warned)
	insmod $sample && livepatched || return 1
	echo 0 >$M/memorizer_log_access
	livepatched || return 1
	echo 1 >$M/memorizer_log_access
	livepatched || return 1
	echo 0 >/sys/kernel/livepatch/livepatch_sample/enabled
	! livepatched && rmmod livepatch_sample && same "warnings" "$(warned)" "$before"
}

quiet
echo 1 >$M/memorizer_enabled
echo 1 >$M/memorizer_log_access
trace_locks
plan 13
check hook_cannot_be_probed
check hook_cannot_be_traced
check probe_hits
check return_probe_hits
check function_graph
check module_probe_hits
check module_sites_are_refused
check optimized_probe_in_module
check patching_while_sites_are_switched
check live_patch
settle
check kmap_agrees
check return_probe_is_the_call_site
check function_graph_is_the_call_site
finish
