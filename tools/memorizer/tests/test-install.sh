#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Test make install and uninstall, the man pages, help, and completion.
# Usage: test-install.sh DIR, the directory of a build

. "$(dirname "$0")/common.sh"

installs()
{
	# shellcheck disable=SC2086 # several words
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$here/.." OUTPUT="$build/" \
		SANITIZERS= DESTDIR="$tmp/root" prefix=/opt/m "$@" >"$tmp/out" 2>&1
}

mkdir -p "$tmp/root/opt/m/bin"
echo other >"$tmp/root/opt/m/bin/other"
installs install-files
same "make install succeeds" "0 " "$? $(cat "$tmp/out")"
(cd "$tmp/root" && find . -type f | sort) >"$tmp/got"
{
	cat <<END
./opt/m/bin/memorizer
./opt/m/bin/other
./opt/m/lib/memorizer/memorizer-qemu.so
./opt/m/share/bash-completion/completions/memorizer
./opt/m/share/man/man5/memorizer-formats.5
END
	(cd "$here/../Documentation" && printf './opt/m/share/man/man1/%s\n' *.1)
} | sort >"$tmp/want"
equal "make install installs the command, its man pages and its completion" "$tmp/want" "$tmp/got"
"$tmp/root/opt/m/bin/memorizer" --version >"$tmp/out" 2>&1
same "the installed command runs" 0 $?
memorizer=$tmp/root/opt/m/bin/memorizer
pages=$tmp/root/opt/m/share/man
commands=$("$memorizer" help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p' | grep -vx help | sort)
same "every command has a man page, and every page a command" \
	"$(sed 's/.*/memorizer-&.1/' <<<"$commands")
memorizer.1" "$(ls "$pages/man1")"

export LC_ALL=C.UTF-8
for page in "$pages"/man?/*; do
	MANWIDTH=80 man --warnings -l "$page" 2>&1 >/dev/null
	groff -ww -man -Tutf8 "$page" 2>&1 >/dev/null
	if command -v mandoc >/dev/null; then
		mandoc -T lint -W warning "$page"
	fi
done >"$tmp/faults"
same "the pages have no errors" "" "$(cat "$tmp/faults")"

# rendered PAGE: the page on lines that are as long as they need to be, with single spaces
rendered()
{
	MANWIDTH=300 man -l "$pages/man1/$1.1" 2>/dev/null | sed 's/  */ /g; s/^ //'
}

"$memorizer" help | sed -n 's/^  \([a-z][a-z-]*\)  */\1 - /p' | grep -v '^help' | sort >"$tmp/want"
for command in $commands; do
	rendered "memorizer-$command" | sed -n '/^NAME/{n;s/^memorizer-//p}'
done >"$tmp/got"
equal "help and each command's page have the same summary" \
	"$tmp/want" "$tmp/got"
rendered memorizer | sed -n '/^COMMANDS/,/^OPTIONS/{
	/^memorizer-/{N;s/^memorizer-//;s/(1)\n/ - /p}
}' | sort >"$tmp/got"
equal "help and memorizer(1) have the same summaries" "$tmp/want" "$tmp/got"

# options_of COMMAND: the options that the OPTIONS section of its page explains
options_of()
{
	sed -n '/^\.SH OPTIONS/,/^\.SH [^O]/{/^\.TP/{n;p}}' "$pages/man1/memorizer-$1.1" |
		sed 's/\\-/-/g; s/\\f.//g' | grep -Eo -- '--[a-z-]+' | sort
}

# usage FILE: the lines of the usage in it, with single spaces
usage()
{
	sed -n '/^ *Usage: /,/^$/{s/^ *Usage: //;s/^ *or: //;s/  */ /g;s/^ //;/./p}' "$1"
}

for command in $commands; do
	"$memorizer" "$command" --help >"$tmp/help"
	grep -Eo '^ +(-., )?--[a-z-]+' "$tmp/help" | grep -o -- '--.*' | sort -u >"$tmp/want"
	options_of "$command" >"$tmp/got"
	equal "the page of $command has exactly the options of its --help" \
		"$tmp/want" "$tmp/got"
	usage "$tmp/help" >"$tmp/want"
	rendered "memorizer-$command" |
		sed -n '/^SYNOPSIS/,/^DESCRIPTION/{/^memorizer/p}' >"$tmp/got"
	equal "the page of $command has its synopsis" "$tmp/want" "$tmp/got"
done
"$memorizer" serial --help >"$tmp/help"
same "a usage is not empty" "memorizer serial [OPTION...] DIR" "$(usage "$tmp/help")"

# shows WHAT WANT PROGRAM: compare help with the file WANT
shows()
{
	MANWIDTH=80 "$3" help serial >"$tmp/out" 2>"$tmp/err"
	PATH=$path equal "help shows $1" "$2" "$tmp/out"
}

path=$PATH
MANWIDTH=80 man -l "$pages/man1/memorizer-serial.1" >"$tmp/page" 2>/dev/null
shows "the installed man page" "$tmp/page" "$memorizer"
gzip "$pages/man1/memorizer-serial.1"
shows "a compressed man page" "$tmp/page" "$memorizer"
gunzip "$pages/man1/memorizer-serial.1.gz"
mkdir -p "$tmp/tree/Documentation"
cp "$memorizer" "$tmp/tree"
shows "the usage without a page" "$tmp/help" "$tmp/tree/memorizer"
same "a missing page is reported" \
	"memorizer: no manual page memorizer-serial.1 near $tmp/tree/; this is the usage" \
	"$(cat "$tmp/err")"
cp "$pages/man1/memorizer-serial.1" "$tmp/tree/Documentation"
shows "the page beside a command that is not installed" "$tmp/page" "$tmp/tree/memorizer"
PATH=$tmp shows "the usage without man" "$tmp/help" "$memorizer"
same "a missing man is reported" \
	"memorizer: man: No such file or directory; this is the usage" \
	"$(cat "$tmp/err")"

# completes WORD...: print the completions of the last word
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
rm help
same "completion offers commands" "record report" "$(completes "$memorizer" re)"
# shellcheck disable=SC2086 # several words
same "completion offers all commands" "$(printf '%s\n' $commands help --no-pager --version | LC_ALL=C sort | xargs)" \
	"$(completes "$memorizer" "")"
same "completion offers commands after help" record "$(completes "$memorizer" help rec)"
same "completion offers options" "--mark --max-size" "$(completes "$memorizer" record --ma)"
same "completion offers other commands' options" "--kallsyms" "$(completes "$memorizer" symbolize --kal)"
same "completion offers files" "here here.kmap" "$(completes "$memorizer" report he)"
same "completion offers directories where they are expected" here "$(completes "$memorizer" record --output he)"
same "completion offers files where they are expected" "here here.kmap" "$(completes "$memorizer" report --vmlinux he)"
same "completion offers kinds" "cache" "$(completes "$memorizer" report --kind ca)"
same "completion offers nothing for free text" "" "$(completes "$memorizer" record --mark he)"
same "completion offers options of record" "here here.kmap" "$(completes "$memorizer" record -- here)"

installs uninstall
same "make uninstall removes all files" "0 ./opt/m/bin/other" \
	"$? $(cd "$tmp/root" && find . -type f | sort)"
same "make uninstall removes its directories" "" "$(find "$tmp/root" -name '*memorizer*')"
tap_end
