/* SPDX-License-Identifier: MIT */
/*
 * Who may map what, as the driver says it in the tables of a connection: the extent table, the allocation table, and
 * the rings and lists of a client's channels.
 *
 * The driver may be changing them. It takes something back in the tables first, and has the workers asked then
 * (message revoke): what is seen here before is asked back later.
 */
#ifndef ENTITLE_H
#define ENTITLE_H

#include <stdbool.h>
#include <stdint.h>

#include "sundog_hw.h"

struct client;
struct connection;

/* Extents of VRAM that clients can have. */
uint64_t entitle_extents_count(const struct connection *c);

/* The entries of @n extents from @first on, to @owners. False: there are not so many. */
bool entitle_extents_read(const struct connection *c, uint64_t first, uint64_t n, uint32_t *owners);

/* Is all of this range of VRAM in extents of the client? */
bool entitle_range(const struct client *client, uint64_t offset, uint64_t size);

/* The allocation that @handle names now, in one piece. False: there is none. */
bool entitle_allocation(const struct connection *c, uint32_t handle, struct sundog_alloc_entry *entry);

/* Does @handle still name what it did with @generation? */
bool entitle_is_current(const struct connection *c, uint32_t handle, uint64_t generation);

/* Does the ring or the list of a channel of the client name this allocation? The driver wrote them. */
bool entitle_listed(const struct client *client, uint32_t handle, uint64_t generation);

#endif
