#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Access by other users, and random input to every file
. "${0%/*}/functions.sh"

module_found || skip "no $module.ko in /modules or below $PWD"
D=/sys/kernel/debug
mode=$(stat -c %a $D)
dir=$(mktemp -d)
kmap=$dir/kmap
seed=${security_seed:-1}
rounds=${security_rounds:-200}
trap 'chmod $mode $D; reset; rm -rf $dir' EXIT

every_file() { (cd $M && find . -type f | sed 's,^\./,,' | sort); }

reset() {
	for f in memorizer_filter memorizer_fields memorizer_pid memorizer_cgroup; do
		[ ! -f $M/$f ] || echo >$M/$f
	done
	for f in $(cd $M && ls -d stream_* memorizer_pid_fork memorizer_track_lines | grep -v snapshot); do
		echo 0 >$M/$f
	done
	[ ! -f $M/memorizer_log_calls ] || echo 0 >$M/memorizer_log_calls
	echo 64 >$M/line_size
	quiet
}

# Without access to the directory, the files' own modes would not be tested.
open_directory() {
	chmod 755 $D
	# Creates the user nobody.
	others_may_not show_stats && su nobody -s /bin/sh -c "ls $M >/dev/null"
}

only_root_uses_any_file() {
	open_directory && others_may_not $(every_file)
}

# For debugfs, root of a user's namespace is that user.
root_of_a_user_namespace_uses_none() {
	open_directory || return 1
	as="unshare -U -r sh -c"
	same "the namespace's user" "$(su nobody -s /bin/sh -c "$as 'id -u'")" 0 && others_may_not $(every_file)
	status=$?
	as=
	return $status
}

# Root bypasses modes: the files must refuse operations that they do not have.
other_direction_is_refused() {
	for f in $(cd $M && find . -type f -perm -200 ! -perm -400); do
		same "reading $f" "$( { cat $M/$f >/dev/null; } 2>&1 | sed 's/.*: //')" "Invalid argument" || return 1
	done
	for f in $(cd $M && find . -type f -perm -400 ! -perm -200); do
		case $(put 1 $f) in
		"Invalid argument"|"Permission denied") ;;
		*)	echo "# writing $f: $(put 1 $f)"; return 1 ;;
		esac
	done
}

# written_files: print the files to write to. memorizer_log_calls patches all functions.
written_files() {
	(cd $M && find . -type f -perm -200) | sed 's,^\./,,' | sort |
		if text_may_be_patched; then cat; else grep -v -x memorizer_log_calls; fi
}

# random_writes: print, for each round, a file and a text of octal escapes: pieces of valid inputs, damaged.
random_writes() {
	written_files | awk -v seed="$seed" -v rounds="$rounds" '
		function below(n) { return int(rand() * n) }
		function escaped(text,	i, all) {
			for (i = 1; i <= length(text); i++)
				all = all sprintf("\\%03o", code[substr(text, i, 1)])
			return all
		}
		function byte() { return sprintf("\\%03o", below(256)) }
		{ file[nr++] = $0 }
		END {
			srand(seed)
			for (i = 1; i < 128; i++)
				code[sprintf("%c", i)] = i
			pieces = split("0|1|on|off|y|64|4096|-1|18446744073709551616|none|/|/a/../b|vfs_*|!kmem_*|" \
				"module:vmlinux|file:fs/*.c|cache:dentry|alloc:__d_*|[a-z]|[!a|\\|!|:|::|cache:|" \
				"%s%n%p|text", piece, "|")
			separators = split(" |,|\n|\t|:|!", separator, "|")
			for (round = 0; round < rounds; round++) {
				text = ""
				for (n = below(4); n >= 0; n--) {
					part = escaped(piece[1 + below(pieces)])
					at = 4 * below(length(part) / 4)
					what = below(8)
					if (what == 0)
						part = substr(part, 1, at)
					else if (what == 1)
						part = substr(part, 1, at) byte() substr(part, at + 1)
					else if (what == 2)
						part = substr(part, 1, at) byte() substr(part, at + 5)
					else if (what == 3 && !below(4))
						for (times = 0; times < 9; times++)
							part = part escaped(" ") part
					text = text part (n ? escaped(separator[1 + below(separators)]) : "")
				}
				print file[below(nr)], text
			}
		}'
}

is_list() { case $1 in memorizer_filter|memorizer_fields|memorizer_pid|memorizer_cgroup) ;; *) false ;; esac; }

# write_one FILE TEXT: a refused text changes nothing, an accepted list reads as it is written.
write_one() {
	case $(stat -c %a $M/$1) in
	2*)	readable= ;;
	*)	readable=y ;;
	esac
	before=${readable:+$(cat $M/$1)}
	if printf "$2" >$dir/text && dd if=$dir/text of=$M/$1 bs=64k 2>/dev/null; then
		now=${readable:+$(cat $M/$1)}
		accepted=$((accepted + 1))
		if [ -n "$now" ] && is_list $1; then
			same "writing what $1 shows" "$(put "$now" $1)" ok && same "$1" "$(cat $M/$1)" "$now"
		fi
	else
		refused=$((refused + 1))
		[ -z "$readable" ] || same "$1 after a refused text" "$(cat $M/$1)" "$before"
	fi
}

random_text_changes_nothing_or_is_valid() {
	accepted=0 refused=0
	random_writes >$dir/writes
	while read -r f text; do
		write_one $f "$text" || { echo "# seed $seed: $f <- $text"; return 1; }
	done <$dir/writes
	echo "# $accepted accepted, $refused refused"
	[ $accepted -gt $((rounds / 20)) ] && [ $refused -gt $((rounds / 5)) ]
}

counts_are_exact_then() {
	reset
	module_session 1 1 1
}

plan 5
check only_root_uses_any_file
if su nobody -s /bin/sh -c 'unshare -U -r true' 2>/dev/null; then
	check root_of_a_user_namespace_uses_none
else
	ktap_test_skip root_of_a_user_namespace_uses_none
	echo "# no user namespaces: CONFIG_USER_NS is not set"
fi
check other_direction_is_refused
check random_text_changes_nothing_or_is_valid
check counts_are_exact_then
finish
