// SPDX-License-Identifier: MIT
/*
 * Heap GUEST, see guest.h: a sorted array of maps, searched by bisection.
 */
#include "broker/guest.h"

#include <errno.h>
#include <string.h>

#include "broker/async_close.h"

/* Returns the index of the first map that ends behind @offset, n_maps if there is none. */
static uint32_t first_behind(const struct guest_heap *heap, uint64_t offset)
{
	uint32_t low = 0, high = heap->n_maps;

	while (low < high) {
		const uint32_t middle = (low + high) / 2;
		const struct guest_map *map = &heap->maps[middle];

		if (map->offset + map->size <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int guest_heap_add(struct guest_heap *heap, uint64_t offset, uint64_t size, int fd,
		   struct async_closer *who)
{
	const uint64_t max_size = (uint64_t)SUNDOG_MAX_GUEST_PAGES * SUNDOG_PAGE_SIZE;
	uint32_t i;

	if (!size || size > max_size || (offset | size) % SUNDOG_PAGE_SIZE ||
	    offset > UINT64_MAX - size)
		return -EINVAL;
	if (heap->n_maps == SUNDOG_MAX_GUEST_MAPS)
		return -ENOSPC;
	i = first_behind(heap, offset);
	if (i < heap->n_maps && heap->maps[i].offset < offset + size)
		return -EBUSY;
	memmove(&heap->maps[i + 1], &heap->maps[i], (heap->n_maps - i) * sizeof(heap->maps[0]));
	heap->maps[i] = (struct guest_map){ offset, size, fd };
	heap->n_maps++;
	async_closer_keep(who, fd >= 0);
	return 0;
}

static void close_files(const int *fds, int n, struct async_closer *who)
{
	for (int i = 0; i < n; i++)
		async_closer_keep(who, -(fds[i] >= 0));
	async_close_for(who, fds, n);
}

bool guest_heap_remove(struct guest_heap *heap, uint64_t offset, uint64_t size,
		       struct async_closer *who)
{
	const uint32_t i = first_behind(heap, offset);
	struct guest_map *map = &heap->maps[i];

	if (i == heap->n_maps || map->offset != offset || map->size != size)
		return false;
	close_files(&map->fd, 1, who);
	heap->n_maps--;
	memmove(map, map + 1, (heap->n_maps - i) * sizeof(*map));
	return true;
}

void guest_heap_clear(struct guest_heap *heap, struct async_closer *who)
{
	int fds[SUNDOG_MAX_GUEST_MAPS];

	for (uint32_t i = 0; i < heap->n_maps; i++)
		fds[i] = heap->maps[i].fd;
	close_files(fds, heap->n_maps, who);
	heap->n_maps = 0;
}

const struct guest_map *guest_heap_at(const struct guest_heap *heap, uint64_t offset)
{
	const uint32_t i = first_behind(heap, offset);

	return i < heap->n_maps && heap->maps[i].offset <= offset && heap->maps[i].fd >= 0 ?
		&heap->maps[i] : NULL;
}
