/* SPDX-License-Identifier: MIT */
/*
 * Grants: the mappings that the broker has allowed a client's worker and that the worker has not
 * given back.
 *
 * A worker may map what is granted and nothing else; mappings_hold() checks that. A grant ends when
 * the worker was asked to unmap it (a request, see client_ask()) and has confirmed that. A worker
 * may map a channel as long as the client has it, which is not recorded here.
 *
 * All functions run in the broker's event thread.
 */
#ifndef BROKER_MAPPINGS_H
#define BROKER_MAPPINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "broker/guest.h"
#include "broker/maps.h"

struct client;

/* An allocation in VRAM that does not lie in the client's own extents. */
struct grant {
	struct grant *next;
	uint64_t generation, offset, size;
	uint32_t handle;
	uint64_t request;		/* request that revokes the grant; 0: none */
};

/* A map of guest pages. */
struct guest_grant {
	struct guest_grant *next;
	uint64_t offset, size;		/* in heap GUEST, as in its guest_map */
	struct file_id file;
	uint64_t request;
	uint32_t *n_waiting;		/* counter of the request, while @request is not 0 */
};

/* Counters of all clients of a connection, which owns them. */
struct mappings_total {
	uint32_t n_allocations;
	uint64_t n_revoked;		/* extents and allocations that workers may still map */
};

#define MAPPINGS_BUCKETS 256

struct mappings {
	struct mappings_total *total;
	bool *extents;			/* extent is granted */
	bool *revoked;			/* extent is granted, but revoked by revoke_request */
	uint64_t n_extents;
	uint64_t revoke_request;	/* request that revokes extents; 0: none */
	struct grant *allocations[MAPPINGS_BUCKETS];
	uint32_t n_allocations;
	struct guest_grant *guest;
};

/* Returns false if memory is short. @total must outlive @g. */
bool mappings_init(struct mappings *g, struct mappings_total *total, uint64_t n_extents);
/* Ends all grants. @g needs mappings_init() then, or has no grants. */
void mappings_free(struct mappings *g);

void mappings_grant_extents(struct mappings *g, uint64_t first, uint64_t n);
/*
 * Record a grant. Return false if memory is short or the client or its connection has too many
 * grants. mappings_grant_allocation() also returns false if this generation was granted at another
 * place.
 */
bool mappings_grant_allocation(struct mappings *g, uint32_t handle, uint64_t generation,
			       uint64_t offset, uint64_t size);
bool mappings_grant_guest(struct mappings *g, const struct guest_map *map,
			  const struct file_id *file);

/* Returns true if exactly this range of the allocation is granted and not revoked. */
bool mappings_have_allocation(const struct mappings *g, uint32_t handle, uint64_t generation,
			      uint64_t offset, uint64_t size);

/* Returns true if the pages of this file are granted and not revoked. */
bool mappings_have_guest(const struct mappings *g, const struct file_id *file);
/* Returns true if the requests up to @request revoke all grants of this file. */
bool mappings_end_guest_with(const struct mappings *g, const struct file_id *file,
			     uint64_t request);
/*
 * Revoke, with @request, all VRAM that the tables do not give to the client any more, or this map
 * of guest pages. Return false if there is nothing to revoke. Until the grants end,
 * mappings_total.n_revoked counts the former, and *@n_waiting the latter.
 */
bool mappings_revoke_vram(struct client *client, uint64_t request);
bool mappings_revoke_guest(struct mappings *g, uint64_t offset, uint64_t size, uint64_t request,
			   uint32_t *n_waiting);

/*
 * Returns true if @maps (/proc/PID/maps of the worker) shows nothing that the requests up to
 * @request revoke and nothing that is not granted. A file without a grant may be mapped only if the
 * worker had it open or mapped before it got the client.
 */
bool mappings_hold(struct client *client, int maps, uint64_t request);

/* Ends the grants that the requests up to @request revoke. */
void mappings_end(struct client *client, uint64_t request);

#endif
