/* SPDX-License-Identifier: MIT */
/*
 * Allocator of one command pool. A host such as lavapipe makes one or more allocations for each
 * command, and frees all of them when the pool is reset: the arena places them one after the other,
 * and freeing one costs nothing.
 *
 * Belongs to the thread that records. The host does not allocate for the pool during execution, as
 * command pools are externally synchronized (Vulkan, Command Pools).
 */
#ifndef HOST_ARENA_H
#define HOST_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vulkan/vulkan_core.h>

struct arena_chunk;

struct arena {
	VkAllocationCallbacks callbacks;	/* for the pool; they keep the arena's address */
	struct arena_chunk *chunks;		/* first: the one being filled */
	struct arena_chunk *idle;		/* for later recordings */
	size_t used;				/* used bytes of the first */
	uint32_t live;				/* allocations of the arena that are not freed */
	bool recording;				/* false: allocations come from malloc() */
};

void arena_init(struct arena *a);
/*
 * Between these calls, small allocations come from the arena. If all of them are freed at
 * arena_end(), their memory is used again; else it stays as it is until a later arena_end().
 */
void arena_begin(struct arena *a);
void arena_end(struct arena *a);

#endif
