// SPDX-License-Identifier: MIT
/*
 * Allocator of ids, reused oldest first: see sundog_ids.h.
 */
#include "sundog_ids.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SIZE 64

void sdrm_ids_init(struct sdrm_ids *ids, uint32_t limit)
{
	*ids = (struct sdrm_ids){ .limit = limit, .next = 1 };
}

void sdrm_ids_fini(struct sdrm_ids *ids)
{
	free(ids->freed);
}

/* Doubles the ring, and moves its wrapped part behind the rest. Returns -1 if memory is short. */
static int grow(struct sdrm_ids *ids)
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

uint32_t sdrm_ids_new(struct sdrm_ids *ids)
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

void sdrm_ids_del(struct sdrm_ids *ids, uint32_t id)
{
	ids->freed[(ids->head + ids->count++) % ids->size] = id;
}

bool sdrm_ids_unused(const struct sdrm_ids *ids)
{
	return ids->count == ids->next - 1;
}
