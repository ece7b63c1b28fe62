// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's test module for names: allocates by all kinds of wrappers, to test the types that
 * the compiler's notes assign to allocations. An object has its wrapper's name as comm, and
 * lives until the module is unloaded.
 */
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/mempool.h>
#include <linux/module.h>
#include <linux/shmem_fs.h>
#include <linux/skbuff.h>
#include <linux/slab.h>

struct names_part {
	int x, y;
};

struct names_thing {
	struct names_part part;
	long number;
};

struct names_list {
	unsigned int count;
	struct names_part parts[] __counted_by(count);
};

static const struct names_thing model = { .number = 3 };

static struct device *device;
static struct kmem_cache *cache;
static mempool_t *pool;

static struct names_thing *thing, *zeroed, *copied, *grown, *several;
static struct names_thing *from_cache, *on_node, *virtual;
static struct names_thing *from_pool, *bulk[2];
static struct names_part *parts;
static struct names_list *list;
static char *text, *printed;
static struct sk_buff *skb;
static struct file *file;
static void *bytes;

static void by_kmalloc(void)
{
	thing = kmalloc(sizeof(*thing), GFP_KERNEL);
}

static void by_kzalloc(void)
{
	zeroed = kzalloc(sizeof(*zeroed), GFP_KERNEL);
}

static void by_kzalloc_node(void)
{
	on_node = kzalloc_node(sizeof(*on_node), GFP_KERNEL, 0);
}

static void by_kmalloc_array(void)
{
	several = kmalloc_array(3, sizeof(*several), GFP_KERNEL);
}

static void by_kcalloc(void)
{
	parts = kcalloc(5, sizeof(*parts), GFP_KERNEL);
}

static void by_struct_size(void)
{
	list = kzalloc(struct_size(list, parts, 7), GFP_KERNEL);
	if (list)
		list->count = 7;
}

static void by_kmemdup(void)
{
	copied = kmemdup(&model, sizeof(model), GFP_KERNEL);
}

/* krealloc(NULL), so that there is one object. */
static void by_krealloc(void)
{
	grown = krealloc(NULL, 2 * sizeof(*grown), GFP_KERNEL);
}

static void by_kvzalloc(void)
{
	virtual = kvzalloc(sizeof(*virtual), GFP_KERNEL);
}

static void by_kstrdup(void)
{
	text = kstrdup("text", GFP_KERNEL);
}

static void by_kasprintf(void)
{
	printed = kasprintf(GFP_KERNEL, "%d", 1);
}

static void by_bytes(void)
{
	bytes = kmalloc(77, GFP_KERNEL);
}

static void by_cache_zalloc(void)
{
	from_cache = kmem_cache_zalloc(cache, GFP_KERNEL);
}

static void by_cache_bulk(void)
{
	if (!kmem_cache_alloc_bulk(cache, GFP_KERNEL, ARRAY_SIZE(bulk), (void **)bulk))
		bulk[0] = NULL;
}

static void by_mempool(void)
{
	from_pool = mempool_alloc(pool, GFP_KERNEL);
}

static void by_devm_kzalloc(void)
{
	struct names_thing *managed;

	managed = devm_kzalloc(device, sizeof(*managed), GFP_KERNEL);
	if (managed)
		WRITE_ONCE(managed->number, 1);
}

static void by_devm_kcalloc(void)
{
	struct names_part *managed_parts;

	managed_parts = devm_kcalloc(device, 5, sizeof(*managed_parts), GFP_KERNEL);
	if (managed_parts)
		WRITE_ONCE(managed_parts->x, 1);
}

static void by_devm_kmemdup(void)
{
	struct names_thing *managed_copy;

	managed_copy = devm_kmemdup(device, &model, sizeof(model), GFP_KERNEL);
	if (managed_copy)
		WRITE_ONCE(managed_copy->number, 2);
}

static void by_alloc_skb(void)
{
	skb = alloc_skb(200, GFP_KERNEL);
}

static void by_shmem_file(void)
{
	file = shmem_file_setup("memorizer", PAGE_SIZE, VM_NORESERVE);
	if (IS_ERR(file))
		file = NULL;
}

static const struct {
	const char *comm;
	void (*allocate)(void);
} wrappers[] = {
	{ "kmalloc", by_kmalloc }, { "kzalloc", by_kzalloc }, { "kzalloc_node", by_kzalloc_node },
	{ "kmalloc_array", by_kmalloc_array }, { "kcalloc", by_kcalloc },
	{ "struct_size", by_struct_size }, { "kmemdup", by_kmemdup }, { "krealloc", by_krealloc },
	{ "kvzalloc", by_kvzalloc }, { "kstrdup", by_kstrdup }, { "kasprintf", by_kasprintf },
	{ "bytes", by_bytes }, { "cache_zalloc", by_cache_zalloc }, { "cache_bulk", by_cache_bulk },
	{ "mempool_alloc", by_mempool }, { "devm_kzalloc", by_devm_kzalloc },
	{ "devm_kcalloc", by_devm_kcalloc }, { "devm_kmemdup", by_devm_kmemdup },
	{ "alloc_skb", by_alloc_skb }, { "shmem_file", by_shmem_file },
};

static void free_all(void)
{
	kfree(thing);
	kfree(zeroed);
	kfree(on_node);
	kfree(several);
	kfree(parts);
	kfree(list);
	kfree(copied);
	kfree(grown);
	kvfree(virtual);
	kfree(text);
	kfree(printed);
	kfree(bytes);
	kfree_skb(skb);
	if (file)
		fput(file);
	if (from_cache)
		kmem_cache_free(cache, from_cache);
	if (bulk[0])
		kmem_cache_free_bulk(cache, ARRAY_SIZE(bulk), (void **)bulk);
	if (from_pool)
		mempool_free(from_pool, pool);
	mempool_destroy(pool);
	kmem_cache_destroy(cache);
	root_device_unregister(device);
}

static int __init names_init(void)
{
	char comm[TASK_COMM_LEN];
	unsigned int i;

	device = root_device_register("memorizer_test_names");
	if (IS_ERR(device))
		return PTR_ERR(device);
	cache = KMEM_CACHE(names_thing, 0);
	pool = cache ? mempool_create_slab_pool(1, cache) : NULL;
	if (!pool) {
		free_all();
		return -ENOMEM;
	}
	get_task_comm(comm, current);
	for (i = 0; i < ARRAY_SIZE(wrappers); i++) {
		strscpy(current->comm, wrappers[i].comm);
		wrappers[i].allocate();
	}
	strscpy(current->comm, comm);
	return 0;
}
module_init(names_init);

static void __exit names_exit(void)
{
	free_all();
}
module_exit(names_exit);

MODULE_DESCRIPTION("Memorizer's test module of names");
MODULE_LICENSE("GPL");
