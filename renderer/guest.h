/* SPDX-License-Identifier: MIT */
/*
 * Heap GUEST: which dma-bufs of guest pages are where in it, as the device brought them to the broker.
 */
#ifndef GUEST_H
#define GUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "sundog_hw.h"

struct guest_map {
	uint64_t offset, size;		/* in the heap, bytes, whole pages */
	int fd;				/* of the dma-buf; the heap's own */
};

struct guest_heap {
	struct guest_map maps[SUNDOG_MAX_GUEST_MAPS];	/* by offset; they do not overlap */
	uint32_t n_maps;
};

/* Takes @fd over. Returns 0, -EINVAL for a bad range, -EBUSY for one in use, -ENOSPC for too many. */
int guest_heap_add(struct guest_heap *heap, uint64_t offset, uint64_t size, int fd);

/* Remove just this map and close its descriptor. False: there is none. */
bool guest_heap_remove(struct guest_heap *heap, uint64_t offset, uint64_t size);

/* Remove all. */
void guest_heap_clear(struct guest_heap *heap);

/* The map that @offset is in, or NULL. */
const struct guest_map *guest_heap_at(const struct guest_heap *heap, uint64_t offset);

#endif
