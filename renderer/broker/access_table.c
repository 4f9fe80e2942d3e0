// SPDX-License-Identifier: MIT
/*
 * Access checks on the driver's tables, see access_table.h. The tables are read with pread(), not
 * mapped: a page that the file cannot provide is an error then and not a SIGBUS.
 */
#define _GNU_SOURCE
#include "broker/access_table.h"

#include <stddef.h>
#include <unistd.h>

#include "broker/client.h"
#include "broker/connection.h"

#define EXTENTS_AT_ONCE 1024

static bool read_at(int fd, void *to, size_t size, uint64_t offset)
{
	return pread(fd, to, size, offset) == (ssize_t)size;
}

uint64_t access_extents_count(const struct connection *c)
{
	return c->extent_shift ? c->vram_size >> c->extent_shift : 0;
}

bool access_extents_read(const struct connection *c, uint64_t first, uint64_t n, uint32_t *owners)
{
	const uint64_t count = access_extents_count(c);

	return first <= count && n <= count - first &&
	       read_at(c->memfds[2], owners, n * sizeof(*owners),
		       SUNDOG_CONTROL_EXTENTS - SUNDOG_CONTROL_CHANNELS + first * sizeof(*owners));
}

bool access_range(const struct client *client, uint64_t offset, uint64_t size)
{
	const struct connection *c = client->connection;
	uint32_t owners[EXTENTS_AT_ONCE];
	uint64_t extent, end;

	if (!access_extents_count(c) || !size || offset > c->vram_size ||
	    size > c->vram_size - offset)
		return false;
	extent = offset >> c->extent_shift;
	end = ((offset + size - 1) >> c->extent_shift) + 1;
	while (extent < end) {
		const uint64_t left = end - extent,
			n = left < EXTENTS_AT_ONCE ? left : EXTENTS_AT_ONCE;

		if (!access_extents_read(c, extent, n, owners))
			return false;
		for (uint64_t i = 0; i < n; i++)
			if (owners[i] != client->id)
				return false;
		extent += n;
	}
	return true;
}

static bool read_generation(const struct connection *c, uint32_t handle, uint64_t *generation)
{
	const uint64_t offset = (uint64_t)handle * sizeof(struct sundog_alloc_entry);

	return handle && handle < SUNDOG_TABLE_ENTRIES &&
	       read_at(c->memfds[1], generation, sizeof(*generation),
		       offset + offsetof(struct sundog_alloc_entry, generation));
}

bool access_is_current(const struct connection *c, uint32_t handle, uint64_t generation)
{
	uint64_t now;

	return generation && read_generation(c, handle, &now) && now == generation;
}

/* Whole pages; in VRAM, none behind its end. The grants that the broker keeps rely on it. */
static bool place_ok(const struct connection *c, const struct sundog_alloc_entry *entry)
{
	if (!entry->size || entry->size % SUNDOG_PAGE_SIZE || entry->offset % SUNDOG_PAGE_SIZE)
		return false;
	return entry->heap != SUNDOG_HEAP_VRAM ||
	       (entry->offset <= c->vram_size && entry->size <= c->vram_size - entry->offset);
}

/* The entry was not changed while it was read if its generation is the same before and after. */
bool access_allocation(const struct connection *c, uint32_t handle,
		       struct sundog_alloc_entry *entry)
{
	uint64_t generation;

	if (!read_generation(c, handle, &generation) ||
	    !read_at(c->memfds[1], entry, sizeof(*entry), (uint64_t)handle * sizeof(*entry)))
		return false;
	return entry->generation == generation && access_is_current(c, handle, generation) &&
	       entry->n_runs == 1 && place_ok(c, entry);
}

static bool is_in_ring(const struct sundog_ring_entry *ring, uint32_t handle, uint64_t generation)
{
	for (uint32_t i = 0; i < SUNDOG_RING_SLOTS; i++)
		if (ring[i].stream_handle == handle && ring[i].stream_generation == generation)
			return true;
	return false;
}

static bool is_in_list(const struct sundog_list_entry *list, uint32_t handle, uint64_t generation)
{
	for (uint32_t i = 0; i < SUNDOG_LIST_ENTRIES; i++)
		if (list[i].handle == handle && list[i].generation == generation)
			return true;
	return false;
}

bool access_listed(const struct client *client, uint32_t handle, uint64_t generation)
{
	static struct {
		struct sundog_ring_entry ring[SUNDOG_RING_SLOTS];
		struct sundog_list_entry list[SUNDOG_LIST_ENTRIES];
	} segment;
	_Static_assert(offsetof(__typeof__(segment), list) ==
		       SUNDOG_CHANNEL_LIST - SUNDOG_CHANNEL_RING,
		       "ring and list are side by side");

	for (uint32_t i = 0; i < SUNDOG_MAX_CHANNELS; i++)
		if (client_has_channel(client, i) &&
		    read_at(client->connection->memfds[2], &segment, sizeof(segment),
			    (uint64_t)i * SUNDOG_CHANNEL_SIZE + SUNDOG_CHANNEL_RING) &&
		    (is_in_ring(segment.ring, handle, generation) ||
		     is_in_list(segment.list, handle, generation)))
			return true;
	return false;
}
