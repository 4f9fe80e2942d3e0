/* SPDX-License-Identifier: MIT */
/*
 * What a client's worker was let map, until it gave that back.
 *
 * What is granted may be mapped; what is not granted is not, which grants_hold() makes sure of. A grant ends when
 * the worker, which was asked to (a request, see client_ask()), has confirmed that it unmapped everything.
 * Channels are granted as long as the client has them; that is not kept here.
 */
#ifndef GRANT_H
#define GRANT_H

#include <stdbool.h>
#include <stdint.h>

#include "guest.h"
#include "maps.h"

struct client;

/* An allocation in VRAM that is in nobody's extents, or in somebody else's. */
struct grant {
	struct grant *next;
	uint64_t generation, offset, size;
	uint32_t handle;
	uint64_t request;		/* that asks for it; 0: it is granted still */
};

/* Pages of the guest. */
struct guest_grant {
	struct guest_grant *next;
	uint64_t offset, size;		/* in the heap, as in its guest_map */
	struct file_id file;
	uint64_t request;
};

#define GRANT_BUCKETS 256

struct grants {
	bool *extents;			/* granted */
	bool *revoked;			/* of them: asked for */
	uint64_t n_extents;
	uint64_t revoke_request;	/* that asks for extents */
	struct grant *allocations[GRANT_BUCKETS];
	uint32_t n_allocations;
	struct guest_grant *guest;
};

/* False: out of memory. */
bool grants_init(struct grants *g, uint64_t n_extents);
void grants_free(struct grants *g);

void grant_extents(struct grants *g, uint64_t first, uint64_t n);
/* False: there are too many. */
bool grant_allocation(struct grants *g, uint32_t handle, uint64_t generation, uint64_t offset, uint64_t size);
bool grant_guest(struct grants *g, const struct guest_map *map, const struct file_id *file);

/* Is this allocation granted, all of it, and not asked for? */
bool grants_have_allocation(const struct grants *g, uint32_t handle, uint64_t generation, uint64_t offset,
			    uint64_t size);

/* Returns true if the pages of this file are granted, and not asked for. */
bool grants_have_guest(const struct grants *g, const struct file_id *file);
/* Returns true if all grants of this file end with the requests up to @request. */
bool grants_end_guest_with(const struct grants *g, const struct file_id *file, uint64_t request);
/* Is anything of it asked for that the worker has not given back? */
bool grants_wait_for_guest(const struct grants *g, uint64_t offset, uint64_t size);
bool grants_wait_for_vram(const struct grants *g);

/*
 * @request asks for what the tables do not give to the client any more, or for this map of guest pages. False: it
 * has nothing of that.
 */
bool grants_revoke_vram(struct client *client, uint64_t request);
bool grants_revoke_guest(struct grants *g, uint64_t offset, uint64_t size, uint64_t request);

/*
 * The worker says that what the requests up to @request asked for is unmapped. Is that true, and does @maps
 * (/proc/PID/maps) show nothing else that is not granted? Files that no grant names are not, but for those that the
 * worker had before it got the client.
 */
bool grants_hold(struct client *client, int maps, uint64_t request);

/* Ends the grants that the requests up to @request asked for. */
void grants_end(struct client *client, uint64_t request);

#endif
