# SPDX-License-Identifier: GPL-2.0
# Paths and helpers, sourced by the scripts in this directory.
# shellcheck shell=bash disable=SC2034 # the sourcing scripts use the variables

set -euo pipefail
export LC_ALL=C

me=${0##*/}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
build=$top/build
out=$build/out
measured=$out/measured		# what "measurements" puts into the documentation

say() { printf '%s: %s\n' "$me" "$*" >&2; }
die() { say "$*"; exit 1; }

# as_root COMMAND...: run COMMAND as root, with sudo if needed.
as_root() {
	if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# lock NAME: take build/NAME.lock, waiting for it, until this script ends.
lock() {
	local fd

	mkdir -p "$build"
	exec {fd}>"$build/$1.lock"
	flock -n "$fd" || { say "waiting for another run to release build/$1.lock"; flock "$fd"; }
}

# locked NAME COMMAND...: run COMMAND with build/NAME.lock held.
locked() ( lock "$1"; shift; "$@" )

# make_tools TARGET...: build targets of tools/memorizer into build/tools.
make_tools() {
	"$here/setup" tools &&
		locked tools make -s -C "$top/tools/memorizer" OUTPUT="$build/tools/" "$@"
}

# need_space GB WHAT: fail unless build/ has GB free for WHAT.
need_space() {
	local free

	mkdir -p "$build"
	free=$(($(df --output=avail -k "$build" | tail -n 1) >> 20))
	[ "$free" -ge "$1" ] ||
		die "$2 needs $1 GB below $build, $free GB are free; free some, or run 'make clean'"
}

# overlay_files: list the files for a kernel tree, F.patch included. The
# repository's own files are not part of the overlay.
overlay_files() (
	cd "$top"
	if git rev-parse --git-dir >/dev/null 2>&1 && [ -e .git ]; then
		git ls-files --cached --others --exclude-standard
	else
		find . -type f -printf '%P\n'
	fi | sort -u | while read -r f; do
		case $f in
		.*|build/*|scripts/memorizer/*|README.md|Makefile|COPYING)	continue ;;
		esac
		[ ! -f "$f" ] || printf '%s\n' "$f"
	done
)

# kernel_version TREE: print 6.12.n; fail if TREE is not a linux tree.
kernel_version() {
	[ -f "$1/Kbuild" ] && [ -f "$1/mm/slub.c" ] && [ -f "$1/Makefile" ] &&
		awk '$2 == "=" && $1 ~ /^(VERSION|PATCHLEVEL|SUBLEVEL)$/ { v[$1] = $3 }
		     END { if (v["VERSION"] == "") exit 1
			   print v["VERSION"] "." v["PATCHLEVEL"] "." v["SUBLEVEL"] }' "$1/Makefile"
}

# source_tarball: print the path of Debian's kernel source, which setup installs.
source_tarball() {
	local tar=/usr/src/linux-source-6.12.tar.xz

	[ -f "$tar" ] || die "$tar is missing; scripts/memorizer/setup installs it"
	printf '%s\n' "$tar"
}

# source_versions: list the versions of linux-source-6.12 that apt offers and the
# installed one, newest first.
source_versions() {
	local offered

	as_root apt-get -qq update >&2 || say "apt-get update failed, using the previous package lists"
	offered=$(apt-cache madison linux-source-6.12 | awk '{ print $3 }')
	[ -n "$offered" ] || die "apt offers no linux-source-6.12; run apt-get update"
	printf '%s\n' "$offered" "$(dpkg-query -W -f '${Version}' linux-source-6.12)" | sort -rVu
}

# tarball VERSION: write that version's source to stdout. Versions that are not
# installed are downloaded once and kept.
tarball() {
	local deb=$build/apt/$1.deb

	if [ "$1" = "$(dpkg-query -W -f '${Version}' linux-source-6.12)" ]; then
		cat "$(source_tarball)"
		return
	fi
	if [ ! -f "$deb" ]; then
		rm -rf "$deb.part"
		mkdir "$deb.part"
		(cd "$deb.part" && apt-get -qq -o APT::Sandbox::User=root download "linux-source-6.12=$1") >&2 ||
			die "linux-source-6.12 $1 cannot be downloaded; is it still offered after apt-get update?"
		mv "$deb.part"/*.deb "$deb"
		rmdir "$deb.part"
	fi
	dpkg-deb --fsys-tarfile "$deb" | tar -xO ./usr/src/linux-source-6.12.tar.xz
}

# pristine VERSION DIR: unpack the files of that version that the overlay patches
# or would overwrite, and those that identify a linux tree. They are cached in
# build/apt until the overlay needs other files.
pristine() (
	kept=$build/apt/$1

	lock "apt-$1"
	mkdir -p "$build/apt"
	{ overlay_files | sed 's/\.patch$//'; printf '%s\n' Makefile Kbuild mm/slub.c; } |
		sort -u | sed 's,^,linux-source-6.12/,' >"$kept.wants"
	if ! cmp -s "$kept.wants" "$kept.has"; then
		rm -rf "$kept" "$kept.has"
		mkdir "$kept"
		# Files that the overlay adds are expected to be missing in the archive.
		tarball "$1" | xz -dc -T0 |
			{ tar -x -C "$kept" --strip-components=1 -T "$kept.wants" 2>"$kept.said" || :; } &&
			! grep -v -e ': Not found in archive$' -e ' previous errors$' "$kept.said" >&2 &&
			kernel_version "$kept" >/dev/null || die "linux-source-6.12 $1 cannot be unpacked"
		mv "$kept.wants" "$kept.has"
	fi
	rm -rf "$2"
	cp -rp "$kept" "$2"
)

# section_words VMLINUX NAME: dump __start_NAME to __stop_NAME, a line per word: the low 32 bits
# of the line's address, the offset from there, the word.
section_words() {
	local start stop

	start=$(nm "$1" | sed -n "s/ . __start_$2$//p")
	stop=$(nm "$1" | sed -n "s/ . __stop_$2$//p")
	objdump -s --start-address="0x$start" --stop-address="0x$stop" "$1" | awk '
		/^ [0-9a-f]+ [0-9a-f]+/ {
			at = substr($1, length($1) - 7)
			for (i = 2; i <= 5 && $i ~ /^[0-9a-f]+$/ && length($i) == 8; i++)
				print at, 4 * (i - 2), substr($i, 7, 2) substr($i, 5, 2) substr($i, 3, 2) substr($i, 1, 2)
		}'
}

# access_ips VMLINUX: print the low 32 bits of the access ips of sites, joined accesses and groups.
access_ips() {
	{
		objdump -d --no-show-raw-insn "$1" |
			grep -B1 'memorizer_joined_[rwu][0-9]*>$' | sed -n 's/.*(%rip),%r10 *# /joined /p'
		section_words "$1" memorizer_sites | awk 'NR % 2 { print "site", $0 }'	# of two words the first
		section_words "$1" memorizer_groups | sed 's/^/group /'
	} | awk '
		function value(hex,	n, i) {
			n = 0
			for (i = 1; i <= length(hex); i++)
				n = 16 * n + index("0123456789abcdef", substr(hex, i, 1)) - 1
			return n
		}
		function show(at, distance) { printf "%08x\n", (at + distance) % 4294967296 }
		# The ip that a joined access is announced with
		$1 == "joined"	{ print substr($2, 9) }
		# The offset of the site from the table entry
		$1 == "site"	{ show(value($2) + $3, value($4) + 5) }
		# A group is a word, whose third byte is the number of members, and two words
		# for each member: the first is the offset of its ip.
		$1 == "group" && !left	{ left = 2 * value(substr($4, 3, 2)); next }
		$1 == "group" {
			if (left-- % 2 == 0)
				show(value($2) + $3, value($4))
		}'
}

# Console messages of a kernel in trouble
splats='WARNING:|BUG:|INFO: (possible|task|rcu|trying)|Oops|Kernel panic|general protection|detected stalls?|self-detected stall|={20,}'

# stale_breakpoint CONSOLE: succeed if the kernel died during boot of a breakpoint that is not in
# its memory, as the code dump shows. text_poke_bp() has removed the breakpoint, but with a thread
# per CPU, QEMU 7.2 executes a stale translation. Kernels without Memorizer die of it, too.
stale_breakpoint() {
	! grep -q -a '^guest: up' "$1" && grep -a -m 1 -A 8 -E "$splats" "$1" | awk '
		NR == 1 { int3 = /Oops: int3/ }
		/ Code: .* </ { gone = !/ cc </; exit }
		END { exit !(int3 && gone) }'
}

# two_nodes: print QEMU's options for 4 GiB on two NUMA nodes.
two_nodes() {
	local node

	for node in 0 1; do
		printf '%s ' "-object memory-backend-ram,id=node$node,size=2G -numa node,memdev=node$node"
	done
}

# not COMMAND...: succeeds if COMMAND fails.
not() { ! "$@"; }

# plan and result print a flat KTAP document.
results=0
plan() { printf 'KTAP version 1\n1..%d\n' "$1"; }
result() {	# NAME COMMAND...: ok if COMMAND succeeds
	local name=$1 not=''

	shift
	"$@" >&2 || not='not '
	results=$((results + 1))
	printf '%sok %d %s\n' "$not" $results "$name"
	[ -z "$not" ] || printf 'not ok %d %s\n' $results "$name" >&2
}
