/* SPDX-License-Identifier: MIT */
/*
 * The buffers of a submission, each once, found by handle in constant time.
 */
#ifndef SUNDOG_LIST_H
#define SUNDOG_LIST_H

#include <stdint.h>

struct sundog_bo;

struct sundog_list_item {
	struct sundog_bo *bo;
	uint32_t handle;
	uint32_t access;
};

struct sundog_list {
	struct sundog_list_item *items;
	uint32_t count, size;
	uint32_t *slots;	/* hash table: 1 + index in items, 0 is empty; twice as long as items */
};

void sundog_list_fini(struct sundog_list *list);
/* The item of @handle, or NULL. */
struct sundog_list_item *sundog_list_find(const struct sundog_list *list, uint32_t handle);
/* A new item for @handle, which is not there yet; NULL if memory is short. */
struct sundog_list_item *sundog_list_add(struct sundog_list *list, uint32_t handle);
void sundog_list_clear(struct sundog_list *list);

#endif
