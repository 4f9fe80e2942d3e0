/* SPDX-License-Identifier: MIT */
/*
 * Hash set of the buffers of a submission or of a residency list. The key is the address of the BO,
 * because the handle of a freed BO is reused for another one. Not thread-safe.
 */
#ifndef SUNDOG_LIST_H
#define SUNDOG_LIST_H

#include <stdint.h>

struct sdrm_bo;

struct sdrm_list_item {
	struct sdrm_bo *bo;
	uint32_t access;	/* SUNDOG_ACCESS_*; 0: the BO is not on the list any more */
};

struct sdrm_list {
	struct sdrm_list_item *items;
	uint32_t count, size;
	uint32_t *slots;	/* hash table of 2 * size slots: 1 + index in items, 0: empty */
};

void sdrm_list_fini(struct sdrm_list *list);
/* Returns the item of @bo, or NULL. */
struct sdrm_list_item *sdrm_list_find(const struct sdrm_list *list,
				      const struct sdrm_bo *bo);
/* Add an item for @bo, which must have none. Returns NULL if memory is short. May move items, and
 * remove those without access. */
struct sdrm_list_item *sdrm_list_add(struct sdrm_list *list, struct sdrm_bo *bo);
void sdrm_list_clear(struct sdrm_list *list);

#endif
