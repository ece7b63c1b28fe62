#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What traces the kernel has sites, too: probes and tracers run while accesses are logged.
. "${0%/*}/functions.sh"

T=/sys/kernel/tracing
[ -d $T/events ] || mount -t tracefs tracefs $T 2>/dev/null
[ -e $T/kprobe_events ] || skip "no kprobe events"
text_may_be_patched || skip "$unpatched"
trap 'echo 0 >$T/events/enable; echo nop >$T/current_tracer; echo >$T/kprobe_events; quiet' EXIT

# hits WHAT: sets hits, how often the probe hits when files are opened, at least once.
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

# Those of the handlers of breakpoints and of probes are the same.
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
	echo 0 >$T/tracing_on
	grep -q 'vfs_read' $T/trace
	seen=$?
	echo 1 >$T/tracing_on
	echo nop >$T/current_tracer
	return $seen
}

# The return address is that of the trampoline while a function is followed, so that this is
# who allocated, as documented: once for each call that the tracer saw, and never else.
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
	echo 1 >$M/memorizer_enabled
	echo kmem_cache_alloc_noprof >$T/set_ftrace_filter
	echo function_graph >$T/current_tracer
	cat /proc/version >/dev/null
	echo 0 >$T/tracing_on
	echo 0 >$M/memorizer_enabled
	calls=$(grep -c 'kmem_cache_alloc_noprof()' $T/trace)
	echo nop >$T/current_tracer
	echo >$T/set_ftrace_filter
	echo 1 >$T/tracing_on
	[ $calls -gt 0 ] && same "objects" "$(allocated_by return_to_handler)" $calls
}

# Objects and accesses are what they would be: those of the accounts agree.
accounts_agree() {
	echo 0 >$M/memorizer_log_access
	echo 0 >$M/memorizer_enabled
	same "objects and accesses" "$(cat $M/kmap | sum_kmap)" \
		"$(($(stat_of objects_live) + $(stat_of objects_freed))) $(stat_of accesses_attributed)"
}

quiet
echo 1 >$M/memorizer_enabled
echo 1 >$M/memorizer_log_access
plan 8
check hook_cannot_be_probed
check hook_cannot_be_traced
check probe_hits
check return_probe_hits
check function_graph
check undisturbed accounts_agree
check return_probe_is_the_call_site
check function_graph_is_the_call_site
finish
