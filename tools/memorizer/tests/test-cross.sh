#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Build memorizer for other architectures, run it under qemu-user, and compare its output
# with the native build's, byte for byte.
# Usage: test-cross.sh DIR/ ARCH..., the directory of the native build, and s390x, which is
# big-endian, or armhf, which has 32 bits
#
# Libraries come from Debian packages unpacked below DIR: only the compiler and qemu-user
# are installed, and the state of apt and dpkg does not change.
set -eu

native=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
packages="libdw-dev libdw1 libelf-dev libelf1 libzstd-dev libzstd1 zlib1g zlib1g-dev liblzma5 liblzma-dev libbz2-1.0 libyaml-0-2 libyaml-dev
	libc6 libgcc-s1"
orders="le be"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
. "$here/tap.sh"

say() {
	echo "# $*" >&2
}

# An apt with its own state, for packages of the other architecture.
cross_apt() {
	apt-get -q -o APT::Architecture="$arch" -o APT::Architectures::="$arch" \
		-o Dir::State="$sysroot/apt" -o Dir::State::status="$sysroot/apt/status" \
		-o Dir::Cache="$sysroot/apt/cache" -o APT::Sandbox::User= \
		-o Acquire::Retries=3 "$@" >&2
}

make_sysroot() {
	local deb

	# Of an older list of packages, some may be missing.
	[ "$(cat "$sysroot/complete" 2>/dev/null)" = "$packages" ] && return
	say "unpacking libraries for $arch"
	rm -rf "$sysroot"
	mkdir -p "$sysroot/apt/lists/partial" "$sysroot/apt/cache/archives/partial" \
		"$sysroot/debs"
	: >"$sysroot/apt/status"
	# A suite that is unavailable may not be needed.
	cross_apt update || :
	# shellcheck disable=SC2086 # names, one word each
	(cd "$sysroot/debs" && cross_apt download $packages)
	for deb in "$sysroot"/debs/*.deb; do
		dpkg -x "$deb" "$sysroot"
	done
	rm -rf "$sysroot/apt" "$sysroot/debs"
	echo "$packages" >"$sysroot/complete"
}

build() {
	local lib=$sysroot/usr/lib/$triplet

	say "building for $arch"
	make -s -C "$here/.." OUTPUT="$cross/" SANITIZERS= CC=$triplet-gcc AR=$triplet-ar \
		CPPFLAGS="-isystem $sysroot/usr/include" \
		LDFLAGS="-L$lib -L$sysroot/lib/$triplet -Wl,-rpath-link,$lib:$sysroot/lib/$triplet" \
		tests >&2
}

# emulate PROGRAM ARGUMENTS...
emulate() {
	local program=$1

	shift
	$qemu -L "$sysroot" "$cross/$program" "$@"
}

# run native|cross PROGRAM ARGUMENTS...: save output, messages and exit status in a file of
# that name
run() {
	local out=$1 status=0 program=$2

	shift 2
	if [ "$out" = native ]; then
		"$native$program" "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	else
		emulate "$program" "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	fi
	{
		cat "$tmp/out"
		echo "--- messages"
		cat "$tmp/err"
		echo "--- exit status $status"
	} >"$tmp/$out"
}

# same NAME PROGRAM ARGUMENTS...
same() {
	local name=$1

	shift
	run native "$@"
	run cross "$@"
	grep -q '^--- exit status [0123]$' "$tmp/native" && [ "$(wc -l <"$tmp/native")" -gt 2 ] &&
		cmp "$tmp/native" "$tmp/cross" >&2
	ok $? "$name" || :
}

# choose ARCH: set its names, and class and byte order as in an ELF header
choose() {
	arch=$1
	case $arch in
	s390x)	triplet=s390x-linux-gnu qemu=qemu-s390x elf="2 2" ;;
	armhf)	triplet=arm-linux-gnueabihf qemu=qemu-arm elf="1 1" ;;
	*)	echo "$0: no architecture '$arch': want s390x or armhf" >&2; exit 2 ;;
	esac
	cross=$native$arch
	sysroot=$cross/sysroot
}

# compare ORDER: compare traces of this byte order
compare() {
	local order=$1 trace format

	for trace in mixed bad packets; do
		"$native/tests/make-trace" -e "$order" "$tmp/$trace" <"$here/data/$trace.trace"
		same "$arch: dump of $trace trace, $order" tests/dump-trace -p "$tmp/$trace"
		same "$arch: check of $trace trace, $order" memorizer check "$tmp/$trace"
		same "$arch: check --json of $trace trace, $order" \
			memorizer check --json --all "$tmp/$trace"
		same "$arch: kmap of $trace trace, $order" memorizer kmap "$tmp/$trace"
		truncate -s -5 "$tmp/$trace/cpu0"
		same "$arch: check of $trace trace without its end, $order" \
			memorizer check "$tmp/$trace"
		rm -r "${tmp:?}/$trace"
	done
	"$native/tests/make-trace" -e "$order" "$tmp/kmem" <"$here/data/kmem.trace"
	for format in --top=0 --json --csv; do
		same "$arch: report $format, $order" \
			memorizer report $format -K "$here/data/kallsyms" "$tmp/kmem"
	done
	rm -r "$tmp/kmem"
	"$native/tests/make-trace" -e "$order" -b 20000 -c 3 "$tmp/load"
	same "$arch: dump of a load, $order" tests/dump-trace "$tmp/load"
	same "$arch: check of a load, $order" memorizer check "$tmp/load"
	same "$arch: report of a load, $order" memorizer report --top 0 "$tmp/load"
	run native tests/dump-trace "$tmp/load"
	mv "$tmp/native" "$tmp/load.$order"
	emulate tests/make-trace -e "$order" -b 20000 -c 3 "$tmp/other"
	diff -r "$tmp/load" "$tmp/other" >&2
	ok $? "$arch: both make the same trace, $order"
	rm -r "$tmp/load" "$tmp/other"
}

for a; do
	choose "$a"
	"$here/../../../scripts/memorizer/setup" test-cross -- gcc-$triplet libc6-dev-"$arch"-cross >&2
	make_sysroot
	build
done
set +e
for a; do
	choose "$a"
	[ "$(od -An -tu1 -j4 -N2 "$cross/memorizer" | xargs)" = "$elf" ]
	ok $? "$arch: the binary is for it"
	for o in $orders; do
		compare "$o"
	done
	cmp "$tmp/load.le" "$tmp/load.be" >&2
	ok $? "$arch: both byte orders have the same events"
done
tap_end
