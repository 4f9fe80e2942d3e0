// SPDX-License-Identifier: MIT
/*
 * The buffers of a submission: see sundog_list.h.
 */
#include "sundog_list.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SIZE 32	/* a power of two */

static uint32_t slot_mask(const struct sundog_list *list)
{
	return list->size * 2 - 1;
}

/* Handles are small and dense, so their low bits spread well as they are. */
static uint32_t *find_slot(const struct sundog_list *list, uint32_t handle)
{
	uint32_t at = handle & slot_mask(list);

	while (list->slots[at] && list->items[list->slots[at] - 1].handle != handle)
		at = (at + 1) & slot_mask(list);
	return &list->slots[at];
}

static int grow(struct sundog_list *list)
{
	const uint32_t size = list->size ? list->size * 2 : FIRST_SIZE;
	struct sundog_list_item *items = realloc(list->items, size * sizeof(*items));
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
	for (uint32_t i = 0; i < list->count; i++)
		*find_slot(list, items[i].handle) = i + 1;
	return 0;
}

void sundog_list_fini(struct sundog_list *list)
{
	free(list->items);
	free(list->slots);
}

struct sundog_list_item *sundog_list_find(const struct sundog_list *list, uint32_t handle)
{
	uint32_t slot;

	if (!list->count)
		return NULL;
	slot = *find_slot(list, handle);
	return slot ? &list->items[slot - 1] : NULL;
}

struct sundog_list_item *sundog_list_add(struct sundog_list *list, uint32_t handle)
{
	if (list->count == list->size && grow(list))
		return NULL;
	*find_slot(list, handle) = list->count + 1;
	list->items[list->count] = (struct sundog_list_item){ .handle = handle };
	return &list->items[list->count++];
}

void sundog_list_clear(struct sundog_list *list)
{
	if (list->count)
		memset(list->slots, 0, list->size * 2 * sizeof(*list->slots));
	list->count = 0;
}
