// SPDX-License-Identifier: MIT
/*
 * Allocator of one command pool, see arena.h: runs in the thread that records, as
 * VkAllocationCallbacks. Each allocation has a header, since Vulkan does not pass its size when it
 * is reallocated or freed.
 */
#include "host/arena.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_SIZE (256u << 10)
#define MAX_SMALL (16u << 10)		/* larger allocations come from malloc() */
#define ALIGN 16u
#define MAX_IDLE 16			/* idle chunks that are kept */

struct header {
	size_t size;
	void *block;			/* to be passed to free(); NULL: of the arena */
};

struct arena_chunk {
	struct arena_chunk *next;
	_Alignas(ALIGN) char bytes[CHUNK_SIZE];
};

_Static_assert(sizeof(struct header) == ALIGN, "what follows a header is aligned as it is");

static struct header *header_of(void *p)
{
	return (struct header *)p - 1;
}

static void *alloc_block(size_t size, size_t align)
{
	const size_t room = align > ALIGN ? align : 0;
	struct header *h;
	uintptr_t at;
	void *block;

	if (size > SIZE_MAX / 2 || align > SIZE_MAX / 4)
		return NULL;
	block = malloc(sizeof(*h) + size + room);
	if (!block)
		return NULL;
	at = (uintptr_t)block + sizeof(*h);
	if (room)
		at = (at + align - 1) & ~(uintptr_t)(align - 1);
	h = header_of((void *)at);
	*h = (struct header){ size, block };
	return (void *)at;
}

static struct arena_chunk *take_chunk(struct arena *a)
{
	struct arena_chunk *chunk = a->idle;

	if (chunk)
		a->idle = chunk->next;
	else
		chunk = malloc(sizeof(*chunk));
	return chunk;
}

static void *alloc_small(struct arena *a, size_t size)
{
	const size_t whole = sizeof(struct header) + ((size + ALIGN - 1) & ~(size_t)(ALIGN - 1));
	struct header *h;

	if (!a->chunks || CHUNK_SIZE - a->used < whole) {
		struct arena_chunk *chunk = take_chunk(a);

		if (!chunk)
			return NULL;
		chunk->next = a->chunks;
		a->chunks = chunk;
		a->used = 0;
	}
	h = (struct header *)(a->chunks->bytes + a->used);
	*h = (struct header){ size, NULL };
	a->used += whole;
	a->live++;
	return h + 1;
}

static void *VKAPI_CALL allocate(void *data, size_t size, size_t align,
				 VkSystemAllocationScope scope)
{
	struct arena *a = data;

	(void)scope;
	return a->recording && size <= MAX_SMALL && align <= ALIGN ? alloc_small(a, size) :
	       alloc_block(size, align);
}

static void VKAPI_CALL release(void *data, void *p)
{
	struct arena *a = data;

	if (!p)
		return;
	if (header_of(p)->block)
		free(header_of(p)->block);
	else
		a->live--;
}

static void *VKAPI_CALL reallocate(void *data, void *p, size_t size, size_t align,
				   VkSystemAllocationScope scope)
{
	const size_t old = p ? header_of(p)->size : 0;
	void *to = size ? allocate(data, size, align, scope) : NULL;

	if (size && !to)
		return NULL;
	if (old && size)
		memcpy(to, p, old < size ? old : size);
	release(data, p);
	return to;
}

void arena_init(struct arena *a)
{
	*a = (struct arena){
		.callbacks = {
			.pUserData = a, .pfnAllocation = allocate, .pfnReallocation = reallocate,
			.pfnFree = release,
		},
	};
}

void arena_begin(struct arena *a)
{
	a->recording = true;
}

/* A live allocation keeps all chunks as they are. */
void arena_end(struct arena *a)
{
	uint32_t kept = 0;

	a->recording = false;
	if (a->live)
		return;
	while (a->chunks) {
		struct arena_chunk *chunk = a->chunks;

		a->chunks = chunk->next;
		chunk->next = a->idle;
		a->idle = chunk;
	}
	for (struct arena_chunk **at = &a->idle; *at;) {
		struct arena_chunk *chunk = *at;

		if (kept++ < MAX_IDLE) {
			at = &chunk->next;
			continue;
		}
		*at = chunk->next;
		free(chunk);
	}
}
