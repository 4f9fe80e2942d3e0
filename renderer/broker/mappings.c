// SPDX-License-Identifier: MIT
/*
 * Grants, see mappings.h: bookkeeping of what a worker may map, and the comparison with its
 * /proc/PID/maps.
 */
#include "broker/mappings.h"

#include <stdlib.h>
#include <string.h>

#include "broker/access_table.h"
#include "broker/client.h"
#include "broker/connection.h"
#include "ipc/log.h"

/*
 * Limits the grants of a connection, since a REVOKE reads the table entry of each: the driver could
 * give allocations new generations all the time, and the workers map each of them. A client may
 * have half of what the others leave, so at most 32768. Only shared and imported allocations need
 * grants, and a worker maps at most 24573 of them at a time with Linux's default of
 * vm.max_map_count (mapping_max_pieces()).
 */
#define MAX_ALLOCATIONS 65536
/*
 * A client may have so many even if the others leave none: a program with many clients would
 * otherwise end the workers of all other programs of its VM. 256 clients make 32768 more.
 */
#define MIN_ALLOCATIONS_OF_ONE 128

bool mappings_init(struct mappings *g, struct mappings_total *total, uint64_t n_extents)
{
	*g = (struct mappings){ .total = total, .n_extents = n_extents };
	g->extents = calloc(n_extents + 1, sizeof(*g->extents));
	g->revoked = calloc(n_extents + 1, sizeof(*g->revoked));
	if (g->extents && g->revoked)
		return true;
	mappings_free(g);
	return false;
}

static void set_revoked(struct mappings *g, uint64_t extent, bool revoked)
{
	g->total->n_revoked += revoked;
	g->total->n_revoked -= g->revoked[extent];
	g->revoked[extent] = revoked;
}

static void end_allocation(struct mappings *g, struct grant **at)
{
	struct grant *grant = *at;

	*at = grant->next;
	g->n_allocations--;
	g->total->n_allocations--;
	g->total->n_revoked -= grant->request != 0;
	free(grant);
}

static void end_guest_grant(struct guest_grant **at)
{
	struct guest_grant *grant = *at;

	*at = grant->next;
	if (grant->request)
		--*grant->n_waiting;
	free(grant);
}

void mappings_free(struct mappings *g)
{
	for (int i = 0; i < MAPPINGS_BUCKETS; i++)
		while (g->allocations[i])
			end_allocation(g, &g->allocations[i]);
	while (g->guest)
		end_guest_grant(&g->guest);
	for (uint64_t i = 0; g->revoked && i < g->n_extents; i++)
		set_revoked(g, i, false);
	free(g->extents);
	free(g->revoked);
	*g = (struct mappings){ 0 };
}

/* Grants */

void mappings_grant_extents(struct mappings *g, uint64_t first, uint64_t n)
{
	memset(g->extents + first, true, n);
}

static struct grant *find_allocation(const struct mappings *g, uint32_t handle, uint64_t generation)
{
	struct grant *grant = g->allocations[handle % MAPPINGS_BUCKETS];

	while (grant && (grant->handle != handle || grant->generation != generation))
		grant = grant->next;
	return grant;
}

bool mappings_have_allocation(const struct mappings *g, uint32_t handle, uint64_t generation,
			      uint64_t offset, uint64_t size)
{
	const struct grant *grant = find_allocation(g, handle, generation);

	return grant && grant->offset == offset && grant->size == size && !grant->request;
}

static bool may_grant_allocation(const struct mappings *g)
{
	const uint32_t others = g->total->n_allocations - g->n_allocations,
		left = others < MAX_ALLOCATIONS ? MAX_ALLOCATIONS - others : 0;

	return g->n_allocations < MIN_ALLOCATIONS_OF_ONE ||
	       g->n_allocations < left / 2 + left % 2;
}

bool mappings_grant_allocation(struct mappings *g, uint32_t handle, uint64_t generation,
			       uint64_t offset, uint64_t size)
{
	struct grant **bucket = &g->allocations[handle % MAPPINGS_BUCKETS];
	struct grant *grant = find_allocation(g, handle, generation);

	if (grant)
		return grant->offset == offset && grant->size == size;
	if (!may_grant_allocation(g))
		return false;
	grant = malloc(sizeof(*grant));
	if (!grant)
		return false;
	*grant = (struct grant){ *bucket, generation, offset, size, handle, 0 };
	*bucket = grant;
	g->n_allocations++;
	g->total->n_allocations++;
	return true;
}

bool mappings_have_guest(const struct mappings *g, const struct file_id *file)
{
	for (const struct guest_grant *grant = g->guest; grant; grant = grant->next)
		if (file_id_equal(&grant->file, file) && !grant->request)
			return true;
	return false;
}

static bool is_asked(uint64_t request, uint64_t up_to)
{
	return request && request <= up_to;
}

bool mappings_end_guest_with(const struct mappings *g, const struct file_id *file, uint64_t request)
{
	for (const struct guest_grant *grant = g->guest; grant; grant = grant->next)
		if (file_id_equal(&grant->file, file) && !is_asked(grant->request, request))
			return false;
	return true;
}

bool mappings_grant_guest(struct mappings *g, const struct guest_map *map,
			  const struct file_id *file)
{
	struct guest_grant *grant;

	for (grant = g->guest; grant; grant = grant->next)
		if (file_id_equal(&grant->file, file) && grant->offset == map->offset &&
		    grant->size == map->size && !grant->request)
			return true;
	grant = malloc(sizeof(*grant));
	if (!grant)
		return false;
	*grant = (struct guest_grant){ .next = g->guest, .offset = map->offset, .size = map->size,
				       .file = *file };
	g->guest = grant;
	return true;
}

/* Requests */

static uint32_t *read_owners(const struct client *client)
{
	const uint64_t n = client->mappings.n_extents;
	uint32_t *owners = malloc((n + 1) * sizeof(*owners));

	/* If the table cannot be read, no extent belongs to the client. */
	if (owners && !access_extents_read(client->connection, 0, n, owners))
		memset(owners, 0, n * sizeof(*owners));
	return owners;
}

static bool revoke_extents(struct client *client)
{
	struct mappings *g = &client->mappings;
	uint32_t *owners = read_owners(client);
	bool any = false;

	for (uint64_t i = 0; i < g->n_extents; i++) {
		set_revoked(g, i, g->extents[i] && (!owners || owners[i] != client->id));
		any |= g->revoked[i];
	}
	free(owners);
	return any;
}

bool mappings_revoke_vram(struct client *client, uint64_t request)
{
	struct mappings *g = &client->mappings;
	bool any = revoke_extents(client);

	if (any)
		g->revoke_request = request;
	for (int i = 0; i < MAPPINGS_BUCKETS; i++) {
		for (struct grant *grant = g->allocations[i]; grant; grant = grant->next) {
			if (access_is_current(client->connection, grant->handle,
					      grant->generation))
				continue;
			g->total->n_revoked += !grant->request;
			grant->request = request;
			any = true;
		}
	}
	return any;
}

bool mappings_revoke_guest(struct mappings *g, uint64_t offset, uint64_t size, uint64_t request,
			   uint32_t *n_waiting)
{
	for (struct guest_grant *grant = g->guest; grant; grant = grant->next) {
		if (grant->offset != offset || grant->size != size || grant->request)
			continue;
		grant->request = request;
		grant->n_waiting = n_waiting;
		++*n_waiting;
		return true;
	}
	return false;
}

/* Checks of mappings */

/* The files of a client that can be mapped, and the pages of VRAM that may be. */
struct check {
	const struct client *client;
	struct file_id vram, channels;
	uint64_t request, vram_pages;
	uint64_t *pages;		/* bitmap of the allowed pages of VRAM; NULL: all */
};

static void allow(struct check *check, uint64_t offset, uint64_t size)
{
	const uint64_t end = (offset + size) / SUNDOG_PAGE_SIZE;
	uint64_t page = offset / SUNDOG_PAGE_SIZE;

	/* access_allocation() and the extents bound all grants. */
	if (end > check->vram_pages)
		return;
	while (page < end) {
		const uint64_t first = page % 64,
			n = end - page < 64 - first ? end - page : 64 - first;

		check->pages[page / 64] |= ~0ull >> (64 - n) << first;
		page += n;
	}
}

struct range {
	uint64_t offset, end;
};

static int compare_ranges(const void *a, const void *b)
{
	const struct range *first = a, *second = b;

	return (first->offset > second->offset) - (first->offset < second->offset);
}

/*
 * Allows the pages of all granted allocations, each page once, even if many grants have the same
 * pages. Returns false if memory is short.
 */
static bool allow_allocations(struct check *check)
{
	const struct mappings *g = &check->client->mappings;
	struct range *ranges = malloc((g->n_allocations + 1) * sizeof(*ranges));
	uint64_t n = 0, done = 0;

	if (!ranges)
		return false;
	for (int i = 0; i < MAPPINGS_BUCKETS; i++)
		for (const struct grant *grant = g->allocations[i]; grant; grant = grant->next)
			if (!is_asked(grant->request, check->request))
				ranges[n++] = (struct range){ grant->offset,
							      grant->offset + grant->size };
	qsort(ranges, n, sizeof(*ranges), compare_ranges);
	for (uint64_t i = 0; i < n; i++) {
		const uint64_t start = ranges[i].offset > done ? ranges[i].offset : done;

		if (ranges[i].end <= start)
			continue;
		allow(check, start, ranges[i].end - start);
		done = ranges[i].end;
	}
	free(ranges);
	return true;
}

/* Fills in check->pages. Returns false if memory is short. */
static bool allow_all(struct check *check)
{
	const struct client *client = check->client;
	const struct mappings *g = &client->mappings;
	const uint32_t shift = client->connection->extent_shift;
	const bool revoked = is_asked(g->revoke_request, check->request);

	check->vram_pages = client->connection->vram_size / SUNDOG_PAGE_SIZE;
	if (!shift)
		return true;
	check->pages = calloc(check->vram_pages / 64 + 1, sizeof(*check->pages));
	if (!check->pages)
		return false;
	for (uint64_t i = 0; i < g->n_extents; i++)
		if (g->extents[i] && !(revoked && g->revoked[i]))
			allow(check, i << shift, 1ull << shift);
	return allow_allocations(check);
}

static bool vram_is_allowed(const struct check *check, const struct maps_area *area)
{
	uint64_t page = area->offset / SUNDOG_PAGE_SIZE;
	const uint64_t end = page + area->size / SUNDOG_PAGE_SIZE;

	if (end > check->vram_pages)
		return false;
	for (; check->pages && page < end; page++) {
		if (!(page % 64) && end - page >= 64 && check->pages[page / 64] == ~0ull)
			page += 63;
		else if (!(check->pages[page / 64] >> (page % 64) & 1))
			return false;
	}
	return true;
}

/*
 * Returns true for the segments of channels that are not to be destroyed, and for the extent table.
 */
static bool channels_are_allowed(const struct check *check, const struct maps_area *area)
{
	const uint64_t table = SUNDOG_CONTROL_EXTENTS - SUNDOG_CONTROL_CHANNELS;
	const uint64_t end = area->offset + area->size;

	if (area->offset >= table)
		return true;
	if (end > table)
		return false;
	for (uint64_t i = area->offset / SUNDOG_CHANNEL_SIZE; i * SUNDOG_CHANNEL_SIZE < end; i++)
		if (!client_has_channel(check->client, i) ||
		    is_asked(check->client->connection->closing[i], check->request))
			return false;
	return true;
}

/*
 * A map of guest pages with a valid grant shares no pages with a revoked one, so comparing files is
 * enough.
 */
static bool guest_is_allowed(const struct check *check, const struct maps_area *area)
{
	for (const struct guest_grant *grant = check->client->mappings.guest; grant;
	     grant = grant->next)
		if (file_id_equal(&grant->file, &area->file) &&
		    !is_asked(grant->request, check->request))
			return true;
	return mmap_filter_knows(&check->client->worker->filter, &area->file);
}

static bool is_allowed(const struct maps_area *area, void *data)
{
	const struct check *check = data;

	if (file_id_equal(&area->file, &check->vram))
		return vram_is_allowed(check, area);
	if (file_id_equal(&area->file, &check->channels))
		return channels_are_allowed(check, area);
	return guest_is_allowed(check, area);
}

/* Keeps revoked extents that the driver has given to the client again meanwhile. */
static void keep_given(struct client *client)
{
	struct mappings *g = &client->mappings;
	uint32_t *owners = read_owners(client);

	for (uint64_t i = 0; i < g->n_extents; i++)
		if (owners && owners[i] == client->id)
			set_revoked(g, i, false);
	free(owners);
}

static void end_allocations(struct mappings *g, uint64_t request)
{
	for (int i = 0; i < MAPPINGS_BUCKETS; i++) {
		for (struct grant **at = &g->allocations[i]; *at;) {
			struct grant *grant = *at;

			if (is_asked(grant->request, request))
				end_allocation(g, at);
			else
				at = &grant->next;
		}
	}
}

static void end_guest(struct mappings *g, uint64_t request)
{
	for (struct guest_grant **at = &g->guest; *at;) {
		struct guest_grant *grant = *at;

		if (is_asked(grant->request, request))
			end_guest_grant(at);
		else
			at = &grant->next;
	}
}

static void end_extents(struct mappings *g, uint64_t request)
{
	if (!is_asked(g->revoke_request, request))
		return;
	for (uint64_t i = 0; i < g->n_extents; i++) {
		g->extents[i] &= !g->revoked[i];
		set_revoked(g, i, false);
	}
	g->revoke_request = 0;
}

bool mappings_hold(struct client *client, int maps, uint64_t request)
{
	const struct connection *c = client->connection;
	struct check check = { .client = client, .request = request };
	bool ok = file_id_get(c->memfds[0], &check.vram) &&
		file_id_get(c->memfds[2], &check.channels);

	if (is_asked(client->mappings.revoke_request, request))
		keep_given(client);
	ok = ok && allow_all(&check) && maps_each(maps, is_allowed, &check, NULL);
	free(check.pages);
	return ok;
}

void mappings_end(struct client *client, uint64_t request)
{
	end_extents(&client->mappings, request);
	end_allocations(&client->mappings, request);
	end_guest(&client->mappings, request);
}
