#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Checks that objects built with the plugin link: with any kinds of names, any compression of debug
# sections, and any names of sections. Arguments: the compiler, the plugin, a directory for the
# objects.
set -eu

compiler=$1 plugin=$2 work=$3
plugin_name=$(basename "$plugin" .so)
passed=0 failed=0
rm -rf "$work"
mkdir -p "$work"
cd "$work"

# Shapes, which differ in the names that they have
cat >nothing.c <<'C'
int nothing(int a) { return a + 1; }
C
cat >scalar.c <<'C'
int scalar(int *p) { return *p; }
C
cat >variable.c <<'C'
static int variable;
int next(void) { return variable++; }
C
cat >member.c <<'C'
struct record { int a; int b[3]; };
int member(struct record *record) { return record->b[1]; }
C
cat >allocation.c <<'C'
void *allocate(unsigned long size) __attribute__((alloc_size(1)));
void *allocation(void) { char *p = allocate(10); if (p) p[3] = 1; return p; }
C
cat >string.c <<'C'
unsigned long strlen(const char *s);
unsigned long string(const char *s) { return strlen(s); }
C
cat >cold.c <<'C'
void __attribute__((cold)) fail(int);
void cold(int *p) { if (*p) fail(p[1]); }
C
cat >sections.c <<'C'
#define IN(name) __attribute__((section(name)))
IN(".text.hot-path") int in_hyphen(int *p) { return *p; }
IN(".text.hot_path") int in_underscore(int *p) { return *p; }
IN(".text.hot+p@th") int in_signs(int *p) { return *p; }
int in_text(int *p) { return *p; }
C

result() {	# NAME COMMAND...: ok if COMMAND succeeds without output
	local name=$1

	shift
	if "$@" >said 2>&1 && [ ! -s said ]; then
		echo "ok $compiler: $name"
		passed=$((passed + 1))
	else
		sed 's/^/#   /' said
		echo "not ok $compiler: $name"
		failed=$((failed + 1))
	fi
}

# compile SHAPE COMPRESSION: like -gz, which older compilers lack for some compressions
compile() {
	$compiler -O2 -g -std=gnu11 -mno-red-zone -fno-pie -fplugin="$plugin" \
		"-Wa,--compress-debug-sections=$2" -c -o "$1-$2.o" "$1.c"
}

# links COMPRESSION SHAPE...
links() {
	local compression=$1 objects=() shape

	shift
	for shape; do
		compile "$shape" "$compression" || return
		objects+=("$shape-$compression.o")
	done
	ld -r --fatal-warnings "--compress-debug-sections=$compression" -o linked.o \
		"${objects[@]}" && ld -r --fatal-warnings -o linked-again.o linked.o
}

# name_sections SHAPE: its sections for the kernel and for names, each with size and alignment
name_sections() {
	readelf -SW "$1-none.o" | sed 's/^ *\[ *[0-9]*\] *//' |
		awk '$1 ~ /^(\.debug_)?memorizer_/ && $2 == "PROGBITS" { print $1, $5, $NF }'
}

# sections_are_sound: prints sections that are empty or have a wrong alignment
sections_are_sound() {
	local shape

	for shape in "${shapes[@]}"; do
		name_sections "$shape"
	done >sections
	awk '$2 ~ /^0+$/ { print $1, "is empty" }
	     $1 ~ /_names$/ && $3 != 8 || $1 ~ /_(sites|files|groups)$/ && $3 != 4 {
		print $1, "is aligned to", $3
	     }
	     { n[$1]++ }
	     END { if (length(n) < 5) print "only", length(n), "kinds of sections" }' sections
}

# stubs_stay: prints sections that lack the stub of their site
stubs_stay() {
	local section

	for section in .text '.text.hot-path' '.text.hot_path' '.text.hot+p@th'; do
		objdump -d -r -j "$section" sections-none.o >code
		grep -q 'R_X86_64_PLT32.*memorizer_thunk_r4' code || echo "no stub in $section"
	done
}

# percpu_is_optional: prints what is wrong about the sites of an access relative to %gs
percpu_is_optional() {
	local with

	echo 'int percpu(int __seg_gs *p) { return *p; }' >percpu.c
	for with in "" "-fplugin-arg-${plugin_name}-percpu"; do
		$compiler -O2 -mno-red-zone -fno-pie -fplugin="$plugin" $with -c -o percpu.o percpu.c
		size -A percpu.o | awk -v with="$with" '
			$1 == "memorizer_sites" { n = $2 / 8 }
			END { if (n + 0 != (with != "")) print n + 0, "sites with the option \"" with "\"" }'
	done
}

shapes=(nothing scalar variable member allocation string cold sections)
for compression in none zlib zlib-gnu zstd; do
	compile nothing "$compression" 2>said || continue
	[ ! -s said ] || continue
	for shape in "${shapes[@]}"; do
		result "names of $shape link, compression $compression" links "$compression" "$shape"
	done
	result "names of all shapes link, compression $compression" links "$compression" "${shapes[@]}"
done
result "sections are not empty, and aligned" sections_are_sound
result "per-CPU data have sites if the option says so" percpu_is_optional
result "stubs are in sections of any name" stubs_stay
echo "$passed passed, $failed failed"
