/* SPDX-License-Identifier: MIT */
/*
 * The buffers of a submission, or of a residency list, each once, found in constant time. They are told apart by
 * where they lie, for the handle of one that was freed becomes another's.
 */
#ifndef SUNDOG_LIST_H
#define SUNDOG_LIST_H

#include <stdint.h>

struct sundog_bo;

struct sundog_list_item {
	struct sundog_bo *bo;
	uint32_t access;	/* 0: it is not on the list */
};

struct sundog_list {
	struct sundog_list_item *items;
	uint32_t count, size;
	uint32_t *slots;	/* hash table: 1 + index in items, 0 is empty; twice as long as items */
};

void sundog_list_fini(struct sundog_list *list);
/* The item of @bo, or NULL. */
struct sundog_list_item *sundog_list_find(const struct sundog_list *list, const struct sundog_bo *bo);
/* A new item for @bo, which has none yet; NULL if memory is short. Items without access go, others may move. */
struct sundog_list_item *sundog_list_add(struct sundog_list *list, struct sundog_bo *bo);
void sundog_list_clear(struct sundog_list *list);

#endif
