// SPDX-License-Identifier: MIT
/*
 * Allocator of ids, reused oldest first: see sundog_ids.h.
 */
#include "sundog_ids.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SIZE 64

void sundog_ids_init(struct sundog_ids *ids, uint32_t limit)
{
	*ids = (struct sundog_ids){ .limit = limit, .next = 1 };
}

void sundog_ids_fini(struct sundog_ids *ids)
{
	free(ids->freed);
}

/* Doubles the ring, and moves its wrapped part behind the rest. Returns -1 if memory is short. */
static int grow(struct sundog_ids *ids)
{
	const uint32_t size = ids->size ? ids->size * 2 : FIRST_SIZE;
	uint32_t *freed = realloc(ids->freed, size * sizeof(*freed));

	if (!freed)
		return -1;
	memcpy(freed + ids->size, freed, ids->head * sizeof(*freed));
	ids->freed = freed;
	ids->size = size;
	return 0;
}

uint32_t sundog_ids_new(struct sundog_ids *ids)
{
	uint32_t id;

	if (ids->count) {
		id = ids->freed[ids->head];
		ids->head = (ids->head + 1) % ids->size;
		ids->count--;
		return id;
	}
	if (ids->next == ids->limit)
		return 0;
	if (ids->next > ids->size && grow(ids))
		return 0;
	return ids->next++;
}

void sundog_ids_del(struct sundog_ids *ids, uint32_t id)
{
	ids->freed[(ids->head + ids->count++) % ids->size] = id;
}
