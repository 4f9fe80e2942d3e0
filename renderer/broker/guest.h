/* SPDX-License-Identifier: MIT */
/*
 * Heap GUEST: the dma-bufs of guest pages that the device sent to the broker, by their offset in
 * the heap. Called by the broker's event thread; a connection owns the heap.
 */
#ifndef BROKER_GUEST_H
#define BROKER_GUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "sundog_hw.h"

struct async_closer;

struct guest_map {
	uint64_t offset, size;		/* in the heap; bytes, whole pages */
	int fd;				/* the dma-buf; the heap owns it. -1: refused, no pages */
};

struct guest_heap {
	struct guest_map maps[SUNDOG_MAX_GUEST_MAPS];	/* sorted by offset, without overlap */
	uint32_t n_maps;
};

/*
 * Adds a map, without pages if @fd is -1. Returns 0, after taking over @fd, which counts for @who
 * until it is closed, see async_closer_keep(); -EINVAL for a bad range; -EBUSY if the range
 * overlaps a map; -ENOSPC if there are too many maps.
 */
int guest_heap_add(struct guest_heap *heap, uint64_t offset, uint64_t size, int fd,
		   struct async_closer *who);

/*
 * Removes exactly this map and closes its descriptor for @who, see async_close_for(). Returns false
 * if there is no such map.
 */
bool guest_heap_remove(struct guest_heap *heap, uint64_t offset, uint64_t size,
		       struct async_closer *who);

/* Removes all maps and closes their descriptors for @who. */
void guest_heap_clear(struct guest_heap *heap, struct async_closer *who);

/* Returns the map that has the page at @offset, or NULL. */
const struct guest_map *guest_heap_at(const struct guest_heap *heap, uint64_t offset);

#endif
