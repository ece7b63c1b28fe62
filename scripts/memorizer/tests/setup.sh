#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Test setup, with a package manager that only records the requests, and need_space.
. "$(dirname "$0")/../lib.sh"

work=$build/setup-test
rm -rf "$work"
mkdir -p "$work/bin"
export PATH=$work/bin:$PATH WORK=$work

cat >"$work/bin/dpkg-query" <<'EOF'
#!/bin/sh
# The packages named in "installed" are installed.
for p; do
	grep -qx -e "$p" "$WORK/installed" && echo "ii  $p"
done
EOF
cat >"$work/bin/apt-get" <<'EOF'
#!/bin/sh
echo "Reading package lists..."
echo "$*" | tr ' ' '\n' >>"$WORK/asked"
[ ! -e "$WORK/offline" ] || { echo "E: Unable to fetch some archives" >&2; exit 100; }
EOF
cat >"$work/bin/df" <<'EOF'
#!/bin/sh
printf 'Avail\n%d\n' $((3 << 20))
EOF
chmod +x "$work"/bin/*

# setup_with INSTALLED PURPOSE...: run setup; its messages go to "said", its requests to "asked".
setup_with() {
	printf '%s\n' $1 >"$work/installed"
	rm -f "$work/asked"
	touch "$work/asked"
	shift
	"$here/setup" "$@" >"$work/said" 2>&1
}
asks_for() { grep -qx -e "$1" "$work/asked"; }
never_asks_for() { ! grep -x -E -e "$1" "$work/asked"; }
says() { grep -q -e "$1" "$work/said" && [ "$(wc -l <"$work/said")" -eq 1 ]; }

# The packages of all purposes
every=$(sed -n '/^declare -A packages/,/^)/p' "$here/setup" | sed 's/\[[a-z0-9-]*\]=//; s/gcc-\${[^}]*}/gcc-12/' | tr -dc 'a-z0-9.+\n -')

plan 10
result "make run installs its packages" setup_with "" build boot tools
result "make run installs the kernel's source and QEMU" eval 'asks_for linux-source-6.12 && asks_for qemu-system-x86'
result "make run installs no browser, clang, csmith or second compiler" never_asks_for 'chromium.*|clang|.*csmith.*|g(cc|[+][+])-11.*|gnuplot.*|linux-perf'
result "apt's output goes to a log, with a message of one line" says 'installing [0-9]* packages .* for: build boot tools'
setup_with "gcc libc6-dev cpio busybox-static" boot
result "only missing packages are installed" eval 'asks_for qemu-system-x86 && never_asks_for "gcc|cpio|busybox-static"'
setup_with "$every" build boot tools test-tools
result "nothing happens if none is missing" eval '[ ! -s "$work/asked" ] && [ ! -s "$work/said" ]'
touch "$work/offline"
result "a failed download fails" not setup_with "" boot
result "a failed download prints what to do" eval 'tail -n 1 "$work/said" | grep -q "Unable to fetch some archives; check the network"'
result "an unknown purpose is refused" not setup_with "" travel
result "a full disk is reported before the build begins" eval '
	(need_space 3 "the kernel") && said=$(need_space 4 "the kernel" 2>&1)
	[ $? -ne 0 ] && [ "${said#*: }" = "the kernel needs 4 GB below $build, 3 GB are free; free some, or run '\''make clean'\''" ]'
