#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Test the QEMU plugin with an unmodified kernel: the image of Debian's package.
. "$(dirname "$0")/../lib.sh"

dir=$out/qemu
plugin=$build/tools/qemu

# image: print the path of Debian's kernel image, downloaded once.
image() {
	local package deb

	package=$(apt-cache depends linux-image-amd64 | sed -n 's/^ *Depends: \(linux-image-[0-9][^ ]*\)$/\1/p')
	[ -n "$package" ] || die "apt offers no linux-image-amd64; run apt-get update"
	deb=$build/apt/$package.deb
	if [ ! -f "$deb" ]; then
		rm -rf "$deb.part"
		mkdir -p "$deb.part"
		(cd "$deb.part" && apt-get -qq -o APT::Sandbox::User=root download "$package") >&2 ||
			die "$package cannot be downloaded"
		mv "$deb.part"/*.deb "$deb"
		rmdir "$deb.part"
	fi
	dpkg-deb --fsys-tarfile "$deb" | tar -xO --wildcards './boot/vmlinuz-*'
}

# make_initramfs: BusyBox, a program, and an init that runs it. Symbols go to the second serial line.
make_initramfs() {
	mkdir -p "$dir/root/bin"
	cp /bin/busybox "$dir/root/bin/"
	cp "$plugin/tests/stock" "$dir/root/"
	cat >"$dir/root/init" <<-'END'
		#!/bin/busybox sh
		/bin/busybox --install -s /bin
		export PATH=/bin
		mkdir -p /proc /dev
		mount -t proc proc /proc
		mount -t devtmpfs devtmpfs /dev
		stty -F /dev/ttyS1 raw
		grep ' [tT] [^[]*$' /proc/kallsyms >/dev/ttyS1
		/stock
		poweroff -f
	END
	chmod +x "$dir/root/init"
	(cd "$dir/root" && find . | sort | cpio --quiet -o -H newc -R 0:0) >"$dir/initramfs"
}

# watch TRACE OPTION...: leave a trace while the program runs in the guest.
watch() {
	local trace=$1

	shift
	timeout "${MEMORIZER_HANG:-1200}" "$build/tools/memorizer" qemu -o "$dir/$trace" --paused "$@" -- \
		qemu-system-x86_64 -m 512 -smp 2 -accel tcg,thread=multi -cpu max,la57=off -nodefaults -display none \
		-no-reboot -kernel "$dir/vmlinuz" -initrd "$dir/initramfs" -append "console=ttyS0 panic=-1 quiet tsc=reliable no_timer_check" \
		-serial "file:$dir/console" -serial "file:$dir/kallsyms" </dev/null
}

# stacks: print for each traffic event the CPU, the CPU that the line came from, and the functions, outermost first.
stacks() {
	{ tr -d '\r' <"$dir/kallsyms"; nm "$plugin/tests/stock"; } | awk '$2 ~ /^[tT]$/ { print $1, $3 }' | sort >"$dir/symbols"
	babeltrace2 "$dir/trace" 2>"$dir/said" | awk '
		# Numbers in awk have less than 64 bits; addresses of the same width compare as text.
		function name(ip,	low, high, middle) {
			low = 1
			high = nr
			while (low < high) {
				middle = int((low + high + 1) / 2)
				if (start[middle] "" <= ip "")
					low = middle
				else
					high = middle - 1
			}
			return symbol[low]
		}
		function field(key) {
			match($0, " " key " = [-0-9A-Fx]+")
			return substr($0, RSTART + length(key) + 4, RLENGTH - length(key) - 4)
		}
		function address(key,	hex) {
			hex = tolower(substr(field(key), 3))
			while (length(hex) < 16)
				hex = "0" hex
			return hex
		}
		NR == FNR { start[++nr] = $1; symbol[nr] = $2; next }
		/ call: / { caller[field("stack")] = field("caller"); call[field("stack")] = address("ip") }
		/ traffic: / {
			text = name(address("ip"))
			last = ""
			for (n = field("stack") + 0; n; n = caller[n] + 0) {
				if (call[n] == last)
					text = "TWICE " text
				last = call[n]
				text = name(call[n]) " " text
			}
			print field("cpu_id"), field("from"), text
		}' "$dir/symbols" - >"$dir/stacks"
	wc -l <"$dir/stacks"
	[ -s "$dir/stacks" ] && [ ! -s "$dir/said" ]
}

# nothing_lost: the plugin's counts are 0, except for the first, the events written.
nothing_lost() { cat "$dir/trace/qemu/stats"; ! sed 1d "$dir/trace/qemu/stats" | grep -v ': 0$'; }

# no_accesses TRACE: the trace has both scopes of the program, and no access.
no_accesses() {
	babeltrace2 "$dir/$1" >"$dir/$1.events" &&
		[ "$(grep -c ' mark: .*"scope [01]"' "$dir/$1.events")" = 2 ] && ! grep -m 3 ' access: ' "$dir/$1.events"
}
done_in_guest() { grep -q '^stock: done' "$dir/console" || { cat "$dir/console"; return 1; }; }

# moves CPU FROM REGEX: a line moved to CPU from FROM in a stack that matches.
moves() { grep -q -E "^$1 $2 $3\$" "$dir/stacks"; }
# never REGEX: no stack matches.
never() { ! grep -E "$1" "$dir/stacks" | sort | uniq -c | sort -rn | head -n 5 | grep .; }

"$here/setup" boot test-qemu
make_tools >&2
locked qemu make -s -C "$top/tools/memorizer/qemu" OUTPUT="$plugin/" "$plugin/tests/stock" >&2
rm -rf "$dir"
mkdir -p "$dir"
image >"$dir/vmlinuz"
make_initramfs
plan 11
result "a trace of Debian's kernel" watch trace --mode traffic --scopes
result "the guest did all its work" done_in_guest
result "nothing is lost" nothing_lost
result "babeltrace2 reads it" stacks
write="(__libc_start[^ ]* )*main give (entry_SYSCALL_64|entry_SYSCALL_64_after_hwframe) do_syscall_64( [^ ]+)* vfs_write pipe_write( .*)?"
read="(__libc_start[^ ]* )*main take (entry_SYSCALL_64|entry_SYSCALL_64_after_hwframe) do_syscall_64( [^ ]+)* vfs_read pipe_read( .*)?"
result "lines move to the first CPU in pipe_write(), called by the program" moves 0 1 "$write"
result "lines move to the second CPU in pipe_write(), called by the program" moves 1 0 "$write"
result "lines move to the first CPU in pipe_read()" moves 0 1 "$read"
result "lines move to the second CPU in pipe_read()" moves 1 0 "$read"
result "an interrupt after a call does not put it on the stack twice" never TWICE
# Linux maps the IDT here, for the CPU alone.
result "a trace of loads of the IDT" watch idt --mode all --data fffffe0000000000-fffffe0000000fff
result "QEMU's loads for interrupts are not attributed to instructions" no_accesses idt
