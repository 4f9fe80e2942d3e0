// SPDX-License-Identifier: MIT
/*
 * Hash set of the buffers of a submission: see sundog_list.h. Open addressing, linear probing.
 */
#include "sundog_list.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SIZE 32	/* a power of two */

static uint32_t slot_mask(const struct sdrm_list *list)
{
	return list->size * 2 - 1;
}

static uint32_t *find_slot(const struct sdrm_list *list, const struct sdrm_bo *bo)
{
	uint32_t at = ((uintptr_t)bo * 0x9e3779b97f4a7c15ull >> 32) & slot_mask(list);

	while (list->slots[at] && list->items[list->slots[at] - 1].bo != bo)
		at = (at + 1) & slot_mask(list);
	return &list->slots[at];
}

static uint32_t count_listed(const struct sdrm_list *list)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < list->count; i++)
		n += list->items[i].access != 0;
	return n;
}

/* Makes room for an item: removes items without access, and doubles the list unless they were at
 * least half of it. Returns -1 if memory is short. */
static int grow(struct sdrm_list *list)
{
	const uint32_t half = list->size / 2, old = list->count;
	const uint32_t size = !list->size ? FIRST_SIZE :
			      count_listed(list) <= half ? list->size : list->size * 2;
	struct sdrm_list_item *items = realloc(list->items, size * sizeof(*items));
	uint32_t *slots;

	if (!items)
		return -1;
	list->items = items;
	slots = calloc(size * 2, sizeof(*slots));
	if (!slots)
		return -1;
	free(list->slots);
	list->slots = slots;
	list->size = size;
	list->count = 0;
	for (uint32_t i = 0; i < old; i++) {
		if (!items[i].access)
			continue;
		items[list->count] = items[i];
		*find_slot(list, items[i].bo) = ++list->count;
	}
	return 0;
}

void sdrm_list_fini(struct sdrm_list *list)
{
	free(list->items);
	free(list->slots);
}

struct sdrm_list_item *sdrm_list_find(const struct sdrm_list *list,
				      const struct sdrm_bo *bo)
{
	uint32_t slot;

	if (!list->count)
		return NULL;
	slot = *find_slot(list, bo);
	return slot ? &list->items[slot - 1] : NULL;
}

struct sdrm_list_item *sdrm_list_add(struct sdrm_list *list, struct sdrm_bo *bo)
{
	if (list->count == list->size && grow(list))
		return NULL;
	*find_slot(list, bo) = list->count + 1;
	list->items[list->count] = (struct sdrm_list_item){ .bo = bo };
	return &list->items[list->count++];
}

void sdrm_list_clear(struct sdrm_list *list)
{
	if (list->count)
		memset(list->slots, 0, list->size * 2 * sizeof(*list->slots));
	list->count = 0;
}
