#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Builds kmap for s390x, whose byte order is the other one, runs it under qemu-user, and
# compares its output with that of the native build, byte for byte.
# Usage: test-cross.sh DIR/, the directory of the native build
#
# Libraries come from Debian's packages, unpacked below DIR: nothing but the compiler and
# qemu-user is installed, and apt's and dpkg's own state is left alone.
set -eu

native=$1
here=$(cd "$(dirname "$0")" && pwd)
arch=s390x
triplet=s390x-linux-gnu
cross=$native$arch
sysroot=$cross/sysroot
packages="libbabeltrace2-dev libbabeltrace2-0 libglib2.0-0 libpcre2-8-0 libdw-dev libdw1
	libelf-dev libelf1 zlib1g liblzma5 libbz2-1.0 libc6 libgcc-s1"
nr=0
failed=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

say() {
	echo "# $*" >&2
}

ok() {
	nr=$((nr + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $nr - $2"
	else
		echo "not ok $nr - $2"
		failed=$((failed + 1))
	fi
}

# An apt with a state of its own, which has packages of the other architecture.
cross_apt() {
	apt-get -q -o APT::Architecture=$arch -o APT::Architectures::=$arch \
		-o Dir::State="$sysroot/apt" -o Dir::State::status="$sysroot/apt/status" \
		-o Dir::Cache="$sysroot/apt/cache" -o APT::Sandbox::User= "$@" >&2
}

make_sysroot() {
	local deb

	[ -e "$sysroot/complete" ] && return
	say "unpacking libraries for $arch"
	rm -rf "$sysroot"
	mkdir -p "$sysroot/apt/lists/partial" "$sysroot/apt/cache/archives/partial" \
		"$sysroot/debs"
	: >"$sysroot/apt/status"
	cross_apt update
	(cd "$sysroot/debs" && cross_apt download $packages)
	for deb in "$sysroot"/debs/*.deb; do
		dpkg -x "$deb" "$sysroot"
	done
	rm -rf "$sysroot/apt" "$sysroot/debs"
	touch "$sysroot/complete"
}

build() {
	local lib=$sysroot/usr/lib/$triplet

	say "building for $arch"
	make -s -C "$here/.." OUTPUT="$cross/" SANITIZERS= CC=$triplet-gcc AR=$triplet-ar \
		CPPFLAGS="-isystem $sysroot/usr/include" \
		LDFLAGS="-L$lib -L$sysroot/lib/$triplet -Wl,-rpath-link,$lib:$sysroot/lib/$triplet" \
		tests >&2
}

# run PREFIX PROGRAM ARGUMENTS...: its output, messages and exit status
run() {
	local out=$1 status=0 program=$2

	shift 2
	if [ "$out" = native ]; then
		"$native$program" "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	else
		qemu-s390x -L "$sysroot" "$cross/$program" "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
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
	grep -q '^--- exit status [012]$' "$tmp/native" && [ "$(wc -l <"$tmp/native")" -gt 2 ] &&
		cmp "$tmp/native" "$tmp/cross" >&2
	ok $? "$name" || :
}

"$here/../../../scripts/memorizer/setup" gcc-$triplet libc6-dev-$arch-cross qemu-user >&2
make_sysroot
build
set +e

[ "$(od -An -tu1 -j5 -N1 "$cross/kmap" | tr -d ' ')" = 2 ]
ok $? "the build is big-endian"
for order in le be; do
	for trace in mixed bad packets; do
		"$native/test/make-trace" -e $order "$tmp/$trace" <"$here/data/$trace.trace"
		same "dump of $trace trace, $order" test/dump-trace -p "$tmp/$trace"
		same "check of $trace trace, $order" kmap check "$tmp/$trace"
		same "check --json of $trace trace, $order" kmap check --json --all "$tmp/$trace"
		same "kmap of $trace trace, $order" kmap kmap "$tmp/$trace"
		truncate -s -5 "$tmp/$trace/cpu0"
		same "check of $trace trace without its end, $order" kmap check "$tmp/$trace"
		rm -r "$tmp/$trace"
	done
	"$native/test/make-trace" -e $order -b 20000 -c 3 "$tmp/load"
	same "dump of a load, $order" test/dump-trace "$tmp/load"
	same "check of a load, $order" kmap check "$tmp/load"
	run native test/dump-trace "$tmp/load"
	mv "$tmp/native" "$tmp/load.$order"
	"$native/test/make-trace" -e $order -b 20000 -c 3 "$tmp/twin"
	qemu-s390x -L "$sysroot" "$cross/test/make-trace" -e $order -b 20000 -c 3 "$tmp/other"
	diff -r "$tmp/twin" "$tmp/other" >&2
	ok $? "both write the same trace, $order"
	rm -r "$tmp/load" "$tmp/twin" "$tmp/other"
done
cmp "$tmp/load.le" "$tmp/load.be" >&2
ok $? "both byte orders hold the same events"
echo "1..$nr"
[ "$failed" -eq 0 ]
