/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's stream: events and their fields.
 *
 * The kernel (stream.h, ctf.c) and the QEMU plugin (tools/memorizer/qemu/writer.c) generate the
 * structures of events and the metadata that describes them from this list.
 */
#ifndef _MM_MEMORIZER_EVENT_FIELDS_H
#define _MM_MEMORIZER_EVENT_FIELDS_H

/* Types of fields in TSDL, the language of the metadata. */
#define MEMORIZER_INTEGER(size, more)	\
	"integer { size = " #size "; align = 8; signed = false; " more "}"

#define MEMORIZER_TYPES									\
	("typealias " MEMORIZER_INTEGER(8, "") " := uint8;\n"				\
	 "typealias " MEMORIZER_INTEGER(32, "") " := uint32;\n"				\
	 "typealias " MEMORIZER_INTEGER(64, "") " := uint64;\n"				\
	 "typealias " MEMORIZER_INTEGER(8, "base = 16; ") " := hex8;\n"			\
	 "typealias " MEMORIZER_INTEGER(32, "base = 16; ") " := hex32;\n"		\
	 "typealias " MEMORIZER_INTEGER(64, "base = 16; ") " := hex64;\n"		\
	 "typealias " MEMORIZER_INTEGER(8, "encoding = UTF8; ") " := text8;\n"		\
	 "typealias integer { size = 16; align = 8; signed = true; } := int16;\n"	\
	 "typealias integer { size = 32; align = 8; signed = true; } := int32;\n"	\
	 "typealias enum : uint8 { kmalloc = 0, cache = 1, pages = 2, vmalloc = 3, vmap = 4, "	\
	 "ioremap = 5, modules = 6, stack = 7, percpu = 8 } := source;\n"			\
	 "typealias enum : uint8 { live = 1, freed = 2, buried = 3 } := life;\n"	\
	 "typealias enum : uint8 { read = 1, write = 2, update = 3 } := direction;\n"	\
	 "typealias enum : uint8 { syscall = 1, interrupt = 2, exception = 3, "		\
	 "softirq = 4, nmi = 5 } := entry;\n"						\
	 "typealias enum : uint8 { acquire = 1, acquired = 2, release = 3 } := lock_op;\n"	\
	 "typealias enum : uint8 { slab = 1, pages = 2, vmalloc = 3, vmap = 4, "		\
	 "ioremap = 5, modules = 6, stack = 7, struct_page = 8, static = 9, percpu = 10, "	\
	 "memblock = 11, user = 12 } := memory;\n")

/* Types that refer to the clock "memorizer", which the metadata must define first. */
#define MEMORIZER_TIME_TYPES								\
	("typealias " MEMORIZER_INTEGER(56, "map = clock.memorizer.value; ")		\
	 " := time56;\n"								\
	 "typealias " MEMORIZER_INTEGER(64, "map = clock.memorizer.value; ")		\
	 " := time64;\n")

/* A field's declaration in TSDL. */
#define MEMORIZER_TSDL_FIELD(type, tsdl, name)		"\t\t" #tsdl " " #name ";\n"
#define MEMORIZER_TSDL_ARRAY(type, tsdl, name, length)	\
	"\t\t" #tsdl " " #name "[" #length "];\n"

/* A field's declaration in C. */
#define MEMORIZER_C_FIELD(type, tsdl, name)		type name;
#define MEMORIZER_C_ARRAY(type, tsdl, name, length)	type name[length];

/*
 * Events in the order of their ids, from 0: E(name, name in upper case, name of the string that
 * follows the fields, or NULL). Append only: ids are ABI.
 */
#define MEMORIZER_EVENTS(E)		\
	E(task, TASK, NULL)		\
	E(cache, CACHE, "name")		\
	E(alloc, ALLOC, NULL)		\
	E(free, FREE, NULL)		\
	E(object, OBJECT, NULL)		\
	E(counts, COUNTS, NULL)		\
	E(access, ACCESS, NULL)		\
	E(mark, MARK, "text")		\
	E(switch, SWITCH, NULL)		\
	E(snapshot, SNAPSHOT, NULL)	\
	E(module, MODULE, "name")	\
	E(traffic, TRAFFIC, NULL)	\
	E(enter, ENTER, NULL)		\
	E(leave, LEAVE, NULL)		\
	E(lock, LOCK, "name")		\
	E(rcu_free, RCU_FREE, NULL)	\
	E(frame, FRAME, NULL)

/*
 * Fields of packets and events, in order: F(C type, TSDL type, name), and A(C type, TSDL type,
 * name, length) for arrays. Append only: released fields are ABI.
 */
#define MEMORIZER_PACKET_CONTEXT(F, A)		\
	F(u64, time64, timestamp_begin)		\
	F(u64, time64, timestamp_end)		\
	F(u64, uint64, content_size)		\
	F(u64, uint64, packet_size)		\
	F(u64, uint64, packet_seq_num)		\
	F(u64, uint64, events_discarded)	\
	F(u32, uint32, cpu_id)			\
	F(u32, uint32, node_id)			\
	F(u64, uint64, events_discarded_before)

#define MEMORIZER_TASK_FIELDS(F, A)		\
	F(u32, uint32, pid)			\
	A(char, text8, comm, 16)		\
	F(u64, uint64, started)

#define MEMORIZER_CACHE_FIELDS(F, A)		\
	F(u64, hex64, cache)			\
	F(u32, uint32, object_size)		\
	F(u32, uint32, size)

#define MEMORIZER_ALLOC_FIELDS(F, A)		\
	F(u8, source, kind)			\
	F(u64, hex64, call_site)		\
	F(u64, hex64, ptr)			\
	F(u32, uint32, bytes_req)		\
	F(u32, uint32, bytes_alloc)		\
	F(u32, hex32, gfp_flags)		\
	F(s16, int16, node)			\
	F(u32, uint32, pid)			\
	F(u64, hex64, cache)

#define MEMORIZER_FREE_FIELDS(F, A)		\
	F(u8, source, kind)			\
	F(u64, hex64, call_site)		\
	F(u64, hex64, ptr)			\
	F(u32, uint32, bytes)			\
	F(u32, uint32, pid)			\
	F(u64, hex64, cache)

#define MEMORIZER_OBJECT_FIELDS(F, A)		\
	F(u32, uint32, object)			\
	F(u32, uint32, snapshot)		\
	F(u8, life, state)			\
	F(u64, hex64, alloc_site)		\
	F(u32, uint32, pid)			\
	F(u64, hex64, ptr)			\
	F(u32, uint32, bytes_req)		\
	F(u64, uint64, alloc_jiffies)		\
	F(u64, uint64, free_jiffies)		\
	F(u64, hex64, free_site)		\
	A(char, text8, comm, 16)		\
	F(u8, memory, kind)			\
	F(u32, hex32, stack)

#define MEMORIZER_COUNTS_FIELDS(F, A)		\
	F(u32, uint32, object)			\
	F(u64, hex64, ip)			\
	F(u32, uint32, pid)			\
	F(u64, uint64, writes)			\
	F(u64, uint64, reads)			\
	F(u64, uint64, write_moves)		\
	F(u64, uint64, read_moves)

#define MEMORIZER_ACCESS_FIELDS(F, A)		\
	F(u64, hex64, ip)			\
	F(u64, hex64, ptr)			\
	F(u32, uint32, size)			\
	F(u8, direction, kind)			\
	F(u32, uint32, pid)

#define MEMORIZER_MARK_FIELDS(F, A)		\
	F(u32, uint32, pid)

#define MEMORIZER_SWITCH_FIELDS(F, A)		\
	F(u8, uint8, allocations)		\
	F(u8, uint8, retirements)		\
	F(u8, uint8, accesses)			\
	F(u8, uint8, boot)			\
	F(u8, uint8, traffic)			\
	F(u8, uint8, entries)			\
	F(u8, uint8, locks)			\
	F(u8, uint8, scoped)

#define MEMORIZER_SNAPSHOT_FIELDS(F, A)		\
	F(u32, uint32, snapshot)		\
	F(u32, uint32, complete)		\
	F(u64, uint64, objects)

#define MEMORIZER_MODULE_FIELDS(F, A)		\
	F(u8, uint8, loaded)			\
	F(u64, hex64, base)			\
	F(u32, uint32, size)			\
	F(u64, hex64, init_base)		\
	F(u32, uint32, init_size)		\
	F(u64, uint64, jiffies)			\
	A(u8, hex8, build_id, 20)

#define MEMORIZER_TRAFFIC_FIELDS(F, A)		\
	F(u64, hex64, ip)			\
	F(u64, hex64, ptr)			\
	F(u32, uint32, size)			\
	F(u8, direction, kind)			\
	F(u32, uint32, pid)			\
	F(u64, hex64, line)			\
	F(s32, int32, from)

#define MEMORIZER_ENTER_FIELDS(F, A)		\
	F(u8, entry, kind)			\
	F(u32, uint32, number)			\
	F(u32, uint32, pid)

#define MEMORIZER_LEAVE_FIELDS	MEMORIZER_ENTER_FIELDS

#define MEMORIZER_LOCK_FIELDS(F, A)		\
	F(u8, lock_op, op)			\
	F(u8, hex8, flags)			\
	F(u64, hex64, lock)			\
	F(u64, hex64, ip)			\
	F(u32, uint32, pid)

#define MEMORIZER_RCU_FREE_FIELDS(F, A)		\
	F(u64, hex64, ptr)			\
	F(u64, hex64, ip)			\
	F(u32, uint32, pid)

#define MEMORIZER_FRAME_FIELDS(F, A)		\
	F(u32, hex32, stack)			\
	F(u8, uint8, depth)			\
	F(u64, hex64, ip)

#endif /* _MM_MEMORIZER_EVENT_FIELDS_H */
