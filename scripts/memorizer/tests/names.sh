#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Test the types of allocations by wrappers, and of a module's variables: a guest loads the test module of names, and the
# compiler's note of each object in the KMAP must be the known one.
. "$(dirname "$0")/../lib.sh"

memorizer=$build/tools/memorizer
O=$build/memorizer
dir=$out/test-names

# expected: print command (the wrapper's name), type, function of alloc_ip, and number of objects. The function is the
# wrapper's caller, unless the wrapper calls the allocator itself. The type is unknown if the function has only a void
# pointer, or if the object is part of a larger allocation.
expected() {
	cat <<-END
	alloc_skb;[unknown];kmalloc_reserve 1
	alloc_skb;sk_buff;__alloc_skb 1
	bytes;[unknown];by_bytes 1
	cache_bulk;names_thing;by_cache_bulk 2
	cache_zalloc;names_thing;by_cache_zalloc 1
	devm_kcalloc;names_part;by_devm_kcalloc 1
	devm_kmemdup;[unknown];devm_kmemdup 1
	devm_kzalloc;names_thing;by_devm_kzalloc 1
	kasprintf;char;kasprintf 1
	kcalloc;names_part;by_kcalloc 1
	kmalloc;names_thing;by_kmalloc 1
	kmalloc_array;names_thing;by_kmalloc_array 1
	kmemdup;names_thing;by_kmemdup 1
	krealloc;names_thing;by_krealloc 1
	kstrdup;char;by_kstrdup 1
	kvzalloc;names_thing;by_kvzalloc 1
	kzalloc;names_thing;by_kzalloc 1
	kzalloc_node;names_thing;by_kzalloc_node 1
	mempool_alloc;[unknown];mempool_alloc_noprof 1
	shmem_file;dentry;__d_alloc 1
	shmem_file;file;alloc_empty_file 1
	shmem_file;shmem_inode_info;shmem_alloc_inode 1
	struct_size;names_list;by_struct_size 1
	END
}

known() {
	"$here/boot" --config memorizer --smp 1 --out "$dir" -- 'D=/sys/kernel/debug/memorizer
		echo slab static >$D/memorizer_kinds && echo 1 >$D/memorizer_log_access &&
		insmod /modules/memorizer_test_names.ko && echo 0 >$D/memorizer_log_access &&
		cat $D/kmap >/out/kmap && cat $D/kmap_kinds >/out/kinds && cat /proc/kallsyms >/out/kallsyms &&
		cat /sys/kernel/notes >/out/kmap.notes && rmmod memorizer_test_names'
}

# typed: print the same from the notes, for the commands named like the wrappers.
typed() {
	local wrappers

	wrappers=$(grep -o '{ "[a-z_]*", by_' "$top/mm/memorizer/test_names.c" | cut -d '"' -f 2 | paste -s -d '|')
	"$memorizer" fold --types --value objects -k "$O/vmlinux" -K "$dir/kallsyms" -M "$O" "$dir/kmap" |
		sed 's/ \[memorizer_test_names\]//' | grep -E "^($wrappers);"
}

types_are_known() { diff <(expected) <(typed); }

# A variable is an object once it is accessed: kmemdup() copied the one that is named model.
variables_have_types() {
	local got

	got=$("$memorizer" report --csv -k "$O/vmlinux" -K "$dir/kallsyms" -M "$O" --kind static "$dir/kinds" |
		sed -n 's/^sites,[^,]*,model+[^,]*\[memorizer_test_names\],static,\([^,]*\),.*/\1/p')
	[ "$got" = names_thing ] || { echo "# its type is $got"; return 1; }
}

"$here/build" --config memorizer
make_tools
plan 3
result "the test module of names allocates" known
result "allocations by wrappers have their types" types_are_known
result "variables of a module have their types" variables_have_types
