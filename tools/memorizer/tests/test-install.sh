#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests what make install puts where, that uninstall takes it away, and the completion.
# Usage: test-install.sh DIR/, the directory of a build

here=$(cd "$(dirname "$0")" && pwd)
build=$1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. "$here/tap.sh"

installs()
{
	# shellcheck disable=SC2086 # several words
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$here/.." OUTPUT="$build" \
		SANITIZERS= DESTDIR="$tmp/root" prefix=/opt/m "$@" >"$tmp/out" 2>&1
}

mkdir -p "$tmp/root/opt/m/bin"
echo other >"$tmp/root/opt/m/bin/other"
installs install-files
same "make install installs" "0 " "$? $(cat "$tmp/out")"
(cd "$tmp/root" && find . -type f | sort) >"$tmp/got"
cat >"$tmp/want" <<END
./opt/m/bin/memorizer
./opt/m/bin/other
./opt/m/lib/memorizer/memorizer-qemu.so
./opt/m/share/bash-completion/completions/memorizer
./opt/m/share/man/man1/memorizer.1
./opt/m/share/man/man5/memorizer-formats.5
END
equal "the command, its man pages and its completion" "$tmp/want" "$tmp/got"
"$tmp/root/opt/m/bin/memorizer" --version >"$tmp/out" 2>&1
same "which runs" 0 $?
same "the man page has no fault" "" \
	"$(cd / && LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l \
	"$tmp/root/opt/m/share/man/man1/memorizer.1" 2>&1 >/dev/null)"

# Each option that help tells of is in the man page, too
memorizer=$tmp/root/opt/m/bin/memorizer
page=$(sed 's/\\-/-/g' "$tmp/root/opt/m/share/man/man1/memorizer.1")
missing=
commands=$("$memorizer" help | sed -n 's/^  \([a-z-]*\) .*/\1/p')
for command in $commands; do
	for option in $("$memorizer" help "$command" 2>/dev/null |
			grep -Eo '^ +(-., )?--[a-z-]+' | grep -o -- '--.*'); do
		grep -q -e "$option" <<<"$page" || missing="$missing $command $option"
	done
done
same "it has all options" "" "$missing"

# Each line of the synopsis is one of its own, and ends with what the command reads
synopsis=$(sed -n '/^.SH SYNOPSIS/,/^.SH DESCRIPTION/p' <<<"$page")
same "commands begin lines of the synopsis" "" \
	"$(awk '/^.B memorizer/ && before !~ /^.(br|SH)/ { print $3 } { before = $0 }' \
		<<<"$synopsis")"
same "and all but record, which reads the kernel, end with what they read" "record" \
	"$(awk '/^.(B memorizer|SH DESC)/ {
			if (name && (last ~ /^.RB/ || last ~ /^[^[]*]$/))
				print name
			name = $3
		}
		!/^.(br|SH)/ { last = $0 }' <<<"$synopsis")"

# completes WORD...: what the last word may become
. "$tmp/root/opt/m/share/bash-completion/completions/memorizer"
completes()
{
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	_memorizer
	printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort -u | xargs
}

cd "$tmp" || exit 1
mkdir here
touch here.kmap
same "completion offers commands" "record report" "$(completes "$memorizer" re)"
same "all of them" "$(LC_ALL=C sort <<<"$commands" | xargs)" \
	"$(completes "$memorizer" "")"
same "after help, too" record "$(completes "$memorizer" help rec)"
same "options" "--mark --max-size" "$(completes "$memorizer" record --ma)"
same "those of other commands as well" "--kallsyms" "$(completes "$memorizer" symbolize --kal)"
same "files" "here here.kmap" "$(completes "$memorizer" report he)"
same "directories where one is wanted" here "$(completes "$memorizer" record --output he)"
same "files where one is wanted" "here here.kmap" "$(completes "$memorizer" report --vmlinux he)"
same "kinds" "cache" "$(completes "$memorizer" report --kind ca)"
same "nothing where anything may be" "" "$(completes "$memorizer" record --mark he)"
same "what is to be recorded" "here here.kmap" "$(completes "$memorizer" record -- here)"

installs uninstall
same "make uninstall takes it away" "0 ./opt/m/bin/other" \
	"$? $(cd "$tmp/root" && find . -type f | sort)"
same "with the directories that were its own" "" "$(find "$tmp/root" -name '*memorizer*')"
tap_end
