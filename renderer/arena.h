/* SPDX-License-Identifier: MIT */
/*
 * Memory of what one command pool records. A host such as lavapipe takes an allocation or more for each command, and
 * gives all of them back when the pool is reset: they lie one after the other, and giving one back costs nothing.
 *
 * Belongs to the thread that records: the host must not allocate for the pool when it executes, as Vulkan's rules
 * for command pools say.
 */
#ifndef ARENA_H
#define ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vulkan/vulkan_core.h>

struct arena_chunk;

struct arena {
	VkAllocationCallbacks callbacks;	/* for the pool; they keep the address of the arena */
	struct arena_chunk *chunks;		/* first: the one being filled */
	struct arena_chunk *idle;		/* for what is recorded next */
	size_t used;				/* bytes of the first */
	uint32_t live;				/* allocations that were not given back */
	bool recording;				/* else allocations are for longer */
};

void arena_init(struct arena *a);
/* What is allocated from here on is given back before arena_end(), or stays where it is. */
void arena_begin(struct arena *a);
void arena_end(struct arena *a);

#endif
