/* SPDX-License-Identifier: MIT */
/*
 * Hash set of the buffers of a submission or of a residency list. The key is the address of the BO,
 * because the handle of a freed BO is reused for another one. Not thread-safe.
 */
#ifndef SUNDOG_LIST_H
#define SUNDOG_LIST_H

#include <stdint.h>

struct sundog_bo;

struct sundog_list_item {
	struct sundog_bo *bo;
	uint32_t access;	/* SUNDOG_ACCESS_*; 0: the BO is not on the list any more */
};

struct sundog_list {
	struct sundog_list_item *items;
	uint32_t count, size;
	uint32_t *slots;	/* hash table of 2 * size slots: 1 + index in items, 0: empty */
};

void sundog_list_fini(struct sundog_list *list);
/* Returns the item of @bo, or NULL. */
struct sundog_list_item *sundog_list_find(const struct sundog_list *list,
					  const struct sundog_bo *bo);
/* Add an item for @bo, which must have none. Returns NULL if memory is short. May move items, and
 * remove those without access. */
struct sundog_list_item *sundog_list_add(struct sundog_list *list, struct sundog_bo *bo);
void sundog_list_clear(struct sundog_list *list);

#endif
