// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of Memorizer's core: objects inserted directly into the index.
 */
#include "test.h"

/**
 * make_object() - make an object record without inserting it
 * @va: address
 * @size: bytes
 *
 * Return: its id
 */
u32 make_object(unsigned long va, size_t size)
{
	u32 id = memorizer_pool_alloc(MEMORIZER_OBJECT);
	struct memorizer_object *object = memorizer_ptr(id);

	CHECK(id);
	WRITE_ONCE(object->entries, 0);
	WRITE_ONCE(object->at, memorizer_hide(va));
	WRITE_ONCE(object->size, size);
	return id;
}

/**
 * insert_object() - make and insert an object, as the hook of allocations does
 * @geo: the layout of objects around it
 * @va: address
 * @size: bytes
 *
 * Return: the object's id
 */
u32 insert_object(const struct memorizer_geometry *geo, unsigned long va, size_t size)
{
	u32 id = make_object(va, size);

	struct memorizer_object *object = memorizer_ptr(id);

	CHECK_EQ(memorizer_index_insert(geo, va, id), 0);
	WRITE_ONCE(object->at, va);
	WRITE_ONCE(object->state, MEMORIZER_LIVE);
	return id;
}

/**
 * erase_object() - erase and close an object, as the hook of frees does
 * @va: address
 * @id: the object that is there
 */
void erase_object(unsigned long va, u32 id)
{
	struct memorizer_object *object = memorizer_ptr(id);

	CHECK_EQ(memorizer_index_erase(va), id);
	WRITE_ONCE(object->state, MEMORIZER_FREED);
	WRITE_ONCE(object->at, memorizer_hide(va));
}

/**
 * lookup() - find the live object that contains an address
 * @addr: the address
 *
 * Return: its id, 0 if there is none
 */
u32 lookup(unsigned long addr)
{
	unsigned long next;

	return memorizer_index_lookup(addr, &next);
}
